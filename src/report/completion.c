/* A completed matrix: its components, how the ascent went, what is left over. */
#include "core/count.h"
#include "report/html.h"
#include "report/sections.h"

#include <math.h>

static void chart_components(struct page *page, const json_t *root) {
    size_t n = gbs_run_size(root, "components");
    bool drawn = gbs_run_is(root, "sampler", "gibbs") || gbs_run_is(root, "model", "hierarchical");
    char rank[NUMBER_TEXT];
    if (n == 0) {
        gbs_chart_missing(page, "Components",
                          gbs_run_at(root, "components") == NULL
                              ? "the run does not have them; complete `json` does."
                              : "none is left: mean and biases say all that the ratings can.");
        return;
    }
    struct chart c = {.page = page,
                      .kind = CHART_BARS,
                      .title = drawn ? "Components" : "Components that are left",
                      .note = drawn
                                  ? "Root mean square of each component's part of a prediction, "
                                    "over all cells, against the "
                                    "standard deviation of the noise. All of them are kept; those "
                                    "that the ratings "
                                    "do not need stay small."
                                  : "Root mean square of each component's part of a prediction, "
                                    "over all cells, against the "
                                    "standard deviation of the noise. Components that the "
                                    "ratings do not need were switched "
                                    "off.",
                      .x_title = "component, largest first",
                      .y_title = "units of the ratings",
                      .from_zero = true};
    size_t size = gbs_chart_series(&c, STYLE_BARS, "size of the component"),
           noise = gbs_chart_series(&c, STYLE_DASHED, "noise");
    double sd = sqrt(gbs_run_number(root, "noise_variance"));
    for (size_t k = 0; k < n; k++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", k + 1);
        size_t row = gbs_chart_row_named(&c, name);
        gbs_chart_put(&c, row, size, gbs_run_number(gbs_run_item(root, "components", k), "size"));
        gbs_chart_put(&c, row, noise, sd);
    }
    gbs_chart_say(&c, "%zu components %sof %s.", n, drawn ? "" : "left ",
                  gbs_number_text(gbs_run_number(root, "rank"), rank));
    gbs_chart_end(&c);
}

/* How many components were left after each sweep. */
static void chart_rank(struct page *page, const json_t *root) {
    size_t n = gbs_run_size(root, "trace");
    if (n < 3 || isnan(gbs_run_number(gbs_run_item(root, "trace", 0), "components")) ||
        gbs_run_is(root, "model", "hierarchical")) /* which keeps all */
        return;
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = gbs_run_is(root, "sampler", "gibbs")
                                   ? "Effective rank along the sweeps of the start"
                                   : "Effective rank along the sweeps",
                      .x_title = "sweep",
                      .y_title = "components left",
                      .from_zero = true};
    size_t series = gbs_chart_series(&c, STYLE_LINE, "components left");
    double last = NAN;
    for (size_t k = 0; k < n; k++) {
        const json_t *p = gbs_run_item(root, "trace", k);
        last = gbs_run_number(p, "components");
        gbs_chart_put(&c, gbs_chart_row(&c, gbs_run_number(p, "iteration") + 1.0), series, last);
    }
    gbs_chart_say(&c, "%.0f at the end.", last);
    gbs_chart_end(&c);
}

void gbs_chart_intervals(struct page *page, const json_t *e) {
    size_t n = gbs_run_size(e, "intervals");
    if (n == 0)
        return;
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = "Calibration of the intervals",
                      .note = "Share of the values that lie within the interval of each level, "
                              "against that level. On the diagonal the standard deviations are "
                              "honest; below it they are too small.",
                      .x_title = "level of the interval",
                      .y_title = "share of the values in it",
                      .percent_x = true,
                      .percent_y = true,
                      .diagonal = true,
                      .square = true};
    size_t series = gbs_chart_series(&c, STYLE_LINE, "share within the interval");
    for (size_t k = 0; k < n; k++) {
        const json_t *p = gbs_run_item(e, "intervals", k);
        gbs_chart_put(&c, gbs_chart_row(&c, gbs_run_number(p, "level")), series,
                      gbs_run_number(p, "share"));
        if (gbs_run_number(p, "level") == 0.95)
            gbs_chart_say(&c, "%.1f %% of the values lie within the interval of 95 %%.",
                          100.0 * gbs_run_number(p, "share"));
    }
    gbs_chart_end(&c);
}

void gbs_chart_row_counts(struct page *page, const json_t *e) {
    size_t n = gbs_run_size(e, "by_row_count");
    if (n == 0)
        return;
    struct chart c = {.page = page,
                      .kind = CHART_BARS,
                      .title = "Error by the number of ratings of a row",
                      .note = "Root mean squared error on these ratings, by how many training "
                              "ratings their rows have.",
                      .x_title = "training ratings of the row, from",
                      .y_title = "RMSE",
                      .from_zero = true};
    size_t series = gbs_chart_series(&c, STYLE_BARS, "RMSE");
    for (size_t k = 0; k < n; k++) {
        const json_t *p = gbs_run_item(e, "by_row_count", k);
        char name[24];
        snprintf(name, sizeof name, "%.0f", gbs_run_number(p, "from"));
        gbs_chart_put(&c, gbs_chart_row_named(&c, name), series, gbs_run_number(p, "rmse"));
    }
    gbs_chart_say(&c, "%s of rows.", gbs_count(n, "group").text);
    gbs_chart_end(&c);
}

void gbs_section_completion(struct page *page, const struct run *run) {
    gbs_text_add(&page->body, "<h3>The completed matrix</h3>\n<div class=\"grid\">\n");
    chart_components(page, run->root);
    chart_rank(page, run->root);
    gbs_chart_convergence(page, run->root);
    gbs_chart_residuals(page, "Residuals of the training ratings",
                        gbs_run_at(run->root, "residuals"));
    gbs_text_add(&page->body, "</div>\n");
}
