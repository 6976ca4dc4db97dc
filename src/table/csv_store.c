/* What a cell of a CSV file becomes: a number, a level, a missing value, or a message.
 *
 * A column is text when the options say so or when its first cell that says anything is no number;
 * otherwise it is numeric, and a later text in it is an error rather than a silent change of type.
 * Marks such as ? or n/a say nothing: until another cell comes they are kept as levels, which they
 * are in a text column and are not, but missing, in one of numbers. A text column most of whose
 * levels are numbers is in doubt, and an error too (doubt.c): so the types are what any of the
 * rows would say.
 */
#include "table/csv_columns.h"
#include "table/number.h"
#include "table/recipe.h"
#include "table/shown.h"

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

/* How an option names the column. */
static gbs_shown argument(const gbs_csv *c, size_t j) {
    return gbs_show_value(c->table->has_header ? c->table->columns[j].name : "", j);
}

/* A number in a dress; a unit behind a blank alone, since 2x or 0b1 may be anything. */
static gbs_dress dress_of(const gbs_csv_cell *cell) {
    char text[64];
    if (cell->length >= sizeof text)
        return GBS_DRESS_NONE;
    memcpy(text, cell->text, cell->length);
    text[cell->length] = '\0';
    gbs_dress dress = gbs_dress_of(text);
    return dress == GBS_DRESS_UNIT && strchr(text, ' ') == NULL ? GBS_DRESS_NONE : dress;
}

static bool is_name(const gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    const char *name = c->table->columns[j].name;
    return c->table->has_header && strlen(name) == cell->length &&
           memcmp(name, cell->text, cell->length) == 0;
}

static gbs_status expected_number(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    char range[80];
    const char *comment = c->hash && j == 0     ? GBS_CSV_COMMENTS
                          : is_name(c, j, cell) ? " (the header once more?)"
                                                : "";
    unsigned long long first = c->first_number[j], last = c->previous_line;
    if (first == last)
        snprintf(range, sizeof range, "line %llu holds a number", first);
    else
        snprintf(range, sizeof range, "lines %llu to %llu hold numbers", first, last);
    if (c->reader->options->from_model)
        return gbs_reader_fail_at(c->reader, cell->line, "%s: expected a number, found '%s' (%s)%s",
                                  place(c, j).text, gbs_show(cell->text, cell->length).text, range,
                                  comment);
    gbs_dress dress = dress_of(cell);
    if (dress != GBS_DRESS_NONE)
        return gbs_reader_fail_at(
            c->reader, cell->line,
            "%s: expected a number, found '%s' (%s); %s, or treat the column as categories "
            "(`text` %s)",
            place(c, j).text, gbs_show(cell->text, cell->length).text, range,
            gbs_dress_advice(dress), argument(c, j).text);
    return gbs_reader_fail_at(
        c->reader, cell->line,
        "%s: expected a number, found '%s' (%s; `na-values` takes such cells as missing, `text` %s "
        "the column as categories)%s",
        place(c, j).text, gbs_show(cell->text, cell->length).text, range, argument(c, j).text,
        comment);
}

/* Column j is the one that an option names. */
static bool is_called(const gbs_csv *c, size_t j, const char *wanted) {
    return wanted != NULL && gbs_table_find(c->table, wanted) == j;
}

/* The label, for all that is known before the table is read: nothing is decided by it. */
static bool is_target(const gbs_csv *c, size_t j) {
    const gbs_table *t = c->table;
    const gbs_reading *o = c->reader->options;
    if (o->target != NULL || o->from_model)
        return is_called(c, j, o->target);
    for (size_t k = 0; k < t->n_columns; k++)
        if (strcmp(t->columns[k].name, "y") == 0)
            return k == j;
    return j + 1 == t->n_columns;
}

