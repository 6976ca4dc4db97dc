/* Three classes or more: rows with the number of a class, models that tell them apart.
 *
 * Classes are numbered from 0. A table numbers them in the order of its labels (numbers by size,
 * texts by their bytes), and the recipe of a model has their names. Where `classes` or `class` is
 * an array its elements are uint32_t, probabilities and scores are double.
 */
#ifndef GIBBSITE_CLASSES_H
#define GIBBSITE_CLASSES_H

#include "gibbsite/model.h"
#include "gibbsite/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- data */

/* Gives data that was made without labels the class of each row: `rows` numbers, as many as there
 * are rows, each below `classes`, which is at least 3 and at most 1000. gbs_fit then learns to tell
 * the classes apart. The numbers are copied. */
GBS_API gbs_status gbs_data_set_classes(gbs_context *ctx, gbs_data *data, size_t rows,
                                        const uint32_t *class_of, size_t classes);
/* What it costs to say class `said` of a row of class `is`: classes x classes numbers, cost[is *
 * classes + said], not negative, 0 where the two are the same; copied, NULL: all errors alike. A
 * fit of three classes or more then gives the label of least expected cost, and certifies the mean
 * cost.
 */
GBS_API gbs_status gbs_data_set_costs(gbs_context *ctx, gbs_data *data, size_t classes,
                                      const double *cost);
/* The same from a CSV file, of data that a table made: its header has the class that is said, its
 * first column the class that is, and every class comes once in both. */
GBS_API gbs_status gbs_data_read_costs(gbs_context *ctx, gbs_data *data, const char *path);
/* How many classes the labels have: 2 for labels of -1 and +1, 0 without labels. */
GBS_API size_t gbs_data_classes(const gbs_data *data);
/* The class of row i: of labels -1 and +1 it is 0 or 1; GBS_UNSEEN for a label that the recipe does
 * not have, and where there are no labels. */
GBS_API uint32_t gbs_data_class(const gbs_data *data, size_t i);
/* One binary problem of data with three classes or more: class `one` is +1, class `other` is -1 and
 * rows of other classes are left out; SIZE_MAX: every other row is -1. `data` must outlive it. */
GBS_API gbs_status gbs_data_against(gbs_context *ctx, const gbs_data *data, size_t one,
                                    size_t other, gbs_data **out);

/* Classes of a recipe, and the label of class k (NULL beyond the last). Two: the negative label, or
 * NULL where it is every other label, and the positive one. */
GBS_API size_t gbs_recipe_classes(const gbs_recipe *recipe);
GBS_API const char *gbs_recipe_class(const gbs_recipe *recipe, size_t k);

/* ---------------------------------------------------------------- models */

/* How the binary problems behind the classes are made. */
typedef enum gbs_scheme {
    GBS_SCHEME_TWO = 0, /* there are two classes, and one problem */
    GBS_SCHEME_REST,    /* each class against the rest */
    GBS_SCHEME_PAIRS,   /* each class against each other one */
    GBS_SCHEME_SOFTMAX  /* all together, under the softmax loss: part k is class k's posterior */
} gbs_scheme;

/* "two", "rest", "pairs", "softmax"; NULL out of range. */
GBS_API const char *gbs_scheme_name(gbs_scheme scheme);

/* How a model does class by class, on the last block or on rows it is evaluated on. */
typedef struct gbs_class_result {
    size_t rows;  /* of this class */
    size_t said;  /* rows that were given its label */
    size_t right; /* both */
    int learned;  /* 0: the rows to learn from had fewer than two of it; it is never said */
} gbs_class_result;

/* What a model of many classes is deployed for, and how it did on the last block. */
typedef struct gbs_classes_card {
    size_t classes;
    gbs_scheme scheme;
    size_t parts;           /* posteriors that it is made of */
    size_t learned, tested; /* rows that it learned from; rows of the last block, which tested it */
    size_t unknown;         /* rows of the last block whose class was not learned: all errors */
    size_t errors;
    size_t baseline_class; /* the most frequent one of the rows that it learned from */
    double baseline_error; /* of saying it always, on the last block */
    double brier;          /* half the sum of squares over the classes, mean over the rows */
    double log_loss;       /* over the rows of learned classes; NaN: there are none */
    double cost;           /* mean; NaN: there is no matrix of costs */
    int one_label, joint;  /* as in gbs_card */
    /* out of fold on the rows to learn from, of each scheme; NaN: not tried */
    double rest_log_loss, pairs_log_loss, rest_error, pairs_error;
    double softmax_log_loss, softmax_error;
} gbs_classes_card;

/* Classes of a model: 2, or more. 0 without a model. */
GBS_API size_t gbs_model_classes(const gbs_model *model);
/* NULL: two classes (gbs_model_card), or not calibrated. Valid as long as the model. */
GBS_API const gbs_classes_card *gbs_model_classes_card(const gbs_model *model);
/* Class k on the last block, NULL beyond the last and for two classes. */
GBS_API const gbs_class_result *gbs_model_class_result(const gbs_model *model, size_t k);
/* Rows of the last block of class `is` that were given the label of class `said`; `is` equal to the
 * number of classes: rows of a label that no recipe has. 0 out of range. */
GBS_API size_t gbs_model_confusion(const gbs_model *model, size_t is, size_t said);
/* The cost of saying class `said` of a row of class `is`: 0 and 1 without a matrix of costs. */
GBS_API double gbs_model_cost(const gbs_model *model, size_t is, size_t said);

/* The binary problem k of a model of many classes, a model by itself: class *one is +1, and -1 is
 * class *other, or every other class (*other = SIZE_MAX). NULL beyond the last, and where a class
 * was not learned. Valid as long as the model. */
GBS_API const gbs_model *gbs_model_part(const gbs_model *model, size_t k, size_t *one,
                                        size_t *other);

/* For each row the number of its class and the probability of each: probability has rows x classes
 * numbers (of double), one row after the other. classes must be gbs_model_classes(model), rows
 * those of the data. Either array may be NULL. Of two classes: -1 is class 0, +1 class 1. */
GBS_API gbs_status gbs_model_classify_rows(gbs_context *ctx, const gbs_model *model,
                                           const gbs_data *data, size_t rows, size_t classes,
                                           uint32_t *class_of, double *probability);

/* ---------------------------------------------------------------- evaluations */

/* How many classes an evaluation has: 2, or more. */
GBS_API size_t gbs_evaluation_classes(const gbs_evaluation *evaluation);
/* As of a model, on the rows evaluated; NULL beyond the last and for two classes. */
GBS_API const gbs_class_result *gbs_evaluation_class(const gbs_evaluation *evaluation, size_t k);
GBS_API size_t gbs_evaluation_confusion(const gbs_evaluation *evaluation, size_t is, size_t said);
/* The mean cost of the labels; their error where the model has no matrix of costs. */
GBS_API double gbs_evaluation_cost(const gbs_evaluation *evaluation);

#ifdef __cplusplus
}
#endif

#endif
