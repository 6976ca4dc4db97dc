/* The table of options and its reader. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DATA_COMMANDS (FOR_FIT | FOR_PREDICT | FOR_EVALUATE | FOR_CV | FOR_SAMPLE | FOR_GAP)
#define SAMPLE_COMMANDS (FOR_SAMPLE | FOR_GAP)

static const struct option_spec table[OPTION_COUNT] = {
    {OPT_OUTPUT, "output", 'o', "FILE", OPTION_FILE, NULL,
     FOR_FIT | FOR_PREDICT | FOR_SIMULATE | FOR_SAMPLE | FOR_COMPLETE | FOR_REPORT,
     "write to FILE, whole or not at all; - is standard output. fit, complete: the model. sample: "
     "the particles. predict, "
     "simulate: the "
     "rows (default -). report: the page (default -)"},
    {OPT_TASK, "task", 0, "TASK", OPTION_CHOICE, "classify|rank", FOR_FIT | FOR_CV | FOR_SAMPLE,
     "what to learn: classify (default), or rank: a score that puts rows of the positive label "
     "above the others; its risk is "
     "1 - AUC, over all pairs of rows"},
    {OPT_LOSS, "loss", 0, "LOSS", OPTION_CHOICE, "zero-one|hinge|exponential",
     FOR_FIT | FOR_CV | FOR_SAMPLE,
     "loss of the margin: zero-one (default), hinge, exponential; cv takes several, separated by "
     "commas"},
    {OPT_FAMILY, "family", 0, "FAMILY", OPTION_CHOICE, "fixed|isotropic|diagonal|full",
     FOR_FIT | FOR_CV,
     "Gaussians to choose from: fixed, isotropic, diagonal, full (default: full up to 200 "
     "coefficients, else diagonal); cv "
     "takes several"},
    {OPT_LAMBDA, "lambda", 0, "L", OPTION_POSITIVE, NULL,
     FOR_FIT | FOR_CV | FOR_THEORY | FOR_SAMPLE | FOR_COMPLETE,
     "inverse temperature: how much the mean loss weighs against the distance from the prior "
     "(default: the number of rows, in "
     "ranking of those of the smaller class; under an informed prior, of the rows before a stage; "
     "--bound kl and others: "
     "chosen from the first part). sample: 0 is the prior "
     "itself. complete: ratings over twice the "
     "noise "
     "variance"},
    {OPT_LAMBDA_GRID, "lambda-grid", 0, "LO:HI:K", OPTION_GRID, NULL,
     FOR_FIT | FOR_CV | FOR_COMPLETE,
     "K values of lambda, evenly spaced on the log scale from LO to HI, each started from the last "
     "solution; see --select. complete: candidates for --select cv (default: the value learned "
     "from the ratings, and 1/4, 1/2, 2 and 4 times it)"},
    {OPT_SELECT, "select", 0, "RULE", OPTION_CHOICE, "bound|cv|last", FOR_FIT | FOR_COMPLETE,
     "which point of the grids becomes the model: bound (default: the smallest certificate, the "
     "price of the choice paid), cv "
     "(smallest cross-validated error), last (the last lambda). complete: cv chooses lambda, and "
     "with it the noise, by the "
     "error "
     "on ratings left out; the certificate stays valid"},
    {OPT_PRIOR, "prior", 0, "PRIOR", OPTION_CHOICE, "zero|informed", FOR_FIT | FOR_COMPLETE,
     "mean of the Gaussian prior: informed (default: learned from a first part of the rows, which "
     "is then not certified on), "
     "or zero (default with --paper, --restarts and --select cv; and for complete, where informed "
     "needs --range)"},
    {OPT_PRIOR_SD, "prior-sd", 0, "S", OPTION_POSITIVE, NULL,
     FOR_FIT | FOR_CV | FOR_THEORY | FOR_SAMPLE,
     "standard deviation of the prior on every coefficient (default 1; under an informed prior, "
     "chosen from earlier rows)"},
    {OPT_PRIOR_GRID, "prior-grid", 0, "LO:HI:K", OPTION_GRID, NULL, FOR_FIT | FOR_CV,
     "K values of --prior-sd, evenly spaced on the log scale from LO to HI; see --select"},
    {OPT_PRIOR_SPLIT, "prior-split", 0, "F", OPTION_SHARE, NULL, FOR_FIT | FOR_COMPLETE,
     "share of the rows in the first part (default 0.5; progressive: 0.3 to 0.5, more where there "
     "are few rows per column; "
     "rank: 0.5 up to 18000 rows, then all but 9000 of them, at most 0.9; complete: 0.8)"},
    {OPT_STRATIFY, "stratify", 0, NULL, OPTION_FLAG, NULL, FOR_FIT,
     "split so that the first part has its share of each class; the certificate is then only "
     "conditional"},
    {OPT_FOLDS, "folds", 0, "K", OPTION_COUNT_FROM_1, NULL, FOR_FIT | FOR_CV | FOR_COMPLETE,
     "parts for cross-validation, stratified by label; complete: of the ratings, at random "
     "(default 5)"},
    {OPT_TARGET, "target", 0, "COL", OPTION_TEXT, NULL, FOR_FIT | FOR_CV | FOR_SAMPLE,
     "column of the labels, by name or number from 1 (default: the column called y, else the "
     "last)"},
    {OPT_POSITIVE, "positive", 0, "LABEL", OPTION_TEXT, NULL, FOR_FIT | FOR_CV | FOR_SAMPLE,
     "label that counts as +1 (default: the larger of the two). With more than two labels: LABEL "
     "against the rest"},
    {OPT_DROP, "drop", 0, "COLS", OPTION_TEXT, NULL, FOR_FIT | FOR_CV | FOR_SAMPLE,
     "columns to leave out, names or numbers, separated by commas"},
    {OPT_TEXT, "text", 0, "COLS", OPTION_TEXT, NULL, FOR_FIT | FOR_CV | FOR_SAMPLE,
     "columns to read as categories even where they look like numbers, separated by commas"},
    {OPT_SCALE, "scale", 0, "SCALE", OPTION_CHOICE, "none|standard|unit-row",
     FOR_FIT | FOR_CV | FOR_SAMPLE,
     "scaling of the columns: none, standard (default: mean 0, standard deviation 1), unit-row "
     "(each row to length 1)"},
    {OPT_COLUMNS, "columns", 0, "KIND", OPTION_CHOICE, "auto|equal|relevance", FOR_FIT | FOR_CV,
     "width of the prior on standardised columns: equal, relevance (wider for columns that "
     "correlate more with the label), auto (default: relevance under an informed prior, else "
     "equal)"},
    {OPT_NO_INTERCEPT, "no-intercept", 0, NULL, OPTION_FLAG, NULL, FOR_FIT | FOR_CV | FOR_SAMPLE,
     "no constant column"},
    {OPT_CONSTANT, "constant", 0, "V", OPTION_POSITIVE, NULL, FOR_FIT | FOR_CV,
     "value of the constant column: the intercept's prior is that much wider (default 1)"},
    {OPT_MISSING, "missing", 0, "WHAT", OPTION_CHOICE, "error|drop", DATA_COMMANDS,
     "rows with empty, NA or NaN cells: error (default), or drop (predict keeps the row and leaves "
     "its cells empty)"},
    {OPT_NO_HEADER, "no-header", 0, NULL, OPTION_FLAG, NULL, DATA_COMMANDS | FOR_COMPLETE,
     "the first line of the CSV file is data (default: detected)"},
    {OPT_FORMAT, "format", 0, "FORMAT", OPTION_CHOICE, "csv|svmlight|npy",
     DATA_COMMANDS | FOR_SIMULATE,
     "csv, svmlight or npy (default: by the file's name, else by its first bytes; gzip is "
     "detected)"},
    {OPT_TEST, "test", 0, "FILE", OPTION_FILE, NULL, FOR_FIT | FOR_COMPLETE,
     "rows (complete: ratings) to test the fitted model on"},
    {OPT_CONFIDENCE, "confidence", 0, "P", OPTION_CONFIDENCE, NULL,
     FOR_FIT | FOR_EVALUATE | FOR_THEORY | FOR_SAMPLE | FOR_COMPLETE,
     "confidence of the bounds (default 0.95)"},
    {OPT_BOUND, "bound", 0, "METHOD", OPTION_CHOICE, "auto|kl|catoni|hoeffding|paper|progressive",
     FOR_FIT,
     "method of the certificate: progressive (stages, each tested on fresh rows before the next "
     "learns from them), kl, catoni, "
     "hoeffding, paper (as the paper prints it), or auto (default: progressive under an informed "
     "prior, kl under the zero prior and where a grid is given)"},
    {OPT_BLOCKS, "blocks", 0, "M", OPTION_COUNT_FROM_1, NULL, FOR_FIT,
     "progressive: number of stages, up to 16 (default: 2 to 4, more where more errors are "
     "expected)"},
    {OPT_PAPER, "paper", 0, NULL, OPTION_FLAG, NULL, FOR_FIT,
     "the paper's choices, as printed: prior of mean zero, lambda sqrt(nd), prior sd 1/sqrt(d), "
     "its bound"},
    {OPT_PATH, "path", 0, "FILE", OPTION_FILE, NULL, FOR_FIT,
     "write the annealing path, one row per lambda, as CSV (JSON when FILE ends in .json): lambda, "
     "prior_sd, free_energy, "
     "gibbs_risk (mean loss of the posterior), kl, optimality_gap, iterations, converged, bound "
     "(what --bound would certify "
     "there). --task rank --solver sgd: one row per step (iterations says which), then the end; "
     "where there are more steps "
     "than points, evenly on the log scale: a thousand points, fewer where the pairs of all points "
     "would be more than 3e9. "
     "Risk and bound of each are over all pairs; --bound paper is of the paper's risk of any two "
     "rows, the others of 1 - "
     "AUC"},
    {OPT_SOLVER, "solver", 0, "SOLVER", OPTION_CHOICE, "auto|lbfgs|natural|sgd", FOR_FIT | FOR_CV,
     "auto (default), lbfgs, natural (natural gradient), sgd (minibatches)"},
    {OPT_FORM, "form", 0, "FORM", OPTION_CHOICE, "auto|primal|dual", FOR_FIT,
     "full family: work with d coefficients (primal) or in the span of the rows (dual); auto "
     "(default): the smaller"},
    {OPT_BATCH, "batch", 0, "B", OPTION_COUNT_FROM_1, NULL, FOR_FIT | FOR_CV,
     "sgd: rows in a step (default 256); --task rank: half of them positive, all their pairs; with "
     "--schedule paper: pairs "
     "drawn one "
     "by one"},
    {OPT_EPOCHS, "epochs", 0, "E", OPTION_COUNT_FROM_1, NULL, FOR_FIT | FOR_CV,
     "sgd: passes over the rows (default: 20, or as many as make 4000 steps); --task rank: at most "
     "so many, it stops earlier when the free energy has settled: within a thousandth of what it "
     "was at half as many steps, three times in a row"},
    {OPT_SCHEDULE, "schedule", 0, "NAME", OPTION_CHOICE, "modern|paper", FOR_FIT | FOR_CV,
     "sgd: modern (default: Adam, falling steps, averaged) or the paper's steps (t+1)^-0.9, none "
     "of which changes a standard "
     "deviation by more than a factor of e"},
    {OPT_PAIRS, "pairs", 0, "N", OPTION_COUNT_FROM_1, NULL, FOR_FIT,
     "--task rank: certify from N pairs of rows drawn at random instead of all of them, for a "
     "tenth of the error probability; "
     "with --solver sgd no pass over all pairs is made at all. Without it, more than 2e9 pairs are "
     "passed over once, for the "
     "certificate, and --solver sgd makes no other pass"},
    {OPT_RESTARTS, "restarts", 0, "N", OPTION_COUNT_FROM_1, NULL, FOR_FIT | FOR_COMPLETE,
     "instead of annealing, keep the best of N starts drawn from the prior. complete: starts, the "
     "first spectral, the others "
     "random, of which the one with the least "
     "free energy is kept (default 1)"},
    {OPT_TOL, "tol", 0, "T", OPTION_POSITIVE, NULL, FOR_FIT | FOR_CV | FOR_COMPLETE,
     "stop when the optimality gap is below T times the free energy, or T where that is below 1 "
     "(default 1e-8). complete: when "
     "a sweep lowers the free energy by less than that (default 1e-6)"},
    {OPT_MAX_ITER, "max-iter", 0, "N", OPTION_COUNT_FROM_1, NULL, FOR_FIT | FOR_CV | FOR_COMPLETE,
     "most iterations for one lambda (default 1000). complete: most sweeps (default 500)"},
    {OPT_ROWS, "rows", 0, "N", OPTION_COUNT_FROM_1, NULL, FOR_SIMULATE | FOR_THEORY,
     "simulate: number of rows (default 1000; of the matrix for ratings). theory: rows of the "
     "matrix to complete"},
    {OPT_COLS, "cols", 0, "D", OPTION_COUNT_FROM_1, NULL, FOR_SIMULATE | FOR_THEORY,
     "simulate: number of features (default 10), or of the columns that are rated (default 1000). "
     "theory: columns of the "
     "matrix to complete"},
    {OPT_SKIP, "skip", 0, "N", OPTION_COUNT_FROM_0, NULL, FOR_SIMULATE,
     "leave out the first N rows (or ratings) that the seed would give: fresh rows of the same "
     "truth, for testing"},
    {OPT_NOISE, "noise", 0, "P", OPTION_NOISE, NULL, FOR_SIMULATE,
     "classify: probability that a label is flipped, below one half; it is the Bayes risk (default "
     "0.1). rank: 1 - AUC of the "
     "best "
     "score. ratings: standard deviation of the noise (default 0.5)"},
    {OPT_DENSITY, "density", 0, "P", OPTION_PROBABILITY, NULL, FOR_SIMULATE,
     "classify: share of the features that are not zero, drawn cell by cell (default 1). ratings: "
     "number of ratings over that "
     "of "
     "cells (default 0.1)"},
    {OPT_SIGNAL, "signal", 0, "K", OPTION_COUNT_FROM_1, NULL, FOR_SIMULATE,
     "number of features with a coefficient that is not zero (default: all)"},
    {OPT_N, "n", 0, "N", OPTION_COUNT_FROM_1, NULL, FOR_THEORY,
     "number of rows, at least 2 (default 1000)"},
    {OPT_D, "d", 0, "D", OPTION_COUNT_FROM_1, NULL, FOR_THEORY,
     "number of coefficients (default 10)"},
    {OPT_C, "c", 0, "C1", OPTION_POSITIVE, NULL, FOR_THEORY,
     "constant of the smoothness assumption: P(<X,a><X,b> < 0) <= c |a - b| for unit a, b (default "
     "1)"},
    {OPT_MARGIN, "C", 0, "C2", OPTION_POSITIVE, NULL, FOR_THEORY,
     "constant of the margin assumption, at least 1 (default 1)"},
    {OPT_CX, "cx", 0, "CX", OPTION_POSITIVE, NULL, FOR_THEORY | FOR_FIT,
     "fit: longer rows are shortened to length CX, in training and prediction; with --loss hinge "
     "and a bound other than "
     "progressive "
     "the hinge risk gets a certificate. theory: "
     "every row has length at most CX (default 1)"},
    {OPT_NORM, "norm", 0, "B", OPTION_POSITIVE, NULL, FOR_THEORY,
     "hinge: length of the best coefficients (default 1)"},
    {OPT_WANTED_ERROR, "wanted-error", 0, "E", OPTION_POSITIVE, NULL, FOR_THEORY,
     "error that the optimiser may leave, for the number of its steps (default 0.01)"},
    {OPT_RANK, "rank", 0, "K", OPTION_COUNT_FROM_1, NULL, FOR_THEORY | FOR_COMPLETE | FOR_SIMULATE,
     "complete: most components, up to 512 (default 16); those that the ratings do not need are "
     "switched off. theory, with "
     "--rows "
     "and --cols, and simulate ratings (default 5): rank of the matrix"},
    {OPT_PARTICLES, "particles", 0, "N", OPTION_COUNT_FROM_1, NULL, SAMPLE_COMMANDS,
     "particles, at least 4 (default 2000)"},
    {OPT_ESS, "ess", 0, "P", OPTION_CONFIDENCE, NULL, SAMPLE_COMMANDS,
     "effective sample size after each step of lambda, as a share of the particles (default 0.5)"},
    {OPT_CLASSIC, "classic", 0, NULL, OPTION_FLAG, NULL, SAMPLE_COMMANDS,
     "the paper's algorithm: every particle makes --moves random-walk moves at each lambda"},
    {OPT_WASTE_FREE, "waste-free", 0, NULL, OPTION_FLAG, NULL, SAMPLE_COMMANDS,
     "few long chains, every state a particle (default)"},
    {OPT_CHAINS, "chains", 0, "M", OPTION_COUNT_FROM_1, NULL, SAMPLE_COMMANDS,
     "waste-free: number of chains, at least 2 (default: near the square root of the particles)"},
    {OPT_MOVES, "moves", 0, "K", OPTION_COUNT_FROM_1, NULL, SAMPLE_COMMANDS,
     "classic: moves of a particle at each lambda (default 5). waste-free: most moves between two "
     "particles of a chain "
     "(default 100; as many are made as the chain needs to travel)"},
    {OPT_MOVE, "move", 0, "KIND", OPTION_CHOICE, "auto|walk|ring", SAMPLE_COMMANDS,
     "auto (default: ring, with --classic walk), walk (random walk, covariance from the "
     "particles), ring (a draw from many "
     "states around a variational fit)"},
    {OPT_AGAINST, "against", 0, "MODEL", OPTION_MODEL_FILE, NULL, FOR_SAMPLE,
     "measure how far the fitted MODEL is from the Gibbs posterior: KL(model || Gibbs). Columns, "
     "loss, lambda, prior "
     "and rows are the model's"},
    {OPT_DRAWS, "draws", 0, "FILE", OPTION_FILE, NULL, FOR_SAMPLE,
     "write the particles as CSV, one line per particle, one column per coefficient"},
    {OPT_COMPLETE_NOISE, "noise", 0, "learn|V", OPTION_LEARNED, "learn", FOR_COMPLETE,
     "variance of the noise: learn (default), or a value"},
    {OPT_NO_BIASES, "no-biases", 0, NULL, OPTION_FLAG, NULL, FOR_COMPLETE | FOR_SIMULATE,
     "no mean and no biases of rows and columns: the product of the factors alone, the paper's "
     "model"},
    {OPT_RANGE, "range", 0, "LO:HI", OPTION_RANGE, NULL, FOR_COMPLETE | FOR_SIMULATE,
     "complete: every value lies in it, known in advance; predictions are clipped to it, and the "
     "error gets a certificate. "
     "simulate: values are clipped to it"},
    {OPT_SAMPLER, "sampler", 0, "NAME", OPTION_CHOICE, "vb|gibbs", FOR_COMPLETE,
     "vb (default: mean-field approximation), gibbs (draws from the posterior itself, started from "
     "the vb fit)"},
    {OPT_DRAW_COUNT, "draws", 0, "N", OPTION_COUNT_FROM_1, NULL, FOR_COMPLETE,
     "gibbs: sweeps after the burn-in (default 200)"},
    {OPT_BURN_IN, "burn-in", 0, "M", OPTION_COUNT_FROM_0, NULL, FOR_COMPLETE,
     "gibbs: sweeps before the first draw (default 50)"},
    {OPT_KEEP, "keep", 0, "N", OPTION_COUNT_FROM_1, NULL, FOR_COMPLETE,
     "gibbs: draws kept in the model file, evenly spread (default 25); --test averages over all "
     "draws"},
    {OPT_TOP, "top", 0, "K", OPTION_COUNT_FROM_1, NULL, FOR_PREDICT,
     "completions: the K columns with the highest predictions among those that --row has not "
     "rated; no DATA"},
    {OPT_ROW, "row", 0, "ID", OPTION_TEXT, NULL, FOR_PREDICT,
     "completions: the row that --top is asked for"},
    {OPT_PARTS, "parts", 0, NULL, OPTION_FLAG, NULL, FOR_PREDICT,
     "completions: also print the standard deviations of the cell itself and of the noise, in "
     "columns of their own"},
    {OPT_SKEW, "skew", 0, "S", OPTION_POSITIVE, NULL, FOR_SIMULATE,
     "ratings: some rows and columns are rated more often, with log-normal frequencies of this "
     "sigma (default: all alike)"},
    {OPT_MAN, "man", 0, NULL, OPTION_FLAG, NULL, FOR_HELP,
     "print the manual page in roff: of COMMAND, else of gibbsite"},
    {OPT_COMPLETION, "completion", 0, "SHELL", OPTION_CHOICE, "bash|zsh|fish", FOR_HELP,
     "print the script that completes commands, options and their values in bash, zsh or fish"},
    {OPT_JSON, "json", 0, NULL, OPTION_FLAG, NULL, FOR_ALL,
     "print the result as one JSON object on standard output"},
    {OPT_QUIET, "quiet", 'q', NULL, OPTION_FLAG, NULL, FOR_ALL, "print no messages except errors"},
    {OPT_THREADS, "threads", 0, "N", OPTION_COUNT_FROM_1, NULL, FOR_ALL,
     "threads to use (default: GIBBSITE_THREADS, else OMP_NUM_THREADS, else the CPUs that "
     "affinity and cgroup allow); results do not depend on it"},
    {OPT_SEED, "seed", 0, "S", OPTION_SEED, NULL, FOR_ALL,
     "seed of every random number (default 1)"},
    {OPT_HELP, "help", 'h', NULL, OPTION_FLAG, NULL, FOR_ALL, "print help for the command"},
};

const struct option_spec *option_spec(enum option_id id) {
    return &table[id];
}

bool option_takes_list(const struct option_spec *s, unsigned command) {
    return command == FOR_CV && (s->id == OPT_LOSS || s->id == OPT_FAMILY);
}

/* ---------------------------------------------------------------- reading */

