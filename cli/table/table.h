/* A table: what a file of rows holds before it becomes a design matrix.
 *
 *   bytes (file, gzip, stdin) --> csv | svmlight | npy --> struct table --> recipe --> design
 * (gbs_data)
 *
 * Readers stream: memory is the parsed table and a buffer, never the whole file. A reader that
 * fails leaves nothing allocated and one sentence in `error` that names file, line, column and what
 * was expected.
 */
#ifndef GIBBSITE_CLI_TABLE_H
#define GIBBSITE_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum table_format { TABLE_AUTO, TABLE_CSV, TABLE_SVMLIGHT, TABLE_NPY };

/* Exit codes of the command line are chosen from these. */
enum table_status {
    TABLE_OK = 0,
    TABLE_BAD_DATA,
    TABLE_IO,
    TABLE_NO_MEMORY,
    TABLE_CANCELLED,
    TABLE_USAGE
};

struct table_options {
    /* AUTO: by name (.csv .svm .svmlight .libsvm .npy, each with .gz), else by a look at the bytes
     */
    enum table_format format;
    int header;              /* -1 detect, 0 no header, 1 header */
    const char *const *text; /* columns (name or 1-based number) that hold categories even where
                                they look like numbers */
    size_t n_text;
    /* The wishes come from a model, not from the command line: `text` is matched by name alone, a
     * name that is absent is no mistake, and messages point at no option of fit. */
    bool from_model;
    const char *const
        /* csv: columns (name or number) whose cells are not even read; one that does not exist is
           ignored */
        *drop;
    size_t n_drop;
    /* csv without names: when there are `unread_of` columns, column `unread` (from 0) is not read;
     * unread_of 0: never */
    size_t unread, unread_of;
    /* a missing cell becomes NaN, in text columns too; otherwise it is an error */
    bool keep_missing;
    /* csv with names: asked once per column; a true answer leaves its cells unread (all NaN), so
     * that neither a missing value nor too many levels in a column nobody uses is an error. May be
     * NULL. */
    bool (*skip)(void *user, const char *name);
    int (*cancelled)(void *user); /* polled between buffers; may be NULL */
    void *user;
};

struct table_column {
    char *name;    /* from the header, else "V1", "V2", ... */
    bool is_text;  /* cells are indices into levels */
    bool skipped;  /* dropped, skipped or unread: cells are NaN */
    char **levels; /* in order of first appearance */
    size_t n_levels;
};

/* Dense (csv, npy): cells row-major n_rows x n_columns; a text cell holds its level index as a
 * double, a missing one NaN. Sparse (svmlight): cells == NULL, the CSR arrays and label are set,
 * n_columns counts the features only, and columns == NULL.
 */
struct table {
    char *file; /* for messages; "standard input" for - */
    enum table_format format;
    size_t n_rows, n_columns;
    bool has_header;
    struct table_column *columns;
    double *cells;
    uint64_t *line;    /* csv, svmlight: NULL when row i is line i + 1 + has_header, as in a file
                          without blank lines */
    size_t *row_start; /* n_rows + 1 */
    uint32_t *index;   /* from 0, increasing within a row */
    double *value;
    double *label;
};

/* name "-" is standard input. error holds at least 512 bytes. */
enum table_status table_read(const char *name, const struct table_options *options,
                             struct table *out, char *error, size_t error_size);
void table_free(struct table *t);
/* Gives the cells back early, where a design has copies of its own; names, lines and sizes stay. */
void table_free_cells(struct table *t);

/* Line of row i in its file, for messages (csv and svmlight). */
uint64_t table_line(const struct table *t, size_t row);

#endif
