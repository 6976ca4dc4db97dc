/* "origin" and "selection" in a model file: version, seed and rows of the fit, and how a point of
 * the grids was chosen.
 *
 * "gibbsite" at the top is who wrote the file, "origin" who fitted the model: they differ where a
 * model was read and written again. A seed is a text: it may not fit in a number of JSON.
 */
#include "file/origin_file.h"

#include "file/json_numbers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE(x) json_integer((json_int_t)(x))

bool gbs_json_put_selection(json_t *root, const gbs_selection *s) {
    json_t *o = s->candidates > 0 ? json_object() : NULL;
    return s->candidates == 0 || (gbs_json_put(root, "selection", o) &&
                                  gbs_json_put(o, "candidates", WHOLE(s->candidates)) &&
                                  gbs_json_put(o, "folds", WHOLE(s->folds)) &&
                                  gbs_json_put(o, "error", gbs_json_real_or_null(s->error)) &&
                                  gbs_json_put(o, "error_se", gbs_json_real_or_null(s->error_se)));
}

/* The parts of a model of many classes have none of their own. A version that is not known stays so
 * when the model is written again: the text has an "origin" without one. */
bool gbs_json_put_origin(json_t *root, const gbs_origin_kept *kept) {
    const gbs_origin *origin = &kept->told;
    char seed[24];
    if (origin->version == NULL && !kept->unknown)
        return true;
    json_t *o = json_object();
    bool ok = gbs_json_put(root, "origin", o) &&
              (kept->unknown || gbs_json_put(o, "version", json_string(origin->version)));
    if (!ok || !origin->recorded)
        return ok;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)origin->seed);
    return gbs_json_put(o, "seed", json_string(seed)) &&
           gbs_json_put(o, "rows", WHOLE(origin->rows)) &&
           gbs_json_put(o, "hash", json_string(origin->hash)) &&
           gbs_json_put(o, "left_out", WHOLE(origin->left_out)) &&
           gbs_json_put(o, "copies", WHOLE(origin->copies));
}

gbs_status gbs_json_get_selection(gbs_context *ctx, const json_t *root, gbs_selection *s) {
    const json_t *o = json_object_get(root, "selection");
    if (o == NULL)
        return GBS_OK;
    TRY(gbs_json_get_size(ctx, o, "candidates", SIZE_MAX / 16, &s->candidates));
    TRY(gbs_json_get_size(ctx, o, "folds", SIZE_MAX / 16, &s->folds));
    TRY(gbs_json_get_real_or_nan(ctx, o, "error", &s->error));
    return gbs_json_get_real_or_nan(ctx, o, "error_se", &s->error_se);
}

/* False where the text has other characters or is too long for its room. */
static bool copy_text(const json_t *object, const char *key, const char *characters, size_t room,
                      char *out) {
    const char *text = json_string_value(json_object_get(object, key));
    size_t size = text != NULL ? strspn(text, characters) : 0;
    if (size == 0 || text[size] != '\0' || size >= room)
        return false;
    memcpy(out, text, size + 1);
    return true;
}

#define VERSION_CHARACTERS "0123456789.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+~-"

gbs_status gbs_json_get_origin(gbs_context *ctx, const json_t *root, gbs_origin_kept *kept) {
    const json_t *o = json_object_get(root, "origin");
    gbs_origin *origin = &kept->told;
    char seed[24];
    if (copy_text(o != NULL ? o : root, o != NULL ? "version" : "gibbsite", VERSION_CHARACTERS,
                  sizeof kept->version, kept->version))
        origin->version = kept->version;
    kept->unknown = origin->version == NULL;
    if (json_object_get(o, "seed") == NULL)
        return GBS_OK;
    errno = 0;
    bool ok = copy_text(o, "seed", "0123456789", sizeof seed, seed) &&
              copy_text(o, "hash", "0123456789abcdef", sizeof kept->hash, kept->hash);
    origin->seed = ok ? strtoull(seed, NULL, 10) : 0;
    if (!ok || errno == ERANGE)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: 'origin' should have a seed and a hash in quotes");
    TRY(gbs_json_get_size(ctx, o, "rows", SIZE_MAX / 16, &origin->rows));
    TRY(gbs_json_get_size(ctx, o, "left_out", SIZE_MAX / 16, &origin->left_out));
    TRY(gbs_json_get_size(ctx, o, "copies", SIZE_MAX / 16, &origin->copies));
    origin->hash = kept->hash;
    origin->recorded = 1;
    return GBS_OK;
}
