/* The certificates of docs/maths.md, 6.1 to 6.8, as functions of numbers.
 *
 *   kl         R <= kl_inv(r, (K + log xi(n) + L)/n)
 *   catoni     R <= [1 - exp(-(lambda r + K + L)/n)] / [1 - exp(-lambda/n)]
 *   hoeffding  R <= r + lambda/(8n) + (K + L)/lambda
 *   paper      R <= r + lambda/(2n) + (K' + L)/lambda
 *
 * L = log(1/delta) plus the price of grids. r, K and L are taken as exact; what is added to the
 * result covers every rounding after them: a sum or product of m terms is off by at most m
 * half-epsilons of the sum of their absolute values, and all terms here are positive.
 *
 * The best lambda of catoni needs no search. kl(r, p) = sup_x [-x r - log(1 - p(1 - e^-x))], so p
 * <= catoni(x n) for every x > 0 says kl(r, p) <= (K+L)/n: the smallest catoni bound is kl_inv(r,
 * (K+L)/n), reached at the x that attains the supremum there, the log of the odds ratio of p and r.
 */
#include "bound/bound.h"

#include "gibbsite.h"

#include <float.h>
#include <math.h>

/* Beyond it 1 - exp(-lambda/n) is 1 in double. */
#define MOST_LAMBDA_PER_ROW 40.0

static bool usable(double r, double kl, uint64_t n, double log_price) {
    return r >= 0.0 && kl >= 0.0 && n > 0 && log_price >= 0.0;
}

/* x, and half-epsilons on top, at most 1. */
static double up_to_one(double x) {
    return fmin(1.0, x * (1.0 + 16.0 * DBL_EPSILON));
}

double gbs_bound_kl(double r, double kl, uint64_t n, double log_price) {
    if (!usable(r, kl, n, log_price))
        return NAN;
    double price = kl + (log(gbs_xi_upper(n)) + log_price);
    return gbs_kl_inverse_upper(r, price / (double)n * (1.0 + 8.0 * DBL_EPSILON));
}

double gbs_bound_catoni(double r, double kl, uint64_t n, double lambda, double log_price) {
    if (!usable(r, kl, n, log_price) || !(r <= 1.0) || !(lambda > 0.0))
        return NAN;
    double size = (double)n;
    return up_to_one(expm1(-(lambda * r + (kl + log_price)) / size) / expm1(-lambda / size));
}

double gbs_bound_catoni_lambda(double r, double kl, uint64_t n, double log_price) {
    if (!usable(r, kl, n, log_price) || !(r <= 1.0))
        return NAN;
    double p = gbs_kl_inverse_upper(r, (kl + log_price) / (double)n);
    /* log [p (1-r) / (r (1-p))] without cancellation */
    double per_row = log1p((p - r) / r) - log1p(-(p - r) / (1.0 - r));
    if (!(per_row < MOST_LAMBDA_PER_ROW))
        per_row = MOST_LAMBDA_PER_ROW;
    return (per_row > 0.0 ? per_row : DBL_EPSILON) * (double)n;
}

double gbs_bound_hoeffding(double r, double kl, uint64_t n, double lambda, double log_price) {
    if (!usable(r, kl, n, log_price) || !(r <= 1.0) || !(lambda > 0.0))
        return NAN;
    return up_to_one(r + (lambda / (8.0 * (double)n) + (kl + log_price) / lambda));
}

double gbs_bound_paper(double r, double kl_paper, uint64_t n, double lambda, double log_price) {
    if (!usable(r, kl_paper, n, log_price) || !(r <= 1.0) || !(lambda > 0.0))
        return NAN;
    return up_to_one(r + (lambda / (2.0 * (double)n) + (kl_paper + log_price) / lambda));
}

double gbs_bound_paper_ranking(double r, double kl_paper, uint64_t n, double lambda,
                               double log_price) {
    if (!usable(r, kl_paper, n, log_price) || !(r <= 1.0) || !(lambda > 0.0) || n < 2)
        return NAN;
    return up_to_one(r + (lambda / ((double)n - 1.0) + (kl_paper + log_price) / lambda));
}

