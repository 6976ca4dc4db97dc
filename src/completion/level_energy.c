/* The free energy of the hierarchical model (docs/maths.md, 8.15).
 *
 *   F = 1/2 sum E tau (y - p)^2
 *     + sum_i {-n_i/2 (E log tau_i - log 2 pi) + KL(Ga_i || Ga(20, beta))}
 *     + sum over sides { sum over items 1/2 [tr E Lambda S + omega ((m - c)'E Lambda (m - c)
 *         + D phi'G^-1 phi) - E log|Lambda| - log|S| - D]
 *       + 1/2 [sum_p (E b_p (Bm_p'E Lambda Bm_p + D (G^-1)_pp) - D - D E log b_p) + D log|G|]
 *       + sum_p KL(b_p) + KL(Wishart) } + n log scale
 *
 * and, of a fixed prior, E log beta in place of log beta and KL(q(beta)) (8.22). All from
 * sums: sum omega (m - c)(m - c)' = sum omega mm' - C'Bm - Bm'C + Bm'(sum omega phi
 * phi')Bm.
 */
#include "completion/hierarchical.h"
#include "kernel/linalg.h"
#include "kernel/special.h"

#include <math.h>

/* log of the multivariate gamma function of x in D dimensions. */
static double log_gamma_many(size_t d, double x) {
    double sum = 0.25 * (double)(d * (d - 1)) * log(M_PI);
    int sign;
    for (size_t k = 0; k < d; k++)
        sum += lgamma_r(x - 0.5 * (double)k, &sign);
    return sum;
}

/* log|W| from E log|Lambda|. */
static double log_scale(const gbs_levels *f, const gbs_level_side *s) {
    double freedom = (double)(s->items + f->own + 1), x = s->log_precision - (double)f->own * M_LN2;
    for (size_t k = 1; k <= f->own; k++)
        x -= gbs_digamma(0.5 * (freedom + 1.0 - (double)k));
    return x;
}

/* KL(W(nu, W) || W(nu0, I/w0)). */
static double wishart_kl(const gbs_levels *f, int side) {
    const gbs_level_side *s = &f->side[side];
    double own = (double)f->own, nu = (double)(s->items + f->own + 1), nu0 = own + 1.0, trace = 0.0,
           log_w = log_scale(f, s);
    for (size_t k = 0; k < f->own; k++)
        trace += s->precision[k * f->own + k];
    return 0.5 * (nu - nu0) * s->log_precision - 0.5 * nu * own + 0.5 * f->w0[side] * trace -
           0.5 * nu * (log_w + own * M_LN2) - log_gamma_many(f->own, 0.5 * nu) +
           0.5 * nu0 * own * (M_LN2 - log(f->w0[side])) + log_gamma_many(f->own, 0.5 * nu0);
}

/* KL(Ga(a1, b1) || Ga(a, b)). */
static double gamma_kl(double a1, double b1, double a, double b) {
    int sign;
    return (a1 - a) * gbs_digamma(a1) - lgamma_r(a1, &sign) + lgamma_r(a, &sign) +
           a * (log(b1) - log(b)) + a1 * (b - b1) / b1;
}

/* KL of q(b_p) and the terms in which it meets q(B). */
static double relevance_terms(const gbs_levels *f, const gbs_level_side *s) {
    double own = (double)f->own, a = f->relevance_prior, a1 = a + 0.5 * own, sum = 0.0;
    for (size_t p = 0; p < s->features; p++) {
        double quadratic = own * s->gram_variance[p], rate = s->relevance_rate[p];
        for (size_t i = 0; i < f->own; i++)
            for (size_t j = 0; j < f->own; j++)
                quadratic += s->coef[p * f->own + i] * s->precision[i * f->own + j] *
                             s->coef[p * f->own + j];
        sum += 0.5 * (s->relevance[p] * quadratic - own);
        if (p == 0)
            continue;
        sum -= 0.5 * own * (gbs_digamma(a1) - log(rate));
        sum += gamma_kl(a1, rate, a, a);
    }
    return sum + 0.5 * own * s->log_gram;
}

