/* A source of bytes: a file, standard input or a block of memory, gunzipped on the way when its
 * first bytes say gzip.
 *
 * Readers look at a window [at, end) and move `at` past what they used. The byte at `end` is always
 * '\0', so that a scanner may stop at it instead of counting. When the window holds too little,
 * bytes_more keeps what was not used and reads on.
 */
#ifndef GIBBSITE_CLI_TABLE_BYTES_H
#define GIBBSITE_CLI_TABLE_BYTES_H

#include "table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BYTES_BUFFER ((size_t)1 << 20)

struct bytes {
    char *at, *end;    /* the window */
    bool last;         /* nothing follows the window */
    char message[160]; /* why a call failed, without the file's name */

    char *buffer;
    size_t capacity;
    uint64_t before; /* bytes that went through the buffer before its first one */
    struct bytes_origin *origin;
};

/* name "-" is standard input. buffer_size 0 means BYTES_BUFFER; tests take tiny ones to cut the
 * input everywhere. cancelled may be NULL. After a failure the source needs no closing. */
enum table_status bytes_open(struct bytes *b, const char *name, size_t buffer_size,
                             int (*cancelled)(void *user), void *user);

/* The block stays the caller's and must outlive the source. */
enum table_status bytes_open_memory(struct bytes *b, const void *data, size_t size,
                                    size_t buffer_size, int (*cancelled)(void *user), void *user);

/* Moves [at, end) to the front and reads until the buffer is full; a buffer more than half taken by
 * unused bytes doubles first, so whoever waits for the end of something has to say how long it may
 * get. */
enum table_status bytes_more(struct bytes *b);

/* How many bytes of the (gunzipped) input lie before `at`. */
uint64_t bytes_offset(const struct bytes *b);

void bytes_close(struct bytes *b);

#endif
