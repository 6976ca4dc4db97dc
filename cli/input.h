/* One input file of a command: read, shaped by a recipe, handed to the library. */
#ifndef GIBBSITE_CLI_INPUT_H
#define GIBBSITE_CLI_INPUT_H

#include "app.h"
#include "table/design.h"

struct input {
    struct table table;
    struct design design;
    gbs_data *data;
    bool training, unlabelled; /* read to learn from; read to be predicted */
};

/* Training: the recipe is learned from the file. Under an informed prior or a progressive bound
 * (`split`) the levels of text columns come from the rows of the first part alone. */
int input_train(const struct app *app, const char *file, bool split, struct recipe *recipe,
                struct input *out);
/* Later files: the recipe is applied. */
int input_apply(const struct app *app, const char *file, const struct recipe *recipe,
                enum design_labels labels, struct input *out);
void input_free(struct input *in);

/* The recipe of a loaded model. */
int input_recipe(const struct app *app, const char *model_file, const gbs_model *model,
                 struct recipe *out);

#endif
