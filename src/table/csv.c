/* CSV rows to a dense table.
 *
 * The common cell, a number in a column known to be numeric, is converted where it lies in the
 * window, and its border is whatever stands behind the number: one pass over the bytes. Everything
 * else (text, quotes, missing values, the edge of the buffer, mistakes) takes the general way
 * through csv_cell. libcsv, the oracle of the tests, needs as long to find the cells alone (about
 * 200 MB/s) as this file needs to read them.
 *
 * A column is text when the options say so or when its first cell that says anything is no number;
 * otherwise it is numeric, and a later text in it is an error rather than a silent change of type.
 * Marks such as ? or n/a say nothing: until another cell comes they are kept as levels, which they
 * are in a text column and are not, but missing, in one of numbers. A text column most of whose
 * levels are numbers is in doubt, and an error too (doubt.c): so the types are what any of the
 * rows would say.
 */
#include "table/cache.h"
#include "table/csv_columns.h"
#include "table/number.h"
#include "table/recipe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "column 'age' (column 3)", or "column 3" in a file without names. */
struct place {
    char text[240];
};

static struct place place(const gbs_csv *c, size_t j) {
    struct place p;
    const char *name = c->table->columns[j].name;
    if (c->table->has_header)
        snprintf(p.text, sizeof p.text, "column '%s' (column %zu)",
                 gbs_show(name, strlen(name)).text, j + 1);
    else
        snprintf(p.text, sizeof p.text, "column %zu", j + 1);
    return p;
}

/* How an option names the column: by number where the name would need the quotes of a shell. */
static struct place argument(const gbs_csv *c, size_t j) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    struct place p;
    const char *name = c->table->columns[j].name;
    if (c->table->has_header && strlen(name) <= 40 && strspn(name, plain) == strlen(name))
        snprintf(p.text, sizeof p.text, "%s", name);
    else
        snprintf(p.text, sizeof p.text, "%zu", j + 1);
    return p;
}

static bool is_dressed(const gbs_csv_cell *cell) {
    char text[64];
    if (cell->length >= sizeof text)
        return false;
    memcpy(text, cell->text, cell->length);
    text[cell->length] = '\0';
    return gbs_is_dressed_number(text);
}

static gbs_status expected_number(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    char range[80];
    unsigned long long first = c->first_number[j], last = c->previous_line;
    if (first == last)
        snprintf(range, sizeof range, "line %llu holds a number", first);
    else
        snprintf(range, sizeof range, "lines %llu to %llu hold numbers", first, last);
    if (c->reader->options->from_model)
        return gbs_reader_fail_at(c->reader, cell->line, "%s: expected a number, found '%s' (%s)",
                                  place(c, j).text, gbs_show(cell->text, cell->length).text, range);
    if (is_dressed(cell))
        return gbs_reader_fail_at(
            c->reader, cell->line,
            "%s: expected a number, found '%s' (%s); take the signs out of the file, or treat the "
            "column as categories (`text` %s)",
            place(c, j).text, gbs_show(cell->text, cell->length).text, range, argument(c, j).text);
    return gbs_reader_fail_at(
        c->reader, cell->line,
        "%s: expected a number, found '%s' (%s; `na-values` takes such cells as missing, `text` %s "
        "the column as categories)",
        place(c, j).text, gbs_show(cell->text, cell->length).text, range, argument(c, j).text);
}

/* The label, for all that is known before the table is read: nothing is decided by it. */
static bool is_target(const gbs_csv *c, size_t j) {
    const gbs_table *t = c->table;
    const char *wanted = c->reader->options->target;
    if (wanted != NULL)
        return strcmp(t->columns[j].name, wanted) == 0;
    for (size_t k = 0; k < t->n_columns; k++)
        if (strcmp(t->columns[k].name, "y") == 0)
            return k == j;
    return j + 1 == t->n_columns;
}

static gbs_status refuse_missing(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    gbs_shown found = gbs_show(cell->text, cell->length);
    if (c->reader->options->from_model)
        return gbs_reader_fail_at(c->reader, cell->line,
                                  "%s: the value is missing ('%s'); `missing` drop does without "
                                  "such rows, impute fills them in",
                                  place(c, j).text, found.text);
    if (is_target(c, j))
        return gbs_reader_fail_at(c->reader, cell->line,
                                  "%s: the label is missing ('%s'); `missing` drop does without "
                                  "such rows",
                                  place(c, j).text, found.text);
    return gbs_reader_fail_at(c->reader, cell->line,
                              "%s: the value is missing ('%s'); `missing` drop does without such "
                              "rows, impute fills them in, `drop` %s leaves out the column",
                              place(c, j).text, found.text, argument(c, j).text);
}

