/* CSV rows to a dense table.
 *
 * The common cell, a number in a column known to be numeric, is converted where it lies in the
 * window, and its border is whatever stands behind the number: one pass over the bytes. Everything
 * else (text, quotes, missing values, the edge of the buffer, mistakes) takes the general way
 * through csv_cell and csv_store. libcsv, the oracle of the tests, needs as long to find the cells
 * alone (about 200 MB/s) as this file needs to read them.
 */
#include "table/cache.h"
#include "table/csv_columns.h"
#include "table/number.h"
#include "table/recipe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    const char *comment = c->hash ? GBS_CSV_COMMENTS : "";
    size_t names = c->table->n_columns;
    bool begins = c->table->n_rows + c->reader->before == 0; /* it is the first row */
    if (c->table->has_header)
        return gbs_reader_fail_at(
            c->reader, line, "%zu cell%s, but the header has %zu%s%s", n, plural, names, comment,
            !begins || c->hash ? ""
            : names == 1       ? " (if line 1 is a title: take it out, or begin it with #)"
            : n == names + 1   ? " (if lines begin with row names, the header needs an empty name "
                                 "there; if they end in a separator, so must it)"
                               : "");
    return gbs_reader_fail_at(c->reader, line, "%zu cell%s, but line %llu has %zu%s", n, plural,
                              (unsigned long long)c->first_line, c->table->n_columns, comment);
}

/* Rows between two words on the progress. */
enum { ROWS_A_STEP = 4096 };

/* The same in a file; pages that are full leave memory. */
static gbs_status room_in_file(gbs_csv *c) {
    gbs_table *t = c->table;
    gbs_reader *r = c->reader;
    if (t->n_rows % t->every == 0)
        gbs_pages_drop(t->cells, t->cells + t->n_rows * t->n_columns);
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
    gbs_reader *r = c->reader;
    gbs_status status = gbs_reader_note_line(r, line);
    c->table->n_rows += status == GBS_OK;
    bool told = r->options->expected > 0 &&
                !gbs_bytes_is_gzip(r->bytes); /* its size tells little */
    if (told && ++c->untold == ROWS_A_STEP) {
        gbs_progress(r->ctx, "read",
                     (double)gbs_bytes_offset(r->bytes) / (double)r->options->expected);
        c->untold = 0;
    }
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
        const char *number = p;
        p = gbs_number_read(p, b->end, &row[j]);
        if (!p)
            break;
        if (fabs(row[j]) >= GBS_ALL_WHOLE)
            break; /* it may lose digits */
        const size_t length = (size_t)(p - number);
        /* At the edge of the window p reads the '\0' there, which is none of these. */
        if (*p == '\r' && p[1] == '\n')
            p++;
        ended = *p == '\n';
        if (!ended && *p != separator)
            break;
        gbs_csv_note_code(c, j, number, length, row[j]);
        j++;
        start = p + 1;
    }
    b->at += start - b->at;
    c->in.line += ended;
    *column = j;
    return ended;
}

/* # and no error of Excel, such as #DIV/0! */
static bool begins_as_comment(const gbs_csv_cell *cell) {
    return cell->length > 0 && cell->text[0] == '#' &&
           (cell->length == 1 || cell->text[1] < 'A' || cell->text[1] > 'Z');
}

static gbs_status read_row(gbs_csv *c) {
    const size_t d = c->table->n_columns;
    double *row = c->table->cells + c->table->n_rows * d;
    const uint64_t line = c->in.line;
    size_t j = 0;
    bool ended = false;
    c->hash = false;
    while (!ended) {
        ended = take_numbers(c, row, &j);
        if (ended)
            break;
        gbs_csv_cell cell;
        c->in.column = j;
        gbs_status status = gbs_csv_next(&c->in, &cell);
        if (status != GBS_OK)
            return status;
        if (j == 0 && gbs_csv_is_blank_line(&cell))
            return GBS_OK;
        c->hash = c->hash || (j == 0 && begins_as_comment(&cell));
        if (j == d)
            return ragged(c, line, d + 1, cell.last);
        status = gbs_csv_store(c, j, &cell, &row[j]);
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
    return gbs_csv_start_numbers(c, j, &none);
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
        status = gbs_csv_store(c, j, &cell, &c->table->cells[c->table->n_rows * d + j]);
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

static gbs_status read_all(gbs_csv *c, gbs_csv_record *first) {
    const gbs_pieces *pieces = c->reader->options->pieces;
    bool header = false;
    gbs_status status = gbs_csv_open(&c->in, c->reader);
    if (status == GBS_OK)
        status = gbs_csv_detect_header(c, first, &header);
    if (status == GBS_OK)
        status = gbs_csv_make_columns(c, first, header);
    c->table->in_file = c->reader->options->store != NULL;
    c->table->every = gbs_pages_every(c->table->n_columns * sizeof(double));
    c->names = header ? first : NULL;
    if (status == GBS_OK && !header)
        status = store_record(c, first);
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
    gbs_csv_record first = {0};
    gbs_status status = read_all(&c, &first);
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
    return status;
}
