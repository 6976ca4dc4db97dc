/* The risk over rows: r(theta) = mean over i of loss(y_i x_i'theta)       (docs/maths.md, 5.1)
 *
 * Where rows have weights, sum_i w_i loss_i / sum_i w_i                    (docs/maths.md, 5.6) */
#include "core/random.h"
#include "risk/risk.h"

#include <math.h>

/* Near lambda = n a part would have minima of its own: there all rows are used. */
#define ROWS_PER_LAMBDA 64.0

/* ---------------------------------------------------------------- smaller and other versions */

static gbs_status part(const gbs_empirical *r, size_t stride, gbs_empirical **out) {
    gbs_held *held;
    gbs_status status = r->held->pass->hold_part(r->held, stride, &held);
    *out = NULL;
    return status == GBS_OK ? gbs_empirical_of_rows(r->ctx, r->loss, held, out) : status;
}

static gbs_status on_design(const gbs_empirical *r, size_t d, const double *cells,
                            gbs_empirical **out) {
    gbs_rows rows = gbs_rows_wrap(r->rows, d, cells, d, r->host.all.y);
    rows.all.weight = r->host.all.weight;
    return gbs_empirical_over_rows(r->ctx, &rows, r->loss, out);
}

static gbs_status batches(gbs_batches *b, size_t size, bool one_by_one) {
    const gbs_empirical *all = b->all;
    gbs_held *held;
    (void)one_by_one; /* terms are rows */
    b->size = size > 0 ? size : 1;
    gbs_status status = all->held->pass->hold_room(all->held, b->size, &held);
    if (status == GBS_OK)
        status = gbs_empirical_of_rows(all->ctx, all->loss, held, &b->on);
    if (status == GBS_OK && (b->row = gbs_array_alloc(all->ctx, all->rows, sizeof *b->row)) == NULL)
        status = GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < all->rows; i++)
        b->row[i] = i;
    return status;
}

/* Without replacement within an epoch. */
static void draw(gbs_batches *b, size_t t) {
    const gbs_empirical *all = b->all;
    size_t n = all->rows, in_epoch = (n + b->size - 1) / b->size, from = t % in_epoch * b->size;
    if (from == 0)
        gbs_shuffle(all->ctx->seed, b->stream + t / in_epoch, n, b->row);
    all->held->pass->fill(b->on->held, all->held, n - from < b->size ? n - from : b->size,
                          b->row + from, NULL);
    b->on->rows = b->on->held->n;
}

/* ---------------------------------------------------------------- under a Gaussian */

static gbs_status room(const gbs_empirical *r, gbs_pull pull, bool curvature, gbs_room **out) {
    return r->held->pass->room(r->held, pull, curvature, out);
}

static gbs_status slopes(const gbs_empirical *r, const gbs_spread *spread, double lambda,
                         gbs_room *work, gbs_slopes *out) {
    return r->held->pass->slopes(r->held, &r->loss->pointwise, spread, lambda, work, out);
}

/* Sums of psi and psi^2 of rows whose scores and variances are known; these are lost. */
static void add_losses(const gbs_empirical *r, const gbs_loss_ops *loss, size_t first, size_t n,
                       double *score, double *sd, double *sum, double *square) {
    bool weighted = r->held->weighted && !r->counts_once;
    r->held->pass->margins(r->held, first, n, score, score);
    for (size_t i = 0; i < n; i++)
        sd[i] = sqrt(sd[i]);
    for (size_t from = 0; from < n; from += GBS_LOSS_TILE) {
        double psi[GBS_LOSS_TILE], d_mu[GBS_LOSS_TILE], d_s[GBS_LOSS_TILE];
        size_t m = n - from < GBS_LOSS_TILE ? n - from : GBS_LOSS_TILE;
        loss->pointwise.smoothed(m, score + from, sd + from, psi, d_mu, d_s);
        if (weighted) {
            r->held->pass->weights(r->held, first + from, m, d_mu);
            for (size_t i = 0; i < m; i++) {
                *sum += d_mu[i] * psi[i];
                *square += d_mu[i] * psi[i] * psi[i];
            }
            continue;
        }
        for (size_t i = 0; i < m; i++) {
            *sum += psi[i];
            *square += psi[i] * psi[i];
        }
    }
}

