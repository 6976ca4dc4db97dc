/* Threefry 2x64 with 20 rounds, of many counters at once (Salmon, Moraes, Dror, Shaw 2011).
 *
 *   x = counter + key;  a round: x0 += x1, x1 = x0 ^ (x1 rotated);  a key is added every four
 *
 * (docs/maths.md, 11.2). The same bits as Random123's threefry2x64, whose rounds are functions that
 * no loop vectorises over.
 */
#include "kernel/threefry.h"

#include "kernel/vector.h"

#include <string.h>

#define PARITY 0x1bd11bdaa9fc1a22u

#define ROUND(turn) (x0 += x1, x1 = x0 ^ (x1 << (turn) | x1 >> (64 - (turn))))
#define FOUR_ROUNDS(a, b, c, d) (ROUND(a), ROUND(b), ROUND(c), ROUND(d))
#define ADD_KEY(first, second, times) (x0 += (first), x1 += (second) + (times))

/* Low words are added in halves, which have room for the carries of 2^32 of them. */
GBS_WIDE void gbs_threefry_sum(size_t n, const uint64_t *key0, uint64_t key1, const double *value,
                               uint64_t sum[2]) {
    uint64_t low = 0, middle = 0, high = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t x0, x1 = key1, k0 = key0[i], k2 = PARITY ^ k0 ^ key1;
        double v = value[i] + 0.0;
        uint64_t counts = v != 0.0 ? ~(uint64_t)0 : 0;
        memcpy(&x0, &v, sizeof x0);
        x0 += k0;
        FOUR_ROUNDS(16, 42, 12, 31);
        ADD_KEY(key1, k2, 1);
        FOUR_ROUNDS(16, 32, 24, 21);
        ADD_KEY(k2, k0, 2);
        FOUR_ROUNDS(16, 42, 12, 31);
        ADD_KEY(k0, key1, 3);
        FOUR_ROUNDS(16, 32, 24, 21);
        ADD_KEY(key1, k2, 4);
        FOUR_ROUNDS(16, 42, 12, 31);
        ADD_KEY(k2, k0, 5);
        x0 &= counts;
        low += x0 & 0xffffffffu;
        middle += x0 >> 32;
        high += x1 & counts;
    }
    middle += low >> 32;
    sum[0] = (low & 0xffffffffu) | middle << 32;
    sum[1] = high + (middle >> 32);
}
