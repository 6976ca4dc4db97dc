/* Normal numbers by the array: Philox 4x32-10 and Box and Muller's pair, both of whose numbers are
 * used.
 *
 * The same counters as core/random.c, written so that the loops over a batch of counters vectorise.
 *   Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011)
 */
#include "kernel/tile.h"
#include "kernel/vector.h"

#include <math.h>
#include <string.h>

double log(double) GBS_VECTOR_MATH;
double cos(double) GBS_VECTOR_MATH;
double sin(double) GBS_VECTOR_MATH;

enum { BATCH = 64, ROUNDS = 10 };

struct batch {
    uint32_t c0[BATCH], c1[BATCH], c2[BATCH], c3[BATCH];
};

/* n of a batch; whole words of lanes are quick. */
GBS_WIDE static void philox_round(struct batch *b, size_t n, uint32_t k0, uint32_t k1) {
    for (size_t i = 0; i < n; i++) {
        uint64_t p0 = (uint64_t)0xD2511F53U * b->c0[i], p1 = (uint64_t)0xCD9E8D57U * b->c2[i];
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ b->c1[i] ^ k0,
                 n2 = (uint32_t)(p0 >> 32) ^ b->c3[i] ^ k1;
        b->c1[i] = (uint32_t)p1;
        b->c3[i] = (uint32_t)p0;
        b->c0[i] = n0;
        b->c2[i] = n2;
    }
}

GBS_WIDE static void count(uint64_t stream, uint64_t first, size_t n, struct batch *b) {
    for (size_t i = 0; i < n; i++) {
        uint64_t index = first + i;
        b->c0[i] = (uint32_t)index;
        b->c1[i] = (uint32_t)(index >> 32);
        b->c2[i] = (uint32_t)stream;
        b->c3[i] = (uint32_t)(stream >> 32);
    }
}

static void philox(uint64_t seed, uint64_t stream, uint64_t first, size_t n, struct batch *b) {
    count(stream, first, n, b);
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < ROUNDS; round++, k0 += 0x9E3779B9U, k1 += 0xBB67AE85U)
        philox_round(b, n, k0, k1);
}

/* 52 bits as the fraction of a number in [1, 2), less 1, plus half a step: the numbers of
 * core/random.c without a conversion from integers. */
GBS_WIDE static void units(size_t n, const uint32_t *high, const uint32_t *low, double *out) {
    uint64_t bits[BATCH];
    for (size_t i = 0; i < n; i++)
        bits[i] = (((uint64_t)high[i] << 32 | low[i]) >> 12) | 0x3FF0000000000000U;
    /* cppcheck-suppress uninitvar ; the n that are read were just written */
    memcpy(out, bits, n * sizeof *bits);
    for (size_t i = 0; i < n; i++)
        out[i] = (out[i] - 1.0) + 0x1p-53;
}

/* A loop each: side by side, gcc would make one scalar call of sine and cosine. */
GBS_WIDE static void pairs(const double *u, const double *v, double *x, double *y) {
    double radius[BATCH], angle[BATCH];
#pragma omp simd
    for (size_t i = 0; i < BATCH; i++) {
        radius[i] = sqrt(-2.0 * log(u[i]));
        angle[i] = 6.283185307179586476925286766559 * v[i];
    }
#pragma omp simd
    for (size_t i = 0; i < BATCH; i++)
        x[i] = radius[i] * cos(angle[i]);
#pragma omp simd
    for (size_t i = 0; i < BATCH; i++)
        y[i] = radius[i] * sin(angle[i]);
}

void gbs_normal_draws(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double *out) {
    size_t half = count / 2;
    for (size_t from = 0; from < half; from += BATCH) {
        struct batch b;
        double u[BATCH], v[BATCH], x[BATCH], y[BATCH];
        size_t n = half - from < BATCH ? half - from : BATCH;
        philox(seed, stream, first + from, BATCH, &b);
        units(BATCH, b.c0, b.c1, u);
        units(BATCH, b.c2, b.c3, v);
        pairs(u, v, x, y);
        memcpy(out + from, x, n * sizeof *x);
        memcpy(out + half + from, y, n * sizeof *y);
    }
}

void gbs_lane_uniforms(uint64_t seed, uint64_t stream, uint64_t first, double *out) {
    struct batch b;
    philox(seed, stream, first, GBS_LANES, &b);
    units(GBS_LANES, b.c0, b.c1, out);
}
