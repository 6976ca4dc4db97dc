/* The scaling of a model's rows, in its file. */
#ifndef GIBBSITE_FILE_SCALING_FILE_H
#define GIBBSITE_FILE_SCALING_FILE_H

#include "data/rows.h"

#include <jansson.h>

/* Under the key "scaling" of root; false when memory ran out. */
bool gbs_json_put_scaling(json_t *root, const gbs_scaling *s);
/* What is read even when it fails is for the caller to free. */
gbs_status gbs_json_get_scaling(gbs_context *ctx, const json_t *root, bool intercept, size_t given,
                                size_t d, gbs_scaling *s);

#endif
