/* Where the name of an output leads (file/place.h). */
#include "file/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINKS = 40 }; /* as many as the kernel follows */

static void split(gbs_place *p) {
    char *slash = strrchr(p->name, '/');
    size_t length = slash == NULL ? 1 : slash == p->name ? 1 : (size_t)(slash - p->name);
    memcpy(p->folder, slash != NULL ? p->name : ".", length);
    p->folder[length] = '\0';
    p->base = slash != NULL ? slash + 1 : p->name;
}

/* In a folder where anyone may make files (/tmp), what another user has put there is neither
 * followed nor replaced: it may have been put there to lead us astray. The kernel can forbid the
 * same (fs.protected_symlinks, _regular, _fifos), but not everywhere it does. */
static bool planted(const gbs_place *p, const struct stat *st) {
    struct stat folder;
    const mode_t shared = S_ISVTX | S_IWOTH;
    return st->st_uid != geteuid() && stat(p->folder, &folder) == 0 &&
           (folder.st_mode & shared) == shared && st->st_uid != folder.st_uid;
}

/* The link p->name, one step; 0 or an errno. */
static int follow_link(gbs_place *p) {
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

int gbs_place_find(const char *path, gbs_place *p) {
    *p = (gbs_place){.base = p->name};
    if (strlen(path) >= sizeof p->name)
        return ENAMETOOLONG;
    memcpy(p->name, path, strlen(path) + 1);
    for (int links = 0; links <= MOST_LINKS; links++) {
        struct stat st;
        split(p);
        if (lstat(p->name, &st) != 0)
            return errno == ENOENT ? 0 : errno;
        if (planted(p, &st))
            return GBS_PLACE_PLANTED;
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

int gbs_place_descriptor(const gbs_place *p) {
    for (int fd = 1; fd <= 2 && p->linked && p->exists; fd++) {
        struct stat own;
        if (fstat(fd, &own) == 0 && own.st_dev == p->st.st_dev && own.st_ino == p->st.st_ino)
            return fd;
    }
    return -1;
}

int gbs_place_refuses(const gbs_place *p) {
    if (p->exists && S_ISDIR(p->st.st_mode))
        return EISDIR;
    if (p->exists && S_ISSOCK(p->st.st_mode))
        return ENXIO;
    if (gbs_place_descriptor(p) >= 0)
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

gbs_status gbs_place_fail(gbs_context *ctx, const char *path, const gbs_place *p, int error) {
    const char *name = ending(path), *cut = name != path ? "..." : "", *target = ending(p->name);
    if (error == GBS_PLACE_STOPPED)
        return gbs_fail(ctx, GBS_ERR_CANCELLED, "cancelled");
    if (error == GBS_PLACE_PLANTED && !p->linked)
        return gbs_fail(
            ctx, GBS_ERR_IO,
            "%s%s: belongs to another user, in a folder where anyone may make files; it is neither "
            "followed nor replaced",
            cut, name);
    if (error == GBS_PLACE_PLANTED)
        return gbs_fail(ctx, GBS_ERR_IO,
                        "%s%s: leads to %s, which belongs to another user, in a folder where "
                        "anyone may make files",
                        cut, name, target);
    if (p->linked && !p->magic && error != ELOOP)
        return gbs_fail(ctx, GBS_ERR_IO, "%s%s: %s (it is a link to %s)", cut, name,
                        strerror(error), target);
    return gbs_fail(ctx, GBS_ERR_IO, "%s%s: %s", cut, name, strerror(error));
}
