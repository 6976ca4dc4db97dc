/* Particles drawn from the prior, sixteen at a time, and their risks. */
#include "core/random.h"
#include "smc/smc.h"

struct draws {
    const gbs_smc_problem *problem;
    double *theta;
};

static void draw_tile(void *user, size_t first, size_t lanes, double *tile) {
    const struct draws *w = user;
    const gbs_smc_problem *p = w->problem;
    size_t d = p->risk->d;
    double *row[GBS_LANES];
    gbs_normal_draws(p->ctx->seed, GBS_STREAM_PARTICLES + GBS_DRAWS_NORMAL, first * d / 2,
                     d * GBS_LANES, tile);
    for (size_t k = 0; k < d * GBS_LANES; k++)
        tile[k] *= p->prior_sd;
    if (p->prior_mean != NULL)
        gbs_tile_shift(d, 1.0, p->prior_mean, tile);
    for (size_t l = 0; l < lanes; l++)
        row[l] = w->theta + (first + l) * d;
    gbs_tile_scatter(d, lanes, tile, row);
}

gbs_status gbs_particles_from_prior(const gbs_smc_problem *problem, size_t count, double *theta,
                                    double *risk) {
    struct draws w = {problem, theta};
    return gbs_empirical_tiles(problem->risk, count, draw_tile, &w, risk);
}
