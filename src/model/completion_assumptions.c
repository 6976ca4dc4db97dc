/* What the certificate of a completion takes for granted (docs/maths.md, 8). */
#include "model/completion.h"

/* Of the values that are predicted, tested on ratings kept from the fit. */
static const char *const of_values[] = {
    "ratings are independent draws from one distribution, or a random subset of all ratings, of "
    "which it then bounds those outside the part that was learned from; which cells are rated may "
    "depend on taste",
    ("which ratings are left out is random as far as they know: the seed was drawn at random, or "
     "the hash of the ratings acts as a random function and many different sets of ratings could "
     "have come; the seed was not chosen by its result"),
    "every value lies in the declared range"};

/* Of one draw from the posterior. */
static const char *const of_draws[] = {
    "ratings are independent draws from one distribution, or cells drawn at random from one table",
    ("the split and the draws are random: the seed was drawn at random, or the hash of the ratings "
     "acts as a random function and many different sets of ratings could have come; the seed was "
     "not chosen by its result"),
    "every value lies in the declared range"};

/* Of both, where features of rows or columns came in. */
static const char of_features[] =
    "what is known of rows and columns was not made from these ratings (a row's mean rating, say)";

enum {
    OF_VALUES = sizeof of_values / sizeof *of_values,
    OF_DRAWS = sizeof of_draws / sizeof *of_draws
};

/* What the choice of the noise did to the certificate; NULL: there was none. */
static const char *choice_note(const gbs_completion_info *i) {
    if (i->folds == 0)
        return NULL;
    return i->prior == GBS_PRIOR_INFORMED
               ? "the noise was chosen by cross-validation inside the first part, before the "
                 "certified ratings were seen"
               : "the noise, chosen by cross-validation, moves the posterior and not the prior: "
                 "the bound holds for every posterior";
}

const char *gbs_completion_assumption(const gbs_completion *model, size_t k) {
    if (model == NULL || !model->certificate.present)
        return NULL;
    bool drawn = model->certificate.draws > 0;
    size_t usual = drawn ? OF_DRAWS : OF_VALUES;
    if (k < usual)
        return drawn ? of_draws[k] : of_values[k];
    if (model->features && k == usual)
        return of_features;
    return drawn && k == usual + (model->features ? 1 : 0) ? choice_note(&model->info) : NULL;
}
