/* Pairs drawn at random, for data whose n+ n- pairs are too many to be visited.
 *
 *   r_hat = (1/N) sum_t psi(z_t),   z_t the margin of a positive and a negative row, each drawn
 *   uniformly, with replacement                                             (docs/maths.md, 5.3)
 *
 * Given the posterior the N terms are independent, lie in [0, 1] for the zero-one loss and have
 * mean r, the risk over all pairs; so r <= kl_inv(r_hat, log(1/delta)/N) with probability 1 -
 * delta (docs/maths.md, 6.6). Draw t depends on the seed and t alone, and the seed on the rows
 * (docs/maths.md, 11.2); sums are taken over fixed pieces, in order.
 *
 * Batches for stochastic solvers are drawn in the same way: as many rows of each class and all
 * their pairs, or pairs one by one, which are rows x_i - x_j. The mean over either is unbiased.
 */
#include "core/random.h"
#include "risk/risk.h"

#include <math.h>

/* ---------------------------------------------------------------- batches */

/* Pairs that are rows of their own: a risk over rows that counts what it sees. */
static gbs_status slopes_of_differences(const gbs_empirical *r, const gbs_spread *spread,
                                        double lambda, gbs_room *room, gbs_slopes *out) {
    gbs_status status = r->held->pass->slopes(r->held, &r->loss->pointwise, spread, lambda, room,
                                              out);
    gbs_see_pairs(r->ctx, (double)r->rows);
    return status;
}

static gbs_status room_of_differences(const gbs_empirical *r, gbs_pull pull, bool curvature,
                                      gbs_room **out) {
    return r->held->pass->room(r->held, pull, curvature, out);
}

static const gbs_empirical_ops over_differences = {.room = room_of_differences,
                                                   .slopes = slopes_of_differences};

gbs_status gbs_pair_batches(gbs_batches *b, size_t size, bool one_by_one) {
    const gbs_empirical *all = b->all;
    gbs_context *ctx = all->ctx;
    gbs_held *held;
    if (!one_by_one)
        size = size / 2 * 2; /* as many of each class */
    b->size = size > 0 ? size : 2;
    gbs_status status = all->held->pass->hold_room(all->held, b->size, &held);
    if (status == GBS_OK && one_by_one)
        status = gbs_empirical_create(ctx, &over_differences, all->loss, held, &b->on);
    else if (status == GBS_OK)
        status = gbs_empirical_of_pairs(ctx, all->loss, held, b->size / 2, &b->on);
    b->row = gbs_array_alloc(ctx, b->size, sizeof *b->row);
    b->less = one_by_one ? gbs_array_alloc(ctx, b->size, sizeof *b->less) : NULL;
    if (b->row == NULL || (one_by_one && b->less == NULL))
        return GBS_ERR_MEMORY;
    return status;
}

/* Random row of a class; draws 2 i and 2 i + 1 of a batch are one for each. */
static size_t draw_row(const gbs_batches *b, size_t t, size_t i, bool positive) {
    const gbs_empirical *all = b->all;
    size_t plus = all->positives, count = positive ? plus : all->rows - plus;
    uint64_t index = (uint64_t)t * 2 * b->size + 2 * i + (positive ? 1 : 0);
    return (positive ? 0 : plus) + (size_t)gbs_below(all->ctx->seed, b->stream, index, count);
}

void gbs_pair_batches_draw(gbs_batches *b, size_t t) {
    size_t half = b->size / 2;
    for (size_t i = 0; i < b->size; i++)
        if (b->less != NULL) {
            b->row[i] = draw_row(b, t, i, true);
            b->less[i] = draw_row(b, t, i, false);
        } else {
            b->row[i] = draw_row(b, t, i % half, i < half);
        }
    b->all->held->pass->fill(b->on->held, b->all->held, b->size, b->row, b->less);
}

/* ---------------------------------------------------------------- the risk from a sample */

enum { PIECE = 4096, PIECES = 64 };

struct sampling {
    const gbs_empirical *risk;
    uint64_t seed;
    size_t *upto;        /* rows of its class up to this one, equal rows counted */
    uint64_t first, end; /* draws of this round */
    size_t *row, *less;  /* of each */
};

/* The row of a class that its `number`-th single row belongs to. */
static size_t find_row(const struct sampling *s, bool positive, size_t number) {
    size_t plus = s->risk->positives, low = positive ? 0 : plus,
           high = positive ? plus : s->risk->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->upto[middle] > number)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static size_t draw_single(const struct sampling *s, uint64_t draw, bool positive) {
    size_t last = positive ? s->risk->positives - 1 : s->risk->rows - 1;
    uint64_t number = gbs_below(s->seed, GBS_STREAM_PAIRS, 2 * draw + (positive ? 1 : 0),
                                s->upto[last]);
    return find_row(s, positive, (size_t)number);
}

static void draw_piece(void *arg, size_t piece, size_t worker) {
    const struct sampling *s = arg;
    uint64_t from = s->first + (uint64_t)piece * PIECE,
             to = from + PIECE < s->end ? from + PIECE : s->end;
    (void)worker;
    for (uint64_t t = from; t < to; t++) {
        s->row[t - s->first] = draw_single(s, t, true);
        s->less[t - s->first] = draw_single(s, t, false);
    }
}

static gbs_status run(struct sampling *s, const gbs_loss_ops *loss, const gbs_spread *spread,
                      uint64_t draws, double *mean) {
    const gbs_empirical *r = s->risk;
    uint64_t round = (uint64_t)PIECES * PIECE;
    double sum = 0.0;
    for (s->first = 0; s->first < draws; s->first += round) {
        s->end = draws - s->first < round ? draws : s->first + round;
        size_t count = (size_t)(s->end - s->first);
        gbs_parallel_for(r->ctx, (count + PIECE - 1) / PIECE, 100.0 * (double)count, draw_piece, s);
        gbs_status status = r->held->pass->listed_pairs(r->held, &loss->pointwise, spread, count,
                                                        s->row, s->less, &sum);
        if (status != GBS_OK)
            return status;
        gbs_progress(r->ctx, "pairs", (double)s->end / (double)draws);
    }
    *mean = sum / (double)draws;
    return GBS_OK;
}

gbs_status gbs_empirical_sampled(const gbs_empirical *risk, const gbs_loss_ops *loss,
                                 const gbs_spread *spread, uint64_t seed, uint64_t draws,
                                 double *mean) {
    gbs_context *ctx = risk->ctx;
    const gbs_strip *all = &risk->host.all;
    size_t n = risk->rows, sum = 0, most = (size_t)PIECES * PIECE;
    size_t room = draws < most ? (size_t)draws : most;
    struct sampling s = {.risk = risk,
                         .seed = seed,
                         .upto = gbs_array_alloc(ctx, n, sizeof *s.upto),
                         .row = gbs_array_alloc(ctx, room, sizeof *s.row),
                         .less = gbs_array_alloc(ctx, room, sizeof *s.less)};
    gbs_status status = s.upto != NULL && s.row != NULL && s.less != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        sum = (i == risk->positives ? 0 : sum) + (size_t)fabs(all->y[i * all->stride]);
        s.upto[i] = sum;
    }
    gbs_progress_begin(ctx);
    if (status == GBS_OK)
        status = run(&s, loss, spread, draws, mean);
    gbs_array_free(ctx, s.upto);
    gbs_array_free(ctx, s.row);
    gbs_array_free(ctx, s.less);
    return status;
}
