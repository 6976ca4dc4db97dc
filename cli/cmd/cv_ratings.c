/* gibbsite cv RATINGS: the error of completions on ratings left out, by rank and model.
 *
 * What complete --select cv chooses from: the hierarchical model at a quarter, a half, one and two
 * times --rank, and the paper's; with --model paper several variances of the noise. The candidates
 * are the library's (gbs_completion_choice), the same folds for each.
 */
#include "cmd/cv_ratings.h"

#include "cmd/ratings_use.h"
#include "out/result.h"
#include "outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const of_ratings[] = {"rank", "model", "positions"};
enum { OF_RATINGS = sizeof of_ratings / sizeof *of_ratings };

static bool ends_in(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The first line is row,col,value. What comes from a pipe can be read once, so only a plain file is
 * looked at; one that cannot be read is told by its reader. */
static bool has_header_of_ratings(const char *path) {
    char line[32] = {0};
    struct stat st;
    bool plain = strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    FILE *file = plain ? fopen(path, "r") : NULL;
    if (file == NULL)
        return false;
    if (fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    return strcasecmp(line, "row,col,value") == 0;
}

bool cv_is_of_ratings(const struct app *app) {
    const struct options *o = &app->options;
    const char *path = o->inputs[0];
    for (size_t k = 0; k < OF_RATINGS; k++)
        if (given(o, of_ratings[k]))
            return true;
    if (ends_in(path, ".mtx") || ends_in(path, ".mtx.gz"))
        return true;
    if (given(o, "target") || !has_header_of_ratings(path))
        return false;
    app_note(app,
             "%s: its columns are row, col, value, so completions are cross-validated; with "
             "--target value it is a table of rows",
             path);
    return true;
}

/* The options of complete that say the same; one that only tables of rows have is refused. */
static int translate(const struct app *app, gbs_options **out) {
    const struct options *o = &app->options;
    const gbs_option *line;
    gbs_status status = gbs_options_create(app->ctx, "complete", out);
    if (status == GBS_OK)
        status = gbs_options_set(*out, "select", "cv");
    for (size_t k = 0; status == GBS_OK && (line = gbs_option_at(k)) != NULL; k++) {
        if ((line->commands & GBS_FOR_CV) == 0 || !given(o, line->name))
            continue;
        if (gbs_option_find("complete", line->name) == NULL)
            return app_fail(app, EXIT_USAGE, "cv: --%s is for tables of rows, not for ratings",
                            line->name);
        status = gbs_options_set(
            *out, line->name,
            line->type == GBS_OPTION_FLAG ? NULL : gbs_options_get(o->set, line->name));
    }
    if (status == GBS_OK)
        status = gbs_options_check(*out);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, "cv");
}

static void table_json(const struct app *app, const gbs_completion *model, struct text *out) {
    const gbs_completion_info *i = gbs_completion_get_info(model);
    const gbs_noise_choice *c;
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, app);
    result_options(&j, app);
    json_put_string(&j, "task", "complete");
    json_put_count(&j, "n", i->n);
    json_put_count(&j, "rows", i->rows);
    json_put_count(&j, "columns", i->columns);
    json_put_count(&j, "folds", i->folds);
    json_put_number(&j, "baseline_rmse", i->sd);
    json_open_array(&j, "table");
    for (size_t k = 0; (c = gbs_completion_choice(model, k)) != NULL; k++) {
        json_open_object(&j, NULL);
        json_put_string(&j, "model", gbs_completion_model_name(c->model));
        json_put_count(&j, "rank", c->rank);
        json_put_number(&j, "noise_variance", c->noise_variance);
        json_put_number(&j, "rmse", c->rmse);
        json_put_number(&j, "rmse_se", c->rmse_se);
        json_put_number(&j, "effective_rank", c->effective_rank);
        json_put_count(&j, "not_converged", c->not_converged);
        json_put_bool(&j, "best", c->taken != 0);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
}

static void table_text(const gbs_completion *model, const char *file, struct text *out) {
    const gbs_completion_info *i = gbs_completion_get_info(model);
    const gbs_noise_choice *c;
    char name[LINE_NAME];
    line_add(out, LINE_SHORT, "data", "%s of %s and %s, from %s; %zu folds",
             counted(i->n, "rating").text, counted(i->rows, "row").text,
             counted(i->columns, "column").text, line_name(file, 20, name), i->folds);
    line_add(out, LINE_SHORT, "baseline", "always the mean of these ratings has RMSE %.4f", i->sd);
    text_add(out, "  %-13s %6s %10s %9s %8s\n", "model", "rank", "noise", "RMSE", "(se)");
    for (size_t k = 0; (c = gbs_completion_choice(model, k)) != NULL; k++) {
        char noise[24] = "learned";
        if (!c->learned)
            snprintf(noise, sizeof noise, "%.4g", c->noise_variance);
        text_add(out, "%c %-13s %6zu %10s %9.4f %8.4f%s\n", c->taken ? '*' : ' ',
                 gbs_completion_model_name(c->model), c->rank, noise, c->rmse, c->rmse_se,
                 c->not_converged > 0 ? "  (not converged)" : "");
    }
    line_plain(out, LINE_SHORT,
               "* smallest error of ratings left out. The row was chosen by this number, so the "
               "number flatters it.");
}

int cv_ratings(struct app *app) {
    const struct options *o = &app->options;
    struct cells cells = {0};
    struct text text = {0};
    gbs_options *options = NULL;
    gbs_ratings *ratings = NULL;
    gbs_completion *model = NULL;
    gbs_status status = GBS_OK;
    if (o->n_inputs != 1)
        return app_fail(app, EXIT_USAGE, "cv: expected one file of ratings, found %zu; gibbsite %s",
                        o->n_inputs, app->command->usage);
    int code = translate(app, &options);
    if (code == EXIT_DONE)
        code = outputs_check(app, true);
    if (code == EXIT_DONE)
        code = cells_read(app, o->inputs[0], GBS_CELLS_TRAIN, &cells);
    if (code == EXIT_DONE) {
        status = gbs_cells_ratings(app->ctx, cells.read, &ratings);
        if (status == GBS_OK)
            status = gbs_complete(app->ctx, ratings, options, &model);
        if (status != GBS_OK)
            code = app_fail_status(app, status, status == GBS_ERR_ARGUMENT ? "cv" : cells.file);
    }
    if (code == EXIT_DONE) {
        if (given(o, "json"))
            table_json(app, model, &text);
        else
            table_text(model, cells.file, &text);
        code = app_write(app, NULL, &text);
    }
    text_free(&text);
    gbs_completion_free(model);
    gbs_ratings_free(ratings);
    gbs_options_free(options);
    cells_free(&cells);
    return code;
}
