/* What complete and inspect print of a completed matrix. */
#include "cmd/ratings_use.h"
#include "out/result.h"

#include <math.h>
#include <stdio.h>

enum { KNOWN_WORDS = 160 };

static const char *noise_kind(const gbs_completion_info *i) {
    return i->noise_learned ? "learned" : i->folds > 0 ? "chosen" : "given";
}

int result_completion(struct json *j, const struct app *app, const gbs_completion *model,
                      unsigned parts) {
    char *members = NULL;
    gbs_status status = gbs_completion_describe_json(app->ctx, model, parts, &members, NULL);
    return result_members(j, app, status, members);
}

void completion_sentence(struct text *words, const gbs_completion *model) {
    const gbs_rating_certificate *k = gbs_completion_certificate(model);
    if (k->present)
        text_add(words, "the %s is at most %.4f, with confidence %g%s",
                 k->draws == 0 ? "RMSE of the values that predict prints"
                               : "true RMSE of one random draw",
                 text_up(k->rmse, 4), k->confidence, k->vacuous ? ": VACUOUS" : "");
    else
        text_add(words, gbs_completion_get_info(model)->sampler == GBS_SAMPLER_GIBBS &&
                                gbs_completion_get_model(model) == GBS_COMPLETION_PAPER
                            ? "none: draws of a sampler give estimates"
                            : "none: it needs the range of the values, --range LO:HI");
}

static void deployed_text(struct text *out, const gbs_completion *model,
                          const gbs_completion_info *i) {
    const gbs_rating_certificate *k = gbs_completion_certificate(model);
    line_add(out, LINE_LONG, "",
             "on %s kept from the fit: RMSE seen %.4f; at most %.4f for the middle of the range",
             counted(k->n, "rating").text, (i->high - i->low) * sqrt(k->squared_empirical),
             text_up(k->middle_rmse, 4));
    line_add(out, LINE_LONG, "", "by itself, their mean absolute error is at most %.4f",
             text_up(gbs_completion_mae_bound(model), 4));
    if (isfinite(gbs_completion_miss_bound(model)))
        line_add(out, LINE_LONG, "",
                 "by itself, at least %.1f %% of them are within half a star of the rating",
                 text_down(100.0 * (1.0 - gbs_completion_miss_bound(model)), 1));
}

static void drawn_text(struct text *out, const gbs_completion *model,
                       const gbs_completion_info *i) {
    const gbs_rating_certificate *k = gbs_completion_certificate(model);
    char holdout[100] = "";
    if (k->vacuous)
        line_add(out, LINE_LONG, "",
                 "(always predicting the middle of the range is never off by more than %.4f)",
                 0.5 * (i->high - i->low));
    if (!k->vacuous && k->rmse >= k->middle_rmse)
        line_add(out, LINE_LONG, "",
                 "(no better than always predicting the middle of the range, see below)");
    line_add(
        out, LINE_LONG, "",
        "on %s: RMSE seen %.4f; nats: KL %.2f + grid %.2f + all at once %.2f + confidence %.2f",
        counted(k->n, "rating").text, (i->high - i->low) * sqrt(k->squared_empirical), k->kl,
        k->grid_nats, k->xi_nats, -log(1.0 - k->confidence - k->draws_delta));
    if (isfinite(k->holdout_rmse))
        snprintf(holdout, sizeof holdout, ", %.4f for the first part's means (a plain hold-out)",
                 text_up(k->holdout_rmse, 4));
    line_add(out, LINE_LONG, "",
             "yardsticks, from the same ratings: at most %.4f for the middle of the range%s",
             text_up(k->middle_rmse, 4), holdout);
}

void completion_card_certificate(struct text *out, const gbs_completion *model) {
    const gbs_completion_info *i = gbs_completion_get_info(model);
    const gbs_rating_certificate *k = gbs_completion_certificate(model);
    const char *assumed;
    struct text words = {0};
    completion_sentence(&words, model);
    out->failed |= words.failed;
    text_add(out, "**%s.**\n", words.bytes != NULL ? words.bytes : "");
    text_free(&words);
    if (!k->present)
        return;
    text_add(out,
             "\nOn %s: RMSE seen %.4f; always predicting the middle of the range is certified at "
             "%.4f.\n\nIt assumes that\n\n",
             counted(k->n, "rating").text, (i->high - i->low) * sqrt(k->squared_empirical),
             text_up(k->middle_rmse, 4));
    for (size_t a = 0; (assumed = gbs_completion_assumption(model, a)) != NULL; a++)
        text_add(out, "- %s\n", assumed);
}

static void certificate_line(struct text *out, enum line_kind kind, const gbs_completion *model) {
    struct text words = {0};
    completion_sentence(&words, model);
    out->failed |= words.failed;
    line_add(out, kind, "certificate", "%s", words.bytes != NULL ? words.bytes : "");
    text_free(&words);
}

