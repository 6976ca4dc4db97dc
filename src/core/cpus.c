/* How many threads to take when the caller does not say.
 *
 * The machine's cores are the wrong answer in a container, on a cluster and under taskset: more
 * threads than CPUs only wait for each other. So the count is
 *
 *   OMP_NUM_THREADS                                       where the user has set it, else
 *   min(CPUs in the affinity mask, ceil(quota / period))  over its cgroup and those above
 *
 * and at most OMP_THREAD_LIMIT. A quota is read from cpu.max (cgroup v2) or from cpu.cfs_quota_us
 * and cpu.cfs_period_us (v1). A file that cannot be read sets no limit.
 */
#include "core/cpus.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As many as the command line takes. */
enum { MOST_THREADS = 1024 };

int gbs_first_count(const char *list) {
    char *end;
    long n = list != NULL ? strtol(list, &end, 10) : 0;
    if (n <= 0)
        return 0;
    end += strspn(end, " \t");
    if (*end != '\0' && *end != ',')
        return 0;
    return n < MOST_THREADS ? (int)n : MOST_THREADS;
}

/* ---------------------------------------------------------------- cgroups */

/* The first line of a file, without its end. */
static bool first_line(const char *path, char *line, size_t size) {
    FILE *file = fopen(path, "re");
    bool read = file != NULL && fgets(line, (int)size, file) != NULL;
    if (file != NULL)
        fclose(file);
    if (read)
        line[strcspn(line, "\n")] = '\0';
    return read;
}

/* PATH/NAME; false when it is too long. */
static bool join(const char *path, const char *name, char out[PATH_MAX]) {
    int length = snprintf(out, PATH_MAX, "%s/%s", path, name);
    return length >= 0 && length < PATH_MAX;
}

/* quota / period; "max" (v2) and -1 (v1) are no quota. */
static double share(const char *quota, const char *period) {
    double q = strtod(quota, NULL), p = strtod(period, NULL);
    return q > 0.0 && p > 0.0 && isfinite(q) && isfinite(p) ? q / p : INFINITY;
}

static double quota_of(const char *folder, bool second) {
    char path[PATH_MAX], line[128], period[128];
    if (second) {
        if (!join(folder, "cpu.max", path) || !first_line(path, line, sizeof line))
            return INFINITY;
        const char *space = strchr(line, ' ');
        return space != NULL ? share(line, space) : INFINITY;
    }
    if (!join(folder, "cpu.cfs_quota_us", path) || !first_line(path, line, sizeof line) ||
        !join(folder, "cpu.cfs_period_us", path) || !first_line(path, period, sizeof period))
        return INFINITY;
    return share(line, period);
}

struct mount {
    const char *point;
    const char *top; /* the cgroup that is mounted there */
};

/* The least quota from the cgroup `own` up to the mount point. In a container the cgroup at the
 * mount point may be the container's own, which /proc/self/cgroup names from the host's root. */
static double least_quota(const char *root, struct mount m, const char *own, bool second) {
    char folder[PATH_MAX];
    size_t length = strcmp(m.top, "/") == 0 ? 0 : strlen(m.top);
    bool inside = strncmp(own, m.top, length) == 0 && (own[length] == '/' || own[length] == '\0');
    const char *below = inside ? own + length : "";
    int whole = snprintf(folder, sizeof folder, "%s%s%s", root, m.point, below);
    size_t stop = strlen(root) + strlen(m.point);
    double least = INFINITY;
    if (whole < 0 || (size_t)whole >= sizeof folder)
        return INFINITY;
    for (;;) {
        least = fmin(least, quota_of(folder, second));
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < stop)
            return least;
        *slash = '\0';
    }
}

/* Is `word` one of the names in a list with commas? */
static bool listed(const char *list, const char *word) {
    size_t length = strlen(word);
    for (;;) {
        size_t word_length = strcspn(list, ",");
        if (word_length == length && strncmp(list, word, length) == 0)
            return true;
        if (list[word_length] == '\0')
            return false;
        list += word_length + 1;
    }
}

/* The process's cgroup: of version 2 ("0::PATH"), or in the hierarchy of version 1 that has the cpu
 * controller ("4:cpu,cpuacct:PATH"). */
static bool own_cgroup(const char *root, bool second, char own[PATH_MAX]) {
    char path[PATH_MAX], line[PATH_MAX + 256];
    FILE *file = join(root, "proc/self/cgroup", path) ? fopen(path, "re") : NULL;
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *list = strchr(line, ':'), *name = list != NULL ? strchr(++list, ':') : NULL;
        if (name == NULL)
            continue;
        *name++ = '\0';
        found = (second ? list[0] == '\0' : listed(list, "cpu")) && strlen(name) < PATH_MAX;
        if (found)
            snprintf(own, PATH_MAX, "%s", name);
    }
    if (file != NULL)
        fclose(file);
    return found;
}

/* One line of mountinfo, "36 35 98:0 TOP MOUNT options [tags] - TYPE source superoptions". */
static double mounted_quota(const char *root, char *line, const char *own, bool second) {
    char *tail = strstr(line, " - "), *part[5], *save = NULL;
    if (tail == NULL)
        return INFINITY;
    *tail = '\0';
    part[0] = strtok_r(line, " ", &save);
    for (int i = 1; i < 5; i++)
        part[i] = part[i - 1] != NULL ? strtok_r(NULL, " ", &save) : NULL;
    const char *type = strtok_r(tail + 3, " ", &save), *source = strtok_r(NULL, " ", &save);
    const char *options = strtok_r(NULL, " ", &save);
    if (part[4] == NULL || type == NULL || source == NULL || options == NULL)
        return INFINITY;
    if (strcmp(type, second ? "cgroup2" : "cgroup") != 0 || (!second && !listed(options, "cpu")))
        return INFINITY;
    return least_quota(root, (struct mount){.point = part[4], .top = part[3]}, own, second);
}

double gbs_cgroup_cpus(const char *root) {
    double least = INFINITY;
    for (int version = 1; version <= 2; version++) {
        char own[PATH_MAX], path[PATH_MAX], line[2 * PATH_MAX];
        if (!own_cgroup(root, version == 2, own) || !join(root, "proc/self/mountinfo", path))
            continue;
        FILE *file = fopen(path, "re");
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            line[strcspn(line, "\n")] = '\0';
            least = fmin(least, mounted_quota(root, line, own, version == 2));
        }
        if (file != NULL)
            fclose(file);
    }
    return least;
}

/* ---------------------------------------------------------------- all together */

/* CPUs in the affinity mask; a mask of a larger machine wants more room than cpu_set_t has. */
static int allowed_cpus(void) {
    for (int room = CPU_SETSIZE; room <= 1 << 18; room *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)room);
        size_t bytes = CPU_ALLOC_SIZE((size_t)room);
        int count = 0;
        if (set != NULL && sched_getaffinity(0, bytes, set) == 0)
            count = CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (count > 0)
            return count;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < INT_MAX ? (int)online : 1;
}

int gbs_usable_cpus(void) {
    int allowed = allowed_cpus();
    double paid = ceil(gbs_cgroup_cpus(""));
    if (paid < (double)allowed)
        allowed = (int)paid;
    return allowed > 1 ? allowed : 1;
}

int gbs_default_threads(void) {
    int asked = gbs_first_count(getenv("OMP_NUM_THREADS"));
    int most = gbs_first_count(getenv("OMP_THREAD_LIMIT"));
    int threads = asked > 0 ? asked : gbs_usable_cpus();
    if (most > 0 && threads > most)
        threads = most;
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}
