/* CSV rows to a dense table.
 *
 * The common cell, a number in a column known to be numeric, is converted where it lies in the
 * window, and its border is whatever stands behind the number: one pass over the bytes. Everything
 * else (text, quotes, missing values, the edge of the buffer, mistakes) takes the general way
 * through csv_cell. libcsv, the oracle of the tests, needs as long to find the cells alone (about
 * 200 MB/s) as this file needs to read them.
 *
 * A column is text when the options say so or when its first cell that is not missing is no number;
 * otherwise it is numeric, and a later text in it is an error rather than a silent change of type.
 */
#include "csv_columns.h"
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LEVELS ((size_t)100000)

/* "column 'age' (column 3)", or "column 3" in a file without names. */
struct place {
    char text[240];
};

static struct place place(const struct csv *c, size_t j) {
    struct place p;
    const char *name = c->table->columns[j].name;
    if (c->table->has_header)
        snprintf(p.text, sizeof p.text, "column '%s' (column %zu)", shown(name, strlen(name)).text,
                 j + 1);
    else
        snprintf(p.text, sizeof p.text, "column %zu", j + 1);
    return p;
}

/* How the user names the column on the command line: by number where the name would need the
 * shell's quotes. */
static struct place argument(const struct csv *c, size_t j) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    struct place p;
    const char *name = c->table->columns[j].name;
    if (c->table->has_header && strlen(name) <= 40 && strspn(name, plain) == strlen(name))
        snprintf(p.text, sizeof p.text, "%s", name);
    else
        snprintf(p.text, sizeof p.text, "%zu", j + 1);
    return p;
}

static enum table_status expected_number(struct csv *c, size_t j, const struct cell *cell) {
    char range[80];
    unsigned long long first = c->first_number[j], last = c->previous_line;
    if (first == last)
        snprintf(range, sizeof range, "line %llu holds a number", first);
    else
        snprintf(range, sizeof range, "lines %llu to %llu hold numbers", first, last);
    if (c->reader->options->from_model)
        return reader_fail_at(c->reader, cell->line, "%s: expected a number, found '%s' (%s)",
                              place(c, j).text, shown(cell->text, cell->length).text, range);
    return reader_fail_at(
        c->reader, cell->line,
        "%s: expected a number, found '%s' (%s; --text %s treats the column as categories)",
        place(c, j).text, shown(cell->text, cell->length).text, range, argument(c, j).text);
}

static enum table_status store_missing(struct csv *c, size_t j, const struct cell *cell,
                                       double *to) {
    *to = NAN;
    if (c->reader->options->keep_missing)
        return TABLE_OK;
    return reader_fail_at(c->reader, cell->line,
                          "%s: the value is missing ('%s'); --missing drop does without such rows",
                          place(c, j).text, shown(cell->text, cell->length).text);
}

static enum table_status add_level(struct csv *c, size_t j, const struct cell *cell) {
    struct levels *set = &c->levels[j];
    if (set->n == MOST_LEVELS)
        return reader_fail_at(c->reader, cell->line,
                              "%s has more than %zu different texts; it looks like an identifier "
                              "(--drop %s leaves it out)",
                              place(c, j).text, MOST_LEVELS, argument(c, j).text);
    const char *p = cell->text, *end = cell->text + cell->length;
    while (p < end) {
        size_t n = utf8_character(p, end);
        if (n == 0)
            return reader_fail_at(
                c->reader, cell->line,
                "%s: '%s' is not UTF-8 text; convert the file, for example with iconv",
                place(c, j).text, shown(cell->text, cell->length).text);
        p += n;
    }
    return levels_add(set, cell->text, cell->length) ? TABLE_OK : reader_no_memory(c->reader);
}

static enum table_status store_text(struct csv *c, size_t j, const struct cell *cell, double *to) {
    double value;
    if (cell->length <= 3 && number_kind(cell->text, cell->length, &value) == NUMBER_MISSING)
        return store_missing(c, j, cell, to);
    size_t level = levels_find(&c->levels[j], cell->text, cell->length);
    if (level == LEVELS_NONE) {
        level = c->levels[j].n;
        enum table_status status = add_level(c, j, cell);
        if (status != TABLE_OK)
            return status;
    }
    *to = (double)level;
    return TABLE_OK;
}

