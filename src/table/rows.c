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
#include "table/design.h"
#include "task/parts.h"

#include <ctype.h>
#include <string.h>

/* What data keeps alive. */
struct source {
    gbs_source is;
    gbs_context *ctx;
    gbs_design design;
    gbs_recipe *recipe;
    gbs_table *table; /* NULL: the design has copies of all it needs */
    gbs_pool pool;    /* of the examples then */
    gbs_kept kept;    /* `keep` */
};

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

/* ---------------------------------------------------------------- options */

static gbs_status check_options(gbs_context *ctx, const gbs_options *options, unsigned commands) {
    if (options == NULL || (options->command & commands) != 0)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "these are the options of another command");
}

enum {
    LEARNING = GBS_FOR_FIT | GBS_FOR_CV | GBS_FOR_SAMPLE,
    READING = LEARNING | GBS_FOR_GAP | GBS_FOR_PREDICT | GBS_FOR_EVALUATE
};

static gbs_status read_as(gbs_context *ctx, const gbs_table_settings *s, gbs_reading *out) {
    const char *sep = s->separator;
    *out = (gbs_reading){.format = (gbs_table_format)s->format,
                         .header = s->no_header ? 0 : -1,
                         .comma = s->decimal != 0,
                         .keep_missing = s->missing != GBS_MISSING_ERROR};
    if (sep == NULL)
        return GBS_OK;
    out->separator = strcmp(sep, "tab") == 0 || strcmp(sep, "\\t") == 0 ? '\t' : sep[0];
    bool one = out->separator == '\t' || (sep[0] != '\0' && sep[1] == '\0');
    if (!one || strchr("\"\n\r.+-_ ", out->separator) != NULL ||
        isalnum((unsigned char)out->separator))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`sep`: expected one character that is no part of a number or a word, or "
                        "tab, found '%.20s'",
                        sep);
    if (out->comma && out->separator == ',')
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`sep` and `decimal` are both a comma: cells cannot be told apart");
    return GBS_OK;
}

/* What options list. */
struct lists {
    gbs_names drop, text, na, keep;
};

static gbs_status split_lists(gbs_context *ctx, const gbs_table_settings *s, struct lists *out) {
    *out = (struct lists){0};
    gbs_status status = gbs_names_split(ctx, s->drop, &out->drop);
    if (status == GBS_OK)
        status = gbs_names_split(ctx, s->text, &out->text);
    if (status == GBS_OK)
        status = gbs_names_split(ctx, s->keep, &out->keep);
    return status == GBS_OK ? gbs_names_split(ctx, s->na_values, &out->na) : status;
}

static void free_lists(gbs_context *ctx, struct lists *l) {
    gbs_names_free(ctx, &l->drop);
    gbs_names_free(ctx, &l->text);
    gbs_names_free(ctx, &l->na);
    gbs_names_free(ctx, &l->keep);
}

/* ---------------------------------------------------------------- data */

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

