/* CSV files of cells: which column is which, and their records. */
#include "table/cells_reader.h"
#include "table/number.h"

#include <string.h>
#include <strings.h>

static gbs_status add_cell(gbs_cells_reader *r, size_t j, uint64_t line, const char *text,
                           size_t length) {
    if (j == r->column[GBS_CELL_ROW])
        return gbs_cells_add_id(r, GBS_CELL_ROW, line, text, length);
    if (j == r->column[GBS_CELL_COLUMN])
        return gbs_cells_add_id(r, GBS_CELL_COLUMN, line, text, length);
    if (j == r->column[GBS_CELL_VALUE] && r->options->values)
        return gbs_cells_add_value(r, line, text, length);
    return GBS_OK;
}

static bool is_one_of(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcasecmp(name, *list) == 0)
            return true;
    return false;
}

/* A record of texts alone is a header too. */
static bool has_number(const gbs_csv_record *first) {
    double x;
    for (size_t j = 0; j < first->n; j++)
        if (gbs_number_is(first->text + first->start[j], first->start[j + 1] - first->start[j] - 1,
                          &x) == GBS_NUMBER_FINITE)
            return true;
    return false;
}

static const char *const row_names[] = {"row",      "user",   "userid", "user_id",
                                        "customer", "person", "i",      NULL};
static const char *const column_names[] = {"col",     "column",   "item", "itemid", "item_id",
                                           "movieid", "movie_id", "film", "movie",  "joke",
                                           "product", "song",     "j",    NULL};
static const char *const value_names[] = {"value", "rating", "stars", "score", "y", NULL};
static const char *const *const names_of[3] = {row_names, column_names, value_names};
/* What no rating is called. */
static const char *const counts[] = {"count",  "counts",    "plays",    "playcount", "listens",
                                     "views",  "clicks",    "quantity", "purchases", "events",
                                     "visits", "frequency", "n",        NULL};

/* Which columns the header names, into found; a name that comes twice is taken at its first place.
 */
static size_t find_names(gbs_cells_reader *r, const gbs_csv_record *first, bool found[3]) {
    for (size_t j = first->n; j-- > 0;)
        for (int k = 0; k < 3; k++)
            if (is_one_of(first->text + first->start[j], names_of[k])) {
                r->column[k] = j;
                found[k] = true;
            }
    return (size_t)found[GBS_CELL_ROW] + found[GBS_CELL_COLUMN] +
           (found[GBS_CELL_VALUE] && r->options->values);
}

/* The others are those that are left, in the order row, column, value. */
static void find_others(gbs_cells_reader *r, size_t needed, const bool found[3]) {
    size_t left = 0;
    for (size_t k = 0; k < needed; k++) {
        if (found[k])
            continue;
        while ((found[0] && left == r->column[0]) || (found[1] && left == r->column[1]) ||
               (found[2] && left == r->column[2]))
            left++;
        r->column[k] = left++;
    }
}

static const char *name_at(const gbs_csv_record *first, size_t j) {
    return first->text + first->start[j];
}

/* Which column is which would be a guess. */
static gbs_status refuse_header(gbs_cells_reader *r, const gbs_csv_record *first,
                                const bool found[3]) {
    const char *missing[3] = {"", "", ""};
    size_t n = 0;
    for (int k = 0; k < (r->options->values ? 3 : 2); k++)
        if (!found[k])
            missing[n++] = gbs_cell_words[k];
    return gbs_reader_fail_at(
        &r->reader, first->line,
        "the header has %zu columns, and none that is called %s%s%s; expected row, col%s (or user, "
        "item%s), or three columns of any names in this order",
        first->n, missing[0], n > 1 ? " or " : "", n > 1 ? missing[1] : "",
        r->options->values ? " and value" : "", r->options->values ? ", rating" : "");
}

/* A header: known names say which column is which; the others are row, column, value in this order,
 * which is said where that is more than one. */
