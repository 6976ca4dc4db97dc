/* The answer of fit, short and long. */
#include "cmd/fit_text.h"
#include "out/sources.h"

#include <math.h>
#include <stdio.h>

/* Names are cut so that no part takes more lines than are meant for it: data two, test one, the
 * certificate two, cost and baseline one, files one. */
enum { FILE_COLUMNS = 20, LABEL_COLUMNS = 10, MOST_LINES = 8 };

static void data_line(const struct fit *f, struct text *out) {
    const gbs_recipe *r = f->recipe;
    const char *target = gbs_recipe_target(r);
    char file[LINE_NAME], column[LINE_NAME], coded[48] = "";
    struct text labels = {0};
    size_t columns = gbs_data_columns(f->train.data), inputs = gbs_recipe_inputs(r);
    if (inputs != columns)
        snprintf(coded, sizeof coded, " (%zu as numbers)", columns);
    result_labels_text(&labels, r, LABEL_COLUMNS);
    out->failed |= labels.failed;
    line_add(out, LINE_SHORT, "data", "%s of %s, %zu column%s%s; label%s%s: %s",
             counted(gbs_data_rows(f->train.data), "row").text,
             line_name(f->train.file, FILE_COLUMNS, file), inputs, inputs == 1 ? "" : "s", coded,
             target != NULL ? " " : "",
             target != NULL ? line_name(target, LABEL_COLUMNS, column) : "",
             labels.bytes != NULL ? labels.bytes : "");
    text_free(&labels);
}

static void test_line(const struct fit *f, struct text *out) {
    const gbs_evaluation *e = f->evaluation;
    char file[LINE_NAME], error[48] = "", auc[48] = "none (one class)";
    if (!f->tested)
        return;
    if (result_is_many(f->recipe)) {
        line_add(out, LINE_SHORT, "test", "error %.2f %%, log loss %.4f, on %s of %s",
                 100.0 * e->error, e->log_loss, counted(e->n, "row").text,
                 line_name(f->test.file, FILE_COLUMNS, file));
        return;
    }
    if (result_has_labels(e))
        snprintf(error, sizeof error, "error %.2f %%, ", 100.0 * e->error);
    if (isfinite(e->auc))
        snprintf(auc, sizeof auc, "%.4f", e->auc);
    line_add(out, LINE_SHORT, "test", "%sAUC %s, on %s of %s", error, auc,
             counted(e->n, "row").text, line_name(f->test.file, FILE_COLUMNS, file));
}

static void files_line(const struct fit *f, enum line_kind kind, struct text *out) {
    const struct options *o = &f->app->options;
    char model[LINE_NAME], path[LINE_NAME], written[2 * LINE_NAME + 40] = "not written: no -o FILE",
                                                                    also[LINE_NAME + 40] = "";
    if (given(o, "output"))
        snprintf(written, sizeof written, "written to %s",
                 line_name(option_text(o, "output"), FILE_COLUMNS, model));
    if (given(o, "path"))
        snprintf(also, sizeof also, ", path to %s",
                 line_name(option_text(o, "path"), FILE_COLUMNS / 2, path));
    if (kind == LINE_SHORT)
        line_add(out, kind, "model", "%s%s (%.2f s)", written, also, app_seconds(f->app));
    else
        line_plain(out, kind, "model %s%s (%.2f s: %.2f reading, %.2f fitting)", written, also,
                   app_seconds(f->app), f->seconds_read, f->seconds_fit);
}

/* What was asked for by --cost and --max-weight. */
static void asked_lines(const struct fit *f, struct text *out) {
    const gbs_certificate *c;
    for (size_t k = 0; (c = gbs_model_certificate(f->model, k)) != NULL; k++)
        if (c->target == GBS_TARGET_COST)
            line_add(out, LINE_SHORT, "cost", "at most %.4g a row, with confidence %g (seen: %.4g)",
                     text_up_digits(c->value, 4), c->confidence, c->empirical);
        else if (c->target == GBS_TARGET_WEIGHTED)
            line_add(out, LINE_SHORT, "by weight",
                     "labels are wrong in at most %.2f %%, with confidence %g (seen: %.2f %%)",
                     text_up(100.0 * c->value, 2), c->confidence, 100.0 * c->empirical);
}

void fit_text_short(const struct fit *f, struct text *out) {
    struct text words = {0};
    data_line(f, out);
    test_line(f, out);
    result_sentence(&words, f->model);
    out->failed |= words.failed;
    line_add(out, LINE_SHORT, "certificate", "%s", words.bytes != NULL ? words.bytes : "");
    text_free(&words);
    asked_lines(f, out);
    result_baseline_text(out, LINE_SHORT, f->model, f->recipe, &f->baseline);
    result_importance_within(out, gbs_model_explanation(f->model), MOST_LINES - 1);
    files_line(f, LINE_SHORT, out);
}

/* What was compared; a way that was not tried has no log loss. */
static void chosen_scheme(const gbs_classes_card *many, struct text *out) {
    const struct {
        const char *way;
        double log_loss;
    } tried[] = {{"all classes together", many->softmax_log_loss},
                 {"each against the rest", many->rest_log_loss},
                 {"each against each", many->pairs_log_loss}};
    struct text words = {0};
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++)
        if (isfinite(tried[k].log_loss))
            text_add(&words, "%s%s %.4f", words.bytes != NULL ? ", " : "", tried[k].way,
                     tried[k].log_loss);
    out->failed |= words.failed;
    if (words.bytes != NULL)
        line_add(out, LINE_LONG, "chosen",
                 "by the log loss, out of fold on the rows to learn "
                 "from: %s; columns and prior sd likewise",
                 words.bytes);
    text_free(&words);
}

static void chosen_line(const struct fit *f, struct text *out) {
    const gbs_selection *chosen = gbs_model_selection(f->model);
    const gbs_classes_card *many = gbs_model_classes_card(f->model);
    if (many != NULL)
        chosen_scheme(many, out);
    else if (chosen->candidates > 0 && gbs_model_card(f->model) != NULL)
        line_add(out, LINE_LONG, "chosen",
                 "loss %s, columns %s, prior sd %g: the best of %zu, out of fold on the rows to "
                 "learn from",
                 gbs_loss_name(f->info->loss), gbs_columns_name(f->info->columns),
                 f->info->prior_sd, chosen->candidates);
    else if (chosen->candidates > 0)
        line_add(out, LINE_LONG, "chosen",
                 "lambda %g, prior sd %g: smallest of %zu cross-validated errors, %.2f %%",
                 f->info->lambda, f->info->prior_sd, chosen->candidates, 100.0 * chosen->error);
}

void fit_text_long(const struct fit *f, struct text *out) {
    const char *negative = gbs_recipe_negative(f->recipe);
    text_add(out, "%s\n", f->train.file);
    result_model_text(out, f->model);
    if (!result_is_many(f->recipe))
        line_add(out, LINE_LONG, "label", "%s = +1, %s = -1", gbs_recipe_positive(f->recipe),
                 negative != NULL ? negative : "the rest");
    result_certificates_text(out, f->model, f->recipe, &f->baseline);
    chosen_line(f, out);
    sources_model(out, f->model);
    result_importance_text(out, LINE_LONG, gbs_model_explanation(f->model));
    if (f->tested) {
        text_add(out, "%s\n", f->test.file);
        line_add(out, LINE_LONG, "rows", "%zu", f->evaluation->n);
        result_evaluation_text(out, LINE_LONG, f->app, f->evaluation, f->model, f->recipe);
    }
    files_line(f, LINE_LONG, out);
}
