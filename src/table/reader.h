/* What the readers share: the input, the options, the table under construction and the way to
 * say what is wrong. */
#ifndef GIBBSITE_TABLE_READER_H
#define GIBBSITE_TABLE_READER_H

#include "table/bytes.h"
#include "table/shown.h"
#include "table/table.h"

#define GBS_TABLE_MOST_COLUMNS ((size_t)1000000)
#define GBS_TABLE_MOST_LEVELS ((size_t)100000)
#define GBS_TABLE_LONGEST_CELL ((size_t)1 << 20)
#define GBS_TABLE_LONGEST_NAME 200 /* of a column that shares its name with another */

typedef struct gbs_reader {
    gbs_context *ctx;
    gbs_bytes *bytes;
    const gbs_reading *options;
    gbs_table *out;
    const char *file; /* for messages */
    size_t line_capacity;
    size_t before; /* rows that were handed out */
    bool quiet;    /* what is wrong with the data is not said: the rows are read once more */
} gbs_reader;

/* What the options say that a file is, else the ending of its name; AUTO: its bytes will tell. */
gbs_table_format gbs_format_of(const char *name, const gbs_reading *reading);

gbs_status gbs_csv_read(gbs_reader *r);
gbs_status gbs_svmlight_read(gbs_reader *r);
gbs_status gbs_npy_read(gbs_reader *r);

/* gbs_table_read_file on an open source, which stays open; name is for messages and for the format
 * its ending says. */
gbs_status gbs_table_read_bytes(gbs_bytes *bytes, const char *name, const gbs_reading *reading,
                                gbs_table **out);

/* "file: ..." and "file:line: ..."; the latter is always GBS_ERR_DATA. */
gbs_status gbs_reader_fail(gbs_reader *r, gbs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
gbs_status gbs_reader_fail_at(gbs_reader *r, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
gbs_status gbs_reader_no_memory(gbs_reader *r);

gbs_status gbs_reader_more(gbs_reader *r);

/* Remembers that the next row (out->n_rows) stands on this line; costs memory only once that is not
 * the obvious one. */
gbs_status gbs_reader_note_line(gbs_reader *r, uint64_t line);

/* As many rows are there as a part has. */
bool gbs_reader_part_is_full(const gbs_reader *r);
/* Hands the rows that are there out, and forgets them. */
gbs_status gbs_reader_hand_out(gbs_reader *r);

/* Gives the slack of an array back. */
void *gbs_reader_trim(gbs_reader *r, void *array, size_t used, size_t size);

#endif
