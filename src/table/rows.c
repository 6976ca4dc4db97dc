/* From a table to data: a recipe learned or applied, and what the data remembers of it.
 *
 * Levels of text columns are part of the design, so the rows that certify a fit must not teach them
 * (docs/maths.md, 6.4): where the options set a first part aside, the levels that none of its rows
 * has are forgotten. The data says which rows its columns come from; gbs_fit compares that with its
 * own split.
 */
#include "data/rows.h"
#include "core/check.h"
#include "options/options.h"
#include "table/reading.h"
#include "table/rows_source.h"
#include "task/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release(gbs_source *source) {
    struct source *s = (struct source *)source;
    gbs_context *ctx = s->ctx;
    gbs_design_free(ctx, &s->design);
    gbs_recipe_free(s->recipe);
    gbs_table_free(s->table);
    gbs_pool_free(ctx, &s->pool);
    gbs_kept_free(ctx, &s->kept);
    gbs_array_free(ctx, s);
}

/* ---------------------------------------------------------------- data */

static void place_of(const gbs_source *source, size_t row, char *text, size_t room) {
    const struct source *s = (const struct source *)source;
    row = s->design.rows != NULL && row < s->design.n ? s->design.rows[row] : row;
    snprintf(text, room, "%s", gbs_row_place(s->table, row).text);
}

