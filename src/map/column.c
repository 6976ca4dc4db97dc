/* The maps of a column, in the order in which a cell goes through them (map/column.h). What they
 * learn and how many features there are goes the other way: each builds on what comes after it. */
#include "map/column.h"

#include <stdio.h>

static const gbs_column_ops *const maps[] = {&gbs_column_impute, &gbs_column_onehot};
enum { MAPS = sizeof maps / sizeof *maps };

bool gbs_column_learns(const gbs_column_map *c) {
    for (size_t k = 0; k < MAPS; k++)
        if (maps[k]->wanted(c))
            return true;
    return false;
}

gbs_status gbs_column_learn(gbs_context *ctx, gbs_column_map *c, size_t n, double *cell) {
    gbs_status status = GBS_OK;
    for (size_t k = 1; status == GBS_OK && k <= MAPS; k++)
        if (maps[MAPS - k]->wanted(c))
            status = maps[MAPS - k]->learn(ctx, c, n, cell);
    return status;
}

size_t gbs_column_width(const gbs_column_map *c) {
    size_t width = 1;
    for (size_t k = 1; k <= MAPS; k++)
        if (maps[MAPS - k]->wanted(c))
            width = maps[MAPS - k]->width(c, width);
    return width;
}

gbs_cell gbs_column_put(const gbs_column_map *c, double x) {
    gbs_cell cell = {.x = x, .value = x, .mark = SIZE_MAX};
    for (size_t k = 0; k < MAPS; k++)
        if (maps[k]->wanted(c))
            maps[k]->put(c, &cell);
    return cell;
}

void gbs_column_feature(const gbs_column_map *c, size_t k, char *name, size_t room) {
    size_t width = gbs_column_width(c);
    for (size_t m = 0; m < MAPS; m++)
        if (maps[m]->wanted(c) && maps[m]->feature(c, k, width, name, room))
            return;
    snprintf(name, room, "%s", c->name);
}
