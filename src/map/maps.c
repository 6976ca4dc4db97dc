/* The chain of maps: which there are, learned one after the other, copied, freed and asked. */
#include "map/map.h"

#include <string.h>

/* In any order: `place` says which comes first. */
const gbs_map_ops *const gbs_map_table[] = {
    &gbs_map_seen,    &gbs_map_standard,  &gbs_map_tails,  &gbs_map_fourier,
    &gbs_map_nystrom, &gbs_map_intercept, &gbs_map_length, NULL};

size_t gbs_maps_columns(const gbs_fit_settings *o, size_t raw) {
    /* by place, as the chain is */
    for (int before = -1;;) {
        const gbs_map_ops *next = NULL;
        for (const gbs_map_ops *const *ops = gbs_map_table; *ops != NULL; ops++)
            if ((*ops)->place > before && (next == NULL || (*ops)->place < next->place))
                next = *ops;
        if (next == NULL)
            return raw;
        if (next->columns != NULL && next->wanted(o))
            raw = next->columns(o, raw);
        before = next->place;
    }
}

size_t gbs_maps_counted(const gbs_fit_settings *o, size_t raw) {
    return gbs_features_linear(o->features) ? gbs_maps_columns(o, raw) : raw + 1;
}

/* ---------------------------------------------------------------- made and unmade */

gbs_status gbs_maps_add(gbs_context *ctx, gbs_maps *maps, const gbs_map_ops *ops, gbs_map **out) {
    size_t k = 0;
    *out = NULL;
    if (maps->count == GBS_MOST_MAPS)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "more than %d maps", (int)GBS_MOST_MAPS);
    gbs_map *map = gbs_array_alloc(ctx, 1, ops->size);
    if (map == NULL)
        return GBS_ERR_MEMORY;
    map->ops = ops;
    while (k < maps->count && maps->at[k]->ops->place <= ops->place)
        k++;
    memmove(maps->at + k + 1, maps->at + k, (maps->count - k) * sizeof *maps->at);
    maps->at[k] = map;
    maps->count++;
    map->in = map->out = k > 0 ? maps->at[k - 1]->out : maps->given;
    *out = map;
    return GBS_OK;
}

gbs_status gbs_maps_settle(gbs_context *ctx, gbs_maps *maps, size_t k) {
    gbs_map *map = maps->at[k];
    gbs_status status = map->ops->settle != NULL ? map->ops->settle(ctx, map) : GBS_OK;
    maps->d = maps->count > 0 ? maps->at[maps->count - 1]->out : maps->given;
    return status;
}

static gbs_status free_reals(gbs_archive *a, const char *key, size_t count, bool optional,
                             double **x) {
    (void)key, (void)count, (void)optional;
    gbs_array_free(a->ctx, *x);
    *x = NULL;
    return GBS_OK;
}

static gbs_status free_indices(gbs_archive *a, const char *key, size_t below, size_t *count,
                               uint32_t **x) {
    (void)key, (void)below, (void)count;
    gbs_array_free(a->ctx, *x);
    *x = NULL;
    return GBS_OK;
}

static gbs_status same_real(gbs_archive *a, const char *key, double otherwise, double *x) {
    (void)a, (void)key, (void)otherwise, (void)x;
    return GBS_OK;
}

static gbs_status same_count(gbs_archive *a, const char *key, size_t *x) {
    (void)a, (void)key, (void)x;
    return GBS_OK;
}

void gbs_maps_free(const gbs_context *ctx, gbs_maps *maps) {
    gbs_archive a = {.ctx = (gbs_context *)ctx,
                     .real = same_real,
                     .count = same_count,
                     .reals = free_reals,
                     .indices = free_indices};
    for (size_t k = 0; k < maps->count; k++) {
        if (maps->at[k]->ops->keep != NULL)
            maps->at[k]->ops->keep(maps->at[k], &a);
        gbs_array_free(ctx, maps->at[k]);
    }
    *maps = (gbs_maps){0};
}

/* A copy begins with the pointers of the original: each is replaced, by NULL where memory ran out,
 * and none is left. So nothing here stops half-way. */
static void *doubled(gbs_archive *a, const void *from, size_t count, size_t size) {
    void *copy = from != NULL ? gbs_array_alloc(a->ctx, count, size) : NULL;
    if (copy != NULL)
        memcpy(copy, from, count * size);
    else if (from != NULL)
        a->object = a; /* any pointer: it failed */
    return copy;
}

static gbs_status copy_reals(gbs_archive *a, const char *key, size_t count, bool optional,
                             double **x) {
    (void)key, (void)optional;
    *x = doubled(a, *x, count, sizeof **x);
    return GBS_OK;
}

static gbs_status copy_indices(gbs_archive *a, const char *key, size_t below, size_t *count,
                               uint32_t **x) {
    (void)key, (void)below;
    *x = doubled(a, *x, *count, sizeof **x);
    return GBS_OK;
}

