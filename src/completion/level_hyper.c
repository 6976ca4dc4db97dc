/* The hyper-parameters of a side (docs/maths.md, 8.13), N items of weights omega:
 *
 *   G = sum omega phi phi' + diag(E b),  Bm = G^-1 C,  C = sum omega phi m'
 *   W^-1 = w0 I + sum (omega mm' + S) - C'Bm - Bm'C + Bm'G Bm,  E Lambda = (D + 1 + N) W
 *   b_p ~ Ga(1e-3 + D/2, 1e-3 + 1/2 [Bm_p'E Lambda Bm_p + D (G^-1)_pp]),  b = 1 for the intercept
 *   beta = 20 N / sum E tau, but no less than a floor;  w0 = D (D + 1) / tr E Lambda
 *   of a fixed prior: beta ~ Ga(1 + 20 N, 1/20 + sum E tau), and w0 stays
 *
 * Bm may go further along its step: W^-1 is then larger by what is left of it, squared.
 */
#include "completion/hierarchical.h"
#include "kernel/linalg.h"
#include "kernel/special.h"

#include <math.h>
#include <string.h>

/* Between these w0 is kept. The least is what ratings of unit variance are worth at most; below it
 * components that no rating asks for would decide. */
#define LEAST_WIDTH 1.0
#define MOST_WIDTH 1e4

static void add_omega(const void *arg, size_t part, double *sum) {
    const gbs_levels *f = arg;
    for (size_t i = f->part[part]; i < f->part[part + 1]; i++)
        *sum += f->side[0].omega[i];
}

gbs_status gbs_levels_update_rate(gbs_levels *f) {
    double sum = 0.0, items = (double)f->side[0].items;
    gbs_status status = gbs_levels_sum_rows(f, add_omega, &sum);
    f->beta = f->alpha * fmax(GBS_LEVEL_LEAST_NOISE, items / sum);
    if (f->fixed) {
        f->beta_shape = GBS_LEVEL_NOISE_PRIOR + f->alpha * items;
        f->beta_rate = GBS_LEVEL_NOISE_PRIOR / f->alpha + sum;
        f->beta = f->beta_shape / f->beta_rate;
    }
    return status;
}

void gbs_levels_update_relevance(gbs_levels *f, int side) {
    gbs_level_side *s = &f->side[side];
    size_t own = f->own;
    for (size_t p = 1; p < s->features; p++) {
        const double *b = s->coef + p * own;
        double sum = (double)own * s->gram_variance[p];
        for (size_t i = 0; i < own; i++)
            for (size_t j = 0; j < own; j++)
                sum += b[i] * s->precision[i * own + j] * b[j];
        s->relevance_rate[p] = f->relevance_prior + 0.5 * sum;
        s->relevance[p] = (f->relevance_prior + 0.5 * (double)own) / s->relevance_rate[p];
    }
}

/* Wishart of N + D + 1 degrees of freedom: E log|Lambda| = sum psi((nu + 1 - k)/2) + D log 2 +
 * log|W|, k = 1 .. D. */
bool gbs_level_take_scatter(const gbs_levels *f, gbs_level_side *s) {
    size_t own = f->own;
    double freedom = (double)(s->items + own + 1), log_det = 0.0;
    double *inverse = s->precision;
    memcpy(inverse, s->scatter, own * own * sizeof *inverse);
    if (!gbs_cholesky(own, inverse))
        return false;
    for (size_t k = 0; k < own; k++)
        log_det += 2.0 * log(inverse[k * own + k]);
    if (!gbs_lower_inverse(own, inverse))
        return false;
    /* (LL')^-1 = L^-T L^-1, rows of the lower triangle in place from the first on */
    for (size_t i = 0; i < own; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = i; k < own; k++)
                sum += inverse[k * own + i] * inverse[k * own + j];
            inverse[i * own + j] = sum;
        }
    for (size_t i = 0; i < own; i++)
        for (size_t j = 0; j <= i; j++)
            inverse[j * own + i] = inverse[i * own + j] *= freedom;
    s->log_precision = (double)own * M_LN2 - log_det;
    for (size_t k = 1; k <= own; k++)
        s->log_precision += gbs_digamma(0.5 * (freedom + 1.0 - (double)k));
    return isfinite(log_det);
}

