/* A completion as it is held: its room, its checks, what it tells of itself. */
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
    c->features = ratings->features[0] + ratings->features[1] > 0;
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

/* ---------------------------------------------------------------- how it does */

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
