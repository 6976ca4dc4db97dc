/* Predictions of a completion (docs/maths.md, 8.8).
 *
 * For p = mu + a + b + u'v with independent Gaussians (u, a) ~ N(m, S), (v, b) ~ N(m', S'):
 *
 *   E p   = mu + m_a + m'_b + m_u'm'_v
 *   Var p = Var mu + (m_u, 1)'S'(m_u, 1) + (m'_v, 1)'S(m'_v, 1) + tr(S_uu S'_vv)
 *
 * A row without ratings has the mean and the covariance of the prior: zero and diagonal in the
 * paper's model. Several draws are a mixture: the mean of their p, and the variance of it.
 */
#include "model/completion.h"

#include "core/check.h"
#include "core/joint.h"
#include "core/ranks.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

struct prediction {
    const gbs_completion *model;
    const uint32_t *index[2];
    double *value, *sd;
    bool clip;       /* values to the range, where there is one */
    size_t n, begin; /* cells; task that this stretch begins with */
    /* a worker: 2 own (means with the bias replaced by 1), own zeros, 2 packed(own) prior
     * covariances */
    double *scratch;
};

/* Variances of the prior on the diagonal. */
static void prior_covariance(const gbs_completion *m, size_t draw, int side, double *cov) {
    const double *v = m->variance + draw * gbs_completion_groups(m);
    size_t rank = m->info.effective_rank;
    memset(cov, 0, gbs_packed_size(m->own) * sizeof *cov);
    for (size_t c = 0; c < m->own; c++)
        cov[gbs_packed(m->own, c)] = c < rank ? v[c] : v[rank + (size_t)side];
}

struct item {
    const double *mean, *cov;
};

static struct item find(const gbs_completion *m, size_t draw, int side, uint32_t index,
                        const double *zeros, double *prior_cov) {
    size_t items = side == 0 ? m->info.rows : m->info.columns;
    if (index == GBS_UNSEEN && m->noise != NULL)
        return (struct item){m->prior_mean[side] + draw * m->own,
                             m->prior_cov[side] + draw * gbs_packed_size(m->own)};
    if (index == GBS_UNSEEN) {
        prior_covariance(m, draw, side, prior_cov);
        return (struct item){zeros, prior_cov};
    }
    return (struct item){m->mean[side] + (draw * items + index) * m->own,
                         m->cov[side] != NULL ? m->cov[side] + index * gbs_packed_size(m->own)
                                              : NULL};
}

/* x with 1 in place of the bias. */
static const double *with_one(const gbs_completion *m, const double *x, double *out) {
    for (size_t c = 0; c < m->own; c++)
        out[c] = c < m->info.effective_rank ? x[c] : 1.0;
    return out;
}

static double spread(const gbs_completion *m, struct item a, struct item b, double *scratch) {
    double v = m->cov[0] != NULL ? m->mu_variance : 0.0;
    if (b.cov != NULL)
        v += gbs_packed_quadratic(m->own, b.cov, with_one(m, a.mean, scratch));
    if (a.cov != NULL)
        v += gbs_packed_quadratic(m->own, a.cov, with_one(m, b.mean, scratch));
    if (a.cov != NULL && b.cov != NULL)
        v += gbs_packed_inner(m->info.effective_rank, m->own, a.cov, m->own, b.cov);
    return v;
}

static void predict_cell(const struct prediction *p, size_t e, double *scratch) {
    const gbs_completion *m = p->model;
    size_t own = m->own, rank = m->info.effective_rank;
    double *zeros = scratch + own, *cov = zeros + own, sum = 0.0, squares = 0.0, within = 0.0;
    for (size_t t = 0; t < m->kept; t++) {
        struct item a = find(m, t, 0, p->index[0][e], zeros, cov);
        struct item b = find(m, t, 1, p->index[1][e], zeros, cov + gbs_packed_size(own));
        double x = m->mu[t] + (m->info.biases ? a.mean[rank] + b.mean[rank] : 0.0);
        for (size_t k = 0; k < rank; k++)
            x += a.mean[k] * b.mean[k];
        /* running mean and squares about it */
        double step = x - sum;
        sum += step / (double)(t + 1);
        squares += step * (x - sum);
        if (p->sd != NULL)
            within += spread(m, a, b, scratch);
    }
    double variance = m->inflation * (squares + within) / (double)m->kept;
    p->value[e] = p->clip && m->info.has_range ? gbs_rating_clip(sum, m->info.low, m->info.high)
                                               : sum;
    if (p->sd != NULL)
        p->sd[e] = sqrt(variance < 0.0 ? 0.0 : variance);
    if (!isfinite(sum)) /* what was infinite before it was clipped is no prediction */
        p->value[e] = NAN;
}

