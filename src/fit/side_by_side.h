/* Small jobs side by side: each in a context of its own with a single thread. */
#ifndef GIBBSITE_FIT_SIDE_BY_SIDE_H
#define GIBBSITE_FIT_SIDE_BY_SIDE_H

#include "core/context.h"

typedef gbs_status (*gbs_side_job)(gbs_context *ctx, void *arg, size_t job);

/* The progress of some jobs: from `done` by `span`, shares of the whole stage. */
typedef struct gbs_side_progress {
    const char *stage;
    double done, span;
} gbs_side_progress;

/* job(child, arg, k) for k = 0 .. jobs - 1 on the context's threads. The first failure, with its
 * words, is that of the whole; a stop is heard by all. Fits that are too short to be split still
 * use the machine so. */
gbs_status gbs_side_by_side(gbs_context *ctx, size_t jobs, gbs_side_progress progress,
                            gbs_side_job job, void *arg);

#endif