/* Copies the levels that no training row had: the table may go before the data does. */
static gbs_status keep_examples(struct source *s) {
    gbs_design *d = &s->design;
    for (size_t k = 0; d->example != NULL && k < gbs_recipe_inputs(s->recipe); k++) {
        if (d->example[k] == NULL)
            continue;
        d->example[k] = gbs_pool_text(s->ctx, &s->pool, d->example[k], strlen(d->example[k]));
        if (d->example[k] == NULL)
            return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

/* The same of the folder for arrays. */
static gbs_status keep_spill(struct source *s, const gbs_spill *spill) {
    s->spill = *spill;
    s->spill.folder = gbs_pool_text(s->ctx, &s->pool, spill->folder, strlen(spill->folder));
    return s->spill.folder != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

/* Data over the cells of a design, wherever they lie, with labels of -1 and +1 or none. */
static gbs_status borrow_cells(gbs_context *ctx, const gbs_design *d, const double *signs,
                               gbs_data **out) {
    if (d->n == 0)
        return gbs_data_without_rows(ctx, d->d, out);
    if (d->cells != NULL)
        return d->in_file
                   ? gbs_data_in_file(ctx, d->n, d->d, d->cells, d->stride, signs, out)
                   : gbs_data_dense(ctx, d->n, d->d, d->cells, d->stride, signs, GBS_BORROW, out);
    return d->in_file
               ? gbs_data_csr_in_file(ctx, d->n, d->d, d->row_start, d->index, d->value, signs, out)
               : gbs_data_csr(ctx, d->n, d->d, d->row_start, d->index, d->value, signs, GBS_BORROW,
                              out);
}

/* Data of a design, which it takes over, and of one hold on the recipe. */
static gbs_status wrap(gbs_context *ctx, const gbs_table *table, gbs_recipe *recipe,
                       gbs_design *design, gbs_data **out) {
    struct source *s = gbs_array_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        gbs_design_free(ctx, design);
        gbs_recipe_free(recipe);
        return GBS_ERR_MEMORY;
    }
    *s = (struct source){.is = {.release = release,
                                .recipe = recipe,
                                .name = gbs_recipe_feature,
                                .place = place_of,
                                .left_out = design->left_out,
                                .absent = design->absent},
                         .ctx = ctx,
                         .design = *design,
                         .recipe = recipe};
    const gbs_design *d = &s->design;
    gbs_status status = GBS_OK;
    if (d->owned == NULL) {
        s->table = (gbs_table *)table;
        gbs_table_hold(s->table);
    } else {
        status = gbs_table_places(table, &s->table);
    }
    const double *signs = recipe->n_classes > 0 ? NULL : d->y;
    if (status == GBS_OK)
        status = keep_examples(s);
    if (status == GBS_OK && table->spill.folder != NULL)
        status = keep_spill(s, &table->spill);
    if (status == GBS_OK)
        status = borrow_cells(ctx, d, signs, out);
    if (status == GBS_OK) {
        (*out)->source = &s->is;
        (*out)->spill = s->spill.folder != NULL ? &s->spill : NULL;
        (*out)->y = d->y;
        (*out)->classes = recipe->n_classes;
    } else {
        release(&s->is);
    }
    if (status == GBS_OK && d->group != NULL) {
        (*out)->group = d->group;
        (*out)->groups = d->groups;
        s->design.group = NULL;
    }
    if (status == GBS_OK && d->weight != NULL)
        status = gbs_data_set_weights(ctx, *out, d->weight);
    if (status != GBS_OK) {
        gbs_data_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- training */

static int ascending(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Which rows a recipe learns from. */
struct part {
    const gbs_fit_settings *o;
    gbs_hash hash;
    const unsigned char *learned; /* of the table; NULL: the first part of the fit's own order */
};

/* The rows of the first part, first in `order`: *first of them. */
static gbs_status first_part(gbs_context *ctx, const struct part *part, const gbs_design *design,
                             size_t *order, size_t *first, gbs_source *is) {
    size_t n = design->n, units = n;
    gbs_ordering by = {.n = n,
                       .seed = gbs_hash_seed(ctx->seed, n, part->hash),
                       .group = design->group,
                       .groups = design->groups,
                       .in_time = part->o->order == GBS_ORDER_TIME};
    *first = 0;
    is->seed = by.seed;
    is->in_time = by.in_time;
    for (size_t i = 0; part->learned != NULL && i < n; i++)
        if (part->learned[design->rows != NULL ? design->rows[i] : i] != 0)
            order[(*first)++] = i;
    if (part->learned != NULL)
        return gbs_data_check_split(ctx, *first, n);
    gbs_status status = gbs_order_rows(ctx, &by, order, &units);
    if (status == GBS_OK) {
        is->units = units > 1 ? gbs_least_part(units, part->o) : units;
        *first = gbs_order_border(&by, order, is->units);
    }
    return status;
}

/* The recipe as the first part of the rows would have taught it, and the design made by it; *is:
 * which rows that are. A row that lacks a row name alone stays left out: with it the rows, their
 * order and their first part would be others. One row cannot be split: the fit will say so. */
static gbs_status relearn_recipe(gbs_context *ctx, const gbs_table *t, const struct part *part,
                                 const gbs_design_use *use, gbs_recipe *recipe, gbs_design *design,
                                 gbs_source *is) {
    size_t n = design->n, first = n, *order = gbs_array_alloc(ctx, n, sizeof *order);
    gbs_status status = order != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = first_part(ctx, part, design, order, &first, is);
    if (status == GBS_OK) {
        for (size_t i = 0; design->rows != NULL && i < first; i++)
            order[i] = design->rows[order[i]];
        if (t->in_file) /* which rows they are is all that counts; a file is read forward */
            qsort(order, first, sizeof *order, ascending);
        status = gbs_recipe_forget_row_names(ctx, recipe, t, order, first);
        if (status == GBS_OK)
            status = gbs_recipe_learn_columns(ctx, recipe, t, order, first);
    }
    gbs_array_free(ctx, order);
    is->rows = first;
    gbs_design before = *design;
    gbs_design_use again = *use;
    again.like = &before;
    *design = (gbs_design){0};
    if (status == GBS_OK)
        status = gbs_design_build(ctx, recipe, t, &again, design);
    gbs_design_free(ctx, &before);
    return status;
}

/* The recipe of the whole table. */
static gbs_status learn(gbs_context *ctx, const gbs_table *t, const gbs_table_settings *s,
                        gbs_recipe **out) {
    gbs_lists l;
    gbs_status status = gbs_lists_split(ctx, s, &l);
    gbs_recipe_wishes wishes = {.target = s->target,
                                .positive = s->positive,
                                .drop = &l.drop,
                                .text = &l.text,
                                .weights = s->weights,
                                .group = s->group,
                                .fill = s->missing == GBS_MISSING_IMPUTE,
                                .na = &l.na,
                                .comma = s->decimal != 0,
                                .first_line = s->no_header ? 0
                                              : s->header  ? 1
                                                           : -1};
    if (status == GBS_OK)
        status = gbs_recipe_learn(ctx, t, &wishes, out);
    if (status == GBS_OK)
        status = gbs_recipe_warn(ctx, *out, t);
    if (status == GBS_OK && wishes.fill && t->format != GBS_TABLE_SVMLIGHT)
        status = gbs_recipe_learn_columns(ctx, *out, t, NULL, t->n_rows);
    gbs_lists_free(ctx, &l);
    return status;
}

/* Nothing but a fit sets rows aside. */
static bool sets_aside(const gbs_options *options, gbs_fit_settings *o) {
    gbs_fit_settings_from(options, o);
    return (options == NULL || options->command == GBS_FOR_FIT) && gbs_has_first_part(o);
}

/* The caller's split, of the rows that are there. */
static gbs_status take_split(gbs_context *ctx, const unsigned char *learned, gbs_data *data) {
    size_t n = gbs_data_rows(data);
    unsigned char *here = gbs_array_alloc(ctx, n, sizeof *here);
    if (here == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        here[i] = learned[gbs_data_table_row(data, i)];
    gbs_status status = gbs_data_set_split(ctx, data, here);
    data->source->by_split = status == GBS_OK;
    gbs_array_free(ctx, here);
    return status;
}

/* What the data remembers of how its columns were learned. */
static void note_learning(gbs_data *data, const gbs_table *table, const gbs_source *is, bool made,
                          const gbs_row_summary *summary) {
    gbs_source *source = data->source;
    /* svmlight: the largest index of any row says how many columns there are */
    source->learned = made || table->format == GBS_TABLE_SVMLIGHT;
    source->seed = is->seed;
    source->fills = gbs_recipe_fills(source->recipe);
    source->rows = is->rows;
    source->units = is->units;
    source->in_time = is->in_time;
    source->grouped = data->group != NULL;
    data->hashed = made;
    data->summary = *summary;
}

static gbs_status train(gbs_context *ctx, const gbs_table *table, const gbs_options *options,
                        const unsigned char *learned, gbs_data **out) {
    gbs_table_settings s;
    gbs_fit_settings o;
    gbs_recipe *recipe = NULL;
    gbs_design design = {0};
    gbs_status status = gbs_reading_check(ctx, options, GBS_READ_TO_LEARN);
    if (status != GBS_OK)
        return status;
    gbs_table_settings_from(options, &s);
    gbs_design_use use = {.labels = GBS_WITH_LABELS,
                          .missing = (gbs_missing)s.missing,
                          .learning = true,
                          .weights = s.weights,
                          .group = s.group};
    bool aside = sets_aside(options, &o) || learned != NULL;
    status = learn(ctx, table, &s, &recipe);
    bool made = status == GBS_OK &&
                (gbs_recipe_learns(recipe) || gbs_recipe_has_unnamed(recipe, table));
    if (status == GBS_OK && !aside)
        status = gbs_recipe_forget_row_names(ctx, recipe, table, NULL, table->n_rows);
    if (status == GBS_OK)
        status = gbs_design_build(ctx, recipe, table, &use, &design);
    gbs_source is = {.rows = design.n, .units = design.group != NULL ? design.groups : design.n};
    struct part part = {.o = &o, .learned = learned};
    gbs_row_summary summary = {0};
    if (status == GBS_OK && made)
        status = gbs_table_summary(ctx, recipe, table, &design, NULL, &summary);
    part.hash = summary.hash;
    if (status == GBS_OK && made && aside)
        status = relearn_recipe(ctx, table, &part, &use, recipe, &design, &is);
    if (status != GBS_OK) {
        gbs_design_free(ctx, &design);
        gbs_recipe_free(recipe);
        return status;
    }
    status = wrap(ctx, table, recipe, &design, out);
    if (status == GBS_OK)
        note_learning(*out, table, &is, made, &summary);
    if (status == GBS_OK && learned != NULL)
        status = take_split(ctx, learned, *out);
    if (status != GBS_OK) {
        gbs_data_free(*out);
        *out = NULL;
    }
    return status;
}

gbs_status gbs_table_train(gbs_context *ctx, const gbs_table *table, const gbs_options *options,
                           gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, table);
    return train(ctx, table, options, NULL, out);
}

gbs_status gbs_table_train_split(gbs_context *ctx, const gbs_table *table,
                                 const gbs_options *options, const unsigned char *learned,
                                 gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, table);
    GBS_NEEDS(ctx, learned);
    return train(ctx, table, options, learned, out);
}

gbs_status gbs_table_apply(gbs_context *ctx, const gbs_table *table, const gbs_recipe *recipe,
                           gbs_label_use labels, const gbs_options *options, gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, table);
    GBS_NEEDS(ctx, recipe);
    return gbs_table_apply_part(ctx, table, recipe, labels, options, false, out);
}

/* Rows whose texts have become columns hash as they did when a model was fitted to them: it tells
 * them so. */
static gbs_status hash_as_trained(gbs_context *ctx, const gbs_table *table,
                                  const gbs_recipe *recipe, gbs_data *data) {
    gbs_match match = {0};
    gbs_status status = gbs_match_columns(ctx, recipe, table, &match);
    if (status == GBS_OK)
        status = gbs_table_summary(ctx, recipe, table, &((struct source *)data->source)->design,
                                   match.source, &data->summary);
    data->hashed = status == GBS_OK;
    gbs_match_free(ctx, recipe, &match);
    return status;
}

gbs_status gbs_table_apply_part(gbs_context *ctx, const gbs_table *table, const gbs_recipe *recipe,
                                gbs_label_use labels, const gbs_options *options, bool may_be_empty,
                                gbs_data **out) {
    gbs_table_settings s;
    gbs_design design;
    if (labels != GBS_WITHOUT_LABELS && labels != GBS_WITH_LABELS)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "labels must be 0 (without) or 1 (with), not %d",
                        (int)labels);
    if (table->file == NULL && table->added < table->n_columns)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the table has %zu of its %zu columns", table->added,
                        table->n_columns);
    gbs_status status = gbs_reading_check(ctx, options, GBS_READ);
    if (status != GBS_OK)
        return status;
    gbs_table_settings_from(options, &s);
    bool asked = options != NULL && gbs_options_given(options, "missing");
    gbs_design_use use = {.labels = labels,
                          .missing = (gbs_missing)s.missing,
                          .unfilled = asked && s.missing != GBS_MISSING_IMPUTE,
                          .may_be_empty = may_be_empty};
    status = gbs_design_build(ctx, recipe, table, &use, &design);
    if (status != GBS_OK)
        return status;
    gbs_recipe_hold((gbs_recipe *)recipe);
    status = wrap(ctx, table, (gbs_recipe *)recipe, &design, out);
    bool known = labels == GBS_WITH_LABELS && gbs_recipe_learns(recipe) && table->columns != NULL;
    if (status == GBS_OK && known)
        status = hash_as_trained(ctx, table, recipe, *out);
    if (status != GBS_OK) {
        gbs_data_free(*out);
        *out = NULL;
    }
    return status;
}

void gbs_data_take_kept(gbs_data *data, gbs_kept *kept) {
    ((struct source *)data->source)->kept = *kept;
    *kept = (gbs_kept){0};
}
