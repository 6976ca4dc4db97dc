/* Output files, written whole or not at all.
 *
 * A name is first followed to the thing itself, so that a link stays and what it leads to is made
 * or replaced. The bytes then go to a temporary file in the same folder, of a name that nobody can
 * foresee, which never grants more rights than the file that it becomes; it is synced and renamed.
 * Pipes and devices cannot be renamed over: they are written straight. Of several ranks the first
 * writes, once all of them have come so far.
 */
#include "core/check.h"
#include "core/ranks.h"
#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };       /* as many as the kernel follows */
#define PIECE ((size_t)1 << 24) /* bytes between two looks at the cancel callback */
/* Beside errno: see planted(); the cancel callback said so; the caller's own callback failed. */
enum { PLANTED = -1, STOPPED = -2, CALLER = -3 };

/* Where a name leads. */
struct place {
    char name[PATH_MAX];   /* of the thing itself */
    char folder[PATH_MAX]; /* that it lies in */
    const char *base;      /* the last part of name */
    bool linked;           /* the name given was that of a link */
    bool magic; /* name is a link to an open file (/proc/self/fd/1), whatever its text says */
    bool exists;
    struct stat st; /* when it exists */
};

/* ---------------------------------------------------------------- where a name leads */

static void split(struct place *p) {
    char *slash = strrchr(p->name, '/');
    size_t length = slash == NULL ? 1 : slash == p->name ? 1 : (size_t)(slash - p->name);
    memcpy(p->folder, slash != NULL ? p->name : ".", length);
    p->folder[length] = '\0';
    p->base = slash != NULL ? slash + 1 : p->name;
}

/* In a folder where anyone may make files (/tmp), what another user has put there is neither
 * followed nor replaced: it may have been put there to lead us astray. The kernel can forbid the
 * same (fs.protected_symlinks, _regular, _fifos), but not everywhere it does. */
static bool planted(const struct place *p, const struct stat *st) {
    struct stat folder;
    const mode_t shared = S_ISVTX | S_IWOTH;
    return st->st_uid != geteuid() && stat(p->folder, &folder) == 0 &&
           (folder.st_mode & shared) == shared && st->st_uid != folder.st_uid;
}

/* The link p->name, one step; 0 or an errno. */
static int follow_link(struct place *p) {
    char text[PATH_MAX], next[PATH_MAX];
    struct stat here, there;
    ssize_t length = readlink(p->name, text, sizeof text);
    if (length < 0)
        return errno;
    if ((size_t)length == sizeof text)
        return ENAMETOOLONG;
    text[length] = '\0';
    int beside = text[0] != '/' ? (int)(p->base - p->name) : 0;
    if (snprintf(next, sizeof next, "%.*s%s", beside, p->name, text) >= (int)sizeof next)
        return ENAMETOOLONG;
    p->linked = true;
    p->magic = stat(p->name, &here) == 0 &&
               (stat(next, &there) != 0 || here.st_dev != there.st_dev ||
                here.st_ino != there.st_ino);
    if (p->magic) {
        p->st = here;
        p->exists = true;
        return 0;
    }
    memcpy(p->name, next, strlen(next) + 1);
    return 0;
}

/* Follows path to the thing itself, which need not exist. 0, an errno, or PLANTED. */
static int find(const char *path, struct place *p) {
    *p = (struct place){.base = p->name};
    if (strlen(path) >= sizeof p->name)
        return ENAMETOOLONG;
    memcpy(p->name, path, strlen(path) + 1);
    for (int links = 0; links <= MOST_LINKS; links++) {
        struct stat st;
        split(p);
        if (lstat(p->name, &st) != 0)
            return errno == ENOENT ? 0 : errno;
        if (planted(p, &st))
            return PLANTED;
        if (!S_ISLNK(st.st_mode)) {
            p->st = st;
            p->exists = true;
            return 0;
        }
        int error = follow_link(p);
        if (error != 0 || p->magic)
            return error;
    }
    return ELOOP;
}

