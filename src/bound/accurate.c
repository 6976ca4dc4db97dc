/* Small functions that keep their relative accuracy where the textbook formula cancels.
 *
 *   x - log(1+x) = s (x - 2 s^2 (1/3 + s^2/5 + s^4/7 + ...)),   s = x/(2+x),
 *
 * since log(1+x) = 2 atanh(s) and x - 2s = s x. The deviances of the binomial and the Poisson law
 * are sums of such gaps with positive weights (Loader 2000), so they never cancel.
 */
#include "bound/accurate.h"

#include <math.h>

#define HALF_LOG_2_PI 0.91893853320467274178

double gbs_log_gap(double x, double ratio) {
    if (!(x > -0.6 && x < 1.5))
        return x - log(ratio);
    double s = x / (2.0 + x), square = s * s, power = 1.0, sum = 0.0;
    for (double k = 3.0; power > 0.25 * DBL_EPSILON; k += 2.0) {
        sum += power / k;
        power *= square;
    }
    return s * (x - 2.0 * square * sum);
}

/* x log(x/mu) + mu - x, x >= 0, mu > 0: the deviance of a Poisson count. */
static double poisson_deviance(double x, double mu) {
    if (x == 0.0)
        return mu;
    double gap = mu - x;
    /* far apart the quotient may overflow where the deviance does not */
    return gap < 1.5 * x ? x * gbs_log_gap(gap / x, mu / x) : gap - x * (log(mu) - log(x));
}

double gbs_poisson_log_mass(double x, double mu) {
    if (x == 0.0)
        return -mu;
    return -poisson_deviance(x, mu) - gbs_stirling_error(x) - 0.5 * log(x) - HALF_LOG_2_PI;
}

double gbs_stirling_error(double x) {
    /* log n! - ((n + 1/2) log n - n + (log 2 pi)/2): whole numbers are what a binomial law asks */
    static const double whole[] = {
        0.08106146679532725822,  0.04134069595540929409,  0.02767792568499833915,
        0.02079067210376509311,  0.01664469118982119216,  0.01387612882307074800,
        0.01189670994589177010,  0.01041126526197209650,  0.009255462182712732918,
        0.008330563433362871256, 0.007573675487951840795, 0.006942840107209529866,
        0.006408994188004207068, 0.005951370112758847736, 0.005554733551962801371};
    if (x >= 1.0 && x < 16.0 && x == floor(x))
        return whole[(int)x - 1];
    if (x < 16.0) /* tgamma, since lgamma writes a global */
        return log(tgamma(x + 1.0)) - ((x + 0.5) * log(x) - x + HALF_LOG_2_PI);
    double r = 1.0 / (x * x);
    return (1.0 / 12.0 -
            r * (1.0 / 360.0 -
                 r * (1.0 / 1260.0 -
                      r * (1.0 / 1680.0 - r * (1.0 / 1188.0 - r * 691.0 / 360360.0))))) /
           x;
}
