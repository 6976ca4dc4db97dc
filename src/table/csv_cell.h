/* Cells of a CSV file (RFC 4180), one at a time, out of the byte window.
 *
 * Quotes, doubled quotes, line breaks inside quotes; LF, CRLF or CR at the end of a record, or
 * nothing at the end of the file. Blanks around a cell do not belong to it, blanks inside quotes
 * do. A quote inside an unquoted cell (5" pipe) is an ordinary character.
 */
#ifndef GIBBSITE_TABLE_CSV_CELL_H
#define GIBBSITE_TABLE_CSV_CELL_H

#include "table/reader.h"

#define GBS_CSV_LONGEST_RECORD ((uint64_t)64 << 20)

typedef struct gbs_csv_input {
    gbs_reader *reader;
    gbs_bytes *bytes;
    char separator;
    bool after_cr;           /* the last record ended in CR; an LF next belongs to it */
    size_t column;           /* that the caller reads, from 0: for messages */
    uint64_t line;           /* of the byte at bytes->at, from 1 */
    uint64_t record_offset;  /* where the record at hand starts */
    unsigned char stop[256]; /* what ends an unquoted cell */
} gbs_csv_input;

typedef struct gbs_csv_cell {
    char *text; /* in the window: good until the next call; text[length] is no part of a number */
    size_t length;
    bool quoted;
    bool last;     /* of its record */
    uint64_t line; /* where it starts */
} gbs_csv_cell;

/* A record of copied cells: the first two of a file are looked at before anything is known about
 * its columns. */
typedef struct gbs_csv_record {
    char *text; /* cell i is the string at text + start[i] */
    size_t text_size, text_capacity;
    size_t *start;
    size_t n, capacity;
    uint64_t line;
    bool there; /* false: the file has ended */
} gbs_csv_record;

/* Skips a byte order mark, a line such as sep=; and lines of comment at the top (#; below the first
 * line of the table # is a character like any other), and chooses the separator, where the options
 * do not: as that line says, else from the first line: a comma where it has one outside quotes,
 * else a tab, a semicolon or a bar where it has these. */
gbs_status gbs_csv_open(gbs_csv_input *in, gbs_reader *r);

/* Fails for a workbook, a database, a page, text of two bytes a character and the like, once the
 * first bytes are in the window. */
gbs_status gbs_refuse_foreign(gbs_reader *r);

/* It is no part of a number or a word. */
bool gbs_csv_may_separate(char c);
/* From now on cells end at this character. */
void gbs_csv_separate(gbs_csv_input *in, char separator);
/* To the record that begins at an offset of the file (exact), else to the first line that begins
 * there or behind it. Lines are not counted on. */
gbs_status gbs_csv_jump(gbs_csv_input *in, uint64_t offset, bool exact);

/* Stands at the start of a record or, *ended, at the end of the file. The record may turn out to be
 * a blank line, which is one unquoted empty cell that is also the last: gbs_csv_is_blank_line. */
gbs_status gbs_csv_record_start(gbs_csv_input *in, bool *ended);
gbs_status gbs_csv_next(gbs_csv_input *in, gbs_csv_cell *cell);

static inline bool gbs_csv_is_blank_line(const gbs_csv_cell *first) {
    return first->last && first->length == 0 && !first->quoted;
}

gbs_status gbs_csv_record_read(gbs_csv_input *in, gbs_csv_record *record);
void gbs_csv_record_free(const gbs_context *ctx, gbs_csv_record *record);

#endif
