/* What a fitted posterior approximates, found again from the model and the rows of the fit.
 *
 *   exp(-lambda r(theta)) N(theta; m0, v I),   r the mean loss over the rows
 *   that the posterior was trained on                                          (docs/maths.md, 1.2)
 *
 *   zero prior       m0 = 0, all rows
 *   informed prior   m0 of the first part of the model's split, the rows of the second part
 *   stage t          m0 of the rows before block t, and the same rows
 *   part of many     m0 = 0, of the rows learned from those of its classes, as +1 and -1
 *
 * Whether `data` are those rows is told by F = lambda r(posterior) + KL(posterior || prior), which
 * the model remembers.
 */
#include "fit/target.h"

#include "core/count.h"
#include "fit/split.h"
#include "model/many.h"
#include "task/task.h"

#include <math.h>

/* Of the free energy, relatively: far above what rounding and threads can do. */
#define SAME_ENERGY 1e-6

bool gbs_prior_knows_rows(const gbs_model *model, const gbs_stage *stage) {
    bool chosen = model->deployed || model->sides.classes > 0;
    return stage->from == 0 && (stage->prior_mean != NULL || chosen);
}

static gbs_status check_classes(gbs_context *ctx, const gbs_data *data, const gbs_model *model) {
    size_t have = data->classes > 2 ? data->classes : 2,
           want = model->sides.classes > 0 ? model->sides.classes : 2;
    if (model->many != NULL)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model has %zu classes; a sampling is of one of its binary problems",
                        model->many->classes);
    if (gbs_loss_is_joint(model->info.loss))
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "all classes were fitted together, and there is no binary problem to "
                        "sample; a fit with `loss` hinge has them");
    if (have != want)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model does not belong to these rows: it was fitted to rows of %zu "
                        "classes, and these have %zu",
                        want, have);
    return GBS_OK;
}

static gbs_status check_known(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                              size_t t) {
    const gbs_model_info *m = &model->info;
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    gbs_status status = check_classes(ctx, data, model);
    if (status != GBS_OK)
        return status;
    if (t >= model->stages_size)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the model has %zu stages, there is no number %zu",
                        model->stages_size, t);
    if (!model->split.known && (m->prior != GBS_PRIOR_ZERO || model->stages_size > 1))
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model's file is of an older version, which kept neither the mean of "
                        "an informed prior nor which "
                        "rows it came from; fit it again");
    if (m->weighted != (data->weight != NULL))
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model does not belong to these rows: it was fitted to rows with%s "
                        "weights, and these have %s",
                        m->weighted ? "" : "out", m->weighted ? "none" : "some");
    if (m->n != data->n || m->features != data->d)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model does not belong to these rows: it was fitted to %zu rows of %zu "
                        "columns, not %zu of %zu",
                        m->n, m->features, data->n, data->d);
    return GBS_OK;
}

static gbs_status mean_loss(gbs_context *ctx, const gbs_model *model, const gbs_stage *stage,
                            const gbs_rows *rows, double *risk, bool *by_draws) {
    const gbs_loss_ops *loss = gbs_loss_of(model->info.loss);
    gbs_spread spread = gbs_stage_gaussian(stage);
    gbs_empirical *mean;
    gbs_status status = gbs_model_task(model)->risk(ctx, rows, false, loss, &mean);
    *by_draws = status == GBS_OK && mean->by_draws;
    if (status == GBS_OK)
        status = gbs_empirical_value(mean, loss, &spread, false, risk, NULL);
    gbs_empirical_free(mean);
    return status;
}

static gbs_status free_energy(const gbs_model *model, gbs_gibbs_target *g, bool *by_draws) {
    const gbs_stage *s = g->stage;
    size_t d = model->info.d;
    double trace, log_det, v = s->info.prior_sd * s->info.prior_sd, distance2 = 0.0;
    gbs_status status = mean_loss(g->ctx, model, s, &g->rows, &g->gibbs_risk, by_draws);
    gbs_stage_spread(s, &trace, &log_det);
    for (size_t k = 0; k < d; k++) {
        double away = s->posterior.mean[k] - (s->prior_mean != NULL ? s->prior_mean[k] : 0.0);
        distance2 += away * away;
    }
    g->free_energy = s->info.lambda * g->gibbs_risk +
                     0.5 * (trace / v + distance2 / v - (double)d + (double)d * log(v) - log_det);
    return status;
}

