/* Files: read as a table, or for a recipe, at once or part by part. */
#include "core/check.h"
#include "table/cache.h"
#include "table/reading.h"

#include <string.h>

/* By this process alone. */
static gbs_status read_alone(gbs_context *ctx, const gbs_inputs *inputs, const gbs_reading *reading,
                             const gbs_caching *caching, bool wanted, gbs_table **out) {
    gbs_reading all = *reading;
    gbs_pieces pieces = {.count = inputs->count, .from_start = true};
    if (inputs->count > 1) {
        pieces.piece = gbs_array_alloc(ctx, inputs->count, sizeof *pieces.piece);
        if (pieces.piece == NULL)
            return GBS_ERR_MEMORY;
        for (size_t k = 0; k < inputs->count; k++)
            pieces.piece[k] = (gbs_piece){.path = inputs->path[k], .end = UINT64_MAX};
        all.pieces = &pieces;
    }
    gbs_status status = wanted ? gbs_table_read_cached(ctx, inputs->path[0], &all, caching, out)
                               : gbs_table_read_file(ctx, inputs->path[0], &all, out);
    gbs_array_free(ctx, pieces.piece);
    return status;
}

/* To memory, or to a file where that is asked for, or the rows of a fit would not fit. */
static gbs_status read_where(gbs_context *ctx, const gbs_inputs *inputs, const gbs_options *options,
                             const gbs_table_settings *s, const gbs_reading *reading,
                             gbs_table **out) {
    gbs_caching caching;
    bool wanted, done = false, may = options != NULL && options->command == GBS_FOR_FIT;
    gbs_status status = gbs_caching_plan(ctx, inputs, reading, s->cache, s->no_cache != 0, may,
                                         &wanted, &caching);
    if (status == GBS_OK && s->no_cache)
        gbs_caching_clean(inputs->path[0], &caching);
    if (status == GBS_OK && ctx->crew != NULL)
        status = gbs_table_read_together(ctx, inputs, reading, &caching, wanted, &done, out);
    if (status != GBS_OK || done)
        return status;
    return read_alone(ctx, inputs, reading, &caching, wanted, out);
}

gbs_status gbs_table_read_files(gbs_context *ctx, const char *const *paths, size_t count,
                                const gbs_options *options, gbs_table **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, paths);
    if (count == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "count must be 1 or more, not 0");
    for (size_t k = 0; k < count; k++)
        GBS_NEEDS(ctx, paths[k]);
    gbs_inputs inputs = {paths, count};
    gbs_table_settings s;
    gbs_lists l;
    gbs_status status = gbs_reading_check(ctx, options, GBS_READ);
    if (status != GBS_OK)
        return status;
    gbs_table_settings_from(options, &s);
    gbs_reading reading;
    status = gbs_reading_from(ctx, &s, &reading);
    if (status != GBS_OK)
        return status;
    status = gbs_lists_split(ctx, &s, &l);
    reading.drop = l.drop.item;
    reading.n_drop = l.drop.n;
    reading.text = l.text.item;
    reading.n_text = l.text.n;
    reading.na = l.na.item;
    reading.n_na = l.na.n;
    if (status == GBS_OK)
        status = read_where(ctx, &inputs, options, &s, &reading, out);
    gbs_lists_free(ctx, &l);
    return status;
}

gbs_status gbs_table_read(gbs_context *ctx, const char *path, const gbs_options *options,
                          gbs_table **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    return gbs_table_read_files(ctx, &path, 1, options, out);
}

