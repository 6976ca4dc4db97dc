/* Charts: numbers, table and text around a canvas. */
#include "report/chart.h"

#include "file/json_write.h"
#include "report/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *gbs_page_words(const struct page *page, const char *words,
                           char out[static PAGE_WORDS]) {
    size_t at = 0, room = PAGE_WORDS - 1;
    bool inside = false;
    for (const char *from = words; *from != '\0' && at < room; from++) {
        if (*from != '`' || page->mark == NULL) {
            out[at++] = *from;
            continue;
        }
        inside = !inside;
        for (const char *m = page->mark; inside && *m != '\0' && at < room; m++)
            out[at++] = *m;
    }
    out[at] = '\0';
    return out;
}

size_t gbs_chart_series(struct chart *c, enum series_style style, const char *format, ...) {
    if (c->n_series == MOST_SERIES)
        return MOST_SERIES;
    va_list args;
    va_start(args, format);
    vsnprintf(c->series[c->n_series].name, SERIES_NAME, format, args);
    va_end(args);
    c->series[c->n_series].style = style;
    return c->n_series++;
}

static bool reserve(struct chart *c) {
    gbs_context *ctx = c->page->body.ctx;
    if (c->rows < c->room)
        return true;
    size_t room = 2 * c->room + 16;
    double *x = gbs_array_resize(ctx, c->x, c->rows, room, sizeof *x);
    if (x != NULL)
        c->x = x;
    void *cell = x != NULL ? gbs_array_resize(ctx, c->cell, c->rows, room, sizeof *c->cell) : NULL;
    if (cell != NULL)
        c->cell = cell;
    char **label = cell != NULL ? gbs_array_resize(ctx, c->label, c->rows, room, sizeof *label)
                                : NULL;
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
        gbs_array_free(c->page->body.ctx, label);
        return SIZE_MAX;
    }
    c->x[c->rows] = x;
    c->label[c->rows] = label;
    for (size_t s = 0; s < MOST_SERIES; s++)
        for (size_t k = 0; k < 3; k++)
            c->cell[c->rows][s][k] = NAN;
    return c->rows++;
}

size_t gbs_chart_row(struct chart *c, double x) {
    return add_row(c, x, NULL);
}

size_t gbs_chart_row_named(struct chart *c, const char *label) {
    size_t size = strlen(label) + 1;
    char *copy = gbs_array_alloc(c->page->body.ctx, size, 1);
    if (copy == NULL)
        c->page->starved = true;
    else
        memcpy(copy, label, size);
    return copy != NULL ? add_row(c, NAN, copy) : SIZE_MAX;
}

size_t gbs_chart_row_at(struct chart *c, double x) {
    for (size_t r = 0; r < c->rows; r++)
        if (c->x[r] == x)
            return r;
    return add_row(c, x, NULL);
}

void gbs_chart_put(struct chart *c, size_t row, size_t series, double y) {
    if (row < c->rows && series < c->n_series)
        c->cell[row][series][0] = y;
}

void gbs_chart_put_interval(struct chart *c, size_t row, size_t series, double y, double low,
                            double high) {
    if (row >= c->rows || series >= c->n_series)
        return;
    c->cell[row][series][0] = y;
    c->cell[row][series][1] = low;
    c->cell[row][series][2] = high;
    c->series[series].interval = true;
}

void gbs_chart_say(struct chart *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    c->summary.ctx = c->page->body.ctx;
    gbs_text_add_list(&c->summary, format, args);
    va_end(args);
}

/* ---------------------------------------------------------------- for page.js */

static void put_column(gbs_writer *w, const char *key, const struct chart *c, size_t series,
                       size_t k) {
    gbs_writer_open(w, key, '[');
    for (size_t r = 0; r < c->rows; r++)
        gbs_writer_number(w, NULL, c->cell[r][series][k]);
    gbs_writer_close(w, ']');
}

static void put_rows(gbs_writer *w, const struct chart *c) {
    bool named = c->rows > 0 && c->label[0] != NULL;
    gbs_writer_open(w, named ? "labels" : "x", '[');
    for (size_t r = 0; r < c->rows; r++)
        if (named)
            gbs_writer_text(w, NULL, c->label[r]);
        else
            gbs_writer_number(w, NULL, c->x[r]);
    gbs_writer_close(w, ']');
}

static void put_spec(const struct chart *c, struct text *out) {
    static const char *const kinds[] = {"lines", "stack", "intervals", "bars"};
    static const char *const styles[] = {"seen",   "complexity", "fixed", "xi",
                                         "grid",   "confidence", "tick",  "line",
                                         "dashed", "points",     "bars"};
    gbs_writer w = {.ctx = out->ctx};
    gbs_writer_open(&w, NULL, '{');
    gbs_writer_text(&w, "kind", kinds[c->kind]);
    gbs_writer_text(&w, "xTitle", c->x_title);
    gbs_writer_text(&w, "yTitle", c->y_title);
    gbs_writer_bool(&w, "logX", c->log_x);
    gbs_writer_bool(&w, "logY", c->log_y);
    gbs_writer_bool(&w, "percentX", c->percent_x);
    gbs_writer_bool(&w, "percentY", c->percent_y);
    gbs_writer_bool(&w, "diagonal", c->diagonal);
    gbs_writer_bool(&w, "unit", c->unit);
    gbs_writer_bool(&w, "fromZero", c->from_zero);
    if (c->y_low < c->y_high) {
        gbs_writer_number(&w, "yLow", c->y_low);
        gbs_writer_number(&w, "yHigh", c->y_high);
    }
    put_rows(&w, c);
    gbs_writer_open(&w, "series", '[');
    for (size_t s = 0; s < c->n_series; s++) {
        gbs_writer_open(&w, NULL, '{');
        gbs_writer_text(&w, "name", c->series[s].name);
        gbs_writer_text(&w, "style", styles[c->series[s].style]);
        put_column(&w, "y", c, s, 0);
        if (c->series[s].interval) {
            put_column(&w, "low", c, s, 1);
            put_column(&w, "high", c, s, 2);
        }
        gbs_writer_close(&w, '}');
    }
    gbs_writer_close(&w, ']');
    gbs_writer_close(&w, '}');
    out->failed |= w.failed;
    if (w.size > 0)
        gbs_text_add_bytes(out, w.bytes, w.size);
    gbs_array_free(out->ctx, w.bytes);
}