struct parse {
    struct options *out;
    unsigned command;
    char *error;
    size_t error_size;
};

/* A name may mean one thing here and another there: the command's own meaning comes first. */
static const struct option_spec *find_long(const char *name, size_t length, unsigned command) {
    const struct option_spec *other = NULL;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0) {
            if ((table[i].commands & command) != 0)
                return &table[i];
            other = &table[i];
        }
    return other;
}

static const struct option_spec *find_letter(char letter) {
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (table[i].letter == letter)
            return &table[i];
    return NULL;
}

/* Letters in common at the beginning: enough to guess what a mistyped name meant. */
static size_t likeness(const char *a, const char *b) {
    size_t same = 0;
    while (a[same] != '\0' && a[same] == b[same])
        same++;
    return same;
}

static bool unknown(struct parse *p, const char *argument) {
    const char *name = argument + strspn(argument, "-"), *best = NULL;
    size_t likest = 2;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if ((table[i].commands & p->command) != 0 && likeness(table[i].name, name) > likest) {
            likest = likeness(table[i].name, name);
            best = table[i].name;
        }
    if (best != NULL)
        snprintf(p->error, p->error_size, "unknown option '%.60s'; did you mean --%s?", argument,
                 best);
    else
        snprintf(p->error, p->error_size, "unknown option '%.60s'", argument);
    return false;
}