/* A link to the file behind standard output or error (/dev/stdout, redirected): 1 or 2, else -1. */
static int own_descriptor(const struct place *p) {
    for (int fd = 1; fd <= 2 && p->linked && p->exists; fd++) {
        struct stat own;
        if (fstat(fd, &own) == 0 && own.st_dev == p->st.st_dev && own.st_ino == p->st.st_ino)
            return fd;
    }
    return -1;
}

/* Why nothing can be written there, as far as can be told in advance: an errno, or 0. */
static int refused(const struct place *p) {
    if (p->exists && S_ISDIR(p->st.st_mode))
        return EISDIR;
    if (p->exists && S_ISSOCK(p->st.st_mode))
        return ENXIO;
    if (own_descriptor(p) >= 0)
        return 0;
    if (p->exists && access(p->name, W_OK) != 0)
        return errno;
    if (p->exists && !S_ISREG(p->st.st_mode))
        return 0;
    if (p->magic || p->base[0] == '\0') /* an open file without a name; a slash at the end */
        return ENOENT;
    return access(p->folder, W_OK | X_OK) == 0 ? 0 : errno;
}

/* The end of a long name says more than its beginning. */
static const char *ending(const char *name) {
    size_t length = strlen(name);
    return length > 200 ? name + length - 200 : name;
}

static gbs_status failed(gbs_context *ctx, const char *path, const struct place *p, int error) {
    const char *name = ending(path), *cut = name != path ? "..." : "", *target = ending(p->name);
    if (error == STOPPED)
        return gbs_fail(ctx, GBS_ERR_CANCELLED, "cancelled");
    if (error == PLANTED && !p->linked)
        return gbs_fail(
            ctx, GBS_ERR_IO,
            "%s%s: belongs to another user, in a folder where anyone may make files; it is neither "
            "followed nor replaced",
            cut, name);
    if (error == PLANTED)
        return gbs_fail(ctx, GBS_ERR_IO,
                        "%s%s: leads to %s, which belongs to another user, in a folder where "
                        "anyone may make files",
                        cut, name, target);
    if (p->linked && !p->magic && error != ELOOP)
        return gbs_fail(ctx, GBS_ERR_IO, "%s%s: %s (it is a link to %s)", cut, name,
                        strerror(error), target);
    return gbs_fail(ctx, GBS_ERR_IO, "%s%s: %s", cut, name, strerror(error));
}

/* Of several ranks the first writes. */
static bool writes(const gbs_context *ctx) {
    return ctx->crew == NULL || ctx->crew->ranks.rank == 0;
}

gbs_status gbs_output_file(gbs_context *ctx, const char *path, char **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    struct place p;
    int error = find(path, &p);
    if (error == 0 && writes(ctx))
        error = refused(&p);
    if (error != 0)
        return failed(ctx, path, &p, error);
    *out = gbs_handle_alloc(ctx, strlen(p.name) + 1); /* until gbs_release */
    if (*out == NULL)
        return GBS_ERR_MEMORY;
    memcpy(*out, p.name, strlen(p.name));
    return GBS_OK;
}

/* ---------------------------------------------------------------- writing */

/* 0, an errno, or STOPPED. */
static int write_all(gbs_context *ctx, int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(fd, bytes, size < PIECE ? size : PIECE);
        if (written == 0 || (written < 0 && errno != EINTR))
            return written < 0 ? errno : EIO;
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
        if (size > 0 && gbs_check_cancel(ctx) != GBS_OK)
            return STOPPED;
    }
    return 0;
}

/* What is written, piece by piece. */
struct pieces {
    gbs_piece_callback next;
    void *user;
    gbs_status status; /* of the callback, where that failed */
};

static int write_pieces(gbs_context *ctx, int fd, struct pieces *from) {
    for (;;) {
        const char *bytes = NULL;
        size_t size = 0;
        from->status = from->next(&bytes, &size, from->user);
        if (from->status != GBS_OK)
            return CALLER;
        if (size == 0)
            return 0;
        int error = write_all(ctx, fd, bytes, size);
        if (error != 0)
            return error;
    }
}

