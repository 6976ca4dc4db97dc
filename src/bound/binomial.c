/* The exact binomial upper bound (Clopper & Pearson 1934).
 *
 *   p_up(k, n, delta) = max{p : P(Bin(n, p) <= k) >= delta}
 *
 * The probability mass is Loader's: with q = k/n, log pmf = -n kl(q, p) - log(2 pi n q (1-q))/2 + S(n) - S(k) - S(n-k), S the error of
 * Stirling's formula. That keeps relative accuracy for any n, where lgamma differences lose nine digits at n = 10^6. The lower tail is
 * summed downwards from k: for p above k/n its terms fall geometrically.
 */
#include "bound/bound.h"

#include "gibbsite.h"

#include <float.h>
#include <math.h>

/* log n! - [ (n + 1/2) log n - n + log(2 pi)/2 ] */
static double stirling_error(double n) {
    if (n < 16.0)
        return lgamma(n + 1.0) - ((n + 0.5) * log(n) - n + 0.91893853320467274178);
    double r = 1.0 / (n * n);
    return (1.0 / 12.0 -
            r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r * (1.0 / 1188.0 - r * 691.0 / 360360.0))))) /
           n;
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
    double q = hits / size;
    double pairs = 0.5 * log(6.28318530717958647693 * hits * (misses / size));
    return stirling_error(size) - stirling_error(hits) - stirling_error(misses) - size * gbs_kl(q, p) - pairs;
}

double gbs_binomial_cdf(uint64_t k, uint64_t n, double p) {
    if (k >= n)
        return 1.0;
    if (p <= 0.0)
        return 1.0;
    if (p >= 1.0)
        return 0.0;
    if ((double)k > (double)n * p) /* the upper tail is the short one */
        return 1.0 - gbs_binomial_cdf(n - k - 1, n, 1.0 - p);
    double odds = (1.0 - p) / p, term = 1.0, sum = 1.0;
    for (uint64_t j = k; j > 0 && term > 0.25 * DBL_EPSILON * sum / (double)n; j--) {
        term *= (double)j / (double)(n - j + 1) * odds;
        sum += term;
    }
    return sum * exp(gbs_binomial_log_pmf(k, n, p));
}

double gbs_binomial_upper_tail(uint64_t k, uint64_t n, double delta) {
    if (!(delta > 0.0 && delta < 1.0))
        return NAN;
    if (k >= n)
        return 1.0;
    double low = (double)k / (double)n, high = 1.0;
    for (int step = 0; step < 200 && high - low > 4.0 * DBL_EPSILON * high; step++) {
        double p = 0.5 * (low + high);
        /* the exponent n kl carries a relative error of some epsilons: allow for it */
        double slack = 1e-13 + 16.0 * DBL_EPSILON * (double)n * gbs_kl((double)k / (double)n, p);
        if (gbs_binomial_cdf(k, n, p) * (1.0 + slack) < delta)
            high = p;
        else
            low = p;
    }
    return high;
}

double gbs_binomial_upper(size_t errors, size_t n, double confidence) {
    return gbs_binomial_upper_tail(errors, n, 1.0 - confidence);
}
