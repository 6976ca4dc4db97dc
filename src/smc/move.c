/* Markov chains that leave pi_lambda unchanged, sixteen in step, in the whitened coordinates of the
 * reference: theta = m + L u.
 *
 *   walk   u' = u + s z, taken with probability min(1, pi(theta')/pi(theta));  s = 2.38/sqrt(d)
 *          (Chopin 2002, tuned from the particles)
 *   ring   in turn: a draw from many states at once, one from a narrow window of them, a single
 *          turn: ring.c
 *
 * A task is a block of chains and runs through many steps by itself; what it draws depends on the
 * numbers of chain and step alone (docs/maths.md, 7.4).
 */
#include "core/random.h"
#include "core/ranks.h"
#include "kernel/linalg.h"
#include "smc/smc.h"

#include <math.h>
#include <string.h>

/* Numbers that a chain carries besides theta and u: struct lanes. */
enum { EXTRA_LANES = 4 };

size_t gbs_chain_offset(size_t particles, size_t chains, size_t chain) {
    size_t length = particles / chains, longer = particles % chains;
    return chain * length + (chain < longer ? chain : longer);
}

static size_t state_size(size_t d) {
    return (2 * d + EXTRA_LANES) * GBS_LANES;
}

/* A tile's planes and the risks of their states. */
static size_t plane_size(size_t d) {
    return (4 * d + GBS_RING_MOST) * GBS_LANES;
}

/* Rows of more bytes than this are read again from afar for every tile; planes of more push them
 * out. */
#define NEAR_BYTES ((size_t)1 << 19)

