/* Fuzzes the CSV reader. The first byte chooses the buffer's size and the options, so that cuts between buffers are searched
 * too; a table that is read must be whole, a failure must leave nothing behind and say something.
 */
#include "table/bytes.h"
#include "table/reader.h"
#include "table/table.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names come from the input: some have a first letter in the second half of the alphabet, some have not. */
static bool skip_late_names(void *user, const char *name) {
    (void)user;
    return (*name | 32) > 'm';
}

/* Every text cell must point at one of its column's levels. */
static void check(const struct table *t) {
    for (size_t i = 0; i < t->n_rows; i++) {
        if (table_line(t, i) == 0)
            abort();
        for (size_t j = 0; j < t->n_columns; j++) {
            double cell = t->cells[i * t->n_columns + j];
            if (t->columns[j].is_text && cell == cell && (cell < 0 || cell >= (double)t->columns[j].n_levels))
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const text[] = {"1"};
    if (size == 0)
        return 0;
    struct table_options options = {.format = TABLE_CSV, .header = data[0] % 3 - 1};
    options.keep_missing = data[0] & 64;
    options.skip = data[0] & 128 ? skip_late_names : NULL;
    options.text = text;
    options.n_text = data[0] & 32 ? 1 : 0;
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
