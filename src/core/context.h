/* The context: memory, messages, progress, cancellation, threads and the seed of one caller.
 *
 * Every internal function that can fail takes the context first and returns a gbs_status; the text
 * of a failure is left here.
 */
#ifndef GIBBSITE_CORE_CONTEXT_H
#define GIBBSITE_CORE_CONTEXT_H

#include "gibbsite.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message may name a file, a line, a column, a text and what was expected. */
enum { GBS_MESSAGE_ROOM = 1024 };

/* What passes over rows run on, where it is not this machine's processors (pass/device.c). */
typedef struct gbs_device {
    const struct gbs_pass_ops *pass;
    void (*release)(gbs_context *ctx, struct gbs_device *device);
} gbs_device;

/* A part of a stage, from a share of it to another; both 0: all of it. */
typedef struct gbs_stretch {
    double from, to;
} gbs_stretch;

struct gbs_context {
    gbs_allocator allocator;
    atomic_size_t references; /* the caller's, and one for each handle and each text handed out */
    gbs_log_callback log;
    gbs_progress_callback progress;
    gbs_cancel_callback cancel;
    void *log_user, *progress_user, *cancel_user;
    double cancel_pause, cancel_asked; /* seconds; when it was asked last */
    void (*waiting)(void *user); /* called by and by while the caller waits for its team, or NULL */
    void *waiting_user;
    int threads; /* 0: not counted yet (gbs_context_count) */
    int cpus;    /* that the process may use: a larger team does not look for work, it sleeps */
    uint64_t seed;
    double progress_reached; /* of the running stage; it never goes back */
    gbs_stretch progress_stretch;  /* of the stage, that what computes now goes through */
    uint64_t pairs_seen;     /* pairs whose loss and slopes were computed, since the context began;
                                added to atomically */
    int computing;           /* gbs_compute_begin without its end */
    struct gbs_team *team;   /* of the call that computes; NULL before it first needs one */
    gbs_device *device;      /* NULL: this machine's processors */
    struct gbs_crew *crew;   /* NULL: this process is not one of several ranks (core/ranks.h) */
    char error[GBS_MESSAGE_ROOM];
};

/* One more who needs the context's memory, and one less: the last to leave gives it back. */
void gbs_context_retain(gbs_context *ctx);
void gbs_context_release(gbs_context *ctx);

/* Counts the threads and processors of a context that was not told of them, when they are first
 * needed: it reads a dozen files, hundreds of times what a prediction of one row takes. */
void gbs_context_count(gbs_context *ctx);

/* GBS_ERR_ARGUMENT, naming the function, while a call computes: a callback may ask for anything. */
gbs_status gbs_context_idle(gbs_context *ctx, const char *function);

/* Zeroed memory for a handle, which keeps its context alive until gbs_handle_free (NULL is
 * ignored): handles and context may go in any order, on any thread. */
void *gbs_handle_alloc(gbs_context *ctx, size_t size);
void gbs_handle_free(gbs_context *ctx, void *handle);

/* Arrays of count elements, zeroed, aligned to a cache line. NULL, and the error set, when out of
 * memory or on overflow. count 0 gives a valid pointer. Taken back by gbs_array_free, which takes
 * NULL. */
void *gbs_array_alloc(gbs_context *ctx, size_t count, size_t size);
/* The same in the memory of `owner`, the context of a handle; a failure is told on ctx. */
void *gbs_array_alloc_for(gbs_context *ctx, gbs_context *owner, size_t count, size_t size);
/* The array with room for `count` elements: those among its first `used` keep their values, others
 * have none yet. NULL is an array of none. On failure NULL, and the array is as before. */
void *gbs_array_resize(gbs_context *ctx, void *array, size_t used, size_t count, size_t size);
/* The same for an array that grows by and by: room for `needed`, half as much again where that is
 * more than *capacity. */
void *gbs_array_grow(gbs_context *ctx, void *array, size_t *capacity, size_t needed, size_t size);
void gbs_array_free(const gbs_context *ctx, void *array);
/* An array in a block of mapped memory, `offset` behind its start, which gbs_array_free unmaps; it
 * cannot be resized (pages.h). */
void *gbs_array_at(gbs_context *ctx, void *block, size_t mapped, size_t offset);
double *gbs_doubles(gbs_context *ctx, size_t count);
/* count = a * b, checked. */
double *gbs_matrix(gbs_context *ctx, size_t rows, size_t columns);

/* Sets the error text and returns the status: `return gbs_fail(ctx, GBS_ERR_DATA, "...")`. */
gbs_status gbs_fail(gbs_context *ctx, gbs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void gbs_log(gbs_context *ctx, gbs_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Never moves back within a stage: coarse solves and second starts only fill what is ahead. */
void gbs_progress_begin(gbs_context *ctx);
void gbs_progress(gbs_context *ctx, const char *stage, double done);
/* What is told from now on goes from one share to the other of what it went through so far, which
 * is handed back, for gbs_progress_widen. */
gbs_stretch gbs_progress_narrow(gbs_context *ctx, double from, double to);
void gbs_progress_widen(gbs_context *ctx, gbs_stretch before);
/* Counts them in pairs_seen. */
void gbs_see_pairs(gbs_context *ctx, double pairs);
/* GBS_ERR_CANCELLED when the caller wants to stop. */
gbs_status gbs_check_cancel(gbs_context *ctx);
/* Before each task of a long loop: worker 0, which is the caller's thread, asks. True for all once
 * the caller wants to stop: what is left is left out, and the loop's owner returns the status. */
bool gbs_loop_stopped(gbs_context *ctx, size_t worker, atomic_int *status);

/* Seconds on a clock that only goes forward. */
double gbs_now(void);

/* Every call of the library that computes does so between these two, on one thread; they nest.
 * There products of matrices start no threads of their own and have their work space, and the
 * context's threads live from the first loop that is worth them to the end. GBS_ERR_MEMORY, and
 * nothing to end, when there is no room for the work space. */
gbs_status gbs_compute_begin(gbs_context *ctx);
void gbs_compute_end(gbs_context *ctx);

/* Runs work(arg, task, worker) for task = 0 .. tasks - 1 on the context's threads, or as many as
 * the system starts; worker < gbs_workers(ctx) names the scratch space to use, 0 is the caller.
 * With one thread, or too few `flops` in all to be worth waking the others, it is a plain loop. A
 * task does not come here again with the same context. */
typedef void (*gbs_loop_body)(void *arg, size_t task, size_t worker);
void gbs_parallel_for(gbs_context *ctx, size_t tasks, double flops, gbs_loop_body work, void *arg);
size_t gbs_workers(gbs_context *ctx);

#endif
