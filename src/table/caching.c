/* Files read by way of a cache: when, where it lies, what it is called.
 *
 * Where the option `cache` names a folder, or where the rows and the design made of them would take
 * more than half of the memory that is left (caching_size.c).
 */
#include "table/cache_file.h"

#include "core/ranks.h"
#include "table/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".gbscache"
enum { PIECE = 1 << 20, HEX = 32, MOST_NAME = 200 /* of its bytes */ };
/* Of the memory that is left; and less than this is never too much. */
#define SHARE 0.5
#define ALWAYS_FITS 16e6

/* ---------------------------------------------------------------- when, and where */

static const char *base_of(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

static bool is_regular(const char *name, struct stat *st) {
    return strcmp(name, "-") != 0 && stat(name, st) == 0 && S_ISREG(st->st_mode);
}

/* Bytes of all of them; whether each is a regular file. */
static bool all_regular(const gbs_inputs *inputs, double *size) {
    struct stat st;
    bool all = true;
    *size = 0.0;
    for (size_t k = 0; all && k < inputs->count; k++) {
        all = is_regular(inputs->path[k], &st);
        *size += all ? (double)st.st_size : 0.0;
    }
    return all;
}

/* How many processes share the memory that is left: ranks of one machine. */
static double sharers(const gbs_context *ctx) {
    return ctx->crew != NULL ? (double)ctx->crew->neighbours : 1.0;
}

gbs_status gbs_caching_plan(gbs_context *ctx, const gbs_inputs *inputs, const gbs_reading *reading,
                            const char *folder, bool none, bool may, bool *wanted,
                            gbs_caching *out) {
    const char *name = inputs->path[0];
    double size;
    size_t beside = (size_t)(base_of(name) - name);
    const char *from = folder != NULL ? folder : beside > 0 ? name : ".";
    size_t length = folder != NULL ? strlen(folder) : beside > 1 ? beside - 1 : 1;
    bool regular = all_regular(inputs, &size);
    *wanted = folder != NULL;
    /* a cache is of one file */
    *out = (gbs_caching){.kept = !none && regular && inputs->count == 1, .asked = folder != NULL};
    if (length >= sizeof out->folder)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`cache`: the name of the folder is too long");
    memcpy(out->folder, from, length);
    if (folder != NULL || !may || !regular)
        return GBS_OK;
    double need = sharers(ctx) * gbs_caching_size(ctx, name, reading, size),
           left = (double)gbs_memory_left();
    bool large = need > ALWAYS_FITS && need > SHARE * left;
    *wanted = large && access(out->folder, W_OK | X_OK) == 0;
    if (large)
        gbs_log(ctx, GBS_LOG_WARNING,
                "%s: its rows would take about %.1f GB of the %.1f GB of memory that are left: %s "
                "'%s'%s (`cache` DIR names another folder)",
                name, 1e-9 * need, 1e-9 * left,
                *wanted ? "they are worked on in files in" : "no file can be made in", out->folder,
                *wanted && out->kept
                    ? ", and a cache stays there for a later run, which `no-cache` removes"
                    : "");
    return GBS_OK;
}

/* ---------------------------------------------------------------- names */

void gbs_caching_path(const char *name, const gbs_caching *caching, const gbs_cache_key *key,
                      char path[GBS_CACHE_PATH_ROOM]) {
    gbs_hash both = gbs_hash_add(key->file, key->reading);
    snprintf(path, GBS_CACHE_PATH_ROOM, "%s/%.*s-%016llx%016llx" ENDING, caching->folder, MOST_NAME,
             base_of(name), (unsigned long long)both.high, (unsigned long long)both.low);
}

/* "NAME-" and 32 digits, and the ending. */
static bool is_cache_of(const char *entry, const char *base) {
    size_t n = strnlen(base, MOST_NAME);
    return strncmp(entry, base, n) == 0 && entry[n] == '-' &&
           strspn(entry + n + 1, "0123456789abcdef") == HEX &&
           strcmp(entry + n + 1 + HEX, ENDING) == 0;
}

void gbs_caching_clean(const char *name, const gbs_caching *caching) {
    DIR *folder = strcmp(name, "-") != 0 ? opendir(caching->folder) : NULL;
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;)
        if (is_cache_of(e->d_name, base_of(name)))
            unlinkat(dirfd(folder), e->d_name, 0);
    if (folder != NULL)
        closedir(folder);
}

/* ---------------------------------------------------------------- the key */

