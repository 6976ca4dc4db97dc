/* One slope for the scores of a joint fit to many classes. */
#ifndef GIBBSITE_FIT_TEMPER_H
#define GIBBSITE_FIT_TEMPER_H

#include "fit/softmax.h"

/* The slope t of p in proportion to exp(t s), by the log loss of these rows; the loss of each row
 * (NaN: it does not count) and the share that is wrong. loss and error may be NULL. */
gbs_status gbs_temper(gbs_context *ctx, const gbs_class_scores *s, double *slope, double *loss,
                      double *error);

#endif
