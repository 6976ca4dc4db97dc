/* jansson values as text, in the context's memory. */
#include "file/json_text.h"

#include <string.h>

/* Where jansson's dump goes. The failure is remembered here: jansson 2.14 does not look at what the
 * callback says after a key. */
struct sink {
    gbs_context *ctx;
    char *bytes;
    size_t size, room;
    bool failed;
};

static int pour(const char *bytes, size_t size, void *data) {
    struct sink *s = data;
    if (!s->failed && s->size + size + 1 > s->room) {
        size_t room = 2 * (s->size + size) + 4096;
        char *larger = gbs_array_alloc(s->ctx, room, 1);
        if (larger != NULL && s->size > 0)
            memcpy(larger, s->bytes, s->size);
        gbs_array_free(s->ctx, s->bytes);
        s->bytes = larger;
        s->room = room;
        s->failed = larger == NULL;
    }
    if (s->failed)
        return -1;
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
    return 0;
}

gbs_status gbs_json_print(gbs_context *ctx, const json_t *value, const char *after, char **text,
                          size_t *size) {
    struct sink sink = {.ctx = ctx};
    bool ok = json_dump_callback(value, pour, &sink,
                                 JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) == 0 &&
              pour(after, strlen(after), &sink) == 0;
    *text = NULL;
    if (!ok || sink.failed) {
        gbs_array_free(ctx, sink.bytes);
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory while writing");
    }
    sink.bytes[sink.size] = '\0';
    *text = sink.bytes;
    if (size != NULL)
        *size = sink.size;
    return GBS_OK;
}

bool gbs_json_put_text(gbs_context *ctx, json_t *object, const char *key, const char *text) {
    json_t *value;
    if (text == NULL)
        return true;
    return gbs_json_parse(ctx, text, strlen(text), GBS_JSON_LEVELS, key, &value) == GBS_OK &&
           json_object_set_new(object, key, value) == 0;
}

gbs_status gbs_json_get_text(gbs_context *ctx, const json_t *object, const char *key, char **text) {
    const json_t *value = json_object_get(object, key);
    *text = NULL;
    return value != NULL ? gbs_json_print(ctx, value, "", text, NULL) : GBS_OK;
}
