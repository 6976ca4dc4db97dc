/* Learning a recipe from the training table; the handle, and what it tells. */
#include "table/recipe.h"

#include "table/shown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- names in an option */

/* The name that begins at `at`, ended in place; returns where the next one begins. */
static char *take_name(char *at, const char **name) {
    bool quoted = *at == '"', open = quoted;
    char *from = at + quoted, *to = from;
    *name = from;
    for (at = from; *at != '\0' && (open || *at != ','); at++) {
        if (quoted && *at == '"') {
            open = open && at[1] == '"';
            at += open;
            if (!open)
                continue;
        }
        *to++ = *at;
    }
    char *next = *at == '\0' ? at : at + 1;
    *to = '\0';
    return next;
}

gbs_status gbs_names_split(gbs_context *ctx, const char *list, gbs_names *out) {
    *out = (gbs_names){0};
    if (list == NULL)
        return GBS_OK;
    char *copy = gbs_pool_text(ctx, &out->pool, list, strlen(list));
    out->item = gbs_array_alloc(ctx, strlen(list) + 1, sizeof *out->item);
    if (copy == NULL || out->item == NULL) {
        gbs_names_free(ctx, out);
        return GBS_ERR_MEMORY;
    }
    for (char *at = copy; *at != '\0';) {
        at = take_name(at, &out->item[out->n]);
        out->n += out->item[out->n][0] != '\0';
    }
    return GBS_OK;
}

void gbs_names_free(const gbs_context *ctx, gbs_names *names) {
    gbs_array_free(ctx, names->item);
    gbs_pool_free(ctx, &names->pool);
    *names = (gbs_names){0};
}

/* ---------------------------------------------------------------- the handle */

gbs_status gbs_recipe_new(gbs_context *ctx, gbs_recipe **out) {
    gbs_recipe *r = gbs_handle_alloc(ctx, sizeof *r);
    *out = r;
    if (r == NULL)
        return GBS_ERR_MEMORY;
    r->ctx = ctx;
    atomic_init(&r->holders, 1);
    r->first_line = -1;
    return GBS_OK;
}

void gbs_recipe_hold(gbs_recipe *r) {
    atomic_fetch_add_explicit(&r->holders, 1, memory_order_relaxed);
}

void gbs_recipe_free(gbs_recipe *r) {
    if (r == NULL || atomic_fetch_sub_explicit(&r->holders, 1, memory_order_acq_rel) > 1)
        return;
    gbs_context *ctx = r->ctx;
    for (size_t k = 0; k < r->n_inputs; k++)
        gbs_array_free(ctx, r->inputs[k].levels);
    gbs_array_free(ctx, r->inputs);
    gbs_array_free(ctx, r->na);
    gbs_array_free(ctx, r->classes);
    gbs_pool_free(ctx, &r->pool);
    gbs_handle_free(ctx, r);
}

size_t gbs_recipe_features(const gbs_recipe *r) {
    return r != NULL ? r->features : 0;
}

size_t gbs_recipe_inputs(const gbs_recipe *r) {
    return r == NULL ? 0 : r->inputs != NULL ? r->n_inputs : r->features;
}

const char *gbs_recipe_input(const gbs_recipe *r, size_t k, size_t *levels) {
    bool there = r != NULL && r->inputs != NULL && k < r->n_inputs;
    if (levels != NULL)
        *levels = there ? r->inputs[k].n_levels : 0;
    return there ? r->inputs[k].name : NULL;
}

const char *gbs_recipe_level(const gbs_recipe *r, size_t k, size_t j) {
    bool there = r != NULL && k < r->n_inputs && j < r->inputs[k].n_levels;
    return there ? r->inputs[k].levels[j] : NULL;
}

const char *gbs_recipe_target(const gbs_recipe *r) {
    return r != NULL ? r->target : NULL;
}

const char *gbs_recipe_positive(const gbs_recipe *r) {
    return r != NULL ? r->positive : NULL;
}

const char *gbs_recipe_negative(const gbs_recipe *r) {
    return r != NULL ? r->negative : NULL;
}

