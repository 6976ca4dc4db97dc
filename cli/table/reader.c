/* Messages, growing arrays and line numbers for the readers. */
#include "reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_CHARACTERS 40

static void say(struct reader *r, int start, const char *format, va_list arguments) {
    size_t used = start < 0 ? 0 : (size_t)start;
    if (used < r->error_size)
        vsnprintf(r->error + used, r->error_size - used, format, arguments);
}

enum table_status reader_fail(struct reader *r, enum table_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(r, snprintf(r->error, r->error_size, "%s: ", r->out->file), format, arguments);
    va_end(arguments);
    return status;
}

enum table_status reader_fail_at(struct reader *r, uint64_t line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(r, snprintf(r->error, r->error_size, "%s:%llu: ", r->out->file, (unsigned long long)line),
        format, arguments);
    va_end(arguments);
    return TABLE_BAD_DATA;
}

enum table_status reader_no_memory(struct reader *r) {
    return reader_fail(r, TABLE_NO_MEMORY, "out of memory");
}

enum table_status reader_more(struct reader *r) {
    enum table_status status = bytes_more(r->bytes);
    return status == TABLE_OK ? status : reader_fail(r, status, "%s", r->bytes->message);
}

void *grown(void *array, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity && array)
        return array;
    size_t larger = *capacity + *capacity / 2;
    if (larger < needed || larger < *capacity)
        larger = needed;
    if (larger < 16)
        larger = 16;
    if (larger > SIZE_MAX / 2 / size)
        larger = needed;
    if (larger > SIZE_MAX / 2 / size)
        return NULL;
    void *moved = realloc(array, larger * size);
    if (moved)
        *capacity = larger;
    return moved;
}

void *shrunk(void *array, size_t used, size_t size) {
    if (!array || used == 0)
        return array;
    void *moved = realloc(array, used * size);
    if (!moved)
        return array;
    return moved;
}

enum table_status reader_note_line(struct reader *r, uint64_t line) {
    struct table *t = r->out;
    if (!t->line && line == t->n_rows + 1 + t->has_header)
        return TABLE_OK;
    bool first = !t->line;
    uint64_t *lines = grown(t->line, &r->line_capacity, t->n_rows + 1, sizeof *lines);
    if (!lines)
        return reader_no_memory(r);
    for (size_t i = 0; first && i < t->n_rows; i++)
        lines[i] = i + 1 + t->has_header;
    lines[t->n_rows] = line;
    t->line = lines;
    return TABLE_OK;
}

bool reader_default_name(char **name, size_t column) {
    char text[32];
    snprintf(text, sizeof text, "V%zu", column + 1);
    *name = strdup(text);
    return *name;
}

static size_t utf8_length(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t utf8_character(const char *p, const char *end) {
    const unsigned char *u = (const unsigned char *)p;
    size_t length = utf8_length(u[0]);
    if (length > (size_t)(end - p))
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    /* Overlong forms, surrogates and what lies beyond U+10FFFF. */
    bool overlong = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90);
    bool outside = (u[0] == 0xed && u[1] > 0x9f) || (u[0] == 0xf4 && u[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

/* C1 controls (U+0080 to U+009F) can steer a terminal as the C0 ones do. */
static bool is_printable(const char *p, size_t length) {
    unsigned char first = (unsigned char)p[0];
    if (length == 1)
        return first >= 0x20 && first != 0x7f;
    return length > 1 && !(first == 0xc2 && (unsigned char)p[1] < 0xa0);
}

static size_t escape(char *to, unsigned char c) {
    static const char plain[] = "\n\r\t", letter[] = "nrt";
    const char *found = c ? strchr(plain, c) : NULL;
    if (found)
        return (size_t)snprintf(to, 5, "\\%c", letter[found - plain]);
    return (size_t)snprintf(to, 5, "\\x%02x", c);
}

struct shown shown(const char *text, size_t length) {
    struct shown s;
    const char *p = text, *end = text + length;
    size_t used = 0;
    for (int i = 0; i < SHOWN_CHARACTERS && p < end; i++) {
        size_t n = utf8_character(p, end);
        if (is_printable(p, n)) {
            memcpy(s.text + used, p, n);
            used += n;
            p += n;
        } else {
            used += escape(s.text + used, (unsigned char)*p);
            p++;
        }
    }
    memcpy(s.text + used, p < end ? "..." : "", p < end ? 4 : 1);
    return s;
}
