/* A fit that starts where an earlier one ended. */
#ifndef GIBBSITE_FIT_START_H
#define GIBBSITE_FIT_START_H

#include "model/model.h"

/* The posterior of `from` in the coordinates of `maps`, as near as they allow; out->mean NULL where
 * it is of no use: no model, several stages, a score that is not linear in the raw columns, a loss
 * that is not convex, a solver that draws its steps. The settings say which raw columns the maps
 * speak of. Freed by gbs_gaussian_free. */
gbs_status gbs_start_make(gbs_context *ctx, const gbs_fit_settings *o, const gbs_model *from,
                          const gbs_maps *maps, gbs_gaussian *out);

/* GBS_ERR_DATA where a fit to this data cannot start from this model. */
gbs_status gbs_start_check(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                           const gbs_model *from);

#endif
