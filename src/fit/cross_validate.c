/* k-fold cross-validation.
 *
 * One task is one candidate on one fold: fit on the other folds, judge on this one. Tasks run side
 * by side on the context's threads, each in a child context with a single thread, so that small
 * fits, which are too short to be split, still use the machine.
 */
#include "core/check.h"
#include "core/random.h"
#include "fit/run.h"
#include "fit/ways.h"
#include "task/task.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct validation {
    gbs_context *ctx;
    const gbs_data *data;
    size_t folds, count;
    const gbs_fit_settings *candidates;
    size_t *fold_of;        /* of each row */
    gbs_evaluated *judged;  /* count x folds */
    gbs_model_info *fitted; /* count x folds */
    size_t first;           /* of the tasks now running */
    atomic_int cancelled;
    /* of the first task that failed, with its words; written by whoever sets `failed` */
    gbs_status failure;
    char error[512];
    atomic_flag failed;
};

/* Dealing each class out in turn keeps the folds alike. */
static gbs_status deal(struct validation *v) {
    size_t n = v->data->n, *order = gbs_array_alloc(v->ctx, n, sizeof *order);
    if (order == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    gbs_shuffle(v->ctx->seed, GBS_STREAM_FOLDS, n, order);
    size_t dealt[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        size_t positive = v->data->y[order[i]] > 0.0;
        v->fold_of[order[i]] = dealt[positive]++ % v->folds;
    }
    gbs_array_free(v->ctx, order);
    size_t fewest = dealt[0] < dealt[1] ? dealt[0] : dealt[1];
    if (fewest < v->folds)
        return gbs_fail(v->ctx, GBS_ERR_DATA,
                        "%zu folds need at least as many rows of each class; one class has %zu",
                        v->folds, fewest);
    return GBS_OK;
}

/* The caller's cancel callback belongs to the caller's thread, which is worker 0; the others look
 * at the flag. */
struct child {
    struct validation *v;
    size_t worker;
};

static int cancelled(void *user) {
    struct child *c = user;
    gbs_context *ctx = c->v->ctx;
    if (c->worker == 0 && ctx->cancel != NULL && ctx->cancel(ctx->cancel_user))
        atomic_store(&c->v->cancelled, 1);
    return atomic_load(&c->v->cancelled);
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
        status = gbs_fit_to_judge(ctx, train, &options, &model);
    gbs_data_free(train);
    if (status == GBS_OK)
        status = gbs_data_view(ctx, v->data, rows + inside, outside, &test);
    if (status == GBS_OK)
        status = gbs_evaluate_model(ctx, model, test, &v->judged[candidate * v->folds + fold]);
    gbs_evaluated *judged = &v->judged[candidate * v->folds + fold];
    if (status == GBS_OK) /* in ranking of the pairs inside the fold */
        judged->told.error = gbs_fit_task(&options)->error(&judged->told);
    if (status == GBS_OK)
        v->fitted[candidate * v->folds + fold] = model->info;
    gbs_model_free(model);
    gbs_data_free(test);
    return status;
}

static void run_task(void *arg, size_t task, size_t worker) {
    struct validation *v = arg;
    struct child child = {v, worker};
    /* computing: inside the caller's gbs_compute_begin, which has the work space of this thread;
     * references: this function's, so that handles that come and go leave it on the stack */
    gbs_context ctx = {.allocator = v->ctx->allocator,
                       .references = 1,
                       .cancel = cancelled,
                       .cancel_user = &child,
                       .threads = 1,
                       .seed = v->ctx->seed,
                       .computing = 1};
    size_t id = v->first + task;
    size_t *rows = gbs_array_alloc(&ctx, v->data->n, sizeof *rows);
    gbs_status status = rows != NULL ? fit_and_judge(v, &ctx, id / v->folds, id % v->folds, rows)
                                     : GBS_ERR_MEMORY;
    gbs_array_free(&ctx, rows);
    if (status != GBS_OK && !atomic_flag_test_and_set(&v->failed)) {
        v->failure = status;
        memcpy(v->error, ctx.error, sizeof v->error);
    }
}

/* A few tasks a worker at a time, so that progress can be told and a stop is heard in between. */
static gbs_status run_all(struct validation *v) {
    size_t tasks = v->count * v->folds, batch = 4 * gbs_workers(v->ctx);
    gbs_progress_begin(v->ctx);
    for (v->first = 0; v->first < tasks; v->first += batch) {
        size_t now = tasks - v->first < batch ? tasks - v->first : batch;
        gbs_parallel_for(v->ctx, now, INFINITY, run_task, v);
        if (v->failure != GBS_OK)
            return gbs_fail(v->ctx, v->failure, "%s", v->error);
        gbs_progress(v->ctx, "cross-validation", (double)(v->first + now) / (double)tasks);
        gbs_status status = gbs_check_cancel(v->ctx);
        if (status != GBS_OK)
            return status;
    }
    return GBS_OK;
}

static gbs_cv_result sum_up(const struct validation *v, size_t candidate) {
    const gbs_evaluated *e = v->judged + candidate * v->folds;
    double n = (double)v->data->n, folds = (double)v->folds, spread = 0.0;
    const gbs_fit_settings *c = &v->candidates[candidate];
    gbs_cv_result r = {.family = v->fitted[candidate * v->folds].family,
                       .loss = c->loss,
                       .lambda = c->lambda,
                       .prior_sd = c->prior_sd,
                       .d = v->fitted[candidate * v->folds].d};
    for (size_t k = 0; k < v->folds; k++) {
        double share = (double)e[k].told.n / n;
        r.error += share * e[k].told.error;
        r.gibbs_error += share * e[k].told.gibbs_error;
        r.gibbs_risk += share * e[k].told.gibbs_risk;
        r.not_converged += !v->fitted[candidate * v->folds + k].converged;
    }
    for (size_t k = 0; k < v->folds; k++)
        spread += (e[k].told.error - r.error) * (e[k].told.error - r.error);
    r.error_se = sqrt(spread / (folds - 1.0) / folds);
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
    for (size_t k = 0; k < count; k++)
        if (candidates[k].ladder_size > 0)
            return gbs_fail(ctx, GBS_ERR_ARGUMENT, "a candidate has one lambda, not a ladder");
    struct validation v = {.ctx = ctx,
                           .data = data,
                           .folds = folds,
                           .count = count,
                           .candidates = candidates,
                           .failed = ATOMIC_FLAG_INIT};
    v.fold_of = gbs_array_alloc(ctx, data->n, sizeof *v.fold_of);
    v.judged = gbs_array_alloc(ctx, count * folds, sizeof *v.judged);
    v.fitted = gbs_array_alloc(ctx, count * folds, sizeof *v.fitted);
    gbs_status status = GBS_ERR_MEMORY;
    if (v.fold_of != NULL && v.judged != NULL && v.fitted != NULL)
        status = deal(&v);
    if (status == GBS_OK)
        status = gbs_compute_begin(ctx);
    if (status == GBS_OK) {
        status = run_all(&v);
        gbs_compute_end(ctx);
    }
    for (size_t k = 0; status == GBS_OK && k < count; k++)
        results[k] = sum_up(&v, k);
    gbs_array_free(ctx, v.fold_of);
    gbs_array_free(ctx, v.judged);
    gbs_array_free(ctx, v.fitted);
    return status;
}
