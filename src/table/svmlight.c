/* svmlight rows to a sparse table:   label index:value index:value ... # comment
 *
 * Indices count from 1 and increase along a line. Pairs are converted where they lie in the window;
 * a pair that is cut by the window's edge or is wrong in any way goes once more through the careful
 * function, which refills or says what is wrong. Where cells go to a file, values go there, indices
 * to another one beside it, and at the end behind the values.
 */
#include "table/cache.h"
#include "table/number.h"
#include "table/reader.h"

#include <string.h>

#define LARGEST_INDEX 2147483647u
enum { PAIRS_AT_ONCE = 1 << 16 }; /* that a file has room for */

struct svmlight {
    gbs_reader *reader;
    gbs_bytes *bytes;
    gbs_table *table;
    uint64_t line;
    size_t n, index_capacity, value_capacity, row_capacity, label_capacity;
    uint32_t previous; /* index of the pair before, from 1; 0 at the start of a row */
    uint32_t largest;
    gbs_cache *indices; /* NULL: to memory */
    size_t dropped;     /* pairs whose pages have left memory */
};

static inline bool ends_token(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#' || c == '\0';
}

/* Makes sure that the token at `at` ends inside the window; *length is 0 at a line's or the file's
 * end. */
static gbs_status whole_token(struct svmlight *s, size_t *length) {
    gbs_bytes *b = s->bytes;
    for (;;) {
        while (*b->at == ' ' || *b->at == '\t' || *b->at == '\r')
            b->at++;
        char *p = b->at;
        while (!ends_token(*p))
            p++;
        *length = (size_t)(p - b->at);
        if (p < b->end && *p == '\0')
            return gbs_reader_fail(s->reader, GBS_ERR_DATA,
                                   "not a text file: NUL byte at line %llu",
                                   (unsigned long long)s->line);
        if (p < b->end || b->last)
            return GBS_OK;
        if (*length > GBS_TABLE_LONGEST_CELL)
            return gbs_reader_fail_at(s->reader, s->line,
                                      "a word is longer than 1 MiB; is this an svmlight file?");
        gbs_status status = gbs_reader_more(s->reader);
        if (status != GBS_OK)
            return status;
    }
}

/* To the start of the next line, over a comment of any length. */
static gbs_status skip_line(struct svmlight *s) {
    gbs_bytes *b = s->bytes;
    for (;;) {
        char *newline = memchr(b->at, '\n', (size_t)(b->end - b->at));
        if (newline) {
            b->at = newline + 1;
            s->line++;
            return GBS_OK;
        }
        b->at = b->end;
        if (b->last)
            return GBS_OK;
        gbs_status status = gbs_reader_more(s->reader);
        if (status != GBS_OK)
            return status;
    }
}

static gbs_status read_value(struct svmlight *s, const char *text, size_t length, const char *what,
                             double *value) {
    gbs_shown seen = gbs_show(text, length);
    switch (gbs_number_is(text, length, value)) {
    case GBS_NUMBER_FINITE:
        return GBS_OK;
    case GBS_NUMBER_MISSING:
        return gbs_reader_fail_at(
            s->reader, s->line,
            "the %s is missing ('%s'); svmlight leaves zeros out, but has no missing values", what,
            seen.text);
    case GBS_NUMBER_NOT_FINITE:
        return gbs_reader_fail_at(s->reader, s->line, "the %s '%s' is not a finite number", what,
                                  seen.text);
    case GBS_NUMBER_TOO_LARGE:
        return gbs_reader_fail_at(s->reader, s->line, "the %s '%s' is too large for a double", what,
                                  seen.text);
    case GBS_NUMBER_NONE:
        break;
    }
    return gbs_reader_fail_at(s->reader, s->line, "expected a number for the %s, found '%s'", what,
                              seen.text);
}

/* Room in the files; pages that are full leave memory. */
static gbs_status room_in_files(struct svmlight *s) {
    gbs_table *t = s->table;
    gbs_reader *r = s->reader;
    double *values, *indices;
    size_t room = s->n + PAIRS_AT_ONCE;
    gbs_status status = gbs_cache_room(r->options->store, room, &values);
    if (status == GBS_OK)
        status = gbs_cache_room(s->indices, (room + 1) / 2, &indices);
    if (status != GBS_OK)
        return status;
    t->value = values;
    t->index = (uint32_t *)(void *)indices;
    s->index_capacity = s->value_capacity = room;
    if (s->n - s->dropped < gbs_pages_every(sizeof *values))
        return GBS_OK;
    gbs_pages_drop(t->value + s->dropped, t->value + s->n);
    gbs_pages_drop(t->index + s->dropped, t->index + s->n);
    s->dropped = s->n;
    if (r->options->expected > 0 && !gbs_bytes_is_gzip(r->bytes))
        gbs_progress(r->ctx, "read",
                     (double)gbs_bytes_offset(r->bytes) / (double)r->options->expected);
    return gbs_check_cancel(r->ctx);
}

