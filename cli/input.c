/* Reading an input file under the command's options. */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names given to an option, separated by commas. */
struct names {
    char *copy;
    const char **item;
    size_t n;
};

static bool split_names(const char *list, struct names *out) {
    *out = (struct names){0};
    if (list == NULL)
        return true;
    out->copy = strdup(list);
    out->item = calloc(strlen(list) + 1, sizeof *out->item);
    if (out->copy == NULL || out->item == NULL)
        return false;
    for (char *save = NULL, *name = strtok_r(out->copy, ",", &save); name != NULL;
         name = strtok_r(NULL, ",", &save))
        out->item[out->n++] = name;
    return true;
}

static void names_free(struct names *n) {
    free(n->copy);
    free(n->item);
}

static int cancelled(void *user) {
    (void)user;
    return app_interrupted();
}

static struct table_options reading(const struct app *app) {
    const struct options *o = &app->options;
    return (struct table_options){.format = option_is(o, "format", "csv")        ? TABLE_CSV
                                            : option_is(o, "format", "svmlight") ? TABLE_SVMLIGHT
                                            : option_is(o, "format", "npy")      ? TABLE_NPY
                                                                                 : TABLE_AUTO,
                                  .header = given(o, "no-header") ? 0 : -1,
                                  .keep_missing = option_is(o, "missing", "drop"),
                                  .cancelled = cancelled};
}

static int wrap(const struct app *app, const char *file, struct input *in) {
    const struct design *d = &in->design;
    gbs_status status = d->cells != NULL
                            ? gbs_data_dense(app->ctx, d->n, d->d, d->cells, d->stride, d->y,
                                             GBS_BORROW, &in->data)
                            : gbs_data_csr(app->ctx, d->n, d->d, d->row_start, d->index, d->value,
                                           d->y, GBS_BORROW, &in->data);
    if (status != GBS_OK)
        return app_fail_status(app, status, file);
    if (d->owned != NULL)
        table_free_cells(&in->table);
    if (d->left_out > 0)
        app_note(app, "%s: %zu of %zu rows have a missing value and are %s", file, d->left_out,
                 in->table.n_rows,
                 in->unlabelled ? "not predicted: their cells stay empty" : "left out");
    if (d->unseen > 0)
        app_note(app,
                 "%s: %zu cells hold a level that was not in %s (such as '%.40s'); it counts as "
                 "none of them",
                 file, d->unseen, in->training ? "the first part of the rows" : "the training data",
                 d->example);
    return EXIT_DONE;
}

static bool is_out_of_memory(const char *error) {
    return strcmp(error, "out of memory") == 0;
}

static bool has_text(const struct recipe *r) {
    for (size_t k = 0; r->inputs != NULL && k < r->n_inputs; k++)
        if (r->inputs[k].is_text)
            return true;
    return false;
}

/* The recipe as the first part of the rows would have taught it, and the design made by it. */
static enum table_status relearn_levels(const struct app *app, struct recipe *recipe,
                                        struct input *in, char *error, size_t size) {
    size_t n = in->design.n, first = 0, *order = calloc(n + 1, sizeof *order);
    enum table_status status = TABLE_NO_MEMORY;
    snprintf(error, size, "%s: out of memory", in->table.file);
    /* one row cannot be split, nor any for options that exclude each other: the fit will say so */
    bool split = order != NULL &&
                 gbs_fit_order(app->ctx, n, app->options.set, order, &first) == GBS_OK;
    if (order != NULL) {
        for (size_t i = 0; in->design.rows != NULL && i < first; i++)
            order[i] = in->design.rows[order[i]];
        if (!split || recipe_forget_levels(recipe, &in->table, order, first, error, size)) {
            design_free(&in->design);
            status = design_build(recipe, &in->table, LABELS_NEEDED, &in->design, error, size);
        }
    }
    free(order);
    return status;
}

