/* The centre of an informed prior: a hinge classifier fitted to rows that the certificate does not
 * use. */
#ifndef GIBBSITE_FIT_PRIOR_CENTRE_H
#define GIBBSITE_FIT_PRIOR_CENTRE_H

#include "fit/split.h"

typedef struct gbs_prior_centre {
    double width;     /* prior standard deviation of the hinge fit */
    double predicted; /* zero-one Gibbs risk that cross-validation on the first part predicts */
} gbs_prior_centre;

/* By cross-validation on the first part; whatever it chooses is free. */
gbs_status gbs_prior_centre_choose(gbs_context *ctx, const gbs_split *split,
                                   const gbs_fit_settings *o, gbs_prior_centre *out);

/* mean (length rows->d): the centre fitted to these rows. */
gbs_status gbs_prior_centre_fit(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                                const gbs_prior_centre *centre, double *mean);

/* The default prior_sd around it: a twentieth of the root mean square of its coordinates. */
double gbs_prior_centre_spread(size_t d, const double *mean);

#endif
