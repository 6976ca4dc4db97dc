/* Ratings and completions: reading, numbering, predicting, scoring. */
#include "cmd/ratings_use.h"

#include "cmd/ratings_quantiles.h"
#include "out/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cells_read(const struct app *app, const char *path, gbs_cell_use use, struct cells *c) {
    c->file = input_name(path);
    gbs_status status = gbs_cells_read(app->ctx, path, use, app->options.set, &c->read);
    c->n = gbs_cells_count(c->read);
    c->rating = gbs_cells_values(c->read);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
}

int cells_number(const struct app *app, size_t rows, const char *const *row_names, size_t columns,
                 const char *const *column_names, struct cells *c) {
    for (int side = 0; side < 2; side++)
        c->index[side] = calloc(c->n + 1, sizeof *c->index[side]);
    c->value = calloc(c->n + 1, sizeof *c->value);
    c->sd = calloc(c->n + 1, sizeof *c->sd);
    c->noise = calloc(c->n + 1, sizeof *c->noise);
    if (c->index[0] == NULL || c->index[1] == NULL || c->value == NULL || c->sd == NULL ||
        c->noise == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    gbs_status status = gbs_cells_number(app->ctx, c->read, rows, row_names, columns, column_names,
                                         c->index[0], c->index[1]);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, "the model is damaged");
}

void cells_take_noise(const gbs_completion *model, struct cells *c) {
    for (size_t e = 0; e < c->n; e++)
        c->noise[e] = gbs_completion_noise(model, c->index[0][e]);
}

