/* What the fuzzers of tables share. */
#ifndef GIBBSITE_FUZZ_TABLE_H
#define GIBBSITE_FUZZ_TABLE_H

#include "table/bytes.h"
#include "table/reader.h"
#include "table/table.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads all but the first byte, which chooses the buffer's size, so that cuts between buffers are
 * searched too. A table that is read goes to `check`; a failure must leave nothing behind and say
 * something. */
static inline int fuzz_table(const uint8_t *data, size_t size, const struct table_options *options,
                             void (*check)(const struct table *t)) {
    struct bytes b;
    struct table t = {0};
    char error[512] = "";
    if (bytes_open_memory(&b, data + 1, size - 1, 1 + data[0] % 32, NULL, NULL) != TABLE_OK)
        return 0;
    if (table_read_bytes(&b, "fuzz", options, &t, error, sizeof error) == TABLE_OK)
        check(&t);
    else if (!*error || t.cells || t.value)
        abort();
    table_free(&t);
    bytes_close(&b);
    return 0;
}

#endif
