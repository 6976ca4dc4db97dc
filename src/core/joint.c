/* Arrays in files and in memory that ranks share (core/joint.h). */
#include "core/joint.h"

#include "core/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* ---------------------------------------------------------------- who shares */

/* Ranks with the same bytes here share files. */
struct home {
    char machine[48]; /* its name since it was started; empty: any */
    uint64_t device, folder;
    uint64_t system[2]; /* of a file system that many machines see as one */
    bool there;
};

/* File systems in which what one machine writes to a mapped file is there for the others: Lustre,
 * Spectrum Scale, OCFS2, GFS2. */
static bool is_common(const struct statfs *fs) {
    static const unsigned long known[] = {0x0bd00bd0, 0x47504653, 0x7461636f, 0x01161970};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if ((unsigned long)fs->f_type == known[k])
            return true;
    return false;
}

static void read_machine(char *text, size_t room) {
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file != NULL && fgets(text, (int)room, file) == NULL)
        text[0] = '\0';
    if (file != NULL)
        fclose(file);
}

/* Of memory: processes that see one another by their numbers. */
static struct home home_of_memory(void) {
    struct home h;
    struct stat st;
    memset(&h, 0, sizeof h);
    read_machine(h.machine, sizeof h.machine);
    h.there = h.machine[0] != '\0' && stat("/proc/self/ns/pid", &st) == 0;
    h.device = h.there ? (uint64_t)st.st_ino : 0;
    h.folder = (uint64_t)geteuid();
    return h;
}

static struct home home_of(const char *folder) {
    struct home h;
    struct stat st;
    struct statfs fs;
    if (folder == NULL)
        return home_of_memory();
    memset(&h, 0, sizeof h);
    if (stat(folder, &st) != 0 || statfs(folder, &fs) != 0)
        return h;
    h.there = true;
    h.folder = (uint64_t)st.st_ino;
    if (is_common(&fs)) {
        memcpy(h.system, &fs.f_fsid, sizeof fs.f_fsid);
    } else {
        h.device = (uint64_t)st.st_dev;
        read_machine(h.machine, sizeof h.machine);
    }
    return h;
}

static bool same_home(const struct home *a, const struct home *b) {
    return a->there && b->there && strcmp(a->machine, b->machine) == 0 && a->device == b->device &&
           a->folder == b->folder && a->system[0] == b->system[0] && a->system[1] == b->system[1];
}

/* Of those alike with rank `of`: the first, how many come before it, how many there are. */
static void find_members(const struct home *all, size_t ranks, size_t of, gbs_spill *s) {
    s->leader = of;
    s->place = s->members = 0;
    for (size_t k = 0; k < ranks; k++) {
        if (k != of && !same_home(&all[k], &all[of]))
            continue;
        s->leader = k < s->leader ? k : s->leader;
        s->place += k < of;
        s->members++;
    }
}

gbs_status gbs_joint_meet(gbs_context *ctx, gbs_spill *spill) {
    gbs_collected all;
    spill->joint = false;
    if (ctx->crew == NULL || ctx->crew->ranks.size < 2)
        return GBS_OK;
    size_t ranks = ctx->crew->ranks.size;
    struct home mine = home_of(spill->folder);
    gbs_status status = gbs_crew_collect(ctx, &mine, sizeof mine, &all);
    if (status != GBS_OK)
        return status;
    const struct home *home = (const struct home *)(const void *)all.bytes;
    for (size_t k = 0; k < ranks; k++) { /* somebody shares */
        find_members(home, ranks, k, spill);
        spill->joint = spill->joint || spill->members > 1;
    }
    find_members(home, ranks, ctx->crew->ranks.rank, spill);
    gbs_collected_free(ctx, &all);
    return GBS_OK;
}

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

/* The leader's word to those who share. */
struct notice {
    int64_t error;
    char name[GBS_FILE_NAME_ROOM];
};

/* The name of memory is good for as long as its maker has it open. */
static int make_memory(gbs_context *ctx, size_t bytes, struct notice *n) {
    int fd = memfd_create("gibbsite", MFD_CLOEXEC);
    n->error = fd < 0 ? errno : gbs_file_room(ctx, fd, bytes);
    snprintf(n->name, sizeof n->name, "/proc/%ld/fd/%d", (long)getpid(), fd);
    return fd;
}

static int make(gbs_context *ctx, const gbs_spill *s, size_t bytes, struct notice *n) {
    if (s->folder == NULL)
        return make_memory(ctx, bytes, n);
    int length = snprintf(n->name, sizeof n->name, "%s/.gibbsite-XXXXXX", s->folder);
    int fd = length < (int)sizeof n->name ? mkostemp(n->name, O_CLOEXEC) : -1;
    if (length >= (int)sizeof n->name)
        errno = ENAMETOOLONG;
    n->error = fd < 0 ? errno : gbs_file_room(ctx, fd, bytes);
    if (fd < 0)
        n->name[0] = '\0';
    return fd;
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
    struct notice mine = {0}, leader = {0};
    gbs_collected all;
    bool leads = s->leader == ctx->crew->ranks.rank;
    *fd = leads ? make(ctx, s, bytes, &mine) : -1;
    gbs_status status = gbs_crew_collect(ctx, &mine, sizeof mine, &all);
    if (status == GBS_OK)
        memcpy(&leader, all.bytes + all.begin[s->leader], sizeof leader);
    if (status == GBS_OK && leader.error == 0 && !leads &&
        (*fd = open(leader.name, O_RDWR | O_CLOEXEC)) < 0)
        leader.error = errno;
    if (status == GBS_OK) {
        gbs_collected_free(ctx, &all);
        status = gbs_crew_verdict(ctx, leader.error != 0 ? no_file(ctx, s, bytes, (int)leader.error)
                                                         : GBS_OK);
    }
    if (leads && mine.name[0] != '\0' && (!named || status != GBS_OK)) {
        if (s->folder != NULL)
            unlink(mine.name);
        mine.name[0] = '\0';
    }
    memcpy(name, mine.name, GBS_FILE_NAME_ROOM);
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
