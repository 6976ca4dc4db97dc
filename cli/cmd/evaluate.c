/* gibbsite evaluate: how well a model does on labelled rows. */
#include "cmd/predictor.h"
#include "cmd/ratings_use.h"
#include "out/result.h"
#include "out/sources.h"
#include "outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The scores once more, for the curve. */
static int make_roc(const struct app *app, const struct predictor *model, const struct input *in,
                    struct roc *out) {
    size_t n = gbs_data_rows(in->data);
    double *score = calloc(2 * n + 1, sizeof *score);
    if (score == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    gbs_status status = predictor_predict(app, model, in->data, score, score + n);
    /* particles rank by the share of their votes */
    bool made = status == GBS_OK && roc_make(n, gbs_data_labels(in->data),
                                             model->particles != NULL ? score + n : score, out);
    free(score);
    if (status != GBS_OK)
        return app_fail_status(app, status, in->file);
    return made ? EXIT_DONE : app_fail(app, EXIT_MEMORY, "out of memory");
}

/* The probability from which the label is positive. */
static double threshold_of(const struct app *app, const struct predictor *model) {
    const gbs_card *card = model->model != NULL ? gbs_model_card(model->model) : NULL;
    if (given(&app->options, "threshold"))
        return option_number(&app->options, "threshold");
    return card != NULL ? card->threshold : 0.5;
}

/* --threshold: counts and error of the labels that it would give. */
static int apply_threshold(const struct app *app, const struct predictor *model,
                           const struct input *in, gbs_evaluation *e) {
    size_t n = gbs_data_rows(in->data);
    const double *y = gbs_data_labels(in->data);
    double threshold = option_number(&app->options, "threshold");
    if (!gbs_task_has(predictor_task(model), GBS_FACT_LABELS))
        return app_fail(app, EXIT_USAGE, "evaluate: --threshold is for models that give labels");
    double *room = calloc(4 * n + 1, sizeof *room);
    if (room == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    gbs_status status = predictor_classify(app, model, in->data, room, room + n, room + 2 * n,
                                           room + 3 * n);
    e->true_positive = e->false_positive = e->true_negative = e->false_negative = 0;
    for (size_t i = 0; status == GBS_OK && i < n; i++)
        *(room[n + i] >= threshold ? y[i] > 0.0 ? &e->true_positive : &e->false_positive
          : y[i] > 0.0             ? &e->false_negative
                                   : &e->true_negative) += 1;
    e->errors = e->false_positive + e->false_negative;
    e->error = (double)e->errors / (double)n;
    free(room);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, in->file);
}

/* --importance, of a model that was fitted: particles have none. */
static int explain(const struct app *app, const struct predictor *model, const struct input *in,
                   gbs_explanation **out) {
    if (!given(&app->options, "importance"))
        return EXIT_DONE;
    if (model->model == NULL)
        return app_fail(app, EXIT_USAGE,
                        "evaluate: --importance is for models of fit, not for samples");
    gbs_status status = gbs_model_explain(app->ctx, model->model, in->data, out);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, in->file);
}

static void result_words(struct text *t, const struct app *app, const struct predictor *model,
                         const struct input *in, const gbs_evaluation *e,
                         const gbs_recipe *recipe) {
    enum line_kind kind = given(&app->options, "verbose") ? LINE_LONG : LINE_SHORT;
    char file[LINE_NAME], by[80] = "", smaller[64] = "", from[64] = "";
    if (given(&app->options, "threshold"))
        snprintf(from, sizeof from, ", positive from prob %g on",
                 option_number(&app->options, "threshold"));
    if (model->particles != NULL)
        snprintf(by, sizeof by, " (%s)", gbs_task_word(predictor_task(model), GBS_WORD_PARTICLES));
    if (e->blocks > 0)
        snprintf(smaller, sizeof smaller, ", %zu in the smaller class", e->blocks);
    if (kind == LINE_LONG)
        text_add(t, "%s on %s\n", app->options.inputs[0], in->file);
    line_add(t, kind, "rows", "%zu of %s%s%s%s", e->n, line_name(in->file, 24, file), smaller, from,
             by);
    result_evaluation_text(t, kind, app, e, model->model, recipe);
    if (kind == LINE_LONG)
        sources_evaluation(t, e);
}

/* What there is to tell. */
struct judged {
    const struct predictor *model;
    const struct input *input;
    const gbs_recipe *recipe;
    const gbs_evaluation *evaluation;
    const struct roc *roc;
    const gbs_explanation *explanation;
};

