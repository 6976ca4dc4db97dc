/* gibbsite fit: from a file of rows to a fitted posterior. */
#include "cmd/candidates.h"
#include "input.h"
#include "out/result.h"
#include "outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fit {
    struct app *app;
    struct recipe recipe;
    struct input train, test;
    struct candidates candidates; /* --select cv */
    gbs_model *model;
    gbs_model_info info;
    gbs_evaluation evaluation;
    struct roc roc; /* with --json */
    bool tested;
    double seconds_read, seconds_fit;
};

/* What is certified, and how: options that exclude or need one another. */
static int check_certificate(const struct app *app) {
    const struct options *o = &app->options;
    gbs_fit_options f = candidate_base(o);
    bool cv = o->choice[OPT_SELECT] == SELECT_CV, informed = f.prior == GBS_PRIOR_INFORMED;
    bool grid = given(o, OPT_LAMBDA_GRID) || given(o, OPT_PRIOR_GRID);
    bool progressive = f.task != GBS_TASK_RANK && (f.bound == GBS_BOUND_PROGRESSIVE ||
                                                   (f.bound == GBS_BOUND_AUTO && informed));
    static const enum option_id not_paper[] = {OPT_LAMBDA,     OPT_LAMBDA_GRID, OPT_PRIOR_SD,
                                               OPT_PRIOR_GRID, OPT_BOUND,       OPT_SELECT};
    for (size_t k = 0; given(o, OPT_PAPER) && k < sizeof not_paper / sizeof *not_paper; k++)
        if (given(o, not_paper[k]))
            return app_fail(app, EXIT_USAGE,
                            "fit: --paper sets lambda, prior sd and bound; --%s would change them",
                            option_spec(not_paper[k])->name);
    static const char *const zero_only[] = {"--paper", "--restarts", "--select cv"};
    const bool asked[] = {given(o, OPT_PAPER), given(o, OPT_RESTARTS), cv};
    for (size_t k = 0; informed && k < 3; k++)
        if (asked[k])
            return app_fail(app, EXIT_USAGE, "fit: %s is for --prior zero", zero_only[k]);
    if (progressive && grid && !cv)
        return app_fail(
            app, EXIT_USAGE,
            "fit: --bound progressive tests its rows once and cannot choose from a grid by them");
    if (given(o, OPT_BLOCKS) && !progressive)
        return app_fail(app, EXIT_USAGE, "fit: --blocks needs --bound progressive%s",
                        grid ? "; with a grid, auto means kl" : "");
    if ((given(o, OPT_PRIOR_SPLIT) || given(o, OPT_STRATIFY)) && !informed && !progressive)
        return app_fail(app, EXIT_USAGE, "fit: --%s needs --prior informed or --bound progressive",
                        given(o, OPT_STRATIFY) ? "stratify" : "prior-split");
    if (o->count[OPT_BLOCKS] > 16)
        return app_fail(app, EXIT_USAGE, "fit: --blocks: expected 1 to 16, found '%s'",
                        o->text[OPT_BLOCKS]);
    if (o->choice[OPT_SELECT] == SELECT_LAST && given(o, OPT_PRIOR_GRID))
        return app_fail(app, EXIT_USAGE, "fit: --prior-grid needs --select bound or cv");
    if (o->choice[OPT_SELECT] == SELECT_BOUND && !grid)
        return app_fail(app, EXIT_USAGE,
                        "fit: --select bound needs --lambda-grid or --prior-grid to choose from");
    return EXIT_DONE;
}

