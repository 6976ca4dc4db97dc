/* Data handles: the caller's rows, checked once, copied or borrowed. */
#include "data/rows.h"

#include "core/check.h"
#include "core/count.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void *copy_array(gbs_context *ctx, const void *from, size_t count, size_t size) {
    void *to = gbs_array_alloc(ctx, count, size);
    if (to != NULL && from != NULL && count > 0)
        memcpy(to, from, count * size);
    return to;
}

/* Between two looks at the cancel callback. */
enum { ROWS_A_LOOK = 1 << 14 };

/* Sparse rows may have as many columns as there are indices: those that no row sets cost nothing.
 */
static gbs_status check_sparse_shape(gbs_context *ctx, size_t n, size_t d) {
    if (n == 0 || d == 0)
        return gbs_fail(ctx, GBS_ERR_DATA, "no rows or no columns (%zu x %zu)", n, d);
    if (d > (size_t)UINT32_MAX + 1 || n > SIZE_MAX / 16)
        return gbs_fail(ctx, GBS_ERR_DATA, "%zu x %zu is too large", n, d);
    return GBS_OK;
}

static gbs_status check_shape(gbs_context *ctx, size_t n, size_t d) {
    size_t cells;
    if (n == 0 || d == 0)
        return gbs_fail(ctx, GBS_ERR_DATA, "no rows or no columns (%zu x %zu)", n, d);
    if (d >= INT_MAX || n > SIZE_MAX / 16 || __builtin_mul_overflow(n, d, &cells))
        return gbs_fail(ctx, GBS_ERR_DATA, "%zu x %zu is too large", n, d);
    return GBS_OK;
}

static gbs_status check_ownership(gbs_context *ctx, gbs_ownership ownership) {
    return gbs_check_choice(ctx, "ownership", (int)ownership, "copy|borrow", 0);
}

static gbs_status check_labels(gbs_context *ctx, size_t n, const double *y) {
    for (size_t i = 0; y != NULL && i < n; i++)
        if (y[i] != 1.0 && y[i] != -1.0)
            return gbs_fail(ctx, GBS_ERR_DATA, "the label of row %zu is %g, expected -1 or 1", i,
                            y[i]);
    return GBS_OK;
}

/* Dense cells must be finite. */
static gbs_status check_cells(gbs_context *ctx, const gbs_data *data) {
    for (size_t i = 0; i < data->n; i++) {
        bool asks = i > 0 && i % ROWS_A_LOOK == 0; /* few rows take no time */
        gbs_status status = asks ? gbs_check_cancel(ctx) : GBS_OK;
        gbs_raw_row row = gbs_data_at(data, i);
        if (status != GBS_OK)
            return status;
        if (row.value != NULL && row.gap == 0 && gbs_finite(data->d, row.value))
            continue;
        for (size_t k = 0; k < data->d; k++)
            if (!isfinite(gbs_raw_value(&row, k)))
                return gbs_fail(ctx, GBS_ERR_DATA, "row %zu, column %zu: not a finite number", i,
                                k);
    }
    return GBS_OK;
}

static gbs_status check_csr(gbs_context *ctx, size_t n, size_t d, const size_t *start,
                            const uint32_t *column, const double *value) {
    if (start[0] != 0)
        return gbs_fail(ctx, GBS_ERR_DATA, "row_start must begin with 0");
    for (size_t i = 0; i < n; i++) {
        if (start[i + 1] < start[i])
            return gbs_fail(ctx, GBS_ERR_DATA, "row_start falls at row %zu", i);
        if (start[i + 1] - start[i] > d) /* before a wild number leads outside the arrays */
            return gbs_fail(ctx, GBS_ERR_DATA, "row %zu has %s in %s", i,
                            gbs_count(start[i + 1] - start[i], "value").text,
                            gbs_count(d, "column").text);
        for (size_t k = start[i]; k < start[i + 1]; k++) {
            if (column[k] >= d || (k > start[i] && column[k] <= column[k - 1]))
                return gbs_fail(ctx, GBS_ERR_DATA,
                                "row %zu: column %lu is out of order or not below %zu", i,
                                (unsigned long)column[k], d);
            if (!isfinite(value[k]))
                return gbs_fail(ctx, GBS_ERR_DATA, "row %zu, column %lu: not a finite number", i,
                                (unsigned long)column[k]);
        }
    }
    return GBS_OK;
}

static gbs_status new_handle(gbs_context *ctx, size_t n, size_t d, bool borrowed, gbs_data **out) {
    gbs_data *data = gbs_handle_alloc(ctx, sizeof *data);
    if (data == NULL)
        return GBS_ERR_MEMORY;
    *data = (gbs_data){.ctx = ctx, .n = n, .d = d, .borrowed = borrowed};
    *out = data;
    return GBS_OK;
}

gbs_status gbs_data_without_rows(gbs_context *ctx, size_t d, gbs_data **out) {
    return new_handle(ctx, 0, d, true, out);
}

