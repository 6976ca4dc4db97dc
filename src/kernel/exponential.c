/* Exponentials that are summed as soon as they are known.
 *
 *   exp(x) = 2^k exp(r),   k = the integer nearest x / log 2,   |r| <= log(2)/2
 *   exp(r) by a polynomial of degree 9
 *
 * The coefficients minimise the largest relative error (Remez's exchange), which is 1.3e-14; k log
 * 2 in one product adds |x| 1e-16 at most. So it is not as exact as the library's or that of
 * mills.h, and quicker than either: a risk is the mean of many, and steps are drawn by it, not
 * certificates made.
 */
#include "kernel/exponential.h"

#include "kernel/tile.h"
#include "kernel/vector.h"

#include <stdbool.h>
#include <string.h>

#define LOG2_E 1.4426950408889634074
#define LOG_2 0.69314718055994530942
/* Added to a double below 2^51 it leaves the nearest integer in the last bits. */
#define ROUNDER 0x1.8p52
/* 2^k, the polynomial's exponent included, is a normal number between these; log(DBL_MAX) is
 * 709.7827. */
#define LEAST_EXPONENT (-708.0)
#define LARGEST_EXPONENT 709.78

/* Exponents whose squares add up to less are within the bounds, all of them, and need not be looked
 * at one by one. */
#define WITHIN (LEAST_EXPONENT * LEAST_EXPONENT)

/* For loops that become vectors: no branch, and the power of two is an addition to the exponent's
 * bits. */
static inline __attribute__((always_inline)) double exponential(double x) {
    double shifted = x * LOG2_E + ROUNDER, r = x - (shifted - ROUNDER) * LOG_2;
    double p = 2.7482174037831559612e-6;
    p = p * r + 0.000024884026449868381612;
    p = p * r + 0.00019841596522051279618;
    p = p * r + 0.0013888802794553542622;
    p = p * r + 0.008333333002629241334;
    p = p * r + 0.041666667032681483948;
    p = p * r + 0.16666666667827867496;
    p = p * r + 0.49999999999457543617;
    p = p * r + 0.99999999999989264597;
    p = p * r + 1.0000000000000127748;
    uint64_t power, bits;
    memcpy(&power, &shifted, sizeof power);
    memcpy(&bits, &p, sizeof bits);
    bits += power << 52;
    memcpy(&p, &bits, sizeof p);
    return p;
}

static inline __attribute__((always_inline)) double bounded(double x) {
    double y = x < LARGEST_EXPONENT ? x : LARGEST_EXPONENT; /* NaN too */
    return y > LEAST_EXPONENT ? y : LEAST_EXPONENT;
}

static bool all_within(const double *square) {
    bool all = true;
    for (size_t l = 0; l < GBS_LANES; l++)
        all = all && square[l] < WITHIN; /* false for NaN */
    return all;
}

GBS_WIDE static void add_squares(size_t n, const double *x, double *square) {
    for (size_t i = 0; i < n; i++)
#pragma omp simd
        for (size_t l = 0; l < GBS_LANES; l++)
            square[l] += x[i * GBS_LANES + l] * x[i * GBS_LANES + l];
}

GBS_WIDE static void add_near(size_t n, const double *x, double *total) {
    double sum[GBS_LANES] __attribute__((aligned(64))) = {0};
    for (size_t i = 0; i < n; i++)
#pragma omp simd
        for (size_t l = 0; l < GBS_LANES; l++)
            sum[l] += exponential(-x[i * GBS_LANES + l]);
    for (size_t l = 0; l < GBS_LANES; l++)
        total[l] += sum[l];
}

GBS_WIDE static void add_any(size_t n, const double *x, double *total) {
    for (size_t i = 0; i < n; i++)
#pragma omp simd
        for (size_t l = 0; l < GBS_LANES; l++)
            total[l] += exponential(bounded(-x[i * GBS_LANES + l]));
}

void gbs_lanes_add_exp(size_t n, const double *x, double *total) {
    double square[GBS_LANES] __attribute__((aligned(64))) = {0};
    add_squares(n, x, square);
    (all_within(square) ? add_near : add_any)(n, x, total);
}

/* Two states: plus and minus s. */
typedef void (*add_pair)(size_t n, const double *a, const double *b, const double *w, double c,
                         double s, double *plus, double *minus);

GBS_WIDE static void add_near_pair(size_t n, const double *a, const double *b, const double *w,
                                   double c, double s, double *plus, double *minus) {
    double up[GBS_LANES] __attribute__((aligned(64))) = {0},
                         down[GBS_LANES] __attribute__((aligned(64))) = {0};
    for (size_t i = 0; i < n; i++)
#pragma omp simd
        for (size_t l = 0; l < GBS_LANES; l++) {
            double u = -a[i] - c * b[i * GBS_LANES + l], v = s * w[i * GBS_LANES + l];
            up[l] += exponential(u - v);
            down[l] += exponential(u + v);
        }
    for (size_t l = 0; l < GBS_LANES; l++) {
        plus[l] += up[l];
        minus[l] += down[l];
    }
}

GBS_WIDE static void add_any_pair(size_t n, const double *a, const double *b, const double *w,
                                  double c, double s, double *plus, double *minus) {
    for (size_t i = 0; i < n; i++)
#pragma omp simd
        for (size_t l = 0; l < GBS_LANES; l++) {
            double u = -a[i] - c * b[i * GBS_LANES + l], v = s * w[i * GBS_LANES + l];
            plus[l] += exponential(bounded(u - v));
            minus[l] += exponential(bounded(u + v));
        }
}

void gbs_lanes_add_exp_ring(size_t n, const double *a, const double *b, const double *w,
                            size_t pairs, const double *c, const double *s, double *total) {
    double square[GBS_LANES] __attribute__((aligned(64))) = {0}, common = 0.0;
    add_squares(n, b, square);
    add_squares(n, w, square);
    for (size_t i = 0; i < n; i++)
        common += a[i] * a[i];
    for (size_t l = 0; l < GBS_LANES; l++) /* (a + b + w)^2 <= 3 (a^2 + b^2 + w^2) */
        square[l] = 3.0 * (square[l] + common);
    add_pair add = all_within(square) ? add_near_pair : add_any_pair;
    for (size_t k = 0; k < pairs; k++, total += 2 * GBS_LANES)
        add(n, a, b, w, c[k], s[k], total, total + GBS_LANES);
}
