/* Cells of a file that are kept as they stand, for `keep`: texts that no model looks at. */
#ifndef GIBBSITE_TABLE_KEEP_H
#define GIBBSITE_TABLE_KEEP_H

#include "core/pool.h"

typedef struct gbs_kept {
    size_t columns;
    const char **name; /* of each, in the order that was asked for */
    const char **text; /* rows x columns, row by row */
    size_t rows, room;
    gbs_pool pool; /* of all texts */
} gbs_kept;

/* Room for the names of so many columns. */
gbs_status gbs_kept_start(gbs_context *ctx, size_t columns, gbs_kept *kept);
gbs_status gbs_kept_name(gbs_context *ctx, gbs_kept *kept, size_t column, const char *name);
/* A cell of row `row`, which is the last one or the one behind it. */
gbs_status gbs_kept_add(gbs_context *ctx, gbs_kept *kept, size_t row, size_t column,
                        const char *text, size_t length);
/* The same columns, without a row. */
gbs_status gbs_kept_again(gbs_context *ctx, const gbs_kept *from, gbs_kept *to);
void gbs_kept_free(const gbs_context *ctx, gbs_kept *kept);

#endif
