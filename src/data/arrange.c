/* Rows of a file put in the order of a view, in a file of their own.
 *
 * The order is random, and a disk does not like that. So rows go twice, forward both times: read as
 * they lie they are appended each to its bucket, which is a range of the new file, and a bucket,
 * which fits in memory, is then put in order by itself. That an order is a permutation makes each
 * bucket exactly full.
 */
#include "data/rows.h"

#include <string.h>

/* Bytes of a bucket: a few hundred of them are open at a time. */
enum { BUCKET = 1 << 24 };

struct arranging {
    gbs_context *ctx;
    const gbs_data *view;
    size_t n, d, bucket; /* rows, columns, rows of a bucket */
    size_t rows;         /* of the arrays that are viewed */
    double *to;
    size_t *place; /* of each row of these: its place in the view; SIZE_MAX: it is not there */
    size_t *waits; /* places of the rows in the buckets, as they were appended */
    size_t *filled;
};

/* The places of the rows, and how many rows there are up to the last one that is viewed. */
static gbs_status find_places(struct arranging *a) {
    const size_t *pick = a->view->pick;
    for (size_t i = 0; i < a->n; i++)
        a->rows = pick[i] >= a->rows ? pick[i] + 1 : a->rows;
    a->place = gbs_array_alloc(a->ctx, a->rows, sizeof *a->place);
    if (a->place == NULL)
        return GBS_ERR_MEMORY;
    memset(a->place, 0xff, a->rows * sizeof *a->place);
    for (size_t i = 0; i < a->n; i++)
        a->place[pick[i]] = i;
    return GBS_OK;
}

static gbs_status append_rows(struct arranging *a) {
    const gbs_data *v = a->view;
    gbs_status status = GBS_OK;
    size_t every = gbs_pages_every(v->row_stride * sizeof *v->dense),
           flush = gbs_pages_every(16 * a->d * sizeof *a->to); /* a megabyte of a bucket */
    for (size_t row = 0; status == GBS_OK && row < a->rows; row++) {
        const double *x = v->dense + row * v->row_stride;
        size_t place = a->place[row];
        if (row % every == 0 && row > 0) {
            gbs_pages_drop(x - every * v->row_stride, x);
            gbs_progress(a->ctx, "order", 0.7 * (double)row / (double)a->rows);
            status = gbs_check_cancel(a->ctx);
        }
        if (place == SIZE_MAX)
            continue;
        size_t b = place / a->bucket, have = a->filled[b]++, at = b * a->bucket + have;
        memcpy(a->to + at * a->d, x, a->d * sizeof *x);
        a->waits[at] = place;
        if (have % flush == 0 && have > 0)
            gbs_pages_drop(a->to + (at - flush) * a->d, a->to + at * a->d);
    }
    return status;
}

static gbs_status order_buckets(struct arranging *a) {
    double *room = gbs_matrix(a->ctx, a->bucket, a->d);
    gbs_status status = room != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t first = 0; status == GBS_OK && first < a->n; first += a->bucket) {
        size_t count = a->n - first < a->bucket ? a->n - first : a->bucket;
        double *here = a->to + first * a->d;
        memcpy(room, here, count * a->d * sizeof *room);
        for (size_t i = 0; i < count; i++)
            memcpy(a->to + a->waits[first + i] * a->d, room + i * a->d, a->d * sizeof *room);
        gbs_pages_drop(here, here + count * a->d);
        gbs_progress(a->ctx, "order", 0.7 + 0.3 * (double)(first + count) / (double)a->n);
        status = gbs_check_cancel(a->ctx);
    }
    gbs_array_free(a->ctx, room);
    return status;
}

gbs_status gbs_data_arrange(gbs_context *ctx, gbs_data *view) {
    size_t n = view->n, d = view->d, cells;
    if (view->pick == NULL || !view->in_file || !gbs_data_is_plain(view) ||
        __builtin_mul_overflow(n, d, &cells) || !gbs_spills(view->spill, cells, sizeof(double)))
        return GBS_OK;
    struct arranging a = {.ctx = ctx, .view = view, .n = n, .d = d};
    void *to = NULL;
    a.bucket = BUCKET / (d * sizeof(double)) > 0 ? BUCKET / (d * sizeof(double)) : 1;
    a.filled = gbs_array_alloc(ctx, n / a.bucket + 1, sizeof *a.filled);
    a.waits = gbs_array_alloc(ctx, n, sizeof *a.waits);
    gbs_status status = a.filled != NULL && a.waits != NULL ? find_places(&a) : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_spill_array(ctx, view->spill, cells, sizeof(double), &to);
    a.to = to;
    gbs_progress_begin(ctx);
    if (status == GBS_OK)
        status = append_rows(&a);
    if (status == GBS_OK)
        status = order_buckets(&a);
    size_t *pick = (size_t *)view->pick;
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        a.waits[i] = gbs_data_origin(view, i);
        pick[i] = i;
    }
    gbs_array_free(ctx, a.filled);
    gbs_array_free(ctx, a.place);
    if (status != GBS_OK) {
        gbs_array_free(ctx, a.waits);
        gbs_array_free(ctx, a.to);
        return status;
    }
    view->dense = view->arranged = a.to;
    view->row_stride = d;
    view->came = a.waits;
    return GBS_OK;
}
