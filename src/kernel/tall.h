/* Products of tall matrices with few columns, row-major: nothing is packed first, which takes BLAS
 * as long as the product itself where both sides are narrow. The order of additions depends on the
 * sizes alone. */
#ifndef GIBBSITE_KERNEL_TALL_H
#define GIBBSITE_KERNEL_TALL_H

#include <stddef.h>

/* out = X M, X rows x d, M d x columns. */
void gbs_tall_times(size_t rows, size_t d, size_t columns, const double *x, const double *m,
                    double *out);
/* m (d x columns) += X'Y, X rows x d, Y rows x columns. */
void gbs_tall_cross(size_t rows, size_t d, size_t columns, const double *x, const double *y,
                    double *m);
/* m (d x d) += X'X, its lower triangle; of what is above it some numbers change. */
void gbs_tall_gram(size_t rows, size_t d, const double *x, double *m);

#endif
