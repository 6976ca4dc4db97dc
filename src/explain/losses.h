/* What single rows have in an error rate, a Brier score, an AUC. */
#ifndef GIBBSITE_EXPLAIN_LOSSES_H
#define GIBBSITE_EXPLAIN_LOSSES_H

#include "explain/borrow.h"

enum { GBS_MOST_MEASURES = 2 };

/* Error and Brier score; of a model that ranks the AUC alone. */
size_t gbs_measures(const gbs_model *model);
/* measures x n numbers: their means over the rows are the measures of these answers, and their
 * spread is that of the measures. */
gbs_status gbs_row_losses(gbs_context *ctx, const gbs_model *model, size_t n, const double *y,
                          const double *answers, double *out);

#endif
