/* What the three readers share: the input, the options, the table under construction and the way to
 * say what is wrong. */
#ifndef GIBBSITE_CLI_TABLE_READER_H
#define GIBBSITE_CLI_TABLE_READER_H

#include "bytes.h"
#include "table.h"

#include <stddef.h>
#include <stdint.h>

#define TABLE_MOST_COLUMNS ((size_t)1000000)
#define TABLE_LONGEST_CELL ((size_t)1 << 20)

struct reader {
    struct bytes *bytes;
    const struct table_options *options;
    struct table *out;
    size_t line_capacity;
    char *error;
    size_t error_size;
};

enum table_status csv_read(struct reader *r);
enum table_status svmlight_read(struct reader *r);
enum table_status npy_read(struct reader *r);

/* table_read on an open source, which stays open; name is for messages and for the format its
 * ending says. */
enum table_status table_read_bytes(struct bytes *bytes, const char *name,
                                   const struct table_options *options, struct table *out,
                                   char *error, size_t error_size);

/* "file: ..." and "file:line: ..."; the latter is always TABLE_BAD_DATA. */
enum table_status reader_fail(struct reader *r, enum table_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum table_status reader_fail_at(struct reader *r, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum table_status reader_no_memory(struct reader *r);

enum table_status reader_more(struct reader *r);

/* Remembers that the next row (out->n_rows) stands on this line; costs memory only once that is not
 * the obvious one. */
enum table_status reader_note_line(struct reader *r, uint64_t line);

/* "V1", "V2", ...: the names of columns that have none. */
bool reader_default_name(char **name, size_t column);

/* items of `size` bytes: an array of at least `needed`, half as large again when it grows. NULL: no
 * memory, array untouched. */
void *grown(void *array, size_t *capacity, size_t needed, size_t size);

/* Gives the slack back. */
void *shrunk(void *array, size_t used, size_t size);

/* Text from a file, fit for a message: at most 40 characters, the unprintable ones escaped. */
struct shown {
    char text[40 * 4 + 4];
};
struct shown shown(const char *text, size_t length);

/* Bytes of the UTF-8 character at p (1 to 4), 0 where there is none. */
size_t utf8_character(const char *p, const char *end);

#endif
