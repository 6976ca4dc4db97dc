/* Options: one table of names, types, ranges and defaults; and what a caller set.
 *
 *     gbs_options *o;
 *     gbs_options_create(ctx, "fit", &o);
 *     gbs_options_set(o, "loss", "hinge");
 *     gbs_options_set_number(o, "lambda", 250);
 *     gbs_fit(ctx, data, o, &model);
 *     gbs_options_free(o);
 *
 * The command line, its help, the manual pages and every binding read the same table. In help
 * texts and messages an option is named in backquotes, `prior-grid`, so that a caller can spell it
 * in its own way (--prior-grid, prior_grid).
 */
#ifndef GIBBSITE_OPTIONS_H
#define GIBBSITE_OPTIONS_H

#include "gibbsite/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an option takes. */
typedef enum gbs_option_type {
    GBS_OPTION_FLAG = 0, /* nothing: it is set or not */
    GBS_OPTION_TEXT,
    GBS_OPTION_NUMBER,
    GBS_OPTION_COUNT,  /* a whole number */
    GBS_OPTION_CHOICE, /* one of `choices`; where a command compares, several */
    GBS_OPTION_GRID,  /* LO:HI:K, K values evenly spaced on the log scale; or an array of numbers */
    GBS_OPTION_RANGE, /* LO:HI */
    GBS_OPTION_PAIR   /* A:B, two numbers */
} gbs_option_type;

/* What an option is for. */
enum gbs_command {
    GBS_FOR_FIT = 1,
    GBS_FOR_CV = 2,
    GBS_FOR_SAMPLE = 4,
    GBS_FOR_GAP = 8,
    GBS_FOR_COMPLETE = 16,
    GBS_FOR_THEORY = 32,
    GBS_FOR_PREDICT = 64,
    GBS_FOR_EVALUATE = 128,
    /* this bit and those above are the caller's, for commands of its own */
    GBS_FOR_CALLER = 1 << 16
};

/* One line of the table. Where new members come at its end, they are as wide as a pointer (so that
 * the size tells whether they are there), and 0 says what was so before. */
typedef struct gbs_option {
    const char *name;
    const char *argument; /* what stands for its value in help texts; NULL: a flag */
    gbs_option_type type;
    unsigned commands;    /* bits of gbs_command */
    const char *choices;  /* "a|b|c"; NULL: no choice */
    const char *expected; /* "a number between 0 and 1" */
    const char *standard; /* the default as gbs_options_set takes it; NULL: none, `help` says */
    const char *group;    /* data, model, certificate, solver; NULL: for programs, not for people */
    const char *help;
    double low, high;        /* of numbers, counts and the values of a grid */
    int open_low, open_high; /* the end itself is out */
    const char *word;        /* a number may also be this word, which stands for 0 */
    unsigned several;        /* commands for which several choices may be given, with commas */
    unsigned everyday;       /* commands whose short list of options has it */
    const char *brief;       /* what that list says of it; NULL: there is none */
} gbs_option;

/* Line k of the table, NULL beyond the last. A name may have several lines, each with commands of
 * its own. */
GBS_API const gbs_option *gbs_option_at(size_t k);
/* The line of a name for a command ("fit", "cv", ...); NULL: there is none. */
GBS_API const gbs_option *gbs_option_find(const char *command, const char *name);

/* What a caller asks of one command. */
typedef struct gbs_options gbs_options;

/* command: "fit", "cv", "sample", "gap", "complete", "theory", "predict", "evaluate". */
GBS_API gbs_status gbs_options_create(gbs_context *ctx, const char *command, gbs_options **out);
/* The same for a command by its bit, with `count` lines of the caller's own behind those of the
 * table, each of `size` bytes: sizeof *own where the caller was compiled. The lines are copied; the
 * texts that they name stay the caller's, and alive as long as the handle. */
GBS_API gbs_status gbs_options_create_with(gbs_context *ctx, unsigned command,
                                           const gbs_option *own, size_t count, size_t size,
                                           gbs_options **out);
/* A second one that says the same. */
GBS_API gbs_status gbs_options_copy(const gbs_options *options, gbs_options **out);
/* Takes the handle back; NULL is ignored. */
GBS_API void gbs_options_free(gbs_options *options);

/* Sets an option from text, as the command line does; a flag takes "yes", "no" or NULL (yes).
 * GBS_ERR_ARGUMENT, with a message on the context and the option unchanged, when the name is
 * unknown or the value is out of range. Setting it again replaces the value. */
GBS_API gbs_status gbs_options_set(gbs_options *options, const char *name, const char *value);
/* The same by type. A number may stand for a count, and a count for a number. */
GBS_API gbs_status gbs_options_set_flag(gbs_options *options, const char *name, int on);
GBS_API gbs_status gbs_options_set_number(gbs_options *options, const char *name, double value);
GBS_API gbs_status gbs_options_set_count(gbs_options *options, const char *name, uint64_t value);
/* The values of a grid, positive and increasing; or the two ends of a range. They are copied. */
GBS_API gbs_status gbs_options_set_numbers(gbs_options *options, const char *name,
                                           const double *values, size_t count);
/* Back to the default. */
GBS_API gbs_status gbs_options_unset(gbs_options *options, const char *name);

/* The line of a name; NULL: there is none. */
GBS_API const gbs_option *gbs_options_line(const gbs_options *options, const char *name);
/* Was it set? 0 too for a name that does not exist. */
GBS_API int gbs_options_given(const gbs_options *options, const char *name);
/* What it was set to, as text, valid until it is set again; else its default; NULL: neither. */
GBS_API const char *gbs_options_get(const gbs_options *options, const char *name);
/* The number of the choice, of the default where it was not set: its position among the choices, or
 * the one that its enumeration has away from them (GBS_LOSS_AUTO); -1: no such choice option. */
GBS_API int gbs_options_choice(const gbs_options *options, const char *name);
/* The number or count, of the default where it was not set; NaN: there is none. */
GBS_API double gbs_options_number(const gbs_options *options, const char *name);
/* The values of a grid, or the ends of a range; NULL and 0 where it was not set. */
GBS_API const double *gbs_options_numbers(const gbs_options *options, const char *name,
                                          size_t *count);

/* GBS_ERR_ARGUMENT when two options contradict each other or one lacks what it needs. Every call
 * that takes options checks this itself; a caller may ask early. */
GBS_API gbs_status gbs_options_check(const gbs_options *options);

#ifdef __cplusplus
}
#endif

#endif
