/* Bounds and smoothed losses by themselves, for those who build on them. */
#ifndef GIBBSITE_BOUND_H
#define GIBBSITE_BOUND_H

#include "gibbsite/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- bounds and losses by themselves
 */

/* The exact binomial (Clopper-Pearson) upper bound on the true error of a classifier that made
 * `errors` mistakes on n rows it was not trained on, rounded up. NaN unless 0 < confidence < 1; n =
 * 0 gives 1. */
GBS_API double gbs_binomial_upper(size_t errors, size_t n, double confidence);

/* The same from below: of a share of which `hits` of n rows were seen, a recall or a precision,
 * rounded down. NaN for arguments out of range; n = 0 gives 0. */
GBS_API double gbs_binomial_lower(size_t hits, size_t n, double confidence);

/* A lower bound on the true F1 of a label, 2 TP / (2 TP + FP + FN): hits = TP, mistakes = FP + FN.
 * NaN for a confidence out of range. */
GBS_API double gbs_f1_lower(size_t hits, size_t mistakes, double confidence);

/* An upper bound on the true mean cost of labels of which `missed` rows of +1 were labelled -1, and
 * `false_alarms` the reverse. NaN for arguments out of range; n = 0 gives the larger cost. */
GBS_API double gbs_cost_upper(size_t missed, size_t false_alarms, size_t n, double cost_missed,
                              double cost_false, double confidence);

/* The same where mistakes have any number of costs: rows[k] of the n rows cost cost[k], the others
 * nothing. The costs rise from above 0 and are all that a row may have, whether met or not. NaN for
 * arguments out of range; n = 0 gives the largest cost. */
GBS_API double gbs_mean_cost_upper(size_t kinds, const double *cost, const size_t *rows, size_t n,
                                   double confidence);

/* An upper bound on the true 1 - AUC, given the labels, of a score that has 1 - AUC = risk on rows
 * it was not trained on; `blocks` is the number of rows of the smaller class: Chernoff's bound for
 * the independent pairs. NaN for arguments out of range; blocks = 0 gives 1. */
GBS_API double gbs_auc_risk_upper(double risk, size_t blocks, double confidence);

/* psi(mu, s) = E loss(z), z ~ N(mu, s^2), and its partials in mu and s. NaN unless s >= 0. Any of
 * the three may be NULL. */
GBS_API void gbs_loss_smoothed(gbs_loss loss, double mu, double s, double *psi, double *d_mu,
                               double *d_s);

#ifdef __cplusplus
}
#endif

#endif