/* tr E Lambda [sum S + sum omega (m - c)(m - c)'] + D tr G^-1 sum omega phi phi'. */
static double item_traces(const gbs_levels *f, const gbs_level_side *s, double *work) {
    size_t own = f->own, wide = s->features;
    double *product = work, *root = work + wide * own, sum = 0.0;
    gbs_rows_times(wide, wide, own, s->weighted, s->coef, product);
    for (size_t i = 0; i < own; i++)
        for (size_t j = 0; j < own; j++) {
            double x = s->spread[i * own + j] + s->second[i * own + j];
            for (size_t p = 0; p < wide; p++)
                x += s->coef[p * own + i] * (product[p * own + j] - 2.0 * s->cross[p * own + j]);
            sum += s->precision[i * own + j] * x;
        }
    /* tr (LL')^-1 M = tr L^-1 M L^-T */
    for (size_t k = 0; k < wide * wide; k++)
        root[k] = s->weighted[k];
    gbs_triangle_solve_columns(GBS_LOWER, wide, s->gram_root, wide, root);
    gbs_rows_solve_triangle(GBS_LOWER_TRANSPOSED, wide, s->gram_root, wide, root);
    for (size_t p = 0; p < wide; p++)
        sum += (double)own * root[p * wide + p];
    return sum;
}

static double log_beta(const gbs_levels *f) {
    return f->fixed ? gbs_digamma(f->beta_shape) - log(f->beta_rate) : log(f->beta);
}

/* Those of a part's rows. After a half sweep the shape is alpha + n_i/2 and the digammas cancel. */
static void add_scales(const void *arg, size_t part, double *sum) {
    const gbs_levels *f = arg;
    const size_t *start = f->ratings->by[0].start;
    int sign;
    double log_b = log_beta(f), prior = lgamma_r(f->alpha, &sign);
    for (size_t i = f->part[part]; i < f->part[part + 1]; i++) {
        double shape = f->shape[i], log_rate = log(f->rate[i]),
               excess = shape - f->alpha - 0.5 * (double)(start[i + 1] - start[i]);
        *sum += shape * log_rate - lgamma_r(shape, &sign) - shape + prior - f->alpha * log_b +
                f->beta * f->side[0].omega[i];
        if (excess != 0.0)
            *sum += excess * (gbs_digamma(shape) - log_rate);
    }
}

/* -n_i/2 (E log tau_i - log 2 pi) + KL(q(tau_i) || Ga(alpha, beta)), and the units. */
static double scale_terms(const gbs_levels *f) {
    double sum = (double)f->ratings->n * (log(f->scale) + 0.5 * log(2.0 * M_PI));
    if (f->fixed)
        sum += gamma_kl(f->beta_shape, f->beta_rate, GBS_LEVEL_NOISE_PRIOR,
                        GBS_LEVEL_NOISE_PRIOR / f->alpha);
    return gbs_levels_sum_rows(f, add_scales, &sum) == GBS_OK ? sum : NAN;
}

double gbs_levels_free_energy(const gbs_levels *f) {
    double energy = 0.5 * f->error + scale_terms(f);
    for (int k = 0; k < 2; k++) {
        const gbs_level_side *s = &f->side[k];
        double items = (double)s->items, own = (double)f->own;
        energy += 0.5 * (item_traces(f, s, f->work) - items * s->log_precision - s->log_det -
                         items * own) +
                  relevance_terms(f, s) + wishart_kl(f, k);
    }
    return energy;
}

double gbs_levels_expected_loss(const gbs_levels *f) {
    const size_t *start = f->ratings->by[0].start;
    double loss = 0.5 * f->error + (double)f->ratings->n * (log(f->scale) + 0.5 * log(2.0 * M_PI));
    for (size_t i = 0; i < f->side[0].items; i++)
        loss -= 0.5 * (double)(start[i + 1] - start[i]) *
                (gbs_digamma(f->shape[i]) - log(f->rate[i]));
    return loss;
}
