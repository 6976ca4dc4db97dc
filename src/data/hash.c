/* The hash of a set of rows (docs/maths.md, 11.2).
 *
 *   cell = H(column, kind, bits of its value),   row = H(sum of its cells, label),
 *   rows = H(sum of the rows) + H(sum of the rows, labels turned round),   seed' = H(seed, n, rows)
 *
 * with H = Threefry 2x64 (Random123). Rows are added, modulo 2^128, so that their order does not
 * count; never combined by exclusive or, under which two copies of a row would vanish. Draws that a
 * certificate counts depend on the order of the rows too:
 *
 *   at its place = H(row, place),   draws = H(seed, n, sum of the rows at their places, both ways)
 */
#include "data/rows.h"

#include "kernel/threefry.h"

#include <Random123/threefry.h>
#include <string.h>

enum { NUMBER = 1, TEXT, ROW, ROWS, SEED, PLACE, DRAWS };

static gbs_hash mix(uint64_t key0, uint64_t key1, uint64_t a, uint64_t b) {
    threefry2x64_key_t key = {{key0, key1}};
    threefry2x64_ctr_t counter = {{a, b}};
    threefry2x64_ctr_t r = threefry2x64(counter, key);
    return (gbs_hash){.low = r.v[0], .high = r.v[1]};
}

gbs_hash gbs_hash_add(gbs_hash a, gbs_hash b) {
    uint64_t low = a.low + b.low;
    return (gbs_hash){.low = low, .high = a.high + b.high + (low < a.low)};
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    value += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

gbs_hash gbs_hash_number(uint64_t column, double value) {
    gbs_hash none = {0};
    return value == 0.0 ? none : mix(column, NUMBER, bits_of(value), 0);
}

gbs_hash gbs_hash_text(uint64_t column, const char *text, size_t size) {
    gbs_hash h = {.low = column, .high = TEXT};
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t piece = 0;
        memcpy(&piece, text + at, size - at < sizeof piece ? size - at : sizeof piece);
        h = mix(h.low, h.high, piece, at);
    }
    return mix(h.low, h.high, size, TEXT);
}

gbs_hash gbs_hash_row(gbs_hash cells, double label) {
    return mix(cells.low, cells.high, bits_of(label), ROW);
}

void gbs_hash_sum_add(gbs_hash_sum *sum, gbs_hash cells, double label) {
    sum->as_is = gbs_hash_add(sum->as_is, gbs_hash_row(cells, label));
    sum->turned = gbs_hash_add(sum->turned, gbs_hash_row(cells, -label));
}

gbs_hash gbs_hash_sum_of(const gbs_hash_sum *sum) {
    return gbs_hash_add(mix(sum->as_is.low, sum->as_is.high, 0, ROWS),
                        mix(sum->turned.low, sum->turned.high, 0, ROWS));
}

/* The cells of a row, added up. */
static gbs_hash cells_of(const gbs_raw_row *row) {
    enum { BLOCK = 128 };
    uint64_t column[BLOCK], sum[2];
    double value[BLOCK];
    gbs_hash cells = {0};
    for (size_t from = 0; from < row->stored; from += BLOCK) {
        size_t n = row->stored - from < BLOCK ? row->stored - from : BLOCK;
        bool beside = row->value != NULL && row->gap == 0;
        for (size_t k = 0; k < n; k++)
            column[k] = row->column != NULL ? row->column[from + k] : from + k;
        for (size_t k = 0; !beside && k < n; k++)
            value[k] = gbs_raw_value(row, from + k);
        gbs_threefry_sum(n, column, NUMBER, beside ? row->value + from : value, sum);
        cells = gbs_hash_add(cells, (gbs_hash){.low = sum[0], .high = sum[1]});
    }
    return cells;
}

gbs_hash gbs_data_hash(const gbs_data *data) {
    gbs_hash_sum sum = {0};
    if (data->hashed)
        return data->summary.hash;
    for (size_t i = 0; i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        gbs_data_passed(data, i);
        gbs_hash_sum_add(&sum, cells_of(&row), data->y != NULL ? data->y[i] : 0.0);
    }
    return gbs_hash_sum_of(&sum);
}

gbs_hash gbs_hash_placed(gbs_hash row, uint64_t place) {
    return mix(row.low, row.high, place, PLACE);
}

uint64_t gbs_hash_draw_seed(uint64_t seed, uint64_t n, gbs_hash in_order) {
    return mix(in_order.low, in_order.high, seed, n ^ ((uint64_t)DRAWS << 56)).low;
}

uint64_t gbs_hash_seed(uint64_t seed, uint64_t n, gbs_hash rows) {
    return mix(rows.low, rows.high, seed, n ^ ((uint64_t)SEED << 56)).low;
}

gbs_status gbs_data_summary(gbs_context *ctx, const gbs_data *data, gbs_row_summary *out) {
    gbs_row_tally tally;
    if (data->hashed) {
        *out = data->summary;
        return GBS_OK;
    }
    gbs_status status = gbs_row_tally_begin(ctx, data->group, data->groups, &tally);
    for (size_t i = 0; status == GBS_OK && i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        gbs_data_passed(data, i);
        gbs_row_tally_add(&tally, cells_of(&row), data->y != NULL ? data->y[i] : 0.0);
    }
    gbs_row_tally_end(&tally, out);
    return status;
}

uint64_t gbs_data_order_seed(const gbs_context *ctx, const gbs_data *data) {
    return gbs_hash_seed(ctx->seed, data->n, gbs_data_hash(data));
}
