/* Full family N(m, C C'), C triangular with a positive diagonal.
 *
 *   score variance  |C'x|^2
 *   KL's spread     1/2 [ |C|^2/v - d ] - sum_k log(C_kk / sqrt v)
 *   dF/dC           triangle of H C - diag(1/C_kk),   H = I/v + pull,  pull = lambda/n X' diag(w) X
 *                                                                              (docs/maths.md, 4.1)
 *
 * C is *upper* triangular here: with the precision P = R R' (Cholesky, R lower), C = R^-T needs no
 * second factorisation. Reversing the order of the coordinates turns one convention into the other,
 * so convexity and the gap (docs/maths.md, 4.4) hold as they do for a lower C.
 */
#include "family/family.h"
#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

static size_t none(size_t d) {
    (void)d;
    return 0;
}

static size_t triangle(size_t d) {
    return d * (d + 1) / 2;
}

static double kl_spread(const gbs_gaussian *g, double v) {
    size_t d = g->d;
    double norm = gbs_dot(d * d, g->factor, g->factor), log_det = 0.0;
    for (size_t k = 0; k < d; k++)
        log_det += log(g->factor[k * d + k]);
    return 0.5 * (norm / v - (double)d + (double)d * log(v)) - log_det;
}

/* hc = H C, both triangles. */
static void curvature_times_factor(const gbs_gaussian *g, const double *pull, double v,
                                   double *hc) {
    size_t d = g->d;
    memcpy(hc, pull, d * d * sizeof *hc);
    gbs_symmetrise(d, hc);
    for (size_t k = 0; k < d; k++)
        hc[k * d + k] += 1.0 / v;
    gbs_rows_times_triangle(GBS_UPPER, d, g->factor, d, hc);
}

static double gap(const gbs_gaussian *g, const double *pull, double v, double *scratch) {
    size_t d = g->d;
    curvature_times_factor(g, pull, v, scratch);
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) {
        scratch[i * d + i] -= 1.0 / g->factor[i * d + i];
        sum += gbs_dot(d - i, scratch + i * d + i, scratch + i * d + i);
    }
    return 0.5 * v * sum;
}

/* 1/4 |C'HC - I|^2 */
static double decrement(const gbs_gaussian *g, const double *pull, double v, double *scratch) {
    size_t d = g->d;
    curvature_times_factor(g, pull, v, scratch);
    gbs_triangle_times_columns(GBS_UPPER_TRANSPOSED, d, g->factor, d, scratch);
    for (size_t k = 0; k < d; k++)
        scratch[k * d + k] -= 1.0;
    return 0.25 * gbs_dot(d * d, scratch, scratch);
}

/* C = R^-T with P = R R'. The factor's own array holds R on the way, its transpose goes through the
 * lower triangle. */
bool gbs_full_set_precision(gbs_gaussian *g) {
    size_t d = g->d;
    memcpy(g->factor, g->precision, d * d * sizeof *g->factor);
    if (!gbs_cholesky(d, g->factor) || !gbs_lower_inverse(d, g->factor))
        return false;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++) {
            g->factor[j * d + i] = g->factor[i * d + j];
            g->factor[i * d + j] = 0.0;
        }
    return true;
}

void gbs_full_refresh_precision(gbs_gaussian *g) {
    size_t d = g->d;
    /* R = C^-T, lower */
    gbs_transpose(d, g->factor, g->precision);
    gbs_lower_inverse(d, g->precision);
    /* P = R R' */
    gbs_lower_square(d, g->precision);
}

static void get_precision(const gbs_gaussian *g, double *p) {
    size_t d = g->d;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            *p++ = g->precision[i * d + j];
}

static void aim_precision(const gbs_gaussian *g, const double *pull, double v, double *p) {
    size_t d = g->d;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            *p++ = pull[i * d + j] + (i == j ? 1.0 / v : 0.0);
}

static bool set_precision(gbs_gaussian *g, const double *p) {
    size_t d = g->d;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            g->precision[i * d + j] = *p++;
    gbs_symmetrise(d, g->precision);
    return gbs_full_set_precision(g);
}

static void weigh(const gbs_gaussian *g, double *of_mean, double *of_precision) {
    size_t d = g->d;
    const double *diagonal = g->precision;
    for (size_t i = 0; i < d; i++) {
        of_mean[i] = sqrt(diagonal[i * d + i]);
        for (size_t j = 0; j <= i; j++)
            *of_precision++ = 1.0 / sqrt(diagonal[i * d + i] * diagonal[j * d + j]);
    }
}

static void get_free(const gbs_gaussian *g, double *z) {
    size_t d = g->d;
    for (size_t i = 0; i < d; i++) {
        *z++ = log(g->factor[i * d + i]);
        for (size_t j = i + 1; j < d; j++)
            *z++ = g->factor[i * d + j];
    }
}

static void set_free(gbs_gaussian *g, const double *z) {
    size_t d = g->d;
    for (size_t i = 0; i < d; i++) {
        g->factor[i * d + i] = exp(*z++);
        for (size_t j = i + 1; j < d; j++)
            g->factor[i * d + j] = *z++;
    }
}

static void free_gradient(const gbs_gaussian *g, const double *pull, double v, double *scratch,
                          double *dz) {
    size_t d = g->d;
    curvature_times_factor(g, pull, v, scratch);
    for (size_t i = 0; i < d; i++) {
        *dz++ = g->factor[i * d + i] * scratch[i * d + i] - 1.0;
        for (size_t j = i + 1; j < d; j++)
            *dz++ = scratch[i * d + j];
    }
}

static void free_units(size_t d, const double *of_mean, double *z) {
    for (size_t i = 0; i < d; i++) {
        *z++ = sqrt(0.5);
        for (size_t j = i + 1; j < d; j++)
            *z++ = of_mean[i];
    }
}

/* The diagonal of C, which stands before the rest of each row. */
static void limit_logs(size_t d, double most, double *dz) {
    for (size_t row = d; row > 0; dz += row--)
        *dz = fmax(-most, fmin(most, *dz));
}

static double mean_curvature(const double *pull, size_t d, size_t k) {
    return pull[k * d + k];
}

/* S x = C C'x */
static void times_covariance(const gbs_gaussian *g, double *x) {
    gbs_triangle_times(GBS_UPPER_TRANSPOSED, g->d, g->factor, x);
    gbs_triangle_times(GBS_UPPER, g->d, g->factor, x);
}

static void marginal_sd(const gbs_gaussian *g, double *sd) {
    size_t d = g->d;
    for (size_t k = 0; k < d; k++)
        sd[k] = sqrt(gbs_dot(d - k, g->factor + k * d + k, g->factor + k * d + k));
}

const gbs_family_ops gbs_full = {.name = "full",
                                 .pull = GBS_PULL_MATRIX,
                                 .smaller = GBS_FAMILY_DIAGONAL,
                                 .sd_size = none,
                                 .free_size = triangle,
                                 .kl_spread = kl_spread,
                                 .gap = gap,
                                 .decrement = decrement,
                                 .get_precision = get_precision,
                                 .aim_precision = aim_precision,
                                 .set_precision = set_precision,
                                 .weigh = weigh,
                                 .get_free = get_free,
                                 .set_free = set_free,
                                 .free_gradient = free_gradient,
                                 .settle = gbs_full_refresh_precision,
                                 .free_units = free_units,
                                 .limit_logs = limit_logs,
                                 .mean_curvature = mean_curvature,
                                 .times_covariance = times_covariance,
                                 .marginal_sd = marginal_sd};
