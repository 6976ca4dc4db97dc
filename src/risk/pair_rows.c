/* Rows made ready for a risk over pairs (docs/maths.md, 5.2).
 *
 * Only differences x_i - x_j of a positive and a negative row matter. So the rows may be moved
 * together by any vector: they are centred, which keeps q_i + q_j - 2 x_i'S x_j from cancelling.
 * Equal rows of a class have equal pairs: they are kept once and counted.
 */
#include "risk/pair_rows.h"

#include "core/joint.h"

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

/* ---------------------------------------------------------------- the copy, in memory or beside
 * rows that lie in a file, in one, which ranks fill in together (core/joint.h) */

/* Rows between two times that their pages are dropped. */
static size_t rows_a_drop(const gbs_rows *rows) {
    const gbs_strip *b = &rows->all;
    if (b->dense != NULL || b->n == 0)
        return gbs_pages_every(rows->d * sizeof(double));
    size_t stored = b->start[(b->n - 1) * b->stride + 1] - b->start[0];
    return gbs_pages_every(stored / b->n * (sizeof *b->column + sizeof *b->value));
}

/* A loop over the keys is at the i-th, and through with `every` rows before: their pages leave
 * memory. Rows ascend within a class. */
static void passed(const gbs_rows *from, const struct key *keys, size_t i, size_t every) {
    if (!from->in_file || i == 0 || i % every != 0 || keys[i].row <= keys[i - every].row)
        return;
    gbs_strip read = gbs_strip_part(&from->all, keys[i - every].row,
                                    keys[i].row - keys[i - every].row);
    gbs_rows_passed(from, &read);
}

/* mean: d doubles, of the rows that the keys name, equal ones counted. */
static void mean_of(const gbs_rows *from, const struct key *keys, const gbs_rows *out,
                    double *mean) {
    size_t d = from->d, every = rows_a_drop(from);
    double total = 0.0;
    for (size_t i = 0; i < out->all.n; i++) {
        double times = fabs(out->all.y[i]);
        const double *x = dense_row(from, keys[i].row);
        total += times;
        for (size_t k = 0; k < d; k++)
            mean[k] += times * (x[k] - mean[k]) / total;
        passed(from, keys, i, every);
    }
}

static gbs_status gather_dense(gbs_context *ctx, const gbs_rows *from, const struct key *keys,
                               gbs_rows *out) {
    size_t d = from->d, n = out->all.n, every = rows_a_drop(from), first, last;
    const gbs_spill *spill = out->in_file ? from->spill : NULL;
    void *array = NULL;
    double *mean = gbs_doubles(ctx, d);
    gbs_status status = gbs_joint_end(ctx, spill, mean != NULL ? GBS_OK : GBS_ERR_MEMORY);
    if (status == GBS_OK)
        status = gbs_joint_array(ctx, spill, n * d, sizeof(double), &array);
    double *cells = gbs_rows_own(out, array);
    if (status == GBS_OK && mean != NULL && cells != NULL) {
        mean_of(from, keys, out, mean);
        gbs_joint_part(spill, n, &first, &last);
        for (size_t i = first; i < last; i++) {
            const double *x = dense_row(from, keys[i].row);
            for (size_t k = 0; k < d; k++)
                cells[i * d + k] = x[k] - mean[k];
            passed(from, keys, i, every);
            if (spill != NULL && i - first >= every && i % every == 0)
                gbs_pages_drop(cells + (i - every) * d, cells + i * d);
        }
        out->all.dense = cells;
        out->all.ld = d;
        status = gbs_joint_end(ctx, spill, GBS_OK);
    }
    gbs_array_free(ctx, mean);
    return status;
}

static size_t stored_in(const gbs_strip *b, size_t row) {
    return b->start[row * b->stride + 1] - b->start[row * b->stride];
}

/* Whatever shift the rows had, differences do not see it; the mean of the stored cells takes its
 * place. */
