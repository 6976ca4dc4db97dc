/* Ranks: MPI is loaded when mpirun has started several processes, and not before.
 *
 * libgibbsite-mpi lies beside the program, in the folder of libraries beside its folder, or where
 * the system finds libraries. A rank is two processes: one works, the other waits for its end. So a
 * rank that is killed, by whom it may be, still ends with a message and exit code 5.
 */
#include "ranks.h"

#include "blas.h"
#include "build_info.h"
#include "digest.h"
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

enum { ARITHMETIC = 200 }; /* room for what a rank computes with, in words */

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

static pid_t watched, starter; /* this rank; who started its watcher */
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
    fprintf(
        stderr,
        "gibbsite: rank %s was lost: killed by signal %d (%s); a file that was to be written is "
        "whole or not there\n",
        rank, WTERMSIG(status), strsignal(WTERMSIG(status)));
    fflush(stderr);
    _exit(EXIT_FILES);
}

/* The child goes on, and does not outlive its watcher. Where there is no room for a second process
 * the rank is not watched. */
static void part(const char *rank) {
    pid_t parent = getpid();
    starter = getppid();
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
    /* Open MPI's copies from one process's memory into another's are not permitted in many
     * containers, and on virtual machines cost more than two plain ones (docs/scale.md) */
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
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

bool ranks_stopped(void) {
    return ranks_many() && (signals_sender() == starter || signals_sender() == getppid());
}

bool ranks_writes(void) {
    return mpi.ranks.rank == 0;
}

/* The number of each rank, by rank; NULL: they cannot be had. */
static int64_t *of_all(int64_t mine) {
    size_t size = mpi.ranks.size, *begin = calloc(size + 1, sizeof *begin);
    int64_t *all = calloc(size, sizeof *all);
    for (size_t k = 0; begin != NULL && k < size; k++)
        begin[k + 1] = begin[k] + sizeof *all;
    if (begin == NULL || all == NULL || mpi.ranks.gather(mpi.ranks.user, &mine, all, begin) != 0) {
        free(all);
        all = NULL;
    }
    free(begin);
    return all;
}

/* The lowest rank whose number is another than that of rank 0. */
static size_t odd_one(const int64_t *all) {
    size_t k = 1;
    while (k < mpi.ranks.size && all[k] == all[0])
        k++;
    return k;
}

/* Some of the ranks could not begin: in its own words, the lowest of those that rank 0 is not. */
static int some_failed(const struct app *app, int code, const char *said) {
    char words[1000] = "";
    int64_t *all = of_all(code);
    size_t k = 0;
    while (all != NULL && k + 1 < mpi.ranks.size && all[k] == 0)
        k++;
    if (code != EXIT_DONE)
        snprintf(words, sizeof words, "%s", said);
    if (all != NULL)
        mpi.ranks.broadcast(mpi.ranks.user, k, words, sizeof words);
    free(all);
    if (code == EXIT_DONE)
        app_fail(app, EXIT_FILES, "rank %zu failed: %s", k, words);
    return EXIT_FILES;
}

static int other_work(const struct app *app, int64_t digest, const char *what) {
    int64_t *all = of_all(digest);
    size_t k = all != NULL ? odd_one(all) : 0;
    free(all);
    return app_fail(app, EXIT_FILES, "rank %zu %s", k, what);
}

/* It goes on: numbers that differ in their last digits are as good, but not the same. */
static void note_arithmetic(const struct app *app, int64_t digest, const char *mine) {
    char other[ARITHMETIC];
    int64_t *all = of_all(digest);
    size_t k = all != NULL ? odd_one(all) : mpi.ranks.size;
    free(all);
    snprintf(other, sizeof other, "%s", mine);
    if (k < mpi.ranks.size && mpi.ranks.broadcast(mpi.ranks.user, k, other, sizeof other) == 0)
        app_note(app,
                 "rank %zu computes with %s, rank 0 with %s: last digits may not be those of one "
                 "process",
                 k, other, mine);
}

static bool reads_standard_input(const struct options *o) {
    const char *file;
    for (size_t k = 0; (file = option_read(o, k, NULL)) != NULL; k++)
        if (strcmp(file, "-") == 0)
            return true;
    return false;
}

/* Every rank comes here once, however it fared so far, before any of them computes or leaves. */
static int meet(const struct app *app, int code, const char *said) {
    enum { CODE, ASKED = 2, FILES = 4, PROGRAM = 6, COMPUTES = 8, MISSING = 10, STDIN, NUMBERS };
    char arithmetic[ARITHMETIC];
    bool well = code == EXIT_DONE;
    blas_describe_arithmetic(arithmetic, sizeof arithmetic);
    int64_t program = digest_text(gbs_version()), computes = digest_text(arithmetic);
    int64_t asked = well ? digest_options(app->command, &app->options) : 0, files = 0;
    bool missing = well && !digest_files(&app->options, &files),
         standard = well && reads_standard_input(&app->options);
    int64_t most[NUMBERS] = {code,    -code,    asked,    -asked,    files,   -files,
                             program, -program, computes, -computes, missing, standard};
    if (mpi.ranks.largest(mpi.ranks.user, most, NUMBERS) != 0)
        return app_fail(app, EXIT_FILES, "the ranks cannot reach one another");
    if (most[PROGRAM] != -most[PROGRAM + 1])
        return other_work(app, program, "is another version of gibbsite than rank 0");
    if (most[CODE] != EXIT_DONE)
        return most[CODE] == -most[CODE + 1] ? code : some_failed(app, code, said);
    if (most[ASKED] != -most[ASKED + 1])
        return other_work(app, asked, "was given other options than rank 0");
    if (most[STDIN] != 0)
        return app_fail(app, EXIT_USAGE,
                        "standard input has one reader and there are %zu ranks: name a file",
                        mpi.ranks.size);
    if (most[MISSING] == 0 && most[FILES] != -most[FILES + 1]) /* else it is told when it is read */
        return other_work(app, files, "was given other files than rank 0");
    if (most[COMPUTES] != -most[COMPUTES + 1])
        note_arithmetic(app, computes, arithmetic);
    return EXIT_DONE;
}

/* mpirun gives the environment that it was started in to the ranks of its own machine alone. */
static bool share_worth(double *worth) {
    const char *text = getenv("GIBBSITE_MPI_WORTH");
    *worth = text != NULL ? strtod(text, NULL) : 0.0;
    return mpi.ranks.broadcast(mpi.ranks.user, 0, worth, sizeof *worth) == 0;
}

int ranks_join(const struct app *app, int code, const char *said) {
    if (!ranks_many())
        return code;
    code = meet(app, code, said);
    if (code != EXIT_DONE)
        return code;
    if (!share_worth(&mpi.ranks.worth))
        return app_fail(app, EXIT_FILES, "the ranks cannot reach one another");
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
    /* a signal to one of them has stopped all, and all end as it does */
    int64_t stopped = code > 128 ? code : 0;
    if (mpi.ranks.largest(mpi.ranks.user, &stopped, 1) == 0 && stopped > 128) {
        if (status_of(code) == GBS_OK || (code > 128 && ranks_stopped()))
            app_fail(app, code, "%s", words);
        return (int)stopped;
    }
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
