/* Caches of tables, read again: checked to the last byte before a cell is used. */
#include "table/cache_file.h"

#include "table/words.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

static gbs_status damaged(gbs_context *ctx, const char *path, const char *how) {
    return gbs_fail(ctx, GBS_ERR_FORMAT,
                    "%s: the cache is damaged (%s); remove it, or say `no-cache`", path, how);
}

static bool same(gbs_hash a, gbs_hash b) {
    return a.low == b.low && a.high == b.high;
}

/* All of `size` bytes at an offset; 0 where the file ends before. */
static gbs_status read_at(gbs_context *ctx, int fd, const char *path, size_t at, void *to,
                          size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(fd, (char *)to + done, size - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR && gbs_check_cancel(ctx) == GBS_OK)
            continue;
        if (n < 0)
            return gbs_cache_io_error(ctx, path);
        if (n == 0)
            return damaged(ctx, path, "it ends early");
        done += (size_t)n;
    }
    return GBS_OK;
}

/* In a folder where others may write, what they put in the place of a cache is not read. */
static gbs_status check_owner(gbs_context *ctx, int fd, const char *path) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return gbs_cache_io_error(ctx, path);
    if (!S_ISREG(st.st_mode))
        return damaged(ctx, path, "it is no file");
    if (st.st_uid == geteuid())
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_FORMAT,
                    "%s: the cache is another user's; `cache` DIR names another folder", path);
}

/* Sizes that cannot lead astray, and a header that is what was written. */
static gbs_status check_header(gbs_context *ctx, int fd, const char *path, const gbs_cache_key *key,
                               gbs_cache_header *h, gbs_cache_layout *at) {
    struct stat st;
    gbs_digest d = gbs_digest_start();
    gbs_status status = read_at(ctx, fd, path, 0, h, sizeof *h);
    if (status != GBS_OK)
        return status;
    gbs_digest_add(&d, h, offsetof(gbs_cache_header, check));
    if (memcmp(h->magic, GBS_CACHE_MAGIC, sizeof h->magic) != 0)
        return damaged(ctx, path, "it is none of gibbsite's");
    if (h->version != GBS_CACHE_VERSION || h->order != GBS_CACHE_ORDER)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "%s: the cache is of another version or machine; remove it, or say "
                        "`no-cache`",
                        path);
    if (!same(gbs_digest_end(&d), h->check))
        return damaged(ctx, path, "its header");
    if (!same(h->file, key->file) || h->file_size != key->size || !same(h->reading, key->reading))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "%s: this is the cache of another file, or of other options; remove it, or "
                        "say `no-cache`",
                        path);
    bool sparse = h->format == GBS_TABLE_SVMLIGHT;
    if (fstat(fd, &st) != 0)
        return gbs_cache_io_error(ctx, path);
    if (!sparse && h->format != GBS_TABLE_CSV && h->format != GBS_TABLE_NPY)
        return damaged(ctx, path, "its format");
    if (!gbs_cache_lay_out(h, at) || h->columns == 0 || h->rows == 0 || (h->stored > 0) != sparse ||
        (sparse && h->described > 0) || at->all != (size_t)st.st_size)
        return damaged(ctx, path, "its size");
    return GBS_OK;
}

static gbs_status check_bytes(gbs_context *ctx, int fd, const char *path, size_t size,
                              const gbs_cache_header *h) {
    gbs_digest d = gbs_digest_start();
    unsigned char *piece = gbs_array_alloc(ctx, size < PIECE ? size : PIECE, 1);
    gbs_status status = piece != NULL ? GBS_OK : GBS_ERR_MEMORY;
    gbs_progress_begin(ctx);
    for (size_t at = GBS_CACHE_HEADER; status == GBS_OK && at < size;) {
        size_t some = size - at < PIECE ? size - at : PIECE;
        status = read_at(ctx, fd, path, at, piece, some);
        if (status == GBS_OK)
            status = gbs_check_cancel(ctx);
        gbs_digest_add(&d, piece, some);
        at += some;
        gbs_progress(ctx, "cache", (double)at / (double)size);
    }
    gbs_array_free(ctx, piece);
    if (status == GBS_OK && !same(gbs_digest_end(&d), h->digest))
        status = damaged(ctx, path, "its bytes");
    return status;
}

