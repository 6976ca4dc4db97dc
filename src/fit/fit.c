/* One fit, start to end: what is asked for, its defaults, and the way to it. */
#include "fit/run.h"
#include "fit/ways.h"

#include "bound/bound.h"
#include "core/check.h"
#include "model/many.h"
#include "risk/loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FULL_COLUMNS = 200,
    FULL_MAPPED = 2500, /* two thousand columns of a map, and some that it keeps */
    DEFAULT_BATCH = 256,
    DEFAULT_EPOCHS = 20,
    DEFAULT_STEPS = 4000,
    MOST_EPOCHS = 1 << 30
};

#define GBS_LOOKED_ANY                                                                             \
    (GBS_LOOKED_LAMBDA | GBS_LOOKED_PRIOR | GBS_LOOKED_COLUMNS | GBS_LOOKED_CX | GBS_LOOKED_METHOD)

/* ---------------------------------------------------------------- what can be asked for */

static bool usable_sd(double sd) {
    return sd > 0.0 && isfinite(sd) && sd * sd > 1e-300 && isfinite(sd * sd);
}

static gbs_status check_certificate_options(gbs_context *ctx, const gbs_fit_settings *o) {
    bool progressive = gbs_is_progressive(o);
    if (o->bound == GBS_BOUND_BINOMIAL || o->bound == GBS_BOUND_BETTING)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "the %s bound is computed beside the others and cannot be asked for",
                        gbs_bound_name(o->bound));
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
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "costs must be two positive numbers, not %g and %g",
                        o->cost_missed, o->cost_false);
    if (!(o->prior_split >= 0.0 && o->prior_split < 1.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "prior_split must lie between 0 and 1, not %g",
                        o->prior_split);
    if (!(o->cx >= 0.0) || !isfinite(o->cx))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "cx must be a positive number, not %g", o->cx);
    if (o->blocks > GBS_MOST_STAGES)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "at most %d blocks, not %zu", (int)GBS_MOST_STAGES,
                        o->blocks);
    if (o->blocks > 0 && !progressive)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "blocks are for the progressive bound");
    gbs_status status = gbs_check_array(ctx, "prior_grid", o->prior_grid, o->prior_grid_size);
    if (status != GBS_OK)
        return status;
    for (size_t k = 0; k < o->prior_grid_size; k++)
        if (!usable_sd(o->prior_grid[k]))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                            "prior_sd must be a number between 1e-150 and 1e150, not %g",
                            o->prior_grid[k]);
    if (o->prior_grid_size > 1 && o->select != GBS_SELECT_BOUND)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "a prior grid is to be chosen from by the bound");
    if (progressive && o->select == GBS_SELECT_BOUND &&
        (o->ladder_size > 1 || o->prior_grid_size > 1))
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "the progressive bound chooses nothing from grids: its rows are tested once");
    if (progressive && o->ladder_size > 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "a ladder of lambdas and the progressive bound exclude each other");
    return GBS_OK;
}

/* Nothing is promised about how long a row is. */
static bool free_lengths(const gbs_fit_settings *o) {
    return o->scale != GBS_SCALE_UNIT_ROW && !(o->cx > 0.0);
}

static gbs_status check_columns(gbs_context *ctx, const gbs_fit_settings *o) {
    if (!(o->constant >= 0.0) || !isfinite(o->constant))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "the intercept's constant must be a positive number, not %g", o->constant);
    if (o->columns == GBS_COLUMNS_RELEVANCE && (o->scale != GBS_SCALE_STANDARD || !free_lengths(o)))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "columns by relevance are standardised columns without a cx");
    if (o->columns == GBS_COLUMNS_RELEVANCE && o->features != GBS_FEATURES_LINEAR)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`columns` relevance is for `features` linear: a kernel has one width");
    if (o->features == GBS_FEATURES_AUTO && !gbs_is_deployed(o))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`features` auto is chosen on the rows to learn from by `bound` vote; name "
                        "a map here");
    if (o->constant > 0.0 && o->constant != 1.0 && !free_lengths(o))
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "the intercept's constant is 1 where rows have a promised length (unit-row, cx)");
    return GBS_OK;
}

