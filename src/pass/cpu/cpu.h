/* The back end on this machine's processors: what its files share. */
#ifndef GIBBSITE_PASS_CPU_CPU_H
#define GIBBSITE_PASS_CPU_CPU_H

#include "pass/pass.h"

/* ---------------------------------------------------------------- held.c */

typedef struct gbs_cpu_held {
    gbs_held head;
    gbs_rows rows;          /* their cells are the caller's, or those below */
    double *x, *y, *weight; /* of a room */
} gbs_cpu_held;

static inline const gbs_rows *gbs_cpu_rows(const gbs_held *held) {
    return &((const gbs_cpu_held *)held)->rows;
}

gbs_status gbs_cpu_hold(gbs_context *ctx, const gbs_rows *rows, gbs_held **out);
gbs_status gbs_cpu_hold_part(const gbs_held *held, size_t stride, gbs_held **out);
gbs_status gbs_cpu_hold_room(const gbs_held *held, size_t rows, gbs_held **out);
void gbs_cpu_fill(gbs_held *room, const gbs_held *from, size_t count, const size_t *row,
                  const size_t *less);
gbs_status gbs_cpu_keep(const gbs_held *held, size_t count, const size_t *row, gbs_strip *out);
void gbs_cpu_release(gbs_held *held);
void gbs_cpu_cells(const gbs_held *held, size_t first, size_t count, double *out);
void gbs_cpu_norms(const gbs_held *held, size_t first, size_t count, double *norm2);
void gbs_cpu_scores(const gbs_held *held, size_t first, size_t count, const double *m,
                    double *score);
void gbs_cpu_margins(const gbs_held *held, size_t first, size_t count, const double *score,
                     double *margin);
void gbs_cpu_weights(const gbs_held *held, size_t first, size_t count, double *weight);

/* Buffers of the passes for slopes: one set of sums a chunk, one scratch a worker. */
typedef struct gbs_cpu_room {
    gbs_room head;
    gbs_context *ctx;
    size_t sums_size, worker_size;
    double *sums, *scratch;
    double *values; /* of each row, where pairs of them are looked at; else NULL */
} gbs_cpu_room;

/* values: so many arrays over n rows; 0: none. */
gbs_status gbs_cpu_room_create(gbs_context *ctx, size_t chunks, size_t sums_size,
                               size_t worker_size, size_t values, size_t n, gbs_room **out);
void gbs_cpu_release_room(gbs_room *room);

/* ---------------------------------------------------------------- project.c */

/* A score variance below this is rounding dust of a zero row. */
#define GBS_NO_VARIANCE 1e-280

/* Measured by S itself, a row's share (lambda/n) w x x' of the precision has size (lambda/n) w s^2.
 * Rows whose shares add up to less than this cannot be seen beside S^-1; leaving them out spares
 * the matrix sums the rows far from the margin. */
#define GBS_NO_PULL 1e-18

/* What sparse rows with a shift c still lack: c'm, and sum c_k^2 tau_k (tau = 1 where there is
 * none). */
typedef struct gbs_cpu_shift {
    double dot, square;
} gbs_cpu_shift;

gbs_cpu_shift gbs_cpu_shift_of(const gbs_rows *rows, const gbs_spread *spread);

/* Mean and variance of the scores of a strip. scratch: gbs_cpu_strip_room doubles for each of its
 * rows, kept as it is until the strip is pulled back. */
size_t gbs_cpu_strip_room(size_t d, bool matrix);
void gbs_cpu_project_strip(const gbs_spread *g, const gbs_strip *b, const gbs_cpu_shift *shift,
                           double *scratch, double *score, double *variance);
/* d_mean += X'u, pull += what the spread asks for of X'diag(w)X; a shift's share is left to the
 * caller. */
void gbs_cpu_pull_strip(const gbs_spread *g, const gbs_strip *b, double *scratch, const double *u,
                        const double *w, double *d_mean, double *pull);

gbs_status gbs_cpu_project(const gbs_held *held, const gbs_spread *spread, size_t first,
                           size_t count, double *score, double *variance);

/* ---------------------------------------------------------------- the others */

gbs_status gbs_cpu_gram(const gbs_held *held, const double *weight, const size_t *pick,
                        size_t count, double *k);

gbs_status gbs_cpu_slopes_room(const gbs_held *held, gbs_pull pull, bool curvature, gbs_room **out);
gbs_status gbs_cpu_slopes(const gbs_held *held, const gbs_pointwise *loss, const gbs_spread *spread,
                          double lambda, gbs_room *room, gbs_slopes *out);

gbs_status gbs_cpu_pair_room(const gbs_held *held, size_t positives, gbs_pull pull, bool curvature,
                             gbs_room **out);
gbs_status gbs_cpu_pair_slopes(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                               const gbs_spread *spread, double lambda, gbs_room *room,
                               gbs_slopes *out);
gbs_status gbs_cpu_pair_risk(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                             const gbs_spread *spread, bool shown, double *risk,
                             double *second_moment);
gbs_status gbs_cpu_listed_pairs(const gbs_held *held, const gbs_pointwise *loss,
                                const gbs_spread *spread, size_t count, const size_t *row,
                                const size_t *less, double *sum);

size_t gbs_cpu_tile_room(const gbs_held *held);
size_t gbs_cpu_pair_tile_room(const gbs_held *held);
void gbs_cpu_tile(const gbs_held *held, const gbs_pointwise *loss, const double *theta,
                  double *scratch, double *risk);
void gbs_cpu_pair_tile(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                       const double *theta, double *scratch, double *risk);
void gbs_cpu_ring(const gbs_held *held, const gbs_pointwise *loss, const gbs_ring *ring,
                  const double *base, size_t count, const gbs_ring_tile *tile, double *scratch);
void gbs_cpu_pair_ring(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                       const gbs_ring *ring, const double *base, size_t count,
                       const gbs_ring_tile *tile, double *scratch);
gbs_status gbs_cpu_vote(const gbs_held *held, const gbs_pointwise *loss, size_t count,
                        const double *tiles, const double *mean, const gbs_vote *out);

#endif