void gbs_recipe_feature(const gbs_recipe *r, size_t k, char *name, size_t room) {
    if (name == NULL || room == 0)
        return;
    if (r == NULL || k >= r->features) {
        snprintf(name, room, "(intercept)");
        return;
    }
    for (size_t i = 0; i < r->n_inputs; i++) {
        size_t width = gbs_column_width(&r->inputs[i]);
        if (k < width) {
            gbs_column_feature(&r->inputs[i], k, name, room);
            return;
        }
        k -= width;
    }
    /* npy: columns are counted with the target among them */
    snprintf(name, room, "V%zu", r->target != NULL && k >= r->target_position ? k + 2 : k + 1);
}

bool gbs_recipe_has_texts(const gbs_recipe *r) {
    for (size_t k = 0; k < r->n_inputs; k++)
        if (r->inputs[k].is_text)
            return true;
    return false;
}

/* ---------------------------------------------------------------- columns */

/* "a, b, c and 12 more" */
static void list_columns(const gbs_table *t, char *out, size_t room) {
    size_t used = 0, k = 0;
    for (; k < t->n_columns && used + 60 < room; k++)
        used += (size_t)snprintf(out + used, room - used, "%s%.40s", k > 0 ? ", " : "",
                                 t->columns[k].name);
    if (k < t->n_columns)
        snprintf(out + used, room - used, " and %zu more", t->n_columns - k);
}

static gbs_status unknown_column(gbs_context *ctx, const gbs_table *t, const char *option,
                                 const char *name) {
    char list[300];
    list_columns(t, list, sizeof list);
    bool number = name[0] != '\0' && strspn(name, "0123456789") == strlen(name);
    return gbs_fail(ctx, GBS_ERR_DATA,
                    number ? "%s: `%s`: there is no column '%.60s', by name or by number; there "
                             "are %s"
                           : "%s: `%s`: no column is called '%.60s'; there are %s",
                    gbs_table_place(t).text, option, name, list);
}

/* Its cells were not read, or an option leaves it out. */
static bool is_dropped(const gbs_table *t, const gbs_names *drop, size_t column) {
    for (size_t k = 0; drop != NULL && k < drop->n; k++)
        if (gbs_table_find(t, drop->item[k]) == column)
            return true;
    return t->columns[column].skipped;
}

/* The same of every column: looking for names once each. */
static bool *dropped_columns(gbs_context *ctx, const gbs_table *t, const gbs_names *drop) {
    bool *dropped = gbs_array_alloc(ctx, t->n_columns, sizeof *dropped);
    for (size_t k = 0; dropped != NULL && k < t->n_columns; k++)
        dropped[k] = t->columns[k].skipped;
    for (size_t k = 0; dropped != NULL && drop != NULL && k < drop->n; k++)
        dropped[gbs_table_find(t, drop->item[k])] = true;
    return dropped;
}

/* It says something of the rows, and is neither feature nor label. */
static bool is_aside(const gbs_table *t, const gbs_recipe_wishes *o, size_t column) {
    return (o->weights != NULL && gbs_table_find(t, o->weights) == column) ||
           (o->group != NULL && gbs_table_find(t, o->group) == column);
}

/* What a separator at the end of each line makes: no name, no value. */
static bool is_empty(const gbs_column *c) {
    return c->unnamed && c->skipped;
}

/* The last column, which has the labels where nothing else is said, says something of the rows. */
static void warn_of_last(gbs_context *ctx, const gbs_table *t, const gbs_recipe_wishes *o,
                         size_t target) {
    size_t last = t->n_columns - 1;
    while (last > target && is_empty(&t->columns[last]))
        last--;
    if (last > target && is_aside(t, o, last))
        gbs_log(ctx, GBS_LOG_WARNING,
                "the last column, '%.60s', is that of `%s`, so the labels are taken from '%.60s'; "
                "`target` COL names another",
                t->columns[last].name,
                o->group != NULL && gbs_table_find(t, o->group) == last ? "group" : "weights",
                t->columns[target].name);
}

