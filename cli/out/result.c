/* Results that several commands print. */
#include "out/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void result_head(struct json *j, const struct app *app) {
    json_put_string(j, "gibbsite", gbs_version());
    json_put_string(j, "command", app->command->name);
}

int result_describe(struct json *j, const struct app *app, const gbs_model *model, unsigned parts) {
    char *members = NULL;
    gbs_status status = gbs_model_describe_json(app->ctx, model, parts, &members, NULL);
    if (status != GBS_OK)
        return app_fail_status(app, status, NULL);
    json_put_members(j, members);
    gbs_release(app->ctx, members);
    return EXIT_DONE;
}

/* The label of a class, +1 or -1. */
static void class_name(const gbs_recipe *recipe, int class, struct text *out) {
    const char *positive = gbs_recipe_positive(recipe), *negative = gbs_recipe_negative(recipe);
    if (class > 0)
        text_add(out, "%s", positive);
    else if (negative != NULL)
        text_add(out, "%s", negative);
    else
        text_add(out, "not %s", positive);
}

static const char *what(const gbs_certificate *c, bool calibrated) {
    if (c->risk == GBS_RISK_PAIRS)
        return "one draw, any two rows";
    if (c->risk == GBS_RISK_AUC && c->target != GBS_TARGET_GIBBS && c->target != GBS_TARGET_AUC)
        return c->target == GBS_TARGET_VOTE ? "the score" : "the first part's score";
    switch (c->target) {
    case GBS_TARGET_GIBBS:
        return c->loss == GBS_LOSS_HINGE ? "hinge risk, one draw" : "one random draw";
    case GBS_TARGET_MIXTURE:
        return "one draw, any stage";
    case GBS_TARGET_VOTE:
        return calibrated ? "the printed labels" : "the vote";
    case GBS_TARGET_PRIOR_VOTE:
        return "the first part's vote";
    case GBS_TARGET_RECALL:
        return c->given > 0 ? "positive rows missed" : "negative rows missed";
    case GBS_TARGET_COST:
        return "the mean cost";
    case GBS_TARGET_BRIER:
        return "the Brier score";
    case GBS_TARGET_AUC:
        return "1 - AUC of the score";
    }
    return "";
}

/* What guessing does, and what a number no better than that is worth. */
static void baseline_text(struct text *t, const gbs_model *model, const gbs_recipe *recipe) {
    const gbs_card *card = gbs_model_card(model);
    const gbs_certificate *c = gbs_model_certificate(model, 0);
    if (card == NULL || c == NULL)
        return;
    if (c->target == GBS_TARGET_AUC) {
        if (c->value >= 0.5)
            text_add(t,
                     "  NOTE          a coin orders rows as well: the certificate says nothing\n");
        return;
    }
    text_add(t, "  baseline      always saying ");
    class_name(recipe, card->baseline_label, t);
    text_add(t, " is wrong in %.2f %% of these rows\n", 100.0 * card->baseline_error);
    if (card->one_label)
        text_add(t, "  NOTE          the model says one label for all of these rows\n");
    if (c->value >= card->baseline_error)
        text_add(t,
                 "  NOTE          the certificate is no better than guessing: it says nothing\n");
}

