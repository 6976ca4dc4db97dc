/* Texts: a feature for each level, 1 for that of the cell.
 *
 * Levels are sorted, so that the order of the rows does not matter. Those that none of the rows has
 * that teach it are forgotten: rows that certify must not teach them (docs/maths.md, 6.4). A level
 * that is not known makes zeros.
 */
#include "map/column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *key, const void *item) {
    return strcmp(key, *(const char *const *)item);
}

size_t gbs_column_level(const gbs_column_map *c, const char *text) {
    const char **found = bsearch(text, c->levels, c->n_levels, sizeof *c->levels, by_text);
    return found != NULL ? (size_t)(found - c->levels) : SIZE_MAX;
}

static bool wanted(const gbs_column_map *c) {
    return c->is_text;
}

/* Cells are of the levels that are left, afterwards. */
static gbs_status learn(gbs_context *ctx, gbs_column_map *c, size_t n, double *cell) {
    size_t left = 0, *now = gbs_array_alloc(ctx, c->n_levels + 1, sizeof *now);
    if (now == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (cell[i] >= 0.0)
            now[(size_t)cell[i]] = 1;
    for (size_t j = 0; j < c->n_levels; j++)
        if (now[j] != 0) {
            c->levels[left] = c->levels[j];
            now[j] = left++;
        }
    c->n_levels = left;
    for (size_t i = 0; i < n; i++)
        if (cell[i] >= 0.0)
            cell[i] = (double)now[(size_t)cell[i]];
    gbs_array_free(ctx, now);
    return GBS_OK;
}

static size_t width(const gbs_column_map *c, size_t width) {
    (void)width;
    return c->n_levels;
}

static void put(const gbs_column_map *c, gbs_cell *cell) {
    (void)c;
    cell->column = cell->x >= 0.0 ? (size_t)cell->x : SIZE_MAX;
    cell->value = 1.0;
}

static bool feature(const gbs_column_map *c, size_t k, size_t width, char *name, size_t room) {
    (void)width;
    snprintf(name, room, "%s=%s", c->name, c->levels[k]);
    return true;
}

const gbs_column_ops gbs_column_onehot = {wanted, learn, width, put, feature};
