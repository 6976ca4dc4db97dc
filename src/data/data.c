/* Data handles: the caller's rows, checked once, copied or borrowed; views of some of them. */
#include "data/rows.h"

#include "core/check.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void *copy_array(gbs_context *ctx, const void *from, size_t count, size_t size) {
    void *to = gbs_array_alloc(ctx, count, size);
    if (to != NULL && from != NULL && count > 0)
        memcpy(to, from, count * size);
    return to;
}

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
    return gbs_check_choice(ctx, "ownership", (int)ownership, "copy|borrow");
}

static gbs_status check_labels(gbs_context *ctx, size_t n, const double *y) {
    for (size_t i = 0; y != NULL && i < n; i++)
        if (y[i] != 1.0 && y[i] != -1.0)
            return gbs_fail(ctx, GBS_ERR_DATA, "the label of row %zu is %g, expected -1 or 1", i,
                            y[i]);
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
            return gbs_fail(ctx, GBS_ERR_DATA, "row %zu has %zu values in %zu columns", i,
                            start[i + 1] - start[i], d);
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
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            if (!isfinite(x[i * row_stride + k]))
                return gbs_fail(ctx, GBS_ERR_DATA, "row %zu, column %zu: not a finite number", i,
                                k);
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
    for (size_t i = 0; i < n; i++) {
        gbs_raw_row row = gbs_data_at(&said, i);
        for (size_t k = 0; k < d; k++)
            if (!isfinite(gbs_raw_value(&row, k)))
                return gbs_fail(ctx, GBS_ERR_DATA, "row %zu, column %zu: not a finite number", i,
                                k);
    }
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
            return gbs_fail(ctx, GBS_ERR_DATA, "row %zu has %zu values in %zu columns", i - 1,
                            (*start)[i] - (*start)[i - 1], d);
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
    if (status == GBS_OK && ownership == GBS_BORROW) {
        (*out)->own_indices = true;
        return GBS_OK;
    }
    gbs_array_free(ctx, start);
    gbs_array_free(ctx, narrowed);
    return status;
}

gbs_status gbs_data_view(gbs_context *ctx, const gbs_data *data, const size_t *rows, size_t count,
                         gbs_data **out) {
    gbs_data *view = gbs_handle_alloc(ctx, sizeof *view);
    size_t *pick = gbs_array_alloc(ctx, count, sizeof *pick);
    double *y = data->y != NULL ? gbs_doubles(ctx, count) : NULL,
           *weight = data->weight != NULL ? gbs_doubles(ctx, count) : NULL;
    uint32_t *group = data->group != NULL ? gbs_array_alloc(ctx, count, sizeof *group) : NULL;
    *out = view;
    if (view == NULL || pick == NULL || (data->y != NULL && y == NULL) ||
        (data->weight != NULL && weight == NULL) || (data->group != NULL && group == NULL)) {
        gbs_handle_free(ctx, view);
        gbs_array_free(ctx, pick);
        gbs_array_free(ctx, y);
        gbs_array_free(ctx, weight);
        gbs_array_free(ctx, group);
        *out = NULL;
        return GBS_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        pick[i] = gbs_data_place(data, rows[i]);
        if (y != NULL)
            y[i] = data->y[rows[i]];
        if (weight != NULL)
            weight[i] = data->weight[rows[i]];
        if (group != NULL)
            group[i] = data->group[rows[i]];
    }
    *view = *data;
    view->ctx = ctx;
    view->n = count;
    view->y = y;
    view->weight = weight;
    view->group = group;
    view->own_labels = NULL;
    view->pick = pick;
    view->borrowed = true;
    memset(view->arranged, 0, sizeof view->arranged);
    view->own_indices = false;
    return GBS_OK;
}

size_t gbs_data_place(const gbs_data *data, size_t i) {
    return data->pick != NULL ? data->pick[i] : i;
}

size_t gbs_data_origin(const gbs_data *data, size_t i) {
    size_t row = gbs_data_place(data, i);
    return data->came != NULL ? data->came[row] : row;
}

