/* The ways of a fit, and what they share. */
#ifndef GIBBSITE_FIT_WAYS_H
#define GIBBSITE_FIT_WAYS_H

#include "fit/certify.h"
#include "fit/posterior.h"
#include "fit/split.h"

/* One posterior: under the zero prior on all rows, under an informed prior on the second part. */
gbs_status gbs_fit_single(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                          gbs_model **out);
/* One predictor, calibrated, and tested on a last block. *out is NULL where nobody asked for it by
 * name and there are too few rows to be split; `by_labels`: other labels of as many rows would have
 * done. */
gbs_status gbs_fit_deployed(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                            bool *by_labels, gbs_model **out);
/* Three classes or more. Not certified: one posterior for each against the rest, as the options
 * say. */
gbs_status gbs_fit_classes(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                           bool certified, gbs_model **out);
/* Stages, each tested on fresh rows before the next learns from them. */
gbs_status gbs_fit_progressive(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                               gbs_model **out);

/* gbs_fit where only the predictions are wanted: lambda need not lie in the range of the hinge
 * bound. */
gbs_status gbs_fit_to_judge(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *options,
                            gbs_model **out);

/* What can be told from the options alone. */
gbs_status gbs_check_fit_options(gbs_context *ctx, const gbs_fit_settings *o);
/* The family of d coefficients, where none was asked for. */
void gbs_settle_family(gbs_fit_settings *o, size_t d);
/* Everything that does not depend on what the rows say; of d coefficients. */
void gbs_fill_defaults(gbs_fit_settings *o, size_t n, size_t d);

/* What the options, the map and the rows say of a model. */
gbs_model_info gbs_settled_info(const gbs_fit_settings *o, const gbs_maps *maps,
                                const gbs_data *data);
/* Sets model->info from a posterior (gibbs_error and train_error are left to gbs_judge_rows),
 * counting on the iterations before. */
void gbs_keep_fit(gbs_model *m, const gbs_fit_settings *o, const gbs_data *data,
                  const gbs_posterior *p);
gbs_status gbs_keep_path(gbs_context *ctx, gbs_model *m, gbs_posterior *p, size_t restarts);

#endif
