/* One fit, start to end: options against rows, which columns are used, the way of the fit
 * (fit/ways.h), where the model comes from. */
#include "fit/run.h"
#include "fit/ways.h"

#include "bound/bound.h"
#include "core/check.h"
#include "model/many.h"
#include "risk/loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A hinge certificate that was asked for by name must exist. */
static gbs_status check_hinge_range(gbs_context *ctx, size_t n, const gbs_fit_settings *o) {
    if (gbs_has(gbs_fit_task(o), GBS_FACT_PAIRS) || !gbs_loss_is_by_length(o->loss) ||
        !(o->cx > 0.0) || !(o->lambda > 0.0) || !(o->prior_sd > 0.0) || gbs_is_progressive(o) ||
        (o->select == GBS_SELECT_BOUND && (o->ladder_size > 1 || o->prior_grid_size > 1)))
        return GBS_OK;
    size_t rows = gbs_certified_rows(n, o);
    double limit = gbs_hinge_lambda_limit(true, rows, o->prior_sd * o->prior_sd, o->cx);
    if (o->lambda < limit)
        return GBS_OK;
    return gbs_fail(
        ctx, GBS_ERR_ARGUMENT,
        "the hinge bound with `cx` %g, `prior-sd` %g and %zu rows needs `lambda` between 0 "
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
    if (data->learned != NULL && gbs_has_first_part(o))
        return !s->by_split;
    if (!gbs_has_first_part(o))
        return true;
    size_t units = data->group != NULL ? data->groups : data->n;
    bool in_time = o->order == GBS_ORDER_TIME;
    return (gbs_data_is_dense(data) || s->fills) &&
           (s->grouped != (data->group != NULL) || s->in_time != in_time ||
            (!in_time && s->seed != gbs_data_order_seed(ctx, data)) ||
            s->units > gbs_least_part(units, o));
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

/* Of many rows, too: one class may have too few. */
static void say_too_few(gbs_context *ctx, const gbs_data *data) {
    size_t have[2] = {0, 0};
    for (size_t i = 0; i < data->n; i++)
        have[data->y[i] > 0.0]++;
    size_t rarer = have[0] < have[1] ? have[0] : have[1];
    gbs_log(ctx, GBS_LOG_WARNING,
            "%zu rows, %zu of them of the rarer class, are too few to learn from some and test on "
            "others: the zero prior is used on all of them, and the certificate is that of one "
            "random draw",
            data->n, rarer);
}

/* Too few rows to be split, and all of them certify: those too that told what the columns are, and,
 * where labels decided it, that they are too few (docs/maths.md, 11.2). */
static gbs_status fit_unsplit(gbs_context *ctx, const gbs_data *data, gbs_fit_settings *o,
                              bool by_labels, gbs_model **model) {
    bool made = data->source != NULL && data->source->learned;
    o->prior = GBS_PRIOR_ZERO;
    o->bound = GBS_BOUND_KL;
    o->by_labels = by_labels;
    if (data->learned != NULL || made || o->start_columns != NULL)
        o->looked |= GBS_LOOKED_COLUMNS;
    gbs_fill_defaults(o, data->n, data->d);
    return gbs_fit_single(ctx, data, o, model);
}

/* The fit itself, the way that the options say, to columns that are all used. */
static gbs_status fit_columns(gbs_context *ctx, const gbs_data *data, gbs_fit_settings *o,
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
                        gbs_task_name(gbs_fit_task(o)->kind), most, columns);
    if (o->features_size > 0 && columns > GBS_MOST_MAPPED_CELLS / data->n)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`features`: %zu rows of %zu columns would take more than a gigabyte; with "
                        "so many rows at most %zu columns can be made",
                        data->n, columns, GBS_MOST_MAPPED_CELLS / data->n);
    status = gbs_compute_begin(ctx);
    if (status != GBS_OK)
        return status;
    gbs_progress_begin(ctx);
    bool by_labels = false;
    status = data->classes > 2       ? gbs_fit_classes(ctx, data, o, certified, model)
             : gbs_is_deployed(o)    ? gbs_fit_deployed(ctx, data, o, &by_labels, model)
             : gbs_is_progressive(o) ? gbs_fit_progressive(ctx, data, o, model)
                                     : gbs_fit_single(ctx, data, o, model);
    if (status == GBS_OK && *model == NULL) {
        say_too_few(ctx, data);
        status = fit_unsplit(ctx, data, o, by_labels, model);
    }
    gbs_compute_end(ctx);
    return status;
}

