/* The risk over pairs: a positive row is to score above a negative one.
 *
 *   r_n(theta) = mean over i positive, j negative of loss(x_i'theta - x_j'theta);
 *   zero-one: 1 - AUC, ties one half                                           (docs/maths.md, 5.2)
 *
 * Scores of a tile against all rows first, then a sort a lane and state: O(n log n), and the losses
 * are added up along the sorted scores (add_pairs in risk/). What is common to all rows, a shift or
 * an intercept, cancels and is left out.
 */
#include "kernel/sort.h"
#include "smc/smc.h"

#include <math.h>

size_t gbs_pairs_scratch(const gbs_rows *rows) {
    /* two tiles of scores; base; one lane and what sorts it */
    return rows->all.n * (2 * GBS_LANES + 3);
}

/* Mean loss over the pairs of n scores, the first `positives` of them positive; spare: n. NaN has
 * no place in an order: where scores overflowed to it the loss is infinite, and no move goes there.
 */
static double mean_loss(const gbs_smc_problem *problem, size_t positives, double *score,
                        double *spare) {
    size_t n = problem->rows->all.n, negatives = n - positives;
    for (size_t i = 0; i < n; i++)
        if (isnan(score[i]))
            return INFINITY;
    gbs_sort(positives, score, spare);
    gbs_sort(negatives, score + positives, spare);
    double lost = problem->loss->add_pairs(positives, score, negatives, score + positives);
    return isnan(lost) ? INFINITY : lost / ((double)positives * (double)negatives);
}

void gbs_pairs_tile_risk(const gbs_smc_problem *problem, const double *theta, double *scratch,
                         double *risk) {
    size_t n = problem->rows->all.n, positives = gbs_pair_positives(problem->rows);
    double *lane = scratch + n * GBS_LANES, *spare = lane + n;
    gbs_tile_scores(&problem->rows->all, theta, scratch);
    for (size_t l = 0; l < GBS_LANES; l++) {
        for (size_t i = 0; i < n; i++)
            lane[i] = scratch[i * GBS_LANES + l];
        risk[l] = mean_loss(problem, positives, lane, spare);
    }
}

void gbs_pairs_ring_risks(const gbs_smc_problem *problem, const gbs_ring *ring, const double *base,
                          const gbs_plane *plane, double *scratch) {
    size_t n = problem->rows->all.n, positives = gbs_pair_positives(problem->rows);
    double *here = scratch, *slope = here + n * GBS_LANES, *lane = slope + n * GBS_LANES,
           *spare = lane + n;
    gbs_tile_scores(&problem->rows->all, plane->centred, here);
    gbs_tile_scores(&problem->rows->all, plane->direction, slope);
    for (size_t j = 0; j < ring->size; j++) {
        double x = gbs_ring_cosine(ring, j), y = gbs_ring_sine(ring, j);
        for (size_t l = 0; l < GBS_LANES; l++) {
            for (size_t i = 0; i < n; i++)
                lane[i] = base[i] + x * here[i * GBS_LANES + l] + y * slope[i * GBS_LANES + l];
            plane->risk[j * GBS_LANES + l] = mean_loss(problem, positives, lane, spare);
        }
    }
}
