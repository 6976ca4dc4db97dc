/* Reading an input file under the command's options. */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Behind the inputs: label, weight, group, row name. */
enum { ASIDES = 4, NAMED = 3 };

bool remarks_add(struct remarks *r, const gbs_data *part) {
    const gbs_recipe *recipe = gbs_data_recipe(part);
    r->rows += gbs_data_rows(part) + gbs_data_left_out(part);
    r->left_out += gbs_data_left_out(part);
    if (gbs_recipe_target(recipe) == NULL)
        return true; /* svmlight: numbers alone, in up to 2^31 columns */
    size_t inputs = gbs_recipe_inputs(recipe);
    if (r->unseen == NULL) {
        r->unseen = calloc(inputs + 1, sizeof *r->unseen);
        r->example = calloc(inputs + 1, sizeof *r->example);
        r->missing = calloc(inputs + ASIDES, sizeof *r->missing);
        r->inputs = inputs;
    }
    bool enough = r->unseen != NULL && r->example != NULL && r->missing != NULL;
    for (size_t k = 0; enough && k < inputs + ASIDES; k++)
        r->missing[k] += gbs_data_missing(part, k);
    for (size_t k = 0; enough && k < inputs; k++) {
        const char *level;
        size_t cells = gbs_data_unseen(part, k, &level);
        if (cells > 0 && r->unseen[k] == 0)
            enough = (r->example[k] = strdup(level)) != NULL;
        r->unseen[k] += cells;
    }
    return enough;
}

static void name_missing(const struct remarks *r, const gbs_recipe *recipe, size_t k, char *out,
                         size_t room) {
    static const char *const asides[ASIDES] = {"label", "weight", "group", "row name"};
    char number[32];
    const char *name = gbs_recipe_input(recipe, k, NULL);
    if (k >= r->inputs) {
        snprintf(out, room, "%s", asides[k - r->inputs]);
        return;
    }
    if (name == NULL) { /* npy */
        gbs_recipe_feature(recipe, k, number, sizeof number);
        name = number;
    }
    snprintf(out, room, "value in column '%.60s'", name);
}

/* "no label"; of several that are missing "a missing value (label, value in column 'a' and 2
 * more)". */
static void say_missing(const struct remarks *r, const gbs_recipe *recipe, char *out, size_t room) {
    size_t kinds = 0, used = 0;
    char name[100], list[NAMED * 110] = "";
    for (size_t i = 0; r->missing != NULL && i < r->inputs + ASIDES; i++) {
        size_t k = (i + r->inputs) % (r->inputs + ASIDES); /* label, weight and group first */
        if (r->missing[k] == 0 || kinds++ >= NAMED)
            continue;
        name_missing(r, recipe, k, name, sizeof name);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", kinds > 1 ? ", " : "",
                                 name);
    }
    if (kinds == 1)
        snprintf(out, room, "no %s", list);
    else if (kinds > NAMED)
        snprintf(out, room, "a missing value (%s and %zu more)", list, kinds - NAMED);
    else
        snprintf(out, room, "a missing value (%s)", list);
}

/* Rows that are not there, and levels that count as none; `before`: where the others came from. */
static void say(const struct app *app, const struct remarks *r, const char *file,
                const gbs_recipe *recipe, const char *fate, const char *before) {
    char missing[NAMED * 110 + 60];
    say_missing(r, recipe, missing, sizeof missing);
    if (r->left_out > 0)
        app_note(app, "%s: %zu of %zu rows have %s and are %s", file, r->left_out, r->rows, missing,
                 fate);
    for (size_t k = 0; k < r->inputs; k++)
        if (r->unseen[k] > 0)
            app_note(app,
                     "%s: %zu cell%s of column '%.60s' hold%s a level that was not in %s (such as "
                     "'%.40s'); it counts as none of them",
                     file, r->unseen[k], r->unseen[k] == 1 ? "" : "s",
                     gbs_recipe_input(recipe, k, NULL), r->unseen[k] == 1 ? "s" : "", before,
                     r->example[k]);
}

void remarks_say(const struct app *app, const struct remarks *r, const char *file,
                 const gbs_recipe *recipe, gbs_label_use labels) {
    say(app, r, file, recipe,
        labels == GBS_WITHOUT_LABELS ? "not predicted: their cells stay empty" : "left out",
        "the training data");
}

void remarks_free(struct remarks *r) {
    for (size_t k = 0; r->example != NULL && k < r->inputs; k++)
        free(r->example[k]);
    free(r->example);
    free(r->unseen);
    free(r->missing);
    *r = (struct remarks){0};
}

/* Column k is the one that an option names, by its name or else by its number. */
static bool is_named(const struct app *app, const char *option, const gbs_table *table, size_t k) {
    const char *wish = option_text(&app->options, option), *name;
    if (wish == NULL)
        return false;
    for (size_t i = 0; (name = gbs_table_column(table, i, NULL)) != NULL; i++)
        if (strcmp(name, wish) == 0)
            return i == k;
    return strtoull(wish, NULL, 10) == k + 1;
}

static const char *role_of(const struct app *app, const gbs_recipe *recipe, const gbs_table *table,
                           size_t k) {
    const char *target = gbs_recipe_target(recipe), *name = gbs_table_column(table, k, NULL),
               *input;
    if (target != NULL && strcmp(target, name) == 0)
        return "label";
    if (is_named(app, "weights", table, k))
        return "weight";
    if (is_named(app, "group", table, k))
        return "group";
    for (size_t i = 0; (input = gbs_recipe_input(recipe, i, NULL)) != NULL; i++)
        if (strcmp(input, name) == 0)
            return "feature";
    return "left out";
}

