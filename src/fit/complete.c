/* One matrix completion, start to end: what the caller asked for is checked, the noise chosen, q
 * fitted, certified or sampled from, and kept. */
#include "fit/complete.h"
#include "fit/run.h"

#include "core/check.h"
#include "data/hash.h"

#include <math.h>

/* So that what is counted with them does not overflow. */
enum { MOST_DRAWS = 1 << 30 };

/* What the sampler alone reads. */
static gbs_status check_sampler(gbs_context *ctx, const gbs_complete_settings *o) {
    if (o->draws == 0 || o->keep == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`draws` and `keep` must be positive");
    if (o->draws > MOST_DRAWS || o->burn_in > MOST_DRAWS)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`draws` and `burn-in` must be at most %d",
                        (int)MOST_DRAWS);
    if (o->prior == GBS_PRIOR_INFORMED)
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "`prior` informed is for certificates, which draws of a sampler do not have");
    return GBS_OK;
}

static gbs_status check_grid(gbs_context *ctx, const gbs_complete_settings *o) {
    gbs_status status = gbs_check_array(ctx, "`lambda-grid`", o->lambda_grid, o->lambda_grid_size);
    for (size_t k = 0; status == GBS_OK && k < o->lambda_grid_size; k++)
        if (!(o->lambda_grid[k] > 0.0 && o->lambda_grid[k] < 1e100))
            status = gbs_fail(
                ctx, GBS_ERR_ARGUMENT,
                "`lambda-grid` must be positive numbers below 1e100; number %zu is %g", k + 1,
                o->lambda_grid[k]);
    return status;
}

/* What only the paper's model has. */
static gbs_status check_hierarchical(gbs_context *ctx, const gbs_complete_settings *o) {
    const char *what = !o->biases                ? "a model without biases"
                       : o->lambda > 0.0         ? "`lambda`"
                       : o->noise_variance > 0.0 ? "a given noise variance"
                       : o->restarts > 1         ? "more than one start"
                                                 : NULL;
    return what == NULL ? GBS_OK : gbs_fail(ctx, GBS_ERR_ARGUMENT, "%s is for `model` paper", what);
}

static gbs_status check_options(gbs_context *ctx, const gbs_complete_settings *o) {
    gbs_status status = gbs_complete_settings_check(ctx, o);
    if (status != GBS_OK)
        return status;
    if (o->rank > GBS_COMPLETION_MOST_RANK)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`rank` must be at most %d, not %zu",
                        (int)GBS_COMPLETION_MOST_RANK, o->rank);
    if (o->rank == 0 && !o->biases)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`rank` 0 without biases leaves nothing to learn");
    if (!(o->lambda >= 0.0 && o->lambda < 1e100))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`lambda` must be a number from 0 to 1e100, not %g",
                        o->lambda);
    if (!(o->noise_variance >= 0.0 && o->noise_variance < 1e200))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`noise` must be a number from 0 to 1e200, not %g",
                        o->noise_variance);
    if (o->lambda > 0.0 && o->noise_variance > 0.0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`lambda` and `noise` say the same thing; give one of them");
    if (o->has_range && !(o->low < o->high && isfinite(o->high - o->low)))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`range` LO:HI must have numbers, LO below HI; they are %g and %g", o->low,
                        o->high);
    if (o->prior == GBS_PRIOR_INFORMED && !o->has_range)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`prior` informed is for a certificate, which needs `range`");
    if (!(o->prior_split >= 0.0 && o->prior_split < 1.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`prior-split` must lie between 0 and 1, not %g",
                        o->prior_split);
    if (o->model == GBS_COMPLETION_HIERARCHICAL && (status = check_hierarchical(ctx, o)) != GBS_OK)
        return status;
    bool chosen = o->model == GBS_COMPLETION_HIERARCHICAL && o->tolerance == 0.0;
    if ((!(o->tolerance > 0.0) && !chosen) || !isfinite(o->tolerance))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`tol` must be a positive number, not %g",
                        o->tolerance);
    if (o->max_sweeps == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`max-iter` must be at least 1");
    if (o->restarts == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`restarts` must be at least 1");
    if (o->cross_validate && o->folds < 2)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "cross-validation needs at least 2 folds, not %zu",
                        o->folds);
    if (o->model == GBS_COMPLETION_HIERARCHICAL && o->lambda_grid_size > 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`lambda-grid` is for `model` paper");
    if (o->cross_validate && (o->lambda > 0.0 || o->noise_variance > 0.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`select` cv chooses the noise; leave `lambda` and `noise` out");
    if (o->cross_validate && (status = check_grid(ctx, o)) != GBS_OK)
        return status;
    if (o->cells > 0 && (o->cell_row == NULL || o->cell_column == NULL || o->cell_value == NULL ||
                         o->cell_sd == NULL))
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "cells need their rows and columns, and room for values and standard deviations");
    if (o->sampler == GBS_SAMPLER_GIBBS && (status = check_sampler(ctx, o)) != GBS_OK)
        return status;
    return gbs_check_confidence(ctx, o->confidence);
}

static gbs_status check_ratings(gbs_context *ctx, const gbs_ratings *r,
                                const gbs_complete_settings *o) {
    if (o->has_range && (r->low < o->low || r->high > o->high))
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "values run from %.10g to %.10g, outside the declared range %.10g to %.10g",
                        r->low, r->high, o->low, o->high);
    gbs_status status = o->has_range ? GBS_OK : gbs_completion_check_kind(ctx, r);
    if (status != GBS_OK)
        return status;
    if (o->model == GBS_COMPLETION_PAPER && (r->feature[0] != NULL || r->feature[1] != NULL))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "features of rows and columns are for `model` hierarchical");
    if (o->model == GBS_COMPLETION_HIERARCHICAL && o->has_range && r->n < 4)
        return gbs_fail(ctx, GBS_ERR_DATA, "a certificate needs at least 4 ratings, not %zu", r->n);
    if (o->prior == GBS_PRIOR_INFORMED && r->n < 4)
        return gbs_fail(ctx, GBS_ERR_DATA, "an informed prior needs at least 4 ratings, not %zu",
                        r->n);
    for (size_t k = 0; k < o->cells; k++)
        if ((o->cell_row[k] != GBS_UNSEEN && o->cell_row[k] >= r->by[0].items) ||
            (o->cell_column[k] != GBS_UNSEEN && o->cell_column[k] >= r->by[1].items))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT, "cell %zu lies outside the matrix", k + 1);
    return GBS_OK;
}

