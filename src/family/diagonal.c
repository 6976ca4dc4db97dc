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

static void project(const gbs_gaussian *g, const gbs_strip *b, const gbs_pass *pass, double *score,
                    double *variance) {
    gbs_strip_scores_squares(b, g->mean, g->tau, pass->shift_dot, pass->shift_square, score,
                             variance);
}

static void pull_back(const gbs_gaussian *g, const gbs_strip *b, const gbs_pass *pass,
                      const double *u, const double *w, double *d_mean, double *pull) {
    (void)g;
    (void)pass;
    gbs_strip_pull_squares(b, u, w, d_mean, pull);
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

static void marginal_sd(const gbs_gaussian *g, double *sd) {
    for (size_t k = 0; k < g->d; k++)
        sd[k] = g->sd[k];
}

const gbs_family_ops gbs_diagonal = {.name = "diagonal",
                                     .pull_size = per_coordinate,
                                     .free_size = per_coordinate,
                                     .project = project,
                                     .pull_back = pull_back,
                                     .kl_spread = kl_spread,
                                     .gap = gap,
                                     .decrement = decrement,
                                     .get_precision = get_precision,
                                     .aim_precision = aim_precision,
                                     .set_precision = set_precision,
                                     .get_free = get_free,
                                     .set_free = set_free,
                                     .free_gradient = free_gradient,
                                     .marginal_sd = marginal_sd};
