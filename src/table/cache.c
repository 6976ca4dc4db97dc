/* Caches of tables: the file that cells are written to, and how it is kept. */
#include "table/cache_file.h"

#include "table/words.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes that the file grows by at least; large files grow by a quarter. */
enum { LEAST_ROOM = 1 << 18 };

gbs_status gbs_cache_io_error(gbs_context *ctx, const char *what) {
    return errno == EINTR ? GBS_ERR_CANCELLED
                          : gbs_fail(ctx, errno == ENOMEM ? GBS_ERR_MEMORY : GBS_ERR_IO, "%s: %s",
                                     what, strerror(errno));
}

static gbs_status no_room(gbs_cache *c) {
    return errno == EINTR
               ? GBS_ERR_CANCELLED
               : gbs_fail(
                     c->ctx, errno == ENOMEM ? GBS_ERR_MEMORY : GBS_ERR_IO,
                     "%s: %s: the rows are worked on in files there; `cache` DIR names another "
                     "folder",
                     c->folder, strerror(errno));
}

gbs_status gbs_cache_create(gbs_context *ctx, const char *folder, bool kept, gbs_cache **out) {
    gbs_cache *c = gbs_array_alloc(ctx, 1, sizeof *c + strlen(folder) + 1);
    *out = NULL;
    if (c == NULL)
        return GBS_ERR_MEMORY;
    c->ctx = ctx;
    memcpy(c->folder, folder, strlen(folder));
    c->fd = gbs_file_nameless(folder, c->name);
    if (c->fd < 0) {
        gbs_status status = no_room(c);
        gbs_array_free(ctx, c);
        return status;
    }
    if (!kept && c->name[0] != '\0') {
        unlink(c->name);
        c->name[0] = '\0';
    }
    *out = c;
    return GBS_OK;
}

gbs_status gbs_cache_beside(const gbs_cache *c, gbs_cache **out) {
    return gbs_cache_create(c->ctx, c->folder, false, out);
}

size_t gbs_cache_bytes(size_t cells) {
    return GBS_CACHE_HEADER + cells * sizeof(double);
}

