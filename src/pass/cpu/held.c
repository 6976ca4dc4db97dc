/* Rows in this machine's memory: borrowed, every few of them, or copies in a room of their own. */
#include "pass/cpu/cpu.h"

#include <string.h>

const gbs_pass_ops gbs_cpu_pass = {.name = "cpu",
                                   .hold = gbs_cpu_hold,
                                   .hold_part = gbs_cpu_hold_part,
                                   .hold_room = gbs_cpu_hold_room,
                                   .fill = gbs_cpu_fill,
                                   .keep = gbs_cpu_keep,
                                   .release = gbs_cpu_release,
                                   .cells = gbs_cpu_cells,
                                   .norms = gbs_cpu_norms,
                                   .scores = gbs_cpu_scores,
                                   .margins = gbs_cpu_margins,
                                   .weights = gbs_cpu_weights,
                                   .project = gbs_cpu_project,
                                   .gram = gbs_cpu_gram,
                                   .room = gbs_cpu_slopes_room,
                                   .pair_room = gbs_cpu_pair_room,
                                   .release_room = gbs_cpu_release_room,
                                   .slopes = gbs_cpu_slopes,
                                   .pair_slopes = gbs_cpu_pair_slopes,
                                   .pair_risk = gbs_cpu_pair_risk,
                                   .listed_pairs = gbs_cpu_listed_pairs,
                                   .tile_room = gbs_cpu_tile_room,
                                   .pair_tile_room = gbs_cpu_pair_tile_room,
                                   .tile = gbs_cpu_tile,
                                   .pair_tile = gbs_cpu_pair_tile,
                                   .ring = gbs_cpu_ring,
                                   .pair_ring = gbs_cpu_pair_ring,
                                   .vote = gbs_cpu_vote};

/* ---------------------------------------------------------------- holding */

static double mass_of(const gbs_strip *b) {
    double sum = 0.0;
    if (b->weight == NULL)
        return (double)b->n;
    for (size_t i = 0; i < b->n; i++)
        sum += b->weight[i * b->stride];
    return sum;
}

gbs_status gbs_cpu_hold(gbs_context *ctx, const gbs_rows *rows, gbs_held **out) {
    gbs_cpu_held *held = gbs_array_alloc(ctx, 1, sizeof *held);
    *out = held != NULL ? &held->head : NULL;
    if (held == NULL)
        return GBS_ERR_MEMORY;
    held->head = (gbs_held){.pass = &gbs_cpu_pass,
                            .ctx = ctx,
                            .n = rows->all.n,
                            .d = rows->d,
                            .weighted = rows->all.weight != NULL,
                            .mass = mass_of(&rows->all)};
    held->rows = *rows;
    held->rows.n_owned = 0;
    return GBS_OK;
}

gbs_status gbs_cpu_hold_part(const gbs_held *held, size_t stride, gbs_held **out) {
    gbs_rows part = gbs_rows_subsample(gbs_cpu_rows(held), stride);
    return gbs_cpu_hold(held->ctx, &part, out);
}

gbs_status gbs_cpu_hold_room(const gbs_held *held, size_t rows, gbs_held **out) {
    size_t d = held->d;
    gbs_rows none = {.d = d, .strip_rows = rows};
    none.all = (gbs_strip){.n = rows, .d = d, .ld = d, .stride = 1};
    gbs_status status = gbs_cpu_hold(held->ctx, &none, out);
    if (status != GBS_OK)
        return status;
    gbs_cpu_held *room = (gbs_cpu_held *)*out;
    room->x = gbs_matrix(held->ctx, rows + 1, d); /* one more for a row that is taken off */
    room->y = gbs_doubles(held->ctx, rows);
    room->rows.all.dense = room->x;
    room->rows.all.y = room->y;
    if (held->weighted)
        room->rows.all.weight = room->weight = gbs_doubles(held->ctx, rows);
    room->head.weighted = held->weighted;
    if (room->x != NULL && room->y != NULL && (!held->weighted || room->weight != NULL))
        return GBS_OK;
    gbs_cpu_release(*out);
    *out = NULL;
    return GBS_ERR_MEMORY;
}

void gbs_cpu_release(gbs_held *held) {
    gbs_cpu_held *h = (gbs_cpu_held *)held;
    gbs_array_free(held->ctx, h->x);
    gbs_array_free(held->ctx, h->y);
    gbs_array_free(held->ctx, h->weight);
    gbs_array_free(held->ctx, h);
}

/* ---------------------------------------------------------------- rows by name */

void gbs_cpu_cells(const gbs_held *held, size_t first, size_t count, double *out) {
    gbs_strip rows = gbs_strip_part(&gbs_cpu_rows(held)->all, first, count);
    gbs_strip_densify(&rows, out);
}

void gbs_cpu_fill(gbs_held *room, const gbs_held *from, size_t count, const size_t *row,
                  const size_t *less) {
    gbs_cpu_held *to = (gbs_cpu_held *)room;
    const gbs_strip *all = &gbs_cpu_rows(from)->all;
    size_t d = room->d;
    double *other = to->x + to->rows.strip_rows * d;
    for (size_t i = 0; i < count; i++) {
        double *x = to->x + i * d;
        gbs_cpu_cells(from, row[i], 1, x);
        to->y[i] = less == NULL ? all->y[row[i] * all->stride] : 1.0;
        if (to->weight != NULL)
            to->weight[i] = all->weight[row[i] * all->stride];
        if (less == NULL)
            continue;
        gbs_cpu_cells(from, less[i], 1, other);
        for (size_t k = 0; k < d; k++)
            x[k] -= other[k];
    }
    room->n = to->rows.all.n = count;
    room->mass = from->weighted ? (double)count * (from->mass / (double)from->n) : (double)count;
}