/* What a later file is read for. */
struct use {
    gbs_context *ctx;
    const gbs_recipe *recipe;
    gbs_label_use labels;
    size_t next; /* the input behind the last one found: the likely one */
    const gbs_options *options;
    gbs_part_callback take; /* part by part */
    void *user;
    size_t complete; /* rows so far that were not left out */
    gbs_data **out;  /* at once */
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

/* Line 1 of a later file that has a name for every input is its header. An empty name is that of
 * the column's number. */
static gbs_status knows_names(void *user, const char *const *cell, size_t n, bool *out) {
    const struct use *use = user;
    const gbs_recipe *r = use->recipe;
    gbs_text_set names = {0};
    gbs_pool pool = {0};
    bool room = true, all = r->named && r->inputs != NULL;
    for (size_t j = 0; all && room && j < n; j++) {
        const char *name = *cell[j] != '\0' ? cell[j] : gbs_default_name(use->ctx, &pool, j);
        room = name != NULL;
        if (room && gbs_text_set_find(&names, name, strlen(name)) == GBS_TEXT_NONE)
            room = gbs_text_set_add(use->ctx, &names, &pool, name, strlen(name));
    }
    for (size_t k = 0; all && room && k < r->n_inputs; k++) {
        const char *name = r->inputs[k].name;
        all = gbs_text_set_find(&names, name, strlen(name)) != GBS_TEXT_NONE;
    }
    gbs_text_set_free(use->ctx, &names);
    gbs_pool_free(use->ctx, &pool);
    *out = all;
    return room ? GBS_OK : GBS_ERR_MEMORY;
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

/* Data of the rows that were read; the cells that are kept become its own. */
static gbs_status make_data(struct use *use, gbs_table *t, gbs_data **out) {
    gbs_status status = gbs_table_apply_part(t->ctx, t, use->recipe, use->labels, use->options,
                                             use->take != NULL, out);
    if (status == GBS_OK)
        gbs_data_take_kept(*out, &t->kept);
    return status;
}

static gbs_status take_part(void *user, gbs_table *t, size_t before) {
    struct use *use = user;
    gbs_data *data = NULL;
    gbs_kept next = {0};
    gbs_status status = gbs_kept_again(t->ctx, &t->kept, &next);
    if (status == GBS_OK)
        status = make_data(use, t, &data);
    use->complete += status == GBS_OK ? gbs_data_rows(data) : 0;
    if (status == GBS_OK)
        status = use->take(data, before, use->user);
    gbs_data_free(data); /* the cells are the table's again */
    gbs_kept_free(t->ctx, &t->kept);
    t->kept = next;
    return status;
}

/* What a recipe says of a later file, unless the options say otherwise. */
static void read_as_trained(const gbs_recipe *r, const gbs_options *options, const gbs_lists *l,
                            gbs_reading *reading) {
    bool said = options != NULL;
    reading->na = l->na.n > 0 ? l->na.item : r->na;
    reading->n_na = l->na.n > 0 ? l->na.n : r->n_na;
    reading->fills = gbs_recipe_fills(r);
    if (!said || !gbs_options_given(options, "missing"))
        reading->keep_missing = reading->fills;
    if (!said || !gbs_options_given(options, "decimal"))
        reading->comma = r->comma && reading->separator != ',';
    if (reading->header < 0)
        reading->header = r->first_line;
    reading->from_model = true;
    reading->named = r->named;
}

/* What the recipe says of the columns, besides the options. */
static gbs_status read_for(gbs_context *ctx, const char *path, struct use *use, size_t part) {
    gbs_table_settings s;
    gbs_reading reading;
    gbs_lists l = {0};
    gbs_table *table = NULL;
    const gbs_recipe *recipe = use->recipe;
    const char **text = NULL;
    gbs_status status = gbs_reading_check(ctx, use->options, GBS_READ);
    if (status != GBS_OK)
        return status;
    gbs_table_settings_from(use->options, &s);
    status = gbs_reading_from(ctx, &s, &reading);
    if (status == GBS_OK)
        status = gbs_lists_split(ctx, &s, &l);
    if (status == GBS_OK && (text = text_columns(ctx, recipe, &reading.n_text)) == NULL)
        status = GBS_ERR_MEMORY;
    reading.text = text;
    read_as_trained(recipe, use->options, &l, &reading);
    reading.target = use->labels == GBS_WITH_LABELS ? recipe->target : NULL;
    reading.keep = l.keep.item;
    reading.n_keep = l.keep.n;
    reading.skip = skip_unused;
    reading.knows = knows_names;
    reading.user = use;
    if (use->labels == GBS_WITHOUT_LABELS && recipe->target != NULL) {
        reading.unread = recipe->target_position;
        reading.unread_of = recipe->n_columns;
    }
    reading.part = part;
    reading.take = take_part;
    reading.taker = use;
    if (status == GBS_OK)
        status = gbs_table_read_file(ctx, path, &reading, &table);
    if (status == GBS_OK && part == 0)
        status = make_data(use, table, use->out);
    else if (status == GBS_OK && use->complete == 0)
        status = gbs_fail(ctx, GBS_ERR_DATA, "%s: every row has a missing value",
                          gbs_table_place(table).text);
    gbs_table_free(table);
    gbs_array_free(ctx, text);
    gbs_lists_free(ctx, &l);
    return status;
}

gbs_status gbs_table_read_for(gbs_context *ctx, const char *path, const gbs_recipe *recipe,
                              gbs_label_use labels, const gbs_options *options, gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS(ctx, recipe);
    struct use use = {
        .ctx = ctx, .recipe = recipe, .labels = labels, .options = options, .out = out};
    return read_for(ctx, path, &use, 0);
}

gbs_status gbs_table_read_parts(gbs_context *ctx, const char *path, const gbs_recipe *recipe,
                                gbs_label_use labels, const gbs_options *options, size_t rows,
                                gbs_part_callback take, void *user) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS(ctx, recipe);
    GBS_NEEDS(ctx, take);
    if (rows == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "rows of a part must be 1 or more, not 0");
    struct use use = {.ctx = ctx,
                      .recipe = recipe,
                      .labels = labels,
                      .options = options,
                      .take = take,
                      .user = user};
    return read_for(ctx, path, &use, rows);
}
