/* The card of a calibrated model in its file. */
#ifndef GIBBSITE_FILE_CARD_FILE_H
#define GIBBSITE_FILE_CARD_FILE_H

#include "model/model.h"

#include <jansson.h>

bool gbs_json_put_card(json_t *root, const gbs_model *m);
/* Nothing where the file has none. */
gbs_status gbs_json_get_card(gbs_context *ctx, const json_t *root, gbs_model *m);

#endif
