/* A design: the rows of a table in the shape a recipe asks for, ready to be a gbs_data.
 *
 * Where the table's cells can serve as they are (numeric columns side by side, no row left out)
 * they are borrowed, not copied: the table must outlive the design.
 */
#ifndef GIBBSITE_CLI_TABLE_DESIGN_H
#define GIBBSITE_CLI_TABLE_DESIGN_H

#include "table/recipe.h"

struct design {
    size_t n, d;
    const double *cells; /* dense, or NULL */
    size_t stride;
    const size_t *row_start; /* CSR */
    const uint32_t *index;
    const double *value;
    double *y;           /* NULL: the table has no labels */
    size_t *rows;        /* row of the table behind each row; NULL: all of them, in order */
    size_t left_out;     /* rows with missing cells */
    size_t unseen;       /* cells with a level that training did not see */
    const char *example; /* one such level, the table's */
    double *owned;       /* the arrays above that are not the table's */
    size_t *owned_start;
    uint32_t *owned_index;
};

enum design_labels { LABELS_NONE, LABELS_NEEDED };

/* Status TABLE_BAD_DATA or TABLE_NO_MEMORY on failure, with error set. */
enum table_status design_build(const struct recipe *r, const struct table *t,
                               enum design_labels labels, struct design *out, char *error,
                               size_t size);
void design_free(struct design *d);

#endif
