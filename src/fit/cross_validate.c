/* k-fold cross-validation.
 *
 * One job is one candidate on one fold: fit on the other folds, judge on this one. Jobs run side by
 * side (side_by_side.h).
 */
#include "core/check.h"
#include "core/random.h"
#include "fit/deal.h"
#include "fit/run.h"
#include "fit/side_by_side.h"
#include "fit/ways.h"
#include "task/task.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct validation {
    gbs_context *ctx;
    const gbs_data *data;
    size_t folds;
    const gbs_fit_settings *candidates;
    size_t *fold_of;        /* of each row */
    gbs_evaluated *judged;  /* count x folds */
    gbs_model_info *fitted; /* count x folds */
};

static gbs_status deal(struct validation *v) {
    size_t n = v->data->n, *order = gbs_array_alloc(v->ctx, n, sizeof *order);
    if (order == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    gbs_shuffle(v->ctx->seed, GBS_STREAM_FOLDS, n, order);
    size_t fewest = 0;
    gbs_status status = gbs_deal(v->ctx, v->data, order, v->folds, v->fold_of);
    if (status == GBS_OK)
        status = gbs_deal_fewest(v->ctx, v->data, &fewest);
    gbs_array_free(v->ctx, order);
    if (status == GBS_OK && fewest < v->folds)
        return gbs_fail(v->ctx, GBS_ERR_DATA,
                        v->data->group != NULL
                            ? "%zu folds need as many groups with rows of each class; one class is "
                              "in %zu"
                            : "%zu folds need at least as many rows of each class; one class has "
                              "%zu",
                        v->folds, fewest);
    return status;
}

static gbs_status fit_and_judge(struct validation *v, gbs_context *ctx, size_t candidate,
                                size_t fold, size_t *rows) {
    size_t n = v->data->n, inside = 0, outside = 0;
    for (size_t i = 0; i < n; i++) /* training rows from the front, held-out rows from the back */
        if (v->fold_of[i] != fold)
            rows[inside++] = i;
        else
            rows[n - ++outside] = i;
    gbs_data *train = NULL, *test = NULL;
    gbs_model *model = NULL;
    gbs_fit_settings options = v->candidates[candidate];
    options.lambda *= (double)inside / (double)n;
    gbs_status status = gbs_data_view(ctx, v->data, rows, inside, &train);
    if (status == GBS_OK)
        status = (gbs_is_deployed(&options) ? gbs_fit_run : gbs_fit_to_judge)(ctx, train, &options,
                                                                              &model);
    gbs_data_free(train);
    if (status == GBS_OK)
        status = gbs_data_view(ctx, v->data, rows + inside, outside, &test);
    if (status == GBS_OK)
        status = gbs_evaluate_model(ctx, model, test, &v->judged[candidate * v->folds + fold]);
    gbs_evaluated *judged = &v->judged[candidate * v->folds + fold];
    if (status == GBS_OK) /* in ranking of the pairs inside the fold */
        judged->told.error = gbs_fit_task(&options)->error(&judged->told);
    if (status == GBS_OK && model != NULL)
        v->fitted[candidate * v->folds + fold] = model->info;
    gbs_model_free(model);
    gbs_data_free(test);
    return status;
}

static gbs_status run_job(gbs_context *ctx, void *arg, size_t job) {
    struct validation *v = arg;
    size_t *rows = gbs_array_alloc(ctx, v->data->n, sizeof *rows);
    gbs_status status = rows != NULL ? fit_and_judge(v, ctx, job / v->folds, job % v->folds, rows)
                                     : GBS_ERR_MEMORY;
    gbs_array_free(ctx, rows);
    return status;
}

/* Mean over the held-out rows of what the folds tell, and in *se its standard error over the folds.
 */
static double mean_of(const struct validation *v, const gbs_evaluated *e, size_t member,
                      double *se) {
    double n = (double)v->data->n, folds = (double)v->folds, mean = 0.0, spread = 0.0;
#define TOLD(k) (*(const double *)(const void *)((const char *)&e[k].told + member))
    for (size_t k = 0; k < v->folds; k++)
        mean += (double)e[k].told.n / n * TOLD(k);
    for (size_t k = 0; k < v->folds; k++)
        spread += (TOLD(k) - mean) * (TOLD(k) - mean);
#undef TOLD
    *se = sqrt(spread / (folds - 1.0) / folds);
    return mean;
}

static gbs_cv_result sum_up(const struct validation *v, size_t candidate) {
    const gbs_evaluated *e = v->judged + candidate * v->folds;
    const gbs_model_info *fitted = v->fitted + candidate * v->folds;
    const gbs_fit_settings *c = &v->candidates[candidate];
    bool deployed = gbs_is_deployed(c);
    double se;
    gbs_cv_result r = {.family = fitted->family,
                       .loss = deployed ? fitted->loss : c->loss,
                       .lambda = deployed ? NAN : c->lambda,
                       .prior_sd = deployed ? NAN : c->prior_sd,
                       .d = fitted->d,
                       .deployed = deployed};
    r.error = mean_of(v, e, offsetof(gbs_evaluation, error), &r.error_se);
    r.gibbs_error = mean_of(v, e, offsetof(gbs_evaluation, gibbs_error), &se);
    r.gibbs_risk = mean_of(v, e, offsetof(gbs_evaluation, gibbs_risk), &se);
    r.auc = mean_of(v, e, offsetof(gbs_evaluation, auc), &r.auc_se);
    r.brier = mean_of(v, e, offsetof(gbs_evaluation, brier), &r.brier_se);
    r.log_loss = mean_of(v, e, offsetof(gbs_evaluation, log_loss), &r.log_loss_se);
    for (size_t k = 0; k < v->folds; k++)
        r.not_converged += !fitted[k].converged;
    return r;
}

gbs_status gbs_cross_validate_run(gbs_context *ctx, const gbs_data *data, size_t folds,
                                  const gbs_fit_settings *candidates, size_t count,
                                  gbs_cv_result *results) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, candidates);
    GBS_NEEDS(ctx, results);
    if (folds < 2 || count == 0 || count > SIZE_MAX / folds)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "cross-validation needs two folds or more and a candidate");
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    gbs_status status = GBS_OK;
    for (size_t k = 0; status == GBS_OK && k < count; k++)
        status = candidates[k].ladder_size > 0
                     ? gbs_fail(ctx, GBS_ERR_ARGUMENT, "a candidate has one lambda, not a ladder")
                     : gbs_check_fit_options(ctx, &candidates[k]);
    gbs_data *weighed;
    if (status == GBS_OK)
        status = gbs_check_weights(ctx, data, gbs_fit_task(candidates));
    if (status == GBS_OK)
        status = gbs_data_weighed(ctx, data, &weighed);
    if (status != GBS_OK)
        return status;
    data = weighed != NULL ? weighed : data;
    struct validation v = {.ctx = ctx, .data = data, .folds = folds, .candidates = candidates};
    v.fold_of = gbs_array_alloc(ctx, data->n, sizeof *v.fold_of);
    v.judged = gbs_array_alloc(ctx, count * folds, sizeof *v.judged);
    v.fitted = gbs_array_alloc(ctx, count * folds, sizeof *v.fitted);
    status = GBS_ERR_MEMORY;
    if (v.fold_of != NULL && v.judged != NULL && v.fitted != NULL)
        status = deal(&v);
    gbs_side_progress whole = {"cross-validation", 0.0, 1.0};
    gbs_progress_begin(ctx);
    if (status == GBS_OK)
        status = gbs_side_by_side(ctx, count * folds, whole, run_job, &v);
    for (size_t k = 0; status == GBS_OK && k < count; k++)
        results[k] = sum_up(&v, k);
    gbs_array_free(ctx, v.fold_of);
    gbs_array_free(ctx, v.judged);
    gbs_array_free(ctx, v.fitted);
    gbs_data_free(weighed);
    return status;
}
