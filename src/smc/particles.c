/* Risks of many thetas: sixteen of them meet a few rows at a time, and the losses are counted while the scores are in cache. No matrix of all scores
 * is ever formed. */
#include "core/random.h"
#include "smc/smc.h"

#include <string.h>

void gbs_tile_risk(const gbs_smc_problem *problem, const double *theta, double *scratch, double *risk) {
    const gbs_rows *rows = problem->rows;
    const double *shift = rows->all.shift;
    double lost[GBS_LANES] __attribute__((aligned(64))) = {0}, total[GBS_LANES] __attribute__((aligned(64))) = {0};
    size_t n = rows->all.n;
    if (shift != NULL)
        gbs_tile_dot(rows->d, shift, theta, lost);
    for (size_t first = 0; first < n; first += GBS_RISK_ROWS) {
        size_t count = n - first < GBS_RISK_ROWS ? n - first : GBS_RISK_ROWS;
        gbs_block b = gbs_rows_slice(rows, first, count).all;
        gbs_tile_margins(&b, theta, shift != NULL ? lost : NULL, scratch);
        problem->loss->add_lanes(count, scratch, total);
    }
    for (size_t l = 0; l < GBS_LANES; l++)
        risk[l] = total[l] / (double)n;
}

/* ---------------------------------------------------------------- the prior */

struct drawing {
    const gbs_smc_problem *problem;
    size_t count;
    double *theta, *risk, *scratch;
    size_t worker_size;
};

static void draw_tile(void *arg, size_t task, size_t worker) {
    const struct drawing *w = arg;
    const gbs_smc_problem *p = w->problem;
    size_t d = p->rows->d, first = task * GBS_LANES, lanes = w->count - first < GBS_LANES ? w->count - first : GBS_LANES;
    double *tile = w->scratch + worker * w->worker_size, *scores = tile + d * GBS_LANES, risk[GBS_LANES], *row[GBS_LANES];
    gbs_normal_draws(p->ctx->seed, GBS_STREAM_PARTICLES + GBS_DRAWS_NORMAL, task * d * GBS_LANES / 2, d * GBS_LANES, tile);
    for (size_t k = 0; k < d * GBS_LANES; k++)
        tile[k] *= p->prior_sd;
    gbs_tile_risk(p, tile, scores, risk);
    for (size_t l = 0; l < lanes; l++)
        row[l] = w->theta + (first + l) * d;
    gbs_tile_scatter(d, lanes, tile, row);
    memcpy(w->risk + first, risk, lanes * sizeof *risk);
}

gbs_status gbs_particles_from_prior(const gbs_smc_problem *problem, size_t count, double *theta, double *risk) {
    gbs_context *ctx = problem->ctx;
    struct drawing w = {.problem = problem, .count = count, .theta = theta, .risk = risk};
    size_t d = problem->rows->d, tiles = (count + GBS_LANES - 1) / GBS_LANES;
    w.worker_size = d * GBS_LANES + GBS_RISK_SCRATCH;
    w.scratch = gbs_matrix(ctx, gbs_workers(ctx), w.worker_size);
    if (w.scratch == NULL)
        return GBS_ERR_MEMORY;
    double flops = 2.0 * (double)problem->rows->all.n * (double)d * (double)count;
    gbs_parallel_for(ctx, tiles, flops, draw_tile, &w);
    gbs_array_free(ctx, w.scratch);
    return gbs_check_cancel(ctx);
}