void gbs_data_passed_in(const gbs_data *data, const size_t *rows, size_t i) {
    if (!data->in_file || i < data->every || i % data->every != 0)
        return;
    size_t before = i - data->every,
           from = gbs_data_place(data, rows != NULL ? rows[before] : before),
           to = gbs_data_place(data, rows != NULL ? rows[i] : i);
    if (from >= to)
        return;
    if (data->dense != NULL) {
        gbs_pages_drop(data->dense + from * data->row_stride, data->dense + to * data->row_stride);
        return;
    }
    gbs_pages_drop(data->value + data->row_start[from], data->value + data->row_start[to]);
    gbs_pages_drop(data->column + data->row_start[from], data->column + data->row_start[to]);
}

void gbs_data_passed(const gbs_data *data, size_t i) {
    gbs_data_passed_in(data, NULL, i);
}

gbs_raw_row gbs_data_at(const gbs_data *data, size_t i) {
    size_t row = gbs_data_place(data, i);
    if (data->dense != NULL)
        return (gbs_raw_row){.stored = data->d,
                             .value = data->dense + row * data->row_stride,
                             .gap = data->column_gap};
    if (data->single != NULL)
        return (gbs_raw_row){.stored = data->d,
                             .single = data->single + row * data->row_stride,
                             .gap = data->column_gap};
    size_t start = data->row_start[row];
    return (gbs_raw_row){.stored = data->row_start[row + 1] - start,
                         .value = data->value + start,
                         .column = data->column + start};
}

bool gbs_data_is_dense(const gbs_data *data) {
    return data->dense != NULL || data->single != NULL;
}

bool gbs_data_is_plain(const gbs_data *data) {
    return data->dense != NULL && data->column_gap == 0 && data->row_stride >= data->d;
}

gbs_status gbs_data_set_classes(gbs_context *ctx, gbs_data *data, size_t rows,
                                const uint32_t *class_of, size_t classes) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, class_of);
    if (data->y != NULL || data->pick != NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the data has labels already");
    if (rows != data->n)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "classes of %zu rows, where the data has %zu", rows,
                        data->n);
    if (classes < 3 || classes > GBS_MOST_CLASSES)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "classes must be 3 to %d, not %zu",
                        (int)GBS_MOST_CLASSES, classes);
    for (size_t i = 0; i < rows; i++)
        if (class_of[i] >= classes)
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "the class of row %zu is %lu, expected less than %zu", i,
                            (unsigned long)class_of[i], classes);
    double *y = gbs_array_alloc_for(ctx, data->ctx, rows, sizeof *y);
    if (y == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < rows; i++)
        y[i] = (double)class_of[i];
    data->y = data->own_labels = y;
    data->classes = classes;
    return GBS_OK;
}

gbs_status gbs_data_set_costs(gbs_context *ctx, gbs_data *data, size_t classes,
                              const double *cost) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    double *copy = NULL, largest = 0.0;
    if (classes != data->classes || classes < 3)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "costs of %zu classes, where the labels have %zu; costs are for three "
                        "classes or more",
                        classes, gbs_data_classes(data));
    for (size_t i = 0; cost != NULL && i < classes * classes; i++) {
        if (!(cost[i] >= 0.0) || !isfinite(cost[i]) ||
            (i / classes == i % classes && cost[i] != 0.0))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                            "the cost of saying class %zu of class %zu is %g, expected a number "
                            "from 0, and 0 where they are the same",
                            i % classes, i / classes, cost[i]);
        largest = cost[i] > largest ? cost[i] : largest;
    }
    if (cost != NULL && !(largest > 0.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "every cost is 0");
    if (cost != NULL) {
        copy = gbs_array_alloc_for(ctx, data->ctx, classes * classes, sizeof *copy);
        if (copy == NULL)
            return GBS_ERR_MEMORY;
        memcpy(copy, cost, classes * classes * sizeof *copy);
    }
    gbs_array_free(data->ctx, data->costs);
    data->costs = copy;
    return GBS_OK;
}

