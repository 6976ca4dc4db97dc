/* The program's own lines of the option table, behind those of the library. */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ANY .low = 0.0
#define ABOVE_ZERO .high = INFINITY, .open_low = 1, .open_high = 1
#define MOST_COUNT 1000000000000
#define FROM_0 "a whole number from 0 to " TEXT(MOST_COUNT)
#define FROM_1 "a whole number from 1 to " TEXT(MOST_COUNT)
#define MOST_THREADS 1024
#define POSITIVE "a positive number"
/* A macro of options.h as it stands there. */
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

/* Commands with many options. */
#define MANY (GBS_FOR_FIT | GBS_FOR_CV | GBS_FOR_SAMPLE | GBS_FOR_COMPLETE)

/* clang-format off */
static const gbs_option own[] = {
    {"output", "FILE", GBS_OPTION_TEXT, GBS_FOR_FIT | GBS_FOR_COMPLETE, NULL, "FILE", NULL,
     "output", "write the model to FILE, whole or not at all; - is standard output", ANY,
     .everyday = GBS_FOR_FIT | GBS_FOR_COMPLETE,
     .brief = "write the model here"},
    {"output", "FILE", GBS_OPTION_TEXT, GBS_FOR_SAMPLE, NULL, "FILE", NULL, "output",
     "write the particles to FILE, whole or not at all; - is standard output", ANY,
     .everyday = GBS_FOR_SAMPLE,
     .brief = "write the particles here"},
    {"output", "FILE", GBS_OPTION_TEXT, GBS_FOR_PREDICT | FOR_SIMULATE, NULL, "FILE", NULL,
     "output", "write the rows to FILE, whole or not at all (default -: standard output)", ANY},
    {"output", "FILE", GBS_OPTION_TEXT, FOR_REPORT, NULL, "FILE", NULL, "output",
     "write the page to FILE, whole or not at all (default: standard output, on a terminal "
     "report.html)", ANY},
    {"output", "FILE", GBS_OPTION_TEXT, FOR_INSPECT, NULL, "FILE", NULL, "output",
     "write to FILE, whole or not at all, what is printed (default -: standard output)", ANY},
    {"test", "FILE", GBS_OPTION_TEXT, GBS_FOR_FIT | GBS_FOR_COMPLETE, NULL, "FILE", NULL, "data",
     "rows (complete: ratings) to test the fitted model on", ANY,
     .everyday = GBS_FOR_FIT | GBS_FOR_COMPLETE,
     .brief = "file to test the fitted model on"},
    {"row-features", "FILE", GBS_OPTION_TEXT, GBS_FOR_COMPLETE, NULL, "FILE", NULL, "data",
     "what is known of the rows: a CSV file of identifiers, then numbers and texts; rows without "
     "ratings are predicted from it (`model` hierarchical); not to be made from these ratings", ANY,
     .everyday = GBS_FOR_COMPLETE,
     .brief = "what is known of the rows, a CSV file"},
    {"col-features", "FILE", GBS_OPTION_TEXT, GBS_FOR_COMPLETE, NULL, "FILE", NULL, "data",
     "the same of the columns", ANY,
     .everyday = GBS_FOR_COMPLETE,
     .brief = "what is known of the columns, a CSV file"},
    {"path", "FILE", GBS_OPTION_TEXT, GBS_FOR_FIT, NULL, "FILE", NULL, "output",
     "write the annealing path, one row per lambda, as CSV (JSON when FILE ends in .json): lambda, "
     "prior_sd, free_energy, gibbs_risk (mean loss of the posterior), kl, optimality_gap, "
     "iterations, converged, bound (what `bound` would certify there). `task` rank `solver` sgd: "
     "one row per step (iterations says which), then the end; where there are many steps, some of "
     "them, evenly on the log scale, fewer the more pairs there are. Risk and bound of each are "
     "over all pairs; `bound` paper is of the paper's risk of any two rows, the others of 1 - "
     "AUC", ANY},
    {"threshold", "T", GBS_OPTION_NUMBER, GBS_FOR_EVALUATE, NULL,
     "a number between 0 and 1, such as 0.3", NULL, "output",
     "say the positive label from this probability on, in place of the model's own threshold; fix "
     "it before a look at DATA",
     .high = 1.0, .open_low = 1, .open_high = 1},
    {"against", "MODEL", GBS_OPTION_TEXT, GBS_FOR_SAMPLE, NULL, "MODEL", NULL, "model",
     "measure how far the fitted MODEL is from the Gibbs posterior: KL(model || Gibbs). Columns, "
     "loss, lambda, prior and rows are the model's", ANY,
     .everyday = GBS_FOR_SAMPLE,
     .brief = "a fitted model, whose gap to the posterior is printed"},
    {"draws", "FILE", GBS_OPTION_TEXT, GBS_FOR_SAMPLE, NULL, "FILE", NULL, "output",
     "write the particles as CSV, one line per particle, one column per coefficient", ANY,
     .everyday = GBS_FOR_SAMPLE,
     .brief = "write the draws as CSV"},
    {"top", "K", GBS_OPTION_COUNT, GBS_FOR_PREDICT, NULL, FROM_1, NULL, "output",
     "completions: the K columns with the highest predictions among those that `row` has not "
     "rated; no DATA", .low = 1.0, .high = MOST_COUNT},
    {"row", "ID", GBS_OPTION_TEXT, GBS_FOR_PREDICT, NULL, "ID", NULL, "output",
     "completions: the row that `top` is asked for", ANY},
    {"votes", NULL, GBS_OPTION_FLAG, GBS_FOR_PREDICT, NULL, NULL, NULL, "output",
     "print the column vote where it takes long to compute: under family full with `features` of a "
     "kernel", ANY},
    {"parts", NULL, GBS_OPTION_FLAG, GBS_FOR_PREDICT, NULL, NULL, NULL, "output",
     "completions: also print the standard deviations of the cell itself and of the noise, in "
     "columns of their own", ANY},

    {"quantiles", "LIST", GBS_OPTION_TEXT, GBS_FOR_PREDICT, NULL, "LIST", NULL, "output",
     "completions: also print these quantiles of a new rating, such as 0.05,0.5,0.95, in columns "
     "q0.05, q0.5, q0.95", ANY},
    {"top-quantile", "P", GBS_OPTION_NUMBER, GBS_FOR_PREDICT, NULL,
     "a number between 0 and 1, such as 0.9", NULL, "output",
     "completions: order `top` by this quantile of a new rating in place of the mean: above 0.5 it "
     "prefers what is uncertain", .high = 1.0, .open_low = 1, .open_high = 1},

    {"rows", "N", GBS_OPTION_COUNT, FOR_SIMULATE, NULL, FROM_1, TEXT(GBS_SIMULATED_ROWS),
     "data", "number of rows, or of the rows that rate",
     .low = 1.0, .high = MOST_COUNT},
    {"cols", "N", GBS_OPTION_COUNT, FOR_SIMULATE, NULL, FROM_1, NULL, "data",
     "number of features (default " TEXT(GBS_SIMULATED_COLS) "), or of the columns that are rated "
     "(default " TEXT(GBS_SIMULATED_RATED) ")",
     .low = 1.0, .high = MOST_COUNT},
    {"skip", "N", GBS_OPTION_COUNT, FOR_SIMULATE, NULL, FROM_0, "0", "data",
     "leave out the first N rows (or ratings) that the seed would give: fresh rows of the same "
     "truth, for testing", .high = MOST_COUNT},
    {"noise", "P", GBS_OPTION_NUMBER, FOR_SIMULATE, NULL, "a number from 0", NULL, "data",
     "classify: probability that a label is flipped, below one half; it is the Bayes risk "
     "(default " TEXT(GBS_SIMULATED_FLIPS) "). rank: 1 - AUC of the best score. ratings: standard "
     "deviation of the noise "
     "(default " TEXT(GBS_SIMULATED_NOISE) ")", .high = INFINITY, .open_high = 1},
    {"density", "P", GBS_OPTION_NUMBER, FOR_SIMULATE, NULL, "a number from 0 to 1", NULL, "data",
     "classify: share of the features that are not zero, drawn cell by cell (default "
     TEXT(SIMULATED_DENSITY) "). ratings: "
     "number of ratings over that of cells (default " TEXT(GBS_SIMULATED_SHARE) ")", .high = 1.0},
    {"shape", "SHAPE", GBS_OPTION_CHOICE, FOR_SIMULATE, "linear|xor|rings|waves", NULL, "linear",
     "data",
     "classify: what divides the classes: linear (x'theta), xor (the product of two such sums), "
     "rings (four around 0), waves (sum of theta cos(2x)); the Bayes risk is `noise` in each", ANY},
    {"signal", "K", GBS_OPTION_COUNT, FOR_SIMULATE, NULL, FROM_1, NULL, "data",
     "number of features with a coefficient that is not zero, or that a `shape` is a function of "
     "(default: all; `shape` xor, rings: 2)",
     .low = 1.0, .high = MOST_COUNT},
    {"rank", "K", GBS_OPTION_COUNT, FOR_SIMULATE, NULL, FROM_1, TEXT(GBS_SIMULATED_RANK),
     "data", "ratings: rank of the matrix", .low = 1.0, .high = MOST_COUNT},
    {"no-biases", NULL, GBS_OPTION_FLAG, FOR_SIMULATE, NULL, NULL, NULL, "data",
     "ratings: no mean and no biases of rows and columns", ANY},
    {"range", "LO:HI", GBS_OPTION_RANGE, FOR_SIMULATE, NULL, "LO:HI with LO < HI, such as 1:5",
     NULL, "data", "ratings: values are clipped to it", ANY},
    {"skew", "S", GBS_OPTION_NUMBER, FOR_SIMULATE, NULL, POSITIVE, NULL, "data",
     "ratings: some rows and columns are rated more often, with log-normal frequencies of this "
     "sigma (default: all alike)", ABOVE_ZERO},
    {"positions", "KIND", GBS_OPTION_CHOICE, FOR_SIMULATE, "random|informed", NULL, "random",
     "data",
     "ratings: cells are drawn at random, or informed: with a probability in proportion to 1 / (1 "
     "+ exp(-2 u'v)), so that rows rate what suits them", ANY},
    {"format", "FORMAT", GBS_OPTION_CHOICE, FOR_SIMULATE, "auto|csv|svmlight|npy", NULL, "auto",
     "data", "csv, svmlight or npy; auto: by the file's name, else csv", ANY},

    {"card", NULL, GBS_OPTION_FLAG, FOR_INSPECT, NULL, NULL, NULL, "output",
     "a model card in markdown, with `json` as JSON: data, choices, certificates with what they "
     "assume, limits, version, seed and hash of the rows", ANY},
    {"man", NULL, GBS_OPTION_FLAG, FOR_HELP, NULL, NULL, NULL, "output",
     "print the manual page in roff: of COMMAND, else of gibbsite", ANY},
    {"all", NULL, GBS_OPTION_FLAG, FOR_HELP, NULL, NULL, NULL, "output",
     "the rare options too: those of the solvers", ANY},
    {"completion", "SHELL", GBS_OPTION_CHOICE, FOR_HELP, "bash|zsh|fish", NULL, NULL, "output",
     "print the script that completes commands, options and their values in bash, zsh or fish",
     ANY},
    {"json", NULL, GBS_OPTION_FLAG, FOR_ALL, NULL, NULL, NULL, "output",
     "print the result as one JSON object on standard output", ANY,
     .everyday = MANY,
     .brief = "the result as JSON on standard output"},
    {"quiet", NULL, GBS_OPTION_FLAG, FOR_ALL, NULL, NULL, NULL, "output",
     "print no messages except errors", ANY,
     .everyday = MANY,
     .brief = "no notes, no progress"},
    {"verbose", NULL, GBS_OPTION_FLAG,
     GBS_FOR_FIT | GBS_FOR_EVALUATE | GBS_FOR_COMPLETE | GBS_FOR_SAMPLE, NULL, NULL, NULL, "output",
     "print all there is to say, not only what matters most", ANY,
     .everyday = MANY,
     .brief = "everything there is to say"},
    {"threads", "N", GBS_OPTION_COUNT, FOR_ALL, NULL,
     "a whole number from 1 to " TEXT(MOST_THREADS), NULL, "output",
     "threads to use (default: GIBBSITE_THREADS, else all cores); results do not depend on it",
     .low = 1.0, .high = MOST_THREADS},
    {"seed", "S", GBS_OPTION_COUNT, FOR_ALL, NULL,
     "a whole number from 0 to 18446744073709551615", "1", "output", "seed of every random number",
     .high = INFINITY,
     .everyday = MANY,
     .brief = "of all that is random"},
    {"help", NULL, GBS_OPTION_FLAG, FOR_ALL, NULL, NULL, NULL, "output",
     "print help for the command", ANY},
};
/* clang-format on */

