/* The standard normal over arrays: density, distribution, and E max(0, t + Z). Exact in both tails
 * (relative error some 1e-13 for |t| <= 37); below that they fall to 0 without NaN. Infinite
 * arguments are fine. */
#ifndef GIBBSITE_KERNEL_NORMAL_H
#define GIBBSITE_KERNEL_NORMAL_H

#include <stddef.h>

void gbs_normal_density(size_t n, const double *t, double *phi);
void gbs_normal_distribution(size_t n, const double *t, double *cdf);
/* Both at once, as good and in half the time, but not the same in the last digits (mills.c). */
void gbs_normal_both(size_t n, const double *restrict t, double *restrict phi,
                     double *restrict cdf);
/* The same with the excess h. */
void gbs_normal_all(size_t n, const double *restrict t, double *restrict phi, double *restrict cdf,
                    double *restrict h);
/* h(t) = phi(t) + t Phi(t), given both. */
void gbs_normal_excess(size_t n, const double *t, const double *phi, const double *cdf, double *h);
void gbs_vector_exp(size_t n, const double *x, double *y);

#endif