static bool wrong(struct parse *p, const struct option_spec *s, const char *value,
                  const char *expected) {
    snprintf(p->error, p->error_size, "--%s: expected %s, found '%.60s'", s->name, expected, value);
    return false;
}

/* Plain decimals only: strtod's hexadecimal and "infinity" are no numbers here. */
static bool read_number(const char *text, double *x) {
    char *end;
    if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
        return false;
    *x = strtod(text, &end);
    return *end == '\0' && isfinite(*x);
}

static bool read_whole(const char *text, uint64_t *x) {
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' || strlen(text) > 20)
        return false;
    errno = 0;
    *x = strtoull(text, NULL, 10);
    return errno == 0;
}

/* Position of value[0 .. length - 1] among the choices, -1: none of them. */
static int find_choice(const struct option_spec *s, const char *value, size_t length) {
    int index = 0;
    for (const char *c = s->choices; c != NULL; index++) {
        size_t size = strcspn(c, "|");
        if (size == length && strncmp(c, value, size) == 0)
            return index;
        c = c[size] == '|' ? c + size + 1 : NULL;
    }
    return -1;
}

static bool read_choice(struct parse *p, const struct option_spec *s, const char *value) {
    bool list = option_takes_list(s, p->command);
    for (const char *item = value;;) {
        size_t length = list ? strcspn(item, ",") : strlen(item);
        int index = find_choice(s, item, length);
        if (index < 0) {
            char expected[200];
            snprintf(expected, sizeof expected,
                     strchr(s->choices, '|') != NULL ? "one of %s" : "%s", s->choices);
            char found[200];
            snprintf(found, sizeof found, "%.*s", (int)(length < 199 ? length : 199), item);
            return wrong(p, s, found, expected);
        }
        if (p->out->choice[s->id] < 0)
            p->out->choice[s->id] = index;
        p->out->choices[s->id] |= 1U << index;
        if (item[length] == '\0')
            return true;
        item += length + 1;
    }
}

