/* Pieces of HTML, every text escaped. */
#ifndef GIBBSITE_CLI_OUT_REPORT_HTML_H
#define GIBBSITE_CLI_OUT_REPORT_HTML_H

#include "out/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Text as HTML shows it: markup escaped, control characters and what is not UTF-8 replaced. */
void html_text(struct text *t, const char *text);
/* printf, then html_text; at most 1,000 bytes. */
void html_print(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* JSON inside a script element: nothing in it can end the element or begin a comment. */
void html_script_json(struct text *t, const char *json, size_t size);

enum { NUMBER_TEXT = 40 };
/* Four significant digits, whole numbers whole, "-" for what is not there; returns buffer. */
const char *number_text(double x, char buffer[static NUMBER_TEXT]);
const char *percent_text(double share, char buffer[static NUMBER_TEXT]);

/* A table with a caption; columns are separated by |, those whose name starts with # hold numbers.
 */
void html_table_open(struct text *t, const char *caption, const char *columns);
void html_table_close(struct text *t);
void html_row_open(struct text *t, bool marked);
void html_row_close(struct text *t);
void html_cell(struct text *t, const char *text);
void html_head_cell(struct text *t, const char *text);
void html_number_cell(struct text *t, double x);
void html_percent_cell(struct text *t, double share);

/* Name and value of one thing, in a list of them. */
void html_fact(struct text *t, const char *name, const char *value);

#endif
