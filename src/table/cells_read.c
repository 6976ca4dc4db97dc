/* Files of cells to numbered triples. Names are texts, whatever they look like: 7 and 007 are two.
 */
#include "core/check.h"
#include "core/pages.h"
#include "options/options.h"
#include "table/cells_reader.h"
#include "table/number.h"

#include <math.h>
#include <string.h>
#include <strings.h>

const char *const gbs_cell_words[3] = {"row", "col", "value"};

gbs_status gbs_cells_add_id(gbs_cells_reader *r, int side, uint64_t line, const char *text,
                            size_t length) {
    gbs_text_set *names = &r->out->names[side];
    if (length == 0)
        return gbs_reader_fail_at(&r->reader, line,
                                  "column '%s' (column %zu): the identifier is missing",
                                  gbs_cell_words[side], r->column[side] + 1);
    size_t found = gbs_text_set_find(names, text, length);
    if (found == GBS_TEXT_NONE) {
        if (!gbs_is_utf8(text, length))
            return gbs_reader_fail_at(
                &r->reader, line, "column '%s' (column %zu): '%s' is not UTF-8 text",
                gbs_cell_words[side], r->column[side] + 1, gbs_show(text, length).text);
        found = names->n;
        if (!gbs_text_set_add(r->reader.ctx, names, &r->out->pool, text, length))
            return gbs_reader_no_memory(&r->reader);
    }
    r->out->id[side][r->out->n] = (uint32_t)found;
    return GBS_OK;
}

enum { LONGEST_NUMBER = 64 };

/* The text with a point for its comma; false: it has none, or is too long for a number. */
static bool with_point(const char *text, size_t length, char out[LONGEST_NUMBER]) {
    if (length >= LONGEST_NUMBER)
        return false;
    memcpy(out, text, length);
    out[length] = '\0';
    char *comma = strchr(out, ',');
    if (comma != NULL)
        *comma = '.';
    return comma != NULL;
}

gbs_status gbs_cells_add_value(gbs_cells_reader *r, uint64_t line, const char *text,
                               size_t length) {
    const gbs_cells_reading *o = r->options;
    double x;
    size_t column = r->column[GBS_CELL_VALUE] + 1;
    gbs_number_trim(&text, &length);
    char other[LONGEST_NUMBER];
    bool comma = with_point(text, length, other);
    gbs_number_kind kind = o->comma && comma ? gbs_number_is(other, length, &x)
                                             : gbs_number_is(text, length, &x);
    if (!o->comma && comma && r->in.separator != ',' &&
        gbs_number_is(other, length, &x) == GBS_NUMBER_FINITE)
        return gbs_reader_fail_at(&r->reader, line,
                                  "column 'value' (column %zu): '%s' has a decimal comma "
                                  "(`decimal` ,)",
                                  column, gbs_show(text, length).text);
    switch (kind) {
    case GBS_NUMBER_FINITE:
        break;
    case GBS_NUMBER_MISSING:
        return gbs_reader_fail_at(&r->reader, line,
                                  "column 'value' (column %zu): the value is missing ('%s')",
                                  column, gbs_show(text, length).text);
    case GBS_NUMBER_NOT_FINITE:
    case GBS_NUMBER_TOO_LARGE:
    case GBS_NUMBER_NONE:
        return gbs_reader_fail_at(&r->reader, line,
                                  "column 'value' (column %zu): expected a number, found '%s'",
                                  column, gbs_show(text, length).text);
    }
    if (o->has_range && !(x >= o->low && x <= o->high))
        return gbs_reader_fail_at(
            &r->reader, line, "column 'value' (column %zu): %.10g lies outside `range` %.10g:%.10g",
            column, x, o->low, o->high);
    if (!(fabs(x) <= GBS_LARGEST_RATING))
        return gbs_reader_fail_at(
            &r->reader, line,
            "column 'value' (column %zu): %.10g is too large, values must lie within 1e100", column,
            x);
    r->out->value[r->out->n] = x;
    return GBS_OK;
}

gbs_status gbs_cells_make_room(gbs_cells_reader *r, size_t more) {
    gbs_cells *t = r->out;
    for (int side = 0; side < 2; side++) {
        uint32_t *ids = gbs_array_grow(r->reader.ctx, t->id[side], &r->capacity[side], t->n + more,
                                       sizeof *ids);
        if (!ids)
            return gbs_reader_no_memory(&r->reader);
        t->id[side] = ids;
    }
    if (!r->options->values)
        return GBS_OK;
    double *values = gbs_array_grow(r->reader.ctx, t->value, &r->capacity[GBS_CELL_VALUE],
                                    t->n + more, sizeof *values);
    if (!values)
        return gbs_reader_no_memory(&r->reader);
    t->value = values;
    return GBS_OK;
}

