/* Upper bounds on the mean of n values in [0, 1] by betting against it (Waudby-Smith & Ramdas 2024;
 * docs/maths.md, 6.10).
 *
 * For the losses of one fixed predictor (chosen without these rows): the mean losses Phi_i of a
 * Gibbs classifier are rarely 0 or 1, and what they spread less than a coin of the same mean is
 * gained here. Nothing is gained for 0/1 losses, where the exact binomial is best.
 *
 * Let X_1, X_2, ... have conditional mean mu given their past. The capital of one who starts with 1
 * and bets that the values stay below m, with kappa in (0, 1) fixed beforehand,
 *
 *   W_t(m) = prod_(i<=t) (1 - kappa X_i)/(1 - kappa m) >= 0,
 *
 * is for m = mu a martingale of mean 1, so P(some t: W_t(mu) >= 1/delta) <= delta (Ville 1939). It
 * grows with m: time t refutes
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

static bool in_unit_interval(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= 0.0 && x[i] <= 1.0))
            return false;
    return n > 0;
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
