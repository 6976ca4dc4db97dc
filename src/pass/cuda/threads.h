/* What kernels are written in: the words of CUDA, or, in a test, those of a twin that runs the same
 * kernels on this machine, thread after thread (tests/unit/cuda_twin.h).
 *
 * Kernels keep to what C and CUDA's C++ have in common, and each takes one struct (arguments.h).
 */
#ifndef GIBBSITE_PASS_CUDA_THREADS_H
#define GIBBSITE_PASS_CUDA_THREADS_H

#ifdef __CUDACC__

#define GBS_KERNEL extern "C" __global__ void
/* One block of so many threads to a multiprocessor: it may have all registers. */
#define GBS_LONE_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads, 1)
/* So many blocks to a multiprocessor. */
#define GBS_CROWDED_KERNEL(threads, blocks)                                                        \
    extern "C" __global__ void __launch_bounds__(threads, blocks)
#define GBS_DEVICE static __device__ __forceinline__
#define GBS_SHARED(name) extern __shared__ __align__(16) double name[]
#define GBS_UNROLL _Pragma("unroll")

GBS_DEVICE double gbs_shuffle(double x, int mask) {
    return __shfl_xor_sync(0xffffffffu, x, mask);
}

GBS_DEVICE double gbs_one_over_root(double x) {
    return rsqrt(x);
}

/* Sixteen bytes from the device's memory into shared memory, on their way until waited for. */
GBS_DEVICE void gbs_copy_begin(double *to, const double *from) {
    unsigned int there = (unsigned int)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there), "l"(from));
}

GBS_DEVICE void gbs_copy_commit(void) {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* All groups but the last so many have arrived. */
#define gbs_copy_wait(others) asm volatile("cp.async.wait_group %0;" ::"n"(others) : "memory")

/* c += a b of 16 x 8 and 8 x 8, spread over a warp: with g = lane / 4 and t = lane % 4 a lane has
 * a[g][t], a[g + 8][t], a[g][t + 4], a[g + 8][t + 4]; b[t][g], b[t + 4][g]; c[g][2 t], c[g][2 t +
 * 1], c[g + 8][2 t], c[g + 8][2 t + 1]. */
GBS_DEVICE void gbs_multiply(double *c, const double *a, const double *b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

#elif !defined(GBS_KERNEL)
#error "kernels are for nvcc, or for a test that has included its twin of a device"
#endif

#endif
