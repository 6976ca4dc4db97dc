/* gibbsite complete: fill in a matrix from some of its cells. */
#include "cmd/ratings_use.h"
#include "out/result.h"
#include "out/sources.h"
#include "outputs.h"
#include "ranks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct complete {
    struct app *app;
    struct cells train, test; /* those to learn from are numbered as they come */
    gbs_ratings *ratings;
    gbs_completion *model;
    const gbs_completion_info *info;
    gbs_rating_evaluation *score;
    double *fitted; /* --json: predictions of the ratings themselves */
    struct rating_yardstick yardstick;
    double seconds_read;
};

static int check_options(const struct app *app) {
    const struct options *o = &app->options;
    if (o->n_inputs != 1)
        return app_fail(app, EXIT_USAGE,
                        "complete: expected one file of ratings, found %zu; gibbsite %s",
                        o->n_inputs, app->command->usage);
    int code = app_check_options(app);
    if (code != EXIT_DONE)
        return code;
    return outputs_check(app, outputs_print_result(o));
}

static int read_test(struct complete *c) {
    size_t rows, columns;
    const char *const *row_names = gbs_cells_row_names(c->train.read, &rows),
                      *const *column_names = gbs_cells_column_names(c->train.read, &columns);
    int code = cells_read(c->app, option_text(&c->app->options, "test"), GBS_CELLS_TEST, &c->test);
    return code == EXIT_DONE
               ? cells_number(c->app, rows, row_names, columns, column_names, &c->test)
               : code;
}

static int read_features(struct complete *c) {
    static const char *const names[] = {"row-features", "col-features"};
    gbs_status status = GBS_OK;
    for (int side = 0; side < 2 && status == GBS_OK; side++)
        if (given(&c->app->options, names[side]))
            status = gbs_cells_add_features(c->app->ctx, c->train.read, side,
                                            option_text(&c->app->options, names[side]));
    return status == GBS_OK ? EXIT_DONE : app_fail_status(c->app, status, NULL);
}

static int read_files(struct complete *c) {
    const struct options *o = &c->app->options;
    double start = app_seconds(c->app);
    int code = cells_read(c->app, o->inputs[0], GBS_CELLS_TRAIN, &c->train);
    if (code == EXIT_DONE)
        code = read_features(c);
    if (code == EXIT_DONE && given(o, "test"))
        code = read_test(c);
    c->seconds_read = app_seconds(c->app) - start;
    if (code != EXIT_DONE)
        return code;
    gbs_status status = gbs_cells_ratings(c->app->ctx, c->train.read, &c->ratings);
    if (!given(o, "json")) { /* whose residuals need them once more */
        gbs_cells_free(c->train.read);
        c->train.read = NULL;
        c->train.rating = NULL;
    }
    return status == GBS_OK ? EXIT_DONE : app_fail_status(c->app, status, c->train.file);
}

static int fit(struct complete *c) {
    gbs_status status = gbs_complete_cells(c->app->ctx, c->ratings, c->app->options.set, c->test.n,
                                           c->test.index[0], c->test.index[1], c->test.value,
                                           c->test.sd, &c->model);
    if (status != GBS_OK)
        return app_fail_status(c->app, status,
                               status == GBS_ERR_ARGUMENT ? "complete" : c->train.file);
    c->info = gbs_completion_get_info(c->model);
    const struct cells *t = &c->test;
    if (t->n == 0)
        return EXIT_DONE;
    if (c->info->sampler != GBS_SAMPLER_GIBBS) /* its draws filled them in */
        status = gbs_completion_predict(c->app->ctx, c->model, t->n, t->index[0], t->index[1],
                                        t->value, t->sd);
    if (status != GBS_OK)
        return app_fail_status(c->app, status, t->file);
    cells_take_noise(c->model, &c->test);
    c->yardstick = ratings_yardstick(c->app, c->info, t);
    return cells_score(c->app, t, &c->score);
}

/* ---------------------------------------------------------------- results */

static int predict_ratings(struct complete *c) {
    const struct cells *t = &c->train;
    c->fitted = calloc(t->n, sizeof *c->fitted);
    if (c->fitted == NULL)
        return app_fail(c->app, EXIT_MEMORY, "out of memory");
    gbs_status status = gbs_completion_predict(c->app->ctx, c->model, t->n, gbs_cells_rows(t->read),
                                               gbs_cells_columns(t->read), c->fitted, NULL);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(c->app, status, t->file);
}

static int result_json(const struct complete *c, struct text *out) {
    struct json j = json_writer(out);
    struct residuals r;
    json_open_object(&j, NULL);
    result_head(&j, c->app);
    result_options(&j, c->app);
    int code = result_completion(&j, c->app, c->model,
                                 GBS_DESCRIBE_INFO | GBS_DESCRIBE_CERTIFICATES |
                                     GBS_DESCRIBE_TRACE | GBS_DESCRIBE_COEFFICIENTS);
    residuals_make(c->train.n, c->train.rating, c->fitted, &r);
    residuals_json(&j, "residuals", &r);
    if (c->test.n > 0) {
        json_open_object(&j, "test");
        result_rating_evaluation(&j, c->score, &c->yardstick);
        cells_detail_json(&j, c->model, &c->test);
        residuals_make(c->test.n, c->test.rating, c->test.value, &r);
        residuals_json(&j, "residuals", &r);
        json_close_object(&j);
    } else {
        json_put_string(&j, "test", NULL);
    }
    json_open_object(&j, "seconds");
    json_put_number(&j, "read", c->seconds_read);
    json_put_number(&j, "fit", c->info->seconds);
    json_put_number(&j, "total", app_seconds(c->app));
    json_close_object(&j);
    json_close_object(&j);
    return code;
}

