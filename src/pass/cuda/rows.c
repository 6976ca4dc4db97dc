/* Passes over rows on a device: as src/pass/cpu/slopes.c, with cuBLAS for the products.
 *
 *   X C -> scores and variances -> losses, u, w -> X'u and what is asked for of X'diag(w)X
 *                                                                          (docs/maths.md, 4.1)
 *
 * Rows go through in stretches whose products stay in the device's second-level cache; parts of
 * sums are added in order.
 */
#include "kernel/linalg.h"
#include "pass/cpu/cpu.h"
#include "pass/cuda/cuda.h"
#include "pass/cuda/losses.h"

#include <math.h>
#include <string.h>

/* Numbers in a stretch of rows; rows of a block of pull_columns. */
enum { STRETCH_CELLS = 1 << 22, LEAST_STRETCH = 1024, PULLED_ROWS = 512 };
/* Rows that kernels_fused_rows.cuh has shared memory for, and its strips. */
enum { FUSED_WIDTH = 120, STRIP_STAGES = 3 };

static size_t stretch_of(size_t ld) {
    size_t rows = STRETCH_CELLS / ld;
    return rows > LEAST_STRETCH ? rows : LEAST_STRETCH;
}

static size_t parts_of(size_t n, size_t rows) {
    return (n + rows - 1) / rows;
}

/* ---------------------------------------------------------------- the Gaussian */

gbs_cuda_spread gbs_cuda_send_spread(gbs_cuda_call *call, const gbs_spread *g, size_t ld) {
    size_t d = g->d;
    double *mean = gbs_cuda_doubles(call, GBS_CUDA_ROOM_MEAN, ld), *by = NULL, *factor = NULL;
    gbs_cuda_clear(call, mean, ld * sizeof *mean);
    gbs_cuda_send(call, mean, g->mean, d * sizeof *mean);
    if (g->factor != NULL) {
        factor = gbs_cuda_doubles(call, GBS_CUDA_ROOM_FACTOR, ld * ld);
        gbs_cuda_clear(call, factor, ld * ld * sizeof *factor);
        gbs_cuda_send_rows(call, d, d, g->factor, d, factor, ld);
    } else if (g->tau != NULL) {
        by = gbs_cuda_doubles(call, GBS_CUDA_ROOM_BY, ld);
        gbs_cuda_clear(call, by, ld * sizeof *by);
        gbs_cuda_send(call, by, g->tau, d * sizeof *by);
    }
    return (gbs_cuda_spread){d, ld, mean, by, factor, g->variance};
}

int *gbs_cuda_flag(gbs_cuda_call *call) {
    int *flag = gbs_cuda_bytes(call, GBS_CUDA_ROOM_FLAGS, 2 * sizeof *flag);
    gbs_cuda_clear(call, flag, 2 * sizeof *flag);
    return flag;
}

void gbs_cuda_project_rows(gbs_cuda_call *call, const gbs_cuda_spread *g, size_t n, const double *x,
                           double *wide, double *score, double *square, int *broken) {
    gbs_cuda_project_arguments a = {.n = n,
                                    .d = g->d,
                                    .ld = g->ld,
                                    .x = x,
                                    .mean = g->mean,
                                    .by = g->by,
                                    .times = g->factor != NULL ? 1.0 : g->variance,
                                    .score = score,
                                    .square = square,
                                    .broken = broken};
    if (g->factor != NULL) {
        gbs_cuda_multiply(call, false, false, n, g->ld, g->ld, x, g->ld, g->factor, g->ld, 0.0,
                          wide, g->ld);
        a.y = wide;
    }
    gbs_cuda_launch(call, gbs_kernel_project_number,
                    gbs_cuda_blocks(call->device, n * GBS_CUDA_WARP), 1, 0, &a);
}

/* ---------------------------------------------------------------- sums */

