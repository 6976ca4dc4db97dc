/* svmlight rows to a sparse table:   label index:value index:value ... # comment
 *
 * Indices count from 1 and increase along a line. Pairs are converted where they lie in the window;
 * a pair that is cut by the window's edge or is wrong in any way goes once more through the careful
 * function, which refills or says what is wrong.
 */
#include "number.h"
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST_INDEX 2147483647u

struct svmlight {
    struct reader *reader;
    struct bytes *bytes;
    struct table *table;
    uint64_t line;
    size_t n, index_capacity, value_capacity, row_capacity, label_capacity;
    uint32_t previous; /* index of the pair before, from 1; 0 at the start of a row */
    uint32_t largest;
};

static inline bool ends_token(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#' || c == '\0';
}

/* Makes sure that the token at `at` ends inside the window; *length is 0 at a line's or the file's
 * end. */
static enum table_status whole_token(struct svmlight *s, size_t *length) {
    struct bytes *b = s->bytes;
    for (;;) {
        while (*b->at == ' ' || *b->at == '\t' || *b->at == '\r')
            b->at++;
        char *p = b->at;
        while (!ends_token(*p))
            p++;
        *length = (size_t)(p - b->at);
        if (p < b->end && *p == '\0')
            return reader_fail(s->reader, TABLE_BAD_DATA, "not a text file: NUL byte at line %llu",
                               (unsigned long long)s->line);
        if (p < b->end || b->last)
            return TABLE_OK;
        if (*length > TABLE_LONGEST_CELL)
            return reader_fail_at(s->reader, s->line,
                                  "a word is longer than 1 MiB; is this an svmlight file?");
        enum table_status status = reader_more(s->reader);
        if (status != TABLE_OK)
            return status;
    }
}

/* To the start of the next line, over a comment of any length. */
static enum table_status skip_line(struct svmlight *s) {
    struct bytes *b = s->bytes;
    for (;;) {
        char *newline = memchr(b->at, '\n', (size_t)(b->end - b->at));
        if (newline) {
            b->at = newline + 1;
            s->line++;
            return TABLE_OK;
        }
        b->at = b->end;
        if (b->last)
            return TABLE_OK;
        enum table_status status = reader_more(s->reader);
        if (status != TABLE_OK)
            return status;
    }
}

static enum table_status read_value(struct svmlight *s, const char *text, size_t length,
                                    const char *what, double *value) {
    struct shown seen = shown(text, length);
    switch (number_kind(text, length, value)) {
    case NUMBER_FINITE:
        return TABLE_OK;
    case NUMBER_MISSING:
        return reader_fail_at(
            s->reader, s->line,
            "the %s is missing ('%s'); svmlight leaves zeros out, but has no missing values", what,
            seen.text);
    case NUMBER_NOT_FINITE:
        return reader_fail_at(s->reader, s->line, "the %s '%s' is not a finite number", what,
                              seen.text);
    case NUMBER_TOO_LARGE:
        return reader_fail_at(s->reader, s->line, "the %s '%s' is too large for a double", what,
                              seen.text);
    case NUMBER_NONE:
        break;
    }
    return reader_fail_at(s->reader, s->line, "expected a number for the %s, found '%s'", what,
                          seen.text);
}

static enum table_status store_pair(struct svmlight *s, uint32_t index, double value) {
    struct table *t = s->table;
    if (s->n == s->index_capacity || s->n == s->value_capacity) {
        uint32_t *indices = grown(t->index, &s->index_capacity, s->n + 1, sizeof *indices);
        if (!indices)
            return reader_no_memory(s->reader);
        t->index = indices;
        double *values = grown(t->value, &s->value_capacity, s->n + 1, sizeof *values);
        if (!values)
            return reader_no_memory(s->reader);
        t->value = values;
    }
    t->index[s->n] = index - 1;
    t->value[s->n++] = value;
    s->previous = index;
    return TABLE_OK;
}

