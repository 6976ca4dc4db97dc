/* A table: what a file of rows holds before it becomes rows of features.
 *
 *   bytes (file, gzip, stdin) --> csv | svmlight | npy --> gbs_table --> gbs_recipe --> gbs_data
 *
 * Readers stream: memory is the parsed table and a buffer, never the whole file. A reader that
 * fails leaves nothing allocated and one sentence on the context that names file, line, column and
 * what was expected.
 */
#ifndef GIBBSITE_TABLE_TABLE_H
#define GIBBSITE_TABLE_TABLE_H

#include "core/pages.h"
#include "table/keep.h"
#include "table/text_set.h"

#include <stdatomic.h>

/* Cells in a file (cache.h). */
typedef struct gbs_cache gbs_cache;

/* In the order of the option `format`. */
typedef enum gbs_table_format {
    GBS_TABLE_AUTO,
    GBS_TABLE_CSV,
    GBS_TABLE_SVMLIGHT,
    GBS_TABLE_NPY
} gbs_table_format;

/* Bytes of one of the files that hold a table: the records that begin in them. */
typedef struct gbs_piece {
    const char *path;
    uint64_t begin, end; /* end UINT64_MAX: to the end of the file */
    size_t rows, lines;  /* told by the reader: what it found there */
} gbs_piece;

/* A table in several files, or the part of one that a rank reads (pieces.c, together.c). The
 * columns are those of the file that the reader is given, the first one of all. */
typedef struct gbs_pieces {
    gbs_piece *piece; /* in order */
    size_t count;
    bool from_start; /* the first piece begins where that file does */
    bool exact;      /* or else with a record; otherwise with the first line that begins in it */
    bool part;       /* others read other parts: types are settled later */
    uint64_t head;   /* of a part that begins elsewhere: bytes of the first file whose rows tell the
                      types of most columns */
    unsigned char *kind; /* of a part, of each column, an enum gbs_csv_kind: as others found it
                            (NULL: nobody did); freed by the caller, told by the reader */
    uint64_t start, end; /* told by the reader: in the first and the last piece, where the first
                            record begins, and the first that is not read */
} gbs_pieces;

/* How a file is read. */
typedef struct gbs_reading {
    /* AUTO: by name (.csv .svm .svmlight .libsvm .npy, each with .gz), else by a look at the bytes
     */
    gbs_table_format format;
    int header;              /* -1 detect, 0 no header, 1 header */
    const char *const *text; /* columns (name or 1-based number) that hold categories even where
                                they look like numbers */
    size_t n_text;
    /* The wishes come from a recipe, not from a caller: `text` is matched by name alone, a name
     * that is absent is no mistake, and messages point at no option of fit. */
    bool from_model;
    bool fills; /* and fills missing cells, unless options say otherwise */
    bool named; /* the recipe's columns have names: numbers in a first line may be those */
    /* NULL, or what the label is asked for by: for messages, and for names that come twice */
    const char *target;
    const char *weights, *group; /* the same, for messages alone */
    /* csv: columns (name or number) whose cells are not even read; one that does not exist is
     * ignored */
    const char *const *drop;
    size_t n_drop;
    /* csv without names: when there are `unread_of` columns, column `unread` (from 0) is not read;
     * unread_of 0: never */
    size_t unread, unread_of;
    /* a missing cell becomes NaN, in text columns too; otherwise it is an error */
    bool keep_missing;
    bool names_first; /* csv: the first column holds names, even where they look like numbers */
    char separator;   /* csv; 0: by a look at the first line */
    bool comma;       /* csv: numbers have a decimal comma */
    /* csv: cells that are missing wherever they stand, besides the well-known marks */
    const char *const *na;
    size_t n_na;
    /* csv: columns (name or number) whose cells are kept as they stand, read or not */
    const char *const *keep;
    size_t n_keep;
    /* csv with names: asked once per column; a true answer leaves its cells unread (all NaN), so
     * that neither a missing value nor too many levels in a column nobody uses is an error. May be
     * NULL. */
    bool (*skip)(void *user, const char *name);
    /* csv: are these the cells of a header, since they hold all the names that are looked for? May
     * be NULL. Fails with GBS_ERR_MEMORY alone. */
    gbs_status (*knows)(void *user, const char *const *cell, size_t n, bool *out);
    void *user;
    /* csv, svmlight: whenever so many rows are there, and at the end, they are handed out and then
     * forgotten; 0: the table is read whole. `before`: rows that were handed out earlier. */
    size_t part;
    gbs_status (*take)(void *user, struct gbs_table *part, size_t before);
    void *taker;
    /* cells go to a file; the caller hands it to the table, or frees it. NULL: to memory */
    gbs_cache *store;
    uint64_t expected;  /* bytes of the file, for the progress; 0: nobody knows */
    gbs_pieces *pieces; /* csv; NULL: the file is the table */
} gbs_reading;

