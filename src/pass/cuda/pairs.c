/* Passes over all pairs on a device (docs/maths.md, 5.2): as src/pass/cpu/pair_slopes.c.
 *
 *   XS Xi' -> losses, w -> M = w Xi;   G = diag(w 1) X - 2 M,  and the symmetric part
 *   of X'G over the rows of both sides is sum w (x_i - x_j)(x_i - x_j)'
 *
 * Slabs of the larger side ("outer") meet the whole smaller one ("inner"). Pairs of nearly equal
 * rows, for which s^2 cancels, come back as a list and are done as rows x_i - x_j of their own.
 */
#include "pass/cpu/pair_parts.h"
#include "pass/cuda/cuda.h"
#include "pass/cuda/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Products of a slab, in numbers, and rows of a block of pair_losses; pairs of nearly equal rows
 * that are made room for, and beyond which the processors of this machine do it. */
enum { SLAB_CELLS = 1 << 22, BLOCK_ROWS = 32, FEW_NEAR = 1 << 20, MOST_NEAR = 1 << 26 };
/* Rows of up to so many numbers, blocks of so many outer and inner rows (kernels_fused_pairs.cuh);
 * numbers that the parts of sums of a slab may take. */
enum {
    FUSED_WIDTH = 128,
    FUSED_OUTER = 128,
    FUSED_INNER = 32,
    MOST_LAYERS = 8,
    FUSED_CELLS = 1 << 26
};

struct pass {
    gbs_cuda_call *call;
    const gbs_cuda_held *h;
    gbs_cuda_spread g;
    int loss;
    double negligible, sign;
    size_t outer, inner, outer_first, inner_first;
    double *a, *q, *u, *w; /* of all rows */
    int *broken;
    unsigned int near_room, *near_count;
    uint32_t *near; /* outer rows, then inner rows */
};

static void lay_out(struct pass *p, size_t positives) {
    size_t n = p->h->head.n, negatives = n - positives;
    bool turned = positives <= negatives; /* as gbs_pair_sides_of */
    p->outer = turned ? negatives : positives;
    p->inner = turned ? positives : negatives;
    p->outer_first = turned ? positives : 0;
    p->inner_first = turned ? 0 : positives;
    p->sign = turned ? -1.0 : 1.0;
}

/* ---------------------------------------------------------------- a slab of outer rows */

/* What is asked of the pairs. */
struct wish {
    bool slopes, absolute, products; /* products: M is needed */
    double *sums, *columns, *matrix; /* on the device; NULL: not asked for */
};

struct slab {
    size_t first, n; /* among the outer rows */
    size_t layers;   /* of M */
    const double *x;
    double *xs, *m;
};

