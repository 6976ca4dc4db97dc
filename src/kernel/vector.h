/* How kernel files ask the compiler for wide code.
 *
 * GBS_WIDE compiles a function once per instruction set and lets the loader choose, by what the
 * processor can do (not by its maker: arch= would leave out half of them). GBS_VECTOR_MATH makes
 * glibc's libmvec versions of exp and erfc (within 4 ulp) known to the loop vectoriser without
 * relaxing any floating-point rule.
 */
#ifndef GIBBSITE_KERNEL_VECTOR_H
#define GIBBSITE_KERNEL_VECTOR_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GBS_WIDE /* the loader would choose by instrumented code, before the sanitizer is set up */
#elif defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define GBS_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define GBS_WIDE
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__OPTIMIZE__)
#define GBS_VECTOR_MATH __attribute__((simd("notinbranch"), const))
#else
#define GBS_VECTOR_MATH
#endif

#endif
