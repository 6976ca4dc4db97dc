/* The scaling of a model's rows, in its file: what became of a raw column before theta met it. */
#include "file/scaling_file.h"
#include "file/json_numbers.h"

#include <limits.h>

static json_t *put_indices(const uint32_t *index, size_t count) {
    json_t *array = json_array();
    for (size_t k = 0; array != NULL && k < count; k++)
        if (json_array_append_new(array, json_integer((json_int_t)index[k])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

bool gbs_json_put_scaling(json_t *root, const gbs_scaling *s) {
    json_t *scaling = json_object();
    bool ok = gbs_json_put(root, "scaling", scaling) &&
              gbs_json_put(scaling, "kind", json_string(gbs_scale_name(s->kind)));
    if (s->clip > 0.0)
        ok = ok && gbs_json_put(scaling, "clip", json_real(s->clip));
    if (s->constant != 1.0)
        ok = ok && gbs_json_put(scaling, "constant", json_real(s->constant));
    if (s->seen.column != NULL)
        ok = ok && gbs_json_put(scaling, "kept", put_indices(s->seen.column, s->seen.size));
    if (s->kind == GBS_SCALE_STANDARD)
        ok = ok && gbs_json_put(scaling, "center", gbs_json_reals(s->center, s->features)) &&
             gbs_json_put(scaling, "scale", gbs_json_reals(s->scale, s->features));
    if (s->stretch != NULL)
        ok = ok && gbs_json_put(scaling, "stretch", gbs_json_reals(s->stretch, s->features));
    return ok;
}

static const char *scale_name(int scale) {
    return gbs_scale_name((gbs_scale)scale);
}

static gbs_status check_positive(gbs_context *ctx, const char *what, const double *x,
                                 size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!(x[k] > 0.0))
            return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: a %s is not positive",
                            what);
    return GBS_OK;
}

/* A positive number that may be missing. */
static gbs_status get_positive(gbs_context *ctx, const json_t *object, const char *key,
                               double *out) {
    if (json_object_get(object, key) == NULL)
        return GBS_OK;
    gbs_status status = gbs_json_get_real(ctx, object, key, out);
    return status == GBS_OK ? check_positive(ctx, key, out, 1) : status;
}

/* The columns that are used, of `given` ones; all where the file does not say. */
static gbs_status get_seen(gbs_context *ctx, const json_t *scaling, size_t given, gbs_seen *seen) {
    const json_t *kept = json_object_get(scaling, "kept");
    size_t size = json_array_size(kept);
    *seen = (gbs_seen){.given = given, .size = given};
    if (kept == NULL)
        return given < INT_MAX ? GBS_OK
                               : gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'features'");
    if (size == 0 || size >= given || size >= INT_MAX)
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'kept' has the wrong length");
    if ((seen->column = gbs_array_alloc(ctx, size, sizeof *seen->column)) == NULL)
        return GBS_ERR_MEMORY;
    seen->size = size;
    for (size_t k = 0; k < size; k++) {
        const json_t *item = json_array_get(kept, k);
        json_int_t index = json_is_integer(item) ? json_integer_value(item) : -1;
        if (index < 0 || (uint64_t)index >= given ||
            (k > 0 && (uint64_t)index <= seen->column[k - 1]))
            return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'kept' is out of order");
        seen->column[k] = (uint32_t)index;
    }
    return GBS_OK;
}

gbs_status gbs_json_get_scaling(gbs_context *ctx, const json_t *root, bool intercept, size_t given,
                                size_t d, gbs_scaling *s) {
    const json_t *scaling = json_object_get(root, "scaling");
    int kind;
    gbs_status status = gbs_json_get_choice(ctx, scaling, "kind", scale_name, 3, &kind);
    if (status != GBS_OK)
        return status;
    *s = (gbs_scaling){.kind = (gbs_scale)kind, .intercept = intercept, .constant = 1.0};
    status = get_seen(ctx, scaling, given, &s->seen);
    if (status != GBS_OK)
        return status;
    size_t features = s->features = s->seen.size;
    if (d != features + (intercept ? 1 : 0))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: d does not match its features");
    status = get_positive(ctx, scaling, "clip", &s->clip);
    if (status == GBS_OK)
        status = get_positive(ctx, scaling, "constant", &s->constant);
    if (s->kind != GBS_SCALE_STANDARD || status != GBS_OK)
        return status;
    status = gbs_json_get_reals(ctx, scaling, "center", features, &s->center);
    if (status == GBS_OK)
        status = gbs_json_get_reals(ctx, scaling, "scale", features, &s->scale);
    if (status == GBS_OK)
        status = check_positive(ctx, "scale", s->scale, features);
    s->relevance = json_object_get(scaling, "stretch") != NULL;
    if (status == GBS_OK && s->relevance)
        status = gbs_json_get_reals(ctx, scaling, "stretch", features, &s->stretch);
    return status == GBS_OK && s->relevance ? check_positive(ctx, "stretch", s->stretch, features)
                                            : status;
}