enum { OWN = sizeof own / sizeof *own };

static const struct {
    char letter;
    const char *name;
} letters[] = {{'o', "output"}, {'q', "quiet"}, {'h', "help"}, {'v', "verbose"}};

/* Line k of both tables, the library's first; NULL beyond the last. */
static const gbs_option *any_line(size_t k) {
    const gbs_option *line = gbs_option_at(k);
    size_t first = 0;
    if (line != NULL)
        return line;
    while (gbs_option_at(first) != NULL)
        first++;
    return k - first < OWN ? &own[k - first] : NULL;
}

const gbs_option *option_at(unsigned commands, size_t k) {
    const gbs_option *line;
    for (size_t i = 0; (line = any_line(i)) != NULL; i++)
        if ((line->commands & commands) != 0 && line->group != NULL && k-- == 0)
            return line;
    return NULL;
}

gbs_status options_create(gbs_context *ctx, unsigned command, gbs_options **out) {
    return gbs_options_create_with(ctx, command, own, OWN, sizeof *own, out);
}

char option_letter(const gbs_option *line) {
    for (size_t k = 0; k < sizeof letters / sizeof *letters; k++)
        if (strcmp(letters[k].name, line->name) == 0)
            return letters[k].letter;
    return 0;
}

bool option_is_model(const gbs_option *line) {
    return line->argument != NULL && strcmp(line->argument, "MODEL") == 0;
}

