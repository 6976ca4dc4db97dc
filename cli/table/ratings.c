/* Ratings files to numbered triples. Identifiers are texts, whatever they look like: 7 and 007 are
 * two. */
#include "ratings.h"

#include "csv_cell.h"
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ratings_reader {
    struct reader *reader;
    const struct ratings_options *options;
    struct ratings_table *out;
    size_t capacity[3];
    struct csv_input in;
    size_t column[3]; /* csv: where row, column and value stand */
    size_t columns;   /* csv: cells of a record */
    bool named;
    uint64_t line; /* MatrixMarket */
    uint64_t size[3];
};

enum { ROW, COLUMN, VALUE };

/* What the library takes. */
#define LARGEST_VALUE 1e100

static const char *const what[3] = {"row", "col", "value"};

/* ---------------------------------------------------------------- one rating */

static enum table_status add_id(struct ratings_reader *r, int side, uint64_t line, const char *text,
                                size_t length) {
    struct levels *names = &r->out->names[side];
    if (length == 0)
        return reader_fail_at(r->reader, line,
                              "column '%s' (column %zu): the identifier is missing", what[side],
                              r->column[side] + 1);
    size_t found = levels_find(names, text, length);
    if (found == LEVELS_NONE) {
        for (const char *p = text, *end = text + length; p < end;) {
            size_t bytes = utf8_character(p, end);
            if (bytes == 0)
                return reader_fail_at(r->reader, line,
                                      "column '%s' (column %zu): '%s' is not UTF-8 text",
                                      what[side], r->column[side] + 1, shown(text, length).text);
            p += bytes;
        }
        found = names->n;
        if (!levels_add(names, text, length))
            return reader_no_memory(r->reader);
    }
    r->out->id[side][r->out->n] = (uint32_t)found;
    return TABLE_OK;
}

static enum table_status add_value(struct ratings_reader *r, uint64_t line, const char *text,
                                   size_t length) {
    const struct ratings_options *o = r->options;
    double x;
    size_t column = r->column[VALUE] + 1;
    switch (number_kind(text, length, &x)) {
    case NUMBER_FINITE:
        break;
    case NUMBER_MISSING:
        return reader_fail_at(r->reader, line,
                              "column 'value' (column %zu): the value is missing ('%s')", column,
                              shown(text, length).text);
    case NUMBER_NOT_FINITE:
    case NUMBER_TOO_LARGE:
    case NUMBER_NONE:
        return reader_fail_at(r->reader, line,
                              "column 'value' (column %zu): expected a number, found '%s'", column,
                              shown(text, length).text);
    }
    if (o->has_range && !(x >= o->low && x <= o->high))
        return reader_fail_at(r->reader, line,
                              "column 'value' (column %zu): %.10g lies outside --range %.10g:%.10g",
                              column, x, o->low, o->high);
    if (!(fabs(x) <= LARGEST_VALUE))
        return reader_fail_at(
            r->reader, line,
            "column 'value' (column %zu): %.10g is too large, values must lie within 1e100", column,
            x);
    r->out->value[r->out->n] = x;
    return TABLE_OK;
}

static enum table_status make_room(struct ratings_reader *r) {
    struct ratings_table *t = r->out;
    for (int side = 0; side < 2; side++) {
        uint32_t *ids = grown(t->id[side], &r->capacity[side], t->n + 1, sizeof *ids);
        if (!ids)
            return reader_no_memory(r->reader);
        t->id[side] = ids;
    }
    if (!r->options->values)
        return TABLE_OK;
    double *values = grown(t->value, &r->capacity[VALUE], t->n + 1, sizeof *values);
    if (!values)
        return reader_no_memory(r->reader);
    t->value = values;
    return TABLE_OK;
}

static enum table_status add_cell(struct ratings_reader *r, size_t j, uint64_t line,
                                  const char *text, size_t length) {
    if (j == r->column[ROW])
        return add_id(r, ROW, line, text, length);
    if (j == r->column[COLUMN])
        return add_id(r, COLUMN, line, text, length);
    if (j == r->column[VALUE] && r->options->values)
        return add_value(r, line, text, length);
    return TABLE_OK;
}

/* ---------------------------------------------------------------- csv */

