/* A small JSON writer: pretty, numbers in their shortest exact form, NaN and infinities as null. */
#ifndef GIBBSITE_CLI_OUT_JSON_H
#define GIBBSITE_CLI_OUT_JSON_H

#include "out/text.h"

#include <stdbool.h>
#include <stddef.h>

struct json {
    struct text *out;
    int depth;
    bool first;
};

/* Writes to `out`; the outermost value is opened by the first json_open_object or json_open_array
 * with key NULL. */
struct json json_writer(struct text *out);
void json_open_object(struct json *j, const char *key);
void json_open_array(struct json *j, const char *key);
void json_close_object(struct json *j);
void json_close_array(struct json *j);
/* The members of an object that another writer of this manner made, such as the library, set in as
 * those of the object that is open. */
void json_put_members(struct json *j, const char *object);
void json_put_number(struct json *j, const char *key, double x);
void json_put_count(struct json *j, const char *key, size_t x);
void json_put_bool(struct json *j, const char *key, bool x);
void json_put_string(struct json *j, const char *key, const char *x); /* NULL: null */

#endif