/* A column without a name may turn out to have no value at all: what is missing there is told when
 * a value comes. */
static gbs_status store_missing(gbs_csv *c, size_t j, const gbs_csv_cell *cell, double *to) {
    *to = NAN;
    if (c->reader->options->keep_missing)
        return GBS_OK;
    if (c->table->columns[j].unnamed && c->kind[j] == GBS_CSV_UNDECIDED && cell->length == 0) {
        c->first_gap[j] = c->first_gap[j] > 0 ? c->first_gap[j] : cell->line;
        return GBS_OK;
    }
    return refuse_missing(c, j, cell);
}

/* The first value of a column, behind what was missing. */
static gbs_status refuse_gap(gbs_csv *c, size_t j) {
    char none[1] = "";
    gbs_csv_cell gap = {.text = none, .line = c->first_gap[j]};
    return c->first_gap[j] > 0 ? refuse_missing(c, j, &gap) : GBS_OK;
}

/* The declared ones; the well-known marks are of number columns alone. */
static bool is_declared_missing(const gbs_csv *c, const gbs_csv_cell *cell) {
    const gbs_reading *o = c->reader->options;
    for (size_t k = 0; k < o->n_na; k++)
        if (strlen(o->na[k]) == cell->length && memcmp(o->na[k], cell->text, cell->length) == 0)
            return true;
    return false;
}

static gbs_status not_utf8(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    return gbs_reader_fail_at(c->reader, cell->line,
                              "%s: '%s' is not UTF-8 text; if it is Latin-1, `iconv -f latin1 "
                              "-t UTF-8 %s > utf8.csv` converts the file",
                              place(c, j).text, gbs_show(cell->text, cell->length).text,
                              c->reader->file);
}

static gbs_status add_level(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    gbs_text_set *set = &c->levels[j];
    if (set->n == GBS_TABLE_MOST_LEVELS)
        return gbs_reader_fail_at(
            c->reader, cell->line,
            "%s has more than %zu different texts; it looks like an identifier "
            "(`drop` %s leaves it out)",
            place(c, j).text, GBS_TABLE_MOST_LEVELS, argument(c, j).text);
    if (!gbs_is_utf8(cell->text, cell->length))
        return not_utf8(c, j, cell);
    return gbs_text_set_add(c->reader->ctx, set, &c->table->pool, cell->text, cell->length)
               ? GBS_OK
               : gbs_reader_no_memory(c->reader);
}

static gbs_status store_text(gbs_csv *c, size_t j, const gbs_csv_cell *cell, double *to) {
    double value;
    if (cell->length <= 3 && gbs_number_is(cell->text, cell->length, &value) == GBS_NUMBER_MISSING)
        return store_missing(c, j, cell, to);
    size_t level = gbs_text_set_find(&c->levels[j], cell->text, cell->length);
    if (level == GBS_TEXT_NONE) {
        level = c->levels[j].n;
        gbs_status status = add_level(c, j, cell);
        if (status != GBS_OK)
            return status;
    }
    *to = (double)level;
    return GBS_OK;
}

/* The cell with a point for its comma; false: it has none, or is too long for a number. */
static bool with_point(const gbs_csv_cell *cell, char *text, size_t room) {
    if (cell->length >= room)
        return false;
    memcpy(text, cell->text, cell->length);
    text[cell->length] = '\0';
    char *comma = strchr(text, ',');
    if (comma != NULL)
        *comma = '.';
    return comma != NULL;
}

enum { LONGEST_NUMBER = 64 };

static gbs_number_kind number_kind(const gbs_csv *c, const gbs_csv_cell *cell, double *to) {
    char text[LONGEST_NUMBER];
    if (c->reader->options->comma && with_point(cell, text, sizeof text))
        return gbs_number_is(text, cell->length, to);
    return gbs_number_is(cell->text, cell->length, to);
}

/* 1,5 in a file whose separator is ; or tab: taken as text it would become a category without a
 * word. */
