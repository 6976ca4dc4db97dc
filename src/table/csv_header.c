/* Is the first record a header, and what are the columns called?
 *
 * Options say so, or the model does whose names it holds. Otherwise the lines below are asked
 * (csv_evidence.c): texts above numbers are names, and so are texts that are found nowhere below
 * where others are found again and again; a text that is found below in its column is a value, and
 * a line of numbers a row. Where that leaves it open the options have to say.
 *
 * So they have to where the numbers of a line count its columns, 0,1,2,... or 1,2,3,...: pandas
 * writes that above a frame that has no names, and it may be a row all the same. Behind an empty
 * cell, which is above row numbers, and above a row that begins with 0 it is a header.
 */
#include "table/csv_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gbs_number_kind kind_of(const gbs_csv *c, const gbs_csv_record *record, size_t i) {
    double value;
    gbs_csv_cell cell = {.text = record->text + record->start[i],
                         .length = record->start[i + 1] - record->start[i] - 1};
    return gbs_csv_number_kind(c, &cell, &value);
}

enum { FEWEST_NUMBERS = 3 };

/* The first cell is empty, as it is above row numbers. */
static bool begins_empty(const gbs_csv_record *first) {
    return first->n >= FEWEST_NUMBERS && first->text[first->start[0]] == '\0';
}

/* Its cells, but for texts, are the numbers of their columns, from 0 or 1 (*from); behind an empty
 * one from 0, and two of them are enough where there is nothing else. */
static bool counts_columns(const gbs_csv *c, const gbs_csv_record *first, size_t *from) {
    char number[24];
    size_t index = begins_empty(first), numbers = 0, texts = 0;
    *from = index == 0 && first->text[first->start[0]] == '1';
    for (size_t j = index; j < first->n; j++) {
        bool text = kind_of(c, first, j) == GBS_NUMBER_NONE;
        snprintf(number, sizeof number, "%zu", j - index + *from);
        if (!text && strcmp(first->text + first->start[j], number) != 0)
            return false;
        numbers += !text;
        texts += text;
    }
    return numbers >= FEWEST_NUMBERS ||
           (index > 0 && texts == 0 && numbers + index >= FEWEST_NUMBERS);
}

/* Such a line, which nothing shows to be a header. */
static gbs_status settle_numbers(gbs_csv *c, const gbs_csv_record *first, size_t from,
                                 bool zero_below, bool *header) {
    const gbs_reading *o = c->reader->options;
    bool certain = begins_empty(first) && first->n > FEWEST_NUMBERS && zero_below;
    *header = certain || o->named;
    if (!*header)
        return gbs_reader_fail_at(c->reader, first->line,
                                  "this line counts the columns (%zu, %zu, ...): is it a header "
                                  "(`header`) or data (`no-header`)?",
                                  from, from + 1);
    if (!o->from_model)
        gbs_log(c->reader->ctx, GBS_LOG_WARNING,
                "%s:%llu: this line counts the columns behind an empty cell, and a 0 is below it: "
                "taken for a header (`no-header` takes it for data)",
                c->reader->file, (unsigned long long)first->line);
    return GBS_OK;
}

/* "'better' (column 4)" */
struct said {
    char text[200];
};

static struct said say_cell(const gbs_csv_record *first, size_t j) {
    struct said s;
    const char *cell = first->text + first->start[j];
    snprintf(s.text, sizeof s.text, "'%s' (column %zu)", gbs_show(cell, strlen(cell)).text, j + 1);
    return s;
}

static gbs_status ask(gbs_csv *c, const gbs_csv_record *first, const gbs_csv_evidence *e) {
    static const char question[] = "is this line a header (`header`) or data (`no-header`)?";
    if (e->texts == 0)
        return gbs_reader_fail_at(c->reader, first->line,
                                  "%s It holds numbers alone, but none that is like those below it",
                                  question);
    if (e->best != SIZE_MAX && e->worst != SIZE_MAX)
        return gbs_reader_fail_at(c->reader, first->line,
                                  "%s %s is like nothing below it, but %s could be a value of its "
                                  "column",
                                  question, say_cell(first, e->best).text,
                                  say_cell(first, e->worst).text);
    return gbs_reader_fail_at(c->reader, first->line, "%s The %zu line%s below it do%s not tell",
                              question, e->rows, e->rows == 1 ? "" : "s", e->rows == 1 ? "es" : "");
}