static bool read_grid(struct parse *p, const struct option_spec *s, const char *value) {
    char copy[128];
    struct grid *g = &p->out->grid[s->id];
    uint64_t size = 0;
    const char *expected = "LO:HI:K with 0 < LO < HI and 2 <= K <= 1000 (or LO = HI and K = 1)";
    if ((size_t)snprintf(copy, sizeof copy, "%s", value) >= sizeof copy)
        return wrong(p, s, value, expected);
    char *high = strchr(copy, ':'), *count = high != NULL ? strchr(high + 1, ':') : NULL;
    if (count == NULL)
        return wrong(p, s, value, expected);
    *high++ = '\0';
    *count++ = '\0';
    bool ok = read_number(copy, &g->low) && read_number(high, &g->high) && read_whole(count, &size);
    bool single = g->low == g->high && size == 1;
    if (!ok || !(g->low > 0.0) || !(single || (g->high > g->low && size >= 2)) || size > 1000)
        return wrong(p, s, value, expected);
    g->size = (size_t)size;
    return true;
}

static bool read_range(struct parse *p, const struct option_spec *s, const char *value) {
    char copy[128];
    struct grid *g = &p->out->grid[s->id];
    bool fits = (size_t)snprintf(copy, sizeof copy, "%s", value) < sizeof copy;
    char *high = fits ? strchr(copy, ':') : NULL;
    if (high != NULL)
        *high++ = '\0';
    if (high == NULL || !read_number(copy, &g->low) || !read_number(high, &g->high) ||
        !(g->low < g->high))
        return wrong(p, s, value, "LO:HI with LO < HI, such as 1:5");
    return true;
}