/* Data of a design, which it takes over, and of one hold on the recipe. */
static gbs_status wrap(gbs_context *ctx, const gbs_table *table, gbs_recipe *recipe,
                       gbs_design *design, gbs_data **out) {
    struct source *s = gbs_array_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        gbs_design_free(ctx, design);
        gbs_recipe_free(recipe);
        return GBS_ERR_MEMORY;
    }
    *s = (struct source){.is = {.release = release, .recipe = recipe, .name = gbs_recipe_feature},
                         .ctx = ctx,
                         .design = *design,
                         .recipe = recipe};
    const gbs_design *d = &s->design;
    if (d->owned == NULL) {
        s->table = (gbs_table *)table;
        gbs_table_hold(s->table);
    }
    const double *signs = recipe->n_classes > 0 ? NULL : d->y;
    gbs_status status = keep_examples(s);
    if (status == GBS_OK && d->cells != NULL)
        status = gbs_data_dense(ctx, d->n, d->d, d->cells, d->stride, signs, GBS_BORROW, out);
    else if (status == GBS_OK)
        status = gbs_data_csr(ctx, d->n, d->d, d->row_start, d->index, d->value, signs, GBS_BORROW,
                              out);
    if (status == GBS_OK) {
        (*out)->source = &s->is;
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

/* The recipe as the first part of the rows would have taught it, and the design made by it; *is:
 * which rows that are. One row cannot be split: the fit will say so. */
static gbs_status relearn_recipe(gbs_context *ctx, const gbs_table *t, const gbs_fit_settings *o,
                                 const gbs_design_use *use, gbs_hash hash, gbs_recipe *recipe,
                                 gbs_design *design, gbs_source *is) {
    size_t n = design->n, units = n, first = n, *order = gbs_array_alloc(ctx, n, sizeof *order);
    gbs_status status = order != NULL ? GBS_OK : GBS_ERR_MEMORY;
    gbs_ordering by = {.n = n,
                       .seed = gbs_hash_seed(ctx->seed, n, hash),
                       .group = design->group,
                       .groups = design->groups,
                       .in_time = o->order == GBS_ORDER_TIME};
    if (status == GBS_OK)
        status = gbs_order_rows(ctx, &by, order, &units);
    if (status == GBS_OK) {
        is->units = units > 1 ? gbs_least_part(units, o) : units;
        is->in_time = by.in_time;
        first = gbs_order_border(&by, order, is->units);
        for (size_t i = 0; design->rows != NULL && i < first; i++)
            order[i] = design->rows[order[i]];
        status = gbs_recipe_forget_row_names(ctx, recipe, t, order, first);
        if (status == GBS_OK)
            status = gbs_recipe_forget_levels(ctx, recipe, t, order, first);
        if (status == GBS_OK && gbs_recipe_fills(recipe))
            status = gbs_recipe_learn_fills(ctx, recipe, t, order, first);
    }
    gbs_array_free(ctx, order);
    gbs_design_free(ctx, design);
    is->rows = first;
    return status == GBS_OK ? gbs_design_build(ctx, recipe, t, use, design) : status;
}

/* The recipe of the whole table. */
static gbs_status learn(gbs_context *ctx, const gbs_table *t, const gbs_table_settings *s,
                        gbs_recipe **out) {
    struct lists l;
    gbs_status status = split_lists(ctx, s, &l);
    gbs_recipe_wishes wishes = {.target = s->target,
                                .positive = s->positive,
                                .drop = &l.drop,
                                .text = &l.text,
                                .weights = s->weights,
                                .group = s->group,
                                .fill = s->missing == GBS_MISSING_IMPUTE,
                                .na = &l.na};
    if (status == GBS_OK)
        status = gbs_recipe_learn(ctx, t, &wishes, out);
    if (status == GBS_OK)
        status = gbs_recipe_warn(ctx, *out, t);
    if (status == GBS_OK && wishes.fill && t->format != GBS_TABLE_SVMLIGHT)
        status = gbs_recipe_learn_fills(ctx, *out, t, NULL, t->n_rows);
    free_lists(ctx, &l);
    return status;
}

/* Nothing but a fit sets rows aside. */
static bool sets_aside(const gbs_options *options, gbs_fit_settings *o) {
    gbs_fit_settings_from(options, o);
    return (options == NULL || options->command == GBS_FOR_FIT) && gbs_has_first_part(o);
}

gbs_status gbs_table_train(gbs_context *ctx, const gbs_table *table, const gbs_options *options,
                           gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, table);
    gbs_table_settings s;
    gbs_fit_settings o;
    gbs_recipe *recipe = NULL;
    gbs_design design = {0};
    gbs_status status = check_options(ctx, options, LEARNING);
    if (status != GBS_OK)
        return status;
    gbs_table_settings_from(options, &s);
    gbs_design_use use = {GBS_WITH_LABELS, s.missing != GBS_MISSING_ERROR, s.weights, s.group};
    bool aside = sets_aside(options, &o);
    status = learn(ctx, table, &s, &recipe);
    bool made = status == GBS_OK && (gbs_recipe_has_texts(recipe) || gbs_recipe_fills(recipe) ||
                                     gbs_recipe_has_unnamed(recipe, table));
    if (status == GBS_OK && !aside)
        status = gbs_recipe_forget_row_names(ctx, recipe, table, NULL, table->n_rows);
    if (status == GBS_OK)
        status = gbs_design_build(ctx, recipe, table, &use, &design);
    gbs_source is = {.rows = design.n, .units = design.group != NULL ? design.groups : design.n};
    gbs_hash hash = status == GBS_OK && made ? gbs_table_hash(recipe, table, &design)
                                             : (gbs_hash){0};
    if (status == GBS_OK && made && aside)
        status = relearn_recipe(ctx, table, &o, &use, hash, recipe, &design, &is);
    if (status != GBS_OK) {
        gbs_recipe_free(recipe);
        return status;
    }
    status = wrap(ctx, table, recipe, &design, out);
    if (status == GBS_OK) {
        gbs_source *source = (*out)->source;
        /* svmlight: the largest index of any row says how many columns there are */
        source->learned = made || table->format == GBS_TABLE_SVMLIGHT;
        source->seed = ctx->seed;
        source->rows = is.rows;
        source->units = is.units;
        source->in_time = is.in_time;
        source->grouped = (*out)->group != NULL;
        source->left_out = gbs_data_left_out(*out);
        (*out)->hashed = made;
        (*out)->hash = hash;
    }
    return status;
}

