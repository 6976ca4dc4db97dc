/* Fuzzes the npy reader: a table that is read must be whole. The first byte chooses the options,
 * too. */
#include "fuzz_table.h"

#include <math.h>
#include <string.h>

/* Touches every cell that the shape claims. */
static void check(const gbs_table *t) {
    double sum = 0;
    for (size_t k = 0; k < t->n_rows * t->n_columns; k++)
        sum += t->cells[k];
    for (size_t j = 0; j < t->n_columns; j++)
        sum += (double)strlen(t->columns[j].name);
    if (t->n_rows == 0 || t->n_columns == 0 || sum < -HUGE_VAL)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    gbs_reading options = {.format = GBS_TABLE_NPY, .keep_missing = data[0] & 64};
    return fuzz_table(data, size, &options, check);
}