static gbs_status find_target(gbs_context *ctx, const gbs_table *t, const gbs_recipe_wishes *o,
                              gbs_recipe *r) {
    size_t target = t->n_columns - 1;
    while (target > 0 && (is_aside(t, o, target) || is_empty(&t->columns[target])))
        target--;
    if (o->target != NULL) {
        target = gbs_table_find(t, o->target);
        if (target == SIZE_MAX)
            return unknown_column(ctx, t, "target", o->target);
    } else {
        for (size_t k = 0; k < t->n_columns; k++)
            if (strcmp(t->columns[k].name, "y") == 0)
                target = k;
    }
    const gbs_column *column = &t->columns[target];
    if (o->target == NULL && strcmp(column->name, "y") != 0)
        warn_of_last(ctx, t, o, target);
    if (is_dropped(t, o->drop, target))
        return gbs_fail(ctx, GBS_ERR_DATA, "%s: `drop` leaves out the target '%.60s'",
                        gbs_table_place(t).text, column->name);
    if (is_aside(t, o, target))
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "%s: '%.60s' is the target; it cannot be `weights` or `group` too",
                        gbs_table_place(t).text, column->name);
    r->target_position = target;
    r->target_is_text = column->is_text;
    r->target = gbs_pool_text(ctx, &r->pool, column->name, strlen(column->name));
    return r->target != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static gbs_status copy_column(gbs_context *ctx, gbs_recipe *r, const gbs_column *from,
                              size_t position, gbs_column_map *to) {
    *to = (gbs_column_map){.position = position, .is_text = from->is_text};
    to->name = gbs_pool_text(ctx, &r->pool, from->name, strlen(from->name));
    if (to->name == NULL)
        return GBS_ERR_MEMORY;
    if (!from->is_text)
        return GBS_OK;
    to->levels = gbs_array_alloc(ctx, from->n_levels + 1, sizeof *to->levels);
    if (to->levels == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < from->n_levels; k++) {
        to->levels[k] = gbs_pool_text(ctx, &r->pool, from->levels[k], strlen(from->levels[k]));
        if (to->levels[k] == NULL)
            return GBS_ERR_MEMORY;
    }
    to->n_levels = from->n_levels;
    qsort(to->levels, to->n_levels, sizeof *to->levels, by_text);
    return GBS_OK;
}

static gbs_status take_inputs(gbs_context *ctx, const gbs_table *t, const gbs_recipe_wishes *o,
                              gbs_recipe *r) {
    bool *dropped = dropped_columns(ctx, t, o->drop);
    if (dropped != NULL && o->weights != NULL)
        dropped[gbs_table_find(t, o->weights)] = true;
    if (dropped != NULL && o->group != NULL)
        dropped[gbs_table_find(t, o->group)] = true;
    r->inputs = gbs_array_alloc(ctx, t->n_columns, sizeof *r->inputs);
    gbs_status status = dropped != NULL && r->inputs != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t k = 0; status == GBS_OK && k < t->n_columns; k++) {
        if (k == r->target_position || dropped[k])
            continue;
        status = gbs_check_doubt(ctx, t, k);
        if (status != GBS_OK)
            break;
        gbs_column_map *c = &r->inputs[r->n_inputs++];
        status = copy_column(ctx, r, &t->columns[k], k, c);
        c->filled = status == GBS_OK && o->fill;
        r->features += gbs_column_width(c);
    }
    gbs_array_free(ctx, dropped);
    if (status == GBS_OK && r->features == 0)
        return gbs_fail(ctx, GBS_ERR_DATA, "%s: no column is left beside the target '%.60s'%s",
                        gbs_table_place(t).text, r->target,
                        t->n_columns > 1                 ? ""
                        : strchr(r->target, ' ') != NULL ? "; if blanks separate cells: `sep` space"
                                                         : "; `sep` C says what separates cells");
    return status;
}

/* A column that says something of the rows beside their features. */
static gbs_status check_aside(gbs_context *ctx, const gbs_table *t, const gbs_recipe_wishes *o,
                              const char *option, const char *name) {
    if (name == NULL)
        return GBS_OK;
    if (t->format != GBS_TABLE_CSV)
        return gbs_fail(ctx, GBS_ERR_DATA, "%s: `%s` works on CSV files, whose columns have names",
                        gbs_table_place(t).text, option);
    size_t column = gbs_table_find(t, name);
    if (column == SIZE_MAX)
        return unknown_column(ctx, t, option, name);
    if (is_dropped(t, o->drop, column))
        return gbs_fail(ctx, GBS_ERR_DATA, "%s: `drop` leaves out the column '%.60s' of `%s`",
                        gbs_table_place(t).text, t->columns[column].name, option);
    return GBS_OK;
}

