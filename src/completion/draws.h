/* Independent draws from a fitted q: the expected loss of one drawn predictor. */
#ifndef GIBBSITE_COMPLETION_DRAWS_H
#define GIBBSITE_COMPLETION_DRAWS_H

#include "completion/factors.h"

/* Mean over the ratings and `rounds` of ((y - clip(p, low, high)) / (high - low))^2, each p from a
 * draw of q of its own. The terms are independent and lie in [0, 1], so Chernoff's bound for n x
 * rounds of them holds (Hoeffding 1963, theorem 1: their means may differ). `shape`: rows have a
 * scale of their own, with a gamma law of this shape, and covariances averaged over it; NULL: none.
 */
gbs_status gbs_factors_drawn_risk(const gbs_factors *f, const gbs_ratings *ratings, double low,
                                  double high, const double *shape, size_t rounds, uint64_t seed,
                                  uint64_t stream, double *risk);

#endif