typedef struct gbs_column {
    const char *name;    /* from the header, else "V1", "V2", ... */
    bool is_text;        /* cells are indices into levels */
    bool guessed;        /* text because its cells are, not because somebody said so */
    bool unnamed;        /* the header has no name for it */
    bool skipped;        /* dropped, skipped or unread: cells are NaN */
    const char **levels; /* in order of first appearance */
    size_t n_levels;
    uint64_t code; /* of numbers: the first cell that is a code such as 01234; 0: none is */
} gbs_column;

/* Digits that begin with a zero, three at least, since 08 is an hour or a month as well, and no
 * more than a double holds: 16 times their value and how many they are. 0: the text is something
 * else. */
enum { GBS_CODE_FEWEST = 3, GBS_CODE_MOST = 15 };
static inline uint64_t gbs_code_of(const char *text, size_t length, double value) {
    size_t digits = 0;
    while (digits < length && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    bool is = digits == length && text[0] == '0' && length >= GBS_CODE_FEWEST &&
              length <= GBS_CODE_MOST;
    return is ? (uint64_t)value << 4 | length : 0;
}

/* One of several files that hold a table. */
typedef struct gbs_shard {
    const char *file;
    size_t first; /* row */
} gbs_shard;

/* Dense (csv, npy, memory): cells row-major n_rows x n_columns; a text cell holds its level index
 * as a double, a missing one NaN. Sparse (svmlight): cells == NULL, the CSR arrays and label are
 * set, n_columns counts the features only, and columns == NULL.
 */
struct gbs_table {
    gbs_context *ctx;
    atomic_size_t holders; /* the caller, and data that borrows the cells */
    char *file;            /* for messages; "standard input" for -; NULL: made in memory */
    gbs_table_format format;
    size_t n_rows, n_columns;
    size_t added;       /* memory: columns that are there */
    gbs_text_set names; /* and what they are called */
    bool has_header;
    gbs_column *columns;
    double *cells;    /* where `in_file`, those of `store` */
    bool in_file;     /* the cells, or index and value, lie in a file, not in memory */
    gbs_cache *store; /* taken over by gbs_table_store */
    size_t every;     /* rows between two times that their pages are dropped */
    gbs_spill spill;  /* where arrays go that are made of the cells; no folder: to memory */
    uint64_t *line;   /* csv, svmlight: NULL when row i is line i + 1 + has_header, as in a file
                          without blank lines */
    gbs_shard *shard; /* of the rows, where they come from several files; NULL: from one */
    size_t n_shards;
    size_t *row_start; /* n_rows + 1 */
    uint32_t *index;   /* from 0, increasing within a row */
    double *value;
    double *label;
    gbs_pool pool;        /* names and levels */
    gbs_kept kept;        /* `keep` */
    gbs_column_look look; /* of the column asked for last */
};

/* An empty table; file NULL: in memory. */
gbs_status gbs_table_new(gbs_context *ctx, const char *file, gbs_table **out);
/* One more who keeps it: gbs_table_free takes it back. */
void gbs_table_hold(gbs_table *t);

/* name "-" is standard input. */
gbs_status gbs_table_read_file(gbs_context *ctx, const char *name, const gbs_reading *reading,
                               gbs_table **out);

/* The file that the cells lie in becomes the table's. */
void gbs_table_store(gbs_table *t, gbs_cache *store);
/* Arrays made of the cells go to files in this folder. */
gbs_status gbs_table_spill(gbs_table *t, const char *folder);
/* NULL: to memory. */
const gbs_spill *gbs_table_spills(const gbs_table *t);

/* A loop over rows, ascending, is at its i-th, `row`, and through with those before: now and then
 * their pages leave memory. */
static inline void gbs_table_passed(const gbs_table *t, size_t i, size_t row) {
    if (t->in_file && t->cells != NULL && i % t->every == 0)
        gbs_pages_drop(t->cells, t->cells + row * t->n_columns);
}

/* What a message says to do about a missing value, or label, weight or group (input false); whether
 * it may be filled in, and the fit or the model does so already. */
const char *gbs_missing_hint(bool input, bool may_fill, bool fills);

/* Line of row i in its file (csv and svmlight). */
uint64_t gbs_table_line(const gbs_table *t, size_t row);

/* What a message calls a file: "-" is standard input. */
const char *gbs_file_name(const char *path);

/* What a message calls the table, and row i of it: "train.csv", "train.csv:7"; "the table",
 * "row 6". */
typedef struct gbs_place {
    char text[512];
} gbs_place;
gbs_place gbs_table_place(const gbs_table *t);
gbs_place gbs_row_place(const gbs_table *t, size_t row);

/* A table of no cells that knows where the rows of t stand. */
gbs_status gbs_table_places(const gbs_table *t, gbs_table **out);

/* "V1", "V2", ...: the names of columns that have none. */
const char *gbs_default_name(gbs_context *ctx, gbs_pool *pool, size_t column);

/* Column by name, or by number from 1; SIZE_MAX when there is none. */
size_t gbs_table_find(const gbs_table *t, const char *name);

#endif
