/* The normal density and Mills' ratio, one number at a time, for loops that the compiler makes wide
 * (mills.c has the formulas). Polynomials are single chains: several vectors are on their way at a
 * time, and shorter chains side by side were slower, for want of registers. */
#ifndef GIBBSITE_KERNEL_MILLS_H
#define GIBBSITE_KERNEL_MILLS_H

#include <stdint.h>
#include <string.h>

/* A compiler for graphics processors wants to be told that both kinds of processors may call it. */
#ifdef __CUDACC__
#define GBS_EVERYWHERE static __host__ __device__ __forceinline__
#else
#define GBS_EVERYWHERE static inline
#endif

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

GBS_EVERYWHERE double gbs_exp_of(double y) {
    double shifted = y * LOG2_E + GBS_ROUNDER, k = shifted - GBS_ROUNDER,
           r = (y - k * LOG_2_HIGH) - k * LOG_2_LOW;
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
GBS_EVERYWHERE double gbs_mills(double u) {
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
GBS_EVERYWHERE double gbs_excess(double u) {
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
GBS_EVERYWHERE double gbs_density_at(double x) {
    double exponent = -0.5 * x * x,
           inside = exponent > GBS_LEAST_EXPONENT ? exponent : GBS_LEAST_EXPONENT;
    double density = GBS_DENSITY_AT_0 * gbs_exp_of(inside);
    return exponent > GBS_LEAST_EXPONENT ? density : 0.0;
}

#endif
