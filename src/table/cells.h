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
    bool comma;           /* csv: numbers have a decimal comma */
    bool one_by_one;      /* csv: no record is read in the short way; what comes out is the same */
    gbs_cells_part *part; /* csv: NULL: all of it */
    const char *folder;   /* cells lie in files there; NULL: in memory */
} gbs_cells_reading;

/* Rows and columns are numbered in order of first appearance. */
struct gbs_cells {
    gbs_context *ctx;
    size_t n;
    uint32_t *id[2]; /* row, column */
    double *value;   /* NULL for pairs */
    void *block;     /* what these lie in where ranks have read them together, or in a file */
    struct gbs_cells_store *store; /* while they are read to a file: in the place of these */
    char *folder;                  /* of its files, and of those of ratings; NULL: none */
    gbs_text_set names[2];
    gbs_pool pool; /* of the names */
    /* of files of features (features.c): items x features, NaN where missing; NULL: none */
    double *feature[2];
    size_t features[2];
    size_t rated[2]; /* the first of the names, which cells have; 0: all of them */
};

/* From bytes that are open; file is for messages. */
gbs_status gbs_cells_read_bytes(gbs_bytes *bytes, const char *file,
                                const gbs_cells_reading *reading, gbs_cells **out);
gbs_status gbs_cells_read_file(gbs_context *ctx, const char *path, const gbs_cells_reading *reading,
                               gbs_cells **out);

/* How many have been read, wherever they are. */
size_t gbs_cells_so_far(const gbs_cells *cells);
/* Bytes of so many cells in one block: values, rows, columns. */
size_t gbs_cells_bytes(size_t n);
/* The cells as those from number `first` on in a block of n of them, rows and columns numbered
 * anew; number NULL: as they are. in_file: the block is in one. */
gbs_status gbs_cells_put(gbs_cells *cells, uint32_t *const number[2], size_t first, size_t n,
                         bool in_file, void *block);
/* A block, filled, becomes that of the cells: all n of them. */
void gbs_cells_take_block(gbs_cells *cells, size_t n, void *block);

/* The same of ranks, each of which reads its part of a plain CSV file; every rank calls it. *done
 * false: they do not, and each reads it all (cells_ranks.c). */
gbs_status gbs_cells_read_together(gbs_context *ctx, const char *path,
                                   const gbs_cells_reading *reading, bool *done, gbs_cells **out);

#endif