static bool is_one_of(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcasecmp(name, *list) == 0)
            return true;
    return false;
}

/* How many of the columns that are needed the record names, into found; a name that comes twice is
 * taken at its first place. */
static size_t find_names(struct ratings_reader *r, const struct csv_record *first, bool found[3]) {
    static const char *const rows[] = {"row", "user", "userid", "user_id", "i", NULL};
    static const char *const columns[] = {"col",     "column",   "item", "itemid", "item_id",
                                          "movieid", "movie_id", "j",    NULL};
    static const char *const values[] = {"value", "rating", "y", NULL};
    static const char *const *const lists[3] = {rows, columns, values};
    for (size_t j = first->n; j-- > 0;)
        for (int k = 0; k < 3; k++)
            if (is_one_of(first->text + first->start[j], lists[k])) {
                r->column[k] = j;
                found[k] = true;
            }
    if (!found[VALUE])
        r->column[VALUE] = SIZE_MAX;
    return (size_t)found[ROW] + found[COLUMN] + (found[VALUE] && r->options->values);
}

/* Half a header is no header: which column is which would be a guess. */
static enum table_status refuse_header(const struct ratings_reader *r,
                                       const struct csv_record *first, const bool found[3]) {
    const char *missing[3] = {"", "", ""};
    size_t n = 0;
    for (int k = 0; k < (r->options->values ? 3 : 2); k++)
        if (!found[k])
            missing[n++] = what[k];
    return reader_fail_at(
        r->reader, first->line,
        "the header has no column called %s%s%s; expected row, col%s (or user, item%s)", missing[0],
        n > 1 ? " or " : "", n > 1 ? missing[1] : "", r->options->values ? " and value" : "",
        r->options->values ? ", rating" : "");
}

/* A record of texts alone is a header too. */
static bool has_number(const struct csv_record *first) {
    double x;
    for (size_t j = 0; j < first->n; j++)
        if (number_kind(first->text + first->start[j], first->start[j + 1] - first->start[j] - 1,
                        &x) == NUMBER_FINITE)
            return true;
    return false;
}

static enum table_status add_record(struct ratings_reader *r, const struct csv_record *record) {
    enum table_status status = make_room(r);
    for (size_t j = 0; j < record->n && status == TABLE_OK; j++)
        status = add_cell(r, j, record->line, record->text + record->start[j],
                          record->start[j + 1] - record->start[j] - 1);
    r->out->n += status == TABLE_OK;
    return status;
}

static enum table_status read_first(struct ratings_reader *r) {
    struct csv_record first = {0};
    enum table_status status = csv_record_read(&r->in, &first);
    bool values = r->options->values;
    if (status == TABLE_OK && !first.there)
        status = reader_fail(r->reader, TABLE_BAD_DATA, "the file is empty");
    if (status == TABLE_OK && first.n < (values ? 3U : 2U))
        status = reader_fail_at(r->reader, first.line,
                                "expected the columns row, col%s; found %zu column%s",
                                values ? " and value" : "", first.n, first.n == 1 ? "" : "s");
    if (status == TABLE_OK) {
        bool header = r->options->header != 0, found[3] = {false, false, false};
        size_t names = header ? find_names(r, &first, found) : 0;
        r->columns = first.n;
        r->named = names == (values ? 3U : 2U);
        for (size_t k = 0; k < 3 && !r->named; k++)
            r->column[k] = k;
        bool texts = !r->named && header && !has_number(&first);
        if (texts && names > 0)
            status = refuse_header(r, &first, found);
        else if (texts && !values)
            status = reader_fail_at(
                r->reader, first.line,
                "is this line a header? Call its columns row and col, or say --no-header");
        else if (!r->named && !texts)
            status = add_record(r, &first);
    }
    csv_record_free(&first);
    return status;
}

static enum table_status read_record(struct ratings_reader *r) {
    uint64_t line = r->in.line;
    enum table_status status = make_room(r);
    struct cell cell = {0};
    size_t j = 0;
    for (; !cell.last && status == TABLE_OK; j++) {
        status = csv_cell(&r->in, &cell);
        if (status != TABLE_OK)
            return status;
        if (j == 0 && csv_is_blank_line(&cell))
            return TABLE_OK;
        if (j < r->columns)
            status = add_cell(r, j, cell.line, cell.text, cell.length);
    }
    if (status == TABLE_OK && j != r->columns)
        return reader_fail_at(r->reader, line, "%zu cell%s, but the first line has %zu", j,
                              j == 1 ? "" : "s", r->columns);
    r->out->n += status == TABLE_OK;
    return status;
}

