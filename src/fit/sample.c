/* One sampling, start to end: options, scaling, tempering, what is kept.
 *
 * The moves lean on the variational approximation at their own lambda, warm from the one before:
 * mean and covariance without the noise of a covariance estimated from particles, at the price of a
 * few passes over the rows a temperature (full family up to 200 coefficients, else diagonal). The
 * particles stay exact: an approximation only decides how well the chains mix.
 */

#include "fit/run.h"

#include "bound/bound.h"
#include "core/check.h"
#include "fit/target.h"
#include "judge/judge.h"
#include "kernel/linalg.h"
#include "smc/smc.h"
#include "task/task.h"
#include "vb/solve.h"

#include <math.h>
#include <string.h>

enum { APPROXIMATE_STEPS = 20, MOST_MOVES = 1 << 30, CHAIN_STEP = 32, PAIRED_ROWS = 1024 };

/* The approximation need not be better than this, in nats. */
#define GOOD_ENOUGH 0.01

static gbs_status check_options(gbs_context *ctx, const gbs_sample_settings *o) {
    gbs_status status = gbs_sample_settings_check(ctx, o);
    if (status != GBS_OK)
        return status;
    if (!isfinite(o->lambda))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`lambda` must be a finite number, not %g",
                        o->lambda);
    if (!(o->prior_sd > 1e-150 && o->prior_sd < 1e150))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`prior-sd` must be a number between 1e-150 and 1e150, not %g",
                        o->prior_sd);
    if (!(o->ess > 0.0 && o->ess < 1.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`ess` must lie between 0 and 1, not %g", o->ess);
    if (o->particles < 4 || o->particles > (size_t)1 << 30)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`particles` must be a number from 4 to 2^30, not %zu", o->particles);
    if (o->chains == 1 || o->chains > o->particles / 2)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`chains` must be a number from 2 to half of `particles`, not %zu",
                        o->chains);
    if (o->moves > MOST_MOVES)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`moves` must be at most %d, not %zu",
                        (int)MOST_MOVES, o->moves);
    status = gbs_check_confidence(ctx, o->confidence);
    return status == GBS_OK ? gbs_check_ladder(ctx, o->ladder, o->ladder_size) : status;
}

/* As many chains as there are states in each, in whole tiles; at least four states each. */
static size_t chains_for(size_t particles) {
    size_t chains = CHAIN_STEP * (size_t)ceil(sqrt((double)particles) / CHAIN_STEP),
           most = particles / 4;
    return chains < most ? chains : most > 2 ? most : 2;
}

/* blocks: rows, or those of the smaller class */
static gbs_smc_options settle(const gbs_sample_settings *o, size_t blocks) {
    gbs_smc_options s = {.lambda = o->ladder_size > 0 ? o->ladder[o->ladder_size - 1]
                                   : o->lambda < 0.0  ? (double)blocks
                                                      : o->lambda,
                         .ladder = o->ladder,
                         .ladder_size = o->ladder_size,
                         .particles = o->particles,
                         .ess = o->ess,
                         .classic = o->classic != 0,
                         .chains = o->chains > 0 ? o->chains : chains_for(o->particles),
                         .moves = o->moves > 0 ? o->moves
                                  : o->classic ? GBS_USUAL_MOVES
                                               : GBS_USUAL_THINNING,
                         .move = o->move};
    if (s.move == GBS_MOVE_AUTO)
        s.move = s.classic ? GBS_MOVE_WALK : GBS_MOVE_RING;
    return s;
}

/* ---------------------------------------------------------------- the approximation behind the
 * moves */

struct approximation {
    gbs_empirical *part; /* of the sampler's risk, where some rows will do; else NULL */
    gbs_problem problem;
    gbs_engine engine;
    gbs_gaussian gaussian;
};