gbs_status gbs_maps_copy(gbs_context *ctx, const gbs_maps *from, gbs_maps *out) {
    gbs_archive a = {.ctx = ctx,
                     .real = same_real,
                     .count = same_count,
                     .reals = copy_reals,
                     .indices = copy_indices};
    *out = (gbs_maps){.given = from->given, .d = from->d};
    gbs_status status = GBS_OK;
    for (size_t k = 0; status == GBS_OK && k < from->count; k++) {
        const gbs_map_ops *ops = from->at[k]->ops;
        gbs_map *map = gbs_array_alloc(ctx, 1, ops->size);
        if (map == NULL) {
            status = GBS_ERR_MEMORY;
            break;
        }
        memcpy(map, from->at[k], ops->size);
        out->at[out->count++] = map;
        if (ops->keep != NULL)
            ops->keep(map, &a);
        status = a.object == NULL ? GBS_OK : GBS_ERR_MEMORY;
    }
    if (status != GBS_OK)
        gbs_maps_free(ctx, out);
    return status;
}

/* ---------------------------------------------------------------- learned */

gbs_status gbs_maps_learn_from(gbs_context *ctx, const gbs_map_ops *const *table,
                               const gbs_data *data, const gbs_fit_settings *o, gbs_maps *out) {
    gbs_status status = GBS_OK;
    gbs_map *map;
    *out = (gbs_maps){.given = data->d, .d = data->d};
    for (; status == GBS_OK && *table != NULL; table++)
        if ((*table)->wanted(o))
            status = gbs_maps_add(ctx, out, *table, &map);
    for (size_t k = 0; status == GBS_OK && k < out->count; k++) {
        gbs_maps before = *out;
        map = out->at[k];
        before.count = k;
        map->in = map->out = before.d = k > 0 ? out->at[k - 1]->out : out->given;
        if (map->ops->set != NULL)
            map->ops->set(map, o);
        if (map->ops->learn != NULL)
            status = map->ops->learn(ctx, map, data, o, &before);
        if (status == GBS_OK)
            status = gbs_maps_settle(ctx, out, k);
    }
    if (status != GBS_OK)
        gbs_maps_free(ctx, out);
    return status;
}

gbs_status gbs_maps_learn(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                          gbs_maps *out) {
    return gbs_maps_learn_from(ctx, gbs_map_table, data, o, out);
}

/* ---------------------------------------------------------------- asked */

unsigned gbs_maps_learned(const gbs_maps *maps) {
    unsigned bits = 0;
    for (size_t k = 0; k < maps->count; k++)
        bits |= maps->at[k]->ops->learned;
    return bits;
}

bool gbs_features_linear(gbs_features features) {
    return features == GBS_FEATURES_LINEAR;
}

bool gbs_features_mapped(gbs_features features) {
    for (const gbs_map_ops *const *ops = gbs_map_table; *ops != NULL; ops++)
        if (!gbs_features_linear((*ops)->features) && (*ops)->features == features)
            return true;
    return false;
}

gbs_features gbs_maps_features(const gbs_maps *maps) {
    gbs_features features = GBS_FEATURES_LINEAR;
    for (size_t k = 0; k < maps->count; k++)
        if (maps->at[k]->ops->features != GBS_FEATURES_LINEAR)
            features = maps->at[k]->ops->features;
    return features;
}

const gbs_map *gbs_maps_find(const gbs_maps *maps, const gbs_map_ops *ops) {
    for (size_t k = 0; k < maps->count; k++)
        if (maps->at[k]->ops == ops)
            return maps->at[k];
    return NULL;
}

size_t gbs_maps_column(const gbs_maps *maps, size_t k) {
    for (size_t m = maps->count; m > 0; m--) {
        const gbs_map *map = maps->at[m - 1];
        if (map->ops->origin != NULL)
            k = map->ops->origin(map, k);
        if (k == GBS_FROM_CONSTANT)
            return maps->given;
        if (k == GBS_FROM_MANY)
            return SIZE_MAX;
    }
    return k;
}

double gbs_maps_unit(const gbs_maps *maps, size_t k) {
    double unit = 1.0;
    for (size_t m = maps->count; m > 0 && k < GBS_FROM_CONSTANT; m--) {
        const gbs_map *map = maps->at[m - 1];
        if (map->ops->unit != NULL)
            unit *= map->ops->unit(map, k);
        if (map->ops->origin != NULL)
            k = map->ops->origin(map, k);
    }
    return unit;
}

/* Maps of the particles' chain alone are asked too. */
gbs_status gbs_maps_agree(gbs_context *ctx, const gbs_maps *model, const gbs_maps *particles) {
    gbs_status status = GBS_OK;
    for (size_t k = 0; status == GBS_OK && k < model->count; k++) {
        const gbs_map *map = model->at[k];
        if (map->ops->agree != NULL)
            status = map->ops->agree(ctx, map, gbs_maps_find(particles, map->ops));
    }
    for (size_t k = 0; status == GBS_OK && k < particles->count; k++) {
        const gbs_map *map = particles->at[k];
        if (map->ops->agree != NULL && gbs_maps_find(model, map->ops) == NULL)
            status = map->ops->agree(ctx, NULL, map);
    }
    return status;
}

bool gbs_maps_plain(const gbs_maps *maps) {
    for (size_t k = 0; k < maps->count; k++) {
        const gbs_map_ops *ops = maps->at[k]->ops;
        if (ops->newer != NULL ? ops->newer(maps->at[k]) : ops->name != NULL)
            return false;
    }
    return true;
}
