/* How a model does on labelled rows: JSON and words. */
#include "out/lines.h"
#include "out/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool result_in_groups(const gbs_model *model) {
    const gbs_certificate *c;
    for (size_t k = 0; model != NULL && (c = gbs_model_certificate(model, k)) != NULL; k++)
        if (c->grouped)
            return true;
    return false;
}

static double confidence(const struct app *app) {
    return option_number(&app->options, "confidence");
}

/* Of the bounds; NaN, of which they are NaN too, where rows come in groups: they are for
 * independent rows. */
static double level_of(const struct app *app, const gbs_model *model) {
    return result_in_groups(model) ? NAN : confidence(app);
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

/* {"no": a, "yes": b}; null where nothing was counted. */
static void put_by_class(struct json *j, const char *key, const gbs_recipe *recipe, double negative,
                         double positive) {
    struct text name = {0};
    json_open_object(j, key);
    result_class(recipe, -1, &name);
    json_put_number(j, name.bytes != NULL ? name.bytes : "", negative);
    text_free(&name);
    result_class(recipe, 1, &name);
    json_put_number(j, name.bytes != NULL ? name.bytes : "", positive);
    text_free(&name);
    json_close_object(j);
}

/* What always saying the card's label errs on these rows; NaN without a card. */
static double baseline_error(const gbs_evaluation *e, const gbs_model *model) {
    const gbs_card *card = model != NULL ? gbs_model_card(model) : NULL;
    if (card == NULL)
        return NAN;
    return (double)(card->baseline_label > 0 ? e->true_negative + e->false_positive
                                             : e->true_positive + e->false_negative) /
           (double)e->n;
}

static struct rate rate_of(size_t hits, size_t n, double level) {
    return (struct rate){(double)hits / (double)n, gbs_binomial_lower(hits, n, level)};
}

struct rates result_rates(size_t hits, size_t said, size_t rows, double confidence) {
    size_t mistakes = said + rows - 2 * hits;
    return (struct rates){rate_of(hits, said, confidence),
                          rate_of(hits, rows, confidence),
                          {2.0 * (double)hits / (double)(2 * hits + mistakes),
                           gbs_f1_lower(hits, mistakes, confidence)}};
}

static struct rates rates_of(const gbs_evaluation *e, int class, double level) {
    size_t hits = class > 0 ? e->true_positive : e->true_negative,
           said = hits + (class > 0 ? e->false_positive : e->false_negative),
           is = hits + (class > 0 ? e->false_negative : e->false_positive);
    return result_rates(hits, said, is, level);
}

/* The mean cost of the labels, and what it truly is at most. */
struct mean_cost {
    double missed, false_alarm; /* of one */
    double seen, upper;
};

static struct mean_cost cost_of(const gbs_evaluation *e, const gbs_model *model, double level) {
    const gbs_card *card = model != NULL ? gbs_model_card(model) : NULL;
    struct mean_cost c = {.missed = card != NULL ? card->cost_missed : 1.0,
                          .false_alarm = card != NULL ? card->cost_false : 1.0};
    c.seen = (c.missed * (double)e->false_negative + c.false_alarm * (double)e->false_positive) /
             (double)e->n;
    c.upper = gbs_cost_upper(e->false_negative, e->false_positive, e->n, c.missed, c.false_alarm,
                             level);
    return c;
}

/* What the labels are worth, class by class; beside them what guessing errs, and the mean cost. */
static void put_rates(struct json *j, const gbs_evaluation *e, double level, const gbs_model *model,
                      const gbs_recipe *recipe) {
    struct rates no = rates_of(e, -1, level), yes = rates_of(e, 1, level);
    struct mean_cost cost = cost_of(e, model, level);
    json_put_number(j, "baseline_error", baseline_error(e, model));
    put_by_class(j, "recall", recipe, no.recall.seen, yes.recall.seen);
    put_by_class(j, "recall_lower", recipe, no.recall.lower, yes.recall.lower);
    put_by_class(j, "precision", recipe, no.precision.seen, yes.precision.seen);
    put_by_class(j, "precision_lower", recipe, no.precision.lower, yes.precision.lower);
    put_by_class(j, "f1", recipe, no.f1.seen, yes.f1.seen);
    put_by_class(j, "f1_lower", recipe, no.f1.lower, yes.f1.lower);
    json_put_number(j, "cost", cost.seen);
    json_put_number(j, "cost_upper", cost.upper);
}

void result_evaluation(struct json *j, const struct app *app, const gbs_evaluation *e,
                       const struct roc *roc, const gbs_model *model, const gbs_recipe *recipe) {
    if (!result_has_labels(e)) {
        ranking(j, app, e, roc);
        return;
    }
    if (result_is_many(recipe)) {
        result_classes(j, e, confidence(app), model, recipe);
        return;
    }
    double level = level_of(app, model);
    json_put_count(j, "n", e->n);
    json_put_number(j, "error", e->error);
    put_rates(j, e, level, model, recipe);
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
    json_put_number(j, "holdout_bound", gbs_binomial_upper(e->errors, e->n, level));
    json_put_number(j, "confidence", confidence(app));
    if (roc != NULL)
        roc_json(j, roc);
}

static void ranking_text(struct text *t, enum line_kind kind, const struct app *app,
                         const gbs_evaluation *e) {
    char se[48] = "";
    if (!isfinite(e->auc)) {
        line_add(t, kind, "AUC", "none: only one class");
        return;
    }
    if (isfinite(e->auc_se))
        snprintf(se, sizeof se, ", standard error %.4f", e->auc_se);
    line_add(t, kind, "AUC", "%.4f   of the score%s", e->auc, se);
    line_add(t, kind, "Gibbs AUC", "%.4f   of one random draw from the posterior",
             1.0 - e->gibbs_error);
    line_add(t, kind, "true AUC", "at least %.4f with confidence %g, if these rows are fresh%s",
             text_down(1.0 - gbs_auc_risk_upper(1.0 - e->auc, e->blocks, confidence(app)), 4),
             confidence(app), kind == LINE_LONG ? " (Chernoff bound of the score)" : "");
}

static void confusion_text(struct text *t, const gbs_evaluation *e, const gbs_recipe *recipe) {
    char positive[LINE_NAME], other[LINE_NAME];
    result_class_short(recipe, 1, 14, positive);
    result_class_short(recipe, -1, 14, other);
    text_add(t, "  confusion     %-20s %14s %14s\n", "", "said", "said");
    text_add(t, "                %-20s %14s %14s\n", "", positive, other);
    text_add(t, "                is %-17s %14zu %14zu\n", positive, e->true_positive,
             e->false_negative);
    text_add(t, "                is %-17s %14zu %14zu\n", other, e->false_positive,
             e->true_negative);
}

static void rate_cell(struct text *t, struct rate r) {
    char cell[64] = "-";
    if (isfinite(r.seen) && isnan(r.lower))
        snprintf(cell, sizeof cell, "%.2f %%", 100.0 * r.seen);
    else if (isfinite(r.seen))
        snprintf(cell, sizeof cell, "%.2f %% (%.2f %%)", 100.0 * r.seen,
                 text_down(100.0 * r.lower, 2));
    text_add(t, " %-20s", cell);
}

const char result_rates_head[] = " precision (at least) recall (at least)    F1 (at least)";
static const char head_of_groups[] = " precision            recall               F1";

void result_rates_text(struct text *t, const struct rates *r) {
    rate_cell(t, r->precision);
    rate_cell(t, r->recall);
    rate_cell(t, r->f1);
    while (t->size > 0 && t->bytes[t->size - 1] == ' ')
        t->bytes[--t->size] = '\0';
}

static void rates_text(struct text *t, enum line_kind kind, const gbs_evaluation *e, double level,
                       const gbs_recipe *recipe) {
    const char *inset = kind == LINE_LONG ? "  " : "";
    text_add(t, "%s%-13s%s\n", inset, "label", isnan(level) ? head_of_groups : result_rates_head);
    for (int class = 1; class >= -1; class -= 2) {
        struct rates r = rates_of(e, class, level);
        char label[LINE_NAME];
        result_class_short(recipe, class, 12, label);
        text_add(t, "%s%s", inset, label);
        for (size_t k = line_columns(label, strlen(label)); k < 13; k++)
            text_add(t, " ");
        result_rates_text(t, &r);
        text_add(t, "\n");
    }
}

static void cost_text(struct text *t, enum line_kind kind, const gbs_evaluation *e, double level,
                      const gbs_model *model) {
    struct mean_cost c = cost_of(e, model, level);
    if (c.missed != c.false_alarm && isnan(level))
        line_add(t, kind, "cost", "%.4g a row, at %g:%g", c.seen, c.missed, c.false_alarm);
    else if (c.missed != c.false_alarm)
        line_add(t, kind, "cost", "%.4g a row, at %g:%g; at most %.4g, if these rows are fresh",
                 c.seen, c.missed, c.false_alarm, text_up_digits(c.upper, 4));
}

void result_evaluation_text(struct text *t, enum line_kind kind, const struct app *app,
                            const gbs_evaluation *e, const gbs_model *model,
                            const gbs_recipe *recipe) {
    if (!result_has_labels(e)) {
        ranking_text(t, kind, app, e);
        return;
    }
    if (result_is_many(recipe)) {
        result_classes_text(t, kind, e, confidence(app), model, recipe);
        return;
    }
    double baseline = baseline_error(e, model), level = level_of(app, model);
    char label[LINE_NAME], beside[LINE_NAME + 64] = "";
    if (!isnan(baseline))
        snprintf(beside, sizeof beside, "; always saying %s: %.2f %%",
                 result_class_short(recipe, gbs_model_card(model)->baseline_label, 12, label),
                 100.0 * baseline);
    line_add(t, kind, "error", "%.2f %%   of the labels%s", 100.0 * e->error, beside);
    if (kind == LINE_LONG)
        line_add(t, kind, "Gibbs error", "%.2f %%   of one random draw from the posterior",
                 100.0 * e->gibbs_error);
    if (!isnan(level))
        line_add(t, kind, "true error",
                 "at most %.2f %% with confidence %g, if these rows are fresh%s",
                 text_up(100.0 * gbs_binomial_upper(e->errors, e->n, level), 2), level,
                 kind == LINE_LONG ? " (exact binomial bound of the labels)" : "");
    cost_text(t, kind, e, level, model);
    if (isfinite(e->auc))
        line_add(t, kind, "AUC", "%.4f; Brier score %.4f, log loss %.4f", e->auc, e->brier,
                 e->log_loss);
    else
        line_add(t, kind, "AUC", "none: only one class; Brier score %.4f, log loss %.4f", e->brier,
                 e->log_loss);
    rates_text(t, kind, e, level, recipe);
    if (kind == LINE_LONG)
        confusion_text(t, e, recipe);
}

void result_groups_note(const struct app *app, const gbs_model *model) {
    if (result_in_groups(model))
        app_note(app, "no bounds of these rows: the model was fitted to rows in groups (--group), "
                      "and bounds of single rows would need independent ones");
}