/* No character is cut in two. */
static void copy_name(const char *from, char *to, size_t room) {
    size_t size = 0, length;
    for (; from[size] != '\0'; size += length) {
        length = utf8_length(from + size);
        length = length > 0 ? length : 1;
        if (size + length >= room)
            break;
    }
    memcpy(to, from, size);
    to[size] = '\0';
}

/* A report draws no more. */
enum { MOST_LOOKS = 200 };

static gbs_status look_at(const struct app *app, gbs_table *table, struct input *in) {
    const gbs_recipe *recipe = gbs_data_recipe(in->data);
    size_t columns = gbs_table_column(table, 0, NULL) != NULL ? gbs_table_columns(table) : 0,
           n = columns < MOST_LOOKS ? columns : MOST_LOOKS;
    in->look = calloc(n + 1, sizeof *in->look);
    if (in->look == NULL)
        return GBS_ERR_MEMORY;
    for (; in->n_looks < n; in->n_looks++) {
        const gbs_column_look *seen;
        struct column_look *to = &in->look[in->n_looks];
        gbs_status status = gbs_table_look(app->ctx, table, in->n_looks, &seen);
        if (status != GBS_OK)
            return status;
        copy_name(seen->name, to->name, sizeof to->name);
        to->role = role_of(app, recipe, table, in->n_looks);
        /* what a group or a weight is, was said: nothing is odd about it */
        bool aside = strcmp(to->role, "group") == 0 || strcmp(to->role, "weight") == 0;
        to->guard = aside ? NULL : seen->guard;
        to->is_text = seen->is_text != 0;
        to->levels = seen->levels;
        to->missing = seen->read ? seen->missing : 0;
        to->low = seen->low;
        to->high = seen->high;
        to->mean = seen->mean;
    }
    return GBS_OK;
}

int input_check_train(const struct app *app) {
    const struct options *o = &app->options;
    if (o->n_inputs == 0)
        return app_fail(app, EXIT_USAGE, "%s: expected a training file, found none; gibbsite %s",
                        app->command->name, app->command->usage);
    for (size_t k = 0; o->n_inputs > 1 && k < o->n_inputs; k++) {
        if (strcmp(o->inputs[k], "-") == 0)
            return app_fail(app, EXIT_USAGE,
                            "%s: standard input cannot be one of several files of a table",
                            app->command->name);
        for (size_t i = 0; i < k; i++)
            if (strcmp(o->inputs[i], o->inputs[k]) == 0)
                return app_fail(app, EXIT_USAGE, "%s: %s is given twice", app->command->name,
                                o->inputs[k]);
    }
    return EXIT_DONE;
}

int input_train(const struct app *app, struct input *in) {
    const struct options *o = &app->options;
    gbs_table *table = NULL;
    *in = (struct input){.file = input_name(o->inputs[0]), .with_looks = in->with_looks};
    gbs_status status = gbs_table_read_files(app->ctx, o->inputs, o->n_inputs, o->set, &table);
    if (status == GBS_OK)
        status = gbs_table_train(app->ctx, table, app->options.set, &in->data);
    if (status == GBS_OK && in->with_looks)
        status = look_at(app, table, in);
    gbs_table_free(table);
    if (status == GBS_ERR_MEMORY)
        return app_fail(app, EXIT_MEMORY, "%s: out of memory", in->file);
    if (status != GBS_OK)
        return app_fail_status(app, status, NULL);
    struct remarks r = {0};
    bool enough = remarks_add(&r, in->data);
    if (enough)
        say(app, &r, in->file, gbs_data_recipe(in->data), "left out", "the first part of the rows");
    remarks_free(&r);
    return enough ? EXIT_DONE : app_fail(app, EXIT_MEMORY, "out of memory");
}

int input_apply(const struct app *app, const char *path, const gbs_recipe *recipe,
                gbs_label_use labels, struct input *in) {
    *in = (struct input){.file = input_name(path)};
    gbs_status status = gbs_table_read_for(app->ctx, path, recipe, labels, app->options.set,
                                           &in->data);
    if (status != GBS_OK)
        return app_fail_status(app, status, NULL);
    struct remarks r = {0};
    bool enough = remarks_add(&r, in->data);
    if (enough)
        remarks_say(app, &r, in->file, recipe, labels);
    remarks_free(&r);
    return enough ? EXIT_DONE : app_fail(app, EXIT_MEMORY, "out of memory");
}

void input_free(struct input *in) {
    gbs_data_free(in->data);
    free(in->look);
    in->data = NULL;
    in->look = NULL;
}

int input_recipe(const struct app *app, const char *model_file, const gbs_model *model,
                 gbs_recipe **out) {
    gbs_status status = gbs_recipe_from_model(app->ctx, model, out);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, model_file);
}

bool input_same_bytes(const char *a, const char *b) {
    struct stat first, second;
    if (stat(a, &first) != 0 || stat(b, &second) != 0 || !S_ISREG(first.st_mode) ||
        !S_ISREG(second.st_mode) || first.st_size != second.st_size)
        return false;
    FILE *left = fopen(a, "rb"), *right = fopen(b, "rb");
    bool same = left != NULL && right != NULL;
    for (size_t size = 1; same && size > 0;) {
        char here[1 << 14], there[1 << 14];
        size = fread(here, 1, sizeof here, left);
        same = fread(there, 1, sizeof there, right) == size && memcmp(here, there, size) == 0;
    }
    same = same && !ferror(left) && !ferror(right);
    if (left != NULL)
        fclose(left);
    if (right != NULL)
        fclose(right);
    return same;
}
