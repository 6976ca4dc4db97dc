/* The maps of a model's rows, in its file. */
#ifndef GIBBSITE_FILE_MAPS_FILE_H
#define GIBBSITE_FILE_MAPS_FILE_H

#include "map/map.h"

#include <jansson.h>

/* Under the key "scaling" of root; false when memory ran out. */
bool gbs_json_put_maps(gbs_context *ctx, json_t *root, gbs_scale kind, const gbs_maps *maps);
/* Of `given` raw columns to d; *kind: how columns are scaled. table: the maps there are. The maps
 * are empty on failure. */
gbs_status gbs_json_get_maps(gbs_context *ctx, const json_t *root, const gbs_map_ops *const *table,
                             bool intercept, size_t given, size_t d, gbs_scale *kind,
                             gbs_maps *out);

#endif
