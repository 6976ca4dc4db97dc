/* The intercept: one more column, the last, of the same value c everywhere.
 *
 * Under a prior N(0, v I) on all coefficients c says how much wider the prior of the intercept is:
 * c theta ~ N(0, c^2 v).                                                    (docs/maths.md, 6.4)
 */
#include "map/map.h"

struct intercept {
    gbs_map map;
    double constant;
};

static double constant_of(const gbs_map *map) {
    return ((const struct intercept *)map)->constant;
}

double gbs_maps_constant(const gbs_maps *maps) {
    const gbs_map *map = gbs_maps_find(maps, &gbs_map_intercept);
    return map != NULL ? constant_of(map) : 0.0;
}

static bool wanted(const gbs_fit_settings *o) {
    return o->intercept != 0;
}

static size_t columns(const gbs_fit_settings *o, size_t in) {
    (void)o;
    return in + 1;
}

static void set(gbs_map *map, const gbs_fit_settings *o) {
    ((struct intercept *)map)->constant = o->constant;
}

static gbs_status keep(gbs_map *map, gbs_archive *a) {
    return a->real(a, "constant", 1.0, &((struct intercept *)map)->constant);
}

static gbs_status settle(gbs_context *ctx, gbs_map *map) {
    map->out = map->in + 1;
    return constant_of(map) > 0.0
               ? GBS_OK
               : gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: a constant is not positive");
}

static void dense(const gbs_map *map, size_t n, double *x, size_t ld) {
    for (size_t i = 0; i < n; i++)
        x[i * ld + map->in] = constant_of(map);
}

static size_t sparse(const gbs_map *map, size_t stored, uint32_t *column, double *value) {
    column[stored] = (uint32_t)map->in;
    value[stored] = constant_of(map);
    return stored + 1;
}

static size_t origin(const gbs_map *map, size_t k) {
    return k == map->in ? GBS_FROM_CONSTANT : k;
}

static double unit(const gbs_map *map, size_t k) {
    return k == map->in ? constant_of(map) : 1.0;
}

/* Whether there is one is compared before. */
static gbs_status agree(gbs_context *ctx, const gbs_map *model, const gbs_map *particles) {
    if (model == NULL || particles == NULL || constant_of(model) == constant_of(particles))
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "the model's intercept has the constant %g, that of the particles %g",
                    constant_of(model), constant_of(particles));
}

static bool newer(const gbs_map *map) {
    return constant_of(map) != 1.0;
}

const gbs_map_ops gbs_map_intercept = {
    .place = GBS_PLACE_CONSTANT,
    .size = sizeof(struct intercept),
    .wanted = wanted,
    .columns = columns,
    .set = set,
    .keep = keep,
    .settle = settle,
    .dense = dense,
    .sparse = sparse,
    .more = 1,
    .origin = origin,
    .unit = unit,
    .agree = agree,
    .newer = newer,
    .affine = true,
};
