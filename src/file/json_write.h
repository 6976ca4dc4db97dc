/* JSON written member by member, for people as well as for programs: a line each, two spaces a
 * level, numbers in their shortest exact form, null for what is not finite. */
#ifndef GIBBSITE_FILE_JSON_WRITE_H
#define GIBBSITE_FILE_JSON_WRITE_H

#include "core/context.h"

/* A failure is remembered and asked for once, at the end. */
typedef struct gbs_writer {
    gbs_context *ctx;
    char *bytes; /* for gbs_array_free; zero-terminated by gbs_writer_end */
    size_t size, room;
    int depth;
    bool first, failed;
} gbs_writer;

/* key NULL: an element of an array, or the outermost value. */
void gbs_writer_open(gbs_writer *w, const char *key, char bracket); /* '{' or '[' */
void gbs_writer_close(gbs_writer *w, char bracket);                 /* '}' or ']' */
void gbs_writer_number(gbs_writer *w, const char *key, double x);
void gbs_writer_count(gbs_writer *w, const char *key, size_t x);
void gbs_writer_bool(gbs_writer *w, const char *key, bool x);
void gbs_writer_text(gbs_writer *w, const char *key, const char *x); /* NULL: null */

/* Bytes of the UTF-8 character that begins here (RFC 3629); 0: there is none. */
size_t gbs_character_bytes(const char *text);

/* The text, which the caller hands back with gbs_release; size may be NULL. Fails only with
 * GBS_ERR_MEMORY. */
gbs_status gbs_writer_end(gbs_writer *w, char **text, size_t *size);

#endif
