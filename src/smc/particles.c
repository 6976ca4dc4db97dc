/* Risks of many thetas, sixteen at a time. */
#include "core/random.h"
#include "smc/smc.h"

#include <string.h>

struct tiles {
    const gbs_smc_problem *problem;
    size_t count;
    const double *given; /* NULL: drawn from the prior */
    double *theta, *risk, *scratch;
    size_t worker_size;
    size_t begin; /* tile that this stretch begins with */
};

/* Particles in the lanes of a tile. */
static size_t lanes_of(const struct tiles *w, size_t tile) {
    size_t left = w->count - tile * GBS_LANES;
    return left < GBS_LANES ? left : GBS_LANES;
}

static void draw_tile(const struct tiles *w, size_t task, double *tile) {
    const gbs_smc_problem *p = w->problem;
    size_t d = p->risk->d;
    double *row[GBS_LANES];
    gbs_normal_draws(p->ctx->seed, GBS_STREAM_PARTICLES + GBS_DRAWS_NORMAL,
                     task * d * GBS_LANES / 2, d * GBS_LANES, tile);
    for (size_t k = 0; k < d * GBS_LANES; k++)
        tile[k] *= p->prior_sd;
    if (p->prior_mean != NULL)
        gbs_tile_shift(d, 1.0, p->prior_mean, tile);
    for (size_t l = 0; l < lanes_of(w, task); l++)
        row[l] = w->theta + (task * GBS_LANES + l) * d;
    gbs_tile_scatter(d, lanes_of(w, task), tile, row);
}

static void read_tile(const struct tiles *w, size_t task, double *tile) {
    size_t d = w->problem->risk->d;
    const double *row[GBS_LANES];
    for (size_t l = 0; l < lanes_of(w, task); l++)
        row[l] = w->given + (task * GBS_LANES + l) * d;
    gbs_tile_gather(d, lanes_of(w, task), row, tile);
}

static void judge_tile(void *arg, size_t task, size_t worker) {
    const struct tiles *w = arg;
    double *tile = w->scratch + worker * w->worker_size, risk[GBS_LANES];
    task += w->begin;
    (w->given != NULL ? read_tile : draw_tile)(w, task, tile);
    gbs_empirical_tile(w->problem->risk, tile, tile + w->problem->risk->d * GBS_LANES, risk);
    memcpy(w->risk + task * GBS_LANES, risk, lanes_of(w, task) * sizeof *risk);
}

/* A stretch of tiles between two looks at the caller's wish to stop. */
static gbs_status judge(struct tiles *w) {
    const gbs_smc_problem *p = w->problem;
    size_t d = p->risk->d, tiles = (w->count + GBS_LANES - 1) / GBS_LANES;
    double flops = GBS_LANES * (double)p->risk->rows * (2.0 * (double)d + p->risk->state_cost);
    size_t stretch = gbs_workers(p->ctx) *
                     (flops < GBS_STRETCH_FLOPS ? (size_t)(GBS_STRETCH_FLOPS / flops) : 1);
    gbs_status status = GBS_OK;
    w->worker_size = d * GBS_LANES + gbs_empirical_tile_room(p->risk);
    /* tiles begin on a cache line */
    w->worker_size += (GBS_LANES - w->worker_size % GBS_LANES) % GBS_LANES;
    w->scratch = gbs_matrix(p->ctx, gbs_workers(p->ctx), w->worker_size);
    if (w->scratch == NULL)
        return GBS_ERR_MEMORY;
    for (; status == GBS_OK && w->begin < tiles; w->begin += stretch) {
        size_t left = tiles - w->begin, some = left < stretch ? left : stretch;
        gbs_parallel_for(p->ctx, some, flops * (double)some, judge_tile, w);
        status = gbs_check_cancel(p->ctx);
    }
    gbs_array_free(p->ctx, w->scratch);
    return status;
}

gbs_status gbs_particles_risk(const gbs_smc_problem *problem, size_t count, const double *theta,
                              double *risk) {
    return judge(&(struct tiles){.problem = problem, .count = count, .given = theta, .risk = risk});
}

gbs_status gbs_particles_from_prior(const gbs_smc_problem *problem, size_t count, double *theta,
                                    double *risk) {
    return judge(&(struct tiles){.problem = problem, .count = count, .theta = theta, .risk = risk});
}
