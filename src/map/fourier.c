/* Random Fourier features of the Gaussian kernel, beside the columns they are made of.
 *
 *   k(x, z) = exp(-|x - z|^2 / 2h^2) = E cos w'(x - z),  w ~ N(0, I/h^2)
 *   phi(x) = sqrt(2/D) (cos w_1'x, ..., cos w_{D/2}'x, sin w_1'x, ..., sin w_{D/2}'x)
 *
 * so that phi(x)'phi(z) has the mean k(x, z), and phi(x)'phi(x) = 1 whatever D: a prior N(0, v I)
 * on the coefficients is a Gaussian process of variance v, every feature equally, and the
 * frequencies follow the kernel's own spectrum. Frequencies come in blocks of d that are
 * orthogonal, with the lengths of independent ones (Yu et al. 2016): the mean stays, the error
 * falls. They are made of
 * counter-based numbers: a model keeps seed, width and D, not the matrix.    (docs/maths.md, 12.2)
 *
 * A share a of the frequencies may lie along single columns, in turn, of width h/sqrt d: the kernel
 * is then (1 - a) k(x, z) + (a/d) sum_j exp(-d (x_j - z_j)^2 / 2h^2), whose second part is that of
 * sums of functions of one column each. Their lengths are |N(0, 1)|, one from each of equal shares
 * of that distribution.
 */
#include "map/kernel_rows.h"

#include "core/random.h"
#include "kernel/linalg.h"
#include "kernel/sincos.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Numbers of the matrix of frequencies: half a gigabyte. */
#define MOST_FREQUENCIES ((size_t)1 << 26)

struct fourier {
    gbs_map map;
    size_t size, seed;  /* size: columns asked for */
    double width, axes; /* axes: the share of frequencies along single columns */
    double *frequency;  /* in x size/2: one a column */
};

static struct fourier *of(gbs_map *map) {
    return (struct fourier *)map;
}

static const struct fourier *in(const gbs_map *map) {
    return (const struct fourier *)map;
}

/* A cosine and a sine each. */
static size_t frequencies(size_t size) {
    return (size + 1) / 2;
}

static bool wanted(const gbs_fit_settings *o) {
    return o->features == GBS_FEATURES_FOURIER;
}

static size_t columns(const gbs_fit_settings *o, size_t in) {
    size_t size = o->features_size > 0 ? o->features_size : GBS_USUAL_FEATURES;
    return in + 2 * frequencies(size);
}

static void set(gbs_map *map, const gbs_fit_settings *o) {
    of(map)->size = o->features_size > 0 ? o->features_size : GBS_USUAL_FEATURES;
    of(map)->width = o->kernel_width;
    of(map)->axes = o->kernel_axes;
}

static bool too_many(const gbs_map *map) {
    return frequencies(in(map)->size) > MOST_FREQUENCIES / map->in;
}

static gbs_status learn(gbs_context *ctx, gbs_map *map, const gbs_data *data,
                        const gbs_fit_settings *o, const gbs_maps *before) {
    if (too_many(map))
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "`features` fourier: %zu columns made of %zu are too many; %zu are the most",
            of(map)->size, map->in, MOST_FREQUENCIES / map->in * 2);
    of(map)->seed = (size_t)gbs_below(ctx->seed, GBS_STREAM_KERNEL, UINT64_MAX, INT_MAX);
    return gbs_kernel_width(ctx, data, o, before, &of(map)->width);
}

static gbs_status keep(gbs_map *map, gbs_archive *a) {
    struct fourier *f = of(map);
    gbs_status status = a->count(a, "columns", &f->size);
    if (status == GBS_OK)
        status = a->count(a, "seed", &f->seed);
    if (status == GBS_OK)
        status = a->real(a, "width", 0.0, &f->width);
    if (status == GBS_OK)
        status = a->real(a, "axes", 0.0, &f->axes);
    return status == GBS_OK ? a->reals(a, NULL, map->in * frequencies(f->size), true, &f->frequency)
                            : status;
}

/* Direction j of a block becomes orthogonal to those before it, twice over: rounding of the first
 * time is gone after the second. */
static void orthogonalise(size_t d, double *block, size_t j) {
    double *own = block + j * d;
    for (int time = 0; time < 2; time++)
        for (size_t i = 0; i < j; i++)
            gbs_add_scaled(d, -gbs_dot(d, block + i * d, own), block + i * d, own);
    double length = sqrt(gbs_dot(d, own, own));
    for (size_t k = 0; k < d; k++)
        own[k] = length > 0.0 ? own[k] / length : 0.0;
}

