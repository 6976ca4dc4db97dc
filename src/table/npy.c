/* numpy arrays to a dense table.
 *
 * Memory grows with the bytes that arrive, never with what the header claims. A Fortran-ordered
 * array arrives column after column and is transposed at the end, which takes twice the memory for
 * a moment.
 */
#include "table/npy_header.h"

#include <math.h>
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

static double element(const gbs_npy_header *h, const char *p) {
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

static gbs_status refuse(gbs_reader *r, const gbs_npy_header *h, size_t k, double value) {
    size_t row = h->fortran ? k % h->n_rows : k / h->n_columns,
           column = h->fortran ? k / h->n_rows : k % h->n_columns;
    if (isnan(value))
        return gbs_reader_fail(
            r, GBS_ERR_DATA,
            "row %zu, column %zu: the value is missing (NaN); `missing` drop does "
            "without such rows, impute fills them in",
            row + 1, column + 1);
    return gbs_reader_fail(r, GBS_ERR_DATA, "row %zu, column %zu: %s is not a finite number",
                           row + 1, column + 1, value < 0 ? "-inf" : "inf");
}

/* Converts whole elements out of the window, from the k-th on. */
static gbs_status take_elements(gbs_reader *r, const gbs_npy_header *h, size_t k, size_t n) {
    bool keep_missing = r->options->keep_missing;
    for (size_t i = 0; i < n; i++, r->bytes->at += h->item) {
        double value = element(h, r->bytes->at);
        if (!isfinite(value) && !(keep_missing && isnan(value)))
            return refuse(r, h, k + i, value);
        r->out->cells[k + i] = value;
    }
    return GBS_OK;
}

/* A part of the file behind which others read on. */
static bool is_inner(const gbs_pieces *p) {
    return p != NULL && p->piece[0].end != UINT64_MAX;
}

/* The first row that begins at or behind a byte of the file, the data beginning at `data`. */
static size_t row_at(const gbs_npy_header *h, uint64_t data, uint64_t byte) {
    uint64_t size = (uint64_t)h->n_columns * h->item,
             row = byte > data ? (byte - data) / size + ((byte - data) % size > 0) : 0;
    return byte == UINT64_MAX || row > h->n_rows ? h->n_rows : (size_t)row;
}

/* Of a part, the header tells of its rows alone. Columns one after the other are for one reader. */
static gbs_status begin_piece(gbs_reader *r, gbs_npy_header *h) {
    const gbs_piece *p = &r->options->pieces->piece[0];
    uint64_t data = gbs_bytes_offset(r->bytes), bytes;
    if (h->fortran || __builtin_mul_overflow(h->n_rows * h->n_columns, h->item, &bytes))
        return gbs_reader_fail(r, GBS_ERR_DATA, "the array cannot be read in parts");
    size_t from = row_at(h, data, p->begin), to = row_at(h, data, p->end);
    gbs_status status = gbs_bytes_seek(r->bytes, data + (uint64_t)from * h->n_columns * h->item);
    if (status != GBS_OK)
        return gbs_reader_fail(r, status, "%s", r->bytes->message);
    h->n_rows = to > from ? to - from : 0;
    return GBS_OK;
}

static gbs_status read_elements(gbs_reader *r, const gbs_npy_header *h) {
    gbs_bytes *b = r->bytes;
    size_t total = h->n_rows * h->n_columns, capacity = 0, k = 0;
    while (k < total) {
        size_t n = (size_t)(b->end - b->at) / h->item;
        if (n > total - k)
            n = total - k;
        if (n == 0 && b->last)
            return gbs_reader_fail(
                r, GBS_ERR_DATA,
                "the data ends early: %zu x %zu elements are announced, %zu are there", h->n_rows,
                h->n_columns, k);
        double *cells = gbs_array_grow(r->ctx, r->out->cells, &capacity, k + n, sizeof *cells);
        if (!cells)
            return gbs_reader_no_memory(r);
        r->out->cells = cells;
        gbs_status status = n ? take_elements(r, h, k, n) : gbs_reader_more(r);
        if (status != GBS_OK)
            return status;
        k += n;
    }
    if (b->at == b->end && !b->last) {
        gbs_status status = gbs_reader_more(r);
        if (status != GBS_OK)
            return status;
    }
    if (b->at < b->end && !is_inner(r->options->pieces))
        return gbs_reader_fail(r, GBS_ERR_DATA,
                               "bytes follow the %zu x %zu elements that the header announces",
                               h->n_rows, h->n_columns);
    r->out->cells = gbs_reader_trim(r, r->out->cells, total, sizeof *r->out->cells);
    return GBS_OK;
}

/* In blocks, so that both the reading and the writing side stay in cache. */
static gbs_status transpose(gbs_reader *r, const gbs_npy_header *h) {
    size_t n = h->n_rows, d = h->n_columns;
    const double *from = r->out->cells;
    double *to = gbs_array_resize(r->ctx, NULL, 0, n * d, sizeof *to);
    if (!to)
        return gbs_reader_no_memory(r);
    for (size_t i0 = 0; i0 < n; i0 += TRANSPOSE_BLOCK)
        for (size_t j0 = 0; j0 < d; j0 += TRANSPOSE_BLOCK)
            for (size_t i = i0; i < n && i < i0 + TRANSPOSE_BLOCK; i++)
                for (size_t j = j0; j < d && j < j0 + TRANSPOSE_BLOCK; j++)
                    to[i * d + j] = from[j * n + i];
    gbs_array_free(r->ctx, r->out->cells);
    r->out->cells = to;
    return GBS_OK;
}

gbs_status gbs_npy_read(gbs_reader *r) {
    gbs_table *t = r->out;
    gbs_npy_header h;
    gbs_status status = gbs_npy_header_read(r, &h);
    if (status == GBS_OK && r->options->pieces != NULL)
        status = begin_piece(r, &h);
    if (status == GBS_OK)
        status = read_elements(r, &h);
    if (status == GBS_OK && h.fortran)
        status = transpose(r, &h);
    if (status != GBS_OK)
        return status;
    t->columns = gbs_array_alloc(r->ctx, h.n_columns, sizeof *t->columns);
    if (!t->columns)
        return gbs_reader_no_memory(r);
    t->n_columns = h.n_columns;
    t->n_rows = h.n_rows;
    for (size_t j = 0; j < t->n_columns; j++)
        if (!(t->columns[j].name = gbs_default_name(r->ctx, &t->pool, j)))
            return gbs_reader_no_memory(r);
    return r->options->part > 0 ? gbs_reader_hand_out(r) : GBS_OK;
}
