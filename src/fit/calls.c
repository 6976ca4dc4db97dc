/* What a program calls: the options are checked, become settings, and the job is run. */
#include "core/check.h"
#include "data/rows.h"
#include "file/recipe_json.h"
#include "fit/candidates.h"
#include "fit/fresh.h"
#include "fit/run.h"
#include "fit/start.h"
#include "model/model.h"
#include "options/options.h"
#include "pass/device.h"
#include "task/task.h"

#include <string.h>

/* The options are of one of the commands (NULL: the defaults) and do not contradict each other. */
static gbs_status check(gbs_context *ctx, const gbs_options *options, unsigned commands) {
    if (options == NULL)
        return GBS_OK;
    if ((options->command & commands) == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "these are the options of another command");
    gbs_status status = gbs_options_check(options);
    if (status != GBS_OK && options->ctx != ctx)
        gbs_fail(ctx, status, "%s", gbs_error_message(options->ctx));
    return status;
}

/* The same, and the device that they name, until gbs_device_end. */
static gbs_status begin(gbs_context *ctx, const gbs_options *options, unsigned commands,
                        gbs_device **before) {
    gbs_status status = check(ctx, options, commands);
    bool named = options != NULL && gbs_options_given(options, "device");
    const char *device = named ? gbs_options_get(options, "device") : NULL;
    return status == GBS_OK ? gbs_device_begin(ctx, device, before) : status;
}

/* ---------------------------------------------------------------- fit */

/* Prior deviations begin here. */
#define LEAST_DEVIATION (1.0 / 16.0)

/* Where no grid was given: lambdas around the units of the risk; or, where lambda was given, prior
 * deviations around 1. */
static void take_usual_grid(const gbs_data *data, gbs_fit_settings *s,
                            double usual[GBS_USUAL_GRID]) {
    bool fixed = s->lambda > 0.0;
    if (s->ladder_size > 0 || s->prior_grid_size > 0 || data->y == NULL)
        return;
    usual[0] = fixed ? LEAST_DEVIATION
                     : (double)gbs_fit_task(s)->units(data) / GBS_USUAL_GRID_BELOW;
    for (size_t k = 1; k < GBS_USUAL_GRID; k++)
        usual[k] = GBS_USUAL_GRID_RATIO * usual[k - 1];
    *(fixed ? &s->prior_grid : &s->ladder) = usual;
    *(fixed ? &s->prior_grid_size : &s->ladder_size) = GBS_USUAL_GRID;
}

/* The settings of the candidate with the smallest cross-validated error, and what that choice
 * looked at. */
static gbs_status choose(gbs_context *ctx, const gbs_data *data, gbs_fit_settings *s,
                         gbs_selection *selection) {
    gbs_cv cv;
    gbs_bound bound = s->bound;
    double usual[GBS_USUAL_GRID];
    take_usual_grid(data, s, usual);
    unsigned looked = s->looked | (s->ladder_size > 0 ? GBS_LOOKED_LAMBDA : 0U) |
                      (s->prior_grid_size > 0 ? GBS_LOOKED_PRIOR : 0U);
    gbs_status status = gbs_candidates_judge(ctx, data, s, &cv);
    if (status == GBS_OK) {
        *s = cv.item[cv.best];
        s->bound = bound == GBS_BOUND_AUTO ? GBS_BOUND_KL : bound;
        s->looked = looked;
        *selection = (gbs_selection){.candidates = cv.count,
                                     .folds = cv.folds,
                                     .error = cv.result[cv.best].error,
                                     .error_se = cv.result[cv.best].error_se};
    }
    gbs_candidates_free(&cv);
    return status;
}

gbs_status gbs_fit(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                   gbs_model **out) {
    return gbs_fit_from(ctx, data, options, NULL, out);
}

static gbs_status fit_from(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                           const gbs_model *start, gbs_model **out) {
    gbs_fit_settings s;
    gbs_selection selection = {0};
    gbs_status status = GBS_OK;
    gbs_fit_settings_from(options, &s);
    s.looked = data->looked;
    if (data->classes > 2)
        status = gbs_options_check_classes(ctx, options);
    if (status == GBS_OK && start != NULL)
        status = gbs_start_check(ctx, data, &s, start);
    if (status == GBS_OK && s.select == GBS_SELECT_CV)
        status = choose(ctx, data, &s, &selection);
    s.start = start;
    if (status == GBS_OK)
        status = gbs_fit_run(ctx, data, &s, out);
    if (status != GBS_OK)
        return status;
    if (selection.candidates > 0)
        (*out)->selection = selection;
    status = gbs_model_keep_recipe(ctx, *out, data->source);
    if (status == GBS_OK && s.importance)
        status = gbs_explain_fresh(ctx, data, &s, *out);
    if (status != GBS_OK) {
        gbs_model_free(*out);
        *out = NULL;
    }
    return status;
}

gbs_status gbs_fit_from(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                        const gbs_model *start, gbs_model **out) {
    gbs_device *before;
    if (out != NULL)
        *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, out);
    gbs_status status = begin(ctx, options, GBS_FOR_FIT, &before);
    if (status != GBS_OK)
        return status;
    status = fit_from(ctx, data, options, start, out);
    gbs_device_end(ctx, before);
    return status;
}

