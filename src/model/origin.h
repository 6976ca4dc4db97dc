/* Where a model or a completion comes from. */
#ifndef GIBBSITE_MODEL_ORIGIN_H
#define GIBBSITE_MODEL_ORIGIN_H

#include "core/context.h"
#include "data/hash.h"
#include "gibbsite/model.h"

enum { GBS_VERSION_ROOM = 32, GBS_HASH_ROOM = 33 };

/* What is told, and the texts that it points to: it stays where it is. */
typedef struct gbs_origin_kept {
    gbs_origin told;
    char version[GBS_VERSION_ROOM], hash[GBS_HASH_ROOM];
    bool unknown; /* read from a text that does not say which version fitted it */
} gbs_origin_kept;

/* Of a fit that this library made just now. */
void gbs_origin_keep(const gbs_context *ctx, size_t rows, gbs_hash hash, gbs_origin_kept *out);

#endif
