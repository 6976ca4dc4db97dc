/* A small JSON writer. */
#include "out/json.h"

#include <math.h>
#include <string.h>

static void quote(struct text *t, const char *x) {
    text_add_bytes(t, "\"", 1);
    for (size_t length = 1; *x != '\0'; x += length) {
        unsigned char c = (unsigned char)*x;
        length = utf8_length(x);
        if (c == '"' || c == '\\')
            text_add(t, "\\%c", c);
        else if (c == '\n')
            text_add_bytes(t, "\\n", 2);
        else if (c < 0x20)
            text_add(t, "\\u%04x", c);
        else if (length > 0)
            text_add_bytes(t, x, length);
        else
            /* names of files may be any bytes, JSON may not */
            text_add_bytes(t, "\xef\xbf\xbd", 3);
        length += length == 0;
    }
    text_add_bytes(t, "\"", 1);
}

static void line(struct json *j) {
    text_add(j->out, "\n%*s", 2 * j->depth, "");
}

/* Comma, new line and key before a value. */
static void before(struct json *j, const char *key) {
    if (!j->first)
        text_add_bytes(j->out, ",", 1);
    if (j->depth > 0)
        line(j);
    j->first = false;
    if (key != NULL) {
        quote(j->out, key);
        text_add_bytes(j->out, ": ", 2);
    }
}

static void open_bracket(struct json *j, const char *key, const char *bracket) {
    before(j, key);
    text_add_bytes(j->out, bracket, 1);
    j->depth++;
    j->first = true;
}

static void close_bracket(struct json *j, const char *bracket) {
    j->depth--;
    if (!j->first)
        line(j);
    text_add_bytes(j->out, bracket, 1);
    if (j->depth == 0)
        text_add_bytes(j->out, "\n", 1);
    j->first = false;
}

struct json json_writer(struct text *out) {
    return (struct json){.out = out, .depth = 0, .first = true};
}

void json_open_object(struct json *j, const char *key) {
    open_bracket(j, key, "{");
}

void json_open_array(struct json *j, const char *key) {
    open_bracket(j, key, "[");
}

void json_close_object(struct json *j) {
    close_bracket(j, "}");
}

void json_close_array(struct json *j) {
    close_bracket(j, "]");
}

void json_put_members(struct json *j, const char *object) {
    const char *from = strchr(object, '\n'), *end = strrchr(object, '}');
    if (from == NULL || end == NULL || from >= end)
        return; /* {} */
    if (!j->first)
        text_add_bytes(j->out, ",", 1);
    j->first = false;
    for (end--; from < end;) { /* a line at a time, without that of the brace */
        const char *next = memchr(from + 1, '\n', (size_t)(end - from - 1));
        size_t size = (size_t)((next != NULL ? next : end) - from);
        text_add(j->out, "\n%*s%.*s", 2 * (j->depth - 1), "", (int)(size - 1), from + 1);
        from += size;
    }
}

void json_put_number(struct json *j, const char *key, double x) {
    before(j, key);
    if (isfinite(x))
        text_add_number(j->out, x);
    else
        text_add_bytes(j->out, "null", 4);
}

void json_put_count(struct json *j, const char *key, size_t x) {
    before(j, key);
    text_add(j->out, "%zu", x);
}

void json_put_bool(struct json *j, const char *key, bool x) {
    before(j, key);
    text_add(j->out, "%s", x ? "true" : "false");
}

void json_put_string(struct json *j, const char *key, const char *x) {
    before(j, key);
    if (x != NULL)
        quote(j->out, x);
    else
        text_add_bytes(j->out, "null", 4);
}
