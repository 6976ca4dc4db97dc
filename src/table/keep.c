/* Cells that are kept as they stand: what a number was written as, an identifier with its zeros. */
#include "table/keep.h"

#include "core/context.h"

#include <string.h>

gbs_status gbs_kept_start(gbs_context *ctx, size_t columns, gbs_kept *kept) {
    kept->name = gbs_array_alloc(ctx, columns, sizeof *kept->name);
    kept->columns = kept->name != NULL ? columns : 0;
    return kept->name != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

static gbs_status keep(gbs_context *ctx, gbs_kept *kept, const char *text, size_t length,
                       const char **to) {
    *to = gbs_pool_text(ctx, &kept->pool, text, length);
    return *to != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

gbs_status gbs_kept_name(gbs_context *ctx, gbs_kept *kept, size_t column, const char *name) {
    return keep(ctx, kept, name, strlen(name), &kept->name[column]);
}

gbs_status gbs_kept_add(gbs_context *ctx, gbs_kept *kept, size_t row, size_t column,
                        const char *text, size_t length) {
    if (row >= kept->rows) {
        const char **grown = gbs_array_grow(ctx, kept->text, &kept->room, (row + 1) * kept->columns,
                                            sizeof *grown);
        if (grown == NULL)
            return GBS_ERR_MEMORY;
        kept->text = grown;
        for (size_t k = kept->rows * kept->columns; k < (row + 1) * kept->columns; k++)
            grown[k] = NULL;
        kept->rows = row + 1;
    }
    return keep(ctx, kept, text, length, &kept->text[row * kept->columns + column]);
}

void gbs_kept_free(const gbs_context *ctx, gbs_kept *kept) {
    gbs_array_free(ctx, kept->name);
    gbs_array_free(ctx, kept->text);
    gbs_pool_free(ctx, &kept->pool);
    *kept = (gbs_kept){0};
}

gbs_status gbs_kept_again(gbs_context *ctx, const gbs_kept *from, gbs_kept *to) {
    *to = (gbs_kept){0};
    if (from->columns == 0)
        return GBS_OK;
    gbs_status status = gbs_kept_start(ctx, from->columns, to);
    for (size_t k = 0; status == GBS_OK && k < from->columns; k++)
        status = gbs_kept_name(ctx, to, k, from->name[k]);
    return status;
}
