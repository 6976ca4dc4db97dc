/* What is kept of an explanation, and its simple questions. */
#include "model/explanation.h"

#include "model/model.h"

#include <math.h>

gbs_status gbs_explanation_create(gbs_context *ctx, size_t columns, gbs_explanation **out) {
    gbs_explanation *e = gbs_handle_alloc(ctx, sizeof *e);
    *out = e;
    if (e == NULL)
        return GBS_ERR_MEMORY;
    e->ctx = ctx;
    e->column = gbs_array_alloc(ctx, columns, sizeof *e->column);
    if (e->column != NULL) {
        e->info.columns = columns;
        return GBS_OK;
    }
    gbs_handle_free(ctx, e);
    *out = NULL;
    return GBS_ERR_MEMORY;
}

gbs_status gbs_explanation_add_curves(gbs_context *ctx, gbs_explanation *e, size_t curves) {
    e->curve = gbs_array_alloc(ctx, curves, sizeof *e->curve);
    if (e->curve == NULL)
        return GBS_ERR_MEMORY;
    e->info.curves = curves;
    return GBS_OK;
}

gbs_status gbs_explanation_add_points(gbs_context *ctx, gbs_explanation *e, size_t k,
                                      size_t points) {
    gbs_curve_kept *c = &e->curve[k];
    c->point = gbs_array_alloc(ctx, points, sizeof *c->point);
    c->probability = gbs_matrix(ctx, points, e->info.outcomes);
    if (c->point == NULL || c->probability == NULL)
        return GBS_ERR_MEMORY;
    c->told.points = points;
    return GBS_OK;
}

void gbs_explanation_free(gbs_explanation *e) {
    if (e == NULL)
        return;
    for (size_t k = 0; k < e->info.curves; k++) {
        gbs_array_free(e->ctx, e->curve[k].point);
        gbs_array_free(e->ctx, e->curve[k].probability);
    }
    gbs_array_free(e->ctx, e->curve);
    gbs_array_free(e->ctx, e->column);
    gbs_pool_free(e->ctx, &e->names);
    gbs_handle_free(e->ctx, e);
}

const gbs_explanation *gbs_model_explanation(const gbs_model *model) {
    return model != NULL ? model->explanation : NULL;
}

const gbs_explanation_info *gbs_explanation_get_info(const gbs_explanation *e) {
    return e != NULL ? &e->info : NULL;
}

const gbs_importance *gbs_explanation_importance(const gbs_explanation *e, size_t k) {
    return e != NULL && k < e->info.columns ? &e->column[k] : NULL;
}

const gbs_curve *gbs_explanation_curve(const gbs_explanation *e, size_t k) {
    return e != NULL && k < e->info.curves ? &e->curve[k].told : NULL;
}

const gbs_curve_point *gbs_explanation_point(const gbs_explanation *e, size_t k, size_t j) {
    const gbs_curve *c = gbs_explanation_curve(e, k);
    return c != NULL && j < c->points ? &e->curve[k].point[j] : NULL;
}

double gbs_explanation_probability(const gbs_explanation *e, size_t k, size_t j, size_t outcome) {
    if (gbs_explanation_point(e, k, j) == NULL || outcome >= e->info.outcomes)
        return NAN;
    return e->curve[k].probability[j * e->info.outcomes + outcome];
}
