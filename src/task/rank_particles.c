/* Particles that rank, where they differ from particles that classify: what they do to pairs of
 * rows (docs/maths.md, 5.2).
 *
 * The score of a row is its mean over the particles, x'(mean theta); one draw's own risk is a mean
 * over pairs, a sort for each particle.
 */
#include "task/task.h"

#include <math.h>

/* Mean over the particles of their risk with a loss. */
static gbs_status mean_risk(const gbs_empirical *risk, const gbs_particles *p,
                            const gbs_loss_ops *loss, double *out) {
    gbs_context *ctx = risk->ctx;
    gbs_empirical with = gbs_empirical_with(risk, loss);
    size_t count = p->info.particles;
    double *risks = gbs_doubles(ctx, count);
    if (risks == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = gbs_empirical_many(&with, count, p->theta, risks);
    *out = 0.0;
    for (size_t i = 0; i < count; i++)
        *out += risks[i] / (double)count;
    gbs_array_free(ctx, risks);
    return status;
}

static gbs_status mean_scores(gbs_context *ctx, const gbs_rows *rows, const gbs_particles *p,
                              double *score) {
    double *mean = gbs_doubles(ctx, rows->d);
    gbs_held *held = NULL;
    gbs_status status = mean != NULL ? gbs_hold(ctx, rows, &held) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        gbs_particles_moments(p, mean, NULL);
        held->pass->scores(held, 0, held->n, mean, score);
    }
    gbs_held_free(held);
    gbs_array_free(ctx, mean);
    return status;
}

gbs_status gbs_rank_judge_particles(gbs_context *ctx, const gbs_rows *rows,
                                    const gbs_empirical *risk, gbs_particles *p) {
    gbs_sample_info *info = &p->info;
    size_t n = rows->all.n;
    double *score = gbs_doubles(ctx, n), auc = NAN;
    gbs_status status = score != NULL ? mean_scores(ctx, rows, p, score) : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_area(ctx, n, rows->all.y, score, &auc);
    if (status == GBS_OK)
        status = gbs_keep_negatives(ctx, n, rows->all.y, score, &p->negatives, &p->negatives_size);
    gbs_array_free(ctx, score);
    info->train_error = 1.0 - auc;
    info->gibbs_error = info->gibbs_risk;
    if (status == GBS_OK && !gbs_loss_is_error(info->loss))
        status = mean_risk(risk, p, &gbs_zero_one, &info->gibbs_error);
    return status;
}

/* ---------------------------------------------------------------- evaluation */

static gbs_status evaluate(gbs_context *ctx, const gbs_particles *p, const gbs_rows *rows,
                           gbs_evaluated *out) {
    gbs_empirical *risk;
    double *score = gbs_doubles(ctx, rows->all.n);
    gbs_status status = score != NULL ? mean_scores(ctx, rows, p, score) : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_area_with_error(ctx, rows->all.n, rows->all.y, score, &out->told.auc,
                                     &out->told.auc_se);
    gbs_array_free(ctx, score);
    if (status != GBS_OK || isnan(out->told.auc))
        return status;
    status = gbs_empirical_over_pairs(ctx, rows, false, gbs_loss_of(p->info.loss), &risk);
    if (status != GBS_OK)
        return status;
    out->told.blocks = risk->units;
    status = mean_risk(risk, p, &gbs_zero_one, &out->told.gibbs_error);
    out->told.gibbs_risk = out->told.gibbs_error;
    if (status == GBS_OK && !gbs_loss_is_error(p->info.loss))
        status = mean_risk(risk, p, risk->loss, &out->told.gibbs_risk);
    gbs_empirical_free(risk);
    return status;
}

gbs_status gbs_rank_evaluate_particles(gbs_context *ctx, const gbs_particles *particles,
                                       const gbs_data *data, gbs_evaluated *out) {
    gbs_rows rows;
    *out = gbs_rank_evaluation(data->n);
    gbs_status status = gbs_rows_build(ctx, data, &particles->maps, &rows);
    if (status != GBS_OK)
        return status;
    status = gbs_compute_begin(ctx);
    if (status == GBS_OK) {
        status = evaluate(ctx, particles, &rows, out);
        gbs_compute_end(ctx);
    }
    gbs_rows_free(ctx, &rows);
    return status;
}
