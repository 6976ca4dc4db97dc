/* All pairs of a pass on a device: slabs of the larger side ("outer") meet the whole smaller one
 * ("inner"), and what is wanted is summed and pulled back (docs/maths.md, 5.2; pairs.c). */
#include "pass/cuda/pairs.h"

#include <math.h>

/* Rows of a block of pair_losses. */
enum { BLOCK_ROWS = 32 };
/* Rows of up to so many numbers, blocks of so many outer and inner rows (kernels_fused_pairs.cuh);
 * numbers that the parts of sums of a slab may take. */
enum {
    FUSED_WIDTH = 128,
    FUSED_OUTER = 128,
    FUSED_INNER = 32,
    MOST_LAYERS = 8,
    FUSED_CELLS = 1 << 26
};

struct slab {
    size_t first, n; /* among the outer rows */
    size_t layers;   /* of M */
    const double *x;
    double *xs, *m;
};

/* XS of the rows of a slab. */
static void times_covariance(gbs_cuda_pairs *p, const struct slab *s) {
    const gbs_cuda_spread *g = &p->g;
    size_t ld = g->ld;
    if (g->factor != NULL) {
        double *wide = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_WIDE, s->n * ld);
        gbs_cuda_multiply(p->call, false, false, s->n, ld, ld, s->x, ld, g->factor, ld, 0.0, wide,
                          ld);
        gbs_cuda_multiply(p->call, false, true, s->n, ld, ld, wide, ld, g->factor, ld, 0.0, s->xs,
                          ld);
        return;
    }
    gbs_cuda_scale_arguments a = {
        .n = s->n, .d = g->d, .ld = ld, .x = s->x, .by = g->by, .times = g->variance, .to = s->xs};
    gbs_cuda_launch(p->call, gbs_kernel_scale_columns_number,
                    gbs_cuda_blocks(p->h->device, s->n * ld), 1, 0, &a);
}

/* What both kernels of pairs are told; each fills in the rest. */
static gbs_cuda_pairs_arguments arguments_of(const gbs_cuda_pairs *p, const gbs_cuda_wish *wish,
                                             const struct slab *s) {
    size_t first = p->outer_first + s->first;
    return (gbs_cuda_pairs_arguments){.outer = s->n,
                                      .inner = p->inner,
                                      .ld = p->g.ld,
                                      .absolute = wish->absolute,
                                      .slopes = wish->slopes,
                                      .negligible = p->negligible,
                                      .sign = p->sign,
                                      .outer_a = p->a + first,
                                      .outer_q = p->q + first,
                                      .outer_y = p->h->y + first,
                                      .inner_a = p->a + p->inner_first,
                                      .inner_q = p->q + p->inner_first,
                                      .inner_y = p->h->y + p->inner_first,
                                      .inner_x = p->h->x + p->inner_first * p->g.ld,
                                      .row_layer = s->n,
                                      .column_layer = p->inner,
                                      .first_outer = (uint32_t)first,
                                      .first_inner = (uint32_t)p->inner_first,
                                      .near_outer = p->near,
                                      .near_inner = p->near + p->near_room,
                                      .near_room = p->near_room,
                                      .near_count = p->near_count,
                                      .loss = p->loss};
}

/* Room for the layers of sums that a kernel leaves. */
static void make_layers(gbs_cuda_pairs *p, gbs_cuda_pairs_arguments *a, size_t blocks, size_t rows,
                        size_t columns) {
    a->part = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_PART, blocks * GBS_CUDA_SUMS);
    if (!a->slopes)
        return;
    a->row_u = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_ROW_PART, 2 * rows * a->row_layer);
    a->row_w = a->row_u + rows * a->row_layer;
    a->column_u = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_COLUMN_PART,
                                   2 * columns * a->column_layer);
    a->column_w = a->column_u + columns * a->column_layer;
}

static void add_layers(gbs_cuda_pairs *p, const gbs_cuda_wish *wish, const struct slab *s,
                       const gbs_cuda_pairs_arguments *a, size_t blocks, size_t rows,
                       size_t columns) {
    size_t first = p->outer_first + s->first, inner = p->inner;
    gbs_cuda_sum(p->call, blocks, GBS_CUDA_SUMS, GBS_CUDA_SUMS, a->part, 1.0, true, wish->sums);
    if (!wish->slopes)
        return;
    gbs_cuda_sum(p->call, rows, s->n, s->n, a->row_u, p->sign, false, p->u + first);
    gbs_cuda_sum(p->call, rows, s->n, s->n, a->row_w, 1.0, false, p->w + first);
    gbs_cuda_sum(p->call, columns, inner, inner, a->column_u, -p->sign, s->first > 0,
                 p->u + p->inner_first);
    gbs_cuda_sum(p->call, columns, inner, inner, a->column_w, 1.0, s->first > 0,
                 p->w + p->inner_first);
}

/* Wide rows: the products go through an array. */
static void meet_wide(gbs_cuda_pairs *p, const gbs_cuda_wish *wish, const struct slab *s) {
    size_t inner = p->inner, ld = p->g.ld,
           across = (inner + GBS_CUDA_THREADS - 1) / GBS_CUDA_THREADS,
           down = (s->n + BLOCK_ROWS - 1) / BLOCK_ROWS,
           layers = across * (GBS_CUDA_THREADS / GBS_CUDA_WARP);
    gbs_cuda_pairs_arguments a = arguments_of(p, wish, s);
    a.cross = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_CROSS, s->n * inner);
    make_layers(p, &a, across * down, layers, down);
    gbs_cuda_multiply(p->call, false, true, s->n, inner, ld, s->xs, ld, a.inner_x, ld, 0.0, a.cross,
                      inner);
    gbs_cuda_launch(p->call, gbs_kernel_pair_losses_number, across, down,
                    GBS_CUDA_WARP * sizeof(double), &a);
    add_layers(p, wish, s, &a, across * down, layers, down);
    if (wish->products)
        gbs_cuda_multiply(p->call, false, false, s->n, ld, inner, a.cross, inner, a.inner_x, ld,
                          0.0, s->m, ld);
}

