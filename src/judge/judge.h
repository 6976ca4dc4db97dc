/* What a model, or the particles of a sampling, make of rows: votes, errors, risks, areas. */
#ifndef GIBBSITE_JUDGE_JUDGE_H
#define GIBBSITE_JUDGE_JUDGE_H

#include "judge/reliability.h"
#include "model/model.h"
#include "model/particles.h"

/* What a model makes of rows, row by row; arrays of the caller, any of them NULL. */
typedef struct gbs_judgement {
    double *score;       /* x'm; of a mixture, the normal quantile of the probability */
    double *sd;          /* standard deviation of x'theta; of a mixture, 1 */
    double *probability; /* that a draw votes for +1 */
    double *calibrated;  /* of a deployed model alone: the probability of +1 that it prints */
    /* these need labels */
    double *gibbs;     /* mean zero-one loss: the probability that a draw errs */
    double *log_right; /* log of the probability that it does not */
    double *risk;      /* mean loss, in the loss of the fit */
} gbs_judgement;

/* GBS_ERR_NUMERIC, with the number of the row, when a score (or a standard deviation) of rows
 * first .. first + n - 1 is not finite. score may be NULL. */
gbs_status gbs_check_scores(gbs_context *ctx, size_t first, size_t n, const double *score);

gbs_status gbs_model_judge(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows,
                           const gbs_judgement *out);

/* An evaluation, and what is asked of it part by part. Handles are of this type: what a caller
 * holds is the first member. */
typedef struct gbs_evaluated {
    gbs_evaluation told;
    gbs_reliability bin[GBS_BINS]; /* tenths of [0, 1] */
    /* three classes or more: */
    size_t classes;
    size_t *confusion;        /* (classes + 1) x classes, [is][said]; NULL: not wanted */
    gbs_class_result *result; /* of each class */
    double cost;
} gbs_evaluated;

/* Error, risks and calibration of n judged rows, added up: several slices may follow one another
 * before gbs_evaluation_finish. */
void gbs_evaluation_add(gbs_evaluated *e, size_t n, const double *y, const gbs_judgement *v);
/* The same where labels and probabilities are those of a calibrated model: v->score too. */
void gbs_evaluation_add_calibrated(gbs_evaluated *e, const gbs_card *card, size_t n,
                                   const double *y, const gbs_judgement *v);
void gbs_evaluation_finish(gbs_evaluated *e);
/* What the model does on labelled rows but for the AUC, a slice at a time: what it says of all rows
 * would be one more copy of a narrow file. score (n numbers) and second_moment (mean squared Gibbs
 * error) may be NULL. */
gbs_status gbs_judge_rows(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows,
                          double *score, gbs_evaluated *out, double *second_moment);
/* Area under the ROC curve, ties one half; NaN when a class is missing. GBS_ERR_NUMERIC when a
 * score is not finite. */
gbs_status gbs_area(gbs_context *ctx, size_t n, const double *y, const double *score, double *auc);
/* The same with DeLong's standard error; NaN where a class has fewer than two rows. */
gbs_status gbs_area_with_error(gbs_context *ctx, size_t n, const double *y, const double *score,
                               double *auc, double *se);

/* Of what ranks: the distribution of the scores of negative rows, which are finite, as quantiles in
 * ascending order; and the place of a score in it, the share of the kept scores below, a tie one
 * half. *out is NULL on failure. */
gbs_status gbs_keep_negatives(gbs_context *ctx, size_t n, const double *y, const double *score,
                              double **out, size_t *size);
double gbs_place(size_t size, const double *negatives, double score);

/* gbs_model_evaluate of a model that classifies. */
gbs_status gbs_classifier_evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                                   gbs_evaluated *out);

/* ---------------------------------------------------------------- particles */

/* gbs_particles_evaluate of particles that classify. */
gbs_status gbs_particles_evaluate_votes(gbs_context *ctx, const gbs_particles *particles,
                                        const gbs_data *data, gbs_evaluated *out);
/* What the particles say of each row of the design; loss and error need labels. */
gbs_status gbs_particles_vote(gbs_context *ctx, const gbs_particles *particles,
                              const gbs_rows *rows, const gbs_vote *out);

#endif