/* ---------------------------------------------------------------- for people */

static void value_cell(const struct chart *c, struct text *t, const double cell[3]) {
    bool horizontal = c->kind == CHART_STACK || c->kind == CHART_INTERVALS;
    bool percent = horizontal ? c->percent_x : c->percent_y;
    char value[NUMBER_TEXT], low[NUMBER_TEXT], high[NUMBER_TEXT];
    const char *(*show)(double, char[static NUMBER_TEXT]) = percent ? gbs_percent_text
                                                                    : gbs_number_text;
    if (isnan(cell[0]))
        gbs_text_add(t, "<td class=\"n\"></td>");
    else if (isnan(cell[1]))
        gbs_text_add(t, "<td class=\"n\">%s</td>", show(cell[0], value));
    else
        gbs_text_add(t, "<td class=\"n\">%s <small>(%s to %s)</small></td>", show(cell[0], value),
                     show(cell[1], low), show(cell[2], high));
}

static void put_table(const struct chart *c, struct text *t) {
    bool named = c->rows > 0 && c->label[0] != NULL,
         horizontal = c->kind == CHART_STACK || c->kind == CHART_INTERVALS;
    const char *first = horizontal ? c->y_title : c->x_title;
    gbs_html_table_begin(t, c->title);
    gbs_html_column(t, first != NULL ? first : "", !named);
    for (size_t s = 0; s < c->n_series; s++)
        gbs_html_column(t, c->series[s].name, true);
    gbs_html_table_body(t);
    for (size_t r = 0; r < c->rows; r++) {
        gbs_html_row_open(t, false);
        if (named)
            gbs_html_head_cell(t, c->label[r]);
        else
            gbs_html_number_cell(t, c->x[r]);
        for (size_t s = 0; s < c->n_series; s++)
            value_cell(c, t, c->cell[r][s]);
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

static void release(struct chart *c) {
    gbs_context *ctx = c->page->body.ctx;
    for (size_t r = 0; r < c->rows; r++)
        gbs_array_free(ctx, c->label[r]);
    gbs_array_free(ctx, c->label);
    gbs_array_free(ctx, c->x);
    gbs_array_free(ctx, c->cell);
    gbs_array_free(ctx, c->summary.bytes);
    *c = (struct chart){.page = c->page};
}

static const char *shape(const struct chart *c) {
    return c->kind == CHART_STACK       ? "Stacked bars"
           : c->kind == CHART_INTERVALS ? "Points with intervals"
           : c->kind == CHART_BARS      ? "Bars"
                                        : "Curves";
}

void gbs_chart_end(struct chart *c) {
    struct page *p = c->page;
    struct text *t = &p->body;
    char words[PAGE_WORDS];
    bool rows = c->kind == CHART_STACK || c->kind == CHART_INTERVALS,
         many = c->kind == CHART_INTERVALS && c->rows > 8;
    if (c->n_series == 0) {
        release(c);
        return;
    }
    gbs_text_add(t, "<figure class=\"chart%s%s%s%s\" style=\"--rows:%zu\"><h4>",
                 rows ? " rows" : "", many ? " many" : "", c->square ? " square" : "",
                 c->screen ? " screen" : "", c->rows);
    gbs_html_text(t, c->title);
    gbs_text_add(t,
                 "</h4><div class=\"canvas\"><canvas role=\"img\" data-chart=\"%zu\" aria-label=\"",
                 p->n_charts);
    gbs_html_print(t, "%s: %s. ", shape(c), c->title);
    if (c->summary.bytes != NULL)
        gbs_html_text(t, c->summary.bytes);
    gbs_text_add(t, " The numbers are in the table that follows.\"></canvas></div>");
    if (c->note != NULL || c->left_out > 0) {
        gbs_text_add(t, "<figcaption>");
        gbs_html_text(t, gbs_page_words(p, c->note != NULL ? c->note : "", words));
        if (c->left_out > 0)
            gbs_text_add(t, " The first %d points are drawn; the run has more.", MOST_ROWS);
        gbs_text_add(t, "</figcaption>");
    }
    gbs_text_add(t, "<details class=\"numbers\"><summary>Numbers behind this chart</summary>\n");
    put_table(c, t);
    gbs_text_add(t, "</details></figure>\n");
    if (p->n_charts++ > 0)
        gbs_text_add_bytes(&p->charts, ",", 1);
    put_spec(c, &p->charts);
    p->starved |= c->summary.failed;
    release(c);
}

void gbs_chart_missing(struct page *page, const char *title, const char *why) {
    char words[PAGE_WORDS];
    gbs_text_add(&page->body, "<p class=\"missing\"><strong>");
    gbs_html_text(&page->body, title);
    gbs_text_add(&page->body, ":</strong> ");
    gbs_html_text(&page->body, gbs_page_words(page, why, words));
    gbs_text_add(&page->body, "</p>\n");
}