static gbs_status keep_sparse(gbs_context *ctx, const gbs_strip *b, size_t count, const size_t *row,
                              gbs_strip *kept) {
    size_t *start = gbs_array_alloc(ctx, count + 1, sizeof *start);
    kept->start = start;
    if (start == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const size_t *from = b->start + row[i] * b->stride;
        start[i + 1] = start[i] + (from[1] - from[0]);
    }
    uint32_t *column = gbs_array_alloc(ctx, start[count], sizeof *column);
    double *value = gbs_doubles(ctx, start[count]),
           *shift = b->shift != NULL ? gbs_doubles(ctx, b->d) : NULL;
    kept->column = column;
    kept->value = value;
    kept->shift = shift;
    if (column == NULL || value == NULL || (b->shift != NULL && shift == NULL))
        return GBS_ERR_MEMORY;
    if (shift != NULL)
        memcpy(shift, b->shift, b->d * sizeof *shift);
    for (size_t i = 0; i < count; i++) {
        size_t from = b->start[row[i] * b->stride], stored = start[i + 1] - start[i];
        memcpy(column + start[i], b->column + from, stored * sizeof *column);
        memcpy(value + start[i], b->value + from, stored * sizeof *value);
    }
    return GBS_OK;
}

gbs_status gbs_cpu_keep(const gbs_held *held, size_t count, const size_t *row, gbs_strip *out) {
    const gbs_strip *b = &gbs_cpu_rows(held)->all;
    *out = (gbs_strip){.n = count, .d = b->d, .ld = b->d, .stride = 1};
    if (b->dense == NULL)
        return keep_sparse(held->ctx, b, count, row, out);
    double *cells = gbs_matrix(held->ctx, count, b->d);
    out->dense = cells;
    for (size_t i = 0; cells != NULL && i < count; i++)
        memcpy(cells + i * b->d, b->dense + row[i] * b->ld, b->d * sizeof *cells);
    return cells != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

/* ---------------------------------------------------------------- one number a row */

void gbs_cpu_norms(const gbs_held *held, size_t first, size_t count, double *norm2) {
    const gbs_rows *rows = gbs_cpu_rows(held);
    gbs_strip slice = gbs_strip_part(&rows->all, first, count);
    gbs_strip_norms(&slice, rows->shift_norm2, norm2);
    gbs_rows_passed(rows, &slice);
}

void gbs_cpu_scores(const gbs_held *held, size_t first, size_t count, const double *m,
                    double *score) {
    gbs_strip b = gbs_strip_part(&gbs_cpu_rows(held)->all, first, count);
    gbs_strip_scores(&b, m, b.shift != NULL ? gbs_dot(b.d, b.shift, m) : 0.0, score);
    gbs_rows_passed(gbs_cpu_rows(held), &b);
}

void gbs_cpu_margins(const gbs_held *held, size_t first, size_t count, const double *score,
                     double *margin) {
    gbs_strip slice = gbs_strip_part(&gbs_cpu_rows(held)->all, first, count);
    for (size_t i = 0; i < count; i++)
        margin[i] = slice.y[i * slice.stride] * score[i];
}

void gbs_cpu_weights(const gbs_held *held, size_t first, size_t count, double *weight) {
    gbs_strip slice = gbs_strip_part(&gbs_cpu_rows(held)->all, first, count);
    for (size_t i = 0; i < count; i++)
        weight[i] = slice.weight != NULL ? slice.weight[i * slice.stride] : 1.0;
}

/* ---------------------------------------------------------------- room for slopes */

gbs_status gbs_cpu_room_create(gbs_context *ctx, size_t chunks, size_t sums_size,
                               size_t worker_size, size_t values, size_t n, gbs_room **out) {
    gbs_cpu_room *room = gbs_array_alloc(ctx, 1, sizeof *room);
    *out = room != NULL ? &room->head : NULL;
    if (room == NULL)
        return GBS_ERR_MEMORY;
    room->head.pass = &gbs_cpu_pass;
    room->ctx = ctx;
    room->sums_size = sums_size;
    room->worker_size = worker_size;
    room->sums = gbs_matrix(ctx, chunks, sums_size);
    room->scratch = gbs_matrix(ctx, gbs_workers(ctx), worker_size);
    room->values = values > 0 ? gbs_matrix(ctx, values, n) : NULL;
    if (room->sums != NULL && room->scratch != NULL && (values == 0 || room->values != NULL))
        return GBS_OK;
    gbs_cpu_release_room(*out);
    *out = NULL;
    return GBS_ERR_MEMORY;
}

void gbs_cpu_release_room(gbs_room *room) {
    gbs_cpu_room *r = (gbs_cpu_room *)room;
    gbs_context *ctx = r->ctx;
    gbs_array_free(ctx, r->sums);
    gbs_array_free(ctx, r->scratch);
    gbs_array_free(ctx, r->values);
    gbs_array_free(ctx, r);
}
