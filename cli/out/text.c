/* A growing piece of text. */
#include "out/text.h"

#include "gibbsite.h"

#include <ctype.h>
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

void text_add_list(struct text *t, const char *format, va_list args) {
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

void text_add(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_add_list(t, format, args);
    va_end(args);
}

void text_add_number(struct text *t, double x) {
    if (reserve(t, GBS_NUMBER_ROOM))
        t->size += gbs_print_number(x, t->bytes + t->size);
}

void text_add_count(struct text *t, size_t n, char after) {
    char digits[GBS_NUMBER_ROOM], *end = digits + sizeof digits, *at = end;
    *--at = after;
    do
        *--at = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    text_add_bytes(t, at, (size_t)(end - at));
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

size_t utf8_length(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    static const unsigned char first_low[] = {0xa0, 0x80, 0x80, 0x90, 0x80};
    size_t length = s[0] < 0x80                   ? 1
                    : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                    : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                    : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                  : 0;
    for (size_t k = 1; k < length; k++)
        if (s[k] < 0x80 || s[k] > 0xbf)
            return 0;
    if ((s[0] == 0xe0 && s[1] < first_low[0]) || (s[0] == 0xf0 && s[1] < first_low[3]))
        return 0;
    if ((s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

bool utf8_is_control(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    return iscntrl(s[0]) || (s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f);
}

struct counted counted(size_t n, const char *noun) {
    struct counted c;
    snprintf(c.text, sizeof c.text, "%zu %s%s", n, noun, n == 1 ? "" : "s");
    return c;
}

/* What rounding may have left of a whole number is not rounded up. */
double text_up(double bound, int decimals) {
    double unit = pow(10.0, decimals), up = ceil(bound * unit - 1e-9) / unit;
    return isfinite(up) ? up : bound;
}

double text_up_digits(double bound, int digits) {
    return bound > 0.0 ? text_up(bound, digits - 1 - (int)floor(log10(bound))) : bound;
}

double text_down(double bound, int decimals) {
    return -text_up(-bound, decimals);
}
