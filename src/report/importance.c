/* What the answers rest on: the importance of each column, what the first of them do to the
 * probabilities, and coefficients per unit of the columns. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <stdio.h>

enum { MOST_COLUMNS = 30, MOST_PER_UNIT = 40 };
#define NORMAL_95 1.959963984540054

/* ---------------------------------------------------------------- importance */

static bool of_ranking(const json_t *root) {
    return !isnan(gbs_run_number(root, "importance.auc"));
}

static void note_words(struct text *t, const json_t *root) {
    double rows = gbs_run_number(root, "importance.rows"),
           given = gbs_run_number(root, "importance.rows_given"),
           columns = (double)gbs_run_size(root, "importance.columns"),
           all = gbs_run_number(root, "importance.columns_given");
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    gbs_text_add(t,
                 "%s when a row takes the column from another row, as it would if the column said "
                 "nothing; with 95 %% intervals of each by itself. On %s rows",
                 of_ranking(root) ? "Fall of the AUC" : "Rise of the Brier score",
                 gbs_number_text(rows, a));
    if (rows < given)
        gbs_text_add(t, ", drawn from %s", gbs_number_text(given, a));
    gbs_text_add(t,
                 "%s. A column whose news another column also has can be important and come out "
                 "small.",
                 gbs_run_true(root, "importance.fresh") ? " that nothing of the predictor has seen"
                                                        : "");
    if (columns < all)
        gbs_text_add(t, " Of %s columns %s were measured: those that move the answers most.",
                     gbs_number_text(all, b), gbs_number_text(columns, a));
    if (columns > MOST_COLUMNS)
        gbs_text_add(t, " The first %d are drawn.", MOST_COLUMNS);
}

static void chart_importance(struct page *page, const json_t *root) {
    bool ranks = of_ranking(root);
    struct text note = {.ctx = page->body.ctx};
    note_words(&note, root);
    page->starved |= note.failed;
    struct chart c = {.page = page,
                      .kind = CHART_INTERVALS,
                      .title = "Importance of the columns",
                      .note = note.bytes,
                      .x_title = ranks ? "fall of the AUC" : "rise of the Brier score",
                      .y_title = "column"};
    size_t series = gbs_chart_series(&c, STYLE_POINTS, "%s, 95 %% interval",
                                     ranks ? "fall of the AUC" : "rise of the Brier score");
    for (size_t k = 0; k < gbs_run_size(root, "importance.columns") && k < MOST_COLUMNS; k++) {
        const json_t *one = gbs_run_item(root, "importance.columns", k);
        double x = gbs_run_number(one, ranks ? "auc" : "brier"),
               half = NORMAL_95 * gbs_run_number(one, ranks ? "auc_se" : "brier_se");
        half = isfinite(half) ? half : 0.0; /* rows of a single group: no interval is known */
        const char *name = gbs_run_text(one, "name");
        char size[NUMBER_TEXT];
        name = name != NULL ? name : "?";
        if (k == 0)
            gbs_chart_say(&c, "Most important: %s, %s.", name, gbs_number_text(x, size));
        gbs_chart_put_interval(&c, gbs_chart_row_named(&c, name), series, x, x - half, x + half);
    }
    gbs_chart_end(&c);
    gbs_text_free(&note);
}

/* Four decimals, one below the other. */
static void fixed_cell(struct text *t, double x) {
    if (isfinite(x))
        gbs_text_add(t, "<td class=\"n\">%.4f</td>", fabs(x) < 5e-5 ? 0.0 : x);
    else
        gbs_html_number_cell(t, x);
}