/* XS of the rows of a slab. */
static void times_covariance(struct pass *p, const struct slab *s) {
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
static gbs_cuda_pairs_arguments arguments_of(const struct pass *p, const struct wish *wish,
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
static void make_layers(struct pass *p, gbs_cuda_pairs_arguments *a, size_t blocks, size_t rows,
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

static void add_layers(struct pass *p, const struct wish *wish, const struct slab *s,
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
static void meet_wide(struct pass *p, const struct wish *wish, const struct slab *s) {
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
static int fused_kind(const struct pass *p, const struct wish *wish) {
    static const size_t tiles[] = GBS_CUDA_PAIR_TILES;
    int kind = 0;
    while (wish->products && 8 * tiles[kind] < p->g.ld)
        kind++;
    return kind;
}

static void meet_fused(struct pass *p, const struct wish *wish, const struct slab *s) {
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
static void pull(struct pass *p, const struct wish *wish, size_t first, size_t n, size_t layers,
                 const double *m) {
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
static void cut(const struct pass *p, bool fused, size_t *rows, size_t *layers) {
    size_t unit = fused ? FUSED_OUTER : BLOCK_ROWS, most = fused ? FUSED_CELLS : SLAB_CELLS,
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
static void meet_all(struct pass *p, const struct wish *wish) {
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

/* ---------------------------------------------------------------- nearly equal rows */

static int by_number(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Pairs row_t, less_t as rows, `rows` a stretch; numbers lie on this machine. */
static void add_differences(gbs_cuda_call *call, const gbs_cuda_held *h, const gbs_cuda_spread *g,
                            int loss, double negligible, double sign, bool weighted, size_t count,
                            const uint32_t *row, const uint32_t *less, int *broken,
                            const gbs_cuda_totals *to) {
    size_t step = SLAB_CELLS / h->ld + 1;
    for (size_t first = 0; call->status == GBS_OK && first < count; first += step) {
        size_t n = count - first < step ? count - first : step;
        uint32_t *list = gbs_cuda_bytes(call, GBS_CUDA_ROOM_LIST, 2 * n * sizeof *list);
        gbs_cuda_gather_arguments a = {.count = n,
                                       .d = h->head.d,
                                       .ld = h->ld,
                                       .x = h->x,
                                       .y = h->y,
                                       .row = list,
                                       .less = list + n};
        a.to = gbs_cuda_doubles(call, GBS_CUDA_ROOM_CROSS, (n + GBS_CUDA_STRIP) * h->ld);
        gbs_cuda_clear(call, a.to + n * h->ld, GBS_CUDA_STRIP * h->ld * sizeof *a.to);
        a.weight = weighted ? gbs_cuda_doubles(call, GBS_CUDA_ROOM_TIMES, n) : NULL;
        gbs_cuda_send(call, list, row + first, n * sizeof *list);
        gbs_cuda_send(call, list + n, less + first, n * sizeof *list);
        gbs_cuda_launch(call, gbs_kernel_gather_number, gbs_cuda_blocks(h->device, n * h->ld), 1, 0,
                        &a);
        gbs_cuda_rows rows = {.n = n, .x = a.to, .weight = a.weight, .sign = sign};
        gbs_cuda_add_rows(call, g, loss, negligible, &rows, broken, to);
    }
}

/* Sorts the list of `count` pairs, so that sums do not depend on which thread came first. */
static void add_near(struct pass *p, size_t count, const gbs_cuda_totals *to) {
    gbs_context *ctx = p->call->ctx;
    uint32_t *list = gbs_array_alloc(ctx, 2 * count, sizeof *list);
    uint64_t *pair = gbs_array_alloc(ctx, count, sizeof *pair);
    if (list != NULL && pair != NULL) {
        gbs_cuda_fetch(p->call, list, p->near, count * sizeof *list);
        gbs_cuda_fetch(p->call, list + count, p->near + p->near_room, count * sizeof *list);
        for (size_t t = 0; t < count; t++)
            pair[t] = (uint64_t)list[t] << 32 | list[count + t];
        qsort(pair, count, sizeof *pair, by_number);
        for (size_t t = 0; t < count; t++) {
            list[t] = (uint32_t)(pair[t] >> 32);
            list[count + t] = (uint32_t)pair[t];
        }
        add_differences(p->call, p->h, &p->g, p->loss, p->negligible, p->sign, true, count, list,
                        list + count, p->broken, to);
    } else {
        p->call->status = GBS_ERR_MEMORY;
    }
    gbs_array_free(ctx, list);
    gbs_array_free(ctx, pair);
}

/* ---------------------------------------------------------------- the whole */

/* a = x'm and q = x'Sx of all rows. */
static void project_all(struct pass *p) {
    size_t n = p->h->head.n, ld = p->g.ld, step = SLAB_CELLS / ld + 1;
    for (size_t first = 0; p->call->status == GBS_OK && first < n; first += step) {
        size_t some = n - first < step ? n - first : step;
        double *wide = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_WIDE, some * ld);
        gbs_cuda_project_rows(p->call, &p->g, some, p->h->x + first * ld, wide, p->a + first,
                              p->q + first, p->broken);
    }
}

/* What is wanted of a pass. */
struct task {
    const gbs_spread *g;
    bool slopes, curvature, falls; /* falls: |w| differs from w */
};

/* The totals of all pairs but the nearly equal ones; returns how many these are. */
static unsigned int once(struct pass *p, const struct task *task, gbs_cuda_totals *totals) {
    gbs_pull pull_of = task->g->pull;
    bool twice = task->curvature && task->falls,
         matrix = task->slopes && pull_of == GBS_PULL_MATRIX;
    unsigned int near = 0;
    *totals = gbs_cuda_make_totals(p->call, p->g.ld, task->slopes, matrix, task->curvature);
    p->broken = gbs_cuda_flag(p->call);
    p->near_count = (unsigned int *)p->broken + 1;
    p->near = gbs_cuda_bytes(p->call, GBS_CUDA_ROOM_NEAR, 2 * sizeof *p->near * p->near_room);
    project_all(p);
    struct wish wish = {.slopes = task->slopes,
                        .products = matrix || (task->slopes && pull_of == GBS_PULL_DIAGONAL) ||
                                    (task->curvature && !task->falls),
                        .sums = totals->sums,
                        .columns = totals->columns,
                        .matrix = matrix                            ? totals->matrix
                                  : task->curvature && !task->falls ? totals->curvature
                                                                    : NULL};
    meet_all(p, &wish);
    gbs_cuda_fetch(p->call, &near, p->near_count, sizeof near);
    if (twice) { /* again with |w|; who pulls a matrix back asks for no curvature */
        size_t all = GBS_CUDA_SUMS + 2 * p->g.ld;
        wish.sums = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_NOWHERE, all);
        wish.columns = wish.sums + GBS_CUDA_SUMS;
        gbs_cuda_clear(p->call, wish.sums, all * sizeof *wish.sums);
        wish.absolute = wish.products = true;
        wish.matrix = totals->curvature;
        meet_all(p, &wish);
    }
    return near;
}

/* False: too many rows are nearly equal for the device. Fills the totals. */
static bool run(struct pass *p, const struct task *task, gbs_cuda_totals *totals) {
    size_t n = p->h->head.n;
    p->a = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_ALL_SCORES, 4 * n);
    p->q = p->a + n;
    p->u = p->q + n;
    p->w = p->u + n;
    p->near_room = FEW_NEAR;
    unsigned int near = once(p, task, totals);
    if (near > p->near_room && near <= MOST_NEAR) {
        p->near_room = near;
        near = once(p, task, totals);
    }
    if (near <= p->near_room && near > 0)
        add_near(p, near, totals);
    return near <= p->near_room;
}

static struct pass pass_of(gbs_cuda_call *call, const gbs_held *held, size_t positives, int loss,
                           const gbs_spread *g, double negligible) {
    struct pass p = {.call = call, .loss = loss, .negligible = negligible};
    p.h = gbs_cuda_rows_of(call, held);
    p.g = gbs_cuda_send_spread(call, g, p.h->ld);
    lay_out(&p, positives);
    return p;
}

/* Not on the device: batches, losses that it does not know, no pair at all. */
static bool for_host(const gbs_cuda_held *h, size_t positives, const gbs_pointwise *loss) {
    return h->room || gbs_cuda_loss_of(loss) >= GBS_CUDA_PAIR_LOSSES || positives == 0 ||
           positives == h->head.n || h->head.n > UINT32_MAX;
}

static gbs_status host_slopes(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                              const gbs_spread *g, double lambda, gbs_room *room, gbs_slopes *out) {
    gbs_room *host;
    gbs_status status = gbs_cuda_host_room((gbs_cuda_room *)room, &host);
    return status == GBS_OK ? gbs_cpu_pass.pair_slopes(((const gbs_cuda_held *)held)->host,
                                                       positives, loss, g, lambda, host, out)
                            : status;
}

gbs_status gbs_cuda_pair_slopes(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                                const gbs_spread *g, double lambda, gbs_room *room,
                                gbs_slopes *out) {
    const gbs_cuda_held *h = (const gbs_cuda_held *)held;
    gbs_cuda_totals totals;
    if (for_host(h, positives, loss))
        return host_slopes(held, positives, loss, g, lambda, room, out);
    gbs_cuda_call call = gbs_cuda_begin(held->ctx, h->device);
    struct pass p = pass_of(&call, held, positives, gbs_cuda_loss_of(loss), g,
                            GBS_NO_PULL / lambda);
    struct task task = {g, true, out->curvature != NULL, loss->falls};
    bool done = run(&p, &task, &totals);
    if (done)
        gbs_cuda_take_totals(&call, g, h->ld, lambda,
                             gbs_pair_weight(gbs_cpu_rows(h->host), positives), &totals, p.broken,
                             out);
    gbs_status status = gbs_cuda_end(&call);
    if (status == GBS_OK && !done)
        return host_slopes(held, positives, loss, g, lambda, room, out);
    gbs_see_pairs(held->ctx, (double)p.outer * (double)p.inner);
    return status == GBS_OK ? gbs_check_cancel(held->ctx) : status;
}

gbs_status gbs_cuda_pair_risk(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                              const gbs_spread *g, bool shown, double *risk,
                              double *second_moment) {
    const gbs_cuda_held *h = (const gbs_cuda_held *)held;
    gbs_cuda_totals totals;
    double sums[GBS_CUDA_SUMS] = {0}, pairs = gbs_pair_weight(gbs_cpu_rows(h->host), positives);
    int broken = 0;
    if (for_host(h, positives, loss))
        return gbs_cpu_pass.pair_risk(h->host, positives, loss, g, shown, risk, second_moment);
    gbs_cuda_call call = gbs_cuda_begin(held->ctx, h->device);
    struct pass p = pass_of(&call, held, positives, gbs_cuda_loss_of(loss), g, 0.0);
    bool done = run(&p, &(struct task){.g = g}, &totals);
    gbs_cuda_fetch(&call, sums, totals.sums, sizeof sums);
    gbs_cuda_fetch(&call, &broken, p.broken, sizeof broken);
    gbs_status status = gbs_cuda_end(&call);
    if (status == GBS_OK && !done)
        return gbs_cpu_pass.pair_risk(h->host, positives, loss, g, shown, risk, second_moment);
    *risk = broken ? NAN : sums[GBS_CUDA_SUM_PSI] / pairs;
    if (second_moment != NULL)
        *second_moment = broken ? NAN : sums[GBS_CUDA_SUM_SQUARE] / pairs;
    return status == GBS_OK ? gbs_check_cancel(held->ctx) : status;
}

/* ---------------------------------------------------------------- pairs by name */

gbs_status gbs_cuda_listed_pairs(const gbs_held *held, const gbs_pointwise *loss,
                                 const gbs_spread *g, size_t count, const size_t *row,
                                 const size_t *less, double *sum) {
    const gbs_cuda_held *h = (const gbs_cuda_held *)held;
    gbs_context *ctx = held->ctx;
    double sums[GBS_CUDA_SUMS] = {0};
    int broken = 0;
    if (h->room || gbs_cuda_loss_of(loss) >= GBS_CUDA_PAIR_LOSSES || held->n > UINT32_MAX)
        return gbs_cpu_pass.listed_pairs(h->host, loss, g, count, row, less, sum);
    uint32_t *list = gbs_array_alloc(ctx, 2 * count, sizeof *list);
    if (list == NULL)
        return GBS_ERR_MEMORY;
    for (size_t t = 0; t < count; t++) {
        list[t] = (uint32_t)row[t];
        list[count + t] = (uint32_t)less[t];
    }
    gbs_cuda_call call = gbs_cuda_begin(ctx, h->device);
    gbs_cuda_rows_of(&call, held);
    gbs_cuda_spread there = gbs_cuda_send_spread(&call, g, h->ld);
    gbs_cuda_totals totals = gbs_cuda_make_totals(&call, h->ld, false, false, false);
    int *flag = gbs_cuda_flag(&call);
    add_differences(&call, h, &there, gbs_cuda_loss_of(loss), 0.0, 1.0, false, count, list,
                    list + count, flag, &totals);
    gbs_cuda_fetch(&call, sums, totals.sums, sizeof sums);
    gbs_cuda_fetch(&call, &broken, flag, sizeof broken);
    gbs_status status = gbs_cuda_end(&call);
    gbs_array_free(ctx, list);
    *sum += broken ? NAN : sums[GBS_CUDA_SUM_PSI];
    return status == GBS_OK ? gbs_check_cancel(ctx) : status;
}
