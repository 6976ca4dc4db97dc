/* Tables in memory: columns are copied into rows side by side, texts become levels, so that what
 * comes after does not know where a table came from. */
#include "core/check.h"
#include "core/count.h"
#include "table/number.h"
#include "table/reader.h"
#include "table/text_set.h"

#include <math.h>
#include <string.h>

gbs_status gbs_table_create(gbs_context *ctx, size_t rows, size_t columns, gbs_table **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    gbs_table *t = NULL;
    if (rows == 0 || columns == 0 || columns > GBS_TABLE_MOST_COLUMNS)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "a table needs at least one row and from 1 to %zu columns, not %zu x %zu",
                        GBS_TABLE_MOST_COLUMNS, rows, columns);
    gbs_status status = gbs_table_new(ctx, NULL, &t);
    if (status != GBS_OK)
        return status;
    t->cells = gbs_matrix(ctx, rows, columns);
    t->columns = gbs_array_alloc(ctx, columns, sizeof *t->columns);
    t->n_columns = t->columns != NULL ? columns : 0;
    if (t->cells == NULL || t->columns == NULL) {
        gbs_table_free(t);
        return GBS_ERR_MEMORY;
    }
    t->n_rows = rows;
    t->format = GBS_TABLE_CSV;
    t->has_header = true;
    *out = t;
    return GBS_OK;
}

/* The next column's name, checked. */
static gbs_status check_name(gbs_context *ctx, const gbs_table *t, const char *name) {
    size_t length = strlen(name), twin = gbs_text_set_find(&t->names, name, length);
    if (!gbs_is_utf8(name, length))
        return gbs_fail(ctx, GBS_ERR_DATA, "the name '%s' of column %zu is not UTF-8 text",
                        gbs_show(name, length).text, t->added + 1);
    if (twin != GBS_TEXT_NONE)
        return gbs_fail(ctx, GBS_ERR_DATA, "columns %zu and %zu are both called '%s'", twin + 1,
                        t->added + 1, gbs_show(name, length).text);
    return GBS_OK;
}

/* The next column gets its cells, then its name: it is there once it has one. */
static gbs_status check_column(gbs_context *ctx, const gbs_table *t, const char *name) {
    if (t->file != NULL || t->added == t->n_columns)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the table has its %s already",
                        gbs_count(t->n_columns, "column").text);
    return name != NULL ? check_name(ctx, t, name) : GBS_OK;
}

static gbs_status end_column(gbs_context *ctx, gbs_table *t, const char *name) {
    const char *called = name != NULL ? name : gbs_default_name(t->ctx, &t->pool, t->added);
    if (called == NULL || !gbs_text_set_add(t->ctx, &t->names, &t->pool, called, strlen(called)))
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory");
    t->columns[t->added].name = t->names.text[t->added];
    t->has_header = t->has_header && name != NULL;
    t->added++;
    return GBS_OK;
}

gbs_status gbs_table_add_numbers(gbs_context *ctx, gbs_table *table, const char *name,
                                 const double *values) {
    gbs_table *t = table;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, table);
    GBS_NEEDS(ctx, values);
    gbs_status status = check_column(ctx, t, name);
    if (status != GBS_OK)
        return status;
    for (size_t i = 0; i < t->n_rows; i++)
        if (isinf(values[i]))
            return gbs_fail(ctx, GBS_ERR_DATA, "row %zu, column %zu: %s is not a finite number",
                            i + 1, t->added + 1, values[i] < 0 ? "-inf" : "inf");
    for (size_t i = 0; i < t->n_rows; i++)
        t->cells[i * t->n_columns + t->added] = values[i];
    return end_column(ctx, t, name);
}

static bool is_missing(const char *text, size_t length) {
    double value;
    return length <= 3 && gbs_number_is(text, length, &value) == GBS_NUMBER_MISSING;
}

static gbs_status add_levels(gbs_context *ctx, gbs_table *t, const char *const *texts,
                             gbs_text_set *set) {
    for (size_t i = 0; i < t->n_rows; i++) {
        double *cell = &t->cells[i * t->n_columns + t->added];
        size_t length = texts[i] != NULL ? strlen(texts[i]) : 0;
        *cell = NAN;
        if (length == 0 || is_missing(texts[i], length))
            continue;
        size_t level = gbs_text_set_find(set, texts[i], length);
        if (level == GBS_TEXT_NONE) {
            if (set->n == GBS_TABLE_MOST_LEVELS)
                return gbs_fail(ctx, GBS_ERR_DATA,
                                "column %zu has more than %zu different texts; it looks like an "
                                "identifier",
                                t->added + 1, GBS_TABLE_MOST_LEVELS);
            if (!gbs_is_utf8(texts[i], length))
                return gbs_fail(ctx, GBS_ERR_DATA, "row %zu, column %zu: '%s' is not UTF-8 text",
                                i + 1, t->added + 1, gbs_show(texts[i], length).text);
            level = set->n;
            if (!gbs_text_set_add(t->ctx, set, &t->pool, texts[i], length))
                return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory");
        }
        *cell = (double)level;
    }
    return GBS_OK;
}

gbs_status gbs_table_add_texts(gbs_context *ctx, gbs_table *table, const char *name,
                               const char *const *texts) {
    gbs_table *t = table;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, table);
    GBS_NEEDS(ctx, texts);
    gbs_text_set set = {0};
    gbs_status status = check_column(ctx, t, name);
    if (status == GBS_OK)
        status = add_levels(ctx, t, texts, &set);
    if (status == GBS_OK)
        status = end_column(ctx, t, name);
    if (status == GBS_OK) {
        gbs_column *column = &t->columns[t->added - 1];
        column->is_text = true;
        column->levels = set.text;
        column->n_levels = set.n;
        set.text = NULL;
    }
    gbs_text_set_free(t->ctx, &set);
    return status;
}