gbs_status gbs_data_dense(gbs_context *ctx, size_t n, size_t d, const double *x, size_t row_stride,
                          const double *y, gbs_ownership ownership, gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    gbs_status status = check_ownership(ctx, ownership);
    if (status == GBS_OK)
        status = check_shape(ctx, n, d);
    if (status != GBS_OK)
        return status;
    GBS_NEEDS(ctx, x);
    if (row_stride < d || row_stride > SIZE_MAX / sizeof(double) / n)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "row_stride must be at least the %zu columns, and %zu rows of it fit in "
                        "memory, not %zu",
                        d, n, row_stride);
    if ((status = check_labels(ctx, n, y)) != GBS_OK)
        return status;
    gbs_data said = {.ctx = ctx, .n = n, .d = d, .dense = x, .row_stride = row_stride};
    if ((status = check_cells(ctx, &said)) != GBS_OK)
        return status;
    gbs_data *data;
    status = new_handle(ctx, n, d, ownership == GBS_BORROW, &data);
    if (status != GBS_OK)
        return status;
    data->dense = x;
    data->row_stride = row_stride;
    data->y = y;
    if (!data->borrowed) {
        double *cells = gbs_matrix(ctx, n, d);
        for (size_t i = 0; cells != NULL && i < n; i++)
            memcpy(cells + i * d, x + i * row_stride, d * sizeof *cells);
        data->dense = cells;
        data->row_stride = d;
        data->y = y != NULL ? copy_array(ctx, y, n, sizeof *y) : NULL;
        if (cells == NULL || (y != NULL && data->y == NULL)) {
            gbs_data_free(data);
            return GBS_ERR_MEMORY;
        }
    }
    *out = data;
    return GBS_OK;
}

gbs_status gbs_data_in_file(gbs_context *ctx, size_t n, size_t d, const double *x,
                            size_t row_stride, const double *y, gbs_data **out) {
    *out = NULL;
    gbs_status status = check_shape(ctx, n, d);
    if (status == GBS_OK)
        status = check_labels(ctx, n, y);
    if (status == GBS_OK)
        status = new_handle(ctx, n, d, true, out);
    if (status != GBS_OK)
        return status;
    (*out)->dense = x;
    (*out)->row_stride = row_stride;
    (*out)->y = y;
    (*out)->in_file = true;
    (*out)->every = gbs_pages_every(row_stride * sizeof *x);
    return GBS_OK;
}

gbs_status gbs_data_csr_in_file(gbs_context *ctx, size_t n, size_t d, const size_t *row_start,
                                const uint32_t *column, const double *value, const double *y,
                                gbs_data **out) {
    *out = NULL;
    gbs_status status = check_sparse_shape(ctx, n, d);
    if (status == GBS_OK)
        status = check_labels(ctx, n, y);
    if (status == GBS_OK)
        status = new_handle(ctx, n, d, true, out);
    if (status != GBS_OK)
        return status;
    (*out)->row_start = row_start;
    (*out)->column = column;
    (*out)->value = value;
    (*out)->y = y;
    (*out)->in_file = true;
    (*out)->every = gbs_pages_every((row_start[n] / n + 1) * (sizeof *column + sizeof *value));
    return GBS_OK;
}

/* Rows from 0 on, of n, at x with these strides. */
static gbs_status check_strides(gbs_context *ctx, size_t n, size_t d, size_t row_stride,
                                size_t column_stride) {
    size_t down, across, last;
    bool positive = row_stride > 0 && column_stride > 0,
         apart = positive && (n == 1 || d == 1 || (row_stride - 1) / column_stride >= d - 1 ||
                              (column_stride - 1) / row_stride >= n - 1);
    if (apart && !__builtin_mul_overflow(n - 1, row_stride, &down) &&
        !__builtin_mul_overflow(d - 1, column_stride, &across) &&
        !__builtin_add_overflow(down, across, &last) && last < SIZE_MAX / sizeof(double))
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                    "%zu x %zu cells with row_stride %zu and column_stride %zu lie over one "
                    "another, or do not fit in memory",
                    n, d, row_stride, column_stride);
}

/* As rows of doubles, one after the other. */
static gbs_status copy_strided(gbs_context *ctx, const gbs_data *from, gbs_data *to) {
    double *cells = gbs_matrix(ctx, from->n, from->d);
    to->dense = cells;
    to->row_stride = from->d;
    if (from->y != NULL)
        to->y = copy_array(ctx, from->y, from->n, sizeof *from->y);
    if (cells == NULL || (from->y != NULL && to->y == NULL))
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < from->n; i++) {
        gbs_raw_row row = gbs_data_at(from, i);
        for (size_t k = 0; k < from->d; k++)
            cells[i * from->d + k] = gbs_raw_value(&row, k);
    }
    return GBS_OK;
}