gbs_status gbs_table_apply(gbs_context *ctx, const gbs_table *table, const gbs_recipe *recipe,
                           gbs_label_use labels, const gbs_options *options, gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, table);
    GBS_NEEDS(ctx, recipe);
    gbs_table_settings s;
    gbs_design design;
    if (labels != GBS_WITHOUT_LABELS && labels != GBS_WITH_LABELS)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "labels must be 0 (without) or 1 (with), not %d",
                        (int)labels);
    if (table->file == NULL && table->added < table->n_columns)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the table has %zu of its %zu columns", table->added,
                        table->n_columns);
    gbs_status status = check_options(ctx, options, READING);
    if (status != GBS_OK)
        return status;
    gbs_table_settings_from(options, &s);
    gbs_design_use use = {.labels = labels, .drop_missing = s.missing != GBS_MISSING_ERROR};
    status = gbs_design_build(ctx, recipe, table, &use, &design);
    if (status != GBS_OK)
        return status;
    gbs_recipe_hold((gbs_recipe *)recipe);
    return wrap(ctx, table, (gbs_recipe *)recipe, &design, out);
}

/* ---------------------------------------------------------------- files */

gbs_status gbs_table_read(gbs_context *ctx, const char *path, const gbs_options *options,
                          gbs_table **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    gbs_table_settings s;
    struct lists l;
    gbs_status status = check_options(ctx, options, READING);
    if (status != GBS_OK)
        return status;
    gbs_table_settings_from(options, &s);
    gbs_reading reading;
    status = read_as(ctx, &s, &reading);
    if (status != GBS_OK)
        return status;
    status = split_lists(ctx, &s, &l);
    reading.drop = l.drop.item;
    reading.n_drop = l.drop.n;
    reading.text = l.text.item;
    reading.n_text = l.text.n;
    reading.na = l.na.item;
    reading.n_na = l.na.n;
    if (status == GBS_OK)
        status = gbs_table_read_file(ctx, path, &reading, out);
    free_lists(ctx, &l);
    return status;
}

/* What a later file is read for. */
struct use {
    const gbs_recipe *recipe;
    gbs_label_use labels;
    size_t next; /* the input behind the last one found: the likely one */
};

/* Columns of a later file that nobody needs are not even read: those the recipe has no use for, and
 * labels when they are not asked for. */
static bool skip_unused(void *user, const char *name) {
    struct use *use = user;
    const gbs_recipe *r = use->recipe;
    if (!r->named || r->inputs == NULL)
        return false;
    if (strcmp(name, r->target) == 0)
        return use->labels == GBS_WITHOUT_LABELS;
    for (size_t i = 0; i < r->n_inputs; i++) {
        size_t k = (use->next + i) % r->n_inputs;
        if (strcmp(r->inputs[k].name, name) == 0) {
            use->next = k + 1;
            return false;
        }
    }
    return true;
}

