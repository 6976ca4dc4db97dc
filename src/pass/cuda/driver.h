/* What the back end uses of CUDA's driver and of cuBLAS, as tables of functions.
 *
 * Both libraries are loaded when a device is asked for (load.c), so that neither is needed to build
 * the library, to link it, or to run without a device. The few declarations below are those of
 * CUDA's documented binary interface. A test hands over tables of its own (tests/unit/cuda_twin.h).
 */
#ifndef GIBBSITE_PASS_CUDA_DRIVER_H
#define GIBBSITE_PASS_CUDA_DRIVER_H

#include <stddef.h>

typedef unsigned long long gbs_cuda_address; /* CUdeviceptr */

/* CUDA_MEMCPY2D */
typedef struct gbs_cuda_copy {
    size_t from_x, from_y;
    int from_kind; /* CUmemorytype */
    const void *from_host;
    gbs_cuda_address from;
    void *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    int to_kind;
    void *to_host;
    gbs_cuda_address to;
    void *to_array;
    size_t to_pitch;
    size_t width, height; /* bytes, rows */
} gbs_cuda_copy;
enum { GBS_CUDA_HOST = 1, GBS_CUDA_DEVICE = 2 };

/* X(name of the function in the library, member, arguments); each returns 0 when all is well. */
#define GBS_CUDA_DRIVER(X)                                                                         \
    X(cuInit, init, (unsigned int flags))                                                          \
    X(cuDeviceGetCount, count, (int *count))                                                       \
    X(cuDeviceGet, get, (int *device, int number))                                                 \
    X(cuDeviceGetName, name, (char *name, int room, int device))                                   \
    X(cuDeviceTotalMem_v2, total_memory, (size_t * bytes, int device))                             \
    X(cuDeviceGetAttribute, attribute, (int *value, int which, int device))                        \
    X(cuDevicePrimaryCtxRetain, retain, (void **context, int device))                              \
    X(cuDevicePrimaryCtxRelease_v2, release, (int device))                                         \
    X(cuCtxPushCurrent_v2, push, (void *context))                                                  \
    X(cuCtxPopCurrent_v2, pop, (void **context))                                                   \
    X(cuModuleLoadData, load, (void **module, const void *image))                                  \
    X(cuModuleUnload, unload, (void *module))                                                      \
    X(cuModuleGetFunction, function, (void **function, void *module, const char *name))            \
    X(cuFuncSetAttribute, set_attribute, (void *function, int which, int value))                   \
    X(cuMemAlloc_v2, allocate, (gbs_cuda_address * address, size_t bytes))                         \
    X(cuMemFree_v2, free, (gbs_cuda_address address))                                              \
    X(cuMemcpyHtoD_v2, to_device, (gbs_cuda_address to, const void *from, size_t bytes))           \
    X(cuMemcpyDtoH_v2, to_host, (void *to, gbs_cuda_address from, size_t bytes))                   \
    X(cuMemcpy2D_v2, copy, (const gbs_cuda_copy *what))                                            \
    X(cuMemsetD8_v2, clear, (gbs_cuda_address address, unsigned char value, size_t bytes))         \
    X(cuCtxSynchronize, wait, (void))                                                              \
    X(cuLaunchKernel, launch,                                                                      \
      (void *function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,              \
       unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,      \
       void *stream, void **arguments, void **extra))                                              \
    X(cuGetErrorName, error_name, (int error, const char **name))

#define GBS_CUDA_BLAS(X)                                                                           \
    X(cublasCreate_v2, create, (void **handle))                                                    \
    X(cublasDestroy_v2, destroy, (void *handle))                                                   \
    X(cublasDgemm_v2, multiply,                                                                    \
      (void *handle, int a_way, int b_way, int m, int n, int k, const double *alpha,               \
       const double *a, int lda, const double *b, int ldb, const double *beta, double *c,          \
       int ldc))

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration takes none */
#define GBS_CUDA_MEMBER(symbol, member, arguments) int(*member) arguments;
typedef struct gbs_cuda_driver {
    GBS_CUDA_DRIVER(GBS_CUDA_MEMBER)
} gbs_cuda_driver;
typedef struct gbs_cuda_blas {
    GBS_CUDA_BLAS(GBS_CUDA_MEMBER)
} gbs_cuda_blas;
#undef GBS_CUDA_MEMBER

/* CUdevice_attribute, CUfunction_attribute, cublasOperation_t */
enum {
    GBS_CUDA_MULTIPROCESSORS = 16,
    GBS_CUDA_CAPABILITY_MAJOR = 75,
    GBS_CUDA_CAPABILITY_MINOR = 76,
    GBS_CUDA_MOST_SHARED = 8,
    GBS_CUDA_AS_IT_IS = 0,
    GBS_CUDA_TRANSPOSED = 1,
    GBS_CUDA_OUT_OF_MEMORY = 2
};

#endif
