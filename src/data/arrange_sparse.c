/* Sparse rows put in the order of a view (arrange.c has the way): a bucket is so many rows of the
 * view, and its range of the new arrays as long as their cells are together. */
#include "data/arrange.h"

#include "core/joint.h"

#include <string.h>

static size_t stored(const gbs_data *data, size_t row) {
    return data->row_start[row + 1] - data->row_start[row];
}

/* Where each row will begin; and the arrays. */
static gbs_status make_room(gbs_arranging *a) {
    const gbs_data *v = a->view;
    void *column = NULL, *value = NULL;
    a->start = gbs_array_alloc(a->ctx, a->n + 1, sizeof *a->start);
    if (a->start == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < a->n; i++)
        a->start[i + 1] = a->start[i] + stored(v, v->pick[i]);
    size_t cells = a->start[a->n], per_row = a->n > 0 ? cells / a->n + 1 : 1,
           bytes = per_row * (sizeof(uint32_t) + sizeof(double));
    a->bucket = GBS_ARRANGE_BUCKET / bytes > 0 ? GBS_ARRANGE_BUCKET / bytes : 1;
    a->filled = gbs_array_alloc(a->ctx, a->n / a->bucket + 1, sizeof *a->filled);
    a->used = gbs_array_alloc(a->ctx, a->n / a->bucket + 1, sizeof *a->used);
    gbs_status status = gbs_joint_end(
        a->ctx, v->spill, a->filled != NULL && a->used != NULL ? GBS_OK : GBS_ERR_MEMORY);
    if (status == GBS_OK)
        status = gbs_joint_array(a->ctx, v->spill, cells, sizeof *a->column, &column);
    a->column = column;
    if (status == GBS_OK)
        status = gbs_joint_array(a->ctx, v->spill, cells, sizeof *a->value, &value);
    a->value = value;
    gbs_joint_part(v->spill, (a->n + a->bucket - 1) / a->bucket, &a->from, &a->to);
    return status;
}

static void drop(const uint32_t *column, const double *value, size_t from, size_t to) {
    gbs_pages_drop(column + from, column + to);
    gbs_pages_drop(value + from, value + to);
}

static gbs_status append_rows(gbs_arranging *a) {
    const gbs_data *v = a->view;
    gbs_status status = GBS_OK;
    size_t flush = v->every / 16 + 1;
    for (size_t row = 0; status == GBS_OK && row < a->rows; row++) {
        size_t place = a->place[row], from = v->row_start[row], count = stored(v, row);
        if (row % v->every == 0 && row > 0) {
            drop(v->column, v->value, v->row_start[row - v->every], from);
            gbs_progress(a->ctx, GBS_ARRANGE_STAGE,
                         GBS_ARRANGE_FIRST * (double)row / (double)a->rows);
            status = gbs_check_cancel(a->ctx);
        }
        if (place == SIZE_MAX)
            continue;
        size_t b = place / a->bucket;
        if (b < a->from || b >= a->to)
            continue;
        size_t begin = a->start[b * a->bucket], at = begin + a->used[b],
               have = gbs_arrange_append(a, b, place);
        memcpy(a->column + at, v->column + from, count * sizeof *a->column);
        memcpy(a->value + at, v->value + from, count * sizeof *a->value);
        a->used[b] += count;
        if (have % flush == 0) /* what the bucket had before; most of it is gone already */
            drop(a->column, a->value, begin, at);
    }
    return status;
}

/* The cells of a bucket, in rooms of their own, to their rows. */
static void put_back(const gbs_arranging *a, size_t first, size_t count, const uint32_t *column,
                     const double *value) {
    for (size_t i = 0, from = 0; i < count; i++) {
        size_t place = a->waits[first + i], to = a->start[place], size = a->start[place + 1] - to;
        memcpy(a->column + to, column + from, size * sizeof *column);
        memcpy(a->value + to, value + from, size * sizeof *value);
        from += size;
    }
}

static gbs_status order_buckets(gbs_arranging *a) {
    size_t most = 0, last = a->to * a->bucket < a->n ? a->to * a->bucket : a->n;
    for (size_t b = 0; b < a->n / a->bucket + 1; b++)
        most = a->used[b] > most ? a->used[b] : most;
    uint32_t *column = gbs_array_alloc(a->ctx, most, sizeof *column);
    double *value = gbs_doubles(a->ctx, most);
    gbs_status status = column != NULL && value != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t first = a->from * a->bucket; status == GBS_OK && first < last; first += a->bucket) {
        size_t count = a->n - first < a->bucket ? a->n - first : a->bucket, from = a->start[first],
               to = a->start[first + count];
        memcpy(column, a->column + from, (to - from) * sizeof *column);
        memcpy(value, a->value + from, (to - from) * sizeof *value);
        put_back(a, first, count, column, value);
        drop(a->column, a->value, from, to);
        gbs_progress(a->ctx, GBS_ARRANGE_STAGE,
                     GBS_ARRANGE_FIRST +
                         (1.0 - GBS_ARRANGE_FIRST) * (double)(first + count) / (double)a->n);
        status = gbs_check_cancel(a->ctx);
    }
    gbs_array_free(a->ctx, column);
    gbs_array_free(a->ctx, value);
    return status;
}

gbs_status gbs_arrange_sparse(gbs_arranging *a) {
    gbs_status status = make_room(a);
    if (status != GBS_OK)
        return status;
    status = append_rows(a);
    return gbs_joint_end(a->ctx, a->view->spill, status == GBS_OK ? order_buckets(a) : status);
}
