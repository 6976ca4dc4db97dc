/* Numbers behind every certificate. Each is rounded towards the safe side: what is returned is never below the exact value by more than the
 * caller is told, and for the upper bounds not at all. */
#ifndef GIBBSITE_BOUND_BOUND_H
#define GIBBSITE_BOUND_BOUND_H

#include <stdint.h>

/* kl(q, p) between Bernoulli distributions; infinite when p is 0 or 1 and q is not. */
double gbs_kl(double q, double p);

/* sup{p : kl(q, p) <= c}, from above: the result r has kl(q, r) >= c, or is 1. NaN for q outside [0, 1] or c < 0. */
double gbs_kl_inverse_upper(double q, double c);

/* xi(n) = sum_k C(n,k) (k/n)^k (1-k/n)^(n-k), from above; xi(0) = 1. */
double gbs_xi_upper(uint64_t n);

/* Clopper and Pearson: the largest p with P(Bin(n, p) <= k) >= delta, from above. 1 when k >= n; NaN for delta outside (0, 1). */
double gbs_binomial_upper_tail(uint64_t k, uint64_t n, double delta);

/* log P(Bin(n, p) = k) and P(Bin(n, p) <= k). */
double gbs_binomial_log_pmf(uint64_t k, uint64_t n, double p);
double gbs_binomial_cdf(uint64_t k, uint64_t n, double p);

#endif
