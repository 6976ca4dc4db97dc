/* Predictions averaged over conditional means (docs/maths.md, 8.20).
 *
 * A sweep draws x_i about its mean m_i given all that went before it, then w_j about n_j given x.
 * With e = x_i - m_i and r_j any vector that is known before the sweep,
 *
 *   q = a_i + b_j + u_i'v_j, the last two of n_j in place of w_j,  less  e'(r_j, 1)
 *
 * has the mean of the drawn prediction: E(w_j | x) = n_j and E e = 0. The best r_j is near the mean
 * of v_j; it is the mean of the n_j so far. u'v does not change when u becomes Tu and v becomes
 * T^-T v, and a chain wanders along such T, so means of vectors are taken in axes that stay: those
 * of 8.17, then turned onto the columns that the chain began with, the largest axis first (Gram and
 * Schmidt). What decides the axes of a sweep is known before it, so expectations go through.
 */
#include "completion/level_average.h"

#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

/* What is left of a column that the ones before it nearly explain. */
#define NOTHING_LEFT 1e-6

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Row k less its parts along those before it, to length 1; false: nothing is left. */
static bool straighten(size_t rank, size_t own, double *q, size_t k) {
    double *row = q + k * own, before = dot(rank, row, row);
    for (int twice = 0; twice < 2; twice++) /* is enough */
        for (size_t l = 0; l < k; l++)
            gbs_add_scaled(rank, -dot(rank, row, q + l * own), q + l * own, row);
    double left = dot(rank, row, row);
    if (!(left > NOTHING_LEFT * NOTHING_LEFT * before) || !isnormal(left))
        return false;
    for (size_t c = 0; c < rank; c++)
        row[c] /= sqrt(left);
    return true;
}

/* Row k of q becomes what of row k is new, or the axis of which most is. */
static void orthonormal_rows(size_t rank, size_t own, double *q) {
    for (size_t k = 0; k < rank; k++)
        for (size_t c = 0; !straighten(rank, own, q, k) && c < rank; c++) {
            memset(q + k * own, 0, rank * sizeof *q);
            q[k * own + c] = 1.0;
        }
}

/* X T' of the items of a side, and of its intercepts. */
static void turn_side(const gbs_levels *f, int s, const double *x, const gbs_level_average *a,
                      double *out) {
    size_t own = f->own, items = f->side[s].items;
    gbs_transpose(own, a->turn[s], a->axes);
    gbs_rows_times(items, own, own, x, a->axes, out);
    gbs_rows_times(1, own, own, f->side[s].coef, a->axes, out + items * own);
}

gbs_status gbs_level_average_begin(gbs_levels *f, gbs_level_average *a) {
    size_t own = f->own, most = 0;
    *a = (gbs_level_average){0};
    bool ready = true;
    for (int s = 0; s < 2; s++) {
        gbs_level_side *side = &f->side[s];
        if (side->best == NULL)
            side->best = gbs_matrix(f->ctx, side->items, own);
        a->turn[s] = gbs_matrix(f->ctx, own, own);
        a->mean[s] = gbs_matrix(f->ctx, side->items + 1, own);
        a->start[s] = gbs_matrix(f->ctx, side->items + 1, own);
        ready = ready && side->best != NULL && a->turn[s] != NULL && a->mean[s] != NULL &&
                a->start[s] != NULL;
        most = side->items > most ? side->items : most;
    }
    a->local = gbs_matrix(f->ctx, f->side[1].items + 1, own);
    a->now = gbs_matrix(f->ctx, most + 1, own);
    a->axes = gbs_matrix(f->ctx, own, own);
    a->cross = gbs_matrix(f->ctx, own, own);
    if (!ready || a->local == NULL || a->now == NULL || a->axes == NULL || a->cross == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = gbs_levels_axes(f, a->turn);
    for (int s = 0; s < 2 && status == GBS_OK; s++)
        turn_side(f, s, f->side[s].mean, a, a->start[s]);
    return status;
}

void gbs_level_average_free(const gbs_context *ctx, gbs_level_average *a) {
    double *const all[] = {a->turn[0],  a->turn[1], a->mean[0], a->mean[1], a->start[0],
                           a->start[1], a->local,   a->now,     a->axes,    a->cross};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        gbs_array_free(ctx, all[k]);
    *a = (gbs_level_average){0};
}

gbs_status gbs_level_average_aim(const gbs_levels *f, gbs_level_average *a) {
    size_t own = f->own, rank = f->rank, columns = f->side[1].items;
    gbs_status status = gbs_levels_axes(f, a->turn);
    if (status != GBS_OK)
        return status;
    turn_side(f, 1, f->side[1].mean, a, a->now);
    memset(a->cross, 0, own * own * sizeof *a->cross);
    gbs_add_cross(columns, own, own, a->start[1], a->now, a->cross);
    orthonormal_rows(rank, own, a->cross);
    for (size_t k = 0; k < own; k++) /* the bias stays */
        a->cross[rank * own + k] = a->cross[k * own + rank] = k == rank ? 1.0 : 0.0;
    for (int s = 0; s < 2; s++) {
        memcpy(a->axes, a->turn[s], own * own * sizeof *a->axes);
        gbs_rows_times(own, own, own, a->cross, a->axes, a->turn[s]);
    }
    /* (T^-T)^-1 = T' */
    gbs_rows_times(columns + 1, own, own, a->count > 0 ? a->mean[1] : a->start[1], a->turn[0],
                   a->local);
    return GBS_OK;
}

void gbs_level_average_take(const gbs_levels *f, gbs_level_average *a) {
    size_t own = f->own;
    a->count++;
    for (int s = 0; s < 2; s++) {
        size_t numbers = (f->side[s].items + 1) * own;
        turn_side(f, s, f->side[s].best, a, a->now);
        for (size_t k = 0; k < numbers; k++)
            a->mean[s][k] += (a->now[k] - a->mean[s][k]) / (double)a->count;
    }
}

double gbs_level_average_cell(const gbs_levels *f, const gbs_level_average *a, uint32_t row,
                              uint32_t column, double *drawn) {
    size_t own = f->own, rank = f->rank;
    const gbs_level_side *rows = &f->side[0], *columns = &f->side[1];
    bool new_row = row == GBS_UNSEEN, new_column = column == GBS_UNSEEN;
    const double *x = new_row ? rows->coef : rows->mean + row * own,
                 *m = new_row ? rows->coef : rows->best + row * own,
                 *w = new_column ? columns->coef : columns->mean + column * own,
                 *n = new_column ? columns->coef : columns->best + column * own,
                 *r = a->local + (new_column ? columns->items : column) * own;
    double plain = x[rank] + w[rank], q = m[rank] + n[rank];
    for (size_t k = 0; k < rank; k++) {
        plain += x[k] * w[k];
        q += x[k] * n[k] - (x[k] - m[k]) * r[k];
    }
    *drawn = plain;
    return q;
}

void gbs_level_average_pull(const gbs_levels *f, gbs_level_average *a, double share) {
    for (int s = 0; s < 2; s++)
        for (size_t k = 0; k < (f->side[s].items + 1) * f->own; k++)
            a->mean[s][k] = a->start[s][k] + share * (a->mean[s][k] - a->start[s][k]);
}
