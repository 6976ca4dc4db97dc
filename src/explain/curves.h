/* What a column does to the answers of a model: partial dependence. */
#ifndef GIBBSITE_EXPLAIN_CURVES_H
#define GIBBSITE_EXPLAIN_CURVES_H

#include "explain/borrow.h"

enum { GBS_MOST_CURVES = 6, GBS_CURVE_POINTS = 20, GBS_MOST_OUTCOMES = 20 };

/* Curves of the first columns of the explanation, up to GBS_MOST_CURVES, each point the mean over
 * the first `rows` rows. None of more classes than GBS_MOST_OUTCOMES. */
gbs_status gbs_make_curves(gbs_borrowing *b, size_t rows, gbs_explanation *e);

#endif
