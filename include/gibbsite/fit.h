/* Fitting a posterior, and cross-validation. */
#ifndef GIBBSITE_FIT_H
#define GIBBSITE_FIT_H

#include "gibbsite/data.h"
#include "gibbsite/options.h"
#include "gibbsite/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- fit */

/* A fitted posterior, or the stages of a progressive one, with its certificates. */
typedef struct gbs_model gbs_model;

/* What a margin z costs: 1 when z < 0 (one half at 0); max(0, 1 - z); exp(-z); E max(0, Z - z), Z
 * standard normal. */
typedef enum gbs_loss {
    GBS_LOSS_ZERO_ONE = 0,
    GBS_LOSS_HINGE,
    GBS_LOSS_EXPONENTIAL,
    GBS_LOSS_PROBIT,
    /* These two are not the loss of one margin. In results only: of three classes or more that were
       fitted together (GBS_SCHEME_SOFTMAX) */
    GBS_LOSS_SOFTMAX = 100,
    /* in options only: under `bound` vote probit (in ranking hinge) or zero-one, chosen on the rows
       to learn from; else zero-one */
    GBS_LOSS_AUTO
} gbs_loss;

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

/* The prior N(m0, prior_sd^2 I). */
typedef enum gbs_prior_kind {
    GBS_PRIOR_ZERO = 0, /* m0 = 0, the paper's */
    GBS_PRIOR_INFORMED /* m0, scaling constants and all that is chosen come from a first part of the
                          rows, split off at random; the certificate from the others */
} gbs_prior_kind;

/* How a certificate is computed (docs/maths.md, 6.1 and 6.8). */
typedef enum gbs_bound {
    /* informed prior: vote, in ranking from sampled pairs catoni; zero prior: kl */
    GBS_BOUND_AUTO = 0,
    GBS_BOUND_KL,        /* Seeger, Maurer: holds for every posterior at once */
    GBS_BOUND_CATONI,    /* for one lambda, fixed in advance or from the first part */
    GBS_BOUND_HOEFFDING, /* the same, with the sharp constant */
    GBS_BOUND_PAPER,     /* the same, as the paper prints it */
    /* several stages, each tested on fresh rows before it learns from them; the model is their
       mixture */
    GBS_BOUND_PROGRESSIVE,
    /* the labels that the model prints, in ranking its score, tested on a last block of rows that
       nothing has seen */
    GBS_BOUND_VOTE,
    /* Two that stand in certificates only, no option takes them. Exact, for a count of errors on
       fresh rows (Clopper and Pearson) */
    GBS_BOUND_BINOMIAL = 100,
    GBS_BOUND_BETTING /* for the mean of another loss in [0, 1] on fresh rows */
} gbs_bound;

/* How wide the prior is for each column. */
typedef enum gbs_columns {
    /* relevance under an informed prior of a classifier on standardised columns, else equal */
    GBS_COLUMNS_AUTO = 0,
    GBS_COLUMNS_EQUAL,
    GBS_COLUMNS_RELEVANCE /* wider for standardised columns that correlate more with the label, on
                             the rows that scaling is learned from */
} gbs_columns;

/* What is made of the columns before a line divides the rows. */
typedef enum gbs_features {
    GBS_FEATURES_LINEAR = 0, /* nothing: the columns themselves */
    GBS_FEATURES_FOURIER,    /* beside them, random Fourier features of the Gaussian kernel */
    GBS_FEATURES_NYSTROM,    /* beside them, the same kernel by landmarks among the rows */
    GBS_FEATURES_AUTO = 100  /* chosen on the rows to learn from */
} gbs_features;

/* The order in which gbs_fit goes through the rows under an informed prior or a progressive bound,
 * for callers who learn something from the first part themselves, and the least number of rows in
 * that part: what is learned from the first *first_part rows of this order may be used for all. The
 * order is a permutation of positions, drawn from the seed and a hash of the rows that is the same
 * however they are sorted; first_part depends on their number and the options. options are those of
 * "fit"; NULL: the defaults. */
