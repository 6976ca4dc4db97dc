/* Counter-based random numbers: Philox 4x32-10 (Random123), keyed by the seed, counted by (stream,
 * index).
 *
 * No state: any number can be had in any order on any thread, and a result depends on the seed
 * alone.
 */
#include "core/random.h"

#include <Random123/philox.h>
#include <math.h>

static philox4x32_ctr_t philox(uint64_t seed, uint64_t stream, uint64_t index) {
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t counter = {
        {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    return philox4x32(counter, key);
}

/* 53 bits and a half: never 0, never 1. */
static double unit(uint32_t high, uint32_t low) {
    uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
    return ((double)bits + 0.5) * 0x1p-52;
}

double gbs_uniform(uint64_t seed, uint64_t stream, uint64_t index) {
    philox4x32_ctr_t r = philox(seed, stream, index);
    return unit(r.v[0], r.v[1]);
}

/* Box and Muller's first coordinate; the second is thrown away, which keeps a draw independent of
 * its neighbours. */
double gbs_normal(uint64_t seed, uint64_t stream, uint64_t index) {
    philox4x32_ctr_t r = philox(seed, stream, index);
    double radius = sqrt(-2.0 * log(unit(r.v[0], r.v[1])));
    return radius * cos(6.283185307179586476925286766559 * unit(r.v[2], r.v[3]));
}

/* Lemire's multiply-shift on 64 bits: the bias is below bound / 2^64. */
uint64_t gbs_below(uint64_t seed, uint64_t stream, uint64_t index, uint64_t bound) {
    philox4x32_ctr_t r = philox(seed, stream, index);
    uint64_t bits = (uint64_t)r.v[0] << 32 | r.v[1];
    return (uint64_t)(((unsigned __int128)bits * bound) >> 64);
}

void gbs_shuffle(uint64_t seed, uint64_t stream, size_t n, size_t *order) {
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)gbs_below(seed, stream, i, i), t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
}

double gbs_random_uniform(const gbs_context *ctx, uint64_t stream, uint64_t index) {
    return ctx != NULL ? gbs_uniform(ctx->seed, stream, index) : NAN;
}

double gbs_random_normal(const gbs_context *ctx, uint64_t stream, uint64_t index) {
    return ctx != NULL ? gbs_normal(ctx->seed, stream, index) : NAN;
}
