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
               below = density * (gbs_excess(u) * over * over);
        phi[i] = density;
        cdf[i] = t[i] < 0.0 ? tail : 1.0 - tail;
        h[i] = t[i] < 0.0 ? below : t[i] + below;
    }
}
