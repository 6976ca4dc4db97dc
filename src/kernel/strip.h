/* A strip of rows, dense or sparse, and the sums that every family needs over it.
 *
 * Dense: row i at dense + i * ld. Sparse: row i is the CSR row (column, value) from start[i *
 * stride] to start[i * stride + 1], minus `shift` (a standardised sparse matrix stays sparse: its
 * centring is carried as one vector). `y` and `weight` step by stride too. A stride above 1 is a
 * subsample without a copy.
 */
#ifndef GIBBSITE_KERNEL_STRIP_H
#define GIBBSITE_KERNEL_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gbs_strip {
    size_t n, d;
    const double *dense;
    size_t ld;
    const size_t *start;
    const uint32_t *column;
    const double *value;
    const double *shift; /* NULL: none */
    const double *y;
    const double *weight; /* of each row in a risk; NULL: 1 */
    size_t stride;
} gbs_strip;

/* Rows first .. first + count - 1, sharing memory. */
static inline gbs_strip gbs_strip_part(const gbs_strip *b, size_t first, size_t count) {
    gbs_strip part = *b;
    size_t step = first * b->stride;
    part.n = count;
    if (b->dense != NULL)
        part.dense += first * b->ld;
    else
        part.start += step;
    if (b->y != NULL)
        part.y += step;
    if (b->weight != NULL)
        part.weight += step;
    return part;
}

/* Squared Euclidean norms of the rows, shift included; never negative. shift_norm2 = |shift|^2
 * (ignored for dense). */
void gbs_strip_norms(const gbs_strip *b, double shift_norm2, double *norm2);

/* score = X m. shift_dot = shift'm (ignored for dense). */
void gbs_strip_scores(const gbs_strip *b, const double *m, double shift_dot, double *score);

/* score = X m and variance_i = sum_k x_ik^2 tau_k (tau NULL: 1); shift_dot = shift'm, shift_square
 * = sum shift_k^2 tau_k. */
void gbs_strip_scores_squares(const gbs_strip *b, const double *m, const double *tau,
                              double shift_dot, double shift_square, double *score,
                              double *variance);

/* g += X'u. The shift's share, -shift * sum u, is left to the caller, once per pass
 * (src/pass/cpu/slopes.c). */
void gbs_strip_pull(const gbs_strip *b, const double *u, double *g);

/* g += X'u and h_k += sum_i w_i x_ik^2, shift left out in the same way: sparse rows add w (x^2 - 2
 * x shift). */
void gbs_strip_pull_squares(const gbs_strip *b, const double *u, const double *w, double *g,
                            double *h);

/* Y = X C for upper triangular C, variance_i = |Y_i|^2. y has room for n * d. */
void gbs_strip_factor_variance(const gbs_strip *b, const double *c, double *y, double *variance);

/* M += X' diag(w) X, lower triangle of a row-major d x d matrix; w of either sign. scratch has room
 * for n * d. */
void gbs_strip_gram(const gbs_strip *b, const double *w, double *scratch, double *m);

/* The rows as a dense matrix in `out` (n x d), shift subtracted. */
void gbs_strip_densify(const gbs_strip *b, double *out);

/* Every number is finite; one of them is NaN. */
bool gbs_finite(size_t n, const double *x);
bool gbs_any_nan(size_t n, const double *x);

double gbs_dot(size_t n, const double *a, const double *b);
/* sum a_i^2 b_i */
double gbs_square_dot(size_t n, const double *a, const double *b);

#endif
