/* Sixteen vectors side by side: the layout in which many coefficient vectors meet the rows at once.
 *
 * A tile holds GBS_LANES vectors of length d, coordinate by coordinate: element k of vector l at tile[k * GBS_LANES + l]. Tiles begin on a cache
 * line. Lanes that are not needed hold zeros.
 */
#ifndef GIBBSITE_KERNEL_TILE_H
#define GIBBSITE_KERNEL_TILE_H

#include "kernel/block.h"

enum { GBS_LANES = 16 };

/* score[i * GBS_LANES + l] = x_i'theta_l for the rows of a block, its shift left out (see gbs_tile_shift). */
void gbs_tile_scores(const gbs_block *b, const double *theta, double *score);
/* out_l = shift'theta_l: what sparse rows with a shift still have to lose. */
void gbs_tile_dot(size_t d, const double *shift, const double *theta, double *out);

/* GBS_LANES rows of a row-major matrix (row stride d) as a tile, and back; `lanes` of them, the rest zeros. */
void gbs_tile_gather(size_t d, size_t lanes, const double *const *row, double *tile);
void gbs_tile_scatter(size_t d, size_t lanes, const double *tile, double *const *row);

/* `count` standard normal numbers, count even, from the counters first .. first + count/2 - 1 of a stream: the first half are those that gbs_normal
 * gives for these counters (but for rounding), the second half their partners in Box and Muller's pair. */
void gbs_normal_draws(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double *out);

#endif
