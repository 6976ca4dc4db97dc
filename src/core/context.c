/* The context and what hangs on it: memory, error text, log, progress, cancellation. */
#include "core/context.h"

#include "core/cpus.h"
#include "core/ranks.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { CACHE_LINE = 64, LEAST_GROWN = 16 };

static void *plain_allocate(size_t bytes, void *user) {
    (void)user;
    return malloc(bytes);
}

static void plain_release(void *memory, void *user) {
    (void)user;
    free(memory);
}

gbs_status gbs_context_create(const gbs_allocator *allocator, gbs_context **out) {
    if (out == NULL)
        return GBS_ERR_ARGUMENT;
    *out = NULL;
    gbs_allocator a = allocator != NULL ? *allocator : (gbs_allocator){0};
    if ((a.allocate != NULL) != (a.release != NULL))
        return GBS_ERR_ARGUMENT;
    if (a.allocate == NULL)
        a = (gbs_allocator){plain_allocate, plain_release, NULL};
    gbs_context *ctx = a.allocate(sizeof *ctx, a.user);
    if (ctx == NULL)
        return GBS_ERR_MEMORY;
    *ctx = (gbs_context){.allocator = a, .references = 1, .seed = 1};
    *out = ctx;
    return GBS_OK;
}

void gbs_context_count(gbs_context *ctx) {
    if (ctx->threads == 0)
        ctx->threads = gbs_default_threads();
    if (ctx->cpus == 0)
        ctx->cpus = ctx->threads == 1 ? 1 : gbs_usable_cpus();
}

gbs_status gbs_context_set_log(gbs_context *ctx, gbs_log_callback log, void *user) {
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    ctx->log = log;
    ctx->log_user = user;
    return GBS_OK;
}

gbs_status gbs_context_set_progress(gbs_context *ctx, gbs_progress_callback progress, void *user) {
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    ctx->progress = progress;
    ctx->progress_user = user;
    return GBS_OK;
}

gbs_status gbs_context_set_cancel(gbs_context *ctx, gbs_cancel_callback cancel, void *user) {
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    ctx->cancel = cancel;
    ctx->cancel_user = user;
    return GBS_OK;
}

gbs_status gbs_context_set_cancel_pause(gbs_context *ctx, double seconds) {
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    if (!(seconds >= 0.0) || !isfinite(seconds))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "seconds must be a number from 0, not %g", seconds);
    ctx->cancel_pause = seconds;
    ctx->cancel_asked = gbs_now();
    return GBS_OK;
}

/* Arrays of a call are made for its threads, and its random numbers are those of one seed. */
gbs_status gbs_context_idle(gbs_context *ctx, const char *function) {
    if (ctx->computing == 0)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "%s: not while a call on the context computes",
                    function);
}

gbs_status gbs_context_set_threads(gbs_context *ctx, int threads) {
    if (ctx == NULL || threads < 0)
        return GBS_ERR_ARGUMENT;
    gbs_status status = gbs_context_idle(ctx, "gbs_context_set_threads");
    if (status != GBS_OK)
        return status;
    if (ctx->crew != NULL) /* which have agreed on a number */
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "threads are set before gbs_context_set_ranks");
    ctx->threads = threads;
    ctx->cpus = 0;
    return GBS_OK;
}

gbs_status gbs_context_set_seed(gbs_context *ctx, uint64_t seed) {
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    gbs_status status = gbs_context_idle(ctx, "gbs_context_set_seed");
    if (status == GBS_OK)
        ctx->seed = seed;
    return status;
}

void gbs_context_retain(gbs_context *ctx) {
    atomic_fetch_add_explicit(&ctx->references, 1, memory_order_relaxed);
}

/* Release: what this thread did with the context comes before its end. Acquire: so does what the
 * others did. */
void gbs_context_release(gbs_context *ctx) {
    if (atomic_fetch_sub_explicit(&ctx->references, 1, memory_order_acq_rel) != 1)
        return;
    if (ctx->device != NULL)
        ctx->device->release(ctx, ctx->device);
    gbs_crew_free(ctx);
    ctx->allocator.release(ctx, ctx->allocator.user);
}

/* Handles may outlive the caller's interest, and what the callbacks' `user` points at need not. */
void gbs_context_free(gbs_context *ctx) {
    if (ctx == NULL)
        return;
    gbs_context_set_log(ctx, NULL, NULL);
    gbs_context_set_progress(ctx, NULL, NULL);
    gbs_context_set_cancel(ctx, NULL, NULL);
    gbs_context_release(ctx);
}