static gbs_status approximation_create(const gbs_smc_problem *p, struct approximation *out) {
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

static void approximation_free(gbs_context *ctx, struct approximation *a) {
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

static gbs_status approximate(void *user, double lambda, gbs_reference *reference, bool *found) {
    struct approximation *a = user;
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

/* ---------------------------------------------------------------- what is kept */

static void keep_info(const gbs_sample_settings *o, const gbs_smc_options *s, const gbs_rows *rows,
                      size_t blocks, gbs_particles *p) {
    const gbs_sample_point *end = &p->path[p->path_size - 1];
    double accepted = 0.0;
    for (size_t t = 1; t < p->path_size; t++)
        accepted += p->path[t].acceptance / (double)(p->path_size - 1);
    p->info = (gbs_sample_info){.task = o->task,
                                .loss = o->loss,
                                .scale = o->scale,
                                .move = s->move,
                                .intercept = o->intercept != 0,
                                .classic = s->classic,
                                .n = rows->all.n,
                                .n_data = rows->all.n,
                                .prior = p->prior_mean != NULL ? GBS_PRIOR_INFORMED
                                                               : GBS_PRIOR_ZERO,
                                .features = p->maps.given,
                                .d = rows->d,
                                .blocks = blocks,
                                .particles = s->particles,
                                .chains = s->classic ? s->particles : s->chains,
                                .moves = s->moves,
                                .lambda = s->lambda,
                                .prior_sd = o->prior_sd,
                                .ess = s->ess,
                                .log_z = end->log_z,
                                .log_z_sd = end->log_z_sd,
                                .gibbs_risk = end->gibbs_risk,
                                .gibbs_risk_sd = end->gibbs_risk_sd,
                                .acceptance = p->path_size > 1 ? accepted : NAN};
}

/* The kl bound that would follow if the particles were the posterior itself: an estimate
 * (docs/maths.md, 7.7). */
static void estimate_bound(double confidence, gbs_sample_info *info) {
    double kl = info->lambda > 0.0 ? -info->log_z - info->lambda * info->gibbs_risk : 0.0;
    info->kl = kl < 0.0 ? 0.0 : kl; /* NaN stays NaN */
    info->confidence = confidence;
    info->bound = gbs_bound_kl(info->gibbs_error, info->kl, info->blocks, -log(1.0 - confidence));
}

static gbs_status draw(const gbs_smc_problem *problem, const gbs_smc_options *options,
                       gbs_smc_result *result) {
    struct approximation a = {0};
    gbs_smc_options leaning = *options;
    gbs_status status = GBS_OK;
    if (options->move == GBS_MOVE_RING && options->lambda > 0.0) {
        status = approximation_create(problem, &a);
        leaning.approximate = approximate;
        leaning.user = &a;
    }
    if (status == GBS_OK)
        status = gbs_smc_run(problem, &leaning, result);
    approximation_free(problem->ctx, &a);
    return status;
}

static gbs_status run(gbs_context *ctx, const gbs_sample_settings *o, gbs_rows *rows,
                      gbs_particles *p) {
    const gbs_task *task = gbs_sample_task(o);
    gbs_empirical *risk;
    gbs_status status = task->risk(ctx, rows, true, gbs_loss_of(o->loss), &risk);
    if (status != GBS_OK)
        return status;
    gbs_smc_problem problem = {ctx, risk, o->prior_sd, p->prior_mean};
    gbs_smc_options options = settle(o, risk->units);
    gbs_smc_result result = {0};
    status = draw(&problem, &options, &result);
    if (status == GBS_OK) {
        p->theta = result.theta;
        p->path = result.path;
        p->path_size = result.path_size;
        gbs_array_free(ctx, result.risk);
        keep_info(o, &options, rows, risk->units, p);
        p->info.log_z_sd_at_least = result.log_z_sd_at_least;
        p->info.seconds_move = result.seconds_move;
        p->info.seconds_approximate = result.seconds_reference;
        status = task->judge_particles(ctx, rows, risk, p);
        estimate_bound(o->confidence, &p->info);
        if (rows->all.weight != NULL) /* a bound is about rows that count once */
            p->info.bound = NAN;
    }
    gbs_empirical_free(risk);
    return status;
}

/* Rows and scaling of a sampling under the zero prior. */
static gbs_status learn_rows(gbs_context *ctx, const gbs_data *data, const gbs_sample_settings *o,
                             gbs_rows *rows, gbs_particles *p) {
    gbs_fit_settings wanted = {.scale = o->scale,
                               .features = o->features,
                               .features_size = o->features_size,
                               .intercept = o->intercept,
                               .constant = 1.0};
    gbs_seen seen;
    gbs_data *kept = NULL;
    size_t lost = 0;
    gbs_status status = gbs_data_seen(ctx, data, NULL, data->n, &seen);
    if (status == GBS_OK && seen.column != NULL)
        status = gbs_data_keep(ctx, data, &seen, &kept, &lost);
    if (status == GBS_OK)
        status = gbs_maps_learn(ctx, kept != NULL ? kept : data, &wanted, &p->maps);
    gbs_data_free(kept);
    if (status != GBS_OK) {
        gbs_seen_free(ctx, &seen);
        return status;
    }
    status = gbs_maps_see(ctx, &p->maps, &seen);
    return status != GBS_OK ? status : gbs_rows_build(ctx, data, &p->maps, rows);
}

static gbs_status finish(gbs_status status, double start, gbs_particles *p, gbs_particles **out) {
    if (status == GBS_OK)
        status = gbs_particles_check(p->ctx, p);
    if (status != GBS_OK) {
        gbs_particles_free(p);
        return status;
    }
    p->info.seconds = gbs_now() - start;
    *out = p;
    return GBS_OK;
}

gbs_status gbs_sample_run(gbs_context *ctx, const gbs_data *data,
                          const gbs_sample_settings *options, gbs_particles **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    double start = gbs_now();
    gbs_sample_settings o = options != NULL ? *options : gbs_sample_settings_default();
    gbs_rows rows = {0};
    gbs_particles *p = NULL;
    gbs_data *weighed = NULL;
    gbs_status status = check_options(ctx, &o);
    if (status == GBS_OK && data->classes > 2)
        status = gbs_fail(ctx, GBS_ERR_DATA,
                          "%zu classes: a sampling is of one binary problem; `positive` LABEL sets "
                          "one class against the rest",
                          data->classes);
    if (status == GBS_OK)
        status = gbs_check_weights(ctx, data, gbs_sample_task(&o));
    if (status == GBS_OK)
        status = gbs_data_weighed(ctx, data, &weighed);
    data = weighed != NULL ? weighed : data;
    if (status == GBS_OK)
        status = gbs_check_labels(ctx, data, !gbs_sample_task(&o)->samples_one_class);
    if (status == GBS_OK)
        status = gbs_compute_begin(ctx);
    if (status != GBS_OK) {
        gbs_data_free(weighed);
        return status;
    }
    if (!gbs_has(gbs_sample_task(&o), GBS_FACT_INTERCEPT))
        o.intercept = 0;
    gbs_progress_begin(ctx);
    status = gbs_particles_create(ctx, &p);
    if (status == GBS_OK)
        status = learn_rows(ctx, data, &o, &rows, p);
    if (status == GBS_OK)
        status = run(ctx, &o, &rows, p);
    gbs_rows_free(ctx, &rows);
    gbs_data_free(weighed);
    gbs_compute_end(ctx);
    return finish(status, start, p, out);
}

/* What the model fixes. */
static gbs_sample_settings settled_by(const gbs_model *model, const gbs_stage *stage,
                                      const gbs_sample_settings *options) {
    gbs_sample_settings o = options != NULL ? *options : gbs_sample_settings_default();
    o.task = model->info.task;
    o.loss = model->info.loss;
    o.scale = model->info.scale;
    o.intercept = model->info.intercept;
    o.lambda = stage->info.lambda;
    o.prior_sd = stage->info.prior_sd;
    o.ladder = NULL;
    o.ladder_size = 0;
    return o;
}

static gbs_status copy_prior(gbs_context *ctx, const gbs_model *model, const gbs_stage *stage,
                             gbs_particles *p) {
    gbs_status status = gbs_maps_copy(ctx, &model->maps, &p->maps);
    if (status != GBS_OK || stage->prior_mean == NULL)
        return status;
    p->prior_mean = gbs_doubles(ctx, model->info.d);
    if (p->prior_mean == NULL)
        return GBS_ERR_MEMORY;
    memcpy(p->prior_mean, stage->prior_mean, model->info.d * sizeof *p->prior_mean);
    return GBS_OK;
}

gbs_status gbs_sample_run_for(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                              size_t stage, const gbs_sample_settings *options,
                              gbs_particles **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, model);
    double start = gbs_now();
    gbs_gibbs_target target;
    gbs_particles *p = NULL;
    gbs_status status = gbs_compute_begin(ctx);
    if (status != GBS_OK)
        return status;
    status = gbs_gibbs_target_find(ctx, data, model, stage, &target);
    if (status != GBS_OK) {
        gbs_compute_end(ctx);
        return status;
    }
    gbs_sample_settings o = settled_by(model, target.stage, options);
    gbs_progress_begin(ctx);
    status = check_options(ctx, &o);
    if (status == GBS_OK)
        status = gbs_particles_create(ctx, &p);
    if (status == GBS_OK)
        status = copy_prior(ctx, model, target.stage, p);
    if (status == GBS_OK)
        status = run(ctx, &o, &target.rows, p);
    if (status == GBS_OK) {
        p->info.n_data = data->n;
        p->info.prior = model->info.prior;
        if (gbs_prior_knows_rows(model, target.stage))
            p->info.bound = NAN;
    }
    gbs_gibbs_target_free(&target);
    gbs_compute_end(ctx);
    return finish(status, start, p, out);
}
