/* The reader of the command line, and what it found. */
#include "near.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

struct parse {
    gbs_context *ctx;
    struct options *out;
    unsigned command;
    char *error;
    size_t error_size;
};

static const gbs_option *find_long(const struct parse *p, const char *name, size_t length) {
    const gbs_option *line;
    for (size_t k = 0; (line = option_at(p->command, k)) != NULL; k++)
        if (strlen(line->name) == length && strncmp(line->name, name, length) == 0)
            return line;
    return NULL;
}

static const gbs_option *find_letter(const struct parse *p, char letter) {
    const gbs_option *line;
    for (size_t k = 0; (line = option_at(p->command, k)) != NULL; k++)
        if (option_letter(line) == letter)
            return line;
    return NULL;
}

/* Letters in common at the beginning: enough to guess what a mistyped name meant. */
static size_t likeness(const char *a, const char *b) {
    size_t same = 0;
    while (a[same] != '\0' && a[same] == b[same])
        same++;
    return same;
}

static gbs_status unknown(const struct parse *p, const char *argument) {
    const char *name = argument + strspn(argument, "-"), *best = NULL;
    size_t likest = 2;
    const gbs_option *line;
    for (size_t k = 0; (line = option_at(p->command, k)) != NULL; k++)
        if (near_enough(name, line->name)) {
            best = line->name;
            break;
        } else if (likeness(line->name, name) > likest) {
            likest = likeness(line->name, name);
            best = line->name;
        }
    if (best != NULL)
        snprintf(p->error, p->error_size, "unknown option '%.60s'; did you mean --%s?", argument,
                 best);
    else
        snprintf(p->error, p->error_size, "unknown option '%.60s'", argument);
    return GBS_ERR_ARGUMENT;
}

/* --cost takes a pair of numbers or the name of a file. */
static bool names_a_file(const gbs_option *line, const char *value) {
    return strcmp(line->name, "cost") == 0 && strchr(value, ':') == NULL;
}

static gbs_status set_value(const struct parse *p, const gbs_option *line, const char *value) {
    bool twice = given(p->out, line->name) ||
                 (p->out->cost_file != NULL && strcmp(line->name, "cost") == 0);
    if (line->type != GBS_OPTION_FLAG && twice) {
        snprintf(p->error, p->error_size, "--%s is given twice", line->name);
        return GBS_ERR_ARGUMENT;
    }
    if (value != NULL && names_a_file(line, value)) {
        p->out->cost_file = value;
        return GBS_OK;
    }
    gbs_status status = gbs_options_set(p->out->set, line->name, value);
    if (status != GBS_OK)
        option_spell(gbs_error_message(p->ctx), p->error, p->error_size);
    return status;
}

/* One argument that starts with a dash; takes the next one too when the option wants a value. */
static gbs_status read_option(const struct parse *p, int argc, char **argv, int *i) {
    const char *argument = argv[*i], *value = NULL;
    const gbs_option *line;
    if (argument[1] == '-') {
        size_t length = strcspn(argument + 2, "=");
        line = find_long(p, argument + 2, length);
        if (argument[2 + length] == '=')
            value = argument + 3 + length;
    } else {
        line = find_letter(p, argument[1]);
        if (argument[2] != '\0')
            value = argument + 2;
    }
    if (line == NULL)
        return unknown(p, argument);
    if (line->type == GBS_OPTION_FLAG) {
        if (value != NULL) {
            snprintf(p->error, p->error_size, "--%s takes no value", line->name);
            return GBS_ERR_ARGUMENT;
        }
        return set_value(p, line, NULL);
    }
    if (value == NULL && *i + 1 < argc)
        value = argv[++*i];
    if (value == NULL) {
        snprintf(p->error, p->error_size, "--%s needs a value: --%s %s", line->name, line->name,
                 line->argument);
        return GBS_ERR_ARGUMENT;
    }
    return set_value(p, line, value);
}

gbs_status options_parse(gbs_context *ctx, int argc, char **argv, unsigned command,
                         const char **inputs, struct options *out, char *error, size_t error_size) {
    *out = (struct options){.inputs = inputs};
    if (options_create(ctx, command, &out->set) != GBS_OK) {
        snprintf(error, error_size, "out of memory");
        return GBS_ERR_MEMORY;
    }
    struct parse p = {ctx, out, command, error, error_size};
    bool only_inputs = false;
    gbs_status status = GBS_OK;
    for (int i = 0; status == GBS_OK && i < argc; i++) {
        if (!only_inputs && strcmp(argv[i], "--") == 0)
            only_inputs = true;
        else if (only_inputs || argv[i][0] != '-' || argv[i][1] == '\0')
            inputs[out->n_inputs++] = argv[i];
        else
            status = read_option(&p, argc, argv, &i);
    }
    return status;
}

/* ---------------------------------------------------------------- asking */

bool given(const struct options *o, const char *name) {
    return gbs_options_given(o->set, name) != 0;
}

const char *option_text(const struct options *o, const char *name) {
    return given(o, name) ? gbs_options_get(o->set, name) : NULL;
}

double option_number(const struct options *o, const char *name) {
    return gbs_options_number(o->set, name);
}

size_t option_count(const struct options *o, const char *name) {
    double count = option_number(o, name);
    return count > 0.0 ? (size_t)count : 0;
}

const char *option_read(const struct options *o, size_t k, const char **option) {
    static const char *const names[] = {"test", "against", "row-features", "col-features"};
    const char *name = NULL, *file = NULL;
    size_t skip = k - o->n_inputs;
    if (k < o->n_inputs)
        file = o->inputs[k];
    for (size_t i = 0; file == NULL && i < sizeof names / sizeof *names; i++) {
        const gbs_option *line = gbs_options_line(o->set, name = names[i]);
        if (line != NULL && option_is_file(line) && given(o, name) && skip-- == 0)
            file = option_text(o, name);
    }
    if (file == NULL && o->cost_file != NULL && skip == 0) {
        file = o->cost_file;
        name = "cost";
    }
    if (option != NULL)
        *option = name;
    return file;
}

const gbs_task *option_task(const struct options *o) {
    return gbs_task_named(gbs_options_get(o->set, "task"));
}

bool option_is(const struct options *o, const char *name, const char *choice) {
    const char *text = gbs_options_get(o->set, name);
    return text != NULL && strcmp(text, choice) == 0;
}
