/* The deployed predictor fitted once more, to all rows: not the one that was tested. */
#ifndef GIBBSITE_FIT_REFIT_H
#define GIBBSITE_FIT_REFIT_H

#include "fit/choose.h"

/* Puts the posterior of the same choice on all rows of `data` into the model, with its maps, and
 * marks its certificates: they are of the predictor before. asked: the options of the fit, whose
 * lambda is meant for `learned` rows. The rows in a view and as they are fitted are handed out, to
 * be judged. */
gbs_status gbs_refit(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *asked,
                     const gbs_choice *choice, size_t learned, gbs_model *model, gbs_data **view,
                     gbs_rows *rows);

#endif
