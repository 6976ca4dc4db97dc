/* Fuzzes the svmlight reader: a table that is read must be whole. The first byte chooses the
 * options, too. */
#include "fuzz_table.h"

/* Rows follow each other and indices increase inside a row. */
static void check(const gbs_table *t) {
    if (t->format != GBS_TABLE_SVMLIGHT)
        return;
    for (size_t i = 0; i < t->n_rows; i++) {
        if (t->row_start[i] > t->row_start[i + 1] || gbs_table_line(t, i) == 0 ||
            t->label[i] != t->label[i])
            abort();
        for (size_t k = t->row_start[i]; k < t->row_start[i + 1]; k++)
            if (t->index[k] >= t->n_columns ||
                (k > t->row_start[i] && t->index[k] <= t->index[k - 1]) ||
                t->value[k] != t->value[k])
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    /* AUTO lets the detection see the bytes as well. */
    gbs_reading options = {.format = data[0] & 128 ? GBS_TABLE_AUTO : GBS_TABLE_SVMLIGHT};
    return fuzz_table(data, size, &options, check);
}
