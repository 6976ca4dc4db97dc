/* A fit that starts where an earlier one ended (docs/maths.md, 4.10).
 *
 *   score = a + sum_k b_k raw_k:   theta_k = b_k / slope_k,   theta_d = (a - a(theta)) / c
 *
 * with slope_k what a unit of theta_k is worth per unit of its raw column in the new design, and
 * a(theta) what the centres of the columns take off. Spreads go by the same ratios. Where the two
 * designs have the same columns and the posteriors the same shape, the whole covariance is taken
 * over, else standard deviations.
 */
#include "fit/start.h"

#include "core/check.h"
#include "core/count.h"
#include "risk/loss.h"
#include "task/task.h"

#include <math.h>

struct transfer {
    const gbs_model *from;
    const gbs_maps *maps;
    const gbs_gaussian *old;
    size_t *place; /* the old coefficient behind each new one; SIZE_MAX: none */
    double *ratio; /* of a new coefficient to the old one with the same score */
    bool same;     /* every coefficient is where it was */
};

/* The raw column behind coefficient k of the new design. */
static size_t raw_column(const gbs_fit_settings *o, const gbs_maps *maps, size_t k, size_t given) {
    size_t column = gbs_maps_column(maps, k);
    return column == maps->given      ? given
           : o->start_columns != NULL ? o->start_columns[column]
                                      : column;
}

static gbs_status find_places(gbs_context *ctx, const gbs_fit_settings *o, struct transfer *t) {
    const gbs_maps *old = &t->from->maps;
    size_t given = old->given, *back = gbs_array_alloc(ctx, given + 1, sizeof *back);
    t->place = gbs_array_alloc(ctx, t->maps->d, sizeof *t->place);
    t->ratio = gbs_doubles(ctx, t->maps->d);
    if (back == NULL || t->place == NULL || t->ratio == NULL) {
        gbs_array_free(ctx, back);
        return GBS_ERR_MEMORY;
    }
    for (size_t c = 0; c <= given; c++)
        back[c] = SIZE_MAX;
    for (size_t j = 0; j < old->d; j++)
        back[gbs_maps_column(old, j)] = j;
    t->same = old->d == t->maps->d;
    for (size_t k = 0; k < t->maps->d; k++) {
        size_t j = t->place[k] = back[raw_column(o, t->maps, k, given)];
        t->ratio[k] = j != SIZE_MAX ? gbs_maps_slope(old, j) / gbs_maps_slope(t->maps, k) : 1.0;
        t->same = t->same && j == k;
    }
    gbs_array_free(ctx, back);
    return GBS_OK;
}

static void take_mean(const struct transfer *t, double *mean) {
    const gbs_maps *old = &t->from->maps, *maps = t->maps;
    size_t constant = SIZE_MAX;
    for (size_t k = 0; k < maps->d; k++) {
        bool intercept = gbs_maps_column(maps, k) == maps->given;
        constant = intercept ? k : constant;
        mean[k] = intercept || t->place[k] == SIZE_MAX ? 0.0
                                                       : t->ratio[k] * t->old->mean[t->place[k]];
    }
    if (constant != SIZE_MAX)
        mean[constant] = (gbs_maps_intercept(old, t->old->mean) - gbs_maps_intercept(maps, mean)) /
                         gbs_maps_slope(maps, constant);
}

/* The covariance of a posterior of the same shape. */
static void take_covariance(const struct transfer *t, gbs_gaussian *to) {
    size_t d = to->d, deviations = gbs_family_of(to->family)->sd_size(d);
    for (size_t k = 0; k < deviations; k++)
        to->sd[k] = t->old->sd[k] * (deviations == d ? t->ratio[k] : 1.0);
    for (size_t k = 0; to->tau != NULL && k < d; k++)
        to->tau[k] = to->sd[k] * to->sd[k];
    if (to->factor == NULL)
        return;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            to->factor[i * d + j] = t->ratio[i] * t->old->factor[i * d + j];
    gbs_full_refresh_precision(to);
}

