/* Scores, their spread, and the Gaussian vote P(x'theta > 0) = Phi(x'm / s(x)) (MATHS.md, section 3). */
#include "kernel/linalg.h"
#include "kernel/normal.h"
#include "model/model.h"
#include "risk/loss.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

struct projection {
    const gbs_model *model;
    const gbs_rows *rows;
    double shift_dot, shift_square;
    double *scratch;
    size_t worker_size;
    double *score, *sd;
};

/* s^2 = v (|x|^2 - |q|^2) + |C'q|^2, q = Lp^-1 Xp x: the prior's variance off the row space, the posterior's on it. */
static double dual_variance(const gbs_dual *dual, double v, const double *x, size_t d, double *q) {
    int rank = (int)dual->rank;
    const double *shift = dual->kept.shift;
    gbs_block_scores(&dual->kept, x, shift != NULL ? gbs_dot(d, shift, x) : 0.0, q);
    gbs_lower_solve(dual->rank, dual->lower, dual->rank, false, q);
    double inside = gbs_dot(dual->rank, q, q);
    cblas_dtrmv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, rank, dual->factor, rank, q, 1);
    return v * fmax(0.0, gbs_dot(d, x, x) - inside) + gbs_dot(dual->rank, q, q);
}

static void project_block(void *arg, size_t index, size_t worker) {
    const struct projection *p = arg;
    const gbs_model *m = p->model;
    gbs_block b = gbs_rows_block(p->rows, index);
    double *scratch = p->scratch + worker * p->worker_size;
    double *score = p->score + index * p->rows->block_rows, *sd = p->sd + index * p->rows->block_rows;
    if (m->info.dual) {
        gbs_block_scores(&b, m->posterior.mean, p->shift_dot, score);
        gbs_block_densify(&b, scratch);
        double *q = scratch + p->rows->block_rows * b.d;
        for (size_t i = 0; i < b.n; i++)
            sd[i] = dual_variance(&m->dual, m->info.prior_sd * m->info.prior_sd, scratch + i * b.d, b.d, q);
    } else {
        gbs_pass pass = {p->shift_dot, p->shift_square, scratch};
        gbs_family_of(m->info.family)->project(&m->posterior, &b, &pass, score, sd);
    }
    for (size_t i = 0; i < b.n; i++)
        sd[i] = sqrt(sd[i]);
}

gbs_status gbs_model_project(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows, double *score, double *sd) {
    struct projection p = {.model = model, .rows = rows, .score = score, .sd = sd};
    const double *shift = rows->all.shift;
    if (shift != NULL) {
        p.shift_dot = gbs_dot(rows->d, shift, model->posterior.mean);
        p.shift_square =
            model->posterior.tau != NULL ? gbs_square_dot(rows->d, shift, model->posterior.tau) : rows->shift_norm2;
    }
    bool full = model->info.family == GBS_FAMILY_FULL;
    p.worker_size = full ? rows->block_rows * rows->d + model->dual.rank : rows->block_rows;
    p.scratch = gbs_matrix(ctx, gbs_workers(ctx), p.worker_size);
    if (p.scratch == NULL)
        return GBS_ERR_MEMORY;
    gbs_blas_serial_begin();
    double cells = (double)rows->all.n * (double)rows->d;
    gbs_parallel_for(ctx, gbs_rows_blocks(rows), cells * (full ? (double)rows->d : 4.0), project_block, &p);
    gbs_blas_serial_end();
    gbs_array_free(ctx, p.scratch);
    return gbs_check_cancel(ctx);
}

static double vote(double score, double sd) {
    if (sd > 0.0)
        return 0.5 * erfc(-0.70710678118654752440 * (score / sd));
    return score > 0.0 ? 1.0 : score < 0.0 ? 0.0 : 0.5;
}

gbs_status gbs_model_predict(gbs_context *ctx, const gbs_model *model, const gbs_data *data, double *score, double *score_sd,
                             double *probability) {
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &model->scaling, &rows);
    if (status != GBS_OK)
        return status;
    size_t n = data->n;
    double *a = gbs_doubles(ctx, n), *s = gbs_doubles(ctx, n);
    status = a != NULL && s != NULL ? gbs_model_project(ctx, model, &rows, a, s) : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        if (score != NULL)
            score[i] = a[i];
        if (score_sd != NULL)
            score_sd[i] = s[i];
        if (probability != NULL)
            probability[i] = vote(a[i], s[i]);
    }
    gbs_array_free(ctx, a);
    gbs_array_free(ctx, s);
    gbs_rows_free(ctx, &rows);
    return status;
}

/* S_kk = v (1 - |q_k|^2) + |C'q_k|^2 with q_k = Lp^-1 (column k of Xp), a slice of columns at a time. */
static gbs_status dual_marginals(gbs_context *ctx, const gbs_model *model, double *sd) {
    enum { SLICE = 256 };
    const gbs_dual *dual = &model->dual;
    size_t d = model->info.d, rank = dual->rank;
    double v = model->info.prior_sd * model->info.prior_sd;
    double *row = gbs_doubles(ctx, d), *q = gbs_matrix(ctx, rank, SLICE);
    gbs_status status = row != NULL && q != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t first = 0; status == GBS_OK && first < d; first += SLICE) {
        int count = (int)(d - first < SLICE ? d - first : SLICE), size = (int)rank;
        for (size_t i = 0; i < rank; i++) {
            gbs_block one = dual->kept;
            one.n = 1;
            if (one.dense != NULL)
                one.dense += i * one.ld;
            else
                one.start += i;
            gbs_block_densify(&one, row);
            memcpy(q + i * (size_t)count, row + first, (size_t)count * sizeof *q);
        }
        double inside[SLICE] = {0}, spread[SLICE] = {0};
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, size, count, 1.0, dual->lower, size, q,
                    count);
        for (size_t i = 0; i < rank * (size_t)count; i++)
            inside[i % (size_t)count] += q[i] * q[i];
        cblas_dtrmm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, size, count, 1.0, dual->factor, size, q,
                    count);
        for (size_t i = 0; i < rank * (size_t)count; i++)
            spread[i % (size_t)count] += q[i] * q[i];
        for (size_t k = 0; k < (size_t)count; k++)
            sd[first + k] = sqrt(v * fmax(0.0, 1.0 - inside[k]) + spread[k]);
        status = gbs_check_cancel(ctx);
    }
    gbs_array_free(ctx, row);
    gbs_array_free(ctx, q);
    return status;
}

gbs_status gbs_model_coefficients(gbs_context *ctx, const gbs_model *model, double *mean, double *sd) {
    for (size_t k = 0; k < model->info.d; k++)
        mean[k] = model->posterior.mean[k];
    if (!model->info.dual) {
        gbs_family_of(model->info.family)->marginal_sd(&model->posterior, sd);
        return GBS_OK;
    }
    gbs_blas_serial_begin();
    gbs_status status = dual_marginals(ctx, model, sd);
    gbs_blas_serial_end();
    return status;
}
