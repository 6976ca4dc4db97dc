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

double gbs_poisson_deviance(double x, double mu) {
    if (x == 0.0)
        return mu;
    double gap = mu - x;
    /* far apart the quotient may overflow where the deviance does not */
    return gap < 1.5 * x ? x * gbs_log_gap(gap / x, mu / x) : gap - x * (log(mu) - log(x));
}

double gbs_poisson_log_mass(double x, double mu) {
    if (x == 0.0)
        return -mu;
    return -gbs_poisson_deviance(x, mu) - gbs_stirling_error(x) - 0.5 * log(x) - HALF_LOG_2_PI;
}

double gbs_stirling_error(double x) {
    if (x < 16.0) /* tgamma, since lgamma writes a global */
        return log(tgamma(x + 1.0)) - ((x + 0.5) * log(x) - x + HALF_LOG_2_PI);
    double r = 1.0 / (x * x);
    return (1.0 / 12.0 -
            r * (1.0 / 360.0 -
                 r * (1.0 / 1260.0 -
                      r * (1.0 / 1680.0 - r * (1.0 / 1188.0 - r * 691.0 / 360360.0))))) /
           x;
}