/* Which kernel: with as few tiles of M as hold a row, where M is wanted. */
static int fused_kind(const gbs_cuda_pairs *p, const gbs_cuda_wish *wish) {
    static const size_t tiles[] = GBS_CUDA_PAIR_TILES;
    int kind = 0;
    while (wish->products && 8 * tiles[kind] < p->g.ld)
        kind++;
    return kind;
}

static void meet_fused(gbs_cuda_pairs *p, const gbs_cuda_wish *wish, const struct slab *s) {
    size_t down = (s->n + FUSED_OUTER - 1) / FUSED_OUTER, blocks = down * s->layers;
    gbs_cuda_pairs_arguments a = arguments_of(p, wish, s);
    a.outer_xs = s->xs;
    a.m = s->m;
    a.m_layer = s->n * p->g.ld;
    make_layers(p, &a, blocks, s->layers, down);
    static const size_t tiles[] = GBS_CUDA_PAIR_TILES;
    int kind = fused_kind(p, wish);
    size_t stride = GBS_CUDA_PAIR_STRIDE(tiles[kind]),
           shared = (FUSED_OUTER + 2 * FUSED_INNER) * stride + 2 * 3 * FUSED_INNER +
                    2 * FUSED_INNER * 2 * GBS_CUDA_THREADS / GBS_CUDA_WARP;
    gbs_cuda_launch(p->call,
                    gbs_kernel_zero_one_pairs_0_number + p->loss * GBS_CUDA_PAIR_KINDS + kind, down,
                    s->layers, shared * sizeof(double), &a);
    add_layers(p, wish, s, &a, blocks, s->layers, down);
}

/* G of some rows, and what it adds to columns and matrix; M is the sum of `layers`. */
static void pull(gbs_cuda_pairs *p, const gbs_cuda_wish *wish, size_t first, size_t n,
                 size_t layers, const double *m) {
    size_t ld = p->g.ld;
    const double *x = p->h->x + first * ld, *w = p->w + first;
    double *g = NULL;
    if (wish->products) {
        g = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_WIDE, n * ld);
        gbs_cuda_weigh_arguments a = {
            .n = n, .ld = ld, .layers = layers, .layer = n * ld, .x = x, .w = w, .m = m, .g = g};
        gbs_cuda_launch(p->call, gbs_kernel_weigh_rows_number,
                        gbs_cuda_blocks(p->h->device, n * ld), 1, 0, &a);
    }
    gbs_cuda_add_columns(p->call, n, ld, x, p->u + first, w, g, wish->columns);
    if (wish->matrix != NULL)
        gbs_cuda_multiply(p->call, true, false, ld, ld, n, x, ld, g, ld, 1.0, wish->matrix, ld);
}

/* How the outer rows are cut: some rows at a time, and the inner ones into layers, so that the last
 * blocks leave few multiprocessors idle. */
static void cut(const gbs_cuda_pairs *p, bool fused, size_t *rows, size_t *layers) {
    size_t unit = fused ? FUSED_OUTER : BLOCK_ROWS,
           most = fused ? FUSED_CELLS : GBS_CUDA_SLAB_CELLS,
           wide = fused ? p->inner / unit + p->g.ld * MOST_LAYERS : p->inner, best = 1;
    *rows = most / wide / unit * unit;
    *rows = *rows < unit ? unit : *rows < p->outer ? *rows : p->outer;
    double idle = INFINITY, engines = p->h->device->multiprocessors;
    for (size_t k = 1; fused && k <= MOST_LAYERS && k * 4 * FUSED_INNER <= p->inner; k++) {
        size_t count = (*rows + unit - 1) / unit * k;
        double blocks = (double)count, now = ceil(blocks / engines) * engines / blocks;
        if (now < idle - 0.01) {
            idle = now;
            best = k;
        }
    }
    *layers = best;
}

/* All pairs; between slabs the caller may stop it. */
void gbs_cuda_meet_all(gbs_cuda_pairs *p, const gbs_cuda_wish *wish) {
    bool fused = p->g.ld <= FUSED_WIDTH;
    size_t step, layers, ld = p->g.ld;
    cut(p, fused, &step, &layers);
    for (size_t first = 0; p->call->status == GBS_OK && first < p->outer; first += step) {
        struct slab s = {.first = first,
                         .n = p->outer - first < step ? p->outer - first : step,
                         .layers = layers,
                         .x = p->h->x + (p->outer_first + first) * ld};
        size_t padded = (s.n + FUSED_OUTER - 1) / FUSED_OUTER * FUSED_OUTER;
        s.xs = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_OTHER, padded * ld);
        gbs_cuda_clear(p->call, s.xs + s.n * ld, (padded - s.n) * ld * sizeof *s.xs);
        s.m = wish->products ? gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_M, layers * s.n * ld) : NULL;
        times_covariance(p, &s);
        (fused ? meet_fused : meet_wide)(p, wish, &s);
        if (wish->slopes)
            pull(p, wish, p->outer_first + first, s.n, wish->products ? layers : 0, s.m);
        if (p->call->status == GBS_OK)
            p->call->status = gbs_check_cancel(p->call->ctx);
    }
    if (wish->slopes)
        pull(p, wish, p->inner_first, p->inner, 0, NULL);
}
