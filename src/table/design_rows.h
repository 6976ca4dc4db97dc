/* Which rows of a table a design has, with their weights and groups. */
#ifndef GIBBSITE_TABLE_DESIGN_ROWS_H
#define GIBBSITE_TABLE_DESIGN_ROWS_H

#include "table/design.h"

/* A design on its way. */
typedef struct gbs_design_building {
    gbs_context *ctx;
    const gbs_recipe *r;
    const gbs_table *t;
    const gbs_design_use *use;
    gbs_design *out;
    gbs_match match;
    size_t weights, group; /* columns; SIZE_MAX: none */
    bool *own;             /* of each input: it is its own feature */
    size_t *width;         /* features of each input */
} gbs_design_building;

gbs_status gbs_design_no_memory(gbs_design_building *b);

static inline double gbs_design_cell(const gbs_design_building *b, size_t row, size_t column) {
    return b->t->cells[row * b->t->n_columns + column];
}

static inline bool gbs_design_is_filled(const gbs_design_building *b, size_t input) {
    return b->r->inputs != NULL && b->r->inputs[input].filled;
}

/* Where the weights and the groups of rows stand; every weight must make sense. */
gbs_status gbs_design_find_asides(gbs_design_building *b);
/* Rows that are there: of a weight above 0, without a missing cell; out->rows stays NULL when that
 * is all of them. */
gbs_status gbs_design_choose_rows(gbs_design_building *b, bool with_labels);
/* The table's row behind row i of the design; a loop over them is through with those before. */
size_t gbs_design_row_at(const gbs_design_building *b, size_t i);
gbs_status gbs_design_take_weights(gbs_design_building *b);
gbs_status gbs_design_take_groups(gbs_design_building *b);

#endif
