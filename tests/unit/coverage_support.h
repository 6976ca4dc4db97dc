/* What the tests of how often certificates hold share: how many replications, and how often an
 * exact bound fails. */
#ifndef GIBBSITE_TESTS_COVERAGE_SUPPORT_H
#define GIBBSITE_TESTS_COVERAGE_SUPPORT_H

#include "support.h"

#include "bound/bound.h"

/* GIBBSITE_COVERAGE=full is the study's wish (`make coverage-study`). */
static inline bool whole_study(void) {
    const char *wish = getenv("GIBBSITE_COVERAGE");
    return wish != NULL && strcmp(wish, "full") == 0;
}

/* `all` in the study, otherwise `some`; `few` under a sanitizer. */
static inline size_t replications(size_t all, size_t some, size_t few) {
    return whole_study() ? all : repeats(some, few);
}

/* P(U(X) < risk), X ~ Bin(n, risk): how often the exact bound fails. */
static inline double exact_failure(double risk, size_t n, double delta) {
    double sum = 0.0;
    for (size_t k = 0; k <= n && gbs_binomial_upper_tail(k, n, delta) < risk; k++)
        sum += exp(gbs_binomial_log_pmf(k, n, risk));
    return sum;
}

#endif
