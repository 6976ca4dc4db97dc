/* Fails the k-th allocation of a program: LD_PRELOAD this object.
 *
 *   FAILMALLOC_AT=k             the k-th call (from 1) of malloc, calloc, realloc, posix_memalign,
 *                               aligned_alloc, memalign or reallocarray returns NULL with ENOMEM;
 *                               0 or unset: none does
 *   FAILMALLOC_COUNT_FILE=name  when the program leaves through exit, the number of calls is
 *                               written there
 *   FAILMALLOC_EACH=a:b:c:name  the program runs for k = a, a + c, ... up to b, one after the
 *                               other, each in an empty folder, name.a; what a run leaves there is
 *                               found in name.a.k. For each run a line `== k status` is printed,
 *                               with its exit status as a shell has it (124: it was not done after
 *                               a minute), and then its standard error. A run is a copy of the
 *                               process, so that what comes before the k-th call is computed once
 *                               for all k: one process, the pilot, runs through with nothing
 *                               refused and copies itself at each k. From where it holds a file
 *                               that is open for writing, which copies would share, each run is a
 *                               copy of the process as it stands before main.
 *
 * Calls count from this object's constructor on. The loader runs it after the constructors of the
 * program's libraries, so what OpenBLAS takes when it is loaded stays out. So does what its kernels
 * of small products take for a moment by malloc: they do not look whether they got it, and nobody
 * who calls them can. The allocator beneath is glibc's own under its private names: no dlsym, which
 * allocates itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool counting;
static atomic_ullong calls;
static unsigned long long fail_at;
static uintptr_t blas_from, blas_to; /* where the code of OpenBLAS lies */
static char count_file[4096];        /* a copy: the program may change its environment */

/* What a shell would say of the child; after a minute it is killed. SIGCHLD is blocked. */
static int status_of(pid_t child, const sigset_t *ended) {
    const struct timespec minute = {.tv_sec = 60};
    int status;
    while (waitpid(child, &status, WNOHANG) == 0)
        if (sigtimedwait(ended, NULL, &minute) < 0 && errno == EAGAIN) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return 124;
        }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What FAILMALLOC_EACH asks for, in memory that the copies share. */
struct each {
    unsigned long long next, last, step; /* next: the k that is to come */
    char folder[2100];
};
static struct each *each;
static int told;              /* where statuses are printed */
static int words[2];          /* files without a name: standard output and error of the runs */
static bool is_pilot;         /* this process is the pilot */
static sigset_t ended, usual; /* SIGCHLD; the signals that are blocked without us */

enum { MOST_FILES = 64 };

/* At a number that the program's own files do not reach. */
static int apart(int fd) {
    int number = fcntl(fd, F_DUPFD_CLOEXEC, MOST_FILES);
    if (number < 0)
        _exit(200);
    return number;
}

/* In a copy: its folder, and where its words go. */
static void settle(const char *folder) {
    if (chdir(folder) != 0 || dup2(words[0], STDOUT_FILENO) < 0 ||
        dup2(words[1], STDERR_FILENO) < 0)
        _exit(200);
}

/* How a run ended and what it said on standard error; the two files are empty again. No dprintf:
 * it allocates, which the pilot would count. */
static void report(unsigned long long k, int status) {
    char line[64];
    off_t at = 0;
    int length = snprintf(line, sizeof line, "\n== %llu %d\n", k, status);
    if (write(told, line, (size_t)length) != length)
        _exit(200);
    while (sendfile(told, words[1], &at, 1 << 20) > 0)
        ;
    for (int i = 0; i < 2; i++)
        if (ftruncate(words[i], 0) != 0 || lseek(words[i], 0, SEEK_SET) != 0)
            _exit(200);
}

/* Moves the folder away if a run left something there, and makes it anew. No readdir, for
 * the same reason. */
static void tidy(unsigned long long k) {
    char entries[1024], moved[2200];
    int folder = open(each->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long size = folder < 0 ? -1 : syscall(SYS_getdents64, folder, entries, sizeof entries);
    const long two = 48; /* bytes of the entries . and .., 24 each */
    if (size < 0)
        _exit(200);
    close(folder);
    if (size <= two)
        return;
    snprintf(moved, sizeof moved, "%s.%llu", each->folder, k);
    if (rename(each->folder, moved) != 0 || mkdir(each->folder, 0777) != 0)
        _exit(200);
}

/* True in the copy, whose k-th call is to be refused. */
static bool copy(unsigned long long k) {
    pid_t child = fork();
    if (child < 0)
        _exit(200);
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &usual, NULL);
        settle(each->folder);
        is_pilot = false;
        fail_at = k;
        return true;
    }
    report(k, status_of(child, &ended));
    tidy(k);
    return false;
}

