/* Ranking: what a fit over pairs needs besides the fit. */
#ifndef GIBBSITE_FIT_RANK_H
#define GIBBSITE_FIT_RANK_H

#include "fit/certify.h"
#include "fit/posterior.h"

/* The centre of an informed prior, a hinge ranking of the rows (all known before the certified
 * ones), and the 1 - AUC that a held-out third of them predicts. */
gbs_status gbs_rank_prior_centre(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                                 double *mean, double *predicted);

/* Sets what model->info says of all rows, keeps the scores of the negative ones, and gathers the
 * evidence. `rows`: all, the certified ones from `first` on; `risk`: over the pairs of those. */
gbs_status gbs_rank_judge(gbs_context *ctx, gbs_model *model, const gbs_fit_settings *o,
                          const gbs_rows *rows, size_t first, const gbs_empirical *risk,
                          const double *m0, gbs_evidence *e);

/* Share of all pairs of n rows that have two labels, k of them of one and n - k of the other. */
double gbs_rank_pair_share(size_t n, double pairs);

/* An evaluation of n rows in which nothing is known yet; what is about labels stays NaN. */
gbs_evaluation gbs_rank_evaluation(size_t n);

#endif
