/* Folds of a cross-validation: each class in its share, rows of one group together. */
#ifndef GIBBSITE_FIT_DEAL_H
#define GIBBSITE_FIT_DEAL_H

#include "data/rows.h"

/* Rows of the smaller class; where rows are in groups, groups that have such a row. Folds beyond
 * that would lack it. */
gbs_status gbs_deal_fewest(gbs_context *ctx, const gbs_data *data, size_t *fewest);
/* The fold of each row, as they come in `order` (NULL: as they are). */
gbs_status gbs_deal(gbs_context *ctx, const gbs_data *data, const size_t *order, size_t folds,
                    size_t *fold_of);

#endif
