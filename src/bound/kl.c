/* The Bernoulli divergence and its inverse.
 *
 *   kl(q, p) = q log(q/p) + (1-q) log((1-q)/(1-p)),   kl_inv(q, c) = sup{p : kl(q, p) <= c}
 *                                                                                (docs/maths.md, 6)
 *
 * With e = p - q and g(x) = x - log(1+x) >= 0 it is q g(e/q) + (1-q) g(-e/(1-q)), the two linear
 * terms having cancelled on paper: a sum of positive numbers, each right to a few epsilons, also
 * for p next to q. The inverse is found by bisection; what is returned is the upper end of the last
 * bracket, where kl less its rounding error is still above c.
 */
#include "bound/accurate.h"
#include "bound/bound.h"

#include <math.h>

static double divergence(double q, double p) {
    double e = p - q, other = 1.0 - q, low, high;
    /* q so small that e/q might overflow: the logarithms apart */
    if (e < 1.5 * q)
        low = q * gbs_log_gap(e / q, p / q);
    else
        low = q > 0.0 ? e - q * (q > 1e-307 ? log(p / q) : log(p) - log(q)) : e;
    high = other > 0.0 ? other * gbs_log_gap(-e / other, (1.0 - p) / other) : -e;
    return low + high;
}

double gbs_kl(double q, double p) {
    if (!(q >= 0.0 && q <= 1.0 && p >= 0.0 && p <= 1.0))
        return NAN;
    if (p == q)
        return 0.0;
    if (p == 0.0 || p == 1.0)
        return INFINITY;
    return fmax(0.0, divergence(q, p));
}

double gbs_kl_inverse_upper(double q, double c) {
    if (!(q >= 0.0 && q <= 1.0) || !(c >= 0.0))
        return NAN;
    if (q == 1.0 || isinf(c))
        return 1.0;
    if (c == 0.0)
        return q;
    /* In p itself, so that what is returned is what was tested. Below: kl_inv grows with q, and at
     * q = 0 it is 1 - e^-c. Above: kl(q, p) >= (p-q)^2/(2p) gives p <= q + 2c + sqrt(2qc) <= 4.5
     * max(q, c), and c <= 1.6 (1 - e^-c) where that is below 1. */
    double low = fmax(q, -expm1(-c) * (1.0 - GBS_ACCURATE)), high = fmin(1.0, 8.0 * low);
    for (;;) {
        double p = low + 0.5 * (high - low);
        if (!(p > low && p < high))
            return high;
        if (gbs_kl(q, p) * (1.0 - GBS_ACCURATE) > c)
            high = p;
        else
            low = p;
    }
}
