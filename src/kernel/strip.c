/* Sums over a strip of rows. A dense strip is small enough to stay in the second-level cache, so
 * that several passes over it cost one pass over memory; the level-3 sums go to BLAS. */
#include "kernel/strip.h"

#include "kernel/strip_sparse.h"
#include "kernel/vector.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

GBS_WIDE double gbs_dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

GBS_WIDE double gbs_square_dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += a[i] * a[i] * b[i];
    return sum;
}

/* 0 times infinity, and times NaN, is NaN. */
GBS_WIDE bool gbs_finite(size_t n, const double *x) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += 0.0 * x[i];
    return sum == 0.0;
}

GBS_WIDE bool gbs_any_nan(size_t n, const double *x) {
    size_t count = 0;
#pragma omp simd reduction(+ : count)
    for (size_t i = 0; i < n; i++)
        count += x[i] != x[i];
    return count > 0;
}

/* ---------------------------------------------------------------- norms */

GBS_WIDE static void dense_norms(const gbs_strip *b, double *restrict norm2) {
    size_t d = b->d;
    for (size_t i = 0; i < b->n; i++) {
        const double *restrict x = b->dense + i * b->ld;
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (size_t k = 0; k < d; k++)
            sum += x[k] * x[k];
        norm2[i] = sum;
    }
}

/* |x - c|^2 = sum over the non-zeros of x (x - 2c), plus |c|^2. */
static void sparse_norms(const gbs_strip *b, double shift_norm2, double *norm2) {
    for (size_t i = 0; i < b->n; i++) {
        const size_t *s = b->start + i * b->stride;
        double sum = shift_norm2;
        for (size_t k = s[0]; k < s[1]; k++) {
            double x = b->value[k];
            sum += x * (b->shift != NULL ? x - 2.0 * b->shift[b->column[k]] : x);
        }
        norm2[i] = sum < 0.0 ? 0.0 : sum; /* NaN stays NaN */
    }
}

void gbs_strip_norms(const gbs_strip *b, double shift_norm2, double *norm2) {
    if (b->dense == NULL)
        sparse_norms(b, shift_norm2, norm2);
    else
        dense_norms(b, norm2);
}

/* ---------------------------------------------------------------- scores */

static void sparse_scores(const gbs_strip *b, const double *m, double shift_dot, double *score) {
    for (size_t i = 0; i < b->n; i++) {
        const size_t *s = b->start + i * b->stride;
        double sum = 0.0;
        for (size_t k = s[0]; k < s[1]; k++)
            sum += b->value[k] * m[b->column[k]];
        score[i] = sum - shift_dot;
    }
}

void gbs_strip_scores(const gbs_strip *b, const double *m, double shift_dot, double *score) {
    if (b->dense == NULL)
        sparse_scores(b, m, shift_dot, score);
    else
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)b->n, (int)b->d, 1.0, b->dense, (int)b->ld, m,
                    1, 0.0, score, 1);
}

GBS_WIDE static void dense_scores_squares(const gbs_strip *b, const double *restrict m,
                                          const double *restrict tau, double *restrict score,
                                          double *restrict variance) {
    size_t d = b->d;
    for (size_t i = 0; i < b->n; i++) {
        const double *restrict x = b->dense + i * b->ld;
        double a = 0.0, q = 0.0;
#pragma omp simd reduction(+ : a, q)
        for (size_t k = 0; k < d; k++) {
            a += x[k] * m[k];
            q += x[k] * x[k] * tau[k];
        }
        score[i] = a;
        variance[i] = q;
    }
}

/* sum_k (x_k - c_k)^2 tau_k = sum over the non-zeros of x (x - 2c) tau, plus sum c^2 tau. */
static void sparse_scores_squares(const gbs_strip *b, const double *m, const double *tau,
                                  double shift_dot, double shift_square, double *score,
                                  double *variance) {
    for (size_t i = 0; i < b->n; i++) {
        const size_t *s = b->start + i * b->stride;
        double a = 0.0, q = 0.0;
        for (size_t k = s[0]; k < s[1]; k++) {
            double x = b->value[k];
            uint32_t j = b->column[k];
            double y = b->shift != NULL ? x - 2.0 * b->shift[j] : x;
            a += x * m[j];
            q += x * y * (tau != NULL ? tau[j] : 1.0);
        }
        double square = q + shift_square;
        score[i] = a - shift_dot;
        variance[i] = square < 0.0 ? 0.0 : square; /* NaN stays NaN */
    }
}

void gbs_strip_scores_squares(const gbs_strip *b, const double *m, const double *tau,
                              double shift_dot, double shift_square, double *score,
                              double *variance) {
    if (b->dense == NULL) {
        sparse_scores_squares(b, m, tau, shift_dot, shift_square, score, variance);
    } else if (tau == NULL) {
        gbs_strip_scores(b, m, shift_dot, score);
        dense_norms(b, variance);
    } else {
        dense_scores_squares(b, m, tau, score, variance);
    }
}

/* ---------------------------------------------------------------- pull-backs */

