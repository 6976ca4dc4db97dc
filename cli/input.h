/* One input file of a command: read and made data by the library, with remarks on what was odd. */
#ifndef GIBBSITE_CLI_INPUT_H
#define GIBBSITE_CLI_INPUT_H

#include "app.h"

/* What a column of a training file looks like, and what became of it. */
struct column_look {
    char name[100];
    const char *role,
        *guard; /* "feature", "label", "weight", "group", "left out"; NULL: nothing odd */
    bool is_text;
    size_t levels, missing;
    double low, high, mean;
};

struct input {
    const char *file; /* for messages; of several the first */
    gbs_data *data;
    /* of the first columns, where they were asked for */
    bool with_looks;
    struct column_look *look;
    size_t n_looks;
};

/* What was odd about the rows, added up over their parts. */
struct remarks {
    size_t rows, left_out;
    size_t inputs, *unseen; /* of each column: cells with a level that training did not see */
    char **example;         /* one such level */
    size_t *missing;        /* rows left out for want of each input, the label, weight or group */
};

/* What messages call a file: "-" is standard input. */
const char *input_name(const char *path);

/* Training: a recipe is learned from the command's inputs, which hold one table,
 * gbs_data_recipe(out->data). */
int input_train(const struct app *app, struct input *out);
/* Without an input there is nothing to train on, and standard input is no file of several.
 * EXIT_DONE, or EXIT_USAGE, already reported. */
int input_check_train(const struct app *app);
/* Later files: the recipe is applied. */
int input_apply(const struct app *app, const char *path, const gbs_recipe *recipe,
                gbs_label_use labels, struct input *out);
void input_free(struct input *in);

/* The same part by part (gbs_table_read_parts): a look at each, and at the end what is to be said
 * of `file`. False: out of memory. */
bool remarks_add(struct remarks *r, const gbs_data *part);
void remarks_say(const struct app *app, const struct remarks *r, const char *file,
                 const gbs_recipe *recipe, gbs_label_use labels);
void remarks_free(struct remarks *r);

/* The recipe of a loaded model. */
int input_recipe(const struct app *app, const char *model_file, const gbs_model *model,
                 gbs_recipe **out);

/* Both are files, and hold the same bytes. */
bool input_same_bytes(const char *a, const char *b);

#endif
