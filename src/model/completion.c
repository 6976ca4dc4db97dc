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
#include "kernel/strip.h"

#include <math.h>
#include <string.h>

gbs_status gbs_completion_reserve(gbs_context *ctx, gbs_completion *c, size_t kept,
                                  bool covariance) {
    size_t items[2] = {c->info.rows, c->info.columns};
    c->kept = kept;
    for (int s = 0; s < 2; s++) {
        size_t count;
        if (__builtin_mul_overflow(kept, items[s], &count))
            return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory: %zu draws of %zu items", kept,
                            items[s]);
        c->mean[s] = gbs_matrix(ctx, count, c->own);
        if (covariance)
            c->cov[s] = gbs_matrix(ctx, items[s], gbs_packed_size(c->own));
        if (c->mean[s] == NULL || (covariance && c->cov[s] == NULL))
            return GBS_ERR_MEMORY;
    }
    c->mu = gbs_doubles(ctx, kept);
    c->variance = gbs_matrix(ctx, kept, gbs_completion_groups(c));
    return c->mu != NULL && c->variance != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

gbs_status gbs_completion_reserve_hierarchical(gbs_context *ctx, gbs_completion *c) {
    c->noise = gbs_doubles(ctx, c->info.rows + 1);
    for (int s = 0; s < 2; s++) {
        c->prior_mean[s] = gbs_matrix(ctx, c->kept, c->own);
        c->prior_cov[s] = gbs_matrix(ctx, c->kept, gbs_packed_size(c->own));
        if (c->noise == NULL || c->prior_mean[s] == NULL || c->prior_cov[s] == NULL)
            return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

gbs_status gbs_completion_count_rated(gbs_context *ctx, gbs_completion *c) {
    bool *rated = gbs_array_alloc(ctx, c->info.columns, sizeof *rated);
    if (rated == NULL)
        return GBS_ERR_MEMORY;
    c->info.rated_rows = c->info.rated_columns = 0;
    for (size_t i = 0; i < c->info.rows; i++)
        c->info.rated_rows += c->seen_start[i + 1] > c->seen_start[i];
    for (size_t k = 0; k < c->seen_start[c->info.rows]; k++) {
        c->info.rated_columns += !rated[c->seen[k]];
        rated[c->seen[k]] = true;
    }
    gbs_array_free(ctx, rated);
    return GBS_OK;
}

gbs_status gbs_completion_describe(gbs_context *ctx, gbs_completion *c,
                                   const gbs_ratings *ratings) {
    const gbs_rating_list *l = &ratings->by[0];
    for (int s = 0; s < 2; s++) {
        gbs_status status = gbs_texts_copy(ctx, ratings->by[s].items,
                                           (const char *const *)ratings->id[s], &c->id[s],
                                           &c->texts[s]);
        if (status != GBS_OK)
            return status;
    }
    c->seen_start = gbs_array_alloc(ctx, l->items + 1, sizeof *c->seen_start);
    if (c->seen_start == NULL)
        return GBS_ERR_MEMORY;
    memcpy(c->seen_start, l->start, (l->items + 1) * sizeof *c->seen_start);
    gbs_spill spill;
    void *seen = NULL;
    size_t from, to;
    gbs_status status = gbs_joint_room(ctx, ratings->folder, ratings->n * sizeof *c->seen, &spill,
                                       &seen);
    c->seen = seen;
    gbs_joint_part(&spill, ratings->n, &from, &to);
    if (status == GBS_OK)
        memcpy(c->seen + from, l->other + from, (to - from) * sizeof *c->seen);
    status = gbs_joint_end(ctx, &spill, status);
    return status == GBS_OK ? gbs_completion_count_rated(ctx, c) : status;
}

static bool finite_side(const gbs_completion *c, int s, size_t items) {
    return gbs_finite(c->kept * items * c->own, c->mean[s]) &&
           (c->cov[s] == NULL || gbs_finite(items * gbs_packed_size(c->own), c->cov[s]));
}

gbs_status gbs_completion_check(gbs_context *ctx, const gbs_completion *c) {
    const gbs_completion_info *i = &c->info;
    const gbs_rating_certificate *r = &c->certificate;
    const double fit[] = {i->rmse, i->mu, i->lambda, i->noise_variance},
                 certified[] = {r->value, r->kl};
    const char *bad = NULL;
    if (c->noise != NULL &&
        (!gbs_finite(i->rows + 1, c->noise) || !gbs_finite(c->kept * c->own, c->prior_mean[0]) ||
         !gbs_finite(c->kept * c->own, c->prior_mean[1]) ||
         !gbs_finite(c->kept * gbs_packed_size(c->own), c->prior_cov[0]) ||
         !gbs_finite(c->kept * gbs_packed_size(c->own), c->prior_cov[1])))
        bad = "the prior or the noise of a row";
    else if (!finite_side(c, 0, i->rows) || !finite_side(c, 1, i->columns))
        bad = "a factor of the posterior";
    else if (!gbs_finite(c->kept, c->mu) || !isfinite(c->mu_variance) ||
             !gbs_finite(c->kept * gbs_completion_groups(c), c->variance))
        bad = "the mean or a variance of the prior";
    else if (!isfinite(i->free_energy) || !isfinite(i->kl))
        bad = "the free energy";
    else if (!gbs_finite(4, fit))
        bad = "the error or the noise";
    else if (r->present && !gbs_finite(2, certified))
        bad = "the certificate";
    if (bad == NULL)
        return GBS_OK;
    return gbs_fail(
        ctx, GBS_ERR_NUMERIC,
        "the completion broke down: %s is not a finite number; the values are too large or "
        "too small",
        bad);
}

void gbs_completion_free(gbs_completion *c) {
    if (c == NULL)
        return;
    for (int s = 0; s < 2; s++) {
        gbs_array_free(c->ctx, c->mean[s]);
        gbs_array_free(c->ctx, c->cov[s]);
        gbs_array_free(c->ctx, c->id[s]);
        gbs_array_free(c->ctx, c->texts[s]);
        gbs_array_free(c->ctx, c->prior_mean[s]);
        gbs_array_free(c->ctx, c->prior_cov[s]);
    }
    gbs_array_free(c->ctx, c->noise);
    gbs_trace_free(c->ctx, &c->trace);
    gbs_array_free(c->ctx, c->mu);
    gbs_array_free(c->ctx, c->variance);
    gbs_array_free(c->ctx, c->seen_start);
    gbs_array_free(c->ctx, c->seen);
    gbs_array_free(c->ctx, c->choices);
    gbs_array_free(c->ctx, c->restarts);
    gbs_handle_free(c->ctx, c);
}

const gbs_completion_info *gbs_completion_get_info(const gbs_completion *model) {
    return model != NULL ? &model->info : NULL;
}

const gbs_rating_certificate *gbs_completion_certificate(const gbs_completion *model) {
    return model != NULL ? &model->certificate : NULL;
}

const gbs_origin *gbs_completion_origin(const gbs_completion *model) {
    return model != NULL ? &model->origin.told : NULL;
}

gbs_completion_model gbs_completion_get_model(const gbs_completion *model) {
    return model != NULL ? model->model : GBS_COMPLETION_PAPER;
}

int gbs_completion_uses_positions(const gbs_completion *model) {
    return model != NULL && model->positions;
}

double gbs_completion_mae_bound(const gbs_completion *model) {
    return model != NULL && model->certificate.present && model->certificate.draws == 0
               ? model->mae_bound
               : NAN;
}

double gbs_completion_miss_bound(const gbs_completion *model) {
    return model != NULL && model->certificate.present && model->certificate.draws == 0
               ? model->miss_bound
               : NAN;
}

double gbs_completion_inflation(const gbs_completion *model) {
    return model != NULL ? model->inflation : 1.0;
}

double gbs_completion_monte_carlo(const gbs_completion *model, double *kept) {
    bool known = model != NULL && model->monte_carlo[0] > 0.0;
    if (kept != NULL)
        *kept = known ? model->monte_carlo[1] : NAN;
    return known ? model->monte_carlo[0] : NAN;
}

double gbs_completion_noise(const gbs_completion *model, uint32_t row) {
    if (model == NULL || (row != GBS_UNSEEN && row >= model->info.rows))
        return NAN;
    double noise = model->noise == NULL ? model->info.noise_variance
                                        : model->noise[row != GBS_UNSEEN ? row : model->info.rows];
    return model->inflation * noise;
}

const char *gbs_completion_row_id(const gbs_completion *model, size_t i) {
    return model != NULL && i < model->info.rows ? model->id[0][i] : NULL;
}

const char *gbs_completion_column_id(const gbs_completion *model, size_t j) {
    return model != NULL && j < model->info.columns ? model->id[1][j] : NULL;
}

const uint32_t *gbs_completion_seen(const gbs_completion *model, size_t i, size_t *count) {
    gbs_tell(count, 0);
    if (model == NULL || i >= model->info.rows)
        return NULL;
    gbs_tell(count, model->seen_start[i + 1] - model->seen_start[i]);
    return model->seen + model->seen_start[i];
}

size_t gbs_completion_trace_size(const gbs_completion *model) {
    return model != NULL ? model->trace.count : 0;
}

const gbs_trace_point *gbs_completion_trace_at(const gbs_completion *model, size_t k) {
    return k < gbs_completion_trace_size(model) ? &model->trace.points[k] : NULL;
}

/* Mean over the items of one side of the squared mean of factor k, in one draw. */
static double mean_square(const gbs_completion *m, size_t draw, int side, size_t k) {
    size_t items = side == 0 ? m->info.rows : m->info.columns;
    const double *x = m->mean[side] + draw * items * m->own + k;
    double sum = 0.0;
    for (size_t i = 0; i < items; i++)
        sum += x[i * m->own] * x[i * m->own];
    return sum / (double)items;
}

void gbs_completion_components(const gbs_completion *m, double *size, double *prior_sd) {
    size_t rank = m != NULL && size != NULL && prior_sd != NULL ? m->info.effective_rank : 0;
    for (size_t k = 0; k < rank; k++) {
        double square = 0.0, variance = 0.0;
        for (size_t t = 0; t < m->kept; t++) {
            square += mean_square(m, t, 0, k) * mean_square(m, t, 1, k) / (double)m->kept;
            variance += m->variance[t * gbs_completion_groups(m) + k] / (double)m->kept;
        }
        double x = sqrt(square), s = sqrt(variance);
        size_t at = k; /* insertion: there are few */
        for (; at > 0 && size[at - 1] < x; at--) {
            size[at] = size[at - 1];
            prior_sd[at] = prior_sd[at - 1];
        }
        size[at] = x;
        prior_sd[at] = s;
    }
}

size_t gbs_completion_choices(const gbs_completion *model) {
    return model != NULL ? model->n_choices : 0;
}

const gbs_noise_choice *gbs_completion_choice(const gbs_completion *model, size_t k) {
    return k < gbs_completion_choices(model) ? &model->choices[k] : NULL;
}

const double *gbs_completion_restarts(const gbs_completion *model, size_t *count) {
    gbs_tell(count, model != NULL ? model->n_restarts : 0);
    return model != NULL ? model->restarts : NULL;
}

/* ---------------------------------------------------------------- predictions */

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

gbs_status gbs_rating_score(gbs_context *ctx, size_t n, const uint32_t *row, const uint32_t *column,
                            const double *y, const double *value, const double *sd,
                            double noise_variance, gbs_rating_evaluation **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, row);
    GBS_NEEDS(ctx, column);
    GBS_NEEDS(ctx, y);
    GBS_NEEDS(ctx, value);
    GBS_NEEDS(ctx, sd);
    gbs_rating_evaluation *e = gbs_handle_alloc(ctx, sizeof *e);
    if (e == NULL)
        return GBS_ERR_MEMORY;
    double squares = 0.0;
    size_t inside = 0;
    for (size_t k = 0; k < n; k++) {
        double off = fabs(y[k] - value[k]);
        squares += off * off;
        e->mae += off / (double)n;
        inside += off <= 1.959963984540054 * sqrt(sd[k] * sd[k] + noise_variance);
        e->new_rows += row[k] == GBS_UNSEEN;
        e->new_columns += column[k] == GBS_UNSEEN;
    }
    e->n = n;
    e->rmse = sqrt(squares / (double)n);
    e->coverage = (double)inside / (double)n;
    *out = e;
    return GBS_OK;
}

void gbs_rating_evaluation_free(gbs_rating_evaluation *evaluation) {
    gbs_release(NULL, evaluation);
}
