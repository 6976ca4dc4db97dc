/* gibbsite predict: label, probability and score of each row. */
#include "cmd/predictor.h"
#include "cmd/ratings_use.h"
#include "out/json.h"
#include "out/result.h"
#include "out/spool.h"
#include "outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows are predicted in parts of about so many cells, so that memory does not grow with the file;
 * an npy file is one part. */
enum { PART_CELLS = 1 << 22, LEAST_PART = 1 << 10 };

struct prediction {
    struct app *app;
    struct predictor model;
    gbs_recipe *recipe;
    const char *file;
    struct remarks remarks; /* of all parts */
    struct spool out;
    struct json json;
    const char *rest;     /* the label of all others, where one is set against the rest */
    int code;             /* of a part that failed */
    const gbs_data *data; /* the part at hand, and the rows of the file before it */
    size_t before;
    double *score, *probability;
    double *label, *vote; /* of a task with labels */
    bool labels;          /* a task that only orders rows says none */
    bool votes;           /* the column is printed */
    /* three classes or more: the class of each row, and rows x classes probabilities */
    size_t classes;
    uint32_t *class_of;
};

static int compute_classes(struct prediction *p) {
    size_t n = gbs_data_rows(p->data);
    p->class_of = calloc(n, sizeof *p->class_of);
    p->probability = calloc(n * p->classes, sizeof *p->probability);
    if (p->class_of == NULL || p->probability == NULL)
        return app_fail(p->app, EXIT_MEMORY, "out of memory");
    gbs_status status = gbs_model_classify_rows(p->app->ctx, p->model.model, p->data, n, p->classes,
                                                p->class_of, p->probability);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(p->app, status, p->file);
}

static int compute(struct prediction *p) {
    size_t n = gbs_data_rows(p->data);
    p->labels = gbs_task_has(predictor_task(&p->model), GBS_FACT_LABELS) != 0;
    p->votes = p->labels &&
               (given(&p->app->options, "votes") || !gbs_model_votes_are_dear(p->model.model));
    if (n == 0)
        return EXIT_DONE;
    if (p->classes > 2)
        return compute_classes(p);
    p->score = calloc(n, sizeof *p->score);
    p->probability = calloc(n, sizeof *p->probability);
    p->label = calloc(n, sizeof *p->label);
    p->vote = calloc(n, sizeof *p->vote);
    if (p->score == NULL || p->probability == NULL || p->label == NULL || p->vote == NULL)
        return app_fail(p->app, EXIT_MEMORY, "out of memory");
    gbs_status status = p->labels ? predictor_classify(p->app, &p->model, p->data, p->label,
                                                       p->probability, p->score,
                                                       p->votes ? p->vote : NULL)
                                  : predictor_predict(p->app, &p->model, p->data, p->score,
                                                      p->probability);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(p->app, status, p->file);
}

/* NULL: the task says nothing of labels. */
static const char *label(const struct prediction *p, size_t i) {
    if (!p->labels)
        return NULL;
    const char *negative = gbs_recipe_negative(p->recipe);
    if (p->label[i] > 0.0)
        return gbs_recipe_positive(p->recipe);
    return negative != NULL ? negative : p->rest;
}

/* "id,name," of the columns that are kept: their names, or their cells in a row of the file. */
static void keep_names(const gbs_data *data, struct text *out) {
    const char *name;
    for (size_t k = 0; (name = gbs_data_kept_column(data, k)) != NULL; k++) {
        text_add_cell(out, name);
        text_add_bytes(out, ",", 1);
    }
}

