/* Passes over all pairs on a device (docs/maths.md, 5.2): as src/pass/cpu/pair_slopes.c.
 *
 *   XS Xi' -> losses, w -> M = w Xi;   G = diag(w 1) X - 2 M,  and the symmetric part
 *   of X'G over the rows of both sides is sum w (x_i - x_j)(x_i - x_j)'
 *
 * Slabs of the larger side ("outer") meet the whole smaller one ("inner"). Pairs of nearly equal
 * rows, for which s^2 cancels, come back as a list and are done as rows x_i - x_j of their own.
 */
#include "pass/cuda/pairs.h"
#include "pass/cpu/pair_parts.h"
#include "pass/cuda/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of nearly equal rows that are made room for, and beyond which the processors of this
 * machine do it. */
enum { FEW_NEAR = 1 << 20, MOST_NEAR = 1 << 26 };

static void lay_out(gbs_cuda_pairs *p, size_t positives) {
    size_t n = p->h->head.n, negatives = n - positives;
    bool turned = positives <= negatives; /* as gbs_pair_sides_of */
    p->outer = turned ? negatives : positives;
    p->inner = turned ? positives : negatives;
    p->outer_first = turned ? positives : 0;
    p->inner_first = turned ? 0 : positives;
    p->sign = turned ? -1.0 : 1.0;
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
    size_t step = GBS_CUDA_SLAB_CELLS / h->ld + 1;
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
static void add_near(gbs_cuda_pairs *p, size_t count, const gbs_cuda_totals *to) {
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
static void project_all(gbs_cuda_pairs *p) {
    size_t n = p->h->head.n, ld = p->g.ld, step = GBS_CUDA_SLAB_CELLS / ld + 1;
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
static unsigned int once(gbs_cuda_pairs *p, const struct task *task, gbs_cuda_totals *totals) {
    gbs_pull pull_of = task->g->pull;
    bool twice = task->curvature && task->falls,
         matrix = task->slopes && pull_of == GBS_PULL_MATRIX;
    unsigned int near = 0;
    *totals = gbs_cuda_make_totals(p->call, p->g.ld, task->slopes, matrix, task->curvature);
    p->broken = gbs_cuda_flag(p->call);
    p->near_count = (unsigned int *)p->broken + 1;
    p->near = gbs_cuda_bytes(p->call, GBS_CUDA_ROOM_NEAR, 2 * sizeof *p->near * p->near_room);
    project_all(p);
    gbs_cuda_wish wish = {.slopes = task->slopes,
                          .products = matrix || (task->slopes && pull_of == GBS_PULL_DIAGONAL) ||
                                      (task->curvature && !task->falls),
                          .sums = totals->sums,
                          .columns = totals->columns,
                          .matrix = matrix                            ? totals->matrix
                                    : task->curvature && !task->falls ? totals->curvature
                                                                      : NULL};
    gbs_cuda_meet_all(p, &wish);
    gbs_cuda_fetch(p->call, &near, p->near_count, sizeof near);
    if (twice) { /* again with |w|; who pulls a matrix back asks for no curvature */
        size_t all = GBS_CUDA_SUMS + 2 * p->g.ld;
        wish.sums = gbs_cuda_doubles(p->call, GBS_CUDA_ROOM_NOWHERE, all);
        wish.columns = wish.sums + GBS_CUDA_SUMS;
        gbs_cuda_clear(p->call, wish.sums, all * sizeof *wish.sums);
        wish.absolute = wish.products = true;
        wish.matrix = totals->curvature;
        gbs_cuda_meet_all(p, &wish);
    }
    return near;
}

/* False: too many rows are nearly equal for the device. Fills the totals. */
static bool run(gbs_cuda_pairs *p, const struct task *task, gbs_cuda_totals *totals) {
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

static gbs_cuda_pairs pass_of(gbs_cuda_call *call, const gbs_held *held, size_t positives, int loss,
                              const gbs_spread *g, double negligible) {
    gbs_cuda_pairs p = {.call = call, .loss = loss, .negligible = negligible};
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
    gbs_cuda_pairs p = pass_of(&call, held, positives, gbs_cuda_loss_of(loss), g,
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
    gbs_cuda_pairs p = pass_of(&call, held, positives, gbs_cuda_loss_of(loss), g, 0.0);
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