GBS_NAMES_OF(gbs_task_kind, gbs_task_name)
static const char *loss_at(int loss) {
    if (loss == GBS_LOSS_SOFTMAX) /* comes by itself, of three classes or more */
        return NULL;
    return loss == GBS_LOSS_AUTO ? "auto" : gbs_loss_name((gbs_loss)loss);
}

GBS_NAMES_OF(gbs_family, gbs_family_name)
GBS_NAMES_OF(gbs_solver, gbs_solver_name)
GBS_NAMES_OF(gbs_scale, gbs_scale_name)
GBS_NAMES_OF(gbs_columns, gbs_columns_name)
GBS_NAMES_OF(gbs_features, gbs_features_name)
GBS_NAMES_OF(gbs_prior_kind, gbs_prior_name)
GBS_NAMES_OF(gbs_bound, gbs_bound_name)

static const char *form_at(int form) {
    static const char *const names[] = {"auto", "primal", "dual"};
    return (unsigned)form <= GBS_FORM_DUAL ? names[form] : NULL;
}

static const char *schedule_at(int schedule) {
    static const char *const names[] = {"modern", "paper"};
    return (unsigned)schedule <= GBS_SCHEDULE_PAPER ? names[schedule] : NULL;
}

static const char *order_at(int order) {
    static const char *const names[] = {"random", "time"};
    return (unsigned)order <= GBS_ORDER_TIME ? names[order] : NULL;
}

static const char *refit_at(int refit) {
    static const char *const names[] = {"none", "all"};
    return (unsigned)refit <= GBS_REFIT_ALL ? names[refit] : NULL;
}

static const char *select_at(int select) {
    static const char *const names[] = {"bound", "cv", "last"};
    return (unsigned)select <= GBS_SELECT_LAST ? names[select] : NULL;
}

static gbs_status check_choices(gbs_context *ctx, const gbs_fit_settings *o) {
    const gbs_choice choices[] = {
        {"task", (int)o->task, gbs_task_name_at},
        {"loss", (int)o->loss, loss_at},
        {"family", (int)o->family, gbs_family_name_at},
        {"solver", (int)o->solver, gbs_solver_name_at},
        {"form", (int)o->form, form_at},
        {"scale", (int)o->scale, gbs_scale_name_at},
        {"columns", (int)o->columns, gbs_columns_name_at},
        {"features", (int)o->features, gbs_features_name_at},
        {"prior", (int)o->prior, gbs_prior_name_at},
        {"select", (int)o->select, select_at},
        {"schedule", (int)o->schedule, schedule_at},
        {"order", (int)o->order, order_at},
        {"refit", (int)o->refit, refit_at},
        {"bound", (int)o->bound, gbs_bound_name_at},
    };
    return gbs_check_choices(ctx, choices, sizeof choices / sizeof *choices);
}