void result_certificates_text(struct text *t, const gbs_model *model, const gbs_recipe *recipe) {
    const char *text;
    bool calibrated = gbs_model_card(model) != NULL;
    const gbs_certificate *c = gbs_model_certificate(model, 0), *each;
    if (c == NULL) {
        text_add(t, "  certificate   none\n");
        return;
    }
    if (c->target == GBS_TARGET_AUC)
        text_add(t,
                 "  certificate   the score that predict prints has a true AUC of at least %.4f "
                 "(1 - AUC at most %.4f), with confidence %g: %s\n",
                 1.0 - c->value, c->value, c->confidence, c->valid ? "valid" : "CONDITIONAL");
    else if (calibrated)
        text_add(t,
                 "  certificate   the labels that predict prints are wrong in at most %.2f %% of "
                 "all cases, with confidence %g: %s\n",
                 100.0 * c->value, c->confidence, c->valid ? "valid" : "CONDITIONAL");
    else if (c->risk != GBS_RISK_ERROR)
        text_add(t,
                 "  certificate   the true %s of one random draw is at most %.4f, with confidence "
                 "%g: %s\n",
                 c->risk == GBS_RISK_AUC ? "1 - AUC" : "share of pairs in the wrong order",
                 c->value, c->confidence, c->valid ? "valid" : "CONDITIONAL");
    else
        text_add(t,
                 "  certificate   the true %s risk of %s is at most %.4f, with confidence %g: %s\n",
                 gbs_loss_name(c->loss),
                 c->target == GBS_TARGET_MIXTURE ? "one random draw (a stage, then a classifier)"
                                                 : "one random draw",
                 c->value, c->confidence, c->valid ? "valid" : "CONDITIONAL");
    baseline_text(t, model, recipe);
    text_add(t, "  %-7s %-22s %-11s %7s %9s   %s\n", "bound", "of", "method",
             c->risk != GBS_RISK_ERROR ? "pairs" : "rows", "risk seen",
             "nats: KL + grid + all at once + confidence");
    for (size_t k = 0; (each = gbs_model_certificate(model, k)) != NULL; k++)
        text_add(t, "  %-7.4f %-22s %-11s %7zu %9.4f   %6.2f %6.2f %6.2f %6.2f%s\n", each->value,
                 what(each, calibrated), gbs_bound_name(each->method), each->blocks,
                 each->empirical, each->kl, each->grid_nats, each->xi_nats,
                 -log(1.0 - each->confidence - each->sampled_delta),
                 each->valid ? "" : "  conditional");
    if (c->sampled > 0)
        text_add(t,
                 "                the risk seen is that of %zu pairs drawn at random; over all "
                 "pairs it is at most %.6g, but for "
                 "probability %.4g,\n"
                 "                which is part of %.4g\n",
                 c->sampled, c->empirical_upper, c->sampled_delta, 1.0 - c->confidence);
    if (calibrated && gbs_model_card(model)->joint)
        text_add(t, "                all lines hold at once.\n");
    else
        text_add(t, "                each line holds by itself, the smallest of them does not; the "
                    "first was chosen in advance.\n");
    text_add(t, "                it assumes that\n");
    for (unsigned k = 0; (text = gbs_assumption_text(k, NULL)) != NULL; k++)
        if ((c->assumptions >> k & 1U) != 0)
            text_add(t, "                - %s\n", text);
}

static double confidence(const struct app *app) {
    return given(&app->options, "confidence") ? option_number(&app->options, "confidence") : 0.95;
}

/* Of a model that ranks; what is about labels is null. */
static void ranking(struct json *j, const struct app *app, const gbs_evaluation *e,
                    const struct roc *roc) {
    json_put_count(j, "n", e->n);
    json_put_number(j, "error", NAN);
    json_put_number(j, "gibbs_risk", e->gibbs_risk);
    json_put_number(j, "gibbs_error", e->gibbs_error);
    json_put_number(j, "auc", e->auc);
    json_put_number(j, "auc_se", e->auc_se);
    json_put_count(j, "blocks", e->blocks);
    json_put_number(j, "holdout_bound",
                    gbs_auc_risk_upper(1.0 - e->auc, e->blocks, confidence(app)));
    json_put_number(j, "confidence", confidence(app));
    if (roc != NULL)
        roc_json(j, roc);
}

static void ranking_text(struct text *t, const struct app *app, const gbs_evaluation *e) {
    text_add(t, "  rows          %zu, %zu in the smaller class\n", e->n, e->blocks);
    if (!isfinite(e->auc)) {
        text_add(t, "  AUC           none: only one class\n");
        return;
    }
    text_add(t, "  AUC           %.4f   of the score", e->auc);
    if (isfinite(e->auc_se))
        text_add(t, ", standard error %.4f", e->auc_se);
    text_add(t, "\n  Gibbs AUC     %.4f   of one random draw from the posterior\n",
             1.0 - e->gibbs_error);
    text_add(t,
             "  true AUC      at least %.4f with confidence %g, if these rows are fresh (Chernoff "
             "bound of the score)\n",
             1.0 - gbs_auc_risk_upper(1.0 - e->auc, e->blocks, confidence(app)), confidence(app));
}

