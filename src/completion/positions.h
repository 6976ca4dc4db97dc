/* What the positions of the filled cells say of rows and columns (docs/maths.md, 8.14). */
#ifndef GIBBSITE_COMPLETION_POSITIONS_H
#define GIBBSITE_COMPLETION_POSITIONS_H

#include "data/ratings.h"

/* phi[s], items x features[s]: 1, the standardised logarithm of the number of ratings, and up to 64
 * singular vectors, each of mean 0 and unit standard deviation over the items that have ratings; 0
 * behind the 1 for an item without. `informed` false: the 1 alone of these. Then the features that
 * the ratings came with, standardised, 0 where missing. What is constant is left out. Freed by
 * gbs_array_free. */
gbs_status gbs_position_features(gbs_context *ctx, const gbs_ratings *ratings, bool informed,
                                 uint64_t stream, double *phi[2], size_t features[2]);

#endif
