/* Batches of rows, and of pairs of rows drawn uniformly (vb/batch.h). */
#include "vb/batch.h"

#include "core/random.h"

gbs_status gbs_batch_create(const gbs_problem *problem, size_t rows, bool pairs, uint64_t stream,
                            gbs_batch *out) {
    size_t d = problem->rows->d;
    *out = (gbs_batch){.x = gbs_matrix(problem->ctx, rows, d),
                       .y = gbs_doubles(problem->ctx, rows),
                       .stream = stream};
    out->rows = (gbs_rows){.d = d, .strip_rows = rows, .pairs = pairs};
    out->rows.all = (gbs_strip){
        .n = rows, .d = d, .dense = out->x, .ld = d, .y = out->y, .stride = 1};
    if (problem->rows->pairs)
        out->positives = gbs_pair_positives(problem->rows);
    for (size_t i = 0; out->y != NULL && i < rows; i++)
        out->y[i] = pairs && 2 * i >= rows ? -1.0 : 1.0;
    return out->x != NULL && out->y != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

void gbs_batch_free(const gbs_context *ctx, gbs_batch *b) {
    gbs_array_free(ctx, b->x);
    gbs_array_free(ctx, b->y);
}

static void copy_row(const gbs_rows *rows, size_t i, double *to) {
    gbs_strip one = gbs_rows_slice(rows, i, 1).all;
    gbs_strip_densify(&one, to);
}

void gbs_batch_fill(gbs_batch *b, const gbs_rows *rows, const size_t *order, size_t count) {
    for (size_t i = 0; i < count; i++) {
        copy_row(rows, order[i], b->x + i * rows->d);
        b->y[i] = rows->all.y[order[i] * rows->all.stride];
    }
    b->rows.all.n = count;
}

/* Random row of a class; draw 2i and 2i + 1 of a batch are one for each. */
static size_t draw_row(const gbs_context *ctx, const gbs_batch *b, uint64_t t, size_t i,
                       bool positive, size_t n) {
    size_t plus = b->positives, count = positive ? plus : n - plus;
    uint64_t index = t * 2 * b->rows.strip_rows + 2 * i + (positive ? 1 : 0);
    return (positive ? 0 : plus) + (size_t)gbs_below(ctx->seed, b->stream, index, count);
}

void gbs_batch_draw_block(const gbs_context *ctx, gbs_batch *b, const gbs_rows *rows, uint64_t t) {
    size_t half = b->rows.all.n / 2;
    for (size_t i = 0; i < b->rows.all.n; i++)
        copy_row(rows, draw_row(ctx, b, t, i % half, i < half, rows->all.n), b->x + i * rows->d);
}

void gbs_batch_draw_pairs(const gbs_context *ctx, gbs_batch *b, const gbs_rows *rows, uint64_t t,
                          double *other) {
    size_t d = rows->d, n = rows->all.n;
    for (size_t i = 0; i < b->rows.all.n; i++) {
        double *to = b->x + i * d;
        copy_row(rows, draw_row(ctx, b, t, i, true, n), to);
        copy_row(rows, draw_row(ctx, b, t, i, false, n), other);
        for (size_t k = 0; k < d; k++)
            to[k] -= other[k];
    }
}
