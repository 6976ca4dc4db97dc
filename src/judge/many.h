/* What a model of many classes makes of rows (docs/maths.md, 11.10). */
#ifndef GIBBSITE_JUDGE_MANY_H
#define GIBBSITE_JUDGE_MANY_H

#include "judge/judge.h"
#include "model/many.h"

/* The scores of the classes, rows x classes, and what draws make of them: where that is known
 * (below), their standard deviations, of one pair of classes how often a draw says each; else the
 * scores of one draw from every posterior for each row, row i of the data being number first + i of
 * the draws of `seed`. Either may be NULL. */
gbs_status gbs_many_scores(gbs_context *ctx, const gbs_many *many, const gbs_data *data,
                           uint64_t seed, size_t first, double *score, double *spread);

/* The probability that a draw errs has a form that is computed, without coins; one pair of classes
 * is a case of its own. */
bool gbs_many_draws_known(const gbs_many *many);
bool gbs_many_is_a_pair(const gbs_many *many);
/* It, of one row of this class, from its score and spread, to 1e-12, from above; where it is not
 * known, whether the one draw errs. A class that was not learned: 1. */
double gbs_many_draw_wrong(const gbs_many *many, const double *score, const double *spread,
                           size_t class);
void gbs_many_draws_wrong(gbs_context *ctx, const gbs_many *many, size_t n, const double *y,
                          const double *score, const double *spread, double *wrong);

/* z_k = a_k + (B s)_k; -INFINITY of a class that was not learned. */
double gbs_many_height(const gbs_many *many, const double *score, size_t k);

/* One part's share of them: adds the scores of n rows by part p. */
void gbs_many_add_part(const gbs_many *many, size_t p, size_t n, const double *part_score,
                       double *score);

/* Scores of one row become probabilities, in place; classes that were not learned have 0. */
void gbs_many_probabilities(const gbs_many *many, double *score);
/* The label of probabilities: of the least expected cost, or the most probable; the first of
 * several. */
size_t gbs_many_label(const gbs_many *many, const double *probability);

/* Rows with their classes, judged and added up. */
typedef struct gbs_many_tally {
    size_t n, errors, unknown;
    double gibbs, brier, log_loss, cost; /* sums; log_loss over n - unknown rows */
    size_t *confusion;                   /* (classes + 1) x classes; may be NULL */
    gbs_reliability bin[GBS_BINS]; /* of the probability of the label, against its being right */
} gbs_many_tally;

/* Half the sum of squares; class `classes`: none of them. */
double gbs_many_brier(const gbs_many *many, const double *probability, size_t class);
/* Of saying `said`; of a class that there is no cost of, the largest. */
double gbs_many_cost_of(const gbs_many *many, size_t class, size_t said);
/* score becomes probabilities; wrong: how often a draw errs, of each row. */
void gbs_many_add(const gbs_many *many, size_t n, const double *y, double *score,
                  const double *wrong, gbs_many_tally *tally);

gbs_status gbs_many_evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                             gbs_evaluated *out);

#endif