/* What ranking does not have. */
static int check_ranking(const struct app *app) {
    const struct options *o = &app->options;
    gbs_fit_options f = candidate_base(o);
    if (f.task != GBS_TASK_RANK && given(o, OPT_PAIRS))
        return app_fail(app, EXIT_USAGE, "fit: --pairs needs --task rank");
    if (f.task != GBS_TASK_RANK)
        return EXIT_DONE;
    if (given(o, OPT_PAIRS) && (given(o, OPT_LAMBDA_GRID) || given(o, OPT_PRIOR_GRID)))
        return app_fail(app, EXIT_USAGE,
                        "fit: --pairs certifies one posterior; it does not choose from a grid");
    if (given(o, OPT_PAIRS) && given(o, OPT_PATH) && f.solver == GBS_SOLVER_SGD)
        return app_fail(app, EXIT_USAGE,
                        "fit: --path judges every step on all pairs; leave out --pairs or --path");
    if (f.loss == GBS_LOSS_EXPONENTIAL)
        return app_fail(app, EXIT_USAGE, "fit: --task rank has the losses zero-one and hinge");
    if (f.form == GBS_FORM_DUAL)
        return app_fail(app, EXIT_USAGE, "fit: --task rank has no dual form");
    if (f.bound == GBS_BOUND_PROGRESSIVE)
        return app_fail(app, EXIT_USAGE,
                        "fit: --task rank has the bounds kl, catoni, hoeffding and paper");
    if (given(o, OPT_STRATIFY))
        return app_fail(
            app, EXIT_USAGE,
            "fit: --task rank is certified given the labels; --stratify is for --task classify");
    return EXIT_DONE;
}

/* What the option table cannot see: options that exclude or need one another. */
static int check_options(const struct app *app) {
    const struct options *o = &app->options;
    bool cv = o->choice[OPT_SELECT] == SELECT_CV;
    if (o->n_inputs != 1)
        return app_fail(app, EXIT_USAGE, "fit: expected one training file, found %zu; gibbsite %s",
                        o->n_inputs, app->command->usage);
    if (given(o, OPT_RESTARTS) && given(o, OPT_LAMBDA_GRID) && !cv)
        return app_fail(app, EXIT_USAGE,
                        "fit: --restarts and --lambda-grid exclude each other: restarts go "
                        "straight to --lambda");
    if (given(o, OPT_RESTARTS) && o->choice[OPT_SOLVER] == SOLVER_SGD)
        return app_fail(app, EXIT_USAGE, "fit: --restarts and --solver sgd exclude each other");
    if (given(o, OPT_FORM) && given(o, OPT_FAMILY) && o->choice[OPT_FAMILY] != FAMILY_FULL)
        return app_fail(app, EXIT_USAGE, "fit: --form is for --family full");
    if (given(o, OPT_FOLDS) && !cv)
        return app_fail(app, EXIT_USAGE, "fit: --folds needs --select cv");
    if (cv && !given(o, OPT_LAMBDA_GRID) && !given(o, OPT_PRIOR_GRID))
        return app_fail(app, EXIT_USAGE,
                        "fit: --select cv needs --lambda-grid or --prior-grid to choose from");
    if (given(o, OPT_TEST) && strcmp(o->text[OPT_TEST], "-") == 0 && strcmp(o->inputs[0], "-") == 0)
        return app_fail(app, EXIT_USAGE, "fit: TRAIN and --test cannot both be standard input");
    int code = candidates_check(app);
    if (code == EXIT_DONE)
        code = check_ranking(app);
    if (code == EXIT_DONE)
        code = check_certificate(app);
    return code == EXIT_DONE ? outputs_check(app, outputs_print_result(o)) : code;
}

/* Some rows are split off before the others are looked at. */
static bool splits(const gbs_fit_options *o) {
    return o->prior == GBS_PRIOR_INFORMED || o->bound == GBS_BOUND_PROGRESSIVE;
}

/* Cross-validation settles lambda and prior_sd. */
static int select_by_cv(struct fit *f, gbs_fit_options *options) {
    gbs_bound bound = options->bound;
    int code = candidates_build(f->app, &f->train.design, &f->candidates);
    if (code == EXIT_DONE)
        code = candidates_validate(f->app, f->train.data, f->train.table.file, &f->candidates);
    if (code == EXIT_DONE)
        *options = f->candidates.item[f->candidates.best];
    options->bound = bound == GBS_BOUND_AUTO ? GBS_BOUND_KL : bound;
    return code;
}

