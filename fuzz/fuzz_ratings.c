/* Fuzzes the readers of ratings, CSV and MatrixMarket. The first byte chooses the buffer's size and
 * the options, so that cuts between buffers are searched too; ratings that are read must be whole
 * and different names have different numbers, a failure must leave nothing behind and say
 * something, and both must be the same where no records are taken together.
 */
#include "table/bytes.h"
#include "table/cells.h"

#include <stdio.h>
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

static void compare(const gbs_cells *a, const gbs_cells *b, const gbs_cells_reading *o) {
    if (a->n != b->n || (o->values && memcmp(a->value, b->value, a->n * sizeof *a->value) != 0))
        abort();
    for (int side = 0; side < 2; side++) {
        if (memcmp(a->id[side], b->id[side], a->n * sizeof *a->id[side]) != 0 ||
            a->names[side].n != b->names[side].n)
            abort();
        for (size_t k = 0; k < a->names[side].n; k++)
            if (strcmp(a->names[side].text[k], b->names[side].text[k]) != 0)
                abort();
    }
}

/* The cells, NULL: not read, with what was said. */
static gbs_cells *read_cells(gbs_context *ctx, const uint8_t *data, size_t size,
                             const gbs_cells_reading *o, size_t buffer, char *said, size_t room) {
    gbs_bytes b;
    gbs_cells *t = NULL;
    (void)gbs_fail(ctx, GBS_OK, "%s", ""); /* nothing is said yet */
    if (gbs_bytes_open_memory(ctx, data, size, buffer, &b) != GBS_OK)
        abort();
    if (gbs_cells_read_bytes(&b, "fuzz", o, &t) == GBS_OK)
        check(t, o);
    else if (*gbs_error_message(ctx) == '\0' || t != NULL)
        abort();
    snprintf(said, room, "%s", gbs_error_message(ctx));
    gbs_bytes_close(&b);
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gbs_context *ctx;
    char said[2][600];
    if (size == 0)
        return 0;
    gbs_cells_reading options = {.header = data[0] & 128 ? 0 : -1,
                                 .values = !(data[0] & 64),
                                 .has_range = data[0] & 32,
                                 .low = 1.0,
                                 .high = 5.0};
    if (ctx == NULL && gbs_context_create(NULL, &ctx) != GBS_OK)
        abort();
    size_t buffer = 1 + data[0] % 32;
    gbs_cells *t = read_cells(ctx, data + 1, size - 1, &options, buffer, said[0], sizeof said[0]);
    options.one_by_one = true;
    gbs_cells *u = read_cells(ctx, data + 1, size - 1, &options, buffer, said[1], sizeof said[1]);
    if ((t != NULL) != (u != NULL) || (t == NULL && strcmp(said[0], said[1]) != 0))
        abort();
    if (t != NULL)
        compare(t, u, &options);
    gbs_cells_free(t);
    gbs_cells_free(u);
    return 0;
}
