/* Isotropic family N(m, sigma^2 I) and its frozen sister `fixed`, N(m, I/n).
 *
 *   score variance  sigma^2 |x|^2
 *   KL's spread     d/2 [ sigma^2/v - 1 - log(sigma^2/v) ]
 *   dF/d sigma      sigma pull + d (sigma/v - 1/sigma),   pull = (lambda/n) sum_i w_i |x_i|^2
 *                                                                              (docs/maths.md, 4.1)
 *   gap             v/(2d) (dF/d sigma)^2: F is (d/v)-strongly convex in sigma
 */
#include "family/family.h"

#include <math.h>

static size_t one(size_t d) {
    (void)d;
    return 1;
}

static double kl_spread(const gbs_gaussian *g, double v) {
    double ratio = g->sd[0] * g->sd[0] / v;
    return 0.5 * (double)g->d * (ratio - 1.0 - log(ratio));
}

static double sigma_gradient(const gbs_gaussian *g, const double *pull, double v) {
    double sigma = g->sd[0];
    return sigma * pull[0] + (double)g->d * (sigma / v - 1.0 / sigma);
}

static double gap(const gbs_gaussian *g, const double *pull, double v, double *scratch) {
    (void)scratch;
    double slope = sigma_gradient(g, pull, v);
    return 0.5 * v / (double)g->d * slope * slope;
}

static double decrement(const gbs_gaussian *g, const double *pull, double v, double *scratch) {
    (void)scratch;
    double ratio = g->sd[0] * g->sd[0] * (1.0 / v + pull[0] / (double)g->d) - 1.0;
    return 0.25 * (double)g->d * ratio * ratio;
}

static void get_precision(const gbs_gaussian *g, double *p) {
    p[0] = 1.0 / (g->sd[0] * g->sd[0]);
}

static void aim_precision(const gbs_gaussian *g, const double *pull, double v, double *p) {
    p[0] = 1.0 / v + pull[0] / (double)g->d;
}

static bool set_precision(gbs_gaussian *g, const double *p) {
    if (!(p[0] > 0.0) || !isfinite(p[0]))
        return false;
    g->sd[0] = 1.0 / sqrt(p[0]);
    return true;
}

static void weigh(const gbs_gaussian *g, double *of_mean, double *of_precision) {
    get_precision(g, of_precision);
    of_precision[0] = 1.0 / of_precision[0];
    for (size_t k = 0; k < g->d; k++)
        of_mean[k] = 1.0 / g->sd[0];
}

static void get_free(const gbs_gaussian *g, double *z) {
    z[0] = log(g->sd[0]);
}

static void set_free(gbs_gaussian *g, const double *z) {
    g->sd[0] = exp(z[0]);
}

static void free_gradient(const gbs_gaussian *g, const double *pull, double v, double *scratch,
                          double *dz) {
    (void)scratch;
    dz[0] = g->sd[0] * sigma_gradient(g, pull, v);
}

static void free_units(size_t d, const double *of_mean, double *z) {
    (void)of_mean;
    z[0] = sqrt(0.5 / (double)d);
}

static void limit_logs(size_t d, double most, double *dz) {
    (void)d;
    dz[0] = fmax(-most, fmin(most, dz[0]));
}

static double mean_curvature(const double *pull, size_t d, size_t k) {
    (void)k;
    return pull[0] / (double)d;
}

static void marginal_sd(const gbs_gaussian *g, double *sd) {
    for (size_t k = 0; k < g->d; k++)
        sd[k] = g->sd[0];
}

const gbs_family_ops gbs_isotropic = {.name = "isotropic",
                                      .pull = GBS_PULL_TRACE,
                                      .smaller = GBS_FAMILY_AUTO,
                                      .sd_size = one,
                                      .free_size = one,
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

/* ---------------------------------------------------------------- fixed: sigma^2 = 1/n never moves
 */

static size_t none(size_t d) {
    (void)d;
    return 0;
}

static double no_gap(const gbs_gaussian *g, const double *pull, double v, double *scratch) {
    (void)g;
    (void)pull;
    (void)v;
    (void)scratch;
    return 0.0;
}

static void aim_nothing(const gbs_gaussian *g, const double *pull, double v, double *p) {
    (void)g;
    (void)pull;
    (void)v;
    (void)p;
}

static bool keep_spread(gbs_gaussian *g, const double *p) {
    (void)g;
    (void)p;
    return true;
}

static void get_nothing(const gbs_gaussian *g, double *z) {
    (void)g;
    (void)z;
}

static void set_nothing(gbs_gaussian *g, const double *z) {
    (void)g;
    (void)z;
}

static void no_gradient(const gbs_gaussian *g, const double *pull, double v, double *scratch,
                        double *dz) {
    (void)g;
    (void)pull;
    (void)v;
    (void)scratch;
    (void)dz;
}

static void weigh_mean(const gbs_gaussian *g, double *of_mean, double *of_precision) {
    (void)of_precision;
    for (size_t k = 0; k < g->d; k++)
        of_mean[k] = 1.0 / g->sd[0];
}

static void no_units(size_t d, const double *of_mean, double *z) {
    (void)d;
    (void)of_mean;
    (void)z;
}

static void no_logs(size_t d, double most, double *dz) {
    (void)d;
    (void)most;
    (void)dz;
}

const gbs_family_ops gbs_fixed = {.name = "fixed",
                                  .pull = GBS_PULL_TRACE,
                                  .smaller = GBS_FAMILY_AUTO,
                                  .sd_size = one,
                                  .free_size = none,
                                  .kl_spread = kl_spread,
                                  .gap = no_gap,
                                  .decrement = no_gap,
                                  .get_precision = get_nothing,
                                  .aim_precision = aim_nothing,
                                  .set_precision = keep_spread,
                                  .weigh = weigh_mean,
                                  .get_free = get_nothing,
                                  .set_free = set_nothing,
                                  .free_gradient = no_gradient,
                                  .free_units = no_units,
                                  .limit_logs = no_logs,
                                  .mean_curvature = mean_curvature,
                                  .marginal_sd = marginal_sd};
