/* The sum of losses over pairs named one by one: x_i - x_j spelled out, a tile at a time.
 *
 * Sums are taken over fixed pieces of the list, in order.
 */
#include "core/ranks.h"
#include "pass/cpu/cpu.h"

#include <math.h>

enum { TILE = GBS_LOSS_TILE, PIECE = 4096, ARRAYS = 5 };

struct list {
    const gbs_held *held;
    const gbs_pointwise *loss;
    const gbs_spread *g;
    size_t count;
    const size_t *row, *less;
    double *scratch, *sums;
    size_t worker_size;
};

static double tile_sum(const struct list *l, size_t first, size_t count, double *room) {
    static const gbs_cpu_shift none = {0.0, 0.0};
    size_t d = l->held->d;
    double *x = room, *other = x + TILE * d, *mu = other + d, *sd = mu + TILE, *psi = sd + TILE,
           *u = psi + TILE, *v = u + TILE, *rest = v + TILE, sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        gbs_cpu_cells(l->held, l->row[first + i], 1, x + i * d);
        gbs_cpu_cells(l->held, l->less[first + i], 1, other);
        for (size_t k = 0; k < d; k++)
            x[i * d + k] -= other[k];
    }
    gbs_strip b = {.n = count, .d = d, .dense = x, .ld = d, .stride = 1};
    gbs_cpu_project_strip(l->g, &b, &none, rest, mu, sd);
    if (gbs_any_nan(count, mu) || gbs_any_nan(count, sd)) /* as in slopes.c */
        return NAN;
    for (size_t i = 0; i < count; i++)
        sd[i] = sd[i] > 0.0 ? sqrt(sd[i]) : 0.0;
    l->loss->smoothed(count, mu, sd, psi, u, v);
    for (size_t i = 0; i < count; i++)
        sum += psi[i];
    return sum;
}

static void run_piece(void *arg, size_t piece, size_t worker) {
    const struct list *l = arg;
    size_t from = piece * PIECE, to = l->count - from < PIECE ? l->count : from + PIECE;
    double sum = 0.0;
    for (size_t at = from; at < to; at += TILE)
        sum += tile_sum(l, at, to - at < TILE ? to - at : TILE,
                        l->scratch + worker * l->worker_size);
    l->sums[piece] = sum;
}

gbs_status gbs_cpu_listed_pairs(const gbs_held *held, const gbs_pointwise *loss,
                                const gbs_spread *spread, size_t count, const size_t *row,
                                const size_t *less, double *sum) {
    gbs_context *ctx = held->ctx;
    size_t d = held->d, pieces = (count + PIECE - 1) / PIECE;
    struct list l = {
        .held = held, .loss = loss, .g = spread, .count = count, .row = row, .less = less};
    bool matrix = spread->factor != NULL;
    l.worker_size = TILE * (d + ARRAYS + gbs_cpu_strip_room(d, matrix)) + d;
    l.scratch = gbs_matrix(ctx, gbs_workers(ctx), l.worker_size);
    l.sums = gbs_doubles(ctx, pieces);
    gbs_status status = l.scratch != NULL && l.sums != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        double columns = (double)d, flops = matrix ? columns * (columns + 8.0) : 10.0 * columns;
        gbs_made sums = gbs_made_doubles(l.sums, 1, pieces);
        gbs_dealt_for(ctx, pieces, flops * (double)count, run_piece, &l, &sums, 1);
        gbs_rows_passed(gbs_cpu_rows(held), &gbs_cpu_rows(held)->all);
        status = gbs_check_cancel(ctx);
    }
    for (size_t piece = 0; status == GBS_OK && piece < pieces; piece++)
        *sum += l.sums[piece];
    gbs_array_free(ctx, l.scratch);
    gbs_array_free(ctx, l.sums);
    return status;
}
