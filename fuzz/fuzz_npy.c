/* Fuzzes the npy reader. The first byte chooses the buffer's size and the options, so that cuts between buffers are searched
 * too; a table that is read must be whole, a failure must leave nothing behind and say something.
 */
#include "table/bytes.h"
#include "table/reader.h"
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touches every cell that the shape claims. */
static void check(const struct table *t) {
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
    struct table_options options = {.format = TABLE_NPY, .keep_missing = data[0] & 64};
    struct bytes b;
    struct table t = {0};
    char error[512] = "";
    if (bytes_open_memory(&b, data + 1, size - 1, 1 + data[0] % 32, NULL, NULL) != TABLE_OK)
        return 0;
    if (table_read_bytes(&b, "fuzz", &options, &t, error, sizeof error) == TABLE_OK)
        check(&t);
    else if (!*error || t.cells)
        abort();
    table_free(&t);
    bytes_close(&b);
    return 0;
}