void gbs_strip_pull(const gbs_strip *b, const double *u, double *g) {
    if (b->dense != NULL) {
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)b->n, (int)b->d, 1.0, b->dense, (int)b->ld, u,
                    1, 1.0, g, 1);
        return;
    }
    for (size_t i = 0; i < b->n; i++) {
        const size_t *s = b->start + i * b->stride;
        for (size_t k = s[0]; k < s[1]; k++)
            g[b->column[k]] += u[i] * b->value[k];
    }
}

/* Four rows at a time: g and h are loaded and stored once for the four. */
GBS_WIDE static void dense_pull_squares(const gbs_strip *b, const double *restrict u,
                                        const double *restrict w, double *restrict g,
                                        double *restrict h) {
    size_t d = b->d, i = 0;
    for (; i + 4 <= b->n; i += 4) {
        const double *x0 = b->dense + i * b->ld, *x1 = x0 + b->ld, *x2 = x1 + b->ld,
                     *x3 = x2 + b->ld;
        for (size_t k = 0; k < d; k++) {
            g[k] += (u[i] * x0[k] + u[i + 1] * x1[k]) + (u[i + 2] * x2[k] + u[i + 3] * x3[k]);
            h[k] += (w[i] * x0[k] * x0[k] + w[i + 1] * x1[k] * x1[k]) +
                    (w[i + 2] * x2[k] * x2[k] + w[i + 3] * x3[k] * x3[k]);
        }
    }
    for (; i < b->n; i++) {
        const double *x = b->dense + i * b->ld;
        for (size_t k = 0; k < d; k++) {
            g[k] += u[i] * x[k];
            h[k] += w[i] * x[k] * x[k];
        }
    }
}

static void sparse_pull_squares(const gbs_strip *b, const double *u, const double *w, double *g,
                                double *h) {
    for (size_t i = 0; i < b->n; i++) {
        const size_t *s = b->start + i * b->stride;
        for (size_t k = s[0]; k < s[1]; k++) {
            double x = b->value[k];
            uint32_t j = b->column[k];
            g[j] += u[i] * x;
            h[j] += w[i] * x * (b->shift != NULL ? x - 2.0 * b->shift[j] : x);
        }
    }
}

void gbs_strip_pull_squares(const gbs_strip *b, const double *u, const double *w, double *g,
                            double *h) {
    if (b->dense == NULL)
        sparse_pull_squares(b, u, w, g, h);
    else
        dense_pull_squares(b, u, w, g, h);
}

/* ---------------------------------------------------------------- level 3 */

void gbs_strip_densify(const gbs_strip *b, double *out) {
    for (size_t i = 0; i < b->n; i++) {
        double *row = out + i * b->d;
        if (b->dense != NULL) {
            memcpy(row, b->dense + i * b->ld, b->d * sizeof *row);
            continue;
        }
        for (size_t j = 0; j < b->d; j++)
            row[j] = b->shift != NULL ? -b->shift[j] : 0.0;
        const size_t *s = b->start + i * b->stride;
        for (size_t k = s[0]; k < s[1]; k++)
            row[b->column[k]] += b->value[k];
    }
}

void gbs_strip_factor_variance(const gbs_strip *b, const double *c, double *y, double *variance) {
    if (gbs_sparse_factor_pays(b)) {
        gbs_sparse_factor_variance(b, c, y, variance);
        return;
    }
    int n = (int)b->n, d = (int)b->d;
    gbs_strip_densify(b, y);
    cblas_dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, n, d, 1.0, c, d,
                y, d);
    for (size_t i = 0; i < b->n; i++)
        variance[i] = gbs_dot(b->d, y + i * b->d, y + i * b->d);
}

GBS_WIDE static void scale_row(size_t d, double by, const double *x, double *out) {
    for (size_t k = 0; k < d; k++)
        out[k] = by * x[k];
}

/* Rows are gathered by the sign of their weight, scaled by sqrt|w|, and handed to dsyrk: half the
 * flops of a product X'(wX). Rows of weight 0 (far from the margin) are left out altogether. */
void gbs_strip_gram(const gbs_strip *b, const double *w, double *scratch, double *m) {
    size_t d = b->d;
    if (gbs_sparse_gram_pays(b)) {
        gbs_sparse_gram(b, w, scratch, m);
        return;
    }
    for (int sign = 1; sign >= -1; sign -= 2) {
        size_t rows = 0;
        for (size_t i = 0; i < b->n; i++) {
            if (!(sign * w[i] > 0.0))
                continue;
            double root = sqrt(fabs(w[i]));
            double *row = scratch + rows++ * d;
            if (b->dense != NULL) {
                scale_row(d, root, b->dense + i * b->ld, row);
            } else {
                gbs_strip one = *b;
                one.n = 1;
                one.start = b->start + i * b->stride;
                gbs_strip_densify(&one, row);
                scale_row(d, root, row, row);
            }
        }
        if (rows > 0)
            cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)d, (int)rows, (double)sign,
                        scratch, (int)d, 1.0, m, (int)d);
    }
}
