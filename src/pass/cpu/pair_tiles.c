/* Losses of sixteen coefficient vectors at once over pairs: a row of the first kind is to score
 * above one of the second.
 *
 *   r(theta) = mean over i, j of loss(x_i'theta - x_j'theta);  zero-one: 1 - AUC, ties one half
 *                                                                        (docs/maths.md, 5.2)
 *
 * Scores of a tile against all rows first, then a sort a lane and state: O(n log n), and the losses
 * are added up along the sorted scores (add_pairs of the loss). What is common to all rows, a shift
 * or an intercept, cancels and is left out. Every row counts once.
 */
#include "kernel/sort.h"
#include "pass/cpu/cpu.h"

#include <math.h>

size_t gbs_cpu_pair_tile_room(const gbs_held *held) {
    /* two tiles of scores; one lane and what sorts it */
    return held->n * (2 * GBS_LANES + 2);
}

/* Mean loss over the pairs of n scores, the first `positives` of them positive; spare: n. NaN has
 * no place in an order: where scores overflowed to it the loss is infinite, and no move goes there.
 */
static double mean_loss(const gbs_pointwise *loss, size_t n, size_t positives, double *score,
                        double *spare) {
    size_t negatives = n - positives;
    for (size_t i = 0; i < n; i++)
        if (isnan(score[i]))
            return INFINITY;
    gbs_sort(positives, score, spare);
    gbs_sort(negatives, score + positives, spare);
    double lost = loss->add_pairs(positives, score, negatives, score + positives);
    return isnan(lost) ? INFINITY : lost / ((double)positives * (double)negatives);
}

void gbs_cpu_pair_tile(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                       const double *theta, double *scratch, double *risk) {
    size_t n = held->n;
    double *lane = scratch + n * GBS_LANES, *spare = lane + n;
    gbs_tile_scores(&gbs_cpu_rows(held)->all, theta, scratch);
    for (size_t l = 0; l < GBS_LANES; l++) {
        for (size_t i = 0; i < n; i++)
            lane[i] = scratch[i * GBS_LANES + l];
        risk[l] = mean_loss(loss, n, positives, lane, spare);
    }
}

static void one_tile(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                     const gbs_ring *ring, const double *base, const gbs_ring_tile *tile,
                     double *scratch) {
    size_t n = held->n;
    double *here = scratch, *slope = here + n * GBS_LANES, *lane = slope + n * GBS_LANES,
           *spare = lane + n;
    gbs_tile_scores(&gbs_cpu_rows(held)->all, tile->centred, here);
    gbs_tile_scores(&gbs_cpu_rows(held)->all, tile->direction, slope);
    for (size_t j = 0; j < ring->size; j++) {
        double x = gbs_ring_cosine(ring, j), y = gbs_ring_sine(ring, j);
        for (size_t l = 0; l < GBS_LANES; l++) {
            for (size_t i = 0; i < n; i++)
                lane[i] = base[i] + x * here[i * GBS_LANES + l] + y * slope[i * GBS_LANES + l];
            tile->risk[j * GBS_LANES + l] = mean_loss(loss, n, positives, lane, spare);
        }
    }
}

void gbs_cpu_pair_ring(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                       const gbs_ring *ring, const double *base, size_t count,
                       const gbs_ring_tile *tile, double *scratch) {
    for (size_t g = 0; g < count; g++)
        one_tile(held, positives, loss, ring, base, &tile[g], scratch);
}
