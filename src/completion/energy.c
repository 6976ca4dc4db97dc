/* The free energy of a completion, exact (docs/maths.md, 8.4).
 *
 *   KL(q || prior) = sum over items 1/2 [ sum_c E(1/gamma_c) E x_c^2 + sum_c E log gamma_c
 *                                         - log det S - own ]
 *                    + sum_c KL(InvGamma || InvGamma) + KL(mu)
 *
 *   noise given:    F = tau/2 sum E (y - p)^2 + KL = lambda r + KL,   lambda = n tau / 2
 *   noise learned:  F = tau/2 sum E (y - p)^2 - n/2 (E log tau - log 2 pi) + KL
 *                       + KL(Gamma || Gamma),   minus the evidence bound
 */
#include "completion/factors.h"
#include "kernel/special.h"

#include <math.h>

/* KL(IG(a1, b1) || IG(a, b)), which is that of the gamma distributions of the inverses. */
static double inverse_gamma_kl(double a1, double b1, double a, double b) {
    int sign; /* lgamma would write to a global */
    return (a1 - a) * gbs_digamma(a1) - lgamma_r(a1, &sign) + lgamma_r(a, &sign) +
           a * (log(b1) - log(b)) + a1 * (b - b1) / b1;
}

static double items_kl(const gbs_factors *f, int s) {
    const gbs_factor_side *side = &f->side[s];
    double items = (double)side->items, own = (double)f->own;
    if (f->is_centred)
        return 0.5 * (side->centred - side->log_det - side->centre.log_det - items * own);
    double sum = -side->log_det - items * own;
    for (size_t c = 0; c < f->own; c++) {
        size_t g = c < f->rank ? c : f->rank + (size_t)s;
        sum += side->weight[c] * side->energy[c] +
               items * (log(f->scale[g]) - gbs_digamma(f->shape[g]));
    }
    return 0.5 * sum;
}

double gbs_factors_kl(const gbs_factors *f) {
    double kl = items_kl(f, 0) + items_kl(f, 1);
    for (size_t g = 0; !f->is_centred && g < f->rank + (f->biases ? 2 : 0); g++)
        kl += inverse_gamma_kl(f->shape[g], f->scale[g], f->prior.shape,
                               g < f->rank ? f->prior.scale : f->prior.bias_scale);
    if (f->biases) {
        double off = f->mu + f->ratings->center - f->prior.mean, v = f->prior.variance;
        kl += 0.5 * (f->mu_variance / v + off * off / v - 1.0 - log(f->mu_variance / v));
    }
    return kl;
}

double gbs_factors_free_energy(const gbs_factors *f) {
    double energy = 0.5 * f->tau * gbs_factors_error(f) + gbs_factors_kl(f);
    if (f->learn_noise)
        energy += 0.5 * (double)f->ratings->n *
                      (log(6.283185307179586476925286766559 * f->tau_scale) -
                       gbs_digamma(f->tau_shape)) +
                  inverse_gamma_kl(f->tau_shape, f->tau_scale, f->prior.noise_shape,
                                   f->prior.noise_scale);
    return energy;
}
