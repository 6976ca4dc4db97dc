/* Of three classes or more: how a model does on labelled rows, JSON and words. */
#include "out/result.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static struct rates rates_of(const gbs_class_result *r, double confidence) {
    return result_rates(r->right, r->said, r->rows, confidence);
}

/* {"a": ..., "b": ...}, null where nothing was counted; and the lower bounds of the same. */
static void put_rate(struct json *j, const char *key, const gbs_evaluation *e, double confidence,
                     const gbs_recipe *recipe, size_t offset, bool lower) {
    const gbs_class_result *r;
    json_open_object(j, key);
    for (size_t k = 0; (r = gbs_evaluation_class(e, k)) != NULL; k++) {
        struct rates all = rates_of(r, confidence);
        const struct rate *one = (const void *)((const char *)&all + offset);
        json_put_number(j, gbs_recipe_class(recipe, k), lower ? one->lower : one->seen);
    }
    json_close_object(j);
}

static void put_rates(struct json *j, const gbs_evaluation *e, double confidence,
                      const gbs_recipe *recipe) {
    static const struct {
        const char *seen, *lower;
        size_t offset;
    } rate[] = {{"recall", "recall_lower", offsetof(struct rates, recall)},
                {"precision", "precision_lower", offsetof(struct rates, precision)},
                {"f1", "f1_lower", offsetof(struct rates, f1)}};
    for (size_t k = 0; k < sizeof rate / sizeof *rate; k++) {
        put_rate(j, rate[k].seen, e, confidence, recipe, rate[k].offset, false);
        put_rate(j, rate[k].lower, e, confidence, recipe, rate[k].offset, true);
    }
}

/* Rows that cost so much. */
struct costly {
    double cost;
    size_t rows;
};

static int by_cost(const void *a, const void *b) {
    double x = ((const struct costly *)a)->cost, y = ((const struct costly *)b)->cost;
    return (x > y) - (x < y);
}

/* What each cell of the confusion costs, the cheapest first; rows of a class that the model does
 * not have cost the most. Returns how many there are. */
static size_t list_costs(const gbs_evaluation *e, const gbs_model *model, struct costly *out) {
    size_t classes = gbs_evaluation_classes(e), count = 0, strange = 0;
    for (size_t is = 0; is < classes; is++)
        for (size_t said = 0; said < classes; said++)
            out[count++] = (struct costly){gbs_model_cost(model, is, said),
                                           gbs_evaluation_confusion(e, is, said)};
    for (size_t said = 0; said < classes; said++)
        strange += gbs_evaluation_confusion(e, classes, said);
    qsort(out, count, sizeof *out, by_cost);
    out[count - 1].rows += strange;
    return count;
}

/* What the mean cost truly is at most; without a matrix of costs that is the error. Without
 * memory `t` has failed. */
static double cost_upper(struct text *t, const gbs_evaluation *e, const gbs_model *model,
                         double confidence) {
    size_t classes = gbs_evaluation_classes(e), kinds = 0;
    struct costly *cell = calloc(classes * classes, sizeof *cell);
    double *cost = calloc(classes * classes, sizeof *cost), upper = NAN;
    size_t *rows = calloc(classes * classes, sizeof *rows);
    if (cell != NULL && cost != NULL && rows != NULL) {
        size_t count = list_costs(e, model, cell);
        for (size_t k = 0; k < count; k++) {
            if (!(cell[k].cost > 0.0))
                continue;
            if (kinds == 0 || cell[k].cost > cost[kinds - 1])
                cost[kinds++] = cell[k].cost;
            rows[kinds - 1] += cell[k].rows;
        }
        upper = gbs_mean_cost_upper(kinds, cost, rows, e->n, confidence);
    } else {
        t->failed = true;
    }
    free(cell);
    free(cost);
    free(rows);
    return upper;
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
    put_rates(j, e, confidence, recipe);
    json_put_number(j, "cost", gbs_evaluation_cost(e));
    json_put_number(j, "cost_upper", cost_upper(j->out, e, model, confidence));
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

enum { SHOWN = 3 }; /* classes in a short answer */

/* A class of no rows comes last. */
static double found(const gbs_class_result *r) {
    return r->rows > 0 ? (double)r->right / (double)r->rows : 2.0;
}

/* Of more than SHOWN classes, whether class k is one that a short answer names: the two that are
 * found least often. */
static bool is_worst(const gbs_evaluation *e, size_t k) {
    const gbs_class_result *r = gbs_evaluation_class(e, k), *other;
    size_t worse = 0;
    for (size_t i = 0; (other = gbs_evaluation_class(e, i)) != NULL; i++)
        worse += found(other) < found(r) || (i < k && found(other) <= found(r));
    return worse < SHOWN - 1;
}

static void rates_text(struct text *t, enum line_kind kind, const gbs_evaluation *e,
                       double confidence, const gbs_recipe *recipe) {
    size_t classes = gbs_evaluation_classes(e);
    bool all = kind == LINE_LONG || classes <= SHOWN;
    const gbs_class_result *r;
    if (kind == LINE_LONG)
        text_add(t, "  %-13s %6s %6s", "label", "rows", "said");
    else
        text_add(t, "%-13s", "label");
    text_add(t, "%s\n", result_rates_head);
    for (size_t k = 0; (r = gbs_evaluation_class(e, k)) != NULL; k++) {
        struct rates rates = rates_of(r, confidence);
        char name[LINE_NAME];
        if (!all && !is_worst(e, k))
            continue;
        line_name(gbs_recipe_class(recipe, k), 12, name);
        text_add(t, "%s%s", kind == LINE_LONG ? "  " : "", name);
        for (size_t i = line_columns(name, strlen(name)); i < 13; i++)
            text_add(t, " ");
        if (kind == LINE_LONG)
            text_add(t, " %6zu %6zu", r->rows, r->said);
        result_rates_text(t, &rates);
        text_add(t, "%s\n", r->learned ? "" : "  not learned");
    }
    if (!all)
        text_add(t, "%-13s these two of %zu labels are found least often; --verbose shows all\n",
                 "", classes);
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
             text_up(100.0 * gbs_binomial_upper(e->errors, e->n, confidence), 2), confidence,
             kind == LINE_LONG ? " (exact binomial bound of the labels)" : "");
    const gbs_classes_card *card = gbs_model_classes_card(model);
    bool costs = card != NULL && isfinite(card->cost);
    if (costs)
        line_add(t, kind, "cost", "%.4g a row; at most %.4g, if these rows are fresh",
                 gbs_evaluation_cost(e), text_up_digits(cost_upper(t, e, model, confidence), 4));
    if (kind == LINE_LONG || !costs) /* eight lines are a short answer */
        line_add(t, kind, "calibration", "Brier score %.4f, log loss %.4f", e->brier, e->log_loss);
    rates_text(t, kind, e, confidence, recipe);
    if (kind == LINE_LONG)
        confusion_text(t, e, recipe);
}
