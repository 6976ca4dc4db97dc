/* gibbsite evaluate: how well a model does on labelled rows. */
#include "cmd/predictor.h"
#include "cmd/ratings_use.h"
#include "out/result.h"
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

static void result_words(struct text *t, const struct app *app, const struct predictor *model,
                         const struct input *in, const gbs_evaluation *e,
                         const gbs_recipe *recipe) {
    enum line_kind kind = given(&app->options, "verbose") ? LINE_LONG : LINE_SHORT;
    char file[LINE_NAME], by[80] = "", smaller[64] = "";
    if (model->particles != NULL)
        snprintf(by, sizeof by, " (%s)", gbs_task_word(predictor_task(model), GBS_WORD_PARTICLES));
    if (e->blocks > 0)
        snprintf(smaller, sizeof smaller, ", %zu in the smaller class", e->blocks);
    if (kind == LINE_LONG)
        text_add(t, "%s on %s\n", app->options.inputs[0], in->file);
    line_add(t, kind, "rows", "%zu of %s%s%s", e->n, line_name(in->file, 24, file), smaller, by);
    result_evaluation_text(t, kind, app, e, model->model, recipe);
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct predictor model = {0};
    gbs_recipe *recipe = NULL;
    struct input in = {0};
    gbs_evaluation *e = NULL;
    struct roc roc = {0};
    if (o->n_inputs != 2)
        return app_fail(
            app, EXIT_USAGE,
            "evaluate: expected a model and a data file, found %zu arguments; gibbsite %s",
            o->n_inputs, app->command->usage);
    if (strcmp(o->inputs[0], "-") == 0 && strcmp(o->inputs[1], "-") == 0)
        return app_fail(app, EXIT_USAGE, "evaluate: MODEL and DATA cannot both be standard input");
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
    if (code == EXIT_DONE && given(o, "json"))
        code = make_roc(app, &model, &in, &roc);
    if (code == EXIT_DONE) {
        struct text text = {0};
        if (given(o, "json")) {
            struct json j = json_writer(&text);
            json_open_object(&j, NULL);
            result_head(&j, app);
            result_options(&j, app);
            json_put_string(&j, "positive", gbs_recipe_positive(recipe));
            json_put_string(&j, "negative", gbs_recipe_negative(recipe));
            result_evaluation(&j, app, e, &roc, model.model, recipe);
            json_close_object(&j);
        } else {
            result_words(&text, app, &model, &in, e, recipe);
        }
        code = app_write(app, NULL, &text);
        text_free(&text);
    }
    gbs_evaluation_free(e);
    predictor_free(&model);
    input_free(&in);
    gbs_recipe_free(recipe);
    return code;
}

const struct command command_evaluate = {
    "evaluate",
    GBS_FOR_EVALUATE,
    "evaluate MODEL DATA [OPTIONS]",
    "error, Gibbs risk, AUC and confusion on labelled rows",
    "DATA must hold the label column of the training file. The error is that of the labels; the "
    "Gibbs error that of "
    "one classifier\n"
    "drawn from the posterior; the Gibbs risk (--json) is the mean loss of the fit's own loss. A "
    "sample file counts as a "
    "model: "
    "its vote is the\n"
    "average vote of its particles. A completion and a file of ratings give RMSE, mean absolute "
    "error and the coverage of "
    "intervals.",
    "gibbsite evaluate model.json test.csv\n"
    "gibbsite evaluate model.json test.csv --json",
    run,
};
