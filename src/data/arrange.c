/* Rows of a file put in the order of a view, in a file of their own.
 *
 * The order is random, and a disk does not like that. So rows go twice, forward both times: read as
 * they lie they are appended each to its bucket, which is a range of the new file, and a bucket,
 * which fits in memory, is then put in order by itself. That an order is a permutation makes each
 * bucket exactly full. Where ranks share the new file, each has some of the buckets.
 */
#include "data/arrange.h"

#include "core/joint.h"

#include <string.h>

/* The places of the rows, and how many rows there are up to the last one that is viewed. */
static gbs_status find_places(gbs_arranging *a) {
    const size_t *pick = a->view->pick;
    a->waits = gbs_array_alloc(a->ctx, a->n, sizeof *a->waits);
    for (size_t i = 0; i < a->n; i++)
        a->rows = pick[i] >= a->rows ? pick[i] + 1 : a->rows;
    a->place = gbs_array_alloc(a->ctx, a->rows, sizeof *a->place);
    if (a->place == NULL || a->waits == NULL)
        return GBS_ERR_MEMORY;
    memset(a->place, 0xff, a->rows * sizeof *a->place);
    for (size_t i = 0; i < a->n; i++)
        a->place[pick[i]] = i;
    return GBS_OK;
}

/* ---------------------------------------------------------------- dense rows */

static gbs_status append_rows(gbs_arranging *a) {
    const gbs_data *v = a->view;
    gbs_status status = GBS_OK;
    size_t d = v->d, flush = gbs_pages_every(16 * d * sizeof *a->dense); /* a megabyte of one */
    for (size_t row = 0; status == GBS_OK && row < a->rows; row++) {
        const double *x = v->dense + row * v->row_stride;
        size_t place = a->place[row];
        if (row % v->every == 0 && row > 0) {
            gbs_pages_drop(x - v->every * v->row_stride, x);
            gbs_progress(a->ctx, GBS_ARRANGE_STAGE,
                         GBS_ARRANGE_FIRST * (double)row / (double)a->rows);
            status = gbs_check_cancel(a->ctx);
        }
        if (place == SIZE_MAX)
            continue;
        size_t b = place / a->bucket;
        if (b < a->from || b >= a->to)
            continue;
        size_t have = gbs_arrange_append(a, b, place);
        double *to = a->dense + (b * a->bucket + have) * d;
        memcpy(to, x, d * sizeof *x);
        if (have % flush == 0 && have > 0)
            gbs_pages_drop(to - flush * d, to);
    }
    return status;
}

static gbs_status order_buckets(gbs_arranging *a) {
    size_t d = a->view->d, last = a->to * a->bucket < a->n ? a->to * a->bucket : a->n;
    double *room = gbs_matrix(a->ctx, a->bucket < a->n ? a->bucket : a->n, d);
    gbs_status status = room != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t first = a->from * a->bucket; status == GBS_OK && first < last; first += a->bucket) {
        size_t count = a->n - first < a->bucket ? a->n - first : a->bucket;
        double *here = a->dense + first * d;
        memcpy(room, here, count * d * sizeof *room);
        for (size_t i = 0; i < count; i++)
            memcpy(a->dense + a->waits[first + i] * d, room + i * d, d * sizeof *room);
        gbs_pages_drop(here, here + count * d);
        gbs_progress(a->ctx, GBS_ARRANGE_STAGE,
                     GBS_ARRANGE_FIRST +
                         (1.0 - GBS_ARRANGE_FIRST) * (double)(first + count) / (double)a->n);
        status = gbs_check_cancel(a->ctx);
    }
    gbs_array_free(a->ctx, room);
    return status;
}

static gbs_status arrange_dense(gbs_arranging *a) {
    size_t d = a->view->d, bytes = d * sizeof(double);
    void *dense = NULL;
    a->bucket = GBS_ARRANGE_BUCKET / bytes > 0 ? GBS_ARRANGE_BUCKET / bytes : 1;
    a->filled = gbs_array_alloc(a->ctx, a->n / a->bucket + 1, sizeof *a->filled);
    const gbs_spill *spill = a->view->spill;
    gbs_status status = gbs_joint_end(a->ctx, spill, a->filled != NULL ? GBS_OK : GBS_ERR_MEMORY);
    if (status == GBS_OK)
        status = gbs_joint_array(a->ctx, spill, a->n * d, sizeof *a->dense, &dense);
    if (status != GBS_OK)
        return status;
    a->dense = dense;
    gbs_joint_part(spill, (a->n + a->bucket - 1) / a->bucket, &a->from, &a->to);
    status = append_rows(a);
    return gbs_joint_end(a->ctx, spill, status == GBS_OK ? order_buckets(a) : status);
}

/* ---------------------------------------------------------------- both */

/* Enough of them for a file, so that one can tell which arrays lie in one. */
static bool worth(const gbs_data *view) {
    size_t cells = 0;
    if (view->pick == NULL || !view->in_file)
        return false;
    if (view->dense != NULL)
        return gbs_data_is_plain(view) && !__builtin_mul_overflow(view->n, view->d, &cells) &&
               gbs_spills(view->spill, cells, sizeof(double));
    for (size_t i = 0; i < view->n; i++)
        cells += view->row_start[view->pick[i] + 1] - view->row_start[view->pick[i]];
    return gbs_spills(view->spill, cells, sizeof(uint32_t));
}

/* The view has the new arrays, and none of its rows moved. */
static void take(gbs_arranging *a, gbs_data *view) {
    size_t *pick = (size_t *)view->pick;
    for (size_t i = 0; i < a->n; i++) {
        a->waits[i] = gbs_data_origin(view, i);
        pick[i] = i;
    }
    if (a->dense != NULL) {
        view->dense = view->arranged[0] = a->dense;
        view->row_stride = view->d;
        view->every = gbs_pages_every(view->d * sizeof(double));
    } else {
        view->row_start = view->arranged[0] = a->start;
        view->column = view->arranged[1] = a->column;
        view->value = view->arranged[2] = a->value;
    }
    view->came = a->waits;
}

gbs_status gbs_data_arrange(gbs_context *ctx, gbs_data *view) {
    if (!worth(view))
        return GBS_OK;
    gbs_arranging a = {.ctx = ctx, .view = view, .n = view->n};
    gbs_progress_begin(ctx);
    gbs_status status = find_places(&a);
    if (status == GBS_OK)
        status = view->dense != NULL ? arrange_dense(&a) : gbs_arrange_sparse(&a);
    gbs_array_free(ctx, a.filled);
    gbs_array_free(ctx, a.used);
    gbs_array_free(ctx, a.place);
    if (status == GBS_OK) {
        take(&a, view);
        return GBS_OK;
    }
    gbs_array_free(ctx, a.waits);
    gbs_array_free(ctx, a.dense);
    gbs_array_free(ctx, a.start);
    gbs_array_free(ctx, a.column);
    gbs_array_free(ctx, a.value);
    return status;
}
