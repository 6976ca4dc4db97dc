/* An informed prior of the hierarchical model, for a certificate (docs/maths.md, 8.21).
 *
 * A first part of the ratings is fitted with all its choices. Its q, each item N(m_i, S_i
 * E(1/tau_i)) in units of the ratings, is the prior; q_t, of the second part's squared errors at t
 * times the weight 1/noise and of KL(q || prior), is certified there, as in the paper's model
 * (8.9). What a row without ratings is like, and the noise of rows, stay as the first part has
 * them.
 */
#include "core/random.h"
#include "fit/complete.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

/* Terms that the Monte Carlo part of a certificate draws at least. */
enum { LEAST_TERMS = 1000000 };

gbs_status gbs_completion_gaussians(struct gbs_completion_run *r, const gbs_ratings *ratings) {
    const gbs_completion *c = r->model;
    const gbs_completion_prior none = {0};
    gbs_status status = gbs_factors_create(r->ctx, ratings, c->info.effective_rank, true, &none,
                                           &r->f);
    if (status != GBS_OK)
        return status;
    gbs_factors *f = &r->f;
    for (int s = 0; s < 2; s++) {
        gbs_factor_side *side = &f->side[s];
        memcpy(side->mean, c->mean[s], side->items * f->own * sizeof *side->mean);
        memcpy(side->cov, c->cov[s], side->items * gbs_packed_size(f->own) * sizeof *side->cov);
    }
    f->mu = c->mu[0] - ratings->center;
    f->mu_variance = 0.0;
    f->tau = 1.0 / c->info.noise_variance;
    return GBS_OK;
}

/* r->model into r->f, as the prior of the second part, and q there. */
static gbs_status centre_prior(struct gbs_completion_run *r) {
    gbs_status status = gbs_completion_gaussians(r, r->part[1]);
    if (status != GBS_OK)
        return status;
    r->f.mu_variance = r->model->info.noise_variance / (double)r->part[0]->n;
    status = gbs_factors_centre(&r->f, r->part[1]);
    return status == GBS_OK ? gbs_factors_return(&r->f) : status;
}

/* q_t in place of the first part's q. */
static void take_back(const struct gbs_completion_run *r) {
    gbs_completion *c = r->model;
    const gbs_factors *f = &r->f;
    for (int s = 0; s < 2; s++) {
        const gbs_factor_side *side = &f->side[s];
        memcpy(c->mean[s], side->mean, side->items * f->own * sizeof *side->mean);
        memcpy(c->cov[s], side->cov, side->items * gbs_packed_size(f->own) * sizeof *side->cov);
    }
    c->mu[0] = c->info.mu = f->mu + f->ratings->center;
    c->mu_variance = f->mu_variance;
    c->info.kl = gbs_factors_kl(f);
    c->info.sweeps += r->second.sweeps;
    c->info.converged = c->info.converged && r->second.converged;
    c->info.prior_split = (double)r->part[0]->n / (double)r->all->n;
    c->info.lambda = r->share * (double)r->part[1]->n / (2.0 * r->share_noise);
}

gbs_status gbs_completion_certify_informed(struct gbs_completion_run *r) {
    gbs_status status = centre_prior(r);
    if (status == GBS_OK)
        status = gbs_completion_learn_second(r);
    if (status != GBS_OK)
        return status;
    take_back(r);
    return gbs_completion_certify(r, LEAST_TERMS, GBS_STREAM_COMPLETION + GBS_COMPLETION_CERTIFY,
                                  &r->model->certificate);
}
