/* A growing piece of text in the context's memory. Running out of it is remembered, and asked for
 * once at the end. */
#ifndef GIBBSITE_REPORT_TEXT_H
#define GIBBSITE_REPORT_TEXT_H

#include "core/context.h"

#include <stdarg.h>

/* It begins as {.ctx = ...}. */
struct text {
    gbs_context *ctx;
    char *bytes; /* zero-terminated, or NULL when empty; for gbs_array_free */
    size_t size, room;
    bool failed;
};

void gbs_text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gbs_text_add_list(struct text *t, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void gbs_text_add_bytes(struct text *t, const char *bytes, size_t size);
void gbs_text_free(struct text *t);

#endif