gbs_status gbs_check_fit_options(gbs_context *ctx, const gbs_fit_settings *o) {
    gbs_status status = check_choices(ctx, o);
    if (status != GBS_OK)
        return status;
    if (!(o->lambda >= 0.0) || !isfinite(o->lambda))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "lambda must be a positive number, not %g",
                        o->lambda);
    if (o->prior_sd != 0.0 && !usable_sd(o->prior_sd))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "prior_sd must be a number between 1e-150 and 1e150, not %g", o->prior_sd);
    if (!(o->tolerance > 0.0) || !isfinite(o->tolerance))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the tolerance must be a positive number, not %g",
                        o->tolerance);
    if (o->max_iterations == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "max_iterations must be at least 1");
    if (o->epochs > MOST_EPOCHS)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "epochs must be at most %d, not %zu",
                        (int)MOST_EPOCHS, o->epochs);
    if ((o->looked & ~(unsigned)GBS_LOOKED_ANY) != 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "looked must be bits of gbs_looked, not %#x",
                        o->looked);
    if ((status = gbs_check_confidence(ctx, o->confidence)) != GBS_OK ||
        (status = gbs_check_ladder(ctx, o->ladder, o->ladder_size)) != GBS_OK)
        return status;
    const gbs_family_ops *family = gbs_family_of(o->family); /* NULL: to be settled */
    if (o->form != GBS_FORM_AUTO && family != NULL && family->pull != GBS_PULL_MATRIX)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "primal and dual are forms of the full family");
    if (o->restarts > 0 && o->ladder_size > 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "restarts and a ladder exclude each other: restarts go straight to lambda");
    if (o->restarts > 0 && o->prior_grid_size > 1)
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "restarts and a prior grid exclude each other: restarts are not valued by the bound");
    status = check_columns(ctx, o);
    if (status == GBS_OK)
        status = gbs_fit_task(o)->refuse(ctx, o);
    return status == GBS_OK ? check_certificate_options(ctx, o) : status;
}

/* ---------------------------------------------------------------- defaults */

void gbs_settle_family(gbs_fit_settings *o, size_t d) {
    bool mapped = o->features == GBS_FEATURES_FOURIER || o->features == GBS_FEATURES_NYSTROM;
    if (gbs_family_of(o->family) == NULL)
        o->family = gbs_family_for(d, o->form != GBS_FORM_AUTO ? SIZE_MAX
                                      : mapped                 ? FULL_MAPPED
                                                               : FULL_COLUMNS);
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
        o->columns = relevance && free_lengths(o) && o->features == GBS_FEATURES_LINEAR
                         ? GBS_COLUMNS_RELEVANCE
                         : GBS_COLUMNS_EQUAL;
    if (o->constant == 0.0 && !chosen)
        o->constant = 1.0;
    if (o->loss == GBS_LOSS_AUTO && !chosen)
        o->loss = GBS_LOSS_ZERO_ONE;
    if (o->batch == 0)
        o->batch = DEFAULT_BATCH;
    /* small data needs more passes for as many steps */
    size_t steps = 1 + (n - 1) / o->batch, passes = (DEFAULT_STEPS + steps - 1) / steps;
    if (o->epochs == 0)
        o->epochs = passes > DEFAULT_EPOCHS ? passes : DEFAULT_EPOCHS;
}

/* ---------------------------------------------------------------- what every way keeps */

void gbs_keep_fit(gbs_model *m, const gbs_fit_settings *o, const gbs_data *data,
                  const gbs_posterior *p) {
    const gbs_path_point *at = &p->path[p->chosen];
    size_t before = m->info.iterations;
    int all_converged = m->path != NULL ? m->info.converged : 1;
    m->info = (gbs_model_info){.task = o->task,
                               .loss = o->loss,
                               .family = o->family,
                               .solver = p->solver,
                               .scale = o->scale,
                               .intercept = o->intercept != 0,
                               .columns = o->columns,
                               .map = gbs_maps_features(&m->maps),
                               .map_axes = gbs_maps_axes(&m->maps),
                               .dual = p->stage.dual.rank > 0,
                               .n = data->n,
                               .features = data->d,
                               .d = p->stage.posterior.d,
                               .prior = o->prior,
                               .lambda = at->lambda,
                               .prior_sd = at->prior_sd,
                               .free_energy = at->free_energy,
                               .kl = at->kl,
                               .gibbs_risk = at->gibbs_risk,
                               .optimality_gap = at->optimality_gap,
                               .iterations = before,
                               .converged = all_converged && at->converged,
                               .weighted = data->weight != NULL};
    for (size_t t = 0; t < p->rungs; t++)
        m->info.iterations += p->path[t].iterations;
}