static gbs_status take_header(gbs_cells_reader *r, const gbs_csv_record *first, bool found[3]) {
    size_t needed = r->options->values ? 3 : 2, names = find_names(r, first, found);
    if (names > 0 && names < needed && first->n > 3)
        return refuse_header(r, first, found);
    find_others(r, needed, found);
    for (size_t k = 0; k < needed; k++) /* of two columns one is a value's */
        if (r->column[k] >= first->n)
            return refuse_header(r, first, found);
    for (size_t k = 0; k < needed; k++) /* a name that comes twice */
        for (int i = 0; i < 3 && !found[k]; i++)
            if (is_one_of(name_at(first, r->column[k]), names_of[i]))
                return refuse_header(r, first, found);
    const char *value = needed == 3 ? name_at(first, r->column[GBS_CELL_VALUE]) : "";
    if (is_one_of(value, counts))
        return gbs_reader_fail_at(&r->reader, first->line,
                                  "column '%s' (column %zu) counts events by its name; expected "
                                  "ratings. Counts of events (implicit data) are not supported",
                                  gbs_show(value, strlen(value)).text,
                                  r->column[GBS_CELL_VALUE] + 1);
    if (names + 1 >= needed)
        return GBS_OK;
    const char *row = name_at(first, r->column[0]), *column = name_at(first, r->column[1]);
    gbs_log(r->reader.ctx, GBS_LOG_WARNING,
            "%s:%llu: column '%s' is taken for the rows, '%s' for the columns%s%s%s (a header row, "
            "col%s says it)",
            r->reader.file, (unsigned long long)first->line, gbs_show(row, strlen(row)).text,
            gbs_show(column, strlen(column)).text, needed == 3 ? ", '" : "",
            needed == 3 ? gbs_show(value, strlen(value)).text : "",
            needed == 3 ? "' for the values" : "", needed == 3 ? ", value" : "");
    return GBS_OK;
}

static gbs_status refuse_width(gbs_cells_reader *r, uint64_t line, size_t cells) {
    return gbs_reader_fail_at(&r->reader, line, "%zu cell%s, but the first line has %zu", cells,
                              cells == 1 ? "" : "s", r->columns);
}

static gbs_status add_record(gbs_cells_reader *r, const gbs_csv_record *record) {
    if (record->n != r->columns)
        return refuse_width(r, record->line, record->n);
    gbs_status status = gbs_cells_make_room(r, 1);
    for (size_t j = 0; j < record->n && status == GBS_OK; j++)
        status = add_cell(r, j, record->line, record->text + record->start[j],
                          record->start[j + 1] - record->start[j] - 1);
    r->out->n += status == GBS_OK;
    return status;
}

/* Fewer columns than needed. */
static gbs_status refuse_few(gbs_cells_reader *r, const gbs_csv_record *first) {
    bool values = r->options->values;
    if (first->n == 1 && strstr(first->text, "::") != NULL)
        return gbs_reader_fail_at(&r->reader, first->line,
                                  "its cells are separated by '::', as in some files of MovieLens; "
                                  "`sed 's/::/,/g' %s > ratings.csv` makes a CSV file of it",
                                  r->reader.file);
    return gbs_reader_fail_at(
        &r->reader, first->line, "expected the columns row, col%s; found %zu column%s%s",
        values ? " and value" : "", first->n, first->n == 1 ? "" : "s",
        values && first->n == 2 ? ". Events without values (implicit data) are not supported" : "");
}

/* Of pairs without names the next line may show that the first is a header, by a number below a
 * text; else two identifiers may be what they are. */
static gbs_status ask_of_pairs(gbs_cells_reader *r, const gbs_csv_record *first,
                               gbs_csv_record *second, bool *header) {
    double x;
    gbs_status status = gbs_csv_record_read(&r->in, second);
    *header = false;
    for (size_t j = 0; status == GBS_OK && second->there && j < second->n && j < first->n; j++)
        *header = *header ||
                  gbs_number_is(name_at(second, j), second->start[j + 1] - second->start[j] - 1,
                                &x) == GBS_NUMBER_FINITE;
    return status != GBS_OK || *header
               ? status
               : gbs_reader_fail_at(&r->reader, first->line,
                                    "is this line a header? Call its columns row and col, or say "
                                    "`no-header`");
}

