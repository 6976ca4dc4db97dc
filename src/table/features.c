/* Features of rows or columns from a CSV file: identifiers first, then numbers and texts. A text
 * column becomes a feature of 0 and 1 for each level, a missing cell NaN. */
#include "table/cells.h"
#include "table/table.h"

#include "core/check.h"
#include "data/ratings.h"

#include <math.h>
#include <string.h>

/* Levels of a text column; more of them are names, not kinds. */
enum { MOST_LEVELS = 256 };

/* Numbers that column k of the file makes; 0: too many levels. */
static size_t width_of(const gbs_column *c) {
    if (!c->is_text)
        return 1;
    return c->n_levels <= MOST_LEVELS ? c->n_levels : 0;
}

static gbs_status measure(gbs_context *ctx, const gbs_table *t, size_t *features) {
    *features = 0;
    for (size_t k = 1; k < t->n_columns; k++) {
        size_t width = width_of(&t->columns[k]);
        if (width == 0 && t->columns[k].is_text)
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "%s: column '%.60s' has %zu levels; at most %d can be features",
                            gbs_table_place(t).text, t->columns[k].name, t->columns[k].n_levels,
                            (int)MOST_LEVELS);
        *features += width;
    }
    if (*features == 0 || *features > GBS_MOST_SIDE_FEATURES)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "%s: expected identifiers in the first column and 1 to %d features in the "
                        "others, found %zu",
                        gbs_table_place(t).text, (int)GBS_MOST_SIDE_FEATURES, *features);
    return GBS_OK;
}

/* The item of each line; those that are new are added to the names. */
static gbs_status number_items(gbs_context *ctx, gbs_cells *cells, int side, const gbs_table *t,
                               size_t *item) {
    for (size_t i = 0; i < t->n_rows; i++) {
        double cell = t->cells[i * t->n_columns];
        if (isnan(cell))
            return gbs_fail(ctx, GBS_ERR_DATA, "%s: the identifier is missing",
                            gbs_row_place(t, i).text);
        const char *id = t->columns[0].levels[(size_t)cell];
        size_t found = gbs_text_set_find(&cells->names[side], id, strlen(id));
        if (found == GBS_TEXT_NONE) {
            if (!gbs_text_set_add(ctx, &cells->names[side], &cells->pool, id, strlen(id)))
                return GBS_ERR_MEMORY;
            found = gbs_text_set_find(&cells->names[side], id, strlen(id));
        }
        item[i] = found;
    }
    return GBS_OK;
}

/* Identifiers of two files that are not written alike (7 and u7) match nowhere: the features would
 * say nothing of any rating. Some that do not match are no error, and are counted. */
static gbs_status compare_names(gbs_context *ctx, const gbs_cells *cells, int side,
                                const gbs_table *t, const size_t *item) {
    static const char *const what[][2] = {{"rows", "row"}, {"columns", "column"}};
    const gbs_text_set *names = &cells->names[side];
    size_t rated = cells->rated[side], matched = 0;
    for (size_t i = 0; i < t->n_rows; i++)
        matched += item[i] < rated;
    if (matched == 0 && rated > 0 && t->n_rows > 0)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "%s: none of its identifiers is that of a rated %s: it has '%.60s', the "
                        "ratings have '%.60s'",
                        gbs_table_place(t).text, what[side][1], names->text[item[0]],
                        names->text[0]);
    if (matched < rated || matched < t->n_rows)
        gbs_log(ctx, GBS_LOG_WARNING,
                "%s: %zu of %zu rated %s have no features, and %zu of %zu %s with features have no "
                "ratings",
                gbs_table_place(t).text, rated - matched, rated, what[side][0], t->n_rows - matched,
                t->n_rows, what[side][0]);
    return GBS_OK;
}

static gbs_status fill(gbs_context *ctx, gbs_cells *cells, int side, const gbs_table *t,
                       const size_t *item, size_t features) {
    size_t items = cells->names[side].n;
    double *values = gbs_matrix(ctx, items, features);
    bool *seen = gbs_array_alloc(ctx, items, sizeof *seen);
    gbs_status status = values != NULL && seen != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t k = 0; status == GBS_OK && k < items * features; k++)
        values[k] = NAN;
    for (size_t i = 0; status == GBS_OK && i < t->n_rows; i++) {
        double *to = values + item[i] * features;
        if (seen[item[i]])
            status = gbs_fail(ctx, GBS_ERR_DATA, "%s: '%.60s' comes a second time",
                              gbs_row_place(t, i).text, cells->names[side].text[item[i]]);
        seen[item[i]] = true;
        for (size_t k = 1; k < t->n_columns; k++) {
            double cell = t->cells[i * t->n_columns + k];
            size_t width = width_of(&t->columns[k]);
            for (size_t level = 0; level < width; level++)
                *to++ = !t->columns[k].is_text || isnan(cell) ? cell
                                                              : (double)((size_t)cell == level);
        }
    }
    gbs_array_free(ctx, seen);
    if (status != GBS_OK) {
        gbs_array_free(ctx, values);
        return status;
    }
    gbs_array_free(cells->ctx, cells->feature[side]);
    cells->feature[side] = values;
    cells->features[side] = features;
    return GBS_OK;
}

gbs_status gbs_cells_add_features(gbs_context *ctx, gbs_cells *cells, int columns,
                                  const char *path) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, cells);
    GBS_NEEDS(ctx, path);
    gbs_reading reading = {
        .format = GBS_TABLE_CSV, .header = -1, .names_first = true, .keep_missing = true};
    int side = columns != 0;
    size_t features, *item = NULL;
    gbs_table *t = NULL;
    if (ctx != cells->ctx)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "cells belong to another context");
    if (cells->rated[side] == 0)
        cells->rated[side] = cells->names[side].n;
    gbs_status status = gbs_table_read_file(ctx, path, &reading, &t);
    if (status == GBS_OK)
        status = measure(ctx, t, &features);
    if (status == GBS_OK && (item = gbs_array_alloc(ctx, t->n_rows, sizeof *item)) == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = number_items(ctx, cells, side, t, item);
    if (status == GBS_OK)
        status = fill(ctx, cells, side, t, item, features);
    if (status == GBS_OK)
        status = compare_names(ctx, cells, side, t, item);
    gbs_array_free(ctx, item);
    gbs_table_free(t);
    return status;
}
