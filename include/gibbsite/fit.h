/* Fitting a posterior, and cross-validation. */
#ifndef GIBBSITE_FIT_H
#define GIBBSITE_FIT_H

#include "gibbsite/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- fit */

/* A fitted posterior, or the stages of a progressive one, with its certificates. */
typedef struct gbs_model gbs_model;

/* What is learned. */
typedef enum gbs_task_kind {
    GBS_TASK_CLASSIFY = 0, /* the sign of x'theta is the label: losses of the margin y x'theta */
    GBS_TASK_RANK /* rows of +1 before rows of -1: losses of the margin (x_i - x_j)'theta over all
                     pairs; the risk is 1 - AUC. There is no intercept, and GBS_LOSS_EXPONENTIAL,
                     GBS_FORM_DUAL and GBS_BOUND_PROGRESSIVE are not offered */
} gbs_task_kind;

/* What a margin z costs: 1 when z < 0 (one half at 0); max(0, 1 - z); exp(-z). */
typedef enum gbs_loss { GBS_LOSS_ZERO_ONE = 0, GBS_LOSS_HINGE, GBS_LOSS_EXPONENTIAL } gbs_loss;

/* The Gaussians to choose from. */
typedef enum gbs_family {
    GBS_FAMILY_AUTO = 0,  /* full when d <= 200, else diagonal */
    GBS_FAMILY_FIXED,     /* N(m, I/n) */
    GBS_FAMILY_ISOTROPIC, /* N(m, sigma^2 I) */
    GBS_FAMILY_DIAGONAL,  /* N(m, diag(sigma_k^2)), mean field */
    GBS_FAMILY_FULL       /* N(m, C C') */
} gbs_family;

/* AUTO: natural gradient for the full family and up to 128 coefficients, else L-BFGS. */
typedef enum gbs_solver {
    GBS_SOLVER_AUTO = 0,
    GBS_SOLVER_LBFGS,
    GBS_SOLVER_NATURAL,
    GBS_SOLVER_SGD
} gbs_solver;

/* How the columns are scaled, before anything else. */
typedef enum gbs_scale {
    GBS_SCALE_NONE = 0,
    GBS_SCALE_STANDARD, /* each column minus its mean, over its standard deviation (divisor n) */
    GBS_SCALE_UNIT_ROW  /* each row, intercept included, over its Euclidean norm */
} gbs_scale;

/* Full family: work in the d coordinates, or in the row space of the data (never a d x d matrix).
 * AUTO: dual when d > n. */
typedef enum gbs_form { GBS_FORM_AUTO = 0, GBS_FORM_PRIMAL, GBS_FORM_DUAL } gbs_form;

/* Step sizes of the stochastic solver. */
typedef enum gbs_schedule {
    /* Adam, steps falling to zero, the last quarter of the iterates averaged */
    GBS_SCHEDULE_MODERN = 0,
    GBS_SCHEDULE_PAPER /* x <- x - (t + 1)^-0.9 gradient */
} gbs_schedule;

/* The prior N(m0, prior_sd^2 I). */
typedef enum gbs_prior_kind {
    GBS_PRIOR_ZERO = 0, /* m0 = 0, the paper's */
    GBS_PRIOR_INFORMED /* m0, scaling constants and all that is chosen come from a first part of the
                          rows, split off at random; the certificate from the others */
} gbs_prior_kind;

/* How a certificate is computed (docs/maths.md, 6.1 and 6.8). */
typedef enum gbs_bound {
    GBS_BOUND_AUTO = 0,  /* informed prior: progressive, in ranking catoni; zero prior: kl */
    GBS_BOUND_KL,        /* Seeger, Maurer: holds for every posterior at once */
    GBS_BOUND_CATONI,    /* for one lambda, fixed in advance or from the first part */
    GBS_BOUND_HOEFFDING, /* the same, with the sharp constant */
    GBS_BOUND_PAPER,     /* the same, as the paper prints it */
    /* several stages, each tested on fresh rows before it learns from them; the model is their
       mixture */
    GBS_BOUND_PROGRESSIVE,
    GBS_BOUND_BINOMIAL /* exact, of a single classifier on fresh rows; computed beside the others,
                          not to be asked for */
} gbs_bound;

/* Which point of the grids becomes the model. */
typedef enum gbs_select {
    GBS_SELECT_LAST = 0, /* the last lambda of the ladder, the first prior_sd */
    GBS_SELECT_BOUND     /* the smallest certificate, the price of the choice paid */
} gbs_select;

/* What was chosen after a look at the training rows. The library cannot know; an honest caller says
 * so, and certificates that needed it fixed in advance are then marked conditional. */
enum gbs_looked {
    GBS_LOOKED_LAMBDA = 1, /* lambda was chosen on these rows */
    GBS_LOOKED_PRIOR = 2,  /* prior_sd was chosen on these rows */
    /* what the columns are was learned from these rows (levels of text columns, number of features)
     */
    GBS_LOOKED_COLUMNS = 4,
    GBS_LOOKED_CX = 8,     /* cx is a maximum seen in the rows */
    GBS_LOOKED_METHOD = 16 /* the method of the bound was chosen among several after a look */
};

