/* Inside of the fit to three classes or more. */
#ifndef GIBBSITE_FIT_MANY_H
#define GIBBSITE_FIT_MANY_H

#include "fit/softmax.h"
#include "fit/ways.h"
#include "judge/many.h"

/* The rows to learn from, and what is known of them. */
typedef struct gbs_learning {
    gbs_context *ctx;
    gbs_fit_settings o;
    const gbs_data *head;
    size_t all; /* rows of the fit, the last block too */
    gbs_split_key split;
    size_t classes, *rows; /* rows of each class in head */
    size_t first;          /* the rows of head from here on calibrate */
    double told, span;     /* of the progress */
} gbs_learning;

/* One way to make binary problems of the classes, fitted; and the scores of the calibrating rows by
 * fits that have not seen them. */
typedef struct gbs_scheme_fit {
    gbs_many *many;
    double *score; /* calibrating rows x classes */
    size_t *class; /* SIZE_MAX: not all of its scores are known */
    size_t n, candidates;
    double log_loss, error; /* cross-validated */
} gbs_scheme_fit;

gbs_status gbs_scheme_learn(gbs_learning *l, gbs_scheme scheme, gbs_scheme_fit *out);
void gbs_scheme_free(gbs_context *ctx, gbs_scheme_fit *s);

/* The lines of the card, from the last block: probabilities and drawn scores, rows x classes. */
typedef struct gbs_many_evidence {
    const gbs_fit_settings *o;
    const gbs_many_tally *tally;
    const double *probability, *y; /* of the last block */
    const double *before_probability;
    const size_t *before_class; /* of the calibrating rows */
    size_t before;
} gbs_many_evidence;

gbs_status gbs_many_certify(gbs_context *ctx, gbs_model *model, const gbs_many_evidence *e);

#endif
