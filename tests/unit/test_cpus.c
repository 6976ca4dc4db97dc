/* How many threads `threads = 0` takes: environment, cgroups, affinity. */
#include "core/context.h"
#include "core/cpus.h"
#include "unit/scratch.h"
#include "unit/support.h"

#include <errno.h>
#include <ftw.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------- a folder that looks like / */

static char root[SCRATCH_ROOM];

static int make_root(void **state) {
    (void)state;
    return mkdtemp(scratch_name(root)) != NULL ? 0 : -1;
}

static int drop(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static int drop_root(void **state) {
    (void)state;
    return nftw(root, drop, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes ROOT/path, with the folders above it. */
static void put(const char *path, const char *text) {
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        assert_true(mkdir(whole, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#define MOUNTS "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
#define SECOND "30 21 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define FIRST "34 25 0:30 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define UNIFIED "39 25 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
#define INSIDE "34 25 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n"
#define CPUSET "35 25 0:31 / /sys/fs/cgroup/cpuset rw shared:10 - cgroup cgroup rw,cpuset\n"

static double quota(void) {
    return gbs_cgroup_cpus(root);
}

/* ---------------------------------------------------------------- cgroups */

static void without_files_there_is_no_quota(void **state) {
    (void)state;
    assert_true(isinf(quota()));
    put("proc/self/cgroup", "0::/user/me\n");
    assert_true(isinf(quota()));
    put("proc/self/mountinfo", MOUNTS SECOND);
    assert_true(isinf(quota()));
    put("proc/self/mountinfo", "nonsense\n21 1 - cgroup2\n - \n\n");
    assert_true(isinf(quota()));
}

static void version_two_reads_cpu_max(void **state) {
    (void)state;
    put("proc/self/cgroup", "0::/user/me\n");
    put("proc/self/mountinfo", MOUNTS SECOND);
    put("sys/fs/cgroup/user/me/cpu.max", "150000 100000\n");
    assert_close(quota(), 1.5, 0.0, 0.0);
    put("sys/fs/cgroup/user/me/cpu.max", "max 100000\n");
    assert_true(isinf(quota()));
    static const char *const broken[] = {"", "\n", "9\n", "0 9\n", "-1 9\n", "9 0\n", "x y\n"};
    for (size_t k = 0; k < COUNT(broken); k++) {
        put("sys/fs/cgroup/user/me/cpu.max", broken[k]);
        assert_true(isinf(quota()));
    }
}

static void the_tightest_of_the_cgroups_above_counts(void **state) {
    (void)state;
    put("proc/self/cgroup", "0::/user/me\n");
    put("proc/self/mountinfo", MOUNTS SECOND);
    put("sys/fs/cgroup/user/me/cpu.max", "400000 100000\n");
    put("sys/fs/cgroup/user/cpu.max", "250000 100000\n");
    assert_close(quota(), 2.5, 0.0, 0.0);
    put("sys/fs/cgroup/cpu.max", "50000 100000\n");
    assert_close(quota(), 0.5, 0.0, 0.0);
    put("sys/fs/cpu.max", "1000 100000\n"); /* above the mount point is no cgroup */
    assert_close(quota(), 0.5, 0.0, 0.0);
}

static void another_process_s_cgroup_does_not_count(void **state) {
    (void)state;
    put("proc/self/cgroup", "0::/user/me\n");
    put("proc/self/mountinfo", MOUNTS SECOND);
    put("sys/fs/cgroup/user/you/cpu.max", "100000 100000\n");
    put("sys/fs/cgroup/user/me/too/cpu.max", "100000 100000\n");
    assert_true(isinf(quota()));
}

static void version_one_reads_quota_and_period(void **state) {
    (void)state;
    put("proc/self/cgroup", "5:cpuset:/set\n4:cpuacct,cpu:/jobs/7\n1:name=systemd:/\n");
    put("proc/self/mountinfo", MOUNTS CPUSET FIRST);
    put("sys/fs/cgroup/cpuset/jobs/7/cpu.cfs_quota_us", "1\n");
    put("sys/fs/cgroup/cpuset/jobs/7/cpu.cfs_period_us", "1\n");
    put("sys/fs/cgroup/cpu/jobs/7/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/jobs/7/cpu.cfs_period_us", "100000\n");
    assert_true(isinf(quota()));
    put("sys/fs/cgroup/cpu/jobs/7/cpu.cfs_quota_us", "320000\n");
    assert_close(quota(), 3.2, 1e-15, 0.0);
    put("sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us", "100000\n");
    put("sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us", "50000\n");
    assert_close(quota(), 2.0, 0.0, 0.0);
}

/* A machine that mounts both: a quota may be set in either. */
static void both_versions_at_once(void **state) {
    (void)state;
    put("proc/self/cgroup", "4:cpu,cpuacct:/a\n0::/b\n");
    put("proc/self/mountinfo", FIRST UNIFIED);
    put("sys/fs/cgroup/unified/b/cpu.max", "300000 100000\n");
    assert_close(quota(), 3.0, 0.0, 0.0);
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "200000\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    assert_close(quota(), 2.0, 0.0, 0.0);
}

/* In a container the mount point shows the container's own cgroup, which is named from the host. */
static void a_container_s_mount_begins_at_its_own_cgroup(void **state) {
    (void)state;
    put("proc/self/cgroup", "4:cpu,cpuacct:/docker/abc/inner\n");
    put("proc/self/mountinfo", INSIDE);
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "600000\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_close(quota(), 6.0, 0.0, 0.0);
    put("sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "500000\n");
    put("sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
    assert_close(quota(), 5.0, 0.0, 0.0);
    put("proc/self/cgroup", "4:cpu,cpuacct:/elsewhere\n"); /* then what is mounted is all we see */
    assert_close(quota(), 6.0, 0.0, 0.0);
}

/* ---------------------------------------------------------------- environment, affinity */

static void the_first_of_a_list_counts(void **state) {
    (void)state;
    static const struct {
        const char *list;
        int count;
    } cases[] = {{NULL, 0},   {"", 0},   {"4", 4},       {" 4 ", 4},     {"4,2,1", 4},
                 {"3 ,2", 3}, {"0", 0},  {"-2", 0},      {"four", 0},    {"4x", 0},
                 {"2.5", 0},  {",2", 0}, {"1024", 1024}, {"5000", 1024}, {"99999999999999", 1024}};
    for (size_t k = 0; k < COUNT(cases); k++)
        assert_int_equal(gbs_first_count(cases[k].list), cases[k].count);
}

static int threads_of_a_context(int threads) {
    gbs_context *ctx = new_context(threads, 1);
    size_t workers = gbs_workers(ctx);
    gbs_context_free(ctx);
    return (int)workers;
}

static void the_environment_decides(void **state) {
    (void)state;
    unsetenv("OMP_NUM_THREADS");
    unsetenv("OMP_THREAD_LIMIT");
    assert_int_equal(threads_of_a_context(0), gbs_usable_cpus());
    setenv("OMP_NUM_THREADS", "13", 1);
    assert_int_equal(threads_of_a_context(0), 13);
    setenv("OMP_THREAD_LIMIT", "5", 1);
    assert_int_equal(threads_of_a_context(0), 5);
    assert_int_equal(threads_of_a_context(7), 7); /* what the caller says is the caller's */
    setenv("OMP_NUM_THREADS", "junk", 1);
    setenv("OMP_THREAD_LIMIT", "1", 1);
    assert_int_equal(threads_of_a_context(0), 1);
    unsetenv("OMP_NUM_THREADS");
    unsetenv("OMP_THREAD_LIMIT");
}

/* A binding makes a context for each call: what is not needed must cost nothing. */
static void threads_are_counted_once_when_they_are_needed(void **state) {
    (void)state;
    gbs_context *ctx;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    setenv("OMP_NUM_THREADS", "3", 1);
    assert_int_equal(gbs_workers(ctx), 3);
    setenv("OMP_NUM_THREADS", "2", 1);
    assert_int_equal(gbs_workers(ctx), 3);
    assert_int_equal(gbs_context_set_threads(ctx, 0), GBS_OK);
    assert_int_equal(gbs_workers(ctx), 2);
    gbs_context_free(ctx);
    unsetenv("OMP_NUM_THREADS");
}

static void the_affinity_mask_decides(void **state) {
    (void)state;
    cpu_set_t before, one;
    if (sched_getaffinity(0, sizeof before, &before) != 0)
        skip();
    size_t first = 0;
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(threads_of_a_context(0), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_true(gbs_usable_cpus() <= CPU_COUNT(&before));
}

#define in_a_root(test) cmocka_unit_test_setup_teardown(test, make_root, drop_root)

int main(void) {
    const struct CMUnitTest tests[] = {
        in_a_root(without_files_there_is_no_quota),
        in_a_root(version_two_reads_cpu_max),
        in_a_root(the_tightest_of_the_cgroups_above_counts),
        in_a_root(another_process_s_cgroup_does_not_count),
        in_a_root(version_one_reads_quota_and_period),
        in_a_root(both_versions_at_once),
        in_a_root(a_container_s_mount_begins_at_its_own_cgroup),
        cmocka_unit_test(the_first_of_a_list_counts),
        cmocka_unit_test(the_environment_decides),
        cmocka_unit_test(threads_are_counted_once_when_they_are_needed),
        cmocka_unit_test(the_affinity_mask_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