/* What an honest certificate must know of how the columns and the grids were chosen. */
static unsigned looked(const struct fit *f, const gbs_fit_options *options) {
    const struct options *o = &f->app->options;
    unsigned bits = 0;
    if (f->candidates.n > 0 && given(o, OPT_LAMBDA_GRID))
        bits |= GBS_LOOKED_LAMBDA;
    if (f->candidates.n > 0 && given(o, OPT_PRIOR_GRID))
        bits |= GBS_LOOKED_PRIOR;
    for (size_t k = 0; !splits(options) && k < f->recipe.n_inputs; k++)
        if (f->recipe.inputs[k].is_text)
            bits |= GBS_LOOKED_COLUMNS;
    if (!splits(options) &&
        f->train.table.cells == NULL) /* svmlight: the largest index of any row */
        bits |= GBS_LOOKED_COLUMNS;
    return bits;
}

static int fit_model(struct fit *f, gbs_fit_options *options) {
    options->looked = looked(f, options);
    double start = app_seconds(f->app);
    gbs_status status = gbs_fit(f->app->ctx, f->train.data, options, &f->model);
    f->seconds_fit = app_seconds(f->app) - start;
    if (status != GBS_OK)
        return app_fail_status(f->app, status, status == GBS_ERR_DATA ? f->train.table.file : NULL);
    gbs_model_get_info(f->model, &f->info);
    char *recipe = recipe_to_json(&f->recipe);
    status = recipe != NULL ? gbs_model_set_recipe(f->app->ctx, f->model, recipe) : GBS_ERR_MEMORY;
    free(recipe);
    return status == GBS_OK ? EXIT_DONE : app_fail(f->app, EXIT_MEMORY, "out of memory");
}

/* The values of a grid, to be freed; NULL when it is not given or there is no memory. */
static double *grid_values(const struct grid *grid) {
    double *values = grid->size > 0 ? calloc(grid->size, sizeof *values) : NULL;
    for (size_t k = 0; values != NULL && k < grid->size; k++)
        values[k] = grid_value(grid, k);
    return values;
}

static int fit_over_grids(struct fit *f, gbs_fit_options *options) {
    const struct grid *lambdas = &f->app->options.grid[OPT_LAMBDA_GRID],
                      *sds = &f->app->options.grid[OPT_PRIOR_GRID];
    double *ladder = grid_values(lambdas), *prior_grid = grid_values(sds);
    int code = (lambdas->size > 0 && ladder == NULL) || (sds->size > 0 && prior_grid == NULL)
                   ? app_fail(f->app, EXIT_MEMORY, "out of memory")
                   : EXIT_DONE;
    options->ladder = ladder;
    options->ladder_size = lambdas->size;
    options->prior_grid = prior_grid;
    options->prior_grid_size = sds->size;
    if (code == EXIT_DONE)
        code = fit_model(f, options);
    free(ladder);
    free(prior_grid);
    return code;
}

/* docs/maths.md, 9.5: the constants that the paper recommends. */
static void set_paper(const struct fit *f, gbs_fit_options *options) {
    double n = (double)f->train.design.n,
           d = (double)(f->train.design.d + (options->intercept ? 1 : 0));
    if (options->task == GBS_TASK_RANK) {
        options->prior_sd = 1.0;
        options->lambda = sqrt(0.5 * d * (n - 1.0));
        return;
    }
    options->prior_sd = 1.0 / sqrt(d);
    options->lambda = sqrt(n * d) /
                      (options->loss == GBS_LOSS_HINGE && options->cx > 0.0 ? options->cx : 1.0);
}

