/* Counter-based random numbers; streams keep users of randomness apart. */
#ifndef GIBBSITE_CORE_RANDOM_H
#define GIBBSITE_CORE_RANDOM_H

#include "core/context.h"

/* The library's own streams start high; callers of gbs_random_* use small numbers. */
enum {
    GBS_STREAM_RESTART = 1 << 20, /* + number of the restart */
    GBS_STREAM_SPLIT = 1 << 26,
    GBS_STREAM_DRAWS,     /* of the classifiers that meet fresh rows */
    GBS_STREAM_PAIRS,     /* behind a risk from a sample of pairs */
    GBS_STREAM_SUBSAMPLE, /* rows of the estimate of what a stochastic fit has left to gain */
    GBS_STREAM_CHOICE,    /* rows on which the default fit chooses */
    GBS_STREAM_KERNEL,    /* pairs of rows whose distances give a kernel its width */
    GBS_STREAM_EXPLAIN,   /* rows that importances are measured on */
    GBS_STREAM_BORROW,    /* and whom they borrow a column from */
    GBS_STREAM_MATCHINGS = GBS_STREAM_SPLIT + (1 << 10), /* + number of the matching */
    GBS_STREAM_FOURIER = GBS_STREAM_SPLIT + (1 << 20),   /* + number of the frequency */
    GBS_STREAM_FOLDS = 1 << 27,
    GBS_STREAM_BATCH = 1 << 28,    /* + number of the epoch */
    GBS_STREAM_PARTICLES = 1 << 29 /* + 4 x number of the temperature + what for (smc/smc.h) */
};

/* Matrix completion, beyond the others: + what for, or + GBS_COMPLETION_SWEEP x number of the
 * sweep. */
#define GBS_STREAM_COMPLETION ((uint64_t)1 << 40)
enum {
    GBS_COMPLETION_START = 0,     /* + side */
    GBS_COMPLETION_SPLIT = 2,     /* which ratings make the first part */
    GBS_COMPLETION_FOLDS = 3,     /* which ratings are left out together */
    GBS_COMPLETION_SPECTRUM = 6,  /* the basis that subspace iteration begins with */
    GBS_COMPLETION_CERTIFY = 4,   /* draws behind a certificate; + 1: behind a choice made before */
    GBS_COMPLETION_REOPEN = 7,    /* columns of components that the sampler begins anew */
    GBS_COMPLETION_POSITIONS = 8, /* the basis of the features of positions */
    GBS_COMPLETION_LEFT_OUT = 9,  /* which ratings say whether positions help */
    GBS_COMPLETION_PROBES = 10,   /* + side: cells that tell of the Monte Carlo error */
    GBS_COMPLETION_SWEEP = 16     /* + side: items; + 2: mu; + 4, 5: noise; + 6, 7: variances */
};

/* Beyond any number of sweeps: + 2 x number of the start + side. */
#define GBS_COMPLETION_RESTART ((uint64_t)1 << 60)

double gbs_uniform(uint64_t seed, uint64_t stream, uint64_t index);
double gbs_normal(uint64_t seed, uint64_t stream, uint64_t index);
/* Fisher and Yates; depends on seed and stream alone. */
void gbs_shuffle(uint64_t seed, uint64_t stream, size_t n, size_t *order);
uint64_t gbs_below(uint64_t seed, uint64_t stream, uint64_t index,
                   uint64_t bound); /* 0 .. bound - 1 */

#endif
