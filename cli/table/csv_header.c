/* Is the first record a header, and what are the columns called?
 *
 * Text in the first record alone proves nothing, since a file without a header may have text
 * columns. It is a header when
 *   - every cell of it is text (not empty, not missing, not a number), or
 *   - some cell of it is text above a number in the second record.
 * So "age,sex" is a header, "39,male" is data, and "39,male" above "50,7" is a header. A cell in
 * quotes counts like any other.
 */
#include "csv_columns.h"
#include "number.h"

#include <stdlib.h>
#include <string.h>

static enum number_kind kind_of(const struct csv_record *record, size_t i) {
    double value;
    return number_kind(record->text + record->start[i], record->start[i + 1] - record->start[i] - 1,
                       &value);
}

enum table_status csv_detect_header(struct csv *c, struct csv_record *first,
                                    struct csv_record *second, bool *header) {
    enum table_status status = csv_record_read(&c->in, first);
    if (status != TABLE_OK)
        return status;
    if (!first->there)
        return reader_fail(c->reader, TABLE_BAD_DATA, "the file is empty");
    *header = c->reader->options->header == 1;
    if (c->reader->options->header >= 0)
        return TABLE_OK;
    size_t n_text = 0;
    for (size_t i = 0; i < first->n; i++)
        n_text += kind_of(first, i) == NUMBER_NONE;
    *header = n_text == first->n;
    if (*header || n_text == 0)
        return TABLE_OK;
    status = csv_record_read(&c->in, second);
    for (size_t i = 0; i < first->n && i < second->n && !*header; i++)
        *header = kind_of(first, i) == NUMBER_NONE && kind_of(second, i) == NUMBER_FINITE;
    return status;
}

static bool is_utf8(const char *text) {
    const char *end = text + strlen(text);
    while (text < end) {
        size_t n = utf8_character(text, end);
        if (n == 0)
            return false;
        text += n;
    }
    return true;
}

static enum table_status name_columns(struct csv *c, const struct csv_record *first, bool header,
                                      struct levels *names) {
    struct table *t = c->table;
    for (size_t j = 0; j < t->n_columns; j++) {
        const char *name = first->text + first->start[j];
        struct table_column *column = &t->columns[j];
        if (header && *name ? !(column->name = strdup(name))
                            : !reader_default_name(&column->name, j))
            return reader_no_memory(c->reader);
        struct shown seen = shown(column->name, strlen(column->name));
        if (!is_utf8(column->name))
            return reader_fail_at(c->reader, first->line,
                                  "the name '%s' of column %zu is not UTF-8 text; convert the "
                                  "file, for example with iconv",
                                  seen.text, j + 1);
        size_t twin = levels_find(names, column->name, strlen(column->name));
        if (twin != LEVELS_NONE)
            return reader_fail_at(c->reader, first->line,
                                  "columns %zu and %zu are both called '%s'%s", twin + 1, j + 1,
                                  seen.text,
                                  c->reader->options->header < 0
                                      ? " (if this line holds data, not names: --no-header)"
                                      : "");
        if (!levels_add(names, column->name, strlen(column->name)))
            return reader_no_memory(c->reader);
    }
    return TABLE_OK;
}

/* A column by its name or, where no name fits, by its number from 1. */
static size_t find_column(const struct levels *names, const char *wanted) {
    size_t j = levels_find(names, wanted, strlen(wanted));
    if (j != LEVELS_NONE)
        return j;
    char *end;
    unsigned long long number = strtoull(wanted, &end, 10);
    if (*wanted < '0' || *wanted > '9' || *end || number == 0 || number > names->n)
        return LEVELS_NONE;
    return (size_t)number - 1;
}

static void leave_out(struct csv *c, size_t j) {
    c->kind[j] = CSV_SKIPPED;
    c->table->columns[j].is_text = false;
    c->table->columns[j].skipped = true;
}

static enum table_status apply_options(struct csv *c, const struct levels *names) {
    const struct table_options *o = c->reader->options;
    struct table *t = c->table;
    for (size_t i = 0; i < o->n_text; i++) {
        size_t j = o->from_model ? levels_find(names, o->text[i], strlen(o->text[i]))
                                 : find_column(names, o->text[i]);
        if (j == LEVELS_NONE && o->from_model)
            continue;
        if (j == LEVELS_NONE)
            return reader_fail(c->reader, TABLE_BAD_DATA, "--text %s: the file has no such column",
                               shown(o->text[i], strlen(o->text[i])).text);
        c->kind[j] = CSV_TEXT;
        t->columns[j].is_text = true;
    }
    for (size_t i = 0; i < o->n_drop; i++)
        if (find_column(names, o->drop[i]) != LEVELS_NONE)
            leave_out(c, find_column(names, o->drop[i]));
    for (size_t j = 0; o->skip && t->has_header && j < t->n_columns; j++)
        if (o->skip(o->user, t->columns[j].name))
            leave_out(c, j);
    if (!t->has_header && o->unread_of == t->n_columns && o->unread < t->n_columns)
        leave_out(c, o->unread);
    return TABLE_OK;
}

enum table_status csv_make_columns(struct csv *c, const struct csv_record *first, bool header) {
    struct table *t = c->table;
    size_t d = first->n;
    t->has_header = header;
    c->first_line = first->line;
    t->columns = calloc(d, sizeof *t->columns);
    c->kind = calloc(d, sizeof *c->kind);
    c->first_number = calloc(d, sizeof *c->first_number);
    c->levels = calloc(d, sizeof *c->levels);
    if (!t->columns || !c->kind || !c->first_number || !c->levels)
        return reader_no_memory(c->reader);
    t->n_columns = d;
    struct levels names = {0};
    enum table_status status = name_columns(c, first, header, &names);
    if (status == TABLE_OK)
        status = apply_options(c, &names);
    levels_free(&names);
    return status;
}
