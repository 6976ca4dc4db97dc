/* Systematic resampling: one uniform number, a comb of `count` teeth over the cumulated weights
 * (docs/maths.md, 7.3).
 *
 * A particle of weight w gets floor or ceiling of count w / (sum of weights) descendants.
 * Neighbours in the array are states of one chain, so the comb also spreads the descendants evenly
 * over the chains.
 */
#include "smc/smc.h"

void gbs_resample(size_t n, const double *weight, size_t count, double u, size_t *ancestor) {
    double total = 0.0, reached = 0.0;
    for (size_t i = 0; i < n; i++)
        total += weight[i];
    double tooth = total / (double)count;
    size_t next = 0, last = 0;
    for (size_t i = 0; i < n; i++) {
        if (weight[i] > 0.0)
            last = i;
        reached += weight[i];
        while (next < count && ((double)next + u) * tooth < reached)
            ancestor[next++] = i;
    }
    while (next < count) /* rounding kept the sum below the last tooth */
        ancestor[next++] = last;
}
