/* Density, distribution and excess of the standard normal in one go, for the loops over pairs, where they are most of the work.
 *
 *   Phi(-x) = phi(x) M(x), x >= 0, M Mills' ratio:   M(x) = P(u) / (x + 5),  u = (x - 5)/(x + 5)
 *   h(-x) = phi(x) - x Phi(-x) = phi(x) W(u) / (x + 5)^2,   h(x) = x + h(-x)
 *   phi(x) = exp(-x^2/2)/sqrt(2 pi),   exp(y) = 2^k Q(r),  y = k log 2 + r, |r| <= log(2)/2
 *
 * P (degree 20), W (degree 22) and Q (degree 11) are the Chebyshev expansions of (x + 5) M(x) and (x + 5)^2 (1 - x M(x)) over u in [-1, 1] and of
 * exp, cut off and written in powers; the terms left out add up to 2.3e-15, 4.3e-15 and 3.2e-18, and the first two are at least 1. One exponential for both and nothing but multiplications around it:
 * half the time of exp and erfc from a library, whose calls empty the registers.
 */
#include "kernel/normal.h"

#include "kernel/vector.h"

#include <stdint.h>
#include <string.h>

#define DENSITY_AT_0 0.39894228040143267794
/* Below this exponent the density counts as 0. */
#define LEAST_EXPONENT (-700.0)
#define CENTRE 5.0

/* Adding it rounds to a whole number, which is then in the last bits. */
#define ROUNDER 0x1.8p52
#define LOG2_E 0x1.71547652b82fep+0
#define LOG_2_HIGH 0x1.62e42p-1 /* times any k exact */
#define LOG_2_LOW 0x1.fdf473de6af28p-22

static inline double exp_of(double y) {
    double shifted = y * LOG2_E + ROUNDER, k = shifted - ROUNDER, r = (y - k * LOG_2_HIGH) - k * LOG_2_LOW;
    double q = 2.5114870219497475323e-8;
    q = q * r + 2.7632640675430235707e-7;
    q = q * r + 2.7557224956110722939e-6;
    q = q * r + 2.4801485479216429363e-5;
    q = q * r + 1.9841269909219842196e-4;
    q = q * r + 1.388888895231804535e-3;
    q = q * r + 8.3333333333095256391e-3;
    q = q * r + 4.1666666666488081465e-2;
    q = q * r + 0.16666666666666702415;
    q = q * r + 0.50000000000000183876;
    q = q * r + 1.0;
    q = q * r + 1.0;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 52) + ((uint64_t)1023 << 52);
    double power;
    memcpy(&power, &bits, sizeof power);
    return q * power;
}

/* P, given u. */
static inline double mills(double u) {
    double p = 1.2420669014487680095e-8;
    p = p * u - 5.9434681814085111347e-9;
    p = p * u - 1.4327136230422850857e-7;
    p = p * u + 7.4868603481075596328e-8;
    p = p * u + 1.052048919771784487e-6;
    p = p * u - 8.1108763176024747349e-7;
    p = p * u - 6.9117866068520262467e-6;
    p = p * u + 9.9566482935518028935e-6;
    p = p * u + 4.1797300278833977704e-5;
    p = p * u - 1.2472719405731046063e-4;
    p = p * u - 1.4882723589239921604e-4;
    p = p * u + 1.3658566565516658894e-3;
    p = p * u - 1.9999632011944493446e-3;
    p = p * u - 7.5032823719667852059e-3;
    p = p * u + 5.2125502563594285851e-2;
    p = p * u - 0.17325473413156744614;
    p = p * u + 0.4136447157230846147;
    p = p * u - 0.78591107554452169692;
    p = p * u + 1.2415470615741043437;
    p = p * u - 1.6678665951889872812;
    p = p * u + 1.9280810471531566713;
    return p;
}

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

/* phi(x), x >= 0. */
static inline double density_at(double x) {
    double exponent = -0.5 * x * x, inside = exponent > LEAST_EXPONENT ? exponent : LEAST_EXPONENT;
    double density = DENSITY_AT_0 * exp_of(inside);
    return exponent > LEAST_EXPONENT ? density : 0.0;
}

GBS_WIDE void gbs_normal_both(size_t n, const double *restrict t, double *restrict phi, double *restrict cdf) {
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double x = t[i] < 0.0 ? -t[i] : t[i], over = 1.0 / (x + CENTRE), u = 1.0 - 2.0 * CENTRE * over;
        double density = density_at(x), tail = density * (mills(u) * over);
        phi[i] = density;
        cdf[i] = t[i] < 0.0 ? tail : 1.0 - tail;
    }
}

GBS_WIDE void gbs_normal_all(size_t n, const double *restrict t, double *restrict phi, double *restrict cdf,
                             double *restrict h) {
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double x = t[i] < 0.0 ? -t[i] : t[i], over = 1.0 / (x + CENTRE), u = 1.0 - 2.0 * CENTRE * over;
        double density = density_at(x), tail = density * (mills(u) * over), below = density * (excess(u) * over * over);
        phi[i] = density;
        cdf[i] = t[i] < 0.0 ? tail : 1.0 - tail;
        h[i] = t[i] < 0.0 ? below : t[i] + below;
    }
}