/* Frequency number `first` + j as column first + j: the length is that of a vector of its own. */
static void place(const struct fourier *f, size_t first, size_t j, const double *direction,
                  double *spare) {
    size_t d = f->map.in, count = frequencies(f->size), at = first + j;
    for (size_t k = 0; k < d; k++)
        spare[k] = gbs_normal(f->seed, GBS_STREAM_FOURIER + at, d + k);
    double length = sqrt(gbs_dot(d, spare, spare)) / f->width;
    for (size_t k = 0; k < d; k++)
        f->frequency[k * count + at] = length * direction[k];
}

/* The t with erf(t) = u. */
static double inverse_erf(double u) {
    double low = 0.0, high = 7.0;
    for (int step = 0; step < 60; step++) {
        double middle = 0.5 * (low + high);
        *(erf(middle) < u ? &low : &high) = middle;
    }
    return low;
}

/* The last `count` frequencies: number r along column r mod d, its length from the r/d-th of as
 * many equal shares of |N(0, 1)| as the column has frequencies. */
static void place_axes(const struct fourier *f, size_t count) {
    size_t d = f->map.in, all = frequencies(f->size);
    for (size_t r = 0; r < count; r++) {
        size_t column = r % d, at = all - count + r, share = r / d,
               shares = (count - column + d - 1) / d;
        double u = ((double)share + gbs_uniform(f->seed, GBS_STREAM_FOURIER + at, 2 * d)) /
                   (double)shares;
        f->frequency[column * all + at] = sqrt(2.0 * (double)d) * inverse_erf(u) / f->width;
    }
}

static gbs_status settle(gbs_context *ctx, gbs_map *map) {
    struct fourier *f = of(map);
    size_t d = map->in, count = frequencies(f->size), along;
    if (!(f->axes >= 0.0 && f->axes <= 1.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: the share of its frequencies along columns is %g",
                        f->axes);
    if (f->size == 0 || too_many(map) || !(f->width > 0.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: its Fourier features have no sound %s",
                        f->width > 0.0 ? "number" : "width");
    map->out = d + 2 * count;
    along = (size_t)(f->axes * (double)count + 0.5);
    size_t block = d < count ? d : count;
    double *direction = gbs_matrix(ctx, block + 1, d);
    f->frequency = gbs_matrix(ctx, d, count);
    gbs_status status = direction != NULL && f->frequency != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t at = 0; status == GBS_OK && at < count - along; at++) {
        size_t j = at % d;
        for (size_t k = 0; k < d; k++)
            direction[j * d + k] = gbs_normal(f->seed, GBS_STREAM_FOURIER + at, k);
        orthogonalise(d, direction, j);
        place(f, at - j, j, direction + j * d, direction + block * d);
        if (j == 0)
            status = gbs_check_cancel(ctx);
    }
    if (status == GBS_OK)
        place_axes(f, along);
    gbs_array_free(ctx, direction);
    return status;
}

double gbs_maps_axes(const gbs_maps *maps) {
    const gbs_map *map = gbs_maps_find(maps, &gbs_map_fourier);
    return map != NULL ? in(map)->axes : 0.0;
}

static gbs_status transform(gbs_context *ctx, const gbs_map *map, const gbs_strip *rows,
                            double *out, size_t ld) {
    const struct fourier *f = in(map);
    size_t d = map->in, count = frequencies(f->size);
    (void)ctx;
    gbs_keep_linear(rows, out, ld);
    gbs_strided_rows_times(rows->n, d, count, rows->dense, rows->ld, f->frequency, out + d, ld);
    for (size_t i = 0; i < rows->n; i++) {
        double *angle = out + i * ld + d;
        gbs_scaled_sincos(count, sqrt(1.0 / (double)count), angle, angle, angle + count);
    }
    return GBS_OK;
}

static gbs_status agree(gbs_context *ctx, const gbs_map *model, const gbs_map *particles) {
    const struct fourier *a = in(model), *b = in(particles);
    if (a != NULL && b != NULL && a->size == b->size && a->seed == b->seed &&
        a->width == b->width && a->axes == b->axes)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_DATA, "the model has other Fourier features than the particles");
}

const gbs_map_ops gbs_map_fourier = {
    .name = "fourier",
    .place = GBS_PLACE_FEATURES,
    .size = sizeof(struct fourier),
    .learned = GBS_LEARNED_SCALING,
    .features = GBS_FEATURES_FOURIER,
    .wanted = wanted,
    .columns = columns,
    .set = set,
    .learn = learn,
    .keep = keep,
    .settle = settle,
    .transform = transform,
    .origin = gbs_kernel_origin,
    .unit = gbs_kernel_unit,
    .agree = agree,
};
