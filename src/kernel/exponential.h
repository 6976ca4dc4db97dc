/* Sums of exponentials over rows of lanes (tile.h), in one pass and without an array between. */
#ifndef GIBBSITE_KERNEL_EXPONENTIAL_H
#define GIBBSITE_KERNEL_EXPONENTIAL_H

#include <stddef.h>

/* total[l] += sum_i exp(-x[i][l]). Relative error 1e-13. An exponent above 709.78 counts as that,
 * and two such terms are infinite; so does NaN. One below -708 counts as nothing to speak of,
 * 1e-308. */
void gbs_lanes_add_exp(size_t n, const double *x, double *total);
/* The same of x = a[i] + c[k] b[i][l] + s[k] w[i][l] to total[2 k], and with -s[k] to total[2 k +
 * 1]; |c|, |s| <= 1. */
void gbs_lanes_add_exp_ring(size_t n, const double *a, const double *b, const double *w,
                            size_t pairs, const double *c, const double *s, double *total);

#endif
