/* What the default fit chooses on its learn part: columns, width of the prior, loss, calibration.
 */
#ifndef GIBBSITE_FIT_CHOOSE_H
#define GIBBSITE_FIT_CHOOSE_H

#include "fit/platt.h"
#include "fit/posterior.h"

typedef struct gbs_choice {
    gbs_loss loss;
    gbs_columns columns;
    gbs_features features;
    size_t features_size;
    double kernel_width, level_width, axes;
    double prior_sd; /* of the prior around 0 */
    double constant; /* the value of the intercept's column */
    bool weighted;   /* what errors cost weighs the rows that train */
    gbs_platt platt;
    size_t candidates, folds; /* 0 folds: too few rows, nothing was compared */
    double log_loss;          /* out of fold; the choice flatters both */
    double error, error_se;
    /* scores of rows of the learn part by fits that have not seen them, and their labels: what is
     * to be expected of fresh rows */
    double *score, *y;
    size_t rows, first; /* of the learn part: from its row `first` on */
    bool by_posterior;  /* they are still to come, and the calibration: gbs_choice_leave_one_out */
} gbs_choice;

/* learn: the rows before the last block, in random order. What the options give is taken. */
gbs_status gbs_choose(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                      gbs_choice *out);
void gbs_choice_free(const gbs_context *ctx, gbs_choice *choice);

/* Calibrates by the posterior that was fitted to all rows to learn from, with each of choice->rows
 * of them, from choice->first on, taken out in turn. */
gbs_status gbs_choice_leave_one_out(gbs_context *ctx, const gbs_rows *rows,
                                    const gbs_fit_settings *o, const gbs_stage *stage,
                                    gbs_choice *choice);

/* How often a draw from the posterior of `model`, fitted to `rows`, may be expected to err on fresh
 * rows: of each of choice->rows, by its score from a fit without it. */
gbs_status gbs_choice_gibbs(gbs_context *ctx, const gbs_rows *rows, const gbs_model *model,
                            const gbs_choice *choice, double *out);

/* The settings of a fit with this choice to these rows, of the `all` that the options' lambda is
 * meant for. */
gbs_fit_settings gbs_choice_settings(const gbs_choice *choice, const gbs_fit_settings *o,
                                     const gbs_data *rows, size_t all);
/* The posterior that the choice calls for, of scaled rows; start and trace may be NULL. */
gbs_status gbs_choice_fit(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *settings,
                          const gbs_gaussian *start, gbs_trace *trace, gbs_posterior *out);

#endif
