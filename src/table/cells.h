/* Cells of a matrix: row, column, value; from CSV or from a MatrixMarket coordinate file, either of
 * them gzipped. */
#ifndef GIBBSITE_TABLE_CELLS_H
#define GIBBSITE_TABLE_CELLS_H

#include "table/bytes.h"
#include "table/text_set.h"

typedef struct gbs_cells_reading {
    int header;  /* csv: -1 detect, 0 no header */
    bool values; /* false: pairs; a third column is not read */
    bool has_range;
    double low, high; /* values outside are errors */
    bool one_by_one;  /* csv: no record is read in the short way; what comes out is the same */
} gbs_cells_reading;

/* Rows and columns are numbered in order of first appearance. */
struct gbs_cells {
    gbs_context *ctx;
    size_t n;
    uint32_t *id[2]; /* row, column */
    double *value;   /* NULL for pairs */
    gbs_text_set names[2];
    gbs_pool pool; /* of the names */
    /* of files of features (features.c): items x features, NaN where missing; NULL: none */
    double *feature[2];
    size_t features[2];
};

/* From bytes that are open; file is for messages. */
gbs_status gbs_cells_read_bytes(gbs_bytes *bytes, const char *file,
                                const gbs_cells_reading *reading, gbs_cells **out);

#endif
