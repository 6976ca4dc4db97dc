/* Reading an input file under the command's options. */
#include "input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Rows that are not there, and levels that count as none; `before`: where the others came from. */
static void remark(const struct app *app, const struct input *in, const char *fate,
                   const char *before) {
    const gbs_recipe *recipe = gbs_data_recipe(in->data);
    size_t left_out = gbs_data_left_out(in->data);
    if (left_out > 0)
        app_note(app, "%s: %zu of %zu rows have a missing value and are %s", in->file, left_out,
                 gbs_data_rows(in->data) + left_out, fate);
    if (gbs_recipe_target(recipe) == NULL)
        return; /* svmlight: numbers alone, in up to 2^31 columns */
    for (size_t k = 0; k < gbs_recipe_inputs(recipe); k++) {
        const char *level;
        size_t cells = gbs_data_unseen(in->data, k, &level);
        if (cells > 0)
            app_note(app,
                     "%s: %zu cell%s of column '%.60s' hold%s a level that was not in %s (such as "
                     "'%.40s'); it counts as none of them",
                     in->file, cells, cells == 1 ? "" : "s", gbs_recipe_input(recipe, k, NULL),
                     cells == 1 ? "s" : "", before, level);
    }
}

int input_train(const struct app *app, const char *path, struct input *in) {
    gbs_table *table = NULL;
    *in = (struct input){.file = input_name(path)};
    gbs_status status = gbs_table_read(app->ctx, path, app->options.set, &table);
    if (status == GBS_OK)
        status = gbs_table_train(app->ctx, table, app->options.set, &in->data);
    gbs_table_free(table);
    if (status != GBS_OK)
        return app_fail_status(app, status, NULL);
    remark(app, in, "left out", "the first part of the rows");
    return EXIT_DONE;
}

int input_apply(const struct app *app, const char *path, const gbs_recipe *recipe,
                gbs_label_use labels, struct input *in) {
    *in = (struct input){.file = input_name(path)};
    gbs_status status = gbs_table_read_for(app->ctx, path, recipe, labels, app->options.set,
                                           &in->data);
    if (status != GBS_OK)
        return app_fail_status(app, status, NULL);
    remark(app, in,
           labels == GBS_WITHOUT_LABELS ? "not predicted: their cells stay empty" : "left out",
           "the training data");
    return EXIT_DONE;
}

void input_free(struct input *in) {
    gbs_data_free(in->data);
    in->data = NULL;
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