/* 1,5 in a file whose separator is ; or tab: taken as text it would become a category without a
 * word. */
static bool is_decimal_comma(const struct csv *c, const struct cell *cell) {
    char text[32];
    double value;
    if (c->in.separator == ',' || cell->length >= sizeof text)
        return false;
    memcpy(text, cell->text, cell->length);
    text[cell->length] = '\0';
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    return comma && number_kind(text, cell->length, &value) == NUMBER_FINITE;
}

/* The first cell of a column that says anything, and it is no number. */
static enum table_status start_text(struct csv *c, size_t j, const struct cell *cell, double *to) {
    if (is_decimal_comma(c, cell))
        return reader_fail_at(c->reader, cell->line,
                              "%s: '%s' has a decimal comma; numbers need a point",
                              place(c, j).text, shown(cell->text, cell->length).text);
    c->kind[j] = CSV_TEXT;
    c->table->columns[j].is_text = true;
    return store_text(c, j, cell, to);
}

static enum table_status store(struct csv *c, size_t j, const struct cell *cell, double *to) {
    if (c->kind[j] == CSV_TEXT)
        return store_text(c, j, cell, to);
    *to = NAN;
    if (c->kind[j] == CSV_SKIPPED)
        return TABLE_OK;
    switch (number_kind(cell->text, cell->length, to)) {
    case NUMBER_FINITE:
        if (c->kind[j] == CSV_UNDECIDED)
            c->first_number[j] = cell->line;
        c->kind[j] = CSV_NUMERIC;
        return TABLE_OK;
    case NUMBER_MISSING:
        return store_missing(c, j, cell, to);
    case NUMBER_NOT_FINITE:
        return reader_fail_at(c->reader, cell->line, "%s: '%s' is not a finite number",
                              place(c, j).text, shown(cell->text, cell->length).text);
    case NUMBER_TOO_LARGE:
        return reader_fail_at(c->reader, cell->line, "%s: '%s' is too large for a double",
                              place(c, j).text, shown(cell->text, cell->length).text);
    case NUMBER_NONE:
        break;
    }
    return c->kind[j] == CSV_UNDECIDED ? start_text(c, j, cell, to) : expected_number(c, j, cell);
}

/* n cells were read; the others of the record are still to be counted unless it has ended. */
static enum table_status ragged(struct csv *c, uint64_t line, size_t n, bool ended) {
    struct cell cell = {.last = ended};
    while (!cell.last) {
        enum table_status status = csv_cell(&c->in, &cell);
        if (status != TABLE_OK)
            return status;
        n++;
    }
    const char *plural = n == 1 ? "" : "s";
    if (c->table->has_header)
        return reader_fail_at(c->reader, line, "%zu cell%s, but the header has %zu", n, plural,
                              c->table->n_columns);
    return reader_fail_at(c->reader, line, "%zu cell%s, but line %llu has %zu", n, plural,
                          (unsigned long long)c->first_line, c->table->n_columns);
}

static enum table_status room_for_row(struct csv *c) {
    struct table *t = c->table;
    if (t->n_rows >= SIZE_MAX / t->n_columns - 1)
        return reader_no_memory(c->reader);
    double *cells = grown(t->cells, &c->cell_capacity, (t->n_rows + 1) * t->n_columns,
                          sizeof *cells);
    if (!cells)
        return reader_no_memory(c->reader);
    t->cells = cells;
    return TABLE_OK;
}

static enum table_status finish_row(struct csv *c, uint64_t line) {
    enum table_status status = reader_note_line(c->reader, line);
    c->table->n_rows += status == TABLE_OK;
    c->previous_line = line;
    return status;
}

/* Takes plain numbers while columns are numeric and the window holds whole cells; true when that
 * ended the record. */
static bool take_numbers(struct csv *c, double *row, size_t *column) {
    struct bytes *b = c->in.bytes;
    const size_t d = c->table->n_columns;
    const char separator = c->in.separator;
    size_t j = *column;
    bool ended = false;
    const char *start = b->at;
    while (j < d && !ended && c->kind[j] == CSV_NUMERIC) {
        const char *p = start;
        while (*p == ' ')
            p++;
        p = number_read(p, b->end, &row[j]);
        if (!p)
            break;
        /* At the edge of the window p reads the '\0' there, which is none of these. */
        if (*p == '\r' && p[1] == '\n')
            p++;
        ended = *p == '\n';
        if (!ended && *p != separator)
            break;
        j++;
        start = p + 1;
    }
    b->at += start - b->at;
    c->in.line += ended;
    *column = j;
    return ended;
}

