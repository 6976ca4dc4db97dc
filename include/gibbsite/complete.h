/* Matrix completion. */
#ifndef GIBBSITE_COMPLETE_H
#define GIBBSITE_COMPLETE_H

#include "gibbsite/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- matrix completion */

/* Observations of the cells of a matrix, (row, column, value); a cell may be observed more than
 * once. */
typedef struct gbs_ratings gbs_ratings;

/* n ratings of a matrix of rows x columns, numbered from 0. ids (NULL: the numbers from 1) are kept
 * in the model. Everything is copied. */
GBS_API gbs_status gbs_ratings_create(gbs_context *ctx, size_t n, size_t rows, size_t columns,
                                      const uint32_t *row, const uint32_t *column,
                                      const double *value, const char *const *row_ids,
                                      const char *const *column_ids, gbs_ratings **out);
/* What is known of the rows (columns 0) or of the columns (1) beside their ratings: so many numbers
 * for each, up to 1000, row by row, NaN where missing; copied, in place of what was set before. The
 * hierarchical model regresses prior means on them; items without ratings are predicted from them.
 */
GBS_API gbs_status gbs_ratings_set_features(gbs_context *ctx, gbs_ratings *ratings, int columns,
                                            size_t features, const double *values);
/* How many there are. */
GBS_API size_t gbs_ratings_count(const gbs_ratings *ratings);
/* Frees the handle; NULL is ignored. */
GBS_API void gbs_ratings_free(gbs_ratings *ratings);

/* y = mu + a_i + b_j + u_i'v_j + noise, u and v of few dimensions; the posterior of all of them. */
typedef struct gbs_completion gbs_completion;

/* What is assumed of the matrix. */
typedef enum gbs_completion_model {
    /* priors with a mean, a scale for each row, and what the positions of the ratings say */
    GBS_COMPLETION_HIERARCHICAL = 0,
    GBS_COMPLETION_PAPER /* independent components of inverse-gamma variances, switched off */
} gbs_completion_model;

/* How the posterior of a completion is obtained. */
typedef enum gbs_sampler {
    GBS_SAMPLER_VB = 0, /* mean field: a Gaussian for each row and each column */
    GBS_SAMPLER_GIBBS   /* draws from the posterior itself, started from the mean field */
} gbs_sampler;

/* options are those of "complete"; NULL: the defaults. Fits a completion to the ratings, and
 * certifies it where a range was declared. Where none was, values that look like counts of events
 * (implicit data) are GBS_ERR_DATA: `range` says that they are ratings. */
GBS_API gbs_status gbs_complete(gbs_context *ctx, const gbs_ratings *ratings,
                                const gbs_options *options, gbs_completion **out);
/* The same with `cells` cells, numbered from 0 (GBS_UNSEEN: a row or column without ratings), whose
 * predictions are averaged over all draws of the sampler gibbs, into value and sd. */
GBS_API gbs_status gbs_complete_cells(gbs_context *ctx, const gbs_ratings *ratings,
                                      const gbs_options *options, size_t cells, const uint32_t *row,
                                      const uint32_t *column, double *value, double *sd,
                                      gbs_completion **out);

/* With probability at least `confidence` over the ratings, the root mean squared error of clipped
 * predictions is at most `rmse`, and the mean squared error over (high - low)^2 at most `squared`:
 * in the paper's model of predictions from one draw of the posterior; in the hierarchical one of
 * the values that gbs_completion_predict gives, by ratings kept from the fit (no draws and no KL:
 * those are 0). */
typedef struct gbs_rating_certificate {
    int present;  /* 0: no range was declared, or draws of a sampler: all else is 0 */
    double value; /* of one draw: squared; of predicted values (draws 0): rmse */
    double rmse;  /* in units of the ratings: (high - low) sqrt(squared) */
    double confidence;
    size_t n; /* ratings certified on */
    /* what was seen, in the units of value; by Monte Carlo, one independent draw for each of
     * `draws` terms */
    double empirical;
    double empirical_upper;
    size_t draws;
    double draws_delta; /* share of 1 - confidence that the draws take */
    double kl, grid_nats, xi_nats;
    int vacuous; /* squared >= 1/4, which predicting the middle of the range never exceeds */
    /* for comparison, in units of the ratings: what the same ratings certify of always predicting
     * the middle of the range, and (informed; else NaN) of the first part's mean prediction,
     * a plain hold-out */
    double middle_rmse, holdout_rmse;
    /* the bound and what was seen as mean squared errors over (high - low)^2, whatever `value` is
     */
    double squared, squared_empirical;
} gbs_rating_certificate;

