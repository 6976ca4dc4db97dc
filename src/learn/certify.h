/* From a fitted posterior to its certificates. */
#ifndef GIBBSITE_LEARN_CERTIFY_H
#define GIBBSITE_LEARN_CERTIFY_H

#include "model/model.h"

/* Fills model->certificates and the bounds of its path. gibbs and second_moment are the means of Phi_i and Phi_i^2 over the n training rows, Phi_i
 * the Gibbs error of row i; model->info and the posterior are set. */
gbs_status gbs_certify(gbs_context *ctx, gbs_model *model, const gbs_fit_options *options, double gibbs, double second_moment,
                       size_t n);

#endif
