/* The hierarchical model of a matrix, for its tests: a started posterior, and the free energy
 * written out rating by rating and item by item, with nothing of the library's sums. */
#ifndef GIBBSITE_TESTS_LEVELS_SUPPORT_H
#define GIBBSITE_TESTS_LEVELS_SUPPORT_H

#include "completion/level_ascent.h"
#include "completion/positions.h"
#include "completion_support.h"
#include "kernel/special.h"

struct levels_case {
    struct matrix_truth truth;
    gbs_ratings *ratings;
    double *phi[2];
    size_t features[2];
    gbs_levels f;
};

static inline struct levels_case make_levels(gbs_context *ctx, uint64_t seed, size_t rows,
                                             size_t columns, size_t n, size_t rank, bool positions,
                                             bool single) {
    struct levels_case c = {.truth = make_truth(seed, rows, columns, 2, n, 0.5, 3.0, true)};
    c.ratings = ratings_of(ctx, &c.truth);
    assert_int_equal(gbs_position_features(ctx, c.ratings, positions, 5, c.phi, c.features),
                     GBS_OK);
    assert_int_equal(gbs_levels_create(ctx, c.ratings, rank, c.phi, c.features, single, &c.f),
                     GBS_OK);
    assert_int_equal(gbs_levels_start(&c.f, 6), GBS_OK);
    return c;
}

static inline void free_levels(gbs_context *ctx, struct levels_case *c) {
    gbs_levels_free(&c->f);
    gbs_array_free(ctx, c->phi[0]);
    gbs_array_free(ctx, c->phi[1]);
    gbs_ratings_free(c->ratings);
    free_truth(&c->truth);
}

static inline double level_cov(const gbs_levels *f, int s, size_t item, size_t i, size_t j) {
    size_t low = i < j ? i : j, high = i < j ? j : i;
    return f->side[s].cov[item * gbs_packed_size(f->own) + gbs_packed(f->own, low) + high - low];
}

/* log|a| by elimination with pivots; a is destroyed. */
static inline double slow_log_det(size_t d, double *a) {
    double sum = 0.0;
    for (size_t k = 0; k < d; k++) {
        size_t best = k;
        for (size_t i = k; i < d; i++)
            best = fabs(a[i * d + k]) > fabs(a[best * d + k]) ? i : best;
        for (size_t j = 0; j < d; j++) {
            double x = a[k * d + j];
            a[k * d + j] = a[best * d + j];
            a[best * d + j] = x;
        }
        sum += log(fabs(a[k * d + k]));
        for (size_t i = k + 1; i < d; i++) {
            double c = a[i * d + k] / a[k * d + k];
            for (size_t j = k; j < d; j++)
                a[i * d + j] -= c * a[k * d + j];
        }
    }
    return sum;
}

static inline void slow_inverse(size_t d, const double *a, double *out) {
    double *copy = doubles(d * d);
    memcpy(copy, a, d * d * sizeof *copy);
    memset(out, 0, d * d * sizeof *out);
    for (size_t k = 0; k < d; k++)
        out[k * d + k] = 1.0;
    slow_solve(d, copy, out, d);
    free(copy);
}

static inline double slow_gamma_kl(double a1, double b1, double a, double b) {
    return (a1 - a) * gbs_digamma(a1) - lgamma(a1) + lgamma(a) + a * (log(b1) - log(b)) +
           a1 * (b - b1) / b1;
}

/* Minus the expected log likelihood. */
static inline double slow_loss(const gbs_levels *f, const struct matrix_truth *t) {
    size_t K = f->rank;
    double sum = 0.0;
    for (size_t e = 0; e < t->n; e++) {
        size_t i = t->row[e], j = t->column[e];
        double omega = f->shape[i] / f->rate[i], p = 0.0, v = 0.0,
               y = (t->y[e] - f->ratings->center) / f->scale;
        for (size_t k = 0; k <= K; k++) {
            double x = f->side[0].mean[i * f->own + k], z = f->side[1].mean[j * f->own + k];
            p += k < K ? x * z : x + z;
            for (size_t l = 0; l <= K; l++) {
                double xl = f->side[0].mean[i * f->own + l], zl = f->side[1].mean[j * f->own + l];
                double s = level_cov(f, 0, i, k, l), c = level_cov(f, 1, j, k, l);
                v += s * (k < K ? z : 1.0) * (l < K ? zl : 1.0) +
                     omega * c * (k < K ? x : 1.0) * (l < K ? xl : 1.0);
                v += k < K && l < K ? s * c : 0.0;
            }
        }
        sum += 0.5 * (omega * (y - p) * (y - p) + v) -
               0.5 * (gbs_digamma(f->shape[i]) - log(f->rate[i]) - log(2.0 * M_PI)) + log(f->scale);
    }
    return sum;
}