static bool is_decimal_comma(const gbs_csv *c, const gbs_csv_cell *cell) {
    char text[LONGEST_NUMBER];
    double value;
    return c->in.separator != ',' && with_point(cell, text, sizeof text) &&
           gbs_number_is(text, cell->length, &value) == GBS_NUMBER_FINITE;
}

/* The first cell of a column that says anything, and it is no number. */
static gbs_status start_text(gbs_csv *c, size_t j, const gbs_csv_cell *cell, double *to) {
    if (is_decimal_comma(c, cell))
        return gbs_reader_fail_at(c->reader, cell->line,
                                  "%s: '%s' has a decimal comma (`decimal` ,)", place(c, j).text,
                                  gbs_show(cell->text, cell->length).text);
    c->kind[j] = GBS_CSV_TEXT;
    c->table->columns[j].is_text = true;
    c->table->columns[j].guessed = true;
    gbs_status status = refuse_gap(c, j);
    return status == GBS_OK ? store_text(c, j, cell, to) : status;
}

/* A mark in a column of which nothing is known yet. */
static gbs_status store_mark(gbs_csv *c, size_t j, const gbs_csv_cell *cell, double *to) {
    gbs_status status = refuse_gap(c, j);
    if (c->levels[j].n == 0)
        c->first_mark[j] = cell->line;
    return status == GBS_OK ? store_text(c, j, cell, to) : status;
}

/* The first number of a column: the marks before it were missing values. */
static gbs_status start_numbers(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    gbs_text_set *marks = &c->levels[j];
    c->first_number[j] = cell->line;
    c->kind[j] = GBS_CSV_NUMERIC;
    if (marks->n == 0)
        return refuse_gap(c, j);
    gbs_csv_cell first = {
        .text = (char *)marks->text[0], .length = strlen(marks->text[0]), .line = c->first_mark[j]};
    double none;
    gbs_status status = store_missing(c, j, &first, &none);
    for (size_t i = 0; status == GBS_OK && i < c->table->n_rows; i++)
        c->table->cells[i * c->table->n_columns + j] = NAN;
    gbs_text_set_free(c->reader->ctx, marks);
    return status;
}

/* A cell that is kept as it stands. */
static gbs_status keep_cell(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    if (!gbs_is_utf8(cell->text, cell->length))
        return not_utf8(c, j, cell);
    gbs_status status = gbs_kept_add(c->reader->ctx, &c->table->kept, c->table->n_rows,
                                     c->keep[j] - 1, cell->text, cell->length);
    return status == GBS_OK ? GBS_OK : gbs_reader_no_memory(c->reader);
}

static gbs_status store(gbs_csv *c, size_t j, const gbs_csv_cell *cell, double *to) {
    *to = NAN;
    gbs_status kept = c->keep != NULL && c->keep[j] > 0 ? keep_cell(c, j, cell) : GBS_OK;
    if (kept != GBS_OK)
        return kept;
    if (c->kind[j] == GBS_CSV_SKIPPED)
        return GBS_OK;
    if (is_declared_missing(c, cell))
        return store_missing(c, j, cell, to);
    if (c->kind[j] == GBS_CSV_TEXT)
        return store_text(c, j, cell, to);
    switch (number_kind(c, cell, to)) {
    case GBS_NUMBER_FINITE:
        return c->kind[j] == GBS_CSV_UNDECIDED ? start_numbers(c, j, cell) : GBS_OK;
    case GBS_NUMBER_MISSING:
        return store_missing(c, j, cell, to);
    case GBS_NUMBER_NOT_FINITE:
        return gbs_reader_fail_at(c->reader, cell->line, "%s: '%s' is not a finite number",
                                  place(c, j).text, gbs_show(cell->text, cell->length).text);
    case GBS_NUMBER_TOO_LARGE:
        return gbs_reader_fail_at(c->reader, cell->line, "%s: '%s' is too large for a double",
                                  place(c, j).text, gbs_show(cell->text, cell->length).text);
    case GBS_NUMBER_NONE:
        break;
    }
    if (gbs_number_is_mark(cell->text, cell->length))
        return c->kind[j] == GBS_CSV_UNDECIDED ? store_mark(c, j, cell, to)
                                               : store_missing(c, j, cell, to);
    return c->kind[j] == GBS_CSV_UNDECIDED ? start_text(c, j, cell, to)
                                           : expected_number(c, j, cell);
}

