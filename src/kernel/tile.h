/* Sixteen vectors side by side: the layout in which many coefficient vectors meet the rows at once.
 *
 * A tile holds GBS_LANES vectors of length d, coordinate by coordinate: element k of vector l at tile[k * GBS_LANES + l]. Tiles begin on a cache
 * line. Lanes that are not needed hold zeros.
 */
#ifndef GIBBSITE_KERNEL_TILE_H
#define GIBBSITE_KERNEL_TILE_H

#include "kernel/block.h"

enum { GBS_LANES = 16 };

/* Half a row of lanes, for code that must stay in registers: one AVX-512 word, two of AVX2. */
typedef double gbs_wide __attribute__((vector_size(64)));
typedef int64_t gbs_wide_mask __attribute__((vector_size(64)));

/* score[i * GBS_LANES + l] = x_i'theta_l for the rows of a block, its shift left out (gbs_tile_dot). */
void gbs_tile_scores(const gbs_block *b, const double *theta, double *score);
/* score[i][l] -> y_i (score[i][l] - less_l); less NULL: 0. y_i at y[i * y_step]. */
void gbs_tile_margins(size_t n, const double *y, size_t y_step, const double *less, double *score);
/* out[i][l] = a_i + x b[i][l] + y c[i][l] */
void gbs_tile_turn(size_t n, const double *a, double x, const double *b, double y, const double *c, double *out);
/* out_l = shift'theta_l: what sparse rows with a shift still have to lose. */
void gbs_tile_dot(size_t d, const double *shift, const double *theta, double *out);

/* GBS_LANES rows of a row-major matrix (row stride d) as a tile, and back; `lanes` of them, the rest zeros. */
void gbs_tile_gather(size_t d, size_t lanes, const double *const *row, double *tile);
void gbs_tile_scatter(size_t d, size_t lanes, const double *tile, double *const *row);

/* `count` standard normal numbers, count even, from the counters first .. first + count/2 - 1 of a stream: the first half are those that gbs_normal
 * gives for these counters (but for rounding), the second half their partners in Box and Muller's pair. */
void gbs_normal_draws(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double *out);

#endif
