/* The table of tasks, and what programs may ask it. */
#include "task/task.h"

#include "core/count.h"
#include "model/many.h"

#include "core/check.h"

#include <string.h>

/* In the order of gbs_task_kind. */
static const gbs_task *const tasks[] = {&gbs_task_classify, &gbs_task_rank};
enum { TASKS = sizeof tasks / sizeof *tasks };

int gbs_tasks(void) {
    return TASKS;
}

const gbs_task *gbs_task_of(gbs_task_kind kind) {
    return (unsigned)kind < TASKS ? tasks[kind] : NULL;
}

const gbs_task *gbs_task_named(const char *name) {
    for (size_t k = 0; name != NULL && k < TASKS; k++)
        if (strcmp(gbs_task_name((gbs_task_kind)k), name) == 0)
            return tasks[k];
    return NULL;
}

int gbs_task_has(const gbs_task *task, gbs_fact fact) {
    return task != NULL && (unsigned)fact < GBS_FACTS && task->fact[fact];
}

const char *gbs_task_word(const gbs_task *task, gbs_word word) {
    return task != NULL && (unsigned)word < GBS_WORDS ? task->word[word] : "";
}

const gbs_task *gbs_model_task(const gbs_model *model) {
    if (model != NULL && model->many != NULL)
        return &gbs_task_classify_many;
    return model != NULL ? gbs_task_of(model->info.task) : NULL;
}

const gbs_task *gbs_particles_task(const gbs_particles *particles) {
    return particles != NULL ? gbs_task_of(particles->info.task) : NULL;
}

gbs_status gbs_check_labels(gbs_context *ctx, const gbs_data *data, bool both) {
    size_t positive = 0;
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    for (size_t i = 0; i < data->n; i++)
        positive += data->classes > 2 ? data->y[i] != data->y[0] : data->y[i] > 0.0;
    if (both && data->classes > 2 && positive == 0)
        return gbs_fail(ctx, GBS_ERR_DATA, "only one class among %zu rows", data->n);
    if (both && data->classes <= 2 && (positive == 0 || positive == data->n))
        return gbs_fail(ctx, GBS_ERR_DATA, "only one class among %s: every label is %s",
                        gbs_count(data->n, "row").text, positive > 0 ? "+1" : "-1");
    return GBS_OK;
}

gbs_status gbs_evaluate_model(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                              gbs_evaluated *out) {
    gbs_status status = gbs_check_labels(ctx, data, false);
    if (status == GBS_OK)
        status = gbs_model_task(model)->evaluate(ctx, model, data, out);
    out->told.task = model->info.task;
    return status;
}

static gbs_status evaluate_particles(gbs_context *ctx, const gbs_particles *particles,
                                     const gbs_data *data, gbs_evaluated *out) {
    gbs_status status = gbs_check_labels(ctx, data, false);
    if (status == GBS_OK)
        status = gbs_particles_task(particles)->evaluate_particles(ctx, particles, data, out);
    out->told.task = particles->info.task;
    return status;
}

/* One of the two is there. */
static gbs_status evaluate(gbs_context *ctx, const gbs_model *model, const gbs_particles *particles,
                           const gbs_data *data, gbs_evaluation **out) {
    size_t k = model != NULL && model->many != NULL ? model->many->classes : 0;
    gbs_evaluated *e = gbs_handle_alloc(ctx, sizeof *e + k * sizeof *e->result +
                                                 (k + 1) * k * sizeof *e->confusion);
    if (e == NULL)
        return GBS_ERR_MEMORY;
    if (k > 0) { /* in one piece with the rest: one hand gives it back */
        e->result = (gbs_class_result *)(e + 1);
        e->confusion = (size_t *)(e->result + k);
    }
    gbs_status status = model != NULL ? gbs_evaluate_model(ctx, model, data, e)
                                      : evaluate_particles(ctx, particles, data, e);
    if (status != GBS_OK)
        gbs_handle_free(ctx, e);
    else
        *out = &e->told;
    return status;
}

/* Rows that the model learned from, in whatever order they come, are not fresh. */
static void warn_of_training_rows(gbs_context *ctx, const gbs_model *model, const gbs_data *data) {
    const gbs_origin_kept *from = &model->origin;
    gbs_origin_kept these;
    if (!from->told.recorded || from->told.rows != data->n)
        return;
    gbs_origin_keep(ctx, data->n, gbs_data_hash(data), &these);
    if (strcmp(these.hash, from->hash) == 0)
        gbs_log(ctx, GBS_LOG_WARNING,
                "these are the %zu rows that the model was fitted to: they cannot test it, and "
                "bounds for fresh rows say nothing of it",
                data->n);
}

gbs_status gbs_model_evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                              gbs_evaluation **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, data);
    gbs_status status = evaluate(ctx, model, NULL, data, out);
    if (status == GBS_OK)
        warn_of_training_rows(ctx, model, data);
    return status;
}

gbs_status gbs_particles_evaluate(gbs_context *ctx, const gbs_particles *particles,
                                  const gbs_data *data, gbs_evaluation **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, particles);
    GBS_NEEDS(ctx, data);
    return evaluate(ctx, NULL, particles, data, out);
}

gbs_status gbs_check_weights(gbs_context *ctx, const gbs_data *data, const gbs_task *task) {
    if (data->weight == NULL || !gbs_has(task, GBS_FACT_PAIRS))
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`task` %s has no weights of rows",
                    gbs_task_name(task->kind));
}