void gbs_cuda_add_columns(gbs_cuda_call *call, size_t n, size_t ld, const double *x,
                          const double *u, const double *w, const double *g, double *columns) {
    size_t blocks = parts_of(n, PULLED_ROWS);
    gbs_cuda_pull_arguments a = {.n = n, .ld = ld, .rows = PULLED_ROWS, .x = x, .u = u, .w = w};
    a.g = g;
    a.part = gbs_cuda_doubles(call, GBS_CUDA_ROOM_PART, blocks * 2 * ld);
    gbs_cuda_launch(call, gbs_kernel_pull_columns_number, blocks, parts_of(ld, GBS_CUDA_WARP),
                    GBS_CUDA_THREADS * sizeof(double), &a);
    gbs_cuda_sum(call, blocks, 2 * ld, 2 * ld, a.part, 1.0, true, columns);
}

/* matrix += X'diag(w)X; g: room for rows like x. */
static void add_matrix(gbs_cuda_call *call, size_t n, size_t ld, const double *x, const double *w,
                       double *g, double *matrix) {
    gbs_cuda_weigh_arguments a = {.n = n, .ld = ld, .x = x, .w = w, .g = g};
    gbs_cuda_launch(call, gbs_kernel_weigh_rows_number, gbs_cuda_blocks(call->device, n * ld), 1, 0,
                    &a);
    gbs_cuda_multiply(call, true, false, ld, ld, n, x, ld, g, ld, 1.0, matrix, ld);
}

/* Losses of rows whose scores are known. */
static void add_losses(gbs_cuda_call *call, gbs_cuda_losses_arguments *a, double *sums) {
    size_t blocks = parts_of(a->n, GBS_CUDA_THREADS);
    a->part = gbs_cuda_doubles(call, GBS_CUDA_ROOM_PART, blocks * GBS_CUDA_SUMS);
    gbs_cuda_launch(call, gbs_kernel_row_losses_number, blocks, 1, GBS_CUDA_WARP * sizeof(double),
                    a);
    gbs_cuda_sum(call, blocks, GBS_CUDA_SUMS, GBS_CUDA_SUMS, a->part, 1.0, true, sums);
}

static void add_stretch(gbs_cuda_call *call, const gbs_cuda_spread *g, int loss, double negligible,
                        const gbs_cuda_rows *rows, int *broken, const gbs_cuda_totals *to) {
    size_t n = rows->n, ld = g->ld;
    double *wide = g->factor != NULL || to->matrix != NULL || to->curvature != NULL
                       ? gbs_cuda_doubles(call, GBS_CUDA_ROOM_WIDE, n * ld)
                       : NULL;
    gbs_cuda_losses_arguments a = {.n = n,
                                   .loss = loss,
                                   .score = gbs_cuda_doubles(call, GBS_CUDA_ROOM_SCORE, n),
                                   .square = gbs_cuda_doubles(call, GBS_CUDA_ROOM_SQUARE, n),
                                   .label = rows->label,
                                   .weight = rows->weight,
                                   .sign = rows->sign,
                                   .least = GBS_NO_VARIANCE,
                                   .negligible = negligible};
    if (to->columns != NULL) {
        a.u = gbs_cuda_doubles(call, GBS_CUDA_ROOM_U, n);
        a.w = gbs_cuda_doubles(call, GBS_CUDA_ROOM_W, n);
    }
    gbs_cuda_project_rows(call, g, n, rows->x, wide, (double *)a.score, (double *)a.square, broken);
    add_losses(call, &a, to->sums);
    if (to->columns == NULL)
        return;
    gbs_cuda_add_columns(call, n, ld, rows->x, a.u, a.w, NULL, to->columns);
    if (to->matrix != NULL)
        add_matrix(call, n, ld, rows->x, a.w, wide, to->matrix);
    if (to->curvature == NULL)
        return;
    double *nowhere = gbs_cuda_doubles(call, GBS_CUDA_ROOM_OTHER, GBS_CUDA_SUMS);
    a.absolute = 1;
    add_losses(call, &a, nowhere);
    add_matrix(call, n, ld, rows->x, a.w, wide, to->curvature);
}

