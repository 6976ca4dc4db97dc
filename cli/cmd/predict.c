/* gibbsite predict: label, probability and score of each row. */
#include "cmd/predictor.h"
#include "cmd/ratings_use.h"
#include "out/json.h"
#include "out/result.h"
#include "outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct prediction {
    struct app *app;
    struct predictor model;
    gbs_recipe *recipe;
    struct input in;
    double *score, *probability;
    double *label, *vote; /* of a task with labels */
    bool labels;          /* a task that only orders rows says none */
    bool votes;           /* the column is printed */
    /* three classes or more: the class of each row, and rows x classes probabilities */
    size_t classes;
    uint32_t *class_of;
};

static int compute_classes(struct prediction *p) {
    size_t n = gbs_data_rows(p->in.data);
    p->class_of = calloc(n, sizeof *p->class_of);
    p->probability = calloc(n * p->classes, sizeof *p->probability);
    if (p->class_of == NULL || p->probability == NULL)
        return app_fail(p->app, EXIT_MEMORY, "out of memory");
    gbs_status status = gbs_model_classify_rows(p->app->ctx, p->model.model, p->in.data, n,
                                                p->classes, p->class_of, p->probability);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(p->app, status, p->in.file);
}

/* The share of votes needs the spread of each score: under a full covariance of many features that
 * is most of the work. */
static bool votes_are_dear(const struct predictor *p) {
    const gbs_model_info *i = p->model != NULL ? gbs_model_get_info(p->model) : NULL;
    return i != NULL && i->map != GBS_FEATURES_LINEAR && i->family == GBS_FAMILY_FULL &&
           gbs_model_card(p->model) != NULL;
}

static int compute(struct prediction *p) {
    size_t n = gbs_data_rows(p->in.data);
    p->classes = gbs_recipe_classes(p->recipe);
    if (p->classes > 2)
        return compute_classes(p);
    p->labels = gbs_task_has(predictor_task(&p->model), GBS_FACT_LABELS) != 0;
    p->score = calloc(n, sizeof *p->score);
    p->probability = calloc(n, sizeof *p->probability);
    p->label = calloc(n, sizeof *p->label);
    p->vote = calloc(n, sizeof *p->vote);
    if (p->score == NULL || p->probability == NULL || p->label == NULL || p->vote == NULL)
        return app_fail(p->app, EXIT_MEMORY, "out of memory");
    p->votes = p->labels && (given(&p->app->options, "votes") || !votes_are_dear(&p->model));
    gbs_status status = p->labels ? predictor_classify(p->app, &p->model, p->in.data, p->label,
                                                       p->probability, p->score,
                                                       p->votes ? p->vote : NULL)
                                  : predictor_predict(p->app, &p->model, p->in.data, p->score,
                                                      p->probability);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(p->app, status, p->in.file);
}

/* NULL: the task says nothing of labels. */
static const char *label(const struct prediction *p, size_t i, const char *rest) {
    if (!p->labels)
        return NULL;
    const char *negative = gbs_recipe_negative(p->recipe);
    if (p->label[i] > 0.0)
        return gbs_recipe_positive(p->recipe);
    return negative != NULL ? negative : rest;
}

/* "id,name," of the columns that are kept: their names, or their cells in a row of the file. */
static void keep_names(const gbs_data *data, struct text *out) {
    const char *name;
    for (size_t k = 0; (name = gbs_data_kept_column(data, k)) != NULL; k++) {
        text_add_cell(out, name);
        text_add_bytes(out, ",", 1);
    }
}

static void keep_cells(const gbs_data *data, size_t row, struct text *out) {
    for (size_t k = 0; gbs_data_kept_column(data, k) != NULL; k++) {
        const char *cell = gbs_data_kept(data, k, row);
        text_add_cell(out, cell != NULL ? cell : "");
        text_add_bytes(out, ",", 1);
    }
}

static void put_kept(struct json *j, const gbs_data *data, size_t row) {
    const char *name;
    if (gbs_data_kept_column(data, 0) == NULL)
        return;
    json_open_object(j, "kept");
    for (size_t k = 0; (name = gbs_data_kept_column(data, k)) != NULL; k++)
        json_put_string(j, name, gbs_data_kept(data, k, row));
    json_close_object(j);
}

