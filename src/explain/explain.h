/* Importances and curves of a model on given rows. */
#ifndef GIBBSITE_EXPLAIN_EXPLAIN_H
#define GIBBSITE_EXPLAIN_EXPLAIN_H

#include "model/model.h"

/* Why these rows cannot tell, as a sentence that goes on after a colon; NULL: they can. */
const char *gbs_cannot_explain(const gbs_model *model, const gbs_data *data);

/* What bounds the cost. A linear score costs a few operations a row; any other model judges a row
 * `evaluations` times in all, about. */
typedef struct gbs_explain_limits {
    size_t rows, columns, repeats;
    size_t mapped_evaluations, mapped_repeats, mapped_rows, curve_rows;
    size_t mapped_cells, screen_rows;
} gbs_explain_limits;
extern const gbs_explain_limits gbs_usual_limits;

gbs_status gbs_explain_within(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                              const gbs_explain_limits *limits, gbs_explanation **out);

#endif
