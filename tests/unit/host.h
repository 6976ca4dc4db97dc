/* A host for the library that counts allocations, lets them fail, cancels and listens. */
#ifndef GIBBSITE_TESTS_HOST_H
#define GIBBSITE_TESTS_HOST_H

#include "unit/support.h"
#include "unit/zero_prior.h"

struct host {
    long blocks;            /* handed out and not yet returned */
    long calls, fail_at;    /* the allocation with this number, from 0, fails; -1: none does */
    long cancels, allowed;  /* the cancel callback agrees to this many questions; -1: to all */
    size_t messages, notes; /* log lines, progress calls */
    bool out_of_range, fell;
    double last;
    char stage[32];
};

static inline void *host_allocate(size_t bytes, void *user) {
    struct host *h = user;
    if (h->calls++ == h->fail_at)
        return NULL;
    void *memory = malloc(bytes);
    h->blocks += memory != NULL;
    return memory;
}

static inline void host_release(void *memory, void *user) {
    ((struct host *)user)->blocks -= memory != NULL;
    free(memory);
}

static inline int host_cancel(void *user) {
    struct host *h = user;
    return h->allowed >= 0 && h->cancels++ >= h->allowed;
}

static inline void host_log(gbs_log_level level, const char *message, void *user) {
    struct host *h = user;
    h->messages++;
    assert_in_range(level, GBS_LOG_DEBUG, GBS_LOG_WARNING);
    assert_true(strlen(message) > 0);
}

/* Within one stage the values run from 0 to 1 and never back. */
static inline void host_progress(const char *stage, double done, void *user) {
    struct host *h = user;
    if (strcmp(stage, h->stage) != 0) {
        snprintf(h->stage, sizeof h->stage, "%s", stage);
        h->last = 0.0;
    }
    h->out_of_range = h->out_of_range || !(done >= 0.0 && done <= 1.0);
    h->fell = h->fell || done < h->last;
    h->last = done;
    h->notes++;
}

static inline gbs_context *host_context(struct host *h) {
    gbs_allocator allocator = {host_allocate, host_release, h};
    *h = (struct host){.fail_at = -1, .allowed = -1};
    gbs_context *ctx;
    assert_int_equal(gbs_context_create(&allocator, &ctx), GBS_OK);
    gbs_context_set_log(ctx, host_log, h);
    gbs_context_set_progress(ctx, host_progress, h);
    gbs_context_set_cancel(ctx, host_cancel, h);
    gbs_context_set_threads(ctx, 1);
    return ctx;
}

static inline void leave(struct host *h, gbs_context *ctx) {
    gbs_context_free(ctx);
    assert_int_equal(h->blocks, 0);
}

/* A call that must fail: its status, no output, and something to say. */
#define assert_refused(ctx, expected, call, out)                                                   \
    do {                                                                                           \
        (out) = (void *)1;                                                                         \
        assert_int_equal((call), (expected));                                                      \
        assert_null(out);                                                                          \
        assert_true(strlen(gbs_error_message(ctx)) > 0);                                           \
    } while (0)

/* Losses, solvers, families and forms in turn. */
enum { KINDS = 12 };

static inline gbs_fit_settings one_of_each(int k) {
    static const gbs_solver solvers[] = {GBS_SOLVER_AUTO, GBS_SOLVER_NATURAL, GBS_SOLVER_LBFGS,
                                         GBS_SOLVER_SGD};
    gbs_fit_settings o = zero_prior_options();
    o.loss = all_losses[k % 3];
    o.solver = solvers[k % 4];
    o.family = all_families[(k + k / 4) % 4];
    o.form = o.family == GBS_FAMILY_FULL && k % 2 == 0 ? GBS_FORM_DUAL : GBS_FORM_AUTO;
    o.restarts = k % 6 == 5 ? 2 : 0;
    o.epochs = 2;
    o.max_iterations = 40;
    return o;
}

#endif
