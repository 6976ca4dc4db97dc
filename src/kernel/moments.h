/* Many small regressions at once: sums of records over lists of neighbours, and Gaussians of a few
 * dozen dimensions. A symmetric matrix of dimension t is packed as the rows of its upper triangle:
 * element (i, j), i <= j, at gbs_packed(t, i) + j - i. */
#ifndef GIBBSITE_KERNEL_MOMENTS_H
#define GIBBSITE_KERNEL_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t gbs_packed(size_t t, size_t i) {
    return i * t - i * (i - 1) / 2;
}

static inline size_t gbs_packed_size(size_t t) {
    return t * (t + 1) / 2;
}

/* A record holds `plain` numbers to be summed, then `weighted` numbers to be summed times y +
 * shift: sum += records[other[e]], e < count. stride is a multiple of 8, plain and weighted need
 * not be; sum has room for a record. */
void gbs_sum_records(size_t count, const uint32_t *other, const double *y, double shift,
                     const double *records, size_t stride, size_t plain, size_t weighted,
                     double *sum);

/* The record of z = (factors, 1, offset) from mean and packed covariance of (factors, offset), or
 * of (factors) alone without biases: packed E zz', then E z. cov NULL: none (a draw, known
 * exactly). */
void gbs_record_write(size_t rank, bool biases, const double *mean, const double *cov,
                      double *record);

/* a: d x d, upper triangle of a positive definite P = U'U, destroyed. l: d x d, becomes U'^-1
 * (lower triangle, rows). *log_det that of P. False: not positive definite. P^-1 = l'l. */
bool gbs_small_factor(size_t d, double *a, double *l, double *log_det);
/* out = P^-1, packed. */
void gbs_small_inverse(size_t d, const double *l, double *out);
/* x = P^-1 b + U^-1 e; e NULL: none. scratch has room for d. */
void gbs_small_solve(size_t d, const double *l, const double *b, const double *e, double *scratch,
                     double *x);

/* x'Sx; sum of the products of two packed matrices' elements, of their leading k x k parts, as full
 * matrices. */
double gbs_packed_quadratic(size_t t, const double *s, const double *x);
double gbs_packed_inner(size_t k, size_t ta, const double *a, size_t tb, const double *b);

#endif
