/* Cells of a matrix: row, column, value; from CSV or from a MatrixMarket coordinate file, either of
 * them gzipped. */
#ifndef GIBBSITE_TABLE_CELLS_H
#define GIBBSITE_TABLE_CELLS_H

#include "table/bytes.h"
#include "table/text_set.h"

/* The part of a CSV file that a rank reads: records that begin between two of its bytes. */
typedef struct gbs_cells_part {
    uint64_t from, to;
    bool exact;          /* a record begins at `from`; else its first is that of the next line */
    uint64_t start, end; /* told: where the first begins, and the one behind the last */
} gbs_cells_part;

typedef struct gbs_cells_reading {
    int header;  /* csv: -1 detect, 0 no header */
    bool values; /* false: pairs; a third column is not read */
    bool has_range;
    double low, high;     /* values outside are errors */
    bool one_by_one;      /* csv: no record is read in the short way; what comes out is the same */
    gbs_cells_part *part; /* csv: NULL: all of it */
} gbs_cells_reading;

/* Rows and columns are numbered in order of first appearance. */
struct gbs_cells {
    gbs_context *ctx;
    size_t n;
    uint32_t *id[2]; /* row, column */
    double *value;   /* NULL for pairs */
    void *block;     /* what these lie in where ranks have read them together; else NULL */
    gbs_text_set names[2];
    gbs_pool pool; /* of the names */
    /* of files of features (features.c): items x features, NaN where missing; NULL: none */
    double *feature[2];
    size_t features[2];
};

/* From bytes that are open; file is for messages. */
gbs_status gbs_cells_read_bytes(gbs_bytes *bytes, const char *file,
                                const gbs_cells_reading *reading, gbs_cells **out);
gbs_status gbs_cells_read_file(gbs_context *ctx, const char *path, const gbs_cells_reading *reading,
                               gbs_cells **out);

/* The same of ranks, each of which reads its part of a plain CSV file; every rank calls it. *done
 * false: they do not, and each reads it all (cells_ranks.c). */
gbs_status gbs_cells_read_together(gbs_context *ctx, const char *path,
                                   const gbs_cells_reading *reading, bool *done, gbs_cells **out);

#endif