/* What was text in training is text now, even where it looks like numbers. */
static const char **text_columns(gbs_context *ctx, const gbs_recipe *r, size_t *n) {
    const char **names = gbs_array_alloc(ctx, r->n_inputs + 1, sizeof *names);
    *n = 0;
    for (size_t k = 0; names != NULL && k < r->n_inputs; k++)
        if (r->inputs[k].is_text)
            names[(*n)++] = r->inputs[k].name;
    if (names != NULL && r->target != NULL && r->target_is_text)
        names[(*n)++] = r->target;
    return names;
}

gbs_status gbs_table_read_for(gbs_context *ctx, const char *path, const gbs_recipe *recipe,
                              gbs_label_use labels, const gbs_options *options, gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS(ctx, recipe);
    gbs_table_settings s;
    gbs_table *table = NULL;
    struct use use = {recipe, labels, 0};
    gbs_status status = check_options(ctx, options, READING);
    if (status != GBS_OK)
        return status;
    gbs_table_settings_from(options, &s);
    gbs_reading reading;
    struct lists l;
    if ((status = read_as(ctx, &s, &reading)) != GBS_OK)
        return status;
    if ((status = split_lists(ctx, &s, &l)) != GBS_OK) {
        free_lists(ctx, &l);
        return status;
    }
    const char **text = text_columns(ctx, recipe, &reading.n_text);
    if (text == NULL) {
        free_lists(ctx, &l);
        return GBS_ERR_MEMORY;
    }
    reading.text = text;
    reading.na = l.na.n > 0 ? l.na.item : recipe->na;
    reading.n_na = l.na.n > 0 ? l.na.n : recipe->n_na;
    reading.keep_missing = reading.keep_missing || gbs_recipe_fills(recipe);
    reading.keep = l.keep.item;
    reading.n_keep = l.keep.n;
    reading.from_model = true;
    reading.skip = skip_unused;
    reading.user = &use;
    if (labels == GBS_WITHOUT_LABELS && recipe->target != NULL) {
        reading.unread = recipe->target_position;
        reading.unread_of = recipe->n_columns;
    }
    status = gbs_table_read_file(ctx, path, &reading, &table);
    gbs_array_free(ctx, text);
    free_lists(ctx, &l);
    if (status == GBS_OK)
        status = gbs_table_apply(ctx, table, recipe, labels, options, out);
    if (status == GBS_OK) {
        ((struct source *)(*out)->source)->kept = table->kept;
        table->kept = (gbs_kept){0};
    }
    gbs_table_free(table);
    return status;
}

/* ---------------------------------------------------------------- what data tells */

static const struct source *source_of(const gbs_data *data) {
    return data != NULL ? (const struct source *)data->source : NULL;
}

const gbs_recipe *gbs_data_recipe(const gbs_data *data) {
    return source_of(data) != NULL ? source_of(data)->recipe : NULL;
}

size_t gbs_data_left_out(const gbs_data *data) {
    return source_of(data) != NULL ? source_of(data)->design.left_out : 0;
}

size_t gbs_data_table_row(const gbs_data *data, size_t i) {
    const struct source *s = source_of(data);
    return s != NULL && s->design.rows != NULL && i < s->design.n ? s->design.rows[i] : i;
}

const char *gbs_data_kept_column(const gbs_data *data, size_t k) {
    const struct source *s = source_of(data);
    return s != NULL && k < s->kept.columns ? s->kept.name[k] : NULL;
}

const char *gbs_data_kept(const gbs_data *data, size_t k, size_t row) {
    const struct source *s = source_of(data);
    return s != NULL && k < s->kept.columns && row < s->kept.rows
               ? s->kept.text[row * s->kept.columns + k]
               : NULL;
}

size_t gbs_data_unseen(const gbs_data *data, size_t k, const char **level) {
    const struct source *s = source_of(data);
    bool there = s != NULL && s->design.unseen != NULL && k < gbs_recipe_inputs(s->recipe);
    if (level != NULL)
        *level = there ? s->design.example[k] : NULL;
    return there ? s->design.unseen[k] : 0;
}