/* All rows in one kernel, which reads them once: kernels_fused_rows.cuh. */
static bool is_fused(const gbs_cuda_spread *g, const gbs_cuda_totals *to) {
    return g->factor != NULL && to->matrix != NULL && to->curvature == NULL && g->ld <= FUSED_WIDTH;
}

static void add_fused(gbs_cuda_call *call, const gbs_cuda_spread *g, int loss, double negligible,
                      const gbs_cuda_rows *rows, int *broken, const gbs_cuda_totals *to) {
    size_t ld = g->ld, square = ld * ld, engines = (size_t)call->device->multiprocessors,
           strips = parts_of(rows->n, GBS_CUDA_STRIP), blocks = strips < engines ? strips : engines;
    gbs_cuda_strips_arguments a = {.n = rows->n,
                                   .d = g->d,
                                   .ld = ld,
                                   .loss = loss,
                                   .x = rows->x,
                                   .label = rows->label,
                                   .weight = rows->weight,
                                   .mean = g->mean,
                                   .factor = g->factor,
                                   .sign = rows->sign,
                                   .least = GBS_NO_VARIANCE,
                                   .negligible = negligible,
                                   .broken = broken};
    a.part = gbs_cuda_doubles(call, GBS_CUDA_ROOM_PART, blocks * (square + GBS_CUDA_SUMS));
    a.sums = a.part + blocks * square;
    static const size_t tiles[] = GBS_CUDA_ROW_TILES;
    int kind = 0;
    while (8 * tiles[kind] < ld)
        kind++;
    size_t stride = GBS_CUDA_ROW_STRIDE(tiles[kind]),
           shared = (8 * tiles[kind] + STRIP_STAGES * GBS_CUDA_STRIP) * stride + 9 * GBS_CUDA_STRIP;
    gbs_cuda_launch(call, gbs_kernel_rows_5_number + kind, blocks, 1, shared * sizeof(double), &a);
    gbs_cuda_sum(call, blocks, GBS_CUDA_SUMS, GBS_CUDA_SUMS, a.sums, 1.0, true, to->sums);
    gbs_cuda_sum(call, blocks, square, g->d, a.part + g->d * ld, 1.0, true, to->columns);
    gbs_cuda_sum(call, blocks, square, g->d * ld, a.part, 1.0, true, to->matrix);
}

void gbs_cuda_add_rows(gbs_cuda_call *call, const gbs_cuda_spread *g, int loss, double negligible,
                       const gbs_cuda_rows *rows, int *broken, const gbs_cuda_totals *to) {
    size_t step = stretch_of(g->ld);
    if (rows->n > 0 && is_fused(g, to)) {
        add_fused(call, g, loss, negligible, rows, broken, to);
        return;
    }
    for (size_t first = 0; call->status == GBS_OK && first < rows->n; first += step) {
        gbs_cuda_rows some = {.n = rows->n - first < step ? rows->n - first : step,
                              .x = rows->x + first * g->ld,
                              .label = rows->label != NULL ? rows->label + first : NULL,
                              .weight = rows->weight != NULL ? rows->weight + first : NULL,
                              .sign = rows->sign};
        add_stretch(call, g, loss, negligible, &some, broken, to);
    }
}

/* ---------------------------------------------------------------- totals */

gbs_cuda_totals gbs_cuda_make_totals(gbs_cuda_call *call, size_t ld, bool slopes, bool matrix,
                                     bool curvature) {
    size_t square = ld * ld, all = GBS_CUDA_SUMS + 2 * ld + 2 * square;
    double *room = gbs_cuda_doubles(call, GBS_CUDA_ROOM_SUMS, all);
    gbs_cuda_clear(call, room, all * sizeof *room);
    gbs_cuda_totals t = {.sums = room};
    if (room != NULL && slopes) {
        t.columns = room + GBS_CUDA_SUMS;
        t.matrix = matrix ? t.columns + 2 * ld : NULL;
        t.curvature = curvature ? t.columns + 2 * ld + square : NULL;
    }
    return t;
}

