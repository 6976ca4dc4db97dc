/* Numbers and texts one after the other as bytes: what describes the columns of a cache, and what
 * ranks tell one another of theirs. Numbers are eight bytes, a text is its length and its bytes.
 */
#ifndef GIBBSITE_TABLE_WORDS_H
#define GIBBSITE_TABLE_WORDS_H

#include "core/pool.h"

/* Written: grows as they come. */
typedef struct gbs_words {
    gbs_context *ctx;
    unsigned char *at; /* the caller frees it */
    size_t size, capacity;
    bool failed; /* out of memory */
} gbs_words;

void gbs_words_put(gbs_words *w, const void *from, size_t size);
void gbs_words_number(gbs_words *w, uint64_t x);
void gbs_words_text(gbs_words *w, const char *text);

/* Read, from the front. */
typedef struct gbs_words_in {
    const unsigned char *at, *end;
    bool bad; /* they end early, or a text has an end within it */
} gbs_words_in;

/* So many bytes, where they lie; NULL: bad. */
const unsigned char *gbs_words_take(gbs_words_in *w, size_t size);
uint64_t gbs_words_take_number(gbs_words_in *w);
/* Its bytes, without an end; NULL: bad. */
const char *gbs_words_take_text(gbs_words_in *w, size_t *size);

#endif