static void certificate_text(struct text *out, const gbs_completion *model,
                             const gbs_completion_info *i) {
    const char *text;
    certificate_line(out, LINE_LONG, model);
    if (!gbs_completion_certificate(model)->present)
        return;
    if (gbs_completion_certificate(model)->draws == 0)
        deployed_text(out, model, i);
    else
        drawn_text(out, model, i);
    line_add(out, LINE_LONG, "", "it assumes that");
    for (size_t k = 0; (text = gbs_completion_assumption(model, k)) != NULL; k++)
        line_add(out, LINE_LONG, "", "- %s", text);
}

static void history_text(struct text *out, const gbs_completion *model, size_t folds) {
    size_t n_restarts;
    const gbs_noise_choice *choice;
    const double *restart = gbs_completion_restarts(model, &n_restarts);
    bool ranks = gbs_completion_choices(model) > 0 &&
                 isnan(gbs_completion_choice(model, 0)->noise_variance);
    if (gbs_completion_choices(model) > 0)
        text_add(out, "  chosen by the error on ratings left out, %zu folds\n%s", folds,
                 ranks ? "        model         rank  held-out RMSE     +-\n"
                       : "        noise variance      lambda  held-out RMSE     +-  components\n");
    for (size_t k = 0; ranks && (choice = gbs_completion_choice(model, k)) != NULL; k++)
        text_add(out, "        %-12s %5zu %14.4f %6.4f%s\n",
                 gbs_completion_model_name(choice->model), choice->rank, choice->rmse,
                 choice->rmse_se, choice->taken ? "  taken" : "");
    char noise[LINE_NUMBER], lambda[LINE_NUMBER];
    for (size_t k = 0; !ranks && (choice = gbs_completion_choice(model, k)) != NULL; k++)
        text_add(out, "      %16s %11s %14.4f %6.4f %11.1f%s%s%s\n",
                 line_number(choice->noise_variance, 6, noise),
                 line_number(choice->lambda, 6, lambda), choice->rmse, choice->rmse_se,
                 choice->effective_rank, choice->learned ? "  learned" : "",
                 choice->taken ? "  taken" : "",
                 choice->not_converged > 0 ? "  NOT CONVERGED" : "");
    struct text words = {0};
    for (size_t k = 0; k < n_restarts; k++)
        text_add(&words, "%s %.8g", k > 0 ? "," : "", restart[k]);
    out->failed |= words.failed;
    if (n_restarts > 0)
        line_add(out, LINE_LONG, "starts", "free energies%s",
                 words.bytes != NULL ? words.bytes : "");
    text_free(&words);
}

static void model_line(struct text *out, const gbs_completion *model,
                       const gbs_completion_info *i) {
    if (i->sampler == GBS_SAMPLER_GIBBS)
        line_add(out, LINE_LONG, "model", "%s%s, %s after %s, %zu kept",
                 counted(i->effective_rank, "component").text, i->biases ? ", mean and biases" : "",
                 counted(i->draws, "draw").text, counted(i->burn_in, "sweep").text, i->kept);
    else if (gbs_completion_get_model(model) == GBS_COMPLETION_HIERARCHICAL)
        line_add(out, LINE_LONG, "model", "hierarchical, %zu components, mean and biases, %s",
                 i->effective_rank,
                 gbs_completion_uses_positions(model) ? "informed by which cells are rated"
                                                      : "positions of the ratings not used");
    else
        line_add(out, LINE_LONG, "model", "%zu components left of %zu%s", i->effective_rank,
                 i->rank, i->biases ? ", mean and biases" : "");
}

/* "; 3 rows and 1 columns known from features alone", where there are any. */
static const char *known_words(const gbs_completion_info *i, char words[static KNOWN_WORDS]) {
    size_t rows = i->rows - i->rated_rows, columns = i->columns - i->rated_columns;
    words[0] = '\0';
    if (rows > 0 && columns > 0)
        snprintf(words, KNOWN_WORDS, "; %s and %s known from features alone",
                 counted(rows, "row").text, counted(columns, "column").text);
    else if (rows + columns > 0)
        snprintf(words, KNOWN_WORDS, "; %zu %s known from features alone", rows + columns,
                 rows > 0 ? "rows" : "columns");
    return words;
}

