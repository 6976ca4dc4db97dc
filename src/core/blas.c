/* What is asked of OpenBLAS while our threads call it.
 *
 * One thread. We thread over blocks of rows ourselves, and the bits must not depend on the number
 * of cores. OpenBLAS has one thread count for the process; it is put back when the last of our
 * calls ends.
 *
 * Buffers. Every thread inside a product of matrices needs a buffer of 128 MB of address space,
 * which OpenBLAS maps on first use and keeps. Where the mapping fails it tries again for ever
 * (0.3.21, blas_memory_alloc). So each thread's buffer is mapped before its work begins, and only
 * after a trial mapping of that size went well. Without room for the first buffer the call fails;
 * without room for another there are fewer threads.
 *
 * Turns. A build without threads (Debian's libopenblas0-serial) hands out its buffers without a
 * lock: two threads can get the same one, and both compute nonsense. Under such a build calls take
 * turns, each with one thread.
 *
 * A build with OpenMP keeps the count for each thread that calls it, so each thread of the library
 * sets its own.
 *
 * These are the only variables of the library that outlive a call. After a fork the child begins
 * anew: the threads of other calls are not there, and will not give their buffers back.
 */
#include "core/blas.h"

#include <pthread.h>
#include <sys/mman.h>

/* Weak: another BLAS does not have them. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));
extern void *blas_memory_alloc(int purpose) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

/* OpenBLAS's BUFFER_SIZE, which it does not tell, and a page. */
#if defined(__powerpc64__)
#define BUFFER_BYTES (((size_t)256 << 20) + 4096)
#else
#define BUFFER_BYTES (((size_t)128 << 20) + 4096)
#endif
/* As many as Debian's OpenBLAS has places for; with more it prints a warning. */
enum { MOST_BUFFERS = 128 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool unlocked;        /* is it a build without locks? */
static bool by_thread;       /* is it one with OpenMP? */
static pthread_mutex_t turn; /* of builds without locks; recursive */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static int calls;
static int threads_before; /* of OpenBLAS */
static bool inherited;     /* it is at one thread because of calls that a fork left behind */
static size_t promised;    /* buffers, to the calls that run */
static size_t mapped;

static bool is_openblas(void) {
    return openblas_set_num_threads != NULL && openblas_get_num_threads != NULL;
}

/* ---------------------------------------------------------------- fork */

static void new_turn(void) {
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&turn, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

static void before_fork(void) {
    pthread_mutex_lock(&lock);
}

static void after_fork(void) {
    pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void) {
    inherited = inherited || calls > 0;
    calls = 0;
    promised = mapped = 0;
    new_turn(); /* whoever had it is not there, or has another number now */
    pthread_mutex_unlock(&lock);
}

static void prepare(void) {
    int kind = openblas_get_parallel != NULL ? openblas_get_parallel() : 1;
    unlocked = kind == 0;
    by_thread = kind == 2;
    new_turn();
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* ---------------------------------------------------------------- buffers */

static bool room_for_a_buffer(void) {
    int access = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
    /* cppcheck-suppress invalidFunctionArg  ; -1 is no file, as MAP_ANONYMOUS wants it */
    void *trial = mmap(NULL, BUFFER_BYTES, access, kind, -1, 0);
    return trial != MAP_FAILED && munmap(trial, BUFFER_BYTES) == 0;
}

/* Makes OpenBLAS map `count` buffers, or as many as there is room for, by holding all of them. */
static size_t map_buffers(size_t count) {
    void *held[MOST_BUFFERS];
    size_t n = 0, most = count < MOST_BUFFERS ? count : MOST_BUFFERS;
    while (n < most && room_for_a_buffer() && (held[n] = blas_memory_alloc(0)) != NULL)
        n++;
    for (size_t i = 0; i < n; i++)
        blas_memory_free(held[i]);
    return n;
}

/* Under the lock. */
static size_t promise(size_t count) {
    if (blas_memory_alloc == NULL || blas_memory_free == NULL)
        return count;
    if (promised + count > mapped) {
        size_t n = map_buffers(promised + count);
        mapped = n > mapped ? n : mapped;
    }
    size_t left = mapped > promised ? mapped - promised : 0;
    count = count < left ? count : left;
    promised += count;
    return count;
}

/* ---------------------------------------------------------------- calls */

bool gbs_blas_enter(void) {
    if (!is_openblas())
        return true;
    pthread_once(&once, prepare);
    if (unlocked)
        pthread_mutex_lock(&turn);
    pthread_mutex_lock(&lock);
    if (calls == 0 && !inherited)
        threads_before = openblas_get_num_threads();
    if (threads_before != 1 && (calls == 0 || by_thread))
        openblas_set_num_threads(1);
    inherited = false;
    calls++;
    bool room = promise(1) == 1;
    pthread_mutex_unlock(&lock);
    if (!room)
        gbs_blas_leave(0);
    return room;
}

size_t gbs_blas_widen(size_t threads) {
    if (!is_openblas())
        return threads;
    if (unlocked)
        return 0;
    pthread_mutex_lock(&lock);
    size_t room = promise(threads);
    pthread_mutex_unlock(&lock);
    return room;
}

void gbs_blas_join(void) {
    if (!by_thread)
        return;
    pthread_mutex_lock(&lock);
    openblas_set_num_threads(1);
    pthread_mutex_unlock(&lock);
}

bool gbs_blas_takes_turns(void) {
    return unlocked;
}

void gbs_blas_leave(size_t threads) {
    if (!is_openblas())
        return;
    pthread_mutex_lock(&lock);
    /* a callback may have forked, and this be the child, which began anew */
    promised -= threads < promised ? threads : promised;
    calls -= calls > 0;
    if (threads_before != 1 && (calls == 0 || by_thread))
        openblas_set_num_threads(threads_before);
    pthread_mutex_unlock(&lock);
    if (unlocked)
        pthread_mutex_unlock(&turn);
}
