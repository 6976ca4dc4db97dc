/* Eight items of a half sweep side by side (kernel/eight.h): what is done to one in level_item.c.
 * Lanes without an item have no ratings, and no share in the sums. */
#include "completion/level_items.h"

#include <string.h>

/* Beyond, the matrices of eight items would not stay in the second cache. */
enum { MOST_OWN = 65 };
/* Numbers. */
enum { CACHE_LINE = 8 };

bool gbs_level_side_by_side(const gbs_levels *f) {
    return f->stream == 0 && f->own <= MOST_OWN;
}

size_t gbs_level_eight_room(size_t own) {
    if (own > MOST_OWN)
        return 0;
    return (4 * gbs_packed_size(own) + 3 * own) * GBS_EIGHT + gbs_eight_work(own);
}

/* Scratch space: an item's sums, then the two sums of a block, then the eight regressions. */
static double *block_sums(const gbs_levels *f, double *scratch) {
    return scratch + 2 * f->record.stride;
}

static gbs_eight places(const gbs_levels *f, double *scratch) {
    size_t own = f->own, packed = gbs_packed_size(own) * GBS_EIGHT;
    gbs_eight e = {.d = own, .a = block_sums(f, scratch) + 2 * packed};
    e.cov = e.a + packed;
    e.r = e.cov + packed;
    e.centre = e.r + own * GBS_EIGHT;
    e.mean = e.centre + own * GBS_EIGHT;
    e.work = e.mean + own * GBS_EIGHT;
    return e;
}

static void put(size_t n, const double *from, double *to) {
    for (size_t k = 0; k < n; k++)
        to[k * GBS_EIGHT] = from[k];
}

static void take(size_t n, const double *from, double *to) {
    for (size_t k = 0; k < n; k++)
        to[k] = from[k * GBS_EIGHT];
}

/* A and r of one lane. */
static void put_sums(size_t rank, const struct gbs_level_sums *s, double *a, double *r) {
    const double *pair = s->pairs;
    for (size_t i = 0; i < rank; i++) {
        put(rank - i, pair, a);
        pair += rank - i;
        a += (rank - i) * GBS_EIGHT;
        *a = s->single[i];
        a += GBS_EIGHT;
        r[i * GBS_EIGHT] = s->weighted[i] - s->offset[i];
    }
    *a = s->single[rank];
    r[rank * GBS_EIGHT] = s->weighted[rank] - s->single[rank + 1];
}

void gbs_level_eight_begin(const gbs_levels *f, double *scratch) {
    size_t packed = gbs_packed_size(f->own);
    memset(block_sums(f, scratch), 0, 2 * packed * GBS_EIGHT * sizeof *scratch);
}

bool gbs_level_update_eight(gbs_levels *f, int side, size_t i, size_t count, double *scratch,
                            double *to) {
    gbs_level_side *s = &f->side[side];
    size_t own = f->own, rank = f->rank, packed = gbs_packed_size(own);
    gbs_eight e = places(f, scratch);
    double *spread = block_sums(f, scratch), *second = spread + packed * GBS_EIGHT,
           alone[GBS_EIGHT], share[GBS_EIGHT] = {0}, omega[GBS_EIGHT] = {0};
    if (count < GBS_EIGHT) /* a, cov, r, centre, mean */
        memset(e.a, 0, (size_t)(e.work - e.a) * sizeof *e.a);
    /* Where the covariances go has left the caches since the last sweep: it comes meanwhile. */
    for (size_t k = 0; k < count * packed; k += CACHE_LINE)
        __builtin_prefetch(s->cov + i * packed + k, 1);
    for (size_t k = 0; k < count; k++) {
        struct gbs_level_sums sums = gbs_level_sum_item(f, side, i + k, scratch);
        put_sums(rank, &sums, e.a + k, e.r + k);
        put(own, s->centre + (i + k) * own, e.centre + k);
        put(own, s->mean + (i + k) * own, e.mean + k);
        alone[k] = sums.offset[rank] - 2.0 * sums.weighted[rank + 1];
    }
    if (!gbs_eight_regress(s->precision, f->relax, &e))
        return false;
    for (size_t k = 0; k < count; k++) {
        double err = alone[k] + e.fit[k];
        if (side == 0) {
            err += f->squares[i + k];
            gbs_level_update_scale(f, i + k, err, e.gap[k]);
        }
        share[k] = 1.0;
        omega[k] = s->omega[i + k];
        take(own, e.mean + k, s->mean + (i + k) * own);
        take(packed, e.cov + k, s->cov + (i + k) * packed);
        to[2 * packed + GBS_LEVEL_LOG_DET] -= e.log_det[k];
        to[2 * packed + GBS_LEVEL_ERROR] += omega[k] * err + e.trace[k];
    }
    gbs_eight_add(&e, share, omega, spread, second);
    return true;
}

void gbs_level_eight_end(const gbs_levels *f, double *scratch, double *to) {
    gbs_eight_collect(2 * gbs_packed_size(f->own), block_sums(f, scratch), to);
}
