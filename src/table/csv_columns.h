/* Between csv.c (rows) and csv_header.c (what the first records say about the columns). Not called
 * csv.h: libcsv has that name.
 */
#ifndef GIBBSITE_TABLE_CSV_COLUMNS_H
#define GIBBSITE_TABLE_CSV_COLUMNS_H

#include "table/csv_cell.h"
#include "table/number.h"
#include "table/reader.h"
#include "table/text_set.h"

enum gbs_csv_kind { GBS_CSV_UNDECIDED, GBS_CSV_NUMERIC, GBS_CSV_TEXT, GBS_CSV_SKIPPED };

typedef struct gbs_csv {
    gbs_reader *reader;
    gbs_table *table;
    gbs_csv_input in;
    unsigned char *kind;    /* of each column, an enum gbs_csv_kind */
    uint64_t *first_number; /* the line whose cell made a column numeric */
    uint64_t *first_mark;   /* of an undecided column: the line of its first level, a mark */
    uint64_t *first_gap;    /* of an unnamed column: the line of its first cell, an empty one */
    gbs_text_set *levels;   /* of each column */
    size_t *keep; /* of each column: which of those that are kept, from 1; NULL: none is */
    size_t cell_capacity;
    bool hash;                          /* the record at hand begins with # */
    size_t untold;                      /* rows since the last word on the progress */
    uint64_t first_line, previous_line; /* of the first record; of the row before the one at hand */
    /* of a table in pieces: the one at hand, the rows before it, the line that it begins on; and
     * the names of the columns as they stand in the first file, NULL: it has none */
    size_t piece, before;
    uint64_t line;
    const gbs_csv_record *names;
} gbs_csv;

#define GBS_CSV_COMMENTS " (lines that begin with # are comments above the first line alone)"

/* What a cell of column j becomes (csv_store.c); *to is the table's. */
gbs_status gbs_csv_store(gbs_csv *c, size_t j, const gbs_csv_cell *cell, double *to);
/* What a cell is by itself, with the decimal sign of the file. */
gbs_number_kind gbs_csv_number_kind(const gbs_csv *c, const gbs_csv_cell *cell, double *to);
/* The options say that such a cell is a missing value. */
bool gbs_csv_declared_missing(const gbs_csv *c, const gbs_csv_cell *cell);
/* The first number of a column: the marks before it were missing values. */
gbs_status gbs_csv_start_numbers(gbs_csv *c, size_t j, const gbs_csv_cell *cell);

/* Every whole number below is a double; the digits of the largest double. */
#define GBS_ALL_WHOLE 0x1p53
enum { GBS_LONGEST_WHOLE = 320 };
/* The caller may settle what is in doubt by options: he learns from the table. */
static inline bool gbs_csv_asks(const gbs_csv *c) {
    return !c->reader->options->from_model && !c->reader->options->names_first;
}

/* Of a column of numbers the first cell such as 01234 is remembered. */
static inline void gbs_csv_note_code(gbs_csv *c, size_t j, const char *text, size_t length,
                                     double value) {
    if (text[0] == '0' && length > 1 && c->table->columns[j].code == 0)
        c->table->columns[j].code = gbs_code_of(text, length, value);
}

/* A column without a name and without a value is what separators at the ends of lines make; its
 * levels are the table's. */
void gbs_csv_leave_out_empty(gbs_context *ctx, gbs_table *t, size_t j, unsigned char kind);

/* A table in pieces (pieces.c): the reader has the columns, and goes to the first piece. */
gbs_status gbs_csv_first_piece(gbs_csv *c);
/* The record at hand belongs to the next piece, or the file has ended; goes there. *over: there is
 * none, or the table is not in pieces. */
gbs_status gbs_csv_next_piece(gbs_csv *c, bool *over);
static inline bool gbs_csv_piece_ends(const gbs_csv *c) {
    const gbs_pieces *p = c->reader->options->pieces;
    return p != NULL && (c->piece >= p->count || c->in.record_offset >= p->piece[c->piece].end);
}

/* What the lines below the first say of it (csv_evidence.c), which is then still the one read last.
 */
typedef struct gbs_csv_evidence {
    double odds;        /* log odds of a header */
    size_t rows;        /* that were looked at */
    size_t texts;       /* cells of line 1 that are one */
    size_t empty;       /* that say nothing */
    size_t others;      /* numbers, and marks of missing values */
    size_t best, worst; /* columns that speak most for a header, and for a row; SIZE_MAX: none */
    bool series;        /* its numbers may be names: no number below is like them */
    bool zero_below;    /* the next line begins with the cell 0 */
} gbs_csv_evidence;
gbs_status gbs_csv_weigh(gbs_csv *c, const gbs_csv_record *first, gbs_csv_evidence *out);

/* Reads the first record, and decides or asks. */
gbs_status gbs_csv_detect_header(gbs_csv *c, gbs_csv_record *first, bool *header);

/* Names the columns and notes which of them the options call text or skip. */
gbs_status gbs_csv_make_columns(gbs_csv *c, const gbs_csv_record *first, bool header);

#endif
