/* All three are sums over k of a_rk b_k, b_k eight neighbours of a row and r one of six: six sums
 * stay in registers, whose next terms do not wait for each other. Where eight do not divide the
 * columns the last eight overlap those before; fewer than eight columns take plain loops. */
#include "kernel/tall.h"
#include "kernel/vector.h"

#include <stdbool.h>
#include <string.h>

enum { LANES = 8, SUMS = 6, STRIP = 64 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

#define INLINE static inline __attribute__((always_inline))

/* sum[r] = sum over k < count of a[r * by_sum + k * by_term] b[k * apart ..]. */
INLINE void add_six(size_t count, const double *a, size_t by_sum, size_t by_term, const double *b,
                    size_t apart, lanes *sum) {
    lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0};
    for (size_t k = 0; k < count; k++, a += by_term, b += apart) {
        lanes y = *(const lanes *)b;
        s0 += a[0] * y;
        s1 += a[by_sum] * y;
        s2 += a[2 * by_sum] * y;
        s3 += a[3 * by_sum] * y;
        s4 += a[4 * by_sum] * y;
        s5 += a[5 * by_sum] * y;
    }
    sum[0] = s0;
    sum[1] = s1;
    sum[2] = s2;
    sum[3] = s3;
    sum[4] = s4;
    sum[5] = s5;
}

INLINE void add_one(size_t count, const double *a, size_t by_term, const double *b, size_t apart,
                    lanes *sum) {
    lanes s = {0};
    for (size_t k = 0; k < count; k++, a += by_term, b += apart)
        s += a[0] * *(const lanes *)b;
    *sum = s;
}

/* Where the eight columns from c on begin, so that they end in time. */
INLINE size_t begin_of(size_t c, size_t columns) {
    return c + LANES <= columns ? c : columns - LANES;
}

INLINE void times(size_t rows, size_t d, size_t columns, const double *x, const double *m,
                  double *out) {
    lanes sum[SUMS];
    for (size_t i = 0; i < rows;) {
        size_t step = rows - i >= SUMS ? SUMS : 1;
        for (size_t c = 0; c < columns; c += LANES) {
            size_t from = begin_of(c, columns);
            if (step == SUMS)
                add_six(d, x + i * d, d, 1, m + from, columns, sum);
            else
                add_one(d, x + i * d, 1, m + from, columns, sum);
            for (size_t r = 0; r < step; r++)
                *(lanes *)(out + (i + r) * columns + from) = sum[r];
        }
        i += step;
    }
}

/* Lanes of `sum` from `skip` on are added. */
INLINE void add_to(double *to, const lanes *sum, size_t skip) {
    if (skip == 0)
        *(lanes *)to += *sum;
    for (size_t l = skip; skip > 0 && l < LANES; l++)
        to[l] += (*sum)[l];
}

/* Up to STRIP rows, which stay in the first cache; lower: of the product's lower triangle. */
INLINE void cross(size_t rows, size_t d, size_t columns, const double *x, const double *y,
                  bool lower, double *m) {
    lanes sum[SUMS];
    for (size_t p = 0; p < d;) {
        size_t step = d - p >= SUMS ? SUMS : 1;
        for (size_t c = 0; c < columns && (!lower || c < p + step); c += LANES) {
            size_t from = begin_of(c, columns);
            if (step == SUMS)
                add_six(rows, x + p, 1, d, y + from, columns, sum);
            else
                add_one(rows, x + p, d, y + from, columns, sum);
            for (size_t r = 0; r < step; r++)
                add_to(m + (p + r) * columns + from, &sum[r], c - from);
        }
        p += step;
    }
}

static void few_times(size_t rows, size_t d, size_t columns, const double *x, const double *m,
                      double *out) {
    memset(out, 0, rows * columns * sizeof *out);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < d; k++)
            for (size_t c = 0; c < columns; c++)
                out[i * columns + c] += x[i * d + k] * m[k * columns + c];
}

static void few_cross(size_t rows, size_t d, size_t columns, const double *x, const double *y,
                      double *m) {
    for (size_t i = 0; i < rows; i++)
        for (size_t p = 0; p < d; p++)
            for (size_t c = 0; c < columns; c++)
                m[p * columns + c] += x[i * d + p] * y[i * columns + c];
}

GBS_WIDE void gbs_tall_times(size_t rows, size_t d, size_t columns, const double *x,
                             const double *m, double *out) {
    if (columns < LANES)
        few_times(rows, d, columns, x, m, out);
    else
        times(rows, d, columns, x, m, out);
}

GBS_WIDE void gbs_tall_cross(size_t rows, size_t d, size_t columns, const double *x,
                             const double *y, double *m) {
    if (columns < LANES) {
        few_cross(rows, d, columns, x, y, m);
        return;
    }
    for (size_t i = 0; i < rows; i += STRIP)
        cross(rows - i < STRIP ? rows - i : STRIP, d, columns, x + i * d, y + i * columns, false,
              m);
}

GBS_WIDE void gbs_tall_gram(size_t rows, size_t d, const double *x, double *m) {
    if (d < LANES) {
        few_cross(rows, d, d, x, x, m);
        return;
    }
    for (size_t i = 0; i < rows; i += STRIP)
        cross(rows - i < STRIP ? rows - i : STRIP, d, d, x + i * d, x + i * d, true, m);
}