enum { CELLS_A_TASK = 256 };
/* Flops between two looks at the caller's wish to stop. */
#define PATIENCE 1e9

static void predict_task(void *arg, size_t task, size_t worker) {
    const struct prediction *p = arg;
    task += p->begin;
    size_t own = p->model->own, last = (task + 1) * CELLS_A_TASK;
    double *scratch = p->scratch + worker * (2 * own + 2 * gbs_packed_size(own));
    for (size_t e = task * CELLS_A_TASK; e < last && e < p->n; e++)
        predict_cell(p, e, scratch);
}

/* All cells, a stretch of them at a time. */
static gbs_status predict_all(gbs_context *ctx, struct prediction *p) {
    size_t tasks = (p->n + CELLS_A_TASK - 1) / CELLS_A_TASK;
    double own = (double)p->model->own,
           each = (own + 1.0) * (p->sd != NULL ? 3.0 * own + 1.0 : 2.0);
    double flops = CELLS_A_TASK * (double)p->model->kept * each;
    size_t stretch = gbs_workers(ctx) * (flops < PATIENCE ? (size_t)(PATIENCE / flops) : 1);
    gbs_status status = gbs_check_cancel(ctx);
    for (; status == GBS_OK && p->begin < tasks; p->begin += stretch) {
        size_t some = tasks - p->begin < stretch ? tasks - p->begin : stretch;
        size_t first = p->begin * CELLS_A_TASK, left = p->n - first,
               cells = left < some * CELLS_A_TASK ? left : some * CELLS_A_TASK;
        const gbs_made made[] = {
            gbs_made_doubles(p->value + first, CELLS_A_TASK, cells),
            gbs_made_doubles(p->sd != NULL ? p->sd + first : NULL, CELLS_A_TASK, cells)};
        gbs_dealt_for(ctx, some, flops * (double)some, predict_task, p, made,
                      p->sd != NULL ? 2 : 1);
        status = gbs_check_cancel(ctx);
    }
    return status;
}

/* A new rating has variance sd^2 + noise. */
static gbs_status check_cells(gbs_context *ctx, const struct prediction *p) {
    for (size_t e = 0; e < p->n; e++)
        if (!isfinite(p->value[e]) ||
            (p->sd != NULL &&
             !isfinite(p->sd[e] * p->sd[e] + gbs_completion_noise(p->model, p->index[0][e]))))
            return gbs_fail(
                ctx, GBS_ERR_NUMERIC,
                "cell %zu: its prediction is not a finite number; the factors of the model "
                "are too large",
                e + 1);
    return GBS_OK;
}

static gbs_status predict(gbs_context *ctx, const gbs_completion *model, size_t n,
                          const uint32_t *row, const uint32_t *column, bool clip, double *value,
                          double *sd) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS_ARRAY(ctx, row, n);
    GBS_NEEDS_ARRAY(ctx, column, n);
    GBS_NEEDS_ARRAY(ctx, value, n);
    size_t own = model->own;
    for (size_t e = 0; e < n; e++)
        if ((row[e] != GBS_UNSEEN && row[e] >= model->info.rows) ||
            (column[e] != GBS_UNSEEN && column[e] >= model->info.columns))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT, "cell %zu lies outside the matrix", e + 1);
    double *scratch = gbs_matrix(ctx, gbs_workers(ctx), 2 * own + 2 * gbs_packed_size(own));
    if (scratch == NULL)
        return GBS_ERR_MEMORY;
    struct prediction p = {model, {row, column}, value, sd, clip, n, 0, scratch};
    gbs_status status = predict_all(ctx, &p);
    gbs_array_free(ctx, scratch);
    return status == GBS_OK ? check_cells(ctx, &p) : status;
}

gbs_status gbs_completion_predict(gbs_context *ctx, const gbs_completion *model, size_t n,
                                  const uint32_t *row, const uint32_t *column, double *value,
                                  double *sd) {
    return predict(ctx, model, n, row, column, true, value, sd);
}

gbs_status gbs_completion_predict_unclipped(gbs_context *ctx, const gbs_completion *model, size_t n,
                                            const uint32_t *row, const uint32_t *column,
                                            double *value, double *sd) {
    return predict(ctx, model, n, row, column, false, value, sd);
}
