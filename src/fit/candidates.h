/* Candidates of a choice by cross-validation: every combination of the losses, families and grids
 * that the settings name, each one posterior under the zero prior. */
#ifndef GIBBSITE_FIT_CANDIDATES_H
#define GIBBSITE_FIT_CANDIDATES_H

#include "fit/run.h"

struct gbs_cv {
    gbs_context *ctx;
    gbs_fit_settings *item;
    gbs_cv_result *result;
    size_t count, best, folds;
};

/* Fills item, result and best. */
gbs_status gbs_candidates_judge(gbs_context *ctx, const gbs_data *data,
                                const gbs_fit_settings *settings, gbs_cv *out);
/* The same of one candidate: what a fit deploys by default. */
gbs_status gbs_deployed_judge(gbs_context *ctx, const gbs_data *data,
                              const gbs_fit_settings *settings, gbs_cv *out);
void gbs_candidates_free(gbs_cv *cv);

#endif