static int run_fit(struct fit *f) {
    const struct options *o = &f->app->options;
    gbs_fit_options options = candidate_base(o);
    if (o->choice[OPT_SELECT] == SELECT_CV) {
        int code = select_by_cv(f, &options);
        return code == EXIT_DONE ? fit_model(f, &options) : code;
    }
    if (given(o, OPT_PAPER))
        set_paper(f, &options);
    return fit_over_grids(f, &options);
}

/* The test file is read before the fit: a bad one is found out early. */
static int read_files(struct fit *f) {
    const struct options *o = &f->app->options;
    gbs_fit_options fit = candidate_base(o);
    int code = input_train(f->app, o->inputs[0], splits(&fit) ? &fit : NULL, &f->recipe, &f->train);
    if (code == EXIT_DONE && given(o, OPT_TEST))
        code = input_apply(f->app, o->text[OPT_TEST], &f->recipe, LABELS_NEEDED, &f->test);
    f->seconds_read = app_seconds(f->app);
    return code;
}

static int make_roc(struct fit *f) {
    double *score = calloc(f->test.design.n, sizeof *score);
    gbs_status status = score != NULL ? gbs_model_predict(f->app->ctx, f->model, f->test.data,
                                                          score, NULL, NULL)
                                      : GBS_ERR_MEMORY;
    if (status == GBS_OK && !roc_make(f->test.design.n, f->test.design.y, score, &f->roc))
        status = GBS_ERR_MEMORY;
    free(score);
    return status == GBS_OK           ? EXIT_DONE
           : status == GBS_ERR_MEMORY ? app_fail(f->app, EXIT_MEMORY, "out of memory")
                                      : app_fail_status(f->app, status, f->test.table.file);
}

static int run_test(struct fit *f) {
    if (f->test.data == NULL)
        return EXIT_DONE;
    gbs_status status = gbs_model_evaluate(f->app->ctx, f->model, f->test.data, &f->evaluation);
    f->tested = status == GBS_OK;
    if (status != GBS_OK)
        return app_fail_status(f->app, status, f->test.table.file);
    return given(&f->app->options, OPT_JSON) ? make_roc(f) : EXIT_DONE;
}

/* ---------------------------------------------------------------- output */

static void put_data(struct json *j, const struct fit *f) {
    size_t positives = 0;
    for (size_t i = 0; i < f->train.design.n; i++)
        positives += f->train.design.y[i] > 0.0;
    json_open_object(j, "data");
    json_put_string(j, "file", f->train.table.file);
    json_put_count(j, "rows", f->train.design.n);
    json_put_count(j, "positives", positives);
    json_put_count(j, "left_out", f->train.design.left_out);
    json_put_count(j, "columns", f->train.design.d);
    json_put_string(j, "target", f->recipe.target);
    json_put_string(j, "positive", f->recipe.positive);
    json_put_string(j, "negative", f->recipe.negative);
    json_put_string(j, "test", f->tested ? f->test.table.file : NULL);
    json_close_object(j);
}

static void put_selection(struct json *j, const struct fit *f) {
    if (f->candidates.n == 0)
        return;
    const gbs_cv_result *r = &f->candidates.result[f->candidates.best];
    json_open_object(j, "selection");
    json_put_string(j, "by", "cv");
    json_put_count(j, "candidates", f->candidates.n);
    json_put_count(j, "folds", candidates_folds(&f->app->options));
    json_put_number(j, "error", r->error);
    json_put_number(j, "error_se", r->error_se);
    json_close_object(j);
}

