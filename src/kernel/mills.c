/* Density, distribution and excess of the standard normal in one go, for the loops over pairs,
 * where they are most of the work.
 *
 *   Phi(-x) = phi(x) M(x), x >= 0, M Mills' ratio:   M(x) = P(u) / (x + 5),  u = (x - 5)/(x + 5)
 *   h(-x) = phi(x) - x Phi(-x) = phi(x) W(u) / (x + 5)^2,   h(x) = x + h(-x)
 *   phi(x) = exp(-x^2/2)/sqrt(2 pi),   exp(y) = 2^k Q(r),  y = k log 2 + r, |r| <= log(2)/2
 *
 * P (degree 20), W (degree 22) and Q (degree 11) are the Chebyshev expansions of (x + 5) M(x) and
 * (x + 5)^2 (1 - x M(x)) over u in [-1, 1] and of exp, cut off and written in powers; the terms
 * left out add up to 2.3e-15, 4.3e-15 and 3.2e-18, and the first two are at least 1. One
 * exponential for both and nothing but multiplications around it: half the time of exp and erfc
 * from a library, whose calls empty the registers.
 */
#include "kernel/normal.h"

#include "kernel/mills.h"
#include "kernel/vector.h"

/* W, given u. */
static inline double excess(double u) {
    double w = -3.4520700200653593566e-8;
    w = w * u + 6.5832880358183071504e-8;
    w = w * u + 4.050996820956375974e-7;
    w = w * u - 6.9010625664228572539e-7;
    w = w * u - 2.8435650977216748836e-6;
    w = w * u + 4.6015742921640649097e-6;
    w = w * u + 0.000016781223439724361783;
    w = w * u - 0.000030595656492013641147;
    w = w * u - 0.000091530329411303496668;
    w = w * u + 0.00023671464588590124846;
    w = w * u + 0.0004138742636386429105;
    w = w * u - 0.0019985409405953554883;
    w = w * u - 0.00026505953773273980297;
    w = w * u + 0.01514690697027232775;
    w = w * u - 0.030292392264602114276;
    w = w * u - 0.044026564499881252593;
    w = w * u + 0.41740149683901212643;
    w = w * u - 1.3522814191846578239;
    w = w * u + 2.9344972490881924597;
    w = w * u - 4.7982231651097099407;
    w = w * u + 6.0823744113614615066;
    w = w * u - 5.8188273135257345211;
    w = w * u + 3.5959476423421169274;
    return w;
}

GBS_WIDE void gbs_normal_both(size_t n, const double *restrict t, double *restrict phi,
                              double *restrict cdf) {
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double x = t[i] < 0.0 ? -t[i] : t[i], over = 1.0 / (x + GBS_MILLS_CENTRE),
               u = 1.0 - 2.0 * GBS_MILLS_CENTRE * over;
        double density = gbs_density_at(x), tail = density * (gbs_mills(u) * over);
        phi[i] = density;
        cdf[i] = t[i] < 0.0 ? tail : 1.0 - tail;
    }
}

GBS_WIDE void gbs_normal_all(size_t n, const double *restrict t, double *restrict phi,
                             double *restrict cdf, double *restrict h) {
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double x = t[i] < 0.0 ? -t[i] : t[i], over = 1.0 / (x + GBS_MILLS_CENTRE),
               u = 1.0 - 2.0 * GBS_MILLS_CENTRE * over;
        double density = gbs_density_at(x), tail = density * (gbs_mills(u) * over),
               below = density * (excess(u) * over * over);
        phi[i] = density;
        cdf[i] = t[i] < 0.0 ? tail : 1.0 - tail;
        h[i] = t[i] < 0.0 ? below : t[i] + below;
    }
}