/* NULL: out of memory, or w->bad. */
static const char *take_text(gbs_words_in *w, gbs_context *ctx, gbs_pool *pool) {
    size_t size;
    const char *text = gbs_words_take_text(w, &size);
    return text != NULL ? gbs_pool_text(ctx, pool, text, size) : NULL;
}

static gbs_status take_column(gbs_words_in *w, gbs_table *t, gbs_column *c) {
    uint64_t flags = gbs_words_take_number(w);
    *c = (gbs_column){.is_text = (flags & GBS_CACHE_IS_TEXT) != 0,
                      .guessed = (flags & GBS_CACHE_GUESSED) != 0,
                      .unnamed = (flags & GBS_CACHE_UNNAMED) != 0,
                      .skipped = (flags & GBS_CACHE_SKIPPED) != 0,
                      .code = flags >> GBS_CACHE_CODE};
    c->name = take_text(w, t->ctx, &t->pool);
    uint64_t levels = c->name != NULL ? gbs_words_take_number(w) : 0;
    w->bad = w->bad || levels > (uint64_t)(w->end - w->at) / sizeof(uint64_t);
    if (w->bad || c->name == NULL)
        return GBS_ERR_MEMORY;
    c->levels = gbs_array_alloc(t->ctx, (size_t)levels + 1, sizeof *c->levels);
    for (; c->levels != NULL && c->n_levels < levels; c->n_levels++)
        if ((c->levels[c->n_levels] = take_text(w, t->ctx, &t->pool)) == NULL)
            return GBS_ERR_MEMORY;
    return c->levels != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

static gbs_status read_columns(gbs_context *ctx, int fd, const char *path, size_t at,
                               const gbs_cache_header *h, gbs_table *t) {
    unsigned char *bytes = gbs_array_alloc(ctx, h->described + 1, 1);
    gbs_status status = bytes != NULL ? read_at(ctx, fd, path, at, bytes, h->described)
                                      : GBS_ERR_MEMORY;
    gbs_words_in w = {.at = bytes, .end = bytes + h->described};
    if (status == GBS_OK && h->columns > h->described)
        w.bad = true;
    if (status == GBS_OK && !w.bad) {
        t->columns = gbs_array_alloc(ctx, h->columns, sizeof *t->columns);
        status = t->columns != NULL ? GBS_OK : GBS_ERR_MEMORY;
    }
    for (size_t j = 0; status == GBS_OK && !w.bad && j < h->columns; j++) {
        t->n_columns = j + 1;
        status = take_column(&w, t, &t->columns[j]);
    }
    gbs_array_free(ctx, bytes);
    return w.bad ? damaged(ctx, path, "its columns") : status;
}

/* The bytes between the two, to memory. */
static gbs_status read_array(gbs_cache *c, const char *path, size_t from, size_t to, void **out) {
    *out = gbs_array_alloc(c->ctx, to - from, 1);
    return *out != NULL ? read_at(c->ctx, c->fd, path, from, *out, to - from) : GBS_ERR_MEMORY;
}

/* Where rows begin, and their labels; rows have to end where the next ones begin. */
static gbs_status read_sparse(gbs_cache *c, const char *path, const gbs_cache_header *h,
                              const gbs_cache_layout *at, gbs_table *t) {
    void *start = NULL, *label = NULL;
    gbs_status status = read_array(c, path, at->index, at->start, &start);
    t->row_start = start;
    if (status == GBS_OK)
        status = read_array(c, path, at->start, at->label, &label);
    t->label = label;
    t->n_columns = h->columns;
    if (status != GBS_OK)
        return status;
    bool good = t->row_start[0] == 0 && t->row_start[h->rows] == h->stored;
    for (size_t i = 0; good && i < h->rows; i++)
        good = t->row_start[i] <= t->row_start[i + 1] && isfinite(t->label[i]);
    return good ? GBS_OK : damaged(c->ctx, path, "its rows");
}

static gbs_status read_table(gbs_context *ctx, gbs_cache *c, const char *path,
                             const gbs_cache_header *h, const gbs_cache_layout *at, gbs_table *t) {
    void *line = NULL;
    gbs_status status = h->format == GBS_TABLE_SVMLIGHT
                            ? read_sparse(c, path, h, at, t)
                            : read_columns(ctx, c->fd, path, at->label, h, t);
    if (status == GBS_OK && h->lines != 0)
        status = read_array(c, path, at->described, at->all, &line);
    t->line = line;
    if (status != GBS_OK)
        return status;
    void *base = mmap(NULL, at->index, PROT_READ, MAP_SHARED, c->fd, 0);
    if (base == MAP_FAILED)
        return gbs_cache_io_error(ctx, path);
    c->base = base;
    c->mapped = at->index;
    t->n_rows = h->rows;
    t->has_header = h->names != 0;
    t->format = (gbs_table_format)h->format;
    gbs_cache_lend(c, t);
    return GBS_OK;
}

static bool has_texts(const gbs_table *t) {
    for (size_t j = 0; t->columns != NULL && j < t->n_columns; j++)
        if (t->columns[j].is_text)
            return true;
    return false;
}

/* Every text is one of its column's. */
static gbs_status check_levels(gbs_context *ctx, const char *path, const gbs_table *t) {
    gbs_status status = GBS_OK;
    const double *row = t->cells;
    bool good = true;
    for (size_t i = 0; status == GBS_OK && good && i < t->n_rows; i++, row += t->n_columns) {
        gbs_table_passed(t, i, i);
        for (size_t j = 0; j < t->n_columns; j++)
            good = good && (!t->columns[j].is_text || isnan(row[j]) ||
                            (row[j] >= 0.0 && row[j] < (double)t->columns[j].n_levels));
        if (i % t->every == 0)
            status = gbs_check_cancel(ctx);
    }
    return good ? status : damaged(ctx, path, "its levels");
}

/* Indices are columns, and increase along a row; values are numbers. */
static gbs_status check_pairs(gbs_context *ctx, const char *path, const gbs_table *t) {
    gbs_status status = GBS_OK;
    size_t dropped = 0;
    bool good = true;
    for (size_t i = 0; status == GBS_OK && good && i < t->n_rows; i++) {
        size_t from = t->row_start[i], to = t->row_start[i + 1];
        for (size_t k = from; k < to; k++)
            good = good && t->index[k] < t->n_columns && isfinite(t->value[k]) &&
                   (k == from || t->index[k - 1] < t->index[k]);
        if (to - dropped >= gbs_pages_every(sizeof *t->value)) {
            gbs_pages_drop(t->value + dropped, t->value + to);
            gbs_pages_drop(t->index + dropped, t->index + to);
            dropped = to;
            status = gbs_check_cancel(ctx);
        }
    }
    return good ? status : damaged(ctx, path, "its cells");
}

gbs_status gbs_cache_open(gbs_context *ctx, const char *path, const gbs_cache_key *key,
                          const char *file, bool checked, gbs_table **out) {
    gbs_cache_header h;
    gbs_cache_layout at = {0};
    gbs_table *t = NULL;
    gbs_cache *c = gbs_array_alloc(ctx, 1, sizeof *c + 1);
    *out = NULL;
    if (c == NULL)
        return GBS_ERR_MEMORY;
    c->ctx = ctx;
    c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for its writer */
    if (c->fd < 0) {
        gbs_status status = errno == ENOENT ? GBS_OK : gbs_cache_io_error(ctx, path);
        gbs_cache_free(c);
        return status;
    }
    gbs_status status = check_owner(ctx, c->fd, path);
    if (status == GBS_OK)
        status = check_header(ctx, c->fd, path, key, &h, &at);
    if (status == GBS_OK)
        status = gbs_table_new(ctx, file, &t);
    if (status == GBS_OK && !checked)
        status = check_bytes(ctx, c->fd, path, at.all, &h);
    if (status == GBS_OK)
        status = read_table(ctx, c, path, &h, &at, t);
    if (status != GBS_OK) {
        gbs_cache_free(c);
        gbs_table_free(t);
        return status;
    }
    gbs_table_store(t, c);
    if (!checked && has_texts(t))
        status = check_levels(ctx, path, t);
    if (!checked && t->format == GBS_TABLE_SVMLIGHT)
        status = check_pairs(ctx, path, t);
    if (status == GBS_OK)
        *out = t;
    else
        gbs_table_free(t);
    return status;
}
