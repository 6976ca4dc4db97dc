/* Special functions that the C library does not have. */
#ifndef GIBBSITE_KERNEL_SPECIAL_H
#define GIBBSITE_KERNEL_SPECIAL_H

/* d/dx log Gamma(x), x > 0, to some 1e-14. */
double gbs_digamma(double x);

#endif
