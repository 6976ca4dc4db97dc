/* Rows made ready for a risk over pairs (docs/maths.md, 5.2).
 *
 * Only differences x_i - x_j of a positive and a negative row matter. So the rows may be moved
 * together by any vector: they are centred, which keeps q_i + q_j - 2 x_i'S x_j from cancelling.
 * Equal rows of a class have equal pairs: they are kept once and counted.
 */
#include "risk/pair_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct key {
    uint64_t hash;
    size_t row;
    bool negative;
};

static int by_key(const void *a, const void *b) {
    const struct key *x = a, *y = b;
    if (x->negative != y->negative)
        return x->negative ? 1 : -1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int by_class(const void *a, const void *b) {
    const struct key *x = a, *y = b;
    if (x->negative != y->negative)
        return x->negative ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static const double *dense_row(const gbs_rows *rows, size_t i) {
    return rows->all.dense + i * rows->all.ld;
}

/* The stored cells of a row; of a sparse one their columns too. */
struct cells {
    const double *value;
    const uint32_t *column; /* NULL: all of them */
    size_t count;
};

static struct cells cells_of(const gbs_rows *rows, size_t i) {
    const gbs_strip *b = &rows->all;
    if (b->dense != NULL)
        return (struct cells){.value = dense_row(rows, i), .count = rows->d};
    size_t first = b->start[i * b->stride], count = b->start[i * b->stride + 1] - first;
    return (struct cells){.value = b->value + first, .column = b->column + first, .count = count};
}

/* FNV-1a over the cells, a word at a time. */
static uint64_t hash_row(const gbs_rows *rows, size_t i) {
    struct cells x = cells_of(rows, i);
    uint64_t h = 14695981039346656037u;
    for (size_t k = 0; k < x.count; k++) {
        double cell = x.value[k] + 0.0; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &cell, sizeof bits);
        if (x.column != NULL)
            bits += (uint64_t)x.column[k] * 0x9e3779b97f4a7c15u;
        h = (h ^ bits) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

/* Sparse rows that write the same row in two ways count as two: that costs time and nothing else.
 */
static bool same_row(const gbs_rows *rows, size_t i, size_t j) {
    struct cells x = cells_of(rows, i), y = cells_of(rows, j);
    if (x.count != y.count)
        return false;
    for (size_t k = 0; k < x.count; k++)
        if (x.value[k] != y.value[k] || (x.column != NULL && x.column[k] != y.column[k]))
            return false;
    return true;
}

/* Keeps the first of equal rows and counts them; rows that only share a hash stay. Returns the
 * number kept. */
static size_t group(const gbs_rows *rows, struct key *keys, size_t n, double *count) {
    qsort(keys, n, sizeof *keys, by_key);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = kept; !seen && k > 0 && keys[k - 1].hash == keys[i].hash &&
                              keys[k - 1].negative == keys[i].negative;
             k--)
            if (same_row(rows, keys[k - 1].row, keys[i].row)) {
                count[keys[k - 1].row] += 1.0;
                seen = true;
            }
        if (!seen) {
            count[keys[i].row] = 1.0;
            keys[kept++] = keys[i];
        }
    }
    return kept;
}

static void keep(gbs_rows *rows, void *array) {
    if (array != NULL)
        rows->owned[rows->n_owned++] = array;
}

static gbs_status gather_dense(gbs_context *ctx, const gbs_rows *from, const struct key *keys,
                               gbs_rows *out) {
    size_t d = from->d, n = out->all.n;
    double *cells = gbs_matrix(ctx, n, d), *mean = gbs_doubles(ctx, d), total = 0.0;
    keep(out, cells);
    for (size_t i = 0; cells != NULL && mean != NULL && i < n; i++) {
        double times = out->all.y[i] > 0.0 ? out->all.y[i] : -out->all.y[i];
        const double *x = dense_row(from, keys[i].row);
        total += times;
        for (size_t k = 0; k < d; k++)
            mean[k] += times * (x[k] - mean[k]) / total;
    }
    for (size_t i = 0; cells != NULL && mean != NULL && i < n; i++) {
        const double *x = dense_row(from, keys[i].row);
        for (size_t k = 0; k < d; k++)
            cells[i * d + k] = x[k] - mean[k];
    }
    out->all.dense = cells;
    out->all.ld = d;
    gbs_status status = cells != NULL && mean != NULL ? GBS_OK : GBS_ERR_MEMORY;
    gbs_array_free(ctx, mean);
    return status;
}

/* Whatever shift the rows had, differences do not see it; the mean of the stored cells takes its
 * place. */
static gbs_status gather_sparse(gbs_context *ctx, const gbs_rows *from, const struct key *keys,
                                gbs_rows *out) {
    const gbs_strip *b = &from->all;
    size_t n = out->all.n, d = from->d, stored = 0;
    for (size_t i = 0; i < n; i++)
        stored += b->start[keys[i].row * b->stride + 1] - b->start[keys[i].row * b->stride];
    size_t *start = gbs_array_alloc(ctx, n + 1, sizeof *start);
    uint32_t *column = gbs_array_alloc(ctx, stored, sizeof *column);
    double *value = gbs_doubles(ctx, stored), *shift = gbs_doubles(ctx, d);
    void *const arrays[] = {start, column, value, shift};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        keep(out, arrays[k]);
    if (start == NULL || column == NULL || value == NULL || shift == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        size_t first = b->start[keys[i].row * b->stride],
               count = b->start[keys[i].row * b->stride + 1] - first;
        memcpy(column + start[i], b->column + first, count * sizeof *column);
        memcpy(value + start[i], b->value + first, count * sizeof *value);
        start[i + 1] = start[i] + count;
    }
    for (size_t k = 0; k < stored; k++)
        shift[column[k]] += value[k] / (double)n;
    out->all.start = start;
    out->all.column = column;
    out->all.value = value;
    out->all.shift = shift;
    out->shift_norm2 = gbs_dot(d, shift, shift);
    return GBS_OK;
}

gbs_status gbs_pair_rows_build(gbs_context *ctx, const gbs_rows *rows, bool grouped,
                               gbs_rows *out) {
    size_t n = rows->all.n;
    *out = (gbs_rows){.d = rows->d, .strip_rows = rows->strip_rows};
    out->all = (gbs_strip){.n = n, .d = rows->d, .stride = 1};
    struct key *keys = gbs_array_alloc(ctx, n, sizeof *keys);
    double *count = gbs_doubles(ctx, n), *y = gbs_doubles(ctx, n);
    keep(out, y);
    gbs_status status = keys != NULL && count != NULL && y != NULL ? GBS_OK : GBS_ERR_MEMORY;
    bool dense = rows->all.dense != NULL;
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        keys[i] = (struct key){.row = i, .negative = !(rows->all.y[i * rows->all.stride] > 0.0)};
        if (grouped)
            keys[i].hash = hash_row(rows, i);
        count[i] = 1.0;
    }
    if (status == GBS_OK) {
        if (grouped)
            out->all.n = group(rows, keys, n, count);
        qsort(keys, out->all.n, sizeof *keys, by_class);
        for (size_t i = 0; i < out->all.n; i++)
            y[i] = keys[i].negative ? -count[keys[i].row] : count[keys[i].row];
        out->all.y = y;
        status = dense ? gather_dense(ctx, rows, keys, out) : gather_sparse(ctx, rows, keys, out);
    }
    gbs_array_free(ctx, keys);
    gbs_array_free(ctx, count);
    if (status != GBS_OK)
        gbs_rows_free(ctx, out);
    return status;
}

/* ---------------------------------------------------------------- counts */

size_t gbs_pair_positives(const gbs_rows *pairs) {
    size_t low = 0, high = pairs->all.n; /* they come first */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pairs->all.y[middle * pairs->all.stride] > 0.0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void gbs_pair_classes(const gbs_rows *pairs, double size[2]) {
    size[0] = size[1] = 0.0;
    for (size_t i = 0; i < pairs->all.n; i++) {
        double y = pairs->all.y[i * pairs->all.stride];
        size[y > 0.0] += fabs(y);
    }
}
