/* Where a model or a completion comes from, and how it was chosen, in its file. */
#ifndef GIBBSITE_FILE_ORIGIN_FILE_H
#define GIBBSITE_FILE_ORIGIN_FILE_H

#include "model/origin.h"

#include <jansson.h>

bool gbs_json_put_origin(json_t *root, const gbs_origin_kept *kept);
/* A file of an older version has none: its version is known, and that is all. */
gbs_status gbs_json_get_origin(gbs_context *ctx, const json_t *root, gbs_origin_kept *kept);

/* Nothing where nothing was chosen. */
bool gbs_json_put_selection(json_t *root, const gbs_selection *s);
gbs_status gbs_json_get_selection(gbs_context *ctx, const json_t *root, gbs_selection *s);

#endif
