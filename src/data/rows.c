/* Design rows as they lie in memory: slices, subsamples, strips. What makes them is src/map. */
#include "data/rows.h"

/* Bytes that come into memory with one that is asked for. */
enum { AROUND = 1 << 16 };

/* Products with a d x d matrix, which long rows have, want more rows than the small cache holds:
 * the matrix goes through memory once a strip. */
size_t gbs_rows_a_strip(size_t d) {
    size_t rows = ((size_t)1 << (d > 256 ? 18 : 15)) / d, most = d > 256 ? 256 : 2048;
    return rows < 32 ? 32 : rows > most ? most : rows;
}

void *gbs_rows_own(gbs_rows *rows, void *array) {
    if (array != NULL)
        rows->owned[rows->n_owned++] = array;
    return array;
}

gbs_rows gbs_rows_wrap(size_t n, size_t d, const double *x, size_t ld, const double *y) {
    gbs_rows rows = {.d = d, .strip_rows = gbs_rows_a_strip(d)};
    rows.all = (gbs_strip){.n = n, .d = d, .dense = x, .ld = ld, .y = y, .stride = 1};
    return rows;
}

void gbs_rows_free(const gbs_context *ctx, gbs_rows *rows) {
    for (size_t i = 0; i < rows->n_owned; i++)
        gbs_array_free(ctx, rows->owned[i]);
    *rows = (gbs_rows){0};
}

gbs_rows gbs_rows_subsample(const gbs_rows *rows, size_t stride) {
    gbs_rows part = *rows;
    part.n_owned = 0;
    part.all.n = (rows->all.n + stride - 1) / stride;
    part.all.ld = rows->all.ld * stride;
    part.all.stride = rows->all.stride * stride;
    return part;
}

size_t gbs_rows_strips(const gbs_rows *rows) {
    return (rows->all.n + rows->strip_rows - 1) / rows->strip_rows;
}

gbs_rows gbs_rows_slice(const gbs_rows *rows, size_t first, size_t count) {
    gbs_rows slice = *rows;
    slice.all = gbs_strip_part(&rows->all, first, count);
    slice.first += first;
    slice.n_owned = 0;
    return slice;
}

void gbs_rows_passed(const gbs_rows *rows, const gbs_strip *strip) {
    if (!rows->in_file || strip->n == 0)
        return;
    if (strip->dense == NULL) {
        const gbs_strip *all = &rows->all;
        size_t from = strip->start[0], to = strip->start[(strip->n - 1) * strip->stride + 1];
        from -= from - all->start[0] < AROUND / sizeof(double) ? from - all->start[0]
                                                               : AROUND / sizeof(double);
        gbs_pages_drop(all->value + from, all->value + to);
        gbs_pages_drop(all->column + from, all->column + to);
        return;
    }
    /* what the system mapped around it, when it was read, goes too */
    size_t before = (size_t)(strip->dense - rows->all.dense),
           back = before < AROUND / sizeof(double) ? before : AROUND / sizeof(double);
    /* a strip of every so manyth row ends with the cells of its last one */
    gbs_pages_drop(strip->dense - back, strip->dense + (strip->n - 1) * strip->ld + strip->d);
}

gbs_strip gbs_rows_strip(const gbs_rows *rows, size_t index) {
    size_t first = index * rows->strip_rows, left = rows->all.n - first;
    return gbs_strip_part(&rows->all, first, left < rows->strip_rows ? left : rows->strip_rows);
}
