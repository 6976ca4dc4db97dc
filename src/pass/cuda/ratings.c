/* Half sweeps over ratings on a device (docs/maths.md, 8.12): records of the side that stays, then
 * one regression an item, a block of threads each (kernels_ratings.cuh).
 *
 * Ratings lie there by row and by column, and so do means, covariances and scales of both sides
 * from the first half sweep on. Prior means go there, means and scales come back; covariances,
 * which are the most, only when they are asked for.
 */
#include "kernel/moments.h"
#include "kernel/record_sums.h"
#include "pass/cuda/cuda.h"

enum { BLOCKS_AN_ENGINE = 6, RECORD_STEP = 16 };

/* One side's arrays on the device. */
struct side {
    size_t items;
    size_t *start;
    uint32_t *other;
    double *value, *mean, *cov, *omega, *prior_mean;
};

struct gbs_rated {
    gbs_context *ctx;
    gbs_cuda *device;
    size_t rank, stride;
    bool single;
    struct side side[2];
    double *squares, *shape, *rate, *leverage; /* of rows */
    uint32_t *place;
    void *records;
};

static void *take(gbs_cuda_call *call, size_t bytes) {
    return gbs_cuda_allocate(call, bytes / sizeof(double) + 1);
}

static void *copy_of(gbs_cuda_call *call, const void *from, size_t bytes) {
    void *to = take(call, bytes);
    gbs_cuda_send(call, to, from, bytes);
    return to;
}

void gbs_cuda_release_rated(gbs_rated *r) {
    gbs_context *ctx = r->ctx;
    gbs_cuda_call call = gbs_cuda_begin(ctx, r->device);
    for (int s = 0; s < 2; s++) {
        struct side *side = &r->side[s];
        void *const all[] = {side->start, side->other, side->value,     side->mean,
                             side->cov,   side->omega, side->prior_mean};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            gbs_cuda_free(&call, all[k]);
    }
    void *const all[] = {r->squares, r->shape, r->rate, r->leverage, r->place, r->records};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        gbs_cuda_free(&call, all[k]);
    gbs_cuda_end(&call);
    gbs_array_free(ctx, r);
}

static void send_side(gbs_cuda_call *call, const gbs_rating_list *l, const gbs_rated_side *from,
                      size_t own, struct side *to) {
    size_t n = l->start[l->items], packed = gbs_packed_size(own);
    to->items = l->items;
    to->start = copy_of(call, l->start, (l->items + 1) * sizeof *l->start);
    to->other = copy_of(call, l->other, n * sizeof *l->other);
    to->value = copy_of(call, l->value, n * sizeof *l->value);
    to->mean = copy_of(call, from->mean, l->items * own * sizeof *from->mean);
    to->cov = copy_of(call, from->cov, l->items * packed * sizeof *from->cov);
    to->omega = copy_of(call, from->omega, l->items * sizeof *from->omega);
    to->prior_mean = take(call, l->items * own * sizeof *from->mean);
}

gbs_status gbs_cuda_rate(gbs_context *ctx, const gbs_ratings *ratings, const gbs_rated_start *start,
                         gbs_rated **out) {
    size_t own = start->rank + 1, packed = gbs_packed_size(own), rows = ratings->by[0].items,
           columns = ratings->by[1].items, most = rows > columns ? rows : columns;
    *out = NULL;
    if (start->rank > GBS_CUDA_MOST_RANK)
        return GBS_OK; /* too wide for its kernels: the caller does it */
    gbs_rated *r = gbs_array_alloc(ctx, 1, sizeof *r);
    uint32_t *place = gbs_array_alloc(ctx, packed, sizeof *place), *at = place;
    for (uint32_t i = 0; place != NULL && i < own; i++)
        for (uint32_t j = i; j < own; j++)
            *at++ = i << 16 | j;
    if (r == NULL || place == NULL) {
        gbs_array_free(ctx, r);
        gbs_array_free(ctx, place);
        return GBS_ERR_MEMORY;
    }
    *r = (gbs_rated){.ctx = ctx,
                     .device = (gbs_cuda *)ctx->device,
                     .rank = start->rank,
                     .single = start->single,
                     .stride = (packed + own + 1 + RECORD_STEP - 1) / RECORD_STEP * RECORD_STEP};
    gbs_cuda_call call = gbs_cuda_begin(ctx, r->device);
    for (int s = 0; s < 2; s++)
        send_side(&call, &ratings->by[s], &start->side[s], own, &r->side[s]);
    r->squares = copy_of(&call, start->squares, rows * sizeof(double));
    r->shape = copy_of(&call, start->shape, rows * sizeof(double));
    r->rate = take(&call, rows * sizeof(double));
    r->leverage = take(&call, rows * sizeof(double));
    r->place = copy_of(&call, place, packed * sizeof *place);
    r->records = take(&call, most * r->stride * (r->single ? sizeof(float) : sizeof(double)));
    gbs_status status = gbs_cuda_end(&call);
    gbs_array_free(ctx, place);
    if (status != GBS_OK)
        gbs_cuda_release_rated(r);
    else
        *out = r;
    return status;
}

