/* Caches of tables: the file that cells are written to, and how it is kept and read again. */
#include "table/cache.h"

#include "data/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEADER = 4096,
    VERSION = 1,
    ORDER = 0x01020304, /* read as another number on machines of another byte order */
    LEAST_ROOM = 1 << 22,
    PIECE = 1 << 20
};
static const char magic[8] = {'g', 'b', 's', 'c', 'a', 'c', 'h', 'e'};

struct header {
    char magic[8];
    uint32_t version, order;
    gbs_hash file, reading;
    uint64_t file_size;
    uint64_t rows, columns;
    uint64_t described; /* bytes that describe the columns */
    uint64_t lines;     /* 1: the lines of the rows follow; 0: row i is on line i + 1 + names */
    uint64_t names;     /* 1: the columns were named by a header */
    gbs_hash digest;    /* of all bytes after the header */
    gbs_hash check;     /* of the header before this */
};

struct gbs_cache {
    gbs_context *ctx;
    int fd;
    unsigned char *base; /* the file, mapped */
    size_t mapped;
    char name[GBS_FILE_NAME_ROOM]; /* until it is kept, where it has to have one */
    char folder[];                 /* for messages */
};

/* ---------------------------------------------------------------- writing */

static gbs_status io_error(gbs_context *ctx, const char *what) {
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
    bytes += HEADER;
    if (bytes > c->mapped) {
        size_t more = c->mapped + c->mapped / 4 + LEAST_ROOM;
        gbs_status status = resize(c, bytes > more ? bytes : more);
        if (status != GBS_OK)
            return status;
    }
    *out = (double *)(void *)(c->base + HEADER);
    return GBS_OK;
}

/* Bytes that describe the columns, as they come. */
struct bytes {
    gbs_context *ctx;
    unsigned char *at;
    size_t size, capacity;
    bool failed;
};

static void put(struct bytes *b, const void *from, size_t size) {
    unsigned char *at = b->failed ? NULL
                                  : gbs_array_grow(b->ctx, b->at, &b->capacity, b->size + size, 1);
    b->failed = at == NULL;
    if (b->failed)
        return;
    b->at = at;
    if (size > 0)
        memcpy(at + b->size, from, size);
    b->size += size;
}

static void put_number(struct bytes *b, uint64_t x) {
    put(b, &x, sizeof x);
}

static void put_text(struct bytes *b, const char *text) {
    put_number(b, strlen(text));
    put(b, text, strlen(text));
}

enum { IS_TEXT = 1, GUESSED = 2, UNNAMED = 4, SKIPPED = 8 };

