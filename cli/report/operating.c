/* ROC and precision-recall curves, each with the point where the model stands: its own threshold.
 *
 *   recall = tpr,   precision = P tpr / (P tpr + N fpr)
 *
 * with P positive and N negative rows, counted by the confusion of the labels.
 */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>

/* Rows by label, and where the labels stand; NaN where the run does not say. */
struct standing {
    double positives, negatives, tpr, fpr, precision;
};

static struct standing stand(const json_t *e) {
    double tp = run_number(e, "confusion.true_positive"),
           fp = run_number(e, "confusion.false_positive"),
           tn = run_number(e, "confusion.true_negative"),
           fn = run_number(e, "confusion.false_negative");
    return (struct standing){tp + fn, fp + tn, tp / (tp + fn), fp / (fp + tn), tp / (tp + fp)};
}

/* The labels of a model that ranks are nobody's. */
static void put_standing(struct chart *c, const json_t *e, double x, double y) {
    if (!run_labels(e) || isnan(x) || isnan(y))
        return;
    size_t series = chart_series(c, STYLE_POINTS, "the labels that are printed");
    chart_put(c, chart_row(c, x), series, y);
}

static bool no_curve(struct page *page, const json_t *e, const char *title) {
    if (run_size(e, "roc") >= 2)
        return false;
    chart_missing(page, title,
                  run_size(e, "classes") > 2 ? "it is of two classes."
                  : run_at(e, "roc") == NULL
                      ? "the run does not have it; evaluate --json and fit --test FILE --json do."
                      : "it needs rows of both classes.");
    return true;
}

void chart_roc(struct page *page, const json_t *e) {
    if (no_curve(page, e, "ROC curve"))
        return;
    struct standing s = stand(e);
    char x[NUMBER_TEXT], y[NUMBER_TEXT];
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = "ROC curve",
                      .note = "Share of the positive rows found against the share of negative rows "
                              "taken for positive, as the threshold on the score falls. The point "
                              "is where the labels stand that are printed.",
                      .x_title = "false positive rate",
                      .y_title = "true positive rate",
                      .percent_x = true,
                      .percent_y = true,
                      .diagonal = true,
                      .square = true};
    size_t series = chart_series(&c, STYLE_LINE, "AUC %.4f", run_number(e, "auc"));
    for (size_t k = 0; k < run_size(e, "roc"); k++) {
        const json_t *p = run_item(e, "roc", k);
        chart_put(&c, chart_row(&c, run_number(p, "fpr")), series, run_number(p, "tpr"));
    }
    put_standing(&c, e, s.fpr, s.tpr);
    text_add(&c.summary, "AUC %.4f.", run_number(e, "auc"));
    if (run_labels(e) && !isnan(s.fpr) && !isnan(s.tpr))
        text_add(&c.summary,
                 " The labels find %s of the positive rows and take %s of the negative "
                 "ones for positive.",
                 percent_text(s.tpr, y), percent_text(s.fpr, x));
    chart_end(&c);
}

void chart_precision(struct page *page, const json_t *e) {
    struct standing s = stand(e);
    if (!run_labels(e) || run_size(e, "roc") < 2 || !(s.positives > 0.0 && s.negatives > 0.0))
        return;
    double share = s.positives / (s.positives + s.negatives);
    char x[NUMBER_TEXT], y[NUMBER_TEXT], guess[NUMBER_TEXT];
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = "Precision and recall",
                      .note = "Of the rows called positive, the share that is; against the share "
                              "of the positive rows that is found. Dashed: calling rows positive "
                              "at random. The point is where the labels stand that are printed.",
                      .x_title = "recall",
                      .y_title = "precision",
                      .percent_x = true,
                      .percent_y = true,
                      .unit = true,
                      .square = true};
    size_t series = chart_series(&c, STYLE_LINE, "precision"),
           chance = chart_series(&c, STYLE_DASHED, "at random");
    for (size_t k = 0; k < run_size(e, "roc"); k++) {
        const json_t *p = run_item(e, "roc", k);
        double tpr = run_number(p, "tpr"), fpr = run_number(p, "fpr"),
               said = s.positives * tpr + s.negatives * fpr;
        if (!(said > 0.0))
            continue;
        size_t row = chart_row(&c, tpr);
        chart_put(&c, row, series, s.positives * tpr / said);
        chart_put(&c, row, chance, share);
    }
    put_standing(&c, e, s.tpr, s.precision);
    text_add(&c.summary, "At random the precision is %s.", percent_text(share, guess));
    if (!isnan(s.precision))
        text_add(&c.summary, " The labels have precision %s at recall %s.",
                 percent_text(s.precision, y), percent_text(s.tpr, x));
    chart_end(&c);
}
