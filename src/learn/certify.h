/* From a fitted posterior to its certificates. */
#ifndef GIBBSITE_LEARN_CERTIFY_H
#define GIBBSITE_LEARN_CERTIFY_H

#include "model/model.h"

/* Fills model->certificates and the bounds of its path. error[i] is the Gibbs error of training row i (Phi_i), n of them; model->info and the
 * posterior are set. */
gbs_status gbs_certify(gbs_context *ctx, gbs_model *model, const gbs_fit_options *options, const double *error, size_t n);

#endif