/* Odds of 4 to 1 decide. A number or a missing value among the names is rare, one line in 5; a line
 * of numbers alone is a row, unless they are unlike all numbers of many rows. */
static gbs_status decide(gbs_csv *c, const gbs_csv_record *first, const gbs_csv_evidence *e,
                         bool *header) {
    enum { MANY_ROWS = 10 };
    const gbs_reading *o = c->reader->options;
    const double clear = log(4.0), odds = e->odds - (e->others > 0 ? log(5.0) : 0.0);
    bool names = e->texts > 0 && e->others == 0;
    bool open = e->rows > 0 && first->n > 1; /* one column is no table, which is said later */
    *header = open ? e->texts > 0 && odds >= clear : names;
    if (open && e->texts == 1 && e->others == 0 && e->empty > 1 && odds > -clear)
        return gbs_reader_fail_at(c->reader, first->line,
                                  "one of %zu cells says anything; if this line is a title: take "
                                  "it out, or begin it with #",
                                  first->n);
    if (!open || *header)
        return GBS_OK;
    bool doubt = e->texts > 0 ? odds > -clear
                              : e->rows >= MANY_ROWS && (e->series || odds >= clear);
    if (!doubt || (o->from_model && !o->named)) /* the training file had none */
        return GBS_OK;
    *header = names;
    return o->names_first ? GBS_OK : ask(c, first, e);
}

/* It holds all names that the model looks for. */
static gbs_status is_known(gbs_csv *c, const gbs_csv_record *first, bool *known) {
    const gbs_reading *o = c->reader->options;
    *known = false;
    if (o->knows == NULL)
        return GBS_OK;
    const char **cell = gbs_array_alloc(c->reader->ctx, first->n, sizeof *cell);
    if (cell == NULL)
        return gbs_reader_no_memory(c->reader);
    for (size_t j = 0; j < first->n; j++)
        cell[j] = first->text + first->start[j];
    gbs_status status = o->knows(o->user, cell, first->n, known);
    gbs_array_free(c->reader->ctx, cell);
    return status == GBS_OK ? GBS_OK : gbs_reader_no_memory(c->reader);
}

gbs_status gbs_csv_detect_header(gbs_csv *c, gbs_csv_record *first, bool *header) {
    gbs_status status = gbs_csv_record_read(&c->in, first);
    if (status != GBS_OK)
        return status;
    if (!first->there)
        return gbs_reader_fail(c->reader, GBS_ERR_DATA, "the file is empty");
    *header = c->reader->options->header == 1;
    if (c->reader->options->header >= 0)
        return GBS_OK;
    status = is_known(c, first, header);
    if (status != GBS_OK || *header)
        return status;
    gbs_csv_evidence e;
    status = gbs_csv_weigh(c, first, &e);
    if (status != GBS_OK)
        return status;
    size_t from = 0;
    bool counts = !c->reader->options->names_first && counts_columns(c, first, &from);
    if (!counts)
        return decide(c, first, &e, header);
    *header = e.texts > 0 && e.odds >= log(20.0);
    return *header ? GBS_OK : settle_numbers(c, first, from, e.zero_below, header);
}

/* A name that no column has yet: the name and a number. */
static size_t other_name(const gbs_text_set *names, const char *name, char *out, size_t room) {
    size_t length,
        kept = strlen(name) < GBS_TABLE_LONGEST_NAME ? strlen(name) : GBS_TABLE_LONGEST_NAME;
    unsigned number = 2;
    while (kept > 0 && ((unsigned char)name[kept] & 0xc0) == 0x80)
        kept--; /* never within a character */
    do {
        length = (size_t)snprintf(out, room, "%.*s.%u", (int)kept, name, number);
        number++;
    } while (gbs_text_set_find(names, out, length) != GBS_TEXT_NONE);
    return length;
}

