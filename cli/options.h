/* Options: one table says what exists, how it is read, for which commands, and what the help, the
 * manual pages and the completions of shells say of it. */
#ifndef GIBBSITE_CLI_OPTIONS_H
#define GIBBSITE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_id {
    OPT_OUTPUT,
    OPT_TASK,
    OPT_LOSS,
    OPT_FAMILY,
    OPT_LAMBDA,
    OPT_LAMBDA_GRID,
    OPT_SELECT,
    OPT_PRIOR,
    OPT_PRIOR_SD,
    OPT_PRIOR_GRID,
    OPT_PRIOR_SPLIT,
    OPT_STRATIFY,
    OPT_FOLDS,
    OPT_TARGET,
    OPT_POSITIVE,
    OPT_DROP,
    OPT_TEXT,
    OPT_SCALE,
    OPT_COLUMNS,
    OPT_NO_INTERCEPT,
    OPT_CONSTANT,
    OPT_MISSING,
    OPT_NO_HEADER,
    OPT_FORMAT,
    OPT_TEST,
    OPT_CONFIDENCE,
    OPT_BOUND,
    OPT_BLOCKS,
    OPT_PAPER,
    OPT_PATH,
    OPT_SOLVER,
    OPT_FORM,
    OPT_BATCH,
    OPT_EPOCHS,
    OPT_SCHEDULE,
    OPT_PAIRS,
    OPT_RESTARTS,
    OPT_TOL,
    OPT_MAX_ITER,
    OPT_ROWS,
    OPT_COLS,
    OPT_SKIP,
    OPT_NOISE,
    OPT_DENSITY,
    OPT_SIGNAL,
    OPT_N,
    OPT_D,
    OPT_C,
    OPT_MARGIN,
    OPT_CX,
    OPT_NORM,
    OPT_WANTED_ERROR,
    OPT_RANK,
    OPT_PARTICLES,
    OPT_ESS,
    OPT_CLASSIC,
    OPT_WASTE_FREE,
    OPT_CHAINS,
    OPT_MOVES,
    OPT_MOVE,
    OPT_AGAINST,
    OPT_DRAWS,
    OPT_COMPLETE_NOISE,
    OPT_NO_BIASES,
    OPT_RANGE,
    OPT_SAMPLER,
    OPT_DRAW_COUNT,
    OPT_BURN_IN,
    OPT_KEEP,
    OPT_TOP,
    OPT_ROW,
    OPT_PARTS,
    OPT_SKEW,
    OPT_MAN,
    OPT_COMPLETION,
    OPT_JSON,
    OPT_QUIET,
    OPT_THREADS,
    OPT_SEED,
    OPT_HELP,
    OPTION_COUNT
};

enum command_bit {
    FOR_FIT = 1,
    FOR_PREDICT = 2,
    FOR_EVALUATE = 4,
    FOR_INSPECT = 8,
    FOR_SIMULATE = 16,
    FOR_HELP = 32,
    FOR_VERSION = 64,
    FOR_CV = 128,
    FOR_THEORY = 256,
    FOR_SAMPLE = 512,
    FOR_GAP = 1024,
    FOR_COMPLETE = 2048,
    FOR_REPORT = 4096,
    FOR_ALL = 8191
};

enum option_type {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_FILE,        /* the name of a file to read or to write */
    OPTION_MODEL_FILE,  /* of a model to read */
    OPTION_POSITIVE,    /* a finite number above 0 */
    OPTION_PROBABILITY, /* 0 <= x <= 1 */
    OPTION_NOISE,       /* x >= 0; labels: x < 1/2, which simulate checks */
    OPTION_LEARNED,     /* learn (number 0), or a finite number above 0; `choices` names the word */
    OPTION_RANGE,       /* LO:HI, LO < HI; in grid.low, grid.high */
    OPTION_CONFIDENCE,  /* 0 < x < 1 */
    OPTION_SHARE,       /* 0 < x < 1 */
    OPTION_COUNT_FROM_0,
    OPTION_COUNT_FROM_1,
    OPTION_SEED,
    OPTION_CHOICE, /* one of `choices`, separated by |; several, separated by commas, for cv */
    OPTION_GRID    /* LO:HI:K */
};

struct option_spec {
    enum option_id id;
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    const char *argument;
    enum option_type type;
    const char *choices;
    unsigned commands;
    const char *help;
};

/* LO:HI:K, K values evenly spaced on the log scale. */
struct grid {
    double low, high;
    size_t size;
};
double grid_value(const struct grid *g, size_t k);

/* Positions among the choices that commands ask for by name; the order of the table in options.c.
 */
enum { SOLVER_SGD = 3, FAMILY_FULL = 3, MISSING_DROP = 1 };
enum { SELECT_BOUND = 0, SELECT_CV = 1, SELECT_LAST = 2 };
enum { PRIOR_ZERO = 0, PRIOR_INFORMED = 1 };
enum { TASK_CLASSIFY = 0, TASK_RANK = 1 };
enum { FORMAT_CSV = 0, FORMAT_SVMLIGHT = 1, FORMAT_NPY = 2 };

/* What a command line said. */
struct options {
    const char *text[OPTION_COUNT]; /* NULL: not given; flags: "" */
    double number[OPTION_COUNT];
    uint64_t count[OPTION_COUNT];
    int choice[OPTION_COUNT]; /* index among the choices, the first of a list; -1 when not given */
    unsigned choices[OPTION_COUNT]; /* all of a list, as bits */
    struct grid grid[OPTION_COUNT]; /* size 0 when not given */
    const char **inputs;            /* what is no option, in order */
    size_t n_inputs;
};

const struct option_spec *option_spec(enum option_id id);

/* Reads argv[0 .. argc - 1] for the command with bit `command`. inputs has room for argc. False:
 * error says what is wrong. */
bool options_parse(int argc, char **argv, unsigned command, const char **inputs,
                   struct options *out, char *error, size_t error_size);
static inline bool given(const struct options *o, enum option_id id) {
    return o->text[id] != NULL;
}

/* cv: several choices, separated by commas. */
bool option_takes_list(const struct option_spec *s, unsigned command);

#endif
