/* Candidates: built from the settings, judged on the same folds, the first of the smallest errors
 * is the best. */
#include "fit/candidates.h"

#include "task/task.h"

#include <stdbool.h>

/* Errors closer than this are the same. */
#define SAME_ERROR 1e-12

static size_t bits(unsigned set) {
    return set != 0 ? (size_t)__builtin_popcount(set) : 1;
}

/* The k-th member of a set; `otherwise` of an empty one. */
static int nth(unsigned set, size_t k, int otherwise) {
    for (int i = 0; i < 32; i++)
        if ((set >> i & 1U) != 0 && k-- == 0)
            return i;
    return otherwise;
}

static size_t size_of(size_t grid) {
    return grid > 0 ? grid : 1;
}

static gbs_fit_settings base_of(const gbs_data *data, const gbs_fit_settings *s) {
    gbs_fit_settings base = *s;
    base.prior = GBS_PRIOR_ZERO;
    base.bound = GBS_BOUND_KL;
    base.select = GBS_SELECT_LAST;
    base.ladder = base.prior_grid = NULL;
    base.ladder_size = base.prior_grid_size = 0;
    base.losses = base.families = 0;
    if (base.prior_sd == 0.0)
        base.prior_sd = 1.0;
    if (base.lambda == 0.0)
        base.lambda = (double)gbs_fit_task(s)->units(data);
    return base;
}

/* Number k of all combinations; lambda changes first, then the prior, the family, the loss. */
static gbs_fit_settings combination(const gbs_fit_settings *s, const gbs_fit_settings *base,
                                    size_t k) {
    gbs_fit_settings c = *base;
    if (s->ladder_size > 0)
        c.lambda = s->ladder[k % s->ladder_size];
    k /= size_of(s->ladder_size);
    if (s->prior_grid_size > 0)
        c.prior_sd = s->prior_grid[k % s->prior_grid_size];
    k /= size_of(s->prior_grid_size);
    c.family = (gbs_family)nth(s->families, k % bits(s->families), (int)s->family);
    c.loss = (gbs_loss)nth(s->losses, k / bits(s->families), (int)s->loss);
    return c;
}

gbs_status gbs_candidates_judge(gbs_context *ctx, const gbs_data *data,
                                const gbs_fit_settings *settings, gbs_cv *out) {
    size_t count = bits(settings->losses) * bits(settings->families) *
                   size_of(settings->prior_grid_size) * size_of(settings->ladder_size);
    *out = (gbs_cv){.ctx = ctx, .count = count, .folds = settings->folds};
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    out->item = gbs_array_alloc(ctx, count, sizeof *out->item);
    out->result = gbs_array_alloc(ctx, count, sizeof *out->result);
    if (out->item == NULL || out->result == NULL)
        return GBS_ERR_MEMORY;
    gbs_fit_settings base = base_of(data, settings);
    for (size_t k = 0; k < count; k++)
        out->item[k] = combination(settings, &base, k);
    gbs_status status = gbs_cross_validate_run(ctx, data, out->folds, out->item, count,
                                               out->result);
    for (size_t k = 1; status == GBS_OK && k < count; k++)
        if (out->result[k].error < out->result[out->best].error - SAME_ERROR)
            out->best = k;
    return status;
}

gbs_status gbs_deployed_judge(gbs_context *ctx, const gbs_data *data,
                              const gbs_fit_settings *settings, gbs_cv *out) {
    *out = (gbs_cv){.ctx = ctx, .count = 1, .folds = settings->folds};
    out->item = gbs_array_alloc(ctx, 1, sizeof *out->item);
    out->result = gbs_array_alloc(ctx, 1, sizeof *out->result);
    if (out->item == NULL || out->result == NULL)
        return GBS_ERR_MEMORY;
    out->item[0] = *settings;
    out->item[0].loss = gbs_fit_settings_default().loss;
    return gbs_cross_validate_run(ctx, data, out->folds, out->item, 1, out->result);
}

void gbs_candidates_free(gbs_cv *cv) {
    if (cv->ctx == NULL)
        return;
    gbs_array_free(cv->ctx, cv->item);
    gbs_array_free(cv->ctx, cv->result);
    *cv = (gbs_cv){0};
}