/* Indices behind the values. */
static gbs_status join_files(struct svmlight *s) {
    gbs_table *t = s->table;
    double *values;
    size_t step = gbs_pages_every(sizeof *t->index);
    gbs_status status = gbs_cache_room(s->reader->options->store, gbs_cache_pairs(s->n), &values);
    if (status != GBS_OK || s->n == 0)
        return status;
    const uint32_t *from = t->index;
    uint32_t *to = (uint32_t *)(void *)(values + s->n);
    for (size_t k = 0; status == GBS_OK && k < s->n; k += step) {
        size_t n = s->n - k < step ? s->n - k : step;
        memcpy(to + k, from + k, n * sizeof *to);
        gbs_pages_drop(to + k, to + k + n);
        gbs_pages_drop(from + k, from + k + n);
        status = gbs_check_cancel(s->reader->ctx);
    }
    t->value = values;
    t->index = to;
    return status;
}

static gbs_status store_pair(struct svmlight *s, uint32_t index, double value) {
    gbs_table *t = s->table;
    if (s->n == s->value_capacity && s->indices != NULL) {
        gbs_status status = room_in_files(s);
        if (status != GBS_OK)
            return status;
    } else if (s->n == s->index_capacity || s->n == s->value_capacity) {
        uint32_t *indices = gbs_array_grow(s->reader->ctx, t->index, &s->index_capacity, s->n + 1,
                                           sizeof *indices);
        if (!indices)
            return gbs_reader_no_memory(s->reader);
        t->index = indices;
        double *values = gbs_array_grow(s->reader->ctx, t->value, &s->value_capacity, s->n + 1,
                                        sizeof *values);
        if (!values)
            return gbs_reader_no_memory(s->reader);
        t->value = values;
    }
    t->index[s->n] = index - 1;
    t->value[s->n++] = value;
    s->previous = index;
    return GBS_OK;
}

/* The pair that is the token at `at`, with everything checked. */
static gbs_status careful_pair(struct svmlight *s, size_t length) {
    const char *token = s->bytes->at, *colon = memchr(token, ':', length);
    gbs_shown seen = gbs_show(token, length);
    if (colon == token + 3 && memcmp(token, "qid", 3) == 0)
        return gbs_reader_fail_at(s->reader, s->line,
                                  "'%s': ranking groups (qid) are not supported", seen.text);
    if (!colon || colon == token)
        return gbs_reader_fail_at(s->reader, s->line, "expected index:value, found '%s'",
                                  seen.text);
    uint64_t index = 0;
    for (const char *p = token; p < colon; p++) {
        if (*p < '0' || *p > '9')
            return gbs_reader_fail_at(s->reader, s->line,
                                      "expected a whole number before the colon, found '%s'",
                                      seen.text);
        if (index <= LARGEST_INDEX)
            index = index * 10 + (uint64_t)(*p - '0');
    }
    if (index == 0)
        return gbs_reader_fail_at(s->reader, s->line, "'%s': indices count from 1", seen.text);
    if (index > LARGEST_INDEX)
        return gbs_reader_fail_at(s->reader, s->line, "'%s': the index is larger than %u",
                                  seen.text, LARGEST_INDEX);
    if (index == s->previous)
        return gbs_reader_fail_at(s->reader, s->line, "'%s': index %u stands twice in the row",
                                  seen.text, s->previous);
    if (index < s->previous)
        return gbs_reader_fail_at(s->reader, s->line,
                                  "'%s': indices must increase, but this one follows %u", seen.text,
                                  s->previous);
    double value;
    gbs_status status = read_value(s, colon + 1, length - (size_t)(colon + 1 - token), "value",
                                   &value);
    if (status == GBS_OK)
        status = store_pair(s, (uint32_t)index, value);
    s->bytes->at += length;
    return status;
}

/* Takes pairs for as long as nothing is unusual. */
static gbs_status take_pairs(struct svmlight *s) {
    gbs_bytes *b = s->bytes;
    gbs_status status = GBS_OK;
    while (status == GBS_OK) {
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
        p = gbs_number_read(p + 1, b->end, &value);
        if (!p || (*p != ' ' && *p != '\n'))
            break;
        status = store_pair(s, (uint32_t)index, value);
        b->at += p - b->at;
    }
    return status;
}

