/* The columns as they came: a text is one column for each of its levels in the data, and a column
 * whose missing cells are filled has one more that marks them. */
#include "explain/inputs.h"

#include "table/recipe.h"

#include <stdio.h>
#include <string.h>

static const gbs_column_map *column_of(const gbs_inputs *inputs, size_t k) {
    bool told = inputs->recipe != NULL && inputs->recipe->inputs != NULL;
    return told ? &inputs->recipe->inputs[k] : NULL;
}

gbs_status gbs_inputs_find(gbs_context *ctx, const gbs_data *data, gbs_inputs *out) {
    const gbs_recipe *r = gbs_data_recipe(data);
    *out = (gbs_inputs){.recipe = r, .count = r != NULL ? gbs_recipe_inputs(r) : data->d};
    out->first = gbs_array_alloc(ctx, out->count + 1, sizeof *out->first);
    for (size_t k = 0; out->first != NULL && k < out->count; k++) {
        const gbs_column_map *c = column_of(out, k);
        out->first[k + 1] = out->first[k] + (c != NULL ? gbs_column_width(c) : 1);
    }
    return out->first != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

void gbs_inputs_free(const gbs_context *ctx, gbs_inputs *inputs) {
    gbs_array_free(ctx, inputs->first);
    *inputs = (gbs_inputs){0};
}

char *gbs_input_name(gbs_context *ctx, const gbs_inputs *inputs, size_t k, gbs_pool *pool) {
    const gbs_column_map *c = column_of(inputs, k);
    char number[64];
    if (c != NULL && c->name != NULL)
        return gbs_pool_text(ctx, pool, c->name, strlen(c->name));
    if (inputs->recipe != NULL)
        gbs_recipe_feature(inputs->recipe, inputs->first[k], number, sizeof number);
    else
        snprintf(number, sizeof number, "V%zu", k + 1);
    return gbs_pool_text(ctx, pool, number, strlen(number));
}

const char *gbs_input_level(const gbs_inputs *inputs, size_t k, const double *cells,
                            bool *missing) {
    const gbs_column_map *c = column_of(inputs, k);
    *missing = c != NULL && c->marked && cells[gbs_column_width(c) - 1] != 0.0;
    if (*missing)
        return "(missing)";
    if (c == NULL || !c->is_text)
        return NULL;
    for (size_t j = 0; j < c->n_levels; j++)
        if (cells[j] != 0.0)
            return c->levels[j];
    return "(none)";
}
