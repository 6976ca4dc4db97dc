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
        {"error", "error of the vote", true, "1 - AUC of the score"},
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
        {"new_rows", "ratings of rows without training ratings", false, NULL},
        {"new_cols", "ratings of columns without training ratings", false, NULL}};
    html_table_open(t, "Measures", "measure|#value");
    for (size_t k = 0; k < sizeof measures / sizeof *measures; k++) {
        double x = run_number(e, measures[k].key);
        bool nothing = strcmp(measures[k].key, "confidence") == 0 &&
                       isnan(run_number(e, "holdout_bound")) &&
                       isnan(run_number(e, "holdout_rmse"));
        if (isnan(x) || nothing)
            continue;
        html_row_open(t, false);
        html_head_cell(t, !run_labels(root) && measures[k].ranking != NULL ? measures[k].ranking
                                                                           : measures[k].name);
        if (measures[k].percent)
            html_percent_cell(t, x);
        else
            html_number_cell(t, x);
        html_row_close(t);
    }
    html_table_close(t);
}

/* A name as a heading of a table, whose columns are separated by bars. */
static const char *without_bars(const char *name, char out[100]) {
    snprintf(out, 100, "%s", name);
    for (char *c = strchr(out, '|'); c != NULL; c = strchr(c, '|'))
        *c = '/';
    return out;
}

static void table_confusion(struct text *t, const json_t *root, const json_t *e) {
    const char *positive = run_text(root, "data.positive"),
               *negative = run_text(root, "data.negative");
    if (positive == NULL) { /* evaluate */
        positive = run_text(root, "positive");
        negative = run_text(root, "negative");
    }
    char head[200], name[120], first[100], second[100];
    if (run_at(e, "confusion") == NULL)
        return;
    if (positive == NULL)
        positive = "+1";
    if (negative == NULL)
        negative = "the other label";
    snprintf(head, sizeof head, "label|#said %.80s|#said %.80s", without_bars(positive, first),
             without_bars(negative, second));
    html_table_open(t, "Confusion of the vote", head);
    for (int row = 0; row < 2; row++) {
        snprintf(name, sizeof name, "is %.100s", row == 0 ? positive : negative);
        html_row_open(t, false);
        html_head_cell(t, name);
        html_number_cell(
            t, run_number(e, row == 0 ? "confusion.true_positive" : "confusion.false_positive"));
        html_number_cell(
            t, run_number(e, row == 0 ? "confusion.false_negative" : "confusion.true_negative"));
        html_row_close(t);
    }
    html_table_close(t);
}

/* Wilson's interval: honest for few rows and shares near 0 and 1. */
static void wilson(double share, double n, double *low, double *high) {
    double z = 1.959963984540054, z2 = z * z, centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    double half = z / (1.0 + z2 / n) * sqrt(share * (1.0 - share) / n + z2 / (4.0 * n * n));
    *low = centre - half;
    *high = centre + half;
}

static void chart_reliability(struct page *page, const json_t *e) {
    const char *title = "Reliability";
    if (run_size(e, "reliability") == 0) {
        chart_missing(
            page, title,
            run_labels(e)
                ? "the run does not have it; evaluate --json and fit --test FILE --json do."
                : "a model that ranks says no probabilities of labels.");
        return;
    }
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = title,
                      .note = "Rows in ten bins by the probability that a drawn classifier votes "
                              "for the positive label, "
                              "against how often the label was positive "
                              "(Wilson intervals of 95 %). The vote is a share of classifiers, not "
                              "a calibrated frequency: "
                              "points far from the diagonal mean that it "
                              "should not be read as one.",
                      .x_title = "mean probability said",
                      .y_title = "share of positive labels",
                      .percent_x = true,
                      .percent_y = true,
                      .diagonal = true,
                      .square = true};
    size_t series = chart_series(&c, STYLE_POINTS, "share of positive labels, 95 %% interval");
    double worst = 0.0, rows = 0.0;
    for (size_t k = 0; k < run_size(e, "reliability"); k++) {
        const json_t *bin = run_item(e, "reliability", k);
        double n = run_number(bin, "count"), x = run_number(bin, "mean_prob"),
               y = run_number(bin, "share_positive"), low, high;
        if (!(n > 0.0) || isnan(x) || isnan(y))
            continue;
        wilson(y, n, &low, &high);
        chart_put_interval(&c, chart_row(&c, x), series, y, low, high);
        worst += n * fabs(x - y);
        rows += n;
    }
    text_add(&c.summary, "Mean distance from the diagonal %.4f.", worst / fmax(1.0, rows));
    chart_end(&c);
}

static void chart_roc(struct page *page, const json_t *e) {
    const char *title = "ROC curve";
    if (run_size(e, "roc") < 2) {
        chart_missing(
            page, title,
            run_at(e, "roc") == NULL
                ? "the run does not have it; evaluate --json and fit --test FILE --json do."
                : "it needs rows of both classes.");
        return;
    }
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = title,
                      .x_title = "false positive rate",
                      .y_title = "true positive rate",
                      .percent_x = true,
                      .percent_y = true,
                      .diagonal = true,
                      .square = true};
    char name[64];
    snprintf(name, sizeof name, "AUC %.4f", run_number(e, "auc"));
    c.note = "Share of the positive rows found against the share of negative rows taken for "
             "positive, as the threshold on the "
             "score falls.";
    size_t series = chart_series(&c, STYLE_LINE, "%s", name);
    for (size_t k = 0; k < run_size(e, "roc"); k++) {
        const json_t *p = run_item(e, "roc", k);
        chart_put(&c, chart_row(&c, run_number(p, "fpr")), series, run_number(p, "tpr"));
    }
    text_add(&c.summary, "%s.", name);
    chart_end(&c);
}

void chart_residuals(struct page *page, const char *title, const json_t *residuals) {
    size_t n = run_size(residuals, "counts");
    double from = run_number(residuals, "from"), to = run_number(residuals, "to"),
           all = run_number(residuals, "n");
    char mean[NUMBER_TEXT], sd[NUMBER_TEXT];
    if (n == 0 || !(to > from)) {
        chart_missing(page, title,
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
    size_t series = chart_series(&c, STYLE_BARS, "share of the ratings");
    for (size_t k = 0; k < n; k++)
        chart_put(&c, chart_row(&c, from + (to - from) * ((double)k + 0.5) / (double)n), series,
                  json_number_value(run_item(residuals, "counts", k)) / fmax(1.0, all));
    text_add(&c.summary, "Mean %s, standard deviation %s.",
             number_text(run_number(residuals, "mean"), mean),
             number_text(run_number(residuals, "sd"), sd));
    chart_end(&c);
}

void section_evaluation(struct page *page, const json_t *root, const json_t *e) {
    struct text *t = &page->body;
    text_add(t, "<h3>%s</h3>\n", e == root ? "On these rows" : "On test rows");
    if (e == NULL) {
        chart_missing(page, "No test",
                      run_completes(root)
                          ? "run with --test FILE for residuals and intervals on fresh ratings."
                          : "run with --test FILE for the error, the reliability diagram and the "
                            "ROC curve on fresh rows.");
        return;
    }
    text_add(t, "<div class=\"tables\">\n");
    table_measures(t, root, e);
    table_confusion(t, root, e);
    text_add(t, "</div>\n<div class=\"grid\">\n");
    if (!isnan(run_number(e, "rmse"))) {
        chart_residuals(page, "Residuals", run_at(e, "residuals"));
        chart_intervals(page, e);
        chart_row_counts(page, e);
    } else {
        chart_reliability(page, e);
        chart_roc(page, e);
    }
    text_add(t, "</div>\n");
}
