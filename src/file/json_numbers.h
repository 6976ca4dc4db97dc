/* Arrays of numbers in and out of jansson values. */
#ifndef GIBBSITE_FILE_JSON_NUMBERS_H
#define GIBBSITE_FILE_JSON_NUMBERS_H

#include "core/context.h"

#include <jansson.h>

/* Stores a NULL-safe value under key; false when value is NULL or memory ran out. Takes over the
 * reference. */
bool gbs_json_put(json_t *object, const char *key, json_t *value);

json_t *gbs_json_real_or_null(double x); /* null for NaN and infinities, which JSON does not have */
json_t *gbs_json_reals(const double *x, size_t count); /* null where not finite */
/* Rows of the upper (or lower) triangle of a d x d matrix, one after the other. */
json_t *gbs_json_triangle(const double *x, size_t d, bool upper);

/* Leaves the reader that calls it with the status of what it read. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        gbs_status try_status = (call);                                                            \
        if (try_status != GBS_OK)                                                                  \
            return try_status;                                                                     \
    } while (0)

/* Readers: GBS_ERR_FORMAT with a message that names the key. `key` is looked up in object. */
gbs_status gbs_json_get_reals(gbs_context *ctx, const json_t *object, const char *key, size_t count,
                              double **out);
gbs_status gbs_json_get_triangle(gbs_context *ctx, const json_t *object, const char *key, size_t d,
                                 bool upper, double **out);
gbs_status gbs_json_get_real(gbs_context *ctx, const json_t *object, const char *key, double *out);
/* NaN for null, and for a key that an older file does not have. */
gbs_status gbs_json_get_real_or_nan(gbs_context *ctx, const json_t *object, const char *key,
                                    double *out);
gbs_status gbs_json_get_size(gbs_context *ctx, const json_t *object, const char *key, size_t most,
                             size_t *out);
gbs_status gbs_json_get_bool(gbs_context *ctx, const json_t *object, const char *key, int *out);
/* Number of the string under key among name(0), name(1), ... and name(GBS_AWAY), ..., which end
 * with NULL each. */
gbs_status gbs_json_get_choice(gbs_context *ctx, const json_t *object, const char *key,
                               const char *(*name)(int), int *out);

#endif
