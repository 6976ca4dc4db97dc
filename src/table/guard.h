/* Columns that say nothing of rows to come, one at a time. */
#ifndef GIBBSITE_TABLE_GUARD_H
#define GIBBSITE_TABLE_GUARD_H

#include "table/recipe.h"

typedef enum gbs_guard {
    GBS_GUARD_NONE,
    GBS_GUARD_DATES,
    GBS_GUARD_IDENTIFIER,
    GBS_GUARD_ROW_NUMBER,
    GBS_GUARD_ROW_NAMES,
    GBS_GUARD_CODES /* digits with leading zeros that were read as numbers */
} gbs_guard;

/* What a column of a table looks like over all of its rows. */
gbs_status gbs_guard_column(gbs_context *ctx, const gbs_table *t, size_t column, gbs_guard *out);

#endif