/* Several of them, one after the other (a grid of priors), make one path. */
gbs_status gbs_keep_path(gbs_context *ctx, gbs_model *m, gbs_posterior *p, size_t restarts) {
    size_t size = m->path_size + p->traced + p->rungs;
    gbs_path_point *path = gbs_array_alloc(ctx, size, sizeof *path);
    if (path == NULL)
        return GBS_ERR_MEMORY;
    if (m->path_size > 0)
        memcpy(path, m->path, m->path_size * sizeof *path);
    if (p->traced > 0)
        memcpy(path + m->path_size, p->trace, p->traced * sizeof *path);
    memcpy(path + m->path_size + p->traced, p->path, p->rungs * sizeof *path);
    gbs_array_free(ctx, m->path);
    m->path = path;
    m->path_size = size;
    if (p->restarts != NULL) {
        gbs_array_free(ctx, m->restarts);
        m->restarts = p->restarts;
        m->restarts_size = restarts;
        p->restarts = NULL;
    }
    return GBS_OK;
}

/* A hinge certificate that was asked for by name must exist. */
static gbs_status check_hinge_range(gbs_context *ctx, size_t n, const gbs_fit_settings *o) {
    if (gbs_has(gbs_fit_task(o), GBS_FACT_PAIRS) || o->loss != GBS_LOSS_HINGE || !(o->cx > 0.0) ||
        !(o->lambda > 0.0) || !(o->prior_sd > 0.0) || gbs_is_progressive(o) ||
        (o->select == GBS_SELECT_BOUND && (o->ladder_size > 1 || o->prior_grid_size > 1)))
        return GBS_OK;
    size_t rows = gbs_certified_rows(n, o);
    double limit = gbs_hinge_lambda_limit(true, rows, o->prior_sd * o->prior_sd, o->cx);
    if (o->lambda < limit)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                    "the hinge bound with cx %g, prior_sd %g and %zu rows needs lambda between 0 "
                    "and %g, not %g",
                    o->cx, o->prior_sd, rows, limit, o->lambda);
}

/* A table learned what the columns are (levels of texts) from rows that certify this fit: from all
 * of them, or from the first part of another seed or a larger one. Sparse columns are chosen again
 * below. */
static bool columns_saw_certified_rows(const gbs_context *ctx, const gbs_data *data,
                                       const gbs_fit_settings *o) {
    const gbs_source *s = data->source;
    if (data->learned != NULL && !gbs_has_first_part(o))
        return true; /* the caller learned something from rows that certify after all */
    if (s == NULL || !s->learned)
        return false;
    if (!gbs_has_first_part(o) || data->learned != NULL)
        return true;
    size_t units = data->group != NULL ? data->groups : data->n;
    bool in_time = o->order == GBS_ORDER_TIME;
    return gbs_data_is_dense(data) &&
           (s->grouped != (data->group != NULL) || s->in_time != in_time ||
            (s->seed != ctx->seed && !in_time) || s->units > gbs_least_part(units, o));
}

