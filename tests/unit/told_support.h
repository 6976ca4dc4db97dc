/* What the library tells as JSON, read by jansson. */
#ifndef GIBBSITE_TESTS_TOLD_SUPPORT_H
#define GIBBSITE_TESTS_TOLD_SUPPORT_H

#include "unit/support.h"

#include <jansson.h>

/* Takes the text. */
static inline json_t *parsed(gbs_context *ctx, char *text, size_t size) {
    json_error_t error;
    assert_int_equal(strlen(text), size);
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        print_error("line %d: %s\n", error.line, error.text);
    assert_non_null(root);
    gbs_release(ctx, text);
    return root;
}

static inline const json_t *member(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (value == NULL)
        print_error("no member %s\n", key);
    assert_non_null(value);
    return value;
}

static inline double number(const json_t *object, const char *key) {
    return json_number_value(member(object, key));
}

static inline const char *text_of(const json_t *object, const char *key) {
    return json_string_value(member(object, key));
}

#endif
