/* Values of a column that may mean what they do not say (odd_values.c). */
#ifndef GIBBSITE_TABLE_ODD_VALUES_H
#define GIBBSITE_TABLE_ODD_VALUES_H

#include "table/table.h"

/* Of the first `most` pairs of texts that differ in capitals or outer blanks alone a warning says
 * what they are, and `words`. */
gbs_status gbs_warn_of_alike(gbs_context *ctx, const char *column, const char *what,
                             const char *words, const char *const *text, size_t n, size_t most);
/* Of a number far from all others in a column of numbers. */
void gbs_warn_of_nines(gbs_context *ctx, const gbs_table *t, size_t column);

#endif
