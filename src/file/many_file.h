/* The classes of a model in its file, and the models that it is made of. */
#ifndef GIBBSITE_FILE_MANY_FILE_H
#define GIBBSITE_FILE_MANY_FILE_H

#include "model/many.h"

#include <jansson.h>

/* "many", with its parts; put writes one of them into an object. */
typedef bool (*gbs_model_putter)(gbs_context *ctx, json_t *root, const gbs_model *model);
bool gbs_json_put_many(gbs_context *ctx, json_t *root, const gbs_model *m, gbs_model_putter put);
/* get reads one of them. Nothing where the file has none. */
typedef gbs_status (*gbs_model_getter)(gbs_context *ctx, const json_t *root, gbs_model **out);
gbs_status gbs_json_get_many(gbs_context *ctx, const json_t *root, gbs_model_getter get,
                             gbs_model *m);

#endif