/* Where files that are open stand; true when one is open for writing. */
static bool writes(off_t *offset) {
    bool found = false;
    for (int fd = STDERR_FILENO + 1; fd < MOST_FILES; fd++) {
        int flags = fcntl(fd, F_GETFL);
        offset[fd] = flags >= 0 ? lseek(fd, 0, SEEK_CUR) : -1;
        found = found || (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY);
    }
    return found;
}

/* The pilot is at the call each->next. True in the copy, for which it fails. */
static bool stop_over(void) {
    off_t offset[MOST_FILES];
    int kept = errno;
    if (writes(offset))
        _exit(0); /* the others go from the start */
    if (copy(each->next))
        return true;
    for (int fd = STDERR_FILENO + 1; fd < MOST_FILES; fd++)
        if (offset[fd] >= 0) /* the copy read on */
            lseek(fd, offset[fd], SEEK_SET);
    each->next += each->step;
    if (each->next > each->last)
        _exit(0);
    errno = kept;
    return false;
}

/* Returns in the copies and in the pilot alone, the copies with their k. */
static void run_each(const char *text) {
    char pilots[2200];
    int read = 0, status;
    unsigned long long first, last, step;
    int values = sscanf(text, "%llu:%llu:%llu:%n", &first, &last, &step, &read);
    /* cppcheck-suppress invalidFunctionArg ; no file is behind it */
    each = mmap(NULL, sizeof *each, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (values != 3 || read == 0 || step < 1 || each == MAP_FAILED || strlen(text + read) > 2048)
        _exit(200);
    *each = (struct each){.next = first, .last = last, .step = step};
    snprintf(each->folder, sizeof each->folder, "%s.%llu", text + read, first);
    snprintf(pilots, sizeof pilots, "%s.pilot", each->folder);
    if (mkdir(each->folder, 0777) != 0 || mkdir(pilots, 0777) != 0)
        _exit(200);
    told = apart(STDOUT_FILENO);
    for (int i = 0; i < 2; i++) {
        int file = memfd_create("words", MFD_CLOEXEC);
        words[i] = apart(file);
        close(file);
    }
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &usual);
    pid_t pilot = fork();
    if (pilot < 0)
        _exit(200);
    if (pilot == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0 ||
            chdir(pilots) != 0)
            _exit(200);
        close(nowhere);
        is_pilot = true;
        return;
    }
    if (waitpid(pilot, &status, 0) != pilot)
        _exit(200);
    for (; each->next <= last; each->next += step)
        if (copy(each->next))
            return;
    _exit(0);
}

static int find_blas(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size, (void)user;
    if (info->dlpi_name == NULL || strstr(info->dlpi_name, "openblas") == NULL)
        return 0;
    for (int k = 0; k < info->dlpi_phnum; k++)
        if (info->dlpi_phdr[k].p_type == PT_LOAD && (info->dlpi_phdr[k].p_flags & PF_X)) {
            blas_from = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
            blas_to = blas_from + info->dlpi_phdr[k].p_memsz;
        }
    return 1;
}

__attribute__((constructor)) static void begin(void) {
    dl_iterate_phdr(find_blas, NULL);
    const char *at = getenv("FAILMALLOC_AT");
    const char *file = getenv("FAILMALLOC_COUNT_FILE");
    fail_at = at != NULL ? strtoull(at, NULL, 10) : 0;
    if (file != NULL && strlen(file) < sizeof count_file)
        memcpy(count_file, file, strlen(file) + 1);
    const char *asked = getenv("FAILMALLOC_EACH");
    if (asked != NULL)
        run_each(asked);
    atomic_store(&counting, true);
}

__attribute__((destructor)) static void end(void) {
    atomic_store(&counting, false);
    if (count_file[0] == '\0')
        return;
    char text[32];
    int length = snprintf(text, sizeof text, "%llu\n", atomic_load(&calls));
    int fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    if (write(fd, text, (size_t)length) != length)
        ftruncate(fd, 0);
    close(fd);
}

/* True when this call is the one that must fail. */
static bool fails(void) {
    if (!atomic_load(&counting))
        return false;
    unsigned long long call = atomic_fetch_add(&calls, 1) + 1;
    if (is_pilot ? call != each->next || !stop_over() : call != fail_at)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    bool blas = caller >= blas_from && caller < blas_to;
    return !blas && fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return fails() ? NULL : __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size) {
    size_t bytes;
    if (fails())
        return NULL;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(memory, bytes);
}

void *memalign(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    if (fails())
        return ENOMEM;
    int before = errno; /* posix_memalign tells by its value and leaves errno alone */
    void *memory = __libc_memalign(alignment, size);
    errno = before;
    if (memory == NULL)
        return ENOMEM;
    *out = memory;
    return 0;
}