double gbs_kl_paper(double d, double v, double trace, double log_det, double norm2) {
    double terms = trace / v + norm2 / v, logs = d * log(v) - log_det;
    double error = 8.0 * DBL_EPSILON * (terms + 0.5 * (fabs(d * log(v)) + fabs(log_det)) + 0.5 * d);
    double kl = terms + 0.5 * logs - 0.5 * d + error;
    return kl < 0.0 ? 0.0 : kl; /* NaN stays NaN: there is no bound then */
}

double gbs_bound_vote_from_gibbs(double gibbs_bound) {
    return gibbs_bound < 0.5 ? 2.0 * gibbs_bound : isnan(gibbs_bound) ? NAN : 1.0;
}

double gbs_bound_vote_second_moment(double second_moment, double kl, uint64_t n, double log_price) {
    double joint = gbs_bound_kl(second_moment, 2.0 * kl, n, log_price);
    return joint < 0.25 ? 4.0 * joint : isnan(joint) ? NAN : 1.0;
}

double gbs_bound_vote(double r, double second_moment, double kl, uint64_t n, double log_price) {
    double half = (log_price + 0.69314718055994530942) * (1.0 + DBL_EPSILON);
    double first = gbs_bound_vote_from_gibbs(gbs_bound_kl(r, kl, n, half));
    double second = gbs_bound_vote_second_moment(second_moment, kl, n, half);
    return isnan(first) || isnan(second) ? NAN : fmin(first, second);
}

/* For one score the exponential moment at the best fixed lambda is Chernoff's bound, kl_inv(r,
 * log(1/delta)/k): no xi. A mean over all pairs is a mean, over the ways to pair the smaller class
 * off, of means of k independent pairs, and the moment is convex (Hoeffding 1963, section 5b). */
double gbs_auc_risk_upper(double risk, size_t blocks, double confidence) {
    if (!(confidence > 0.0 && confidence < 1.0) || !(risk >= 0.0 && risk <= 1.0))
        return NAN;
    return blocks > 0 ? gbs_kl_inverse_upper(risk, -log1p(-confidence) / (double)blocks *
                                                       (1.0 + 8.0 * DBL_EPSILON))
                      : 1.0;
}

double gbs_monte_carlo_upper(double r_hat, uint64_t draws, double delta) {
    if (draws == 0 || !(delta > 0.0 && delta < 1.0))
        return NAN;
    return gbs_kl_inverse_upper(r_hat, -log(delta) / (double)draws * (1.0 + 4.0 * DBL_EPSILON));
}

/* With a bet k_t for each stage, sum_t n_t (-log(1 - k_t p_t)) <= sum_t C_t loss_t + L, C_t =
 * -log(1 - k_t), holds with probability 1 - delta; the left is at least sum_t n_t k_t p_t, and k_t
 * = k (w_t/n_t)/max(w/n) makes it k/max(w/n) times the mixture's risk. */
double gbs_bound_progressive_weighted(size_t m, const double *loss, const uint64_t *rows,
                                      const double *weight, double predicted_risk,
                                      double log_price) {
    double steepest = 0.0;
    for (size_t t = 0; t < m; t++) {
        if (rows[t] == 0 || !(weight[t] > 0.0) ||
            !(loss[t] >= 0.0 && loss[t] <= (double)rows[t] * (1.0 + 1e-12)))
            return NAN;
        steepest = fmax(steepest, weight[t] / (double)rows[t]);
    }
    if (m == 0 || !(predicted_risk >= 0.0 && predicted_risk <= 1.0) || !(log_price >= 0.0))
        return NAN;
    double best = INFINITY, value = 1.0;
    for (int step = 0; step < 94;
         step++) { /* any k is valid: the one that is best for the predicted losses is taken */
        double k = 0.01 * pow(1.05, step);
        double predicted = log_price, seen = log_price;
        for (size_t t = 0; t < m; t++) {
            double bet = -log1p(-k * weight[t] / (double)rows[t] / steepest);
            predicted += bet * predicted_risk * (double)rows[t];
            seen += bet * loss[t];
        }
        if (predicted / k < best) {
            best = predicted / k;
            value = seen * steepest / k;
        }
    }
    return up_to_one(value);
}

double gbs_bound_hinge(double r, double f, double kl, double lambda, double log_price) {
    if (!(r >= 0.0 && f >= 0.0 && kl >= 0.0 && log_price >= 0.0 && lambda > 0.0))
        return NAN;
    return (r + (f + (kl + log_price)) / lambda) * (1.0 + 16.0 * DBL_EPSILON);
}