/* How a completion was fitted, and how well. */
typedef struct gbs_completion_info {
    size_t n, rows, columns;
    size_t rank, effective_rank; /* asked for; left */
    int biases, has_range, noise_learned;
    double low, high;
    double lambda, noise_variance;
    double free_energy, kl;
    double rmse; /* on the ratings themselves, of the mean prediction, clipped */
    double mu;   /* posterior mean; 0 without biases */
    size_t sweeps;
    int converged;
    gbs_prior_kind prior;
    double prior_split;
    gbs_sampler sampler;
    size_t draws, burn_in, kept;
    double mean, sd; /* of the ratings: what predicting their mean would leave */
    size_t folds;    /* the noise was chosen by cross-validation; 0: it was not */
    double seconds;
    size_t rated_rows, rated_columns; /* the others are known from features alone */
} gbs_completion_info;

/* One candidate of a choice by cross-validation. */
typedef struct gbs_noise_choice {
    double noise_variance, lambda;
    int learned, taken; /* learned: again in each fold; noise_variance is that of all ratings */
    double rmse, rmse_se;
    double effective_rank; /* mean over the folds */
    size_t not_converged;  /* folds */
    /* of a choice between models and ranks, whose noise is learned (noise_variance and lambda NaN)
     */
    gbs_completion_model model;
    size_t rank;
} gbs_noise_choice;

/* How it was fitted, and its certificate (`present` says whether it has one); valid as long as the
 * model. */
GBS_API const gbs_completion_info *gbs_completion_get_info(const gbs_completion *model);
GBS_API const gbs_rating_certificate *gbs_completion_certificate(const gbs_completion *model);
/* Where it comes from, valid as long as the completion: `rows` counts ratings. NULL without one. */
GBS_API const gbs_origin *gbs_completion_origin(const gbs_completion *model);
/* Which model; that of a NULL handle is the paper's. */
GBS_API gbs_completion_model gbs_completion_get_model(const gbs_completion *model);
/* "hierarchical", "paper"; NULL out of range. */
GBS_API const char *gbs_completion_model_name(gbs_completion_model model);
/* Non-zero: rows and columns have prior means that the positions of the ratings predict. */
GBS_API int gbs_completion_uses_positions(const gbs_completion *model);
/* What the same ratings certify, at the same confidence, of the mean absolute error; NaN without a
 * certificate, and in the paper's model. */
GBS_API double gbs_completion_mae_bound(const gbs_completion *model);
/* The same of the share of ratings that the predicted value misses by more than 0.5, where all that
 * was learned from are whole or half numbers, as stars are; else NaN. */
GBS_API double gbs_completion_miss_bound(const gbs_completion *model);
/* What the variances of predictions are multiplied by, those of the noise as well: learned from
 * ratings that were left out of fits, so that intervals of 95 % cover as much; 1 where none were,
 * as in a model that was asked for by name and has nothing to choose. gbs_completion_predict and
 * gbs_completion_noise have it in them. */
GBS_API double gbs_completion_inflation(const gbs_completion *model);
/* Of the hierarchical model's sampler: how far its predictions are from those of a chain without
 * end, root mean square over some cells, by means of batches of the draws. The one returned is of
 * cells that are asked for with the fit, which average over all draws; `kept` (may be NULL) of what
 * the model predicts from the draws that it keeps. NaN where it is not known. */
GBS_API double gbs_completion_monte_carlo(const gbs_completion *model, double *kept);
/* Variance of the noise of a rating in this row (GBS_UNSEEN: in a row without ratings); NaN unless
 * there is such a row. */
GBS_API double gbs_completion_noise(const gbs_completion *model, uint32_t row);
/* The identifiers that the ratings came with, valid as long as the model; NULL unless i < rows,
 * j < columns. */
GBS_API const char *gbs_completion_row_id(const gbs_completion *model, size_t i);
GBS_API const char *gbs_completion_column_id(const gbs_completion *model, size_t j);
/* Columns rated in row i, one entry per rating; NULL and 0 unless i < rows. */
GBS_API const uint32_t *gbs_completion_seen(const gbs_completion *model, size_t i, size_t *count);

/* Component k < effective_rank: `size`, the root mean square over all cells of its part u_ik v_jk
 * of a prediction, and `prior_sd`, the standard deviation that the posterior gives its factors.
 * Largest first; of draws, the mean over them. Nothing is written unless both are there. */
GBS_API void gbs_completion_components(const gbs_completion *model, double *size, double *prior_sd);
/* The free energy after each sweep, some hundred points at most; empty for a model from a file.
 * Point k is NULL beyond the last; valid as long as the model. */
GBS_API size_t gbs_completion_trace_size(const gbs_completion *model);
GBS_API const gbs_trace_point *gbs_completion_trace_at(const gbs_completion *model, size_t k);
/* How many candidates cross-validation had; and one of them, NULL beyond the last, valid as long
 * as the model. */
