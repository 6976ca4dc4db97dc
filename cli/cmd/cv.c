/* gibbsite cv: a table of cross-validated errors. */
#include "cmd/cv_ratings.h"
#include "input.h"
#include "out/result.h"
#include "outputs.h"

#include <math.h>

static void table_json(const struct app *app, const gbs_cv *cv, size_t n, struct text *out) {
    const gbs_cv_result *r;
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, app);
    result_options(&j, app);
    json_put_count(&j, "n", n);
    json_put_count(&j, "d", gbs_cv_at(cv, 0)->d);
    json_put_count(&j, "folds", option_count(&app->options, "folds"));
    json_put_string(&j, "task", gbs_options_get(app->options.set, "task"));
    json_put_bool(&j, "deployed", gbs_cv_at(cv, 0)->deployed != 0);
    json_open_array(&j, "table");
    for (size_t k = 0; (r = gbs_cv_at(cv, k)) != NULL; k++) {
        json_open_object(&j, NULL);
        json_put_string(&j, "loss", r->deployed ? "auto" : gbs_loss_name(r->loss));
        json_put_string(&j, "family", gbs_family_name(r->family));
        json_put_number(&j, "lambda", r->lambda);
        json_put_number(&j, "prior_sd", r->prior_sd);
        json_put_number(&j, "error", r->error);
        json_put_number(&j, "error_se", r->error_se);
        json_put_number(&j, "auc", r->auc);
        json_put_number(&j, "auc_se", r->auc_se);
        json_put_number(&j, "brier", r->brier);
        json_put_number(&j, "brier_se", r->brier_se);
        json_put_number(&j, "log_loss", r->log_loss);
        json_put_number(&j, "log_loss_se", r->log_loss_se);
        json_put_number(&j, "gibbs_error", r->gibbs_error);
        json_put_number(&j, "gibbs_risk", r->gibbs_risk);
        json_put_count(&j, "not_converged", r->not_converged);
        json_put_bool(&j, "best", k == gbs_cv_best(cv));
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
}

/* What a default fit is worth; at most eight lines. */
static void deployed_text(const struct app *app, const gbs_cv *cv, const struct input *in,
                          struct text *out) {
    const gbs_cv_result *r = gbs_cv_at(cv, 0);
    char file[LINE_NAME];
    line_add(out, LINE_SHORT, "data", "%s of %s, %zu folds",
             counted(gbs_data_rows(in->data), "row").text, line_name(in->file, 20, file),
             option_count(&app->options, "folds"));
    if (gbs_task_has(option_task(&app->options), GBS_FACT_LABELS))
        line_add(out, LINE_SHORT, "error", "%.2f %% +- %.2f   of the labels of a default fit",
                 100.0 * r->error, 100.0 * r->error_se);
    if (isfinite(r->auc))
        line_add(out, LINE_SHORT, "AUC", "%.4f +- %.4f of its score", r->auc, r->auc_se);
    if (isfinite(r->brier))
        line_add(out, LINE_SHORT, "Brier score", "%.4f +- %.4f of its probabilities", r->brier,
                 r->brier_se);
    if (isfinite(r->log_loss))
        line_add(out, LINE_SHORT, "log loss", "%.4f +- %.4f", r->log_loss, r->log_loss_se);
    if (r->not_converged > 0)
        line_add(out, LINE_SHORT, "solver", "NOT CONVERGED in %zu folds", r->not_converged);
}

