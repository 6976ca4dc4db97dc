/* Sines and cosines over arrays, for features of a kernel. */
#ifndef GIBBSITE_KERNEL_SINCOS_H
#define GIBBSITE_KERNEL_SINCOS_H

#include <stddef.h>

/* c = scale cos x, s = scale sin x, within 4e-16 scale, for |x| up to 1e6; c may be x itself. */
void gbs_scaled_sincos(size_t n, double scale, const double *x, double *c, double *s);

#endif
