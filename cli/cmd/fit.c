/* gibbsite fit: from a file of rows to a fitted posterior. */
#include "cmd/fit_text.h"
#include "outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the option table cannot see: options that exclude or need one another. */
static int check_options(const struct app *app) {
    const struct options *o = &app->options;
    int code = input_check_train(app);
    if (code != EXIT_DONE)
        return code;
    if (given(o, "pairs") && given(o, "path") && option_is(o, "solver", "sgd"))
        return app_fail(app, EXIT_USAGE,
                        "fit: --path judges every step on all pairs; leave out --pairs or --path");
    code = app_check_options(app);
    if (code == EXIT_DONE)
        code = outputs_check(app, outputs_print_result(o));
    for (size_t k = 0; code == EXIT_DONE && given(o, "test") && k < o->n_inputs; k++)
        if (input_same_bytes(o->inputs[k], option_text(o, "test")))
            return app_fail(app, EXIT_USAGE,
                            "fit: --test %s has the same bytes as %s; rows that a model learned "
                            "from cannot test it. The certificate comes from rows that were kept "
                            "from the fit, and needs no --test",
                            option_text(o, "test"),
                            o->n_inputs == 1 ? "the training file" : o->inputs[k]);
    return code;
}

static int run_fit(struct fit *f) {
    const struct options *o = &f->app->options;
    double start = app_seconds(f->app);
    if (given(o, "path") && gbs_task_has(option_task(o), GBS_FACT_PAIRS))
        gbs_options_set_flag(o->set, "trace", 1);
    gbs_status status = gbs_fit(f->app->ctx, f->train.data, o->set, &f->model);
    f->seconds_fit = app_seconds(f->app) - start;
    if (status != GBS_OK)
        return app_fail_status(f->app, status, status == GBS_ERR_DATA ? f->train.file : NULL);
    f->info = gbs_model_get_info(f->model);
    f->baseline = baseline_of(f->model, f->train.data);
    return EXIT_DONE;
}

/* The test file is read before the fit: a bad one is found out early. */
static int read_files(struct fit *f) {
    const struct options *o = &f->app->options;
    f->train.with_looks = given(o, "json") != 0;
    int code = input_train(f->app, &f->train);
    f->recipe = gbs_data_recipe(f->train.data);
    if (code == EXIT_DONE && o->cost_file != NULL) {
        gbs_status status = gbs_data_read_costs(f->app->ctx, f->train.data, o->cost_file);
        code = status == GBS_OK ? EXIT_DONE : app_fail_status(f->app, status, NULL);
    }
    if (code == EXIT_DONE && given(o, "path") && result_is_many(f->recipe))
        code = app_fail(f->app, EXIT_USAGE,
                        "fit: --path is for two classes: the fit to more of them is made of "
                        "several, and keeps no path; --positive LABEL sets one against the rest");
    if (code == EXIT_DONE && given(o, "test"))
        code = input_apply(f->app, option_text(o, "test"), f->recipe, GBS_WITH_LABELS, &f->test);
    f->seconds_read = app_seconds(f->app);
    return code;
}

static int make_roc(struct fit *f) {
    size_t n = gbs_data_rows(f->test.data);
    double *score = calloc(n, sizeof *score);
    gbs_status status = score != NULL ? gbs_model_predict(f->app->ctx, f->model, f->test.data,
                                                          score, NULL, NULL)
                                      : GBS_ERR_MEMORY;
    if (status == GBS_OK && !roc_make(n, gbs_data_labels(f->test.data), score, &f->roc))
        status = GBS_ERR_MEMORY;
    free(score);
    return status == GBS_OK           ? EXIT_DONE
           : status == GBS_ERR_MEMORY ? app_fail(f->app, EXIT_MEMORY, "out of memory")
                                      : app_fail_status(f->app, status, f->test.file);
}

static int run_test(struct fit *f) {
    if (f->test.data == NULL)
        return EXIT_DONE;
    gbs_status status = gbs_model_evaluate(f->app->ctx, f->model, f->test.data, &f->evaluation);
    f->tested = status == GBS_OK;
    if (status != GBS_OK)
        return app_fail_status(f->app, status, f->test.file);
    return given(&f->app->options, "json") && !result_is_many(f->recipe) ? make_roc(f) : EXIT_DONE;
}

/* ---------------------------------------------------------------- output */

/* What the columns of the file look like, the first of them. */
static void put_looks(struct json *j, const struct input *in) {
    json_open_array(j, "look");
    for (size_t k = 0; k < in->n_looks; k++) {
        const struct column_look *c = &in->look[k];
        json_open_object(j, NULL);
        json_put_string(j, "name", c->name);
        json_put_string(j, "role", c->role);
        json_put_string(j, "type", c->is_text ? "text" : "number");
        json_put_count(j, "missing", c->missing);
        if (c->is_text)
            json_put_count(j, "levels", c->levels);
        if (!c->is_text) {
            json_put_number(j, "low", c->low);
            json_put_number(j, "mean", c->mean);
            json_put_number(j, "high", c->high);
        }
        json_put_string(j, "guard", c->guard);
        json_close_object(j);
    }
    json_close_array(j);
}

