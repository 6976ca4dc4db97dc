/* The Bernoulli divergence and its inverse.
 *
 *   kl(q, p) = q log(q/p) + (1-q) log((1-q)/(1-p)),   kl_inv(q, c) = sup{p : kl(q, p) <= c}     (MATHS.md, section 6)
 *
 * With e = p - q the two terms are -q log1p(e/q) and -(1-q) log1p(-e/(1-q)): no cancellation inside the logarithms. The inverse is found by
 * bisection; what is returned is the upper end of the last bracket, where kl minus its rounding error is still above c.
 */
#include "bound/bound.h"

#include <float.h>
#include <math.h>

/* kl(q, q + e), and in *error a bound on its rounding error. */
static double divergence(double q, double e, double *error) {
    double low = q > 0.0 ? -q * log1p(e / q) : 0.0;
    double high = q < 1.0 ? -(1.0 - q) * log1p(-e / (1.0 - q)) : 0.0;
    *error = 8.0 * DBL_EPSILON * (fabs(low) + fabs(high));
    return low + high;
}

double gbs_kl(double q, double p) {
    if (!(q >= 0.0 && q <= 1.0 && p >= 0.0 && p <= 1.0))
        return NAN;
    if (p == q)
        return 0.0;
    if ((p == 0.0) || (p == 1.0))
        return INFINITY;
    double error;
    return fmax(0.0, divergence(q, p - q, &error));
}

double gbs_kl_inverse_upper(double q, double c) {
    if (!(q >= 0.0 && q <= 1.0) || !(c >= 0.0))
        return NAN;
    if (q == 1.0 || isinf(c))
        return 1.0;
    /* in p itself, so that what is returned is what was tested */
    double low = q, high = 1.0;
    while (high - low > 2.0 * DBL_EPSILON * high) {
        double p = 0.5 * (low + high), error;
        double value = divergence(q, p - q, &error);
        /* p - q is exact up to one rounding, which moves kl by at most its slope times that */
        double slope = (p - q) / (p * (1.0 - p));
        if (value - error - DBL_EPSILON * p * slope > c)
            high = p;
        else
            low = p;
        if (p == low && p == high)
            break;
    }
    return high;
}
