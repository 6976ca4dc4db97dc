/* What a caller asks for: options set by name, each kept as it was read. */
#include "options/options.h"

#include "core/check.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const gbs_option *gbs_option_at(size_t k) {
    return k < gbs_option_entries_size ? &gbs_option_entries[k].line : NULL;
}

static bool is_line(const gbs_option *line, unsigned command, const char *name) {
    return (line->commands & command) != 0 && strcmp(line->name, name) == 0;
}

const gbs_option *gbs_option_find(const char *command, const char *name) {
    unsigned bit = gbs_command_bit(command);
    for (size_t k = 0; name != NULL && k < gbs_option_entries_size; k++)
        if (is_line(gbs_option_at(k), bit, name))
            return gbs_option_at(k);
    return NULL;
}

static const gbs_option *line_at(const gbs_options *o, size_t k) {
    return k < gbs_option_entries_size ? gbs_option_at(k) : &o->own[k - gbs_option_entries_size];
}

/* Line of a name; SIZE_MAX: there is none. */
static size_t index_of(const gbs_options *o, const char *name) {
    for (size_t k = 0; o != NULL && name != NULL && k < o->size; k++)
        if (is_line(line_at(o, k), o->command, name))
            return k;
    return SIZE_MAX;
}

/* ---------------------------------------------------------------- the handle */

/* Lines of a caller whose gbs_option is of another size: members that it does not have are 0, those
 * that it alone has are left out. Texts stay the caller's. NULL: out of memory. */
static gbs_option *copy_lines(gbs_context *ctx, const gbs_option *own, size_t count, size_t size) {
    gbs_option *lines = gbs_array_alloc(ctx, count, sizeof *lines);
    for (size_t k = 0; lines != NULL && k < count; k++)
        memcpy(&lines[k], (const char *)own + k * size,
               size < sizeof *lines ? size : sizeof *lines);
    return lines;
}

gbs_status gbs_options_create_with(gbs_context *ctx, unsigned command, const gbs_option *own,
                                   size_t count, size_t size, gbs_options **out) {
    enum { FIRST_SIZE = offsetof(gbs_option, several) + sizeof(unsigned) }; /* of soname 1 */
    if (out != NULL)
        *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, out);
    GBS_NEEDS_ARRAY(ctx, own, count);
    if (count > 0 && (size < FIRST_SIZE || size % _Alignof(gbs_option) != 0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "size: expected sizeof(gbs_option), found %zu",
                        size);
    gbs_options *o = gbs_handle_alloc(ctx, sizeof *o);
    if (o == NULL)
        return GBS_ERR_MEMORY;
    o->ctx = ctx;
    o->command = command;
    o->own = count > 0 ? copy_lines(ctx, own, count, size) : NULL;
    o->value = gbs_array_alloc(ctx, gbs_option_entries_size + count, sizeof *o->value);
    if ((count > 0 && o->own == NULL) || o->value == NULL) {
        gbs_options_free(o);
        return GBS_ERR_MEMORY;
    }
    o->size = gbs_option_entries_size + count;
    *out = o;
    return GBS_OK;
}

gbs_status gbs_options_create(gbs_context *ctx, const char *command, gbs_options **out) {
    if (out != NULL)
        *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, out);
    unsigned bit = gbs_command_bit(command);
    if (bit == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "there are no options for '%.60s'",
                        command != NULL ? command : "");
    return gbs_options_create_with(ctx, bit, NULL, 0, sizeof(gbs_option), out);
}

static void forget(const gbs_context *ctx, gbs_option_value *v) {
    gbs_array_free(ctx, v->text);
    gbs_array_free(ctx, v->numbers);
    *v = (gbs_option_value){0};
}

void gbs_options_free(gbs_options *options) {
    if (options == NULL)
        return;
    for (size_t k = 0; options->value != NULL && k < options->size; k++)
        forget(options->ctx, &options->value[k]);
    gbs_array_free(options->ctx, options->value);
    gbs_array_free(options->ctx, options->own);
    gbs_handle_free(options->ctx, options);
}

