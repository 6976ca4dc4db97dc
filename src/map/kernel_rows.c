/* Rows that the maps of the Gaussian kernel learn from, and the median distance among them.
 *
 *   k(x, z) = exp(-|x - z|^2 / 2h^2),   h in units of the median of |x - z|   (docs/maths.md, 12.1)
 */
#include "map/kernel_rows.h"

#include "core/random.h"
#include "kernel/sort.h"

#include <math.h>
#include <string.h>

enum { MOST_CELLS = 1 << 24, WIDTH_ROWS = 1000, PAIRS = 2001 };

gbs_status gbs_sample_rows(gbs_context *ctx, const gbs_data *data, const gbs_maps *before,
                           size_t most, double **cells, size_t *n) {
    size_t room = before->d > 0 ? MOST_CELLS / before->d : most, count = data->n;
    gbs_data *some = NULL;
    gbs_rows rows = {0};
    *cells = NULL;
    count = count < most ? count : most;
    count = count < room ? count : room > 0 ? room : 1;
    size_t *pick = gbs_array_alloc(ctx, count, sizeof *pick);
    gbs_status status = pick != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < count; i++)
        pick[i] = (size_t)((double)i * (double)data->n / (double)count);
    if (status == GBS_OK)
        status = gbs_data_view(ctx, data, pick, count, &some);
    if (status == GBS_OK)
        status = gbs_rows_build(ctx, some, before, &rows);
    if (status == GBS_OK && (*cells = gbs_matrix(ctx, count, rows.d)) == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        gbs_strip_densify(&rows.all, *cells);
    *n = count;
    gbs_rows_free(ctx, &rows);
    gbs_data_free(some);
    gbs_array_free(ctx, pick);
    return status;
}

/* The median distance of pairs of the rows, drawn by the seed; 1 where they are all the same. */
static gbs_status median_distance(gbs_context *ctx, size_t n, size_t d, const double *cells,
                                  double *out) {
    double *square = gbs_doubles(ctx, 2 * PAIRS);
    size_t count = 0;
    *out = 1.0;
    if (square == NULL)
        return GBS_ERR_MEMORY;
    for (size_t p = 0; n > 1 && p < PAIRS; p++) {
        size_t i = (size_t)gbs_below(ctx->seed, GBS_STREAM_KERNEL, 2 * p, n),
               j = (size_t)gbs_below(ctx->seed, GBS_STREAM_KERNEL, 2 * p + 1, n - 1);
        const double *a = cells + i * d, *b = cells + (j < i ? j : j + 1) * d;
        double sum = 0.0;
        for (size_t k = 0; k < d; k++)
            sum += (a[k] - b[k]) * (a[k] - b[k]);
        if (sum > 0.0) /* rows that are the same say nothing of a width */
            square[count++] = sum;
    }
    gbs_sort(count, square, square + PAIRS);
    if (count > 0 && isfinite(square[count / 2]))
        *out = sqrt(square[count / 2]);
    gbs_array_free(ctx, square);
    return GBS_OK;
}

gbs_status gbs_kernel_width(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                            const gbs_maps *before, double *out) {
    double *cells;
    size_t n;
    gbs_status status = gbs_sample_rows(ctx, data, before, WIDTH_ROWS, &cells, &n);
    if (status == GBS_OK)
        status = median_distance(ctx, n, before->d, cells, out);
    if (o->kernel_width > 0.0)
        *out *= o->kernel_width;
    gbs_array_free(ctx, cells);
    return status;
}

static double linear_share(size_t columns) {
    return 1.0 / sqrt((double)columns);
}

void gbs_keep_linear(const gbs_strip *in, double *out, size_t ld) {
    double share = linear_share(in->d);
    for (size_t i = 0; i < in->n; i++)
        for (size_t k = 0; k < in->d; k++)
            out[i * ld + k] = share * in->dense[i * in->ld + k];
}

size_t gbs_kernel_origin(const gbs_map *map, size_t k) {
    return k < map->in ? k : GBS_FROM_MANY;
}

double gbs_kernel_unit(const gbs_map *map, size_t k) {
    return k < map->in ? linear_share(map->in) : 1.0;
}
