/* Fails the k-th allocation of a program: LD_PRELOAD this object.
 *
 *   FAILMALLOC_AT=k             the k-th call (from 1) of malloc, calloc, realloc, posix_memalign,
 * aligned_alloc, memalign or reallocarray returns NULL with ENOMEM; 0 or unset: none does
 *   FAILMALLOC_COUNT_FILE=name  when the program leaves through exit, the number of calls is
 * written there
 *
 * Calls count from this object's constructor on. The loader runs it after the constructors of the
 * program's libraries, so what OpenBLAS takes when it is loaded stays out. The allocator beneath is
 * glibc's own under its private names: no dlsym, which allocates itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool counting;
static atomic_ullong calls;
static unsigned long long fail_at;
static char count_file[4096]; /* a copy: the program may change its environment */

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAILMALLOC_AT");
    const char *file = getenv("FAILMALLOC_COUNT_FILE");
    fail_at = at != NULL ? strtoull(at, NULL, 10) : 0;
    if (file != NULL && strlen(file) < sizeof count_file)
        memcpy(count_file, file, strlen(file) + 1);
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
    if (atomic_fetch_add(&calls, 1) + 1 != fail_at)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
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
