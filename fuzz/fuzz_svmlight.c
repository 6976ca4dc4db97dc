/* Fuzzes the svmlight reader. The first byte chooses the buffer's size and the options, so that cuts between buffers are
 * searched too; a table that is read must be whole, a failure must leave nothing behind and say something.
 */
#include "table/bytes.h"
#include "table/reader.h"
#include "table/table.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Rows follow each other and indices increase inside a row. */
static void check(const struct table *t) {
    for (size_t i = 0; i < t->n_rows; i++) {
        if (t->row_start[i] > t->row_start[i + 1] || table_line(t, i) == 0 || t->label[i] != t->label[i])
            abort();
        for (size_t k = t->row_start[i]; k < t->row_start[i + 1]; k++)
            if (t->index[k] >= t->n_columns || (k > t->row_start[i] && t->index[k] <= t->index[k - 1]) ||
                t->value[k] != t->value[k])
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    /* AUTO lets the detection see the bytes as well. */
    struct table_options options = {.format = data[0] & 128 ? TABLE_AUTO : TABLE_SVMLIGHT};
    struct bytes b;
    struct table t = {0};
    char error[512] = "";
    if (bytes_open_memory(&b, data + 1, size - 1, 1 + data[0] % 32, NULL, NULL) != TABLE_OK)
        return 0;
    if (table_read_bytes(&b, "fuzz", &options, &t, error, sizeof error) == TABLE_OK) {
        if (t.format == TABLE_SVMLIGHT)
            check(&t);
    } else if (!*error || t.value) {
        abort();
    }
    table_free(&t);
    bytes_close(&b);
    return 0;
}
