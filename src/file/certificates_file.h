/* What a model file says of certificates and of the way to a model. */
#ifndef GIBBSITE_FILE_CERTIFICATES_FILE_H
#define GIBBSITE_FILE_CERTIFICATES_FILE_H

#include "file/json_numbers.h"
#include "model/model.h"

/* "certificates" */
gbs_status gbs_json_get_certificates(gbs_context *ctx, const json_t *root, gbs_model *m);
/* "path", and "restarts", which older files lack */
gbs_status gbs_json_get_path(gbs_context *ctx, const json_t *root, gbs_model *m);

#endif
