/* What a data handle is asked: some of its rows as a view, one row, which were learned from; and
 * how it goes. */
#include "data/rows.h"

#include "core/check.h"

#include <string.h>

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

gbs_status gbs_data_check_split(gbs_context *ctx, size_t learned, size_t n) {
    return learned > 0 && learned < n
               ? GBS_OK
               : gbs_fail(ctx, GBS_ERR_DATA,
                          "learned names %zu of %zu rows: some must be left to certify, and some "
                          "to learn from",
                          learned, n);
}

gbs_status gbs_data_set_split(gbs_context *ctx, gbs_data *data, const unsigned char *learned) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, learned);
    size_t count = 0;
    for (size_t i = 0; i < data->n; i++)
        count += learned[i] != 0;
    gbs_status status = gbs_data_check_split(ctx, count, data->n);
    if (status != GBS_OK)
        return status;
    unsigned char *copy = gbs_array_alloc_for(ctx, data->ctx, data->n, sizeof *copy);
    if (copy == NULL)
        return GBS_ERR_MEMORY;
    memcpy(copy, learned, data->n * sizeof *copy);
    gbs_array_free(data->ctx, data->learned);
    data->learned = copy;
    if (data->source != NULL)
        data->source->by_split = false; /* its columns come from other rows, for all we know */
    return GBS_OK;
}

bool gbs_data_is_learned(const gbs_data *data, size_t i) {
    return data->learned != NULL && data->learned[gbs_data_origin(data, i)] != 0;
}
