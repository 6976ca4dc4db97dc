/* Reliability: probabilities in tenths of [0, 1], and how often what they are of came true. */
#ifndef GIBBSITE_JUDGE_RELIABILITY_H
#define GIBBSITE_JUDGE_RELIABILITY_H

#include "gibbsite.h"

#include <stdbool.h>

enum { GBS_BINS = 10 };

/* One row more: sums, until gbs_reliability_finish makes means of them. */
static inline void gbs_reliability_add(gbs_reliability *bins, double probability, bool came) {
    gbs_reliability
        *bin = &bins[probability < 1.0 ? (size_t)(GBS_BINS * probability) : GBS_BINS - 1];
    bin->count++;
    bin->mean_probability += probability;
    bin->share_positive += came;
}

/* NaN where a tenth has no rows. */
static inline void gbs_reliability_finish(gbs_reliability *bins) {
    for (size_t k = 0; k < GBS_BINS; k++) {
        bins[k].mean_probability /= (double)bins[k].count;
        bins[k].share_positive /= (double)bins[k].count;
    }
}

#endif
