/* Half sweeps of the hierarchical model on the context's device, where it has one that does them
 * (pass/pass.h). The Gibbs sampler's are done here. */
#include "completion/hierarchical.h"
#include "kernel/moments.h"

#include <math.h>

static const gbs_pass_ops *device_of(const gbs_levels *f) {
    const gbs_device *device = f->ctx->device;
    return device != NULL && device->pass->half_sweep != NULL ? device->pass : NULL;
}

static gbs_status begin(gbs_levels *f, const gbs_pass_ops *pass) {
    gbs_rated_start start = {
        .rank = f->rank, .single = f->single, .squares = f->squares, .shape = f->shape};
    for (int s = 0; s < 2; s++)
        start.side[s] = (gbs_rated_side){f->side[s].mean, f->side[s].cov, f->side[s].omega};
    return pass->rate(f->ctx, f->ratings, &start, &f->rated);
}

/* A packed triangle as a full matrix. */
static void unpack(size_t d, const double *packed, double *full) {
    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++)
            full[i * d + j] = full[j * d + i] = *packed++;
}

gbs_status gbs_levels_device_side(gbs_levels *f, int s, bool *done) {
    const gbs_pass_ops *pass = device_of(f);
    gbs_level_side *side = &f->side[s];
    size_t packed = gbs_packed_size(f->own);
    gbs_status status = GBS_OK;
    *done = false;
    if (pass == NULL || f->stream != 0)
        return GBS_OK;
    if (f->rated == NULL)
        status = begin(f, pass);
    if (status != GBS_OK || f->rated == NULL)
        return status;
    gbs_half_sweep half = {.side = s,
                           .centre = f->ratings->center,
                           .inverse = 1.0 / f->scale,
                           .beta = f->beta,
                           .relax = f->relax,
                           .precision = side->precision,
                           .prior_mean = side->centre,
                           .leverage = side->leverage,
                           .mean = side->mean,
                           .omega = side->omega,
                           .rate = f->rate,
                           .totals = f->partial};
    status = pass->half_sweep(f->rated, &half);
    if (status != GBS_OK)
        return status;
    unpack(f->own, f->partial, side->spread);
    unpack(f->own, f->partial + packed, side->second);
    side->log_det = f->partial[2 * packed];
    f->error = half.broken ? NAN : f->partial[2 * packed + 1];
    for (size_t i = 0; s == 1 && i < f->side[0].items; i++)
        f->error += f->side[0].omega[i] * f->squares[i];
    *done = true;
    return GBS_OK;
}

void gbs_levels_forget(gbs_levels *f) {
    if (f->rated != NULL)
        f->ctx->device->pass->release_rated(f->rated);
    f->rated = NULL;
}

gbs_status gbs_levels_settle(gbs_levels *f) {
    gbs_status status = GBS_OK;
    for (int s = 0; f->rated != NULL && status == GBS_OK && s < 2; s++)
        status = f->ctx->device->pass->covariances(f->rated, s, f->side[s].cov);
    gbs_levels_forget(f);
    return status;
}
