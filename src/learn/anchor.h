/* The centre of an informed prior: a hinge classifier fitted to rows that the certificate does not use. */
#ifndef GIBBSITE_LEARN_ANCHOR_H
#define GIBBSITE_LEARN_ANCHOR_H

#include "learn/split.h"

typedef struct gbs_anchor {
    double width;    /* prior standard deviation of the hinge fit */
    double foretold; /* zero-one Gibbs risk that cross-validation on the first part foretells */
} gbs_anchor;

/* By cross-validation on the first part; whatever it chooses is free. */
gbs_status gbs_anchor_choose(gbs_context *ctx, const gbs_split *split, const gbs_fit_options *o, gbs_anchor *out);

/* mean (length rows->d): the centre fitted to these rows. */
gbs_status gbs_anchor_fit(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_options *o, const gbs_anchor *anchor,
                          double *mean);

/* The default prior_sd around it: a twentieth of the root mean square of its coordinates. */
double gbs_anchor_spread(size_t d, const double *mean);

#endif
