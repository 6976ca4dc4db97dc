/* Numbers behind every certificate. Each is rounded towards the safe side: what is returned is
 * never below the exact value by more than the caller is told, and for the upper bounds not at all.
 */
#ifndef GIBBSITE_BOUND_BOUND_H
#define GIBBSITE_BOUND_BOUND_H

#include "options/usual.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* kl(q, p) between Bernoulli distributions; infinite when p is 0 or 1 and q is not. */
double gbs_kl(double q, double p);

/* sup{p : kl(q, p) <= c}, from above: the result r has kl(q, r) >= c, or is 1; at most 16 epsilons
 * too large. NaN for q outside [0, 1] or c < 0. */
double gbs_kl_inverse_upper(double q, double c);

/* xi(n) = sum_k C(n,k) (k/n)^k (1-k/n)^(n-k), from above; xi(0) = 1. */
double gbs_xi_upper(uint64_t n);

/* Clopper and Pearson: the largest p with P(Bin(n, p) <= k) >= delta, from above, and never below
 * k/n. 1 when k >= n; NaN for delta outside (0, 1). */
double gbs_binomial_upper_tail(uint64_t k, uint64_t n, double delta);

/* log P(Bin(n, p) = k) and P(Bin(n, p) <= k). */
double gbs_binomial_log_pmf(uint64_t k, uint64_t n, double p);
double gbs_binomial_cdf(uint64_t k, uint64_t n, double p);

/* ---------------------------------------------------------------- methods (methods.c)
 *
 * r is an empirical risk in [0, 1], kl = KL(posterior || prior), n the rows (or independent blocks)
 * certified on, log_price = log(1/delta) plus the nats of every grid. All results are upper bounds,
 * rounded up, at most 1; NaN for arguments out of range. */

/* Uniform over posteriors, so over whatever the fit chose; adds log xi(n) itself. */
double gbs_bound_kl(double r, double kl, uint64_t n, double log_price);
/* lambda > 0 must not depend on the certified rows, or be paid for in log_price. */
double gbs_bound_catoni(double r, double kl, uint64_t n, double lambda, double log_price);
double gbs_bound_hoeffding(double r, double kl, uint64_t n, double lambda, double log_price);
/* The lambda at which catoni is smallest: there it equals kl_inv(r, (kl + log_price)/n). At most 40
 * n (it has no end as r -> 0). */
double gbs_bound_catoni_lambda(double r, double kl, uint64_t n, double log_price);
/* As the paper prints it; n counts rows, for ranking too. kl_paper is the corollaries' KL, whose
 * quadratic terms are doubled: tr(S)/v + |m|^2/v - d/2 + (d log v - log det S)/2. */
double gbs_bound_paper(double r, double kl_paper, uint64_t n, double lambda, double log_price);
double gbs_bound_paper_ranking(double r, double kl_paper, uint64_t n, double lambda,
                               double log_price);
double gbs_kl_paper(double d, double v, double trace, double log_det, double norm2);

/* The vote sign(x'm). It errs only where the Gibbs error Phi_i of a row is at least 1/2, so its
 * risk is at most 2 E Phi and 4 E Phi^2; the latter is the risk of two independent draws erring
 * together, with 2 KL. second_moment = mean of Phi_i^2. gbs_bound_vote splits delta in two halves
 * itself and returns the smaller. */
double gbs_bound_vote_from_gibbs(double gibbs_bound);
double gbs_bound_vote_second_moment(double second_moment, double kl, uint64_t n, double log_price);
double gbs_bound_vote(double r, double second_moment, double kl, uint64_t n, double log_price);

/* The mean of a [0, 1] loss under the posterior, from the mean r_hat of independent draws of it;
 * delta is added to that of the bound. */
double gbs_monte_carlo_upper(double r_hat, uint64_t draws, double delta);

/* docs/maths.md, 6.8: the mixture of the stages, drawn by `weight`; stage t lost loss[t] in all on
 * its rows[t] rows. predicted_risk, from the first rows, chooses the bets. */
double gbs_bound_progressive_weighted(size_t m, const double *loss, const uint64_t *rows,
                                      const double *weight, double predicted_risk,
                                      double log_price);