/* n cells were read; the others of the record are still to be counted unless it has ended. */
static gbs_status ragged(gbs_csv *c, uint64_t line, size_t n, bool ended) {
    gbs_csv_cell cell = {.last = ended};
    while (!cell.last) {
        gbs_status status = gbs_csv_next(&c->in, &cell);
        if (status != GBS_OK)
            return status;
        n++;
    }
    const char *plural = n == 1 ? "" : "s";
    size_t names = c->table->n_columns;
    bool begins = c->table->n_rows + c->reader->before == 0; /* it is the first row */
    if (c->table->has_header)
        return gbs_reader_fail_at(
            c->reader, line, "%zu cell%s, but the header has %zu%s", n, plural, names,
            !begins          ? ""
            : names == 1     ? " (if line 1 is a title: take it out, or begin it with #)"
            : n == names + 1 ? " (if lines begin with row names, the header needs an empty name "
                               "there; if they end in a separator, so must it)"
                             : "");
    return gbs_reader_fail_at(c->reader, line, "%zu cell%s, but line %llu has %zu", n, plural,
                              (unsigned long long)c->first_line, c->table->n_columns);
}

/* The same in a file; pages that are full leave memory. */
static gbs_status room_in_file(gbs_csv *c) {
    gbs_table *t = c->table;
    gbs_reader *r = c->reader;
    if (t->n_rows % t->every == 0) {
        gbs_pages_drop(t->cells, t->cells + t->n_rows * t->n_columns);
        if (r->options->expected > 0 && !gbs_bytes_is_gzip(r->bytes)) /* its size tells little */
            gbs_progress(r->ctx, "read",
                         (double)gbs_bytes_offset(r->bytes) / (double)r->options->expected);
    }
    double *cells;
    gbs_status status = gbs_cache_room(r->options->store, (t->n_rows + 1) * t->n_columns, &cells);
    if (status == GBS_OK)
        t->cells = cells;
    return status;
}

static gbs_status room_for_row(gbs_csv *c) {
    gbs_table *t = c->table;
    if (t->n_rows >= SIZE_MAX / t->n_columns - 1)
        return gbs_reader_no_memory(c->reader);
    if (t->in_file)
        return room_in_file(c);
    double *cells = gbs_array_grow(c->reader->ctx, t->cells, &c->cell_capacity,
                                   (t->n_rows + 1) * t->n_columns, sizeof *cells);
    if (!cells)
        return gbs_reader_no_memory(c->reader);
    t->cells = cells;
    return GBS_OK;
}

static gbs_status finish_row(gbs_csv *c, uint64_t line) {
    gbs_status status = gbs_reader_note_line(c->reader, line);
    c->table->n_rows += status == GBS_OK;
    c->previous_line = line;
    return status;
}

/* Takes plain numbers while columns are numeric and the window holds whole cells; true when that
 * ended the record. */
