/* The recipe of columns as a JSON text, as model files keep it. What a file says is checked before
 * it is believed. */
#include "file/recipe_json.h"

#include "data/rows.h"
#include "file/json_text.h"
#include "table/recipe.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- writing */

static bool put(json_t *object, const char *key, json_t *value) {
    return value != NULL && json_object_set_new(object, key, value) == 0;
}

/* A number or a level; null: none of the levels. */
static json_t *fill_to_json(const gbs_column_map *c) {
    if (!c->is_text)
        return json_real(c->fill);
    return isnan(c->fill) ? json_null() : json_string(c->levels[(size_t)c->fill]);
}

static json_t *column_to_json(const gbs_column_map *c) {
    json_t *object = json_object(), *levels = NULL;
    bool ok = object != NULL && put(object, "name", json_string(c->name)) &&
              put(object, "position", json_integer((json_int_t)c->position)) &&
              put(object, "type", json_string(c->is_text ? "text" : "number"));
    if (ok && c->is_text) {
        levels = json_array();
        ok = put(object, "levels", levels);
        for (size_t k = 0; ok && k < c->n_levels; k++)
            ok = json_array_append_new(levels, json_string(c->levels[k])) == 0;
    }
    if (ok && c->filled)
        ok = put(object, "fill", fill_to_json(c)) && put(object, "marked", json_boolean(c->marked));
    if (!ok) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Two labels, or "classes" in their order. */
static bool put_labels(json_t *root, const gbs_recipe *r) {
    if (r->n_classes == 0)
        return put(root, "positive", json_string(r->positive)) &&
               put(root, "negative", r->negative != NULL ? json_string(r->negative) : json_null());
    json_t *list = json_array();
    bool ok = put(root, "classes", list);
    for (size_t k = 0; ok && k < r->n_classes; k++)
        ok = json_array_append_new(list, json_string(r->classes[k])) == 0;
    return ok;
}

static const char *const first_lines[] = {"data", "header"};

static bool fill_json(const gbs_recipe *r, json_t *root) {
    bool ok = root != NULL && put(root, "named", json_boolean(r->named)) &&
              put(root, "columns", json_integer((json_int_t)r->n_columns)) &&
              put(root, "features", json_integer((json_int_t)r->features)) && put_labels(root, r);
    if (ok && r->target != NULL)
        ok = put(root, "target", json_string(r->target)) &&
             put(root, "target_position", json_integer((json_int_t)r->target_position)) &&
             put(root, "target_type", json_string(r->target_is_text ? "text" : "number"));
    if (ok && r->n_na > 0) {
        json_t *na = json_array();
        ok = put(root, "na_values", na);
        for (size_t k = 0; ok && k < r->n_na; k++)
            ok = json_array_append_new(na, json_string(r->na[k])) == 0;
    }
    if (ok && r->comma)
        ok = put(root, "decimal", json_string(","));
    if (ok && r->first_line >= 0)
        ok = put(root, "first_line", json_string(first_lines[r->first_line]));
    if (ok && r->inputs != NULL) {
        json_t *inputs = json_array();
        ok = put(root, "inputs", inputs);
        for (size_t k = 0; ok && k < r->n_inputs; k++)
            ok = json_array_append_new(inputs, column_to_json(&r->inputs[k])) == 0;
    }
    return ok;
}

gbs_status gbs_recipe_to_json(gbs_context *ctx, const gbs_recipe *r, char **text) {
    json_t *root = json_object();
    *text = NULL;
    gbs_status status = fill_json(r, root) ? gbs_json_print(ctx, root, "", text, NULL)
                                           : gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory");
    json_decref(root);
    return status;
}

/* ---------------------------------------------------------------- reading */

/* A damaged file is told apart from memory that ran out. */
struct reading {
    gbs_context *ctx;
    gbs_recipe *out;
    bool no_memory;
};

static const char *get_text(struct reading *g, const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (text == NULL)
        return NULL;
    const char *copy = gbs_pool_text(g->ctx, &g->out->pool, text, strlen(text));
    g->no_memory = g->no_memory || copy == NULL;
    return copy;
}

static void *get_room(struct reading *g, size_t count, size_t size) {
    void *room = gbs_array_alloc(g->ctx, count, size);
    g->no_memory = g->no_memory || room == NULL;
    return room;
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

static bool read_levels(struct reading *g, const json_t *levels, gbs_column_map *c) {
    c->levels = get_room(g, json_array_size(levels) + 1, sizeof *c->levels);
    for (size_t k = 0; c->levels != NULL && k < json_array_size(levels); k++) {
        const char *text = json_string_value(json_array_get(levels, k));
        if (text == NULL || (k > 0 && strcmp(c->levels[k - 1], text) >= 0))
            return false;
        c->levels[k] = gbs_pool_text(g->ctx, &g->out->pool, text, strlen(text));
        g->no_memory = g->no_memory || c->levels[k] == NULL;
        if (c->levels[k] == NULL)
            return false;
        c->n_levels++;
    }
    return c->levels != NULL;
}

static bool read_fill(const json_t *object, gbs_column_map *c) {
    const json_t *fill = json_object_get(object, "fill");
    c->filled = fill != NULL;
    c->marked = json_is_true(json_object_get(object, "marked"));
    c->fill = NAN;
    if (fill == NULL)
        return !c->marked;
    if (!c->is_text) {
        c->fill = json_number_value(fill);
        return json_is_number(fill) && isfinite(c->fill);
    }
    for (size_t k = 0; json_is_string(fill) && k < c->n_levels; k++)
        if (strcmp(c->levels[k], json_string_value(fill)) == 0)
            c->fill = (double)k;
    return json_is_null(fill) || !isnan(c->fill);
}

static bool read_column(struct reading *g, const json_t *object, gbs_column_map *c) {
    c->name = get_text(g, object, "name");
    c->is_text = is_text_type(object, "type");
    if (c->name == NULL || !get_count(object, "position", SIZE_MAX / 16, &c->position))
        return false;
    if (c->is_text && !read_levels(g, json_object_get(object, "levels"), c))
        return false;
    return read_fill(object, c);
}

static bool read_inputs(struct reading *g, const json_t *inputs) {
    gbs_recipe *r = g->out;
    size_t count = json_array_size(inputs), features = 0;
    r->inputs = get_room(g, count + 1, sizeof *r->inputs);
    if (r->inputs == NULL)
        return false;
    for (size_t k = 0; k < count; k++) {
        gbs_column_map *c = &r->inputs[r->n_inputs++];
        if (!read_column(g, json_array_get(inputs, k), c) || c->position >= r->n_columns)
            return false;
        features += gbs_column_width(c);
    }
    return features == r->features;
}

static bool read_na(struct reading *g, const json_t *list) {
    gbs_recipe *r = g->out;
    if (list == NULL)
        return true;
    r->na = get_room(g, json_array_size(list) + 1, sizeof *r->na);
    for (size_t k = 0; r->na != NULL && k < json_array_size(list); k++) {
        const char *text = json_string_value(json_array_get(list, k));
        if (text == NULL)
            return false;
        r->na[k] = gbs_pool_text(g->ctx, &r->pool, text, strlen(text));
        g->no_memory = g->no_memory || r->na[k] == NULL;
        r->n_na += r->na[k] != NULL;
    }
    return r->na != NULL && !g->no_memory;
}

static bool read_classes(struct reading *g, const json_t *list) {
    gbs_recipe *r = g->out;
    size_t count = json_array_size(list);
    if (list == NULL)
        return true;
    if (count < 3 || count > GBS_MOST_CLASSES)
        return false;
    r->classes = get_room(g, count, sizeof *r->classes);
    for (size_t k = 0; r->classes != NULL && k < count; k++) {
        const char *text = json_string_value(json_array_get(list, k));
        if (text == NULL)
            return false;
        r->classes[k] = gbs_pool_text(g->ctx, &r->pool, text, strlen(text));
        g->no_memory = g->no_memory || r->classes[k] == NULL;
        r->n_classes++;
    }
    return true;
}

/* How later files are read; both are optional. */
static bool read_manner(gbs_recipe *r, const json_t *root) {
    const json_t *decimal = json_object_get(root, "decimal"),
                 *line = json_object_get(root, "first_line");
    const char *sign = json_string_value(decimal), *is = json_string_value(line);
    r->comma = sign != NULL && strcmp(sign, ",") == 0;
    r->first_line = -1;
    for (int k = 0; is != NULL && k < 2; k++)
        if (strcmp(is, first_lines[k]) == 0)
            r->first_line = k;
    return (decimal == NULL || r->comma) && (line == NULL || r->first_line >= 0);
}

static bool read_recipe(struct reading *g, const json_t *root) {
    gbs_recipe *r = g->out;
    const json_t *inputs = json_object_get(root, "inputs");
    if (!json_is_object(root) || !get_count(root, "columns", SIZE_MAX / 16, &r->n_columns) ||
        !get_count(root, "features", SIZE_MAX / 16, &r->features))
        return false;
    r->positive = get_text(g, root, "positive");
    r->negative = get_text(g, root, "negative");
    r->target = get_text(g, root, "target");
    r->named = json_is_true(json_object_get(root, "named"));
    r->target_is_text = is_text_type(root, "target_type");
    if (!read_classes(g, json_object_get(root, "classes")) || g->no_memory ||
        !read_na(g, json_object_get(root, "na_values")))
        return false;
    if ((r->positive == NULL) != (r->n_classes > 0) || !read_manner(r, root))
        return false;
    if (r->target != NULL &&
        (r->n_columns == 0 ||
         !get_count(root, "target_position", r->n_columns - 1, &r->target_position)))
        return false;
    if (json_is_array(inputs))
        return r->target != NULL && read_inputs(g, inputs);
    return r->features == r->n_columns - (r->target != NULL);
}

gbs_status gbs_recipe_from_json(gbs_context *ctx, const char *json, gbs_recipe **out) {
    static const char damaged[] = "the model's recipe of columns is damaged";
    gbs_recipe *r = NULL;
    json_t *root = NULL;
    *out = NULL;
    gbs_status status = gbs_json_parse(ctx, json, strlen(json), GBS_JSON_LEVELS, damaged, &root);
    if (status == GBS_OK)
        status = gbs_recipe_new(ctx, &r);
    struct reading g = {.ctx = ctx, .out = r};
    if (status == GBS_OK && !read_recipe(&g, root))
        status = g.no_memory ? gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory")
                             : gbs_fail(ctx, GBS_ERR_FORMAT, "%s", damaged);
    json_decref(root);
    if (status != GBS_OK) {
        gbs_recipe_free(r);
        return status;
    }
    *out = r;
    return GBS_OK;
}