static enum table_status read_csv(struct ratings_reader *r) {
    enum table_status status = csv_open(&r->in, r->reader);
    if (status == TABLE_OK)
        status = read_first(r);
    for (bool ended = false; status == TABLE_OK && !ended;) {
        status = csv_record_start(&r->in, &ended);
        if (status == TABLE_OK && !ended)
            status = read_record(r);
    }
    return status;
}

/* ---------------------------------------------------------------- MatrixMarket */

static const char banner[] = "%%MatrixMarket";

/* The next line, cut off at its end; NULL at the end of the file. */
static enum table_status next_line(struct ratings_reader *r, char **out) {
    struct bytes *b = r->reader->bytes;
    for (;;) {
        char *newline = memchr(b->at, '\n', (size_t)(b->end - b->at));
        if (newline || b->last) {
            *out = b->at < b->end ? b->at : NULL;
            b->at = newline ? newline + 1 : b->end;
            if (newline)
                *newline = '\0';
            r->line++;
            return TABLE_OK;
        }
        if ((size_t)(b->end - b->at) > TABLE_LONGEST_CELL)
            return reader_fail_at(r->reader, r->line + 1, "a line is longer than 1 MiB");
        enum table_status status = reader_more(r->reader);
        if (status != TABLE_OK)
            return status;
    }
}

static size_t words(char *line, char **word, size_t most) {
    size_t n = 0;
    char *save = NULL;
    for (char *w = strtok_r(line, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save), n++)
        if (n < most)
            word[n] = w;
    return n;
}

static enum table_status read_banner(struct ratings_reader *r) {
    char *line = NULL, *word[5];
    enum table_status status = next_line(r, &line);
    if (status != TABLE_OK)
        return status;
    if (words(line, word, 5) != 5 || strcasecmp(word[1], "matrix") != 0 ||
        strcasecmp(word[2], "coordinate") != 0)
        return reader_fail_at(r->reader, 1, "expected '%s matrix coordinate real general'", banner);
    bool number = strcasecmp(word[3], "real") == 0 || strcasecmp(word[3], "integer") == 0;
    if (!number && (r->options->values || strcasecmp(word[3], "pattern") != 0))
        return reader_fail_at(r->reader, 1, "values must be real or integer, not %s",
                              shown(word[3], strlen(word[3])).text);
    if (strcasecmp(word[4], "general") != 0)
        return reader_fail_at(r->reader, 1, "only general matrices hold ratings, not %s",
                              shown(word[4], strlen(word[4])).text);
    return TABLE_OK;
}

static bool whole(const char *text, uint64_t *x) {
    size_t length = strlen(text);
    if (length == 0 || length > 18 || strspn(text, "0123456789") != length)
        return false;
    *x = strtoull(text, NULL, 10);
    return true;
}

/* The first line that is neither blank nor a comment, in at most 4 words. */
static enum table_status next_entry(struct ratings_reader *r, char **word, size_t *n) {
    for (;;) {
        char *line = NULL;
        enum table_status status = next_line(r, &line);
        *n = 0;
        if (status != TABLE_OK || !line)
            return status;
        if (*line != '%' && (*n = words(line, word, 4)) > 0)
            return TABLE_OK;
    }
}

static enum table_status read_entry(struct ratings_reader *r, char **word, size_t n) {
    if (n < (r->options->values ? 3U : 2U))
        return reader_fail_at(r->reader, r->line, "expected row, column%s, found %zu number%s",
                              r->options->values ? " and value" : "", n, n == 1 ? "" : "s");
    enum table_status status = make_room(r);
    for (int side = 0; side < 2 && status == TABLE_OK; side++) {
        uint64_t x;
        if (!whole(word[side], &x) || x == 0 || x > r->size[side])
            return reader_fail_at(r->reader, r->line,
                                  "%s: expected a whole number from 1 to %llu, found '%s'",
                                  what[side], (unsigned long long)r->size[side],
                                  shown(word[side], strlen(word[side])).text);
        status = add_id(r, side, r->line, word[side], strlen(word[side]));
    }
    if (status == TABLE_OK && r->options->values)
        status = add_value(r, r->line, word[2], strlen(word[2]));
    r->out->n += status == TABLE_OK;
    return status;
}

