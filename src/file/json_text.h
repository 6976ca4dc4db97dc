/* JSON text in and out of jansson values. jansson's own reader overlooks allocations that fail;
 * here each is looked at. */
#ifndef GIBBSITE_FILE_JSON_TEXT_H
#define GIBBSITE_FILE_JSON_TEXT_H

#include "core/context.h"

#include <jansson.h>

/* Arrays and objects within each other that our files may have; a recipe lies one level down. */
enum { GBS_JSON_LEVELS = 200 };

/* The one value that the text holds (RFC 8259), at most so many levels deep. GBS_ERR_FORMAT: "WHAT:
 * line N: why", or GBS_ERR_MEMORY. */
gbs_status gbs_json_parse(gbs_context *ctx, const char *text, size_t size, size_t levels,
                          const char *what, json_t **out);

/* Compact, 17 digits per real number, then `after`; a closing zero, which size does not count (size
 * may be NULL). For gbs_array_free. Fails only with GBS_ERR_MEMORY. */
gbs_status gbs_json_print(gbs_context *ctx, const json_t *value, const char *after, char **text,
                          size_t *size);

/* The value of a JSON text under key; nothing for a text that is NULL. False when memory ran out:
 * the text was looked at before it was kept. */
bool gbs_json_put_text(gbs_context *ctx, json_t *object, const char *key, const char *text);
/* The other way: the value under key as text, or NULL where there is none. */
gbs_status gbs_json_get_text(gbs_context *ctx, const json_t *object, const char *key, char **text);

#endif
