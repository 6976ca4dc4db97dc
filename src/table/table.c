/* The handle of a table, and how messages speak of it. */
#include "table/table.h"

#include "table/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gbs_status gbs_table_new(gbs_context *ctx, const char *file, gbs_table **out) {
    gbs_table *t = gbs_handle_alloc(ctx, sizeof *t);
    *out = NULL;
    if (t == NULL)
        return GBS_ERR_MEMORY;
    t->ctx = ctx;
    atomic_init(&t->holders, 1);
    if (file != NULL && (t->file = gbs_pool_text(ctx, &t->pool, file, strlen(file))) == NULL) {
        gbs_table_free(t);
        return GBS_ERR_MEMORY;
    }
    *out = t;
    return GBS_OK;
}

void gbs_table_hold(gbs_table *t) {
    atomic_fetch_add_explicit(&t->holders, 1, memory_order_relaxed);
}

void gbs_table_free(gbs_table *t) {
    if (t == NULL || atomic_fetch_sub_explicit(&t->holders, 1, memory_order_acq_rel) > 1)
        return;
    gbs_context *ctx = t->ctx;
    for (size_t j = 0; t->columns != NULL && j < t->n_columns; j++)
        gbs_array_free(ctx, t->columns[j].levels);
    gbs_array_free(ctx, t->columns);
    if (!t->in_file) {
        gbs_array_free(ctx, t->cells);
        gbs_array_free(ctx, t->index);
        gbs_array_free(ctx, t->value);
    }
    gbs_cache_free(t->store);
    gbs_array_free(ctx, t->line);
    gbs_array_free(ctx, t->shard);
    gbs_array_free(ctx, t->row_start);
    gbs_array_free(ctx, t->label);
    gbs_text_set_free(ctx, &t->names);
    gbs_pool_free(ctx, &t->pool);
    gbs_kept_free(ctx, &t->kept);
    gbs_handle_free(ctx, t);
}

void gbs_table_store(gbs_table *t, gbs_cache *store) {
    t->store = store;
    t->in_file = true;
    t->every = gbs_pages_every(t->n_columns * sizeof *t->cells);
}

gbs_status gbs_table_spill(gbs_table *t, const char *folder) {
    t->spill = (gbs_spill){.folder = gbs_pool_text(t->ctx, &t->pool, folder, strlen(folder)),
                           .least = GBS_SPILL_LEAST};
    return t->spill.folder != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

const gbs_spill *gbs_table_spills(const gbs_table *t) {
    return t->spill.folder != NULL ? &t->spill : NULL;
}

size_t gbs_table_rows(const gbs_table *t) {
    return t != NULL ? t->n_rows : 0;
}

size_t gbs_table_columns(const gbs_table *t) {
    return t != NULL ? t->n_columns : 0;
}

const char *gbs_table_column(const gbs_table *t, size_t k, int *is_text) {
    bool there = t != NULL && t->columns != NULL && k < t->n_columns;
    if (is_text != NULL)
        *is_text = there && t->columns[k].is_text;
    return there ? t->columns[k].name : NULL;
}

uint64_t gbs_table_line(const gbs_table *t, size_t row) {
    return t->line != NULL ? t->line[row] : (uint64_t)row + 1 + t->has_header;
}

gbs_place gbs_table_place(const gbs_table *t) {
    gbs_place p;
    snprintf(p.text, sizeof p.text, "%s", t->file != NULL ? t->file : "the table");
    return p;
}

/* The file that a row is in. */
static const char *file_of(const gbs_table *t, size_t row) {
    const char *file = t->file;
    for (size_t k = 0; k < t->n_shards && t->shard[k].first <= row; k++)
        file = t->shard[k].file;
    return file;
}

gbs_place gbs_row_place(const gbs_table *t, size_t row) {
    gbs_place p;
    if (t->file == NULL || t->format == GBS_TABLE_NPY) {
        snprintf(p.text, sizeof p.text, "%s%srow %zu", t->file != NULL ? t->file : "",
                 t->file != NULL ? ": " : "", row + 1);
    } else {
        snprintf(p.text, sizeof p.text, "%s:%llu", file_of(t, row),
                 (unsigned long long)gbs_table_line(t, row));
    }
    return p;
}

gbs_status gbs_table_places(const gbs_table *t, gbs_table **out) {
    gbs_context *ctx = t->ctx;
    gbs_table *p;
    gbs_status status = gbs_table_new(ctx, t->file, &p);
    if (status != GBS_OK)
        return status;
    p->format = t->format;
    p->has_header = t->has_header;
    if (t->line != NULL && (p->line = gbs_array_alloc(ctx, t->n_rows, sizeof *p->line)) != NULL)
        memcpy(p->line, t->line, t->n_rows * sizeof *p->line);
    p->shard = gbs_array_alloc(ctx, t->n_shards + 1, sizeof *p->shard);
    status = p->shard != NULL && (t->line == NULL || p->line != NULL) ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t k = 0; status == GBS_OK && k < t->n_shards; k++) {
        const char *file = t->shard[k].file;
        file = gbs_pool_text(ctx, &p->pool, file, strlen(file));
        p->shard[p->n_shards++] = (gbs_shard){.file = file, .first = t->shard[k].first};
        status = file != NULL ? GBS_OK : GBS_ERR_MEMORY;
    }
    if (status != GBS_OK)
        gbs_table_free(p);
    else
        *out = p;
    return status;
}

const char *gbs_missing_hint(bool input, bool may_fill, bool fills) {
    if (input && may_fill)
        return "`missing` drop does without such rows, impute fills them in";
    return fills ? "`missing` impute does without such rows"
                 : "`missing` drop does without such rows";
}

const char *gbs_default_name(gbs_context *ctx, gbs_pool *pool, size_t column) {
    char text[32];
    int length = snprintf(text, sizeof text, "V%zu", column + 1);
    return gbs_pool_text(ctx, pool, text, (size_t)length);
}

const char *gbs_file_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

size_t gbs_table_find(const gbs_table *t, const char *name) {
    for (size_t k = 0; k < t->n_columns; k++)
        if (strcmp(t->columns[k].name, name) == 0)
            return k;
    char *end;
    unsigned long long number = strtoull(name, &end, 10);
    if (name[0] >= '0' && name[0] <= '9' && *end == '\0' && number >= 1 && number <= t->n_columns)
        return (size_t)number - 1;
    return SIZE_MAX;
}
