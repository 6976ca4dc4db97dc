/* The risk over pairs: r(theta) = mean over i positive, j negative of loss((x_i - x_j)'theta)
 *                                                                              (docs/maths.md, 5.2)
 */
#include "risk/pair_rows.h"
#include "risk/risk.h"

#include <math.h>

/* n rows have n^2 pairs: their mean risk settles with fewer. */
#define ROWS_PER_LAMBDA 8.0
/* What sorting a score costs. */
#define SORT_COST 200.0

/* ---------------------------------------------------------------- under a Gaussian */

static gbs_status room(const gbs_empirical *r, gbs_pull pull, bool curvature, gbs_room **out) {
    return r->held->pass->pair_room(r->held, r->positives, pull, curvature, out);
}

static gbs_status slopes(const gbs_empirical *r, const gbs_spread *spread, double lambda,
                         gbs_room *work, gbs_slopes *out) {
    return r->held->pass->pair_slopes(r->held, r->positives, &r->loss->pointwise, spread, lambda,
                                      work, out);
}

static gbs_status value(const gbs_empirical *r, const gbs_loss_ops *loss, const gbs_spread *spread,
                        bool shown, double *mean, double *second_moment) {
    return r->held->pass->pair_risk(r->held, r->positives, &loss->pointwise, spread, shown, mean,
                                    second_moment);
}

/* Rows are in the order of their classes, and stay so. */
static gbs_status part(const gbs_empirical *r, size_t stride, gbs_empirical **out) {
    gbs_held *held;
    gbs_status status = r->held->pass->hold_part(r->held, stride, &held);
    *out = NULL;
    return status == GBS_OK ? gbs_empirical_of_pairs(r->ctx, r->loss, held,
                                                     (r->positives + stride - 1) / stride, out)
                            : status;
}

/* ---------------------------------------------------------------- many coefficient vectors */

static size_t tile_room(const gbs_empirical *r) {
    return r->held->pass->pair_tile_room(r->held);
}

static void tile(const gbs_empirical *r, const double *theta, double *scratch, double *risks) {
    r->held->pass->pair_tile(r->held, r->positives, &r->loss->pointwise, theta, scratch, risks);
}

static void base(const gbs_empirical *r, const double *mean, double *out) {
    r->held->pass->scores(r->held, 0, r->rows, mean, out);
    for (size_t i = 0; i < r->rows; i++)
        out[i] += 0.0; /* -0 becomes 0 */
}

static void ring(const gbs_empirical *r, const gbs_ring *states, const double *from, size_t count,
                 const gbs_ring_tile *tiles, double *scratch) {
    r->held->pass->pair_ring(r->held, r->positives, &r->loss->pointwise, states, from, count, tiles,
                             scratch);
}

static const gbs_empirical_ops over_pairs = {.part = part,
                                             .room = room,
                                             .slopes = slopes,
                                             .batches = gbs_pair_batches,
                                             .draw = gbs_pair_batches_draw,
                                             .value = value,
                                             .tile_room = tile_room,
                                             .tile = tile,
                                             .base = base,
                                             .ring = ring};

gbs_status gbs_empirical_of_pairs(gbs_context *ctx, const gbs_loss_ops *loss, gbs_held *held,
                                  size_t positives, gbs_empirical **out) {
    gbs_status status = gbs_empirical_create(ctx, &over_pairs, loss, held, out);
    if (status != GBS_OK)
        return status;
    gbs_empirical *r = *out;
    size_t negatives = r->rows - positives;
    r->positives = positives;
    r->units = positives < negatives ? positives : negatives;
    r->terms = (double)positives * (double)negatives;
    r->rows_per_lambda = ROWS_PER_LAMBDA;
    r->state_cost = SORT_COST;
    r->by_draws = true;
    return GBS_OK;
}

gbs_status gbs_empirical_over_pairs(gbs_context *ctx, const gbs_rows *rows, bool grouped,
                                    const gbs_loss_ops *loss, gbs_empirical **out) {
    gbs_rows pairs;
    gbs_held *held = NULL;
    gbs_status status = gbs_pair_rows_build(ctx, rows, grouped, &pairs);
    *out = NULL;
    if (status != GBS_OK)
        return status;
    status = gbs_hold(ctx, &pairs, &held);
    if (status == GBS_OK)
        status = gbs_empirical_of_pairs(ctx, loss, held, gbs_pair_positives(&pairs), out);
    if (status != GBS_OK) {
        gbs_rows_free(ctx, &pairs);
        return status;
    }
    gbs_empirical *r = *out;
    double size[2];
    gbs_pair_classes(&pairs, size);
    r->host = pairs;
    r->units = (size_t)fmin(size[0], size[1]);
    r->terms = size[0] * size[1];
    r->counted = size[0] + size[1];
    return GBS_OK;
}