gbs_status gbs_data_strided(gbs_context *ctx, size_t n, size_t d, const void *x, gbs_cell_type type,
                            size_t row_stride, size_t column_stride, const double *y,
                            gbs_ownership ownership, gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, x);
    if (type != GBS_CELL_DOUBLE && type != GBS_CELL_FLOAT)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "type must be one of gbs_cell_type, not %d",
                        (int)type);
    gbs_status status = check_ownership(ctx, ownership);
    if (status == GBS_OK)
        status = check_shape(ctx, n, d);
    if (status == GBS_OK)
        status = check_strides(ctx, n, d, row_stride, column_stride);
    if (status == GBS_OK)
        status = check_labels(ctx, n, y);
    if (status != GBS_OK)
        return status;
    gbs_data said = {.ctx = ctx,
                     .n = n,
                     .d = d,
                     .dense = type == GBS_CELL_DOUBLE ? x : NULL,
                     .single = type == GBS_CELL_FLOAT ? x : NULL,
                     .row_stride = row_stride,
                     .column_gap = column_stride - 1,
                     .y = y,
                     .borrowed = true};
    if ((status = check_cells(ctx, &said)) != GBS_OK)
        return status;
    gbs_data *data;
    status = new_handle(ctx, n, d, ownership == GBS_BORROW, &data);
    if (status != GBS_OK)
        return status;
    if (data->borrowed)
        *data = said;
    else
        status = copy_strided(ctx, &said, data);
    if (status != GBS_OK)
        gbs_data_free(data);
    else
        *out = data;
    return status;
}

gbs_status gbs_data_csr(gbs_context *ctx, size_t n, size_t d, const size_t *row_start,
                        const uint32_t *column, const double *value, const double *y,
                        gbs_ownership ownership, gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, row_start);
    GBS_NEEDS(ctx, column);
    GBS_NEEDS(ctx, value);
    gbs_status status = check_ownership(ctx, ownership);
    if (status == GBS_OK)
        status = check_sparse_shape(ctx, n, d);
    if (status == GBS_OK)
        status = check_labels(ctx, n, y);
    if (status == GBS_OK)
        status = check_csr(ctx, n, d, row_start, column, value);
    gbs_data *data = NULL;
    if (status == GBS_OK)
        status = new_handle(ctx, n, d, ownership == GBS_BORROW, &data);
    if (status != GBS_OK)
        return status;
    data->row_start = row_start;
    data->column = column;
    data->value = value;
    data->y = y;
    if (!data->borrowed) {
        size_t stored = row_start[n];
        data->row_start = copy_array(ctx, row_start, n + 1, sizeof *row_start);
        data->column = copy_array(ctx, column, stored, sizeof *column);
        data->value = copy_array(ctx, value, stored, sizeof *value);
        data->y = y != NULL ? copy_array(ctx, y, n, sizeof *y) : NULL;
        if (data->row_start == NULL || data->column == NULL || data->value == NULL ||
            (y != NULL && data->y == NULL)) {
            gbs_data_free(data);
            return GBS_ERR_MEMORY;
        }
    }
    *out = data;
    return GBS_OK;
}

/* What gbs_data_csr takes, of indices of 64 bits. */
static gbs_status narrow(gbs_context *ctx, size_t n, size_t d, const int64_t *row_start,
                         const int64_t *column, size_t **start, uint32_t **narrowed) {
    *start = gbs_array_alloc(ctx, n + 1, sizeof **start);
    if (*start == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i <= n; i++) {
        if (row_start[i] < (i > 0 ? row_start[i - 1] : 0))
            return gbs_fail(ctx, GBS_ERR_DATA, "row_start falls at row %zu", i > 0 ? i - 1 : 0);
        (*start)[i] = (size_t)row_start[i];
        if (i > 0 && (*start)[i] - (*start)[i - 1] > d) /* before it leads outside the arrays */
            return gbs_fail(ctx, GBS_ERR_DATA, "row %zu has %s in %s", i - 1,
                            gbs_count((*start)[i] - (*start)[i - 1], "value").text,
                            gbs_count(d, "column").text);
    }
    *narrowed = gbs_array_alloc(ctx, (*start)[n], sizeof **narrowed);
    if (*narrowed == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < (*start)[n]; k++) {
        if (column[k] < 0 || column[k] > UINT32_MAX)
            return gbs_fail(ctx, GBS_ERR_DATA, "column %lld is out of range", (long long)column[k]);
        (*narrowed)[k] = (uint32_t)column[k];
    }
    return GBS_OK;
}

gbs_status gbs_data_csr_wide(gbs_context *ctx, size_t n, size_t d, const int64_t *row_start,
                             const int64_t *column, const double *value, const double *y,
                             gbs_ownership ownership, gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, row_start);
    GBS_NEEDS(ctx, column);
    GBS_NEEDS(ctx, value);
    size_t *start = NULL;
    uint32_t *narrowed = NULL;
    gbs_status status = check_sparse_shape(ctx, n, d);
    if (status == GBS_OK)
        status = narrow(ctx, n, d, row_start, column, &start, &narrowed);
    if (status == GBS_OK)
        status = gbs_data_csr(ctx, n, d, start, narrowed, value, y, ownership, out);
    if (*out != NULL && ownership == GBS_BORROW) {
        (*out)->own_indices = true;
        return GBS_OK;
    }
    gbs_array_free(ctx, start);
    gbs_array_free(ctx, narrowed);
    return status;
}