static void table_text(const struct app *app, const gbs_cv *cv, struct text *out) {
    bool labels = gbs_task_has(option_task(&app->options), GBS_FACT_LABELS) != 0;
    const gbs_cv_result *r;
    text_add(out, "  %-11s %-9s %10s %10s %9s %8s %12s\n", "loss", "family", "lambda", "prior sd",
             labels ? "error" : "1 - AUC", "(se)", labels ? "Gibbs error" : "of one draw");
    char lambda[LINE_NUMBER], sd[LINE_NUMBER];
    for (size_t k = 0; (r = gbs_cv_at(cv, k)) != NULL; k++)
        text_add(out, "%c %-11s %-9s %10s %10s %7.2f %% %8.2f %10.2f %%%s\n",
                 k == gbs_cv_best(cv) && gbs_cv_at(cv, 1) != NULL ? '*' : ' ',
                 gbs_loss_name(r->loss), gbs_family_name(r->family),
                 line_number(r->lambda, 4, lambda), line_number(r->prior_sd, 4, sd),
                 100.0 * r->error, 100.0 * r->error_se, 100.0 * r->gibbs_error,
                 r->not_converged > 0 ? "  (not converged)" : "");
    if (gbs_cv_at(cv, 1) != NULL)
        line_plain(out, LINE_SHORT,
                   "* smallest %s over %zu folds. The row was chosen by this number, so the number "
                   "flatters it.",
                   labels ? "error of the labels" : "1 - AUC of the score",
                   option_count(&app->options, "folds"));
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct input in = {0};
    gbs_cv *cv = NULL;
    int code = input_check_train(app);
    if (code == EXIT_DONE && cv_is_of_ratings(app))
        return cv_ratings(app);
    if (code == EXIT_DONE)
        code = app_check_options(app);
    if (code == EXIT_DONE)
        code = outputs_check(app, true);
    if (code == EXIT_DONE)
        code = input_train(app, &in);
    if (code == EXIT_DONE) {
        gbs_status status = gbs_cross_validate(app->ctx, in.data, o->set, &cv);
        if (status != GBS_OK)
            code = app_fail_status(app, status, status == GBS_ERR_DATA ? in.file : NULL);
    }
    if (code == EXIT_DONE) {
        struct text text = {0};
        if (given(o, "json"))
            table_json(app, cv, gbs_data_rows(in.data), &text);
        else if (gbs_cv_at(cv, 0)->deployed)
            deployed_text(app, cv, &in, &text);
        else
            table_text(app, cv, &text);
        code = app_write(app, NULL, &text);
        text_free(&text);
    }
    gbs_cv_free(cv);
    input_free(&in);
    return code;
}

const struct command command_cv = {
    "cv",
    GBS_FOR_CV,
    "cv TRAIN...|RATINGS [OPTIONS]",
    "cross-validated errors: of the default fit, or over losses, families and grids",
    "By itself, cross-validates what fit deploys: on all folds but one a default fit chooses, "
    "trains and calibrates, and the fold left out tests it, in turn. Prints error, AUC, Brier "
    "score and log loss with standard errors over the folds. That is an estimate; the certificate "
    "of fit is a promise. With one of --loss, --family, --lambda, --lambda-grid, --prior-sd and "
    "--prior-grid it fits every combination of --loss and --family (several, separated by commas), "
    "--lambda-grid and --prior-grid on all folds but one and tests it on the one left out, in "
    "turn: one posterior under the zero prior, as fit --prior zero would make it. Folds are "
    "stratified by label and dealt out by --seed, the same for every combination. Scaling "
    "constants are learned from the training folds alone. lambda is meant for all rows and scaled "
    "down with the rows of a fold. With --task rank the error is 1 - AUC over the pairs inside a "
    "fold.\n"
    "A file of ratings (row, col, value, a MatrixMarket file, or any with --rank, --model or "
    "--positions) compares completions: the hierarchical model at a quarter, a half, one and two "
    "times --rank, and the paper's; with --model paper variances of the noise. Ratings from a pipe "
    "or a gzip file of CSV need one of these options: only a plain file is looked into.",
    "gibbsite cv train.csv\n"
    "gibbsite cv train.csv --lambda-grid 50:800:5\n"
    "gibbsite cv train.csv --loss zero-one,hinge --lambda-grid 100:1000:3 --prior-grid 0.1:1:2\n"
    "gibbsite cv ratings.csv --rank 16",
    run,
};
