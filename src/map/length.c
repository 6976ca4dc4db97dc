/* Whole rows, the intercept's column included:
 *
 *   unit-row   x / |x|: the sign of x'theta is untouched
 *   clip c     x min(1, c / |x|): rows are no longer than declared, at prediction too, so that the
 *              hinge loss is bounded where its bound needs it              (docs/maths.md, 6.3)
 */
#include "map/map.h"

#include <math.h>

struct length {
    gbs_map map;
    bool unit;
    double clip; /* > 0: the most */
};

static double clip_of(const gbs_map *map) {
    return map != NULL ? ((const struct length *)map)->clip : 0.0;
}

static bool wanted(const gbs_fit_settings *o) {
    return o->scale == GBS_SCALE_UNIT_ROW || o->cx > 0.0;
}

static void set(gbs_map *map, const gbs_fit_settings *o) {
    struct length *l = (struct length *)map;
    l->unit = o->scale == GBS_SCALE_UNIT_ROW;
    l->clip = o->cx;
}

static gbs_status keep(gbs_map *map, gbs_archive *a) {
    return a->real(a, "clip", 0.0, &((struct length *)map)->clip);
}

static gbs_status settle(gbs_context *ctx, gbs_map *map) {
    const struct length *l = (const struct length *)map;
    if (l->unit ? l->clip < 0.0 : !(l->clip > 0.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: a clip is not positive");
    return GBS_OK;
}

/* In units of the largest entry first: no square overflows or vanishes. A zero row stays one. */
static void to_unit_length(size_t n, double *x) {
    double largest = 0.0;
    for (size_t k = 0; k < n; k++)
        largest = fmax(largest, fabs(x[k]));
    if (largest == 0.0)
        return;
    for (size_t k = 0; k < n; k++)
        x[k] /= largest;
    double norm = sqrt(gbs_dot(n, x, x));
    for (size_t k = 0; k < n; k++)
        x[k] /= norm;
}

static void shorten(double most, size_t n, double *x) {
    double norm = sqrt(gbs_dot(n, x, x));
    for (size_t k = 0; norm > most && k < n; k++)
        x[k] *= most / norm;
}

static void one_row(const struct length *l, size_t n, double *x) {
    if (l->unit)
        to_unit_length(n, x);
    if (l->clip > 0.0)
        shorten(l->clip, n, x);
}

static void dense(const gbs_map *map, size_t n, double *x, size_t ld) {
    for (size_t i = 0; i < n; i++)
        one_row((const struct length *)map, map->out, x + i * ld);
}

static size_t sparse(const gbs_map *map, size_t stored, uint32_t *column, double *value) {
    (void)column;
    one_row((const struct length *)map, stored, value);
    return stored;
}

static gbs_status with_shift(gbs_context *ctx, const gbs_map *map) {
    (void)map;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                    "cx cannot be kept on standardised sparse rows; scale them unit-row or none");
}

static gbs_status agree(gbs_context *ctx, const gbs_map *model, const gbs_map *particles) {
    if (clip_of(model) == clip_of(particles))
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "the model shortens rows to %g, the particles to %g (0: not at all)",
                    clip_of(model), clip_of(particles));
}

static bool newer(const gbs_map *map) {
    return clip_of(map) > 0.0;
}

const gbs_map_ops gbs_map_length = {
    .place = GBS_PLACE_ROW,
    .size = sizeof(struct length),
    .wanted = wanted,
    .set = set,
    .keep = keep,
    .settle = settle,
    .dense = dense,
    .sparse = sparse,
    .with_shift = with_shift,
    .agree = agree,
    .newer = newer,
};