/* A pipe may keep us waiting for its reader, to open it and to write. */
static int write_special(gbs_context *ctx, const struct place *p, struct pieces *from) {
    const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (p->magic ? 0 : O_NOFOLLOW);
    int fd, error;
    while ((fd = open(p->name, flags)) < 0) {
        if (errno != EINTR)
            return errno;
        if (gbs_check_cancel(ctx) != GBS_OK)
            return STOPPED;
    }
    error = write_pieces(ctx, fd, from);
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

/* A new file in the folder. */
static int open_temporary(int folder, mode_t mode, char *name, size_t room) {
    int fd = -1;
    for (int k = 0; k < 100 && fd < 0; k++) {
        unsigned long long number;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            continue;
        snprintf(name, room, ".gibbsite-%016llx.tmp", number);
        fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* Owner, group and rights of the file that is replaced, as far as this user may give them. */
static int keep_rights(int fd, const struct stat *before) {
    struct stat now;
    mode_t mode = before->st_mode & 0777;
    if (fstat(fd, &now) != 0)
        return errno;
    if (now.st_gid != before->st_gid && fchown(fd, (uid_t)-1, before->st_gid) != 0)
        mode &= ~(mode_t)070 | (mode & 07) << 3; /* another group: no more than everyone has */
    if (now.st_uid != before->st_uid) {
        int given = fchown(fd, before->st_uid, (gid_t)-1);
        (void)given; /* only root may give files away: else the new one is the writer's */
    }
    return (now.st_mode & 0777) == mode || fchmod(fd, mode) == 0 ? 0 : errno;
}

static int replace(gbs_context *ctx, const struct place *p, struct pieces *from) {
    char temporary[64];
    int folder = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && errno == EACCES) /* it may be written to, but not listed */
        folder = open(p->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return errno;
    /* A new file gets what the umask leaves, one in the place of another nothing for others yet. */
    mode_t mode = p->exists ? p->st.st_mode & 0600 : 0666;
    int fd = open_temporary(folder, mode, temporary, sizeof temporary), error = fd < 0 ? errno : 0;
    if (fd >= 0) {
        error = write_pieces(ctx, fd, from);
        if (error == 0 && p->exists)
            error = keep_rights(fd, &p->st);
        if (error == 0 && fsync(fd) != 0)
            error = errno;
        if (close(fd) != 0 && error == 0)
            error = errno;
        if (error == 0 && renameat(folder, temporary, folder, p->base) != 0)
            error = errno;
        if (error != 0)
            unlinkat(folder, temporary, 0);
        else /* the name survives a crash once the folder is on disk; some cannot be synced */
            (void)fsync(folder);
    }
    close(folder);
    return error;
}

gbs_status gbs_write_pieces(gbs_context *ctx, const char *path, gbs_piece_callback next,
                            void *user) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS(ctx, next);
    struct place p;
    struct pieces from = {.next = next, .user = user};
    gbs_status all = gbs_ranks_agree(ctx, GBS_OK, NULL); /* nothing is written where one was lost */
    if (all != GBS_OK || !writes(ctx))
        return all;
    int error = find(path, &p);
    if (error == 0)
        error = refused(&p);
    if (error == 0) {
        int own = own_descriptor(&p);
        error = own >= 0                             ? write_pieces(ctx, own, &from)
                : p.exists && !S_ISREG(p.st.st_mode) ? write_special(ctx, &p, &from)
                                                     : replace(ctx, &p, &from);
    }
    if (error == CALLER)
        return from.status;
    return error == 0 ? GBS_OK : failed(ctx, path, &p, error);
}

/* One piece, which is all. */
struct whole {
    const void *bytes;
    size_t size;
};

static gbs_status next_whole(const char **bytes, size_t *size, void *user) {
    struct whole *w = user;
    *bytes = w->bytes;
    *size = w->size;
    w->size = 0;
    return GBS_OK;
}

gbs_status gbs_write_file(gbs_context *ctx, const char *path, const void *bytes, size_t size) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS_ARRAY(ctx, bytes, size);
    struct whole all = {bytes, size};
    return gbs_write_pieces(ctx, path, next_whole, &all);
}