void result_completion_text(struct text *out, const gbs_completion *model) {
    const gbs_completion_info *i = gbs_completion_get_info(model);
    char mean[48] = "", noise[LINE_NUMBER], lambda[LINE_NUMBER], end[80];
    char known[KNOWN_WORDS];
    line_add(out, LINE_LONG, "ratings", "%zu of %s and %s%s", i->n,
             counted(i->rated_rows, "row").text, counted(i->rated_columns, "column").text,
             known_words(i, known));
    model_line(out, model, i);
    line_add(out, LINE_LONG, "noise", "variance %s (%s), lambda %s",
             line_number(i->noise_variance, 6, noise), noise_kind(i),
             line_number(i->lambda, 6, lambda));
    if (gbs_completion_inflation(model) != 1.0)
        line_add(out, LINE_LONG, "spread",
                 "variances of predictions times %.3f, as ratings left out of fits ask for",
                 gbs_completion_inflation(model));
    double kept, all = gbs_completion_monte_carlo(model, &kept);
    if (isfinite(all))
        line_add(out, LINE_LONG, "Monte Carlo",
                 "values are off their limit by %.4f, the model's own by %.4f (root mean square)",
                 all, kept);
    history_text(out, model, i->folds);
    snprintf(end, sizeof end, "%s, %s", counted(i->sweeps, "sweep").text,
             i->converged ? "converged" : "NOT CONVERGED");
    line_add(out, LINE_LONG, "free energy", "%.8g, of it KL to the prior %.6g; %s%s",
             i->free_energy, i->kl,
             i->sampler == GBS_SAMPLER_GIBBS ? "of the fit where the sampler began: " : "", end);
    if (isfinite(i->sd))
        snprintf(mean, sizeof mean, ", of their mean %.4f", i->sd);
    line_add(out, LINE_LONG, "these ratings", "RMSE %.4f%s", i->rmse, mean);
    certificate_text(out, model, i);
}

void result_completion_short(struct text *out, const gbs_completion *model, const char *file) {
    const gbs_completion_info *i = gbs_completion_get_info(model);
    char name[LINE_NAME], known[KNOWN_WORDS];
    line_add(out, LINE_SHORT, "data", "%s of %s and %s, from %s%s", counted(i->n, "rating").text,
             counted(i->rated_rows, "row").text, counted(i->rated_columns, "column").text,
             line_name(file, 20, name), known_words(i, known));
    certificate_line(out, LINE_SHORT, model);
    if (isfinite(i->sd))
        line_add(out, LINE_SHORT, "baseline", "always the mean of these ratings has RMSE %.4f",
                 i->sd);
}

void result_rating_evaluation(struct json *j, const gbs_rating_evaluation *e,
                              const struct rating_yardstick *y) {
    json_put_count(j, "n", e->n);
    json_put_number(j, "rmse", e->rmse);
    json_put_number(j, "mae", e->mae);
    json_put_number(j, "coverage", e->coverage);
    json_put_count(j, "new_rows", e->new_rows);
    json_put_count(j, "new_cols", e->new_columns);
    json_put_number(j, "mean_rmse", y->mean_rmse);
    json_put_number(j, "holdout_rmse", y->holdout_rmse);
    json_put_number(j, "confidence", y->confidence);
}

void result_rating_evaluation_text(struct text *t, enum line_kind kind,
                                   const gbs_rating_evaluation *e,
                                   const struct rating_yardstick *y) {
    char mean[64] = "";
    if (isfinite(y->mean_rmse))
        snprintf(mean, sizeof mean, "; always predicting the training mean: RMSE %.4f",
                 y->mean_rmse);
    if (e->new_rows + e->new_columns > 0)
        line_add(t, kind, "ratings",
                 "%zu, of them %zu in rows and %zu in columns that the model does not know", e->n,
                 e->new_rows, e->new_columns);
    else
        line_add(t, kind, "ratings", "%zu", e->n);
    line_add(t, kind, "RMSE", "%.4f, mean absolute error %.4f%s", e->rmse, e->mae, mean);
    line_add(t, kind, "intervals",
             kind == LINE_LONG
                 ? "%.1f %% of the values within 1.96 standard deviations (95.0 %% hoped for)"
                 : "%.1f %% of the values within 1.96 standard deviations",
             100.0 * e->coverage);
    if (isfinite(y->holdout_rmse))
        line_add(t, kind, "hold-out",
                 "if the model has not seen them: true RMSE at most %.4f, with confidence %g",
                 text_up(y->holdout_rmse, 4), y->confidence);
}

int ratings_inspect(struct app *app, const gbs_completion *model) {
    struct text text = {0};
    struct json j = json_writer(&text);
    int code = EXIT_DONE;
    if (given(&app->options, "json")) {
        json_open_object(&j, NULL);
        result_head(&j, app);
        code = result_completion(
            &j, app, model, GBS_DESCRIBE_INFO | GBS_DESCRIBE_CERTIFICATES | GBS_DESCRIBE_ORIGIN);
        json_close_object(&j);
    } else {
        text_add(&text, "%s\n", app->options.inputs[0]);
        result_completion_text(&text, model);
    }
    const struct options *o = &app->options;
    if (code == EXIT_DONE)
        code = app_write(app, given(o, "output") ? option_text(o, "output") : NULL, &text);
    text_free(&text);
    return code;
}
