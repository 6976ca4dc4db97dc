/* Nystroem's features of the Gaussian kernel, beside the columns they are made of.
 *
 *   phi(x) = L^-1 (k(x, z_1), ..., k(x, z_m))',   L L' = (k(z_i, z_j))_ij
 *
 * so that phi(x)'phi(z) is the projection of k(x, z) onto the span of the landmarks z_i, and k(x,
 * z) itself where x or z is one of them: with all rows as landmarks the fit is the exact kernel
 * machine. Landmarks are rows to learn from, evenly spaced; those that the others already span, to
 * 1e-10, are left out. A model keeps them.                                    (docs/maths.md, 12.3)
 */
#include "map/kernel_rows.h"

#include "kernel/gauss.h"
#include "kernel/linalg.h"

#include <string.h>

/* Of the kernel at distance 0. */
#define SPANNED 1e-10

struct nystrom {
    gbs_map map;
    size_t size; /* landmarks; those asked for, before they are chosen */
    double width;
    double *landmark; /* size x in */
    double *lower;    /* L, size x size */
};

static struct nystrom *of(gbs_map *map) {
    return (struct nystrom *)map;
}

static const struct nystrom *in(const gbs_map *map) {
    return (const struct nystrom *)map;
}

static bool wanted(const gbs_fit_settings *o) {
    return o->features == GBS_FEATURES_NYSTROM;
}

static size_t size_of(const gbs_fit_settings *o) {
    return o->features_size > 0 ? o->features_size : GBS_USUAL_FEATURES;
}

/* At most: some landmarks may be left out. */
static size_t columns(const gbs_fit_settings *o, size_t in) {
    return in + size_of(o);
}

static void set(gbs_map *map, const gbs_fit_settings *o) {
    of(map)->size = size_of(o);
    of(map)->width = o->kernel_width;
}

/* Orders the n rows so that each is as far as can be from the span of those before it, and leaves
 * out what they span. */
static gbs_status choose(gbs_context *ctx, struct nystrom *f, size_t n, const double *cells) {
    size_t d = f->map.in;
    double *k = gbs_matrix(ctx, n, n), *work = gbs_doubles(ctx, 2 * n);
    int *pivot = gbs_array_alloc(ctx, n, sizeof *pivot);
    gbs_status status = k != NULL && work != NULL && pivot != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        gbs_gauss_rows(n, n, d, cells, d, cells, f->width, work, k, n);
        f->size = gbs_pivoted_cholesky_to(n, SPANNED, k, pivot, work);
        f->landmark = gbs_matrix(ctx, f->size, d);
        status = f->landmark != NULL ? GBS_OK : GBS_ERR_MEMORY;
    }
    for (size_t i = 0; status == GBS_OK && i < f->size; i++)
        memcpy(f->landmark + i * d, cells + (size_t)pivot[i] * d, d * sizeof *cells);
    gbs_array_free(ctx, k);
    gbs_array_free(ctx, work);
    gbs_array_free(ctx, pivot);
    return status;
}

static gbs_status learn(gbs_context *ctx, gbs_map *map, const gbs_data *data,
                        const gbs_fit_settings *o, const gbs_maps *before) {
    double *cells = NULL;
    size_t n = 0;
    gbs_status status = gbs_kernel_width(ctx, data, o, before, &of(map)->width);
    if (status == GBS_OK)
        status = gbs_sample_rows(ctx, data, before, size_of(o), &cells, &n);
    if (status == GBS_OK)
        status = choose(ctx, of(map), n, cells);
    gbs_array_free(ctx, cells);
    return status;
}

static gbs_status keep(gbs_map *map, gbs_archive *a) {
    struct nystrom *f = of(map);
    gbs_status status = a->count(a, "landmarks", &f->size);
    if (status == GBS_OK)
        status = a->real(a, "width", 0.0, &f->width);
    if (status == GBS_OK)
        status = a->reals(a, "cells", f->size * map->in, false, &f->landmark);
    return status == GBS_OK ? a->reals(a, NULL, f->size * f->size, true, &f->lower) : status;
}

static gbs_status settle(gbs_context *ctx, gbs_map *map) {
    struct nystrom *f = of(map);
    size_t m = f->size;
    map->out = map->in + m;
    if (m == 0 || !(f->width > 0.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: its landmarks have no %s",
                        m == 0 ? "number" : "width");
    double *work = gbs_doubles(ctx, 2 * m);
    f->lower = gbs_matrix(ctx, m, m);
    if (work == NULL || f->lower == NULL) {
        gbs_array_free(ctx, work);
        return GBS_ERR_MEMORY;
    }
    gbs_gauss_rows(m, m, map->in, f->landmark, map->in, f->landmark, f->width, work, f->lower, m);
    gbs_array_free(ctx, work);
    return gbs_cholesky(m, f->lower)
               ? GBS_OK
               : gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: its landmarks are the same");
}

static gbs_status transform(gbs_context *ctx, const gbs_map *map, const gbs_strip *rows,
                            double *out, size_t ld) {
    const struct nystrom *f = in(map);
    size_t m = f->size, d = map->in, n = rows->n;
    double *work = gbs_doubles(ctx, n + m), *k = gbs_matrix(ctx, n, m);
    gbs_status status = work != NULL && k != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        gbs_keep_linear(rows, out, ld);
        gbs_gauss_rows(n, m, d, rows->dense, rows->ld, f->landmark, f->width, work, k, m);
        gbs_rows_solve_triangle(GBS_LOWER_TRANSPOSED, m, f->lower, n, k);
    }
    for (size_t i = 0; status == GBS_OK && i < n; i++)
        memcpy(out + i * ld + d, k + i * m, m * sizeof *k);
    gbs_array_free(ctx, work);
    gbs_array_free(ctx, k);
    return status;
}

static gbs_status agree(gbs_context *ctx, const gbs_map *model, const gbs_map *particles) {
    const struct nystrom *a = in(model), *b = in(particles);
    if (a != NULL && b != NULL && a->size == b->size && a->width == b->width &&
        model->in == particles->in &&
        memcmp(a->landmark, b->landmark, a->size * model->in * sizeof *a->landmark) == 0)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_DATA, "the model has other landmarks than the particles");
}

const gbs_map_ops gbs_map_nystrom = {
    .name = "nystrom",
    .place = GBS_PLACE_FEATURES + 1,
    .size = sizeof(struct nystrom),
    .learned = GBS_LEARNED_SCALING,
    .features = GBS_FEATURES_NYSTROM,
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
