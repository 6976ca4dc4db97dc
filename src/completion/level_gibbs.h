/* The Gibbs sampler of the hierarchical model (docs/maths.md, 8.20). */
#ifndef GIBBSITE_COMPLETION_LEVEL_GIBBS_H
#define GIBBSITE_COMPLETION_LEVEL_GIBBS_H

#include "completion/hierarchical.h"

/* Called after each sweep that counts: means of f are a draw of x and w, omega of tau, coef of B,
 * precision of Lambda, relevance of b. */
typedef gbs_status (*gbs_level_visit)(void *user, const gbs_levels *f, size_t draw);

/* Begins where f stands; its covariances are overwritten. `number`: of the first sweep, so that a
 * chain can go on with fresh random numbers. */
gbs_status gbs_levels_sample(gbs_levels *f, size_t number, size_t burn_in, size_t draws,
                             gbs_level_visit visit, void *user);

#endif
