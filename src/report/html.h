/* Pieces of HTML, every text escaped. */
#ifndef GIBBSITE_REPORT_HTML_H
#define GIBBSITE_REPORT_HTML_H

#include "report/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Text as HTML shows it: markup escaped, control characters and what is not UTF-8 replaced. */
void gbs_html_text(struct text *t, const char *text);
/* printf, then gbs_html_text; at most 1,000 bytes. */
void gbs_html_print(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* JSON inside a script element: nothing in it can end the element or begin a comment. */
void gbs_html_script_json(struct text *t, const char *json, size_t size);

enum { NUMBER_TEXT = 40 };
/* Four significant digits, whole numbers whole, "-" for what is not there; returns buffer. */
const char *gbs_number_text(double x, char buffer[static NUMBER_TEXT]);
const char *gbs_percent_text(double share, char buffer[static NUMBER_TEXT]);
/* The same of a bound, never on its other side: of an upper one no less, `at_least` no more. */
const char *gbs_bound_text(double bound, bool percent, bool at_least,
                           char buffer[static NUMBER_TEXT]);

/* A table with a caption; columns are separated by |, those whose name starts with # hold numbers.
 */
void gbs_html_table_open(struct text *t, const char *caption, const char *columns);
/* The same in steps, for names of which one may hold a |: begin, each column, then the body. */
void gbs_html_table_begin(struct text *t, const char *caption);
void gbs_html_column(struct text *t, const char *name, bool numbers);
void gbs_html_table_body(struct text *t);
void gbs_html_table_close(struct text *t);
void gbs_html_row_open(struct text *t, bool marked);
void gbs_html_row_close(struct text *t);
void gbs_html_cell(struct text *t, const char *text);
void gbs_html_head_cell(struct text *t, const char *text);
void gbs_html_number_cell(struct text *t, double x);
void gbs_html_bound_cell(struct text *t, double bound, bool percent, bool at_least);
void gbs_html_percent_cell(struct text *t, double share);

/* Name and value of one thing, in a list of them. */
void gbs_html_fact(struct text *t, const char *name, const char *value);

#endif