bool option_is_file(const gbs_option *line) {
    return option_is_model(line) || (line->argument != NULL && strcmp(line->argument, "FILE") == 0);
}

/* ---------------------------------------------------------------- words */

static bool is_option(const char *name, size_t length) {
    const gbs_option *line;
    for (size_t k = 0; (line = any_line(k)) != NULL; k++)
        if (strlen(line->name) == length && strncmp(line->name, name, length) == 0)
            return true;
    return false;
}

/* A value that is more than a word, up to its backquote, in the quotes of a shell; returns what
 * comes behind it. */
static const char *put_value(const char *from, char *to, size_t size, size_t *at) {
    size_t n = *at;
    if (size - n > 4)
        n += (size_t)snprintf(to + n, size - n, " '");
    for (; *from != '\0' && *from != '`'; from++)
        if (*from == '\'' && n + 6 < size)
            n += (size_t)snprintf(to + n, size - n, "'\\''");
        else if (n + 2 < size)
            to[n++] = *from;
    if (n + 1 < size)
        to[n++] = '\'';
    *at = n;
    return *from == '`' ? from + 1 : from;
}

void option_spell(const char *from, char *to, size_t size) {
    size_t at = 0;
    while (*from != '\0' && at + 3 < size) {
        size_t length = *from == '`' ? strcspn(from + 1, "`") : 0;
        if (length > 0 && from[1 + length] == '`' && is_option(from + 1, length)) {
            int room = (int)(size - at - 3 < length ? size - at - 3 : length);
            at += (size_t)snprintf(to + at, size - at, "--%.*s", room, from + 1);
            from += length + 2;
            if (from[0] == ' ' && from[1] == '`')
                from = put_value(from + 2, to, size, &at);
        } else {
            to[at++] = *from++;
        }
    }
    to[at] = '\0';
}

void option_help(const gbs_option *line, char *text, size_t size) {
    option_spell(line->help, text, size);
    size_t at = strlen(text);
    if (line->standard != NULL)
        snprintf(text + at, size - at, " (default %s)", line->standard);
}