void *gbs_handle_alloc(gbs_context *ctx, size_t size) {
    void *handle = gbs_array_alloc(ctx, 1, size);
    if (handle != NULL)
        gbs_context_retain(ctx);
    return handle;
}

void gbs_handle_free(gbs_context *ctx, void *handle) {
    if (handle == NULL)
        return;
    gbs_array_free(ctx, handle);
    gbs_context_release(ctx);
}

const char *gbs_error_message(const gbs_context *ctx) {
    return ctx != NULL ? ctx->error : gbs_status_message(GBS_ERR_ARGUMENT);
}

const char *gbs_version(void) {
    return GBS_VERSION;
}

const char *gbs_status_message(gbs_status status) {
    switch (status) {
    case GBS_OK:
        return "done";
    case GBS_ERR_ARGUMENT:
        return "an argument is out of range";
    case GBS_ERR_DATA:
        return "the data cannot be used";
    case GBS_ERR_MEMORY:
        return "out of memory";
    case GBS_ERR_CANCELLED:
        return "cancelled";
    case GBS_ERR_NUMERIC:
        return "the computation broke down";
    case GBS_ERR_FORMAT:
        return "not a model this version can read";
    case GBS_ERR_IO:
        return "the file system refused";
    }
    return "unknown status";
}

/* Kept just before an array: what the hook gave, and whose hook it was; or the bytes of a file that
 * are mapped there (pages.c), 0: none. */
struct origin {
    void *block;
    gbs_context *owner;
    size_t mapped;
};

static struct origin origin_of(const void *array) {
    struct origin origin;
    memcpy(&origin, (const unsigned char *)array - sizeof origin, sizeof origin);
    return origin;
}

static void *no_room(gbs_context *ctx, size_t count, size_t size) {
    gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory: an array of %zu elements of %zu bytes", count,
             size);
    return NULL;
}

void *gbs_array_alloc_for(gbs_context *ctx, gbs_context *owner, size_t count, size_t size) {
    size_t bytes, room = CACHE_LINE + sizeof(struct origin);
    if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(bytes, room, &bytes))
        return no_room(ctx, count, size);
    unsigned char *block = owner->allocator.allocate(bytes, owner->allocator.user);
    if (block == NULL)
        return no_room(ctx, count, size);
    uintptr_t aligned = ((uintptr_t)block + room) & ~(uintptr_t)(CACHE_LINE - 1);
    unsigned char *array = block + (aligned - (uintptr_t)block);
    struct origin origin = {block, owner, 0};
    memcpy(array - sizeof origin, &origin, sizeof origin);
    memset(array, 0, count * size);
    return array;
}

void *gbs_array_alloc(gbs_context *ctx, size_t count, size_t size) {
    return gbs_array_alloc_for(ctx, ctx, count, size);
}

/* The block of an array after it was made `bytes` long: by realloc, which moves large blocks
 * without a copy, or where the hooks are the caller's by hand. NULL: it is as before. */
static unsigned char *resized_block(gbs_context *ctx, void *array, size_t kept, size_t bytes) {
    unsigned char *old = origin_of(array).block;
    if (ctx->allocator.allocate == plain_allocate)
        return realloc(old, bytes);
    unsigned char *block = ctx->allocator.allocate(bytes, ctx->allocator.user);
    if (block == NULL)
        return NULL;
    size_t offset = (size_t)((unsigned char *)array - old);
    memcpy(block + offset, array, kept);
    ctx->allocator.release(old, ctx->allocator.user);
    return block;
}

void *gbs_array_resize(gbs_context *ctx, void *array, size_t used, size_t count, size_t size) {
    size_t bytes, room = CACHE_LINE + sizeof(struct origin);
    if (array == NULL)
        return gbs_array_alloc(ctx, count, size);
    if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(bytes, room, &bytes))
        return no_room(ctx, count, size);
    size_t kept = (used < count ? used : count) * size,
           offset = (size_t)((unsigned char *)array - (unsigned char *)origin_of(array).block);
    unsigned char *block = resized_block(ctx, array, kept, bytes);
    if (block == NULL)
        return no_room(ctx, count, size);
    uintptr_t aligned = ((uintptr_t)block + room) & ~(uintptr_t)(CACHE_LINE - 1);
    unsigned char *moved = block + (aligned - (uintptr_t)block);
    if (moved != block + offset)
        memmove(moved, block + offset, kept);
    struct origin origin = {block, ctx, 0};
    memcpy(moved - sizeof origin, &origin, sizeof origin);
    return moved;
}

