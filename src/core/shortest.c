/* The shortest decimal number that is read back as x.
 *
 * x = c 2^q, c whole. All reals between the middles to its neighbours,
 *
 *   (4c - 2) 2^(q-2)  and  (4c + 2) 2^(q-2)      (4c - 1 below where c is the least of its binade)
 *
 * are read as x; the middles too where c is even. Times 10^-k, k = floor(log10 of the interval's
 * length), the interval has length in [1, 10): it holds a multiple of 10^k, and at most one of
 * 10^(k+1), which is then shorter. The three products are needed to the last integer bit only: two
 * words of 10^-k, rounded up, give that, and a last bit that is set where anything was cut off
 * ("rounded to odd") keeps comparisons right (Giulietti, The Schubfach way to render doubles,
 * 2020).
 */
#include "core/shortest.h"

#include "core/powers_of_ten.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

enum { FRACTION = DBL_MANT_DIG - 1, BIAS = DBL_MAX_EXP - 1 + FRACTION };

/* floor(log10(2^q)), or of 3/4 2^q; floor(log2(10^e)): right for all exponents of doubles. */
static int floor_log10(int q, bool three_quarters) {
    return (q * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

static int floor_log2(int e) {
    return (e * 1741647) >> 19;
}

/* The product's bits from 2^128 on, the last of them set where lower ones are: g is rounded up, so
 * that the lowest alone says nothing. */
static uint64_t odd_product(const uint64_t g[2], uint64_t x) {
    unsigned __int128 low = (unsigned __int128)g[1] * x,
                      high = (unsigned __int128)g[0] * x + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

gbs_shortest gbs_shortest_of(double x) {
    uint64_t bits, c;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> FRACTION), q = (exponent > 0 ? exponent : 1) - BIAS;
    uint64_t fraction = bits & ((UINT64_C(1) << FRACTION) - 1);
    bool closer = fraction == 0 && exponent > 1;
    c = exponent > 0 ? fraction | UINT64_C(1) << FRACTION : fraction;
    int k = floor_log10(q, closer), h = q + floor_log2(-k) + 1;
    const uint64_t *g = gbs_powers_of_ten[-k - GBS_LEAST_POWER];
    uint64_t odd = c & 1, low = odd_product(g, (4 * c - 2 + closer) << h) + odd,
             middle = odd_product(g, 4 * c << h), high = odd_product(g, (4 * c + 2) << h) - odd,
             whole = middle / 4;
    if (whole >= 10) { /* a multiple of ten inside? */
        uint64_t tens = whole / 10;
        bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;
        if (below != above)
            return (gbs_shortest){tens + above, k + 1};
    }
    bool below = low <= 4 * whole, above = 4 * whole + 4 <= high;
    if (below != above)
        return (gbs_shortest){whole + above, k};
    uint64_t half = 4 * whole + 2; /* both, or neither is decided by the interval: the nearer */
    return (gbs_shortest){whole + (middle > half || (middle == half && (whole & 1) != 0)), k};
}