static bool take_numbers(gbs_csv *c, double *row, size_t *column) {
    gbs_bytes *b = c->in.bytes;
    const size_t d = c->table->n_columns;
    const char separator = c->in.separator;
    size_t j = *column;
    bool ended = false;
    if (c->reader->options->n_na > 0 || c->reader->options->comma || separator == ' ')
        return false; /* a number may be declared to be none, or go on behind a comma; blanks may
                         end a line */
    const char *start = b->at;
    while (j < d && !ended && c->kind[j] == GBS_CSV_NUMERIC &&
           (c->keep == NULL || c->keep[j] == 0)) {
        const char *p = start;
        while (*p == ' ')
            p++;
        p = gbs_number_read(p, b->end, &row[j]);
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

static gbs_status read_row(gbs_csv *c) {
    const size_t d = c->table->n_columns;
    double *row = c->table->cells + c->table->n_rows * d;
    const uint64_t line = c->in.line;
    size_t j = 0;
    bool ended = false;
    while (!ended) {
        ended = take_numbers(c, row, &j);
        if (ended)
            break;
        gbs_csv_cell cell;
        gbs_status status = gbs_csv_next(&c->in, &cell);
        if (status != GBS_OK)
            return status;
        if (j == 0 && gbs_csv_is_blank_line(&cell))
            return GBS_OK;
        if (j == d)
            return ragged(c, line, d + 1, cell.last);
        status = store(c, j, &cell, &row[j]);
        if (status != GBS_OK)
            return status;
        j++;
        ended = cell.last;
    }
    return j == d ? finish_row(c, line) : ragged(c, line, j, true);
}

/* ---------------------------------------------------------------- at the end of the rows */

/* A column of nothing but marks: of a model that knows its text columns it is one of numbers, all
 * of them missing. */
static gbs_status settle_marks(gbs_csv *c, size_t j) {
    gbs_table *t = c->table;
    gbs_text_set *marks = &c->levels[j];
    if (c->kind[j] != GBS_CSV_UNDECIDED || marks->n == 0)
        return GBS_OK;
    t->columns[j].is_text = !c->reader->options->from_model;
    if (t->columns[j].is_text)
        return GBS_OK;
    gbs_csv_cell none = {.line = c->previous_line};
    return start_numbers(c, j, &none);
}

void gbs_csv_leave_out_empty(gbs_context *ctx, gbs_table *t, size_t j, unsigned char kind) {
    gbs_column *column = &t->columns[j];
    if (!column->unnamed || kind != GBS_CSV_UNDECIDED || column->n_levels > 0)
        return;
    column->skipped = true;
    gbs_log(ctx, GBS_LOG_WARNING, "%s: column %zu has neither a name nor a value and is left out",
            t->file, j + 1);
}

static gbs_status settle_types(gbs_csv *c) {
    gbs_status status = GBS_OK;
    for (size_t j = 0; j < c->table->n_columns && !c->reader->options->from_model; j++)
        if (c->levels[j].n == 0)
            gbs_csv_leave_out_empty(c->reader->ctx, c->table, j, c->kind[j]);
    for (size_t j = 0; status == GBS_OK && j < c->table->n_columns; j++)
        status = settle_marks(c, j);
    return status;
}

/* A part of the rows: the levels so far are lent to the table. */
static gbs_status hand_out(gbs_csv *c) {
    gbs_table *t = c->table;
    gbs_status status = settle_types(c);
    for (size_t j = 0; j < t->n_columns; j++) {
        t->columns[j].levels = c->levels[j].text;
        t->columns[j].n_levels = c->levels[j].n;
    }
    if (status == GBS_OK)
        status = gbs_reader_hand_out(c->reader);
    for (size_t j = 0; j < t->n_columns; j++) {
        t->columns[j].levels = NULL;
        t->columns[j].n_levels = 0;
    }
    return status;
}

static gbs_status read_rows(gbs_csv *c) {
    for (;;) {
        bool ended = false;
        gbs_status status = gbs_csv_record_start(&c->in, &ended);
        if (status == GBS_OK && (ended || gbs_csv_piece_ends(c))) {
            status = gbs_csv_next_piece(c, &ended);
            if (status == GBS_OK && !ended)
                continue;
        }
        if (status != GBS_OK || ended)
            return status;
        status = room_for_row(c);
        if (status == GBS_OK)
            status = read_row(c);
        if (status == GBS_OK && gbs_reader_part_is_full(c->reader))
            status = hand_out(c);
        if (status != GBS_OK)
            return status;
    }
}

/* A record that was read ahead to look for a header. */
static gbs_status store_record(gbs_csv *c, const gbs_csv_record *record) {
    const size_t d = c->table->n_columns;
    if (record->n != d)
        return ragged(c, record->line, record->n, true);
    gbs_status status = room_for_row(c);
    for (size_t j = 0; j < d && status == GBS_OK; j++) {
        gbs_csv_cell cell = {.text = record->text + record->start[j], .line = record->line};
        cell.length = record->start[j + 1] - record->start[j] - 1;
        status = store(c, j, &cell, &c->table->cells[c->table->n_rows * d + j]);
    }
    return status == GBS_OK ? finish_row(c, record->line) : status;
}

/* What the first rows of the file say of the columns that others have said nothing of: so that
 * those who begin elsewhere see them as the one who begins here does. The rows are his. */
static gbs_status look_at_head(gbs_csv *c) {
    gbs_status status = GBS_OK;
    for (bool ended = false; status == GBS_OK && !ended;) {
        status = gbs_csv_record_start(&c->in, &ended);
        ended = ended || c->in.record_offset > c->reader->options->pieces->head;
        if (status == GBS_OK && !ended && (status = room_for_row(c)) == GBS_OK)
            status = read_row(c);
    }
    for (size_t j = 0; j < c->table->n_columns; j++)
        gbs_text_set_free(c->reader->ctx, &c->levels[j]);
    c->table->n_rows = 0;
    gbs_array_free(c->reader->ctx, c->table->line);
    c->table->line = NULL;
    c->reader->line_capacity = 0;
    return status;
}

static gbs_status begin_pieces(gbs_csv *c, const gbs_pieces *p) {
    for (size_t j = 0; p->part && p->kind != NULL && j < c->table->n_columns; j++)
        if (c->kind[j] == GBS_CSV_UNDECIDED && p->kind[j] == GBS_CSV_NUMERIC) {
            c->kind[j] = GBS_CSV_NUMERIC;
        } else if (c->kind[j] == GBS_CSV_UNDECIDED && p->kind[j] == GBS_CSV_TEXT) {
            c->kind[j] = GBS_CSV_TEXT;
            c->table->columns[j].is_text = c->table->columns[j].guessed = true;
        }
    gbs_status status = p->from_start ? GBS_OK : look_at_head(c);
    return status == GBS_OK ? gbs_csv_first_piece(c) : status;
}

static gbs_status read_all(gbs_csv *c, gbs_csv_record *first, gbs_csv_record *second) {
    const gbs_pieces *pieces = c->reader->options->pieces;
    bool header = false;
    gbs_status status = gbs_csv_open(&c->in, c->reader);
    if (status == GBS_OK)
        status = gbs_csv_detect_header(c, first, second, &header);
    if (status == GBS_OK)
        status = gbs_csv_make_columns(c, first, header);
    c->table->in_file = c->reader->options->store != NULL;
    c->table->every = gbs_pages_every(c->table->n_columns * sizeof(double));
    c->names = header ? first : NULL;
    if (status == GBS_OK && !header)
        status = store_record(c, first);
    if (status == GBS_OK && second->there)
        status = store_record(c, second);
    if (status == GBS_OK && pieces != NULL)
        status = begin_pieces(c, pieces);
    if (status == GBS_OK)
        status = read_rows(c);
    if (pieces != NULL && pieces->part)
        return status;
    if (status == GBS_OK && c->table->n_rows + c->reader->before == 0)
        return gbs_reader_fail(
            c->reader, GBS_ERR_DATA, "the file has a header but no rows%s",
            c->reader->options->header < 0 ? " (if its only line holds data: `no-header`)" : "");
    return status;
}

static void hand_over(gbs_csv *c) {
    gbs_table *t = c->table;
    for (size_t j = 0; j < t->n_columns; j++) {
        gbs_text_set *set = &c->levels[j];
        t->columns[j].levels = gbs_reader_trim(c->reader, set->text, set->n, sizeof *set->text);
        t->columns[j].n_levels = set->n;
        set->text = NULL;
        set->n = 0;
    }
    if (!t->in_file)
        t->cells = gbs_reader_trim(c->reader, t->cells, t->n_rows * t->n_columns, sizeof *t->cells);
    t->line = gbs_reader_trim(c->reader, t->line, t->n_rows, sizeof *t->line);
}

gbs_status gbs_csv_read(gbs_reader *r) {
    gbs_csv c = {.reader = r, .table = r->out};
    gbs_csv_record first = {0}, second = {0};
    gbs_status status = read_all(&c, &first, &second);
    if (status == GBS_OK && r->options->part > 0)
        status = hand_out(&c);
    else if (status == GBS_OK && !(r->options->pieces != NULL && r->options->pieces->part))
        status = settle_types(&c);
    if (status == GBS_OK && r->options->part == 0)
        hand_over(&c);
    if (r->options->pieces != NULL && r->options->pieces->part) {
        r->options->pieces->kind = c.kind; /* which the caller frees */
        c.kind = NULL;
    }
    for (size_t j = 0; c.levels && j < r->out->n_columns; j++)
        gbs_text_set_free(r->ctx, &c.levels[j]);
    gbs_array_free(r->ctx, c.levels);
    gbs_array_free(r->ctx, c.kind);
    gbs_array_free(r->ctx, c.keep);
    gbs_array_free(r->ctx, c.first_number);
    gbs_array_free(r->ctx, c.first_mark);
    gbs_array_free(r->ctx, c.first_gap);
    gbs_csv_record_free(r->ctx, &first);
    gbs_csv_record_free(r->ctx, &second);
    return status;
}
