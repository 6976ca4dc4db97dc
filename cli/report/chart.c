/* Charts: numbers, table and text around a canvas. */
#include "report/chart.h"

#include "out/json.h"
#include "report/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t chart_series(struct chart *c, enum series_style style, const char *format, ...) {
    if (c->n_series == MOST_SERIES)
        return MOST_SERIES;
    va_list args;
    va_start(args, format);
    vsnprintf(c->series[c->n_series].name, SERIES_NAME, format, args);
    va_end(args);
    for (char *bar = c->series[c->n_series].name; (bar = strchr(bar, '|')) != NULL;)
        *bar = '/'; /* it separates columns */
    c->series[c->n_series].style = style;
    return c->n_series++;
}

static bool reserve(struct chart *c) {
    if (c->rows < c->room)
        return true;
    size_t room = 2 * c->room + 16;
    double *x = realloc(c->x, room * sizeof *x);
    if (x != NULL)
        c->x = x;
    void *cell = x != NULL ? realloc(c->cell, room * sizeof *c->cell) : NULL;
    if (cell != NULL)
        c->cell = cell;
    char **label = cell != NULL ? realloc(c->label, room * sizeof *label) : NULL;
    if (label == NULL) {
        c->page->starved = true;
        return false;
    }
    c->label = label;
    c->room = room;
    return true;
}

static size_t add_row(struct chart *c, double x, char *label) {
    c->left_out += c->rows == MOST_ROWS;
    if (c->rows == MOST_ROWS || !reserve(c)) {
        free(label);
        return SIZE_MAX;
    }
    c->x[c->rows] = x;
    c->label[c->rows] = label;
    for (size_t s = 0; s < MOST_SERIES; s++)
        for (size_t k = 0; k < 3; k++)
            c->cell[c->rows][s][k] = NAN;
    return c->rows++;
}

size_t chart_row(struct chart *c, double x) {
    return add_row(c, x, NULL);
}

size_t chart_row_named(struct chart *c, const char *label) {
    char *copy = strdup(label);
    if (copy == NULL)
        c->page->starved = true;
    return copy != NULL ? add_row(c, NAN, copy) : SIZE_MAX;
}

size_t chart_row_at(struct chart *c, double x) {
    for (size_t r = 0; r < c->rows; r++)
        if (c->x[r] == x)
            return r;
    return add_row(c, x, NULL);
}

void chart_put(struct chart *c, size_t row, size_t series, double y) {
    if (row < c->rows && series < c->n_series)
        c->cell[row][series][0] = y;
}

void chart_put_interval(struct chart *c, size_t row, size_t series, double y, double low,
                        double high) {
    if (row >= c->rows || series >= c->n_series)
        return;
    c->cell[row][series][0] = y;
    c->cell[row][series][1] = low;
    c->cell[row][series][2] = high;
    c->series[series].interval = true;
}

/* ---------------------------------------------------------------- for page.js */

static void put_column(struct json *j, const char *key, const struct chart *c, size_t series,
                       size_t k) {
    json_open_array(j, key);
    for (size_t r = 0; r < c->rows; r++)
        json_put_number(j, NULL, c->cell[r][series][k]);
    json_close_array(j);
}

static void put_rows(struct json *j, const struct chart *c) {
    bool named = c->rows > 0 && c->label[0] != NULL;
    json_open_array(j, named ? "labels" : "x");
    for (size_t r = 0; r < c->rows; r++)
        if (named)
            json_put_string(j, NULL, c->label[r]);
        else
            json_put_number(j, NULL, c->x[r]);
    json_close_array(j);
}