GBS_API size_t gbs_completion_choices(const gbs_completion *model);
GBS_API const gbs_noise_choice *gbs_completion_choice(const gbs_completion *model, size_t k);
/* Free energies of the starts, where there was more than one; NULL and 0: none. */
GBS_API const double *gbs_completion_restarts(const gbs_completion *model, size_t *count);

/* A row or column that the model does not know: its prediction is that of the prior. */
#define GBS_UNSEEN UINT32_MAX

/* Posterior mean of each cell (clipped to the range), standard deviation of its noiseless value. A
 * new rating has variance sd^2 + gbs_completion_noise of its row. sd may be NULL. */
GBS_API gbs_status gbs_completion_predict(gbs_context *ctx, const gbs_completion *model, size_t n,
                                          const uint32_t *row, const uint32_t *column,
                                          double *value, double *sd);
/* The same, values not clipped to the range: what cells are ordered by. */
GBS_API gbs_status gbs_completion_predict_unclipped(gbs_context *ctx, const gbs_completion *model,
                                                    size_t n, const uint32_t *row,
                                                    const uint32_t *column, double *value,
                                                    double *sd);
/* Quantiles of a new rating in each cell, its noise included, clipped to the range: `levels`
 * numbers between 0 and 1 in level, so many for each cell, cell by cell, in quantile. */
GBS_API gbs_status gbs_completion_quantiles(gbs_context *ctx, const gbs_completion *model, size_t n,
                                            const uint32_t *row, const uint32_t *column,
                                            size_t levels, const double *level, double *quantile);
/* The columns that a row has not rated (GBS_UNSEEN: a row without ratings), best first, at most
 * `most` of them, and their number in *count. level 0: by the predicted mean; else by this quantile
 * of a new rating; neither is clipped, so that columns whose printed values all are the top of the
 * range have an order too. */
GBS_API gbs_status gbs_completion_top(gbs_context *ctx, const gbs_completion *model, uint32_t row,
                                      double level, size_t most, uint32_t *column, size_t *count);

/* How predictions do on known values. */
typedef struct gbs_rating_evaluation {
    size_t n;
    double rmse, mae;
    double coverage; /* share of the values within 1.96 standard deviations (noise included) */
    size_t new_rows, new_columns; /* ratings of rows, columns that the model does not know */
} gbs_rating_evaluation;

/* From predictions and their standard deviations (without noise). Hand *out back with
 * gbs_rating_evaluation_free. */
GBS_API gbs_status gbs_rating_score(gbs_context *ctx, size_t n, const uint32_t *row,
                                    const uint32_t *column, const double *y, const double *value,
                                    const double *sd, double noise_variance,
                                    gbs_rating_evaluation **out);
/* Frees it; NULL is ignored. */
GBS_API void gbs_rating_evaluation_free(gbs_rating_evaluation *evaluation);

/* With probability at least `confidence` the true RMSE of these predictions, clipped, is at most
 * this: for ratings that the model has not seen, independent draws or cells drawn at random. NaN
 * when one lies outside the range, or an argument is wrong. */
GBS_API double gbs_rating_holdout(size_t n, const double *y, const double *value, double low,
                                  double high, double confidence);

/* The bytes of a file and back, as gbs_model_to_json has them. A model of more than a million
 * numbers has them behind its JSON text, as bytes (docs/formats.md): only *size says where those
 * end. */
GBS_API gbs_status gbs_completion_to_json(gbs_context *ctx, const gbs_completion *model,
                                          char **text, size_t *size);
GBS_API gbs_status gbs_completion_from_json(gbs_context *ctx, const char *text, size_t size,
                                            gbs_completion **out);
/* What its certificate takes for granted, one text after the other; NULL beyond the last, and
 * without a certificate. */
GBS_API const char *gbs_completion_assumption(const gbs_completion *model, size_t k);
/* What there is to tell of a completion as JSON, as gbs_model_describe_json has it: of gbs_describe
 * the info ("rmse", "effective_rank", "choices", ...), the certificates ("certificate", null
 * without one), the trace, for the coefficients the "components", and the origin. */
GBS_API gbs_status gbs_completion_describe_json(gbs_context *ctx, const gbs_completion *model,
                                                unsigned parts, char **text, size_t *size);
/* Frees the handle; NULL is ignored. */
GBS_API void gbs_completion_free(gbs_completion *model);
/* "vb", "gibbs"; NULL out of range. */
GBS_API const char *gbs_sampler_name(gbs_sampler sampler);

#ifdef __cplusplus
}
#endif

#endif