int input_train(const struct app *app, const char *file, bool split, struct recipe *recipe,
                struct input *in) {
    const struct options *o = &app->options;
    char error[1024] = "";
    struct names drop, text = {0};
    *in = (struct input){0};
    int code = EXIT_DONE;
    if (!split_names(option_text(o, "drop"), &drop) ||
        !split_names(option_text(o, "text"), &text)) {
        code = app_fail(app, EXIT_MEMORY, "out of memory");
    } else {
        struct table_options reader = reading(app);
        reader.text = text.item;
        reader.n_text = text.n;
        reader.drop = drop.item;
        reader.n_drop = drop.n;
        enum table_status status = table_read(file, &reader, &in->table, error, sizeof error);
        struct recipe_options choose = {option_text(o, "target"), option_text(o, "positive"),
                                        drop.item, drop.n};
        if (status == TABLE_OK && !recipe_learn(&in->table, &choose, recipe, error, sizeof error))
            status = is_out_of_memory(error) ? TABLE_NO_MEMORY : TABLE_BAD_DATA;
        if (status == TABLE_OK)
            status = design_build(recipe, &in->table, LABELS_NEEDED, &in->design, error,
                                  sizeof error);
        in->training = true;
        if (status == TABLE_OK && split && has_text(recipe))
            status = relearn_levels(app, recipe, in, error, sizeof error);
        code = status == TABLE_OK ? wrap(app, in->table.file, in)
                                  : app_fail_table(app, status, error);
    }
    names_free(&drop);
    names_free(&text);
    return code;
}

/* What a later file is read for. */
struct use {
    const struct recipe *recipe;
    enum design_labels labels;
};

/* Columns of a later file that nobody needs are not even read: those the recipe has no use for, and
 * labels when they are not asked for. */
static bool skip_unused(void *user, const char *name) {
    const struct use *use = user;
    const struct recipe *r = use->recipe;
    if (!r->named || r->inputs == NULL)
        return false;
    if (strcmp(name, r->target) == 0)
        return use->labels == LABELS_NONE;
    for (size_t k = 0; k < r->n_inputs; k++)
        if (strcmp(r->inputs[k].name, name) == 0)
            return false;
    return true;
}

/* What was text in training is text now, even where it looks like numbers. */
static const char **text_columns(const struct recipe *r, size_t *n) {
    const char **names = calloc(r->n_inputs + 2, sizeof *names);
    *n = 0;
    if (names == NULL)
        return NULL;
    for (size_t k = 0; k < r->n_inputs; k++)
        if (r->inputs[k].is_text)
            names[(*n)++] = r->inputs[k].name;
    if (r->target != NULL && r->target_is_text)
        names[(*n)++] = r->target;
    return names;
}

int input_apply(const struct app *app, const char *file, const struct recipe *recipe,
                enum design_labels labels, struct input *in) {
    char error[1024] = "";
    *in = (struct input){.unlabelled = labels == LABELS_NONE};
    struct table_options reader = reading(app);
    const char **text = text_columns(recipe, &reader.n_text);
    if (text == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    reader.text = text;
    struct use use = {recipe, labels};
    reader.from_model = true;
    reader.skip = skip_unused;
    reader.user = &use;
    if (labels == LABELS_NONE && recipe->target != NULL) {
        reader.unread = recipe->target_position;
        reader.unread_of = recipe->n_columns;
    }
    enum table_status status = table_read(file, &reader, &in->table, error, sizeof error);
    free(text);
    if (status == TABLE_OK)
        status = design_build(recipe, &in->table, labels, &in->design, error, sizeof error);
    return status == TABLE_OK ? wrap(app, in->table.file, in) : app_fail_table(app, status, error);
}

void input_free(struct input *in) {
    gbs_data_free(in->data);
    design_free(&in->design);
    table_free(&in->table);
}

int input_recipe(const struct app *app, const char *model_file, const gbs_model *model,
                 struct recipe *out) {
    char error[256];
    const char *json = gbs_model_recipe(model);
    const gbs_model_info *info = gbs_model_get_info(model);
    *out = (struct recipe){0};
    if (json == NULL)
        return app_fail(
            app, EXIT_BAD_DATA,
            "%s: the model has no recipe of columns (it was not fitted by this program)",
            model_file);
    bool ok = recipe_from_json(json, out, error, sizeof error);
    if (!ok)
        return app_fail(app, is_out_of_memory(error) ? EXIT_MEMORY : EXIT_BAD_DATA, "%s: %s",
                        model_file, error);
    if (out->features != info->features) {
        recipe_free(out);
        return app_fail(app, EXIT_BAD_DATA, "%s: the model's recipe does not match its posterior",
                        model_file);
    }
    return EXIT_DONE;
}