/* One line per input row; a row left out for a missing cell is a line of empty cells. What is cut
 * short by a signal is not written (app_write). */
static void write_csv(const struct prediction *p, const char *rest, struct text *out) {
    const gbs_data *data = p->in.data;
    size_t n = gbs_data_rows(data), next = 0;
    keep_names(data, out);
    text_add(out, p->votes ? "label,prob,score,vote\n" : "label,prob,score\n");
    for (size_t row = 0; row < n + gbs_data_left_out(data) && !app_interrupted(); row++) {
        keep_cells(data, row, out);
        if (next >= n || gbs_data_table_row(data, next) != row) {
            text_add(out, p->votes ? ",,,\n" : ",,\n");
            continue;
        }
        if (p->labels)
            text_add_cell(out, label(p, next, rest));
        text_add_bytes(out, ",", 1);
        text_add_number(out, p->probability[next]);
        text_add_bytes(out, ",", 1);
        text_add_number(out, p->score[next]);
        if (p->votes) {
            text_add_bytes(out, ",", 1);
            text_add_number(out, p->vote[next]);
        }
        text_add_bytes(out, "\n", 1);
        next++;
    }
}

/* label, then prob:CLASS for each. */
static void write_classes(const struct prediction *p, struct text *out) {
    const gbs_data *data = p->in.data;
    size_t n = gbs_data_rows(data), next = 0, k = p->classes;
    keep_names(data, out);
    text_add(out, "label");
    for (size_t c = 0; c < k; c++) {
        struct text name = {0};
        text_add(&name, "prob:%s", gbs_recipe_class(p->recipe, c));
        text_add_bytes(out, ",", 1);
        text_add_cell(out, name.bytes != NULL ? name.bytes : "");
        out->failed |= name.failed;
        text_free(&name);
    }
    text_add_bytes(out, "\n", 1);
    for (size_t row = 0; row < n + gbs_data_left_out(data) && !app_interrupted(); row++) {
        bool there = next < n && gbs_data_table_row(data, next) == row;
        keep_cells(data, row, out);
        if (there)
            text_add_cell(out, gbs_recipe_class(p->recipe, p->class_of[next]));
        for (size_t c = 0; c < k; c++) {
            text_add_bytes(out, ",", 1);
            if (there)
                text_add_number(out, p->probability[next * k + c]);
        }
        text_add_bytes(out, "\n", 1);
        next += there;
    }
}

static void put_classes(struct json *j, const struct prediction *p, size_t i) {
    json_put_string(j, "label", gbs_recipe_class(p->recipe, p->class_of[i]));
    json_open_object(j, "prob");
    for (size_t c = 0; c < p->classes; c++)
        json_put_number(j, gbs_recipe_class(p->recipe, c), p->probability[i * p->classes + c]);
    json_close_object(j);
    json_close_object(j);
}

