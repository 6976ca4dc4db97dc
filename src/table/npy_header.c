/* numpy .npy header, versions 1.0, 2.0 and 3.0:
 *
 *   \x93NUMPY major minor  length (2 or 4 bytes, little-endian)
 *   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 *
 * The header is untrusted: the dictionary is parsed by a grammar that knows these three keys and
 * nothing else, every length is checked before it is used, and no memory depends on what the shape
 * claims.
 */
#include "table/npy_header.h"

#include <string.h>

#define LONGEST_HEADER ((size_t)1 << 16) /* numpy itself refuses to read more than 10000 bytes */

struct parser {
    gbs_reader *reader;
    const char *at, *end; /* *end is '\0' */
    bool seen_type, seen_order, seen_shape;
};

static gbs_status malformed(struct parser *p, const char *expected) {
    size_t left = (size_t)(p->end - p->at);
    return gbs_reader_fail(p->reader, GBS_ERR_DATA, "malformed npy header: expected %s at '%s'",
                           expected, gbs_show(p->at, left).text);
}

static void skip_blanks(struct parser *p) {
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t')
        p->at++;
}

static bool take(struct parser *p, char c) {
    skip_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool take_word(struct parser *p, const char *word) {
    size_t length = strlen(word);
    skip_blanks(p);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

/* A quoted string without escapes; numpy writes no others here. */
static bool take_string(struct parser *p, const char **text, size_t *length) {
    skip_blanks(p);
    char quote = *p->at;
    if (quote != '\'' && quote != '"')
        return false;
    const char *start = p->at + 1, *stop = memchr(start, quote, (size_t)(p->end - start));
    if (!stop)
        return false;
    *text = start;
    *length = (size_t)(stop - start);
    p->at = stop + 1;
    return true;
}

static gbs_status parse_type(struct parser *p, gbs_npy_header *h) {
    static const char *const known[] = {"f4", "f8", "i1", "i2", "i4", "i8",
                                        "u1", "u2", "u4", "u8", "b1"};
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    const char *text;
    size_t length;
    skip_blanks(p);
    if (*p->at == '[')
        return gbs_reader_fail(p->reader, GBS_ERR_DATA,
                               "a structured array; expected plain numbers in two dimensions");
    if (!take_string(p, &text, &length))
        return malformed(p, "a type");
    for (size_t i = 0;
         length == 3 && strchr("<>|=", text[0]) && text[0] && i < sizeof known / sizeof *known;
         i++) {
        if (memcmp(text + 1, known[i], 2) != 0)
            continue;
        h->kind = known[i][0];
        h->item = (size_t)(known[i][1] - '0');
        h->swapped = h->item > 1 && ((text[0] == '<' && !little) || (text[0] == '>' && little));
        return GBS_OK;
    }
    return gbs_reader_fail(
        p->reader, GBS_ERR_DATA,
        "elements of type '%s'; expected real numbers (f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1)",
        gbs_show(text, length).text);
}

static gbs_status parse_order(struct parser *p, gbs_npy_header *h) {
    h->fortran = take_word(p, "True");
    return h->fortran || take_word(p, "False") ? GBS_OK : malformed(p, "True or False");
}

static bool take_size(struct parser *p, size_t *size) {
    skip_blanks(p);
    const char *start = p->at;
    size_t n = 0;
    for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
        size_t digit = (size_t)(*p->at - '0');
        n = n > (SIZE_MAX - digit) / 10 ? SIZE_MAX : n * 10 + digit;
    }
    *size = n;
    return p->at > start;
}

static gbs_status parse_shape(struct parser *p, gbs_npy_header *h) {
    size_t size[2] = {0, 0}, n = 0;
    if (!take(p, '('))
        return malformed(p, "a shape");
    while (!take(p, ')')) {
        size_t extent;
        if (!take_size(p, &extent))
            return malformed(p, "a whole number");
        if (n < 2)
            size[n] = extent;
        n++;
        if (!take(p, ',')) {
            if (!take(p, ')'))
                return malformed(p, "',' or ')'");
            break;
        }
    }
    if (n != 2)
        return gbs_reader_fail(p->reader, GBS_ERR_DATA,
                               "an array of %zu dimension%s; expected 2 (rows and columns)", n,
                               n == 1 ? "" : "s");
    h->n_rows = size[0];
    h->n_columns = size[1];
    return GBS_OK;
}

static gbs_status parse_item(struct parser *p, gbs_npy_header *h) {
    const char *key;
    size_t length;
    if (!take_string(p, &key, &length))
        return malformed(p, "a key");
    if (!take(p, ':'))
        return malformed(p, "':'");
    bool *seen = NULL;
    gbs_status (*parse)(struct parser *, gbs_npy_header *) = NULL;
    if (length == 5 && memcmp(key, "descr", 5) == 0) {
        seen = &p->seen_type;
        parse = parse_type;
    } else if (length == 13 && memcmp(key, "fortran_order", 13) == 0) {
        seen = &p->seen_order;
        parse = parse_order;
    } else if (length == 5 && memcmp(key, "shape", 5) == 0) {
        seen = &p->seen_shape;
        parse = parse_shape;
    }
    if (!seen || *seen)
        return gbs_reader_fail(p->reader, GBS_ERR_DATA, "malformed npy header: %s key '%s'",
                               seen ? "repeated" : "unknown", gbs_show(key, length).text);
    *seen = true;
    return parse(p, h);
}

static gbs_status parse_dictionary(struct parser *p, gbs_npy_header *h) {
    if (!take(p, '{'))
        return malformed(p, "'{'");
    while (!take(p, '}')) {
        gbs_status status = parse_item(p, h);
        if (status != GBS_OK)
            return status;
        if (!take(p, ',')) {
            if (!take(p, '}'))
                return malformed(p, "',' or '}'");
            break;
        }
    }
    skip_blanks(p);
    if (p->at != p->end)
        return malformed(p, "the end");
    const char *absent = !p->seen_type    ? "descr"
                         : !p->seen_order ? "fortran_order"
                         : !p->seen_shape ? "shape"
                                          : NULL;
    return absent ? gbs_reader_fail(p->reader, GBS_ERR_DATA,
                                    "malformed npy header: %s is not there", absent)
                  : GBS_OK;
}

static gbs_status check_shape(gbs_reader *r, const gbs_npy_header *h) {
    if (h->n_rows == 0 || h->n_columns == 0)
        return gbs_reader_fail(r, GBS_ERR_DATA, "the array of %zu rows and %zu columns is empty",
                               h->n_rows, h->n_columns);
    if (h->n_columns > GBS_TABLE_MOST_COLUMNS)
        return gbs_reader_fail(r, GBS_ERR_DATA, "%zu columns; at most %zu are read", h->n_columns,
                               GBS_TABLE_MOST_COLUMNS);
    if (h->n_rows > SIZE_MAX / 2 / sizeof(double) / h->n_columns)
        return gbs_reader_fail(
            r, GBS_ERR_DATA, "the header claims more elements (%zu x %zu) than memory can address",
            h->n_rows, h->n_columns);
    return GBS_OK;
}

static gbs_status have(gbs_reader *r, size_t size) {
    while ((size_t)(r->bytes->end - r->bytes->at) < size) {
        if (r->bytes->last)
            return gbs_reader_fail(r, GBS_ERR_DATA,
                                   "the npy header ends early (a truncated file?)");
        gbs_status status = gbs_reader_more(r);
        if (status != GBS_OK)
            return status;
    }
    return GBS_OK;
}

/* The dictionary's length, with `at` moved to its first byte. */
static gbs_status read_prefix(gbs_reader *r, size_t *length) {
    gbs_status status = have(r, 8);
    if (status != GBS_OK)
        return status;
    const unsigned char *u = (const unsigned char *)r->bytes->at;
    if (memcmp(u, "\x93NUMPY", 6) != 0)
        return gbs_reader_fail(r, GBS_ERR_DATA,
                               "not an npy file (it does not start with \\x93NUMPY)");
    if (u[6] < 1 || u[6] > 3 || u[7] != 0)
        return gbs_reader_fail(r, GBS_ERR_DATA, "npy version %u.%u; 1.0, 2.0 and 3.0 are read",
                               u[6], u[7]);
    size_t width = u[6] == 1 ? 2 : 4;
    status = have(r, 8 + width);
    if (status != GBS_OK)
        return status;
    u = (const unsigned char *)r->bytes->at + 8;
    *length = 0;
    for (size_t i = width; i-- > 0;)
        *length = *length << 8 | u[i];
    if (*length > LONGEST_HEADER)
        return gbs_reader_fail(r, GBS_ERR_DATA, "the npy header claims to be %zu bytes long",
                               *length);
    r->bytes->at += 8 + width;
    return have(r, *length);
}

gbs_status gbs_npy_header_read(gbs_reader *r, gbs_npy_header *header) {
    size_t length = 0;
    gbs_status status = read_prefix(r, &length);
    if (status != GBS_OK)
        return status;
    *header = (gbs_npy_header){0};
    char dictionary[LONGEST_HEADER + 1];
    memcpy(dictionary, r->bytes->at, length);
    dictionary[length] = '\0';
    struct parser p = {.reader = r, .at = dictionary, .end = dictionary + length};
    status = parse_dictionary(&p, header);
    r->bytes->at += length;
    return status == GBS_OK ? check_shape(r, header) : status;
}
