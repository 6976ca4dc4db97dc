/* The hash of a set of rows (docs/maths.md, 11.2).
 *
 *   cell = H(column, kind, bits of its value),   row = H(sum of its cells, label),
 *   seed' = H(seed, n, sum of the rows)
 *
 * with H = Threefry 2x64 (Random123). Rows are added, modulo 2^128, so that their order does not
 * count; never combined by exclusive or, under which two copies of a row would vanish.
 */
#include "data/hash.h"

#include <Random123/threefry.h>
#include <string.h>

enum { NUMBER = 1, TEXT, ROW, SEED };

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
    return value == 0.0 ? (gbs_hash){0} : mix(column, NUMBER, bits_of(value), 0);
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

gbs_hash gbs_data_hash(const gbs_data *data) {
    gbs_hash sum = {0};
    for (size_t i = 0; i < data->n; i++) {
        gbs_hash cells = {0};
        gbs_raw_row row = gbs_data_at(data, i);
        for (size_t k = 0; k < row.stored; k++)
            cells = gbs_hash_add(
                cells, gbs_hash_number(row.column != NULL ? row.column[k] : k, row.value[k]));
        sum = gbs_hash_add(sum, gbs_hash_row(cells, data->y != NULL ? data->y[i] : 0.0));
    }
    return sum;
}

uint64_t gbs_hash_seed(uint64_t seed, uint64_t n, gbs_hash rows) {
    return mix(rows.low, rows.high, seed, n ^ ((uint64_t)SEED << 56)).low;
}