/* Keeps `v` for line k, with `text` for what it was set to. */
static gbs_status keep(gbs_options *o, size_t k, gbs_option_value *v, const char *text) {
    size_t size = strlen(text) + 1;
    v->text = gbs_array_alloc(o->ctx, size, 1);
    if (v->text == NULL) {
        gbs_array_free(o->ctx, v->numbers);
        return GBS_ERR_MEMORY;
    }
    memcpy(v->text, text, size);
    forget(o->ctx, &o->value[k]);
    o->value[k] = *v;
    return GBS_OK;
}

gbs_status gbs_options_copy(const gbs_options *options, gbs_options **out) {
    if (out != NULL)
        *out = NULL;
    if (options == NULL)
        return GBS_ERR_ARGUMENT;
    GBS_NEEDS(options->ctx, out);
    gbs_options *o = NULL;
    gbs_status status = gbs_options_create_with(options->ctx, options->command, options->own,
                                                options->size - gbs_option_entries_size,
                                                sizeof *options->own, &o);
    for (size_t k = 0; status == GBS_OK && k < options->size; k++) {
        const gbs_option_value *from = &options->value[k];
        gbs_option_value v = *from;
        if (!from->given)
            continue;
        if (from->numbers != NULL)
            status = gbs_option_take(o->ctx, line_at(o, k), from->numbers, from->size, &v);
        if (status == GBS_OK)
            status = keep(o, k, &v, from->text);
    }
    if (status != GBS_OK) {
        gbs_options_free(o);
        return status;
    }
    *out = o;
    return GBS_OK;
}

/* ---------------------------------------------------------------- setting */

static gbs_status find(gbs_options *o, const char *name, size_t *k) {
    if (o == NULL)
        return GBS_ERR_ARGUMENT;
    *k = index_of(o, name);
    return *k != SIZE_MAX ? GBS_OK
                          : gbs_fail(o->ctx, GBS_ERR_ARGUMENT, "there is no option '%.60s' here",
                                     name != NULL ? name : "");
}

static gbs_status wrong_type(gbs_options *o, size_t k, const char *found) {
    const gbs_option *line = line_at(o, k);
    static const char *const takes[] = {[GBS_OPTION_FLAG] = "yes or no",
                                        [GBS_OPTION_TEXT] = "a text",
                                        [GBS_OPTION_NUMBER] = "a number",
                                        [GBS_OPTION_COUNT] = "a whole number",
                                        [GBS_OPTION_CHOICE] = "one of its choices",
                                        [GBS_OPTION_GRID] = "a grid",
                                        [GBS_OPTION_RANGE] = "a range",
                                        [GBS_OPTION_PAIR] = "two numbers"};
    return gbs_fail(o->ctx, GBS_ERR_ARGUMENT, "`%s` takes %s, not %s", line->name,
                    takes[line->type], found);
}

gbs_status gbs_options_set(gbs_options *options, const char *name, const char *value) {
    size_t k;
    gbs_option_value v;
    gbs_status status = find(options, name, &k);
    if (status == GBS_OK)
        status = gbs_option_read(options->ctx, line_at(options, k), options->command, value, &v);
    return status == GBS_OK ? keep(options, k, &v, value != NULL ? value : "yes") : status;
}

gbs_status gbs_options_set_flag(gbs_options *options, const char *name, int on) {
    size_t k;
    gbs_status status = find(options, name, &k);
    if (status == GBS_OK && line_at(options, k)->type != GBS_OPTION_FLAG)
        return wrong_type(options, k, "a flag");
    return status == GBS_OK ? gbs_options_set(options, name, on ? "yes" : "no") : status;
}

gbs_status gbs_options_set_number(gbs_options *options, const char *name, double value) {
    char text[40];
    size_t k;
    gbs_status status = find(options, name, &k);
    if (status != GBS_OK)
        return status;
    gbs_option_type type = line_at(options, k)->type;
    if (type == GBS_OPTION_COUNT && value >= 0.0 && value < 0x1p63 && value == floor(value))
        return gbs_options_set_count(options, name, (uint64_t)value);
    if (type != GBS_OPTION_NUMBER && type != GBS_OPTION_COUNT)
        return wrong_type(options, k, "a number");
    snprintf(text, sizeof text, "%.17g", value);
    return gbs_options_set(options, name, text);
}