static gbs_status name_columns(gbs_csv *c, const gbs_csv_record *first, bool header,
                               gbs_text_set *names) {
    gbs_table *t = c->table;
    gbs_context *ctx = c->reader->ctx;
    for (size_t j = 0; j < t->n_columns; j++) {
        const char *name = first->text + first->start[j];
        t->columns[j].unnamed = header && !*name;
        if (!header || !*name)
            name = gbs_default_name(ctx, &t->pool, j);
        if (!name)
            return gbs_reader_no_memory(c->reader);
        size_t length = strlen(name), twin = gbs_text_set_find(names, name, length);
        gbs_shown seen = gbs_show(name, length);
        if (!gbs_is_utf8(name, length))
            return gbs_reader_fail_at(c->reader, first->line,
                                      "the name '%s' of column %zu is not UTF-8 text; if it is "
                                      "Latin-1, `iconv -f latin1 -t UTF-8 %s > utf8.csv` converts "
                                      "the file",
                                      seen.text, j + 1, c->reader->file);
        char other[GBS_TABLE_LONGEST_NAME + 24];
        if (twin != GBS_TEXT_NONE) {
            length = other_name(names, name, other, sizeof other);
            gbs_log(
                ctx, GBS_LOG_WARNING,
                "%s: columns %zu and %zu are both called '%s'; column %zu is called '%s' here%s",
                c->reader->file, twin + 1, j + 1, seen.text, j + 1, gbs_show(other, length).text,
                c->reader->options->header < 0 ? " (if line 1 holds data, not names: `no-header`)"
                                               : "");
            name = other;
        }
        if (!gbs_text_set_add(ctx, names, &t->pool, name, length))
            return gbs_reader_no_memory(c->reader);
        t->columns[j].name = names->text[j];
    }
    return GBS_OK;
}

/* A column by its name or, where no name fits, by its number from 1. */
static size_t find_column(const gbs_text_set *names, const char *wanted) {
    size_t j = gbs_text_set_find(names, wanted, strlen(wanted));
    if (j != GBS_TEXT_NONE)
        return j;
    char *end;
    unsigned long long number = strtoull(wanted, &end, 10);
    if (*wanted < '0' || *wanted > '9' || *end || number == 0 || number > names->n)
        return GBS_TEXT_NONE;
    return (size_t)number - 1;
}

static void leave_out(gbs_csv *c, size_t j) {
    c->kind[j] = GBS_CSV_SKIPPED;
    c->table->columns[j].is_text = false;
    c->table->columns[j].skipped = true;
}

static gbs_status apply_options(gbs_csv *c, const gbs_text_set *names) {
    const gbs_reading *o = c->reader->options;
    gbs_table *t = c->table;
    if (o->names_first) {
        c->kind[0] = GBS_CSV_TEXT;
        t->columns[0].is_text = true;
    }
    for (size_t i = 0; i < o->n_text; i++) {
        size_t j = o->from_model ? gbs_text_set_find(names, o->text[i], strlen(o->text[i]))
                                 : find_column(names, o->text[i]);
        if (j == GBS_TEXT_NONE && o->from_model)
            continue;
        if (j == GBS_TEXT_NONE)
            return gbs_reader_fail(c->reader, GBS_ERR_DATA,
                                   "`text` %s: the file has no such column",
                                   gbs_show(o->text[i], strlen(o->text[i])).text);
        c->kind[j] = GBS_CSV_TEXT;
        t->columns[j].is_text = true;
    }
    for (size_t i = 0; i < o->n_drop; i++)
        if (find_column(names, o->drop[i]) != GBS_TEXT_NONE)
            leave_out(c, find_column(names, o->drop[i]));
    for (size_t j = 0; o->skip && t->has_header && j < t->n_columns; j++)
        if (o->skip(o->user, t->columns[j].name))
            leave_out(c, j);
    if (!t->has_header && o->unread_of == t->n_columns && o->unread < t->n_columns)
        leave_out(c, o->unread);
    return GBS_OK;
}