void gbs_levels_update_width(gbs_levels *f, int side) {
    const gbs_level_side *s = &f->side[side];
    if (f->fixed)
        return;
    double own = (double)f->own, trace = 0.0;
    for (size_t k = 0; k < f->own; k++)
        trace += s->precision[k * f->own + k];
    f->w0[side] = fmin(MOST_WIDTH, fmax(LEAST_WIDTH, own * (own + 1.0) / trace));
}

/* G = LL' and what is needed of G^-1. */
static bool factor_gram(gbs_level_side *s, double *work) {
    size_t wide = s->features;
    memcpy(s->gram_root, s->weighted, wide * wide * sizeof *s->gram_root);
    for (size_t p = 0; p < wide; p++)
        s->gram_root[p * wide + p] += s->relevance[p];
    if (!gbs_cholesky(wide, s->gram_root))
        return false;
    s->log_gram = 0.0;
    for (size_t p = 0; p < wide; p++)
        s->log_gram += 2.0 * log(s->gram_root[p * wide + p]);
    memcpy(work, s->gram_root, wide * wide * sizeof *work);
    if (!gbs_lower_inverse(wide, work))
        return false;
    memset(s->gram_variance, 0, wide * sizeof *s->gram_variance);
    for (size_t k = 0; k < wide; k++)
        for (size_t p = 0; p <= k; p++)
            s->gram_variance[p] += work[k * wide + p] * work[k * wide + p];
    return true;
}

/* scatter = w0 I + sum (omega mm' + S) - C'Bm - Bm'C + Bm'G Bm. */
static void make_scatter(const gbs_levels *f, double w0, gbs_level_side *s, double *work) {
    size_t own = f->own, wide = s->features;
    double *product = work; /* G Bm - C, so that Bm'(G Bm - C) - C'Bm is left */
    gbs_rows_times(wide, wide, own, s->weighted, s->coef, product);
    for (size_t p = 0; p < wide; p++)
        for (size_t c = 0; c < own; c++)
            product[p * own + c] += s->relevance[p] * s->coef[p * own + c] - s->cross[p * own + c];
    for (size_t k = 0; k < own * own; k++)
        s->scatter[k] = s->second[k] + s->spread[k];
    gbs_add_cross(wide, own, own, s->coef, product, s->scatter);
    for (size_t k = 0; k < wide * own; k++)
        product[k] = -s->coef[k];
    gbs_add_cross(wide, own, own, s->cross, product, s->scatter);
    for (size_t i = 0; i < own; i++) {
        s->scatter[i * own + i] += w0;
        for (size_t j = 0; j < i; j++) /* equal but for rounding */
            s->scatter[i * own + j] = s->scatter[j * own + i];
    }
}

gbs_status gbs_levels_update_hyper(gbs_levels *f, int side, double relax) {
    gbs_level_side *s = &f->side[side];
    size_t own = f->own, wide = s->features;
    double *work = f->work;
    bool sound = factor_gram(s, work);
    if (sound) {
        memcpy(work, s->cross, wide * own * sizeof *work);
        gbs_triangle_solve_columns(GBS_LOWER, wide, s->gram_root, own, work);
        gbs_triangle_solve_columns(GBS_LOWER_TRANSPOSED, wide, s->gram_root, own, work);
        for (size_t k = 0; k < wide * own; k++)
            s->coef[k] += relax * (work[k] - s->coef[k]);
        make_scatter(f, f->w0[side], s, work);
        sound = gbs_level_take_scatter(f, s);
    }
    return sound ? GBS_OK
                 : gbs_fail(f->ctx, GBS_ERR_NUMERIC,
                            "the completion broke down: the spread of the %s is not positive "
                            "definite",
                            side == 0 ? "rows" : "columns");
}
