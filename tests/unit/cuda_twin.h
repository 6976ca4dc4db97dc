/* A device that is not there: the kernels of src/pass/cuda, compiled as C, on threads that take
 * turns, and tables of a driver and of cuBLAS whose memory is this machine's.
 *
 * Each of a block's threads is a coroutine. It runs until it has to wait for the others of its
 * block (__syncthreads) or of its warp (a shuffle, a product); then the next one runs. Blocks come
 * one after the other. What a thread of a warp hands to the others lies in a slot of its own.
 */
#ifndef GIBBSITE_TESTS_CUDA_TWIN_H
#define GIBBSITE_TESTS_CUDA_TWIN_H

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { TWIN_THREADS = 256, TWIN_WARP = 32, TWIN_STACK = 1 << 16, TWIN_SHARED = 232448 };

struct twin_index {
    unsigned int x, y, z;
};

static struct twin_index threadIdx, blockIdx, blockDim, gridDim;
static double twin_shared[TWIN_SHARED / sizeof(double)];
static ucontext_t twin_start, twin_first[TWIN_THREADS];
static jmp_buf twin_back, twin_thread[TWIN_THREADS];
static bool twin_made, twin_ended[TWIN_THREADS];
static void (*twin_kernel)(void *arguments);
static void *twin_arguments;
static double twin_slot[TWIN_THREADS][8];

#define __restrict__ restrict
#define GBS_KERNEL static void
#define GBS_LONE_KERNEL(threads) static void
#define GBS_CROWDED_KERNEL(threads, blocks) static void
#define GBS_DEVICE static inline __attribute__((unused))
#define GBS_SHARED(name) double *name = twin_shared
#define GBS_UNROLL
#define gbs_copy_wait(others) (void)(others)

/* Goes on elsewhere, and comes back here when somebody goes there. */
static __attribute__((noinline)) void twin_switch(jmp_buf *here, jmp_buf *there) {
    if (_setjmp(*here) == 0)
        _longjmp(*there, 1);
}

/* Threads that wait for each other: those of a block, or of one of its warps. */
struct twin_barrier {
    unsigned int members, here, turn;
};
static struct twin_barrier twin_block, twin_warps[TWIN_THREADS / TWIN_WARP];

/* Until all members have come here; the others run meanwhile. */
static inline void twin_wait_at(struct twin_barrier *b) {
    unsigned int me = threadIdx.x, turn = b->turn;
    if (++b->here == b->members) {
        b->here = 0;
        b->turn++;
        return;
    }
    while (b->turn == turn)
        twin_switch(&twin_thread[me], &twin_back);
}

static inline void twin_wait(void) {
    twin_wait_at(&twin_warps[threadIdx.x / TWIN_WARP]);
}

static inline void __syncthreads(void) {
    twin_wait_at(&twin_block);
}

static inline double gbs_shuffle(double x, int mask) {
    twin_slot[threadIdx.x][0] = x;
    twin_wait();
    double other = twin_slot[threadIdx.x ^ (unsigned int)mask][0];
    twin_wait();
    return other;
}

static inline double gbs_one_over_root(double x) {
    return 1.0 / sqrt(x);
}

static inline void gbs_copy_begin(double *to, const double *from) {
    memcpy(to, from, 2 * sizeof *to);
}

static inline void gbs_copy_commit(void) {}

static inline unsigned int atomicAdd(unsigned int *to, unsigned int by) {
    unsigned int before = *to;
    *to += by;
    return before;
}

/* As src/pass/cuda/threads.h says who has what. */
static inline void gbs_multiply(double *c, const double *a, const double *b) {
    unsigned int warp = threadIdx.x / TWIN_WARP * TWIN_WARP, lane = threadIdx.x % TWIN_WARP,
                 g = lane / 4, t = lane % 4;
    memcpy(twin_slot[threadIdx.x], a, 4 * sizeof *a);
    memcpy(twin_slot[threadIdx.x] + 4, b, 2 * sizeof *b);
    twin_wait();
    for (unsigned int half = 0; half < 2; half++)
        for (unsigned int side = 0; side < 2; side++) {
            double sum = c[2 * half + side];
            for (unsigned int k = 0; k < 8; k++) {
                const double *row = twin_slot[warp + g * 4 + k % 4],
                             *column = twin_slot[warp + (2 * t + side) * 4 + k % 4] + 4;
                sum += row[half + 2 * (k / 4)] * column[k / 4];
            }
            c[2 * half + side] = sum;
        }
    twin_wait();
}

/* ---------------------------------------------------------------- running a kernel */

/* A thread lives as long as the program, and takes part in one block after the other. */
static void twin_enter(void) {
    unsigned int me = threadIdx.x;
    if (_setjmp(twin_thread[me]) == 0)
        setcontext(&twin_start);
    for (;;) {
        twin_kernel(twin_arguments);
        twin_ended[me] = true; /* kernels whose threads wait for each other end together */
        twin_switch(&twin_thread[me], &twin_back);
    }
}

static __attribute__((noinline)) void twin_make_thread(unsigned int k) {
    static unsigned char stack[TWIN_THREADS][TWIN_STACK];
    getcontext(&twin_first[k]);
    twin_first[k].uc_stack.ss_sp = stack[k];
    twin_first[k].uc_stack.ss_size = TWIN_STACK;
    makecontext(&twin_first[k], twin_enter, 0);
    threadIdx.x = k;
    swapcontext(&twin_start, &twin_first[k]);
}

static __attribute__((noinline)) void twin_run_block(void) {
    unsigned int left = blockDim.x;
    for (unsigned int k = 0; !twin_made && k < TWIN_THREADS; k++)
        twin_make_thread(k);
    twin_made = true;
    memset(twin_ended, 0, sizeof twin_ended);
    twin_block = (struct twin_barrier){.members = blockDim.x};
    for (unsigned int w = 0; w < blockDim.x / TWIN_WARP; w++)
        twin_warps[w] = (struct twin_barrier){.members = TWIN_WARP};
    while (left > 0)
        for (unsigned int k = 0; k < blockDim.x; k++)
            if (!twin_ended[k]) {
                threadIdx.x = k;
                twin_switch(&twin_back, &twin_thread[k]);
                left -= twin_ended[k] ? 1 : 0;
            }
}

static inline void twin_run(void (*kernel)(void *), void *arguments, unsigned int grid_x,
                            unsigned int grid_y, unsigned int threads, unsigned int shared) {
    twin_kernel = kernel;
    twin_arguments = arguments;
    gridDim = (struct twin_index){grid_x, grid_y, 1};
    blockDim = (struct twin_index){threads, 1, 1};
    for (unsigned int y = 0; y < grid_y; y++)
        for (unsigned int x = 0; x < grid_x; x++) {
            blockIdx = (struct twin_index){x, y, 0};
            memset(twin_shared, 0xff, shared); /* NaN, until something is written */
            twin_run_block();
        }
}

#endif
