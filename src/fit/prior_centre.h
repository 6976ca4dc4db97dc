/* The centre of an informed prior, fitted to rows that the certificate does not use: what is fitted
 * is the task's (src/task), the fitting is ours. */
#ifndef GIBBSITE_FIT_PRIOR_CENTRE_H
#define GIBBSITE_FIT_PRIOR_CENTRE_H

#include "fit/split.h"
#include "task/task.h"

/* What the first part says before its rows are scaled; whatever is chosen is free. */
gbs_status gbs_prior_centre_choose(gbs_context *ctx, const gbs_split *split,
                                   const gbs_fit_settings *o, gbs_prior_centre *out);

/* mean (length rows->d): the centre fitted to these rows. */
gbs_status gbs_prior_centre_fit(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                                gbs_prior_centre *centre, double *mean);

#endif
