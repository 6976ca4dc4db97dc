/* Losses of sixteen coefficient vectors at once: they meet a few rows at a time, and the losses are
 * counted while the scores are in cache. No matrix of all scores is ever formed.
 *
 * On a ring of states x'theta(phi) = x'm + cos phi x'(theta - m) + sin phi x'Lz: two products with
 * the rows serve all states of a plane, and a state more costs n operations, not n d.
 */
#include "pass/cpu/cpu.h"

#include <string.h>

/* Rows that meet a tile at a time. */
enum { ROWS = 64 };

size_t gbs_cpu_tile_room(const gbs_held *held) {
    (void)held;
    return (size_t)2 * ROWS * GBS_LANES;
}

/* One row after the other where they have weights: the losses know nothing of them. */
static void add_lanes(const gbs_pointwise *loss, const gbs_strip *b, const double *margin,
                      double *total) {
    if (b->weight == NULL)
        loss->add_lanes(b->n, margin, total);
    for (size_t i = 0; b->weight != NULL && i < b->n; i++) {
        double one[GBS_LANES] __attribute__((aligned(64))) = {0};
        loss->add_lanes(1, margin + i * GBS_LANES, one);
        for (size_t l = 0; l < GBS_LANES; l++)
            total[l] += b->weight[i * b->stride] * one[l];
    }
}

static void add_ring(const gbs_pointwise *loss, const gbs_strip *b, const double *base,
                     const double *here, const double *slope, const gbs_ring *ring, double *total) {
    size_t pairs = ring->size / 2, size = ring->size * GBS_LANES;
    if (b->weight == NULL)
        loss->add_ring(b->n, base, here, slope, pairs, ring->cosine, ring->sine, total);
    for (size_t i = 0; b->weight != NULL && i < b->n; i++) {
        double one[GBS_RING_MOST * GBS_LANES] __attribute__((aligned(64))) = {0};
        loss->add_ring(1, base + i, here + i * GBS_LANES, slope + i * GBS_LANES, pairs,
                       ring->cosine, ring->sine, one);
        for (size_t k = 0; k < size; k++)
            total[k] += b->weight[i * b->stride] * one[k];
    }
}

void gbs_cpu_tile(const gbs_held *held, const gbs_pointwise *loss, const double *theta,
                  double *scratch, double *risk) {
    const gbs_strip *all = &gbs_cpu_rows(held)->all;
    double lost[GBS_LANES] __attribute__((aligned(64))) = {0},
                           total[GBS_LANES] __attribute__((aligned(64))) = {0};
    size_t n = all->n;
    if (all->shift != NULL)
        gbs_tile_dot(all->d, all->shift, theta, lost);
    for (size_t first = 0; first < n; first += ROWS) {
        size_t count = n - first < ROWS ? n - first : ROWS;
        gbs_strip b = gbs_strip_part(all, first, count);
        gbs_tile_margins(&b, theta, all->shift != NULL ? lost : NULL, scratch);
        add_lanes(loss, &b, scratch, total);
    }
    for (size_t l = 0; l < GBS_LANES; l++)
        risk[l] = total[l] / held->mass;
}

void gbs_cpu_ring(const gbs_held *held, const gbs_pointwise *loss, const gbs_ring *ring,
                  const double *base, size_t count, const gbs_ring_tile *tile, double *scratch) {
    const gbs_strip *all = &gbs_cpu_rows(held)->all;
    double lost[GBS_GROUP][2 * GBS_LANES] __attribute__((aligned(64))) = {0}, *here = scratch,
                                          *slope = here + (size_t)ROWS * GBS_LANES;
    size_t n = all->n, size = ring->size * GBS_LANES;
    for (size_t g = 0; g < count; g++) {
        if (all->shift != NULL) {
            gbs_tile_dot(all->d, all->shift, tile[g].centred, lost[g]);
            gbs_tile_dot(all->d, all->shift, tile[g].direction, lost[g] + GBS_LANES);
        }
        memset(tile[g].risk, 0, size * sizeof *tile[g].risk);
    }
    size_t strips = (n + ROWS - 1) / ROWS, step = (n + strips - 1) / strips;
    step += (4 - step % 4) % 4;
    for (size_t first = 0; first < n; first += step) {
        size_t some = n - first < step ? n - first : step;
        gbs_strip b = gbs_strip_part(all, first, some);
        for (size_t g = 0; g < count; g++) {
            gbs_tile_margins(&b, tile[g].centred, lost[g], here);
            gbs_tile_margins(&b, tile[g].direction, lost[g] + GBS_LANES, slope);
            add_ring(loss, &b, base + first, here, slope, ring, tile[g].risk);
        }
    }
    for (size_t g = 0; g < count; g++)
        for (size_t k = 0; k < size; k++)
            tile[g].risk[k] /= held->mass;
}