static int ascending(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Columns come from rows that do not certify: from the first part, where there is one. */
static gbs_status find_columns(gbs_context *ctx, const gbs_data *data, gbs_fit_settings *o,
                               gbs_seen *seen) {
    size_t first = data->n, *order = NULL;
    bool split = gbs_has_first_part(o);
    gbs_status status = GBS_OK;
    if (split && !gbs_data_is_dense(data)) {
        order = gbs_array_alloc(ctx, data->n, sizeof *order);
        status = order != NULL ? gbs_fit_order_run(ctx, data, o, order, &first) : GBS_ERR_MEMORY;
        if (status == GBS_OK && data->in_file) /* which rows they are is all that counts */
            qsort(order, first, sizeof *order, ascending);
    }
    if (status == GBS_OK)
        status = gbs_data_seen(ctx, data, order, first, seen);
    gbs_array_free(ctx, order);
    if (status == GBS_OK &&
        ((seen->column != NULL && !split) || columns_saw_certified_rows(ctx, data, o)))
        o->looked |= GBS_LOOKED_COLUMNS;
    return status;
}

static gbs_status fit_used(gbs_context *ctx, const gbs_data *data, gbs_fit_settings *o,
                           bool certified, gbs_model **model) {
    gbs_status status = GBS_OK;
    gbs_fill_defaults(o, data->n, gbs_maps_columns(o, data->d));
    if (certified && (status = check_hinge_range(ctx, data->n, o)) != GBS_OK)
        return status;
    size_t most = gbs_fit_task(o)->full_columns;
    const gbs_family_ops *family = gbs_family_of(o->family); /* NULL: to be settled */
    size_t columns = gbs_maps_columns(o, data->d);
    if (family != NULL && family->pull == GBS_PULL_MATRIX && columns > most)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`task` %s with a full covariance takes at most %zu columns, not %zu; "
                        "diagonal has no such limit",
                        gbs_task_name(o->task), most, columns);
    if (o->features_size > 0 && columns > GBS_MOST_MAPPED_CELLS / data->n)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`features`: %zu rows of %zu columns would take more than a gigabyte; with "
                        "so many rows at most %zu columns can be made",
                        data->n, columns, GBS_MOST_MAPPED_CELLS / data->n);
    status = gbs_compute_begin(ctx);
    if (status != GBS_OK)
        return status;
    gbs_progress_begin(ctx);
    status = data->classes > 2       ? gbs_fit_classes(ctx, data, o, certified, model)
             : gbs_is_deployed(o)    ? gbs_fit_deployed(ctx, data, o, model)
             : gbs_is_progressive(o) ? gbs_fit_progressive(ctx, data, o, model)
                                     : gbs_fit_single(ctx, data, o, model);
    if (status == GBS_OK && *model == NULL) { /* too few rows to be split */
        gbs_log(
            ctx, GBS_LOG_WARNING,
            "%zu rows are too few to learn from some and test on others: the zero prior is used "
            "on all of them, and the certificate is that of one random draw",
            data->n);
        o->prior = GBS_PRIOR_ZERO;
        o->bound = GBS_BOUND_KL;
        if (data->learned != NULL)
            o->looked |= GBS_LOOKED_COLUMNS;
        gbs_fill_defaults(o, data->n, data->d);
        status = gbs_fit_single(ctx, data, o, model);
    }
    gbs_compute_end(ctx);
    return status;
}

/* Tells a model, and the parts that it is made of, of the columns that are used; takes `seen`. */
static gbs_status see(gbs_context *ctx, gbs_model *model, gbs_seen *seen) {
    gbs_status status = GBS_OK;
    model->info.features = seen->given;
    for (size_t p = 0; model->many != NULL && status == GBS_OK && p < model->many->parts; p++) {
        gbs_seen copy = *seen;
        if (model->many->part[p] == NULL)
            continue;
        copy.column = gbs_array_alloc(ctx, seen->size, sizeof *copy.column);
        if (copy.column == NULL)
            status = GBS_ERR_MEMORY;
        else
            memcpy(copy.column, seen->column, seen->size * sizeof *copy.column);
        if (status == GBS_OK)
            status = see(ctx, model->many->part[p], &copy);
    }
    if (status == GBS_OK && model->many == NULL)
        return gbs_maps_see(ctx, &model->maps, seen);
    gbs_seen_free(ctx, seen);
    return status;
}

/* The model of the columns that are used, told of those that are not. */
static gbs_status fit_seen(gbs_context *ctx, const gbs_data *data, gbs_fit_settings *o,
                           bool certified, gbs_model **model) {
    gbs_seen seen = {0};
    gbs_data *kept = NULL;
    size_t lost = 0;
    gbs_status status = find_columns(ctx, data, o, &seen);
    if (status == GBS_OK && seen.column == NULL)
        return fit_used(ctx, data, o, certified, model);
    if (status == GBS_OK)
        status = gbs_data_keep(ctx, data, &seen, &kept, &lost);
    if (status == GBS_OK)
        gbs_log(ctx, GBS_LOG_INFO,
                "%zu of %zu columns are set in no row to learn from and are left out%s",
                seen.given - seen.size, seen.given, lost > 0 ? ", cells of other rows too" : "");
    o->start_columns = seen.column;
    if (status == GBS_OK)
        status = fit_used(ctx, kept, o, certified, model);
    gbs_data_free(kept);
    if (status != GBS_OK) {
        gbs_seen_free(ctx, &seen);
        return status;
    }
    return see(ctx, *model, &seen);
}

