/* Rows made ready for a risk over pairs. */
#ifndef GIBBSITE_RISK_PAIR_ROWS_H
#define GIBBSITE_RISK_PAIR_ROWS_H

#include "data/rows.h"

/* Positives first, centred, a copy. grouped: equal rows are kept once, y = +-(their number). */
gbs_status gbs_pair_rows_build(gbs_context *ctx, const gbs_rows *rows, bool grouped, gbs_rows *out);
/* Of such rows: how many come first. */
size_t gbs_pair_positives(const gbs_rows *pairs);
/* Rows of each class, negative and positive, equal ones counted. */
void gbs_pair_classes(const gbs_rows *pairs, double size[2]);

#endif