static void put_data(struct json *j, const struct fit *f) {
    size_t n = gbs_data_rows(f->train.data), positives = 0;
    bool many = result_is_many(f->recipe);
    for (size_t i = 0; !many && i < n; i++)
        positives += gbs_data_labels(f->train.data)[i] > 0.0;
    json_open_object(j, "data");
    json_put_string(j, "file", f->train.file);
    json_put_count(j, "rows", n);
    if (!many)
        json_put_count(j, "positives", positives);
    json_put_count(j, "left_out", gbs_data_left_out(f->train.data));
    json_put_count(j, "copies", f->info->copies);
    json_put_count(j, "columns", gbs_data_columns(f->train.data));
    json_put_string(j, "target", gbs_recipe_target(f->recipe));
    if (!many) {
        json_put_string(j, "positive", gbs_recipe_positive(f->recipe));
        json_put_string(j, "negative", gbs_recipe_negative(f->recipe));
    }
    json_put_string(j, "test", f->tested ? f->test.file : NULL);
    put_looks(j, &f->train);
    json_close_object(j);
}

static int result_json(const struct fit *f, struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, f->app);
    result_options(&j, f->app);
    put_data(&j, f);
    int code = result_describe(&j, f->app, f->model, GBS_DESCRIBE_INFO);
    json_open_object(&j, "seconds");
    json_put_number(&j, "read", f->seconds_read);
    json_put_number(&j, "fit", f->seconds_fit);
    json_put_number(&j, "total", app_seconds(f->app));
    json_close_object(&j);
    if (!result_is_tested(f->model))
        result_baseline(&j, f->recipe, &f->baseline);
    if (code == EXIT_DONE)
        code = result_describe(&j, f->app, f->model,
                               GBS_DESCRIBE_SELECTION | GBS_DESCRIBE_CARD |
                                   GBS_DESCRIBE_CERTIFICATES | GBS_DESCRIBE_STAGES |
                                   GBS_DESCRIBE_PATH | GBS_DESCRIBE_RESTARTS | GBS_DESCRIBE_TRACE);
    if (code == EXIT_DONE)
        code = result_coefficients(&j, f->app, f->model, f->recipe);
    if (code == EXIT_DONE)
        code = result_importance(&j, f->app, gbs_model_explanation(f->model));
    if (f->tested) {
        json_open_object(&j, "test");
        result_evaluation(&j, f->app, f->evaluation, &f->roc, f->model, f->recipe);
        json_close_object(&j);
    } else {
        json_put_string(&j, "test", NULL);
    }
    json_close_object(&j);
    return code;
}

static void path_csv(const gbs_model *model, struct text *out) {
    const gbs_path_point *p;
    text_add(
        out,
        "lambda,prior_sd,free_energy,gibbs_risk,kl,optimality_gap,iterations,converged,bound\n");
    for (size_t t = 0; (p = gbs_model_path_at(model, t)) != NULL; t++) {
        const double columns[] = {p->lambda, p->prior_sd, p->free_energy, p->gibbs_risk, p->kl};
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            text_add_number(out, columns[k]);
            text_add_bytes(out, ",", 1);
        }
        if (isfinite(p->optimality_gap))
            text_add_number(out, p->optimality_gap);
        text_add(out, ",%zu,%d,", p->iterations, p->converged);
        if (isfinite(p->bound))
            text_add_number(out, p->bound);
        text_add_bytes(out, "\n", 1);
    }
}

/* The list alone, as far to the left as it can be. */
static int path_json(const struct fit *f, struct text *out) {
    char *object = NULL;
    gbs_status status = gbs_model_describe_json(f->app->ctx, f->model, GBS_DESCRIBE_PATH, &object,
                                                NULL);
    if (status != GBS_OK)
        return app_fail_status(f->app, status, NULL);
    const char *from = strchr(object, '['), *end = strrchr(object, ']') + 1;
    while (from < end) {
        const char *line = memchr(from, '\n', (size_t)(end - from)),
                   *next = line != NULL ? line + 1 : end;
        text_add_bytes(out, from, (size_t)(next - from));
        from = line != NULL ? next + 2 : end;
    }
    text_add_bytes(out, "\n", 1);
    gbs_release(f->app->ctx, object);
    return EXIT_DONE;
}

static int path_text(const struct fit *f, struct text *out) {
    if (text_ends_in(option_text(&f->app->options, "path"), ".json"))
        return path_json(f, out);
    path_csv(f->model, out);
    return EXIT_DONE;
}