static gbs_status refuse_missing(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    const gbs_reading *o = c->reader->options;
    gbs_shown found = gbs_show(cell->text, cell->length);
    const char *what = is_called(c, j, o->weights) ? "weight"
                       : is_called(c, j, o->group) ? "group"
                       : is_target(c, j)           ? "label"
                                                   : "value";
    bool input = strcmp(what, "value") == 0;
    return gbs_reader_fail_at(c->reader, cell->line, "%s: the %s is missing ('%s'); %s%s%s%s",
                              place(c, j).text, what, found.text,
                              gbs_missing_hint(input, !o->from_model || o->fills, o->fills),
                              input && !o->from_model ? ", `drop` " : "",
                              input && !o->from_model ? argument(c, j).text : "",
                              input && !o->from_model ? " leaves out the column" : "");
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
bool gbs_csv_declared_missing(const gbs_csv *c, const gbs_csv_cell *cell) {
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

/* A whole number that no double is: from 2^53 on not all are. */
static bool loses_digits(const gbs_csv_cell *cell, double value) {
    char exact[GBS_LONGEST_WHOLE];
    const char *text = cell->text, *end = text + cell->length;
    text += text < end && (*text == '-' || *text == '+');
    while (text < end && *text == '0')
        text++;
    for (const char *p = text; p < end; p++)
        if (*p < '0' || *p > '9')
            return false;
    int n = snprintf(exact, sizeof exact, "%.0f", fabs(value));
    return n != end - text || memcmp(exact, text, (size_t)n) != 0;
}

/* Where options could say what it is. */
static gbs_status refuse_digits(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    return gbs_reader_fail_at(c->reader, cell->line,
                              "%s: '%s' loses digits as a number, which has room for whole numbers "
                              "to 2^53; `text` %s keeps them, `drop` %s leaves the column out, and "
                              "a measurement is written with a point or an exponent",
                              place(c, j).text, gbs_show(cell->text, cell->length).text,
                              argument(c, j).text, argument(c, j).text);
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

/* Blanks in quotes and no-break spaces are none of a number. */
static gbs_csv_cell without_blanks(const gbs_csv_cell *cell) {
    gbs_csv_cell bare = *cell;
    const char *text = cell->text;
    gbs_number_trim(&text, &bare.length);
    bare.text += text - cell->text;
    return bare;
}

gbs_number_kind gbs_csv_number_kind(const gbs_csv *c, const gbs_csv_cell *cell, double *to) {
    char text[LONGEST_NUMBER];
    gbs_csv_cell bare = without_blanks(cell);
    if (c->reader->options->comma && with_point(&bare, text, sizeof text))
        return gbs_number_is(text, bare.length, to);
    return gbs_number_is(bare.text, bare.length, to);
}

/* 5.469, 1.234.567 or 2.822,5 where the decimal sign is a comma: the point may stand between
 * thousands or be a decimal point, and the two are a thousand times apart. Dates such as
 * 31.12.2024 are neither. */
static bool has_point(const gbs_csv_cell *cell) {
    char text[LONGEST_NUMBER];
    double value;
    if (cell->length >= sizeof text || memchr(cell->text, '.', cell->length) == NULL)
        return false;
    if (gbs_number_is(cell->text, cell->length, &value) == GBS_NUMBER_FINITE)
        return true;
    memcpy(text, cell->text, cell->length);
    text[cell->length] = '\0';
    const char *p = text + (*text == '-' || *text == '+');
    size_t digits = strspn(p, "0123456789");
    bool thousands = digits >= 1 && digits <= 3;
    for (p += digits; thousands && *p == '.'; p += 4)
        thousands = strspn(p + 1, "0123456789") == 3;
    return thousands && (*p == '\0' || (*p == ',' && p[1 + strspn(p + 1, "0123456789")] == '\0'));
}

static gbs_status refuse_point(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
    gbs_shown found = gbs_show(cell->text, cell->length);
    if (c->reader->options->from_model)
        return gbs_reader_fail_at(c->reader, cell->line,
                                  "%s: '%s' has a point, where the decimal sign is a comma; take "
                                  "points between thousands out of the file, or say `decimal` .",
                                  place(c, j).text, found.text);
    return gbs_reader_fail_at(c->reader, cell->line,
                              "%s: '%s' has a point, where the decimal sign is a comma; take "
                              "points between thousands out of the file, or treat the column as "
                              "categories (`text` %s) or leave it out (`drop` %s)",
                              place(c, j).text, found.text, argument(c, j).text,
                              argument(c, j).text);
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

gbs_status gbs_csv_start_numbers(gbs_csv *c, size_t j, const gbs_csv_cell *cell) {
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

gbs_status gbs_csv_store(gbs_csv *c, size_t j, const gbs_csv_cell *cell, double *to) {
    gbs_csv_cell bare;
    *to = NAN;
    gbs_status kept = c->keep != NULL && c->keep[j] > 0 ? keep_cell(c, j, cell) : GBS_OK;
    if (kept != GBS_OK)
        return kept;
    if (c->kind[j] == GBS_CSV_SKIPPED)
        return GBS_OK;
    if (gbs_csv_declared_missing(c, cell))
        return store_missing(c, j, cell, to);
    if (c->kind[j] == GBS_CSV_TEXT)
        return store_text(c, j, cell, to);
    if (c->reader->options->comma && has_point(cell))
        return refuse_point(c, j, cell);
    switch (gbs_csv_number_kind(c, cell, to)) {
    case GBS_NUMBER_FINITE:
        bare = without_blanks(cell);
        if (fabs(*to) >= GBS_ALL_WHOLE && gbs_csv_asks(c) && loses_digits(&bare, *to))
            return refuse_digits(c, j, cell);
        gbs_csv_note_code(c, j, bare.text, bare.length, *to);
        return c->kind[j] == GBS_CSV_UNDECIDED ? gbs_csv_start_numbers(c, j, cell) : GBS_OK;
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