void *gbs_array_grow(gbs_context *ctx, void *array, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity && array != NULL)
        return array;
    size_t larger = *capacity + *capacity / 2;
    if (larger < needed || larger > SIZE_MAX / 2 / size)
        larger = needed;
    if (larger < LEAST_GROWN)
        larger = LEAST_GROWN;
    void *grown = gbs_array_resize(ctx, array, *capacity, larger, size);
    if (grown != NULL)
        *capacity = larger;
    return grown;
}

void *gbs_array_at(gbs_context *ctx, void *block, size_t mapped, size_t offset) {
    unsigned char *array = (unsigned char *)block + offset;
    struct origin origin = {block, ctx, mapped};
    memcpy(array - sizeof origin, &origin, sizeof origin);
    return array;
}

void gbs_array_free(const gbs_context *ctx, void *array) {
    if (array == NULL)
        return;
    struct origin origin = origin_of(array);
    if (origin.mapped > 0)
        munmap(origin.block, origin.mapped);
    else
        ctx->allocator.release(origin.block, ctx->allocator.user);
}

double *gbs_doubles(gbs_context *ctx, size_t count) {
    return gbs_array_alloc(ctx, count, sizeof(double));
}

double *gbs_matrix(gbs_context *ctx, size_t rows, size_t columns) {
    size_t count;
    if (__builtin_mul_overflow(rows, columns, &count)) {
        gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory: a %zu x %zu matrix", rows, columns);
        return NULL;
    }
    return gbs_doubles(ctx, count);
}

/* A text knows its context, and keeps it: `ctx` may be gone, or be another. */
void gbs_release(gbs_context *ctx, void *memory) {
    (void)ctx;
    if (memory != NULL)
        gbs_handle_free(origin_of(memory).owner, memory);
}

gbs_status gbs_fail(gbs_context *ctx, gbs_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->error, sizeof ctx->error, format, args);
    va_end(args);
    /* what fails after a rank was lost fails because of it */
    if (ctx->crew != NULL && ctx->crew->lost && !ctx->crew->here)
        memcpy(ctx->error, ctx->crew->words, sizeof ctx->error);
    return status;
}

void gbs_log(gbs_context *ctx, gbs_log_level level, const char *format, ...) {
    if (ctx->log == NULL)
        return;
    char message[GBS_MESSAGE_ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    ctx->log(level, message, ctx->log_user);
}

void gbs_progress_begin(gbs_context *ctx) {
    ctx->progress_reached = 0.0;
}

static double within(gbs_stretch span, double share) {
    return span.to > span.from ? span.from + share * (span.to - span.from) : share;
}

gbs_stretch gbs_progress_narrow(gbs_context *ctx, double from, double to) {
    gbs_stretch before = ctx->progress_stretch;
    ctx->progress_stretch = (gbs_stretch){within(before, from), within(before, to)};
    return before;
}

void gbs_progress_widen(gbs_context *ctx, gbs_stretch before) {
    ctx->progress_stretch = before;
}

void gbs_progress(gbs_context *ctx, const char *stage, double done) {
    done = within(ctx->progress_stretch, done < 1.0 ? done : 1.0);
    if (done > ctx->progress_reached)
        ctx->progress_reached = done < 1.0 ? done : 1.0;
    if (ctx->progress != NULL)
        ctx->progress(stage, ctx->progress_reached, ctx->progress_user);
}

void gbs_see_pairs(gbs_context *ctx, double pairs) {
    __atomic_fetch_add(&ctx->pairs_seen, (uint64_t)pairs, __ATOMIC_RELAXED);
}

gbs_status gbs_check_cancel(gbs_context *ctx) {
    if (ctx->crew != NULL && ctx->crew->lost)
        return gbs_fail(ctx, GBS_ERR_IO, "%s", ctx->crew->words);
    if (ctx->cancel == NULL)
        return GBS_OK;
    if (ctx->cancel_pause > 0.0) {
        double now = gbs_now();
        if (now - ctx->cancel_asked < ctx->cancel_pause)
            return GBS_OK;
        ctx->cancel_asked = now;
    }
    return ctx->cancel(ctx->cancel_user) ? gbs_fail(ctx, GBS_ERR_CANCELLED, "cancelled") : GBS_OK;
}

bool gbs_loop_stopped(gbs_context *ctx, size_t worker, atomic_int *status) {
    if (worker == 0 && atomic_load(status) == GBS_OK)
        atomic_store(status, (int)gbs_check_cancel(ctx));
    return atomic_load(status) != GBS_OK;
}

double gbs_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