/* How wide the prior is for each column. */
typedef enum gbs_columns {
    /* relevance under an informed prior of a classifier on standardised columns, else equal */
    GBS_COLUMNS_AUTO = 0,
    GBS_COLUMNS_EQUAL,
    GBS_COLUMNS_RELEVANCE /* wider for standardised columns that correlate more with the label, on
                             the rows that scaling is learned from */
} gbs_columns;

/* Options of gbs_fit; start from gbs_fit_options_default(). */
typedef struct gbs_fit_options {
    gbs_task_kind task;
    gbs_loss loss;
    gbs_family family;
    gbs_solver solver;
    gbs_form form;
    gbs_scale scale;
    int intercept;   /* non-zero: one more column, the last, of the same value everywhere */
    double constant; /* that value: how much wider the prior of the intercept is; 0: 1. Always 1
                        where rows have a promised length (unit-row, cx) */
    gbs_columns columns;
    gbs_prior_kind prior; /* default: informed */
    /* inverse temperature of each posterior; 0: chosen; under the zero prior the number of rows, in
     * ranking of the smaller class */
    double lambda;
    double prior_sd; /* standard deviation of the prior in every coordinate; 0: chosen, 1 under the
                        zero prior */
    double prior_split; /* informed, progressive: share of the rows in the first part; 0: chosen */
    size_t blocks;      /* progressive: number of stages; 0: chosen */
    int stratify; /* non-zero: the split keeps the shares of the classes; certificates are then
                     conditional */
    double cx; /* > 0: rows longer than this are shortened to it, in training and prediction alike;
                  the hinge risk then has a certificate too (unit rows have it with cx = 1) */
    /* values of prior_sd to choose from, declared in advance; NULL: prior_sd alone */
    const double *prior_grid;
    size_t prior_grid_size;
    gbs_select select; /* what to choose among the ladder and the prior grid */
    double tolerance;  /* stop when the optimality gap (or what stands for it) is below tolerance *
                          max(1, |F|) */
    size_t max_iterations; /* per rung of the ladder, at least 1 */
    const double
        *ladder; /* increasing lambdas to anneal through, declared in advance; NULL: chosen */
    size_t ladder_size;
    size_t restarts; /* > 0: no annealing; the best of this many starts drawn from the prior */
    size_t batch;    /* sgd: rows per step; 0: 256 */
    size_t epochs; /* sgd: passes over the rows; 0: 20, or 4000 steps if that is more. Rankings: at
                      most */
    gbs_schedule schedule; /* sgd */
    /* ranking: the certificate's risk comes from this many pairs drawn at random, and a tenth of
       the error probability pays for that; 0: from all pairs */
    size_t sampled_pairs;
    int trace; /* sgd in ranking: the path begins with the steps (a thousand of them at most, or as
                  many as make 3e9 pairs), each with its exact risk and bound */
    gbs_bound bound;   /* of the certificate that comes first */
    double confidence; /* of every certificate */
    unsigned looked;   /* bits of gbs_looked, no others */
} gbs_fit_options;

/* Zero-one loss, informed prior, progressive certificate: a good model and a valid, tight bound on
 * its risk. */
GBS_API gbs_fit_options gbs_fit_options_default(void);

/* The order in which gbs_fit goes through n rows under an informed prior or a progressive bound,
 * for callers who learn something from the first part themselves (such as the levels of a text
 * column), and the least number of rows in that part: what is learned from the first *first_part
 * rows of this order may be used for all. The order depends on the seed and n alone, first_part on
 * n and the options. options may be NULL: the defaults. */
GBS_API gbs_status gbs_fit_order(gbs_context *ctx, size_t n, const gbs_fit_options *options,
                                 size_t *order, size_t *first_part);

/* data must carry labels of both classes. */
GBS_API gbs_status gbs_fit(gbs_context *ctx, const gbs_data *data, const gbs_fit_options *options,
                           gbs_model **out);

/* ---------------------------------------------------------------- cross-validation */

/* Means over all held-out rows of one candidate; se is the standard error over the folds. */
typedef struct gbs_cv_result {
    /* of the vote; in ranking 1 - AUC of the score, over the pairs inside a fold */
    double error, error_se;
    double gibbs_error;   /* of one draw from the posterior */
    double gibbs_risk;    /* in the candidate's own loss */
    gbs_family family;    /* the one fitted, where AUTO was asked for */
    size_t not_converged; /* folds whose solver did not converge */
} gbs_cv_result;

/* k-fold cross-validation of `count` candidates on the same folds: stratified by label, drawn by
 * the context's seed. A candidate's lambda is meant for all rows and is scaled with the rows of a
 * fold (0: their number). results has room for count. Folds run on the context's threads. */
GBS_API gbs_status gbs_cross_validate(gbs_context *ctx, const gbs_data *data, size_t folds,
                                      const gbs_fit_options *candidates, size_t count,
                                      gbs_cv_result *results);

/* Names as the command line and the files write them; NULL for a value out of range. */
GBS_API const char *gbs_task_name(gbs_task_kind task);
GBS_API const char *gbs_columns_name(gbs_columns columns);
GBS_API const char *gbs_loss_name(gbs_loss loss);
GBS_API const char *gbs_prior_name(gbs_prior_kind prior);
GBS_API const char *gbs_family_name(gbs_family family);
GBS_API const char *gbs_scale_name(gbs_scale scale);
GBS_API const char *gbs_solver_name(gbs_solver solver);

#ifdef __cplusplus
}
#endif

#endif
