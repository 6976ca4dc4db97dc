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
    double tp = gbs_run_number(e, "confusion.true_positive"),
           fp = gbs_run_number(e, "confusion.false_positive"),
           tn = gbs_run_number(e, "confusion.true_negative"),
           fn = gbs_run_number(e, "confusion.false_negative");
    return (struct standing){tp + fn, fp + tn, tp / (tp + fn), fp / (fp + tn), tp / (tp + fp)};
}

/* The labels of a model that ranks are nobody's. */
static void put_standing(struct chart *c, const json_t *e, double x, double y) {
    if (!gbs_run_labels(e) || isnan(x) || isnan(y))
        return;
    size_t series = gbs_chart_series(c, STYLE_POINTS, "the labels that are printed");
    gbs_chart_put(c, gbs_chart_row(c, x), series, y);
}

static bool no_curve(struct page *page, const json_t *e, const char *title) {
    if (gbs_run_size(e, "roc") >= 2)
        return false;
    gbs_chart_missing(
        page, title,
        gbs_run_size(e, "classes") > 2 ? "it is of two classes."
        : gbs_run_at(e, "roc") == NULL
            ? "the run does not have it; evaluate `json` and fit `test` FILE `json` do."
            : "it needs rows of both classes.");
    return true;
}

void gbs_chart_roc(struct page *page, const json_t *e) {
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
    size_t series = gbs_chart_series(&c, STYLE_LINE, "AUC %.4f", gbs_run_number(e, "auc"));
    for (size_t k = 0; k < gbs_run_size(e, "roc"); k++) {
        const json_t *p = gbs_run_item(e, "roc", k);
        gbs_chart_put(&c, gbs_chart_row(&c, gbs_run_number(p, "fpr")), series,
                      gbs_run_number(p, "tpr"));
    }
    put_standing(&c, e, s.fpr, s.tpr);
    gbs_chart_say(&c, "AUC %.4f.", gbs_run_number(e, "auc"));
    if (gbs_run_labels(e) && !isnan(s.fpr) && !isnan(s.tpr))
        gbs_chart_say(&c,
                      " The labels find %s of the positive rows and take %s of the negative "
                      "ones for positive.",
                      gbs_percent_text(s.tpr, y), gbs_percent_text(s.fpr, x));
    gbs_chart_end(&c);
}

void gbs_chart_precision(struct page *page, const json_t *e) {
    struct standing s = stand(e);
    if (!gbs_run_labels(e) || gbs_run_size(e, "roc") < 2 ||
        !(s.positives > 0.0 && s.negatives > 0.0))
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
    size_t series = gbs_chart_series(&c, STYLE_LINE, "precision"),
           chance = gbs_chart_series(&c, STYLE_DASHED, "at random");
    for (size_t k = 0; k < gbs_run_size(e, "roc"); k++) {
        const json_t *p = gbs_run_item(e, "roc", k);
        double tpr = gbs_run_number(p, "tpr"), fpr = gbs_run_number(p, "fpr"),
               said = s.positives * tpr + s.negatives * fpr;
        if (!(said > 0.0))
            continue;
        size_t row = gbs_chart_row(&c, tpr);
        gbs_chart_put(&c, row, series, s.positives * tpr / said);
        gbs_chart_put(&c, row, chance, share);
    }
    put_standing(&c, e, s.tpr, s.precision);
    gbs_chart_say(&c, "At random the precision is %s.", gbs_percent_text(share, guess));
    if (!isnan(s.precision))
        gbs_chart_say(&c, " The labels have precision %s at recall %s.",
                      gbs_percent_text(s.precision, y), gbs_percent_text(s.tpr, x));
    gbs_chart_end(&c);
}
