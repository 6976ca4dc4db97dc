/* Arrays of numbers in and out of jansson values; nothing from a file is trusted. */
#include "file/json_numbers.h"

#include "options/names.h"

#include <math.h>
#include <string.h>

bool gbs_json_put(json_t *object, const char *key, json_t *value) {
    return value != NULL && json_object_set_new(object, key, value) == 0;
}

json_t *gbs_json_real_or_null(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

static bool append(json_t *array, double x) {
    return json_array_append_new(array, json_real(x)) == 0;
}

json_t *gbs_json_reals(const double *x, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < count; i++)
        if (json_array_append_new(array, gbs_json_real_or_null(x[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

json_t *gbs_json_triangle(const double *x, size_t d, bool upper) {
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < d; i++)
        for (size_t j = upper ? i : 0; array != NULL && j < (upper ? d : i + 1); j++)
            if (!append(array, x[i * d + j])) {
                json_decref(array);
                array = NULL;
            }
    return array;
}

static gbs_status bad(gbs_context *ctx, const char *key, const char *expected) {
    return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: '%s' should be %s", key, expected);
}

/* The array under key, of exactly count finite numbers. */
static gbs_status get_array(gbs_context *ctx, const json_t *object, const char *key, size_t count,
                            const json_t **out) {
    const json_t *array = json_object_get(object, key);
    if (!json_is_array(array) || json_array_size(array) != count)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: '%s' should be a list of %zu numbers", key, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *x = json_array_get(array, i);
        if (!json_is_number(x) || !isfinite(json_number_value(x)))
            return gbs_fail(ctx, GBS_ERR_FORMAT,
                            "the model is damaged: '%s' has something that is not a number", key);
    }
    *out = array;
    return GBS_OK;
}

gbs_status gbs_json_get_reals(gbs_context *ctx, const json_t *object, const char *key, size_t count,
                              double **out) {
    const json_t *array = NULL;
    gbs_status status = get_array(ctx, object, key, count, &array);
    if (status != GBS_OK)
        return status;
    *out = gbs_doubles(ctx, count);
    if (*out == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        (*out)[i] = json_number_value(json_array_get(array, i));
    return GBS_OK;
}

gbs_status gbs_json_get_triangle(gbs_context *ctx, const json_t *object, const char *key, size_t d,
                                 bool upper, double **out) {
    const json_t *array = NULL;
    if (d > 100000)
        return bad(ctx, key, "a triangle of at most 100000 rows");
    gbs_status status = get_array(ctx, object, key, d * (d + 1) / 2, &array);
    if (status != GBS_OK)
        return status;
    double *x = gbs_matrix(ctx, d, d);
    *out = x;
    if (x == NULL)
        return GBS_ERR_MEMORY;
    size_t next = 0;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = upper ? i : 0; j < (upper ? d : i + 1); j++)
            x[i * d + j] = json_number_value(json_array_get(array, next++));
        if (!(x[i * d + i] > 0.0))
            return bad(ctx, key, "a triangle with a positive diagonal");
    }
    return GBS_OK;
}

gbs_status gbs_json_get_real(gbs_context *ctx, const json_t *object, const char *key, double *out) {
    const json_t *x = json_object_get(object, key);
    if (!json_is_number(x) || !isfinite(json_number_value(x)))
        return bad(ctx, key, "a number");
    *out = json_number_value(x);
    return GBS_OK;
}

gbs_status gbs_json_get_real_or_nan(gbs_context *ctx, const json_t *object, const char *key,
                                    double *out) {
    *out = NAN;
    const json_t *value = json_object_get(object, key);
    return value == NULL || json_is_null(value) ? GBS_OK : gbs_json_get_real(ctx, object, key, out);
}

gbs_status gbs_json_get_size(gbs_context *ctx, const json_t *object, const char *key, size_t most,
                             size_t *out) {
    const json_t *x = json_object_get(object, key);
    if (!json_is_integer(x) || json_integer_value(x) < 0 ||
        (unsigned long long)json_integer_value(x) > most)
        return bad(ctx, key, "a whole number in range");
    *out = (size_t)json_integer_value(x);
    return GBS_OK;
}

gbs_status gbs_json_get_bool(gbs_context *ctx, const json_t *object, const char *key, int *out) {
    const json_t *x = json_object_get(object, key);
    if (!json_is_boolean(x))
        return bad(ctx, key, "true or false");
    *out = json_is_true(x);
    return GBS_OK;
}

gbs_status gbs_json_get_choice(gbs_context *ctx, const json_t *object, const char *key,
                               const char *(*name)(int), int *out) {
    const char *text = json_string_value(json_object_get(object, key));
    for (int first = 0; text != NULL && first <= GBS_AWAY; first += GBS_AWAY)
        for (int i = first; name(i) != NULL; i++)
            if (strcmp(text, name(i)) == 0) {
                *out = i;
                return GBS_OK;
            }
    return bad(ctx, key, "a name this version knows");
}
