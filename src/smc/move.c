/* Markov chains that leave pi_lambda unchanged, sixteen in step.
 *
 * With the reference N(m, L L') a chain lives in whitened coordinates, theta = m + L u, and a step of scale s draws z ~ N(0, I):
 *
 *   walk             u' = u + s z                            log ratio = log pi(theta') - log pi(theta)
 *   crank-nicolson   u' = sqrt(1 - s^2) u + s z              log ratio = the same, plus (|u'|^2 - |u|^2)/2
 *
 * The second leaves the reference itself unchanged, so that only the difference between reference and target is put to the vote: with a good
 * reference, steps of order 1 are taken where a walk must stay below 2.4/sqrt(d).
 *   Cotter, Roberts, Stuart, White: MCMC methods for functions (2013); tuned from the particles as in Chopin (2002)
 *
 * A task is a block of chains and runs through many steps by itself; what it draws depends on the numbers of chain and step alone.
 */
#include "core/random.h"
#include "smc/smc.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { EXTRA_LANES = 3 };

size_t gbs_chain_offset(size_t particles, size_t chains, size_t chain) {
    size_t length = particles / chains, longer = particles % chains;
    return chain * length + (chain < longer ? chain : longer);
}

static size_t state_size(size_t d) {
    return (2 * d + EXTRA_LANES) * GBS_LANES;
}

gbs_status gbs_mover_create(gbs_context *ctx, size_t d, size_t chains, gbs_mover *out) {
    *out = (gbs_mover){.ctx = ctx, .d = d, .blocks = (chains + GBS_LANES - 1) / GBS_LANES};
    out->worker_size = 3 * d * GBS_LANES + GBS_RISK_SCRATCH;
    out->state = gbs_matrix(ctx, out->blocks, state_size(d));
    out->scratch = gbs_matrix(ctx, gbs_workers(ctx), out->worker_size);
    if (out->state == NULL || out->scratch == NULL) {
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
    *m = (gbs_mover){0};
}

struct run {
    gbs_mover *m;
    const gbs_chains *c;
    double *theta, *risk;
    double keep;        /* what is left of u in a proposal */
    size_t first, last; /* steps of this stretch */
    size_t longest;     /* states of the longest chain, the first included */
};

/* Views into the state of a block of chains. */
struct lanes {
    double *theta, *u, *risk, *log_density, *accepted;
};

static struct lanes lanes_of(const struct run *r, size_t block) {
    double *base = r->m->state + block * state_size(r->m->d);
    size_t size = r->m->d * GBS_LANES;
    double *extra = base + 2 * size;
    return (struct lanes){base, base + size, extra, extra + GBS_LANES, extra + 2 * GBS_LANES};
}

static size_t lanes_in(const struct run *r, size_t block) {
    size_t left = r->c->count - block * GBS_LANES;
    return left < GBS_LANES ? left : GBS_LANES;
}

/* log pi, less the reference's own density where the moves leave that unchanged. */
static void log_density(const struct run *r, const double *theta, const double *u, const double *risk, double *out) {
    double square[GBS_LANES] = {0}, white[GBS_LANES] = {0}, v = r->c->problem->prior_sd * r->c->problem->prior_sd;
    for (size_t k = 0; k < r->m->d; k++)
        for (size_t l = 0; l < GBS_LANES; l++) {
            square[l] += theta[k * GBS_LANES + l] * theta[k * GBS_LANES + l];
            white[l] += u[k * GBS_LANES + l] * u[k * GBS_LANES + l];
        }
    double share = r->c->move == GBS_MOVE_WALK ? 0.0 : 0.5;
    for (size_t l = 0; l < GBS_LANES; l++)
        out[l] = -r->c->lambda * risk[l] - 0.5 * square[l] / v + share * white[l];
}

/* theta = m + L u */
static void colour(const gbs_reference *ref, const double *u, double *theta) {
    size_t d = ref->d;
    if (ref->factor != NULL) {
        gbs_block rows = {.n = d, .d = d, .dense = ref->factor, .ld = d, .stride = 1};
        gbs_tile_scores(&rows, u, theta);
    }
    for (size_t k = 0; k < d; k++)
        for (size_t l = 0; l < GBS_LANES; l++)
            theta[k * GBS_LANES + l] =
                ref->mean[k] + (ref->factor != NULL ? theta[k * GBS_LANES + l] : ref->sd[k] * u[k * GBS_LANES + l]);
}

/* u = L^-1 (theta - m) */
static void whiten(const gbs_reference *ref, const double *theta, double *u) {
    size_t d = ref->d;
    for (size_t k = 0; k < d; k++)
        for (size_t l = 0; l < GBS_LANES; l++)
            u[k * GBS_LANES + l] = (theta[k * GBS_LANES + l] - ref->mean[k]) / (ref->factor != NULL ? 1.0 : ref->sd[k]);
    if (ref->factor != NULL)
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)d, GBS_LANES, 1.0, ref->factor,
                    (int)d, u, GBS_LANES);
}