static gbs_status value(const gbs_empirical *r, const gbs_loss_ops *loss, const gbs_spread *spread,
                        bool shown, double *mean, double *second_moment) {
    enum { SLICE = 1 << 15 };
    size_t n = r->rows, most = n < SLICE ? n : SLICE;
    double *score = gbs_matrix(r->ctx, 2, most), sum = 0.0, square = 0.0;
    gbs_status status = score != NULL ? GBS_OK : GBS_ERR_MEMORY;
    (void)shown; /* it is never long */
    for (size_t first = 0; status == GBS_OK && first < n; first += SLICE) {
        size_t count = n - first < SLICE ? n - first : SLICE;
        status = r->held->pass->project(r->held, spread, first, count, score, score + most);
        if (status == GBS_OK)
            add_losses(r, loss, first, count, score, score + most, &sum, &square);
    }
    gbs_array_free(r->ctx, score);
    double mass = r->counts_once ? (double)n : r->held->mass;
    *mean = sum / mass;
    if (second_moment != NULL)
        *second_moment = square / mass;
    return status;
}

/* ---------------------------------------------------------------- many coefficient vectors */

static size_t tile_room(const gbs_empirical *r) {
    return r->held->pass->tile_room(r->held);
}

static void tile(const gbs_empirical *r, const double *theta, double *scratch, double *risks) {
    r->held->pass->tile(r->held, &r->loss->pointwise, theta, scratch, risks);
}

static bool takes_many(const gbs_empirical *r) {
    const gbs_pass_ops *pass = r->held->pass;
    return pass->takes_many != NULL && pass->takes_many(r->held, &r->loss->pointwise);
}

static gbs_status many(const gbs_empirical *r, size_t count, const double *tiles, double *risks) {
    return r->held->pass->many(r->held, &r->loss->pointwise, count, tiles, risks);
}

static void base(const gbs_empirical *r, const double *mean, double *out) {
    r->held->pass->scores(r->held, 0, r->rows, mean, out);
    r->held->pass->margins(r->held, 0, r->rows, out, out);
    for (size_t i = 0; i < r->rows; i++)
        out[i] += 0.0; /* -0 becomes 0 */
}

static void ring(const gbs_empirical *r, const gbs_ring *states, const double *from, size_t count,
                 const gbs_ring_tile *tiles, double *scratch) {
    r->held->pass->ring(r->held, &r->loss->pointwise, states, from, count, tiles, scratch);
}

static const gbs_empirical_ops over_rows = {.part = part,
                                            .on_design = on_design,
                                            .room = room,
                                            .slopes = slopes,
                                            .batches = batches,
                                            .draw = draw,
                                            .value = value,
                                            .tile_room = tile_room,
                                            .tile = tile,
                                            .takes_many = takes_many,
                                            .many = many,
                                            .base = base,
                                            .ring = ring};

gbs_status gbs_empirical_of_rows(gbs_context *ctx, const gbs_loss_ops *loss, gbs_held *held,
                                 gbs_empirical **out) {
    gbs_status status = gbs_empirical_create(ctx, &over_rows, loss, held, out);
    if (status != GBS_OK)
        return status;
    gbs_empirical *r = *out;
    r->units = r->rows;
    r->terms = (double)r->rows;
    r->rows_per_lambda = ROWS_PER_LAMBDA;
    r->state_cost = loss->pointwise.state_cost;
    return GBS_OK;
}

gbs_status gbs_empirical_over_rows(gbs_context *ctx, const gbs_rows *rows, const gbs_loss_ops *loss,
                                   gbs_empirical **out) {
    gbs_held *held;
    gbs_status status = gbs_hold(ctx, rows, &held);
    *out = NULL;
    if (status == GBS_OK)
        status = gbs_empirical_of_rows(ctx, loss, held, out);
    if (status != GBS_OK)
        return status;
    (*out)->host = *rows;
    (*out)->host.n_owned = 0;
    return GBS_OK;
}
