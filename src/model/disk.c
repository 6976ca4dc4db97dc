/* Files on disk: written whole or not at all, read whole. */
#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Models beyond this are refused when read: 4 GB of JSON is no model of ours. */
#define LARGEST_MODEL ((size_t)1 << 32)

static gbs_status io_error(gbs_context *ctx, const char *path, int error) {
    return gbs_fail(ctx, GBS_ERR_IO, "%s: %s", path, strerror(error));
}

static int write_all(int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

/* The name survives a crash only once the folder itself is on disk; a file system that cannot sync a folder is forgiven. */
static void sync_folder(const char *path, char *scratch) {
    memcpy(scratch, path, strlen(path) + 1);
    char *slash = strrchr(scratch, '/');
    if (slash == scratch)
        slash++;
    if (slash != NULL)
        *slash = '\0';
    int fd = open(slash != NULL ? scratch : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

/* Pipes and devices (/dev/stdout, a named pipe) cannot be renamed over: they are written straight. */
static gbs_status write_special(gbs_context *ctx, const char *path, const void *bytes, size_t size) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return io_error(ctx, path, errno);
    int error = write_all(fd, bytes, size);
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error == 0 ? GBS_OK : io_error(ctx, path, error);
}

/* A new file beside `path`, with the permissions that the umask leaves (mkstemp would make it private). */
static int open_temporary(const char *path, char *name, size_t room) {
    const char *slash = strrchr(path, '/');
    int fd = -1, folder = slash != NULL ? (int)(slash + 1 - path) : 0;
    for (int k = 0; k < 100 && fd < 0; k++) {
        snprintf(name, room, "%.*s.gibbsite-%ld-%d.tmp", folder, path, (long)getpid(), k);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* `st` is what a link leads to: 1 or 2 when that is the file behind standard output or error (/dev/stdout, redirected), else -1. */
static int own_descriptor(const struct stat *st) {
    for (int fd = 1; fd <= 2; fd++) {
        struct stat own;
        if (fstat(fd, &own) == 0 && own.st_dev == st->st_dev && own.st_ino == st->st_ino)
            return fd;
    }
    return -1;
}

/* Beside `path`, then renamed to it; `before` is the file of that name, or NULL. */
static gbs_status replace(gbs_context *ctx, const char *path, const struct stat *before, const void *bytes, size_t size) {
    size_t room = strlen(path) + 48;
    char *temporary = gbs_array_alloc(ctx, room, 1);
    if (temporary == NULL)
        return GBS_ERR_MEMORY;
    int fd = open_temporary(path, temporary, room), error = fd < 0 ? errno : 0;
    if (fd >= 0) {
        error = write_all(fd, bytes, size);
        if (error == 0 && before != NULL && fchmod(fd, before->st_mode & 0777) != 0)
            error = errno;
        if (error == 0 && fsync(fd) != 0)
            error = errno;
        if (close(fd) != 0 && error == 0)
            error = errno;
        if (error == 0 && rename(temporary, path) != 0)
            error = errno;
        if (error != 0)
            unlink(temporary);
        else
            sync_folder(path, temporary);
    }
    gbs_array_free(ctx, temporary);
    return error == 0 ? GBS_OK : io_error(ctx, path, error);
}

gbs_status gbs_write_file(gbs_context *ctx, const char *path, const void *bytes, size_t size) {
    struct stat st, link;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return io_error(ctx, path, EISDIR);
    if (exists && !S_ISREG(st.st_mode))
        return write_special(ctx, path, bytes, size);
    if (exists && access(path, W_OK) != 0)
        return io_error(ctx, path, errno);
    if (!exists || lstat(path, &link) != 0 || !S_ISLNK(link.st_mode))
        return replace(ctx, path, exists ? &st : NULL, bytes, size);
    int own = own_descriptor(&st);
    if (own >= 0) {
        int error = write_all(own, bytes, size);
        return error == 0 ? GBS_OK : io_error(ctx, path, error);
    }
    char *real = gbs_array_alloc(ctx, PATH_MAX, 1);
    if (real == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = realpath(path, real) != NULL ? replace(ctx, real, &st, bytes, size) : io_error(ctx, path, errno);
    gbs_array_free(ctx, real); /* the link stays */
    return status;
}

gbs_status gbs_model_save(gbs_context *ctx, const gbs_model *model, const char *path) {
    char *text;
    size_t size;
    gbs_status status = gbs_model_to_json(ctx, model, &text, &size);
    if (status == GBS_OK)
        status = gbs_write_file(ctx, path, text, size);
    gbs_release(ctx, text);
    return status;
}

/* Grows as the bytes come, so that a pipe works and a lying size does not matter. */
static gbs_status read_whole(gbs_context *ctx, const char *path, FILE *file, char **out, size_t *size) {
    size_t room = 1 << 16, used = 0;
    char *text = gbs_array_alloc(ctx, room, 1);
    while (text != NULL) {
        used += fread(text + used, 1, room - used, file);
        if (used < room)
            break;
        char *larger = room <= LARGEST_MODEL / 2 ? gbs_array_alloc(ctx, room * 2, 1) : NULL;
        if (larger != NULL)
            memcpy(larger, text, used);
        gbs_array_free(ctx, text);
        text = larger;
        room *= 2;
    }
    if (text == NULL)
        return gbs_fail(ctx, GBS_ERR_MEMORY, room > LARGEST_MODEL ? "%s: too large for a model" : "%s: out of memory", path);
    if (ferror(file)) {
        gbs_array_free(ctx, text);
        return io_error(ctx, path, errno);
    }
    *out = text;
    *size = used;
    return GBS_OK;
}

/* What parse says of the text in `path`; the words of a format error name the file. */
static gbs_status load(gbs_context *ctx, const char *path, gbs_status (*parse)(gbs_context *, const char *, size_t, void *),
                       void *out) {
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return io_error(ctx, path, errno);
    char *text = NULL;
    size_t size = 0;
    gbs_status status = read_whole(ctx, path, file, &text, &size);
    fclose(file);
    if (status != GBS_OK)
        return status;
    status = parse(ctx, text, size, out);
    gbs_array_free(ctx, text);
    if (status == GBS_ERR_FORMAT) {
        char reason[sizeof ctx->error];
        memcpy(reason, ctx->error, sizeof reason);
        gbs_fail(ctx, GBS_ERR_FORMAT, "%.200s: %.300s", path, reason);
    }
    return status;
}

static gbs_status parse_model(gbs_context *ctx, const char *text, size_t size, void *out) {
    return gbs_model_from_json(ctx, text, size, out);
}

gbs_status gbs_model_load(gbs_context *ctx, const char *path, gbs_model **out) {
    *out = NULL;
    return load(ctx, path, parse_model, out);
}

struct either {
    gbs_model **model;
    gbs_particles **particles;
};

/* A sample says so before its numbers begin. */
static gbs_status parse_either(gbs_context *ctx, const char *text, size_t size, void *out) {
    const struct either *e = out;
    static const char mark[] = "\"kind\":\"sample\"";
    size_t head = size < 4096 ? size : 4096;
    if (text != NULL && memmem(text, head, mark, sizeof mark - 1) != NULL)
        return gbs_particles_from_json(ctx, text, size, e->particles);
    return gbs_model_from_json(ctx, text, size, e->model);
}

gbs_status gbs_load(gbs_context *ctx, const char *path, gbs_model **model, gbs_particles **particles) {
    *model = NULL;
    *particles = NULL;
    struct either e = {model, particles};
    return load(ctx, path, parse_either, &e);
}

/* So does a completion. */
static gbs_status parse_any(gbs_context *ctx, const char *text, size_t size, void *out) {
    gbs_loaded *loaded = out;
    static const char mark[] = "\"kind\":\"completion\"";
    size_t head = size < 4096 ? size : 4096;
    if (text != NULL && memmem(text, head, mark, sizeof mark - 1) != NULL)
        return gbs_completion_from_json(ctx, text, size, &loaded->completion);
    struct either e = {&loaded->model, &loaded->particles};
    return parse_either(ctx, text, size, &e);
}

gbs_status gbs_load_any(gbs_context *ctx, const char *path, gbs_loaded *out) {
    *out = (gbs_loaded){0};
    return load(ctx, path, parse_any, out);
}
