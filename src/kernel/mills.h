/* The normal density and Mills' ratio, one number at a time, for loops that the compiler makes wide (mills.c has the formulas). Polynomials are four interleaved
 * chains of every fourth power: one chain alone would wait for each of its multiplications in turn. */
#ifndef GIBBSITE_KERNEL_MILLS_H
#define GIBBSITE_KERNEL_MILLS_H

#include <stdint.h>
#include <string.h>

#define GBS_DENSITY_AT_0 0.39894228040143267794
/* Below this exponent the density counts as 0. */
#define GBS_LEAST_EXPONENT (-700.0)
#define GBS_MILLS_CENTRE 5.0
/* The density counts as 0 from here on. */
#define GBS_FAR_TAIL 40.0

/* Adding it rounds to a whole number, which is then in the last bits. */
#define GBS_ROUNDER 0x1.8p52
#define LOG2_E 0x1.71547652b82fep+0
#define LOG_2_HIGH 0x1.62e42p-1 /* times any k exact */
#define LOG_2_LOW 0x1.fdf473de6af28p-22

static inline double gbs_exp_of(double y) {
    double shifted = y * LOG2_E + GBS_ROUNDER, k = shifted - GBS_ROUNDER, r = (y - k * LOG_2_HIGH) - k * LOG_2_LOW;
    double square = r * r, fourth = square * square;
    double c0 = 2.4801485479216429363e-5;
    c0 = c0 * fourth + 4.1666666666488081465e-2;
    c0 = c0 * fourth + 1.0;
    double c1 = 2.7557224956110722939e-6;
    c1 = c1 * fourth + 8.3333333333095256391e-3;
    c1 = c1 * fourth + 1.0;
    double c2 = 2.7632640675430235707e-7;
    c2 = c2 * fourth + 1.388888895231804535e-3;
    c2 = c2 * fourth + 0.50000000000000183876;
    double c3 = 2.5114870219497475323e-8;
    c3 = c3 * fourth + 1.9841269909219842196e-4;
    c3 = c3 * fourth + 0.16666666666666702415;
    double q = (c0 + c1 * r) + (c2 + c3 * r) * square;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 52) + ((uint64_t)1023 << 52);
    double power;
    memcpy(&power, &bits, sizeof power);
    return q * power;
}

/* P, given u. */
static inline double gbs_mills(double u) {
    double square = u * u, fourth = square * square;
    double c0 = 1.2420669014487680095e-8;
    c0 = c0 * fourth + 1.052048919771784487e-6;
    c0 = c0 * fourth + 4.1797300278833977704e-5;
    c0 = c0 * fourth - 1.9999632011944493446e-3;
    c0 = c0 * fourth + 0.4136447157230846147;
    c0 = c0 * fourth + 1.9280810471531566713;
    double c1 = 7.4868603481075596328e-8;
    c1 = c1 * fourth + 9.9566482935518028935e-6;
    c1 = c1 * fourth + 1.3658566565516658894e-3;
    c1 = c1 * fourth - 0.17325473413156744614;
    c1 = c1 * fourth - 1.6678665951889872812;
    double c2 = -1.4327136230422850857e-7;
    c2 = c2 * fourth - 6.9117866068520262467e-6;
    c2 = c2 * fourth - 1.4882723589239921604e-4;
    c2 = c2 * fourth + 5.2125502563594285851e-2;
    c2 = c2 * fourth + 1.2415470615741043437;
    double c3 = -5.9434681814085111347e-9;
    c3 = c3 * fourth - 8.1108763176024747349e-7;
    c3 = c3 * fourth - 1.2472719405731046063e-4;
    c3 = c3 * fourth - 7.5032823719667852059e-3;
    c3 = c3 * fourth - 0.78591107554452169692;
    double p = (c0 + c1 * u) + (c2 + c3 * u) * square;
    return p;
}

/* phi(x), x >= 0. */
static inline double gbs_density_at(double x) {
    double exponent = -0.5 * x * x, inside = exponent > GBS_LEAST_EXPONENT ? exponent : GBS_LEAST_EXPONENT;
    double density = GBS_DENSITY_AT_0 * gbs_exp_of(inside);
    return exponent > GBS_LEAST_EXPONENT ? density : 0.0;
}

#endif
