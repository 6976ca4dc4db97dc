/* JSON written member by member. */
#include "file/json_write.h"

#include "core/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add(gbs_writer *w, const char *bytes, size_t size) {
    if (w->failed)
        return;
    char *larger = gbs_array_grow(w->ctx, w->bytes, &w->room, w->size + size + 1, 1);
    if (larger == NULL) {
        w->failed = true;
        return;
    }
    w->bytes = larger;
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

size_t gbs_character_bytes(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80                   ? 1
                    : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                    : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                    : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                  : 0;
    for (size_t k = 1; k < length; k++)
        if ((s[k] & 0xc0) != 0x80)
            return 0;
    bool wrong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
                 (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return length > 1 && wrong ? 0 : length;
}

static void quote(gbs_writer *w, const char *x) {
    char code[8];
    add(w, "\"", 1);
    while (*x != '\0') {
        unsigned char c = (unsigned char)*x;
        size_t length = gbs_character_bytes(x);
        if (length == 0) {
            add(w, "\xef\xbf\xbd", 3);
        } else if (c == '"' || c == '\\') {
            add(w, "\\", 1);
            add(w, x, 1);
        } else if (c < 0x20) {
            int size = c == '\n' ? snprintf(code, sizeof code, "\\n")
                                 : snprintf(code, sizeof code, "\\u%04x", c);
            add(w, code, (size_t)size);
        } else {
            add(w, x, length);
        }
        x += length > 0 ? length : 1;
    }
    add(w, "\"", 1);
}

static void line(gbs_writer *w) {
    add(w, "\n", 1);
    for (int k = 0; k < w->depth; k++)
        add(w, "  ", 2);
}

/* Comma, new line and key before a value. */
static void before(gbs_writer *w, const char *key) {
    if (!w->first)
        add(w, ",", 1);
    if (w->depth > 0)
        line(w);
    w->first = false;
    if (key != NULL) {
        quote(w, key);
        add(w, ": ", 2);
    }
}

void gbs_writer_open(gbs_writer *w, const char *key, char bracket) {
    if (w->depth == 0)
        w->first = true;
    before(w, key);
    add(w, &bracket, 1);
    w->depth++;
    w->first = true;
}

void gbs_writer_close(gbs_writer *w, char bracket) {
    w->depth--;
    if (!w->first)
        line(w);
    add(w, &bracket, 1);
    if (w->depth == 0)
        add(w, "\n", 1);
    w->first = false;
}

void gbs_writer_number(gbs_writer *w, const char *key, double x) {
    char text[40];
    before(w, key);
    if (isfinite(x))
        gbs_decimal_print_from(15, x, text, sizeof text);
    else
        snprintf(text, sizeof text, "null");
    add(w, text, strlen(text));
}

void gbs_writer_count(gbs_writer *w, const char *key, size_t x) {
    char text[24];
    int size = snprintf(text, sizeof text, "%zu", x);
    before(w, key);
    add(w, text, (size_t)size);
}

void gbs_writer_bool(gbs_writer *w, const char *key, bool x) {
    before(w, key);
    add(w, x ? "true" : "false", x ? 4 : 5);
}

void gbs_writer_text(gbs_writer *w, const char *key, const char *x) {
    before(w, key);
    if (x != NULL)
        quote(w, x);
    else
        add(w, "null", 4);
}

gbs_status gbs_writer_end(gbs_writer *w, char **text, size_t *size) {
    add(w, "", 1);
    *text = w->failed ? NULL : w->bytes;
    if (w->failed) {
        gbs_array_free(w->ctx, w->bytes);
        return gbs_fail(w->ctx, GBS_ERR_MEMORY, "out of memory while writing");
    }
    if (size != NULL)
        *size = w->size - 1;
    gbs_context_retain(w->ctx); /* until gbs_release */
    return GBS_OK;
}
