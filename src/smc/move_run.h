/* A stretch of steps of many chains while it runs: what move.c deals out and move_steps.c does. */
#ifndef GIBBSITE_SMC_MOVE_RUN_H
#define GIBBSITE_SMC_MOVE_RUN_H

#include "smc/smc.h"

/* Numbers that a chain carries besides theta and u: gbs_lanes_at. */
enum { GBS_EXTRA_LANES = 4 };

static inline size_t gbs_state_size(size_t d) {
    return (2 * d + GBS_EXTRA_LANES) * GBS_LANES;
}

/* A tile's planes and the risks of their states. */
static inline size_t gbs_plane_size(size_t d) {
    return (4 * d + GBS_RING_MOST) * GBS_LANES;
}

typedef struct gbs_move_run {
    gbs_mover *m;
    const gbs_chains *c;
    double *theta, *risk;
    size_t first, last; /* steps of this stretch */
    size_t longest;     /* states of the longest chain, the first included */
    gbs_ring full, narrow;
} gbs_move_run;

/* Views into the state of a block of chains. */
typedef struct gbs_lanes_at {
    double *theta, *u, *risk, *moved, *narrow, *jump;
} gbs_lanes_at;

static inline gbs_lanes_at gbs_lanes_of(const gbs_move_run *r, size_t block) {
    double *base = r->m->state + block * gbs_state_size(r->m->d);
    size_t size = r->m->d * GBS_LANES;
    double *extra = base + 2 * size;
    return (gbs_lanes_at){
        base, base + size, extra, extra + GBS_LANES, extra + 2 * GBS_LANES, extra + 3 * GBS_LANES};
}

static inline size_t gbs_lanes_in(const gbs_move_run *r, size_t block) {
    size_t left = r->c->count - block * GBS_LANES;
    return left < GBS_LANES ? left : GBS_LANES;
}

/* Step `step` of a block: a walk, a single state of the ring at the narrow angle. */
void gbs_walk_block(const gbs_move_run *r, size_t block, size_t step, double *scratch);
void gbs_turn_block(const gbs_move_run *r, size_t block, size_t step, double *scratch);
/* Of `count` blocks from `first` on at once: draws from the ring. */
void gbs_ring_blocks(const gbs_move_run *r, size_t first, size_t count, size_t step,
                     double *scratch);

#endif
