/* digamma: upwards by psi(x) = psi(x + 1) - 1/x, then the asymptotic series (Abramowitz and
 * Stegun 6.3.18), whose first term left out is below 1e-17 at x = 12. */
#include "kernel/special.h"

#include <math.h>

double gbs_digamma(double x) {
    double shift = 0.0;
    if (!(x > 0.0))
        return NAN; /* upwards from far below 0 there would be no end */
    while (x < 12.0) {
        shift -= 1.0 / x;
        x += 1.0;
    }
    double y = 1.0 / (x * x);
    double series = y *
                    (1.0 / 12 -
                     y * (1.0 / 120 -
                          y * (1.0 / 252 -
                               y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760 - y / 12))))));
    return log(x) - 0.5 / x - series + shift;
}
