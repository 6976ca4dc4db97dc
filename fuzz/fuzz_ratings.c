/* Fuzzes the readers of ratings, CSV and MatrixMarket. The first byte chooses the buffer's size and
 * the options, so that cuts between buffers are searched too; ratings that are read must be whole
 * and different names have different numbers, a failure must leave nothing behind and say
 * something.
 */
#include "table/bytes.h"
#include "table/ratings.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct ratings_table *t, const struct ratings_options *o) {
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
            if (*name == '\0' || levels_find(&t->names[side], name, strlen(name)) != k)
                abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    struct ratings_options options = {.header = data[0] & 128 ? 0 : -1,
                                      .values = !(data[0] & 64),
                                      .has_range = data[0] & 32,
                                      .low = 1.0,
                                      .high = 5.0};
    struct bytes b;
    struct ratings_table t = {0};
    char error[1024] = "";
    if (bytes_open_memory(&b, data + 1, size - 1, 1 + data[0] % 32, NULL, NULL) != TABLE_OK)
        return 0;
    if (ratings_read_bytes(&b, "fuzz", &options, &t, error, sizeof error) == TABLE_OK)
        check(&t, &options);
    else if (!*error || t.value || t.id[0] || t.names[0].text)
        abort();
    ratings_free(&t);
    bytes_close(&b);
    return 0;
}