static int result_json(const struct fit *f, struct text *out) {
    struct json j = json_writer(out);
    size_t traced;
    const gbs_trace_point *trace = gbs_model_trace(f->model, &traced);
    json_open_object(&j, NULL);
    result_head(&j, f->app);
    result_options(&j, f->app);
    put_data(&j, f);
    result_model(&j, &f->info);
    json_open_object(&j, "seconds");
    json_put_number(&j, "read", f->seconds_read);
    json_put_number(&j, "fit", f->seconds_fit);
    json_put_number(&j, "total", app_seconds(f->app));
    json_close_object(&j);
    put_selection(&j, f);
    result_certificates(&j, f->model);
    result_stages(&j, f->model);
    result_path(&j, "path", f->model);
    size_t restarts;
    const double *energies = gbs_model_restarts(f->model, &restarts);
    if (restarts > 0) {
        json_open_array(&j, "restarts");
        for (size_t k = 0; k < restarts; k++)
            json_put_number(&j, NULL, energies[k]);
        json_close_array(&j);
    }
    result_trace(&j, trace, traced, false);
    int code = result_coefficients(&j, f->app, f->model, &f->recipe);
    if (f->tested) {
        json_open_object(&j, "test");
        result_evaluation(&j, f->app, &f->evaluation, &f->roc);
        json_close_object(&j);
    } else {
        json_put_string(&j, "test", NULL);
    }
    json_close_object(&j);
    return code;
}

static void result_text(const struct fit *f, struct text *out) {
    const struct options *o = &f->app->options;
    text_add(out, "%s\n", f->train.table.file);
    result_model_text(out, f->model);
    text_add(out, "  label         %s = +1, %s%s = -1\n", f->recipe.positive,
             f->recipe.negative != NULL ? "" : "the rest",
             f->recipe.negative != NULL ? f->recipe.negative : "");
    result_certificates_text(out, f->model);
    if (f->candidates.n > 0)
        text_add(out,
                 "  chosen        lambda %g, prior sd %g: smallest of %zu cross-validated errors, "
                 "%.2f %%\n",
                 f->info.lambda, f->info.prior_sd, f->candidates.n,
                 100.0 * f->candidates.result[f->candidates.best].error);
    if (f->tested) {
        text_add(out, "%s\n", f->test.table.file);
        result_evaluation_text(out, f->app, &f->evaluation, f->recipe.positive, f->recipe.negative);
    }
    if (given(o, OPT_OUTPUT))
        text_add(out, "model written to %s (%.2f s: %.2f reading, %.2f fitting)\n",
                 o->text[OPT_OUTPUT], app_seconds(f->app), f->seconds_read, f->seconds_fit);
    else
        text_add(out,
                 "no model written: -o MODEL.json keeps it (%.2f s: %.2f reading, %.2f fitting)\n",
                 app_seconds(f->app), f->seconds_read, f->seconds_fit);
}

static void path_csv(const gbs_model *model, struct text *out) {
    const gbs_path_point *p = gbs_model_path(model);
    text_add(
        out,
        "lambda,prior_sd,free_energy,gibbs_risk,kl,optimality_gap,iterations,converged,bound\n");
    for (size_t t = 0; t < gbs_model_path_size(model); t++) {
        const double columns[] = {p[t].lambda, p[t].prior_sd, p[t].free_energy, p[t].gibbs_risk,
                                  p[t].kl};
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            text_add_number(out, columns[k]);
            text_add_bytes(out, ",", 1);
        }
        if (isfinite(p[t].optimality_gap))
            text_add_number(out, p[t].optimality_gap);
        text_add(out, ",%zu,%d,", p[t].iterations, p[t].converged);
        if (isfinite(p[t].bound))
            text_add_number(out, p[t].bound);
        text_add_bytes(out, "\n", 1);
    }
}

static void path_text(const struct fit *f, struct text *out) {
    if (text_ends_in(f->app->options.text[OPT_PATH], ".json")) {
        struct json j = json_writer(out);
        result_path(&j, NULL, f->model);
    } else {
        path_csv(f->model, out);
    }
}

static int write_model(const struct fit *f) {
    char *bytes = NULL;
    size_t size = 0;
    gbs_status status = gbs_model_to_json(f->app->ctx, f->model, &bytes, &size);
    if (status != GBS_OK)
        return app_fail_status(f->app, status, NULL);
    struct text text = {.bytes = bytes, .size = size};
    int code = app_write(f->app, f->app->options.text[OPT_OUTPUT], &text);
    gbs_release(f->app->ctx, bytes);
    return code;
}

