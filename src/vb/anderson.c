/* Anderson acceleration (docs/maths.md, 4.6).
 *
 *   gamma = argmin | f_k - DF gamma |,   x_(k+1) = x_k + f_k - (DX + DF) gamma,
 *
 * with the columns of DX and DF the last differences of x and f. On a linear map it is a Krylov
 * method: a few directions that overshoot or creep no longer hold up the rest.
 */
#include "vb/anderson.h"

#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

enum { DEPTH = GBS_ANDERSON_DEPTH };

gbs_status gbs_anderson_create(gbs_context *ctx, size_t size, gbs_anderson *out) {
    *out = (gbs_anderson){.size = size, .memory = gbs_matrix(ctx, 2 + 2 * DEPTH, size)};
    if (out->memory == NULL)
        return GBS_ERR_MEMORY;
    out->last_x = out->memory;
    out->last_f = out->memory + size;
    for (size_t k = 0; k < DEPTH; k++) {
        out->dx[k] = out->memory + (2 + 2 * k) * size;
        out->df[k] = out->memory + (3 + 2 * k) * size;
    }
    return GBS_OK;
}

void gbs_anderson_free(const gbs_context *ctx, gbs_anderson *a) {
    gbs_array_free(ctx, a->memory);
    *a = (gbs_anderson){0};
}

void gbs_anderson_forget(gbs_anderson *a) {
    a->count = 0;
    a->started = false;
}

/* The oldest difference makes room for the newest, which is kept in place 0. */
static void remember(gbs_anderson *a, const double *x, const double *f) {
    double *dx = a->dx[DEPTH - 1], *df = a->df[DEPTH - 1];
    memmove(a->dx + 1, a->dx, (DEPTH - 1) * sizeof *a->dx);
    memmove(a->df + 1, a->df, (DEPTH - 1) * sizeof *a->df);
    a->dx[0] = dx;
    a->df[0] = df;
    for (size_t i = 0; i < a->size; i++) {
        dx[i] = x[i] - a->last_x[i];
        df[i] = f[i] - a->last_f[i];
    }
    a->count = a->count < DEPTH ? a->count + 1 : DEPTH;
}

static double weighted_dot(size_t n, const double *a, const double *b, const double *weight) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i] * weight[i] * weight[i];
    return sum;
}

/* The small least-squares problem by its normal equations, with a ridge at the level of rounding.
 */
static bool solve_weights(const gbs_anderson *a, const double *f, const double *weight,
                          double *gamma) {
    size_t m = a->count;
    double gram[DEPTH * DEPTH], trace = 0.0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j <= i; j++)
            gram[i * m + j] = gram[j * m + i] = weighted_dot(a->size, a->df[i], a->df[j], weight);
        gamma[i] = weighted_dot(a->size, a->df[i], f, weight);
        trace += gram[i * m + i];
    }
    for (size_t i = 0; i < m; i++)
        gram[i * m + i] += 1e-12 * trace;
    if (!(trace > 0.0) || !gbs_cholesky(m, gram))
        return false;
    gbs_lower_solve(m, gram, m, false, gamma);
    gbs_lower_solve(m, gram, m, true, gamma);
    return true;
}

bool gbs_anderson_propose(gbs_anderson *a, const double *x, const double *f, const double *weight,
                          double *out) {
    double gamma[DEPTH];
    if (a->started)
        remember(a, x, f);
    memcpy(a->last_x, x, a->size * sizeof *x);
    memcpy(a->last_f, f, a->size * sizeof *f);
    a->started = true;
    for (size_t i = 0; i < a->size; i++)
        out[i] = x[i] + f[i];
    if (a->count == 0 || !solve_weights(a, f, weight, gamma))
        return false;
    for (size_t k = 0; k < a->count; k++)
        for (size_t i = 0; i < a->size; i++)
            out[i] -= gamma[k] * (a->dx[k][i] + a->df[k][i]);
    return true;
}
