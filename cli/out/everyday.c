/* The options that most people need of the commands that have many, in a few words each: what
 * `help COMMAND` shows. `help COMMAND --all` has every option with all there is to say. */
#include "out/everyday.h"

#include <string.h>

enum {
    FIT_CV = GBS_FOR_FIT | GBS_FOR_CV,
    LEARN = FIT_CV | GBS_FOR_SAMPLE,
    LONG = LEARN | GBS_FOR_COMPLETE
};

static const struct everyday {
    unsigned commands;
    const char *name, *words;
} everyday[] = {
    {LEARN, "target", "column of the labels (default: y, else the last)"},
    {LEARN, "positive", "label that counts as +1; of many labels: this one against the rest"},
    {LEARN, "drop", "columns to leave out, separated by commas"},
    {LEARN, "text", "columns of numbers that are categories"},
    {LEARN, "missing", "cells that are empty, NA or NaN: error, drop the row, or impute"},
    {FIT_CV, "group", "rows with the same value here stay together"},
    {FIT_CV, "weights", "column that says how much a row counts in training"},
    {GBS_FOR_FIT | GBS_FOR_COMPLETE, "test", "file to test the fitted model on"},
    {GBS_FOR_COMPLETE, "row-features", "what is known of the rows, a CSV file"},
    {GBS_FOR_COMPLETE, "col-features", "what is known of the columns, a CSV file"},
    {LEARN, "task", "classify, or rank: a score that puts positive rows above the others"},
    {GBS_FOR_FIT, "loss", "zero-one, hinge, exponential or probit (default: chosen)"},
    {GBS_FOR_CV, "loss", "zero-one, hinge, exponential, probit, separated by commas"},
    {GBS_FOR_SAMPLE, "loss", "zero-one, hinge, exponential or probit"},
    {FIT_CV, "family", "fixed, isotropic, diagonal, full (default: by the number of columns)"},
    {LEARN, "features", "linear, or beyond the line: fourier, nystrom, auto"},
    {LEARN, "lambda", "inverse temperature (default: chosen, or the number of rows)"},
    {GBS_FOR_CV, "lambda-grid", "the temperatures to compare"},
    {GBS_FOR_CV, "prior-grid", "the prior widths to compare"},
    {GBS_FOR_CV, "folds", "parts to cross-validate with"},
    {GBS_FOR_FIT, "prior", "informed by a part of the rows, or zero, as in the paper"},
    {GBS_FOR_FIT, "paper", "everything as the paper has it"},
    {GBS_FOR_SAMPLE, "particles", "how many draws"},
    {GBS_FOR_SAMPLE, "against", "a fitted model, whose gap to the posterior is printed"},
    {GBS_FOR_SAMPLE, "draws", "write the draws as CSV"},
    {GBS_FOR_COMPLETE, "model", "hierarchical, or paper"},
    {GBS_FOR_COMPLETE, "rank", "number of components"},
    {GBS_FOR_CV, "rank", "of ratings: components, a quarter to twice as many are compared"},
    {GBS_FOR_COMPLETE, "range", "the values that a rating can have: gives a certificate"},
    {GBS_FOR_COMPLETE, "select", "cv chooses by cross-validation"},
    {GBS_FOR_COMPLETE, "sampler", "vb, or gibbs: sampling in place of mean field"},
    {GBS_FOR_FIT, "importance", "how much each column matters, on rows kept from the fit"},
    {GBS_FOR_FIT, "bound", "which certificate comes first (default: of the printed labels)"},
    {LONG, "confidence", "of the certificates"},
    {GBS_FOR_FIT, "cost", "costs of a missed positive and of a false alarm, as 5:1"},
    {GBS_FOR_FIT, "joint", "all numbers of the card hold at once"},
    {GBS_FOR_FIT, "order", "time: the last rows of the file test the others"},
    {GBS_FOR_FIT, "refit", "all: deploy a posterior from all rows, which is not certified"},
    {LONG, "output", "write the model here"},
    {LONG, "json", "the result as JSON on standard output"},
    {LONG, "verbose", "everything there is to say"},
    {LONG, "quiet", "no notes, no progress"},
    {LONG, "seed", "of all that is random"},
};

bool everyday_only(unsigned command) {
    return (command & LONG) != 0;
}

bool everyday_rare(const char *option) {
    return strcmp(option, "device") == 0 || strcmp(option, "threads") == 0 ||
           strcmp(option, "help") == 0;
}

const char *everyday_words(unsigned command, const char *option) {
    for (size_t k = 0; k < sizeof everyday / sizeof *everyday; k++)
        if ((everyday[k].commands & command) != 0 && strcmp(everyday[k].name, option) == 0)
            return everyday[k].words;
    return NULL;
}
