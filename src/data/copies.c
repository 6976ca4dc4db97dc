/* Exact copies of rows, where chance does not explain them.
 *
 * Rows that were entered twice, or sampled with replacement, are not independent, and certificates
 * that take them for independent are too small. Among discrete columns equal rows are only to be
 * expected. The two are told apart by single cells: where columns are continuous, rows that differ
 * somewhere differ nearly everywhere, and a cell has its value from no other row; where they are
 * discrete, rows that differ share most values. So copies count if at least half of the different
 * rows have two cells or more whose values no other row has. (One such cell may be an identifier.)
 */
#include "data/rows.h"

#include <string.h>

/* Cells that are looked at, about; and rows at least. Rows are hashed so many at a time, and then
 * added to the set: its places lie apart, and one is fetched while another is on its way. */
enum { LOOKED_CELLS = 1 << 18, LEAST_ROWS = 64, AT_A_TIME = 256 };

static uint64_t mixed(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

/* Of the k-th stored cell; never 0. */
static uint64_t cell_of(const gbs_raw_row *row, size_t k) {
    uint64_t bits, column = row->column != NULL ? row->column[k] : k;
    double value = gbs_raw_value(row, k);
    memcpy(&bits, &value, sizeof bits);
    return mixed(mixed(0x2545f4914f6cdd1du, column), bits) | 1;
}

/* Zeros add nothing: dense rows are like sparse ones. Rows of nearly nothing else have no hash, 0:
 * they say too little. */
static uint64_t row_hash(const gbs_raw_row *row) {
    uint64_t sum = 0;
    size_t cells = 0;
    for (size_t k = 0; k < row->stored; k++)
        if (gbs_raw_value(row, k) != 0.0) {
            sum += mixed(1, cell_of(row, k));
            cells++;
        }
    return cells >= 2 ? mixed(sum, 3) | 1 : 0;
}

/* A set of numbers that are not 0, with how often each was added, up to 2. */
struct tally {
    uint64_t *key;
    unsigned char *times;
    size_t slots; /* a power of two */
};

static gbs_status tally_create(gbs_context *ctx, size_t room, struct tally *out) {
    out->slots = 16;
    while (out->slots < 2 * room)
        out->slots *= 2;
    out->key = gbs_array_alloc(ctx, out->slots, sizeof *out->key);
    out->times = gbs_array_alloc(ctx, out->slots, sizeof *out->times);
    return out->key != NULL && out->times != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

static void tally_free(const gbs_context *ctx, struct tally *t) {
    gbs_array_free(ctx, t->key);
    gbs_array_free(ctx, t->times);
}

static size_t slot_of(const struct tally *t, uint64_t key) {
    size_t at = (size_t)(key >> 7) & (t->slots - 1);
    while (t->key[at] != 0 && t->key[at] != key)
        at = (at + 1) & (t->slots - 1);
    return at;
}

/* Says whether it is the first of its kind. */
static bool tally_add(struct tally *t, uint64_t key) {
    size_t at = slot_of(t, key);
    bool first = t->key[at] == 0;
    t->key[at] = key;
    t->times[at] = first ? 1 : 2;
    return first;
}

/* Of the rows listed, at least half have two values that no other of them has. */
static gbs_status are_continuous(gbs_context *ctx, const gbs_data *data, size_t count,
                                 const size_t *rows, bool *out) {
    struct tally cells;
    size_t stored = 0, alone = 0;
    for (size_t i = 0; i < count; i++)
        stored += gbs_data_at(data, rows[i]).stored;
    gbs_status status = tally_create(ctx, stored, &cells);
    for (int turn = 0; status == GBS_OK && turn < 2; turn++) /* added, then asked */
        for (size_t i = 0; i < count; i++) {
            gbs_raw_row row = gbs_data_at(data, rows[i]);
            size_t single = 0;
            for (size_t k = 0; k < row.stored; k++) {
                if (gbs_raw_value(&row, k) == 0.0)
                    continue;
                uint64_t key = cell_of(&row, k);
                if (turn == 0)
                    tally_add(&cells, key);
                else
                    single += cells.times[slot_of(&cells, key)] == 1;
            }
            alone += single >= 2;
        }
    tally_free(ctx, &cells);
    *out = 2 * alone >= count;
    return status;
}

gbs_status gbs_data_copies(gbs_context *ctx, const gbs_data *data, size_t *copies) {
    struct tally seen;
    size_t different = 0, kept = 0, n = data->n, *rows = gbs_array_alloc(ctx, n, sizeof *rows);
    bool continuous = false;
    gbs_status status = tally_create(ctx, n, &seen);
    if (status == GBS_OK && rows == NULL)
        status = GBS_ERR_MEMORY;
    *copies = 0;
    for (size_t from = 0; status == GBS_OK && from < n; from += AT_A_TIME) {
        uint64_t key[AT_A_TIME];
        size_t count = n - from < AT_A_TIME ? n - from : AT_A_TIME;
        for (size_t i = 0; i < count; i++) {
            gbs_raw_row row = gbs_data_at(data, from + i);
            gbs_data_passed(data, from + i);
            key[i] = row_hash(&row);
        }
        for (size_t i = 0; i < count; i++)
            if (key[i] == 0 || tally_add(&seen, key[i]))
                rows[different++] = from + i;
    }
    tally_free(ctx, &seen);
    if (status == GBS_OK && different < n) {
        size_t most = LOOKED_CELLS / (gbs_data_is_dense(data) ? data->d : 16),
               step = 1 + different / (most > LEAST_ROWS ? most : LEAST_ROWS);
        for (size_t i = 0; i < different; i += step)
            rows[kept++] = rows[i];
        status = are_continuous(ctx, data, kept, rows, &continuous);
    }
    if (status == GBS_OK && continuous)
        *copies = n - different;
    gbs_array_free(ctx, rows);
    return status;
}
