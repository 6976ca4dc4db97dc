/* The empirical risk: a mean of losses, whatever it is a mean over.
 *
 *   over_rows.c      r(theta) = mean over rows of loss(y x'theta), by their weights
 *   over_pairs.c     r(theta) = mean over pairs of rows, one of each class, of loss((x_i -
 *                    x_j)'theta), all n+ n- of them
 *   sampled_pairs.c  the same over pairs drawn at random, where all are too many
 *
 * Solvers and samplers ask it for its value, its slopes, its mean under many coefficient vectors,
 * and smaller versions of itself. They see neither labels nor pairs; it sees neither solvers nor
 * where its rows are held (pass/pass.h).                                      (docs/maths.md, 5)
 */
#ifndef GIBBSITE_RISK_RISK_H
#define GIBBSITE_RISK_RISK_H

#include "risk/loss.h"

typedef struct gbs_empirical_ops gbs_empirical_ops;

typedef struct gbs_empirical {
    const gbs_empirical_ops *ops;
    gbs_context *ctx;
    const gbs_loss_ops *loss;
    size_t d;       /* coefficients */
    size_t rows;    /* that a pass visits */
    size_t units;   /* terms of the mean that share no row: rows, or those of the smaller class */
    double terms;   /* losses in the mean: rows, or pairs of them */
    double counted; /* rows, those that were kept once for several counted each time */
    /* A posterior at lambda resolves the risk to about 1/lambda; so many rows for each unit of
     * lambda resolve it far better. */
    double rows_per_lambda;
    /* What a coefficient vector more costs for each row, besides its product with the row. */
    double state_cost;
    /* A value counts each row once, whatever its weight. */
    bool counts_once;
    /* There are too many terms to go through them in epochs: batches are drawn with replacement. */
    bool by_draws;

    gbs_held *held;   /* ours */
    gbs_rows host;    /* of over_pairs: our copy, positives first; of over_rows: the caller's */
    size_t positives; /* over pairs: rows that come first */
} gbs_empirical;

/* `rows` are borrowed: their arrays must outlive the risk. */
gbs_status gbs_empirical_over_rows(gbs_context *ctx, const gbs_rows *rows, const gbs_loss_ops *loss,
                                   gbs_empirical **out);
/* A copy of the rows is made. grouped: equal rows are kept once and counted, which neither batches
 * nor many coefficient vectors can do with. No pair at all: a risk of 0. */
gbs_status gbs_empirical_over_pairs(gbs_context *ctx, const gbs_rows *rows, bool grouped,
                                    const gbs_loss_ops *loss, gbs_empirical **out);
void gbs_empirical_free(gbs_empirical *risk); /* takes NULL */
/* The same risk with another loss: a view, not to be freed. */
gbs_empirical gbs_empirical_with(const gbs_empirical *risk, const gbs_loss_ops *loss);

/* The same risk as a certificate sees it: values count each row once, whatever its weight. A view,
 * not to be freed. */
gbs_empirical gbs_empirical_counted_once(const gbs_empirical *risk);

/* ---------------------------------------------------------------- for solvers */

/* The same risk on every stride-th row; must not outlive the risk. */
gbs_status gbs_empirical_part(const gbs_empirical *risk, size_t stride, gbs_empirical **out);

/* The same risk where its rows have other coordinates: dense, d of them, row after row, borrowed.
 * Only where gbs_empirical_has_designs. */
bool gbs_empirical_has_designs(const gbs_empirical *risk);
gbs_status gbs_empirical_on_design(const gbs_empirical *risk, size_t d, const double *cells,
                                   gbs_empirical **out);

/* Room for slopes of this risk and of its parts. */
gbs_status gbs_empirical_room(const gbs_empirical *risk, gbs_pull pull, bool curvature,
                              gbs_room **out);
/* The mean of psi under a Gaussian, and the slopes of lambda times it. */
gbs_status gbs_empirical_slopes(const gbs_empirical *risk, const gbs_spread *spread, double lambda,
                                gbs_room *room, gbs_slopes *out);
/* The largest squared length of a row. */
double gbs_empirical_longest(const gbs_empirical *risk);

/* ---------------------------------------------------------------- for stochastic solvers */

typedef struct gbs_batches {
    gbs_empirical *on; /* the risk on the batch */
    size_t size;       /* rows, or pairs drawn one by one, of a batch */
    const gbs_empirical *all;
    uint64_t stream; /* of random numbers */
    size_t *row, *less;
} gbs_batches;

/* Batches of about `size`. Over rows: in the order of a shuffle that is made anew for each epoch.
 * By draws: as many rows of each class, and all their pairs; one_by_one: so many pairs. */
gbs_status gbs_batches_create(const gbs_empirical *risk, size_t size, bool one_by_one,
                              uint64_t stream, gbs_batches *out);
void gbs_batches_free(gbs_batches *b); /* takes one that was never made, all zeros */
/* Batch number t, which `on` is then over. By draws it depends on the seed, the stream and t alone;
 * otherwise t is to grow by 1 from 0 on. */