static void write_json(const struct prediction *p, const char *rest, struct text *out) {
    size_t n = gbs_data_rows(p->in.data);
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, p->app);
    json_put_count(&j, "n", n);
    json_put_count(&j, "left_out", gbs_data_left_out(p->in.data));
    json_open_array(&j, "predictions");
    for (size_t i = 0; i < n && !app_interrupted(); i++) {
        json_open_object(&j, NULL);
        json_put_count(&j, "row", gbs_data_table_row(p->in.data, i) + 1);
        put_kept(&j, p->in.data, gbs_data_table_row(p->in.data, i));
        if (p->classes > 2) {
            put_classes(&j, p, i);
            continue;
        }
        json_put_string(&j, "label", label(p, i, rest));
        json_put_number(&j, "prob", p->probability[i]);
        json_put_number(&j, "score", p->score[i]);
        if (p->votes)
            json_put_number(&j, "vote", p->vote[i]);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct prediction p = {.app = app};
    if (given(o, "top") != given(o, "row") || (given(o, "top") && o->n_inputs != 1))
        return app_fail(
            app, EXIT_USAGE,
            "predict: --top K and --row ID go together, with a model and no other file");
    if (given(o, "top-quantile") && !given(o, "top"))
        return app_fail(app, EXIT_USAGE, "predict: --top-quantile and --top go together");
    if (o->n_inputs != (given(o, "top") ? 1 : 2))
        return app_fail(
            app, EXIT_USAGE,
            "predict: expected a model and a data file, found %zu arguments; gibbsite %s",
            o->n_inputs, app->command->usage);
    if (o->n_inputs == 2 && strcmp(o->inputs[0], "-") == 0 && strcmp(o->inputs[1], "-") == 0)
        return app_fail(app, EXIT_USAGE, "predict: MODEL and DATA cannot both be standard input");
    int code = outputs_check(app, !given(o, "output"));
    if (code == EXIT_DONE)
        code = predictor_load(app, o->inputs[0], &p.model);
    if (code == EXIT_DONE && p.model.completion != NULL && given(o, "keep"))
        code = app_fail(app, EXIT_USAGE,
                        "predict: --keep is for models of rows; %s completes a matrix",
                        o->inputs[0]);
    if (code == EXIT_DONE && p.model.completion != NULL) {
        code = ratings_predict(app, p.model.completion);
        predictor_free(&p.model);
        return code;
    }
    if (code == EXIT_DONE && (given(o, "top") || given(o, "parts") || given(o, "quantiles")))
        code = app_fail(app, EXIT_USAGE,
                        "predict: --top, --row, --parts and --quantiles are for completions, which "
                        "%s is not",
                        o->inputs[0]);
    if (code == EXIT_DONE)
        code = predictor_recipe(app, o->inputs[0], &p.model, &p.recipe);
    if (code == EXIT_DONE)
        code = input_apply(app, o->inputs[1], p.recipe, GBS_WITHOUT_LABELS, &p.in);
    if (code == EXIT_DONE)
        code = compute(&p);
    if (code == EXIT_DONE) {
        struct text text = {0}, rest = {0};
        if (p.classes <= 2)
            text_add(&rest, "not %s", gbs_recipe_positive(p.recipe));
        if (given(o, "json"))
            write_json(&p, rest.bytes != NULL ? rest.bytes : "", &text);
        else if (p.classes > 2)
            write_classes(&p, &text);
        else
            write_csv(&p, rest.bytes != NULL ? rest.bytes : "", &text);
        text.failed = text.failed || rest.failed;
        code = app_write(app, option_text(o, "output"), &text);
        text_free(&text);
        text_free(&rest);
    }
    free(p.score);
    free(p.probability);
    free(p.label);
    free(p.vote);
    free(p.class_of);
    predictor_free(&p.model);
    input_free(&p.in);
    gbs_recipe_free(p.recipe);
    return code;
}

const struct command command_predict = {
    "predict",
    GBS_FOR_PREDICT,
    "predict MODEL DATA [-o FILE] [OPTIONS]",
    "predict new rows: label, prob, score, vote",
    "Prints one CSV row per row of DATA: the label, which the certificate of the default fit is "
    "about; prob, the calibrated\n"
    "probability of the positive label; score, x'm, which orders rows as prob does; and vote, the "
    "share of classifiers drawn\n"
    "from the model that vote for the positive label. Of a model fitted another way (--bound, "
    "--prior zero) prob is that share,\n"
    "and of a mixture of stages the score its normal quantile. "
    "A model that ranks leaves the label empty; its prob is the probability of "
    "outranking a\n"
    "random negative row of the training data, the share of their scores below. (Of a sample file: "
    "the average vote of its "
    "particles, and their mean score, which is also what ranks.) Columns "
    "are matched by name (by position in files without names); labels in DATA are "
    "not used.\n"
    "A completion takes pairs (row, col) and prints value, sd (of a new rating) and new: whether "
    "the row, the column or both "
    "had no "
    "ratings.",
    "gibbsite predict model.json new.csv > predictions.csv\n"
    "gibbsite predict model.json new.csv --keep id,name -o predictions.csv\n"
    "zcat new.csv.gz | gibbsite predict model.json -\n"
    "gibbsite predict completion.json --row alice --top 10",
    run,
};
