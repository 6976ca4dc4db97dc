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

/* Where all columns but one are named and one column is left, it is that one: nobody wonders which
 * column of `user,item,opinion` has the values. */
static void find_other(gbs_cells_reader *r, const gbs_csv_record *first, bool found[3]) {
    size_t needed = r->options->values ? 3 : 2, other = needed, left = needed * (needed - 1) / 2;
    for (size_t k = 0; k < needed; k++) {
        if (found[k])
            left -= r->column[k]; /* the columns are 0 to needed - 1, if they are so many */
        else if (other == needed)
            other = k;
        else
            return;
    }
    if (first->n != needed || other == needed)
        return;
    const char *name = first->text + first->start[left];
    for (int k = 0; k < 3; k++)
        if (is_one_of(name, names_of[k]))
            return;
    if (other == GBS_CELL_VALUE && is_one_of(name, counts))
        return;
    r->column[other] = left;
    found[other] = true;
}

/* How many of the columns that are needed the record names, into found; a name that comes twice is
 * taken at its first place. */
static size_t find_names(gbs_cells_reader *r, const gbs_csv_record *first, bool found[3]) {
    for (size_t j = first->n; j-- > 0;)
        for (int k = 0; k < 3; k++)
            if (is_one_of(first->text + first->start[j], names_of[k])) {
                r->column[k] = j;
                found[k] = true;
            }
    if (!has_number(first))
        find_other(r, first, found);
    if (!found[GBS_CELL_VALUE])
        r->column[GBS_CELL_VALUE] = SIZE_MAX;
    return (size_t)found[GBS_CELL_ROW] + found[GBS_CELL_COLUMN] +
           (found[GBS_CELL_VALUE] && r->options->values);
}

/* Half a header is no header: which column is which would be a guess. */
static gbs_status refuse_header(gbs_cells_reader *r, const gbs_csv_record *first,
                                const bool found[3]) {
    const char *missing[3] = {"", "", ""};
    size_t n = 0;
    for (int k = 0; k < (r->options->values ? 3 : 2); k++)
        if (!found[k])
            missing[n++] = gbs_cell_words[k];
    return gbs_reader_fail_at(
        &r->reader, first->line,
        "the header has no column called %s%s%s; expected row, col%s (or user, item%s)%s",
        missing[0], n > 1 ? " or " : "", n > 1 ? missing[1] : "",
        r->options->values ? " and value" : "", r->options->values ? ", rating" : "",
        r->options->values ? ". Counts of events (implicit data) are not supported" : "");
}

static gbs_status add_record(gbs_cells_reader *r, const gbs_csv_record *record) {
    gbs_status status = gbs_cells_make_room(r, 1);
    for (size_t j = 0; j < record->n && status == GBS_OK; j++)
        status = add_cell(r, j, record->line, record->text + record->start[j],
                          record->start[j + 1] - record->start[j] - 1);
    r->out->n += status == GBS_OK;
    return status;
}

static gbs_status read_first(gbs_cells_reader *r) {
    gbs_csv_record first = {0};
    gbs_status status = gbs_csv_record_read(&r->in, &first);
    bool values = r->options->values;
    if (status == GBS_OK && !first.there)
        status = gbs_reader_fail(&r->reader, GBS_ERR_DATA, "the file is empty");
    if (status == GBS_OK && first.n < (values ? 3U : 2U))
        status = gbs_reader_fail_at(
            &r->reader, first.line, "expected the columns row, col%s; found %zu column%s%s",
            values ? " and value" : "", first.n, first.n == 1 ? "" : "s",
            values && first.n == 2 ? ". Events without values (implicit data) are not "
                                     "supported"
                                   : "");
    if (status == GBS_OK) {
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
            status = gbs_reader_fail_at(
                &r->reader, first.line,
                "is this line a header? Call its columns row and col, or say `no-header`");
        else if (!r->named && !texts)
            status = add_record(r, &first);
    }
    gbs_csv_record_free(r->reader.ctx, &first);
    return status;
}

static gbs_status read_record(gbs_cells_reader *r) {
    uint64_t line = r->in.line;
    gbs_status status = gbs_cells_make_room(r, 1);
    gbs_csv_cell cell = {0};
    size_t j = 0;
    for (; !cell.last && status == GBS_OK; j++) {
        status = gbs_csv_next(&r->in, &cell);
        if (status != GBS_OK)
            return status;
        if (j == 0 && gbs_csv_is_blank_line(&cell))
            return GBS_OK;
        if (j < r->columns)
            status = add_cell(r, j, cell.line, cell.text, cell.length);
    }
    if (status == GBS_OK && j != r->columns)
        return gbs_reader_fail_at(&r->reader, line, "%zu cell%s, but the first line has %zu", j,
                                  j == 1 ? "" : "s", r->columns);
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
