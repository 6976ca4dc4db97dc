/* The model handle: its life and its simple questions. */
#include "model/many.h"

#include "core/check.h"

#include <math.h>
#include <string.h>

gbs_status gbs_model_create(gbs_context *ctx, size_t stages, gbs_model **out) {
    gbs_model *model = gbs_handle_alloc(ctx, sizeof *model);
    *out = model;
    if (model == NULL)
        return GBS_ERR_MEMORY;
    model->ctx = ctx;
    model->stages = gbs_array_alloc(ctx, stages, sizeof *model->stages);
    model->stages_size = stages;
    if (model->stages != NULL)
        return GBS_OK;
    gbs_handle_free(ctx, model);
    *out = NULL;
    return GBS_ERR_MEMORY;
}

gbs_spread gbs_stage_gaussian(const gbs_stage *stage) {
    gbs_spread spread = gbs_gaussian_spread(&stage->posterior);
    if (stage->dual.rank > 0) {
        spread.variance = stage->info.prior_sd * stage->info.prior_sd;
        spread.span = &stage->dual;
    }
    return spread;
}

void gbs_stage_free(const gbs_context *ctx, gbs_stage *stage) {
    gbs_span *dual = &stage->dual;
    gbs_gaussian_free(ctx, &stage->posterior);
    gbs_array_free(ctx, stage->prior_mean);
    gbs_array_free(ctx, dual->lower);
    gbs_array_free(ctx, dual->factor);
    gbs_array_free(ctx, (void *)dual->kept.dense);
    gbs_array_free(ctx, (void *)dual->kept.start);
    gbs_array_free(ctx, (void *)dual->kept.column);
    gbs_array_free(ctx, (void *)dual->kept.value);
    gbs_array_free(ctx, (void *)dual->kept.shift);
    *stage = (gbs_stage){0};
}

void gbs_model_free(gbs_model *model) {
    if (model == NULL)
        return;
    gbs_context *ctx = model->ctx;
    gbs_maps_free(ctx, &model->maps);
    for (size_t t = 0; t < model->stages_size; t++)
        gbs_stage_free(ctx, &model->stages[t]);
    gbs_array_free(ctx, model->stages);
    gbs_array_free(ctx, model->certificates);
    gbs_array_free(ctx, model->path);
    gbs_array_free(ctx, model->restarts);
    gbs_trace_free(ctx, &model->trace);
    gbs_array_free(ctx, model->negatives);
    gbs_array_free(ctx, model->recipe);
    gbs_many_free(ctx, model->many);
    gbs_explanation_free(model->explanation);
    gbs_handle_free(ctx, model);
}

static gbs_status not_finite(gbs_context *ctx, const char *what) {
    return gbs_fail(ctx, GBS_ERR_NUMERIC,
                    "the fit broke down: %s is not a finite number; scale the columns or lower "
                    "prior_sd",
                    what);
}

static bool finite_or_none(size_t count, const double *x) {
    return x == NULL || gbs_finite(count, x);
}

static bool finite_stage(const gbs_stage *s) {
    const gbs_gaussian *g = &s->posterior;
    size_t d = g->d, square = s->dual.rank * s->dual.rank, sds = g->tau != NULL ? d : 1;
    const double plain[] = {s->info.prior_sd, s->info.lambda, s->free_energy};
    return gbs_finite(d, g->mean) && finite_or_none(d, s->prior_mean) &&
           finite_or_none(sds, g->sd) && finite_or_none(d * d, g->factor) &&
           finite_or_none(square, s->dual.lower) && finite_or_none(square, s->dual.factor) &&
           gbs_finite(3, plain);
}

gbs_status gbs_model_check(gbs_context *ctx, const gbs_model *m) {
    const gbs_model_info *i = &m->info;
    for (size_t t = 0; t < m->stages_size; t++)
        if (!finite_stage(&m->stages[t]))
            return not_finite(ctx, "a coefficient of the posterior");
    for (size_t p = 0; m->many != NULL && p < m->many->parts; p++)
        if (m->many->part[p] != NULL) {
            gbs_status status = gbs_model_check(ctx, m->many->part[p]);
            if (status != GBS_OK)
                return status;
        }
    if (!isfinite(i->free_energy) || !isfinite(i->kl))
        return not_finite(ctx, "the free energy");
    if (!isfinite(i->gibbs_risk) || !isfinite(i->gibbs_error) || !isfinite(i->train_error))
        return not_finite(ctx, "a risk on the training rows");
    for (size_t k = 0; k < m->certificates_size; k++) {
        const gbs_certificate *c = &m->certificates[k];
        bool seen = isfinite(c->empirical) || c->blocks == 0;
        if (!isfinite(c->value) || !seen || !isfinite(c->kl))
            return not_finite(ctx, "a certificate");
    }
    return GBS_OK;
}

const gbs_model_info *gbs_model_get_info(const gbs_model *model) {
    return model != NULL ? &model->info : NULL;
}

size_t gbs_model_path_size(const gbs_model *model) {
    return model != NULL ? model->path_size : 0;
}

const gbs_path_point *gbs_model_path_at(const gbs_model *model, size_t k) {
    return k < gbs_model_path_size(model) ? &model->path[k] : NULL;
}

const double *gbs_model_restarts(const gbs_model *model, size_t *count) {
    gbs_tell(count, model != NULL ? model->restarts_size : 0);
    return model != NULL ? model->restarts : NULL;
}

size_t gbs_model_trace_size(const gbs_model *model) {
    return model != NULL ? model->trace.count : 0;
}

const gbs_trace_point *gbs_model_trace_at(const gbs_model *model, size_t k) {
    return k < gbs_model_trace_size(model) ? &model->trace.points[k] : NULL;
}

size_t gbs_model_stages(const gbs_model *model) {
    return model != NULL ? model->stages_size : 0;
}

const gbs_stage_info *gbs_model_stage(const gbs_model *model, size_t t) {
    return t < gbs_model_stages(model) ? &model->stages[t].info : NULL;
}

const char *gbs_model_recipe(const gbs_model *model) {
    return model != NULL ? model->recipe : NULL;
}

const gbs_selection *gbs_model_selection(const gbs_model *model) {
    return model != NULL ? &model->selection : NULL;
}

const gbs_origin *gbs_model_origin(const gbs_model *model) {
    return model != NULL ? &model->origin.told : NULL;
}

size_t gbs_model_column(const gbs_model *model, size_t k) {
    return model != NULL && k < model->info.d ? gbs_maps_column(&model->maps, k) : SIZE_MAX;
}