/* Notes in a model, and in the parts that it is made of, which columns it uses; takes `seen`. */
static gbs_status note_columns(gbs_context *ctx, gbs_model *model, gbs_seen *seen) {
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
            status = note_columns(ctx, model->many->part[p], &copy);
    }
    if (status == GBS_OK && model->many == NULL)
        return gbs_maps_see(ctx, &model->maps, seen);
    gbs_seen_free(ctx, seen);
    return status;
}

/* Columns that no row to learn from sets are left out, the others fitted. */
static gbs_status fit_seen_columns(gbs_context *ctx, const gbs_data *data, gbs_fit_settings *o,
                                   bool certified, gbs_model **model) {
    gbs_seen seen = {0};
    gbs_data *kept = NULL;
    size_t lost = 0;
    gbs_status status = find_columns(ctx, data, o, &seen);
    if (status == GBS_OK && seen.column == NULL)
        return fit_columns(ctx, data, o, certified, model);
    if (status == GBS_OK)
        status = gbs_data_keep(ctx, data, &seen, &kept, &lost);
    if (status == GBS_OK)
        gbs_log(ctx, GBS_LOG_INFO,
                "%zu of %zu columns %s set in no row to learn from and %s left out%s",
                seen.given - seen.size, seen.given, seen.given - seen.size == 1 ? "is" : "are",
                seen.given - seen.size == 1 ? "is" : "are",
                lost > 0 ? ", cells of other rows too" : "");
    o->start_columns = seen.column;
    if (status == GBS_OK)
        status = fit_columns(ctx, kept, o, certified, model);
    gbs_data_free(kept);
    if (status != GBS_OK || *model == NULL) {
        gbs_seen_free(ctx, &seen);
        return status;
    }
    return note_columns(ctx, *model, &seen);
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
            "%zu of %zu rows %s, in columns of continuous numbers: rows are then not independent, "
            "and certificates can be too small; leave the copies out, or say what belongs together "
            "(`group`)",
            *copies, data->n,
            *copies == 1 ? "is an exact copy of another" : "are exact copies of others");
    return status;
}