static gbs_status check_wishes(gbs_context *ctx, const gbs_table *t, const gbs_recipe_wishes *o) {
    if (t->added < t->n_columns && t->file == NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the table has %zu of its %zu columns", t->added,
                        t->n_columns);
    for (size_t k = 0; o->drop != NULL && k < o->drop->n; k++) {
        if (t->format != GBS_TABLE_CSV)
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "%s: `drop` works on CSV files, whose columns have names",
                            gbs_table_place(t).text);
        if (gbs_table_find(t, o->drop->item[k]) == SIZE_MAX)
            return unknown_column(ctx, t, "drop", o->drop->item[k]);
    }
    gbs_status status = check_aside(ctx, t, o, "weights", o->weights);
    if (status == GBS_OK)
        status = check_aside(ctx, t, o, "group", o->group);
    if (status != GBS_OK)
        return status;
    for (size_t k = 0; o->text != NULL && t->columns != NULL && k < o->text->n; k++) {
        size_t column = gbs_table_find(t, o->text->item[k]);
        if (column == SIZE_MAX)
            return unknown_column(ctx, t, "text", o->text->item[k]);
        if (!t->columns[column].is_text && !is_dropped(t, o->drop, column))
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "%s: `text`: column '%.60s' holds numbers; it becomes text when the "
                            "table is made",
                            gbs_table_place(t).text, t->columns[column].name);
    }
    return GBS_OK;
}

/* ---------------------------------------------------------------- learning */

/* svmlight: every index up to the largest is a feature, and the label has no name. */
static gbs_status learn_sparse(gbs_context *ctx, const gbs_table *t, const gbs_recipe_wishes *o,
                               gbs_recipe *r) {
    r->features = t->n_columns;
    if (o->target != NULL)
        return gbs_fail(
            ctx, GBS_ERR_DATA,
            "%s: `target`: the label of an svmlight file is the first number of each line",
            gbs_table_place(t).text);
    if (t->n_columns == 0)
        return gbs_fail(ctx, GBS_ERR_DATA, "%s: no line has a feature", gbs_table_place(t).text);
    return GBS_OK;
}

static gbs_status learn_dense(gbs_context *ctx, const gbs_table *t, const gbs_recipe_wishes *o,
                              gbs_recipe *r) {
    gbs_status status = find_target(ctx, t, o, r);
    if (status != GBS_OK || t->format == GBS_TABLE_CSV || o->fill)
        return status != GBS_OK ? status : take_inputs(ctx, t, o, r);
    r->features = t->n_columns - 1;
    if (r->features == 0)
        return gbs_fail(ctx, GBS_ERR_DATA, "%s: one column only; expected features and a label",
                        gbs_table_place(t).text);
    return GBS_OK;
}

static gbs_status keep_na(gbs_context *ctx, const gbs_names *na, gbs_recipe *r) {
    r->na = gbs_array_alloc(ctx, na->n + 1, sizeof *r->na);
    for (size_t k = 0; r->na != NULL && k < na->n; k++) {
        r->na[k] = gbs_pool_text(ctx, &r->pool, na->item[k], strlen(na->item[k]));
        if (r->na[k] == NULL)
            return GBS_ERR_MEMORY;
        r->n_na++;
    }
    return r->na != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

gbs_status gbs_recipe_learn(gbs_context *ctx, const gbs_table *t, const gbs_recipe_wishes *o,
                            gbs_recipe **out) {
    gbs_recipe *r = NULL;
    *out = NULL;
    gbs_status status = check_wishes(ctx, t, o);
    if (status == GBS_OK)
        status = gbs_recipe_new(ctx, &r);
    if (status != GBS_OK)
        return status;
    r->named = t->has_header;
    r->n_columns = t->n_columns;
    if (t->format == GBS_TABLE_CSV && t->file != NULL) {
        r->comma = o->comma;
        r->first_line = o->first_line;
    }
    status = t->format == GBS_TABLE_SVMLIGHT ? learn_sparse(ctx, t, o, r)
                                             : learn_dense(ctx, t, o, r);
    if (status == GBS_OK && o->na != NULL)
        status = keep_na(ctx, o->na, r);
    if (status == GBS_OK)
        status = gbs_recipe_choose_labels(ctx, t, o, r);
    if (status != GBS_OK) {
        gbs_recipe_free(r);
        return status;
    }
    *out = r;
    return GBS_OK;
}