/* KL of the items of a side, given moments of its Lambda and B. */
static inline double slow_items(const gbs_levels *f, int s, const double *precision,
                                double log_precision, const double *gram_inverse) {
    const gbs_level_side *side = &f->side[s];
    size_t D = f->own, P = side->features;
    double sum = 0.0, *gap = doubles(D), *cov = doubles(D * D);
    for (size_t i = 0; i < side->items; i++) {
        const double *phi = side->phi + i * P;
        double omega = s == 0 ? f->shape[i] / f->rate[i] : 1.0, lever = 0.0, trace = 0.0,
               square = 0.0;
        for (size_t p = 0; p < P; p++)
            for (size_t q = 0; q < P; q++)
                lever += phi[p] * gram_inverse[p * P + q] * phi[q];
        for (size_t c = 0; c < D; c++) {
            gap[c] = side->mean[i * D + c];
            for (size_t p = 0; p < P; p++)
                gap[c] -= side->coef[p * D + c] * phi[p];
        }
        for (size_t c = 0; c < D; c++)
            for (size_t d = 0; d < D; d++) {
                cov[c * D + d] = level_cov(f, s, i, c, d);
                trace += precision[c * D + d] * cov[c * D + d];
                square += precision[c * D + d] * gap[c] * gap[d];
            }
        sum += 0.5 * (trace + omega * (square + (double)D * lever) - log_precision -
                      slow_log_det(D, cov) - (double)D);
        if (s == 0)
            sum += slow_gamma_kl(f->shape[i], f->rate[i], f->alpha, f->beta);
        if (s == 0 && f->fixed) /* the mean of log beta, in place of the log of its mean */
            sum += f->alpha * (log(f->beta) - gbs_digamma(f->beta_shape) + log(f->beta_rate));
    }
    free(gap), free(cov);
    return sum;
}

static inline double slow_wishart_kl(const gbs_levels *f, int s, double log_w, double log_precision,
                                     const double *w) {
    const gbs_level_side *side = &f->side[s];
    size_t D = f->own;
    double nu = (double)(side->items + D + 1), nu0 = (double)(D + 1), d = (double)D, trace = 0.0,
           kl = 0.0;
    for (size_t k = 0; k < D; k++) {
        trace += w[k * D + k];
        kl += lgamma(0.5 * (nu0 - (double)k)) - lgamma(0.5 * (nu - (double)k));
    }
    kl += 0.5 * (nu - nu0) * log_precision - 0.5 * nu * d + 0.5 * nu * f->w0[s] * trace;
    kl -= 0.5 * nu * (log_w + d * log(2.0));
    return kl + 0.5 * nu0 * (-d * log(f->w0[s]) + d * log(2.0));
}

/* KL of a side's items, B, Lambda and b, from mean, cov, coef, gram_root, scatter and
 * relevance_rate alone. */
static inline double slow_side(const gbs_levels *f, int s) {
    const gbs_level_side *side = &f->side[s];
    size_t D = f->own, P = side->features;
    double *w = doubles(D * D), *precision = doubles(D * D), *gram = doubles(P * P),
           *inverse = doubles(P * P), *copy = doubles(D * D > P * P ? D * D : P * P);
    double nu = (double)(side->items + D + 1), d = (double)D, sum = 0.0;
    slow_inverse(D, side->scatter, w);
    memcpy(copy, w, D * D * sizeof *copy);
    double log_w = slow_log_det(D, copy), log_precision = log_w + d * log(2.0);
    for (size_t k = 0; k < D; k++)
        log_precision += gbs_digamma(0.5 * (nu - (double)k));
    for (size_t k = 0; k < D * D; k++)
        precision[k] = nu * w[k];
    for (size_t p = 0; p < P; p++)
        for (size_t q = 0; q < P; q++)
            for (size_t k = 0; k < P; k++)
                gram[p * P + q] += side->gram_root[p * P + k] * side->gram_root[q * P + k];
    slow_inverse(P, gram, inverse);
    memcpy(copy, gram, P * P * sizeof *copy);
    sum += 0.5 * d * slow_log_det(P, copy) + slow_items(f, s, precision, log_precision, inverse) +
           slow_wishart_kl(f, s, log_w, log_precision, w);
    for (size_t p = 0; p < P; p++) {
        double shape = f->relevance_prior + 0.5 * d, rate = side->relevance_rate[p],
               b = p == 0 ? 1.0 : shape / rate,
               log_b = p == 0 ? 0.0 : gbs_digamma(shape) - log(rate),
               square = d * inverse[p * P + p];
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++)
                square += side->coef[p * D + i] * precision[i * D + j] * side->coef[p * D + j];
        sum += 0.5 * (b * square - d - d * log_b);
        if (p > 0)
            sum += slow_gamma_kl(shape, rate, f->relevance_prior, f->relevance_prior);
    }
    free(w), free(precision), free(gram), free(inverse), free(copy);
    return sum;
}

static inline double slow_free_energy(const gbs_levels *f, const struct matrix_truth *t) {
    double beta = f->fixed ? slow_gamma_kl(f->beta_shape, f->beta_rate, 1.0, 1.0 / f->alpha) : 0.0;
    return slow_loss(f, t) + slow_side(f, 0) + slow_side(f, 1) + beta;
}

#endif
