/* What a model's answers rest on, in terms of the columns of the data: how much worse the model
 * does without what a column says, and how the column moves its probabilities. The model may make
 * other columns of them (a map, a column for each level, a mark for missing cells): they are still
 * taken as they came. */
#ifndef GIBBSITE_EXPLAIN_H
#define GIBBSITE_EXPLAIN_H

#include "gibbsite/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Importances and curves; made by the library, and freed by gbs_explanation_free. */
typedef struct gbs_explanation gbs_explanation;

/* What they were measured on. */
typedef struct gbs_explanation_info {
    size_t rows, rows_given;       /* drawn at random from so many */
    size_t columns, columns_given; /* measured, of so many: those that move the answers most */
    size_t repeats;                /* rows that each row borrowed a column from */
    int fresh;                     /* nothing of the model has seen the rows: a fit kept them */
    /* how the model does on these rows as they are; NaN where the task does not have it */
    double error, brier, auc;
    size_t curve_rows;       /* that a point of a curve is the mean over: the first of them */
    size_t curves, outcomes; /* outcomes of a point: 1, of three classes or more one for each */
} gbs_explanation_info;

/* What becomes worse when a row takes one column from another row at random: all columns that a
 * text, or a column with missing cells, became go together. Standard errors are those of the rows,
 * as a sample of all that could have come, in both their parts. */
typedef struct gbs_importance {
    const char *name;       /* of the column */
    size_t column;          /* its number: of the recipe's inputs, without a recipe of the data */
    double error, error_se; /* rise of the error rate; NaN of a model that ranks */
    double brier, brier_se; /* rise of the Brier score; NaN of a model that ranks */
    double auc, auc_se;     /* fall of the AUC of a model that ranks; else NaN */
} gbs_importance;

/* The mean answer with a column set to a value in all rows: partial dependence. */
typedef struct gbs_curve {
    const char *name; /* of the column */
    size_t column;
    size_t points;
} gbs_curve;

/* A value that the column has in one of the rows. */
typedef struct gbs_curve_point {
    double value;      /* NaN: a level, or a missing cell */
    const char *level; /* "(none)": one that training did not see; NULL: a number */
} gbs_curve_point;

/* Measures it on rows with labels, which should be ones that the model has not seen. Columns
 * belong together as the recipe of the data says; of data that no table made each is by itself.
 * Rows, and the rows that they borrow from, are drawn by the context's seed. GBS_ERR_DATA with
 * fewer than two rows, and of a model that ranks with rows of one class alone. */
GBS_API gbs_status gbs_model_explain(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                                     gbs_explanation **out);
/* What a fit with the option `importance` measured on its last block, which model files keep; NULL:
 * the fit had no such option. Valid as long as the model; not to be freed. */
GBS_API const gbs_explanation *gbs_model_explanation(const gbs_model *model);

/* Valid as long as the explanation, like all that the functions below return. */
GBS_API const gbs_explanation_info *gbs_explanation_get_info(const gbs_explanation *explanation);
/* The k-th column, the most important first; NULL beyond the last. */
GBS_API const gbs_importance *gbs_explanation_importance(const gbs_explanation *explanation,
                                                         size_t k);
/* The curve of the k-th column; NULL beyond the last: the first few columns have one. */
GBS_API const gbs_curve *gbs_explanation_curve(const gbs_explanation *explanation, size_t k);
/* Point j of that curve, in the order of the values; NULL beyond the last. */
GBS_API const gbs_curve_point *gbs_explanation_point(const gbs_explanation *explanation, size_t k,
                                                     size_t j);
/* Its mean answer: the probability of +1, of three classes or more that of class `outcome`, of a
 * model that ranks that of outranking a negative row. NaN where there is none. */
GBS_API double gbs_explanation_probability(const gbs_explanation *explanation, size_t k, size_t j,
                                           size_t outcome);
/* All of it as one JSON object with the member "importance", zero-terminated, as the command line
 * prints it; hand it back with gbs_release. size may be NULL. */
GBS_API gbs_status gbs_explanation_to_json(gbs_context *ctx, const gbs_explanation *explanation,
                                           char **text, size_t *size);
/* Frees it; NULL is ignored. Not for that of a model. */
GBS_API void gbs_explanation_free(gbs_explanation *explanation);

#ifdef __cplusplus
}
#endif

#endif
