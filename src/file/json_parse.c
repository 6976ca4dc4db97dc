/* JSON text into jansson values, by recursive descent (RFC 8259).
 *
 * jansson 2.14 reads a token into a buffer that grows, and does not look whether it grew: bytes are
 * lost, and where the closing quote of a text is among them it reads on past the end of the buffer.
 * A program can give it an allocator that never returns NULL; a library cannot. So only the values
 * are jansson's. As there, a name that comes twice, a zero byte in a text and numbers that do not
 * fit are refused.
 */
#include "file/json_text.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 400 };

struct parser {
    gbs_context *ctx;
    const char *what; /* of its messages */
    const char *start, *at, *end;
    size_t levels;     /* that may still open */
    gbs_status status; /* of the first failure */
};

/* ---------------------------------------------------------------- failures */

static json_t *bad(struct parser *p, const char *wrong) {
    size_t line = 1, column = 1;
    for (const char *c = p->start; c < p->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    if (p->status == GBS_OK)
        p->status = gbs_fail(p->ctx, GBS_ERR_FORMAT, "%s: line %zu, column %zu: %s", p->what, line,
                             column, wrong);
    return NULL;
}

static json_t *no_memory(struct parser *p) {
    if (p->status == GBS_OK)
        p->status = gbs_fail(p->ctx, GBS_ERR_MEMORY, "out of memory while reading");
    return NULL;
}

/* ---------------------------------------------------------------- characters */

/* 0 at the end of the text, where a zero byte, which JSON does not have, is refused as well. */
static char peek(const struct parser *p) {
    return p->at < p->end ? *p->at : '\0';
}

static void skip_blanks(struct parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
        p->at++;
}

static bool next_is(struct parser *p, char c) {
    skip_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* Bytes of the UTF-8 character at s, 0 if there is none: RFC 3629, so neither long forms nor
 * surrogates. */
static size_t character_bytes(const unsigned char *s, size_t left) {
    size_t bytes = s[0] < 0x80                   ? 1
                   : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                   : (s[0] & 0xf0) == 0xe0       ? 3
                   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                 : 0;
    if (bytes == 0 || bytes > left)
        return 0;
    for (size_t k = 1; k < bytes; k++)
        if ((s[k] & 0xc0) != 0x80)
            return 0;
    if (bytes == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)))
        return 0;
    if (bytes == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
        return 0;
    return bytes;
}

/* Four hexadecimal digits at p->at; -1: not there. */
static int32_t hex4(struct parser *p) {
    int32_t code = 0;
    for (int k = 0; k < 4; k++, p->at++) {
        char c = peek(p);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* ---------------------------------------------------------------- texts */

static char *add_character(char *to, int32_t code) {
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int rest = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)((rest == 1 ? 0xc0 : rest == 2 ? 0xe0 : 0xf0) | code >> 6 * rest);
    while (rest-- > 0)
        *to++ = (char)(0x80 | (code >> 6 * rest & 0x3f));
    return to;
}

/* What follows \u, a pair of surrogates together; NULL: nothing that may stand there. */
static char *add_code(struct parser *p, char *to) {
    int32_t code = hex4(p);
    if (code >= 0xd800 && code < 0xdc00) {
        if (p->end - p->at < 2 || p->at[0] != '\\' || p->at[1] != 'u')
            return NULL;
        p->at += 2;
        int32_t low = hex4(p);
        if (low < 0xdc00 || low >= 0xe000)
            return NULL;
        return add_character(to, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
    }
    return code <= 0 || (code >= 0xdc00 && code < 0xe000) ? NULL : add_character(to, code);
}

static char *add_escape(struct parser *p, char *to) {
    static const char names[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
    char c = peek(p);
    const char *name = c != '\0' ? strchr(names, c) : NULL;
    p->at++;
    if (c == 'u')
        return add_code(p, to);
    if (name == NULL)
        return NULL;
    *to++ = codes[name - names];
    return to;
}

/* The text whose opening quote was read, for gbs_array_free; NULL: it failed. No character is
 * longer than its escape. */
static char *parse_text(struct parser *p, size_t *size) {
    const char *close = p->at;
    while (close < p->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= p->end) {
        p->at = p->end;
        bad(p, "a text without its closing quote");
        return NULL;
    }
    char *text = gbs_array_alloc(p->ctx, (size_t)(close - p->at) + 1, 1), *to = text;
    if (text == NULL)
        no_memory(p);
    while (to != NULL && p->at < close) {
        size_t bytes = character_bytes((const unsigned char *)p->at, (size_t)(close - p->at));
        if (bytes == 0 || (unsigned char)*p->at < 0x20) {
            bad(p, "a byte that a text cannot have");
            to = NULL;
        } else if (*p->at == '\\') {
            p->at++;
            to = add_escape(p, to);
            if (to == NULL)
                bad(p, "\\ before something that it cannot stand before");
        } else {
            memcpy(to, p->at, bytes);
            to += bytes;
            p->at += bytes;
        }
    }
    if (to == NULL) {
        gbs_array_free(p->ctx, text);
        return NULL;
    }
    p->at = close + 1;
    *size = (size_t)(to - text);
    *to = '\0';
    return text;
}

static json_t *parse_string(struct parser *p) {
    size_t size;
    char *text = parse_text(p, &size);
    if (text == NULL)
        return NULL;
    json_t *value = json_stringn_nocheck(text, size);
    gbs_array_free(p->ctx, text);
    return value != NULL ? value : no_memory(p);
}

/* ---------------------------------------------------------------- numbers */

static size_t digits(struct parser *p, char *to) {
    size_t count = 0;
    while (peek(p) >= '0' && peek(p) <= '9' && count < MOST_DIGITS)
        to[count++] = *p->at++;
    return count;
}

/* The locale's strtod, so with its decimal point. */
static json_t *parse_number(struct parser *p) {
    const char *point = localeconv()->decimal_point;
    char text[3 * MOST_DIGITS + 64], *to = text;
    bool real = false;
    if (peek(p) == '-')
        *to++ = *p->at++;
    size_t whole = digits(p, to);
    if (whole == 0 || (whole > 1 && *to == '0'))
        return bad(p, "not a value of JSON");
    to += whole;
    if (peek(p) == '.') {
        real = true;
        p->at++;
        to = stpncpy(to, point, 8);
        size_t count = digits(p, to);
        if (count == 0)
            return bad(p, "a number that ends in its decimal point");
        to += count;
    }
    if (peek(p) == 'e' || peek(p) == 'E') {
        real = true;
        *to++ = *p->at++;
        if (peek(p) == '+' || peek(p) == '-')
            *to++ = *p->at++;
        size_t count = digits(p, to);
        if (count == 0)
            return bad(p, "a number without the digits of its exponent");
        to += count;
    }
    if (peek(p) >= '0' && peek(p) <= '9')
        return bad(p, "a number of too many digits");
    *to = '\0';
    errno = 0;
    json_int_t integer = real ? 0 : strtoll(text, NULL, 10);
    double x = real ? strtod(text, NULL) : 0.0;
    if ((!real && errno == ERANGE) || !isfinite(x))
        return bad(p, "a number that is too large");
    json_t *value = real ? json_real(x) : json_integer(integer);
    return value != NULL ? value : no_memory(p);
}

/* ---------------------------------------------------------------- values */

static json_t *parse_value(struct parser *p);

static json_t *parse_word(struct parser *p) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t k = 0; k < 3; k++) {
        size_t size = strlen(words[k]);
        if ((size_t)(p->end - p->at) >= size && memcmp(p->at, words[k], size) == 0) {
            p->at += size;
            return k == 0 ? json_true() : k == 1 ? json_false() : json_null();
        }
    }
    return bad(p, p->at == p->end ? "the text ends too early" : "not a value of JSON");
}

static bool parse_items(struct parser *p, json_t *array) {
    if (next_is(p, ']'))
        return true;
    do {
        json_t *value = parse_value(p);
        if (value == NULL)
            return false;
        if (json_array_append_new(array, value) != 0)
            return no_memory(p) != NULL;
    } while (next_is(p, ','));
    return next_is(p, ']') || bad(p, "',' or ']' expected") != NULL;
}

static bool parse_member(struct parser *p, json_t *object) {
    size_t size;
    if (!next_is(p, '"'))
        return bad(p, "a name in quotes expected") != NULL;
    char *name = parse_text(p, &size);
    if (name == NULL)
        return false;
    json_t *value = NULL;
    bool ok = true;
    if (json_object_get(object, name) != NULL)
        ok = bad(p, "duplicate name") != NULL;
    else if (!next_is(p, ':'))
        ok = bad(p, "':' expected") != NULL;
    else if ((value = parse_value(p)) == NULL)
        ok = false;
    else if (json_object_set_new_nocheck(object, name, value) != 0)
        ok = no_memory(p) != NULL;
    gbs_array_free(p->ctx, name);
    return ok;
}

static bool parse_members(struct parser *p, json_t *object) {
    if (next_is(p, '}'))
        return true;
    do {
        if (!parse_member(p, object))
            return false;
    } while (next_is(p, ','));
    return next_is(p, '}') || bad(p, "',' or '}' expected") != NULL;
}

static json_t *parse_nested(struct parser *p, bool is_object) {
    if (p->levels == 0)
        return bad(p, "too many levels");
    json_t *value = is_object ? json_object() : json_array();
    if (value == NULL)
        return no_memory(p);
    p->levels--;
    if (!(is_object ? parse_members(p, value) : parse_items(p, value))) {
        json_decref(value);
        return NULL;
    }
    p->levels++;
    return value;
}

static json_t *parse_value(struct parser *p) {
    if (next_is(p, '{'))
        return parse_nested(p, true);
    if (next_is(p, '['))
        return parse_nested(p, false);
    if (next_is(p, '"'))
        return parse_string(p);
    return peek(p) == '-' || (peek(p) >= '0' && peek(p) <= '9') ? parse_number(p) : parse_word(p);
}

gbs_status gbs_json_parse(gbs_context *ctx, const char *text, size_t size, size_t levels,
                          const char *what, json_t **out) {
    struct parser p = {ctx, what, text, text, text + size, levels, GBS_OK};
    *out = parse_value(&p);
    skip_blanks(&p);
    if (*out != NULL && p.at != p.end) {
        bad(&p, "something follows the end of the JSON text");
        json_decref(*out);
        *out = NULL;
    }
    return p.status;
}