static gbs_status gather_sparse(gbs_context *ctx, const gbs_rows *from, const struct key *keys,
                                gbs_rows *out) {
    const gbs_strip *b = &from->all;
    const gbs_spill *spill = out->in_file ? from->spill : NULL;
    size_t n = out->all.n, d = from->d, every = rows_a_drop(from), first, last;
    size_t *start = gbs_rows_own(out, gbs_array_alloc(ctx, n + 1, sizeof *start));
    double *shift = gbs_rows_own(out, gbs_doubles(ctx, d));
    for (size_t i = 0; start != NULL && i < n; i++)
        start[i + 1] = start[i] + stored_in(b, keys[i].row);
    bool room = start != NULL && shift != NULL;
    size_t stored = start != NULL ? start[n] : 0;
    void *columns = NULL, *values = NULL;
    gbs_status status = gbs_joint_end(ctx, spill, room ? GBS_OK : GBS_ERR_MEMORY);
    if (status == GBS_OK)
        status = gbs_joint_array(ctx, spill, stored, sizeof(uint32_t), &columns);
    uint32_t *column = gbs_rows_own(out, columns);
    if (status == GBS_OK)
        status = gbs_joint_array(ctx, spill, stored, sizeof(double), &values);
    double *value = gbs_rows_own(out, values);
    if (status != GBS_OK || !room)
        return status;
    gbs_joint_part(spill, n, &first, &last);
    for (size_t i = first; i < last; i++) {
        size_t at = b->start[keys[i].row * b->stride], count = start[i + 1] - start[i];
        memcpy(column + start[i], b->column + at, count * sizeof *column);
        memcpy(value + start[i], b->value + at, count * sizeof *value);
        passed(from, keys, i, every);
    }
    status = gbs_joint_end(ctx, spill, GBS_OK);
    for (size_t k = 0; status == GBS_OK && k < stored; k++)
        shift[column[k]] += value[k] / (double)n;
    out->all.start = start;
    out->all.column = column;
    out->all.value = value;
    out->all.shift = shift;
    out->shift_norm2 = gbs_dot(d, shift, shift);
    gbs_rows_passed(out, &out->all);
    return status;
}

/* Such a copy of the rows that the keys name goes to a file. */
static bool to_file(const gbs_rows *from, const struct key *keys, size_t n) {
    size_t cells = 0;
    if (from->spill == NULL)
        return false;
    if (from->all.dense != NULL)
        return gbs_spills(from->spill, n * from->d, sizeof(double));
    for (size_t i = 0; i < n; i++)
        cells += stored_in(&from->all, keys[i].row);
    return gbs_spills(from->spill, cells, sizeof(uint32_t)); /* both arrays, or none */
}

gbs_status gbs_pair_rows_build(gbs_context *ctx, const gbs_rows *rows, bool grouped,
                               gbs_rows *out) {
    size_t n = rows->all.n;
    *out = (gbs_rows){.d = rows->d, .strip_rows = rows->strip_rows};
    out->all = (gbs_strip){.n = n, .d = rows->d, .stride = 1};
    struct key *keys = gbs_array_alloc(ctx, n, sizeof *keys);
    double *count = gbs_doubles(ctx, n), *y = gbs_doubles(ctx, n);
    gbs_rows_own(out, y);
    gbs_status status = keys != NULL && count != NULL && y != NULL ? GBS_OK : GBS_ERR_MEMORY;
    bool dense = rows->all.dense != NULL;
    size_t every = rows_a_drop(rows);
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        keys[i] = (struct key){.row = i, .negative = !(rows->all.y[i * rows->all.stride] > 0.0)};
        if (grouped)
            keys[i].hash = hash_row(rows, i);
        count[i] = 1.0;
        passed(rows, keys, i, every);
    }
    if (status == GBS_OK) {
        if (grouped)
            out->all.n = group(rows, keys, n, count);
        qsort(keys, out->all.n, sizeof *keys, by_class);
        for (size_t i = 0; i < out->all.n; i++)
            y[i] = keys[i].negative ? -count[keys[i].row] : count[keys[i].row];
        out->all.y = y;
        out->in_file = to_file(rows, keys, out->all.n);
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