/* The pair that is the token at `at`, with everything checked. */
static enum table_status careful_pair(struct svmlight *s, size_t length) {
    const char *token = s->bytes->at, *colon = memchr(token, ':', length);
    struct shown seen = shown(token, length);
    if (colon == token + 3 && memcmp(token, "qid", 3) == 0)
        return reader_fail_at(s->reader, s->line, "'%s': ranking groups (qid) are not supported",
                              seen.text);
    if (!colon || colon == token)
        return reader_fail_at(s->reader, s->line, "expected index:value, found '%s'", seen.text);
    uint64_t index = 0;
    for (const char *p = token; p < colon; p++) {
        if (*p < '0' || *p > '9')
            return reader_fail_at(s->reader, s->line,
                                  "expected a whole number before the colon, found '%s'",
                                  seen.text);
        if (index <= LARGEST_INDEX)
            index = index * 10 + (uint64_t)(*p - '0');
    }
    if (index == 0)
        return reader_fail_at(s->reader, s->line, "'%s': indices count from 1", seen.text);
    if (index > LARGEST_INDEX)
        return reader_fail_at(s->reader, s->line, "'%s': the index is larger than %u", seen.text,
                              LARGEST_INDEX);
    if (index == s->previous)
        return reader_fail_at(s->reader, s->line, "'%s': index %u stands twice in the row",
                              seen.text, s->previous);
    if (index < s->previous)
        return reader_fail_at(s->reader, s->line,
                              "'%s': indices must increase, but this one follows %u", seen.text,
                              s->previous);
    double value;
    enum table_status status = read_value(s, colon + 1, length - (size_t)(colon + 1 - token),
                                          "value", &value);
    if (status == TABLE_OK)
        status = store_pair(s, (uint32_t)index, value);
    s->bytes->at += length;
    return status;
}

/* Takes pairs for as long as nothing is unusual. */
static enum table_status take_pairs(struct svmlight *s) {
    struct bytes *b = s->bytes;
    enum table_status status = TABLE_OK;
    while (status == TABLE_OK) {
        const char *p = b->at;
        while (*p == ' ')
            p++;
        const char *digits = p;
        uint64_t index = 0;
        while ((unsigned char)(*p - '0') < 10)
            index = index * 10 + (uint64_t)(*p++ - '0');
        /* Ten digits cannot wrap around; no digits leave 0, which is not above `previous`. */
        if (*p != ':' || p - digits > 10 || index <= s->previous || index > LARGEST_INDEX)
            break;
        double value;
        p = number_read(p + 1, b->end, &value);
        if (!p || (*p != ' ' && *p != '\n'))
            break;
        status = store_pair(s, (uint32_t)index, value);
        b->at += p - b->at;
    }
    return status;
}

static enum table_status start_row(struct svmlight *s, size_t length) {
    struct table *t = s->table;
    double label;
    enum table_status status = read_value(s, s->bytes->at, length, "label", &label);
    if (status != TABLE_OK)
        return status;
    size_t *starts = grown(t->row_start, &s->row_capacity, t->n_rows + 2, sizeof *starts);
    if (!starts)
        return reader_no_memory(s->reader);
    t->row_start = starts;
    double *labels = grown(t->label, &s->label_capacity, t->n_rows + 1, sizeof *labels);
    if (!labels)
        return reader_no_memory(s->reader);
    t->label = labels;
    status = reader_note_line(s->reader, s->line);
    if (status != TABLE_OK)
        return status;
    starts[t->n_rows] = s->n;
    labels[t->n_rows++] = label;
    s->previous = 0;
    s->bytes->at += length;
    return TABLE_OK;
}

/* One line: blank, a comment, or a row. */
static enum table_status read_line(struct svmlight *s) {
    size_t length = 0;
    enum table_status status = whole_token(s, &length);
    if (status == TABLE_OK && length > 0)
        status = start_row(s, length);
    while (status == TABLE_OK && length > 0) {
        status = take_pairs(s);
        if (status == TABLE_OK)
            status = whole_token(s, &length);
        if (status == TABLE_OK && length > 0)
            status = careful_pair(s, length);
    }
    if (s->previous > s->largest)
        s->largest = s->previous;
    return status == TABLE_OK ? skip_line(s) : status;
}

enum table_status svmlight_read(struct reader *r) {
    struct table *t = r->out;
    struct svmlight s = {.reader = r, .bytes = r->bytes, .table = t, .line = 1};
    for (;;) {
        enum table_status status = s.bytes->at == s.bytes->end && !s.bytes->last ? reader_more(r)
                                                                                 : TABLE_OK;
        if (status != TABLE_OK)
            return status;
        if (s.bytes->at == s.bytes->end)
            break;
        status = read_line(&s);
        if (status != TABLE_OK)
            return status;
    }
    if (t->n_rows == 0)
        return reader_fail(r, TABLE_BAD_DATA, "the file is empty");
    if (s.largest == 0)
        return reader_fail(r, TABLE_BAD_DATA,
                           "the rows hold labels only, not one index:value pair");
    t->row_start[t->n_rows] = s.n;
    t->n_columns = s.largest;
    t->row_start = shrunk(t->row_start, t->n_rows + 1, sizeof *t->row_start);
    t->label = shrunk(t->label, t->n_rows, sizeof *t->label);
    t->index = shrunk(t->index, s.n, sizeof *t->index);
    t->value = shrunk(t->value, s.n, sizeof *t->value);
    t->line = shrunk(t->line, t->n_rows, sizeof *t->line);
    return TABLE_OK;
}
