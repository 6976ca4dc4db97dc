/* Small dense linear algebra on row-major matrices, over BLAS and LAPACK. */
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
/* The same down to pivots of `least`. */
size_t gbs_pivoted_cholesky_to(size_t n, double least, double *k, int *pivot, double *work);

/* Solves R x = b (transpose false) or R' x = b in place, R lower triangular with row stride ld. */
void gbs_lower_solve(size_t d, const double *r, size_t ld, bool transpose, double *x);

/* Which triangle of a d x d matrix T is meant, and whether T or T'. */
typedef enum gbs_triangle {
    GBS_LOWER,
    GBS_LOWER_TRANSPOSED,
    GBS_UPPER,
    GBS_UPPER_TRANSPOSED
} gbs_triangle;

/* x -> T x and x -> T^-1 x of one vector. */
void gbs_triangle_times(gbs_triangle kind, size_t d, const double *t, double *x);
void gbs_triangle_solve(gbs_triangle kind, size_t d, const double *t, double *x);
/* X -> T X and X -> T^-1 X, X d x columns. */
void gbs_triangle_times_columns(gbs_triangle kind, size_t d, const double *t, size_t columns,
                                double *x);
void gbs_triangle_solve_columns(gbs_triangle kind, size_t d, const double *t, size_t columns,
                                double *x);
/* X -> X T and X -> X T^-1, X rows x d. */
void gbs_rows_times_triangle(gbs_triangle kind, size_t d, const double *t, size_t rows, double *x);
void gbs_rows_solve_triangle(gbs_triangle kind, size_t d, const double *t, size_t rows, double *x);

/* The lower triangular r becomes r r', both triangles. */
void gbs_lower_square(size_t d, double *r);
/* m (d x d, lower triangle) = keep m + X'X, X rows x d. */
void gbs_add_gram(size_t d, size_t rows, const double *x, double keep, double *m);
/* out = X M, X rows x d, M d x columns. */
void gbs_rows_times(size_t rows, size_t d, size_t columns, const double *x, const double *m,
                    double *out);
/* The same of rows that lie ldx apart, to rows ldo apart. */
void gbs_strided_rows_times(size_t rows, size_t d, size_t columns, const double *x, size_t ldx,
                            const double *m, double *out, size_t ldo);
/* m (d x columns) += X'Y, X rows x d, Y rows x columns. */
void gbs_add_cross(size_t rows, size_t d, size_t columns, const double *x, const double *y,
                   double *m);
/* y += a x */
void gbs_add_scaled(size_t n, double a, const double *x, double *y);

/* Symmetric a (d x d, lower triangle read): a becomes the eigenvectors, one a row, values
 * ascending. work has room for 64 d. False: it broke down. */
bool gbs_symmetric_eigen(size_t d, double *a, double *values, double *work);

#endif
