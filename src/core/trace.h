/* How a minimisation went, iteration by iteration, in a few hundred points at most. */
#ifndef GIBBSITE_CORE_TRACE_H
#define GIBBSITE_CORE_TRACE_H

#include "core/context.h"

enum { GBS_MOST_TRACED = 400 };

typedef struct gbs_trace {
    gbs_trace_point *points; /* GBS_MOST_TRACED of them; NULL before the first begin */
    size_t count, stride;    /* iterations that are no multiple of stride were left out, but for the
                                last of each solve */
    gbs_trace_point next;    /* solve, iteration and lambda of the next point */
} gbs_trace;

/* The points from here on belong to a new minimisation. trace may be NULL: nothing is kept. */
gbs_status gbs_trace_begin(gbs_context *ctx, gbs_trace *trace, double lambda);
/* One more iteration. */
void gbs_trace_add(gbs_trace *trace, double free_energy, size_t components);
void gbs_trace_free(const gbs_context *ctx, gbs_trace *trace);

#endif