gbs_status gbs_options_set_count(gbs_options *options, const char *name, uint64_t value) {
    char text[24];
    size_t k;
    gbs_status status = find(options, name, &k);
    if (status != GBS_OK)
        return status;
    gbs_option_type type = line_at(options, k)->type;
    if (type != GBS_OPTION_NUMBER && type != GBS_OPTION_COUNT)
        return wrong_type(options, k, "a number");
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return gbs_options_set(options, name, text);
}

gbs_status gbs_options_set_numbers(gbs_options *options, const char *name, const double *values,
                                   size_t count) {
    char text[64];
    size_t k;
    gbs_option_value v;
    gbs_status status = find(options, name, &k);
    if (status != GBS_OK)
        return status;
    gbs_option_type type = line_at(options, k)->type;
    if (type != GBS_OPTION_GRID && type != GBS_OPTION_RANGE && type != GBS_OPTION_PAIR)
        return wrong_type(options, k, "several numbers");
    status = gbs_option_take(options->ctx, line_at(options, k), values, count, &v);
    if (status != GBS_OK)
        return status;
    if (type != GBS_OPTION_GRID)
        snprintf(text, sizeof text, "%.17g:%.17g", values[0], values[1]);
    else
        snprintf(text, sizeof text, "%.17g:%.17g:%zu", values[0], values[count - 1], count);
    return keep(options, k, &v, text);
}

gbs_status gbs_options_unset(gbs_options *options, const char *name) {
    size_t k;
    gbs_status status = find(options, name, &k);
    if (status == GBS_OK)
        forget(options->ctx, &options->value[k]);
    return status;
}

/* ---------------------------------------------------------------- asking */

gbs_option_value gbs_option_value_of(const gbs_options *options, size_t k) {
    const gbs_option *line = line_at(options, k);
    gbs_option_value v = {.choice = -1};
    if (options != NULL && options->value[k].given)
        return options->value[k];
    if (line->standard != NULL)
        gbs_option_read(NULL, line, 0, line->standard, &v);
    v.given = false;
    return v;
}

static const gbs_option_value *value_of(const gbs_options *o, const char *name, size_t *k) {
    *k = index_of(o, name);
    return *k != SIZE_MAX ? &o->value[*k] : NULL;
}

const gbs_option *gbs_options_line(const gbs_options *options, const char *name) {
    size_t k = index_of(options, name);
    return k != SIZE_MAX ? line_at(options, k) : NULL;
}

int gbs_options_given(const gbs_options *options, const char *name) {
    size_t k;
    const gbs_option_value *v = value_of(options, name, &k);
    if (v != NULL && line_at(options, k)->type == GBS_OPTION_FLAG)
        return v->given && v->number != 0.0;
    return v != NULL && v->given;
}

const char *gbs_options_get(const gbs_options *options, const char *name) {
    size_t k;
    const gbs_option_value *v = value_of(options, name, &k);
    if (v == NULL)
        return NULL;
    return v->given ? v->text : line_at(options, k)->standard;
}

int gbs_options_choice(const gbs_options *options, const char *name) {
    size_t k;
    if (value_of(options, name, &k) == NULL || line_at(options, k)->type != GBS_OPTION_CHOICE)
        return -1;
    int choice = gbs_option_value_of(options, k).choice;
    return k < gbs_option_entries_size ? gbs_option_kept(&gbs_option_entries[k], choice) : choice;
}

double gbs_options_number(const gbs_options *options, const char *name) {
    size_t k;
    const gbs_option_value *v = value_of(options, name, &k);
    if (v == NULL || (!v->given && line_at(options, k)->standard == NULL))
        return NAN;
    return gbs_option_value_of(options, k).number;
}

const double *gbs_options_numbers(const gbs_options *options, const char *name, size_t *count) {
    size_t k;
    const gbs_option_value *v = value_of(options, name, &k);
    if (count != NULL)
        *count = v != NULL ? v->size : 0;
    return v != NULL ? v->numbers : NULL;
}
