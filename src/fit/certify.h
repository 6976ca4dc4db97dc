/* From a fitted posterior to its certificates. */
#ifndef GIBBSITE_FIT_CERTIFY_H
#define GIBBSITE_FIT_CERTIFY_H

#include "model/model.h"
#include "task/task.h"

/* The bits that every certificate of a fit carries. */
unsigned gbs_common_assumptions(const gbs_fit_settings *o, const gbs_maps *maps);
/* Those of a predictor that is fixed before the last block and tested on it. */
unsigned gbs_last_block_assumptions(const gbs_fit_settings *o, const gbs_maps *maps);
/* Those of a line that counts rows by their weights. */
unsigned gbs_weighted_assumptions(unsigned bits);
/* Those of a certificate that counts draws, beside the others. */
unsigned gbs_draws_assumptions(const gbs_fit_settings *o);
int gbs_assumptions_hold(unsigned assumptions);

/* The method behind GBS_BOUND_AUTO under one posterior. */
gbs_bound gbs_single_method(const gbs_fit_settings *o);

/* Price of the declared grids for a method, in nats. */
double gbs_grid_nats(const gbs_fit_settings *o, gbs_bound method, size_t grid, size_t ladder);

/* One bound on the zero-one Gibbs risk. paper_kl is only used by the paper's. */
double gbs_gibbs_bound(gbs_bound method, double gibbs, double kl, double paper_kl, size_t n,
                       double lambda, double log_price);

/* Fills model->certificates, the one asked for first. */
gbs_status gbs_certify(gbs_context *ctx, gbs_model *model, const gbs_fit_settings *options,
                       const gbs_evidence *evidence);

#endif
