/* Markov chains, sixteen in step: a task is a block of chains and runs through many steps
 * (move_steps.c) by itself; what they leave in their particles, and what is told of them
 * (docs/maths.md, 7.4).
 */
#include "core/ranks.h"
#include "kernel/linalg.h"
#include "smc/move_run.h"

#include <math.h>
#include <string.h>

size_t gbs_chain_offset(size_t particles, size_t chains, size_t chain) {
    size_t length = particles / chains, longer = particles % chains;
    return chain * length + (chain < longer ? chain : longer);
}

/* Rows of more bytes than this are read again from afar for every tile; planes of more push them
 * out. */
#define NEAR_BYTES ((size_t)1 << 19)

/* Blocks that go through the rows together. A choice of speed alone: no number depends on it. */
static size_t group_of(const gbs_empirical *risk, size_t blocks) {
    size_t share = blocks / gbs_workers(risk->ctx),
           room = NEAR_BYTES / (gbs_plane_size(risk->d) * sizeof(double));
    size_t most = share < room ? share : room;
    if (risk->rows * risk->d * sizeof(double) <= NEAR_BYTES || most < 2)
        return 1;
    return most < GBS_GROUP ? most : GBS_GROUP;
}

gbs_status gbs_mover_create(const gbs_empirical *risk, size_t chains, gbs_mover *out) {
    gbs_context *ctx = risk->ctx;
    size_t d = risk->d;
    *out = (gbs_mover){.ctx = ctx, .d = d, .blocks = (chains + GBS_LANES - 1) / GBS_LANES};
    out->group = group_of(risk, out->blocks);
    out->worker_size = out->group * gbs_plane_size(d) + gbs_empirical_tile_room(risk);
    /* tiles begin on a cache line */
    out->worker_size += (GBS_LANES - out->worker_size % GBS_LANES) % GBS_LANES;
    out->state = gbs_matrix(ctx, out->blocks, gbs_state_size(d));
    out->scratch = gbs_matrix(ctx, gbs_workers(ctx), out->worker_size);
    out->base = gbs_doubles(ctx, risk->rows);
    out->away = gbs_doubles(ctx, d);
    if (out->state == NULL || out->scratch == NULL || out->base == NULL || out->away == NULL) {
        gbs_mover_free(out);
        return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

void gbs_mover_free(gbs_mover *m) {
    if (m->ctx == NULL)
        return;
    gbs_array_free(m->ctx, m->state);
    gbs_array_free(m->ctx, m->scratch);
    gbs_array_free(m->ctx, m->base);
    gbs_array_free(m->ctx, m->away);
    *m = (gbs_mover){0};
}

/* u = L^-1 (theta - m) */
static void whiten(const gbs_reference *ref, const double *theta, double *u) {
    size_t d = ref->d;
    for (size_t k = 0; k < d; k++)
        for (size_t l = 0; l < GBS_LANES; l++)
            u[k * GBS_LANES + l] = (theta[k * GBS_LANES + l] - ref->mean[k]) /
                                   (ref->factor != NULL ? 1.0 : ref->sd[k]);
    if (ref->factor != NULL)
        gbs_triangle_solve_columns(ref->upper ? GBS_UPPER : GBS_LOWER, d, ref->factor, GBS_LANES,
                                   u);
}

static void begin_block(void *arg, size_t block, size_t worker) {
    const gbs_move_run *r = arg;
    gbs_lanes_at s = gbs_lanes_of(r, block);
    size_t d = r->m->d, lanes = gbs_lanes_in(r, block), first = block * GBS_LANES;
    const double *row[GBS_LANES] = {0};
    (void)worker;
    for (size_t l = 0; l < GBS_LANES; l++) {
        s.risk[l] = l < lanes ? r->risk[r->c->from[first + l]] : 0.0;
        s.moved[l] = s.narrow[l] = s.jump[l] = 0.0;
        row[l] = l < lanes ? r->theta + r->c->from[first + l] * d : NULL;
    }
    gbs_tile_gather(d, lanes, row, s.theta);
    whiten(r->c->reference, s.theta, s.u);
}

/* Leaves state number `step` of each chain of the block in its particle. */
static void keep_state(const gbs_move_run *r, size_t block, size_t step, const gbs_lanes_at *s) {
    size_t d = r->m->d, lanes = gbs_lanes_in(r, block), kept = 0;
    const gbs_chains *c = r->c;
    double *row[GBS_LANES];
    if (c->keep_all ? step % c->steps != 0 : step != c->steps)
        return;
    for (size_t l = 0; l < lanes; l++) {
        size_t chain = block * GBS_LANES + l, at = chain;
        if (c->keep_all) {
            at = gbs_chain_offset(c->particles, c->count, chain) + step / c->steps;
            if (at >= gbs_chain_offset(c->particles, c->count, chain + 1))
                break; /* the shorter chains come last */
        }
        row[kept++] = r->theta + at * d;
        r->risk[at] = s->risk[l];
    }
    gbs_tile_scatter(d, kept, s->theta, row);
}

static void run_group(void *arg, size_t task, size_t worker) {
    const gbs_move_run *r = arg;
    size_t begin = task * r->m->group, left = r->m->blocks - begin,
           count = left < r->m->group ? left : r->m->group;
    double *scratch = r->m->scratch + worker * r->m->worker_size;
    for (size_t step = r->first; step < r->last; step++) {
        bool walk = r->c->move == GBS_MOVE_WALK,
             single = !walk && gbs_turn_of(r->c->turns, step) == GBS_TURN_SINGLE;
        if (step > 0 && !walk && !single)
            gbs_ring_blocks(r, begin, count, step, scratch);
        for (size_t block = begin; block < begin + count; block++) {
            gbs_lanes_at s = gbs_lanes_of(r, block);
            if (step > 0 && (walk || single))
                (walk ? gbs_walk_block : gbs_turn_block)(r, block, step, scratch);
            keep_state(r, block, step, &s);
        }
    }
}

static void prepare_rings(gbs_move_run *r) {
    const double *mean = r->c->reference->mean, *prior_mean = r->c->problem->prior_mean;
    for (size_t k = 0; k < r->m->d; k++)
        r->m->away[k] = mean[k] - (prior_mean != NULL ? prior_mean[k] : 0.0);
    gbs_ring_create(r->c->ring, gbs_ring_step(r->c->ring), &r->full);
    gbs_ring_create(r->c->ring, r->c->scale, &r->narrow);
    gbs_empirical_base(r->c->problem->risk, mean, r->m->base);
}

/* Steps 1 .. last of the kind that is tuned; kinds come back every four. */
static double tuned_steps(const gbs_chains *c, size_t last) {
    size_t in_four = 0, rest = 0;
    for (size_t step = 0; step < 4; step++) {
        bool tuned = gbs_turn_of(c->turns, step) == gbs_turn_tuned(c->turns);
        in_four += tuned;
        rest += tuned && step > 0 && step <= last % 4;
    }
    size_t steps = last / 4 * in_four + rest;
    return (double)steps;
}

static void sum_up(const gbs_move_run *r, gbs_moved *moved) {
    const gbs_chains *c = r->c;
    double moves = (double)c->count * (double)(r->longest - 1),
           narrow = (double)c->count * tuned_steps(c, r->longest - 1);
    *moved = (gbs_moved){0};
    for (size_t block = 0; block < r->m->blocks; block++) {
        gbs_lanes_at s = gbs_lanes_of(r, block);
        for (size_t l = 0; l < gbs_lanes_in(r, block); l++) {
            moved->acceptance += s.moved[l];
            moved->narrow += s.narrow[l];
            moved->jump += s.jump[l] / (2.0 * (double)r->m->d);
        }
    }
    moved->acceptance /= moves;
    moved->narrow /= narrow;
    moved->jump /= moves;
}

/* A rank keeps its chains until they are done; then particles, risks and counts travel. */
static gbs_status share_states(const gbs_move_run *r, const gbs_share *share) {
    const gbs_chains *c = r->c;
    size_t d = r->m->d, chains = r->m->group * GBS_LANES, size = gbs_state_size(d) * sizeof(double);
    if (!share->dealt || c->count == 0)
        return GBS_OK;
    size_t *at = gbs_array_alloc(r->m->ctx, share->tasks + 1, sizeof *at);
    if (at == NULL)
        return GBS_ERR_MEMORY;
    for (size_t task = 0; task <= share->tasks; task++) {
        size_t chain = task * chains < c->count ? task * chains : c->count;
        at[task] = c->keep_all ? gbs_chain_offset(c->particles, c->count, chain) : chain;
    }
    const gbs_made made[] = {
        gbs_made_items(r->theta, d, at),
        gbs_made_items(r->risk, 1, at),
        {.base = r->m->state + 2 * d * GBS_LANES,
         .size = GBS_EXTRA_LANES * GBS_LANES * sizeof(double),
         .stride = size,
         .per_task = r->m->group,
         .elements = r->m->blocks},
    };
    gbs_share_gather(r->m->ctx, share, made, 3);
    gbs_array_free(r->m->ctx, at);
    return gbs_check_cancel(r->m->ctx);
}

gbs_status gbs_mover_run(gbs_mover *m, const gbs_chains *c, double *theta, double *risk,
                         gbs_moved *moved) {
    gbs_move_run r = {.m = m, .c = c, .theta = theta, .risk = risk};
    bool ring = c->move == GBS_MOVE_RING;
    r.longest = c->keep_all ? (gbs_chain_offset(c->particles, c->count, 1) - 1) * c->steps + 1
                            : c->steps + 1;
    double d = (double)m->d, n = (double)c->problem->risk->rows;
    double state = c->problem->risk->state_cost, states = ring ? (double)c->ring : 1.0;
    double step_flops = (double)c->count *
                        (d * (2.0 * d + 30.0) + n * ((ring ? 4.0 : 2.0) * d + state * states));
    size_t stretch = step_flops < GBS_STRETCH_FLOPS ? (size_t)(GBS_STRETCH_FLOPS / step_flops) : 1;
    gbs_status status = gbs_check_cancel(m->ctx);
    if (status == GBS_OK) {
        if (ring)
            prepare_rings(&r);
        gbs_parallel_for(m->ctx, m->blocks, (double)c->count * d * d, begin_block, &r);
    }
    size_t tasks = (m->blocks + m->group - 1) / m->group;
    double left = (double)(c->particles * (m->d + 1) * sizeof(double));
    gbs_share share = gbs_share_of(m->ctx, tasks, step_flops * (double)r.longest, left);
    while (status == GBS_OK && r.first < r.longest) {
        r.last = r.first + stretch < r.longest ? r.first + stretch : r.longest;
        gbs_share_for(m->ctx, &share, step_flops * (double)(r.last - r.first), run_group, &r);
        r.first = r.last;
        status = gbs_check_cancel(m->ctx);
    }
    if (status == GBS_OK)
        status = share_states(&r, &share);
    sum_up(&r, moved);
    return status;
}