static gbs_status start_row(struct svmlight *s, size_t length) {
    gbs_table *t = s->table;
    double label;
    gbs_status status = read_value(s, s->bytes->at, length, "label", &label);
    if (status != GBS_OK)
        return status;
    size_t *starts = gbs_array_grow(s->reader->ctx, t->row_start, &s->row_capacity, t->n_rows + 2,
                                    sizeof *starts);
    if (!starts)
        return gbs_reader_no_memory(s->reader);
    t->row_start = starts;
    double *labels = gbs_array_grow(s->reader->ctx, t->label, &s->label_capacity, t->n_rows + 1,
                                    sizeof *labels);
    if (!labels)
        return gbs_reader_no_memory(s->reader);
    t->label = labels;
    status = gbs_reader_note_line(s->reader, s->line);
    if (status != GBS_OK)
        return status;
    starts[t->n_rows] = s->n;
    labels[t->n_rows++] = label;
    s->previous = 0;
    s->bytes->at += length;
    return GBS_OK;
}

/* One line: blank, a comment, or a row. */
static gbs_status read_line(struct svmlight *s) {
    size_t length = 0;
    gbs_status status = whole_token(s, &length);
    if (status == GBS_OK && length > 0)
        status = start_row(s, length);
    while (status == GBS_OK && length > 0) {
        status = take_pairs(s);
        if (status == GBS_OK)
            status = whole_token(s, &length);
        if (status == GBS_OK && length > 0)
            status = careful_pair(s, length);
    }
    if (s->previous > s->largest)
        s->largest = s->previous;
    return status == GBS_OK ? skip_line(s) : status;
}

/* A part of the rows; columns behind the largest index so far have no cells. */
static gbs_status hand_out(struct svmlight *s) {
    gbs_table *t = s->table;
    if (t->n_rows > 0)
        t->row_start[t->n_rows] = s->n;
    t->n_columns = s->largest;
    s->n = 0;
    return gbs_reader_hand_out(s->reader);
}

/* The lines that begin in a piece of the file: from the first of them on. */
static gbs_status begin_piece(struct svmlight *s, const gbs_piece *p) {
    if (p->begin == 0)
        return GBS_OK;
    gbs_status status = gbs_bytes_seek(s->bytes, p->begin - 1);
    if (status != GBS_OK)
        return gbs_reader_fail(s->reader, status, "%s", s->bytes->message);
    status = skip_line(s);
    s->line = 1;
    return status;
}

static gbs_status read_lines(struct svmlight *s, gbs_piece *piece) {
    gbs_status status = piece != NULL ? begin_piece(s, piece) : GBS_OK;
    while (status == GBS_OK && (piece == NULL || gbs_bytes_offset(s->bytes) < piece->end)) {
        if (s->bytes->at == s->bytes->end && !s->bytes->last)
            status = gbs_reader_more(s->reader);
        if (status != GBS_OK || s->bytes->at == s->bytes->end)
            break;
        status = read_line(s);
        if (status == GBS_OK && s->largest > 0 && gbs_reader_part_is_full(s->reader))
            status = hand_out(s);
    }
    if (piece != NULL)
        piece->lines = s->line - 1;
    return status;
}

/* The table has its size, and no slack. */
static gbs_status finish(struct svmlight *s) {
    gbs_reader *r = s->reader;
    gbs_table *t = s->table;
    if (t->n_rows > 0)
        t->row_start[t->n_rows] = s->n;
    t->n_columns = s->largest;
    t->row_start = gbs_reader_trim(r, t->row_start, t->n_rows + 1, sizeof *t->row_start);
    t->label = gbs_reader_trim(r, t->label, t->n_rows, sizeof *t->label);
    t->line = gbs_reader_trim(r, t->line, t->n_rows, sizeof *t->line);
    if (s->indices != NULL)
        return join_files(s);
    t->index = gbs_reader_trim(r, t->index, s->n, sizeof *t->index);
    t->value = gbs_reader_trim(r, t->value, s->n, sizeof *t->value);
    return GBS_OK;
}

static gbs_status read_all(struct svmlight *s) {
    gbs_reader *r = s->reader;
    gbs_piece *piece = r->options->pieces != NULL ? r->options->pieces->piece : NULL;
    gbs_status status = read_lines(s, piece);
    if (status != GBS_OK)
        return status;
    if (s->table->n_rows + r->before == 0 && piece == NULL)
        return gbs_reader_fail(r, GBS_ERR_DATA, "the file is empty");
    if (s->largest == 0 && piece == NULL)
        return gbs_reader_fail(r, GBS_ERR_DATA,
                               "the rows hold labels only, not one index:value pair");
    return r->options->part > 0 ? hand_out(s) : finish(s);
}

gbs_status gbs_svmlight_read(gbs_reader *r) {
    struct svmlight s = {.reader = r, .bytes = r->bytes, .table = r->out, .line = 1};
    gbs_status status = GBS_OK;
    if (r->options->store != NULL) {
        r->out->in_file = true;
        status = gbs_cache_beside(r->options->store, &s.indices);
    }
    if (status == GBS_OK)
        status = read_all(&s);
    gbs_cache_free(s.indices);
    return status;
}
