/* Gibbs sampling: the conditional law of each unknown given the others is the one that coordinate
 * ascent computes, with what is known in place of its moments. So sweep.c serves both; what differs
 * is that means become draws and that covariances are zero (docs/maths.md, 8.7). Salakhutdinov and
 * Mnih: Bayesian probabilistic matrix factorization using Markov chain Monte Carlo (2008)
 */
#include "completion/gibbs.h"

#include "core/random.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

enum { ATTEMPTS = 64 };

/* Marsaglia and Tsang (2000); an attempt is accepted with probability above 0.95, so 64 of them do.
 */
double gbs_gamma_draw(uint64_t seed, uint64_t stream, uint64_t index, double shape) {
    double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d), v = 1.0;
    for (uint64_t k = index * ATTEMPTS; k < (index + 1) * ATTEMPTS; k++) {
        double x = gbs_normal(seed, stream, k), u = gbs_uniform(seed, stream + 1, k),
               t = 1.0 + c * x;
        v = t * t * t;
        if (v > 0.0 && log(u) < 0.5 * x * x + d - d * v + d * log(v))
            break;
    }
    return d * fmax(v, 1e-300);
}

static void draw_mu(gbs_factors *f, uint64_t stream) {
    if (!f->biases)
        return;
    gbs_factors_update_mu(f);
    f->mu += sqrt(f->mu_variance) * gbs_normal(f->ctx->seed, stream, 0);
    f->mu_variance = 0.0;
}

static void draw_variances(gbs_factors *f, uint64_t stream) {
    gbs_factors_update_variances(f);
    for (int s = 0; s < 2; s++)
        for (size_t c = 0; c < f->own; c++) {
            /* both sides of a component share the draw */
            size_t g = c < f->rank ? c : f->rank + (size_t)s;
            f->side[s].weight[c] = gbs_gamma_draw(f->ctx->seed, stream, g, f->shape[g]) /
                                   f->scale[g];
        }
}

static void draw_noise(gbs_factors *f, uint64_t stream) {
    if (!f->learn_noise)
        return;
    gbs_factors_update_noise(f);
    f->tau = gbs_gamma_draw(f->ctx->seed, stream, 0, f->tau_shape) / f->tau_scale;
}

static gbs_status sweep(gbs_factors *f, size_t number) {
    uint64_t stream = GBS_STREAM_COMPLETION + GBS_COMPLETION_SWEEP * (uint64_t)(number + 1);
    gbs_status status = GBS_OK;
    for (int side = 0; side < 2 && status == GBS_OK; side++) {
        f->stream = stream + (uint64_t)side;
        status = gbs_factors_update_side(f, side);
    }
    if (status != GBS_OK)
        return status;
    draw_mu(f, stream + 2);
    draw_noise(f, stream + 4);
    draw_variances(f, stream + 6);
    return GBS_OK;
}

gbs_status gbs_gibbs_run(gbs_factors *f, size_t burn_in, size_t draws, gbs_gibbs_visit visit,
                         void *user) {
    gbs_status status = GBS_OK;
    for (int s = 0; s < 2; s++)
        memset(f->side[s].cov, 0, f->side[s].items * gbs_packed_size(f->own) * sizeof(double));
    f->mu_variance = 0.0;
    gbs_progress_begin(f->ctx);
    for (size_t t = 0; status == GBS_OK && t < burn_in + draws; t++) {
        status = sweep(f, t);
        if (status == GBS_OK && t >= burn_in)
            status = visit(user, f, t - burn_in);
        gbs_progress(f->ctx, "sampling", (double)(t + 1) / (double)(burn_in + draws));
    }
    f->stream = 0;
    return status;
}
