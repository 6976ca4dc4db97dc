/* numpy arrays to a dense table.
 *
 * Memory, or the file that cells go to, grows with the bytes that arrive, never with what the
 * header claims. A Fortran-ordered array arrives column after column and is transposed at the end,
 * which takes twice the memory, or twice the file, for a moment.
 */
#include "table/npy_header.h"

#include "table/cache.h"

#include <inttypes.h>
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
            r, GBS_ERR_DATA, "row %zu, column %zu: the value is missing (NaN); %s", row + 1,
            column + 1,
            gbs_missing_hint(true, !r->options->from_model || r->options->fills, false));
    return gbs_reader_fail(r, GBS_ERR_DATA, "row %zu, column %zu: %s is not a finite number",
                           row + 1, column + 1, value < 0 ? "-inf" : "inf");
}

/* A whole number that no double is: it has more than 53 significant bits. */
static bool loses_digits(const gbs_npy_header *h, const char *p) {
    uint64_t bits = load(p, h->item, h->swapped),
             size = h->kind == 'i' && bits >> 63 ? ~bits + 1 : bits;
    return size != 0 && size >> __builtin_ctzll(size) >> 53 != 0;
}

/* As from a CSV file (csv_store.c), where options could say what it is. */
static gbs_status check_digits(gbs_reader *r, const gbs_npy_header *h, size_t k) {
    size_t row = h->fortran ? k % h->n_rows : k / h->n_columns,
           column = h->fortran ? k / h->n_rows : k % h->n_columns;
    uint64_t bits = load(r->bytes->at, h->item, h->swapped);
    bool negative = h->kind == 'i' && bits >> 63;
    if (r->options->from_model)
        return GBS_OK;
    return gbs_reader_fail(r, GBS_ERR_DATA,
                           "row %zu, column %zu: %s%" PRIu64 " loses digits as a number, which has "
                           "room for whole numbers to 2^53; a measurement is of type f8, and what "
                           "is none is left out of the array, or is text in a CSV file",
                           row + 1, column + 1, negative ? "-" : "", negative ? ~bits + 1 : bits);
}

