/* "importance": of a model file, and of the JSON of commands. */
#ifndef GIBBSITE_FILE_EXPLANATION_FILE_H
#define GIBBSITE_FILE_EXPLANATION_FILE_H

#include "file/json_write.h"
#include "model/model.h"

#include <jansson.h>

/* A model without one has nothing written, and an older file has nothing to read. */
bool gbs_json_put_explanation(json_t *root, const gbs_explanation *e);
gbs_status gbs_json_get_explanation(gbs_context *ctx, const json_t *root, gbs_model *model);

/* The member for people and programs; nothing of NULL. */
void gbs_describe_explanation(gbs_writer *w, const gbs_explanation *e);

#endif
