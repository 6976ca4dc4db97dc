/* What a fitted model tells as JSON of the way to it, and its coefficients. */
#include "file/describe.h"
#include "task/task.h"

#include <math.h>
#include <stdio.h>

void gbs_describe_stages(gbs_writer *w, const gbs_model *model) {
    gbs_writer_open(w, "stages", '[');
    for (size_t t = 0; model->stages_size > 1 && t < model->stages_size; t++) {
        const gbs_stage_info *s = gbs_model_stage(model, t);
        gbs_writer_open(w, NULL, '{');
        gbs_writer_number(w, "weight", s->weight);
        gbs_writer_count(w, "rows", s->rows);
        gbs_writer_count(w, "tested", s->tested);
        gbs_writer_count(w, "errors", s->errors);
        gbs_writer_number(w, "prior_sd", s->prior_sd);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
}

void gbs_describe_path(gbs_writer *w, const gbs_model *model) {
    const gbs_path_point *p;
    gbs_writer_open(w, "path", '[');
    for (size_t t = 0; (p = gbs_model_path_at(model, t)) != NULL; t++) {
        gbs_writer_open(w, NULL, '{');
        gbs_writer_number(w, "lambda", p->lambda);
        gbs_writer_number(w, "prior_sd", p->prior_sd);
        gbs_writer_number(w, "free_energy", p->free_energy);
        gbs_writer_number(w, "gibbs_risk", p->gibbs_risk);
        gbs_writer_number(w, "kl", p->kl);
        gbs_writer_number(w, "optimality_gap", p->optimality_gap);
        gbs_writer_count(w, "iterations", p->iterations);
        gbs_writer_bool(w, "converged", p->converged != 0);
        gbs_writer_number(w, "bound", p->bound);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
}

void gbs_describe_restarts(gbs_writer *w, const gbs_model *model) {
    if (model->restarts_size == 0)
        return;
    gbs_writer_open(w, "restarts", '[');
    for (size_t k = 0; k < model->restarts_size; k++)
        gbs_writer_number(w, NULL, model->restarts[k]);
    gbs_writer_close(w, ']');
}

void gbs_describe_trace(gbs_writer *w, const gbs_model *model) {
    const gbs_trace_point *p;
    gbs_writer_open(w, "trace", '[');
    for (size_t k = 0; (p = gbs_model_trace_at(model, k)) != NULL; k++) {
        gbs_writer_open(w, NULL, '{');
        gbs_writer_count(w, "solve", p->solve);
        gbs_writer_count(w, "iteration", p->iteration);
        gbs_writer_number(w, "lambda", p->lambda);
        gbs_writer_number(w, "free_energy", p->free_energy);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
}

bool gbs_describe_column(const gbs_recipe *recipe, size_t features, size_t column,
                         char name[GBS_DESCRIBE_NAME]) {
    if (column == SIZE_MAX)
        return false;
    if (recipe != NULL || column >= features)
        gbs_recipe_feature(recipe, column, name, GBS_DESCRIBE_NAME);
    else
        snprintf(name, GBS_DESCRIBE_NAME, "V%zu", column + 1);
    return true;
}

/* All of them, in the order of the columns. */
gbs_status gbs_describe_coefficients(gbs_writer *w, const gbs_model *model,
                                     const gbs_recipe *recipe) {
    size_t d = model->info.d;
    if (model->many != NULL)
        return gbs_describe_parts(w, model, recipe);
    double *mean = gbs_matrix(w->ctx, 3, d), *plain = mean != NULL ? mean + 2 * d : NULL;
    gbs_status status = mean != NULL ? gbs_model_coefficients(w->ctx, model, mean, mean + d)
                                     : GBS_ERR_MEMORY;
    bool linear = status == GBS_OK && model->stages_size == 1 &&
                  gbs_maps_per_unit(&model->maps, model->stages[0].posterior.mean, plain);
    bool odds = linear && model->deployed && gbs_task_has(gbs_model_task(model), GBS_FACT_LABELS);
    gbs_writer_open(w, "coefficients", '[');
    for (size_t k = 0; status == GBS_OK && k < d; k++) {
        char name[GBS_DESCRIBE_NAME];
        if (!gbs_describe_column(recipe, model->info.features, gbs_model_column(model, k), name))
            continue;
        gbs_writer_open(w, NULL, '{');
        gbs_writer_text(w, "name", name);
        gbs_writer_number(w, "mean", mean[k]);
        gbs_writer_number(w, "sd", mean[d + k]);
        if (linear)
            gbs_writer_number(w, "per_unit", plain[k]);
        if (odds && gbs_model_column(model, k) < model->info.features) /* not the intercept */
            gbs_writer_number(w, "odds_ratio", exp(model->card.slope * plain[k]));
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
    gbs_array_free(w->ctx, mean);
    return status;
}
