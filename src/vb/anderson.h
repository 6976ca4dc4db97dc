/* Anderson acceleration of a fixed-point iteration x <- x + f(x) (Walker & Ni 2011). */
#ifndef GIBBSITE_VB_ANDERSON_H
#define GIBBSITE_VB_ANDERSON_H

#include "core/context.h"

enum { GBS_ANDERSON_DEPTH = 6 };

typedef struct gbs_anderson {
    size_t size, count; /* count: steps remembered */
    double *memory;     /* everything below lies in it */
    double *last_x, *last_f;
    double *dx[GBS_ANDERSON_DEPTH], *df[GBS_ANDERSON_DEPTH];
    bool started;
} gbs_anderson;

gbs_status gbs_anderson_create(gbs_context *ctx, size_t size, gbs_anderson *out);
void gbs_anderson_free(const gbs_context *ctx, gbs_anderson *a);
void gbs_anderson_forget(gbs_anderson *a);

/* Takes in the pair (x, f) and sets out to the accelerated point; lengths are measured after
 * multiplying by `weight`. False when there is no history yet to learn from: out is then x + f. */
bool gbs_anderson_propose(gbs_anderson *a, const double *x, const double *f, const double *weight,
                          double *out);

#endif
