/* For tests of the sampler: a sample of some rows, plain losses and risks. */
#ifndef GIBBSITE_TESTS_SMC_SUPPORT_H
#define GIBBSITE_TESTS_SMC_SUPPORT_H

#include "unit/support.h"

static inline gbs_particles *sample(gbs_context *ctx, const gbs_data *data,
                                    const gbs_sample_settings *o) {
    gbs_particles *p;
    assert_ok(ctx, gbs_sample_run(ctx, data, o, &p));
    return p;
}

static inline gbs_sample_info sample_info(const gbs_particles *p) {
    gbs_sample_info info = *gbs_particles_get_info(p);
    return info;
}

static inline gbs_sample_settings small_options(gbs_loss loss, double lambda, size_t particles) {
    gbs_sample_settings o = gbs_sample_settings_default();
    o.loss = loss;
    o.lambda = lambda;
    o.particles = particles;
    return o;
}

static inline double plain_score(size_t d, const double *x, const double *theta) {
    double score = 0.0;
    for (size_t k = 0; k < d; k++)
        score += x[k] * theta[k];
    return score;
}

static inline double plain_risk(gbs_loss loss, size_t n, size_t d, const double *x, const double *y,
                                const double *theta) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += plain_loss(loss, y[i] * plain_score(d, x + i * d, theta));
    return sum / (double)n;
}

/* Over all pairs of a positive and a negative row, one by one. */
static inline double plain_pair_risk(gbs_loss loss, size_t n, size_t d, const double *x,
                                     const double *y, const double *theta) {
    double sum = 0.0, pairs = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (y[i] > 0.0 && y[j] < 0.0) {
                sum += plain_loss(loss, plain_score(d, x + i * d, theta) -
                                            plain_score(d, x + j * d, theta));
                pairs += 1.0;
            }
    return sum / pairs;
}

#endif