/* Row by row, so that the scratch space is that of the longest row. */
static gbs_status train_rmse(struct gbs_completion_run *r) {
    const gbs_rating_list *l = &r->all->by[0];
    size_t most = 0;
    for (size_t i = 0; i < l->items; i++)
        most = l->start[i + 1] - l->start[i] > most ? l->start[i + 1] - l->start[i] : most;
    uint32_t *row = gbs_array_alloc(r->ctx, most, sizeof *row);
    double *value = gbs_doubles(r->ctx, most), squares = 0.0;
    gbs_status status = row != NULL && value != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; i < l->items && status == GBS_OK; i++) {
        size_t first = l->start[i], count = l->start[i + 1] - first;
        for (size_t k = 0; k < count; k++)
            row[k] = (uint32_t)i;
        status = gbs_completion_predict(r->ctx, r->model, count, row, l->other + first, value,
                                        NULL);
        for (size_t k = 0; k < count; k++) {
            double off = l->value[first + k] - value[k];
            squares += off * off;
        }
    }
    gbs_array_free(r->ctx, row);
    gbs_array_free(r->ctx, value);
    r->model->info.rmse = sqrt(squares / (double)r->all->n);
    return status;
}

static gbs_status run_all(struct gbs_completion_run *r) {
    const gbs_complete_settings *o = r->o;
    bool vb = o->sampler == GBS_SAMPLER_VB;
    gbs_status status = GBS_OK;
    if (o->model == GBS_COMPLETION_HIERARCHICAL) {
        status = gbs_completion_fit_hierarchical(r);
        return status == GBS_OK ? train_rmse(r) : status;
    }
    if (o->restarts > 1 && (r->restarts = gbs_doubles(r->ctx, o->restarts)) == NULL)
        return GBS_ERR_MEMORY;
    if (o->prior == GBS_PRIOR_INFORMED) {
        status = gbs_completion_ascend_informed(r);
    } else {
        if (o->cross_validate)
            status = gbs_completion_choose_noise(r, r->all);
        if (status == GBS_OK)
            status = gbs_completion_ascend(r, r->all, "completing");
    }
    if (status == GBS_OK)
        status = vb ? gbs_completion_keep_variational(r) : gbs_completion_sample(r);
    return status == GBS_OK ? train_rmse(r) : status;
}

gbs_status gbs_complete_run(gbs_context *ctx, const gbs_ratings *ratings,
                            const gbs_complete_settings *options, gbs_completion **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, ratings);
    double start = gbs_now();
    gbs_complete_settings o = options != NULL ? *options : gbs_complete_settings_default();
    gbs_trace trace = {0};
    struct gbs_completion_run r = {.ctx = ctx,
                                   .o = &o,
                                   .all = ratings,
                                   .certified = ratings,
                                   .f = {.ctx = ctx},
                                   .trace = &trace};
    gbs_status status = check_options(ctx, &o);
    if (status == GBS_OK)
        status = check_ratings(ctx, ratings, &o);
    if (status == GBS_OK)
        status = gbs_compute_begin(ctx);
    if (status != GBS_OK)
        return status;
    gbs_hash hash = gbs_ratings_hash(ratings);
    r.seed = gbs_hash_seed(ctx->seed, ratings->n, hash);
    r.draw_seed = gbs_hash_draw_seed(ctx->seed, ratings->n, ratings->in_order);
    r.noise_variance = o.lambda > 0.0 ? (double)ratings->n / (2.0 * o.lambda) : o.noise_variance;
    gbs_progress_begin(ctx);
    status = run_all(&r);
    gbs_compute_end(ctx);
    if (status == GBS_OK)
        status = gbs_completion_check(ctx, r.model);
    gbs_factors_free(&r.f);
    gbs_ratings_free(r.part[0]);
    gbs_ratings_free(r.part[1]);
    gbs_array_free(ctx, r.restarts);
    gbs_array_free(ctx, r.choices);
    if (status != GBS_OK) {
        gbs_trace_free(ctx, &trace);
        gbs_completion_free(r.model);
        return status;
    }
    r.model->trace = trace;
    gbs_origin_keep(ctx, ratings->n, hash, &r.model->origin);
    r.model->info.seconds = gbs_now() - start;
    *out = r.model;
    return GBS_OK;
}
