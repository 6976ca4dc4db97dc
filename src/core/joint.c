/* Arrays in files and in memory that ranks share (core/joint.h). */
#include "core/joint_file.h"

#include "core/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

void gbs_joint_part(const gbs_spill *s, size_t n, size_t *from, size_t *to) {
    bool shared = s != NULL && s->joint;
    *from = shared ? n / s->members * s->place + n % s->members * s->place / s->members : 0;
    *to = shared ? n / s->members * (s->place + 1) + n % s->members * (s->place + 1) / s->members
                 : n;
}

gbs_status gbs_joint_end(gbs_context *ctx, const gbs_spill *spill, gbs_status status) {
    return spill != NULL && spill->joint ? gbs_crew_verdict(ctx, status) : status;
}

/* ---------------------------------------------------------------- files */

/* Nobody else's memory has this mark: numbers of processes are there on other machines too. */
static unsigned long long draw_mark(void) {
    unsigned long long mark;
    struct timespec now;
    if (getrandom(&mark, sizeof mark, GRND_NONBLOCK) == (ssize_t)sizeof mark)
        return mark;
    clock_gettime(CLOCK_REALTIME, &now);
    return (unsigned long long)now.tv_sec << 32 ^ (unsigned long long)now.tv_nsec;
}

/* The name of memory is good for as long as its maker has it open. */
static int make_memory(gbs_notice *n) {
    char name[32];
    snprintf(name, sizeof name, "gibbsite-%016llx", draw_mark());
    int fd = memfd_create(name, MFD_CLOEXEC);
    n->error = fd < 0 ? errno : 0;
    snprintf(n->name, sizeof n->name, "/proc/%ld/fd/%d", (long)getpid(), fd);
    snprintf(n->mark, sizeof n->mark, "/memfd:%s (deleted)", name);
    return fd;
}

static int open_memory(const gbs_notice *n) {
    char is[sizeof n->mark + 1] = "";
    if (readlink(n->name, is, sizeof is - 1) < 0)
        return -1;
    if (strcmp(is, n->mark) == 0)
        return open(n->name, O_RDWR | O_CLOEXEC);
    errno = ENOENT;
    return -1;
}

