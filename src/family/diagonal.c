/* Diagonal family N(m, diag(sigma_k^2)): mean field.
 *
 *   score variance  sum_k x_k^2 sigma_k^2
 *   KL's spread     1/2 sum_k [ sigma_k^2/v - 1 - log(sigma_k^2/v) ]
 *   dF/d sigma_k    sigma_k pull_k + sigma_k/v - 1/sigma_k,   pull_k = (lambda/n) sum_i w_i x_ik^2
 *                                                                              (docs/maths.md, 4.1)
 */
#include "family/family.h"

#include <math.h>

static size_t per_coordinate(size_t d) {
    return d;
}

static double kl_spread(const gbs_gaussian *g, double v) {
    double sum = 0.0;
    for (size_t k = 0; k < g->d; k++)
        sum += g->tau[k] / v - 1.0 - log(g->tau[k] / v);
    return 0.5 * sum;
}

static double gap(const gbs_gaussian *g, const double *pull, double v, double *scratch) {
    (void)scratch;
    double sum = 0.0;
    for (size_t k = 0; k < g->d; k++) {
        double slope = g->sd[k] * (pull[k] + 1.0 / v) - 1.0 / g->sd[k];
        sum += slope * slope;
    }
    return 0.5 * v * sum;
}

static double decrement(const gbs_gaussian *g, const double *pull, double v, double *scratch) {
    (void)scratch;
    double sum = 0.0;
    for (size_t k = 0; k < g->d; k++) {
        double ratio = g->tau[k] * (pull[k] + 1.0 / v) - 1.0;
        sum += ratio * ratio;
    }
    return 0.25 * sum;
}

static void get_precision(const gbs_gaussian *g, double *p) {
    for (size_t k = 0; k < g->d; k++)
        p[k] = 1.0 / g->tau[k];
}

static void aim_precision(const gbs_gaussian *g, const double *pull, double v, double *p) {
    for (size_t k = 0; k < g->d; k++)
        p[k] = 1.0 / v + pull[k];
}

static bool set_precision(gbs_gaussian *g, const double *p) {
    for (size_t k = 0; k < g->d; k++) {
        if (!(p[k] > 0.0) || !isfinite(p[k]))
            return false;
        g->sd[k] = 1.0 / sqrt(p[k]);
        g->tau[k] = g->sd[k] * g->sd[k]; /* as the model reader has it, to the bit */
    }
    return true;
}

static void weigh(const gbs_gaussian *g, double *of_mean, double *of_precision) {
    get_precision(g, of_precision);
    for (size_t k = 0; k < g->d; k++) {
        of_precision[k] = 1.0 / of_precision[k];
        of_mean[k] = 1.0 / g->sd[k];
    }
}

static void get_free(const gbs_gaussian *g, double *z) {
    for (size_t k = 0; k < g->d; k++)
        z[k] = log(g->sd[k]);
}

static void set_free(gbs_gaussian *g, const double *z) {
    for (size_t k = 0; k < g->d; k++) {
        g->sd[k] = exp(z[k]);
        g->tau[k] = g->sd[k] * g->sd[k];
    }
}

static void free_gradient(const gbs_gaussian *g, const double *pull, double v, double *scratch,
                          double *dz) {
    (void)scratch;
    for (size_t k = 0; k < g->d; k++)
        dz[k] = g->tau[k] * (pull[k] + 1.0 / v) - 1.0;
}

static void free_units(size_t d, const double *of_mean, double *z) {
    (void)of_mean;
    for (size_t k = 0; k < d; k++)
        z[k] = sqrt(0.5);
}

static void limit_logs(size_t d, double most, double *dz) {
    for (size_t k = 0; k < d; k++)
        dz[k] = fmax(-most, fmin(most, dz[k]));
}

static double mean_curvature(const double *pull, size_t d, size_t k) {
    (void)d;
    return pull[k];
}

static void marginal_sd(const gbs_gaussian *g, double *sd) {
    for (size_t k = 0; k < g->d; k++)
        sd[k] = g->sd[k];
}

const gbs_family_ops gbs_diagonal = {.name = "diagonal",
                                     .pull = GBS_PULL_DIAGONAL,
                                     .smaller = GBS_FAMILY_ISOTROPIC,
                                     .sd_size = per_coordinate,
                                     .free_size = per_coordinate,
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
                                     .free_units = free_units,
                                     .limit_logs = limit_logs,
                                     .mean_curvature = mean_curvature,
                                     .marginal_sd = marginal_sd};
