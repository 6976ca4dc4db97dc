/* Ridge regression of labels on rows, each row left out in turn, from one factorisation:
 *
 *   A = X'X + r I,   h_i = x_i'A^-1 x_i
 *   score of row i by the others = (x_i'A^-1 X'y - h_i y_i) / (1 - h_i)      (docs/maths.md, 12.4)
 *
 * exactly, by the formula of Sherman and Morrison.
 */
#include "fit/ridge.h"

#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

/* 1 - h is a small difference beyond. */
#define LARGEST_LEVERAGE (1.0 - 1e-9)

/* Flops between two looks at the cancel callback. */
#define PATIENCE 5e8

static size_t rows_a_look(size_t p) {
    return 1 + (size_t)(PATIENCE / ((double)p * (double)p));
}

/* Rows times the inverse of the factor's transpose, from the rows themselves. */
static gbs_status project(gbs_context *ctx, gbs_ridge *ridge) {
    const gbs_strip *x = &ridge->rows->all;
    size_t p = ridge->rows->d;
    gbs_status status = GBS_OK;
    gbs_strip_densify(x, ridge->projected);
    for (size_t i = 0, step = rows_a_look(p); status == GBS_OK && i < x->n; i += step) {
        gbs_rows_solve_triangle(GBS_LOWER_TRANSPOSED, p, ridge->factor,
                                x->n - i < step ? x->n - i : step, ridge->projected + i * p);
        status = gbs_check_cancel(ctx);
    }
    return status;
}

/* X'X + r I in factors; false: it is not positive definite enough. */
static bool factorise(gbs_ridge *ridge, double penalty) {
    size_t p = ridge->rows->d;
    double *a = ridge->factor;
    memcpy(a, ridge->gram, p * p * sizeof *a);
    for (size_t k = 0; k < p; k++)
        a[k * p + k] += penalty * ridge->length2;
    return gbs_cholesky(p, a);
}

gbs_status gbs_ridge_create(gbs_context *ctx, const gbs_rows *rows, gbs_ridge *out) {
    size_t n = rows->all.n, p = rows->d;
    *out = (gbs_ridge){.rows = rows};
    out->gram = gbs_matrix(ctx, 2 * p + 2, p);
    out->projected = gbs_matrix(ctx, n, p);
    if (out->gram == NULL || out->projected == NULL) {
        gbs_ridge_free(ctx, out);
        return GBS_ERR_MEMORY;
    }
    out->factor = out->gram + p * p;
    out->cross = out->factor + p * p;
    out->room = out->cross + p;
    gbs_strip_densify(&rows->all, out->projected);
    gbs_status status = GBS_OK;
    for (size_t i = 0, step = rows_a_look(p); status == GBS_OK && i < n; i += step) {
        gbs_add_gram(p, n - i < step ? n - i : step, out->projected + i * p, 1.0, out->gram);
        status = gbs_check_cancel(ctx);
    }
    if (status != GBS_OK) {
        gbs_ridge_free(ctx, out);
        return status;
    }
    gbs_add_cross(n, p, 1, out->projected, rows->all.y, out->cross);
    for (size_t k = 0; k < p; k++)
        out->length2 += out->gram[k * p + k] / (double)n;
    return GBS_OK;
}

void gbs_ridge_free(const gbs_context *ctx, gbs_ridge *ridge) {
    gbs_array_free(ctx, ridge->gram);
    gbs_array_free(ctx, ridge->projected);
    *ridge = (gbs_ridge){0};
}

gbs_status gbs_ridge_leave_one_out(gbs_context *ctx, gbs_ridge *ridge, double penalty,
                                   double *score, bool *good) {
    const gbs_strip *x = &ridge->rows->all;
    size_t p = ridge->rows->d;
    double *b = ridge->room;
    *good = factorise(ridge, penalty);
    if (!*good)
        return GBS_OK;
    memcpy(b, ridge->cross, p * sizeof *b);
    gbs_lower_solve(p, ridge->factor, p, false, b);
    gbs_status status = project(ctx, ridge);
    for (size_t i = 0; status == GBS_OK && i < x->n; i++) {
        const double *row = ridge->projected + i * p;
        double h = fmin(gbs_dot(p, row, row), LARGEST_LEVERAGE);
        score[i] = (gbs_dot(p, row, b) - h * x->y[i]) / (1.0 - h);
    }
    return status;
}

gbs_status gbs_ridge_leave_one_out_many(gbs_context *ctx, gbs_ridge *ridge, double penalty,
                                        size_t k, const double *target, double *score, bool *good) {
    const gbs_strip *x = &ridge->rows->all;
    size_t p = ridge->rows->d;
    double *t = ridge->projected, *b = gbs_matrix(ctx, p, k);
    if (b == NULL)
        return GBS_ERR_MEMORY;
    *good = factorise(ridge, penalty);
    gbs_status status = *good ? project(ctx, ridge) : GBS_OK;
    bool done = *good && status == GBS_OK;
    if (done) { /* of rows times L^-T, the products with the targets are L^-1 X'Y */
        gbs_add_cross(x->n, p, k, t, target, b);
        gbs_rows_times(x->n, p, k, t, b, score);
    }
    for (size_t i = 0; done && i < x->n; i++) {
        const double *row = t + i * p;
        double h = fmin(gbs_dot(p, row, row), LARGEST_LEVERAGE);
        for (size_t c = 0; c < k; c++)
            score[i * k + c] = (score[i * k + c] - h * target[i * k + c]) / (1.0 - h);
    }
    gbs_array_free(ctx, b);
    return status;
}
