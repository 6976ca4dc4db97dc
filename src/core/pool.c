/* Blocks that double up to a limit, each linked to the one before; a long text has its own. */
#include "core/pool.h"

#include <string.h>

enum { FIRST_BLOCK = 512, LARGEST_BLOCK = 1 << 16 };

struct gbs_pool_block {
    struct gbs_pool_block *before;
    size_t used, room;
    char bytes[];
};

static struct gbs_pool_block *add_block(gbs_context *ctx, gbs_pool *pool, size_t needed) {
    struct gbs_pool_block *last = pool->last;
    size_t room = last == NULL ? FIRST_BLOCK : 2 * last->room;
    if (room > LARGEST_BLOCK)
        room = LARGEST_BLOCK;
    if (room < needed)
        room = needed;
    struct gbs_pool_block *block = gbs_array_alloc(ctx, sizeof *block + room, 1);
    if (block != NULL) {
        block->before = last;
        block->room = room;
        pool->last = block;
    }
    return block;
}

char *gbs_pool_text(gbs_context *ctx, gbs_pool *pool, const char *text, size_t length) {
    struct gbs_pool_block *block = pool->last;
    if (block == NULL || block->room - block->used <= length)
        block = add_block(ctx, pool, length + 1);
    if (block == NULL)
        return NULL;
    char *copy = block->bytes + block->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    block->used += length + 1;
    return copy;
}

void gbs_pool_free(const gbs_context *ctx, gbs_pool *pool) {
    while (pool->last != NULL) {
        struct gbs_pool_block *block = pool->last;
        pool->last = block->before;
        gbs_array_free(ctx, block);
    }
}