GBS_API gbs_status gbs_fit_order(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                                 size_t *order, size_t *first_part);

/* Which rows gbs_fit learns from with these options and the seed of the context: learned[i] is 1
 * there, and 0 for the rows that certify. All are 1 where no rows are set apart (`prior` zero).
 * What is learned from these rows alone may be used for all, if the data that is made of it is told
 * of the split (gbs_data_set_split). Rows of weight 0 are 0. data must carry labels. */
GBS_API gbs_status gbs_fit_split(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                                 unsigned char *learned);

/* Fits and certifies. data must carry labels of both classes. options are those of "fit"; NULL: the
 * defaults, a good model and a valid, tight bound on its risk. */
GBS_API gbs_status gbs_fit(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                           gbs_model **out);

/* The same, started from an earlier model's posterior, such as that of fewer rows or of another
 * lambda (NULL: as gbs_fit). The free energy of a convex loss (all but zero-one) has one
 * minimum: the result is the same to the solver's tolerance, and so is what is certified; fewer
 * iterations lead there. The start does not change what the fit chooses on the way. It is left out
 * where it is of no use: for the zero-one loss, which has many minima, stochastic steps,
 * restarts, stages, features of a kernel, or where the prior is the better start. Columns are
 * taken for the same by their positions; GBS_ERR_DATA where their number differs, or the task. */
GBS_API gbs_status gbs_fit_from(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                                const gbs_model *start, gbs_model **out);

/* ---------------------------------------------------------------- cross-validation */

/* Cross-validated errors of several candidates. */
typedef struct gbs_cv gbs_cv;

/* Means over all held-out rows of one candidate; se is the standard error over the folds. */
typedef struct gbs_cv_result {
    /* of the vote; in ranking 1 - AUC of the score, over the pairs inside a fold */
    double error, error_se;
    double gibbs_error;   /* of one draw from the posterior */
    double gibbs_risk;    /* in the candidate's own loss */
    gbs_family family;    /* the one fitted, where AUTO was asked for */
    size_t not_converged; /* folds whose solver did not converge */
    gbs_loss loss;
    double lambda, prior_sd; /* meant for all rows */
    size_t d;                /* coefficients */
    /* of the score; and of the probabilities, NaN in ranking */
    double auc, auc_se, brier, brier_se, log_loss, log_loss_se;
    /* not 0: what gbs_fit makes by default. It chooses for itself in each fold: lambda and prior_sd
     * are NaN, loss and d those of the first fold */
    int deployed;
} gbs_cv_result;

/* k-fold cross-validation on folds that are stratified by label and drawn by the context's seed.
 * Where the options of "cv" name neither losses, families, lambdas nor prior deviations (and for
 * NULL), of one candidate: what gbs_fit deploys by default. Else of every combination of them, each
 * one posterior under the zero prior, all on the same folds. A candidate's
 * lambda is meant for all rows and is scaled with the rows of a fold. Folds run on the context's
 * threads. */
GBS_API gbs_status gbs_cross_validate(gbs_context *ctx, const gbs_data *data,
                                      const gbs_options *options, gbs_cv **out);
/* Candidate k, NULL beyond the last; valid as long as the handle. */
GBS_API const gbs_cv_result *gbs_cv_at(const gbs_cv *cv, size_t k);
/* The one with the smallest error. */
GBS_API size_t gbs_cv_best(const gbs_cv *cv);
/* Takes the handle back; NULL is ignored. */
GBS_API void gbs_cv_free(gbs_cv *cv);

/* Names as the command line and the files write them; NULL for a value out of range. */
GBS_API const char *gbs_columns_name(gbs_columns columns);
GBS_API const char *gbs_features_name(gbs_features features);
GBS_API const char *gbs_loss_name(gbs_loss loss);
GBS_API const char *gbs_prior_name(gbs_prior_kind prior);
GBS_API const char *gbs_family_name(gbs_family family);
GBS_API const char *gbs_scale_name(gbs_scale scale);
GBS_API const char *gbs_solver_name(gbs_solver solver);

#ifdef __cplusplus
}
#endif

#endif
