/* What is kept of a matrix completion: a Gaussian for each row and column, or some draws of a
 * sampler, with the texts that name them. */
#ifndef GIBBSITE_MODEL_COMPLETION_H
#define GIBBSITE_MODEL_COMPLETION_H

#include "completion/factors.h"
#include "core/trace.h"
#include "model/origin.h"
#include "options/usual.h"

struct gbs_completion {
    gbs_context *ctx;
    gbs_completion_info info;
    gbs_rating_certificate certificate;
    gbs_completion_model model;
    int positions;   /* hierarchical: prior means from positions */
    int features;    /* hierarchical: and from what else was known of rows or columns; an
                        older file does not say, 0 */
    size_t own;      /* effective rank, plus one for a bias */
    size_t kept;     /* draws; 1 for a variational posterior */
    double *mean[2]; /* kept x items x own: factors, then the bias */
    double *cov[2];  /* items x packed(own); NULL for draws */
    double *mu;      /* kept */
    double mu_variance;
    /* kept x (own + 1): of each component, of row biases, of column biases; without biases kept x
     * own */
    double *variance;
    /* hierarchical: the noise variance of each row, and of one more without ratings; mean and
     * packed covariance of an item without ratings, kept of each. NULL in the paper's model */
    double *noise, *prior_mean[2], *prior_cov[2];
    /* Of the variance of a new rating, by ratings that were left out of fits: 1, none were. */
    double inflation;
    /* hierarchical, of a sampler: the Monte Carlo error of a prediction, root mean square, from all
     * draws and from those kept; 0: not known */
    double monte_carlo[2];
    /* certified with the RMSE, meaningless without: the mean absolute error, and of stars the share
     * of values off by more than half a one (NaN: no stars) */
    double mae_bound, miss_bound;
    gbs_trace trace; /* of this run: not kept in files */
    gbs_origin_kept origin;
    char **id[2];
    char *texts[2];
    size_t *seen_start; /* rows + 1 */
    uint32_t *seen;     /* columns rated in each row */
    gbs_noise_choice *choices;
    size_t n_choices;
    double *restarts;
    size_t n_restarts;
};

/* Of completion files; counts the incompatible versions: 1 the paper's model, 2 the hierarchical
 * one, 3 either with a binary part. */
enum { GBS_COMPLETION_FORMAT = 3 };

/* Room for kept draws of the model's sizes (info, own set before). */
gbs_status gbs_completion_reserve(gbs_context *ctx, gbs_completion *c, size_t kept,
                                  bool covariance);
/* The same of what only the hierarchical model has. */
gbs_status gbs_completion_reserve_hierarchical(gbs_context *ctx, gbs_completion *c);
/* GBS_ERR_NUMERIC when a number that a completion leaves behind is not finite. */
gbs_status gbs_completion_check(gbs_context *ctx, const gbs_completion *c);
/* Texts and seen columns of the ratings. */
gbs_status gbs_completion_describe(gbs_context *ctx, gbs_completion *c, const gbs_ratings *ratings);
/* How many rows and columns have ratings, from what is seen, into info. */
gbs_status gbs_completion_count_rated(gbs_context *ctx, gbs_completion *c);
static inline size_t gbs_completion_groups(const gbs_completion *c) {
    return c->own + (c->info.biases ? 1 : 0);
}

#endif
