/* Between the readers of cells: what is under way, and how one cell is added. */
#ifndef GIBBSITE_TABLE_CELLS_READER_H
#define GIBBSITE_TABLE_CELLS_READER_H

#include "table/cells.h"
#include "table/csv_cell.h"

#include <math.h>

enum { GBS_CELL_ROW, GBS_CELL_COLUMN, GBS_CELL_VALUE };

/* How a MatrixMarket file begins. */
#define GBS_MARKET_BANNER "%%MatrixMarket"

typedef struct gbs_cells_reader {
    gbs_reader reader;
    const gbs_cells_reading *options;
    gbs_cells *out;
    size_t capacity[3];
    gbs_csv_input in;
    size_t column[3]; /* csv: where row, column and value stand */
    size_t columns;   /* csv: cells of a record */
    uint64_t line;    /* MatrixMarket */
    uint64_t size[3];
} gbs_cells_reader;

/* "row", "col", "value" */
extern const char *const gbs_cell_words[3];

gbs_status gbs_cells_csv(gbs_cells_reader *r);
gbs_status gbs_cells_market(gbs_cells_reader *r);

/* As many plain records as the window holds from its begin on, which is that of a record; perhaps
 * none. */
gbs_status gbs_cells_take_together(gbs_cells_reader *r);

/* What a completion takes. */
#define GBS_LARGEST_RATING 1e100

/* A value that is no mistake. */
static inline bool gbs_cells_may_be(const gbs_cells_reading *o, double x) {
    return fabs(x) <= GBS_LARGEST_RATING && (!o->has_range || (x >= o->low && x <= o->high));
}

/* Cells of a file in a file of the folder (cells_store.c). */
gbs_status gbs_cells_store_create(gbs_context *ctx, const char *folder, gbs_cells *cells);
void gbs_cells_store_free(gbs_cells *cells);
/* Between two records: where there is a file to put cells in, those that have been read go there
 * once they are many. */
gbs_status gbs_cells_set_aside(gbs_cells_reader *r);
/* The last ones too. */
gbs_status gbs_cells_set_all_aside(gbs_cells_reader *r);

/* Room for so many more; then the two names and the value of each. */
gbs_status gbs_cells_make_room(gbs_cells_reader *r, size_t more);
gbs_status gbs_cells_add_id(gbs_cells_reader *r, int side, uint64_t line, const char *text,
                            size_t length);
gbs_status gbs_cells_add_value(gbs_cells_reader *r, uint64_t line, const char *text, size_t length);

#endif
