/* Exponential loss exp(-z) smoothed by a Gaussian margin.
 *
 *   psi(mu, s) = exp(-mu + s^2/2),   d psi/d mu = -psi,   d psi/d s = s psi     (MATHS.md, section 3)
 *
 * Convex in (mu, s). The exponent is formed by one fused operation, so -mu and s^2/2 may cancel without loss. It overflows to
 * infinity where the expectation exceeds the range of double; solvers treat that as a step too far.
 */
#include "kernel/normal.h"
#include "risk/loss.h"

#include <math.h>

static void smoothed(size_t n, const double *mu, const double *s, double *psi, double *d_mu, double *d_s) {
    for (size_t i = 0; i < n; i++)
        psi[i] = fma(0.5 * s[i], s[i], -mu[i]);
    gbs_vector_exp(n, psi, psi);
    for (size_t i = 0; i < n; i++) {
        d_mu[i] = -psi[i];
        d_s[i] = s[i] > 0.0 ? s[i] * psi[i] : 0.0;
    }
}

const gbs_loss_ops gbs_exponential = {"exponential", true, smoothed};