static void describe(struct bytes *b, const gbs_table *t) {
    for (size_t j = 0; j < t->n_columns; j++) {
        const gbs_column *c = &t->columns[j];
        put_number(b, (c->is_text ? IS_TEXT : 0) | (c->guessed ? GUESSED : 0) |
                          (c->unnamed ? UNNAMED : 0) | (c->skipped ? SKIPPED : 0));
        put_text(b, c->name);
        put_number(b, c->n_levels);
        for (size_t k = 0; k < c->n_levels; k++)
            put_text(b, c->levels[k]);
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

static gbs_status write_tail(gbs_cache *c, const gbs_table *t, const struct bytes *b, size_t cells,
                             const gbs_cache_key *key) {
    struct header h = {.version = VERSION,
                       .order = ORDER,
                       .file = key->file,
                       .reading = key->reading,
                       .file_size = key->size,
                       .rows = t->n_rows,
                       .columns = t->n_columns,
                       .described = b->size,
                       .lines = t->line != NULL,
                       .names = t->has_header};
    size_t lines = t->line != NULL ? t->n_rows * sizeof *t->line : 0, end = HEADER + cells,
           all = end + b->size + lines;
    gbs_digest d = gbs_digest_start();
    gbs_status status = all > c->mapped ? resize(c, all) : GBS_OK;
    if (status != GBS_OK)
        return status;
    memcpy(h.magic, magic, sizeof magic);
    memcpy(c->base + end, b->at, b->size);
    if (lines > 0)
        memcpy(c->base + end + b->size, t->line, lines);
    status = digest_range(c, &d, HEADER, all);
    h.digest = gbs_digest_end(&d);
    d = gbs_digest_start();
    gbs_digest_add(&d, &h, offsetof(struct header, check));
    h.check = gbs_digest_end(&d);
    memset(c->base, 0, HEADER);
    memcpy(c->base, &h, sizeof h);
    if (status == GBS_OK && (ftruncate(c->fd, (off_t)all) != 0 || fsync(c->fd) != 0))
        status = no_room(c);
    return status;
}

gbs_status gbs_cache_keep(gbs_cache *c, const gbs_table *t, const gbs_cache_key *key,
                          const char *path) {
    struct bytes b = {.ctx = c->ctx};
    describe(&b, t);
    gbs_status status = b.failed
                            ? GBS_ERR_MEMORY
                            : write_tail(c, t, &b, t->n_rows * t->n_columns * sizeof(double), key);
    if (status == GBS_OK && gbs_file_keep(c->fd, c->name, path) != 0)
        status = io_error(c->ctx, path);
    if (status == GBS_OK) {
        c->name[0] = '\0';
        mprotect(c->base, c->mapped, PROT_READ); /* from here on it is another run's, too */
    }
    gbs_array_free(c->ctx, b.at);
    return status;
}

/* ---------------------------------------------------------------- reading */

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
            return io_error(ctx, path);
        if (n == 0)
            return damaged(ctx, path, "it ends early");
        done += (size_t)n;
    }
    return GBS_OK;
}

/* Sizes that cannot lead astray, and bytes that are what was written. */
static gbs_status check_header(gbs_context *ctx, int fd, const char *path, const gbs_cache_key *key,
                               struct header *h) {
    struct stat st;
    gbs_digest d = gbs_digest_start();
    gbs_status status = read_at(ctx, fd, path, 0, h, sizeof *h);
    if (status != GBS_OK)
        return status;
    gbs_digest_add(&d, h, offsetof(struct header, check));
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return damaged(ctx, path, "it is none of gibbsite's");
    if (h->version != VERSION || h->order != ORDER)
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
    size_t cells, bytes, lines;
    bool fits = !__builtin_mul_overflow(h->rows, h->columns, &cells) &&
                !__builtin_mul_overflow(cells, sizeof(double), &bytes) &&
                !__builtin_mul_overflow(h->rows, h->lines * sizeof(uint64_t), &lines) &&
                !__builtin_add_overflow(bytes, HEADER, &bytes) &&
                !__builtin_add_overflow(bytes, h->described, &bytes) &&
                !__builtin_add_overflow(bytes, lines, &bytes);
    if (fstat(fd, &st) != 0)
        return io_error(ctx, path);
    if (!fits || h->lines > 1 || h->columns == 0 || h->rows == 0 || bytes != (size_t)st.st_size)
        return damaged(ctx, path, "its size");
    return GBS_OK;
}

