/* Fuzzes the CSV reader: a table that is read must be whole. The first byte chooses the options,
 * too. */
#include "fuzz_table.h"

/* Names come from the input: some have a first letter in the second half of the alphabet, some have
 * not. */
static bool skip_late_names(void *user, const char *name) {
    (void)user;
    return (*name | 32) > 'm';
}

/* Every text cell must point at one of its column's levels. */
static void check(const gbs_table *t) {
    for (size_t i = 0; i < t->n_rows; i++) {
        if (gbs_table_line(t, i) == 0)
            abort();
        for (size_t j = 0; j < t->n_columns; j++) {
            double cell = t->cells[i * t->n_columns + j];
            if (t->columns[j].is_text && cell == cell &&
                (cell < 0 || cell >= (double)t->columns[j].n_levels))
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const text[] = {"1"};
    if (size == 0)
        return 0;
    gbs_reading options = {.format = GBS_TABLE_CSV, .header = data[0] % 3 - 1};
    options.comma = data[0] & 8;
    options.separator = data[0] & 16 ? ' ' : '\0';
    options.keep_missing = data[0] & 64;
    options.skip = data[0] & 128 ? skip_late_names : NULL;
    options.text = text;
    options.n_text = data[0] & 32 ? 1 : 0;
    return fuzz_table(data, size, &options, check);
}
