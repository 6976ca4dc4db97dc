/* A chart: the figure with its text alternatives, and the numbers behind it, once as a table for
 * people and once as JSON for page.js. */
#ifndef GIBBSITE_REPORT_CHART_H
#define GIBBSITE_REPORT_CHART_H

#include "report/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { MOST_ROWS = 5000, MOST_SERIES = 8, SERIES_NAME = 64 };

enum chart_kind {
    CHART_LINES,
    CHART_STACK /* horizontal, a row each */,
    CHART_INTERVALS /* horizontal points */,
    CHART_BARS
};

/* How a series is drawn; colours are page.js's, the same style always has the same. */
enum series_style {
    STYLE_SEEN,       /* parts of a stacked bar: what was seen, */
    STYLE_COMPLEXITY, /* what it costs to have learned, */
    STYLE_FIXED,      /* to fix a lambda, */
    STYLE_XI,         /* to hold for all posteriors at once, */
    STYLE_GRID,       /* to choose from a grid, */
    STYLE_CONFIDENCE, /* and to be sure */
    STYLE_TICK,       /* a mark across a bar */
    STYLE_LINE,       /* curves: the next colour in turn */
    STYLE_DASHED,
    STYLE_POINTS,
    STYLE_BARS
};

/* What every chart of a page adds to. */
struct page {
    struct text body, charts; /* HTML; JSON, without the brackets around it */
    const char *mark;         /* what stands before the name of an option; NULL: it is quoted */
    size_t n_charts;
    bool starved;
};

/* Our own words, in which the names of options stand in backquotes, as the caller writes them. */
enum { PAGE_WORDS = 1000 };
const char *gbs_page_words(const struct page *page, const char *words, char out[static PAGE_WORDS]);

struct chart {
    struct page *page;
    enum chart_kind kind;
    const char *title, *note, *x_title, *y_title; /* note: see gbs_page_words */
    bool log_x, log_y, percent_x, percent_y, diagonal, from_zero, square;
    bool unit;            /* both axes from 0 to 1 */
    double y_low, y_high; /* what the y axis reaches at least; equal: what the points need */
    bool screen;          /* not printed: paper has room for what matters most */
    /* built up */
    size_t rows, room, n_series, left_out;
    char **label; /* NULL: x */
    double *x;
    double (*cell)[MOST_SERIES][3]; /* value, low, high */
    struct {
        char name[SERIES_NAME];
        enum series_style style;
        bool interval;
    } series[MOST_SERIES];
    struct text summary; /* of what is to be seen, for those who do not see it: gbs_chart_say */
};

/* After the fields above were set. A ninth series is left out: the returned number is then
 * MOST_SERIES, and points of it are ignored. */
size_t gbs_chart_series(struct chart *c, enum series_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One more row; its cells are empty. Of more than MOST_ROWS the others are left out, and the
 * caption says so. */
size_t gbs_chart_row(struct chart *c, double x);
size_t gbs_chart_row_named(struct chart *c, const char *label);
/* Row of x, added where there is none. */
size_t gbs_chart_row_at(struct chart *c, double x);
void gbs_chart_put(struct chart *c, size_t row, size_t series, double y);
void gbs_chart_put_interval(struct chart *c, size_t row, size_t series, double y, double low,
                            double high);
/* Adds to the summary. */
void gbs_chart_say(struct chart *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the figure, of a chart without a series nothing, and frees what was built up. */
void gbs_chart_end(struct chart *c);
/* Instead of a chart: why it is missing (gbs_page_words). */
void gbs_chart_missing(struct page *page, const char *title, const char *why);

#endif
