/* Scores and their spread under one stage: x'm and sqrt(x'Sx). */
#include "core/check.h"
#include "kernel/linalg.h"
#include "model/model.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

struct projection {
    const gbs_stage *stage;
    const gbs_rows *rows;
    double shift_dot, shift_square;
    double *scratch;
    size_t worker_size;
    double *score, *sd;
};

/* s^2 = v (|x|^2 - |q|^2) + |C'q|^2, q = Lp^-1 Xp x: the prior's variance off the row space, the
 * posterior's on it. */
static double dual_variance(const gbs_dual *dual, double v, const double *x, size_t d, double *q) {
    int rank = (int)dual->rank;
    const double *shift = dual->kept.shift;
    gbs_strip_scores(&dual->kept, x, shift != NULL ? gbs_dot(d, shift, x) : 0.0, q);
    gbs_lower_solve(dual->rank, dual->lower, dual->rank, false, q);
    double inside = gbs_dot(dual->rank, q, q);
    cblas_dtrmv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, rank, dual->factor, rank, q,
                1);
    double outside = gbs_dot(d, x, x) - inside;
    return v * (outside < 0.0 ? 0.0 : outside) + gbs_dot(dual->rank, q, q); /* NaN stays NaN */
}

static void project_strip(void *arg, size_t index, size_t worker) {
    const struct projection *p = arg;
    const gbs_stage *s = p->stage;
    gbs_strip b = gbs_rows_strip(p->rows, index);
    double *scratch = p->scratch + worker * p->worker_size;
    double *score = p->score + index * p->rows->strip_rows,
           *sd = p->sd + index * p->rows->strip_rows;
    if (s->dual.rank > 0) {
        gbs_strip_scores(&b, s->posterior.mean, p->shift_dot, score);
        gbs_strip_densify(&b, scratch);
        double *q = scratch + p->rows->strip_rows * b.d;
        for (size_t i = 0; i < b.n; i++)
            sd[i] = dual_variance(&s->dual, s->prior_sd * s->prior_sd, scratch + i * b.d, b.d, q);
    } else {
        gbs_pass pass = {p->shift_dot, p->shift_square, scratch};
        gbs_family_of(s->posterior.family)->project(&s->posterior, &b, &pass, score, sd);
    }
    for (size_t i = 0; i < b.n; i++)
        sd[i] = sqrt(sd[i]);
}

gbs_status gbs_stage_project(gbs_context *ctx, const gbs_stage *stage, const gbs_rows *rows,
                             double *score, double *sd) {
    struct projection p = {.stage = stage, .rows = rows, .score = score, .sd = sd};
    const gbs_gaussian *g = &stage->posterior;
    const double *shift = rows->all.shift;
    if (shift != NULL) {
        p.shift_dot = gbs_dot(rows->d, shift, g->mean);
        p.shift_square = g->tau != NULL ? gbs_square_dot(rows->d, shift, g->tau)
                                        : rows->shift_norm2;
    }
    bool full = g->family == GBS_FAMILY_FULL;
    p.worker_size = full ? rows->strip_rows * rows->d + stage->dual.rank : rows->strip_rows;
    p.scratch = gbs_matrix(ctx, gbs_workers(ctx), p.worker_size);
    gbs_status status = p.scratch != NULL ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        double cells = (double)rows->all.n * (double)rows->d;
        gbs_parallel_for(ctx, gbs_rows_strips(rows), cells * (full ? (double)rows->d : 4.0),
                         project_strip, &p);
        gbs_compute_end(ctx);
        status = gbs_check_cancel(ctx);
    }
    gbs_array_free(ctx, p.scratch);
    return status;
}

/* S_kk = v (1 - |q_k|^2) + |C'q_k|^2 with q_k = Lp^-1 (column k of Xp), a slice of columns at a
 * time. */
static gbs_status dual_marginals(gbs_context *ctx, const gbs_stage *stage, double *sd) {
    enum { SLICE = 256 };
    const gbs_dual *dual = &stage->dual;
    size_t d = stage->posterior.d, rank = dual->rank;
    double v = stage->prior_sd * stage->prior_sd;
    double *row = gbs_doubles(ctx, d), *q = gbs_matrix(ctx, rank, SLICE);
    gbs_status status = row != NULL && q != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t first = 0; status == GBS_OK && first < d; first += SLICE) {
        int count = (int)(d - first < SLICE ? d - first : SLICE), size = (int)rank;
        for (size_t i = 0; i < rank; i++) {
            gbs_strip one = dual->kept;
            one.n = 1;
            if (one.dense != NULL)
                one.dense += i * one.ld;
            else
                one.start += i;
            gbs_strip_densify(&one, row);
            memcpy(q + i * (size_t)count, row + first, (size_t)count * sizeof *q);
        }
        double inside[SLICE] = {0}, spread[SLICE] = {0};
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, size, count,
                    1.0, dual->lower, size, q, count);
        for (size_t i = 0; i < rank * (size_t)count; i++)
            inside[i % (size_t)count] += q[i] * q[i];
        cblas_dtrmm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, size, count,
                    1.0, dual->factor, size, q, count);
        for (size_t i = 0; i < rank * (size_t)count; i++)
            spread[i % (size_t)count] += q[i] * q[i];
        for (size_t k = 0; k < (size_t)count; k++)
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

/* theta speaks of stretched columns and of an intercept's column of any value; people think of
 * standardised ones and of a column of ones. */
static double unit_of(const gbs_scaling *s, size_t k) {
    if (k == s->features)
        return s->constant;
    return s->stretch != NULL ? s->stretch[k] : 1.0;
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
            mean[k] = (t > 0 ? mean[k] : 0.0) + s->weight * m;
            one[d + k] += s->weight * (one[k] * one[k] + m * m);
        }
    }
    if (computing)
        gbs_compute_end(ctx);
    for (size_t k = 0; status == GBS_OK && model->stages_size > 1 && k < d; k++) {
        double square = one[d + k] - mean[k] * mean[k];
        sd[k] = sqrt(square < 0.0 ? 0.0 : square);
    }
    for (size_t k = 0; status == GBS_OK && k < d; k++) {
        double unit = unit_of(&model->scaling, k);
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
