/* Exponential loss exp(-z) smoothed by a Gaussian margin.
 *
 *   psi(mu, s) = exp(-mu + s^2/2),   d psi/d mu = -psi,   d psi/d s = s psi    (docs/maths.md, 3.4)
 *
 * Convex in (mu, s). The exponent is formed by one fused operation, so -mu and s^2/2 may cancel
 * without loss. It overflows to infinity where the expectation exceeds the range of double; solvers
 * treat that as a step too far.
 */
#include "kernel/exponential.h"
#include "kernel/normal.h"
#include "kernel/tile.h"
#include "risk/loss.h"

#include <math.h>

/* w = psi: the partial in s is s psi. */
static void paired(size_t n, const double *mu, const double *variance, const double *inverse,
                   double *psi, double *d_mu, double *w) {
    for (size_t i = 0; i < n; i++) {
        double here = inverse[i] > 0.0 ? exp(0.5 * variance[i] - mu[i]) : 0.0;
        psi[i] = w[i] = here;
        d_mu[i] = -here;
    }
}

static void smoothed(size_t n, const double *mu, const double *s, double *psi, double *d_mu,
                     double *d_s) {
    for (size_t i = 0; i < n; i++)
        psi[i] = fma(0.5 * s[i], s[i], -mu[i]);
    gbs_vector_exp(n, psi, psi);
    for (size_t i = 0; i < n; i++) {
        d_mu[i] = -psi[i];
        d_s[i] = s[i] > 0.0 ? s[i] * psi[i] : 0.0;
    }
}

/* exp(-(a - b)) is a product: two sums, each relative to its largest term. */
static double add_pairs(size_t n, const double *a, size_t m, const double *b) {
    double up = 0.0, down = 0.0;
    if (n == 0 || m == 0)
        return 0.0;
    for (size_t i = 0; i < n; i++)
        up += exp(a[0] - a[i]);
    for (size_t j = 0; j < m; j++)
        down += exp(b[j] - b[m - 1]);
    return exp(b[m - 1] - a[0]) * up * down;
}

const gbs_loss_ops gbs_exponential = {.pointwise = {.name = "exponential",
                                                    .smoothed = smoothed,
                                                    .paired = paired,
                                                    .add_lanes = gbs_lanes_add_exp,
                                                    .add_ring = gbs_lanes_add_exp_ring,
                                                    .state_cost = 20.0,
                                                    .add_pairs = add_pairs},
                                      .convex = true};