double grid_value(const struct grid *g, size_t k) {
    if (k + 1 >= g->size)
        return g->high;
    return g->low * pow(g->high / g->low, (double)k / (double)(g->size - 1));
}

static bool set_value(struct parse *p, const struct option_spec *s, const char *value) {
    struct options *o = p->out;
    double *x = &o->number[s->id];
    if (given(o, s->id) && s->type != OPTION_FLAG) {
        snprintf(p->error, p->error_size, "--%s is given twice", s->name);
        return false;
    }
    o->text[s->id] = value;
    switch (s->type) {
    case OPTION_FLAG:
        return true;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_MODEL_FILE:
        return value[0] != '\0' || wrong(p, s, value, s->argument);
    case OPTION_POSITIVE:
        if (s->id == OPT_LAMBDA && p->command == FOR_SAMPLE)
            return (read_number(value, x) && *x >= 0.0) || wrong(p, s, value, "a number from 0");
        return (read_number(value, x) && *x > 0.0) || wrong(p, s, value, "a positive number");
    case OPTION_PROBABILITY:
        return (read_number(value, x) && *x >= 0.0 && *x <= 1.0) ||
               wrong(p, s, value, "a number from 0 to 1");
    case OPTION_NOISE:
        return (read_number(value, x) && *x >= 0.0) || wrong(p, s, value, "a number from 0");
    case OPTION_LEARNED:
        if (strcmp(value, "learn") == 0)
            return true;
        return (read_number(value, x) && *x > 0.0) ||
               wrong(p, s, value, "learn or a positive number");
    case OPTION_RANGE:
        return read_range(p, s, value);
    case OPTION_SHARE:
        return (read_number(value, x) && *x > 0.0 && *x < 1.0) ||
               wrong(p, s, value, "a number between 0 and 1, such as 0.5");
    case OPTION_CONFIDENCE:
        return (read_number(value, x) && *x > 0.0 && *x < 1.0) ||
               wrong(p, s, value, "a number between 0 and 1, such as 0.95");
    case OPTION_COUNT_FROM_0:
        return (read_whole(value, &o->count[s->id]) && o->count[s->id] <= 1000000000000ULL) ||
               wrong(p, s, value, "a whole number from 0 to 1000000000000");
    case OPTION_COUNT_FROM_1:
        if (s->id == OPT_THREADS)
            return (read_whole(value, &o->count[s->id]) && o->count[s->id] >= 1 &&
                    o->count[s->id] <= 1024) ||
                   wrong(p, s, value, "a whole number from 1 to 1024");
        return (read_whole(value, &o->count[s->id]) && o->count[s->id] >= 1 &&
                o->count[s->id] <= 1000000000000ULL) ||
               wrong(p, s, value, "a whole number from 1 to 1000000000000");
    case OPTION_SEED:
        return read_whole(value, &o->count[s->id]) ||
               wrong(p, s, value, "a whole number from 0 to 18446744073709551615");
    case OPTION_CHOICE:
        return read_choice(p, s, value);
    case OPTION_GRID:
        return read_grid(p, s, value);
    }
    return false;
}

