/* Of three classes or more: how a model does on labelled rows, JSON and words. */
#include "out/result.h"

#include <math.h>
#include <stdio.h>

bool result_is_many(const gbs_recipe *recipe) {
    return gbs_recipe_classes(recipe) > 2;
}

void result_labels_text(struct text *words, const gbs_recipe *recipe, size_t most) {
    size_t classes = gbs_recipe_classes(recipe);
    char name[LINE_NAME];
    if (!result_is_many(recipe)) {
        text_add(words, "%s (positive) or ", result_class_short(recipe, 1, most, name));
        text_add(words, "%s", result_class_short(recipe, -1, most, name));
        return;
    }
    for (size_t k = 0; k < classes && k < 4; k++)
        text_add(words, "%s%s", k > 0 ? ", " : "",
                 line_name(gbs_recipe_class(recipe, k), most, name));
    if (classes > 4)
        text_add(words, ", ... (%zu classes)", classes);
}

static double recall(const gbs_class_result *r) {
    return (double)r->right / (double)r->rows;
}

static double precision(const gbs_class_result *r) {
    return (double)r->right / (double)r->said;
}

static double f1(const gbs_class_result *r) {
    return 2.0 * (double)r->right / (double)(r->rows + r->said);
}

/* {"a": ..., "b": ...}; null where nothing was counted. */
static void put_rates(struct json *j, const char *key, const gbs_evaluation *e,
                      const gbs_recipe *recipe, double (*rate)(const gbs_class_result *)) {
    const gbs_class_result *r;
    json_open_object(j, key);
    for (size_t k = 0; (r = gbs_evaluation_class(e, k)) != NULL; k++)
        json_put_number(j, gbs_recipe_class(recipe, k), rate(r));
    json_close_object(j);
}

/* What always saying the model's most frequent class errs on these rows. */
static double baseline_error(const gbs_evaluation *e, const gbs_model *model) {
    const gbs_classes_card *c = gbs_model_classes_card(model);
    const gbs_class_result *r = c != NULL ? gbs_evaluation_class(e, c->baseline_class) : NULL;
    return r != NULL ? 1.0 - (double)r->rows / (double)e->n : NAN;
}

void result_classes(struct json *j, const gbs_evaluation *e, double confidence,
                    const gbs_model *model, const gbs_recipe *recipe) {
    size_t classes = gbs_evaluation_classes(e);
    const gbs_reliability *bin;
    json_put_count(j, "n", e->n);
    json_put_number(j, "error", e->error);
    json_put_number(j, "baseline_error", baseline_error(e, model));
    put_rates(j, "recall", e, recipe, recall);
    put_rates(j, "precision", e, recipe, precision);
    put_rates(j, "f1", e, recipe, f1);
    json_put_number(j, "cost", gbs_evaluation_cost(e));
    json_put_number(j, "gibbs_risk", NAN);
    json_put_number(j, "gibbs_error", e->gibbs_error);
    json_put_number(j, "auc", NAN);
    json_open_array(j, "classes");
    for (size_t k = 0; k < classes; k++)
        json_put_string(j, NULL, gbs_recipe_class(recipe, k));
    json_close_array(j);
    json_open_array(j, "confusion");
    for (size_t is = 0; is <= classes; is++) {
        json_open_array(j, NULL);
        for (size_t said = 0; said < classes; said++)
            json_put_count(j, NULL, gbs_evaluation_confusion(e, is, said));
        json_close_array(j);
    }
    json_close_array(j);
    json_put_number(j, "brier", e->brier);
    json_put_number(j, "log_loss", e->log_loss);
    json_open_array(j, "reliability");
    for (size_t k = 0; (bin = gbs_evaluation_reliability(e, k)) != NULL; k++) {
        json_open_object(j, NULL);
        json_put_count(j, "count", bin->count);
        json_put_number(j, "mean_prob", bin->mean_probability);
        json_put_number(j, "share_right", bin->share_positive);
        json_close_object(j);
    }
    json_close_array(j);
    json_put_number(j, "holdout_bound", gbs_binomial_upper(e->errors, e->n, confidence));
    json_put_number(j, "confidence", confidence);
}

static void rates_text(struct text *t, const gbs_evaluation *e, const gbs_recipe *recipe) {
    const gbs_class_result *r;
    char name[LINE_NAME];
    text_add(t, "  %-13s %-20s %8s %8s %8s %10s\n", "classes", "", "rows", "said", "recall",
             "precision");
    for (size_t k = 0; (r = gbs_evaluation_class(e, k)) != NULL; k++) {
        char found[16] = "-", right[16] = "-";
        if (r->rows > 0)
            snprintf(found, sizeof found, "%.1f %%", 100.0 * recall(r));
        if (r->said > 0)
            snprintf(right, sizeof right, "%.1f %%", 100.0 * precision(r));
        text_add(t, "  %-13s %-20s %8zu %8zu %8s %10s%s\n", "",
                 line_name(gbs_recipe_class(recipe, k), 20, name), r->rows, r->said, found, right,
                 r->learned ? "" : "  not learned");
    }
}

/* Up to eight classes fit on a line. */
static void confusion_text(struct text *t, const gbs_evaluation *e, const gbs_recipe *recipe) {
    size_t classes = gbs_evaluation_classes(e);
    char name[LINE_NAME];
    if (classes > 8)
        return;
    text_add(t, "  %-13s %-14s", "confusion", "is / said");
    for (size_t k = 0; k < classes; k++)
        text_add(t, " %8s", line_name(gbs_recipe_class(recipe, k), 8, name));
    text_add(t, "\n");
    for (size_t is = 0; is <= classes; is++) {
        size_t rows = 0;
        for (size_t said = 0; said < classes; said++)
            rows += gbs_evaluation_confusion(e, is, said);
        if (is == classes && rows == 0)
            continue;
        text_add(t, "  %-13s %-14s", "",
                 is < classes ? line_name(gbs_recipe_class(recipe, is), 14, name) : "another");
        for (size_t said = 0; said < classes; said++)
            text_add(t, " %8zu", gbs_evaluation_confusion(e, is, said));
        text_add(t, "\n");
    }
}

void result_classes_text(struct text *t, enum line_kind kind, const gbs_evaluation *e,
                         double confidence, const gbs_model *model, const gbs_recipe *recipe) {
    double baseline = baseline_error(e, model);
    char label[LINE_NAME], beside[LINE_NAME + 64] = "";
    if (!isnan(baseline))
        snprintf(beside, sizeof beside, "; always saying %s: %.2f %%",
                 line_name(gbs_recipe_class(recipe, gbs_model_classes_card(model)->baseline_class),
                           12, label),
                 100.0 * baseline);
    line_add(t, kind, "error", "%.2f %%   of the labels%s", 100.0 * e->error, beside);
    if (kind == LINE_LONG)
        line_add(t, kind, "Gibbs error", "%.2f %%   of one draw from every posterior",
                 100.0 * e->gibbs_error);
    line_add(t, kind, "true error", "at most %.2f %% with confidence %g, if these rows are fresh%s",
             100.0 * gbs_binomial_upper(e->errors, e->n, confidence), confidence,
             kind == LINE_LONG ? " (exact binomial bound of the labels)" : "");
    line_add(t, kind, "calibration", "Brier score %.4f, log loss %.4f", e->brier, e->log_loss);
    if (kind == LINE_SHORT)
        return;
    rates_text(t, e, recipe);
    confusion_text(t, e, recipe);
}