/* {"no": a, "yes": b}; null where nothing was counted. */
static void put_by_class(struct json *j, const char *key, const gbs_recipe *recipe, double negative,
                         double positive) {
    struct text name = {0};
    json_open_object(j, key);
    class_name(recipe, -1, &name);
    json_put_number(j, name.bytes != NULL ? name.bytes : "", negative);
    text_free(&name);
    class_name(recipe, 1, &name);
    json_put_number(j, name.bytes != NULL ? name.bytes : "", positive);
    text_free(&name);
    json_close_object(j);
}

/* What the labels are worth, class by class; beside them what guessing errs, and the mean cost. */
static void put_rates(struct json *j, const gbs_evaluation *e, const gbs_model *model,
                      const gbs_recipe *recipe) {
    const gbs_card *card = model != NULL ? gbs_model_card(model) : NULL;
    double tp = (double)e->true_positive, fp = (double)e->false_positive,
           tn = (double)e->true_negative, fn = (double)e->false_negative, n = (double)e->n;
    double baseline = card == NULL ? NAN : card->baseline_label > 0 ? (tn + fp) / n : (tp + fn) / n;
    json_put_number(j, "baseline_error", baseline);
    put_by_class(j, "recall", recipe, tn / (tn + fp), tp / (tp + fn));
    put_by_class(j, "precision", recipe, tn / (tn + fn), tp / (tp + fp));
    put_by_class(j, "f1", recipe, 2.0 * tn / (2.0 * tn + fp + fn), 2.0 * tp / (2.0 * tp + fp + fn));
    json_put_number(j, "cost",
                    card != NULL ? (fn * card->cost_missed + fp * card->cost_false) / n
                                 : (fn + fp) / n);
}

void result_evaluation(struct json *j, const struct app *app, const gbs_evaluation *e,
                       const struct roc *roc, const gbs_model *model, const gbs_recipe *recipe) {
    if (!gbs_task_has(gbs_task_of(e->task), GBS_FACT_LABELS)) {
        ranking(j, app, e, roc);
        return;
    }
    json_put_count(j, "n", e->n);
    json_put_number(j, "error", e->error);
    put_rates(j, e, model, recipe);
    json_put_number(j, "gibbs_risk", e->gibbs_risk);
    json_put_number(j, "gibbs_error", e->gibbs_error);
    json_put_number(j, "auc", e->auc);
    json_open_object(j, "confusion");
    json_put_count(j, "true_positive", e->true_positive);
    json_put_count(j, "false_positive", e->false_positive);
    json_put_count(j, "true_negative", e->true_negative);
    json_put_count(j, "false_negative", e->false_negative);
    json_close_object(j);
    json_put_number(j, "brier", e->brier);
    json_put_number(j, "log_loss", e->log_loss);
    json_open_array(j, "reliability");
    const gbs_reliability *bin;
    for (size_t k = 0; (bin = gbs_evaluation_reliability(e, k)) != NULL; k++) {
        json_open_object(j, NULL);
        json_put_count(j, "count", bin->count);
        json_put_number(j, "mean_prob", bin->mean_probability);
        json_put_number(j, "share_positive", bin->share_positive);
        json_close_object(j);
    }
    json_close_array(j);
    json_put_number(j, "holdout_bound", gbs_binomial_upper(e->errors, e->n, confidence(app)));
    json_put_number(j, "confidence", confidence(app));
    if (roc != NULL)
        roc_json(j, roc);
}

void result_evaluation_text(struct text *t, const struct app *app, const gbs_evaluation *e,
                            const char *positive, const char *negative) {
    if (!gbs_task_has(gbs_task_of(e->task), GBS_FACT_LABELS)) {
        ranking_text(t, app, e);
        return;
    }
    text_add(t, "  rows          %zu\n", e->n);
    text_add(t, "  error         %.2f %%   of the labels\n", 100.0 * e->error);
    text_add(t, "  Gibbs error   %.2f %%   of one random draw from the posterior\n",
             100.0 * e->gibbs_error);
    text_add(t,
             "  true error    at most %.2f %% with confidence %g, if these rows are fresh (exact "
             "binomial bound of the labels)\n",
             100.0 * gbs_binomial_upper(e->errors, e->n, confidence(app)), confidence(app));
    if (isfinite(e->auc))
        text_add(t, "  AUC           %.4f\n", e->auc);
    text_add(t, "  calibration   Brier score %.4f, log loss %.4f\n", e->brier, e->log_loss);
    char other[96];
    snprintf(other, sizeof other, negative != NULL ? "%.40s" : "not %.40s",
             negative != NULL ? negative : positive);
    text_add(t, "  confusion     %-20s %14s %14s\n", "", "said", "said");
    text_add(t, "                %-20s %14.14s %14.14s\n", "", positive, other);
    text_add(t, "                is %-17.17s %14zu %14zu\n", positive, e->true_positive,
             e->false_negative);
    text_add(t, "                is %-17.17s %14zu %14zu\n", other, e->false_positive,
             e->true_negative);
}

