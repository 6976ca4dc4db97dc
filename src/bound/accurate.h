/* Small functions that keep their relative accuracy where the textbook formula cancels. Each is
 * right to GBS_ACCURATE of its value. */
#ifndef GIBBSITE_BOUND_ACCURATE_H
#define GIBBSITE_BOUND_ACCURATE_H

#include <float.h>

/* A bound on the relative rounding error of everything declared here (measured against MPFR: below
 * a third of it). */
#define GBS_ACCURATE (8.0 * DBL_EPSILON)

/* x - log(1 + x) for x > -1; `ratio` is 1 + x, which the caller often knows better than the sum
 * would give. Never negative. */
double gbs_log_gap(double x, double ratio);

/* log P(x; mu) = x log mu - mu - log Gamma(x + 1), x >= 0 not necessarily whole. Absolute error:
 * some epsilons times the deviance. */
double gbs_poisson_log_mass(double x, double mu);

/* log Gamma(x + 1) - [ (x + 1/2) log x - x + log(2 pi)/2 ], x > 0: the error of Stirling's formula.
 */
double gbs_stirling_error(double x);

#endif