static void text_short(const struct complete *c, struct text *out) {
    const char *output = option_text(&c->app->options, "output");
    char name[LINE_NAME];
    result_completion_short(out, c->model, c->train.file);
    if (c->test.n > 0)
        line_add(out, LINE_SHORT, "test", "RMSE %.4f, MAE %.4f, on %s of %s", c->score->rmse,
                 c->score->mae, counted(c->score->n, "rating").text,
                 line_name(c->test.file, 16, name));
    if (output != NULL)
        line_add(out, LINE_SHORT, "model", "written to %s (%.2f s)", line_name(output, 40, name),
                 app_seconds(c->app));
    else
        line_add(out, LINE_SHORT, "model", "not written: no -o FILE (%.2f s)", app_seconds(c->app));
}

static void text_long(const struct complete *c, struct text *out) {
    text_add(out, "%s\n", c->train.file);
    result_completion_text(out, c->model);
    if (c->test.n > 0) {
        text_add(out, "%s\n", c->test.file);
        result_rating_evaluation_text(out, LINE_LONG, c->score, &c->yardstick);
    }
    sources_completion(out, c->model);
    if (given(&c->app->options, "output"))
        text_add(out, "model written to %s\n", option_text(&c->app->options, "output"));
}

/* Its bytes are as many as the posterior's: who does not write them does without. */
static int model_json(const struct complete *c, struct text *out) {
    gbs_status status = GBS_OK;
    if (ranks_writes())
        status = gbs_completion_to_json(c->app->ctx, c->model, &out->bytes, &out->size);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(c->app, status, NULL);
}

static int write_results(struct complete *c) {
    const struct options *o = &c->app->options;
    struct text model = {0}, result = {0};
    struct app_output outputs[2] = {{.text = &result}};
    size_t n = 1;
    int code = given(o, "json") ? predict_ratings(c) : EXIT_DONE;
    if (code == EXIT_DONE && given(o, "json"))
        code = result_json(c, &result);
    else if (code == EXIT_DONE && outputs_print_result(o))
        (given(o, "verbose") ? text_long : text_short)(c, &result);
    if (code == EXIT_DONE && result.failed)
        code = app_fail(c->app, EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE && given(o, "output"))
        code = model_json(c, &model);
    if (given(o, "output"))
        outputs[n++] = (struct app_output){option_text(o, "output"), &model, NULL, NULL};
    if (code == EXIT_DONE)
        code = app_write_all(c->app, outputs, n);
    gbs_release(c->app->ctx, model.bytes);
    text_free(&result);
    if (code == EXIT_DONE && !c->info->converged) {
        app_note(c->app, "not converged after %s (--max-iter, --tol)",
                 counted(c->info->sweeps, "sweep").text);
        code = EXIT_NOT_CONVERGED;
    }
    return code;
}

static int run(struct app *app) {
    struct complete c = {.app = app};
    int code = check_options(app);
    if (code == EXIT_DONE)
        code = read_files(&c);
    if (code == EXIT_DONE)
        code = fit(&c);
    if (code == EXIT_DONE)
        code = write_results(&c);
    free(c.fitted);
    gbs_rating_evaluation_free(c.score);
    gbs_completion_free(c.model);
    gbs_ratings_free(c.ratings);
    cells_free(&c.train);
    cells_free(&c.test);
    return code;
}

const struct command command_complete = {
    "complete",
    GBS_FOR_COMPLETE,
    "complete RATINGS [-o MODEL] [OPTIONS]",
    "fill in a matrix from some of its cells",
    "RATINGS is a CSV file of row, col, value (identifiers may be texts; a cell may come more than "
    "once) or a MatrixMarket coordinate file.\n"
    "The model is a mean, biases of rows and columns, and a product of factors; rows have noise of "
    "their own, and which cells are rated says something of rows and columns too (--positions). "
    "--model paper is the paper's model, which switches components off.\n"
    "predict takes the model and a file of pairs, and prints value and standard deviation. With "
    "--range, known in advance, the error of the values that predict prints gets a certificate, by "
    "ratings kept from the fit.",
    "gibbsite complete ratings.csv -o model.json --test test.csv\n"
    "gibbsite complete ratings.csv --range 1:5 --prior informed --json\n"
    "gibbsite complete ratings.csv --select cv --restarts 3 -o model.json\n"
    "gibbsite complete ratings.mtx.gz --rank 30 --sampler gibbs --draws 500 --test test.csv\n"
    "gibbsite predict model.json pairs.csv\n"
    "gibbsite predict model.json --row alice --top 10",
    run,
};