static int model_json(const struct fit *f, struct text *out) {
    gbs_status status = gbs_model_to_json(f->app->ctx, f->model, &out->bytes, &out->size);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(f->app, status, NULL);
}

/* Everything is composed before the first file is written: running out of memory half way must
 * leave none of them. */
static int write_results(const struct fit *f) {
    const struct options *o = &f->app->options;
    struct text model = {0}, path = {0}, result = {0};
    struct app_output outputs[3] = {{.text = &result}};
    size_t n = 1;
    int code = EXIT_DONE;
    if (given(o, "path"))
        code = path_text(f, &path);
    if (code == EXIT_DONE && given(o, "json"))
        code = result_json(f, &result);
    else if (code == EXIT_DONE && outputs_print_result(o))
        (given(o, "verbose") ? fit_text_long : fit_text_short)(f, &result);
    if (code == EXIT_DONE && given(o, "output"))
        code = model_json(f, &model);
    if (given(o, "output"))
        outputs[n++] = (struct app_output){option_text(o, "output"), &model, NULL, NULL};
    if (given(o, "path"))
        outputs[n++] = (struct app_output){option_text(o, "path"), &path, NULL, NULL};
    if (code == EXIT_DONE)
        code = app_write_all(f->app, outputs, n);
    gbs_release(f->app->ctx, model.bytes);
    text_free(&path);
    text_free(&result);
    if (code == EXIT_DONE)
        result_warnings(f->app, f->model, f->recipe, &f->baseline);
    if (code == EXIT_DONE && f->tested)
        result_groups_note(f->app, f->model);
    if (code == EXIT_DONE && !f->info->converged) {
        app_note(f->app, "the solver did not converge (--max-iter, --tol, or --epochs with sgd); "
                         "the result is written and says so");
        code = EXIT_NOT_CONVERGED;
    }
    return code;
}

static int run(struct app *app) {
    struct fit f = {.app = app};
    int code = check_options(app);
    if (code == EXIT_DONE)
        code = read_files(&f);
    if (code == EXIT_DONE)
        code = run_fit(&f);
    if (code == EXIT_DONE)
        code = run_test(&f);
    if (code == EXIT_DONE)
        code = write_results(&f);
    if (code == EXIT_DONE && !given(&app->options, "path"))
        app_note_lost(app);
    gbs_evaluation_free(f.evaluation);
    gbs_model_free(f.model);
    input_free(&f.train);
    input_free(&f.test);
    return code;
}

const struct command command_fit = {
    "fit",
    GBS_FOR_FIT,
    "fit TRAIN... [-o MODEL] [OPTIONS]",
    "fit a variational Gibbs posterior to labelled rows, and certify it",
    "Reads TRAIN (CSV, svmlight or .npy, gzip of each, - for standard input); several CSV files "
    "with the same header are one table, in the order given. Two thirds of the rows, drawn at "
    "random, give a model and the calibration of its probabilities; the other rows test the labels "
    "that predict will print. The certificate bounds the share of all cases in which these are "
    "wrong, and holds with the stated confidence.\n"
    "The model is a Gaussian N(m, S) of the chosen family that minimises lambda x (mean loss) + "
    "KL(N(m, S) || prior) on scaled columns; every choice is made on the rows to learn from. With "
    "--bound progressive the rows come block by block and the model is a mixture of stages; with "
    "--prior zero all rows train one posterior, as in the paper, and the certificate pays for its "
    "distance from the prior. A certificate is valid, or marked conditional with the reason.\n"
    "For hinge, exponential and probit loss a posterior is proven to lie within the reported "
    "optimality gap of the best; zero-one loss is fitted by annealing along increasing lambda, or "
    "from the informed prior. Choosing by cross-validation (--select cv) moves lambda and the "
    "prior after a look at the rows: lambda is free under --bound kl, a prior chosen so makes the "
    "certificate conditional.\n"
    "--task rank learns a score instead: the loss is that of (x_i - x_j)'theta over all pairs of a "
    "positive and a negative row, and the certificate is on 1 - AUC of the score given the labels, "
    "whichever loss was fitted. --solver sgd --pairs N does without a pass over all pairs.",
    "gibbsite fit train.csv -o model.json\n"
    "gibbsite fit train.csv.gz -o model.json --test test.csv --loss hinge --family diagonal\n"
    "gibbsite fit dna.csv --target class -o model.json\n"
    "gibbsite fit dna.csv --target class --positive ie -o model.json\n"
    "gibbsite fit train.csv --task rank -o model.json --test test.csv\n"
    "gibbsite fit huge.csv --task rank --solver sgd --pairs 1000000 -o model.json\n"
    "gibbsite fit train.csv -o model.json --features auto --importance\n"
    "gibbsite fit train.csv --prior zero --scale unit-row --lambda-grid 1:1000:10 --path path.csv",
    run,
};