static void table_importance(struct text *t, const json_t *root) {
    if (of_ranking(root))
        return; /* the chart has it all */
    gbs_html_table_open(
        t, "Rise of Brier score and error without each column",
        "column|#rise of the Brier score|#standard error|#rise of the error|#standard "
        "error");
    for (size_t k = 0; k < gbs_run_size(root, "importance.columns"); k++) {
        const json_t *one = gbs_run_item(root, "importance.columns", k);
        gbs_html_row_open(t, false);
        gbs_html_head_cell(t, gbs_run_text(one, "name"));
        fixed_cell(t, gbs_run_number(one, "brier"));
        fixed_cell(t, gbs_run_number(one, "brier_se"));
        gbs_html_percent_cell(t, gbs_run_number(one, "error"));
        gbs_html_percent_cell(t, gbs_run_number(one, "error_se"));
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

/* ---------------------------------------------------------------- curves */

/* One series: the positive label; of three classes or more one for each, as far as there are
 * colours. */
static void name_series(struct chart *c, const json_t *root, size_t outcomes, bool named) {
    enum series_style style = named ? STYLE_POINTS : STYLE_LINE;
    const char *positive = json_string_value(gbs_run_item(root, "classes", 1));
    if (positive == NULL)
        positive = gbs_run_text(root, "positive");
    for (size_t a = 0; a < outcomes; a++) {
        const char *class = json_string_value(gbs_run_item(root, "classes", a));
        if (outcomes > 1)
            gbs_chart_series(c, style, "probability of %.40s", class != NULL ? class : "?");
        else if (of_ranking(root))
            gbs_chart_series(c, style, "probability of outranking a negative row");
        else
            gbs_chart_series(c, style, "probability of %.40s",
                             positive != NULL ? positive : "the positive label");
    }
}

static size_t add_point(struct chart *c, const json_t *point, bool named) {
    const char *level = gbs_run_text(point, "level");
    char value[NUMBER_TEXT];
    double x = gbs_run_number(point, "value");
    if (!named)
        return gbs_chart_row(c, x);
    return gbs_chart_row_named(c, level != NULL ? level : gbs_number_text(x, value));
}

/* The least and the largest probability of all curves: one scale for all of them, so that a column
 * that does little looks so. */
static void reach(const json_t *root, double *least, double *most) {
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t k = 0; k < gbs_run_size(root, "importance.curves"); k++) {
        const json_t *curve = gbs_run_item(root, "importance.curves", k);
        for (size_t j = 0; j < gbs_run_size(curve, "points"); j++) {
            const json_t *point = gbs_run_item(curve, "points", j);
            for (size_t a = 0; a < gbs_run_size(point, "probability"); a++) {
                const json_t *p = gbs_run_item(point, "probability", a);
                *least = json_is_number(p) ? fmin(*least, json_number_value(p)) : *least;
                *most = json_is_number(p) ? fmax(*most, json_number_value(p)) : *most;
            }
        }
    }
}

static void chart_curve(struct page *page, const json_t *root, const json_t *curve) {
    const char *name = gbs_run_text(curve, "name");
    size_t points = gbs_run_size(curve, "points"),
           outcomes = gbs_run_size(gbs_run_item(curve, "points", 0), "probability");
    bool named = false;
    char title[200], low[NUMBER_TEXT], high[NUMBER_TEXT];
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < points; k++) /* a missing cell beside numbers: all get names */
        named |= gbs_run_text(gbs_run_item(curve, "points", k), "level") != NULL;
    snprintf(title, sizeof title, "What %.80s does", name != NULL ? name : "?");
    struct chart c = {.page = page,
                      .kind = named ? CHART_BARS : CHART_LINES,
                      .screen = true,
                      .title = title,
                      .note = "Mean probability with the column set to the value in all rows, "
                              "the other columns as they are: partial dependence. It says what "
                              "the model makes of the column, not what changing it would cause.",
                      .x_title = name,
                      .y_title = "mean probability",
                      .percent_y = true};
    reach(root, &c.y_low, &c.y_high);
    name_series(&c, root, outcomes, named);
    for (size_t k = 0; k < points; k++) {
        const json_t *point = gbs_run_item(curve, "points", k);
        size_t row = add_point(&c, point, named);
        for (size_t a = 0; a < gbs_run_size(point, "probability"); a++) {
            const json_t *p = gbs_run_item(point, "probability", a);
            double y = json_is_number(p) ? json_number_value(p) : NAN;
            gbs_chart_put(&c, row, a, y);
            least = a == 0 ? fmin(least, y) : least;
            most = a == 0 ? fmax(most, y) : most;
        }
    }
    gbs_chart_say(&c, "The first curve goes from %s to %s.", gbs_percent_text(least, low),
                  gbs_percent_text(most, high));
    gbs_chart_end(&c);
}

/* ---------------------------------------------------------------- per unit */

/* A factor near one with as many decimals as tell it from one: 1.000031. */
static void factor_cell(struct text *t, double x) {
    double from_one = fabs(x - 1.0);
    if (from_one > 0.0 && from_one < 0.01 && from_one > 1e-9)
        gbs_text_add(t, "<td class=\"n\">%.*f</td>", 1 - (int)floor(log10(from_one)), x);
    else
        gbs_html_number_cell(t, x);
}

static void table_per_unit(struct text *t, const json_t *root) {
    size_t n = gbs_run_size(root, "coefficients");
    const json_t *first = gbs_run_item(root, "coefficients", 0);
    bool odds = false;
    if (isnan(gbs_run_number(first, "per_unit")))
        return; /* not linear, or of an older version */
    for (size_t k = 0; k < n; k++)
        odds |= !isnan(gbs_run_number(gbs_run_item(root, "coefficients", k), "odds_ratio"));
    gbs_html_table_open(t, "Coefficients per unit of the column as it came",
                        odds ? "column|#in the score|#factor on the odds of the positive label"
                             : "column|#in the score");
    for (size_t k = 0; k < n && k < MOST_PER_UNIT; k++) {
        const json_t *one = gbs_run_item(root, "coefficients", k);
        gbs_html_row_open(t, false);
        gbs_html_head_cell(t, gbs_run_text(one, "name"));
        gbs_html_number_cell(t, gbs_run_number(one, "per_unit"));
        if (odds)
            factor_cell(t, gbs_run_number(one, "odds_ratio"));
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

void gbs_section_importance(struct page *page, const struct run *run) {
    const json_t *root = run->root;
    bool there = gbs_run_size(root, "importance.columns") > 0;
    if (!there && run->kind == RUN_EVALUATE)
        return;
    /* on paper there is the first chart alone */
    gbs_text_add(&page->body, "<h3%s>What the answers rest on</h3>\n",
                 there ? "" : " class=\"screen\"");
    if (there) {
        gbs_text_add(&page->body, "<div class=\"grid\">\n");
        chart_importance(page, root);
        for (size_t k = 0; k < gbs_run_size(root, "importance.curves"); k++)
            chart_curve(page, root, gbs_run_item(root, "importance.curves", k));
        gbs_text_add(&page->body, "</div>\n");
    }
    gbs_text_add(&page->body, "<div class=\"screen\">\n");
    if (there) {
        table_importance(&page->body, root);
    } else {
        gbs_chart_missing(page, "Importance of the columns",
                          "measured when asked for: fit `importance`, or evaluate `importance`.");
    }
    table_per_unit(&page->body, root);
    gbs_text_add(&page->body, "</div>\n");
}
