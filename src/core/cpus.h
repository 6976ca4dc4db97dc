/* How many threads to take when the caller does not say. */
#ifndef GIBBSITE_CORE_CPUS_H
#define GIBBSITE_CORE_CPUS_H

/* What `threads = 0` means: OMP_NUM_THREADS where it is set, else gbs_usable_cpus(); never more
 * than OMP_THREAD_LIMIT. */
int gbs_default_threads(void);

/* CPUs that this process may use at once: those of its affinity mask, and no more than the quota of
 * its cgroup. At least 1. */
int gbs_usable_cpus(void);

/* The CPU quota of this process's cgroup and of those above it, in CPUs; INFINITY without one.
 * Reads ROOT/proc/self/cgroup, ROOT/proc/self/mountinfo and files below ROOT and the mount points
 * named there; root is "" except in tests. */
double gbs_cgroup_cpus(const char *root);

/* The first number of a list such as OMP_NUM_THREADS holds ("4", "4,2"); 0 when it is NULL or does
 * not begin with a whole number above 0. */
int gbs_first_count(const char *list);

#endif
