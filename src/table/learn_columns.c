/* What the maps of columns (map/column.h) learn from given rows of a table. */
#include "table/recipe.h"

#include <math.h>

bool gbs_recipe_fills(const gbs_recipe *r) {
    for (size_t k = 0; r != NULL && k < r->n_inputs; k++)
        if (r->inputs[k].filled)
            return true;
    return false;
}

bool gbs_recipe_learns(const gbs_recipe *r) {
    for (size_t k = 0; k < r->n_inputs; k++)
        if (gbs_column_learns(&r->inputs[k]))
            return true;
    return false;
}

/* The map's level of each level of the table's column; NULL: out of memory. */
static double *levels_of(gbs_context *ctx, const gbs_column_map *c, const gbs_column *from) {
    double *level = gbs_doubles(ctx, from->n_levels + 1);
    for (size_t j = 0; level != NULL && j < from->n_levels; j++) {
        size_t known = gbs_column_level(c, from->levels[j]);
        level[j] = known != SIZE_MAX ? (double)known : GBS_NO_LEVEL;
    }
    return level;
}

static gbs_status learn_one(gbs_context *ctx, gbs_column_map *c, const gbs_table *t,
                            const size_t *rows, size_t n, double *cell) {
    double *level = levels_of(ctx, c, &t->columns[c->position]);
    if (level == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        size_t row = rows != NULL ? rows[i] : i;
        double x = t->cells[row * t->n_columns + c->position];
        gbs_table_passed(t, i, row);
        cell[i] = c->is_text && !isnan(x) ? level[(size_t)x] : x;
    }
    gbs_array_free(ctx, level);
    return gbs_column_learn(ctx, c, n, cell);
}

gbs_status gbs_recipe_learn_columns(gbs_context *ctx, gbs_recipe *r, const gbs_table *t,
                                    const size_t *rows, size_t n) {
    if (!gbs_recipe_learns(r))
        return GBS_OK;
    double *cell = gbs_doubles(ctx, n);
    gbs_status status = cell != NULL ? GBS_OK : GBS_ERR_MEMORY;
    r->features = 0;
    for (size_t k = 0; status == GBS_OK && k < r->n_inputs; k++) {
        if (gbs_column_learns(&r->inputs[k]))
            status = learn_one(ctx, &r->inputs[k], t, rows, n, cell);
        r->features += gbs_column_width(&r->inputs[k]);
    }
    gbs_array_free(ctx, cell);
    return status;
}