static enum table_status read_row(struct csv *c) {
    const size_t d = c->table->n_columns;
    double *row = c->table->cells + c->table->n_rows * d;
    const uint64_t line = c->in.line;
    size_t j = 0;
    bool ended = false;
    while (!ended) {
        ended = take_numbers(c, row, &j);
        if (ended)
            break;
        struct cell cell;
        enum table_status status = csv_cell(&c->in, &cell);
        if (status != TABLE_OK)
            return status;
        if (j == 0 && csv_is_blank_line(&cell))
            return TABLE_OK;
        if (j == d)
            return ragged(c, line, d + 1, cell.last);
        status = store(c, j, &cell, &row[j]);
        if (status != TABLE_OK)
            return status;
        j++;
        ended = cell.last;
    }
    return j == d ? finish_row(c, line) : ragged(c, line, j, true);
}

static enum table_status read_rows(struct csv *c) {
    for (;;) {
        bool ended = false;
        enum table_status status = csv_record_start(&c->in, &ended);
        if (status != TABLE_OK || ended)
            return status;
        status = room_for_row(c);
        if (status == TABLE_OK)
            status = read_row(c);
        if (status != TABLE_OK)
            return status;
    }
}

/* A record that was read ahead to look for a header. */
static enum table_status store_record(struct csv *c, const struct csv_record *record) {
    const size_t d = c->table->n_columns;
    if (record->n != d)
        return ragged(c, record->line, record->n, true);
    enum table_status status = room_for_row(c);
    for (size_t j = 0; j < d && status == TABLE_OK; j++) {
        struct cell cell = {.text = record->text + record->start[j], .line = record->line};
        cell.length = record->start[j + 1] - record->start[j] - 1;
        status = store(c, j, &cell, &c->table->cells[c->table->n_rows * d + j]);
    }
    return status == TABLE_OK ? finish_row(c, record->line) : status;
}

static enum table_status read_all(struct csv *c, struct csv_record *first,
                                  struct csv_record *second) {
    bool header = false;
    enum table_status status = csv_open(&c->in, c->reader);
    if (status == TABLE_OK)
        status = csv_detect_header(c, first, second, &header);
    if (status == TABLE_OK)
        status = csv_make_columns(c, first, header);
    if (status == TABLE_OK && !header)
        status = store_record(c, first);
    if (status == TABLE_OK && second->there)
        status = store_record(c, second);
    if (status == TABLE_OK)
        status = read_rows(c);
    if (status == TABLE_OK && c->table->n_rows == 0)
        return reader_fail(
            c->reader, TABLE_BAD_DATA, "the file has a header but no rows%s",
            c->reader->options->header < 0 ? " (if its only line holds data: --no-header)" : "");
    return status;
}

static void hand_over(struct csv *c) {
    struct table *t = c->table;
    for (size_t j = 0; j < t->n_columns; j++) {
        struct levels *set = &c->levels[j];
        t->columns[j].levels = shrunk(set->text, set->n, sizeof *set->text);
        t->columns[j].n_levels = set->n;
        set->text = NULL;
        set->n = 0;
    }
    t->cells = shrunk(t->cells, t->n_rows * t->n_columns, sizeof *t->cells);
    t->line = shrunk(t->line, t->n_rows, sizeof *t->line);
}

enum table_status csv_read(struct reader *r) {
    struct csv c = {.reader = r, .table = r->out};
    struct csv_record first = {0}, second = {0};
    enum table_status status = read_all(&c, &first, &second);
    if (status == TABLE_OK)
        hand_over(&c);
    for (size_t j = 0; c.levels && j < r->out->n_columns; j++)
        levels_free(&c.levels[j]);
    free(c.levels);
    free(c.kind);
    free(c.first_number);
    csv_record_free(&first);
    csv_record_free(&second);
    return status;
}
