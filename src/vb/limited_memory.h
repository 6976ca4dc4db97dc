/* L-BFGS: minimises a smooth function of many variables from its gradients. */
#ifndef GIBBSITE_VB_LIMITED_MEMORY_H
#define GIBBSITE_VB_LIMITED_MEMORY_H

#include "core/context.h"

typedef struct gbs_smooth {
    /* The value at x, and the gradient there. A value that is not a number, or infinite, turns the
     * line search back; its gradient is not read. A failure ends the search. */
    gbs_status (*value)(void *user, const double *x, double *value, double *gradient);
    /* After each iteration, with the length of the gradient where it ended: true ends the search.
     * The last call of `value` was at that point. */
    bool (*enough)(void *user, double gradient_norm);
    void *user;
} gbs_smooth;

/* Moves x (length n) downhill for at most `most` iterations. It ends earlier when `enough` says so,
 * when the gradient is 0, or when no step is found that lowers the value enough. x is the last
 * point that an iteration ended at, which is the lowest of them. Fails when `value` does, with its
 * status, and with GBS_ERR_MEMORY. */
gbs_status gbs_limited_memory(gbs_context *ctx, size_t n, size_t most, const gbs_smooth *f,
                              double *x);

#endif