/* ---------------------------------------------------------------- hinge (hinge.c)
 *
 * R_H <= r_H + (f + kl + log_price)/lambda for the prior N(m0, v I_d), |m0| = norm, rows with |x|
 * <= cx. Not clipped: the risk is not bounded. f is rounded up (exact: by 1e-10 + 1e-13 of its
 * exponent, far above the error of the quadrature); infinite for lambda at or beyond the limit, NaN
 * for arguments out of range. exact <= closed wherever closed is finite. */
double gbs_bound_hinge(double r, double f, double kl, double lambda, double log_price);
double gbs_hinge_f_exact(double lambda, uint64_t n, size_t d, double v, double norm, double cx);
double gbs_hinge_f_closed(double lambda, uint64_t n, size_t d, double v, double norm, double cx);
/* f is finite below it: 2 sqrt(n/v)/cx (exact), sqrt(2n/v)/cx (closed). */
double gbs_hinge_lambda_limit(bool exact, uint64_t n, double v, double cx);

/* ---------------------------------------------------------------- sequential (sequential.c) */

/* Upper bound on sum_t weight[t] p_t (weights fixed beforehand, at most 1 in all) when stage t,
 * fixed before its block, made errors[t] 0/1 errors on the rows[t] rows of the block.
 * predicted_risk comes from earlier rows: it shapes the bound and cannot break it. One stage is
 * Clopper and Pearson. Never below what was seen. NaN for arguments out of range. */
double gbs_bound_sequential(size_t m, const uint64_t *errors, const uint64_t *rows,
                            const double *weight, double predicted_risk, double log_price);

/* ---------------------------------------------------------------- betting (betting.c)
 *
 * For [0, 1] losses of a predictor fixed before these rows (kl = 0). The order of the rows must not
 * depend on the losses. */

/* A fixed bet kappa in (0, 1), which comes from other rows (gbs_betting_kappa); the least over the
 * times t <= n. */
double gbs_betting_fixed_upper(const double *loss, size_t n, double kappa, double log_price);
/* The same at t = n alone: no order, and the conditional means may differ from row to row
 * (progressive): bounds their average. */
double gbs_betting_mean_upper(const double *loss, size_t n, double kappa, double log_price);
/* The bet that would be best at t = n for n rows like these `count`; boldness scales it (-log(1 -
 * kappa)): 1 for gbs_betting_mean_upper, 1.25 for gbs_betting_fixed_upper. */
double gbs_betting_kappa(const double *loss, size_t count, uint64_t n, double log_price,
                         double boldness);

/* ---------------------------------------------------------------- weighted risks (weighted.c) */

/* Upper bound on E wX / E w, from losses X and the shares w/W of a largest weight W that was
 * declared beforehand, both in [0, 1]; a fixed bet kappa in (0, 1). NaN for arguments out of range.
 */
double gbs_weighted_upper(const double *loss, const double *share, size_t n, double kappa,
                          double log_price);
/* A good bet for n rows that err so often, with weights like these of other rows. */
double gbs_weighted_kappa(double risk, const double *share, size_t count, uint64_t n,
                          double log_price);

/* ---------------------------------------------------------------- matched rows (matched.c) */

enum { GBS_MATCHED_BETS = 4, GBS_MATCHED_MATCHINGS = 512 };

/* Upper bound on 1 - AUC, given the labels, of a score fixed before these rows. kappa:
 * GBS_MATCHED_BETS bets in (0, 1) from gbs_matched_bets; the seed must not depend on the rows.
 * order and logs are scratch: max(positives, negatives), and GBS_MATCHED_BETS x
 * GBS_MATCHED_MATCHINGS. 1 when a class is absent. */
double gbs_matched_upper(const double *positive, size_t positives, const double *negative,
                         size_t negatives, const double *kappa, uint64_t seed, double log_price,
                         size_t *order, double *logs);
/* Bets for k matched rows, where other rows (`seen` of the smaller class) say that the AUC of such
 * rows has the variance variance/k. */
void gbs_matched_bets(double variance, size_t seen, size_t k, double log_price, double *kappa);

#endif
