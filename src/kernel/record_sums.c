/* Sums of records. Four neighbours in a pass: the sums are loaded and stored once for four of them.
 * The order of additions is fixed, so the bits depend on the ratings alone. */
#include "kernel/record_sums.h"

#include "kernel/vector.h"

#define ADD_FOUR(NAME, TYPE)                                                                       \
    GBS_WIDE static void NAME(size_t plain, size_t both, const TYPE *restrict a,                   \
                              const TYPE *restrict b, const TYPE *restrict c,                      \
                              const TYPE *restrict d, const double *y, double *restrict sum,       \
                              double *restrict weighted) {                                         \
        const double ya = y[0], yb = y[1], yc = y[2], yd = y[3];                                   \
        for (size_t t = 0; t < plain + both; t++)                                                  \
            sum[t] += ((double)a[t] + (double)b[t]) + ((double)c[t] + (double)d[t]);               \
        for (size_t t = 0; t < both; t++)                                                          \
            weighted[t] += (ya * (double)a[plain + t] + yb * (double)b[plain + t]) +               \
                           (yc * (double)c[plain + t] + yd * (double)d[plain + t]);                \
    }

#define ADD_ONE(NAME, TYPE)                                                                        \
    GBS_WIDE static void NAME(size_t plain, size_t both, const TYPE *restrict a, double y,         \
                              double *restrict sum, double *restrict weighted) {                   \
        for (size_t t = 0; t < plain + both; t++)                                                  \
            sum[t] += (double)a[t];                                                                \
        for (size_t t = 0; t < both; t++)                                                          \
            weighted[t] += y * (double)a[plain + t];                                               \
    }

/* Bytes of a record beyond which the processor sees by itself what comes next. */
enum { SMALL = 704, LINE = 64 };

/* A small record comes while those before it are added. */
#define CALL_FOR(RECORD, SIZE)                                                                     \
    for (size_t at = 0; (SIZE) <= SMALL && at < (SIZE); at += LINE)                                \
    __builtin_prefetch((const char *)(RECORD) + at)

#define SUM_RECORDS(NAME, TYPE, FOUR, ONE)                                                         \
    void NAME(gbs_record_shape s, size_t count, const uint32_t *other, const double *y,            \
              double centre, double scale, const TYPE *records, double *sum, double *weighted) {   \
        size_t e = 0;                                                                              \
        for (; e + 4 <= count; e += 4) {                                                           \
            for (size_t k = e + 4; k < count && k < e + 8; k++)                                    \
                CALL_FOR(records + other[k] * s.stride, s.stride * sizeof *records);               \
            const double z[4] = {(y[e] - centre) * scale, (y[e + 1] - centre) * scale,             \
                                 (y[e + 2] - centre) * scale, (y[e + 3] - centre) * scale};        \
            FOUR(s.plain, s.both, records + other[e] * s.stride,                                   \
                 records + other[e + 1] * s.stride, records + other[e + 2] * s.stride,             \
                 records + other[e + 3] * s.stride, z, sum, weighted);                             \
        }                                                                                          \
        for (; e < count; e++)                                                                     \
            ONE(s.plain, s.both, records + other[e] * s.stride, (y[e] - centre) * scale, sum,      \
                weighted);                                                                         \
    }

ADD_FOUR(four_doubles, double)
ADD_ONE(one_double, double)
SUM_RECORDS(gbs_sum_doubles, double, four_doubles, one_double)
ADD_FOUR(four_singles, float)
ADD_ONE(one_single, float)
SUM_RECORDS(gbs_sum_singles, float, four_singles, one_single)

enum { LANES = 8 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));
typedef float singles __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));

/* What is written behind the end of a row is the begin of the next, and written again. */
GBS_WIDE void gbs_single_pairs(size_t rank, double omega, const double *m, const double *s,
                               float *out) {
    for (size_t i = 0; i < rank; i++) {
        const double x = omega * m[i];
        const size_t numbers = rank - i;
        for (size_t j = 0; j < numbers; j += LANES)
            *(singles *)(out + j) = __builtin_convertvector(
                x * *(const lanes *)(m + i + j) + *(const lanes *)(s + j), singles);
        out += numbers;
        s += numbers + 1;
    }
}

GBS_WIDE static void four_rows(size_t width, const float *restrict a, const float *restrict b,
                               const float *restrict c, const float *restrict d, const double *w,
                               double *restrict sum) {
    const double wa = w[0], wb = w[1], wc = w[2], wd = w[3];
    for (size_t t = 0; t < width; t++)
        sum[t] += (wa * (double)a[t] + wb * (double)b[t]) + (wc * (double)c[t] + wd * (double)d[t]);
}

GBS_WIDE static void one_row(size_t width, const float *restrict a, double w,
                             double *restrict sum) {
    for (size_t t = 0; t < width; t++)
        sum[t] += w * (double)a[t];
}

void gbs_sum_weighted_singles(size_t width, size_t count, const uint32_t *other,
                              const double *weight, const float *rows, double *sum) {
    size_t e = 0;
    for (; e + 4 <= count; e += 4) {
        for (size_t k = e + 4; k < count && k < e + 8; k++)
            CALL_FOR(rows + other[k] * width, width * sizeof *rows);
        four_rows(width, rows + other[e] * width, rows + other[e + 1] * width,
                  rows + other[e + 2] * width, rows + other[e + 3] * width, weight + e, sum);
    }
    for (; e < count; e++)
        one_row(width, rows + other[e] * width, weight[e], sum);
}