/* Everything is composed before the first file is written: running out of memory half way must
 * leave none of them. */
static int write_results(const struct fit *f) {
    const struct options *o = &f->app->options;
    struct text path = {0}, result = {0};
    int code = EXIT_DONE;
    if (given(o, OPT_PATH))
        path_text(f, &path);
    if (given(o, OPT_JSON))
        code = result_json(f, &result);
    else if (outputs_print_result(o))
        result_text(f, &result);
    if (code == EXIT_DONE && (path.failed || result.failed))
        code = app_fail(f->app, EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE && given(o, OPT_OUTPUT))
        code = write_model(f);
    if (code == EXIT_DONE && given(o, OPT_PATH))
        code = app_write(f->app, o->text[OPT_PATH], &path);
    if (code == EXIT_DONE)
        code = app_write(f->app, NULL, &result);
    text_free(&path);
    text_free(&result);
    if (code == EXIT_DONE && !f->info.converged) {
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
    gbs_model_free(f.model);
    candidates_free(&f.candidates);
    input_free(&f.train);
    input_free(&f.test);
    recipe_free(&f.recipe);
    return code;
}

const struct command command_fit = {
    "fit",
    FOR_FIT,
    "fit TRAIN [-o MODEL] [OPTIONS]",
    "fit a variational Gibbs posterior to labelled rows, and certify it",
    "Reads TRAIN (CSV, svmlight or .npy, gzip of each, - for standard input), scales its columns, "
    "and fits Gaussians N(m, S) "
    "of the\n"
    "chosen family that minimise lambda x (mean loss) + KL(N(m, S) || prior). By default a first "
    "part of the rows, split off "
    "at random,\n"
    "gives the scaling, the centre of the prior and every choice; the others come block by block, "
    "each block first as a test "
    "of what was\n"
    "learned so far, then (but the last) as training rows. The model is the mixture of these "
    "stages, and its certificate, an "
    "upper bound on "
    "its true risk\n"
    "that holds with the stated confidence, costs nothing but the test rows. With --prior zero all "
    "rows train one posterior, "
    "as in the\n"
    "paper, and the certificate pays for its distance from the prior. A certificate is valid, or "
    "marked conditional with the "
    "reason.\n"
    "For hinge and exponential loss a posterior is proven to lie within the reported optimality "
    "gap of the best; zero-one loss "
    "is fitted by\n"
    "annealing along increasing lambda, or from the informed prior. Choosing by cross-validation "
    "(--select cv) moves lambda "
    "and the prior\n"
    "after a look at the rows: lambda is free under --bound kl, a prior chosen so makes the "
    "certificate conditional.\n"
    "--task rank learns a score instead: the loss is that of (x_i - x_j)'theta over all pairs of a "
    "positive and a negative "
    "row, and the\n"
    "certificate is on 1 - AUC given the labels, whichever loss was fitted. --solver sgd --pairs N "
    "does without a pass over "
    "all "
    "pairs.",
    "gibbsite fit train.csv -o model.json\n"
    "gibbsite fit train.csv.gz -o model.json --test test.csv --loss hinge --family diagonal\n"
    "gibbsite fit dna.csv --target class --positive ie -o model.json\n"
    "gibbsite fit train.csv --task rank -o model.json --test test.csv\n"
    "gibbsite fit huge.csv --task rank --solver sgd --pairs 1000000 -o model.json\n"
    "gibbsite fit train.csv -o model.json --loss hinge --lambda-grid 100:1000:4 --prior-grid "
    "0.1:1:3 --select cv\n"
    "gibbsite fit train.csv -o model.json --prior zero --scale unit-row --lambda-grid 1:1000:10 "
    "--path path.csv",
    run,
};