/* The lower triangle of the symmetric part, times c. */
static void take_triangle(size_t d, size_t ld, const double *from, double c, double *to) {
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            to[i * d + j] = 0.5 * c * (from[i * ld + j] + from[j * ld + i]);
}

gbs_status gbs_cuda_take_totals(gbs_cuda_call *call, const gbs_spread *g, size_t ld, double lambda,
                                double terms, const gbs_cuda_totals *t, const int *broken,
                                gbs_slopes *out) {
    size_t d = g->d, square = ld * ld,
           all = GBS_CUDA_SUMS + 2 * ld +
                 (t->curvature != NULL ? 2 * square
                  : t->matrix != NULL  ? square
                                       : 0);
    double *room = gbs_doubles(call->ctx, all), c = lambda / terms;
    int nan = 0;
    if (room == NULL)
        return call->status = GBS_ERR_MEMORY;
    gbs_cuda_fetch(call, room, t->sums, all * sizeof *room);
    gbs_cuda_fetch(call, &nan, broken, sizeof nan);
    const double *columns = room + GBS_CUDA_SUMS, *matrix = columns + 2 * ld;
    out->risk = nan ? NAN : room[GBS_CUDA_SUM_PSI] / terms;
    for (size_t k = 0; k < d; k++)
        out->d_mean[k] = c * columns[k];
    if (g->pull == GBS_PULL_MATRIX)
        take_triangle(d, ld, matrix, c, out->pull);
    else if (g->pull == GBS_PULL_DIAGONAL)
        for (size_t k = 0; k < d; k++)
            out->pull[k] = c * columns[ld + k];
    else
        out->pull[0] = c * room[GBS_CUDA_SUM_SPREAD] / g->variance;
    if (out->curvature != NULL)
        take_triangle(d, ld, t->curvature != NULL ? matrix + square : matrix, c, out->curvature);
    gbs_array_free(call->ctx, room);
    return call->status;
}

/* ---------------------------------------------------------------- the contract */

static gbs_status host_slopes(const gbs_held *held, const gbs_pointwise *loss, const gbs_spread *g,
                              double lambda, gbs_room *room, gbs_slopes *out) {
    gbs_room *host;
    gbs_status status = gbs_cuda_host_room((gbs_cuda_room *)room, &host);
    return status == GBS_OK ? gbs_cpu_pass.slopes(((const gbs_cuda_held *)held)->host, loss, g,
                                                  lambda, host, out)
                            : status;
}

gbs_status gbs_cuda_slopes(const gbs_held *held, const gbs_pointwise *loss, const gbs_spread *g,
                           double lambda, gbs_room *room, gbs_slopes *out) {
    const gbs_cuda_held *h = (const gbs_cuda_held *)held;
    int kind = gbs_cuda_loss_of(loss);
    if (h->room || kind == GBS_CUDA_LOSSES)
        return host_slopes(held, loss, g, lambda, room, out);
    gbs_cuda_call call = gbs_cuda_begin(held->ctx, h->device);
    gbs_cuda_rows_of(&call, held);
    gbs_cuda_spread there = gbs_cuda_send_spread(&call, g, h->ld);
    gbs_cuda_totals totals = gbs_cuda_make_totals(&call, h->ld, true, g->pull == GBS_PULL_MATRIX,
                                                  out->curvature != NULL);
    int *broken = gbs_cuda_flag(&call);
    gbs_cuda_rows rows = {.n = held->n, .x = h->x, .label = h->y, .weight = h->weight, .sign = 1.0};
    gbs_cuda_add_rows(&call, &there, kind, GBS_NO_PULL / lambda, &rows, broken, &totals);
    gbs_cuda_take_totals(&call, g, h->ld, lambda, held->mass, &totals, broken, out);
    gbs_status status = gbs_cuda_end(&call);
    return status == GBS_OK ? gbs_check_cancel(held->ctx) : status;
}