/* A weighted risk is certified of rows with weights, none of them above what was declared. */
static gbs_status check_max_weight(gbs_context *ctx, const gbs_data *data,
                                   const gbs_fit_settings *o) {
    if (!(o->max_weight > 0.0))
        return GBS_OK;
    double most = gbs_data_largest_weight(data);
    if (!gbs_is_deployed(o) || !gbs_has(gbs_fit_task(o), GBS_FACT_LABELS) || data->group != NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`max-weight` is for `task` classify and `bound` vote, without groups of "
                        "rows");
    if (!(most > 0.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`max-weight` needs weights of rows");
    if (most > o->max_weight)
        return gbs_fail(ctx, GBS_ERR_DATA, "a row has the weight %g, above `max-weight` %g", most,
                        o->max_weight);
    return GBS_OK;
}

/* The options against the rows, and the facts of the rows into the settings. `fewer`: rows of
 * weight 0 are not among them any more. */
static gbs_status settle(gbs_context *ctx, const gbs_data *data, bool fewer, bool certified,
                         gbs_fit_settings *o) {
    const gbs_task *task = gbs_fit_task(o);
    const gbs_source *source = data->source;
    gbs_status status = gbs_check_labels(ctx, data, true);
    if (!certified)
        o->max_weight = 0.0;
    if (status == GBS_OK)
        status = check_max_weight(ctx, data, o);
    if (status != GBS_OK)
        return status;
    o->weighted = data->weight != NULL;
    o->missing_left_out = source != NULL && source->left_out > 0;
    o->zero_left_out = fewer || (source != NULL && source->absent > 0);
    o->grouped = data->group != NULL;
    if (data->costs != NULL)
        o->costs = data->costs;
    if (certified && o->grouped && !(gbs_is_deployed(o) && gbs_has(task, GBS_FACT_LABELS)))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "groups of rows are for `task` classify and `bound` vote");
    if (!gbs_has(task, GBS_FACT_INTERCEPT))
        o->intercept = 0;
    if (o->paper)
        task->paper(o, (double)data->n, (double)gbs_maps_columns(o, data->d));
    return GBS_OK;
}

/* What their order tells: certificates rest on it, and the draws that they count come from it. */
static gbs_status look_at_order(gbs_context *ctx, const gbs_data *data, gbs_fit_settings *o,
                                gbs_hash *rows) {
    gbs_row_summary summary;
    gbs_status status = gbs_data_summary(ctx, data, &summary);
    o->sorted = summary.sorted;
    o->draw_seed = gbs_hash_draw_seed(ctx->seed, data->n, summary.in_order);
    *rows = summary.hash;
    return status;
}

/* Where the model comes from: the rows as they were handed in, whatever their weights. */
static void keep_origin(gbs_context *ctx, const gbs_data *handed, gbs_hash rows, size_t copies,
                        gbs_model *model) {
    gbs_origin_keep(ctx, handed->n, rows, &model->origin);
    model->origin.told.left_out = handed->source != NULL ? handed->source->left_out : 0;
    model->origin.told.copies = copies;
}

static gbs_status fit(gbs_context *ctx, const gbs_data *handed, const gbs_fit_settings *options,
                      bool certified, gbs_model **out) {
    double start = gbs_now();
    uint64_t pairs_before = ctx->pairs_seen;
    gbs_fit_settings o = options != NULL ? *options : gbs_fit_settings_default();
    gbs_data *weighed = NULL;
    gbs_model *model = NULL;
    size_t copies = 0;
    gbs_hash rows = {0};
    gbs_status status = gbs_check_fit_options(ctx, &o);
    if (status == GBS_OK)
        status = gbs_check_weights(ctx, handed, gbs_fit_task(&o));
    if (status == GBS_OK)
        status = gbs_data_weighed(ctx, handed, &weighed);
    const gbs_data *data = weighed != NULL ? weighed : handed;
    bool fewer = data != handed;
    if (status == GBS_OK)
        status = settle(ctx, data, fewer, certified, &o);
    if (status == GBS_OK && certified)
        status = look_at_order(ctx, data, &o, &rows);
    if (status == GBS_OK && certified)
        status = warn_of_copies(ctx, data, &copies);
    if (status == GBS_OK)
        status = fit_seen_columns(ctx, data, &o, certified, &model);
    gbs_data_free(weighed);
    if (status == GBS_OK)
        status = gbs_model_check(ctx, model);
    if (status != GBS_OK) {
        gbs_model_free(model);
        return status;
    }
    model->info.copies = copies;
    if (certified)
        keep_origin(ctx, handed, fewer ? gbs_data_hash(handed) : rows, copies, model);
    model->info.seconds = gbs_now() - start;
    model->info.pair_evaluations = (double)(ctx->pairs_seen - pairs_before);
    *out = model;
    return GBS_OK;
}

gbs_status gbs_fit_run(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *options,
                       gbs_model **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    return fit(ctx, data, options, true, out);
}

gbs_status gbs_fit_to_judge(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *options,
                            gbs_model **out) {
    *out = NULL;
    return fit(ctx, data, options, false, out);
}
