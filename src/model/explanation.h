/* Importances of columns and curves, as they are kept: src/explain measures them. */
#ifndef GIBBSITE_MODEL_EXPLANATION_H
#define GIBBSITE_MODEL_EXPLANATION_H

#include "core/pool.h"

typedef struct gbs_curve_kept {
    gbs_curve told;
    gbs_curve_point *point;
    double *probability; /* points x outcomes */
} gbs_curve_kept;

struct gbs_explanation {
    gbs_context *ctx;
    gbs_explanation_info info;
    gbs_importance *column; /* info.columns, the most important first */
    gbs_curve_kept *curve;  /* info.curves */
    gbs_pool names;
};

/* Room for so many columns. */
gbs_status gbs_explanation_create(gbs_context *ctx, size_t columns, gbs_explanation **out);
/* Room for so many curves, which have no points yet; info.outcomes is set. */
gbs_status gbs_explanation_add_curves(gbs_context *ctx, gbs_explanation *e, size_t curves);
/* Room for the points of curve k. */
gbs_status gbs_explanation_add_points(gbs_context *ctx, gbs_explanation *e, size_t k,
                                      size_t points);

#endif
