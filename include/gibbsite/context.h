/* The context: memory, messages, threads, the seed; and random numbers. */
#ifndef GIBBSITE_CONTEXT_H
#define GIBBSITE_CONTEXT_H

#include "gibbsite/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- context */

/* Both functions or neither. The struct is frozen: it stays as it is. `user` is handed back; what
 * it points at must last until the context and the last of its handles and texts are freed. Calls
 * come from several threads at once when the context has more than one, and from the thread that
 * frees a handle. What the libraries underneath take for themselves (jansson, OpenBLAS) is outside
 * these hooks. */
typedef struct gbs_allocator {
    void *(*allocate)(size_t bytes, void *user);
    void (*release)(void *memory, void *user);
    void *user;
} gbs_allocator;

/* How much a message matters. */
typedef enum gbs_log_level { GBS_LOG_DEBUG = 0, GBS_LOG_INFO, GBS_LOG_WARNING } gbs_log_level;

/* Called on the thread that called the library, never from its workers. */
typedef void (*gbs_log_callback)(gbs_log_level level, const char *message, void *user);
/* `done` runs from 0 to 1 within one `stage`. */
typedef void (*gbs_progress_callback)(const char *stage, double done, void *user);
/* Non-zero: stop as soon as possible with GBS_ERR_CANCELLED. */
typedef int (*gbs_cancel_callback)(void *user);

/* allocator NULL: malloc and free. No callbacks yet, threads as the machine offers them, seed 1. */
GBS_API gbs_status gbs_context_create(const gbs_allocator *allocator, gbs_context **out);
/* Whom to tell, and whom to ask whether to go on; `user` is handed back to that callback. NULL:
 * nobody. */
GBS_API gbs_status gbs_context_set_log(gbs_context *ctx, gbs_log_callback log, void *user);
GBS_API gbs_status gbs_context_set_progress(gbs_context *ctx, gbs_progress_callback progress,
                                            void *user);
GBS_API gbs_status gbs_context_set_cancel(gbs_context *ctx, gbs_cancel_callback cancel, void *user);
/* Asks it at most once in so many seconds, by the clock: for a slow callback, such as one that
 * takes a lock. 0, the default: as often as the library looks up, many times a second. */
GBS_API gbs_status gbs_context_set_cancel_pause(gbs_context *ctx, double seconds);
/* Threads of the calls to come: at most so many, and more than 128 are never started. 0:
 * OMP_NUM_THREADS where it is set, else the CPUs that the process may use by its affinity mask and
 * by the CPU quota of its cgroup (rounded up), and no more than OMP_THREAD_LIMIT. Ranks agree on a
 * number (gbs_context_set_ranks): afterwards it is GBS_ERR_ARGUMENT, as while a call computes. They
 * are counted when a call first needs them, once. */
GBS_API gbs_status gbs_context_set_threads(gbs_context *ctx, int threads);
/* Seed of every random number of the calls to come; GBS_ERR_ARGUMENT while a call computes. */
GBS_API gbs_status gbs_context_set_seed(gbs_context *ctx, uint64_t seed);
/* What the passes over rows of the calls to come run on: "cpu", the processors of this machine, or
 * "cuda", an NVIDIA GPU (its first one, in double precision; sums in another order, so that numbers
 * agree to some 1e-12 and not to the bit). GBS_ERR_ARGUMENT, and a message that says what is
 * missing, where there is no such device, and for "cuda" where the context is one of several ranks;
 * all is then as before. Not while a call computes. The option `device` is for one call. */
GBS_API gbs_status gbs_context_set_device(gbs_context *ctx, const char *device);
/* The k-th device that the library knows by name; NULL beyond the last. */
GBS_API const char *gbs_device_name(size_t k);
/* What is there of a device on this machine, in words, into `text` (`room` bytes, its end
 * included): its model and memory, or why it cannot be used, which is also told by the status. */
GBS_API gbs_status gbs_device_describe(gbs_context *ctx, const char *device, char *text,
                                       size_t room);
/* Frees the context, before or after what was made with it: its memory goes with the last of them.
 * Its callbacks are not called any more. NULL is ignored. */
GBS_API void gbs_context_free(gbs_context *ctx);
/* The message of the last call that failed on this context; "" when none failed. Valid until the
 * next call on the context. */
GBS_API const char *gbs_error_message(const gbs_context *ctx);
/* Frees a text that the library returned (gbs_model_to_json); NULL is ignored. The text knows where
 * it came from: ctx may be NULL, another context, or freed. */
GBS_API void gbs_release(gbs_context *ctx, void *memory);

/* ---------------------------------------------------------------- random numbers */

/* Counter-based: the value depends on (seed of the context, stream, index) alone. NaN without a
 * context. */
GBS_API double gbs_random_uniform(const gbs_context *ctx, uint64_t stream,
                                  uint64_t index); /* in (0, 1) */
GBS_API double gbs_random_normal(const gbs_context *ctx, uint64_t stream, uint64_t index);

/* What `gibbsite simulate` and the packages for Python and R draw from such numbers where nobody
 * says otherwise. Of rows: how many, the number of features, the share of labels flipped. */
#define GBS_SIMULATED_ROWS 1000
#define GBS_SIMULATED_COLS 10
#define GBS_SIMULATED_FLIPS 0.1
/* Of ratings: the number of columns, the rank of the matrix, the standard deviation of the noise,
 * the share of cells that are rated. */
#define GBS_SIMULATED_RATED 1000
#define GBS_SIMULATED_RANK 5
#define GBS_SIMULATED_NOISE 0.5
#define GBS_SIMULATED_SHARE 0.1

#ifdef __cplusplus
}
#endif

#endif
