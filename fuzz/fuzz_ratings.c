/* Fuzzes the readers of ratings, CSV and MatrixMarket. The first byte chooses the buffer's size and
 * the options, so that cuts between buffers are searched too; ratings that are read must be whole
 * and different names have different numbers, a failure must leave nothing behind and say
 * something.
 */
#include "table/bytes.h"
#include "table/cells.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const gbs_cells *t, const gbs_cells_reading *o) {
    if (t->n == 0 || (t->value != NULL) != o->values)
        abort();
    for (size_t e = 0; e < t->n; e++) {
        if (t->id[0][e] >= t->names[0].n || t->id[1][e] >= t->names[1].n)
            abort();
        if (o->values && !(t->value[e] - t->value[e] == 0.0))
            abort();
        if (o->values && o->has_range && !(t->value[e] >= o->low && t->value[e] <= o->high))
            abort();
    }
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < t->names[side].n; k++) {
            const char *name = t->names[side].text[k];
            if (*name == '\0' || gbs_text_set_find(&t->names[side], name, strlen(name)) != k)
                abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    gbs_cells_reading options = {.header = data[0] & 128 ? 0 : -1,
                                 .values = !(data[0] & 64),
                                 .has_range = data[0] & 32,
                                 .low = 1.0,
                                 .high = 5.0};
    static gbs_context *ctx;
    gbs_bytes b;
    gbs_cells *t = NULL;
    if (ctx == NULL && gbs_context_create(NULL, &ctx) != GBS_OK)
        abort();
    (void)gbs_fail(ctx, GBS_OK, "%s", ""); /* nothing is said yet */
    if (gbs_bytes_open_memory(ctx, data + 1, size - 1, 1 + data[0] % 32, &b) != GBS_OK)
        return 0;
    if (gbs_cells_read_bytes(&b, "fuzz", &options, &t) == GBS_OK)
        check(t, &options);
    else if (*gbs_error_message(ctx) == '\0' || t != NULL)
        abort();
    gbs_cells_free(t);
    gbs_bytes_close(&b);
    return 0;
}
