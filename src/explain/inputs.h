/* The columns as they came, and which columns of the data each became. */
#ifndef GIBBSITE_EXPLAIN_INPUTS_H
#define GIBBSITE_EXPLAIN_INPUTS_H

#include "core/pool.h"
#include "data/rows.h"

typedef struct gbs_inputs {
    const gbs_recipe *recipe; /* NULL: every column by itself */
    size_t count;
    size_t *first; /* of each, its first column of the data; count + 1 of them */
} gbs_inputs;

gbs_status gbs_inputs_find(gbs_context *ctx, const gbs_data *data, gbs_inputs *out);
void gbs_inputs_free(const gbs_context *ctx, gbs_inputs *inputs);

/* Its name: that of the table, or V and its number from 1. A copy in the pool; NULL: out of memory.
 */
char *gbs_input_name(gbs_context *ctx, const gbs_inputs *inputs, size_t k, gbs_pool *pool);
/* The level that these cells of input k are, their names in the recipe; NULL: they are a number.
 * *missing: the cell was missing, and these stand in for it. */
const char *gbs_input_level(const gbs_inputs *inputs, size_t k, const double *cells, bool *missing);

#endif