gbs_status gbs_cuda_project(const gbs_held *held, const gbs_spread *g, size_t first, size_t count,
                            double *score, double *variance) {
    const gbs_cuda_held *h = (const gbs_cuda_held *)held;
    size_t step = stretch_of(h->ld), end = first + count;
    /* without a factor the rows are read once, and sending them costs more */
    if (h->room || g->span != NULL || (g->factor == NULL && h->x == NULL))
        return gbs_cpu_pass.project(h->host, g, first, count, score, variance);
    gbs_cuda_call call = gbs_cuda_begin(held->ctx, h->device);
    gbs_cuda_rows_of(&call, held);
    gbs_cuda_spread there = gbs_cuda_send_spread(&call, g, h->ld);
    int *broken = gbs_cuda_flag(&call);
    for (size_t from = first; call.status == GBS_OK && from < end; from += step) {
        size_t n = end - from < step ? end - from : step;
        double *wide = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_WIDE, n * h->ld),
               *a = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_SCORE, n),
               *q = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_SQUARE, n);
        gbs_cuda_project_rows(&call, &there, n, h->x + from * h->ld, wide, a, q, broken);
        gbs_cuda_fetch(&call, score + (from - first), a, n * sizeof *a);
        gbs_cuda_fetch(&call, variance + (from - first), q, n * sizeof *q);
    }
    gbs_status status = gbs_cuda_end(&call);
    return status == GBS_OK ? gbs_check_cancel(held->ctx) : status;
}

/* The rows picked, and the same with their columns weighted; then one product. */
gbs_status gbs_cuda_gram(const gbs_held *held, const double *weight, const size_t *pick,
                         size_t count, double *k) {
    const gbs_cuda_held *h = (const gbs_cuda_held *)held;
    size_t ld = h->ld;
    if (h->room || held->n > UINT32_MAX)
        return gbs_cpu_pass.gram(h->host, weight, pick, count, k);
    uint32_t *number = gbs_array_alloc(held->ctx, count, sizeof *number);
    if (number == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        number[i] = (uint32_t)(pick != NULL ? pick[i] : i);
    gbs_cuda_call call = gbs_cuda_begin(held->ctx, h->device);
    gbs_cuda_rows_of(&call, held);
    uint32_t *list = gbs_cuda_bytes(&call, GBS_CUDA_ROOM_LIST, count * sizeof *list);
    double *by = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_BY, held->d),
           *a = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_WIDE, count * ld),
           *b = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_OTHER, count * ld),
           *product = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_CROSS, count * count);
    gbs_cuda_send(&call, list, number, count * sizeof *list);
    if (weight != NULL)
        gbs_cuda_send(&call, by, weight, held->d * sizeof *by);
    gbs_cuda_gather_arguments g = {
        .count = count, .d = held->d, .ld = ld, .x = h->x, .row = list, .to = a};
    size_t blocks = gbs_cuda_blocks(h->device, count * ld);
    gbs_cuda_launch(&call, gbs_kernel_gather_number, blocks, 1, 0, &g);
    g.by = weight != NULL ? by : NULL;
    g.to = b;
    gbs_cuda_launch(&call, gbs_kernel_gather_number, blocks, 1, 0, &g);
    gbs_cuda_multiply(&call, false, true, count, count, ld, a, ld, b, ld, 0.0, product, count);
    gbs_cuda_fetch(&call, k, product, count * count * sizeof *k);
    gbs_status status = gbs_cuda_end(&call);
    gbs_array_free(held->ctx, number);
    if (status != GBS_OK)
        return status;
    gbs_symmetrise(count, k);
    return gbs_check_cancel(held->ctx);
}
