/* Many small texts that come one by one and go together: names, levels, labels. */
#ifndef GIBBSITE_CORE_POOL_H
#define GIBBSITE_CORE_POOL_H

#include "core/context.h"

typedef struct gbs_pool {
    struct gbs_pool_block *last;
} gbs_pool;

/* A copy of the first `length` bytes of text, with a closing zero. NULL, and the error set, when
 * out of memory. */
char *gbs_pool_text(gbs_context *ctx, gbs_pool *pool, const char *text, size_t length);

/* All of them. ctx is the one of every text. */
void gbs_pool_free(const gbs_context *ctx, gbs_pool *pool);

#endif