gbs_status gbs_fit_order(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                         size_t *order, size_t *first_part) {
    gbs_fit_settings s;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, order);
    GBS_NEEDS(ctx, first_part);
    gbs_status status = check(ctx, options, GBS_FOR_FIT);
    if (status != GBS_OK)
        return status;
    gbs_fit_settings_from(options, &s);
    return gbs_fit_order_run(ctx, data, &s, order, first_part);
}

gbs_status gbs_fit_split(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                         unsigned char *learned) {
    gbs_fit_settings s;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, learned);
    gbs_status status = check(ctx, options, GBS_FOR_FIT);
    if (status != GBS_OK)
        return status;
    gbs_fit_settings_from(options, &s);
    return gbs_fit_split_run(ctx, data, &s, learned);
}

/* ---------------------------------------------------------------- cross-validation */

static bool names_candidates(const gbs_options *options) {
    static const char *const names[] = {"loss",     "family",     "lambda", "lambda-grid",
                                        "prior-sd", "prior-grid", NULL};
    return options != NULL && gbs_options_first_given(options, names) != NULL;
}

gbs_status gbs_cross_validate(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                              gbs_cv **out) {
    if (out != NULL)
        *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, out);
    gbs_fit_settings s;
    gbs_device *before;
    gbs_cv *cv = gbs_handle_alloc(ctx, sizeof *cv);
    if (cv == NULL)
        return GBS_ERR_MEMORY;
    cv->ctx = ctx;
    gbs_status status = begin(ctx, options, GBS_FOR_CV, &before);
    if (status == GBS_OK) {
        gbs_fit_settings_from(options, &s);
        status = (names_candidates(options) ? gbs_candidates_judge : gbs_deployed_judge)(ctx, data,
                                                                                         &s, cv);
        gbs_device_end(ctx, before);
    }
    if (status != GBS_OK) {
        gbs_cv_free(cv);
        return status;
    }
    *out = cv;
    return GBS_OK;
}

const gbs_cv_result *gbs_cv_at(const gbs_cv *cv, size_t k) {
    return cv != NULL && k < cv->count ? &cv->result[k] : NULL;
}

size_t gbs_cv_best(const gbs_cv *cv) {
    return cv != NULL ? cv->best : 0;
}

void gbs_cv_free(gbs_cv *cv) {
    if (cv == NULL)
        return;
    gbs_context *ctx = cv->ctx;
    gbs_candidates_free(cv);
    gbs_handle_free(ctx, cv);
}

/* ---------------------------------------------------------------- sample, complete */

/* Particles know how the columns of their rows were made; `other` is for rows that do not. */
static gbs_status keep_recipe(gbs_context *ctx, const gbs_data *data, const char *other,
                              gbs_status status, gbs_particles **out) {
    if (status == GBS_OK)
        status = data->source != NULL ? gbs_particles_keep_recipe(ctx, *out, data->source)
                                      : gbs_particles_set_recipe(ctx, *out, other);
    if (status != GBS_OK) {
        gbs_particles_free(*out);
        *out = NULL;
    }
    return status;
}

gbs_status gbs_sample(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                      gbs_particles **out) {
    if (out != NULL)
        *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, out);
    gbs_sample_settings s;
    gbs_device *before;
    gbs_status status = begin(ctx, options, GBS_FOR_SAMPLE, &before);
    if (status != GBS_OK)
        return status;
    gbs_sample_settings_from(options, &s);
    status = gbs_sample_run(ctx, data, &s, out);
    gbs_device_end(ctx, before);
    return keep_recipe(ctx, data, NULL, status, out);
}

gbs_status gbs_sample_for(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                          size_t stage, const gbs_options *options, gbs_particles **out) {
    if (out != NULL)
        *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, out);
    gbs_sample_settings s;
    gbs_device *before;
    gbs_status status = begin(ctx, options, GBS_FOR_SAMPLE | GBS_FOR_GAP, &before);
    if (status != GBS_OK)
        return status;
    gbs_sample_settings_from(options, &s);
    status = gbs_sample_run_for(ctx, data, model, stage, &s, out);
    gbs_device_end(ctx, before);
    return keep_recipe(ctx, data, model->recipe, status, out);
}

gbs_status gbs_complete_cells(gbs_context *ctx, const gbs_ratings *ratings,
                              const gbs_options *options, size_t cells, const uint32_t *row,
                              const uint32_t *column, double *value, double *sd,
                              gbs_completion **out) {
    if (out != NULL)
        *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, ratings);
    GBS_NEEDS(ctx, out);
    gbs_complete_settings s;
    gbs_device *before;
    gbs_status status = begin(ctx, options, GBS_FOR_COMPLETE, &before);
    if (status != GBS_OK)
        return status;
    gbs_complete_settings_from(options, &s);
    s.cells = s.sampler == GBS_SAMPLER_GIBBS ? cells : 0;
    s.cell_row = row;
    s.cell_column = column;
    s.cell_value = value;
    s.cell_sd = sd;
    status = gbs_complete_run(ctx, ratings, &s, out);
    gbs_device_end(ctx, before);
    return status;
}

gbs_status gbs_complete(gbs_context *ctx, const gbs_ratings *ratings, const gbs_options *options,
                        gbs_completion **out) {
    return gbs_complete_cells(ctx, ratings, options, 0, NULL, NULL, NULL, NULL, out);
}
