/* What was seen on labelled rows: error, confusion, reliability, ROC; on ratings: residuals. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <string.h>

static void table_measures(struct text *t, const json_t *root, const json_t *e) {
    static const struct {
        const char *key, *name;
        bool percent;
        const char *ranking; /* its name there, if it is another */
    } measures[] = {
        {"n", "rows or ratings", false, NULL},
        {"error", "error of the labels", true, "1 - AUC of the score"},
        {"baseline_error", "error of always saying the label that was more frequent in training",
         true, NULL},
        {"threshold", "probability from which the label is positive", false, NULL},
        {"cost", "mean cost", false, NULL},
        {"cost_upper", "upper bound on the true mean cost, if these rows are fresh", false, NULL},
        {"gibbs_error", "error of one random draw", true, "1 - AUC of one random draw"},
        {"gibbs_risk", "mean loss of one draw, in the loss of the fit", false, NULL},
        {"auc", "AUC of the score", false, NULL},
        {"auc_se", "its standard error", false, NULL},
        {"brier", "Brier score", false, NULL},
        {"log_loss", "log loss, nats", false, NULL},
        {"rmse", "RMSE", false, NULL},
        {"mean_rmse", "RMSE of always predicting the training mean", false, NULL},
        {"holdout_bound", "upper bound on the true error, if these rows are fresh", true,
         "upper bound on the true 1 - AUC, if these rows are fresh"},
        {"holdout_rmse", "upper bound on the true RMSE, if these ratings are fresh", false, NULL},
        {"confidence", "confidence of that bound", true, NULL},
        {"mae", "mean absolute error", false, NULL},
        {"coverage", "values within 1.96 standard deviations (95 % hoped for)", true, NULL},
        {"new_rows", "ratings of rows that the model does not know", false, NULL},
        {"new_cols", "ratings of columns that the model does not know", false, NULL}};
    gbs_html_table_open(t, "Measures", "measure|#value");
    for (size_t k = 0; k < sizeof measures / sizeof *measures; k++) {
        double x = gbs_run_number(e, measures[k].key);
        bool nothing = strcmp(measures[k].key, "confidence") == 0 &&
                       isnan(gbs_run_number(e, "holdout_bound")) &&
                       isnan(gbs_run_number(e, "holdout_rmse"));
        if (isnan(x) || nothing)
            continue;
        gbs_html_row_open(t, false);
        gbs_html_head_cell(t, !gbs_run_labels(root) && measures[k].ranking != NULL
                                  ? measures[k].ranking
                                  : measures[k].name);
        if (strncmp(measures[k].name, "upper bound", 11) == 0)
            gbs_html_bound_cell(t, x, measures[k].percent, false);
        else if (measures[k].percent)
            gbs_html_percent_cell(t, x);
        else
            gbs_html_number_cell(t, x);
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

/* A name as a heading of a table, whose columns are separated by bars. */
static const char *without_bars(const char *name, char out[100]) {
    snprintf(out, 100, "%s", name);
    for (char *c = strchr(out, '|'); c != NULL; c = strchr(c, '|'))
        *c = '/';
    return out;
}

/* The labels by name: fit has them with its data, evaluate and inspect beside it. */
static void label_names(const json_t *root, const char **positive, const char **negative) {
    bool fit = gbs_run_text(root, "data.positive") != NULL;
    *positive = gbs_run_text(root, fit ? "data.positive" : "positive");
    *negative = gbs_run_text(root, fit ? "data.negative" : "negative");
}

/* Precision, recall and F1 of each label, with what they truly are at least. */
static void table_rates(struct text *t, const json_t *e) {
    const json_t *recall = gbs_run_at(e, "recall");
    void *at = json_object_iter((json_t *)recall);
    if (at == NULL || gbs_run_at(e, "f1_lower") == NULL)
        return;
    gbs_html_table_open(t, "Labels, one by one",
                        "label|#precision|#at least|#recall|#at least|#F1|#at least");
    for (; at != NULL; at = json_object_iter_next((json_t *)recall, at)) {
        static const char *const keys[] = {"precision", "precision_lower", "recall", "recall_lower",
                                           "f1",        "f1_lower"};
        const char *label = json_object_iter_key(at);
        gbs_html_row_open(t, false);
        gbs_html_head_cell(t, label);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const json_t *x = json_object_get(gbs_run_at(e, keys[k]), label);
            double rate = json_is_number(x) ? json_number_value(x) : NAN;
            if (k % 2 == 1)
                gbs_html_bound_cell(t, rate, true, true);
            else
                gbs_html_percent_cell(t, rate);
        }
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

/* The confusion of three classes or more; those beyond MOST_CLASSES stand together. */
enum { MOST_CLASSES = 20 };

/* Of rows `is` to `is_end`: labels `said` to `said_end`. */
static double confused(const json_t *e, size_t is, size_t is_end, size_t said, size_t said_end) {
    double sum = 0.0;
    for (; is < is_end; is++)
        for (size_t k = said; k < said_end; k++)
            sum += json_number_value(json_array_get(gbs_run_item(e, "confusion", is), k));
    return sum;
}

static void confusion_row(struct text *t, const json_t *e, size_t classes, const char *label,
                          size_t is, size_t is_end) {
    char name[120];
    snprintf(name, sizeof name, "is %.100s", label != NULL ? label : "?");
    gbs_html_row_open(t, false);
    gbs_html_head_cell(t, name);
    for (size_t k = 0; k < classes && k < MOST_CLASSES; k++)
        gbs_html_number_cell(t, confused(e, is, is_end, k, k + 1));
    if (classes > MOST_CLASSES)
        gbs_html_number_cell(t, confused(e, is, is_end, MOST_CLASSES, classes));
    gbs_html_row_close(t);
}

/* root has the names of the classes where e, a card, has not. */
static void table_confusion_many(struct text *t, const json_t *root, const json_t *e) {
    const json_t *named = gbs_run_at(e, "classes") != NULL ? e : root;
    size_t classes = gbs_run_size(named, "classes"), rows = gbs_run_size(e, "confusion");
    struct text head = {.ctx = t->ctx};
    char caption[100] = "Confusion of the labels";
    gbs_text_add(&head, "label");
    for (size_t k = 0; k < classes && k < MOST_CLASSES; k++) {
        char name[100];
        const char *label = json_string_value(gbs_run_item(named, "classes", k));
        gbs_text_add(&head, "|#said %.60s", without_bars(label != NULL ? label : "?", name));
    }
    if (classes > MOST_CLASSES) {
        gbs_text_add(&head, "|#said another");
        snprintf(caption, sizeof caption, "Confusion of the labels, the first %d of %zu",
                 MOST_CLASSES, classes);
    }
    gbs_html_table_open(t, caption, head.bytes != NULL ? head.bytes : "label");
    t->failed |= head.failed;
    gbs_text_free(&head);
    for (size_t k = 0; k < classes && k < MOST_CLASSES; k++)
        confusion_row(t, e, classes, json_string_value(gbs_run_item(named, "classes", k)), k,
                      k + 1);
    if (classes > MOST_CLASSES)
        confusion_row(t, e, classes, "another", MOST_CLASSES, classes);
    if (confused(e, classes, rows, 0, classes) > 0.0)
        confusion_row(t, e, classes, "a label unknown to training", classes, rows);
    gbs_html_table_close(t);
}

static void table_confusion(struct text *t, const json_t *root, const json_t *e) {
    const char *positive, *negative;
    label_names(root, &positive, &negative);
    char head[200], name[120], first[100], second[100];
    if (gbs_run_at(e, "confusion") == NULL)
        return;
    if (json_is_array(gbs_run_at(e, "confusion"))) {
        table_confusion_many(t, root, e);
        return;
    }
    if (positive == NULL)
        positive = "+1";
    if (negative == NULL)
        negative = "the other label";
    snprintf(head, sizeof head, "label|#said %.80s|#said %.80s", without_bars(positive, first),
             without_bars(negative, second));
    gbs_html_table_open(t, "Confusion of the labels", head);
    for (int row = 0; row < 2; row++) {
        snprintf(name, sizeof name, "is %.100s", row == 0 ? positive : negative);
        gbs_html_row_open(t, false);
        gbs_html_head_cell(t, name);
        gbs_html_number_cell(t, gbs_run_number(e, row == 0 ? "confusion.true_positive"
                                                           : "confusion.false_positive"));
        gbs_html_number_cell(t, gbs_run_number(e, row == 0 ? "confusion.false_negative"
                                                           : "confusion.true_negative"));
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

void gbs_chart_residuals(struct page *page, const char *title, const json_t *residuals) {
    size_t n = gbs_run_size(residuals, "counts");
    double from = gbs_run_number(residuals, "from"), to = gbs_run_number(residuals, "to"),
           all = gbs_run_number(residuals, "n");
    char mean[NUMBER_TEXT], sd[NUMBER_TEXT];
    if (n == 0 || !(to > from)) {
        gbs_chart_missing(page, title,
                          "the run does not have them; the JSON of complete and evaluate does.");
        return;
    }
    struct chart c = {.page = page,
                      .kind = CHART_BARS,
                      .title = title,
                      .note = "Value less prediction; the outermost bars hold all that lies "
                              "beyond. Where predictions are clipped to a "
                              "range, ratings at its ends that are predicted beyond them leave "
                              "nothing, which makes a peak at zero.",
                      .x_title = "residual, in units of the ratings",
                      .y_title = "share of the ratings",
                      .percent_y = true,
                      .from_zero = true};
    size_t series = gbs_chart_series(&c, STYLE_BARS, "share of the ratings");
    for (size_t k = 0; k < n; k++)
        gbs_chart_put(&c, gbs_chart_row(&c, from + (to - from) * ((double)k + 0.5) / (double)n),
                      series,
                      json_number_value(gbs_run_item(residuals, "counts", k)) / fmax(1.0, all));
    gbs_chart_say(&c, "Mean %s, standard deviation %s.",
                  gbs_number_text(gbs_run_number(residuals, "mean"), mean),
                  gbs_number_text(gbs_run_number(residuals, "sd"), sd));
    gbs_chart_end(&c);
}

/* A calibrated model was tested on its last rows: what it said of them. Their reliability stands
 * with what was chosen. */
static void no_test(struct page *page, const json_t *root) {
    const json_t *card = gbs_run_at(root, "card");
    if (gbs_run_at(card, "confusion") != NULL) {
        gbs_text_add(&page->body, "<div class=\"tables\">\n");
        table_confusion(&page->body, root, card);
        gbs_text_add(&page->body, "</div>\n<p class=\"note\">Of the rows that tested the "
                                  "certificate.</p>\n");
    }
    gbs_chart_missing(page, "No test",
                      gbs_run_completes(root)
                          ? "run with `test` FILE for residuals and intervals on fresh ratings."
                      : gbs_run_size(card, "reliability") > 0
                          ? "run with `test` FILE for the error and the ROC curve on other rows."
                          : "run with `test` FILE for the error, the reliability diagram and the "
                            "ROC curve on fresh rows.");
}

void gbs_section_evaluation(struct page *page, const json_t *root, const json_t *e) {
    struct text *t = &page->body;
    gbs_text_add(t, "<h3%s>%s</h3>\n", e == NULL ? " class=\"screen\"" : "",
                 e == root ? "On these rows" : "On test rows");
    if (e == NULL) {
        no_test(page, root);
        return;
    }
    gbs_text_add(t, "<div class=\"tables\">\n");
    gbs_text_add(t, "<div class=\"screen\">\n"); /* the headline has the first of them on paper */
    table_measures(t, root, e);
    gbs_text_add(t, "</div>\n");
    table_rates(t, e);
    table_confusion(t, root, e);
    gbs_text_add(t, "</div>\n<div class=\"grid\">\n");
    if (!isnan(gbs_run_number(e, "rmse"))) {
        gbs_chart_residuals(page, "Residuals", gbs_run_at(e, "residuals"));
        gbs_chart_intervals(page, e);
        gbs_chart_row_counts(page, e);
    } else {
        gbs_chart_reliability(page, e,
                              gbs_run_at(root, "card") != NULL ||
                                      !isnan(gbs_run_number(e, "baseline_error"))
                                  ? RELIABILITY_CALIBRATED
                                  : RELIABILITY_VOTES);
        gbs_chart_roc(page, e);
        gbs_chart_precision(page, e);
    }
    gbs_text_add(t, "</div>\n");
}