/* Standard deviations alone; of a covariance in the row space, those of the prior. */
static gbs_status take_deviations(gbs_context *ctx, const struct transfer *t, gbs_gaussian *to) {
    size_t d = to->d, deviations = gbs_family_of(to->family)->sd_size(d);
    double prior_sd = t->from->stages[0].info.prior_sd, square = 0.0;
    bool dual = t->from->stages[0].dual.rank > 0;
    double *sd = gbs_doubles(ctx, t->old->d);
    if (sd == NULL)
        return GBS_ERR_MEMORY;
    if (!dual)
        gbs_family_of(t->old->family)->marginal_sd(t->old, sd);
    for (size_t k = 0; k < d; k++) {
        double one = dual || t->place[k] == SIZE_MAX ? prior_sd : t->ratio[k] * sd[t->place[k]];
        square += one * one / (double)d;
        if (deviations == d)
            to->sd[k] = one;
    }
    if (deviations < d)
        to->sd[0] = sqrt(square);
    for (size_t k = 0; to->tau != NULL && k < d; k++)
        to->tau[k] = to->sd[k] * to->sd[k];
    gbs_array_free(ctx, sd);
    return GBS_OK;
}

/* A covariance that is not taken over whole stands as the family below has it. */
static gbs_status transfer(gbs_context *ctx, const gbs_fit_settings *o, struct transfer *t,
                           gbs_gaussian *out) {
    const gbs_family_ops *family = gbs_family_of(o->family);
    bool whole = t->same && t->old->family == o->family && t->from->stages[0].dual.rank == 0;
    gbs_prior prior = {NULL, 1.0};
    gbs_status status = gbs_gaussian_create(
        ctx, whole || family->sd_size(t->maps->d) > 0 ? o->family : family->smaller, t->maps->d,
        &prior, 1.0, out);
    if (status == GBS_OK)
        take_mean(t, out->mean);
    if (status == GBS_OK && whole)
        take_covariance(t, out);
    else if (status == GBS_OK)
        status = take_deviations(ctx, t, out);
    return status;
}

static bool of_use(const gbs_fit_settings *o, const gbs_model *from, const gbs_maps *maps) {
    return from != NULL && from->many == NULL && from->stages_size == 1 && o->restarts == 0 &&
           o->solver != GBS_SOLVER_SGD && gbs_loss_of(o->loss)->convex &&
           o->tolerance <= gbs_fit_settings_default().tolerance &&
           gbs_maps_is_linear(&from->maps) && gbs_maps_is_linear(maps);
}

gbs_status gbs_start_make(gbs_context *ctx, const gbs_fit_settings *o, const gbs_model *from,
                          const gbs_maps *maps, gbs_gaussian *out) {
    *out = (gbs_gaussian){0};
    if (!of_use(o, from, maps))
        return GBS_OK;
    struct transfer t = {.from = from, .maps = maps, .old = &from->stages[0].posterior};
    gbs_status status = find_places(ctx, o, &t);
    if (status == GBS_OK)
        status = transfer(ctx, o, &t, out);
    gbs_array_free(ctx, t.place);
    gbs_array_free(ctx, t.ratio);
    if (status != GBS_OK)
        gbs_gaussian_free(ctx, out);
    return status;
}

gbs_status gbs_start_check(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                           const gbs_model *from) {
    if (from->info.features != data->d)
        return gbs_fail(ctx, GBS_ERR_DATA, "the model to start from has %s, and the data %zu",
                        gbs_count(from->info.features, "column").text, data->d);
    const gbs_task *task = gbs_model_task(from);
    if (task->kind != gbs_fit_task(o)->kind)
        return gbs_fail(ctx, GBS_ERR_DATA, "the model to start from is for `task` %s",
                        gbs_task_name(task->kind));
    return GBS_OK;
}
