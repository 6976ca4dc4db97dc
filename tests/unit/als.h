/* Maximum a posteriori by alternating least squares, the usual way to complete a matrix: a
 * yardstick for tests and studies, not a part of the library.
 *
 *   minimise  sum (y - mean - a_i - b_j - u_i'v_j)^2 + pull (sum |u_i|^2 + sum |v_j|^2 + sum a_i^2
 * + sum b_j^2)
 *
 * A row's (u_i, a_i) given the columns is a ridge regression, and the other way round. No
 * uncertainty, no automatic rank: the pull and the rank are given.
 */
#ifndef GIBBSITE_TESTS_ALS_H
#define GIBBSITE_TESTS_ALS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct als {
    size_t items[2], rank, own, n; /* own = rank + 1: the bias is last */
    const uint32_t *id[2];         /* row and column of each rating */
    const double *y;
    double mean, pull;
    double *x[2]; /* items x own */
    /* ratings of item i: rating[start[i]] .. rating[start[i + 1] - 1] */
    size_t *start[2], *rating[2];
    double objective;
    size_t sweeps;
};

static inline void als_sort(struct als *a, int s) {
    size_t m = a->items[s], *start = calloc(m + 2, sizeof *start),
           *rating = calloc(a->n + 1, sizeof *rating);
    if (start == NULL || rating == NULL)
        abort();
    for (size_t e = 0; e < a->n; e++)
        start[a->id[s][e] + 2]++;
    for (size_t i = 0; i < m; i++)
        start[i + 2] += start[i + 1];
    for (size_t e = 0; e < a->n; e++)
        rating[start[a->id[s][e] + 1]++] = e;
    a->start[s] = start;
    a->rating[s] = rating;
}

/* P x = b, P positive definite (upper triangle, destroyed), by Cholesky. */
static inline void als_solve(size_t d, double *p, double *b) {
    for (size_t k = 0; k < d; k++) {
        double root = sqrt(p[k * d + k]);
        for (size_t j = k; j < d; j++)
            p[k * d + j] /= root;
        for (size_t i = k + 1; i < d; i++)
            for (size_t j = i; j < d; j++)
                p[i * d + j] -= p[k * d + i] * p[k * d + j];
    }
    for (size_t k = 0; k < d; k++) {
        for (size_t i = 0; i < k; i++)
            b[k] -= p[i * d + k] * b[i];
        b[k] /= p[k * d + k];
    }
    for (size_t k = d; k-- > 0;) {
        for (size_t j = k + 1; j < d; j++)
            b[k] -= p[k * d + j] * b[j];
        b[k] /= p[k * d + k];
    }
}

static inline double als_cell(const struct als *a, size_t i, size_t j) {
    const double *x = a->x[0] + i * a->own, *z = a->x[1] + j * a->own;
    double p = a->mean + x[a->rank] + z[a->rank];
    for (size_t k = 0; k < a->rank; k++)
        p += x[k] * z[k];
    return p;
}

/* p has room for own + 1 rows. */
static inline void als_half(struct als *a, int s, double *restrict p) {
    size_t own = a->own, rank = a->rank;
    double *z = p + own * own;
    for (size_t i = 0; i < a->items[s]; i++) {
        double *b = a->x[s] + i * own;
        memset(p, 0, own * own * sizeof *p);
        memset(b, 0, own * sizeof *b);
        for (size_t c = 0; c < own; c++)
            p[c * own + c] = a->pull;
        for (size_t at = a->start[s][i]; at < a->start[s][i + 1]; at++) {
            size_t e = a->rating[s][at];
            const double *x = a->x[1 - s] + a->id[1 - s][e] * own;
            double y = a->y[e] - a->mean - x[rank];
            memcpy(z, x, rank * sizeof *z);
            z[rank] = 1.0;
            for (size_t c = 0; c < own; c++) {
                b[c] += z[c] * y;
                for (size_t d = c; d < own; d++)
                    p[c * own + d] += z[c] * z[d];
            }
        }
        als_solve(own, p, b);
    }
}

static inline double als_squares(const struct als *a) {
    double sum = 0.0;
    for (size_t e = 0; e < a->n; e++) {
        double off = a->y[e] - als_cell(a, a->id[0][e], a->id[1][e]);
        sum += off * off;
    }
    return sum;
}

static inline double als_objective(const struct als *a) {
    double sum = als_squares(a);
    for (int s = 0; s < 2; s++)
        for (size_t k = 0; k < a->items[s] * a->own; k++)
            sum += a->pull * a->x[s][k] * a->x[s][k];
    return sum;
}

/* Columns begin as `start` says (columns x rank). Ends when a sweep lowers the objective by less
 * than 1e-6 of it. */
static inline struct als als_fit(size_t rows, size_t columns, size_t n, const uint32_t *row,
                                 const uint32_t *column, const double *y, size_t rank, double pull,
                                 const double *start, size_t most_sweeps) {
    struct als a = {.items = {rows, columns},
                    .rank = rank,
                    .own = rank + 1,
                    .n = n,
                    .id = {row, column},
                    .y = y,
                    .pull = pull};
    double *p = calloc((a.own + 1) * a.own, sizeof *p), before = INFINITY;
    for (int s = 0; s < 2; s++) {
        als_sort(&a, s);
        a.x[s] = calloc(a.items[s] * a.own + 1, sizeof *a.x[s]);
    }
    if (p == NULL || a.x[0] == NULL || a.x[1] == NULL)
        abort();
    for (size_t e = 0; e < n; e++)
        a.mean += y[e] / (double)n;
    for (size_t j = 0; j < columns; j++)
        memcpy(a.x[1] + j * a.own, start + j * rank, rank * sizeof *start);
    for (bool done = false; !done && a.sweeps < most_sweeps; a.sweeps++) {
        als_half(&a, 0, p);
        als_half(&a, 1, p);
        a.objective = als_objective(&a);
        done = before - a.objective <= 1e-6 * a.objective;
        before = a.objective;
    }
    free(p);
    return a;
}

static inline void als_free(struct als *a) {
    for (int s = 0; s < 2; s++) {
        free(a->x[s]);
        free(a->start[s]);
        free(a->rating[s]);
    }
}

#endif
