/* The maps of a model's rows, in its file: what became of a raw column before theta met it.
 *
 * Each map goes through what it keeps (gbs_map_ops.keep), and the archives here write it or read
 * it. The maps of 0.1.0 have their keys in "scaling" itself; a map with a name has an object of
 * that name there. Nothing that is read is trusted.
 */
#include "file/maps_file.h"
#include "file/json_numbers.h"

#include <limits.h>

/* ---------------------------------------------------------------- writing */

static gbs_status kept(bool ok) {
    return ok ? GBS_OK : GBS_ERR_MEMORY;
}

static gbs_status put_real(gbs_archive *a, const char *key, double otherwise, double *x) {
    return kept(*x == otherwise || gbs_json_put(a->object, key, json_real(*x)));
}

static gbs_status put_count(gbs_archive *a, const char *key, size_t *x) {
    return kept(gbs_json_put(a->object, key, json_integer((json_int_t)*x)));
}

static gbs_status put_reals(gbs_archive *a, const char *key, size_t count, bool optional,
                            double **x) {
    (void)optional;
    return kept(key == NULL || *x == NULL ||
                gbs_json_put(a->object, key, gbs_json_reals(*x, count)));
}

static gbs_status put_indices(gbs_archive *a, const char *key, size_t below, size_t *count,
                              uint32_t **x) {
    json_t *array = json_array();
    (void)below;
    for (size_t k = 0; array != NULL && k < *count; k++)
        if (json_array_append_new(array, json_integer((json_int_t)(*x)[k])) != 0) {
            json_decref(array);
            return GBS_ERR_MEMORY;
        }
    return kept(gbs_json_put(a->object, key, array));
}

bool gbs_json_put_maps(gbs_context *ctx, json_t *root, gbs_scale kind, const gbs_maps *maps) {
    json_t *scaling = json_object();
    gbs_archive a = {.ctx = ctx,
                     .real = put_real,
                     .count = put_count,
                     .reals = put_reals,
                     .indices = put_indices};
    bool ok = gbs_json_put(root, "scaling", scaling) &&
              gbs_json_put(scaling, "kind", json_string(gbs_scale_name(kind)));
    for (size_t k = 0; ok && k < maps->count; k++) {
        gbs_map *map = maps->at[k];
        json_t *own = map->ops->name != NULL ? json_object() : scaling;
        a.object = own;
        ok = (own == scaling || gbs_json_put(scaling, map->ops->name, own)) &&
             (map->ops->keep == NULL || map->ops->keep(map, &a) == GBS_OK);
    }
    return ok;
}

/* ---------------------------------------------------------------- reading */

static const char *scale_name(int scale) {
    return gbs_scale_name((gbs_scale)scale);
}

static gbs_status get_real(gbs_archive *a, const char *key, double otherwise, double *x) {
    *x = otherwise;
    return json_object_get(a->object, key) == NULL ? GBS_OK
                                                   : gbs_json_get_real(a->ctx, a->object, key, x);
}

static gbs_status get_count(gbs_archive *a, const char *key, size_t *x) {
    return gbs_json_get_size(a->ctx, a->object, key, INT_MAX, x);
}

static gbs_status get_reals(gbs_archive *a, const char *key, size_t count, bool optional,
                            double **x) {
    if (key == NULL || (optional && json_object_get(a->object, key) == NULL))
        return GBS_OK;
    return gbs_json_get_reals(a->ctx, a->object, key, count, x);
}

static gbs_status get_indices(gbs_archive *a, const char *key, size_t below, size_t *count,
                              uint32_t **x) {
    const json_t *list = json_object_get(a->object, key);
    *count = json_array_size(list);
    if (*count == 0 || *count > below || *count >= INT_MAX)
        return gbs_fail(a->ctx, GBS_ERR_FORMAT, "the model is damaged: '%s' has the wrong length",
                        key);
    if ((*x = gbs_array_alloc(a->ctx, *count, sizeof **x)) == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < *count; k++) {
        const json_t *item = json_array_get(list, k);
        json_int_t index = json_is_integer(item) ? json_integer_value(item) : -1;
        if (index < 0 || (uint64_t)index >= below || (k > 0 && (uint64_t)index <= (*x)[k - 1]))
            return gbs_fail(a->ctx, GBS_ERR_FORMAT, "the model is damaged: '%s' is out of order",
                            key);
        (*x)[k] = (uint32_t)index;
    }
    return GBS_OK;
}

/* Settings that ask for the maps that the file has. */
static gbs_fit_settings settings_of(const json_t *scaling, gbs_scale kind, bool intercept) {
    bool stretched = json_object_get(scaling, "stretch") != NULL;
    return (gbs_fit_settings){.scale = kind,
                              .intercept = intercept,
                              .constant = 1.0,
                              .cx = json_object_get(scaling, "clip") != NULL ? 1.0 : 0.0,
                              .columns = stretched ? GBS_COLUMNS_RELEVANCE : GBS_COLUMNS_EQUAL};
}

static bool is_there(const json_t *scaling, const gbs_map_ops *ops, const gbs_fit_settings *o) {
    const char *key = ops->name != NULL ? ops->name : ops->told_by;
    return key != NULL ? json_object_get(scaling, key) != NULL : ops->wanted(o);
}

static gbs_status get_map(gbs_context *ctx, json_t *scaling, const gbs_fit_settings *o,
                          gbs_maps *maps, size_t k) {
    gbs_map *map = maps->at[k];
    const gbs_map_ops *ops = map->ops;
    gbs_archive a = {.ctx = ctx,
                     .real = get_real,
                     .count = get_count,
                     .reals = get_reals,
                     .indices = get_indices,
                     .object = scaling};
    if (ops->name != NULL)
        a.object = json_object_get(scaling, ops->name);
    map->in = map->out = k > 0 ? maps->at[k - 1]->out : maps->given;
    if (ops->set != NULL)
        ops->set(map, o);
    gbs_status status = ops->keep != NULL ? ops->keep(map, &a) : GBS_OK;
    return status == GBS_OK ? gbs_maps_settle(ctx, maps, k) : status;
}

gbs_status gbs_json_get_maps(gbs_context *ctx, const json_t *root, const gbs_map_ops *const *table,
                             bool intercept, size_t given, size_t d, gbs_scale *kind,
                             gbs_maps *out) {
    json_t *scaling = json_object_get(root, "scaling");
    gbs_map *map;
    int choice;
    *out = (gbs_maps){.given = given, .d = given};
    TRY(gbs_json_get_choice(ctx, scaling, "kind", scale_name, &choice));
    *kind = (gbs_scale)choice;
    gbs_fit_settings o = settings_of(scaling, *kind, intercept);
    gbs_status status = GBS_OK;
    for (; status == GBS_OK && *table != NULL; table++)
        if (is_there(scaling, *table, &o))
            status = gbs_maps_add(ctx, out, *table, &map);
    for (size_t k = 0; status == GBS_OK && k < out->count; k++)
        status = get_map(ctx, scaling, &o, out, k);
    if (status == GBS_OK && (out->d != d || out->d > INT_MAX))
        status = gbs_fail(ctx, GBS_ERR_FORMAT,
                          "the model is damaged: d does not match its features");
    if (status != GBS_OK)
        gbs_maps_free(ctx, out);
    return status;
}
