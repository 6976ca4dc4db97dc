/* OpenBLAS as this program wants it; the library takes it as it finds it.
 *
 * Threads. OpenBLAS would start one for every core when it is loaded, before main, and each maps a
 * buffer of 128 MB. Under a limit on memory it never comes back from that, and under a limit on
 * processes it sends itself SIGINT. The program has threads of its own and wants none of these.
 * OpenBLAS asks a function of its own what OPENBLAS_NUM_THREADS says, and the dynamic linker finds
 * the program's first. (The variable itself cannot be set in time: the C library takes over the
 * environment after all that could run earlier.)
 *
 * Kernels. OpenBLAS knows processors by family and model, and takes one that is younger than itself
 * for the first of its line, Prescott of 2004; products then take two to four times as long. What
 * such a processor can do is asked of itself instead, and OpenBLAS starts again with kernels that
 * use it: before the first product, on the only thread. OPENBLAS_CORETYPE overrules this.
 */
#include "blas.h"

#include "build_info.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) int openblas_num_threads_env(void);

int openblas_num_threads_env(void) {
    return 1;
}

/* Weak: another BLAS does not have them, nor does an OpenBLAS for one type of processor. */
extern char *openblas_get_corename(void) __attribute__((weak));
extern void gotoblas_dynamic_init(void) __attribute__((weak));
extern void gotoblas_dynamic_quit(void) __attribute__((weak));

const char *blas_kernels(void) {
    return openblas_get_corename != NULL ? openblas_get_corename() : "";
}

/* Those of the youngest type whose instructions this processor has; NULL: the oldest will do. */
static const char *kernels_that_fit(void) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return NULL;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    return "Haswell";
#else
    return NULL;
#endif
}

void blas_choose_kernels(void) {
    static const char variable[] = "OPENBLAS_CORETYPE";
    const char *fit = kernels_that_fit();
    if (gotoblas_dynamic_init == NULL || gotoblas_dynamic_quit == NULL || fit == NULL ||
        getenv(variable) != NULL || strcmp(blas_kernels(), "Prescott") != 0)
        return;
    if (setenv(variable, fit, 1) != 0)
        return;
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv(variable); /* what the program starts chooses for itself */
}

/* Those that loops of the library and of libmvec have a version for (src/kernel/vector.h). */
static const char *instructions(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return __builtin_cpu_supports("avx512dq") ? "AVX-512" : "AVX-512 F";
    if (__builtin_cpu_supports("avx2"))
        return __builtin_cpu_supports("fma") ? "AVX2" : "AVX2 without FMA";
    return "SSE2";
#else
    return "one type";
#endif
}

void blas_describe_arithmetic(char *text, size_t room) {
    const char *kernels = blas_kernels();
    snprintf(text, room, "%s%s%s, %s, glibc %s", GBS_BUILD_BLAS, kernels[0] != '\0' ? " for " : "",
             kernels, instructions(), gnu_get_libc_version());
}
