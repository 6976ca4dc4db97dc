/* numpy arrays to a dense table.
 *
 * Memory grows with the bytes that arrive, never with what the header claims. A Fortran-ordered
 * array arrives column after column and is transposed at the end, which takes twice the memory for
 * a moment.
 */
#include "npy_header.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRANSPOSE_BLOCK ((size_t)32)

static uint64_t load(const char *p, size_t size, bool swapped) {
    uint8_t u1;
    uint16_t u2;
    uint32_t u4;
    uint64_t u8;
    switch (size) {
    case 1:
        memcpy(&u1, p, 1);
        return u1;
    case 2:
        memcpy(&u2, p, 2);
        return swapped ? __builtin_bswap16(u2) : u2;
    case 4:
        memcpy(&u4, p, 4);
        return swapped ? __builtin_bswap32(u4) : u4;
    default:
        memcpy(&u8, p, 8);
        return swapped ? __builtin_bswap64(u8) : u8;
    }
}

static double element(const struct npy_header *h, const char *p) {
    uint64_t bits = load(p, h->item, h->swapped);
    uint32_t low = (uint32_t)bits;
    float single;
    double value;
    unsigned unused = (unsigned)(64 - 8 * h->item);
    switch (h->kind) {
    case 'f':
        memcpy(&single, &low, sizeof single);
        memcpy(&value, &bits, sizeof value);
        return h->item == 4 ? (double)single : value;
    case 'i':
        /* Up and down again carries the sign through. */
        return (double)((int64_t)(bits << unused) >> unused);
    case 'b':
        return bits ? 1 : 0;
    default:
        return (double)bits;
    }
}

static enum table_status refuse(struct reader *r, const struct npy_header *h, size_t k,
                                double value) {
    size_t row = h->fortran ? k % h->n_rows : k / h->n_columns,
           column = h->fortran ? k / h->n_rows : k % h->n_columns;
    if (isnan(value))
        return reader_fail(r, TABLE_BAD_DATA,
                           "row %zu, column %zu: the value is missing (NaN); --missing drop does "
                           "without such rows",
                           row + 1, column + 1);
    return reader_fail(r, TABLE_BAD_DATA, "row %zu, column %zu: %s is not a finite number", row + 1,
                       column + 1, value < 0 ? "-inf" : "inf");
}

/* Converts whole elements out of the window, from the k-th on. */
static enum table_status take_elements(struct reader *r, const struct npy_header *h, size_t k,
                                       size_t n) {
    bool keep_missing = r->options->keep_missing;
    for (size_t i = 0; i < n; i++, r->bytes->at += h->item) {
        double value = element(h, r->bytes->at);
        if (!isfinite(value) && !(keep_missing && isnan(value)))
            return refuse(r, h, k + i, value);
        r->out->cells[k + i] = value;
    }
    return TABLE_OK;
}

static enum table_status read_elements(struct reader *r, const struct npy_header *h) {
    struct bytes *b = r->bytes;
    size_t total = h->n_rows * h->n_columns, capacity = 0, k = 0;
    while (k < total) {
        size_t n = (size_t)(b->end - b->at) / h->item;
        if (n > total - k)
            n = total - k;
        if (n == 0 && b->last)
            return reader_fail(
                r, TABLE_BAD_DATA,
                "the data ends early: %zu x %zu elements are announced, %zu are there", h->n_rows,
                h->n_columns, k);
        double *cells = grown(r->out->cells, &capacity, k + n, sizeof *cells);
        if (!cells)
            return reader_no_memory(r);
        r->out->cells = cells;
        enum table_status status = n ? take_elements(r, h, k, n) : reader_more(r);
        if (status != TABLE_OK)
            return status;
        k += n;
    }
    if (b->at == b->end && !b->last) {
        enum table_status status = reader_more(r);
        if (status != TABLE_OK)
            return status;
    }
    if (b->at < b->end)
        return reader_fail(r, TABLE_BAD_DATA,
                           "bytes follow the %zu x %zu elements that the header announces",
                           h->n_rows, h->n_columns);
    r->out->cells = shrunk(r->out->cells, total, sizeof *r->out->cells);
    return TABLE_OK;
}

/* In blocks, so that both the reading and the writing side stay in cache. */
static enum table_status transpose(struct reader *r, const struct npy_header *h) {
    size_t n = h->n_rows, d = h->n_columns;
    const double *from = r->out->cells;
    size_t capacity = 0;
    double *to = grown(NULL, &capacity, n * d, sizeof *to);
    if (!to)
        return reader_no_memory(r);
    for (size_t i0 = 0; i0 < n; i0 += TRANSPOSE_BLOCK)
        for (size_t j0 = 0; j0 < d; j0 += TRANSPOSE_BLOCK)
            for (size_t i = i0; i < n && i < i0 + TRANSPOSE_BLOCK; i++)
                for (size_t j = j0; j < d && j < j0 + TRANSPOSE_BLOCK; j++)
                    to[i * d + j] = from[j * n + i];
    free(r->out->cells);
    r->out->cells = to;
    return TABLE_OK;
}

enum table_status npy_read(struct reader *r) {
    struct table *t = r->out;
    struct npy_header h;
    enum table_status status = npy_header_read(r, &h);
    if (status == TABLE_OK)
        status = read_elements(r, &h);
    if (status == TABLE_OK && h.fortran)
        status = transpose(r, &h);
    if (status != TABLE_OK)
        return status;
    t->columns = calloc(h.n_columns, sizeof *t->columns);
    if (!t->columns)
        return reader_no_memory(r);
    t->n_columns = h.n_columns;
    t->n_rows = h.n_rows;
    for (size_t j = 0; j < t->n_columns; j++)
        if (!reader_default_name(&t->columns[j].name, j))
            return reader_no_memory(r);
    return TABLE_OK;
}
