/* The Gibbs sampler of matrix completion: conjugate draws, a sweep at the price of a variational
 * one. */
#ifndef GIBBSITE_COMPLETION_GIBBS_H
#define GIBBSITE_COMPLETION_GIBBS_H

#include "completion/factors.h"

/* Called after each sweep that counts: the means of f are a draw, f->mu, 1/f->tau and 1/weight are
 * its mu, noise variance and variances. */
typedef gbs_status (*gbs_gibbs_visit)(void *user, const gbs_factors *f, size_t draw);

/* Begins at the means of f; its covariances are overwritten. */
gbs_status gbs_gibbs_run(gbs_factors *f, size_t burn_in, size_t draws, gbs_gibbs_visit visit,
                         void *user);

/* A draw of Gamma(shape, 1), shape >= 1, from random numbers 64 index .. 64 index + 63 of two
 * streams. */
double gbs_gamma_draw(uint64_t seed, uint64_t stream, uint64_t index, double shape);

#endif
