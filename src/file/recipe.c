/* The recipe of columns inside a model or a sample: one JSON value, which callers may set too. */
#include "table/recipe.h"
#include "core/check.h"
#include "data/source.h"
#include "file/json_text.h"
#include "file/recipe_json.h"
#include "model/model.h"
#include "model/particles.h"

#include <string.h>

gbs_status gbs_model_set_recipe(gbs_context *ctx, gbs_model *model, const char *json) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    char *copy = NULL;
    json_t *value = NULL;
    gbs_status status = GBS_OK;
    if (json != NULL)
        status = gbs_json_parse(ctx, json, strlen(json), GBS_JSON_LEVELS - 1,
                                "the recipe is not JSON", &value);
    if (status != GBS_OK)
        return status == GBS_ERR_FORMAT ? GBS_ERR_ARGUMENT : status;
    json_decref(value);
    if (json != NULL) {
        size_t size = strlen(json) + 1;
        copy = gbs_array_alloc_for(ctx, model->ctx, size, 1);
        if (copy == NULL)
            return GBS_ERR_MEMORY;
        memcpy(copy, json, size);
    }
    gbs_array_free(model->ctx, model->recipe);
    model->recipe = copy;
    return GBS_OK;
}

gbs_status gbs_particles_set_recipe(gbs_context *ctx, gbs_particles *particles, const char *json) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, particles);
    gbs_model borrowed = {.ctx = particles->ctx,
                          .recipe = particles->recipe}; /* the same check and copy */
    gbs_status status = gbs_model_set_recipe(ctx, &borrowed, json);
    particles->recipe = borrowed.recipe;
    return status;
}

/* ---------------------------------------------------------------- from data to models */

gbs_status gbs_model_keep_recipe(gbs_context *ctx, gbs_model *model, const gbs_source *source) {
    char *json = NULL;
    if (source == NULL)
        return GBS_OK;
    gbs_status status = gbs_recipe_to_json(ctx, source->recipe, &json);
    if (status == GBS_OK)
        status = gbs_model_set_recipe(ctx, model, json);
    gbs_array_free(ctx, json);
    return status;
}

gbs_status gbs_particles_keep_recipe(gbs_context *ctx, gbs_particles *particles,
                                     const gbs_source *source) {
    char *json = NULL;
    if (source == NULL || gbs_recipe_classes(source->recipe) > 2) /* particles are of two classes */
        return GBS_OK;
    gbs_status status = gbs_recipe_to_json(ctx, source->recipe, &json);
    if (status == GBS_OK)
        status = gbs_particles_set_recipe(ctx, particles, json);
    gbs_array_free(ctx, json);
    return status;
}

/* ---------------------------------------------------------------- from models to tables */

/* what: "model" or "sample" */
static gbs_status recipe_from(gbs_context *ctx, const char *json, size_t features, const char *what,
                              gbs_recipe **out) {
    if (json == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the %s has no recipe of columns (its rows were made by no table)", what);
    gbs_status status = gbs_recipe_from_json(ctx, json, out);
    if (status != GBS_OK || (*out)->features == features)
        return status;
    gbs_recipe_free(*out);
    *out = NULL;
    return gbs_fail(ctx, GBS_ERR_FORMAT, "the recipe of the %s does not match its coefficients",
                    what);
}

gbs_status gbs_recipe_from_model(gbs_context *ctx, const gbs_model *model, gbs_recipe **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    return recipe_from(ctx, model->recipe, model->info.features, "model", out);
}

gbs_status gbs_recipe_from_particles(gbs_context *ctx, const gbs_particles *particles,
                                     gbs_recipe **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, particles);
    return recipe_from(ctx, particles->recipe, particles->info.features, "sample", out);
}