/* A fit by sgd that was to see sampled pairs only remembers an estimate (vb/subsample.h), which
 * tells nothing about the rows. */
static gbs_status check_energy(gbs_context *ctx, bool sampled, double remembered, double here) {
    if (fabs(here - remembered) <= SAME_ENERGY * fmax(1.0, fmax(fabs(here), fabs(remembered))))
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "the model does not belong to these rows%s: its free energy is %.10g here, and "
                    "%.10g where it was fitted%s",
                    sampled ? ", or was fitted to sampled pairs" : "", here, remembered,
                    sampled ? "; a gap wants a fit that saw all pairs (sampled_pairs 0)" : "");
}

/* Of the classes of a part, the first `count` rows: in the order of the split those learned from
 * come before the others. */
static gbs_status own_rows(gbs_context *ctx, const gbs_data *rows, const gbs_sides *sides,
                           size_t count, gbs_data **out) {
    gbs_data *all = NULL;
    *out = NULL;
    gbs_status status = gbs_data_against(ctx, rows, sides->one, sides->other, &all);
    if (status == GBS_OK && all->n < count)
        status = gbs_fail(ctx, GBS_ERR_DATA,
                          "the model does not belong to these rows: it was fitted to %s of its "
                          "classes, and these have %zu",
                          gbs_count(count, "row").text, all->n);
    size_t *first = status == GBS_OK ? gbs_array_alloc(ctx, count, sizeof *first) : NULL;
    for (size_t i = 0; first != NULL && i < count; i++)
        first[i] = i;
    if (status == GBS_OK)
        status = first != NULL ? gbs_data_view(ctx, all, first, count, out) : GBS_ERR_MEMORY;
    gbs_array_free(ctx, first);
    gbs_data_free(all);
    return status;
}

/* The rows of a stage, in the order in which they were fitted; NULL: as they are. */
static gbs_status find_rows(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                            const gbs_stage *stage, gbs_data **out) {
    bool part = model->sides.classes > 0;
    gbs_data *ordered = NULL;
    gbs_status status = GBS_OK;
    *out = NULL;
    if (model->split.known)
        status = gbs_split_find(ctx, data, &model->split, stage->from,
                                part ? data->n : stage->info.rows, &ordered);
    if (status != GBS_OK || !part) {
        *out = ordered;
        return status;
    }
    status = own_rows(ctx, ordered != NULL ? ordered : data, &model->sides, stage->info.rows, out);
    gbs_data_free(ordered);
    return status;
}

gbs_status gbs_gibbs_target_find(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                                 size_t t, gbs_gibbs_target *out) {
    bool by_draws = false;
    gbs_data *weighed;
    *out = (gbs_gibbs_target){.ctx = ctx};
    gbs_status status = gbs_data_weighed(ctx, data, &weighed);
    if (status != GBS_OK)
        return status;
    data = weighed != NULL ? weighed : data;
    status = check_known(ctx, data, model, t);
    if (status != GBS_OK) {
        gbs_data_free(weighed);
        return status;
    }
    const gbs_stage *stage = out->stage = &model->stages[t];
    status = find_rows(ctx, data, model, stage, &out->view);
    if (status == GBS_OK && model->deployed && model->card.weighted)
        status = gbs_data_weigh_classes(ctx, out->view, model->card.cost_missed,
                                        model->card.cost_false);
    if (status == GBS_OK)
        status = gbs_rows_build(ctx, out->view != NULL ? out->view : data, &model->maps,
                                &out->rows);
    if (out->view == NULL)
        out->view = weighed; /* whose labels the rows have */
    else
        gbs_data_free(weighed);
    if (status == GBS_OK)
        status = free_energy(model, out, &by_draws);
    bool sampled = by_draws && model->info.solver == GBS_SOLVER_SGD;
    if (status == GBS_OK)
        status = check_energy(ctx, sampled, stage->free_energy, out->free_energy);
    if (status != GBS_OK)
        gbs_gibbs_target_free(out);
    return status;
}

void gbs_gibbs_target_free(gbs_gibbs_target *g) {
    if (g->ctx == NULL)
        return;
    gbs_rows_free(g->ctx, &g->rows);
    if (g->view != NULL)
        gbs_data_free(g->view);
    *g = (gbs_gibbs_target){0};
}
