/* Many small regressions at once. Loops run along rows of upper triangles, so that each is an axpy
 * the compiler vectorises without being allowed to reorder sums. */
#include "kernel/moments.h"
#include "kernel/vector.h"

#include <math.h>
#include <string.h>

/* Four neighbours in a pass: the sum is loaded and stored once for four of them. */
GBS_WIDE static void add_four(size_t plain, size_t weighted, const double *restrict a,
                              const double *restrict b, const double *restrict c,
                              const double *restrict d, const double *y, double shift,
                              double *restrict sum) {
    const double ya = y[0] + shift, yb = y[1] + shift, yc = y[2] + shift, yd = y[3] + shift;
    for (size_t t = 0; t < plain; t++)
        sum[t] += (a[t] + b[t]) + (c[t] + d[t]);
    for (size_t t = plain; t < plain + weighted; t++)
        sum[t] += (ya * a[t] + yb * b[t]) + (yc * c[t] + yd * d[t]);
}

GBS_WIDE static void add_one(size_t plain, size_t weighted, const double *restrict a, double y,
                             double *restrict sum) {
    for (size_t t = 0; t < plain; t++)
        sum[t] += a[t];
    for (size_t t = plain; t < plain + weighted; t++)
        sum[t] += y * a[t];
}

void gbs_sum_records(size_t count, const uint32_t *other, const double *y, double shift,
                     const double *records, size_t stride, size_t plain, size_t weighted,
                     double *sum) {
    size_t e = 0;
    for (; e + 4 <= count; e += 4)
        add_four(plain, weighted, records + other[e] * stride, records + other[e + 1] * stride,
                 records + other[e + 2] * stride, records + other[e + 3] * stride, y + e, shift,
                 sum);
    for (; e < count; e++)
        add_one(plain, weighted, records + other[e] * stride, y[e] + shift, sum);
}

void gbs_record_write(size_t rank, bool biases, const double *mean, const double *cov,
                      double *record) {
    size_t own = rank + (biases ? 1 : 0), t = own + (biases ? 1 : 0);
    double *to = record;
    for (size_t i = 0; i < rank; i++) {
        const double *s = cov != NULL ? cov + gbs_packed(own, i) : NULL;
        for (size_t j = i; j < rank; j++)
            *to++ = mean[i] * mean[j] + (s != NULL ? s[j - i] : 0.0);
        if (biases) {
            *to++ = mean[i];
            *to++ = mean[i] * mean[rank] + (s != NULL ? s[rank - i] : 0.0);
        }
    }
    if (biases) {
        *to++ = 1.0;
        *to++ = mean[rank];
        *to++ = mean[rank] * mean[rank] + (cov != NULL ? cov[gbs_packed(own, rank)] : 0.0);
    }
    memcpy(record + gbs_packed_size(t), mean, rank * sizeof *mean);
    if (biases) {
        record[gbs_packed_size(t) + rank] = 1.0;
        record[gbs_packed_size(t) + rank + 1] = mean[rank];
    }
}

GBS_WIDE static void axpy(size_t n, double c, const double *restrict x, double *restrict y) {
    for (size_t k = 0; k < n; k++)
        y[k] += c * x[k];
}

GBS_WIDE bool gbs_small_factor(size_t d, double *a, double *l, double *log_det) {
    double sum = 0.0;
    for (size_t k = 0; k < d; k++) {
        double *row = a + k * d, pivot = row[k];
        if (!(pivot > 0.0) || !isfinite(pivot))
            return false;
        sum += log(pivot);
        double inverse = 1.0 / sqrt(pivot);
        for (size_t j = k; j < d; j++)
            row[j] *= inverse;
        for (size_t i = k + 1; i < d; i++) {
            double c = row[i], *restrict to = a + i * d;
            for (size_t j = i; j < d; j++)
                to[j] -= c * row[j];
        }
    }
    *log_det = sum;
    /* U' l = 1, by rows */
    memset(l, 0, d * d * sizeof *l);
    for (size_t i = 0; i < d; i++) {
        double *restrict row = l + i * d, inverse = 1.0 / a[i * d + i];
        for (size_t k = 0; k < i; k++) {
            double c = a[k * d + i];
            const double *from = l + k * d;
            for (size_t j = 0; j <= k; j++)
                row[j] -= c * from[j];
        }
        row[i] = 1.0;
        for (size_t j = 0; j <= i; j++)
            row[j] *= inverse;
    }
    return true;
}

GBS_WIDE void gbs_small_inverse(size_t d, const double *l, double *out) {
    memset(out, 0, gbs_packed_size(d) * sizeof *out);
    for (size_t k = 0; k < d; k++) {
        const double *row = l + k * d;
        for (size_t i = 0; i <= k; i++) {
            double c = row[i], *restrict to = out + gbs_packed(d, i);
            for (size_t j = i; j <= k; j++)
                to[j - i] += c * row[j];
        }
    }
}

void gbs_small_solve(size_t d, const double *l, const double *b, const double *e, double *scratch,
                     double *x) {
    for (size_t k = 0; k < d; k++) {
        double t = e != NULL ? e[k] : 0.0;
        for (size_t j = 0; j <= k; j++)
            t += l[k * d + j] * b[j];
        scratch[k] = t;
    }
    memset(x, 0, d * sizeof *x);
    for (size_t k = 0; k < d; k++)
        axpy(k + 1, scratch[k], l + k * d, x);
}

double gbs_packed_quadratic(size_t t, const double *s, const double *x) {
    double sum = 0.0;
    for (size_t i = 0; i < t; i++) {
        double half = 0.5 * *s++ * x[i];
        for (size_t j = i + 1; j < t; j++)
            half += *s++ * x[j];
        sum += 2.0 * x[i] * half;
    }
    return sum;
}

double gbs_packed_inner(size_t k, size_t ta, const double *a, size_t tb, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < k; i++) {
        const double *p = a + gbs_packed(ta, i), *q = b + gbs_packed(tb, i);
        double half = 0.5 * p[0] * q[0];
        for (size_t j = 1; j < k - i; j++)
            half += p[j] * q[j];
        sum += 2.0 * half;
    }
    return sum;
}
