/* Lines that end where the screen does. */
#include "out/lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct layout {
    size_t inset, indent, width; /* columns before a heading, before words, of a line */
};

static struct layout layout_of(enum line_kind kind) {
    return kind == LINE_SHORT ? (struct layout){0, 14, 80} : (struct layout){2, 16, 100};
}

/* Bytes of the character that begins here, 1 where none does. */
static size_t character(const char *text) {
    size_t length = utf8_length(text);
    return length > 0 ? length : 1;
}

/* Wide characters have three bytes or four; that some of these are narrow does no harm. */
static size_t columns_of(size_t bytes) {
    return bytes >= 3 ? 2 : 1;
}

size_t line_columns(const char *text, size_t size) {
    size_t columns = 0;
    for (size_t at = 0; at < size; at += character(text + at))
        columns += columns_of(character(text + at));
    return columns;
}

static void spaces(struct text *t, size_t n) {
    for (size_t k = 0; k < n; k++)
        text_add_bytes(t, " ", 1);
}

/* Words from `column` on; a line more begins at `indent`. */
static void wrap(struct text *t, const char *words, size_t column, size_t indent, size_t width) {
    bool first = true;
    while (*words != '\0') {
        size_t gap = strspn(words, " "), size = strcspn(words + gap, " ");
        if (strncmp(words + gap + size, " %", 2) == 0) /* 14.03 % stays together */
            size += 1 + strcspn(words + gap + size + 1, " ");
        size_t columns = line_columns(words + gap, size);
        if (!first && column + gap + columns > width) {
            text_add_bytes(t, "\n", 1);
            spaces(t, indent);
            column = indent;
        } else {
            spaces(t, gap);
            column += gap;
        }
        text_add_bytes(t, words + gap, size);
        column += columns;
        words += gap + size;
        first = false;
    }
    text_add_bytes(t, "\n", 1);
}

void line_add(struct text *t, enum line_kind kind, const char *head, const char *format, ...) {
    struct layout l = layout_of(kind);
    struct text words = {0};
    va_list args;
    va_start(args, format);
    text_add_list(&words, format, args);
    va_end(args);
    t->failed |= words.failed;
    size_t column = l.inset + line_columns(head, strlen(head));
    spaces(t, l.inset);
    text_add_bytes(t, head, strlen(head));
    if (column >= l.indent) { /* such a heading wants a space behind it */
        spaces(t, 1);
        column++;
    } else {
        spaces(t, l.indent - column);
        column = l.indent;
    }
    wrap(t, words.bytes != NULL ? words.bytes : "", column, l.indent, l.width);
    text_free(&words);
}

void line_plain(struct text *t, enum line_kind kind, const char *format, ...) {
    struct text words = {0};
    va_list args;
    va_start(args, format);
    text_add_list(&words, format, args);
    va_end(args);
    t->failed |= words.failed;
    wrap(t, words.bytes != NULL ? words.bytes : "", 0, 0, layout_of(kind).width);
    text_free(&words);
}

/* Copies characters of name[from, to) as they may be shown; returns the end of what was written. */
static char *copy(const char *name, size_t from, size_t to, char *out) {
    for (size_t at = from; at < to;) {
        size_t length = character(name + at);
        bool shown = utf8_length(name + at) > 0 && !utf8_is_control(name + at);
        if (shown)
            memcpy(out, name + at, length);
        else
            *out = '?';
        out += shown ? length : 1;
        at += length;
    }
    return out;
}

const char *line_name(const char *name, size_t most, char out[static LINE_NAME]) {
    size_t size = strlen(name), head = 0, tail = size, left = 0, right;
    if (line_columns(name, size) <= most) {
        *copy(name, 0, size, out) = '\0';
        return out;
    }
    while (left + columns_of(character(name + head)) <= (most - 3) / 2) {
        left += columns_of(character(name + head));
        head += character(name + head);
    }
    right = most - 3 - left;
    for (tail = head; line_columns(name + tail, size - tail) > right;)
        tail += character(name + tail);
    char *end = copy(name, 0, head, out);
    memcpy(end, "...", 3);
    *copy(name, tail, size, end + 3) = '\0';
    return out;
}

const char *line_number(double x, int digits, char out[static LINE_NUMBER]) {
    double size = fabs(x);
    if (!(size >= 1e-9 && size < 1e15)) {
        snprintf(out, LINE_NUMBER, "%.*g", digits, x);
        return out;
    }
    int decimals = digits - 1 - (int)floor(log10(size));
    snprintf(out, LINE_NUMBER, "%.*f", decimals > 0 ? decimals : 0, x);
    if (strchr(out, '.') == NULL)
        return out;
    char *end = out + strlen(out); /* as %g: no zeros at the end */
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
    return out;
}
