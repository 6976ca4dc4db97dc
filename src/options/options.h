/* The handle behind gbs_options, and the reading of one value. */
#ifndef GIBBSITE_OPTIONS_OPTIONS_H
#define GIBBSITE_OPTIONS_OPTIONS_H

#include "core/context.h"
#include "options/entries.h"

/* What an option was set to, in every form that is asked for. */
typedef struct gbs_option_value {
    bool given;
    char *text;       /* as it was set */
    double number;    /* of numbers, counts and flags */
    uint64_t count;   /* of counts */
    int choice;       /* position; of several, the first given */
    unsigned choices; /* all of several, as bits */
    double *numbers;  /* of a grid or a range */
    size_t size;
} gbs_option_value;

struct gbs_options {
    gbs_context *ctx;
    unsigned command;
    gbs_option_value *value; /* one a line */
    gbs_option *own;         /* copies of the caller's lines, behind those of the table */
    size_t size;             /* lines of both */
};

/* Reads `text` for a line of the table. GBS_ERR_ARGUMENT with a message, and `out` untouched, when
 * it is out of range; ctx NULL: without a message. Arrays of `out` are the caller's. */
gbs_status gbs_option_read(gbs_context *ctx, const gbs_option *line, unsigned command,
                           const char *text, gbs_option_value *out);
/* The same from numbers that need no reading. */
gbs_status gbs_option_take(gbs_context *ctx, const gbs_option *line, const double *numbers,
                           size_t count, gbs_option_value *out);

/* The value set, or that of the default; no arrays. NULL options: the default. */
gbs_option_value gbs_option_value_of(const gbs_options *options, size_t k);

/* Is it this choice, set or by default? */
bool gbs_options_are(const gbs_options *options, const char *name, const char *choice);
/* The first of the names (NULL behind the last) that was set; NULL: none. */
const char *gbs_options_first_given(const gbs_options *options, const char *const *names);

/* gbs_options_check of a command that neither fits nor cross-validates. */
gbs_status gbs_options_check_plain(const gbs_options *options);

#endif
