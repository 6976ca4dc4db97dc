/* Sixteen vectors side by side: the layout in which many coefficient vectors meet the rows at once.
 *
 * A tile holds GBS_LANES vectors of length d, coordinate by coordinate: element k of vector l at
 * tile[k * GBS_LANES + l]. Tiles begin on a cache line. Lanes that are not needed hold zeros.
 */
#ifndef GIBBSITE_KERNEL_TILE_H
#define GIBBSITE_KERNEL_TILE_H

#include "kernel/strip.h"

enum { GBS_LANES = 16 };

/* Half a row of lanes, for code that must stay in registers: one AVX-512 word, two of AVX2. */
typedef double gbs_wide __attribute__((vector_size(64)));
typedef int64_t gbs_wide_mask __attribute__((vector_size(64)));
typedef uint64_t gbs_wide_bits __attribute__((vector_size(64)));

/* score[i * GBS_LANES + l] = x_i'theta_l for the rows of a strip. The shift of sparse rows is not
 * subtracted: that takes gbs_tile_dot. */
void gbs_tile_scores(const gbs_strip *b, const double *theta, double *score);
/* margin[i][l] = y_i (x_i'theta_l - less_l); less NULL: 0. */
void gbs_tile_margins(const gbs_strip *b, const double *theta, const double *less, double *margin);
/* out[i][l] = a_i + x b[i][l] + y c[i][l] */
void gbs_tile_turn(size_t n, const double *a, double x, const double *b, double y, const double *c,
                   double *out);
/* (a, b) -> (x a + y b, x b - y a), d coordinates of two tiles: a turn by the angle whose cosine is
 * x and whose sine is y. */
void gbs_tile_rotate(size_t d, double x, double y, double *a, double *b);
/* a -> x_l a + y_l b, lane by lane. */
void gbs_tile_combine(size_t d, const double *x, double *a, const double *y, const double *b);
/* state -> there in the lanes whose mask is all ones (0: stays); way_l += |there_l - state_l|^2 of
 * those, where way is not NULL. */
void gbs_tile_select(size_t d, const int64_t *mask, const double *there, double *state,
                     double *way);
/* tile -> tile + times by, coordinate by coordinate. */
void gbs_tile_shift(size_t d, double times, const double *by, double *tile);
/* out_l = |to_l - centre|^2 - |from_l - centre|^2, the squares not formed; centre NULL: 0. */
void gbs_tile_change(size_t d, const double *centre, const double *from, const double *to,
                     double *out);
/* out_l = a_l'b_l */
void gbs_tile_inner(size_t d, const double *a, const double *b, double *out);
/* out_l = sum_k by[k] a[k][l] + times b_l: one row of lanes from `count` others and one more. */
void gbs_lanes_weigh(size_t count, const double *by, const double *a, double times, const double *b,
                     double *out);
/* For each lane an index drawn in proportion to exp(log_weight[j][l]), which is lost. NaN and
 * -infinity: not to be drawn. draw: uniform, one a lane. */
void gbs_lanes_choose(size_t count, double *log_weight, const double *draw, size_t *chosen);
/* out_l = shift'theta_l, which remains to be subtracted from the scores of sparse rows. */
void gbs_tile_dot(size_t d, const double *shift, const double *theta, double *out);

/* GBS_LANES rows of a row-major matrix (row stride d) as a tile, and back; `lanes` of them, the
 * rest zeros. */
void gbs_tile_gather(size_t d, size_t lanes, const double *const *row, double *tile);
void gbs_tile_scatter(size_t d, size_t lanes, const double *tile, double *const *row);

/* `count` standard normal numbers, count even, from the counters first .. first + count/2 - 1 of a
 * stream: the first half are those that gbs_normal gives for these counters (but for rounding), the
 * second half their partners in Box and Muller's pair. */
void gbs_normal_draws(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double *out);
/* One uniform number a lane, those that gbs_uniform gives for the counters first .. first +
 * GBS_LANES - 1. */
void gbs_lane_uniforms(uint64_t seed, uint64_t stream, uint64_t first, double *out);

#endif
