/* One sampling, start to end: options, scaling, tempering, what is kept. */

#include "fit/run.h"

#include "bound/bound.h"
#include "core/check.h"
#include "fit/approximation.h"
#include "fit/target.h"
#include "judge/judge.h"
#include "smc/smc.h"
#include "task/task.h"

#include <math.h>
#include <string.h>

enum { MOST_MOVES = 1 << 30, CHAIN_STEP = 32 };

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
    gbs_approximation a = {0};
    gbs_smc_options leaning = *options;
    gbs_status status = GBS_OK;
    if (options->move == GBS_MOVE_RING && options->lambda > 0.0) {
        status = gbs_approximation_create(problem, &a);
        leaning.approximate = gbs_approximation_at;
        leaning.user = &a;
    }
    if (status == GBS_OK)
        status = gbs_smc_run(problem, &leaning, result);
    gbs_approximation_free(problem->ctx, &a);
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
    if (status == GBS_OK)
        status = gbs_maps_tell_constant(ctx, &p->maps, kept != NULL ? kept : data);
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
