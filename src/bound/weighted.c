/* An upper bound on a weighted risk by betting against it (docs/maths.md, 11.11).
 *
 * A row has a loss X in [0, 1] and a weight w in [0, W], W declared before any row was seen. The
 * weighted risk r = E wX / E w is the r at which
 *
 *   Z(r) = (w/W)(X - r)
 *
 * has mean 0. With u = w/W, kappa in (0, 1) fixed beforehand and b(m) = kappa/(1 - kappa m),
 *
 *   W_t(m) = prod_(i<=t) (1 + b(m) u_i (m - X_i))
 *
 * is not negative, since b(m) u (X - m) <= kappa (1 - m)/(1 - kappa m) < 1, and for m = r it is a
 * martingale of mean 1: P(some t: W_t(r) >= 1/delta) <= delta (Ville 1939). b(m)(m - X) has the
 * slope (1 - kappa X)/(1 - kappa m)^2 > 0 (its derivative by m, over kappa), so every factor grows
 * with m, and the m that are not refuted form an interval [0, U): P(r > U) <= delta. Bisection
 * keeps its upper end. For u = 1 this is betting.c's bound with a fixed bet.
 *
 * Only w <= W is needed, of rows to come too; the weights may depend on the rows in any way.
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

/* Does some W_t(m) reach exp(goal), rounding errors on m's side? */
static bool refuted(const double *loss, const double *share, size_t n, double kappa, double goal,
                    double m) {
    double bet = kappa / (1.0 - kappa * m), capital = 0.0, size = 0.0;
    for (size_t t = 0; t < n; t++) {
        double gain = log1p(bet * share[t] * (m - loss[t]));
        capital += gain;
        size += fabs(gain);
        if (capital - ((double)t + 8.0) * DBL_EPSILON * (size + goal) > goal)
            return true;
    }
    return false;
}

double gbs_weighted_upper(const double *loss, const double *share, size_t n, double kappa,
                          double log_price) {
    if (!in_unit_interval(loss, n) || !in_unit_interval(share, n) ||
        !(kappa > 0.0 && kappa < 1.0) || !(log_price >= 0.0))
        return NAN;
    double low = 0.0, high = 1.0, goal = log_price * (1.0 + DBL_EPSILON);
    while (high - low > 1e-10) {
        double m = 0.5 * (low + high);
        if (refuted(loss, share, n, kappa, goal, m))
            high = m;
        else
            low = m;
    }
    return high;
}

/* ---------------------------------------------------------------- the bet */

enum { SOME = 256, BETS = 40 };

/* The mean log factor of rows that err with this probability, whatever their weight. */
static double mean_gain(double risk, const double *share, size_t count, size_t step, double kappa,
                        double m) {
    double bet = kappa / (1.0 - kappa * m), sum = 0.0;
    size_t seen = 0;
    for (size_t i = 0; i < count; i += step, seen++)
        sum += risk * log1p(-bet * share[i] * (1.0 - m)) + (1.0 - risk) * log1p(bet * share[i] * m);
    return sum / (double)seen;
}

double gbs_weighted_kappa(double risk, const double *share, size_t count, uint64_t n,
                          double log_price) {
    if (!(risk >= 0.0 && risk <= 1.0) || !in_unit_interval(share, count) || n == 0 ||
        !(log_price >= 0.0))
        return NAN;
    size_t step = (count + SOME - 1) / SOME;
    double best = INFINITY, at = 0.5, goal = log_price / (double)n;
    for (int k = 0; k < BETS; k++) { /* -log(1 - kappa) from 1e-3 to 8: any bet is valid */
        double kappa = -expm1(-1e-3 * exp(k * log(8e3) / (BETS - 1))), low = risk, high = 1.0;
        while (high - low > 1e-4 && high > 0.0) {
            double m = 0.5 * (low + high);
            if (mean_gain(risk, share, count, step, kappa, m) >= goal)
                high = m;
            else
                low = m;
        }
        if (high < best) {
            best = high;
            at = kappa;
        }
    }
    return at;
}