/* Converts whole elements out of the window, from the k-th on. */
static gbs_status take_elements(gbs_reader *r, const gbs_npy_header *h, size_t k, size_t n) {
    bool keep_missing = r->options->keep_missing,
         whole = h->item == sizeof(uint64_t) && h->kind != 'f';
    for (size_t i = 0; i < n; i++, r->bytes->at += h->item) {
        double value = element(h, r->bytes->at);
        if (whole && loses_digits(h, r->bytes->at)) {
            gbs_status status = check_digits(r, h, k + i);
            if (status != GBS_OK)
                return status;
        }
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

/* Where cells go: a file, or memory. */
struct room {
    gbs_cache *store; /* NULL: memory */
    size_t capacity;
    size_t dropped; /* cells whose pages have left memory */
};

/* Room for n more after k cells. */
static gbs_status make_room(gbs_reader *r, struct room *room, size_t k, size_t n) {
    double *cells = NULL;
    gbs_status status = GBS_OK;
    if (room->store == NULL) {
        cells = gbs_array_grow(r->ctx, r->out->cells, &room->capacity, k + n, sizeof *cells);
        if (cells == NULL)
            return gbs_reader_no_memory(r);
    } else {
        status = gbs_cache_room(room->store, k + n, &cells);
        if (status != GBS_OK)
            return status;
        if (k - room->dropped >= gbs_pages_every(sizeof *cells)) {
            gbs_pages_drop(cells + room->dropped, cells + k);
            room->dropped = k;
            if (r->options->expected > 0 && !gbs_bytes_is_gzip(r->bytes))
                gbs_progress(r->ctx, "read",
                             (double)gbs_bytes_offset(r->bytes) / (double)r->options->expected);
            status = gbs_check_cancel(r->ctx);
        }
    }
    r->out->cells = cells;
    return status;
}

static gbs_status read_elements(gbs_reader *r, const gbs_npy_header *h, gbs_cache *store) {
    gbs_bytes *b = r->bytes;
    struct room room = {.store = store};
    size_t total = h->n_rows * h->n_columns, k = 0;
    while (k < total) {
        size_t n = (size_t)(b->end - b->at) / h->item;
        if (n > total - k)
            n = total - k;
        if (n == 0 && b->last)
            return gbs_reader_fail(
                r, GBS_ERR_DATA,
                "the data ends early: %zu x %zu elements are announced, %zu are there", h->n_rows,
                h->n_columns, k);
        gbs_status status = make_room(r, &room, k, n);
        if (status == GBS_OK)
            status = n ? take_elements(r, h, k, n) : gbs_reader_more(r);
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
    if (store == NULL)
        r->out->cells = gbs_reader_trim(r, r->out->cells, total, sizeof *r->out->cells);
    return GBS_OK;
}

/* Rows first .. last - 1, in blocks, so that both the reading and the writing side stay in cache.
 */
static void turn(const gbs_npy_header *h, size_t first, size_t last, const double *from,
                 double *to) {
    size_t n = h->n_rows, d = h->n_columns;
    for (size_t i0 = first; i0 < last; i0 += TRANSPOSE_BLOCK)
        for (size_t j0 = 0; j0 < d; j0 += TRANSPOSE_BLOCK)
            for (size_t i = i0; i < last && i < i0 + TRANSPOSE_BLOCK; i++)
                for (size_t j = j0; j < d && j < j0 + TRANSPOSE_BLOCK; j++)
                    to[i * d + j] = from[j * n + i];
}

static gbs_status transpose(gbs_reader *r, const gbs_npy_header *h) {
    double *to = gbs_array_resize(r->ctx, NULL, 0, h->n_rows * h->n_columns, sizeof *to);
    if (!to)
        return gbs_reader_no_memory(r);
    turn(h, 0, h->n_rows, r->out->cells, to);
    gbs_array_free(r->ctx, r->out->cells);
    r->out->cells = to;
    return GBS_OK;
}

/* The same from file to file, some rows at a time; their pages then leave memory. */
static gbs_status transpose_in_file(gbs_reader *r, const gbs_npy_header *h, gbs_cache *columns) {
    size_t n = h->n_rows, d = h->n_columns, every = gbs_pages_every(d * sizeof(double));
    const double *from = gbs_cache_cells(columns);
    double *to = NULL;
    gbs_status status = gbs_cache_room(r->options->store, n * d, &to);
    for (size_t first = 0; status == GBS_OK && first < n; first += every) {
        size_t last = n - first < every ? n : first + every;
        turn(h, first, last, from, to);
        gbs_pages_drop(to + first * d, to + last * d);
        for (size_t j = 0; j < d; j++)
            gbs_pages_drop(from + j * n + first, from + j * n + last);
        status = gbs_check_cancel(r->ctx);
    }
    r->out->cells = to;
    return status;
}

/* Columns first to a file of their own, beside the one that the rows go to. */
static gbs_status read_columns_to_file(gbs_reader *r, const gbs_npy_header *h) {
    gbs_cache *columns = NULL;
    gbs_status status = gbs_cache_beside(r->options->store, &columns);
    if (status == GBS_OK)
        status = read_elements(r, h, columns);
    if (status == GBS_OK)
        status = transpose_in_file(r, h, columns);
    gbs_cache_free(columns);
    return status;
}

static gbs_status read_all(gbs_reader *r, const gbs_npy_header *h) {
    r->out->in_file = r->options->store != NULL;
    if (!h->fortran)
        return read_elements(r, h, r->options->store);
    if (r->out->in_file)
        return read_columns_to_file(r, h);
    gbs_status status = read_elements(r, h, NULL);
    return status == GBS_OK ? transpose(r, h) : status;
}

gbs_status gbs_npy_read(gbs_reader *r) {
    gbs_table *t = r->out;
    gbs_npy_header h;
    gbs_status status = gbs_npy_header_read(r, &h);
    if (status == GBS_OK && r->options->pieces != NULL)
        status = begin_piece(r, &h);
    if (status == GBS_OK)
        status = read_all(r, &h);
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
