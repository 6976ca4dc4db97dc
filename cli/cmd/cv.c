/* gibbsite cv: a table of cross-validated errors. */
#include "cmd/candidates.h"
#include "input.h"
#include "out/result.h"
#include "outputs.h"

static void table_json(const struct app *app, const struct candidates *c, size_t n, size_t d,
                       struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, app);
    result_options(&j, app);
    json_put_count(&j, "n", n);
    json_put_count(&j, "d", d);
    json_put_count(&j, "folds", candidates_folds(&app->options));
    json_open_array(&j, "table");
    for (size_t k = 0; k < c->n; k++) {
        json_open_object(&j, NULL);
        json_put_string(&j, "loss", gbs_loss_name(c->item[k].loss));
        json_put_string(&j, "family", gbs_family_name(c->result[k].family));
        json_put_number(&j, "lambda", c->item[k].lambda);
        json_put_number(&j, "prior_sd", c->item[k].prior_sd);
        json_put_number(&j, "error", c->result[k].error);
        json_put_number(&j, "error_se", c->result[k].error_se);
        json_put_number(&j, "gibbs_error", c->result[k].gibbs_error);
        json_put_number(&j, "gibbs_risk", c->result[k].gibbs_risk);
        json_put_count(&j, "not_converged", c->result[k].not_converged);
        json_put_bool(&j, "best", k == c->best);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
}

static void table_text(const struct app *app, const struct candidates *c, struct text *out) {
    bool ranks = c->item[0].task == GBS_TASK_RANK;
    text_add(out, "  %-11s %-9s %10s %10s %9s %8s %12s\n", "loss", "family", "lambda", "prior sd",
             ranks ? "1 - AUC" : "error", "(se)", ranks ? "of one draw" : "Gibbs error");
    for (size_t k = 0; k < c->n; k++)
        text_add(out, "%c %-11s %-9s %10.4g %10.4g %7.2f %% %8.2f %10.2f %%%s\n",
                 k == c->best ? '*' : ' ', gbs_loss_name(c->item[k].loss),
                 gbs_family_name(c->result[k].family), c->item[k].lambda, c->item[k].prior_sd,
                 100.0 * c->result[k].error, 100.0 * c->result[k].error_se,
                 100.0 * c->result[k].gibbs_error,
                 c->result[k].not_converged > 0 ? "  (not converged)" : "");
    text_add(out,
             "* smallest %s over %zu folds. The row was chosen by this number, so the number "
             "flatters it.\n",
             ranks ? "1 - AUC of the score" : "error of the vote", candidates_folds(&app->options));
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct recipe recipe = {0};
    struct input in = {0};
    struct candidates c = {0};
    if (o->n_inputs != 1)
        return app_fail(app, EXIT_USAGE, "cv: expected one training file, found %zu; gibbsite %s",
                        o->n_inputs, app->command->usage);
    int code = candidates_check(app);
    if (code == EXIT_DONE)
        code = outputs_check(app, true);
    if (code == EXIT_DONE)
        code = input_train(app, o->inputs[0], NULL, &recipe, &in);
    if (code == EXIT_DONE)
        code = candidates_build(app, &in.design, &c);
    if (code == EXIT_DONE)
        code = candidates_validate(app, in.data, in.table.file, &c);
    if (code == EXIT_DONE) {
        struct text text = {0};
        size_t d = in.design.d + (c.item[0].intercept ? 1 : 0);
        if (given(o, OPT_JSON))
            table_json(app, &c, in.design.n, d, &text);
        else
            table_text(app, &c, &text);
        code = app_write(app, NULL, &text);
        text_free(&text);
    }
    candidates_free(&c);
    input_free(&in);
    recipe_free(&recipe);
    return code;
}

const struct command command_cv = {
    "cv",
    FOR_CV,
    "cv TRAIN [OPTIONS]",
    "cross-validated errors over losses, families and grids",
    "Fits every combination of --loss and --family (several, separated by commas), --lambda-grid "
    "and --prior-grid on all folds "
    "but one and tests it on\n"
    "the one left out, in turn: one posterior under the zero prior, as fit --prior zero would make "
    "it. Folds are stratified by "
    "label and dealt out by --seed, the same for every combination. Scaling "
    "constants are\n"
    "learned from the training folds alone. lambda is meant for all rows and scaled down with the "
    "rows of a fold. With --task "
    "rank the error is\n"
    "1 - AUC over the pairs inside a fold.",
    "gibbsite cv train.csv --lambda-grid 50:800:5\n"
    "gibbsite cv train.csv --loss zero-one,hinge --family diagonal,full --lambda-grid 100:1000:3 "
    "--prior-grid 0.1:1:2 --json",
    run,
};
