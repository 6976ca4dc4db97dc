/* Loops over pairs of rows: one row against many others, whose inner products x_i'S x_j are known
 * already. */
#ifndef GIBBSITE_KERNEL_PAIR_H
#define GIBBSITE_KERNEL_PAIR_H

#include <stddef.h>

/* q_i + q_j - 2 cross is good to some 1e-15 of q_i + q_j; above this share of it s^2 keeps eleven
 * digits. */
#define GBS_PAIR_NEAR 1e-4

/* Mean, variance and one over the standard deviation of z = (x_i - x_j)'theta for one i and n
 * others j, from a = x'm, q = x'Sx and cross_j = x_i'S x_j: mu = a_i - a_j,  s^2 = q_i + q_j - 2
 * cross. Returns how many pairs are so near each other that s^2 has lost digits by cancellation,
 * and their places in `near` (room for n): for them s^2 and 1/s are set to 0. */
size_t gbs_pair_moments(size_t n, double a, double q, const double *other_a, const double *other_q,
                        const double *cross, double *mu, double *variance, double *inverse,
                        size_t *near);

/* Sums over the pairs of one row. */
typedef struct gbs_pair_sums {
    double psi, square; /* of psi and psi^2, weighted */
    double u, w;        /* of the slopes d psi/d mu, and of w = (d psi/d s)/s */
    double absolute;    /* of |w| */
    double spread;      /* of w s^2 */
} gbs_pair_sums;

/* Where a row's slopes go, n of each. column_absolute and absolute: NULL when |w| is not asked for.
 */
typedef struct gbs_pair_slopes {
    double *column_u, *column_w, *column_absolute; /* added to */
    double *w, *absolute;                          /* set */
} gbs_pair_slopes;

/* psi, u = d psi/d mu and w = (d psi/d s)/s of n pairs, each counted weight * other_weight[j]
 * times. |w| s^2 below `negligible` counts as 0. */
gbs_pair_sums gbs_pair_add(size_t n, double weight, const double *other_weight, const double *psi,
                           const double *u, const double *w, const double *variance,
                           double negligible, const gbs_pair_slopes *to);
/* The sums of psi and psi^2 alone. */
gbs_pair_sums gbs_pair_add_losses(size_t n, double weight, const double *other_weight,
                                  const double *psi);

/* Sums of Phi(-mu/s) and its square over the pairs of one row, each counted other_weight[j] times.
 * Returns how many pairs are near each other; these are left out, and gbs_pair_find_near says which
 * they are. */
size_t gbs_pair_tails(size_t n, double a, double q, const double *other_a, const double *other_q,
                      const double *cross, const double *other_weight, double *sum,
                      double *square_sum);
size_t gbs_pair_find_near(size_t n, double q, const double *other_q, const double *cross,
                          size_t *near);

#endif
