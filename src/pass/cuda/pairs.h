/* A pass over all pairs while it runs: pairs.c asks, pairs_meet.c goes through the pairs. */
#ifndef GIBBSITE_PASS_CUDA_PAIRS_H
#define GIBBSITE_PASS_CUDA_PAIRS_H

#include "pass/cuda/cuda.h"

/* Products of a slab, in numbers. */
enum { GBS_CUDA_SLAB_CELLS = 1 << 22 };

typedef struct gbs_cuda_pairs {
    gbs_cuda_call *call;
    const gbs_cuda_held *h;
    gbs_cuda_spread g;
    int loss;
    double negligible, sign;
    size_t outer, inner, outer_first, inner_first;
    double *a, *q, *u, *w; /* of all rows */
    int *broken;
    unsigned int near_room, *near_count;
    uint32_t *near; /* outer rows, then inner rows */
} gbs_cuda_pairs;

/* What is asked of the pairs. */
typedef struct gbs_cuda_wish {
    bool slopes, absolute, products; /* products: M is needed */
    double *sums, *columns, *matrix; /* on the device; NULL: not asked for */
} gbs_cuda_wish;

/* All pairs; between slabs the caller may stop it. */
void gbs_cuda_meet_all(gbs_cuda_pairs *p, const gbs_cuda_wish *wish);

#endif
