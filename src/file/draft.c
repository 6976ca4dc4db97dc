/* A file before it has its name (file/draft.h). */
#include "file/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <unistd.h>

enum { TRIES = 100 };
#define PIECE ((size_t)1 << 24) /* bytes copied at a time */

/* ".gibbsite-", 64 random bits and ".tmp"; false: none are to be had. */
static bool draw_name(char name[64]) {
    unsigned long long number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return false;
    snprintf(name, 64, ".gibbsite-%016llx.tmp", number);
    return true;
}

static mode_t first_rights(const gbs_draft *d) {
    /* A new file gets what the umask leaves, one in the place of another nothing for others yet. */
    return d->place.exists ? d->place.st.st_mode & 0600 : 0666;
}

/* A new file of a temporary name; its descriptor, or -1 and errno. */
static int open_named(gbs_draft *d) {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = -1;
    errno = EAGAIN;
    for (int k = 0; k < TRIES && fd < 0; k++) {
        if (!draw_name(d->name))
            continue;
        fd = openat(d->folder, d->name, flags, first_rights(d));
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        d->name[0] = '\0';
    return fd;
}

int gbs_draft_open(gbs_draft *d) {
    const gbs_place *p = &d->place;
    d->fd = -1;
    d->name[0] = '\0';
    d->made = d->placed = false;
    d->folder = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->folder < 0 && errno == EACCES) /* it may be written to, but not listed */
        d->folder = open(p->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (d->folder < 0)
        return errno;
    bool nameable = access("/proc/self/fd", X_OK) == 0; /* by which it gets its name */
    if (nameable)
        d->fd = openat(d->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, first_rights(d));
    if (!nameable || (d->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)))
        d->fd = open_named(d);
    return d->fd >= 0 ? 0 : errno;
}

/* ---------------------------------------------------------------- rights */

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

/* Rights, then onto the disk. */
static int settle(const gbs_draft *d, int fd) {
    int error = d->place.exists ? keep_rights(fd, &d->place.st) : 0;
    return error == 0 && fsync(fd) != 0 ? errno : error;
}

/* Some file systems tell only here that there was no room. */
static int close_now(int *fd) {
    int failed = close(*fd);
    *fd = -1;
    return failed == 0 ? 0 : errno;
}

int gbs_draft_sync(gbs_draft *d) {
    int error = settle(d, d->fd);
    return error == 0 && d->name[0] != '\0' ? close_now(&d->fd) : error;
}

/* ---------------------------------------------------------------- its name */

/* It is called so in its folder from now on; 0, EEXIST or another errno. */
static int give_name(const gbs_draft *d, const char *name) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", d->fd);
    return linkat(AT_FDCWD, self, d->folder, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* A file system made it without a name, and gives it none: its bytes go to a temporary file. */
static int copy_to_named(gbs_draft *d) {
    off_t at = 0;
    ssize_t copied = 1;
    int to = open_named(d);
    if (to < 0)
        return errno;
    while (copied > 0 || (copied < 0 && errno == EINTR))
        copied = sendfile(to, d->fd, &at, PIECE);
    int error = copied < 0 ? errno : settle(d, to), closed = close_now(&to);
    return error != 0 ? error : closed;
}

int gbs_draft_name(gbs_draft *d) {
    int error = EEXIST;
    if (d->placed || d->name[0] != '\0')
        return 0;
    if (!d->place.exists) {
        error = give_name(d, d->place.base);
        d->made = error == 0;
    }
    for (int k = 0; k < TRIES && error == EEXIST; k++)
        if (draw_name(d->name))
            error = give_name(d, d->name);
    if (error == 0)
        return 0;
    d->name[0] = '\0';
    return copy_to_named(d) == 0 ? 0 : error;
}

int gbs_draft_place(gbs_draft *d) {
    if (d->placed)
        return 0;
    if (!d->made && renameat(d->folder, d->name, d->folder, d->place.base) != 0)
        return errno;
    d->placed = true;
    (void)fsync(d->folder); /* the name survives a crash then; some folders cannot be synced */
    return 0;
}

void gbs_draft_free(gbs_draft *d) {
    if (!d->placed && d->made)
        unlinkat(d->folder, d->place.base, 0);
    if (!d->placed && d->name[0] != '\0')
        unlinkat(d->folder, d->name, 0);
    if (d->fd >= 0)
        close(d->fd);
    if (d->folder >= 0)
        close(d->folder);
    d->fd = d->folder = -1;
}
