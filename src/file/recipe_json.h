/* Recipes of columns in and out of JSON. */
#ifndef GIBBSITE_FILE_RECIPE_JSON_H
#define GIBBSITE_FILE_RECIPE_JSON_H

#include "core/context.h"

/* For gbs_array_free. Fails only with GBS_ERR_MEMORY. */
gbs_status gbs_recipe_to_json(gbs_context *ctx, const gbs_recipe *recipe, char **text);
/* GBS_ERR_FORMAT: it is damaged; or GBS_ERR_MEMORY. */
gbs_status gbs_recipe_from_json(gbs_context *ctx, const char *json, gbs_recipe **out);

/* The recipe of data, if it has one, goes into the model, or the particles, that it was fitted by.
 */
struct gbs_source;
gbs_status gbs_model_keep_recipe(gbs_context *ctx, gbs_model *model,
                                 const struct gbs_source *source);
gbs_status gbs_particles_keep_recipe(gbs_context *ctx, gbs_particles *particles,
                                     const struct gbs_source *source);

#endif