/* Two columns of one name: readers of the table would take one for the other. */
static int check_kept(const struct prediction *p) {
    static const char *const own[] = {"label", "prob", "score", "vote"};
    const char *name;
    size_t n = p->classes > 2 ? 1 : p->votes ? 4 : 3;
    for (size_t k = 0; (name = gbs_data_kept_column(p->data, k)) != NULL; k++) {
        bool taken = p->classes > 2 && strncmp(name, "prob:", 5) == 0;
        for (size_t i = 0; i < n; i++)
            taken = taken || strcmp(name, own[i]) == 0;
        if (taken)
            return app_fail(
                p->app, EXIT_USAGE,
                "predict: --keep %s: the predictions have a column of that name; --json "
                "has the kept ones under `kept`",
                name);
    }
    return EXIT_DONE;
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
 * short by a signal is not written (app_write_pieces). */
static void write_csv(const struct prediction *p, struct text *out) {
    const gbs_data *data = p->data;
    size_t n = gbs_data_rows(data), next = 0;
    if (p->before == 0) {
        keep_names(data, out);
        text_add(out, p->votes ? "label,prob,score,vote\n" : "label,prob,score\n");
    }
    for (size_t row = 0; row < n + gbs_data_left_out(data) && !app_interrupted(); row++) {
        keep_cells(data, row, out);
        if (next >= n || gbs_data_table_row(data, next) != row) {
            text_add(out, p->votes ? ",,,\n" : ",,\n");
            continue;
        }
        if (p->labels)
            text_add_cell(out, label(p, next));
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
static void name_classes(const struct prediction *p, struct text *out) {
    keep_names(p->data, out);
    text_add(out, "label");
    for (size_t c = 0; c < p->classes; c++) {
        struct text name = {0};
        text_add(&name, "prob:%s", gbs_recipe_class(p->recipe, c));
        text_add_bytes(out, ",", 1);
        text_add_cell(out, name.bytes != NULL ? name.bytes : "");
        out->failed |= name.failed;
        text_free(&name);
    }
    text_add_bytes(out, "\n", 1);
}

static void write_classes(const struct prediction *p, struct text *out) {
    const gbs_data *data = p->data;
    size_t n = gbs_data_rows(data), next = 0, k = p->classes;
    if (p->before == 0)
        name_classes(p, out);
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

/* What comes before the predictions; how many there are is known when they are made. */
static struct json head_json(const struct prediction *p, struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, p->app);
    json_put_count(&j, "n", p->remarks.rows - p->remarks.left_out);
    json_put_count(&j, "left_out", p->remarks.left_out);
    json_open_array(&j, "predictions");
    return j;
}

static void write_json(struct prediction *p) {
    struct json *j = &p->json;
    for (size_t i = 0; i < gbs_data_rows(p->data) && !app_interrupted(); i++) {
        size_t row = gbs_data_table_row(p->data, i);
        json_open_object(j, NULL);
        json_put_count(j, "row", p->before + row + 1);
        put_kept(j, p->data, row);
        if (p->classes > 2) {
            put_classes(j, p, i);
            continue;
        }
        json_put_string(j, "label", label(p, i));
        json_put_number(j, "prob", p->probability[i]);
        json_put_number(j, "score", p->score[i]);
        if (p->votes)
            json_put_number(j, "vote", p->vote[i]);
        json_close_object(j);
    }
}

static gbs_status predict_part(const gbs_data *part, size_t before, void *user) {
    struct prediction *p = user;
    p->data = part;
    p->before = before;
    p->code = remarks_add(&p->remarks, part) ? compute(p)
                                             : app_fail(p->app, EXIT_MEMORY, "out of memory");
    if (p->code == EXIT_DONE && before == 0 && !given(&p->app->options, "json"))
        p->code = check_kept(p);
    if (p->code == EXIT_DONE) {
        if (given(&p->app->options, "json"))
            write_json(p);
        else if (p->classes > 2)
            write_classes(p, &p->out.text);
        else
            write_csv(p, &p->out.text);
        p->code = spool_tidy(p->app, &p->out);
    }
    free(p->score);
    free(p->probability);
    free(p->label);
    free(p->vote);
    free(p->class_of);
    p->score = p->probability = p->label = p->vote = NULL;
    p->class_of = NULL;
    return p->code == EXIT_DONE && !app_interrupted() ? GBS_OK : GBS_ERR_CANCELLED;
}

static size_t rows_of_a_part(const struct prediction *p) {
    size_t rows = PART_CELLS / (gbs_recipe_features(p->recipe) + 1);
    rows = rows > LEAST_PART ? rows : LEAST_PART;
    return p->model.model != NULL ? gbs_model_part_rows(p->model.model, rows)
                                  : gbs_particles_part_rows(p->model.particles, rows);
}

/* Every row of the file, and what is to be said of them. */
static int predict_rows(struct prediction *p, const char *path) {
    const struct options *o = &p->app->options;
    struct text head = {0}, unknown = {0}, rest = {0};
    bool json = given(o, "json");
    p->file = input_name(path);
    p->classes = gbs_recipe_classes(p->recipe);
    if (p->classes <= 2)
        text_add(&rest, "not %s", gbs_recipe_positive(p->recipe));
    p->rest = rest.bytes != NULL ? rest.bytes : "";
    p->json = head_json(p, &unknown);
    p->json.out = &p->out.text;
    gbs_status status = gbs_table_read_parts(p->app->ctx, path, p->recipe, GBS_WITHOUT_LABELS,
                                             o->set, rows_of_a_part(p), predict_part, p);
    int code = p->code != EXIT_DONE || status == GBS_OK ? p->code
                                                        : app_fail_status(p->app, status, NULL);
    if (code == EXIT_DONE) {
        remarks_say(p->app, &p->remarks, p->file, p->recipe, GBS_WITHOUT_LABELS);
        if (json) {
            json_close_array(&p->json);
            json_close_object(&p->json);
            head_json(p, &head);
        }
        head.failed = head.failed || unknown.failed || rest.failed;
        code = spool_write(p->app, option_text(o, "output"), &head, &p->out);
    }
    text_free(&head);
    text_free(&unknown);
    text_free(&rest);
    spool_free(&p->out);
    remarks_free(&p->remarks);
    return code;
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
        return app_fail(app, EXIT_USAGE,
                        "predict: expected a model and a data file, found %s; gibbsite %s",
                        counted(o->n_inputs, "argument").text, app->command->usage);
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
        code = predict_rows(&p, o->inputs[1]);
    predictor_free(&p.model);
    gbs_recipe_free(p.recipe);
    return code;
}

const struct command command_predict = {
    "predict",
    GBS_FOR_PREDICT,
    "predict MODEL DATA [-o FILE] [OPTIONS]",
    "predict new rows: label, prob, score, vote",
    "Prints one CSV row per row of DATA: the label, which the certificate of the default fit is "
    "about; prob, the calibrated probability of the positive label; score, x'm, which orders rows "
    "as prob does; and vote, the share of classifiers drawn from the model that vote for the "
    "positive label. Of a model fitted another way (--bound, --prior zero) prob is that share, and "
    "of a mixture of stages the score its normal quantile. A model that ranks leaves the label "
    "empty; its prob is the probability of outranking a random negative row of the training data, "
    "the share of their scores below. (Of a sample file: the average vote of its particles, and "
    "their mean score, which is also what ranks.) Columns are matched by name (by position in "
    "files without names); labels in DATA are not used.\n"
    "A completion takes pairs (row, col) and prints, line by line, value, sd (of a new rating) and "
    "new: whether the row, the column or both had neither ratings nor features.",
    "gibbsite predict model.json new.csv > predictions.csv\n"
    "gibbsite predict model.json new.csv --keep id,name -o predictions.csv\n"
    "zcat new.csv.gz | gibbsite predict model.json -\n"
    "gibbsite predict completion.json --row alice --top 10",
    run,
};
