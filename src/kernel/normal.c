/* The standard normal over arrays.
 *
 *   phi(t) = exp(-t^2/2) / sqrt(2 pi),   Phi(t) = erfc(-t/sqrt 2) / 2
 *   h(t) = E max(0, t + Z) = phi(t) + t Phi(t)
 *
 * h cancels when t << 0: there phi(t) + t Phi(t) ~ phi(t)/t^2. With x = -t and Laplace's continued
 * fraction of Mills' ratio, Phi(-x)/phi(x) = 1/(x + R), R = 1/(x + 2/(x + 3/(x + ...))), it is h =
 * phi(x) R/(x + R), where nothing cancels.
 */
#include "kernel/normal.h"

#include "kernel/vector.h"

double exp(double) GBS_VECTOR_MATH;
double erfc(double) GBS_VECTOR_MATH;

#define SQRT_HALF 0.70710678118654752440
#define DENSITY_AT_0 0.39894228040143267794

/* Below this the continued fraction is used; at 5 its 40 terms leave less than 1e-15. */
#define TAIL (-5.0)
#define TAIL_TERMS 40
/* phi and Phi are exactly 0 in double beyond it. */
#define FAR 39.0

/* Near the end of the range of double libmvec leaves its fast path for a scalar call, lane by lane,
 * thirty times slower; what lies beyond is set to 0 without asking. The bound is applied in a loop
 * of its own: written as one expression, the compiler sees through it and asks all the same. */
#define LEAST_EXPONENT (-700.0)
#define LARGEST_TAIL 26.4
enum { TILE = 128 };

GBS_WIDE static void density_tile(size_t n, const double *t, double *phi) {
    double x[TILE];
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double exponent = -0.5 * t[i] * t[i];
        x[i] = exponent > LEAST_EXPONENT ? exponent : LEAST_EXPONENT;
    }
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double y = DENSITY_AT_0 * exp(x[i]);
        phi[i] = x[i] > LEAST_EXPONENT ? y : 0.0;
    }
}

GBS_WIDE static void distribution_tile(size_t n, const double *t, double *cdf) {
    double x[TILE];
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double argument = -SQRT_HALF * t[i];
        x[i] = argument < LARGEST_TAIL ? argument : LARGEST_TAIL;
    }
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double y = 0.5 * erfc(x[i]);
        cdf[i] = x[i] < LARGEST_TAIL ? y : 0.0;
    }
}

void gbs_normal_density(size_t n, const double *t, double *phi) {
    for (size_t i = 0; i < n; i += TILE)
        density_tile(n - i < TILE ? n - i : TILE, t + i, phi + i);
}

void gbs_normal_distribution(size_t n, const double *t, double *cdf) {
    for (size_t i = 0; i < n; i += TILE)
        distribution_tile(n - i < TILE ? n - i : TILE, t + i, cdf + i);
}

GBS_WIDE void gbs_vector_exp(size_t n, const double *x, double *y) {
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = exp(x[i]);
}

/* R/(x + R) = B/(x A + B) with A/B the convergent of x + 2/(x + 3/(x + ...)), by the forward
 * recurrence. */
GBS_WIDE static void tail_ratio(size_t n, const double *x, double *ratio) {
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double a1 = 1.0, a = x[i], b1 = 0.0, b = 1.0;
        for (int k = 2; k < TAIL_TERMS; k++) {
            double a2 = x[i] * a + k * a1, b2 = x[i] * b + k * b1;
            a1 = a;
            a = a2;
            b1 = b;
            b = b2;
        }
        ratio[i] = b / (x[i] * a + b);
    }
}

void gbs_normal_excess(size_t n, const double *t, const double *phi, const double *cdf, double *h) {
    for (size_t from = 0; from < n; from += TILE) {
        size_t m = n - from < TILE ? n - from : TILE;
        double x[TILE], ratio[TILE];
        size_t where[TILE], tail = 0;
        for (size_t i = from; i < from + m; i++) {
            h[i] = phi[i] + t[i] * cdf[i];
            if (t[i] < TAIL) {
                where[tail] = i;
                x[tail++] = t[i] > -FAR ? -t[i] : FAR;
            }
        }
        tail_ratio(tail, x, ratio);
        for (size_t k = 0; k < tail; k++)
            h[where[k]] = phi[where[k]] * ratio[k];
    }
}
