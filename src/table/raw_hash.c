/* The hash of raw rows (docs/maths.md, 11.2): what a table held before its texts became columns, so
 * that the order of the rows is known before their levels are. A cell hashes the same whatever the
 * type of its column: a text that is a number hashes as that number,
 * a missing cell as an empty text. */
#include "table/design.h"

#include "data/row_summary.h"
#include "table/number.h"

#include <math.h>
#include <string.h>

static gbs_hash text_cell(size_t column, const char *text) {
    double number;
    size_t size = strlen(text);
    return gbs_number_is(text, size, &number) == GBS_NUMBER_FINITE
               ? gbs_hash_number(column, number)
               : gbs_hash_text(column, text, size);
}

gbs_status gbs_table_summary(gbs_context *ctx, const gbs_recipe *recipe, const gbs_table *t,
                             const gbs_design *design, const size_t *source, gbs_row_summary *out) {
    gbs_row_tally tally;
    gbs_status status = gbs_row_tally_begin(ctx, design->group, design->groups, &tally);
    for (size_t i = 0; status == GBS_OK && i < design->n; i++) {
        size_t at_row = design->rows != NULL ? design->rows[i] : i;
        gbs_table_passed(t, i, at_row);
        const double *cells = t->cells + at_row * t->n_columns;
        gbs_hash row = {0};
        for (size_t k = 0; k < recipe->n_inputs; k++) {
            size_t at = source != NULL ? source[k] : recipe->inputs[k].position;
            const gbs_column *c = &t->columns[at];
            row = gbs_hash_add(row, isnan(cells[at]) ? gbs_hash_text(k, "", 0)
                                    : c->is_text     ? text_cell(k, c->levels[(size_t)cells[at]])
                                                     : gbs_hash_number(k, cells[at]));
        }
        gbs_row_tally_add(&tally, row, design->y != NULL ? design->y[i] : 0.0);
    }
    gbs_row_tally_end(&tally, out);
    return status;
}