/* Two columns of the name that the labels are looked for by; one left out does not count. */
static gbs_status check_target(gbs_csv *c, const gbs_csv_record *first) {
    const gbs_reading *o = c->reader->options;
    const char *wanted = o->target != NULL ? o->target : "y";
    size_t before = SIZE_MAX;
    for (size_t j = 0; c->table->has_header && !o->from_model && !o->names_first && j < first->n;
         j++) {
        if (strcmp(first->text + first->start[j], wanted) != 0 || c->kind[j] == GBS_CSV_SKIPPED)
            continue;
        if (before != SIZE_MAX)
            return gbs_reader_fail_at(c->reader, first->line,
                                      "columns %zu and %zu are both called '%s': `target` %zu or "
                                      "`target` %zu says which of them holds the labels",
                                      before + 1, j + 1, gbs_show(wanted, strlen(wanted)).text,
                                      before + 1, j + 1);
        before = j;
    }
    return GBS_OK;
}

/* Columns that are kept: read, skipped or dropped. */
static gbs_status find_kept(gbs_csv *c, const gbs_text_set *names) {
    const gbs_reading *o = c->reader->options;
    gbs_context *ctx = c->reader->ctx;
    gbs_table *t = c->table;
    if (o->n_keep == 0)
        return GBS_OK;
    c->keep = gbs_array_alloc(ctx, t->n_columns, sizeof *c->keep);
    if (c->keep == NULL || gbs_kept_start(ctx, o->n_keep, &t->kept) != GBS_OK)
        return gbs_reader_no_memory(c->reader);
    for (size_t i = 0; i < o->n_keep; i++) {
        size_t j = find_column(names, o->keep[i]);
        if (j == GBS_TEXT_NONE)
            return gbs_reader_fail(c->reader, GBS_ERR_DATA,
                                   "`keep` %s: the file has no such column",
                                   gbs_show(o->keep[i], strlen(o->keep[i])).text);
        if (c->keep[j] > 0)
            return gbs_reader_fail(c->reader, GBS_ERR_DATA, "`keep` names column %zu twice", j + 1);
        c->keep[j] = i + 1;
        if (gbs_kept_name(ctx, &t->kept, i, t->columns[j].name) != GBS_OK)
            return gbs_reader_no_memory(c->reader);
    }
    return GBS_OK;
}

gbs_status gbs_csv_make_columns(gbs_csv *c, const gbs_csv_record *first, bool header) {
    gbs_table *t = c->table;
    gbs_context *ctx = c->reader->ctx;
    size_t d = first->n;
    t->has_header = header;
    c->first_line = first->line;
    t->columns = gbs_array_alloc(ctx, d, sizeof *t->columns);
    c->kind = gbs_array_alloc(ctx, d, sizeof *c->kind);
    c->first_number = gbs_array_alloc(ctx, d, sizeof *c->first_number);
    c->first_mark = gbs_array_alloc(ctx, d, sizeof *c->first_mark);
    c->first_gap = gbs_array_alloc(ctx, d, sizeof *c->first_gap);
    c->levels = gbs_array_alloc(ctx, d, sizeof *c->levels);
    if (!t->columns || !c->kind || !c->first_number || !c->first_mark || !c->first_gap ||
        !c->levels)
        return gbs_reader_no_memory(c->reader);
    t->n_columns = d;
    gbs_text_set names = {0};
    gbs_status status = name_columns(c, first, header, &names);
    if (status == GBS_OK)
        status = apply_options(c, &names);
    if (status == GBS_OK)
        status = check_target(c, first);
    if (status == GBS_OK)
        status = find_kept(c, &names);
    gbs_text_set_free(ctx, &names);
    return status;
}
