/* Cells of a CSV file (RFC 4180), one at a time, out of the byte window.
 *
 * Quotes, doubled quotes, line breaks inside quotes; LF, CRLF or CR at the end of a record, or
 * nothing at the end of the file. Blanks around a cell do not belong to it, blanks inside quotes
 * do. A quote inside an unquoted cell (5" pipe) is an ordinary character.
 */
#ifndef GIBBSITE_CLI_TABLE_CSV_CELL_H
#define GIBBSITE_CLI_TABLE_CSV_CELL_H

#include "reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CSV_LONGEST_RECORD ((uint64_t)64 << 20)

struct csv_input {
    struct reader *reader;
    struct bytes *bytes;
    char separator;
    bool after_cr;           /* the last record ended in CR; an LF next belongs to it */
    uint64_t line;           /* of the byte at bytes->at, from 1 */
    uint64_t record_offset;  /* where the record at hand starts */
    unsigned char stop[256]; /* what ends an unquoted cell */
};

struct cell {
    char *text; /* in the window: good until the next call; text[length] is no part of a number */
    size_t length;
    bool quoted;
    bool last;     /* of its record */
    uint64_t line; /* where it starts */
};

/* A record of copied cells: the first two of a file are looked at before anything is known about
 * its columns. */
struct csv_record {
    char *text; /* cell i is the string at text + start[i] */
    size_t text_size, text_capacity;
    size_t *start;
    size_t n, capacity;
    uint64_t line;
    bool there; /* false: the file has ended */
};

/* Skips a byte order mark and chooses the separator from the first line: a comma where it has one
 * outside quotes, else a tab, else a semicolon where it has these. */
enum table_status csv_open(struct csv_input *in, struct reader *r);

/* Stands at the start of a record or, *ended, at the end of the file. The record may turn out to be
 * a blank line, which is one unquoted empty cell that is also the last: csv_is_blank_line. */
enum table_status csv_record_start(struct csv_input *in, bool *ended);
enum table_status csv_cell(struct csv_input *in, struct cell *cell);

static inline bool csv_is_blank_line(const struct cell *first) {
    return first->last && first->length == 0 && !first->quoted;
}

enum table_status csv_record_read(struct csv_input *in, struct csv_record *record);
void csv_record_free(struct csv_record *record);

#endif
