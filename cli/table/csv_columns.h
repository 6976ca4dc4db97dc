/* Between csv.c (rows) and csv_header.c (what the first records say about the columns). Not called
 * csv.h: libcsv has that name.
 */
#ifndef GIBBSITE_CLI_TABLE_CSV_COLUMNS_H
#define GIBBSITE_CLI_TABLE_CSV_COLUMNS_H

#include "csv_cell.h"
#include "levels.h"
#include "reader.h"

enum csv_kind { CSV_UNDECIDED, CSV_NUMERIC, CSV_TEXT, CSV_SKIPPED };

struct csv {
    struct reader *reader;
    struct table *table;
    struct csv_input in;
    unsigned char *kind;    /* of each column, an enum csv_kind */
    uint64_t *first_number; /* the line whose cell made a column numeric */
    struct levels *levels;  /* of each column */
    size_t cell_capacity;
    uint64_t first_line, previous_line; /* of the first record; of the row before the one at hand */
};

/* Reads the first record and, where the answer needs it, the second. */
enum table_status csv_detect_header(struct csv *c, struct csv_record *first,
                                    struct csv_record *second, bool *header);

/* Names the columns and notes which of them the options call text or skip. */
enum table_status csv_make_columns(struct csv *c, const struct csv_record *first, bool header);

#endif