static int write_result(struct app *app, const struct judged *r) {
    int code = EXIT_DONE;
    struct text text = {0};
    if (given(&app->options, "json")) {
        struct json j = json_writer(&text);
        json_open_object(&j, NULL);
        result_head(&j, app);
        result_options(&j, app);
        if (!result_is_many(r->recipe)) {
            json_put_string(&j, "positive", gbs_recipe_positive(r->recipe));
            json_put_string(&j, "negative", gbs_recipe_negative(r->recipe));
            if (gbs_task_has(predictor_task(r->model), GBS_FACT_LABELS))
                json_put_number(&j, "threshold", threshold_of(app, r->model));
        }
        result_evaluation(&j, app, r->evaluation, r->roc, r->model->model, r->recipe);
        code = result_importance(&j, app, r->explanation);
        json_close_object(&j);
    } else {
        result_words(&text, app, r->model, r->input, r->evaluation, r->recipe);
        result_importance_text(&text, given(&app->options, "verbose") ? LINE_LONG : LINE_SHORT,
                               r->explanation);
    }
    if (code == EXIT_DONE)
        code = app_write(app, NULL, &text);
    text_free(&text);
    return code;
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct predictor model = {0};
    gbs_recipe *recipe = NULL;
    struct input in = {0};
    gbs_evaluation *e = NULL;
    struct roc roc = {0};
    gbs_explanation *explanation = NULL;
    if (o->n_inputs != 2)
        return app_fail(app, EXIT_USAGE,
                        "evaluate: expected a model and a data file, found %s; gibbsite %s",
                        counted(o->n_inputs, "argument").text, app->command->usage);
    int code = outputs_check(app, true);
    if (code == EXIT_DONE)
        code = predictor_load(app, o->inputs[0], &model);
    if (code == EXIT_DONE && model.completion != NULL) {
        code = ratings_evaluate(app, model.completion);
        predictor_free(&model);
        return code;
    }
    if (code == EXIT_DONE)
        code = predictor_recipe(app, o->inputs[0], &model, &recipe);
    if (code == EXIT_DONE)
        code = input_apply(app, o->inputs[1], recipe, GBS_WITH_LABELS, &in);
    if (code == EXIT_DONE) {
        gbs_status status = predictor_evaluate(app, &model, in.data, &e);
        code = status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, in.file);
    }
    if (code == EXIT_DONE && given(o, "threshold") && result_is_many(recipe))
        code = app_fail(app, EXIT_USAGE,
                        "evaluate: --threshold is for two classes; the labels of more are moved by "
                        "what errors cost (fit --cost FILE)");
    if (code == EXIT_DONE && given(o, "threshold"))
        code = apply_threshold(app, &model, &in, e);
    if (code == EXIT_DONE && given(o, "json") && !result_is_many(recipe))
        code = make_roc(app, &model, &in, &roc);
    if (code == EXIT_DONE)
        code = explain(app, &model, &in, &explanation);
    if (code == EXIT_DONE)
        result_groups_note(app, model.model);
    if (code == EXIT_DONE)
        code = write_result(app, &(struct judged){&model, &in, recipe, e, &roc, explanation});
    gbs_evaluation_free(e);
    gbs_explanation_free(explanation);
    predictor_free(&model);
    input_free(&in);
    gbs_recipe_free(recipe);
    return code;
}

const struct command command_evaluate = {
    "evaluate",
    GBS_FOR_EVALUATE,
    "evaluate MODEL DATA [OPTIONS]",
    "error, precision, recall, F1, cost and AUC on labelled rows",
    "DATA must hold the label column of the training file. The error is that of the labels. Beside "
    "precision, recall and F1 of each label stand exact lower bounds on their true values, each by "
    "itself, and beside the error an upper one: they hold if the rows are fresh and the threshold "
    "was fixed before they were seen. A model of rows in groups has no such bounds. --threshold "
    "gives labels by another one than the model's "
    "own.\n"
    "The Gibbs error is that of one classifier drawn from the posterior, the Gibbs risk (--json) "
    "the mean loss of the fit's own loss.\n"
    "A sample file counts as a model: its vote is the average vote of its particles. A completion "
    "and a file of ratings give RMSE, mean absolute error and the coverage of intervals.",
    "gibbsite evaluate model.json test.csv\n"
    "gibbsite evaluate model.json test.csv --threshold 0.3\n"
    "gibbsite evaluate model.json test.csv --importance\n"
    "gibbsite evaluate model.json test.csv --json",
    run,
};
