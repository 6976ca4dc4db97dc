/* Simulated ratings and slow reference formulas for the tests of matrix completion. */
#ifndef GIBBSITE_TESTS_COMPLETION_SUPPORT_H
#define GIBBSITE_TESTS_COMPLETION_SUPPORT_H

#include "completion/ascent.h"
#include "kernel/moments.h"
#include "support.h"

struct matrix_truth {
    size_t rows, columns, rank, n;
    double noise, *u, *v, *a, *b;
    uint32_t *row, *column;
    double *y;
};

static inline double truth_at(const struct matrix_truth *t, size_t i, size_t j) {
    double x = t->a[i] + t->b[j];
    for (size_t k = 0; k < t->rank; k++)
        x += t->u[i * t->rank + k] * t->v[j * t->rank + k];
    return x;
}

/* Products of variance 1, biases of variance 1/4 about `mean` (biases false: none). */
static inline struct matrix_truth make_truth(uint64_t seed, size_t rows, size_t columns,
                                             size_t rank, size_t n, double noise, double mean,
                                             bool biases) {
    struct dice r = {seed};
    struct matrix_truth t = {rows,
                             columns,
                             rank,
                             n,
                             noise,
                             doubles(rows * rank),
                             doubles(columns * rank),
                             doubles(rows),
                             doubles(columns),
                             take(n, sizeof(uint32_t)),
                             take(n, sizeof(uint32_t)),
                             doubles(n)};
    double scale = rank > 0 ? pow((double)rank, -0.25) : 0.0;
    for (size_t k = 0; k < rows * rank; k++)
        t.u[k] = scale * dice_normal(&r);
    for (size_t k = 0; k < columns * rank; k++)
        t.v[k] = scale * dice_normal(&r);
    for (size_t i = 0; i < rows; i++)
        t.a[i] = biases ? 0.5 * dice_normal(&r) : 0.0;
    for (size_t j = 0; j < columns; j++)
        t.b[j] = mean + (biases ? 0.5 * dice_normal(&r) : 0.0);
    for (size_t e = 0; e < n; e++) {
        t.row[e] = (uint32_t)dice_below(&r, rows);
        t.column[e] = (uint32_t)dice_below(&r, columns);
        t.y[e] = truth_at(&t, t.row[e], t.column[e]) + noise * dice_normal(&r);
    }
    return t;
}

static inline void free_truth(struct matrix_truth *t) {
    free(t->u);
    free(t->v);
    free(t->a);
    free(t->b);
    free(t->row);
    free(t->column);
    free(t->y);
}

static inline gbs_ratings *ratings_of(gbs_context *ctx, const struct matrix_truth *t) {
    gbs_ratings *r;
    assert_int_equal(
        gbs_ratings_create(ctx, t->n, t->rows, t->columns, t->row, t->column, t->y, NULL, NULL, &r),
        GBS_OK);
    return r;
}

static const gbs_completion_prior some_prior = {.shape = 1.5,
                                                .scale = 0.2,
                                                .bias_scale = 0.1,
                                                .mean = 2.0,
                                                .variance = 4.0,
                                                .noise_shape = 2.0,
                                                .noise_scale = 0.1};

static inline gbs_factors started(gbs_context *ctx, const gbs_ratings *r, size_t rank, bool biases,
                                  bool learn) {
    gbs_factors f;
    assert_int_equal(gbs_factors_create(ctx, r, rank, biases, &some_prior, &f), GBS_OK);
    f.learn_noise = learn;
    gbs_factors_start(&f, 0.5, 0.3, 77);
    return f;
}

/* Element (i, j) of item's covariance on a side. */
static inline double cov_at(const gbs_factors *f, int s, size_t item, size_t i, size_t j) {
    size_t low = i < j ? i : j, high = i < j ? j : i;
    return f->side[s].cov[item * gbs_packed_size(f->own) + gbs_packed(f->own, low) + high - low];
}

static inline double mean_at(const gbs_factors *f, int s, size_t item, size_t c) {
    return f->side[s].mean[item * f->own + c];
}

/* E (y - p)^2, from the formula of docs/maths.md, 8.2 with biases: nothing of sweep.c. */
static inline double slow_error(const gbs_factors *f, const struct matrix_truth *t, size_t e) {
    size_t i = t->row[e], j = t->column[e], K = f->rank;
    double p = f->biases ? f->ratings->center + f->mu + mean_at(f, 0, i, K) + mean_at(f, 1, j, K)
                         : 0.0,
           v = 0.0;
    for (size_t k = 0; k < K; k++)
        p += mean_at(f, 0, i, k) * mean_at(f, 1, j, k);
    for (size_t k = 0; k < f->own; k++)
        for (size_t l = 0; l < f->own; l++) {
            double x = (k < K ? mean_at(f, 0, i, k) : 1.0) * (l < K ? mean_at(f, 0, i, l) : 1.0);
            double z = (k < K ? mean_at(f, 1, j, k) : 1.0) * (l < K ? mean_at(f, 1, j, l) : 1.0);
            v += cov_at(f, 1, j, k, l) * x + cov_at(f, 0, i, k, l) * z;
            if (k < K && l < K)
                v += cov_at(f, 0, i, k, l) * cov_at(f, 1, j, k, l);
        }
    return (t->y[e] - p) * (t->y[e] - p) + v + (f->biases ? f->mu_variance : 0.0);
}

/* Gauss and Jordan with pivots on [a | b], d x d and d right-hand sides: the slowest way there is.
 */
static inline void slow_solve(size_t d, double *a, double *b, size_t m) {
    for (size_t k = 0; k < d; k++) {
        size_t best = k;
        for (size_t i = k; i < d; i++)
            best = fabs(a[i * d + k]) > fabs(a[best * d + k]) ? i : best;
        for (size_t j = 0; j < d; j++) {
            double x = a[k * d + j];
            a[k * d + j] = a[best * d + j];
            a[best * d + j] = x;
        }
        for (size_t j = 0; j < m; j++) {
            double x = b[k * m + j];
            b[k * m + j] = b[best * m + j];
            b[best * m + j] = x;
        }
        for (size_t i = 0; i < d; i++) {
            if (i == k)
                continue;
            double c = a[i * d + k] / a[k * d + k];
            for (size_t j = 0; j < d; j++)
                a[i * d + j] -= c * a[k * d + j];
            for (size_t j = 0; j < m; j++)
                b[i * m + j] -= c * b[k * m + j];
        }
    }
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < m; j++)
            b[k * m + j] /= a[k * d + k];
}

#endif
