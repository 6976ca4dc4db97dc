/* Lines of an answer: a heading, then words, broken where the line ends. */
#ifndef GIBBSITE_CLI_OUT_LINES_H
#define GIBBSITE_CLI_OUT_LINES_H

#include "out/text.h"

enum line_kind {
    LINE_SHORT, /* 80 columns: what a command prints by itself */
    LINE_LONG   /* 100 columns, set in by two: --verbose, inspect */
};

/* `head` in the first columns, words behind it; further lines stand below the words. */
void line_add(struct text *t, enum line_kind kind, const char *head, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Words without a heading, from the left edge. */
void line_plain(struct text *t, enum line_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Columns that the text takes on a screen, at most. */
size_t line_columns(const char *text, size_t size);

/* A name in at most `most` columns (up to LINE_NAME / 4): its middle is left out where it is
 * longer, and what could move a cursor is shown as '?'. Returns `out`. */
enum { LINE_NAME = 256 };
const char *line_name(const char *name, size_t most, char out[static LINE_NAME]);

/* A number in so many significant digits, never as 3e+04 (but beyond 10^15 and below 10^-9):
 * "30000", "0.00003". Returns `out`. */
enum { LINE_NUMBER = 40 };
const char *line_number(double x, int digits, char out[static LINE_NUMBER]);

#endif
