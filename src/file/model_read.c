/* Reading model files: nothing in them is trusted. model_write.c says what they hold. */
#include "core/check.h"
#include "data/rows.h"
#include "file/card_file.h"
#include "file/certificates_file.h"
#include "file/explanation_file.h"
#include "file/json_numbers.h"
#include "file/json_text.h"
#include "file/many_file.h"
#include "file/maps_file.h"
#include "file/origin_file.h"
#include "model/model.h"
#include "risk/loss.h"
#include "task/task.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *loss_name(int i) {
    return gbs_loss_name((gbs_loss)i);
}

static const char *family_name(int i) {
    return gbs_family_name(gbs_family_at(i));
}

static const char *solver_name(int i) {
    return gbs_solver_name((gbs_solver)i);
}

static const char *prior_name(int i) {
    return gbs_prior_name((gbs_prior_kind)i);
}

static gbs_status get_head(gbs_context *ctx, const json_t *root, gbs_model_info *info) {
    const char *kind = json_string_value(json_object_get(root, "kind"));
    size_t format;
    int choice;
    if (kind != NULL && (strcmp(kind, "completion") == 0 || strcmp(kind, "sample") == 0))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "a %s, where a model made by fit is expected", kind);
    if (kind == NULL || strcmp(kind, "model") != 0 ||
        !json_is_string(json_object_get(root, "gibbsite")))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "not a gibbsite model file");
    TRY(gbs_json_get_size(ctx, root, "format", INT_MAX, &format));
    if (format < GBS_MODEL_FORMAT_PLAIN || format > GBS_MODEL_FORMAT)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "a model of format %zu; this version reads formats %d to %d", format,
                        (int)GBS_MODEL_FORMAT_PLAIN, (int)GBS_MODEL_FORMAT);
    const char *name = json_string_value(json_object_get(root, "task"));
    const gbs_task *task = gbs_task_named(name);
    if (task == NULL)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "a model for another task (%.40s) than this version knows",
                        name != NULL ? name : "none");
    info->task = task->kind;
    TRY(gbs_json_get_choice(ctx, root, "loss", loss_name, &choice));
    info->loss = (gbs_loss)choice;
    TRY(gbs_json_get_choice(ctx, root, "family", family_name, &choice));
    info->family = gbs_family_at(choice);
    TRY(gbs_json_get_choice(ctx, root, "solver", solver_name, &choice));
    info->solver = (gbs_solver)choice;
    TRY(gbs_json_get_size(ctx, root, "n", SIZE_MAX / 16, &info->n));
    TRY(gbs_json_get_size(ctx, root, "features", (size_t)UINT32_MAX + 1, &info->features));
    TRY(gbs_json_get_size(ctx, root, "d", INT_MAX, &info->d));
    TRY(gbs_json_get_bool(ctx, root, "intercept", &info->intercept));
    if (info->d == 0 || info->features == 0)
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: d does not match its features");
    return GBS_OK;
}

