/* How often the label was positive, against how often it was said to be.
 *
 * Given how many rows fall into a bin, those of the positive label among them are binomial where
 * the rows are fresh: the bands are Clopper and Pearson's, 2.5 % on either side, exact for one bin.
 */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>

#define EITHER_SIDE 0.975

static const char *note_of(enum reliability_of of) {
    switch (of) {
    case RELIABILITY_CARD:
        return "The rows that tested the labels, in ten bins by the calibrated probability of the "
               "positive label, against how often that was the label. Nothing of the predictor has "
               "seen these rows. Bands are exact (Clopper and Pearson, 95 % of each bin by "
               "itself): "
               "where they miss the diagonal, the probability is off.";
    case RELIABILITY_CALIBRATED:
        return "Rows in ten bins by the calibrated probability of the positive label, against how "
               "often that was the label. Bands are exact if the rows are fresh (Clopper and "
               "Pearson, 95 % of each bin by itself).";
    case RELIABILITY_VOTES:
        break;
    }
    return "Rows in ten bins by the share of classifiers that vote for the positive label, against "
           "how often that was the label (exact intervals of 95 %). A share of votes is no "
           "calibrated frequency: points far from the diagonal mean that it should not be read as "
           "one.";
}

/* Of three classes or more: of the label that is printed, how often it was right. */
static bool of_said(const json_t *bin) {
    return json_object_get(bin, "share_right") != NULL;
}

static double add_bin(struct chart *c, size_t series, const json_t *bin, double *off) {
    double n = gbs_run_number(bin, "count"), x = gbs_run_number(bin, "mean_prob"),
           y = gbs_run_number(bin, of_said(bin) ? "share_right" : "share_positive");
    if (!(n > 0.0 && n < 1e15) || !(x >= 0.0 && x <= 1.0) || !(y >= 0.0 && y <= 1.0))
        return 0.0;
    size_t rows = (size_t)n, hits = (size_t)round(y * n);
    gbs_chart_put_interval(c, gbs_chart_row(c, x), series, y,
                           gbs_binomial_lower(hits, rows, EITHER_SIDE),
                           gbs_binomial_upper(hits, rows, EITHER_SIDE));
    *off += n * fabs(x - y);
    return n;
}

void gbs_chart_reliability(struct page *page, const json_t *e, enum reliability_of of) {
    const char *title = of == RELIABILITY_CARD ? "Reliability of the probabilities" : "Reliability";
    if (gbs_run_size(e, "reliability") == 0) {
        gbs_chart_missing(
            page, title,
            gbs_run_labels(e)
                ? "the run does not have it; evaluate `json` and fit `test` FILE `json` do."
                : "a model that ranks says no probabilities of labels.");
        return;
    }
    bool said = of_said(gbs_run_item(e, "reliability", 0));
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = title,
                      .note = said ? "Rows in ten bins by the probability of the label that is "
                                     "printed, against how often it was right. Bands are exact if "
                                     "the rows are fresh (Clopper and Pearson, 95 % of each bin by "
                                     "itself)."
                                   : note_of(of),
                      .x_title = of == RELIABILITY_VOTES ? "mean share of votes"
                                                         : "mean probability said",
                      .y_title = said ? "share of right labels" : "share of positive labels",
                      .percent_x = true,
                      .percent_y = true,
                      .diagonal = true,
                      .square = true};
    size_t series = gbs_chart_series(&c, STYLE_POINTS, "share of %s labels, 95 %% band",
                                     said ? "right" : "positive");
    double off = 0.0, rows = 0.0;
    for (size_t k = 0; k < gbs_run_size(e, "reliability"); k++)
        rows += add_bin(&c, series, gbs_run_item(e, "reliability", k), &off);
    gbs_chart_say(&c, "Mean distance from the diagonal %.4f.", off / fmax(1.0, rows));
    gbs_chart_end(&c);
}
