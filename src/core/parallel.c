/* Threads: one loop over numbered tasks, and the switch that keeps OpenBLAS out of the way.
 *
 * Who runs a task is up to the scheduler; what a task computes depends on its number alone, and callers add up task results in
 * order. So the bits are the same for any thread count.
 */
#include "core/context.h"

#include <pthread.h>
#ifdef _OPENMP
#include <omp.h>
#endif

size_t gbs_workers(const gbs_context *ctx) {
    return ctx->threads > 1 ? (size_t)ctx->threads : 1;
}

/* Waking a team costs some 10 microseconds on an idle machine and far more on a busy one. */
#define WORTH_A_TEAM 2e6

void gbs_parallel_for(const gbs_context *ctx, size_t tasks, double flops, gbs_task work, void *arg) {
#ifdef _OPENMP
    if (ctx->threads > 1 && tasks > 1 && flops >= WORTH_A_TEAM) {
        size_t team = gbs_workers(ctx) < tasks ? gbs_workers(ctx) : tasks;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)team)
        for (size_t task = 0; task < tasks; task++)
            work(arg, task, (size_t)omp_get_thread_num());
        return;
    }
#endif
    (void)ctx, (void)flops;
    for (size_t task = 0; task < tasks; task++)
        work(arg, task, 0);
}

/* OpenBLAS has one process-wide thread count; this counter mirrors it. Weak: another BLAS does not have these symbols. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

static pthread_mutex_t serial_lock = PTHREAD_MUTEX_INITIALIZER;
static int serial_depth;
static int threads_before;

void gbs_blas_serial_begin(void) {
    if (openblas_set_num_threads == NULL || openblas_get_num_threads == NULL)
        return;
    pthread_mutex_lock(&serial_lock);
    if (serial_depth++ == 0) {
        threads_before = openblas_get_num_threads();
        if (threads_before != 1)
            openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&serial_lock);
}

void gbs_blas_serial_end(void) {
    if (openblas_set_num_threads == NULL || openblas_get_num_threads == NULL)
        return;
    pthread_mutex_lock(&serial_lock);
    if (--serial_depth == 0 && threads_before != 1)
        openblas_set_num_threads(threads_before);
    pthread_mutex_unlock(&serial_lock);
}
