/* The Gaussian kernel between two sets of rows. */
#ifndef GIBBSITE_KERNEL_GAUSS_H
#define GIBBSITE_KERNEL_GAUSS_H

#include <stddef.h>

/* out_ij = exp(-|x_i - z_j|^2 / 2 width^2): n rows x of d columns, ldx apart, against m rows z that
 * lie one behind the other; out n x m, rows ldo apart. work has room for n + m. */
void gbs_gauss_rows(size_t n, size_t m, size_t d, const double *x, size_t ldx, const double *z,
                    double width, double *work, double *out, size_t ldo);

#endif
