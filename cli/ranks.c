/* Ranks: MPI is loaded when mpirun has started several processes, and not before.
 *
 * libgibbsite-mpi lies beside the program, in the folder of libraries beside its folder, or where
 * the system finds libraries. A rank is two processes: one works, the other waits for its end. So a
 * rank that is killed, by whom it may be, still ends with a message and exit code 5.
 */
#include "ranks.h"

#include "build_info.h"
#include "signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libgibbsite-mpi.so.1"

static struct {
    int (*begin)(gbs_ranks *out);
    void (*end)(void);
    void (*words)(char *text, size_t room);
    gbs_ranks ranks; /* .size 0: this process is alone */
} mpi;

/* ---------------------------------------------------------------- the library */

static void *find_library(void) {
    static const char *const places[] = {"", "../" GBS_BUILD_LIBDIR "/"};
    char program[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    void *found = NULL;
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t k = 0; slash != NULL && found == NULL && k < sizeof places / sizeof *places; k++) {
        snprintf(path, sizeof path, "%.*s/%s%s", (int)(slash - program), program, places[k],
                 LIBRARY);
        if (access(path, R_OK) == 0) /* Open MPI's own parts look for symbols among all */
            found = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    return found != NULL ? found : dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
}

static bool load(void) {
    void *library = mpi.begin == NULL ? find_library() : NULL;
    if (library != NULL) {
        /* ISO C has no conversion of an object's address into a function's */
        *(void **)&mpi.end = dlsym(library, "gbs_mpi_end");
        *(void **)&mpi.words = dlsym(library, "gbs_mpi_words");
        if (mpi.end != NULL && mpi.words != NULL)
            *(void **)&mpi.begin = dlsym(library, "gbs_mpi_begin");
    }
    return mpi.begin != NULL;
}

bool ranks_describe(char *text, size_t room) {
    bool there = load();
    if (there)
        mpi.words(text, room);
    else
        snprintf(text, room, "%s is not there", LIBRARY);
    return there;
}

/* ---------------------------------------------------------------- the watcher */

static pid_t watched;
static volatile sig_atomic_t told;

static void pass_on(int number) {
    told = number;
    kill(watched, number);
}

/* Waits for the rank, and ends as it did. */
static void watch(const char *rank) {
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    int status = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    while (waitpid(watched, &status, 0) < 0)
        if (errno != EINTR)
            _exit(EXIT_FILES);
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    if (told != 0)
        _exit(128 + told);
    /* near the end another rank may have written its file, whole */
    fprintf(stderr,
            "gibbsite: rank %s was lost: killed by signal %d (%s); no file is left in part\n", rank,
            WTERMSIG(status), strsignal(WTERMSIG(status)));
    fflush(stderr);
    _exit(EXIT_FILES);
}

/* The child goes on, and does not outlive its watcher. Where there is no room for a second process
 * the rank is not watched. */
static void part(const char *rank) {
    pid_t parent = getpid();
    signal(SIGCHLD, SIG_DFL); /* who started us may have it ignored, and nobody could wait */
    watched = fork();
    if (watched > 0)
        watch(rank);
    if (watched == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_FILES);
    }
}

/* ---------------------------------------------------------------- begin and end */

/* How many were started together, as far as the environment tells: mpirun, srun --mpi=pmix. */
static bool several(const char **rank) {
    const char *off = getenv("GIBBSITE_MPI"), *size = getenv("OMPI_COMM_WORLD_SIZE");
    *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (size == NULL && (*rank = getenv("PMIX_RANK")) != NULL)
        size = getenv("SLURM_NTASKS");
    return !(off != NULL && strcmp(off, "no") == 0) && *rank != NULL && size != NULL &&
           strtol(size, NULL, 10) > 1;
}

int ranks_begin(const struct app *app) {
    const char *rank;
    if (!several(&rank))
        return EXIT_DONE;
    part(rank);
    if (!load()) {
        if (strcmp(rank, "0") == 0)
            app_fail(app, EXIT_USAGE,
                     "several ranks, but %s is not there (GIBBSITE_MPI=no: each works alone)",
                     LIBRARY);
        return EXIT_USAGE;
    }
    if (mpi.begin(&mpi.ranks) != 0)
        return app_fail(app, EXIT_FILES, "rank %s: MPI does not begin", rank);
    int nowhere = mpi.ranks.rank > 0 ? open("/dev/null", O_WRONLY) : -1;
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    return EXIT_DONE;
}

bool ranks_many(void) {
    return mpi.ranks.size > 1;
}

bool ranks_writes(void) {
    return mpi.ranks.rank == 0;
}

int ranks_join(const struct app *app) {
    const char *file;
    if (!ranks_many())
        return EXIT_DONE;
    for (size_t k = 0; (file = option_read(&app->options, k, NULL)) != NULL; k++)
        if (strcmp(file, "-") == 0)
            return app_fail(app, EXIT_USAGE,
                            "standard input has one reader and there are %zu ranks: name a file",
                            mpi.ranks.size);
    const char *worth = getenv("GIBBSITE_MPI_WORTH");
    mpi.ranks.worth = worth != NULL ? strtod(worth, NULL) : 0.0;
    gbs_status status = gbs_context_set_ranks(app->ctx, &mpi.ranks);
    if (status == GBS_OK)
        mpi.ranks.release = NULL; /* the context's, from now on */
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
}

/* As what a rank tells the others. A fit that did not converge is none of theirs. */
static gbs_status status_of(int code) {
    switch (code) {
    case EXIT_DONE:
    case EXIT_NOT_CONVERGED:
        return GBS_OK;
    case EXIT_MEMORY:
        return GBS_ERR_MEMORY;
    case EXIT_USAGE:
        return GBS_ERR_ARGUMENT;
    case EXIT_BAD_DATA:
        return GBS_ERR_DATA;
    case EXIT_FILES:
        return GBS_ERR_IO;
    default:
        return GBS_ERR_CANCELLED;
    }
}

/* GIBBSITE_MPI=traffic: what travelled, for who wants to measure it. */
static void tell_traffic(const struct app *app) {
    const char *wish = getenv("GIBBSITE_MPI");
    uint64_t exchanges, bytes;
    gbs_ranks_traffic(app->ctx, &exchanges, &bytes);
    if (wish != NULL && strcmp(wish, "traffic") == 0)
        fprintf(stderr, "ranks: %llu exchanges, %llu bytes from rank %zu\n",
                (unsigned long long)exchanges, (unsigned long long)bytes, mpi.ranks.rank);
}

int ranks_leave(const struct app *app, int code, const char *said) {
    const char *words;
    if (!ranks_many())
        return code;
    tell_traffic(app);
    gbs_ranks_agree(app->ctx, status_of(code), said);
    if (!gbs_ranks_lost(app->ctx, &words))
        return code;
    /* what has failed here has said so already */
    return status_of(code) == GBS_OK ? app_fail(app, EXIT_FILES, "%s", words)
           : code > 128              ? code
                                     : EXIT_FILES;
}

void ranks_end(void) {
    if (mpi.ranks.size == 0)
        return;
    if (mpi.ranks.release != NULL)
        mpi.ranks.release(mpi.ranks.user);
    mpi.end();
}
