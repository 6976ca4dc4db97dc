/* Sine and cosine of the same angles, in one go.
 *
 *   x = k pi/2 + r,  |r| <= pi/4,   sin r and cos r by their Taylor sums up to r^17 and r^16
 *
 * whose next terms are below 1e-19 and 3e-18. pi/2 is subtracted in three pieces: k times the first
 * two, of 33 bits each, is exact for |k| < 2^20. By k mod 4 the two change places and signs; that
 * is done on their bits, so that the loop has no branch and becomes vectors.
 */
#include "kernel/sincos.h"

#include "kernel/vector.h"

#include <stdint.h>
#include <string.h>

#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define HALF_PI_1 0x1.921fb544p+0
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
/* Added to a double below 2^51 it leaves the nearest integer in the last bits. */
#define ROUNDER 0x1.8p52

static inline __attribute__((always_inline)) uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline __attribute__((always_inline)) double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline __attribute__((always_inline)) double sine(double r, double r2) {
    double p = 1.0 / 355687428096000.0;
    p = p * r2 - 1.0 / 1307674368000.0;
    p = p * r2 + 1.0 / 6227020800.0;
    p = p * r2 - 1.0 / 39916800.0;
    p = p * r2 + 1.0 / 362880.0;
    p = p * r2 - 1.0 / 5040.0;
    p = p * r2 + 1.0 / 120.0;
    p = p * r2 - 1.0 / 6.0;
    return r + r * (r2 * p);
}

static inline __attribute__((always_inline)) double cosine(double r2) {
    double p = 1.0 / 20922789888000.0;
    p = p * r2 - 1.0 / 87178291200.0;
    p = p * r2 + 1.0 / 479001600.0;
    p = p * r2 - 1.0 / 3628800.0;
    p = p * r2 + 1.0 / 40320.0;
    p = p * r2 - 1.0 / 720.0;
    p = p * r2 + 1.0 / 24.0;
    return 1.0 - r2 * (0.5 - r2 * p);
}

GBS_WIDE void gbs_scaled_sincos(size_t n, double scale, const double *x, double *c, double *s) {
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double shifted = x[i] * TWO_OVER_PI + ROUNDER, k = shifted - ROUNDER;
        double r = ((x[i] - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3, r2 = r * r;
        uint64_t turn = bits_of(shifted), odd = 0 - (turn & 1);
        uint64_t sin_r = bits_of(scale * sine(r, r2)), cos_r = bits_of(scale * cosine(r2));
        uint64_t swap = (sin_r ^ cos_r) & odd;
        s[i] = from_bits((sin_r ^ swap) ^ ((turn & 2) << 62));
        c[i] = from_bits((cos_r ^ swap) ^ (((turn + 1) & 2) << 62));
    }
}
