/* Watches how a program makes its temporary files (names that end in .tmp, and files without a
 * name): LD_PRELOAD this object.
 *
 *   WATCHFILES_LOG=name          one line a call: what was done, the rights that the file then has
 *   WATCHFILES_NAMED=1           the file system knows no files without a name
 *   WATCHFILES_FAIL=call:errno   the first such call fails so; write:0 writes one byte alone;
 *                                call:errno:k: the k-th
 *   WATCHFILES_SIGNAL=call:n:k   before the first such call, signal n comes k times
 *
 * Calls: open, write, chown, chmod, sync, close, link, rename, unlink. Straight system calls
 * beneath: no dlsym, which would need memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILES = 1024 };
static bool temporary[FILES];

static bool is_temporary(const char *name) {
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".tmp") == 0;
}

static bool watched(int fd) {
    return fd >= 0 && fd < FILES && temporary[fd];
}

static void note(const char *call, int fd, const char *more) {
    char line[512], rights[16] = "";
    const char *log = getenv("WATCHFILES_LOG");
    struct stat st;
    if (log == NULL)
        return;
    if (fd >= 0 && fstat(fd, &st) == 0)
        snprintf(rights, sizeof rights, " %03o", st.st_mode & 0777);
    int size = snprintf(line, sizeof line, "%s%s%s\n", call, rights, more);
    int to = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (to >= 0) {
        syscall(SYS_write, to, line, (size_t)size);
        syscall(SYS_close, to);
    }
}

/* What the environment asks of this call: -1 nothing, else the number to fail with. */
static int trouble(const char *call) {
    static bool failed, signalled;
    static int calls;
    const char *fail = getenv("WATCHFILES_FAIL"), *raised = getenv("WATCHFILES_SIGNAL");
    size_t length = strlen(call);
    int number, times, which = 1;
    if (!signalled && raised != NULL && strncmp(raised, call, length) == 0 &&
        sscanf(raised + length, ":%d:%d", &number, &times) == 2) {
        signalled = true;
        for (int k = 0; k < times; k++)
            raise(number);
    }
    if (!failed && fail != NULL && strncmp(fail, call, length) == 0 &&
        sscanf(fail + length, ":%d:%d", &number, &which) >= 1 && ++calls == which) {
        failed = true;
        return number;
    }
    return -1;
}

static bool fails(const char *call) {
    int number = trouble(call);
    if (number < 0)
        return false;
    errno = number;
    return true;
}

/* ---------------------------------------------------------------- calls */

static int open_file(int folder, const char *name, int flags, mode_t mode) {
    bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    if (nameless && getenv("WATCHFILES_NAMED") != NULL) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (!nameless && !is_temporary(name))
        return (int)syscall(SYS_openat, folder, name, flags, mode);
    if (fails("open"))
        return -1;
    int fd = (int)syscall(SYS_openat, folder, name, flags, mode);
    if (fd >= 0 && fd < FILES)
        temporary[fd] = true;
    char more[320];
    snprintf(more, sizeof more, "%s%s%s%s %s", nameless ? " nameless" : "",
             flags & O_EXCL ? " excl" : "", flags & O_NOFOLLOW ? " nofollow" : "",
             flags & O_CLOEXEC ? " cloexec" : "", name);
    note("open", fd, more);
    return fd;
}

static mode_t mode_of(int flags, va_list args) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
}

#define OPEN(NAME)                                                                                 \
    int NAME(const char *name, int flags, ...) {                                                   \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode_t mode = mode_of(flags, args);                                                        \
        va_end(args);                                                                              \
        return open_file(AT_FDCWD, name, flags, mode);                                             \
    }
#define OPEN_AT(NAME)                                                                              \
    int NAME(int folder, const char *name, int flags, ...) {                                       \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode_t mode = mode_of(flags, args);                                                        \
        va_end(args);                                                                              \
        return open_file(folder, name, flags, mode);                                               \
    }
OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

ssize_t write(int fd, const void *bytes, size_t size) {
    if (!watched(fd))
        return syscall(SYS_write, fd, bytes, size);
    int number = trouble("write");
    if (number > 0) {
        errno = number;
        return -1;
    }
    ssize_t written = syscall(SYS_write, fd, bytes, number == 0 && size > 1 ? 1 : size);
    note("write", fd, "");
    return written;
}

int fchown(int fd, uid_t owner, gid_t group) {
    if (watched(fd) && fails("chown"))
        return -1;
    int result = (int)syscall(SYS_fchown, fd, owner, group);
    if (watched(fd))
        note("chown", fd, "");
    return result;
}

int fchmod(int fd, mode_t mode) {
    if (watched(fd) && fails("chmod"))
        return -1;
    int result = (int)syscall(SYS_fchmod, fd, mode);
    if (watched(fd))
        note("chmod", fd, "");
    return result;
}

int fsync(int fd) {
    if (watched(fd) && fails("sync"))
        return -1;
    if (watched(fd))
        note("sync", fd, "");
    return (int)syscall(SYS_fsync, fd);
}

int close(int fd) {
    bool ours = watched(fd), failed = ours && fails("close");
    if (ours) {
        note("close", fd, "");
        temporary[fd] = false;
    }
    int result = (int)syscall(SYS_close, fd);
    if (failed)
        errno = EIO;
    return failed ? -1 : result;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    if (fails("link"))
        return -1;
    note(is_temporary(to) ? "link temporary" : "link", -1, "");
    return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    if (is_temporary(from) && fails("rename"))
        return -1;
    if (is_temporary(from))
        note("rename", -1, "");
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int rename(const char *from, const char *to) {
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlinkat(int folder, const char *name, int flags) {
    if (is_temporary(name))
        note("unlink", -1, "");
    return (int)syscall(SYS_unlinkat, folder, name, flags);
}

int unlink(const char *name) {
    return unlinkat(AT_FDCWD, name, 0);
}
