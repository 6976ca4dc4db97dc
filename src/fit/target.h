/* The Gibbs posterior that a fitted posterior approximates. */
#ifndef GIBBSITE_FIT_TARGET_H
#define GIBBSITE_FIT_TARGET_H

#include "model/model.h"

typedef struct gbs_gibbs_target {
    gbs_context *ctx;
    const gbs_stage *stage; /* lambda, prior */
    gbs_rows rows;
    gbs_data *view; /* what the rows are made of, where they are some of the data's */
    double free_energy, gibbs_risk; /* of the stage, computed again on these rows */
} gbs_gibbs_target;

/* Of stage t, on its rows among `data`. GBS_ERR_DATA when these are not the rows of the fit: the
 * free energy would be another. */
gbs_status gbs_gibbs_target_find(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                                 size_t t, gbs_gibbs_target *out);
void gbs_gibbs_target_free(gbs_gibbs_target *target);

/* The prior was learned from the very rows of the risk: a bound for a prior fixed in advance says
 * nothing. */
bool gbs_prior_knows_rows(const gbs_model *model, const gbs_stage *stage);

#endif
