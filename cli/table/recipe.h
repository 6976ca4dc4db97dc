/* The recipe: how columns of a file become columns of the design, learned from the training file,
 * kept in the model, applied unchanged to every later file.
 *
 * A text column becomes one 0/1 column per level (levels sorted, so that the order of the rows does
 * not matter); a level not seen in training becomes zeros. Files with names are matched by name,
 * files without by position.
 */
#ifndef GIBBSITE_CLI_TABLE_RECIPE_H
#define GIBBSITE_CLI_TABLE_RECIPE_H

#include "table/table.h"

struct recipe_column {
    char *name;
    size_t position; /* in the training file, from 0 */
    bool is_text;
    char **levels; /* sorted */
    size_t n_levels;
};

struct recipe {
    bool named;       /* the training file had a header */
    size_t n_columns; /* of the training file; svmlight: its features */
    size_t features;  /* columns of the design */
    /* csv: every input column. svmlight and npy: NULL, the inputs are all columns but the target,
     * as they come. */
    struct recipe_column *inputs;
    size_t n_inputs;
    char *target; /* name; NULL for svmlight */
    size_t target_position;
    bool target_is_text;
    char *positive, *negative; /* labels as text; negative is NULL when it is "the rest" */
};

struct recipe_options {
    const char *target, *positive; /* NULL: the default */
    const char *const *drop;
    size_t n_drop;
};

/* False: error says why. */
bool recipe_learn(const struct table *t, const struct recipe_options *options, struct recipe *out,
                  char *error, size_t size);
void recipe_free(struct recipe *r);

/* Forgets the levels of text columns that none of the given rows of the table has: a recipe must
 * not know more than the rows it may look at. */
bool recipe_forget_levels(struct recipe *r, const struct table *t, const size_t *rows, size_t n,
                          char *error, size_t size);

/* NULL: out of memory. The caller frees the text. */
char *recipe_to_json(const struct recipe *r);
bool recipe_from_json(const char *json, struct recipe *out, char *error, size_t size);

/* "income", "job=clerk": the name of column k of the design, in a buffer of `room` bytes. */
void recipe_feature_name(const struct recipe *r, size_t k, char *name, size_t room);

/* Column by name or by number from 1; SIZE_MAX when there is none. */
size_t recipe_find_column(const struct table *t, const char *name);

#endif