/* One argument that starts with a dash; takes the next one too when the option wants a value. */
static bool read_option(struct parse *p, int argc, char **argv, int *i) {
    const char *argument = argv[*i], *value = NULL;
    const struct option_spec *s;
    if (argument[1] == '-') {
        size_t length = strcspn(argument + 2, "=");
        s = find_long(argument + 2, length, p->command);
        if (argument[2 + length] == '=')
            value = argument + 3 + length;
    } else {
        s = find_letter(argument[1]);
        if (argument[2] != '\0')
            value = argument + 2;
    }
    if (s == NULL || (s->commands & p->command) == 0)
        return unknown(p, argument);
    if (s->type == OPTION_FLAG) {
        if (value != NULL) {
            snprintf(p->error, p->error_size, "--%s takes no value", s->name);
            return false;
        }
        return set_value(p, s, "");
    }
    if (value == NULL && *i + 1 < argc)
        value = argv[++*i];
    if (value == NULL) {
        snprintf(p->error, p->error_size, "--%s needs a value: --%s %s", s->name, s->name,
                 s->argument);
        return false;
    }
    return set_value(p, s, value);
}

bool options_parse(int argc, char **argv, unsigned command, const char **inputs,
                   struct options *out, char *error, size_t error_size) {
    *out = (struct options){.inputs = inputs};
    for (size_t k = 0; k < OPTION_COUNT; k++)
        out->choice[k] = -1;
    struct parse p = {out, command, error, error_size};
    bool only_inputs = false;
    for (int i = 0; i < argc; i++) {
        if (!only_inputs && strcmp(argv[i], "--") == 0)
            only_inputs = true;
        else if (only_inputs || argv[i][0] != '-' || argv[i][1] == '\0')
            inputs[out->n_inputs++] = argv[i];
        else if (!read_option(&p, argc, argv, &i))
            return false;
    }
    return true;
}
