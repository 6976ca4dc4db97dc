/* Particles: their life and their moments. */
#include "model/particles.h"

#include "core/check.h"

#include <math.h>
#include <string.h>

gbs_status gbs_particles_create(gbs_context *ctx, gbs_particles **out) {
    gbs_particles *p = gbs_handle_alloc(ctx, sizeof *p);
    *out = p;
    if (p == NULL)
        return GBS_ERR_MEMORY;
    p->ctx = ctx;
    return GBS_OK;
}

void gbs_particles_free(gbs_particles *p) {
    if (p == NULL)
        return;
    gbs_context *ctx = p->ctx;
    gbs_maps_free(ctx, &p->maps);
    gbs_array_free(ctx, p->theta);
    gbs_array_free(ctx, p->prior_mean);
    gbs_array_free(ctx, p->path);
    gbs_array_free(ctx, p->negatives);
    gbs_array_free(ctx, p->recipe);
    gbs_handle_free(ctx, p);
}

gbs_status gbs_particles_check(gbs_context *ctx, const gbs_particles *p) {
    const gbs_sample_info *i = &p->info;
    const char *bad = NULL;
    if (!gbs_finite(i->particles * i->d, p->theta))
        bad = "a particle";
    else if (!isfinite(i->log_z))
        bad = "log Z";
    else if (isnan(i->gibbs_risk) || !isfinite(i->gibbs_error) || !isfinite(i->train_error))
        bad = "a risk on the training rows";
    if (bad == NULL)
        return GBS_OK;
    return gbs_fail(
        ctx, GBS_ERR_NUMERIC,
        "the sampling broke down: %s is not a finite number; scale the columns or lower "
        "prior_sd",
        bad);
}

const gbs_sample_info *gbs_particles_get_info(const gbs_particles *particles) {
    return particles != NULL ? &particles->info : NULL;
}

size_t gbs_particles_path_size(const gbs_particles *particles) {
    return particles != NULL ? particles->path_size : 0;
}

const gbs_sample_point *gbs_particles_path_at(const gbs_particles *particles, size_t k) {
    return k < gbs_particles_path_size(particles) ? &particles->path[k] : NULL;
}

const double *gbs_particles_draws(const gbs_particles *particles) {
    return particles != NULL ? particles->theta : NULL;
}

const char *gbs_particles_recipe(const gbs_particles *particles) {
    return particles != NULL ? particles->recipe : NULL;
}

static void mean_of(const gbs_particles *p, double *mean) {
    size_t n = p->info.particles, d = p->info.d;
    memset(mean, 0, d * sizeof *mean);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            mean[k] += p->theta[i * d + k];
    for (size_t k = 0; k < d; k++)
        mean[k] /= (double)n;
}

/* Sums about the first particle, whose distance from the mean is a few deviations: nothing cancels
 * that matters. The sums of the coordinates wait in the first row, above the diagonal, until the
 * lower triangle is done. */
static void covariance_of(const gbs_particles *p, double *c) {
    size_t n = p->info.particles, d = p->info.d;
    const double *first = p->theta;
    double sum_0 = 0.0;
    memset(c, 0, d * d * sizeof *c);
    for (size_t i = 1; i < n; i++) {
        const double *x = p->theta + i * d;
        sum_0 += x[0] - first[0];
        for (size_t k = 0; k < d; k++) {
            double e = x[k] - first[k];
            for (size_t j = 0; j <= k; j++)
                c[k * d + j] += e * (x[j] - first[j]);
            if (k > 0)
                c[k] += e;
        }
    }
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j <= k; j++)
            c[k * d + j] = (c[k * d + j] -
                            (k > 0 ? c[k] : sum_0) * (j > 0 ? c[j] : sum_0) / (double)n) /
                           (double)n;
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < k; j++)
            c[j * d + k] = c[k * d + j];
}

void gbs_particles_moments(const gbs_particles *particles, double *mean, double *covariance) {
    if (particles != NULL && mean != NULL)
        mean_of(particles, mean);
    if (particles != NULL && covariance != NULL)
        covariance_of(particles, covariance);
}

size_t gbs_particles_column(const gbs_particles *particles, size_t k) {
    return particles != NULL && k < particles->info.d ? gbs_maps_column(&particles->maps, k)
                                                      : SIZE_MAX;
}