static gbs_status take_first(gbs_cells_reader *r, const gbs_csv_record *first,
                             gbs_csv_record *second) {
    bool values = r->options->values, found[3] = {false, false, false};
    gbs_status status = GBS_OK;
    if (first->n < (values ? 3U : 2U))
        return refuse_few(r, first);
    r->columns = first->n;
    bool header = r->options->header != 0;
    size_t names = header ? find_names(r, first, found) : 0;
    header = header && (!has_number(first) || names == (values ? 3U : 2U));
    if (header && !values && names == 0)
        status = ask_of_pairs(r, first, second, &header);
    if (status == GBS_OK && header)
        status = take_header(r, first, found);
    for (size_t k = 0; k < 3 && !header; k++)
        r->column[k] = k;
    if (!values)
        r->column[GBS_CELL_VALUE] = SIZE_MAX;
    if (status == GBS_OK && !header)
        status = add_record(r, first);
    return status == GBS_OK && second->there ? add_record(r, second) : status;
}

static gbs_status read_first(gbs_cells_reader *r) {
    gbs_csv_record first = {0}, second = {0};
    gbs_status status = gbs_csv_record_read(&r->in, &first);
    if (status == GBS_OK && !first.there)
        status = gbs_reader_fail(&r->reader, GBS_ERR_DATA, "the file is empty");
    if (status == GBS_OK)
        status = take_first(r, &first, &second);
    gbs_csv_record_free(r->reader.ctx, &first);
    gbs_csv_record_free(r->reader.ctx, &second);
    return status;
}

static gbs_status read_record(gbs_cells_reader *r) {
    uint64_t line = r->in.line;
    gbs_status status = gbs_cells_make_room(r, 1);
    gbs_csv_cell cell = {0};
    size_t j = 0;
    for (; !cell.last && status == GBS_OK; j++) {
        r->in.column = j;
        status = gbs_csv_next(&r->in, &cell);
        if (status != GBS_OK)
            return status;
        if (j == 0 && gbs_csv_is_blank_line(&cell))
            return GBS_OK;
        if (j < r->columns)
            status = add_cell(r, j, cell.line, cell.text, cell.length);
    }
    if (status == GBS_OK && j != r->columns)
        return refuse_width(r, line, j);
    r->out->n += status == GBS_OK;
    return status;
}

/* To the first record of a part that begins within the file. The file's own first one, if it is no
 * header, is another's. */
static gbs_status enter_part(gbs_cells_reader *r, gbs_cells_part *part) {
    gbs_context *ctx = r->reader.ctx;
    for (int side = 0; side < 2; side++)
        gbs_text_set_free(ctx, &r->out->names[side]);
    gbs_pool_free(ctx, &r->out->pool);
    r->out->n = 0;
    gbs_status status = gbs_csv_jump(&r->in, part->from, part->exact);
    part->start = r->in.record_offset;
    return status;
}

gbs_status gbs_cells_csv(gbs_cells_reader *r) {
    gbs_cells_part *part = r->options->part;
    gbs_status status = gbs_csv_open(&r->in, &r->reader);
    if (status == GBS_OK)
        status = read_first(r);
    if (status == GBS_OK && part != NULL && part->from > 0)
        status = enter_part(r, part);
    for (bool ended = false; status == GBS_OK && !ended;) {
        status = gbs_csv_record_start(&r->in, &ended);
        ended = ended || (part != NULL && r->in.record_offset >= part->to);
        if (status == GBS_OK)
            status = gbs_cells_set_aside(r);
        size_t before = r->out->n;
        if (status == GBS_OK && !ended)
            status = gbs_cells_take_together(r);
        if (status == GBS_OK && !ended && r->out->n == before)
            status = read_record(r);
    }
    if (part != NULL)
        part->end = r->in.record_offset;
    return status;
}
