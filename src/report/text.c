/* A growing piece of text. */
#include "report/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool reserve(struct text *t, size_t more) {
    if (t->failed || more > SIZE_MAX / 4 - t->size) {
        t->failed = true;
        return false;
    }
    if (t->size + more + 1 <= t->room)
        return true;
    char *bytes = gbs_array_grow(t->ctx, t->bytes, &t->room, t->size + more + 1, 1);
    if (bytes == NULL) {
        t->failed = true;
        return false;
    }
    t->bytes = bytes;
    return true;
}

void gbs_text_add_bytes(struct text *t, const char *bytes, size_t size) {
    if (!reserve(t, size))
        return;
    if (size > 0)
        memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->bytes[t->size] = '\0';
}

void gbs_text_add_list(struct text *t, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    if (size >= 0 && reserve(t, (size_t)size)) {
        vsnprintf(t->bytes + t->size, (size_t)size + 1, format, again);
        t->size += (size_t)size;
    } else {
        t->failed = true;
    }
    va_end(again);
}

void gbs_text_add(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    gbs_text_add_list(t, format, args);
    va_end(args);
}

void gbs_text_free(struct text *t) {
    gbs_array_free(t->ctx, t->bytes);
    *t = (struct text){.ctx = t->ctx};
}
