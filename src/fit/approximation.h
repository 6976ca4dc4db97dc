/* The approximation behind the moves of a sampling.
 *
 * The moves lean on the variational approximation at their own lambda, warm from the one before:
 * mean and covariance without the noise of a covariance estimated from particles, at the price of a
 * few passes over the rows a temperature (full family up to 200 coefficients, else diagonal). The
 * particles stay exact: an approximation only decides how well the chains mix.
 */
#ifndef GIBBSITE_FIT_APPROXIMATION_H
#define GIBBSITE_FIT_APPROXIMATION_H

#include "smc/smc.h"
#include "vb/solve.h"

typedef struct gbs_approximation {
    gbs_empirical *part; /* of the sampler's risk, where some rows will do; else NULL */
    gbs_problem problem;
    gbs_engine engine;
    gbs_gaussian gaussian;
} gbs_approximation;

/* gbs_approximation_free ends it, whatever comes of its making. */
gbs_status gbs_approximation_create(const gbs_smc_problem *p, gbs_approximation *out);
void gbs_approximation_free(gbs_context *ctx, gbs_approximation *a);
/* What the sampler calls at each lambda; user: a gbs_approximation. */
gbs_status gbs_approximation_at(void *user, double lambda, gbs_reference *reference, bool *found);

#endif
