/* The jobs of the library by their settings; calls.c offers them by options. */
#ifndef GIBBSITE_FIT_RUN_H
#define GIBBSITE_FIT_RUN_H

#include "core/context.h"
#include "options/settings.h"

/* settings NULL: the defaults. */
gbs_status gbs_fit_run(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *settings,
                       gbs_model **out);
gbs_status gbs_fit_order_run(gbs_context *ctx, const gbs_data *data,
                             const gbs_fit_settings *settings, size_t *order, size_t *first_part);
/* learned has room for all rows. */
gbs_status gbs_fit_split_run(gbs_context *ctx, const gbs_data *data,
                             const gbs_fit_settings *settings, unsigned char *learned);
gbs_status gbs_sample_run(gbs_context *ctx, const gbs_data *data,
                          const gbs_sample_settings *settings, gbs_particles **out);
gbs_status gbs_sample_run_for(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                              size_t stage, const gbs_sample_settings *settings,
                              gbs_particles **out);
gbs_status gbs_complete_run(gbs_context *ctx, const gbs_ratings *ratings,
                            const gbs_complete_settings *settings, gbs_completion **out);

/* GBS_ERR_ARGUMENT, in the context of the fit, where an option does not go with more than two
 * classes. options NULL: the defaults. */
gbs_status gbs_options_check_classes(gbs_context *ctx, const gbs_options *options);

/* k-fold cross-validation of `count` candidates on the same folds. A candidate's lambda is meant
 * for all rows and is scaled with the rows of a fold (0: their number). results has room for count.
 */
gbs_status gbs_cross_validate_run(gbs_context *ctx, const gbs_data *data, size_t folds,
                                  const gbs_fit_settings *candidates, size_t count,
                                  gbs_cv_result *results);

#endif