static gbs_status get_fit(gbs_context *ctx, const json_t *root, gbs_model_info *info) {
    const json_t *fit = json_object_get(root, "fit");
    int prior = GBS_PRIOR_ZERO;
    if (json_object_get(fit, "prior") != NULL)
        TRY(gbs_json_get_choice(ctx, fit, "prior", prior_name, &prior));
    info->prior = (gbs_prior_kind)prior;
    TRY(gbs_json_get_real(ctx, fit, "lambda", &info->lambda));
    TRY(gbs_json_get_real(ctx, fit, "prior_sd", &info->prior_sd));
    TRY(gbs_json_get_real(ctx, fit, "free_energy", &info->free_energy));
    TRY(gbs_json_get_real(ctx, fit, "kl", &info->kl));
    TRY(gbs_json_get_real(ctx, fit, "gibbs_risk", &info->gibbs_risk));
    TRY(gbs_json_get_real(ctx, fit, "gibbs_error", &info->gibbs_error));
    TRY(gbs_json_get_real(ctx, fit, "train_error", &info->train_error));
    TRY(gbs_json_get_real_or_nan(ctx, fit, "optimality_gap", &info->optimality_gap));
    TRY(gbs_json_get_size(ctx, fit, "iterations", SIZE_MAX / 16, &info->iterations));
    TRY(gbs_json_get_bool(ctx, fit, "converged", &info->converged));
    TRY(gbs_json_get_real(ctx, fit, "seconds", &info->seconds));
    if (json_object_get(fit, "pair_evaluations") != NULL)
        TRY(gbs_json_get_real(ctx, fit, "pair_evaluations", &info->pair_evaluations));
    if (json_object_get(fit, "weighted") != NULL)
        TRY(gbs_json_get_bool(ctx, fit, "weighted", &info->weighted));
    if (!(info->prior_sd > 0.0) || !(info->lambda > 0.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: lambda and prior_sd should be positive");
    return GBS_OK;
}

static gbs_status get_maps(gbs_context *ctx, const json_t *root, gbs_model *m) {
    gbs_model_info *i = &m->info;
    TRY(gbs_json_get_maps(ctx, root, gbs_map_table, i->intercept != 0, i->features, i->d, &i->scale,
                          &m->maps));
    const gbs_standard *standard = gbs_maps_standard(&m->maps);
    bool stretched = standard != NULL && standard->stretch != NULL;
    i->map = gbs_maps_features(&m->maps);
    i->map_axes = gbs_maps_axes(&m->maps);
    i->columns = stretched ? GBS_COLUMNS_RELEVANCE : GBS_COLUMNS_EQUAL;
    return GBS_OK;
}

/* CSR rows as gbs_data_csr would check them. */
static gbs_status get_sparse_rows(gbs_context *ctx, const json_t *rows, gbs_strip *kept) {
    const json_t *starts = json_object_get(rows, "start"), *cols = json_object_get(rows, "column");
    if (json_array_size(starts) != kept->n + 1 || !json_is_array(cols))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: 'start' or 'column' has the wrong length");
    size_t stored = json_array_size(cols);
    size_t *start = gbs_array_alloc(ctx, kept->n + 1, sizeof *start);
    uint32_t *column = gbs_array_alloc(ctx, stored, sizeof *column);
    kept->start = start;
    kept->column = column;
    if (start == NULL || column == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i <= kept->n; i++) {
        json_int_t x = json_integer_value(json_array_get(starts, i));
        if (x < (i > 0 ? (json_int_t)start[i - 1] : 0) || (size_t)x > stored ||
            (i == 0 && x != 0) || (i == kept->n && (size_t)x != stored))
            return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'start' is out of order");
        start[i] = (size_t)x;
    }
    for (size_t k = 0; k < stored; k++) {
        json_int_t x = json_integer_value(json_array_get(cols, k));
        if (x < 0 || (size_t)x >= kept->d)
            return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: a column is out of range");
        column[k] = (uint32_t)x;
    }
    TRY(gbs_json_get_reals(ctx, rows, "value", stored, (double **)&kept->value));
    if (json_object_get(rows, "shift") != NULL)
        TRY(gbs_json_get_reals(ctx, rows, "shift", kept->d, (double **)&kept->shift));
    return GBS_OK;
}

static gbs_status get_dual(gbs_context *ctx, const json_t *object, size_t d, gbs_span *dual) {
    size_t cells;
    TRY(gbs_json_get_size(ctx, object, "rank", d, &dual->rank));
    if (dual->rank == 0)
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'rank' should be positive");
    TRY(gbs_json_get_triangle(ctx, object, "lower", dual->rank, false, &dual->lower));
    TRY(gbs_json_get_triangle(ctx, object, "factor", dual->rank, true, &dual->factor));
    const json_t *rows = json_object_get(object, "rows");
    dual->kept = (gbs_strip){.n = dual->rank, .d = d, .ld = d, .stride = 1};
    if (json_object_get(rows, "cells") == NULL)
        return get_sparse_rows(ctx, rows, &dual->kept);
    if (__builtin_mul_overflow(dual->rank, d, &cells))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: rank is too large");
    return gbs_json_get_reals(ctx, rows, "cells", cells, (double **)&dual->kept.dense);
}

static gbs_status get_posterior(gbs_context *ctx, const json_t *root, const gbs_model_info *info,
                                gbs_stage *stage) {
    const json_t *posterior = json_object_get(root, "posterior");
    gbs_gaussian *g = &stage->posterior;
    g->family = info->family;
    g->d = info->d;
    TRY(gbs_json_get_reals(ctx, posterior, "mean", g->d, &g->mean));
    size_t count = gbs_family_of(g->family)->sd_size(g->d);
    if (count == 0) {
        if (json_object_get(posterior, "dual") != NULL)
            return get_dual(ctx, json_object_get(posterior, "dual"), g->d, &stage->dual);
        return gbs_json_get_triangle(ctx, posterior, "factor", g->d, true, &g->factor);
    }
    TRY(gbs_json_get_reals(ctx, posterior, "sd", count, &g->sd));
    if (gbs_family_of(g->family)->pull == GBS_PULL_DIAGONAL &&
        (g->tau = gbs_doubles(ctx, g->d)) == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        if (!(g->sd[k] > 0.0))
            return gbs_fail(ctx, GBS_ERR_FORMAT,
                            "the model is damaged: a standard deviation is not positive");
        if (g->tau != NULL)
            g->tau[k] = g->sd[k] * g->sd[k];
    }
    return GBS_OK;
}

static gbs_status get_split(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const json_t *split = json_object_get(root, "split");
    int stratified;
    if (split == NULL) /* the zero prior on all rows, or an older file */
        return GBS_OK;
    const char *seed = json_string_value(json_object_get(split, "seed"));
    size_t digits = seed != NULL ? strspn(seed, "0123456789") : 0;
    errno = 0;
    m->split.seed = digits > 0 ? strtoull(seed, NULL, 10) : 0;
    if (digits == 0 || seed[digits] != '\0' || errno == ERANGE)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: 'seed' should be a whole number in quotes");
    TRY(gbs_json_get_size(ctx, split, "first", m->info.n, &m->split.first));
    TRY(gbs_json_get_bool(ctx, split, "stratified", &stratified));
    m->split.stratified = stratified != 0;
    m->split.in_time = json_is_true(json_object_get(split, "in_time"));
    m->split.grouped = json_is_true(json_object_get(split, "grouped"));
    m->split.said = json_is_true(json_object_get(split, "said"));
    m->split.known = true;
    return GBS_OK;
}

/* What a posterior approximates; without a split, the Gibbs posterior of the zero prior on all
 * rows. */
static gbs_status get_gibbs(gbs_context *ctx, const json_t *root, const gbs_model *m,
                            gbs_stage *s) {
    const json_t *gibbs = json_object_get(root, "gibbs");
    if (!m->split.known)
        return GBS_OK;
    TRY(gbs_json_get_real(ctx, gibbs, "lambda", &s->info.lambda));
    TRY(gbs_json_get_real_or_nan(ctx, gibbs, "free_energy", &s->free_energy));
    TRY(gbs_json_get_size(ctx, gibbs, "rows", m->info.n, &s->info.rows));
    TRY(gbs_json_get_size(ctx, gibbs, "from", m->info.n - s->info.rows, &s->from));
    if (s->info.rows == 0 || !(s->info.lambda > 0.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: a posterior without rows or lambda");
    if (json_is_null(json_object_get(gibbs, "prior_mean")))
        return GBS_OK;
    return gbs_json_get_reals(ctx, gibbs, "prior_mean", m->info.d, &s->prior_mean);
}

static gbs_status get_stage(gbs_context *ctx, const json_t *object, const gbs_model *m,
                            gbs_stage *s) {
    TRY(gbs_json_get_real(ctx, object, "weight", &s->info.weight));
    TRY(gbs_json_get_real(ctx, object, "prior_sd", &s->info.prior_sd));
    TRY(gbs_json_get_size(ctx, object, "rows", SIZE_MAX / 16, &s->info.rows));
    TRY(gbs_json_get_size(ctx, object, "tested", SIZE_MAX / 16, &s->info.tested));
    TRY(gbs_json_get_size(ctx, object, "errors", SIZE_MAX / 16, &s->info.errors));
    if (!(s->info.weight > 0.0 && s->info.weight <= 1.0) || !(s->info.prior_sd > 0.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: a stage has no weight or no prior");
    TRY(get_posterior(ctx, object, &m->info, s));
    return get_gibbs(ctx, object, m, s);
}

/* Room for the stages was made when the model was: see stages_of. */
static gbs_status get_stages(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const json_t *list = json_object_get(root, "stages");
    double total = 0.0;
    if (list == NULL) {
        m->stages[0].info.weight = 1.0;
        m->stages[0].info.prior_sd = m->info.prior_sd;
        m->stages[0].info.lambda = m->info.lambda;
        m->stages[0].free_energy = m->info.free_energy;
        m->stages[0].info.rows = m->info.n;
        TRY(get_posterior(ctx, root, &m->info, &m->stages[0]));
        TRY(get_gibbs(ctx, root, m, &m->stages[0]));
        total = 1.0;
    }
    for (size_t t = 0; list != NULL && t < m->stages_size; t++) {
        TRY(get_stage(ctx, json_array_get(list, t), m, &m->stages[t]));
        total += m->stages[t].info.weight;
    }
    if (!(fabs(total - 1.0) < 1e-9))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: the weights of its stages do not add up to 1");
    m->info.dual = m->stages[m->stages_size - 1].dual.rank > 0;
    return GBS_OK;
}

static size_t stages_of(const json_t *root) {
    size_t count = json_array_size(json_object_get(root, "stages"));
    if (json_object_get(root, "many") != NULL)
        return 0;
    return count > 0 ? count : 1;
}

static gbs_status get_negatives(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const gbs_task *task = gbs_model_task(m);
    if ((m->stages_size != 1 && !gbs_has(task, GBS_FACT_STAGES)) || (m->info.dual && !task->dual) ||
        (m->info.intercept && !gbs_has(task, GBS_FACT_INTERCEPT)))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: its task has one posterior and no intercept");
    if (gbs_has(task, GBS_FACT_LABELS))
        return GBS_OK;
    m->negatives_size = json_array_size(json_object_get(root, "negative_scores"));
    TRY(gbs_json_get_reals(ctx, root, "negative_scores", m->negatives_size, &m->negatives));
    for (size_t k = 1; k < m->negatives_size; k++)
        if (!(m->negatives[k] >= m->negatives[k - 1]))
            return gbs_fail(ctx, GBS_ERR_FORMAT,
                            "the model is damaged: 'negative_scores' is out of order");
    return GBS_OK;
}

/* Of two classes: maps and posteriors. */
static gbs_status get_two(gbs_context *ctx, const json_t *root, gbs_model *model) {
    gbs_status status = get_maps(ctx, root, model);
    if (status == GBS_OK)
        status = get_split(ctx, root, model);
    if (status == GBS_OK)
        status = get_stages(ctx, root, model);
    if (status == GBS_OK)
        status = gbs_json_get_card(ctx, root, model);
    return status == GBS_OK ? get_negatives(ctx, root, model) : status;
}

static gbs_status get_model(gbs_context *ctx, const json_t *root, gbs_model **out) {
    gbs_model *model;
    gbs_status status = gbs_model_create(ctx, stages_of(root), &model);
    *out = NULL;
    if (status == GBS_OK)
        status = get_head(ctx, root, &model->info);
    if (status == GBS_OK)
        status = get_fit(ctx, root, &model->info);
    if (status == GBS_OK)
        status = gbs_json_get_many(ctx, root, get_model, model);
    if (status == GBS_OK && model->many == NULL)
        status = get_two(ctx, root, model);
    if (status == GBS_OK)
        status = gbs_json_get_certificates(ctx, root, model);
    if (status == GBS_OK)
        status = gbs_json_get_path(ctx, root, model);
    if (status == GBS_OK)
        status = gbs_json_get_origin(ctx, root, &model->origin);
    if (status == GBS_OK)
        status = gbs_json_get_selection(ctx, root, &model->selection);
    if (status == GBS_OK)
        status = gbs_json_get_text(ctx, root, "recipe", &model->recipe);
    if (status == GBS_OK)
        status = gbs_json_get_explanation(ctx, root, model);
    if (status != GBS_OK)
        gbs_model_free(model);
    else
        *out = model;
    return status;
}

gbs_status gbs_model_from_json(gbs_context *ctx, const char *text, size_t size, gbs_model **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, text);
    json_t *root;
    TRY(gbs_json_parse(ctx, text, size, GBS_JSON_LEVELS,
                       "expected a gibbsite model, found no whole JSON text", &root));
    gbs_status status = get_model(ctx, root, out);
    json_decref(root);
    if (status == GBS_OK && (*out)->many == NULL && gbs_loss_is_joint((*out)->info.loss)) {
        gbs_model_free(*out);
        *out = NULL;
        status = gbs_fail(ctx, GBS_ERR_FORMAT,
                          "the model is damaged: two classes have no loss softmax");
    }
    return status;
}
