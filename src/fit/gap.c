/* How far a fitted model is from the Gibbs posterior it approximates.
 *
 *   KL(model || Gibbs) = F(model) + log Z,   F = lambda x (mean smoothed loss) + KL(model || prior)
 *                                                                              (docs/maths.md, 1.2)
 *
 * F is computed again on the rows at hand (target.c). If that is not the F the model remembers, or
 * if the particles were drawn for another lambda, prior or scaling, the sum would mean nothing.
 */
#include "core/check.h"
#include "core/count.h"
#include "fit/target.h"
#include "task/task.h"

#include <math.h>

#define SAME_CONSTANT 1e-9

static bool close_to(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b)));
}

/* The stage whose rows are as many as those the particles were drawn for; they grow from stage to
 * stage. */
static gbs_status find_stage(gbs_context *ctx, const gbs_model *model, const gbs_sample_info *s,
                             size_t *stage) {
    *stage = 0;
    while (model->stages_size > 1 && *stage < model->stages_size &&
           model->stages[*stage].info.rows != s->n)
        ++*stage;
    if (*stage < model->stages_size)
        return GBS_OK;
    return gbs_fail(
        ctx, GBS_ERR_DATA,
        "the particles were drawn for %zu rows, and no stage of the model was trained on as many",
        s->n);
}

static gbs_status check_settings(gbs_context *ctx, const gbs_model *model, const gbs_stage *stage,
                                 const gbs_particles *particles) {
    const gbs_model_info *m = &model->info;
    const gbs_sample_info *s = &particles->info;
    const gbs_task *fitted = gbs_model_task(model), *sampled = gbs_particles_task(particles);
    if (fitted != sampled)
        return gbs_fail(ctx, GBS_ERR_DATA, "the model is for the task %s, the particles are for %s",
                        gbs_task_name(fitted->kind), gbs_task_name(sampled->kind));
    if (m->loss != s->loss)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model was fitted with %s loss, the particles are for %s",
                        gbs_loss_name(m->loss), gbs_loss_name(s->loss));
    if (!close_to(stage->info.lambda, s->lambda, 1e-12))
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model was fitted with lambda %.10g, the particles are for %.10g",
                        stage->info.lambda, s->lambda);
    if (fabs(stage->info.prior_sd - s->prior_sd) > 1e-12 * s->prior_sd)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model was fitted with prior_sd %.10g, the particles are for %.10g",
                        stage->info.prior_sd, s->prior_sd);
    if (stage->info.rows != s->n || m->features != s->features)
        return gbs_fail(
            ctx, GBS_ERR_DATA,
            "the model does not belong to these rows: it was fitted to %s of %s, not %zu of %zu",
            gbs_count(stage->info.rows, "row").text, gbs_count(m->features, "column").text, s->n,
            s->features);
    if (m->scale != s->scale || m->intercept != s->intercept)
        return gbs_fail(
            ctx, GBS_ERR_DATA,
            "the model scales its columns in another way than the particles (%s, %s intercept)",
            gbs_scale_name(m->scale), m->intercept ? "with" : "no");
    return GBS_OK;
}

/* Means of priors are fitted, so they may differ in the last digits; deviations are what they are
 * measured in. */
static gbs_status check_prior(gbs_context *ctx, const gbs_stage *stage,
                              const gbs_particles *particles) {
    const double *a = stage->prior_mean, *b = particles->prior_mean;
    for (size_t k = 0; (a != NULL || b != NULL) && k < particles->info.d; k++)
        if (!(fabs((a != NULL ? a[k] : 0.0) - (b != NULL ? b[k] : 0.0)) <=
              SAME_CONSTANT * stage->info.prior_sd))
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "the model's prior has another mean than that of the particles "
                            "(coefficient %zu); were both fitted "
                            "with the same seed and prior split?",
                            k + 1);
    return GBS_OK;
}

gbs_status gbs_measure_gap(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                           const gbs_particles *particles, gbs_gap **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, particles);
    const gbs_sample_info *s = &particles->info;
    gbs_gibbs_target target = {0};
    size_t t = 0;
    gbs_status status = model->many != NULL /* which has no stage, and is refused */
                            ? gbs_gibbs_target_find(ctx, data, model, 0, &target)
                            : find_stage(ctx, model, s, &t);
    if (status == GBS_OK)
        status = check_settings(ctx, model, &model->stages[t], particles);
    if (status == GBS_OK)
        status = gbs_maps_agree(ctx, &model->maps, &particles->maps);
    if (status == GBS_OK)
        status = check_prior(ctx, &model->stages[t], particles);
    if (status == GBS_OK)
        status = gbs_gibbs_target_find(ctx, data, model, t, &target);
    gbs_gap *told = status == GBS_OK ? gbs_handle_alloc(ctx, sizeof *told) : NULL;
    double gap = target.free_energy + s->log_z;
    if (told != NULL)
        *told = (gbs_gap){.free_energy = target.free_energy,
                          .gap = gap,
                          .gap_sd = s->log_z_sd,
                          .gibbs_risk = target.gibbs_risk,
                          .gap_sd_at_least = s->log_z_sd_at_least,
                          .gap_over_lambda = s->lambda > 0.0 ? gap / s->lambda : NAN};
    *out = told;
    gbs_gibbs_target_free(&target);
    return status == GBS_OK && told == NULL ? GBS_ERR_MEMORY : status;
}

void gbs_gap_free(gbs_gap *gap) {
    gbs_release(NULL, gap);
}
