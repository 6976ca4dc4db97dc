/* Upper bounds on the mean of n values in [0, 1] by betting against it (Waudby-Smith & Ramdas 2024;
 * docs/maths.md, 6.10).
 *
 * For the losses of one fixed predictor (chosen without these rows): the mean losses Phi_i of a
 * Gibbs classifier are rarely 0 or 1, and what they spread less than a coin of the same mean is
 * gained here. Nothing is gained for 0/1 losses, where the exact binomial is best.
 *
 * Let X_1, X_2, ... have conditional mean mu given their past, and let the bet lambda_t in [0,
 * 1/(1-m)] depend on X_1 .. X_(t-1) alone. The capital of one who starts with 1 and bets that the
 * values stay below m,
 *
 *   W_t(m) = prod_(i<=t) (1 + lambda_i (m - X_i)) >= 0,
 *
 * is for m = mu a martingale of mean 1, so P(some t: W_t(mu) >= 1/delta) <= delta (Ville 1939).
 * Each factor grows with m, also where lambda_i = min(l_i, c/(1-m)): min(l, c/(1-m)) (m - x) is
 * continuous in m and grows on both pieces, the second having slope c (1-x)/(1-m)^2. Hence max_t
 * W_t(m) grows with m, the m that it does not refute form an interval [0, U), and mu > U means that
 * W(mu) reached 1/delta: P(mu > U) <= delta. Bisection keeps the upper end, a refuted m.
 *
 * With lambda_i = kappa/(1 - kappa m), kappa in (0, 1) fixed beforehand, a factor is (1 - kappa
 * X_i)/(1 - kappa m) and time t refutes
 *
 *   m >= [1 - exp((sum_(i<=t) log(1 - kappa X_i) - log(1/delta)) / t)] / kappa,
 *
 * which is catoni's bound with K = 0 and kappa = 1 - e^-C, but for log(1 - kappa X) >= -C X: never
 * worse. By Ville the least over t counts. At t = n alone the means may differ from row to row: the
 * logarithm is concave, so it bounds their average, as 6.8 needs.
 */
#include "bound/bound.h"

#include <float.h>
#include <math.h>

/* Largest share of the capital that a bet may lose. */
#define MOST_SHARE 0.75

static bool in_unit_interval(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= 0.0 && x[i] <= 1.0))
            return false;
    return n > 0;
}

/* Does some W_t(m) reach exp(goal), rounding errors on m's side? l_t = sqrt(2 goal / (n variance so
 * far)), with one value of mean 1/2 and variance 1/4 thrown in. */
static bool refuted(const double *x, size_t n, double goal, double m) {
    double most = MOST_SHARE / (1.0 - m), capital = 0.0, carry = 0.0, size = 0.0;
    double sum = 0.5, squares = 0.25;
    for (size_t t = 0; t < n; t++) {
        double count = (double)t + 1.0;
        double bet = fmin(most, sqrt(2.0 * goal * count / ((double)n * squares)));
        double gain = log1p(bet * (m - x[t])), y = gain - carry, next = capital + y;
        carry = (next - capital) - y;
        capital = next;
        size += fabs(gain);
        if (capital - 8.0 * DBL_EPSILON * (size + goal) > goal)
            return true;
        sum += x[t];
        double mean = sum / (count + 1.0);
        squares += (x[t] - mean) * (x[t] - mean);
    }
    return false;
}

double gbs_betting_upper(const double *loss, size_t n, double delta) {
    if (!in_unit_interval(loss, n) || !(delta > 0.0 && delta < 1.0))
        return NAN;
    double low = 0.0, high = 1.0, goal = -log(delta) * (1.0 + DBL_EPSILON);
    while (high - low > 1e-12) {
        double m = 0.5 * (low + high);
        if (refuted(loss, n, goal, m))
            high = m;
        else
            low = m;
    }
    return high;
}

/* [1 - exp((logs - price)/count)]/kappa from above; `logs` is a sum of `count` rounded, negative
 * terms. */
static double refuted_at(double logs, double count, double kappa, double log_price) {
    double exponent = (logs * (1.0 + (count + 4.0) * DBL_EPSILON) - log_price) / count;
    return fmin(1.0, -expm1(exponent) / kappa * (1.0 + 8.0 * DBL_EPSILON));
}

double gbs_betting_fixed_upper(const double *loss, size_t n, double kappa, double log_price) {
    if (!in_unit_interval(loss, n) || !(kappa > 0.0 && kappa < 1.0) || !(log_price >= 0.0))
        return NAN;
    double logs = 0.0, least = 1.0;
    for (size_t t = 0; t < n; t++) {
        logs += log1p(-kappa * loss[t]);
        least = fmin(least, refuted_at(logs, (double)t + 1.0, kappa, log_price));
    }
    return least;
}

double gbs_betting_mean_upper(const double *loss, size_t n, double kappa, double log_price) {
    if (!in_unit_interval(loss, n) || !(kappa > 0.0 && kappa < 1.0) || !(log_price >= 0.0))
        return NAN;
    double logs = 0.0;
    for (size_t t = 0; t < n; t++)
        logs += log1p(-kappa * loss[t]);
    return refuted_at(logs, (double)n, kappa, log_price);
}

/* The bound at time n for rows like these, as a function of C = -log(1 - kappa). */
static double predicted(const double *loss, size_t count, double n, double c, double log_price) {
    double
        kappa = -expm1(-c),
        /* half a full loss thrown in: few rows without an error must not lead to a reckless bet */
        logs = -0.5 * c;
    for (size_t i = 0; i < count; i++)
        logs += log1p(-kappa * loss[i]);
    return -expm1(logs / ((double)count + 0.5) - log_price / n) / kappa;
}

double gbs_betting_kappa(const double *loss, size_t count, uint64_t n, double log_price,
                         double boldness) {
    if (!in_unit_interval(loss, count) || n == 0 || !(log_price >= 0.0) || !(boldness > 0.0))
        return NAN;
    /* one number is chosen, and any is valid: a coarse scan, then a golden section around its best
     */
    const double golden = 0.61803398874989484820, step = 0.25;
    double best = INFINITY, at = 0.0;
    for (int k = 0; k < 49; k++) { /* C from 1e-4 to 16 */
        double u = log(1e-4) + k * step,
               value = predicted(loss, count, (double)n, exp(u), log_price);
        if (value < best) {
            best = value;
            at = u;
        }
    }
    double low = at - step, high = at + step;
    for (int k = 0; k < 24; k++) {
        double x = high - golden * (high - low), y = low + golden * (high - low);
        if (predicted(loss, count, (double)n, exp(x), log_price) <
            predicted(loss, count, (double)n, exp(y), log_price))
            high = y;
        else
            low = x;
    }
    return fmin(-expm1(-boldness * exp(0.5 * (low + high))), 1.0 - 1e-6);
}
