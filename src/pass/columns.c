/* Rows against k coefficient vectors side by side.
 *
 *   Z = X M,   G += X'E,   A += X' diag(w) X
 *
 * A strip of dense rows meets all vectors in one product of matrices; sparse rows meet them one by
 * one. The shift c of sparse rows z - c comes in by itself: (z - c)'m = z'm - c'm.
 */
#include "pass/columns.h"

#include "kernel/linalg.h"

#include <string.h>

static bool is_plain(const gbs_strip *b) {
    return b->dense != NULL && b->ld == b->d && b->stride == 1;
}

void gbs_columns_scores(const gbs_strip *b, size_t k, const double *m, double *room,
                        double *score) {
    double *one = room + b->d;
    if (is_plain(b)) {
        gbs_rows_times(b->n, b->d, k, b->dense, m, score);
        return;
    }
    for (size_t c = 0; c < k; c++) {
        for (size_t a = 0; a < b->d; a++)
            room[a] = m[a * k + c];
        gbs_strip_scores(b, room, b->shift != NULL ? gbs_dot(b->d, b->shift, room) : 0.0, one);
        for (size_t i = 0; i < b->n; i++)
            score[i * k + c] = one[i];
    }
}

void gbs_columns_pull(const gbs_strip *b, size_t k, const double *e, double *room, double *slope) {
    double *one = room + b->d;
    if (is_plain(b)) {
        gbs_add_cross(b->n, b->d, k, b->dense, e, slope);
        return;
    }
    for (size_t c = 0; c < k; c++) {
        double total = 0.0;
        memset(room, 0, b->d * sizeof *room);
        for (size_t i = 0; i < b->n; i++) {
            one[i] = e[i * k + c];
            total += one[i];
        }
        gbs_strip_pull(b, one, room);
        for (size_t a = 0; a < b->d; a++)
            slope[a * k + c] += room[a] - (b->shift != NULL ? total * b->shift[a] : 0.0);
    }
}

gbs_status gbs_columns_gram(gbs_context *ctx, const gbs_rows *rows, const double *w, bool matrix,
                            double *pull) {
    size_t d = rows->d, strip = rows->strip_rows;
    double *room = gbs_matrix(ctx, strip, matrix ? d : 1), *none = gbs_doubles(ctx, d),
           *zero = gbs_doubles(ctx, strip), total = 0.0;
    const double *shift = rows->all.shift;
    bool there = room != NULL && none != NULL && zero != NULL;
    for (size_t s = 0, from = 0; there && s < gbs_rows_strips(rows); s++) {
        gbs_strip b = gbs_rows_strip(rows, s);
        if (matrix)
            gbs_strip_gram(&b, w + from, room, pull);
        else
            gbs_strip_pull_squares(&b, zero, w + from, none, pull);
        for (size_t i = 0; i < b.n; i++)
            total += w[from + i];
        from += b.n;
        gbs_rows_passed(rows, &b);
    }
    for (size_t a = 0; there && !matrix && shift != NULL && a < d; a++)
        pull[a] += total * shift[a] * shift[a]; /* what no sparse row adds by itself */
    gbs_array_free(ctx, room);
    gbs_array_free(ctx, none);
    gbs_array_free(ctx, zero);
    return there ? GBS_OK : GBS_ERR_MEMORY;
}
