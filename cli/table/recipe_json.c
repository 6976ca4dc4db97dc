/* The recipe inside a model file. What a file says is checked before it is believed. */
#include "table/recipe.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool put(json_t *object, const char *key, json_t *value) {
    return value != NULL && json_object_set_new(object, key, value) == 0;
}

/* Names and labels come from files and may not be UTF-8; JSON must be. Bytes that are not are kept
 * as U+FFFD. */
static json_t *safe_string(const char *text) {
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    size_t length = strlen(text), used = 0;
    char *copy = malloc(3 * length + 1);
    if (copy == NULL)
        return NULL;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < 0x80) {
            copy[used++] = text[i];
        } else {
            memcpy(copy + used, "\xEF\xBF\xBD", 3);
            used += 3;
        }
    }
    copy[used] = '\0';
    value = json_string(copy);
    free(copy);
    return value;
}

static json_t *column_to_json(const struct recipe_column *c) {
    json_t *object = json_object(), *levels = NULL;
    bool ok = object != NULL && put(object, "name", safe_string(c->name)) &&
              put(object, "position", json_integer((json_int_t)c->position)) &&
              put(object, "type", json_string(c->is_text ? "text" : "number"));
    if (ok && c->is_text) {
        levels = json_array();
        ok = put(object, "levels", levels);
        for (size_t k = 0; ok && k < c->n_levels; k++)
            ok = json_array_append_new(levels, safe_string(c->levels[k])) == 0;
    }
    if (!ok) {
        json_decref(object);
        return NULL;
    }
    return object;
}

char *recipe_to_json(const struct recipe *r) {
    json_t *root = json_object(), *inputs = NULL;
    bool ok = root != NULL && put(root, "named", json_boolean(r->named)) &&
              put(root, "columns", json_integer((json_int_t)r->n_columns)) &&
              put(root, "features", json_integer((json_int_t)r->features)) &&
              put(root, "positive", safe_string(r->positive)) &&
              put(root, "negative", r->negative != NULL ? safe_string(r->negative) : json_null());
    if (ok && r->target != NULL)
        ok = put(root, "target", safe_string(r->target)) &&
             put(root, "target_position", json_integer((json_int_t)r->target_position)) &&
             put(root, "target_type", json_string(r->target_is_text ? "text" : "number"));
    if (ok && r->inputs != NULL) {
        inputs = json_array();
        ok = put(root, "inputs", inputs);
        for (size_t k = 0; ok && k < r->n_inputs; k++)
            ok = json_array_append_new(inputs, column_to_json(&r->inputs[k])) == 0;
    }
    char *text = ok ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

/* ---------------------------------------------------------------- reading */

static char *get_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? strdup(text) : NULL;
}

/* A text or nothing; false when it is there but there is no memory for it. */
static bool get_optional_text(const json_t *object, const char *key, char **out) {
    *out = get_text(object, key);
    return *out != NULL || !json_is_string(json_object_get(object, key));
}

static bool get_count(const json_t *object, const char *key, size_t most, size_t *out) {
    const json_t *x = json_object_get(object, key);
    if (!json_is_integer(x) || json_integer_value(x) < 0 ||
        (unsigned long long)json_integer_value(x) > most)
        return false;
    *out = (size_t)json_integer_value(x);
    return true;
}

static bool is_text_type(const json_t *object, const char *key) {
    const char *type = json_string_value(json_object_get(object, key));
    return type != NULL && strcmp(type, "text") == 0;
}

static bool column_from_json(const json_t *object, struct recipe_column *c) {
    c->name = get_text(object, "name");
    c->is_text = is_text_type(object, "type");
    if (c->name == NULL || !get_count(object, "position", SIZE_MAX / 16, &c->position))
        return false;
    if (!c->is_text)
        return true;
    const json_t *levels = json_object_get(object, "levels");
    c->levels = calloc(json_array_size(levels) + 1, sizeof *c->levels);
    for (size_t k = 0; c->levels != NULL && k < json_array_size(levels); k++) {
        const char *text = json_string_value(json_array_get(levels, k));
        if (text == NULL || (k > 0 && strcmp(c->levels[k - 1], text) >= 0) ||
            (c->levels[k] = strdup(text)) == NULL)
            return false;
        c->n_levels++;
    }
    return c->levels != NULL;
}

static bool inputs_from_json(const json_t *inputs, struct recipe *r) {
    size_t count = json_array_size(inputs), features = 0;
    r->inputs = calloc(count + 1, sizeof *r->inputs);
    if (r->inputs == NULL)
        return false;
    for (size_t k = 0; k < count; k++) {
        struct recipe_column *c = &r->inputs[r->n_inputs++];
        if (!column_from_json(json_array_get(inputs, k), c) || c->position >= r->n_columns)
            return false;
        features += c->is_text ? c->n_levels : 1;
    }
    return features == r->features;
}

bool recipe_from_json(const char *json, struct recipe *out, char *error, size_t size) {
    *out = (struct recipe){0};
    errno = 0;
    json_t *root = json_loads(json, 0, NULL);
    bool ok = json_is_object(root) && get_count(root, "columns", SIZE_MAX / 16, &out->n_columns) &&
              get_count(root, "features", SIZE_MAX / 16, &out->features) &&
              (out->positive = get_text(root, "positive")) != NULL;
    if (ok) {
        out->named = json_is_true(json_object_get(root, "named"));
        ok = get_optional_text(root, "negative", &out->negative) &&
             get_optional_text(root, "target", &out->target);
        out->target_is_text = is_text_type(root, "target_type");
        if (ok && out->target != NULL)
            ok = get_count(root, "target_position", out->n_columns - 1, &out->target_position) &&
                 out->n_columns > 0;
        if (ok && json_is_array(json_object_get(root, "inputs")))
            ok = out->target != NULL && inputs_from_json(json_object_get(root, "inputs"), out);
        else
            ok = ok && out->features == out->n_columns - (out->target != NULL);
    }
    bool no_memory = errno == ENOMEM;
    json_decref(root);
    if (!ok) {
        recipe_free(out);
        snprintf(error, size,
                 no_memory ? "out of memory" : "the model's recipe of columns is damaged");
    }
    return ok;
}