/* Rows of one group may be alike. */
static gbs_status warn_of_copies(gbs_context *ctx, const gbs_data *data, size_t *copies) {
    *copies = 0;
    if (data->group != NULL)
        return GBS_OK;
    gbs_status status = gbs_data_copies(ctx, data, copies);
    if (status == GBS_OK && *copies > 0)
        gbs_log(
            ctx, GBS_LOG_WARNING,
            "%zu of %zu rows are exact copies of others, in columns of continuous numbers: rows "
            "are then not independent, and certificates can be too small; leave the copies out, "
            "or say what belongs together (`group`)",
            *copies, data->n);
    return status;
}

static gbs_status fit(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *options,
                      bool certified, gbs_model **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    double start = gbs_now();
    uint64_t pairs_before = ctx->pairs_seen;
    gbs_fit_settings o = options != NULL ? *options : gbs_fit_settings_default();
    gbs_data *weighed = NULL;
    gbs_status status = gbs_check_fit_options(ctx, &o);
    if (status == GBS_OK)
        status = gbs_check_weights(ctx, data, o.task);
    if (status == GBS_OK)
        status = gbs_data_weighed(ctx, data, &weighed);
    const gbs_data *handed = data; /* whatever the weights of its rows */
    data = weighed != NULL ? weighed : data;
    if (status == GBS_OK)
        status = gbs_check_labels(ctx, data, true);
    if (status != GBS_OK) {
        gbs_data_free(weighed);
        return status;
    }
    o.weighted = data->weight != NULL;
    o.complete = data->source != NULL && data->source->left_out > 0;
    o.grouped = data->group != NULL;
    if (data->costs != NULL)
        o.costs = data->costs;
    if (certified && o.grouped &&
        !(gbs_is_deployed(&o) && gbs_has(gbs_fit_task(&o), GBS_FACT_LABELS))) {
        gbs_data_free(weighed);
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "groups of rows are for `task` classify and `bound` vote");
    }
    const gbs_task *task = gbs_fit_task(&o);
    if (!gbs_has(task, GBS_FACT_INTERCEPT))
        o.intercept = 0;
    if (o.paper)
        task->paper(&o, (double)data->n, (double)gbs_maps_columns(&o, data->d));
    gbs_model *model = NULL;
    size_t copies = 0;
    if (certified)
        status = warn_of_copies(ctx, data, &copies);
    if (status == GBS_OK)
        status = fit_seen(ctx, data, &o, certified, &model);
    gbs_data_free(weighed);
    if (status == GBS_OK)
        status = gbs_model_check(ctx, model);
    if (status != GBS_OK) {
        gbs_model_free(model);
        return status;
    }
    model->info.copies = copies;
    if (certified) {
        gbs_origin_keep(ctx, handed->n, gbs_data_hash(handed), &model->origin);
        model->origin.told.left_out = handed->source != NULL ? handed->source->left_out : 0;
        model->origin.told.copies = copies;
    }
    model->info.seconds = gbs_now() - start;
    model->info.pair_evaluations = (double)(ctx->pairs_seen - pairs_before);
    *out = model;
    return GBS_OK;
}

gbs_status gbs_fit_run(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *options,
                       gbs_model **out) {
    return fit(ctx, data, options, true, out);
}

gbs_status gbs_fit_to_judge(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *options,
                            gbs_model **out) {
    return fit(ctx, data, options, false, out);
}
