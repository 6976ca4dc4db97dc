/* P = U'U row by row, L = U'^-1, S = L'L: each number is a sum of products down two columns, four
 * neighbours of a row at a time so that sums stay in registers. Matrices between are square, zeros
 * where a triangle ends. */
#include "kernel/eight.h"
#include "kernel/vector.h"

#include <math.h>
#include <string.h>

typedef double lanes
    __attribute__((vector_size(GBS_EIGHT * sizeof(double)), aligned(sizeof(double))));

#define INLINE static inline __attribute__((always_inline))

/* sum[c] += sign x_k y_k[c] for k < count and c < 4, both `d` apart. */
INLINE void add_four(size_t count, size_t d, const lanes *x, const lanes *y, double sign,
                     lanes *sum) {
    lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (size_t k = 0; k < count; k++, x += d, y += d) {
        lanes c = *x;
        s0 += c * y[0];
        s1 += c * y[1];
        s2 += c * y[2];
        s3 += c * y[3];
    }
    sum[0] += sign * s0;
    sum[1] += sign * s1;
    sum[2] += sign * s2;
    sum[3] += sign * s3;
}

INLINE void add_one(size_t count, size_t d, const lanes *x, const lanes *y, double sign,
                    lanes *sum) {
    lanes s = {0};
    for (size_t k = 0; k < count; k++, x += d, y += d)
        s += *x * *y;
    *sum += sign * s;
}

/* The upper triangle of u becomes U; pivot: the squares of its diagonal. */
INLINE void factor(size_t d, lanes *u, lanes *pivot) {
    for (size_t i = 0; i < d; i++) {
        lanes *row = u + i * d, inverse = {0};
        size_t j = i;
        for (; j + 4 <= d; j += 4)
            add_four(i, d, u + i, u + j, -1.0, row + j);
        for (; j < d; j++)
            add_one(i, d, u + i, u + j, -1.0, row + j);
        pivot[i] = row[i];
        for (int k = 0; k < GBS_EIGHT; k++)
            inverse[k] = 1.0 / sqrt(row[i][k]);
        for (j = i; j < d; j++)
            row[j] *= inverse;
    }
}

/* Row i of L: (1 - sum over k < i of U_ki L_k) / U_ii. */
INLINE void invert(size_t d, const lanes *u, lanes *l) {
    memset(l, 0, d * d * sizeof *l);
    for (size_t i = 0; i < d; i++) {
        lanes *row = l + i * d, inverse = 1.0 / u[i * d + i];
        size_t j = 0;
        row[i] += 1.0;
        for (; j + 4 <= i; j += 4)
            add_four(i - j, d, u + j * d + i, l + j * d + j, -1.0, row + j);
        for (; j < i; j++)
            add_one(i - j, d, u + j * d + i, l + j * d + j, -1.0, row + j);
        for (j = 0; j <= i; j++)
            row[j] *= inverse;
    }
}

/* S_ij = sum over k >= j of L_ki L_kj, i <= j. */
INLINE void square(size_t d, const lanes *l, lanes *s) {
    memset(s, 0, gbs_packed_size(d) * sizeof *s);
    for (size_t i = 0; i < d; i++) {
        lanes *row = s + gbs_packed(d, i) - i;
        size_t j = i;
        for (; j + 4 <= d; j += 4)
            add_four(d - j, d, l + j * d + i, l + j * d + j, 1.0, row + j);
        for (; j < d; j++)
            add_one(d - j, d, l + j * d + i, l + j * d + j, 1.0, row + j);
    }
}

/* The product of the pivots, before it grows too large or too small for a double. */
static bool log_dets(size_t d, const double *pivot, double *out) {
    bool sound = true;
    for (size_t lane = 0; lane < GBS_EIGHT; lane++) {
        double product = 1.0, sum = 0.0;
        for (size_t k = 0; k < d; k++) {
            double p = pivot[k * GBS_EIGHT + lane];
            sound = sound && p > 0.0 && isfinite(p);
            product *= p;
            if (!(product > 1e-60 && product < 1e60)) {
                sum += log(product);
                product = 1.0;
            }
        }
        out[lane] = sum + log(product);
    }
    return sound;
}

/* What m is worth: fit, gap and trace. */
INLINE void judge(gbs_eight *e, const double *precision, const lanes *gap) {
    size_t d = e->d;
    const lanes *a = (const lanes *)e->a, *s = (const lanes *)e->cov, *m = (const lanes *)e->mean,
                *r = (const lanes *)e->r;
    lanes fit = {0}, away = {0}, trace = {0};
    for (size_t i = 0; i < d; i++) {
        lanes half = 0.5 * *a * m[i] - r[i], both = 0.5 * *a++ * *s++, wide = {0};
        for (size_t j = i + 1; j < d; j++, a++, s++) {
            half += *a * m[j];
            both += *a * *s;
        }
        for (size_t j = 0; j < d; j++)
            wide += precision[i * d + j] * gap[j];
        fit += m[i] * half;
        trace += both;
        away += gap[i] * wide;
    }
    *(lanes *)e->fit = 2.0 * fit;
    *(lanes *)e->trace = 2.0 * trace;
    *(lanes *)e->gap = away;
}

size_t gbs_eight_work(size_t d) {
    return (2 * d * d + 3 * d) * GBS_EIGHT;
}

GBS_WIDE bool gbs_eight_regress(const double *precision, double relax, gbs_eight *e) {
    size_t d = e->d;
    lanes *u = (lanes *)e->work, *l = u + d * d, *b = l + d * d, *t = b + d, *pivot = t + d;
    const lanes *a = (const lanes *)e->a, *r = (const lanes *)e->r,
                *centre = (const lanes *)e->centre;
    lanes *mean = (lanes *)e->mean;
    for (size_t i = 0; i < d; i++) {
        lanes sum = r[i];
        for (size_t j = i; j < d; j++)
            u[i * d + j] = precision[i * d + j] + *a++;
        for (size_t j = 0; j < d; j++)
            sum += precision[i * d + j] * centre[j];
        b[i] = sum;
    }
    factor(d, u, pivot);
    if (!log_dets(d, (const double *)pivot, e->log_det))
        return false;
    invert(d, u, l);
    square(d, l, (lanes *)e->cov);
    for (size_t i = 0; i < d; i++) {
        t[i] = (lanes){0};
        for (size_t j = 0; j <= i; j++)
            t[i] += l[i * d + j] * b[j];
    }
    lanes *gap = pivot; /* its numbers are used up */
    for (size_t i = 0; i < d; i++) {
        lanes best = {0};
        for (size_t k = i; k < d; k++)
            best += l[k * d + i] * t[k];
        mean[i] += relax * (best - mean[i]);
        gap[i] = mean[i] - centre[i];
    }
    judge(e, precision, gap);
    return true;
}

GBS_WIDE void gbs_eight_add(const gbs_eight *e, const double *share, const double *omega,
                            double *spread, double *second) {
    size_t d = e->d;
    const lanes *s = (const lanes *)e->cov, *m = (const lanes *)e->mean;
    lanes part = *(const lanes *)share, weight = *(const lanes *)omega, *to = (lanes *)spread,
          *square = (lanes *)second;
    for (size_t i = 0; i < d; i++) {
        lanes x = weight * m[i];
        for (size_t j = i; j < d; j++) {
            *to++ += part * *s++;
            *square++ += x * m[j];
        }
    }
}

GBS_WIDE void gbs_eight_collect(size_t n, const double *x, double *sum) {
    for (size_t k = 0; k < n; k++, x += GBS_EIGHT)
        sum[k] += ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}
