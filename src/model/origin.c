/* Where a model comes from: the version that fitted it, the seed, the rows by their number and by
 * the hash of docs/maths.md, 11.2, which is the same in whatever order they come. */
#include "model/origin.h"

#include <stdio.h>

void gbs_origin_keep(const gbs_context *ctx, size_t rows, gbs_hash hash, gbs_origin_kept *out) {
    snprintf(out->version, sizeof out->version, "%s", GBS_VERSION);
    snprintf(out->hash, sizeof out->hash, "%016llx%016llx", (unsigned long long)hash.high,
             (unsigned long long)hash.low);
    out->told = (gbs_origin){
        .version = out->version, .recorded = 1, .seed = ctx->seed, .rows = rows, .hash = out->hash};
}
