/* The split of docs/maths.md, 6.4: a random order of the rows that does not look at them, or their
 * own, and a first part, whose size the options say (task/parts.h). Rows in groups are split by
 * groups (11.8).
 */
#include "fit/run.h"
#include "fit/ways.h"

#include "core/check.h"
#include "core/random.h"

#include <math.h>

static gbs_status check_units(gbs_context *ctx, const gbs_data *data, size_t units) {
    return units > 1 ? GBS_OK
                     : gbs_fail(ctx, GBS_ERR_DATA, "%zu %s cannot be split in two parts", units,
                                data->group == NULL ? "rows"
                                : units == 1        ? "group"
                                                    : "groups");
}

static gbs_ordering ordering_of(const gbs_data *data, uint64_t seed, bool in_time) {
    return (gbs_ordering){.n = data->n,
                          .seed = seed,
                          .group = data->group,
                          .groups = data->groups,
                          .in_time = in_time};
}

/* Where the caller said which rows to learn from, the order with these first, and how many they
 * are; else nothing changes. */
static gbs_status learned_first(gbs_context *ctx, const gbs_data *data, size_t *order,
                                size_t *first_part) {
    size_t n = data->n, first = 0, last = 0;
    if (data->learned == NULL)
        return GBS_OK;
    for (size_t i = 1; data->group != NULL && i < n; i++)
        if (data->group[order[i]] == data->group[order[i - 1]] &&
            gbs_data_is_learned(data, order[i]) != gbs_data_is_learned(data, order[i - 1]))
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "row %zu is to be learned from and row %zu to certify, or the reverse; "
                            "they are of one group",
                            order[i - 1], order[i]);
    size_t *others = gbs_array_alloc(ctx, n, sizeof *others);
    if (others == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        if (gbs_data_is_learned(data, order[i]))
            order[first++] = order[i];
        else
            others[last++] = order[i];
    }
    for (size_t i = 0; i < last; i++)
        order[first + i] = others[i];
    gbs_array_free(ctx, others);
    *first_part = first;
    return first > 0 && last > 0
               ? GBS_OK
               : gbs_fail(ctx, GBS_ERR_DATA,
                          "of the rows that count, %zu are to be learned from and %zu to certify",
                          first, last);
}

gbs_status gbs_fit_order_run(gbs_context *ctx, const gbs_data *data,
                             const gbs_fit_settings *options, size_t *order, size_t *first_part) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, order);
    GBS_NEEDS(ctx, first_part);
    gbs_fit_settings o = options != NULL ? *options : gbs_fit_settings_default();
    gbs_data *weighed = NULL;
    gbs_status status = gbs_check_fit_options(ctx, &o);
    if (status == GBS_OK)
        status = gbs_data_weighed(ctx, data, &weighed);
    const gbs_data *rows = weighed != NULL ? weighed : data;
    gbs_ordering by = ordering_of(rows, gbs_data_order_seed(ctx, rows), o.order == GBS_ORDER_TIME);
    size_t units;
    if (status == GBS_OK)
        status = gbs_order_rows(ctx, &by, order, &units);
    if (status == GBS_OK)
        status = check_units(ctx, rows, units);
    if (status == GBS_OK) {
        *first_part = gbs_order_border(&by, order, gbs_least_part(units, &o));
        status = learned_first(ctx, rows, order, first_part);
    }
    for (size_t i = 0; status == GBS_OK && weighed != NULL && i < rows->n; i++)
        order[i] = gbs_data_origin(weighed, order[i]);
    for (size_t i = 0, end = rows->n; status == GBS_OK && weighed != NULL && i < data->n; i++)
        if (data->weight[i] == 0.0) /* rows that are not there come last */
            order[end++] = i;
    gbs_data_free(weighed);
    return status;
}

/* The order changed so that the first part has its share of each class. Certificates do not survive
 * this: the labels of the others are then known in sum. */