static gbs_status check_bytes(gbs_context *ctx, int fd, const char *path, size_t size,
                              const struct header *h) {
    gbs_digest d = gbs_digest_start();
    unsigned char *piece = gbs_array_alloc(ctx, PIECE, 1);
    gbs_status status = piece != NULL ? GBS_OK : GBS_ERR_MEMORY;
    gbs_progress_begin(ctx);
    for (size_t at = HEADER; status == GBS_OK && at < size;) {
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

/* What describes the columns, read from the front. */
struct words {
    const unsigned char *at, *end;
    bool bad;
};

static uint64_t take_number(struct words *w) {
    uint64_t x = 0;
    w->bad = w->bad || (size_t)(w->end - w->at) < sizeof x;
    if (w->bad)
        return 0;
    memcpy(&x, w->at, sizeof x);
    w->at += sizeof x;
    return x;
}

/* NULL: out of memory, or w->bad. */
static const char *take_text(struct words *w, gbs_context *ctx, gbs_pool *pool) {
    uint64_t size = take_number(w);
    w->bad = w->bad || size > (uint64_t)(w->end - w->at) ||
             memchr(w->at, '\0', (size_t)size) != NULL;
    if (w->bad)
        return NULL;
    const char *text = gbs_pool_text(ctx, pool, (const char *)w->at, (size_t)size);
    w->at += size;
    return text;
}

static gbs_status take_column(struct words *w, gbs_table *t, gbs_column *c) {
    uint64_t flags = take_number(w);
    *c = (gbs_column){.is_text = (flags & IS_TEXT) != 0,
                      .guessed = (flags & GUESSED) != 0,
                      .unnamed = (flags & UNNAMED) != 0,
                      .skipped = (flags & SKIPPED) != 0};
    c->name = take_text(w, t->ctx, &t->pool);
    uint64_t levels = c->name != NULL ? take_number(w) : 0;
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
                               const struct header *h, gbs_table *t) {
    unsigned char *bytes = gbs_array_alloc(ctx, h->described + 1, 1);
    gbs_status status = bytes != NULL ? read_at(ctx, fd, path, at, bytes, h->described)
                                      : GBS_ERR_MEMORY;
    struct words w = {.at = bytes, .end = bytes + h->described};
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

static gbs_status read_table(gbs_context *ctx, gbs_cache *c, const char *path,
                             const struct header *h, gbs_table *t) {
    size_t cells = h->rows * h->columns * sizeof(double), end = HEADER + cells;
    gbs_status status = read_columns(ctx, c->fd, path, end, h, t);
    if (status == GBS_OK && h->lines != 0) {
        t->line = gbs_array_alloc(ctx, h->rows, sizeof *t->line);
        status = t->line != NULL ? read_at(ctx, c->fd, path, end + h->described, t->line,
                                           h->rows * sizeof *t->line)
                                 : GBS_ERR_MEMORY;
    }
    if (status != GBS_OK)
        return status;
    void *base = mmap(NULL, end, PROT_READ, MAP_SHARED, c->fd, 0);
    if (base == MAP_FAILED)
        return io_error(ctx, path);
    c->base = base;
    c->mapped = end;
    t->n_rows = h->rows;
    t->has_header = h->names != 0;
    t->format = GBS_TABLE_CSV;
    t->cells = (double *)(void *)(c->base + HEADER);
    return GBS_OK;
}

gbs_status gbs_cache_open(gbs_context *ctx, const char *path, const gbs_cache_key *key,
                          const char *file, gbs_table **out) {
    struct header h;
    gbs_table *t = NULL;
    gbs_cache *c = gbs_array_alloc(ctx, 1, sizeof *c + 1);
    *out = NULL;
    if (c == NULL)
        return GBS_ERR_MEMORY;
    c->ctx = ctx;
    c->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (c->fd < 0) {
        gbs_status status = errno == ENOENT ? GBS_OK : io_error(ctx, path);
        gbs_cache_free(c);
        return status;
    }
    gbs_status status = check_header(ctx, c->fd, path, key, &h);
    if (status == GBS_OK)
        status = gbs_table_new(ctx, file, &t);
    if (status == GBS_OK)
        status = check_bytes(ctx, c->fd, path,
                             HEADER + h.rows * h.columns * sizeof(double) + h.described +
                                 h.rows * h.lines * sizeof(uint64_t),
                             &h);
    if (status == GBS_OK)
        status = read_table(ctx, c, path, &h, t);
    if (status == GBS_OK)
        gbs_table_store(t, c);
    else
        gbs_cache_free(c);
    if (status != GBS_OK)
        gbs_table_free(t);
    else
        *out = t;
    return status;
}
