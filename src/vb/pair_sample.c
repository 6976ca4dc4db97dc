/* The mean loss over pairs drawn at random, for data whose n+ n- pairs are too many to be visited
 * (docs/maths.md, 5.3 and 6.6).
 *
 *   r_hat = (1/N) sum_t psi(z_t),   z_t the margin of a positive and a negative row, each drawn
 * uniformly, with replacement
 *
 * Given the posterior the N terms are independent, lie in [0, 1] for the zero-one loss and have
 * mean r, the risk over all pairs; so r <= kl_inv(r_hat, log(1/delta)/N) with probability 1 -
 * delta. Draw t depends on the seed and t alone; sums are taken over fixed pieces, in order.
 */
#include "vb/pair_sample.h"

#include "core/random.h"

#include <math.h>

enum { TILE = 256, PIECE = 4096, PIECES = 64 };

struct sampling {
    gbs_context *ctx;
    const gbs_rows *pairs;
    const gbs_gaussian *g;
    const gbs_loss_ops *loss;
    size_t positives;
    size_t *upto;        /* rows of its class up to this one, equal rows counted */
    uint64_t first, end; /* draws of this round */
    double *scratch, *sums;
    size_t worker_size;
};

/* The row of a class that its `number`-th single row belongs to. */
static size_t find_row(const struct sampling *s, bool positive, size_t number) {
    size_t low = positive ? 0 : s->positives, high = positive ? s->positives : s->pairs->all.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->upto[middle] > number)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void copy_row(const struct sampling *s, uint64_t draw, bool positive, double *to) {
    size_t last = positive ? s->positives - 1 : s->pairs->all.n - 1;
    uint64_t number = gbs_below(s->ctx->seed, GBS_STREAM_PAIRS, 2 * draw + (positive ? 1 : 0),
                                s->upto[last]);
    gbs_strip one = gbs_rows_slice(s->pairs, find_row(s, positive, (size_t)number), 1).all;
    gbs_strip_densify(&one, to);
}

static double tile_sum(const struct sampling *s, uint64_t first, size_t count, double *room) {
    size_t d = s->pairs->d;
    double *x = room, *other = x + TILE * d, *mu = other + d, *sd = mu + TILE, *psi = sd + TILE,
           *u = psi + TILE, *v = u + TILE;
    gbs_pass pass = {.scratch = v + TILE};
    for (size_t i = 0; i < count; i++) {
        copy_row(s, first + i, true, x + i * d);
        copy_row(s, first + i, false, other);
        for (size_t k = 0; k < d; k++)
            x[i * d + k] -= other[k];
    }
    gbs_strip b = {.n = count, .d = d, .dense = x, .ld = d, .stride = 1};
    gbs_family_of(s->g->family)->project(s->g, &b, &pass, mu, sd);
    if (gbs_any_nan(count, mu) || gbs_any_nan(count, sd)) /* as in free_energy.c */
        return NAN;
    for (size_t i = 0; i < count; i++)
        sd[i] = sd[i] > 0.0 ? sqrt(sd[i]) : 0.0;
    s->loss->smoothed(count, mu, sd, psi, u, v);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += psi[i];
    return sum;
}

static void run_piece(void *arg, size_t piece, size_t worker) {
    const struct sampling *s = arg;
    uint64_t from = s->first + (uint64_t)piece * PIECE,
             to = from + PIECE < s->end ? from + PIECE : s->end;
    double sum = 0.0;
    for (uint64_t at = from; at < to; at += TILE)
        sum += tile_sum(s, at, to - at < TILE ? (size_t)(to - at) : TILE,
                        s->scratch + worker * s->worker_size);
    s->sums[piece] = sum;
}

static gbs_status run(struct sampling *s, uint64_t draws, double *mean) {
    double sum = 0.0, d = (double)s->pairs->d,
           flops = s->g->family == GBS_FAMILY_FULL ? d * (d + 8.0) : 10.0 * d;
    for (uint64_t first = 0; first < draws; first += (uint64_t)PIECES * PIECE) {
        s->first = first;
        s->end = draws - first < (uint64_t)PIECES * PIECE ? draws
                                                          : first + (uint64_t)PIECES * PIECE;
        size_t pieces = (size_t)((s->end - first + PIECE - 1) / PIECE);
        gbs_parallel_for(s->ctx, pieces, flops * (double)(s->end - first), run_piece, s);
        for (size_t piece = 0; piece < pieces; piece++)
            sum += s->sums[piece];
        gbs_status status = gbs_check_cancel(s->ctx);
        if (status != GBS_OK)
            return status;
        gbs_progress(s->ctx, "pairs", (double)s->end / (double)draws);
    }
    *mean = sum / (double)draws;
    return GBS_OK;
}

gbs_status gbs_pair_sampled_risk(gbs_context *ctx, const gbs_rows *pairs, const gbs_gaussian *g,
                                 const gbs_loss_ops *loss, uint64_t draws, double *mean) {
    size_t n = pairs->all.n, d = pairs->d, sum = 0;
    struct sampling s = {
        .ctx = ctx, .pairs = pairs, .g = g, .loss = loss, .positives = gbs_pair_positives(pairs)};
    s.worker_size = TILE * (2 * d + 6) + d;
    s.upto = gbs_array_alloc(ctx, n, sizeof *s.upto);
    s.scratch = gbs_matrix(ctx, gbs_workers(ctx), s.worker_size);
    s.sums = gbs_doubles(ctx, PIECES);
    gbs_status status = s.upto != NULL && s.scratch != NULL && s.sums != NULL ? GBS_OK
                                                                              : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        sum = (i == s.positives ? 0 : sum) + (size_t)fabs(pairs->all.y[i * pairs->all.stride]);
        s.upto[i] = sum;
    }
    gbs_progress_begin(ctx);
    if (status == GBS_OK)
        status = run(&s, draws, mean);
    gbs_array_free(ctx, s.upto);
    gbs_array_free(ctx, s.scratch);
    gbs_array_free(ctx, s.sums);
    return status;
}
