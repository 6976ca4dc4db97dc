/* A source of bytes: a file, standard input or a block of memory, gunzipped on the way when its
 * first bytes say gzip.
 *
 * Readers look at a window [at, end) and move `at` past what they used. The byte at `end` is always
 * '\0', so that a scanner may stop at it instead of counting. When the window holds too little,
 * gbs_bytes_more keeps what was not used and reads on.
 */
#ifndef GIBBSITE_TABLE_BYTES_H
#define GIBBSITE_TABLE_BYTES_H

#include "core/context.h"

#define GBS_BYTES_BUFFER ((size_t)1 << 20)

typedef struct gbs_bytes {
    gbs_context *ctx;
    char *at, *end;    /* the window */
    bool last;         /* nothing follows the window */
    char message[160]; /* why a call failed, without the file's name */

    char *buffer;
    size_t capacity;
    uint64_t before; /* bytes that went through the buffer before its first one */
    struct gbs_bytes_origin *origin;
} gbs_bytes;

/* name "-" is standard input. buffer_size 0 means GBS_BYTES_BUFFER; tests take tiny ones to cut the
 * input everywhere. After a failure the source needs no closing. */
gbs_status gbs_bytes_open(gbs_context *ctx, const char *name, size_t buffer_size, gbs_bytes *b);

/* The block stays the caller's and must outlive the source. */
gbs_status gbs_bytes_open_memory(gbs_context *ctx, const void *data, size_t size,
                                 size_t buffer_size, gbs_bytes *b);

/* Moves [at, end) to the front and reads until the buffer is full; a buffer more than half taken by
 * unused bytes doubles first, so whoever waits for the end of something has to say how long it may
 * get. */
gbs_status gbs_bytes_more(gbs_bytes *b);

/* How many bytes of the (gunzipped) input lie before `at`. */
uint64_t gbs_bytes_offset(const gbs_bytes *b);

/* To another place of a plain file, as the next byte to be read. */
gbs_status gbs_bytes_seek(gbs_bytes *b, uint64_t offset);

/* The input is gunzipped on the way. */
bool gbs_bytes_is_gzip(const gbs_bytes *b);

void gbs_bytes_close(gbs_bytes *b);

#endif