int cells_score(const struct app *app, const struct cells *c, gbs_rating_evaluation **out) {
    double *sd = calloc(c->n + 1, sizeof *sd);
    if (sd == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    for (size_t e = 0; e < c->n; e++)
        sd[e] = sqrt(c->sd[e] * c->sd[e] + c->noise[e]);
    gbs_status status = gbs_rating_score(app->ctx, c->n, c->index[0], c->index[1], c->rating,
                                         c->value, sd, 0.0, out);
    free(sd);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
}

void cells_free(struct cells *c) {
    gbs_cells_free(c->read);
    free(c->index[0]);
    free(c->index[1]);
    free(c->value);
    free(c->sd);
    free(c->noise);
    *c = (struct cells){0};
}

/* Numbers the cells as the model does. */
static int number_for(const struct app *app, const gbs_completion *model, struct cells *c) {
    const gbs_completion_info *info = gbs_completion_get_info(model);
    const char **names = calloc(info->rows + info->columns + 1, sizeof *names);
    if (names == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    for (size_t i = 0; i < info->rows; i++)
        names[i] = gbs_completion_row_id(model, i);
    for (size_t j = 0; j < info->columns; j++)
        names[info->rows + j] = gbs_completion_column_id(model, j);
    int code = cells_number(app, info->rows, names, info->columns, names + info->rows, c);
    free(names);
    return code;
}

static int predict_cells(struct app *app, const gbs_completion *model, const char *file,
                         gbs_cell_use use, struct cells *c) {
    int code = cells_read(app, file, use, c);
    if (code == EXIT_DONE)
        code = number_for(app, model, c);
    if (code != EXIT_DONE)
        return code;
    gbs_status status = gbs_completion_predict(app->ctx, model, c->n, c->index[0], c->index[1],
                                               c->value, c->sd);
    cells_take_noise(model, c);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
}

/* ---------------------------------------------------------------- what is printed */

static const char *newness(bool row, bool column) {
    return row && column ? "both" : row ? "row" : column ? "column" : "";
}

static void put_sd_csv(struct text *out, double sd, double noise, bool parts) {
    text_add_number(out, sqrt(sd * sd + noise));
    if (parts) {
        text_add_bytes(out, ",", 1);
        text_add_number(out, sd);
        text_add_bytes(out, ",", 1);
        text_add_number(out, sqrt(noise));
    }
}

static void put_sd_json(struct json *j, double sd, double noise) {
    json_put_number(j, "sd", sqrt(sd * sd + noise));
    json_put_number(j, "sd_cell", sd);
    json_put_number(j, "sd_noise", sqrt(noise));
}

static const char parts_head[] = ",sd_cell,sd_noise";

static void cells_csv(const struct app *app, const struct cells *c, const struct quantiles *q,
                      struct text *out) {
    bool parts = given(&app->options, "parts");
    text_add(out, "value,sd%s", parts ? parts_head : "");
    quantiles_head(q, out);
    text_add(out, ",new\n");
    for (size_t e = 0; e < c->n && !app_interrupted(); e++) {
        text_add_number(out, c->value[e]);
        text_add_bytes(out, ",", 1);
        put_sd_csv(out, c->sd[e], c->noise[e], parts);
        quantiles_csv(q, e, out);
        text_add(out, ",%s\n", newness(c->index[0][e] == GBS_UNSEEN, c->index[1][e] == GBS_UNSEEN));
    }
}

static void cells_json(const struct app *app, const struct cells *c, const struct quantiles *q,
                       struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, app);
    json_put_count(&j, "n", c->n);
    const char *const *rows = gbs_cells_row_names(c->read, NULL),
                      *const *columns = gbs_cells_column_names(c->read, NULL);
    json_open_array(&j, "predictions");
    for (size_t e = 0; e < c->n && !app_interrupted(); e++) {
        json_open_object(&j, NULL);
        json_put_string(&j, "row", rows[gbs_cells_rows(c->read)[e]]);
        json_put_string(&j, "col", columns[gbs_cells_columns(c->read)[e]]);
        json_put_number(&j, "value", c->value[e]);
        put_sd_json(&j, c->sd[e], c->noise[e]);
        quantiles_json(q, e, &j);
        json_put_string(&j, "new",
                        newness(c->index[0][e] == GBS_UNSEEN, c->index[1][e] == GBS_UNSEEN));
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
}

static void note_new(const struct app *app, const struct cells *c) {
    size_t count[2] = {0, 0};
    for (size_t e = 0; e < c->n; e++)
        for (int side = 0; side < 2; side++)
            count[side] += c->index[side][e] == GBS_UNSEEN;
    if (count[0] + count[1] > 0)
        app_note(app,
                 "%s: %zu in rows and %zu in columns that the model does not know: these cells are "
                 "predicted from the prior",
                 c->file, count[0], count[1]);
}

/* ---------------------------------------------------------------- top */

/* The best columns of a row, and their predictions. */
struct top {
    size_t n;
    uint32_t *row, *column;
    double *value, *sd, noise;
};

static void top_print(const struct app *app, const gbs_completion *model, const struct top *t,
                      const struct quantiles *q, struct text *out) {
    bool parts = given(&app->options, "parts");
    struct json j = json_writer(out);
    if (!given(&app->options, "json")) {
        text_add(out, "col,value,sd%s", parts ? parts_head : "");
        quantiles_head(q, out);
        text_add_bytes(out, "\n", 1);
        for (size_t k = 0; k < t->n; k++) {
            text_add_cell(out, gbs_completion_column_id(model, t->column[k]));
            text_add_bytes(out, ",", 1);
            text_add_number(out, t->value[k]);
            text_add_bytes(out, ",", 1);
            put_sd_csv(out, t->sd[k], t->noise, parts);
            quantiles_csv(q, k, out);
            text_add_bytes(out, "\n", 1);
        }
        return;
    }
    json_open_object(&j, NULL);
    result_head(&j, app);
    json_put_string(&j, "row", option_text(&app->options, "row"));
    json_open_array(&j, "top");
    for (size_t k = 0; k < t->n; k++) {
        json_open_object(&j, NULL);
        json_put_string(&j, "col", gbs_completion_column_id(model, t->column[k]));
        json_put_number(&j, "value", t->value[k]);
        put_sd_json(&j, t->sd[k], t->noise);
        quantiles_json(q, k, &j);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
}

static int top_compute(const struct app *app, const gbs_completion *model, uint32_t row,
                       struct top *t) {
    const struct options *o = &app->options;
    size_t columns = gbs_completion_get_info(model)->columns,
           most = option_count(o, "top") < columns ? option_count(o, "top") : columns;
    t->row = calloc(most + 1, sizeof *t->row);
    t->column = calloc(most + 1, sizeof *t->column);
    t->value = calloc(most + 1, sizeof *t->value);
    t->sd = calloc(most + 1, sizeof *t->sd);
    if (t->row == NULL || t->column == NULL || t->value == NULL || t->sd == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    double level = given(o, "top-quantile") ? option_number(o, "top-quantile") : 0.0;
    gbs_status status = gbs_completion_top(app->ctx, model, row, level, most, t->column, &t->n);
    for (size_t k = 0; k < t->n; k++)
        t->row[k] = row;
    t->noise = gbs_completion_noise(model, row);
    if (status == GBS_OK)
        status = gbs_completion_predict(app->ctx, model, t->n, t->row, t->column, t->value, t->sd);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
}

static int top(const struct app *app, const gbs_completion *model, struct quantiles *q,
               struct text *out) {
    const struct options *o = &app->options;
    struct top t = {0};
    size_t row = 0;
    const gbs_completion_info *info = gbs_completion_get_info(model);
    while (row < info->rows &&
           strcmp(gbs_completion_row_id(model, row), option_text(o, "row")) != 0)
        row++;
    if (row == info->rows)
        return app_fail(app, EXIT_BAD_DATA, "predict: the model has no row '%.60s'",
                        option_text(o, "row"));
    int code = top_compute(app, model, (uint32_t)row, &t);
    if (code == EXIT_DONE)
        code = quantiles_of(app, model, t.n, t.row, t.column, q);
    if (code == EXIT_DONE)
        top_print(app, model, &t, q, out);
    free(t.row);
    free(t.column);
    free(t.value);
    free(t.sd);
    return code;
}

/* ---------------------------------------------------------------- predict, evaluate */

static int check_reading(const struct app *app) {
    static const char *const tables[] = {"format", "missing", "threshold", "importance"};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (given(&app->options, tables[k]))
            return app_fail(app, EXIT_USAGE, "%s: --%s is not for ratings", app->command->name,
                            tables[k]);
    return EXIT_DONE;
}

int ratings_predict(struct app *app, const gbs_completion *model) {
    const struct options *o = &app->options;
    struct text text = {0};
    struct cells c = {0};
    struct quantiles q = {0};
    int code = check_reading(app);
    if (code == EXIT_DONE)
        code = quantiles_read(app, &q);
    if (code == EXIT_DONE && given(o, "top")) {
        code = top(app, model, &q, &text);
    } else if (code == EXIT_DONE) {
        code = predict_cells(app, model, o->inputs[1], GBS_CELLS_PAIRS, &c);
        if (code == EXIT_DONE)
            code = quantiles_of(app, model, c.n, c.index[0], c.index[1], &q);
        if (code == EXIT_DONE && given(o, "json"))
            cells_json(app, &c, &q, &text);
        else if (code == EXIT_DONE)
            cells_csv(app, &c, &q, &text);
        if (code == EXIT_DONE)
            note_new(app, &c);
    }
    if (code == EXIT_DONE)
        code = app_write(app, option_text(o, "output"), &text);
    quantiles_free(&q);
    text_free(&text);
    cells_free(&c);
    return code;
}

struct rating_yardstick ratings_yardstick(const struct app *app, const gbs_completion_info *info,
                                          const struct cells *c) {
    const struct options *o = &app->options;
    struct rating_yardstick y = {NAN, NAN, option_number(o, "confidence")};
    double squares = 0.0;
    for (size_t e = 0; e < c->n; e++)
        squares += (c->rating[e] - info->mean) * (c->rating[e] - info->mean);
    y.mean_rmse = sqrt(squares / (double)c->n);
    if (info->has_range)
        y.holdout_rmse = gbs_rating_holdout(c->n, c->rating, c->value, info->low, info->high,
                                            y.confidence);
    return y;
}

int ratings_evaluate(struct app *app, const gbs_completion *model) {
    const struct options *o = &app->options;
    struct cells c = {0};
    struct text text = {0};
    const gbs_completion_info *info = gbs_completion_get_info(model);
    int code = check_reading(app);
    if (code == EXIT_DONE)
        code = predict_cells(app, model, o->inputs[1], GBS_CELLS_TEST, &c);
    gbs_rating_evaluation *e = NULL;
    if (code == EXIT_DONE)
        code = cells_score(app, &c, &e);
    if (code == EXIT_DONE) {
        struct rating_yardstick y = ratings_yardstick(app, info, &c);
        struct json j = json_writer(&text);
        if (given(o, "json")) {
            json_open_object(&j, NULL);
            result_head(&j, app);
            struct residuals r;
            residuals_make(c.n, c.rating, c.value, &r);
            result_options(&j, app);
            result_rating_evaluation(&j, e, &y);
            cells_detail_json(&j, model, &c);
            residuals_json(&j, "residuals", &r);
            json_close_object(&j);
        } else {
            bool all = given(o, "verbose");
            if (all)
                text_add(&text, "%s on %s\n", o->inputs[0], c.file);
            result_rating_evaluation_text(&text, all ? LINE_LONG : LINE_SHORT, e, &y);
        }
        code = app_write(app, NULL, &text);
    }
    gbs_rating_evaluation_free(e);
    text_free(&text);
    cells_free(&c);
    return code;
}
