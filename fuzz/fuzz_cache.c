/* Fuzzes the reader of caches. Digests would stop every damaged file, so they are made right here:
 * the first 56 bytes are the header's numbers, the others all that follows the header. A table that
 * is taken must be whole. */
#include "table/cache_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { GIVEN = 7 * sizeof(uint64_t) }; /* rows, columns, described, lines, names, format, stored */

static void expect(int truth) {
    if (!truth)
        abort();
}

/* Every text cell must point at one of its column's levels, every index at a column. */
static void check(const gbs_table *t) {
    for (size_t i = 0; t->cells == NULL && i < t->n_rows; i++)
        for (size_t k = t->row_start[i]; k < t->row_start[i + 1]; k++)
            expect(t->index[k] < t->n_columns && t->value[k] - t->value[k] == 0);
    if (t->cells == NULL)
        return;
    for (size_t i = 0; i < t->n_rows; i++)
        for (size_t j = 0; j < t->n_columns; j++) {
            double cell = t->cells[i * t->n_columns + j];
            expect(!t->columns[j].is_text || cell != cell ||
                   (cell >= 0 && cell < (double)t->columns[j].n_levels));
        }
    for (size_t j = 0; j < t->n_columns; j++)
        for (size_t k = 0; k < t->columns[j].n_levels; k++)
            expect(strlen(t->columns[j].levels[k]) < SIZE_MAX);
}

static gbs_hash digest_of(const void *bytes, size_t size) {
    gbs_digest d = gbs_digest_start();
    gbs_digest_add(&d, bytes, size);
    return gbs_digest_end(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gbs_context *ctx;
    union {
        gbs_cache_header is;
        unsigned char bytes[GBS_CACHE_HEADER];
    } header = {
        .is = {.magic = GBS_CACHE_MAGIC, .version = GBS_CACHE_VERSION, .order = GBS_CACHE_ORDER}};
    const gbs_cache_key key = {.size = 0};
    char path[64];
    gbs_table *t = NULL;
    if (size < GIVEN)
        return 0;
    if (ctx == NULL)
        expect(gbs_context_create(NULL, &ctx) == GBS_OK);
    (void)gbs_fail(ctx, GBS_OK, "%s", "");
    memcpy((char *)&header + offsetof(gbs_cache_header, rows), data, GIVEN);
    header.is.digest = digest_of(data + GIVEN, size - GIVEN);
    header.is.check = digest_of(&header.is, offsetof(gbs_cache_header, check));
    int fd = memfd_create("cache", MFD_CLOEXEC);
    expect(fd >= 0 && write(fd, &header, sizeof header) == (ssize_t)sizeof header &&
           write(fd, data + GIVEN, size - GIVEN) == (ssize_t)(size - GIVEN));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (gbs_cache_open(ctx, path, &key, "fuzz", false, &t) == GBS_OK)
        check(t);
    else
        expect(t == NULL && gbs_error_message(ctx)[0] != '\0');
    gbs_table_free(t);
    close(fd);
    return 0;
}
