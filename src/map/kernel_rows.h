/* What the maps of the Gaussian kernel share: a few rows to learn from, and their distances. */
#ifndef GIBBSITE_MAP_KERNEL_ROWS_H
#define GIBBSITE_MAP_KERNEL_ROWS_H

#include "map/map.h"

/* At most `most` rows of the data, evenly spaced, as they come out of the maps `before`: dense, *n
 * of them, before->d columns. *cells is the caller's. Fewer where they would take over 128 MB. */
gbs_status gbs_sample_rows(gbs_context *ctx, const gbs_data *data, const gbs_maps *before,
                           size_t most, double **cells, size_t *n);

/* The width of the kernel: the median distance of some rows, times what the settings say. */
gbs_status gbs_kernel_width(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                            const gbs_maps *before, double *out);

/* The first columns of a mapped row are the columns themselves, over the root of their number:
 * their part of the kernel is x'x over it. Copies them: rows of `in` to the first of out. */
void gbs_keep_linear(const gbs_strip *in, double *out, size_t ld);

/* Members of gbs_map_ops for such rows. */
size_t gbs_kernel_origin(const gbs_map *map, size_t k);
double gbs_kernel_unit(const gbs_map *map, size_t k);

#endif
