/* A text of the caller, one JSON value, kept inside a model file. */
#include "core/check.h"
#include "file/json_text.h"
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