static void begin_block(void *arg, size_t block, size_t worker) {
    const struct run *r = arg;
    struct lanes s = lanes_of(r, block);
    size_t d = r->m->d, lanes = lanes_in(r, block), first = block * GBS_LANES;
    const double *row[GBS_LANES] = {0};
    (void)worker;
    for (size_t l = 0; l < GBS_LANES; l++) {
        s.risk[l] = l < lanes ? r->risk[r->c->from[first + l]] : 0.0;
        s.accepted[l] = 0.0;
        row[l] = l < lanes ? r->theta + r->c->from[first + l] * d : NULL;
    }
    gbs_tile_gather(d, lanes, row, s.theta);
    whiten(r->c->reference, s.theta, s.u);
    log_density(r, s.theta, s.u, s.risk, s.log_density);
}

/* Leaves state number `step` of each chain of the block in its particle. */
static void keep_state(const struct run *r, size_t block, size_t step, const struct lanes *s) {
    size_t d = r->m->d, lanes = lanes_in(r, block), kept = 0;
    const gbs_chains *c = r->c;
    double *row[GBS_LANES];
    for (size_t l = 0; l < lanes; l++) {
        size_t chain = block * GBS_LANES + l, at = chain;
        if (c->keep_all) {
            at = gbs_chain_offset(c->particles, c->count, chain) + step;
            if (at >= gbs_chain_offset(c->particles, c->count, chain + 1))
                break; /* the shorter chains come last */
        } else if (step != c->steps) {
            return;
        }
        row[kept++] = r->theta + at * d;
        r->risk[at] = s->risk[l];
    }
    gbs_tile_scatter(d, kept, s->theta, row);
}

static void propose(const struct run *r, size_t block, size_t step, const double *u, double *z, double *u_new) {
    size_t size = r->m->d * GBS_LANES;
    const gbs_chains *c = r->c;
    uint64_t index = ((uint64_t)step * r->m->blocks + block) * (size / 2);
    gbs_normal_draws(r->m->ctx->seed, c->stream + GBS_DRAWS_NORMAL, index, size, z);
    for (size_t k = 0; k < size; k++)
        u_new[k] = r->keep * u[k] + c->scale * z[k];
}

static void step_block(const struct run *r, size_t block, size_t step, double *scratch) {
    struct lanes s = lanes_of(r, block);
    size_t d = r->m->d, size = d * GBS_LANES, first = (step * r->m->blocks + block) * GBS_LANES;
    double *z = scratch, *u = z + size, *theta = u + size, *scores = theta + size;
    double risk[GBS_LANES], density[GBS_LANES];
    bool taken[GBS_LANES];
    propose(r, block, step, s.u, z, u);
    colour(r->c->reference, u, theta);
    gbs_tile_risk(r->c->problem, theta, scores, risk);
    log_density(r, theta, u, risk, density);
    for (size_t l = 0; l < GBS_LANES; l++) {
        double draw = gbs_uniform(r->m->ctx->seed, r->c->stream + GBS_DRAWS_UNIFORM, first + l);
        taken[l] = log(draw) < density[l] - s.log_density[l]; /* false where a density is NaN */
        if (taken[l]) {
            s.risk[l] = risk[l];
            s.log_density[l] = density[l];
            s.accepted[l] += 1.0;
        }
    }
    for (size_t k = 0; k < d; k++)
        for (size_t l = 0; l < GBS_LANES; l++) {
            size_t at = k * GBS_LANES + l;
            s.theta[at] = taken[l] ? theta[at] : s.theta[at];
            s.u[at] = taken[l] ? u[at] : s.u[at];
        }
}

static void run_block(void *arg, size_t block, size_t worker) {
    const struct run *r = arg;
    struct lanes s = lanes_of(r, block);
    for (size_t step = r->first; step < r->last; step++) {
        if (step > 0)
            step_block(r, block, step, r->m->scratch + worker * r->m->worker_size);
        keep_state(r, block, step, &s);
    }
}

/* Steps between two looks at the caller's wish to stop: some 50 milliseconds of work. */
#define FLOPS_A_STRETCH 1e9

gbs_status gbs_mover_run(gbs_mover *m, const gbs_chains *c, double *theta, double *risk, double *acceptance) {
    struct run r = {.m = m, .c = c, .theta = theta, .risk = risk};
    r.keep = c->move == GBS_MOVE_WALK ? 1.0 : sqrt(fmax(0.0, 1.0 - c->scale * c->scale));
    r.longest = c->keep_all ? gbs_chain_offset(c->particles, c->count, 1) : c->steps + 1;
    double d = (double)m->d, step_flops = (double)c->count * d * (2.0 * (double)c->problem->rows->all.n + 2.0 * d + 30.0);
    size_t stretch = step_flops < FLOPS_A_STRETCH ? (size_t)(FLOPS_A_STRETCH / step_flops) : 1;
    gbs_status status = gbs_check_cancel(m->ctx);
    if (status == GBS_OK)
        gbs_parallel_for(m->ctx, m->blocks, (double)c->count * d * d, begin_block, &r);
    while (status == GBS_OK && r.first < r.longest) {
        r.last = r.first + stretch < r.longest ? r.first + stretch : r.longest;
        gbs_parallel_for(m->ctx, m->blocks, step_flops * (double)(r.last - r.first), run_block, &r);
        r.first = r.last;
        status = gbs_check_cancel(m->ctx);
    }
    double accepted = 0.0;
    for (size_t block = 0; block < m->blocks; block++)
        for (size_t l = 0; l < lanes_in(&r, block); l++)
            accepted += lanes_of(&r, block).accepted[l];
    *acceptance = r.longest > 1 ? accepted / ((double)c->count * (double)(r.longest - 1)) : NAN;
    return status;
}