/* Nothing is allocated by what the header declares. */
static enum table_status read_matrix_market(struct ratings_reader *r) {
    char *word[4];
    size_t n;
    enum table_status status = read_banner(r);
    if (status == TABLE_OK)
        status = next_entry(r, word, &n);
    if (status != TABLE_OK)
        return status;
    if (n != 3 || !whole(word[0], &r->size[0]) || !whole(word[1], &r->size[1]) ||
        !whole(word[2], &r->size[2]))
        return reader_fail_at(r->reader, r->line,
                              "expected the numbers of rows, columns and entries");
    for (size_t k = 0; k < 3; k++)
        r->column[k] = k;
    while (status == TABLE_OK) {
        status = next_entry(r, word, &n);
        if (status != TABLE_OK || n == 0)
            break;
        status = read_entry(r, word, n);
    }
    if (status == TABLE_OK && r->out->n != r->size[2])
        return reader_fail(r->reader, TABLE_BAD_DATA,
                           "the header declares %llu entries, the file has %zu",
                           (unsigned long long)r->size[2], r->out->n);
    return status;
}

/* ---------------------------------------------------------------- both */

static enum table_status read_any(struct ratings_reader *r) {
    struct bytes *b = r->reader->bytes;
    enum table_status status = TABLE_OK;
    while (!b->last && (size_t)(b->end - b->at) < sizeof banner && status == TABLE_OK)
        status = reader_more(r->reader);
    if (status != TABLE_OK)
        return status;
    bool market = (size_t)(b->end - b->at) >= sizeof banner - 1 &&
                  strncasecmp(b->at, banner, sizeof banner - 1) == 0;
    status = market ? read_matrix_market(r) : read_csv(r);
    if (status == TABLE_OK && r->out->n == 0)
        return reader_fail(r->reader, TABLE_BAD_DATA, "the file holds no %s",
                           r->options->values ? "ratings" : "pairs");
    return status;
}

enum table_status ratings_read_bytes(struct bytes *bytes, const char *file,
                                     const struct ratings_options *options,
                                     struct ratings_table *out, char *error, size_t error_size) {
    *out = (struct ratings_table){.file = strdup(file)};
    if (!out->file) {
        snprintf(error, error_size, "out of memory");
        return TABLE_NO_MEMORY;
    }
    struct table named = {.file = out->file}; /* what the readers' messages ask for */
    struct table_options none = {.header = options->header};
    struct reader reader = {
        .bytes = bytes, .options = &none, .out = &named, .error = error, .error_size = error_size};
    struct ratings_reader r = {.reader = &reader, .options = options, .out = out};
    enum table_status status = read_any(&r);
    if (status != TABLE_OK)
        ratings_free(out);
    return status;
}

enum table_status ratings_read(const char *name, const struct ratings_options *options,
                               struct ratings_table *out, char *error, size_t error_size) {
    const char *file = strcmp(name, "-") == 0 ? "standard input" : name;
    struct bytes bytes;
    *out = (struct ratings_table){0};
    enum table_status status = bytes_open(&bytes, name, 0, options->cancelled, NULL);
    if (status != TABLE_OK) {
        snprintf(error, error_size, "%s: %s", file, bytes.message);
        return status;
    }
    status = ratings_read_bytes(&bytes, file, options, out, error, error_size);
    bytes_close(&bytes);
    return status;
}

void ratings_forget_cells(struct ratings_table *t) {
    for (int side = 0; side < 2; side++) {
        free(t->id[side]);
        levels_free(&t->names[side]);
    }
    free(t->value);
    *t = (struct ratings_table){.file = t->file};
}

void ratings_free(struct ratings_table *t) {
    ratings_forget_cells(t);
    free(t->file);
    *t = (struct ratings_table){0};
}
