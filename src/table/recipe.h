/* The recipe: how columns of a table become columns of features, learned from the training rows,
 * kept in the model, applied unchanged to every later table.
 *
 * Each column has its own map (map/column.h): texts become a feature per level, missing cells may
 * be filled. Tables with names are matched by name, tables without by position.
 */
#ifndef GIBBSITE_TABLE_RECIPE_H
#define GIBBSITE_TABLE_RECIPE_H

#include "map/column.h"
#include "table/table.h"

struct gbs_recipe {
    gbs_context *ctx;
    atomic_size_t holders; /* the caller, and data made by it */
    bool named;            /* the training table had names */
    size_t n_columns;      /* of the training table; svmlight: its features */
    size_t features;       /* columns of the design */
    /* csv: every input column. svmlight and npy: NULL, the inputs are all columns but the target,
     * as they come. */
    gbs_column_map *inputs;
    size_t n_inputs;
    const char *target; /* name; NULL for svmlight */
    size_t target_position;
    bool target_is_text;
    const char *positive, *negative; /* labels as text; negative is NULL when it is "the rest" */
    const char **classes;            /* more than two: all of them, in order; both above are NULL */
    size_t n_classes;
    const char **na; /* cells that count as missing, besides the well-known ones */
    size_t n_na;
    bool comma;     /* numbers of CSV files had a decimal comma */
    int first_line; /* of them, as the options said: -1 nothing, 0 data, 1 a header */
    gbs_pool pool;  /* of all texts */
};

/* Names that an option lists, separated by commas. */
typedef struct gbs_names {
    const char **item;
    size_t n;
    gbs_pool pool;
} gbs_names;

/* What the options ask for. */
typedef struct gbs_recipe_wishes {
    const char *target, *positive; /* NULL: the default */
    const gbs_names *drop, *text;  /* NULL: none */
    /* columns that say something of rows, and are no features; NULL: none */
    const char *weights, *group;
    bool fill;           /* missing cells are filled: gbs_recipe_learn_columns follows */
    const gbs_names *na; /* cells that are missing values; NULL: none are declared */
    bool comma;          /* how later files are to be read: what the recipe keeps of it */
    int first_line;
} gbs_recipe_wishes;

/* Separated by commas; a name with a comma stands in double quotes, a quote in it twice. */
gbs_status gbs_names_split(gbs_context *ctx, const char *list, gbs_names *out);
void gbs_names_free(const gbs_context *ctx, gbs_names *names);

/* An empty recipe. */
gbs_status gbs_recipe_new(gbs_context *ctx, gbs_recipe **out);
/* One more who keeps it: gbs_recipe_free takes it back. */
void gbs_recipe_hold(gbs_recipe *r);

gbs_status gbs_recipe_learn(gbs_context *ctx, const gbs_table *t, const gbs_recipe_wishes *wishes,
                            gbs_recipe **out);
/* Which of the labels is +1: the end of gbs_recipe_learn. */
gbs_status gbs_recipe_choose_labels(gbs_context *ctx, const gbs_table *t,
                                    const gbs_recipe_wishes *wishes, gbs_recipe *r);

/* Missing cells are filled; something of the columns is learned from rows (learn_columns.c). */
bool gbs_recipe_fills(const gbs_recipe *r);
bool gbs_recipe_learns(const gbs_recipe *r);
/* The maps of the columns, learned from these rows of the table alone (NULL: from the first n): a
 * recipe must not know more than the rows it may look at. */
gbs_status gbs_recipe_learn_columns(gbs_context *ctx, gbs_recipe *r, const gbs_table *t,
                                    const size_t *rows, size_t n);
/* The labels of a table that has more than two of them. */
gbs_status gbs_recipe_learn_classes(gbs_context *ctx, const gbs_table *t, gbs_recipe *r);
/* A note on labels that differ in capitals or outer blanks only, or look like missing values. */
gbs_status gbs_warn_of_labels(gbs_context *ctx, const gbs_recipe *r);

/* A number but for its signs ($5, 5%, 15.20 and a euro sign, 1,234, 47 124), a unit (71.8 kg), two
 * numbers (120/80), an exponent of Fortran (0.99D+00). */
typedef enum gbs_dress {
    GBS_DRESS_NONE,
    GBS_DRESS_SIGNS,
    GBS_DRESS_UNIT,
    GBS_DRESS_PAIR,
    GBS_DRESS_EXPONENT
} gbs_dress;
gbs_dress gbs_dress_of(const char *text);
/* What to do about it. */
const char *gbs_dress_advice(gbs_dress dress);
/* GBS_ERR_DATA where it is in doubt whether a column holds texts or numbers (doubt.c). */
gbs_status gbs_check_doubt(gbs_context *ctx, const gbs_table *t, size_t column);

/* Columns without a name; those of them that are row names in the given rows are forgotten; others
 * that look like identifiers are told of (guard.c). */
bool gbs_recipe_has_unnamed(const gbs_recipe *r, const gbs_table *t);
gbs_status gbs_recipe_forget_row_names(gbs_context *ctx, gbs_recipe *r, const gbs_table *t,
                                       const size_t *rows, size_t n);
gbs_status gbs_recipe_warn(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t);

/* It has text columns. */
bool gbs_recipe_has_texts(const gbs_recipe *r);

#endif
