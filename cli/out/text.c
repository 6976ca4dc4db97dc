/* A growing piece of text. */
#include "out/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct text *t, size_t more) {
    if (t->failed || more > (size_t)-1 / 4 - t->size) {
        t->failed = true;
        return false;
    }
    if (t->size + more + 1 <= t->room)
        return true;
    size_t room = (t->size + more + 1) * 3 / 2 + 64;
    char *bytes = realloc(t->bytes, room);
    if (bytes == NULL) {
        t->failed = true;
        return false;
    }
    t->bytes = bytes;
    t->room = room;
    return true;
}

void text_add_bytes(struct text *t, const char *bytes, size_t size) {
    if (!reserve(t, size))
        return;
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->bytes[t->size] = '\0';
}

void text_add(struct text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    if (size >= 0 && reserve(t, (size_t)size)) {
        vsnprintf(t->bytes + t->size, (size_t)size + 1, format, again);
        t->size += (size_t)size;
    } else {
        t->failed = true;
    }
    va_end(again);
    va_end(args);
}

void text_add_number(struct text *t, double x) {
    char buffer[40];
    int size = 0;
    for (int digits = 15; digits <= 17; digits++) {
        size = snprintf(buffer, sizeof buffer, "%.*g", digits, x);
        if (strtod(buffer, NULL) == x)
            break;
    }
    text_add_bytes(t, buffer, (size_t)size);
}

void text_add_cell(struct text *t, const char *cell) {
    if (strpbrk(cell, ",\"\r\n") == NULL) {
        text_add_bytes(t, cell, strlen(cell));
        return;
    }
    text_add_bytes(t, "\"", 1);
    for (; *cell != '\0'; cell++) {
        if (*cell == '"')
            text_add_bytes(t, "\"", 1);
        text_add_bytes(t, cell, 1);
    }
    text_add_bytes(t, "\"", 1);
}

void text_free(struct text *t) {
    free(t->bytes);
    *t = (struct text){0};
}

bool text_ends_in(const char *text, const char *ending) {
    size_t a = strlen(text), b = strlen(ending);
    return a >= b && strcmp(text + a - b, ending) == 0;
}