/* A file of the folder, as this rank calls it; false and errno: the name is too long. */
static bool name_in(const gbs_spill *s, const char *name, char path[GBS_FILE_NAME_ROOM]) {
    int length = snprintf(path, GBS_FILE_NAME_ROOM, "%s/%s", s->folder, name);
    if (length < GBS_FILE_NAME_ROOM)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

int gbs_joint_make(const gbs_spill *s, gbs_notice *n) {
    char path[GBS_FILE_NAME_ROOM];
    if (s->folder == NULL)
        return make_memory(n);
    int fd = name_in(s, ".gibbsite-XXXXXX", path) ? mkostemp(path, O_CLOEXEC) : -1;
    n->error = fd < 0 ? errno : 0;
    if (fd >= 0)
        snprintf(n->name, sizeof n->name, "%s", strrchr(path, '/') + 1);
    return fd;
}

int gbs_joint_open(const gbs_spill *s, const gbs_notice *n) {
    char path[GBS_FILE_NAME_ROOM];
    if (s->folder == NULL)
        return open_memory(n);
    return name_in(s, n->name, path) ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

void gbs_joint_unname(const gbs_spill *s, const gbs_notice *n) {
    char path[GBS_FILE_NAME_ROOM];
    if (s->folder != NULL && n->name[0] != '\0' && name_in(s, n->name, path))
        unlink(path);
}

static gbs_status no_file(gbs_context *ctx, const gbs_spill *s, size_t bytes, int error) {
    if (error == EINTR)
        return gbs_fail(ctx, GBS_ERR_CANCELLED, "cancelled");
    if (s->folder == NULL)
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory: %.0f MB that ranks share: %s",
                        1e-6 * (double)bytes, strerror(error));
    return gbs_fail(ctx, error == ENOMEM ? GBS_ERR_MEMORY : GBS_ERR_IO,
                    "%s: %s: a file of %.0f MB for what memory does not hold (`cache` DIR names "
                    "another folder)",
                    s->folder, strerror(error), 1e-6 * (double)bytes);
}

gbs_status gbs_joint_file(gbs_context *ctx, const gbs_spill *s, size_t bytes, bool named, int *fd,
                          char name[GBS_FILE_NAME_ROOM]) {
    gbs_notice mine = {0}, leader = {0};
    gbs_collected all;
    bool leads = s->leader == ctx->crew->ranks.rank;
    *fd = leads ? gbs_joint_make(s, &mine) : -1;
    if (*fd >= 0)
        mine.error = gbs_file_room(ctx, *fd, bytes);
    gbs_status status = gbs_crew_collect(ctx, &mine, sizeof mine, &all);
    if (status == GBS_OK)
        memcpy(&leader, all.bytes + all.begin[s->leader], sizeof leader);
    if (status == GBS_OK && leader.error == 0 && !leads && (*fd = gbs_joint_open(s, &leader)) < 0)
        leader.error = errno;
    if (status == GBS_OK) {
        gbs_collected_free(ctx, &all);
        status = gbs_crew_verdict(ctx, leader.error != 0 ? no_file(ctx, s, bytes, (int)leader.error)
                                                         : GBS_OK);
    }
    bool stays = leads && named && status == GBS_OK && s->folder != NULL;
    if (!stays || !name_in(s, mine.name, name)) {
        gbs_joint_unname(s, &mine);
        name[0] = '\0';
    }
    if (status != GBS_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

/* ---------------------------------------------------------------- arrays */

/* One page of this rank's own, which ends in what gbs_array_free reads, and the file behind it. */
static void *map_behind(int fd, size_t bytes, size_t page) {
    char *block = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd,
                       0);
    if (block == MAP_FAILED)
        return NULL;
    void *array = mmap(block + page, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    if (array != MAP_FAILED)
        /* cppcheck-suppress memleak ; it is unmapped with the block */
        return block;
    int error = errno;
    munmap(block, bytes + page);
    errno = error;
    return NULL;
}

gbs_status gbs_joint_array(gbs_context *ctx, const gbs_spill *spill, size_t count, size_t size,
                           void **out) {
    if (!gbs_spills(spill, count, size) || !spill->joint)
        return gbs_spill_array(ctx, spill != NULL && spill->folder != NULL ? spill : NULL, count,
                               size, out);
    char name[GBS_FILE_NAME_ROOM];
    size_t bytes = count * size, page = (size_t)sysconf(_SC_PAGESIZE);
    int fd;
    gbs_status status = GBS_OK;
    *out = NULL;
    if (!gbs_crew_meet(ctx->crew, (int64_t)bytes, &status, "")) /* as large for everybody */
        return gbs_fail(ctx, GBS_ERR_IO, "%s", ctx->crew->words);
    status = gbs_joint_file(ctx, spill, bytes, false, &fd, name);
    if (status != GBS_OK)
        return status;
    void *block = map_behind(fd, bytes, page);
    status = gbs_crew_verdict(ctx, block != NULL ? GBS_OK : no_file(ctx, spill, bytes, errno));
    close(fd);
    if (status == GBS_OK)
        *out = gbs_array_at(ctx, block, bytes + page, page);
    else if (block != NULL)
        munmap(block, bytes + page);
    return status;
}

/* Nobody shares it. */
static void be_alone(const gbs_context *ctx, gbs_spill *s) {
    s->joint = false;
    s->leader = ctx->crew != NULL ? ctx->crew->ranks.rank : 0;
    s->place = 0;
    s->members = 1;
}

gbs_status gbs_joint_room(gbs_context *ctx, const char *folder, size_t bytes, gbs_spill *spill,
                          void **out) {
    gbs_status status = GBS_OK;
    *spill = (gbs_spill){.folder = folder, .least = GBS_SPILL_LEAST};
    *out = NULL;
    be_alone(ctx, spill);
    if (gbs_spills(spill, bytes, 1))
        status = gbs_joint_meet(ctx, spill);
    if (status == GBS_OK && (spill->joint || folder != NULL)) {
        status = gbs_joint_array(ctx, spill, bytes, 1, out);
        if (status == GBS_OK || folder != NULL || ctx->crew->lost || status == GBS_ERR_CANCELLED)
            return status;
        gbs_log(ctx, GBS_LOG_DEBUG, "%s", gbs_error_message(ctx));
        status = gbs_fail(ctx, GBS_OK, "%s", "");
        be_alone(ctx, spill);
    }
    if (status == GBS_OK)
        *out = gbs_array_alloc(ctx, bytes, 1);
    return status == GBS_OK && *out == NULL ? GBS_ERR_MEMORY : status;
}