static gbs_status read_any(gbs_cells_reader *r) {
    static const char banner[] = GBS_MARKET_BANNER;
    gbs_bytes *b = r->reader.bytes;
    gbs_status status = GBS_OK;
    while (!b->last && (size_t)(b->end - b->at) < sizeof banner && status == GBS_OK)
        status = gbs_reader_more(&r->reader);
    if (status != GBS_OK)
        return status;
    bool market = (size_t)(b->end - b->at) >= sizeof banner - 1 &&
                  strncasecmp(b->at, banner, sizeof banner - 1) == 0;
    if (market && r->options->part != NULL)
        return gbs_reader_fail(&r->reader, GBS_ERR_DATA, "a MatrixMarket file is read whole");
    status = market ? gbs_cells_market(r) : gbs_cells_csv(r);
    if (status == GBS_OK && gbs_cells_so_far(r->out) == 0 && r->options->part == NULL)
        return gbs_reader_fail(&r->reader, GBS_ERR_DATA, "the file holds no %s",
                               r->options->values ? "ratings" : "pairs");
    return status;
}

/* Those that were set aside, in a block of as many. */
static gbs_status settle(gbs_cells *t) {
    size_t n = gbs_cells_so_far(t), bytes = gbs_cells_bytes(n);
    gbs_spill spill = {.folder = t->folder, .least = GBS_SPILL_LEAST};
    void *block;
    gbs_status status = gbs_spill_array(t->ctx, &spill, bytes, 1, &block);
    if (status == GBS_OK)
        status = gbs_cells_put(t, NULL, 0, n, gbs_spills(&spill, bytes, 1), block);
    if (status == GBS_OK)
        gbs_cells_take_block(t, n, block);
    else
        gbs_array_free(t->ctx, block);
    return status;
}

gbs_status gbs_cells_read_bytes(gbs_bytes *bytes, const char *file,
                                const gbs_cells_reading *reading, gbs_cells **out) {
    gbs_context *ctx = bytes->ctx;
    gbs_cells *cells = gbs_handle_alloc(ctx, sizeof *cells);
    *out = NULL;
    if (cells == NULL)
        return GBS_ERR_MEMORY;
    cells->ctx = ctx;
    gbs_reading none = {.header = reading->header, .comma = reading->comma};
    gbs_cells_reader r = {.reader = {.ctx = ctx, .bytes = bytes, .options = &none, .file = file},
                          .options = reading,
                          .out = cells};
    gbs_status status = GBS_OK;
    if (reading->folder != NULL)
        status = gbs_cells_store_create(ctx, reading->folder, cells);
    if (status == GBS_OK)
        status = read_any(&r);
    if (status == GBS_OK)
        status = gbs_cells_set_all_aside(&r);
    if (status == GBS_OK && cells->store != NULL && reading->part == NULL)
        status = settle(cells);
    if (status == GBS_OK)
        *out = cells;
    else
        gbs_cells_free(cells);
    return status;
}

gbs_status gbs_cells_read_file(gbs_context *ctx, const char *path, const gbs_cells_reading *reading,
                               gbs_cells **out) {
    const char *file = gbs_file_name(path);
    gbs_bytes bytes;
    *out = NULL;
    gbs_status status = gbs_bytes_open(ctx, path, 0, &bytes);
    if (status != GBS_OK)
        return gbs_fail(ctx, status, "%s: %s", file, bytes.message);
    status = gbs_cells_read_bytes(&bytes, file, reading, out);
    gbs_bytes_close(&bytes);
    return status;
}

gbs_status gbs_cells_read(gbs_context *ctx, const char *path, gbs_cell_use use,
                          const gbs_options *options, gbs_cells **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    gbs_table_settings s;
    bool done = false;
    const double *range = gbs_options_numbers(options, "range", NULL);
    gbs_status status = gbs_check_choice(ctx, "use", (int)use, "train|test|pairs", 0);
    if (status != GBS_OK)
        return status;
    gbs_table_settings_from(options, &s);
    gbs_cells_reading reading = {
        .header = s.no_header ? 0 : -1, .values = use != GBS_CELLS_PAIRS, .comma = s.decimal != 0};
    if (range != NULL && use == GBS_CELLS_TRAIN) {
        reading.has_range = true;
        reading.low = range[0];
        reading.high = range[1];
    }
    if (use == GBS_CELLS_TRAIN)
        reading.folder = s.cache;
    if (ctx->crew != NULL && use == GBS_CELLS_TRAIN)
        status = gbs_cells_read_together(ctx, path, &reading, &done, out);
    return status == GBS_OK && !done ? gbs_cells_read_file(ctx, path, &reading, out) : status;
}
