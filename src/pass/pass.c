/* Which back end holds the rows, and what all of them share. */
#include "pass/pass.h"

#include <math.h>

size_t gbs_pull_size(gbs_pull pull, size_t d) {
    return pull == GBS_PULL_MATRIX ? d * d : pull == GBS_PULL_DIAGONAL ? d : 1;
}

gbs_status gbs_hold(gbs_context *ctx, const gbs_rows *rows, gbs_held **out) {
    const gbs_pass_ops *pass = ctx->device != NULL ? ctx->device->pass : &gbs_cpu_pass;
    return pass->hold(ctx, rows, out);
}

void gbs_held_free(gbs_held *held) {
    if (held != NULL)
        held->pass->release(held);
}

void gbs_room_free(gbs_room *room) {
    if (room != NULL)
        room->pass->release_room(room);
}

/* ---------------------------------------------------------------- lengths of rows */

enum { SLICE = 256 };

static size_t next_slice(const gbs_held *held, size_t first, double *norm2) {
    size_t left = held->n - first, count = left < SLICE ? left : SLICE;
    held->pass->norms(held, first, count, norm2);
    return count;
}

double gbs_held_longest(const gbs_held *held) {
    double norm2[SLICE], longest = 0.0;
    for (size_t first = 0; first < held->n; first += SLICE) {
        size_t count = next_slice(held, first, norm2);
        for (size_t i = 0; i < count; i++)
            longest = fmax(longest, norm2[i]);
    }
    return longest;
}

double gbs_held_typical_cell(const gbs_held *held) {
    double norm2[SLICE], sum = 0.0;
    for (size_t first = 0; first < held->n; first += SLICE) {
        size_t count = next_slice(held, first, norm2);
        for (size_t i = 0; i < count; i++)
            sum += norm2[i] / (double)held->n;
    }
    return sum > 0.0 ? sqrt(sum / (double)held->d) : 1.0;
}