static void put_spec(const struct chart *c, struct text *out) {
    static const char *const kinds[] = {"lines", "stack", "intervals", "bars"};
    static const char *const styles[] = {"seen",   "complexity", "fixed", "xi",
                                         "grid",   "confidence", "tick",  "line",
                                         "dashed", "points",     "bars"};
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    json_put_string(&j, "kind", kinds[c->kind]);
    json_put_string(&j, "xTitle", c->x_title);
    json_put_string(&j, "yTitle", c->y_title);
    json_put_bool(&j, "logX", c->log_x);
    json_put_bool(&j, "logY", c->log_y);
    json_put_bool(&j, "percentX", c->percent_x);
    json_put_bool(&j, "percentY", c->percent_y);
    json_put_bool(&j, "diagonal", c->diagonal);
    json_put_bool(&j, "unit", c->unit);
    json_put_bool(&j, "fromZero", c->from_zero);
    put_rows(&j, c);
    json_open_array(&j, "series");
    for (size_t s = 0; s < c->n_series; s++) {
        json_open_object(&j, NULL);
        json_put_string(&j, "name", c->series[s].name);
        json_put_string(&j, "style", styles[c->series[s].style]);
        put_column(&j, "y", c, s, 0);
        if (c->series[s].interval) {
            put_column(&j, "low", c, s, 1);
            put_column(&j, "high", c, s, 2);
        }
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
}

/* ---------------------------------------------------------------- for people */

static void value_cell(const struct chart *c, struct text *t, const double cell[3]) {
    bool horizontal = c->kind == CHART_STACK || c->kind == CHART_INTERVALS;
    bool percent = horizontal ? c->percent_x : c->percent_y;
    char value[NUMBER_TEXT], low[NUMBER_TEXT], high[NUMBER_TEXT];
    const char *(*show)(double, char[static NUMBER_TEXT]) = percent ? percent_text : number_text;
    if (isnan(cell[0]))
        text_add(t, "<td class=\"n\"></td>");
    else if (isnan(cell[1]))
        text_add(t, "<td class=\"n\">%s</td>", show(cell[0], value));
    else
        text_add(t, "<td class=\"n\">%s <small>(%s to %s)</small></td>", show(cell[0], value),
                 show(cell[1], low), show(cell[2], high));
}

static void put_table(const struct chart *c, struct text *t) {
    bool named = c->rows > 0 && c->label[0] != NULL,
         horizontal = c->kind == CHART_STACK || c->kind == CHART_INTERVALS;
    const char *first = horizontal ? c->y_title : c->x_title;
    struct text columns = {0};
    text_add(&columns, "%s%s", named ? "" : "#", first != NULL ? first : "");
    for (size_t s = 0; s < c->n_series; s++)
        text_add(&columns, "|#%s", c->series[s].name);
    html_table_open(t, c->title, columns.bytes != NULL ? columns.bytes : "");
    for (size_t r = 0; r < c->rows; r++) {
        html_row_open(t, false);
        if (named)
            html_head_cell(t, c->label[r]);
        else
            html_number_cell(t, c->x[r]);
        for (size_t s = 0; s < c->n_series; s++)
            value_cell(c, t, c->cell[r][s]);
        html_row_close(t);
    }
    html_table_close(t);
    c->page->starved |= columns.failed;
    text_free(&columns);
}

static void release(struct chart *c) {
    for (size_t r = 0; r < c->rows; r++)
        free(c->label[r]);
    free(c->label);
    free(c->x);
    free(c->cell);
    text_free(&c->summary);
    *c = (struct chart){.page = c->page};
}

static const char *shape(const struct chart *c) {
    return c->kind == CHART_STACK       ? "Stacked bars"
           : c->kind == CHART_INTERVALS ? "Points with intervals"
           : c->kind == CHART_BARS      ? "Bars"
                                        : "Curves";
}

void chart_end(struct chart *c) {
    struct page *p = c->page;
    struct text *t = &p->body;
    bool rows = c->kind == CHART_STACK || c->kind == CHART_INTERVALS,
         many = c->kind == CHART_INTERVALS && c->rows > 8;
    text_add(t, "<figure class=\"chart%s%s%s%s\" style=\"--rows:%zu\"><h4>", rows ? " rows" : "",
             many ? " many" : "", c->square ? " square" : "", c->screen ? " screen" : "", c->rows);
    html_text(t, c->title);
    text_add(t, "</h4><div class=\"canvas\"><canvas role=\"img\" data-chart=\"%zu\" aria-label=\"",
             p->n_charts);
    html_print(t, "%s: %s. ", shape(c), c->title);
    if (c->summary.bytes != NULL)
        html_text(t, c->summary.bytes);
    text_add(t, " The numbers are in the table that follows.\"></canvas></div>");
    if (c->note != NULL || c->left_out > 0) {
        text_add(t, "<figcaption>");
        html_text(t, c->note != NULL ? c->note : "");
        if (c->left_out > 0)
            text_add(t, " The first %d points are drawn; the run has more.", MOST_ROWS);
        text_add(t, "</figcaption>");
    }
    text_add(t, "<details class=\"numbers\"><summary>Numbers behind this chart</summary>\n");
    put_table(c, t);
    text_add(t, "</details></figure>\n");
    if (p->n_charts++ > 0)
        text_add_bytes(&p->charts, ",", 1);
    put_spec(c, &p->charts);
    p->starved |= c->summary.failed;
    release(c);
}

void chart_missing(struct page *page, const char *title, const char *why) {
    text_add(&page->body, "<p class=\"missing\"><strong>");
    html_text(&page->body, title);
    text_add(&page->body, ":</strong> ");
    html_text(&page->body, why);
    text_add(&page->body, "</p>\n");
}
