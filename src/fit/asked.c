/* What can be asked of a fit, and the defaults of what was not: all that the options alone, the
 * number of rows and that of columns decide. */
#include "fit/ways.h"

#include "bound/bound.h"
#include "core/check.h"

#include <math.h>

enum { MOST_EPOCHS = 1 << 30 };
#define MOST_CONSTANT 1e150 /* its square is summed */

#define GBS_LOOKED_ANY                                                                             \
    (GBS_LOOKED_LAMBDA | GBS_LOOKED_PRIOR | GBS_LOOKED_COLUMNS | GBS_LOOKED_CX | GBS_LOOKED_METHOD)

/* ---------------------------------------------------------------- what can be asked for */

static bool usable_sd(double sd) {
    return sd > 0.0 && isfinite(sd) && sd * sd > 1e-300 && isfinite(sd * sd);
}

static gbs_status check_certificate_options(gbs_context *ctx, const gbs_fit_settings *o) {
    bool progressive = gbs_is_progressive(o);
    bool deployed = gbs_is_deployed(o);
    if (o->bound == GBS_BOUND_VOTE && !deployed)
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "`bound` vote needs `prior` informed, and in ranking neither `pairs` nor `solver` "
            "sgd");
    if (deployed && (o->ladder_size > 0 || o->prior_grid_size > 1))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`bound` vote chooses for itself, on the rows to learn from; it takes no "
                        "grid");
    if (o->order == GBS_ORDER_TIME && !deployed)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`order` time is for `bound` vote");
    if (o->refit != GBS_REFIT_NONE && !deployed)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`refit` all is for `bound` vote");
    if (o->order == GBS_ORDER_TIME && o->stratify)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`order` time and `stratify` exclude each other");
    if (o->has_cost &&
        !(o->cost_missed > 0.0 && o->cost_false > 0.0 && isfinite(o->cost_missed + o->cost_false)))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`cost` takes two positive numbers, not %g and %g",
                        o->cost_missed, o->cost_false);
    if (!(o->prior_split >= 0.0 && o->prior_split < 1.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`prior-split` must lie between 0 and 1, not %g",
                        o->prior_split);
    if (!(o->cx >= 0.0) || !isfinite(o->cx))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`cx` must be a positive number, not %g", o->cx);
    if (o->blocks > GBS_MOST_STAGES)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`blocks` must be at most %d, not %zu",
                        (int)GBS_MOST_STAGES, o->blocks);
    if (o->blocks > 0 && !progressive)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`blocks` needs `bound` progressive");
    gbs_status status = gbs_check_array(ctx, "`prior-grid`", o->prior_grid, o->prior_grid_size);
    if (status != GBS_OK)
        return status;
    for (size_t k = 0; k < o->prior_grid_size; k++)
        if (!usable_sd(o->prior_grid[k]))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                            "`prior-grid` must have numbers between 1e-150 and 1e150, not %g",
                            o->prior_grid[k]);
    if (o->prior_grid_size > 1 && o->select != GBS_SELECT_BOUND)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`prior-grid` needs `select` bound");
    if (progressive && o->select == GBS_SELECT_BOUND &&
        (o->ladder_size > 1 || o->prior_grid_size > 1))
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "`bound` progressive tests its rows once and cannot choose from a grid by them");
    if (progressive && o->ladder_size > 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`lambda-grid` and `bound` progressive exclude each other");
    return GBS_OK;
}

/* Nothing is promised about how long a row is. */
static bool free_lengths(const gbs_fit_settings *o) {
    return o->scale != GBS_SCALE_UNIT_ROW && !(o->cx > 0.0);
}

static gbs_status check_columns(gbs_context *ctx, const gbs_fit_settings *o) {
    if (!(o->constant >= 0.0 && o->constant <= MOST_CONSTANT))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`constant` must be a positive number up to %g, not %g", MOST_CONSTANT,
                        o->constant);
    if (o->columns == GBS_COLUMNS_RELEVANCE && (o->scale != GBS_SCALE_STANDARD || !free_lengths(o)))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`columns` relevance needs `scale` standard, and excludes `cx`");
    if (o->columns == GBS_COLUMNS_RELEVANCE && !gbs_features_linear(o->features))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`columns` relevance is for `features` linear: a kernel has one width");
    if (o->features == GBS_FEATURES_AUTO && !gbs_is_deployed(o))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`features` auto is chosen on the rows to learn from by `bound` vote; name "
                        "a map here");
    if (o->constant > 0.0 && o->constant != 1.0 && !free_lengths(o))
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "`constant` other than 1 excludes `scale` unit-row and `cx`, which fix the length of "
            "a row");
    return GBS_OK;
}

