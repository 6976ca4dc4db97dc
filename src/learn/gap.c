/* How far a fitted model is from the Gibbs posterior it approximates.
 *
 *   KL(model || Gibbs) = F(model) + log Z,   F = lambda x (mean smoothed loss) + KL(model || prior)                  (MATHS.md, section 1)
 *
 * F is computed again, on the rows at hand and for a prior of mean zero. If that is not the F the model remembers, the model belongs to other rows or
 * another prior, and the sum would mean nothing.
 */
#include "learn/learn.h"
#include "model/particles.h"
#include "vb/pair_energy.h"

#include <math.h>

/* Of the free energy, relatively: far above what rounding and threads can do. */
#define SAME_ENERGY 1e-6
#define SAME_CONSTANT 1e-9

static bool close_to(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b)));
}

static gbs_status check_settings(gbs_context *ctx, const gbs_model *model, const gbs_sample_info *s) {
    const gbs_model_info *m = &model->info;
    if (m->task != s->task)
        return gbs_fail(ctx, GBS_ERR_DATA, "the model is for the task %s, the particles are for %s", gbs_task_name(m->task),
                        gbs_task_name(s->task));
    if (model->stages_size != 1)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the gap is measured for one posterior; this model is a mixture of %zu (fit it with the prior zero)",
                        model->stages_size);
    if (m->prior != GBS_PRIOR_ZERO)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the gap is measured under the prior zero; this model's prior is informed, and a model file keeps "
                        "neither its mean nor which rows it was learned from (fit it with the prior zero)");
    if (m->loss != s->loss)
        return gbs_fail(ctx, GBS_ERR_DATA, "the model was fitted with %s loss, the particles are for %s",
                        gbs_loss_name(m->loss), gbs_loss_name(s->loss));
    if (!close_to(m->lambda, s->lambda, 1e-12))
        return gbs_fail(ctx, GBS_ERR_DATA, "the model was fitted with lambda %.10g, the particles are for %.10g", m->lambda,
                        s->lambda);
    if (fabs(m->prior_sd - s->prior_sd) > 1e-12 * s->prior_sd)
        return gbs_fail(ctx, GBS_ERR_DATA, "the model was fitted with prior_sd %.10g, the particles are for %.10g", m->prior_sd,
                        s->prior_sd);
    if (m->n != s->n || m->features != s->features)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model does not belong to these rows: it was fitted to %zu rows of %zu columns, not %zu of %zu",
                        m->n, m->features, s->n, s->features);
    if (m->scale != s->scale || m->intercept != s->intercept)
        return gbs_fail(ctx, GBS_ERR_DATA, "the model scales its columns in another way than the particles (%s, %s intercept)",
                        gbs_scale_name(m->scale), m->intercept ? "with" : "no");
    return GBS_OK;
}

static gbs_status check_scaling(gbs_context *ctx, const gbs_scaling *a, const gbs_scaling *b) {
    if (a->constant != b->constant)
        return gbs_fail(ctx, GBS_ERR_DATA, "the model's intercept has the constant %g, that of the particles %g", a->constant,
                        b->constant);
    if (a->relevance != b->relevance)
        return gbs_fail(ctx, GBS_ERR_DATA, "the model stretches its columns by their relevance, the particles do not");
    for (size_t k = 0; a->kind == GBS_SCALE_STANDARD && k < a->features; k++)
        if (fabs(a->center[k] - b->center[k]) > SAME_CONSTANT * b->scale[k] ||
            fabs(a->scale[k] - b->scale[k]) > SAME_CONSTANT * b->scale[k])
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "the model does not belong to these rows: it standardises column %zu with other constants", k + 1);
    return GBS_OK;
}

static gbs_status mean_loss(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows, double *risk) {
    gbs_evaluation e;
    gbs_rows pairs;
    gbs_status status;
    if (model->info.task != GBS_TASK_RANK) {
        status = gbs_judge_rows(ctx, model, rows, NULL, &e, NULL);
        *risk = e.gibbs_risk;
        return status;
    }
    status = gbs_pair_rows_build(ctx, rows, true, &pairs);
    if (status != GBS_OK)
        return status;
    status = gbs_pair_risk(ctx, &pairs, &model->stages[0].posterior, gbs_loss_of(model->info.loss), risk, NULL);
    gbs_rows_free(ctx, &pairs);
    return status;
}

static gbs_status free_energy(gbs_context *ctx, const gbs_data *data, const gbs_model *model, double *out) {
    const gbs_model_info *info = &model->info;
    const gbs_stage *stage = &model->stages[0];
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &model->scaling, &rows);
    if (status != GBS_OK)
        return status;
    double risk = NAN, trace, log_det, v = info->prior_sd * info->prior_sd, d = (double)info->d;
    status = mean_loss(ctx, model, &rows, &risk);
    gbs_stage_spread(stage, &trace, &log_det);
    double norm = gbs_dot(info->d, stage->posterior.mean, stage->posterior.mean);
    *out = info->lambda * risk + 0.5 * (trace / v + norm / v - d + d * log(v) - log_det);
    gbs_rows_free(ctx, &rows);
    return status;
}

gbs_status gbs_measure_gap(gbs_context *ctx, const gbs_data *data, const gbs_model *model, const gbs_particles *particles,
                           gbs_gap *out) {
    const gbs_sample_info *s = &particles->info;
    double energy = NAN;
    *out = (gbs_gap){0};
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    gbs_status status = check_settings(ctx, model, s);
    if (status == GBS_OK && data->n != s->n)
        status = gbs_fail(ctx, GBS_ERR_DATA, "the particles were drawn for %zu rows, these are %zu", s->n, data->n);
    if (status == GBS_OK)
        status = check_scaling(ctx, &model->scaling, &particles->scaling);
    if (status == GBS_OK)
        status = free_energy(ctx, data, model, &energy);
    if (status == GBS_OK && !close_to(energy, model->info.free_energy, SAME_ENERGY))
        status =
            gbs_fail(ctx, GBS_ERR_DATA,
                     "the model does not belong to these rows and a prior of mean zero: its free energy is %.10g here, and "
                     "%.10g where it was fitted",
                     energy, model->info.free_energy);
    if (status != GBS_OK)
        return status;
    *out = (gbs_gap){.free_energy = energy,
                     .gap = energy + s->log_z,
                     .gap_sd = s->log_z_sd,
                     .gap_sd_at_least = s->log_z_sd_at_least,
                     .gap_over_lambda = s->lambda > 0.0 ? (energy + s->log_z) / s->lambda : NAN};
    return GBS_OK;
}
