/* Which ranks share files, or memory (core/joint.h).
 *
 * Ranks are put together by what the system tells: the machine, by the name that it has since it
 * was started, and the folder; or that processes see one another by their numbers. Then they try:
 * the first of those alike makes a file, and shares with whoever finds it. What is told may
 * mislead: machines that were copied while they ran have one name, /proc may be another
 * container's. Those who do not find the file try again without the first.
 */
#include "core/joint_file.h"

#include "core/ranks.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* ---------------------------------------------------------------- what the system tells */

/* Ranks with the same bytes here may share. */
struct home {
    char machine[48]; /* its name since it was started; empty: of a file system that many see */
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
    h.folder = (uint64_t)st.st_ino;
    if (is_common(&fs)) {
        memcpy(h.system, &fs.f_fsid, sizeof fs.f_fsid);
        h.there = true;
    } else {
        h.device = (uint64_t)st.st_dev;
        read_machine(h.machine, sizeof h.machine);
        h.there = h.machine[0] != '\0';
    }
    return h;
}

static bool same_home(const struct home *a, const struct home *b) {
    return a->there && b->there && strcmp(a->machine, b->machine) == 0 && a->device == b->device &&
           a->folder == b->folder && a->system[0] == b->system[0] && a->system[1] == b->system[1];
}

uint64_t gbs_machine(void) {
    char name[48] = "";
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    read_machine(name, sizeof name);
    for (const char *at = name; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    return name[0] != '\0' ? hash : 0;
}

/* ---------------------------------------------------------------- what they find */

/* first[k]: the first rank of those that rank k is alike with; itself: nobody was before it. */
static gbs_status group(gbs_context *ctx, const char *folder, size_t *first) {
    struct home mine = home_of(folder);
    gbs_collected all;
    gbs_status status = gbs_crew_collect(ctx, &mine, sizeof mine, &all);
    if (status != GBS_OK)
        return status;
    const struct home *home = (const struct home *)(const void *)all.bytes;
    for (size_t k = 0; k < ctx->crew->ranks.size; k++)
        for (first[k] = 0; first[k] < k && !same_home(&home[first[k]], &home[k]);)
            first[k]++;
    gbs_collected_free(ctx, &all);
    return GBS_OK;
}

/* Whether rank k still has to find the file of its first; nobody has to find his own. */
static bool undecided(const size_t *first, const char *found, size_t k) {
    return first[k] != k && !found[k];
}

/* Each rank for which somebody looks makes a file, and who looks for it says whether it is there.
 * Where it could not be made, it is as the system tells: whoever wants a file hears why. */
static gbs_status look(gbs_context *ctx, const gbs_spill *s, const size_t *first, char *found) {
    size_t rank = ctx->crew->ranks.rank, ranks = ctx->crew->ranks.size;
    gbs_notice mine = {0}, leader;
    gbs_collected all, seen;
    char sees = 1;
    int own = -1, fd = -1;
    bool leads = false;
    for (size_t k = 0; k < ranks; k++)
        leads = leads || (first[k] == rank && undecided(first, found, k));
    if (leads)
        own = gbs_joint_make(s, &mine);
    gbs_status status = gbs_crew_collect(ctx, &mine, sizeof mine, &all);
    if (status == GBS_OK && undecided(first, found, rank)) {
        memcpy(&leader, all.bytes + all.begin[first[rank]], sizeof leader);
        fd = leader.error == 0 ? gbs_joint_open(s, &leader) : -1;
        sees = leader.error != 0 || fd >= 0;
    }
    if (fd >= 0)
        close(fd);
    if (status == GBS_OK) {
        gbs_collected_free(ctx, &all);
        status = gbs_crew_collect(ctx, &sees, sizeof sees, &seen);
    }
    if (own >= 0) {
        gbs_joint_unname(s, &mine);
        close(own);
    }
    if (status != GBS_OK)
        return status;
    memcpy(found, seen.bytes, ranks);
    gbs_collected_free(ctx, &seen);
    return GBS_OK;
}

/* Those who did not find the file of their first are a group of their own. */
static void split(size_t *first, const char *found, size_t ranks) {
    for (size_t k = ranks; k-- > 0;) {
        size_t j = 0;
        while (j < k && (found[j] || first[j] != first[k]))
            j++;
        if (!found[k])
            first[k] = j;
    }
}

static gbs_status settle(gbs_context *ctx, const gbs_spill *s, size_t *first, char *found) {
    size_t ranks = ctx->crew->ranks.size;
    gbs_status status = group(ctx, s->folder, first);
    for (bool open = true; status == GBS_OK && open;) {
        open = false;
        for (size_t k = 0; k < ranks; k++)
            open = open || undecided(first, found, k);
        if (open)
            status = look(ctx, s, first, found);
        if (open && status == GBS_OK)
            split(first, found, ranks);
    }
    return status;
}

/* ---------------------------------------------------------------- who shares */

static void take_place(const size_t *first, size_t ranks, size_t rank, gbs_spill *s) {
    s->leader = first[rank];
    s->place = s->members = 0;
    s->joint = false;
    for (size_t k = 0; k < ranks; k++) {
        s->place += k < rank && first[k] == first[rank];
        s->members += first[k] == first[rank];
        s->joint = s->joint || first[k] != k; /* somebody shares */
    }
}

static void take_from(const gbs_spill *known, gbs_spill *s) {
    s->joint = known->joint;
    s->leader = known->leader;
    s->place = known->place;
    s->members = known->members;
}

gbs_status gbs_joint_meet(gbs_context *ctx, gbs_spill *spill) {
    gbs_crew *crew = ctx->crew;
    bool memory = spill->folder == NULL;
    spill->joint = false;
    if (crew == NULL || crew->ranks.size < 2)
        return GBS_OK;
    if (memory && crew->memory.members > 0) {
        take_from(&crew->memory, spill);
        return GBS_OK;
    }
    size_t ranks = crew->ranks.size, *first = gbs_array_alloc(ctx, ranks, sizeof *first);
    char *found = gbs_array_alloc(ctx, ranks, 1);
    gbs_status status = first != NULL && found != NULL ? settle(ctx, spill, first, found)
                                                       : GBS_ERR_MEMORY;
    if (status == GBS_OK && first != NULL)
        take_place(first, ranks, crew->ranks.rank, spill);
    if (status == GBS_OK && memory)
        take_from(spill, &crew->memory);
    gbs_array_free(ctx, first);
    gbs_array_free(ctx, found);
    return status;
}