void gbs_batches_draw(gbs_batches *b, size_t t);

/* ---------------------------------------------------------------- for certificates */

/* Mean of psi, and of psi^2 (NULL: not asked for), of any loss under a Gaussian. shown: with
 * progress where it is long. */
gbs_status gbs_empirical_value(const gbs_empirical *risk, const gbs_loss_ops *loss,
                               const gbs_spread *spread, bool shown, double *mean,
                               double *second_moment);
/* Mean of psi over `draws` > 0 terms, drawn independently and uniformly from all of them by this
 * seed, for a certificate one that comes from the rows (gbs_hash_draw_seed); over pairs, of which
 * there must be one. */
gbs_status gbs_empirical_sampled(const gbs_empirical *risk, const gbs_loss_ops *loss,
                                 const gbs_spread *spread, uint64_t seed, uint64_t draws,
                                 double *mean);

/* ---------------------------------------------------------------- for samplers */

/* Doubles that the two below work in. */
size_t gbs_empirical_tile_room(const gbs_empirical *risk);
/* r of the GBS_LANES coefficient vectors of a tile; may be called on many threads at once. */
void gbs_empirical_tile(const gbs_empirical *risk, const double *theta, double *scratch,
                        double *risks);
/* What rings around a mean begin with, one number a row: see gbs_pass_ops.ring. */
void gbs_empirical_base(const gbs_empirical *risk, const double *mean, double *base);
/* r of all states of `count` tiles of planes, at most GBS_GROUP. */
void gbs_empirical_ring(const gbs_empirical *risk, const gbs_ring *ring, const double *base,
                        size_t count, const gbs_ring_tile *tile, double *scratch);

/* Floating-point operations between two looks at the caller's wish to stop: some 50 milliseconds.
 */
#define GBS_STRETCH_FLOPS 1e9

/* Puts the coefficient vectors first .. first + lanes - 1 into the lanes of a tile; on any
 * thread. */
typedef void (*gbs_tile_filler)(void *user, size_t first, size_t lanes, double *tile);
/* r of `count` coefficient vectors, on the context's threads (many.c). */
gbs_status gbs_empirical_tiles(const gbs_empirical *risk, size_t count, gbs_tile_filler fill,
                               void *user, double *risks);
/* The same of those that lie one after the other. */
gbs_status gbs_empirical_many(const gbs_empirical *risk, size_t count, const double *theta,
                              double *risks);

/* ---------------------------------------------------------------- inside */

/* One kind of risk; a function that it has no use for is NULL. */
struct gbs_empirical_ops {
    gbs_status (*part)(const gbs_empirical *risk, size_t stride, gbs_empirical **out);
    gbs_status (*on_design)(const gbs_empirical *risk, size_t d, const double *cells,
                            gbs_empirical **out);
    gbs_status (*room)(const gbs_empirical *risk, gbs_pull pull, bool curvature, gbs_room **out);
    gbs_status (*slopes)(const gbs_empirical *risk, const gbs_spread *spread, double lambda,
                         gbs_room *room, gbs_slopes *out);
    gbs_status (*batches)(gbs_batches *b, size_t size, bool one_by_one);
    void (*draw)(gbs_batches *b, size_t t);
    gbs_status (*value)(const gbs_empirical *risk, const gbs_loss_ops *loss,
                        const gbs_spread *spread, bool shown, double *mean, double *second_moment);
    size_t (*tile_room)(const gbs_empirical *risk);
    void (*tile)(const gbs_empirical *risk, const double *theta, double *scratch, double *risks);
    /* r of `count` vectors, in tiles that follow one another; both NULL: a tile at a time */
    bool (*takes_many)(const gbs_empirical *risk);
    gbs_status (*many)(const gbs_empirical *risk, size_t count, const double *tiles, double *risks);
    void (*base)(const gbs_empirical *risk, const double *mean, double *base);
    void (*ring)(const gbs_empirical *risk, const gbs_ring *ring, const double *base, size_t count,
                 const gbs_ring_tile *tile, double *scratch);
};

/* Takes over `held`, on failure too. */
gbs_status gbs_empirical_create(gbs_context *ctx, const gbs_empirical_ops *ops,
                                const gbs_loss_ops *loss, gbs_held *held, gbs_empirical **out);
/* Over the rows, and over the pairs of the first `positives` and the rest, of what is held. */
gbs_status gbs_empirical_of_rows(gbs_context *ctx, const gbs_loss_ops *loss, gbs_held *held,
                                 gbs_empirical **out);
gbs_status gbs_empirical_of_pairs(gbs_context *ctx, const gbs_loss_ops *loss, gbs_held *held,
                                  size_t positives, gbs_empirical **out);
/* Batches of a risk over pairs (sampled_pairs.c). */
gbs_status gbs_pair_batches(gbs_batches *b, size_t size, bool one_by_one);
void gbs_pair_batches_draw(gbs_batches *b, size_t t);

#endif
