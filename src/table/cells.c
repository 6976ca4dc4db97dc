/* The handle of cells: what it tells, and how other names number it. */
#include "table/cells_reader.h"

#include "core/check.h"
#include "data/ratings.h"

#include <string.h>

void gbs_cells_free(gbs_cells *cells) {
    if (cells == NULL)
        return;
    gbs_context *ctx = cells->ctx;
    bool apart = cells->block == NULL;
    for (int side = 0; side < 2; side++) {
        gbs_array_free(ctx, apart ? cells->id[side] : NULL);
        gbs_text_set_free(ctx, &cells->names[side]);
        gbs_array_free(ctx, cells->feature[side]);
    }
    gbs_array_free(ctx, apart ? cells->value : NULL);
    gbs_array_free(ctx, cells->block);
    gbs_array_free(ctx, cells->folder);
    gbs_cells_store_free(cells);
    gbs_pool_free(ctx, &cells->pool);
    gbs_handle_free(ctx, cells);
}

size_t gbs_cells_count(const gbs_cells *cells) {
    return cells != NULL ? cells->n : 0;
}

const uint32_t *gbs_cells_rows(const gbs_cells *cells) {
    return cells != NULL ? cells->id[0] : NULL;
}

const uint32_t *gbs_cells_columns(const gbs_cells *cells) {
    return cells != NULL ? cells->id[1] : NULL;
}

const double *gbs_cells_values(const gbs_cells *cells) {
    return cells != NULL ? cells->value : NULL;
}

static const char *const *names_of(const gbs_cells *cells, int side, size_t *count) {
    if (count != NULL)
        *count = cells != NULL ? cells->names[side].n : 0;
    return cells != NULL ? cells->names[side].text : NULL;
}

const char *const *gbs_cells_row_names(const gbs_cells *cells, size_t *count) {
    return names_of(cells, 0, count);
}

const char *const *gbs_cells_column_names(const gbs_cells *cells, size_t *count) {
    return names_of(cells, 1, count);
}

gbs_status gbs_cells_ratings(gbs_context *ctx, const gbs_cells *cells, gbs_ratings **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, cells);
    if (cells->value == NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "pairs without values are no ratings");
    gbs_status status = gbs_ratings_create_in(
        ctx, cells->folder, cells->n, cells->names[0].n, cells->names[1].n, cells->id[0],
        cells->id[1], cells->value, cells->names[0].text, cells->names[1].text, out);
    if (status == GBS_OK)
        status = gbs_ratings_note_order(ctx, *out, cells->id[0], cells->id[1], cells->value);
    for (int side = 0; side < 2 && status == GBS_OK; side++)
        if (cells->feature[side] != NULL)
            status = gbs_ratings_set_features(ctx, *out, side, cells->features[side],
                                              cells->feature[side]);
    if (status != GBS_OK) {
        gbs_ratings_free(*out);
        *out = NULL;
    }
    return status;
}

/* One side: `names` of another matrix into a set, then each own name is looked for once. */
static gbs_status number_side(gbs_context *ctx, const gbs_cells *cells, int side, size_t count,
                              const char *const *names, uint32_t *to) {
    const gbs_text_set *own = &cells->names[side];
    gbs_text_set set = {0};
    gbs_pool pool = {0};
    uint32_t *number = gbs_array_alloc(ctx, own->n, sizeof *number);
    gbs_status status = number != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t k = 0; status == GBS_OK && k < count; k++) {
        size_t length = names[k] != NULL ? strlen(names[k]) : 0;
        if (names[k] == NULL)
            status = gbs_fail(ctx, GBS_ERR_ARGUMENT, "%s %zu has no name",
                              side == 0 ? "row" : "column", k);
        else if (gbs_text_set_find(&set, names[k], length) != GBS_TEXT_NONE)
            status = gbs_fail(ctx, GBS_ERR_DATA, "'%.40s' names two %s", names[k],
                              side == 0 ? "rows" : "columns");
        else if (!gbs_text_set_add(ctx, &set, &pool, names[k], length))
            status = GBS_ERR_MEMORY;
    }
    for (size_t k = 0; status == GBS_OK && k < own->n; k++) {
        size_t found = gbs_text_set_find(&set, own->text[k], strlen(own->text[k]));
        number[k] = found == GBS_TEXT_NONE ? GBS_UNSEEN : (uint32_t)found;
    }
    for (size_t e = 0; status == GBS_OK && e < cells->n; e++)
        to[e] = number[cells->id[side][e]];
    gbs_array_free(ctx, number);
    gbs_text_set_free(ctx, &set);
    gbs_pool_free(ctx, &pool);
    return status;
}

gbs_status gbs_cells_number(gbs_context *ctx, const gbs_cells *cells, size_t rows,
                            const char *const *row_names, size_t columns,
                            const char *const *column_names, uint32_t *row, uint32_t *column) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, cells);
    GBS_NEEDS(ctx, row);
    GBS_NEEDS(ctx, column);
    gbs_status status = gbs_check_array(ctx, "row_names", row_names, rows);
    if (status == GBS_OK)
        status = gbs_check_array(ctx, "column_names", column_names, columns);
    if (status == GBS_OK)
        status = number_side(ctx, cells, 0, rows, row_names, row);
    return status == GBS_OK ? number_side(ctx, cells, 1, columns, column_names, column) : status;
}
