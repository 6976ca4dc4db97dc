/* Cells as they come, in a file; and all of them in one block.
 *
 * How many a file has is known at its end only, so cells go to a file that grows, 16 bytes each,
 * row and column beside the value. Then there is a block, in memory or in a file, for values, rows
 * and columns one behind the other, as many as there are; ranks fill it in together.
 */
#include "core/pages.h"
#include "table/cache.h"
#include "table/cells_reader.h"

#include <string.h>

/* So many lie in memory, and as many more as a window of the file has. */
enum { ASIDE = 1 << 16 };

struct stored {
    double value;
    uint32_t id[2];
};

struct gbs_cells_store {
    gbs_cache *file;
    size_t n;
};

gbs_status gbs_cells_store_create(gbs_context *ctx, const char *folder, gbs_cells *cells) {
    size_t length = strlen(folder) + 1;
    cells->folder = gbs_array_alloc(ctx, length, 1);
    cells->store = gbs_array_alloc(ctx, 1, sizeof *cells->store);
    if (cells->folder == NULL || cells->store == NULL)
        return GBS_ERR_MEMORY;
    memcpy(cells->folder, folder, length);
    return gbs_cache_create(ctx, folder, false, &cells->store->file);
}

void gbs_cells_store_free(gbs_cells *cells) {
    if (cells->store != NULL)
        gbs_cache_free(cells->store->file);
    gbs_array_free(cells->ctx, cells->store);
    cells->store = NULL;
}

static const struct stored *stored_cells(const gbs_cells *t) {
    return (const struct stored *)(const void *)gbs_cache_cells(t->store->file);
}

gbs_status gbs_cells_set_all_aside(gbs_cells_reader *r) {
    gbs_cells *t = r->out;
    struct gbs_cells_store *s = t->store;
    double *room;
    if (s == NULL || t->n == 0)
        return GBS_OK;
    gbs_status status = gbs_cache_room(s->file, (s->n + t->n) * (sizeof(struct stored) / 8), &room);
    if (status != GBS_OK)
        return status;
    struct stored *to = (struct stored *)(void *)room + s->n;
    for (size_t e = 0; e < t->n; e++)
        to[e] = (struct stored){t->value[e], {t->id[0][e], t->id[1][e]}};
    gbs_pages_drop(to, to + t->n);
    s->n += t->n;
    t->n = 0;
    return gbs_check_cancel(t->ctx);
}

gbs_status gbs_cells_set_aside(gbs_cells_reader *r) {
    return r->out->n >= ASIDE ? gbs_cells_set_all_aside(r) : GBS_OK;
}

size_t gbs_cells_so_far(const gbs_cells *t) {
    return t->n + (t->store != NULL ? t->store->n : 0);
}

/* ---------------------------------------------------------------- one block */

size_t gbs_cells_bytes(size_t n) {
    return n * sizeof(struct stored);
}

static void in_block(gbs_cells *t, size_t n, void *block) {
    t->value = block;
    t->id[0] = (uint32_t *)(void *)(t->value + n);
    t->id[1] = t->id[0] + n;
}

static uint32_t renumbered(uint32_t *const number[2], int side, uint32_t id) {
    return number != NULL ? number[side][id] : id;
}

gbs_status gbs_cells_put(gbs_cells *t, uint32_t *const number[2], size_t first, size_t n,
                         bool in_file, void *block) {
    const size_t step = GBS_PAGES_STEP / sizeof(struct stored), count = gbs_cells_so_far(t);
    gbs_cells to = {0};
    gbs_status status = GBS_OK;
    in_block(&to, n, block);
    for (size_t from = 0; status == GBS_OK && from < count; from += step) {
        size_t end = count - from < step ? count : from + step;
        for (size_t e = from; e < end; e++) {
            struct stored c = t->store != NULL
                                  ? stored_cells(t)[e]
                                  : (struct stored){t->value[e], {t->id[0][e], t->id[1][e]}};
            to.value[first + e] = c.value;
            for (int side = 0; side < 2; side++)
                to.id[side][first + e] = renumbered(number, side, c.id[side]);
        }
        if (t->store != NULL)
            gbs_pages_drop(stored_cells(t) + from, stored_cells(t) + end);
        if (in_file) {
            gbs_pages_drop(to.value + first + from, to.value + first + end);
            for (int side = 0; side < 2; side++)
                gbs_pages_drop(to.id[side] + first + from, to.id[side] + first + end);
        }
        status = gbs_check_cancel(t->ctx);
    }
    return status;
}

void gbs_cells_take_block(gbs_cells *t, size_t n, void *block) {
    if (t->block == NULL) {
        gbs_array_free(t->ctx, t->value);
        gbs_array_free(t->ctx, t->id[0]);
        gbs_array_free(t->ctx, t->id[1]);
    }
    gbs_cells_store_free(t);
    t->block = block;
    in_block(t, n, block);
    t->n = n;
}