gbs_status gbs_data_against(gbs_context *ctx, const gbs_data *data, size_t one, size_t other,
                            gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    if (data->classes <= 2)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "data must have three classes or more");
    if (one >= data->classes || one == other || (other != SIZE_MAX && other >= data->classes))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "one and other must be two of the %zu classes, not %zu and %zu",
                        data->classes, one, other);
    size_t *rows = gbs_array_alloc(ctx, data->n, sizeof *rows), count = 0;
    double first = (double)one, second = (double)other;
    if (rows == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < data->n; i++)
        if (other == SIZE_MAX || data->y[i] == first || data->y[i] == second)
            rows[count++] = i;
    gbs_status status = gbs_data_view(ctx, data, rows, count, out);
    gbs_array_free(ctx, rows);
    if (status != GBS_OK)
        return status;
    double *y = (double *)(*out)->y; /* a view's own */
    for (size_t i = 0; i < count; i++)
        y[i] = y[i] == first ? 1.0 : -1.0;
    (*out)->classes = 0;
    (*out)->hashed = false;
    return GBS_OK;
}

size_t gbs_data_classes(const gbs_data *data) {
    return data == NULL || data->y == NULL ? 0 : data->classes > 2 ? data->classes : 2;
}

uint32_t gbs_data_class(const gbs_data *data, size_t i) {
    if (data == NULL || data->y == NULL || i >= data->n)
        return GBS_UNSEEN;
    if (data->classes <= 2)
        return data->y[i] > 0.0;
    return data->y[i] < (double)data->classes ? (uint32_t)data->y[i] : GBS_UNSEEN;
}

size_t gbs_data_rows(const gbs_data *data) {
    return data != NULL ? data->n : 0;
}

size_t gbs_data_columns(const gbs_data *data) {
    return data != NULL ? data->d : 0;
}

const double *gbs_data_labels(const gbs_data *data) {
    return data != NULL ? data->y : NULL;
}

void gbs_data_free(gbs_data *data) {
    if (data == NULL)
        return;
    gbs_context *ctx = data->ctx;
    if (!data->borrowed) {
        gbs_array_free(ctx, (void *)data->dense);
        gbs_array_free(ctx, (void *)data->row_start);
        gbs_array_free(ctx, (void *)data->column);
        gbs_array_free(ctx, (void *)data->value);
    }
    if (data->own_indices) {
        gbs_array_free(ctx, (void *)data->row_start);
        gbs_array_free(ctx, (void *)data->column);
    }
    if (data->own_labels != NULL)
        gbs_array_free(ctx, data->own_labels);
    else if (!data->borrowed || data->pick != NULL)
        gbs_array_free(ctx, (void *)data->y);
    gbs_array_free(ctx, (void *)data->weight);
    gbs_array_free(ctx, (void *)data->group);
    if (data->source != NULL && data->pick == NULL)
        data->source->release(data->source);
    if (data->pick == NULL) {
        gbs_array_free(ctx, data->learned);
        gbs_array_free(ctx, data->costs);
    }
    for (size_t k = 0; k < sizeof data->arranged / sizeof *data->arranged; k++)
        gbs_array_free(ctx, data->arranged[k]);
    if (data->arranged[0] != NULL)
        gbs_array_free(ctx, (void *)data->came);
    gbs_array_free(ctx, (void *)data->pick);
    gbs_handle_free(ctx, data);
}

void gbs_data_looked(gbs_data *data, unsigned bits) {
    if (data != NULL)
        data->looked |= bits;
}

gbs_status gbs_data_set_split(gbs_context *ctx, gbs_data *data, const unsigned char *learned) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, learned);
    size_t count = 0;
    for (size_t i = 0; i < data->n; i++)
        count += learned[i] != 0;
    if (count == 0 || count == data->n)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "learned names %zu of %zu rows: some must be left to certify, and some to "
                        "learn from",
                        count, data->n);
    unsigned char *copy = gbs_array_alloc_for(ctx, data->ctx, data->n, sizeof *copy);
    if (copy == NULL)
        return GBS_ERR_MEMORY;
    memcpy(copy, learned, data->n * sizeof *copy);
    gbs_array_free(data->ctx, data->learned);
    data->learned = copy;
    return GBS_OK;
}

bool gbs_data_is_learned(const gbs_data *data, size_t i) {
    return data->learned != NULL && data->learned[gbs_data_origin(data, i)] != 0;
}