static gbs_status digest_file(gbs_context *ctx, const char *name, gbs_cache_key *key) {
    gbs_digest d = gbs_digest_start();
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    unsigned char *piece = gbs_array_alloc(ctx, PIECE, 1);
    gbs_status status = piece != NULL ? GBS_OK : GBS_ERR_MEMORY;
    ssize_t n = fd < 0 ? -1 : 1;
    gbs_progress_begin(ctx);
    while (status == GBS_OK && n > 0) {
        n = read(fd, piece, PIECE);
        status = gbs_check_cancel(ctx);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            gbs_digest_add(&d, piece, (size_t)n);
        gbs_progress(ctx, "digest", (double)d.size / (double)(key->size + 1));
    }
    if (status == GBS_OK && n < 0)
        status = gbs_fail(ctx, GBS_ERR_IO, "%s: %s", name, strerror(errno));
    if (fd >= 0)
        close(fd);
    gbs_array_free(ctx, piece);
    key->file = gbs_digest_end(&d);
    return status;
}

static void add_list(gbs_digest *d, const char *const *item, size_t n) {
    gbs_digest_add(d, &n, sizeof n);
    for (size_t k = 0; k < n; k++)
        gbs_digest_add(d, item[k], strlen(item[k]) + 1);
}

/* What decides which cells a file has: a version of the library reads in its own way. */
static gbs_hash digest_reading(const char *name, const gbs_reading *r) {
    const int32_t numbers[] = {(int32_t)r->header, r->keep_missing, r->names_first,
                               r->separator,       r->comma,        (int32_t)gbs_format_of(name, r),
                               GBS_CACHE_VERSION};
    gbs_digest d = gbs_digest_start();
    gbs_digest_add(&d, gbs_version(), strlen(gbs_version()) + 1);
    gbs_digest_add(&d, numbers, sizeof numbers);
    add_list(&d, r->text, r->n_text);
    add_list(&d, r->drop, r->n_drop);
    add_list(&d, r->na, r->n_na);
    return gbs_digest_end(&d);
}

gbs_status gbs_caching_key(gbs_context *ctx, const char *name, const gbs_reading *reading,
                           gbs_cache_key *key) {
    struct stat st;
    *key = (gbs_cache_key){.reading = digest_reading(name, reading)};
    if (is_regular(name, &st))
        key->size = (uint64_t)st.st_size;
    return digest_file(ctx, name, key);
}

/* ---------------------------------------------------------------- reading */

static bool unchanged(const char *name, const struct stat *before) {
    struct stat now;
    return stat(name, &now) == 0 && now.st_size == before->st_size &&
           now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == before->st_mtim.tv_nsec && now.st_ino == before->st_ino;
}

/* The file into a new store, which becomes the table's. */
static gbs_status read_new(gbs_context *ctx, const char *name, const gbs_reading *reading,
                           const gbs_caching *caching, uint64_t size, gbs_table **out) {
    gbs_cache *store = NULL;
    gbs_reading into = *reading;
    gbs_status status = gbs_cache_create(ctx, caching->folder, caching->kept, &store);
    into.store = store;
    into.expected = size;
    gbs_progress_begin(ctx);
    if (status == GBS_OK)
        status = gbs_table_read_file(ctx, name, &into, out);
    if (status == GBS_OK)
        gbs_table_store(*out, store);
    else
        gbs_cache_free(store);
    return status;
}

gbs_status gbs_caching_forgive(gbs_context *ctx, const gbs_caching *caching, gbs_status status) {
    bool grave = caching->asked || (status != GBS_ERR_IO && status != GBS_ERR_FORMAT);
    if (status == GBS_OK || grave)
        return status;
    gbs_log(ctx, GBS_LOG_WARNING, "%s: it is left as it is, and no cache is kept",
            gbs_error_message(ctx));
    return gbs_fail(ctx, GBS_OK, "%s", "");
}

gbs_status gbs_table_read_cached(gbs_context *ctx, const char *name, const gbs_reading *reading,
                                 const gbs_caching *caching, gbs_table **out) {
    gbs_caching now = *caching;
    struct stat before = {0};
    gbs_cache_key key = {.reading = digest_reading(name, reading)};
    char path[GBS_CACHE_PATH_ROOM];
    gbs_status status = GBS_OK;
    *out = NULL;
    if (is_regular(name, &before))
        key.size = (uint64_t)before.st_size;
    if (caching->kept) {
        status = digest_file(ctx, name, &key);
        gbs_caching_path(name, caching, &key, path);
        if (status == GBS_OK) {
            status = gbs_cache_open(ctx, path, &key, name, false, out);
            now.kept = status == GBS_OK;
            status = gbs_caching_forgive(ctx, caching, status);
        }
    }
    if (status == GBS_OK && *out == NULL) {
        status = read_new(ctx, name, reading, &now, key.size, out);
        if (status == GBS_OK && now.kept && !unchanged(name, &before))
            status = gbs_fail(ctx, GBS_ERR_DATA, "%s: the file changed while it was read", name);
        if (status == GBS_OK && now.kept)
            status = gbs_caching_forgive(ctx, caching,
                                         gbs_cache_keep((*out)->store, *out, &key, path));
    }
    if (status == GBS_OK)
        status = gbs_table_spill(*out, caching->folder);
    if (status != GBS_OK) {
        gbs_table_free(*out);
        *out = NULL;
    }
    return status;
}
