/* A trace of bounded length: whenever it is full, every other iteration of each solve is forgotten;
 * the first and the last of a solve stay. */
#include "core/trace.h"

#include <string.h>

gbs_status gbs_trace_begin(gbs_context *ctx, gbs_trace *trace, double lambda) {
    if (trace == NULL)
        return GBS_OK;
    if (trace->points == NULL) {
        trace->points = gbs_array_alloc(ctx, GBS_MOST_TRACED, sizeof *trace->points);
        trace->stride = 1;
    }
    trace->next = (gbs_trace_point){.solve = trace->next.solve + 1, .lambda = lambda};
    return trace->points != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

static bool is_on_stride(const gbs_trace *t, const gbs_trace_point *p) {
    return p->iteration % t->stride == 0;
}

/* Many short solves have nothing between their ends to forget: then the oldest of them go, and the
 * stride stays, which so remains below twice the iterations of the longest. */
static void thin(gbs_trace *t) {
    size_t kept = 0;
    t->stride *= 2;
    for (size_t k = 0; k < t->count; k++) {
        bool ends = k + 1 == t->count || t->points[k + 1].solve != t->points[k].solve;
        if (ends || is_on_stride(t, &t->points[k]))
            t->points[kept++] = t->points[k];
    }
    if (kept == t->count)
        t->stride /= 2;
    size_t most = 3 * GBS_MOST_TRACED / 4;
    if (kept > most) {
        memmove(t->points, t->points + (kept - most), most * sizeof *t->points);
        kept = most;
    }
    t->count = kept;
}

void gbs_trace_add(gbs_trace *t, double free_energy, size_t components) {
    if (t == NULL || t->points == NULL)
        return;
    gbs_trace_point *last = t->count > 0 ? &t->points[t->count - 1] : NULL;
    bool replaces = last != NULL && last->solve == t->next.solve && !is_on_stride(t, last);
    if (!replaces && t->count == GBS_MOST_TRACED)
        thin(t);
    if (!replaces)
        t->count++;
    t->next.free_energy = free_energy;
    t->next.components = components;
    t->points[t->count - 1] = t->next;
    t->next.iteration++;
}

void gbs_trace_free(const gbs_context *ctx, gbs_trace *trace) {
    gbs_array_free(ctx, trace->points);
    *trace = (gbs_trace){0};
}
