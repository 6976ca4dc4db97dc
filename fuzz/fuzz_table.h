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
static inline int fuzz_table(const uint8_t *data, size_t size, const gbs_reading *options,
                             void (*check)(const gbs_table *t)) {
    static gbs_context *ctx;
    gbs_bytes b;
    gbs_table *t = NULL;
    if (ctx == NULL && gbs_context_create(NULL, &ctx) != GBS_OK)
        abort();
    (void)gbs_fail(ctx, GBS_OK, "%s", ""); /* nothing is said yet */
    if (gbs_bytes_open_memory(ctx, data + 1, size - 1, 1 + data[0] % 32, &b) != GBS_OK)
        return 0;
    if (gbs_table_read_bytes(&b, "fuzz", options, &t) == GBS_OK)
        check(t);
    else if (*gbs_error_message(ctx) == '\0' || t != NULL)
        abort();
    gbs_table_free(t);
    gbs_bytes_close(&b);
    return 0;
}

#endif
