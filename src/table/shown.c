/* UTF-8, and texts as messages show them. */
#include "table/shown.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_CHARACTERS 40

static size_t utf8_length(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t gbs_utf8_character(const char *p, const char *end) {
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

bool gbs_is_utf8(const char *text, size_t length) {
    const char *end = text + length;
    while (text < end) {
        size_t n = gbs_utf8_character(text, end);
        if (n == 0)
            return false;
        text += n;
    }
    return true;
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

gbs_shown gbs_show(const char *text, size_t length) {
    gbs_shown s;
    const char *p = text, *end = text + length;
    size_t used = 0;
    for (int i = 0; i < SHOWN_CHARACTERS && p < end; i++) {
        size_t n = gbs_utf8_character(p, end);
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

/* Letters beyond ASCII are words to a shell, too. */
static bool is_word(const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_.-+/:@%";
    const char *at = text;
    while (*at != '\0' && ((unsigned char)*at >= 0x80 || strchr(plain, *at) != NULL))
        at++;
    return at > text && *at == '\0';
}

gbs_shown gbs_show_value(const char *text, size_t column) {
    gbs_shown shown = gbs_show(text, strlen(text)), value;
    bool whole = strcmp(shown.text, text) == 0 && text[0] != '\0' && strpbrk(text, ",`") == NULL;
    if (!whole && column < SIZE_MAX)
        snprintf(value.text, sizeof value.text, "%zu", column + 1);
    else if (!whole || is_word(text))
        return shown;
    else
        snprintf(value.text, sizeof value.text, "`%s`", text);
    return value;
}