gbs_status gbs_cache_of(gbs_context *ctx, const char *folder, int fd, const char *name,
                        size_t cells, gbs_cache **out) {
    gbs_cache *c = gbs_array_alloc(ctx, 1, sizeof *c + strlen(folder) + 1);
    *out = NULL;
    if (c == NULL)
        return GBS_ERR_MEMORY;
    c->ctx = ctx;
    memcpy(c->folder, folder, strlen(folder));
    c->mapped = gbs_cache_bytes(cells);
    c->base = mmap(NULL, c->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (c->base == MAP_FAILED) {
        gbs_status status = no_room(c);
        gbs_array_free(ctx, c);
        return status;
    }
    c->fd = fd;
    memcpy(c->name, name, sizeof c->name);
    *out = c;
    return GBS_OK;
}

double *gbs_cache_cells(gbs_cache *c) {
    return (double *)(void *)(c->base + GBS_CACHE_HEADER);
}

size_t gbs_cache_pairs(size_t stored) {
    return stored + (stored + 1) / 2;
}

void gbs_cache_lend(gbs_cache *c, gbs_table *t) {
    double *cells = gbs_cache_cells(c);
    if (t->format != GBS_TABLE_SVMLIGHT) {
        t->cells = cells;
        return;
    }
    t->value = cells;
    t->index = (uint32_t *)(void *)(cells + t->row_start[t->n_rows]);
}

bool gbs_cache_lay_out(const gbs_cache_header *h, gbs_cache_layout *out) {
    bool sparse = h->format == GBS_TABLE_SVMLIGHT;
    const size_t most = SIZE_MAX / 64;
    size_t cells;
    if (h->rows > most || h->stored > most || h->described > most || h->lines > 1 ||
        __builtin_mul_overflow(h->rows, h->columns, &cells) || (!sparse && cells > most))
        return false;
    cells = sparse ? h->stored : cells;
    out->cells = GBS_CACHE_HEADER + cells * sizeof(double);
    out->index = out->cells + (sparse ? (h->stored + 1) / 2 * sizeof(double) : 0);
    out->start = out->index + (sparse ? (h->rows + 1) * sizeof(uint64_t) : 0);
    out->label = out->start + (sparse ? h->rows * sizeof(double) : 0);
    out->described = out->label + h->described;
    out->all = out->described + h->lines * h->rows * sizeof(uint64_t);
    return true;
}

void gbs_cache_close(gbs_cache *c) {
    mprotect(c->base, c->mapped, PROT_READ);
}

/* A file with a name of its own loses it here, if it was not kept. */
void gbs_cache_free(gbs_cache *c) {
    if (c == NULL)
        return;
    if (c->base != NULL)
        munmap(c->base, c->mapped);
    if (c->fd >= 0)
        close(c->fd);
    if (c->name[0] != '\0')
        unlink(c->name);
    gbs_array_free(c->ctx, c);
}

/* The disk gives what the file is mapped as: a full one is an error here, and no signal later. */
static gbs_status resize(gbs_cache *c, size_t bytes) {
    int error = gbs_file_room(c->ctx, c->fd, bytes);
    void *base = MAP_FAILED;
    if (error == 0) {
        base = c->base != NULL ? mremap(c->base, c->mapped, bytes, MREMAP_MAYMOVE)
                               : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
        error = base != MAP_FAILED ? 0 : errno;
    }
    errno = error;
    if (error != 0)
        return no_room(c);
    c->base = base;
    c->mapped = bytes;
    return GBS_OK;
}

gbs_status gbs_cache_room(gbs_cache *c, size_t cells, double **out) {
    size_t bytes;
    *out = NULL;
    if (__builtin_mul_overflow(cells, sizeof(double), &bytes) || bytes > SIZE_MAX / 4)
        return gbs_fail(c->ctx, GBS_ERR_MEMORY, "out of memory: %zu cells", cells);
    bytes += GBS_CACHE_HEADER;
    if (bytes > c->mapped) {
        size_t more = c->mapped + c->mapped / 4 + LEAST_ROOM;
        gbs_status status = resize(c, bytes > more ? bytes : more);
        if (status != GBS_OK)
            return status;
    }
    *out = gbs_cache_cells(c);
    return GBS_OK;
}

static void describe(gbs_words *b, const gbs_table *t) {
    for (size_t j = 0; t->columns != NULL && j < t->n_columns; j++) {
        const gbs_column *c = &t->columns[j];
        gbs_words_number(b, (c->is_text ? GBS_CACHE_IS_TEXT : 0) |
                                (c->guessed ? GBS_CACHE_GUESSED : 0) |
                                (c->unnamed ? GBS_CACHE_UNNAMED : 0) |
                                (c->skipped ? GBS_CACHE_SKIPPED : 0) | c->code << GBS_CACHE_CODE);
        gbs_words_text(b, c->name);
        gbs_words_number(b, c->n_levels);
        for (size_t k = 0; k < c->n_levels; k++)
            gbs_words_text(b, c->levels[k]);
    }
}

/* The digest of a mapped range, whose pages leave memory behind it. */
static gbs_status digest_range(gbs_cache *c, gbs_digest *d, size_t from, size_t to) {
    gbs_status status = GBS_OK;
    for (size_t at = from; status == GBS_OK && at < to;) {
        size_t size = to - at < GBS_PAGES_STEP ? to - at : GBS_PAGES_STEP;
        gbs_digest_add(d, c->base + at, size);
        gbs_pages_drop(c->base + at, c->base + at + size);
        at += size;
        status = gbs_check_cancel(c->ctx);
    }
    return status;
}

static void put(const gbs_cache *c, size_t from, size_t to, const void *bytes) {
    if (to > from)
        memcpy(c->base + from, bytes, to - from);
}

static gbs_status write_tail(gbs_cache *c, const gbs_table *t, const gbs_words *b,
                             const gbs_cache_key *key) {
    bool sparse = t->format == GBS_TABLE_SVMLIGHT;
    gbs_cache_header h = {.version = GBS_CACHE_VERSION,
                          .order = GBS_CACHE_ORDER,
                          .file = key->file,
                          .reading = key->reading,
                          .file_size = key->size,
                          .rows = t->n_rows,
                          .columns = t->n_columns,
                          .described = b->size,
                          .lines = t->line != NULL,
                          .names = t->has_header,
                          .format = t->format,
                          .stored = sparse ? t->row_start[t->n_rows] : 0};
    gbs_cache_layout at;
    gbs_digest d = gbs_digest_start();
    if (!gbs_cache_lay_out(&h, &at))
        return gbs_fail(c->ctx, GBS_ERR_MEMORY, "out of memory");
    gbs_status status = at.all > c->mapped ? resize(c, at.all) : GBS_OK;
    if (status != GBS_OK)
        return status;
    memcpy(h.magic, GBS_CACHE_MAGIC, sizeof h.magic);
    put(c, at.index, at.start, t->row_start);
    put(c, at.start, at.label, t->label);
    put(c, at.label, at.described, b->at);
    put(c, at.described, at.all, t->line);
    status = digest_range(c, &d, GBS_CACHE_HEADER, at.all);
    h.digest = gbs_digest_end(&d);
    d = gbs_digest_start();
    gbs_digest_add(&d, &h, offsetof(gbs_cache_header, check));
    h.check = gbs_digest_end(&d);
    memset(c->base, 0, GBS_CACHE_HEADER);
    memcpy(c->base, &h, sizeof h);
    if (status == GBS_OK && (ftruncate(c->fd, (off_t)at.all) != 0 || fsync(c->fd) != 0))
        status = no_room(c);
    return status;
}

gbs_status gbs_cache_keep(gbs_cache *c, gbs_table *t, const gbs_cache_key *key, const char *path) {
    gbs_words b = {.ctx = c->ctx};
    describe(&b, t);
    gbs_status status = b.failed ? GBS_ERR_MEMORY : write_tail(c, t, &b, key);
    if (c->base != NULL) /* the file may have moved, even where it failed later */
        gbs_cache_lend(c, t);
    if (status == GBS_OK && gbs_file_keep(c->fd, c->name, path) != 0)
        status = gbs_cache_io_error(c->ctx, path);
    if (status == GBS_OK) {
        c->name[0] = '\0';
        gbs_cache_close(c); /* from here on it is another run's, too */
    }
    gbs_array_free(c->ctx, b.at);
    return status;
}