static void stages_text(struct text *t, const gbs_model *model) {
    size_t n = gbs_model_stages(model);
    if (n < 2)
        return;
    text_add(t, "  stages        %zu, each learned from", n);
    for (size_t k = 0; k < n; k++)
        text_add(t, "%s %zu", k > 0 ? "," : "", gbs_model_stage(model, k)->rows);
    text_add(t, " rows and met");
    for (size_t k = 0; k < n; k++)
        text_add(t, "%s %zu", k > 0 ? "," : "", gbs_model_stage(model, k)->tested);
    text_add(t, " fresh ones (errors:");
    for (size_t k = 0; k < n; k++)
        text_add(t, "%s %zu", k > 0 ? "," : "", gbs_model_stage(model, k)->errors);
    text_add(t, "); prior, free energy and solver: the last one's\n");
}

/* Convex losses have no centre beside 0 in a calibrated model. */
static bool zero_centred(const gbs_model *model) {
    return gbs_model_card(model) != NULL && gbs_model_get_info(model)->loss != GBS_LOSS_ZERO_ONE;
}

void result_model_text(struct text *t, const gbs_model *model) {
    const gbs_model_info *i = gbs_model_get_info(model);
    const gbs_task *task = gbs_model_task(model);
    bool pairs = gbs_task_has(task, GBS_FACT_PAIRS) != 0;
    text_add(t, "  model         %sloss %s, family %s%s, %zu coefficients%s, %zu rows\n",
             gbs_task_word(task, GBS_WORD_PREFIX), gbs_loss_name(i->loss),
             gbs_family_name(i->family), i->dual ? " (in the span of the rows)" : "", i->d,
             i->intercept ? " with the intercept" : "", i->n);
    if (i->map != GBS_FEATURES_LINEAR)
        text_add(t, "  features      %s: of a Gaussian kernel, beside the %zu columns themselves\n",
                 gbs_features_name(i->map), i->features);
    stages_text(t, model);
    text_add(
        t, "  prior         N(%s, %g^2) on each coefficient, lambda %g, columns scaled: %s%s\n",
        i->prior == GBS_PRIOR_INFORMED && !zero_centred(model) ? "m0" : "0", i->prior_sd, i->lambda,
        gbs_scale_name(i->scale), i->columns == GBS_COLUMNS_RELEVANCE ? ", by relevance" : "");
    text_add(t,
             "  free energy   %.6g = lambda x %.6g (mean %s loss of the posterior) + %.6g (KL to "
             "the prior)\n",
             i->free_energy, i->gibbs_risk, gbs_loss_name(i->loss), i->kl);
    if (!gbs_task_has(task, GBS_FACT_LABELS))
        text_add(t, "  %-13s 1 - AUC %.4f of the score, %.4f of one random draw\n",
                 gbs_model_card(model) != NULL ? "learned pairs" : "all pairs", i->train_error,
                 i->gibbs_error);
    else
        text_add(t, "  %-13s error %.2f %% of the %s, %.2f %% of one random draw\n",
                 gbs_model_card(model) != NULL ? "learned rows" : "all rows",
                 100.0 * i->train_error, gbs_model_card(model) != NULL ? "labels" : "vote",
                 100.0 * i->gibbs_error);
    text_add(t, "  solver        %s, %zu iterations, ", gbs_solver_name(i->solver), i->iterations);
    if (pairs && i->pair_evaluations > 0.0)
        text_add(t, "%.4g pairs seen, ", i->pair_evaluations);
    text_add(t, i->converged ? "converged" : "NOT CONVERGED");
    if (isfinite(i->optimality_gap))
        text_add(t, "; free energy proven within %.2g of its minimum", i->optimality_gap);
    text_add(t, "\n");
}
