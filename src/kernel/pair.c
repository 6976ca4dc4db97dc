/* What is done for each pair of rows besides the matrix products and the loss: some ten flops, all
 * of them vectorised. */
#include "kernel/pair.h"

#include "kernel/vector.h"

#include <math.h>
#include <stdbool.h>

GBS_WIDE static size_t moments(size_t n, double a, double q, const double *restrict other_a,
                               const double *restrict other_q, const double *restrict cross,
                               double *restrict mu, double *restrict variance,
                               double *restrict inverse) {
    size_t near = 0;
#pragma omp simd reduction(+ : near)
    for (size_t j = 0; j < n; j++) {
        double sum = q + other_q[j], square = sum - 2.0 * cross[j];
        bool apart = square > GBS_PAIR_NEAR * sum;
        double safe = apart ? square : 1.0, one_over = 1.0 / sqrt(safe);
        mu[j] = a - other_a[j];
        near += apart ? 0 : 1;
        variance[j] = apart ? square : 0.0;
        inverse[j] = apart ? one_over : 0.0;
    }
    return near;
}

size_t gbs_pair_moments(size_t n, double a, double q, const double *other_a, const double *other_q,
                        const double *cross, double *mu, double *variance, double *inverse,
                        size_t *near) {
    size_t count = moments(n, a, q, other_a, other_q, cross, mu, variance, inverse), found = 0;
    for (size_t j = 0; found < count && j < n; j++)
        if (inverse[j] == 0.0)
            near[found++] = j;
    return found;
}

GBS_WIDE static gbs_pair_sums add_signed(size_t n, double weight,
                                         const double *restrict other_weight,
                                         const double *restrict psi, const double *restrict u,
                                         const double *restrict w, const double *restrict variance,
                                         double negligible, double *restrict column_u,
                                         double *restrict column_w, double *restrict kept) {
    double risk = 0.0, square = 0.0, u_sum = 0.0, w_sum = 0.0, spread = 0.0;
#pragma omp simd reduction(+ : risk, square, u_sum, w_sum, spread)
    for (size_t j = 0; j < n; j++) {
        double times = weight * other_weight[j], pull = w[j] * variance[j];
        double here_u = times * u[j], here_w = fabs(pull) >= negligible ? times * w[j] : 0.0;
        risk += times * psi[j];
        square += times * psi[j] * psi[j];
        u_sum += here_u;
        w_sum += here_w;
        spread += times * pull;
        column_u[j] += here_u;
        column_w[j] += here_w;
        kept[j] = here_w;
    }
    return (gbs_pair_sums){.psi = risk, .square = square, .u = u_sum, .w = w_sum, .spread = spread};
}

GBS_WIDE static double add_absolute(size_t n, const double *restrict w, double *restrict column,
                                    double *restrict absolute) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        absolute[j] = fabs(w[j]);
        column[j] += absolute[j];
        sum += absolute[j];
    }
    return sum;
}

gbs_pair_sums gbs_pair_add(size_t n, double weight, const double *other_weight, const double *psi,
                           const double *u, const double *w, const double *variance,
                           double negligible, const gbs_pair_slopes *to) {
    gbs_pair_sums sums = add_signed(n, weight, other_weight, psi, u, w, variance, negligible,
                                    to->column_u, to->column_w, to->w);
    if (to->absolute != NULL)
        sums.absolute = add_absolute(n, to->w, to->column_absolute, to->absolute);
    return sums;
}

GBS_WIDE static gbs_pair_sums add_losses(size_t n, double weight,
                                         const double *restrict other_weight,
                                         const double *restrict psi) {
    double risk = 0.0, square = 0.0;
#pragma omp simd reduction(+ : risk, square)
    for (size_t j = 0; j < n; j++) {
        double times = weight * other_weight[j];
        risk += times * psi[j];
        square += times * psi[j] * psi[j];
    }
    return (gbs_pair_sums){.psi = risk, .square = square};
}

gbs_pair_sums gbs_pair_add_losses(size_t n, double weight, const double *other_weight,
                                  const double *psi) {
    return add_losses(n, weight, other_weight, psi);
}