static void stratify(const double *y, size_t n, size_t first, size_t *order, size_t *scratch) {
    size_t have[2] = {0, 0}, taken[2] = {0, 0}, inside = 0, outside = first;
    for (size_t i = 0; i < n; i++)
        have[y[i] > 0.0]++;
    size_t positive = (size_t)floor((double)first * (double)have[1] / (double)n + 0.5);
    size_t wanted[2] = {first - positive, positive};
    for (size_t i = 0; i < n; i++) {
        size_t class = y[order[i]] > 0.0;
        if (taken[class] < wanted[class] && inside < first) {
            taken[class]++;
            scratch[inside++] = order[i];
        } else {
            scratch[outside++] = order[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        order[i] = scratch[i];
}

/* Where a class is rare, the rows to learn from grow one by one (groups one by one) until they hold
 * enough of each: five; once more than two classes are met as many as there are coefficients, and
 * five for every coefficient of all classes met so far but one. The rule reads nothing behind them,
 * not even how many classes there are, so the others are as fresh as before. */
static gbs_status grow(gbs_context *ctx, const gbs_data *data, size_t columns, const size_t *order,
                       size_t units, size_t *first) {
    enum { ENOUGH = 5, A_COEFFICIENT = 5, LEAST_LEFT = 6 /* one in so many stays fresh */ };
    size_t classes = gbs_data_classes(data), most = units - (units + LEAST_LEFT - 1) / LEAST_LEFT,
           many = columns > ENOUGH ? columns : ENOUGH, unit = 0, met = 0, few = 0,
           fewer = 0, /* classes met so far with fewer rows than `many`, than ENOUGH */
               *have = gbs_array_alloc(ctx, 2 * classes, sizeof *have);
    if (have == NULL)
        return GBS_ERR_MEMORY;
    size_t *last = have + classes;
    for (size_t i = 0; i < data->n; i++) {
        size_t class = gbs_data_class(data, order[i]);
        if (i == 0 || data->group == NULL || data->group[order[i]] != data->group[order[i - 1]]) {
            bool enough = met > 2 ? few == 0 && unit >= A_COEFFICIENT * columns * (met - 1)
                                  : fewer == 0 && met == 2;
            if (unit >= *first && (unit >= most || enough)) {
                *first = unit;
                break;
            }
            unit++;
        }
        if (last[class] == unit) /* this unit has it already */
            continue;
        last[class] = unit;
        have[class]++;
        met += have[class] == 1;
        few += have[class] == 1;
        fewer += have[class] == 1;
        few -= have[class] == many;
        fewer -= have[class] == ENOUGH;
    }
    gbs_array_free(ctx, have);
    return GBS_OK;
}

static gbs_status check_classes(gbs_context *ctx, const gbs_split *s) {
    size_t positive = 0;
    for (size_t i = 0; i < s->first; i++)
        positive += s->view->y[i] > 0.0;
    if (positive > 0 && positive < s->first)
        return GBS_OK;
    return gbs_fail(
        ctx, GBS_ERR_DATA,
        "the first part of the split (%zu of %zu rows) has no row of class %s; use a larger "
        "`prior-split`, or `prior` zero",
        s->first, s->n, positive > 0 ? "-1" : "+1");
}

gbs_status gbs_split_create(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                            gbs_split *out) {
    size_t n = data->n, d = gbs_maps_columns(o, data->d);
    *out = (gbs_split){.ctx = ctx, .n = n};
    size_t *order = gbs_array_alloc(ctx, n, sizeof *order),
           *scratch = gbs_array_alloc(ctx, n, sizeof *scratch);
    gbs_status status = order != NULL && scratch != NULL ? GBS_OK : GBS_ERR_MEMORY;
    size_t units;
    out->seed = gbs_data_order_seed(ctx, data);
    gbs_ordering by = ordering_of(data, out->seed, o->order == GBS_ORDER_TIME);
    if (status == GBS_OK)
        status = gbs_order_rows(ctx, &by, order, &units);
    if (status == GBS_OK)
        status = check_units(ctx, data, units);
    if (status == GBS_OK) {
        size_t first = gbs_first_part(units, d, o);
        if (gbs_is_deployed(o) && !(o->prior_split > 0.0))
            status = grow(ctx, data, gbs_maps_counted(o, data->d), order, units, &first);
        out->first = gbs_order_border(&by, order, first);
        if (o->stratify)
            stratify(data->y, n, out->first, order, scratch);
        if (status == GBS_OK)
            status = learned_first(ctx, data, order, &out->first);
    }
    if (status == GBS_OK)
        status = gbs_data_view(ctx, data, order, n, &out->view);
    gbs_array_free(ctx, order);
    gbs_array_free(ctx, scratch);
    if (status == GBS_OK)
        status = gbs_data_arrange(ctx, out->view);
    if (status == GBS_OK && !gbs_is_deployed(o)) /* which does without, if it must */
        status = check_classes(ctx, out);
    if (status != GBS_OK)
        gbs_split_free(out);
    return status;
}

gbs_status gbs_fit_split_run(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                             unsigned char *learned) {
    gbs_split split;
    gbs_data *weighed = NULL;
    gbs_status status = gbs_check_fit_options(ctx, o);
    if (status == GBS_OK)
        status = gbs_check_labels(ctx, data, true);
    if (status == GBS_OK)
        status = gbs_data_weighed(ctx, data, &weighed);
    if (status != GBS_OK)
        return status;
    const gbs_data *rows = weighed != NULL ? weighed : data;
    for (size_t i = 0; i < data->n; i++)
        learned[i] = data->weight == NULL || data->weight[i] != 0.0;
    if (gbs_has_first_part(o)) {
        status = gbs_split_create(ctx, rows, o, &split);
        for (size_t i = split.first; status == GBS_OK && i < rows->n; i++)
            learned[gbs_data_origin(split.view, i)] = 0;
        if (status == GBS_OK)
            gbs_split_free(&split);
    }
    gbs_data_free(weighed);
    return status;
}

gbs_split_key gbs_split_key_of(const gbs_split *s, const gbs_fit_settings *o) {
    return (gbs_split_key){.known = true,
                           .stratified = o->stratify != 0,
                           .seed = s->seed,
                           .first = s->first,
                           .in_time = o->order == GBS_ORDER_TIME,
                           .grouped = s->view->group != NULL,
                           .said = s->view->learned != NULL};
}

gbs_status gbs_split_find(gbs_context *ctx, const gbs_data *data, const gbs_split_key *key,
                          size_t from, size_t count, gbs_data **out) {
    size_t *order = gbs_array_alloc(ctx, data->n, sizeof *order),
           *scratch = gbs_array_alloc(ctx, data->n, sizeof *scratch);
    gbs_status status = order != NULL && scratch != NULL ? GBS_OK : GBS_ERR_MEMORY;
    gbs_ordering by = ordering_of(data, key->seed, key->in_time);
    size_t units;
    *out = NULL;
    if (status == GBS_OK && key->grouped != (data->group != NULL))
        status = gbs_fail(ctx, GBS_ERR_DATA,
                          "the model does not belong to these rows: it was fitted to rows with%s "
                          "groups, and these have %s",
                          key->grouped ? "" : "out", key->grouped ? "none" : "some");
    if (status == GBS_OK && key->said && data->learned == NULL)
        status = gbs_fail(ctx, GBS_ERR_DATA,
                          "the fit was told which rows to learn from: these rows have to be told "
                          "the same split (gbs_data_set_split)");
    if (status == GBS_OK)
        status = gbs_order_rows(ctx, &by, order, &units);
    size_t first = key->first;
    if (status == GBS_OK && key->stratified)
        stratify(data->y, data->n, key->first, order, scratch);
    if (status == GBS_OK && key->said)
        status = learned_first(ctx, data, order, &first);
    if (status == GBS_OK && first != key->first)
        status = gbs_fail(ctx, GBS_ERR_DATA,
                          "the model does not belong to these rows: %zu were learned from, and "
                          "here they are %zu",
                          key->first, first);
    if (status == GBS_OK)
        status = gbs_data_view(ctx, data, order + from, count, out);
    gbs_array_free(ctx, order);
    gbs_array_free(ctx, scratch);
    return status;
}

void gbs_split_free(gbs_split *s) {
    if (s->view != NULL)
        gbs_data_free(s->view);
    gbs_array_free(s->ctx, s->labels);
    gbs_array_free(s->ctx, s->weights);
    gbs_array_free(s->ctx, s->group);
    *s = (gbs_split){0};
}

void gbs_split_forget_order(gbs_split *s) {
    if (s->view == NULL)
        return;
    s->labels = (double *)s->view->y;
    s->weights = (double *)s->view->weight;
    s->group = (uint32_t *)s->view->group;
    s->groups = s->view->groups;
    s->view->y = s->view->weight = NULL;
    s->view->group = NULL;
    gbs_data_free(s->view);
    s->view = NULL;
}

gbs_status gbs_split_head(gbs_context *ctx, const gbs_split *s, size_t count, gbs_data **out) {
    size_t *rows = gbs_array_alloc(ctx, count, sizeof *rows);
    *out = NULL;
    if (rows == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        rows[i] = i;
    gbs_status status = gbs_data_view(ctx, s->view, rows, count, out);
    gbs_array_free(ctx, rows);
    return status;
}
