/* Importances of the columns, on rows that nothing of a fit has seen. */
#ifndef GIBBSITE_FIT_FRESH_H
#define GIBBSITE_FIT_FRESH_H

#include "model/model.h"
#include "options/settings.h"

/* Keeps them in the model; where its last block cannot tell, says so in the log. */
gbs_status gbs_explain_fresh(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                             gbs_model *model);

#endif
