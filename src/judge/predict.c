/* The coefficients of a model, and how well they are known. */
#include "core/check.h"
#include "kernel/linalg.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* S_kk = v (1 - |q_k|^2) + |C'q_k|^2 with q_k = Lp^-1 (column k of Xp), a slice of columns at a
 * time. */
static gbs_status dual_marginals(gbs_context *ctx, const gbs_stage *stage, double *sd) {
    enum { SLICE = 256 };
    const gbs_span *dual = &stage->dual;
    size_t d = stage->posterior.d, rank = dual->rank;
    double v = stage->info.prior_sd * stage->info.prior_sd;
    double *row = gbs_doubles(ctx, d), *q = gbs_matrix(ctx, rank, SLICE);
    gbs_status status = row != NULL && q != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t first = 0; status == GBS_OK && first < d; first += SLICE) {
        size_t count = d - first < SLICE ? d - first : SLICE;
        for (size_t i = 0; i < rank; i++) {
            gbs_strip one = dual->kept;
            one.n = 1;
            if (one.dense != NULL)
                one.dense += i * one.ld;
            else
                one.start += i;
            gbs_strip_densify(&one, row);
            memcpy(q + i * count, row + first, count * sizeof *q);
        }
        double inside[SLICE] = {0}, spread[SLICE] = {0};
        gbs_triangle_solve_columns(GBS_LOWER, rank, dual->lower, count, q);
        for (size_t i = 0; i < rank * count; i++)
            inside[i % count] += q[i] * q[i];
        gbs_triangle_times_columns(GBS_UPPER_TRANSPOSED, rank, dual->factor, count, q);
        for (size_t i = 0; i < rank * count; i++)
            spread[i % count] += q[i] * q[i];
        for (size_t k = 0; k < count; k++)
            sd[first + k] = sqrt(v * (inside[k] > 1.0 ? 0.0 : 1.0 - inside[k]) + spread[k]);
        status = gbs_check_cancel(ctx);
    }
    gbs_array_free(ctx, row);
    gbs_array_free(ctx, q);
    return status;
}

static gbs_status marginals(gbs_context *ctx, const gbs_stage *stage, double *sd) {
    if (stage->dual.rank > 0)
        return dual_marginals(ctx, stage, sd);
    gbs_family_of(stage->posterior.family)->marginal_sd(&stage->posterior, sd);
    return GBS_OK;
}

/* Of a mixture: mean and variance add up as those of any mixture do, sum w (sd^2 + mean^2) -
 * mean^2. */
gbs_status gbs_model_coefficients(gbs_context *ctx, const gbs_model *model, double *mean,
                                  double *sd) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, mean);
    GBS_NEEDS(ctx, sd);
    size_t d = model->info.d;
    if (model->stages_size == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "a model of many classes has coefficients in each of its parts: "
                        "gbs_model_part");
    if (model->stages_size == 1)
        memcpy(mean, model->stages[0].posterior.mean, d * sizeof *mean);
    double *one = gbs_matrix(ctx, 2, d);
    gbs_status status = one != NULL ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    bool computing = status == GBS_OK;
    if (status == GBS_OK && model->stages_size == 1)
        status = marginals(ctx, &model->stages[0], sd);
    for (size_t t = 0; status == GBS_OK && model->stages_size > 1 && t < model->stages_size; t++) {
        const gbs_stage *s = &model->stages[t];
        status = marginals(ctx, s, one);
        for (size_t k = 0; k < d; k++) {
            double m = s->posterior.mean[k];
            mean[k] = (t > 0 ? mean[k] : 0.0) + s->info.weight * m;
            one[d + k] += s->info.weight * (one[k] * one[k] + m * m);
        }
    }
    if (computing)
        gbs_compute_end(ctx);
    for (size_t k = 0; status == GBS_OK && model->stages_size > 1 && k < d; k++) {
        double square = one[d + k] - mean[k] * mean[k];
        sd[k] = sqrt(square < 0.0 ? 0.0 : square);
    }
    for (size_t k = 0; status == GBS_OK && k < d; k++) {
        double unit = gbs_maps_unit(&model->maps, k);
        mean[k] *= unit;
        sd[k] *= unit;
    }
    gbs_array_free(ctx, one);
    if (status == GBS_OK && (!gbs_finite(d, mean) || !gbs_finite(d, sd)))
        status = gbs_fail(
            ctx, GBS_ERR_NUMERIC,
            "a coefficient or its standard deviation is not a finite number: the model's "
            "numbers are too large");
    return status;
}

/* Of one posterior: a mixture has no linear score. */
static gbs_status check_single(gbs_context *ctx, const gbs_model *model) {
    if (model->stages_size != 1)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "a mixture of %zu stages has no linear score",
                        model->stages_size);
    return GBS_OK;
}

static gbs_status not_linear(gbs_context *ctx) {
    return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                    "the score of this model is not linear in the columns of the data");
}

gbs_status gbs_model_linear(gbs_context *ctx, const gbs_model *model, double *coefficient,
                            double *intercept) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, coefficient);
    GBS_NEEDS(ctx, intercept);
    gbs_status status = check_single(ctx, model);
    if (status == GBS_OK &&
        !gbs_maps_linear(&model->maps, model->stages[0].posterior.mean, coefficient, intercept))
        status = not_linear(ctx);
    return status;
}

gbs_status gbs_model_per_unit(gbs_context *ctx, const gbs_model *model, double *per_unit) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, per_unit);
    gbs_status status = check_single(ctx, model);
    if (status == GBS_OK &&
        !gbs_maps_per_unit(&model->maps, model->stages[0].posterior.mean, per_unit))
        status = not_linear(ctx);
    return status;
}
