/* Ratings and completions, for complete, predict and evaluate. */
#ifndef GIBBSITE_CLI_RATINGS_USE_H
#define GIBBSITE_CLI_RATINGS_USE_H

#include "cmd/predictor.h"
#include "out/json.h"
#include "out/lines.h"

/* Cells of a file as a model numbers them; GBS_UNSEEN where it has never met the row or column. */
struct cells {
    const char *file; /* for messages */
    gbs_cells *read;
    size_t n;
    const double *rating; /* what the file says; NULL for pairs */
    uint32_t *index[2];
    double *value, *sd; /* predictions */
    double *noise;      /* variance of the noise of a rating there */
};

/* Reads a file of cells; they are not numbered yet. */
int cells_read(const struct app *app, const char *path, gbs_cell_use use, struct cells *out);
/* Numbers the rows and columns by the given names. */
int cells_number(const struct app *app, size_t rows, const char *const *row_names, size_t columns,
                 const char *const *column_names, struct cells *cells);
void cells_free(struct cells *cells);
/* The noise of each cell as the model has it. */
void cells_take_noise(const gbs_completion *model, struct cells *cells);
/* How the predictions do on the values. */
int cells_score(const struct app *app, const struct cells *cells, gbs_rating_evaluation **out);
/* Shares within intervals of several levels, and errors by the number of ratings of the row
 * (ratings_detail.c). */
void cells_detail_json(struct json *j, const gbs_completion *model, const struct cells *cells);

/* What a score is to be measured by; NaN: not known. */
struct rating_yardstick {
    double mean_rmse; /* of always predicting the mean of the training ratings */
    /* bound on the true RMSE from these ratings alone (the model has a range, and they lie in it)
     */
    double holdout_rmse;
    double confidence; /* of that bound */
};
/* Predictions of the cells must be there; --confidence is that of the bound. */
struct rating_yardstick ratings_yardstick(const struct app *app, const gbs_completion_info *info,
                                          const struct cells *cells);

void result_rating_evaluation(struct json *j, const gbs_rating_evaluation *e,
                              const struct rating_yardstick *y);
void result_rating_evaluation_text(struct text *t, enum line_kind kind,
                                   const gbs_rating_evaluation *e,
                                   const struct rating_yardstick *y);
/* What was fitted: parts of gbs_describe. */
int result_completion(struct json *j, const struct app *app, const gbs_completion *model,
                      unsigned parts);
void result_completion_text(struct text *out, const gbs_completion *model);
/* The data, the certificate and the baseline, in a few lines. */
void result_completion_short(struct text *out, const gbs_completion *model, const char *file);
/* The certificate in one sentence. */
void completion_sentence(struct text *words, const gbs_completion *model);

/* predict MODEL PAIRS, predict MODEL --top K --row ID, evaluate MODEL RATINGS, inspect MODEL, the
 * model a completion. */
int ratings_predict(struct app *app, const gbs_completion *model);
int ratings_evaluate(struct app *app, const gbs_completion *model);
/* The same sentence, what it was seen on and what it assumes, in markdown. */
void completion_card_certificate(struct text *out, const gbs_completion *model);
int ratings_inspect(struct app *app, const gbs_completion *model);

#endif