/* Blocks that go through the rows together. A choice of speed alone: no number depends on it. */
static size_t group_of(const gbs_empirical *risk, size_t blocks) {
    size_t share = blocks / gbs_workers(risk->ctx),
           room = NEAR_BYTES / (plane_size(risk->d) * sizeof(double));
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
    out->worker_size = out->group * plane_size(d) + gbs_empirical_tile_room(risk);
    /* tiles begin on a cache line */
    out->worker_size += (GBS_LANES - out->worker_size % GBS_LANES) % GBS_LANES;
    out->state = gbs_matrix(ctx, out->blocks, state_size(d));
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

struct run {
    gbs_mover *m;
    const gbs_chains *c;
    double *theta, *risk;
    size_t first, last; /* steps of this stretch */
    size_t longest;     /* states of the longest chain, the first included */
    gbs_ring full, narrow;
};

/* Views into the state of a block of chains. */
struct lanes {
    double *theta, *u, *risk, *moved, *narrow, *jump;
};

static struct lanes lanes_of(const struct run *r, size_t block) {
    double *base = r->m->state + block * state_size(r->m->d);
    size_t size = r->m->d * GBS_LANES;
    double *extra = base + 2 * size;
    return (struct lanes){
        base, base + size, extra, extra + GBS_LANES, extra + 2 * GBS_LANES, extra + 3 * GBS_LANES};
}

static size_t lanes_in(const struct run *r, size_t block) {
    size_t left = r->c->count - block * GBS_LANES;
    return left < GBS_LANES ? left : GBS_LANES;
}

/* direction = L z */
static void colour(const gbs_reference *ref, const double *z, double *direction) {
    size_t d = ref->d;
    if (ref->factor != NULL) {
        gbs_strip rows = {.n = d, .d = d, .dense = ref->factor, .ld = d, .stride = 1};
        gbs_tile_scores(&rows, z, direction);
        return;
    }
    for (size_t k = 0; k < d; k++)
        for (size_t l = 0; l < GBS_LANES; l++)
            direction[k * GBS_LANES + l] = ref->sd[k] * z[k * GBS_LANES + l];
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
    const struct run *r = arg;
    struct lanes s = lanes_of(r, block);
    size_t d = r->m->d, lanes = lanes_in(r, block), first = block * GBS_LANES;
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
static void keep_state(const struct run *r, size_t block, size_t step, const struct lanes *s) {
    size_t d = r->m->d, lanes = lanes_in(r, block), kept = 0;
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

/* z ~ N(0, I) for step `step` of a block. */
static void draw_normals(const struct run *r, size_t block, size_t step, double *z) {
    size_t size = r->m->d * GBS_LANES;
    uint64_t index = ((uint64_t)step * r->m->blocks + block) * (size / 2);
    gbs_normal_draws(r->m->ctx->seed, r->c->stream + GBS_DRAWS_NORMAL, index, size, z);
}

static uint64_t uniform_index(const struct run *r, size_t block, size_t step) {
    return ((uint64_t)step * r->m->blocks + block) * (GBS_LANES + 1);
}

static void draw_uniforms(const struct run *r, size_t block, size_t step, double *u) {
    gbs_lane_uniforms(r->m->ctx->seed, r->c->stream + GBS_DRAWS_UNIFORM,
                      uniform_index(r, block, step), u);
}

/* The states of the lanes that move become theta, u. */
static void go(const struct run *r, struct lanes *s, const bool *moves, const double *theta,
               const double *u) {
    int64_t mask[GBS_LANES] __attribute__((aligned(64)));
    for (size_t l = 0; l < GBS_LANES; l++) {
        mask[l] = moves[l] ? -1 : 0;
        s->moved[l] += moves[l];
    }
    gbs_tile_select(r->m->d, mask, theta, s->theta, NULL);
    gbs_tile_select(r->m->d, mask, u, s->u, s->jump);
}

/* z ~ N(0, I), direction = L z */
static void draw_direction(const struct run *r, size_t block, size_t step, double *z,
                           double *direction) {
    draw_normals(r, block, step, z);
    colour(r->c->reference, z, direction);
}

/* One proposal, taken or not: theta, u in, whose log density is `more` above that of the state, the
 * risk left out. */
static void propose(const struct run *r, size_t block, size_t step, const double *theta,
                    const double *u, const double *more, double *scratch) {
    struct lanes s = lanes_of(r, block);
    double risk[GBS_LANES], draw[GBS_LANES];
    bool taken[GBS_LANES], tuned = gbs_turn_tuned(r->c->turns) == GBS_TURN_SINGLE;
    draw_uniforms(r, block, step, draw);
    gbs_empirical_tile(r->c->problem->risk, theta, scratch, risk);
    for (size_t l = 0; l < GBS_LANES; l++) {
        /* false where that is NaN */
        taken[l] = log(draw[l]) < more[l] - r->c->lambda * (risk[l] - s.risk[l]);
        s.risk[l] = taken[l] ? risk[l] : s.risk[l];
        s.narrow[l] += tuned && taken[l];
    }
    go(r, &s, taken, theta, u);
}

/* drawn -> x state + y drawn, two tiles. */
static void mix(size_t d, double x, const double *state, double y, double *drawn) {
    double by_state[GBS_LANES] __attribute__((aligned(64))),
        by_draw[GBS_LANES] __attribute__((aligned(64)));
    for (size_t l = 0; l < GBS_LANES; l++) {
        by_state[l] = x;
        by_draw[l] = y;
    }
    gbs_tile_combine(d, by_draw, drawn, by_state, state);
}

static void walk_block(const struct run *r, size_t block, size_t step, double *scratch) {
    struct lanes s = lanes_of(r, block);
    const gbs_smc_problem *p = r->c->problem;
    size_t d = r->m->d, size = d * GBS_LANES;
    double *u = scratch, *theta = u + size, more[GBS_LANES] __attribute__((aligned(64)));
    draw_direction(r, block, step, u, theta);
    mix(d, 1.0, s.u, r->c->scale, u);
    mix(d, 1.0, s.theta, r->c->scale, theta);
    gbs_tile_change(d, p->prior_mean, s.theta, theta, more);
    for (size_t l = 0; l < GBS_LANES; l++)
        more[l] *= -0.5 / (p->prior_sd * p->prior_sd);
    propose(r, block, step, theta, u, more, theta + size);
}

/* A single state of the ring, at the narrow angle. */
static void turn_block(const struct run *r, size_t block, size_t step, double *scratch) {
    struct lanes s = lanes_of(r, block);
    const gbs_smc_problem *p = r->c->problem;
    size_t d = r->m->d, size = d * GBS_LANES;
    double *u = scratch, *theta = u + size, x = cos(r->c->scale), y = sin(r->c->scale);
    double more[GBS_LANES] __attribute__((aligned(64))),
        less[GBS_LANES] __attribute__((aligned(64)));
    draw_direction(r, block, step, u, theta);
    mix(d, x, s.u, y, u);
    mix(d, x, s.theta, y, theta);
    gbs_tile_shift(d, 1.0 - x, r->c->reference->mean, theta); /* m + x (theta - m) + y L z */
    gbs_tile_change(d, NULL, s.u, u, more);
    gbs_tile_change(d, p->prior_mean, s.theta, theta, less);
    for (size_t l = 0; l < GBS_LANES; l++)
        more[l] = 0.5 * (more[l] - less[l] / (p->prior_sd * p->prior_sd));
    propose(r, block, step, theta, u, more, theta + size);
}

/* The planes through the states of a block and fresh directions. */
static gbs_plane span(const struct run *r, size_t block, size_t step, double *scratch) {
    struct lanes s = lanes_of(r, block);
    size_t d = r->m->d, size = d * GBS_LANES;
    gbs_plane p = {.mean = r->c->reference->mean, .away = r->m->away, .centred = scratch};
    p.direction = p.centred + size;
    p.u = p.direction + size;
    p.z = p.u + size;
    p.risk = p.z + size;
    draw_direction(r, block, step, p.z, p.direction);
    memcpy(p.u, s.u, size * sizeof *p.u);
    memcpy(p.centred, s.theta, size * sizeof *p.centred);
    gbs_tile_shift(d, -1.0, p.mean, p.centred);
    return p;
}

/* Moves a block to states drawn from its planes, whose risks are known. */
static void draw_state(const struct run *r, size_t block, size_t step, const gbs_ring *ring,
                       size_t here, const gbs_plane *p) {
    struct lanes s = lanes_of(r, block);
    size_t d = r->m->d, chosen[GBS_LANES];
    double draw[GBS_LANES], x[GBS_LANES] __attribute__((aligned(64))),
        y[GBS_LANES] __attribute__((aligned(64)));
    bool moves[GBS_LANES];
    draw_uniforms(r, block, step, draw);
    gbs_ring_choose(r->c->problem, r->c->lambda, ring, p, draw, chosen);
    for (size_t l = 0; l < GBS_LANES; l++) {
        moves[l] = chosen[l] != here;
        x[l] = gbs_ring_cosine(ring, chosen[l]);
        y[l] = gbs_ring_sine(ring, chosen[l]);
        s.risk[l] = moves[l] ? p->risk[chosen[l] * GBS_LANES + l] : s.risk[l];
        s.narrow[l] += ring == &r->narrow && moves[l];
    }
    gbs_tile_combine(d, x, p->u, y, p->z);
    gbs_tile_combine(d, x, p->centred, y, p->direction);
    gbs_tile_shift(d, 1.0, p->mean, p->centred);
    go(r, &s, moves, p->centred, p->u);
}

/* `count` blocks at once: they share what they read of the rows. */
static void ring_blocks(const struct run *r, size_t first, size_t count, size_t step,
                        double *scratch) {
    const gbs_chains *c = r->c;
    const gbs_ring *ring = gbs_turn_of(c->turns, step) == GBS_TURN_WINDOW ? &r->narrow : &r->full;
    gbs_plane plane[GBS_GROUP];
    gbs_ring_tile tile[GBS_GROUP];
    size_t here[GBS_GROUP] = {0};
    for (size_t g = 0; g < count; g++) {
        plane[g] = span(r, first + g, step, scratch + g * plane_size(r->m->d));
        if (ring == &r->narrow) {
            uint64_t place = uniform_index(r, first + g, step) + GBS_LANES;
            here[g] = (size_t)(gbs_uniform(r->m->ctx->seed, c->stream + GBS_DRAWS_UNIFORM, place) *
                               (double)c->ring);
        }
        gbs_ring_turn(c->problem, ring, here[g], &plane[g]);
        tile[g] = (gbs_ring_tile){plane[g].centred, plane[g].direction, plane[g].risk};
    }
    gbs_empirical_ring(c->problem->risk, ring, r->m->base, count, tile,
                       scratch + r->m->group * plane_size(r->m->d));
    for (size_t g = 0; g < count; g++)
        draw_state(r, first + g, step, ring, here[g], &plane[g]);
}

static void run_group(void *arg, size_t task, size_t worker) {
    const struct run *r = arg;
    size_t begin = task * r->m->group, left = r->m->blocks - begin,
           count = left < r->m->group ? left : r->m->group;
    double *scratch = r->m->scratch + worker * r->m->worker_size;
    for (size_t step = r->first; step < r->last; step++) {
        bool walk = r->c->move == GBS_MOVE_WALK,
             single = !walk && gbs_turn_of(r->c->turns, step) == GBS_TURN_SINGLE;
        if (step > 0 && !walk && !single)
            ring_blocks(r, begin, count, step, scratch);
        for (size_t block = begin; block < begin + count; block++) {
            struct lanes s = lanes_of(r, block);
            if (step > 0 && (walk || single))
                (walk ? walk_block : turn_block)(r, block, step, scratch);
            keep_state(r, block, step, &s);
        }
    }
}

static void prepare_rings(struct run *r) {
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

static void sum_up(const struct run *r, gbs_moved *moved) {
    const gbs_chains *c = r->c;
    double moves = (double)c->count * (double)(r->longest - 1),
           narrow = (double)c->count * tuned_steps(c, r->longest - 1);
    *moved = (gbs_moved){0};
    for (size_t block = 0; block < r->m->blocks; block++) {
        struct lanes s = lanes_of(r, block);
        for (size_t l = 0; l < lanes_in(r, block); l++) {
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
static gbs_status share_states(const struct run *r, const gbs_share *share) {
    const gbs_chains *c = r->c;
    size_t d = r->m->d, chains = r->m->group * GBS_LANES, size = state_size(d) * sizeof(double);
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
         .size = EXTRA_LANES * GBS_LANES * sizeof(double),
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
    struct run r = {.m = m, .c = c, .theta = theta, .risk = risk};
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
