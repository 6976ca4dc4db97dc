/* The approximation behind the moves of a sampling (fit/approximation.h). */
#include "fit/approximation.h"

#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

enum { APPROXIMATE_STEPS = 20, PAIRED_ROWS = 1024 };

/* It need not be better than this, in nats. */
#define GOOD_ENOUGH 0.01

gbs_status gbs_approximation_create(const gbs_smc_problem *p, gbs_approximation *out) {
    gbs_prior prior = {p->prior_mean, p->prior_sd * p->prior_sd};
    gbs_family family = gbs_family_for(p->risk->d, GBS_USUAL_FULL);
    size_t n = p->risk->rows;
    gbs_status status = GBS_OK;
    /* a move costs n log n over pairs, an approximation n^2: some rows are enough to lean on */
    if (p->risk->by_draws && n > PAIRED_ROWS)
        status = gbs_empirical_part(p->risk, (n + PAIRED_ROWS - 1) / PAIRED_ROWS, &out->part);
    out->problem = (gbs_problem){
        .ctx = p->ctx, .risk = out->part != NULL ? out->part : p->risk, .prior = prior};
    if (status == GBS_OK)
        status = gbs_engine_create(out->problem.risk, family, GBS_SOLVER_AUTO, &out->engine);
    return status == GBS_OK
               ? gbs_gaussian_create(p->ctx, family, p->risk->d, &prior, 0.0, &out->gaussian)
               : status;
}

void gbs_approximation_free(gbs_context *ctx, gbs_approximation *a) {
    gbs_engine_free(&a->engine);
    gbs_gaussian_free(ctx, &a->gaussian);
    gbs_empirical_free(a->part);
}

static void write_reference(const gbs_gaussian *g, gbs_reference *out) {
    size_t d = g->d;
    memcpy(out->mean, g->mean, d * sizeof *g->mean);
    out->upper = true;
    if (g->factor != NULL) {
        memcpy(out->factor, g->factor, d * d * sizeof *g->factor);
        return;
    }
    memcpy(out->sd, g->sd, d * sizeof *g->sd);
    if (out->factor == NULL)
        return;
    memset(out->factor, 0, d * d * sizeof *out->factor);
    for (size_t k = 0; k < d; k++)
        out->factor[k * d + k] = g->sd[k];
}

/* The Gaussian of a reference that was fitted to particles; the smaller families take its
 * deviations. */
static void read_reference(const gbs_reference *from, const gbs_prior *prior, gbs_gaussian *g) {
    size_t d = g->d;
    memcpy(g->mean, from->mean, d * sizeof *g->mean);
    for (size_t k = 0; g->tau != NULL && k < d; k++) {
        g->sd[k] = from->sd[k];
        g->tau[k] = g->sd[k] * g->sd[k];
    }
    if (g->factor == NULL || from->factor == NULL)
        return;
    /* S = L L', so S^-1 = K'K with K = L^-1 */
    memcpy(g->factor, from->factor, d * d * sizeof *g->factor);
    bool regular = gbs_lower_inverse(d, g->factor);
    gbs_add_gram(d, d, g->factor, 0.0, g->precision);
    gbs_symmetrise(d, g->precision);
    if (!regular || !gbs_full_set_precision(g))
        gbs_gaussian_set_prior(g, prior, 0.0);
}

gbs_status gbs_approximation_at(void *user, double lambda, gbs_reference *reference, bool *found) {
    gbs_approximation *a = user;
    gbs_context *ctx = a->problem.ctx;
    if (*found)
        read_reference(reference, &a->problem.prior, &a->gaussian);
    gbs_solve_options options = {.solver = a->engine.solver,
                                 .tolerance = 1e-6,
                                 .enough = GOOD_ENOUGH,
                                 .max_iterations = APPROXIMATE_STEPS};
    gbs_solution solution;
    gbs_progress_callback progress = ctx->progress;
    double reached = ctx->progress_reached;
    a->problem.lambda = lambda;
    ctx->progress = NULL; /* the bar is the sampler's */
    gbs_status status = gbs_solve(&a->problem, &options, false, &a->engine, &a->gaussian,
                                  &solution);
    ctx->progress = progress;
    ctx->progress_reached = reached;
    *found = status == GBS_OK && isfinite(solution.free_energy);
    if (*found)
        write_reference(&a->gaussian, reference);
    else if (status == GBS_OK)
        /* a fresh start at the next lambda */
        gbs_gaussian_set_prior(&a->gaussian, &a->problem.prior, 0.0);
    return status;
}
