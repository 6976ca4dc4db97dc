/* Steps that leave pi_lambda unchanged, of sixteen chains at once, in the whitened coordinates of
 * the reference: theta = m + L u.
 *
 *   walk   u' = u + s z, taken with probability min(1, pi(theta')/pi(theta));  s = 2.38/sqrt(d)
 *          (Chopin 2002, tuned from the particles)
 *   ring   in turn: a draw from many states at once, one from a narrow window of them, a single
 *          turn: ring.c
 *
 * What a block of chains draws depends on the numbers of chain and step alone (docs/maths.md, 7.4).
 */
#include "smc/move_run.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

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

/* z ~ N(0, I) for step `step` of a block. */
static void draw_normals(const gbs_move_run *r, size_t block, size_t step, double *z) {
    size_t size = r->m->d * GBS_LANES;
    uint64_t index = ((uint64_t)step * r->m->blocks + block) * (size / 2);
    gbs_normal_draws(r->m->ctx->seed, r->c->stream + GBS_DRAWS_NORMAL, index, size, z);
}

static uint64_t uniform_index(const gbs_move_run *r, size_t block, size_t step) {
    return ((uint64_t)step * r->m->blocks + block) * (GBS_LANES + 1);
}

static void draw_uniforms(const gbs_move_run *r, size_t block, size_t step, double *u) {
    gbs_lane_uniforms(r->m->ctx->seed, r->c->stream + GBS_DRAWS_UNIFORM,
                      uniform_index(r, block, step), u);
}

/* The states of the lanes that move become theta, u. */
static void go(const gbs_move_run *r, gbs_lanes_at *s, const bool *moves, const double *theta,
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
static void draw_direction(const gbs_move_run *r, size_t block, size_t step, double *z,
                           double *direction) {
    draw_normals(r, block, step, z);
    colour(r->c->reference, z, direction);
}

/* One proposal, taken or not: theta, u in, whose log density is `more` above that of the state, the
 * risk left out. */
static void propose(const gbs_move_run *r, size_t block, size_t step, const double *theta,
                    const double *u, const double *more, double *scratch) {
    gbs_lanes_at s = gbs_lanes_of(r, block);
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

void gbs_walk_block(const gbs_move_run *r, size_t block, size_t step, double *scratch) {
    gbs_lanes_at s = gbs_lanes_of(r, block);
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
void gbs_turn_block(const gbs_move_run *r, size_t block, size_t step, double *scratch) {
    gbs_lanes_at s = gbs_lanes_of(r, block);
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
static gbs_plane span(const gbs_move_run *r, size_t block, size_t step, double *scratch) {
    gbs_lanes_at s = gbs_lanes_of(r, block);
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
static void draw_state(const gbs_move_run *r, size_t block, size_t step, const gbs_ring *ring,
                       size_t here, const gbs_plane *p) {
    gbs_lanes_at s = gbs_lanes_of(r, block);
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
void gbs_ring_blocks(const gbs_move_run *r, size_t first, size_t count, size_t step,
                     double *scratch) {
    const gbs_chains *c = r->c;
    const gbs_ring *ring = gbs_turn_of(c->turns, step) == GBS_TURN_WINDOW ? &r->narrow : &r->full;
    gbs_plane plane[GBS_GROUP];
    gbs_ring_tile tile[GBS_GROUP];
    size_t here[GBS_GROUP] = {0};
    for (size_t g = 0; g < count; g++) {
        plane[g] = span(r, first + g, step, scratch + g * gbs_plane_size(r->m->d));
        if (ring == &r->narrow) {
            uint64_t place = uniform_index(r, first + g, step) + GBS_LANES;
            here[g] = (size_t)(gbs_uniform(r->m->ctx->seed, c->stream + GBS_DRAWS_UNIFORM, place) *
                               (double)c->ring);
        }
        gbs_ring_turn(c->problem, ring, here[g], &plane[g]);
        tile[g] = (gbs_ring_tile){plane[g].centred, plane[g].direction, plane[g].risk};
    }
    gbs_empirical_ring(c->problem->risk, ring, r->m->base, count, tile,
                       scratch + r->m->group * gbs_plane_size(r->m->d));
    for (size_t g = 0; g < count; g++)
        draw_state(r, first + g, step, ring, here[g], &plane[g]);
}
