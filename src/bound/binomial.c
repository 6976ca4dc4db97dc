/* The exact binomial upper bound (Clopper & Pearson 1934; docs/maths.md, 6.1).
 *
 *   p_up(k, n, delta) = max{p : P(Bin(n, p) <= k) >= delta}
 *
 * The probability mass is Loader's: log pmf = -D - log(2 pi k (n-k)/n)/2 + S(n) - S(k) - S(n-k), S
 * the error of Stirling's formula and D = k log(k/(np)) + (n-k) log((n-k)/(n(1-p))) the deviance, a
 * sum of two positive gaps of np - k, which a fused multiply-add gives without rounding: lgamma
 * differences lose nine digits at n = 10^6, and n kl(k/n, p) loses as many as sqrt(n) has. The
 * lower tail is summed downwards from k: for p above k/n its terms fall geometrically.
 */
#include "bound/accurate.h"
#include "bound/bound.h"

#include "gibbsite.h"

#include <float.h>
#include <math.h>

/* Beyond this many rows the tail is no longer summed and Chernoff's bound, hardly larger there, is
 * returned. */
#define MOST_ROWS 10000000000u

/* D above, for 0 < k < n, 0 < p < 1. */
static double deviance(double k, double n, double p) {
    double product = n * p, excess = (product - k) + fma(n, p, -product), others = n - k;
    return k * gbs_log_gap(excess / k, product / k) +
           others * gbs_log_gap(-excess / others, n * (1.0 - p) / others);
}

double gbs_binomial_log_pmf(uint64_t k, uint64_t n, double p) {
    double size = (double)n, hits = (double)k, misses = (double)(n - k);
    if (k > n || !(p >= 0.0 && p <= 1.0))
        return NAN;
    if (p == 0.0 || p == 1.0)
        return (p == 0.0 ? k == 0 : k == n) ? 0.0 : -INFINITY;
    if (k == 0)
        return size * log1p(-p);
    if (k == n)
        return size * log(p);
    double pairs = 0.5 * log(6.28318530717958647693 * hits * (misses / size));
    return gbs_stirling_error(size) - gbs_stirling_error(hits) - gbs_stirling_error(misses) -
           deviance(hits, size, p) - pairs;
}

/* P(Bin(n, p) <= k) for k/n < p < 1, and in *error a bound on its relative rounding error. */
static double lower_tail(uint64_t k, uint64_t n, double p, double *error) {
    double odds = (1.0 - p) / p, term = 1.0, sum = 1.0, log_mass = gbs_binomial_log_pmf(k, n, p);
    uint64_t j = k;
    for (; j > 0 && term > 0.25 * DBL_EPSILON * sum / (double)n; j--) {
        term *= (double)j / (double)(n - j + 1) * odds;
        sum += term;
    }
    /* 3 roundings a factor and one a sum; the exponent's own error is relative to the deviance, the
     * rest of it to some tens */
    *error = 4.0 * DBL_EPSILON * (double)(k - j + 1) + 2.0 * GBS_ACCURATE * fabs(log_mass) +
             256.0 * DBL_EPSILON;
    return sum * exp(log_mass);
}

double gbs_binomial_cdf(uint64_t k, uint64_t n, double p) {
    double error;
    if (isnan(p))
        return p;
    if (k >= n || p <= 0.0)
        return 1.0;
    if (p >= 1.0)
        return 0.0;
    if ((double)k >= (double)n * p) /* the upper tail is the short one */
        return 1.0 - lower_tail(n - k - 1, n, 1.0 - p, &error);
    return lower_tail(k, n, p, &error);
}

double gbs_binomial_upper_tail(uint64_t k, uint64_t n, double delta) {
    if (!(delta > 0.0 && delta < 1.0))
        return NAN;
    if (k >= n)
        return 1.0;
    /* Chernoff: P(Bin(n, p) <= k) <= exp(-n kl(k/n, p)) */
    double ratio = (double)k / (double)n * (1.0 + DBL_EPSILON);
    double low = (double)k / (double)n;
    double high = gbs_kl_inverse_upper(fmin(ratio, 1.0),
                                       -log(delta) / (double)n * (1.0 + 2.0 * DBL_EPSILON));
    if (n > MOST_ROWS)
        return high;
    for (;;) {
        double p = low + 0.5 * (high - low), error;
        if (!(p > low && p < high))
            return high;
        double tail = lower_tail(k, n, p, &error);
        if (tail * (1.0 + error) < delta)
            high = p;
        else
            low = p;
    }
}

double gbs_binomial_upper(size_t errors, size_t n, double confidence) {
    return gbs_binomial_upper_tail(errors, n, 1.0 - confidence);
}