gbs_status gbs_cuda_half_sweep(gbs_rated *r, gbs_half_sweep *h) {
    const struct side *side = &r->side[h->side], *other = &r->side[1 - h->side];
    size_t own = r->rank + 1, packed = gbs_packed_size(own), sums = 2 * packed + 2,
           items = side->items, most = (size_t)r->device->multiprocessors * BLOCKS_AN_ENGINE,
           blocks = items < most ? items : most;
    int broken = 0;
    gbs_cuda_call call = gbs_cuda_begin(r->ctx, r->device);
    double *precision = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_FACTOR, own * own),
           *totals = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_SUMS, sums);
    gbs_cuda_ratings_arguments a = {.rank = r->rank,
                                    .items = items,
                                    .others = other->items,
                                    .stride = r->stride,
                                    .place = r->place,
                                    .single = r->single ? r->records : NULL,
                                    .records = r->single ? NULL : r->records,
                                    .other_mean = other->mean,
                                    .other_cov = other->cov,
                                    .other_omega = other->omega,
                                    .start = side->start,
                                    .other = side->other,
                                    .value = side->value,
                                    .prior_mean = side->prior_mean,
                                    .precision = precision,
                                    .leverage = r->leverage,
                                    .squares = r->squares,
                                    .shape = r->shape,
                                    .centre = h->centre,
                                    .inverse = h->inverse,
                                    .beta = h->beta,
                                    .relax = h->relax,
                                    .rows = h->side == 0,
                                    .mean = side->mean,
                                    .cov = side->cov,
                                    .omega = side->omega,
                                    .rate = r->rate};
    a.part = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_PART, blocks * sums);
    a.broken = gbs_cuda_flag(&call);
    gbs_cuda_send(&call, precision, h->precision, own * own * sizeof *precision);
    gbs_cuda_send(&call, side->prior_mean, h->prior_mean, items * own * sizeof(double));
    if (h->side == 0)
        gbs_cuda_send(&call, r->leverage, h->leverage, items * sizeof(double));
    gbs_cuda_launch(&call, gbs_kernel_rating_records_number,
                    other->items < 4 * most ? other->items : 4 * most, 1, 0, &a);
    size_t shared = packed + 2 * own + 2 + 2 * own * own + packed + 4 * own + 2 * GBS_CUDA_WARP +
                    GBS_CUDA_LISTED + GBS_CUDA_LISTED / 2;
    int rounds = (int)((packed + own + 1 + GBS_CUDA_THREADS - 1) / GBS_CUDA_THREADS),
        first = r->single ? gbs_kernel_rating_single_1_number : gbs_kernel_rating_double_1_number;
    gbs_cuda_launch(&call, first + rounds - 1, blocks, 1, shared * sizeof(double), &a);
    gbs_cuda_sum(&call, blocks, sums, sums, a.part, 1.0, false, totals);
    gbs_cuda_fetch(&call, h->totals, totals, sums * sizeof *totals);
    gbs_cuda_fetch(&call, h->mean, side->mean, items * own * sizeof(double));
    if (h->side == 0) {
        gbs_cuda_fetch(&call, h->omega, side->omega, items * sizeof(double));
        gbs_cuda_fetch(&call, h->rate, r->rate, items * sizeof(double));
    }
    gbs_cuda_fetch(&call, &broken, a.broken, sizeof broken);
    h->broken = broken != 0;
    return gbs_cuda_end(&call);
}

gbs_status gbs_cuda_covariances(gbs_rated *r, int s, double *cov) {
    gbs_cuda_call call = gbs_cuda_begin(r->ctx, r->device);
    gbs_cuda_fetch(&call, cov, r->side[s].cov,
                   r->side[s].items * gbs_packed_size(r->rank + 1) * sizeof *cov);
    return gbs_cuda_end(&call);
}
