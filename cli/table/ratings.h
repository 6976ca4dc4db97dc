/* Ratings files: row, column, value; as CSV or as a MatrixMarket coordinate file, either of them
 * gzipped. */
#ifndef GIBBSITE_CLI_TABLE_RATINGS_H
#define GIBBSITE_CLI_TABLE_RATINGS_H

#include "levels.h"
#include "table.h"

struct ratings_options {
    int header;  /* csv: -1 detect, 0 no header */
    bool values; /* false: pairs; a third column is not read */
    bool has_range;
    double low, high;             /* values outside are errors */
    int (*cancelled)(void *user); /* polled between buffers; may be NULL */
};

/* Rows and columns are numbered in order of first appearance. */
struct ratings_table {
    char *file; /* for messages; "standard input" for - */
    size_t n;
    uint32_t *id[2]; /* row, column */
    double *value;   /* NULL for pairs */
    struct levels names[2];
};

/* CSV: the columns are those called row, col and value (or user, item, rating, and the like), in
 * any order; in a file without such names the first three. name "-" is standard input. error holds
 * at least 512 bytes. */
enum table_status ratings_read(const char *name, const struct ratings_options *options,
                               struct ratings_table *out, char *error, size_t error_size);
/* The same from bytes that are open already; file is for messages. */
struct bytes;
enum table_status ratings_read_bytes(struct bytes *bytes, const char *file,
                                     const struct ratings_options *options,
                                     struct ratings_table *out, char *error, size_t error_size);
/* Gives back all but the name of the file. */
void ratings_forget_cells(struct ratings_table *t);
void ratings_free(struct ratings_table *t);

#endif
