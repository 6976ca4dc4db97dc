/* Axes for the factors (docs/maths.md, 8.17): u'v does not change when u becomes Au and v becomes
 * A^-T v, and the model has no axes of its own. With Cu = LL' and Cv the mean squares of the two
 * sides and L'Cv L = Q diag(s)^2 Q',
 *
 *   A = diag(s)^(1/2) Q'L^-1,  A^-T = diag(s)^(-1/2) Q'L'
 *
 * make both mean squares diag(s): s_k is the root mean square of component k's part of a
 * prediction, largest first.
 */
#include "completion/hierarchical.h"
#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

/* What is added to the diagonals, as a share of them, so that a component that is zero everywhere
 * has an axis too. */
#define JITTER 1e-12

/* Mean squares of the factors of a side. */
static void mean_squares(const gbs_levels *f, int side, double *c) {
    const gbs_level_side *s = &f->side[side];
    size_t rank = f->rank;
    double trace = 0.0;
    memset(c, 0, rank * rank * sizeof *c);
    for (size_t i = 0; i < s->items; i++) {
        const double *m = s->mean + i * f->own;
        for (size_t k = 0; k < rank; k++)
            for (size_t l = 0; l <= k; l++)
                c[k * rank + l] += m[k] * m[l] / (double)s->items;
    }
    for (size_t k = 0; k < rank; k++)
        trace += c[k * rank + k];
    for (size_t k = 0; k < rank; k++)
        c[k * rank + k] += JITTER * trace + 1e-100;
    gbs_symmetrise(rank, c);
}

gbs_status gbs_levels_axes(const gbs_levels *f, double *turn[2]) {
    size_t rank = f->rank, own = f->own;
    double *root = gbs_matrix(f->ctx, rank, rank), *inner = gbs_matrix(f->ctx, rank, rank),
           *value = gbs_doubles(f->ctx, rank), *work = gbs_matrix(f->ctx, rank, 64);
    bool ready = root != NULL && inner != NULL && value != NULL && work != NULL, sound = ready;
    memset(turn[0], 0, own * own * sizeof *turn[0]);
    memset(turn[1], 0, own * own * sizeof *turn[1]);
    if (ready && rank > 0) {
        mean_squares(f, 0, root);
        mean_squares(f, 1, inner);
        sound = gbs_cholesky(rank, root);
        gbs_triangle_times_columns(GBS_LOWER_TRANSPOSED, rank, root, rank, inner);
        gbs_rows_times_triangle(GBS_LOWER, rank, root, rank, inner);
        sound = sound && gbs_symmetric_eigen(rank, inner, value, work); /* rows: eigenvectors */
    }
    for (size_t k = 0; sound && k < rank; k++) {
        const double *q = inner + (rank - 1 - k) * rank;
        double s = sqrt(fmax(value[rank - 1 - k], JITTER * value[rank - 1])),
               *a = turn[0] + k * own, *b = turn[1] + k * own;
        memcpy(a, q, rank * sizeof *a);
        memcpy(b, q, rank * sizeof *b);
        /* q'L^-1 = (L^-T q)', q'L' = (L q)' */
        gbs_triangle_solve(GBS_LOWER_TRANSPOSED, rank, root, a);
        gbs_triangle_times(GBS_LOWER, rank, root, b);
        for (size_t c = 0; c < rank; c++) {
            a[c] *= sqrt(s);
            b[c] /= sqrt(s);
        }
        sound = isfinite(s) && s > 0.0;
    }
    turn[0][own * own - 1] = turn[1][own * own - 1] = 1.0;
    gbs_array_free(f->ctx, root);
    gbs_array_free(f->ctx, inner);
    gbs_array_free(f->ctx, value);
    gbs_array_free(f->ctx, work);
    if (!ready)
        return GBS_ERR_MEMORY;
    return sound ? GBS_OK
                 : gbs_fail(f->ctx, GBS_ERR_NUMERIC,
                            "the completion broke down: its factors are not finite");
}
