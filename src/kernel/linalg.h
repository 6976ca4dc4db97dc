/* Small dense linear algebra on row-major matrices, over LAPACK. */
#ifndef GIBBSITE_KERNEL_LINALG_H
#define GIBBSITE_KERNEL_LINALG_H

#include <stdbool.h>
#include <stddef.h>

/* A = R R' in place: the lower triangle of a becomes R, the upper triangle is set to 0. False when
 * A is not positive definite (or not finite). */
bool gbs_cholesky(size_t d, double *a);

/* The lower triangular r becomes its inverse, in place. False when singular. */
bool gbs_lower_inverse(size_t d, double *r);

/* out = a', both d x d, not the same array. */
void gbs_transpose(size_t d, const double *a, double *out);

/* Copies the lower triangle onto the upper. */
void gbs_symmetrise(size_t d, double *a);

/* Positive semidefinite K (n x n, full storage), pivoted: K[p][p] ~ L L', L n x rank lower
 * trapezoidal, in the leading columns of k (row stride n, rows in pivot order). pivot[i] is the
 * original index of row i. work has room for 2 n. Returns the rank. */
size_t gbs_pivoted_cholesky(size_t n, double *k, int *pivot, double *work);

/* Solves R x = b (transpose false) or R' x = b in place, R lower triangular with row stride ld. */
void gbs_lower_solve(size_t d, const double *r, size_t ld, bool transpose, double *x);

/* Symmetric a (d x d, lower triangle read): a becomes the eigenvectors, one a row, values
 * ascending. work has room for 64 d. False: it broke down. */
bool gbs_symmetric_eigen(size_t d, double *a, double *values, double *work);

#endif
