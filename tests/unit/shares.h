/* How often something may happen: one-sided binomial tests, computed apart from src/bound. */
#ifndef GIBBSITE_TESTS_SHARES_H
#define GIBBSITE_TESTS_SHARES_H

#include "unit/support.h"

static inline double binomial_pmf(uint64_t k, uint64_t n, double p) {
    if (p <= 0.0 || p >= 1.0)
        return k == (p <= 0.0 ? 0 : n) ? 1.0 : 0.0;
    double logs = lgamma((double)n + 1.0) - lgamma((double)k + 1.0) - lgamma((double)(n - k) + 1.0);
    return exp(logs + (double)k * log(p) + (double)(n - k) * log1p(-p));
}

/* P(Bin(n, p) <= k). */
static inline double binomial_below(uint64_t k, uint64_t n, double p) {
    double sum = 0.0;
    for (uint64_t i = 0; i <= k && i <= n; i++)
        sum += binomial_pmf(i, n, p);
    return sum < 1.0 ? sum : 1.0;
}

/* P(Bin(n, p) >= k): how surprising k or more are. */
static inline double binomial_from(uint64_t k, uint64_t n, double p) {
    double sum = 0.0;
    for (uint64_t i = k; i <= n; i++)
        sum += binomial_pmf(i, n, p);
    return sum < 1.0 ? sum : 1.0;
}

/* `count` of n is no more than a share p lets one expect: a false alarm has probability `alarm` at
 * most. */
static inline void check_share(uint64_t count, uint64_t n, double p, double alarm, const char *what,
                               const char *file, int line) {
    double tail = binomial_from(count, n, p);
    if (tail >= alarm)
        return;
    print_error("%s: %llu of %llu, which a share of %g gives with probability %.3g\n", what,
                (unsigned long long)count, (unsigned long long)n, p, tail);
    _fail(file, line);
}

#define assert_share(count, n, p, alarm, what)                                                     \
    check_share((count), (n), (p), (alarm), (what), __FILE__, __LINE__)

#endif