gbs_status gbs_check_fit_options(gbs_context *ctx, const gbs_fit_settings *o) {
    gbs_status status = gbs_fit_settings_check(ctx, o);
    if (status != GBS_OK)
        return status;
    if (!(o->lambda >= 0.0) || !isfinite(o->lambda))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`lambda` must be a positive number, not %g",
                        o->lambda);
    if (o->prior_sd != 0.0 && !usable_sd(o->prior_sd))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`prior-sd` must be a number between 1e-150 and 1e150, not %g",
                        o->prior_sd);
    if (!(o->tolerance > 0.0) || !isfinite(o->tolerance))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`tol` must be a positive number, not %g",
                        o->tolerance);
    if (o->max_iterations == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`max-iter` must be at least 1");
    if (o->epochs > MOST_EPOCHS)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`epochs` must be at most %d, not %zu",
                        (int)MOST_EPOCHS, o->epochs);
    if ((o->looked & ~(unsigned)GBS_LOOKED_ANY) != 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "looked must be bits of gbs_looked, not %#x",
                        o->looked);
    if ((status = gbs_check_confidence(ctx, o->confidence)) != GBS_OK ||
        (status = gbs_check_ladder(ctx, o->ladder, o->ladder_size)) != GBS_OK)
        return status;
    const gbs_family_ops *family = gbs_family_of(o->family); /* NULL: to be settled */
    if (o->form != GBS_FORM_AUTO && family != NULL && family->pull != GBS_PULL_MATRIX)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`form` is for `family` full");
    if (o->restarts > 0 && o->ladder_size > 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`restarts` and `lambda-grid` exclude each other: restarts go straight to "
                        "`lambda`");
    if (o->restarts > 0 && o->prior_grid_size > 1)
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "`restarts` and `prior-grid` exclude each other: no bound is computed for restarts");
    status = check_columns(ctx, o);
    if (status == GBS_OK)
        status = gbs_fit_task(o)->refuse(ctx, o);
    return status == GBS_OK ? check_certificate_options(ctx, o) : status;
}

/* ---------------------------------------------------------------- defaults */

void gbs_settle_family(gbs_fit_settings *o, size_t d) {
    bool mapped = gbs_features_mapped(o->features);
    if (gbs_family_of(o->family) == NULL)
        o->family = gbs_family_for(d, o->form != GBS_FORM_AUTO ? SIZE_MAX
                                      : mapped                 ? GBS_USUAL_FULL_MAPPED
                                                               : GBS_USUAL_FULL);
}

void gbs_fill_defaults(gbs_fit_settings *o, size_t n, size_t d) {
    if (o->features != GBS_FEATURES_AUTO) /* else when the map is chosen */
        gbs_settle_family(o, d);
    if (o->ladder_size > 0)
        o->lambda = o->ladder[o->ladder_size - 1];
    if (o->prior_grid_size == 1) /* nothing to choose */
        o->prior_sd = o->prior_grid[0];
    if (o->prior == GBS_PRIOR_ZERO) {
        if (o->lambda == 0.0 && !gbs_has(gbs_fit_task(o), GBS_FACT_PAIRS)) /* known later */
            o->lambda = (double)n;
        if (o->prior_sd == 0.0)
            o->prior_sd = o->prior_grid_size > 0 ? o->prior_grid[0] : 1.0;
    }
    bool relevance = o->prior == GBS_PRIOR_INFORMED && gbs_fit_task(o)->relevance &&
                     o->scale == GBS_SCALE_STANDARD;
    bool chosen = gbs_is_deployed(o); /* on the rows to learn from */
    if (o->columns == GBS_COLUMNS_AUTO && !chosen)
        o->columns = relevance && free_lengths(o) && gbs_features_linear(o->features)
                         ? GBS_COLUMNS_RELEVANCE
                         : GBS_COLUMNS_EQUAL;
    if (o->constant == 0.0 && !chosen)
        o->constant = 1.0;
    if (o->loss == GBS_LOSS_AUTO && !chosen)
        o->loss = GBS_LOSS_ZERO_ONE;
    if (o->batch == 0)
        o->batch = gbs_fit_settings_default().batch;
    /* small data needs more passes for as many steps */
    size_t steps = 1 + (n - 1) / o->batch, passes = (GBS_USUAL_STEPS + steps - 1) / steps;
    if (o->epochs == 0)
        o->epochs = passes > GBS_USUAL_EPOCHS ? passes : GBS_USUAL_EPOCHS;
}
