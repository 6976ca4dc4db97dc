/* The zero-one loss of a row against many others, in one go: what the risk over all pairs takes its
 * time with.
 *
 *   t = (a_i - a_j) / s,  s^2 = q_i + q_j - 2 x_i'S x_j;   sums of Phi(-t) and Phi(-t)^2
 *
 * with Phi as in mills.c.
 */
#include "kernel/mills.h"
#include "kernel/pair.h"
#include "kernel/vector.h"

#include <math.h>
#include <stdbool.h>

GBS_WIDE size_t gbs_pair_tails(size_t n, double a, double q, const double *restrict other_a,
                               const double *restrict other_q, const double *restrict cross,
                               const double *restrict other_weight, double *sum,
                               double *square_sum) {
    double first = 0.0, second = 0.0;
    size_t near = 0;
#pragma omp simd reduction(+ : near, first, second)
    for (size_t j = 0; j < n; j++) {
        double both = q + other_q[j], square = both - 2.0 * cross[j], mu = a - other_a[j];
        bool apart = square > GBS_PAIR_NEAR * both;
        double t = mu / sqrt(apart ? square : 1.0), x = t < 0.0 ? -t : t;
        x = x < GBS_FAR_TAIL ? x : GBS_FAR_TAIL; /* the density is 0 there */
        double over = 1.0 / (x + GBS_MILLS_CENTRE), u = 1.0 - 2.0 * GBS_MILLS_CENTRE * over;
        double tail = gbs_density_at(x) * (gbs_mills(u) * over), psi = t > 0.0 ? tail : 1.0 - tail;
        double counted = apart ? other_weight[j] : 0.0;
        near += apart ? 0 : 1;
        first += counted * psi;
        second += counted * psi * psi;
    }
    *sum = first;
    *square_sum = second;
    return near;
}

size_t gbs_pair_find_near(size_t n, double q, const double *other_q, const double *cross,
                          size_t *near) {
    size_t found = 0;
    for (size_t j = 0; j < n; j++) {
        double both = q + other_q[j];
        if (!(both - 2.0 * cross[j] > GBS_PAIR_NEAR * both))
            near[found++] = j;
    }
    return found;
}
