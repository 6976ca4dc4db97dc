/* Arrays in files (core/pages.h), and how much memory there is. */
#include "core/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------- files */

int gbs_file_nameless(const char *folder, char name[GBS_FILE_NAME_ROOM]) {
    name[0] = '\0';
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    int length = snprintf(name, GBS_FILE_NAME_ROOM, "%s/.gibbsite-XXXXXX", folder);
    if (length >= GBS_FILE_NAME_ROOM) {
        errno = ENAMETOOLONG;
        name[0] = '\0';
        return -1;
    }
    fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        name[0] = '\0';
    return fd;
}

int gbs_file_keep(int fd, const char *name, const char *path) {
    char self[64];
    int result;
    if (name[0] != '\0') {
        result = link(name, path);
        unlink(name);
    } else {
        snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
        result = linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
    }
    return result == 0 || errno == EEXIST ? 0 : -1;
}

int gbs_file_room(gbs_context *ctx, int fd, size_t size) {
    int error;
    do
        error = posix_fallocate(fd, 0, (off_t)size);
    while (error == EINTR && gbs_check_cancel(ctx) == GBS_OK);
    return error;
}

/* ---------------------------------------------------------------- arrays */

static size_t page_size(void) {
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

/* A file of `bytes`, mapped; NULL and errno. */
static void *map_new(gbs_context *ctx, const char *folder, size_t bytes) {
    char name[GBS_FILE_NAME_ROOM];
    int fd = gbs_file_nameless(folder, name);
    if (fd < 0)
        return NULL;
    if (name[0] != '\0')
        unlink(name);
    int error = gbs_file_room(ctx, fd, bytes);
    void *block = error == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                             : MAP_FAILED;
    if (block == MAP_FAILED && error == 0)
        error = errno;
    close(fd);
    errno = error;
    return block != MAP_FAILED ? block : NULL;
}

bool gbs_spills(const gbs_spill *spill, size_t count, size_t size) {
    size_t bytes;
    return spill != NULL && !__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX / 4 &&
           bytes >= spill->least;
}

gbs_status gbs_spill_array(gbs_context *ctx, const gbs_spill *spill, size_t count, size_t size,
                           void **out) {
    size_t bytes = count * size, page = page_size();
    if (!gbs_spills(spill, count, size)) {
        *out = gbs_array_alloc(ctx, count, size);
        return *out != NULL ? GBS_OK : GBS_ERR_MEMORY;
    }
    *out = NULL;
    /* one page more before it, which ends in what gbs_array_free reads */
    void *block = map_new(ctx, spill->folder, bytes + page);
    if (block == NULL && errno == EINTR)
        return GBS_ERR_CANCELLED;
    if (block == NULL)
        return gbs_fail(ctx, errno == ENOMEM ? GBS_ERR_MEMORY : GBS_ERR_IO,
                        "%s: %s: a file of %.0f MB for what memory does not hold", spill->folder,
                        strerror(errno), 1e-6 * (double)bytes);
    *out = gbs_array_at(ctx, block, bytes + page, page);
    return GBS_OK;
}

void gbs_pages_drop(const void *from, const void *to) {
    uintptr_t page = page_size(), first = ((uintptr_t)from + page - 1) / page * page,
              last = (uintptr_t)to / page * page;
    if (first < last)
        madvise((char *)from + (first - (uintptr_t)from), last - first, MADV_DONTNEED);
}

size_t gbs_pages_every(size_t bytes) {
    size_t count = bytes > 0 ? GBS_PAGES_STEP / bytes : GBS_PAGES_STEP;
    return count > 0 ? count : 1;
}

/* ---------------------------------------------------------------- memory */

/* The number after `key` in a small file of the system; SIZE_MAX: there is none. */
static size_t number_in(const char *path, const char *key) {
    char text[4096];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return SIZE_MAX;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    const char *at = strstr(text, key);
    char *end;
    if (at == NULL)
        return SIZE_MAX;
    unsigned long long number = strtoull(at + strlen(key), &end, 10);
    return end != at + strlen(key) ? (size_t)number : SIZE_MAX;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The limit of the control group that the process is in: "0::/path" names one of the second
 * version, "9:memory:/path" one of the first. */
static size_t group_limit(void) {
    char line[2048], path[2200];
    size_t limit = SIZE_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *first = strstr(line, ":memory:/");
        if (strncmp(line, "0::", 3) == 0)
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
        else if (first != NULL)
            snprintf(path, sizeof path, "/sys/fs/cgroup/memory%s/memory.limit_in_bytes", first + 8);
        else
            continue;
        limit = smaller(limit, number_in(path, ""));
    }
    if (file != NULL)
        fclose(file);
    return limit;
}

size_t gbs_memory_left(void) {
    struct rlimit data;
    size_t kilobytes = number_in("/proc/meminfo", "MemAvailable:"),
           left = kilobytes < SIZE_MAX / 1024 ? 1024 * kilobytes : SIZE_MAX;
    left = smaller(left, group_limit());
    left = smaller(left, number_in("/sys/fs/cgroup/memory.max", ""));
    left = smaller(left, number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", ""));
    if (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY)
        left = smaller(left, (size_t)data.rlim_cur);
    return left;
}
