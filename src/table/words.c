/* Numbers and texts as bytes (words.h). */
#include "table/words.h"

#include <string.h>

void gbs_words_put(gbs_words *w, const void *from, size_t size) {
    unsigned char *at = w->failed ? NULL
                                  : gbs_array_grow(w->ctx, w->at, &w->capacity, w->size + size, 1);
    w->failed = at == NULL;
    if (w->failed)
        return;
    w->at = at;
    if (size > 0)
        memcpy(at + w->size, from, size);
    w->size += size;
}

void gbs_words_number(gbs_words *w, uint64_t x) {
    gbs_words_put(w, &x, sizeof x);
}

void gbs_words_text(gbs_words *w, const char *text) {
    gbs_words_number(w, strlen(text));
    gbs_words_put(w, text, strlen(text));
}

const unsigned char *gbs_words_take(gbs_words_in *w, size_t size) {
    const unsigned char *at = w->at;
    w->bad = w->bad || (size_t)(w->end - w->at) < size;
    if (w->bad)
        return NULL;
    w->at += size;
    return at;
}

uint64_t gbs_words_take_number(gbs_words_in *w) {
    uint64_t x = 0;
    const unsigned char *at = gbs_words_take(w, sizeof x);
    if (at != NULL)
        memcpy(&x, at, sizeof x);
    return x;
}

const char *gbs_words_take_text(gbs_words_in *w, size_t *size) {
    *size = (size_t)gbs_words_take_number(w);
    const unsigned char *at = gbs_words_take(w, *size);
    w->bad = w->bad || memchr(at, '\0', *size) != NULL;
    return w->bad ? NULL : (const char *)at;
}
