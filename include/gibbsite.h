/* Gibbsite: variational approximations of Gibbs posteriors.
 *
 * The one public header. A program makes a context, wraps its rows in a data handle, fits a model, and asks the model for
 * predictions:
 *
 *     gbs_context *ctx; gbs_data *data; gbs_model *model;
 *     gbs_context_create(NULL, &ctx);
 *     gbs_data_dense(ctx, n, d, x, d, y, GBS_COPY, &data);
 *     gbs_fit_options options = gbs_fit_options_default();
 *     options.loss = GBS_LOSS_HINGE;
 *     if (gbs_fit(ctx, data, &options, &model) != GBS_OK) puts(gbs_error_message(ctx));
 *
 * Conventions
 *  - Every call that can fail returns a gbs_status. On failure the output handle is NULL, nothing leaks, and
 *    gbs_error_message(ctx) says what happened.
 *  - Arguments are checked: a NULL where something is needed, a value that an enumeration does not
 *    have and a number out of range are answered with GBS_ERR_ARGUMENT and a message that names the
 *    argument. Functions without a status answer with 0, NULL, NaN or zeros. `options` may always
 *    be NULL: the defaults. So may a `count`, by those who do not want to know it.
 *  - What the library cannot see is the caller's duty: a pointer to memory that is gone, an array
 *    shorter than told, a handle freed twice, a handle that one thread changes or frees while
 *    another uses it.
 *  - A fit that stops early is not an error of the call: the model is there, and gbs_model_info().converged is 0.
 *  - The library never prints, exits, touches signals or calls rand(). It keeps no state outside the handles, but for one thing:
 *    while a call computes, OpenBLAS (if that is the BLAS) is held at one thread, and put back when the last such call ends;
 *    the library runs its own threads over fixed strips of rows.
 *  - A context serves one thread at a time; different contexts may work at once, on the same
 *    handles too. Results do not depend on the thread count.
 *  - Handles (data, ratings, models, particles, completions) and texts keep the memory of their
 *    context: they and the context may be freed in any order, on any thread, even while the context
 *    is at work. A freed context takes no more calls, and calls none of its callbacks.
 *  - Threads live no longer than the call that started them. A process may fork between calls,
 *    and the child go on with the parent's handles. Where the system starts fewer threads than
 *    asked for, or has no address space for their buffers in OpenBLAS, a call computes with those
 *    that it has, and says so in the log; with no room for the first buffer (128 MB) it fails
 *    with GBS_ERR_MEMORY.
 *  - Signals stay the caller's: writing beyond a limit on the size of files (ulimit -f) raises
 *    SIGXFSZ, writing to a pipe without a reader SIGPIPE. Both end a process that does not ignore
 *    them; one that does gets GBS_ERR_IO, and no temporary file is left behind.
 */
#ifndef GIBBSITE_H
#define GIBBSITE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; gbs_version() is that of the library that was linked. */
#define GBS_VERSION "0.1.0"

#if defined(__GNUC__)
#define GBS_API __attribute__((visibility("default")))
#else
#define GBS_API
#endif

/* ---------------------------------------------------------------- status */

/* How a call ended. */
typedef enum gbs_status {
    GBS_OK = 0,
    GBS_ERR_ARGUMENT,  /* an option or argument is out of range */
    GBS_ERR_DATA,      /* the rows or labels cannot be used */
    GBS_ERR_MEMORY,    /* an allocation failed */
    GBS_ERR_CANCELLED, /* the cancel callback said so */
    GBS_ERR_NUMERIC,   /* the computation broke down (overflow, singular matrix) */
    GBS_ERR_FORMAT,    /* a model text is damaged or from a newer major version */
    GBS_ERR_IO         /* the file system refused */
} gbs_status;

/* One general sentence for a status; never NULL. */
GBS_API const char *gbs_status_message(gbs_status status);

/* The version of the library that was linked, "0.1.0". */
GBS_API const char *gbs_version(void);

/* ---------------------------------------------------------------- context */

/* What every call shares: memory, messages, threads, the seed. */
typedef struct gbs_context gbs_context;

/* Both or none. `user` is handed back; what it points at must last until the context and the last
 * of its handles and texts are freed. Calls come from several threads at once when the context has
 * more than one, and from the thread that frees a handle. What the libraries underneath take for
 * themselves (liblbfgs, jansson, OpenBLAS) is outside these hooks. */
typedef struct gbs_allocator {
    void *(*allocate)(size_t bytes, void *user);
    void (*release)(void *memory, void *user);
    void *user;
} gbs_allocator;

/* How much a message matters. */
typedef enum gbs_log_level { GBS_LOG_DEBUG = 0, GBS_LOG_INFO, GBS_LOG_WARNING } gbs_log_level;

/* Called on the thread that called the library, never from its workers. */
typedef void (*gbs_log_callback)(gbs_log_level level, const char *message, void *user);
/* `done` runs from 0 to 1 within one `stage`. */
typedef void (*gbs_progress_callback)(const char *stage, double done, void *user);
/* Non-zero: stop as soon as possible with GBS_ERR_CANCELLED. */
typedef int (*gbs_cancel_callback)(void *user);

/* All may be left as gbs_context_options_default gives them. */
typedef struct gbs_context_options {
    gbs_allocator allocator; /* all zero: malloc, free */
    gbs_log_callback log;
    gbs_progress_callback progress;
    gbs_cancel_callback cancel;
    void *user; /* for the three callbacks */
    /* At most so many; more than 128 are never started. 0: OMP_NUM_THREADS where it is set, else
     * the CPUs that the process may use by its affinity mask and by the CPU quota of its cgroup
     * (rounded up), and no more than OMP_THREAD_LIMIT. */
    int threads;
    uint64_t seed; /* of every random number; default 1 */
} gbs_context_options;

/* malloc and free, no callbacks, threads = 0, seed 1. */
GBS_API gbs_context_options gbs_context_options_default(void);
/* options may be NULL: the defaults. */
GBS_API gbs_status gbs_context_create(const gbs_context_options *options, gbs_context **out);
/* Frees the context, before or after what was made with it: its memory goes with the last of them.
 * Its callbacks are not called any more. NULL is ignored. */
GBS_API void gbs_context_free(gbs_context *ctx);
/* The message of the last call that failed on this context; "" when none failed. Valid until the
 * next call on the context. */
GBS_API const char *gbs_error_message(const gbs_context *ctx);
/* Frees a text that the library returned (gbs_model_to_json); NULL is ignored. The text knows where
 * it came from: ctx may be NULL, another context, or freed. */
GBS_API void gbs_release(gbs_context *ctx, void *memory);

/* ---------------------------------------------------------------- random numbers */

/* Counter-based: the value depends on (seed of the context, stream, index) alone. NaN without a
 * context. */
GBS_API double gbs_random_uniform(const gbs_context *ctx, uint64_t stream, uint64_t index); /* in (0, 1) */
GBS_API double gbs_random_normal(const gbs_context *ctx, uint64_t stream, uint64_t index);

/* ---------------------------------------------------------------- data */

/* Rows of features, with their labels or without. */
typedef struct gbs_data gbs_data;

/* GBS_BORROW: the arrays stay the caller's, who keeps them alive and unchanged as long as the handle lives. */
typedef enum gbs_ownership { GBS_COPY = 0, GBS_BORROW = 1 } gbs_ownership;

/* n rows of d features, row-major, row i at x + i * row_stride. y holds -1 or +1 per row, or is NULL (prediction only).
 * Every x must be finite. No intercept column: see gbs_fit_options.intercept. */
GBS_API gbs_status gbs_data_dense(gbs_context *ctx, size_t n, size_t d, const double *x, size_t row_stride, const double *y,
                                  gbs_ownership ownership, gbs_data **out);

/* Compressed sparse rows: row i is (column[k], value[k]), k = row_start[i] .. row_start[i+1] - 1, columns from 0, strictly
 * increasing within a row. */
GBS_API gbs_status gbs_data_csr(gbs_context *ctx, size_t n, size_t d, const size_t *row_start, const uint32_t *column,
                                const double *value, const double *y, gbs_ownership ownership, gbs_data **out);

/* The shape of the rows as they were handed in, without an intercept. */
GBS_API size_t gbs_data_rows(const gbs_data *data);
GBS_API size_t gbs_data_columns(const gbs_data *data);
/* Frees the handle; NULL is ignored. Borrowed arrays stay the caller's. */
GBS_API void gbs_data_free(gbs_data *data);

/* ---------------------------------------------------------------- fit */

/* A fitted posterior, or the stages of a progressive one, with its certificates. */
typedef struct gbs_model gbs_model;

/* What is learned. */
typedef enum gbs_task_kind {
    GBS_TASK_CLASSIFY = 0, /* the sign of x'theta is the label: losses of the margin y x'theta */
    GBS_TASK_RANK /* rows of +1 before rows of -1: losses of the margin (x_i - x_j)'theta over all pairs; the risk is 1 - AUC. There is no
                              intercept, and GBS_LOSS_EXPONENTIAL, GBS_FORM_DUAL and GBS_BOUND_PROGRESSIVE are not offered */
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
typedef enum gbs_solver { GBS_SOLVER_AUTO = 0, GBS_SOLVER_LBFGS, GBS_SOLVER_NATURAL, GBS_SOLVER_SGD } gbs_solver;

/* How the columns are scaled, before anything else. */
typedef enum gbs_scale {
    GBS_SCALE_NONE = 0,
    GBS_SCALE_STANDARD, /* each column minus its mean, over its standard deviation (divisor n) */
    GBS_SCALE_UNIT_ROW  /* each row, intercept included, over its Euclidean norm */
} gbs_scale;

/* Full family: work in the d coordinates, or in the row space of the data (never a d x d matrix). AUTO: dual when d > n. */
typedef enum gbs_form { GBS_FORM_AUTO = 0, GBS_FORM_PRIMAL, GBS_FORM_DUAL } gbs_form;

/* Step sizes of the stochastic solver. */
typedef enum gbs_schedule {
    GBS_SCHEDULE_MODERN = 0, /* Adam, steps falling to zero, the last quarter of the iterates averaged */
    GBS_SCHEDULE_PAPER       /* x <- x - (t + 1)^-0.9 gradient */
} gbs_schedule;

/* The prior N(m0, prior_sd^2 I). */
typedef enum gbs_prior_kind {
    GBS_PRIOR_ZERO = 0, /* m0 = 0, the paper's */
    GBS_PRIOR_INFORMED  /* m0, scaling constants and all that is chosen come from a first part of the rows, split off at random;
                           the certificate from the others */
} gbs_prior_kind;

/* How a certificate is computed (docs/maths.md, 6.1 and 6.8). */
typedef enum gbs_bound {
    GBS_BOUND_AUTO = 0,    /* informed prior: progressive, in ranking catoni; zero prior: kl */
    GBS_BOUND_KL,          /* Seeger, Maurer: holds for every posterior at once */
    GBS_BOUND_CATONI,      /* for one lambda, fixed in advance or from the first part */
    GBS_BOUND_HOEFFDING,   /* the same, with the sharp constant */
    GBS_BOUND_PAPER,       /* the same, as the paper prints it */
    GBS_BOUND_PROGRESSIVE, /* several stages, each tested on fresh rows before it learns from them; the model is their mixture */
    GBS_BOUND_BINOMIAL     /* exact, of a single classifier on fresh rows; computed beside the others, not to be asked for */
} gbs_bound;

/* Which point of the grids becomes the model. */
typedef enum gbs_select {
    GBS_SELECT_LAST = 0, /* the last lambda of the ladder, the first prior_sd */
    GBS_SELECT_BOUND     /* the smallest certificate, the price of the choice paid */
} gbs_select;

/* What was chosen after a look at the training rows. The library cannot know; an honest caller says so, and certificates that needed it fixed in
 * advance are then marked conditional. */
enum gbs_looked {
    GBS_LOOKED_LAMBDA = 1,  /* lambda was chosen on these rows */
    GBS_LOOKED_PRIOR = 2,   /* prior_sd was chosen on these rows */
    GBS_LOOKED_COLUMNS = 4, /* what the columns are was learned from these rows (levels of text columns, number of features) */
    GBS_LOOKED_CX = 8,      /* cx is a maximum seen in the rows */
    GBS_LOOKED_METHOD = 16  /* the method of the bound was chosen among several after a look */
};

/* How wide the prior is for each column. */
typedef enum gbs_columns {
    GBS_COLUMNS_AUTO = 0, /* relevance under an informed prior of a classifier on standardised columns, else equal */
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
    double constant; /* that value: how much wider the prior of the intercept is; 0: 1. Always 1 where
                             rows have a promised length (unit-row, cx) */
    gbs_columns columns;
    gbs_prior_kind prior; /* default: informed */
    double
        lambda; /* inverse temperature of each posterior; 0: chosen; under the zero prior the number of rows, in ranking of the smaller class */
    double prior_sd;    /* standard deviation of the prior in every coordinate; 0: chosen, 1 under the zero prior */
    double prior_split; /* informed, progressive: share of the rows in the first part; 0: chosen */
    size_t blocks;      /* progressive: number of stages; 0: chosen */
    int stratify;       /* non-zero: the split keeps the shares of the classes; certificates are then conditional */
    double cx; /* > 0: rows longer than this are shortened to it, in training and prediction alike; the hinge risk then has a
                              certificate too (unit rows have it with cx = 1) */
    const double *prior_grid; /* values of prior_sd to choose from, declared in advance; NULL: prior_sd alone */
    size_t prior_grid_size;
    gbs_select select;     /* what to choose among the ladder and the prior grid */
    double tolerance;      /* stop when the optimality gap (or what stands for it) is below tolerance * max(1, |F|) */
    size_t max_iterations; /* per rung of the ladder, at least 1 */
    const double *ladder;  /* increasing lambdas to anneal through, declared in advance; NULL: chosen */
    size_t ladder_size;
    size_t restarts;       /* > 0: no annealing; the best of this many starts drawn from the prior */
    size_t batch;          /* sgd: rows per step; 0: 256 */
    size_t epochs;         /* sgd: passes over the rows; 0: 20, or 4000 steps if that is more. Rankings: at most */
    gbs_schedule schedule; /* sgd */
    size_t
        sampled_pairs; /* ranking: the certificate's risk comes from this many pairs drawn at random, and a tenth of the error
                             probability pays for that; 0: from all pairs */
    int trace; /* sgd in ranking: the path begins with the steps (a thousand of them at most, or as many as make 3e9 pairs), each
                  with its exact risk and bound */
    gbs_bound bound;   /* of the certificate that comes first */
    double confidence; /* of every certificate */
    unsigned looked;   /* bits of gbs_looked, no others */
} gbs_fit_options;

/* Zero-one loss, informed prior, progressive certificate: a good model and a valid, tight bound on its risk. */
GBS_API gbs_fit_options gbs_fit_options_default(void);

/* The order in which gbs_fit goes through n rows under an informed prior or a progressive bound, for callers who learn something from the first
 * part themselves (such as the levels of a text column), and the least number of rows in that part: what is learned from the first
 * *first_part rows of this order may be used for all. The order depends on the seed and n alone,
 * first_part on n and the options. options may be NULL: the defaults. */
GBS_API gbs_status gbs_fit_order(gbs_context *ctx, size_t n, const gbs_fit_options *options, size_t *order, size_t *first_part);

/* data must carry labels of both classes. */
GBS_API gbs_status gbs_fit(gbs_context *ctx, const gbs_data *data, const gbs_fit_options *options, gbs_model **out);

/* ---------------------------------------------------------------- cross-validation */

/* Means over all held-out rows of one candidate; se is the standard error over the folds. */
typedef struct gbs_cv_result {
    double error, error_se; /* of the vote; in ranking 1 - AUC of the score, over the pairs inside a fold */
    double gibbs_error;     /* of one draw from the posterior */
    double gibbs_risk;      /* in the candidate's own loss */
    gbs_family family;      /* the one fitted, where AUTO was asked for */
    size_t not_converged;   /* folds whose solver did not converge */
} gbs_cv_result;

/* k-fold cross-validation of `count` candidates on the same folds: stratified by label, drawn by
 * the context's seed. A candidate's lambda is meant for all rows and is scaled with the rows of a
 * fold (0: their number). results has room for count. Folds run on the context's threads. */
GBS_API gbs_status gbs_cross_validate(gbs_context *ctx, const gbs_data *data, size_t folds, const gbs_fit_options *candidates,
                                      size_t count, gbs_cv_result *results);

/* Names as the command line and the files write them; NULL for a value out of range. */
GBS_API const char *gbs_task_name(gbs_task_kind task);
GBS_API const char *gbs_columns_name(gbs_columns columns);
GBS_API const char *gbs_loss_name(gbs_loss loss);
GBS_API const char *gbs_prior_name(gbs_prior_kind prior);
GBS_API const char *gbs_family_name(gbs_family family);
GBS_API const char *gbs_scale_name(gbs_scale scale);
GBS_API const char *gbs_solver_name(gbs_solver solver);

/* ---------------------------------------------------------------- model */

/* How a model was fitted, and how well. */
typedef struct gbs_model_info {
    gbs_task_kind task;
    gbs_loss loss;
    gbs_family family;
    gbs_solver solver; /* the one that ran */
    gbs_scale scale;
    int intercept;
    gbs_columns columns; /* the kind chosen */
    int dual;            /* full family kept in its row-space form */
    size_t n;            /* rows trained on */
    size_t features;     /* columns of the data */
    size_t d;            /* dimension of theta: features, plus one for an intercept */
    gbs_prior_kind prior;
    /* lambda to optimality_gap: of the posterior, on the rows it was trained on; of a progressive model's last stage */
    double lambda, prior_sd;
    double free_energy; /* lambda * gibbs_risk + kl */
    double kl;
    double gibbs_risk;  /* mean over the training rows of E loss, the loss of the fit */
    double gibbs_error; /* mean over all rows of E zero-one loss, of the model as it predicts */
    double
        train_error; /* the same of its majority vote. In ranking all three are means over pairs, this one 1 - AUC of the score x'm */
    double optimality_gap; /* proven: F - min F <= gap; NaN for zero-one, which has no proof */
    size_t iterations;
    int converged;
    double seconds;
    double pair_evaluations; /* ranking: losses of a pair and their slopes computed by the fit, prior and all */
} gbs_model_info;

/* ---------------------------------------------------------------- certificates */

/* Whose risk a certificate bounds. */
typedef enum gbs_target {
    GBS_TARGET_GIBBS = 0,  /* the risk of one classifier drawn from the posterior for each prediction */
    GBS_TARGET_VOTE,       /* the error of the majority vote */
    GBS_TARGET_PRIOR_VOTE, /* the error of sign(x'm0), m0 the prior centre: a plain hold-out */
    GBS_TARGET_MIXTURE     /* the risk of one classifier drawn from a stage that is drawn by its weight */
} gbs_target;

/* Which risk a certificate is about. */
typedef enum gbs_risk {
    GBS_RISK_ERROR = 0, /* of a row: the label is wrong */
    GBS_RISK_AUC, /* of a positive and a negative row: they are in the wrong order, a tie one half. 1 - AUC, given the labels */
    GBS_RISK_PAIRS /* of any two rows, as the paper has it: their labels differ and they are in the wrong order */
} gbs_risk;

/* With probability at least `confidence` over the rows, the true risk of `target` under `loss` is
 * at most `value`: a computed upper bound on a number that cannot be observed. */
typedef struct gbs_certificate {
    gbs_target target;
    gbs_loss loss;
    gbs_bound method;
    double value, confidence;
    size_t blocks;        /* independent units behind it: rows, in ranking pairs */
    double empirical;     /* the risk on those rows (for a vote: of the posterior) */
    double kl;            /* KL(posterior || prior) */
    double lambda;        /* of the bound; NaN when it has none */
    double grid_nats;     /* price of choosing among several in advance */
    double xi_nats;       /* price of holding for every posterior at once */
    unsigned assumptions; /* bit k: gbs_assumption_text(k) */
    int valid;            /* 0: conditional, one of the assumptions is known not to hold */
    gbs_risk risk;        /* of ranking, `blocks` are independent pairs: the rows of the smaller class, or half of all rows */
    size_t sampled;       /* pairs that `empirical` is the mean over, drawn at random; 0: over all of them */
    double
        sampled_delta; /* share of 1 - confidence that pays for the drawing: with so much probability the risk over all pairs */
    double empirical_upper; /* is above this, which the bound takes for it; NaN: it takes `empirical` */
} gbs_certificate;

/* Assumption k in words, NULL beyond the last; *breaks says whether it makes a certificate conditional. */
GBS_API const char *gbs_assumption_text(unsigned k, int *breaks);
/* Names as the files write them; NULL for a value out of range. */
GBS_API const char *gbs_target_name(gbs_target target);
GBS_API const char *gbs_risk_name(gbs_risk risk); /* "error", "1-auc", "pairs"; NULL out of range */
GBS_API const char *gbs_bound_name(gbs_bound bound);

/* Every certificate that was computed, the one asked for first. Valid as long as the model. */
GBS_API const gbs_certificate *gbs_model_certificates(const gbs_model *model, size_t *count);

/* One fitted rung of the ladder, or one restart. */
typedef struct gbs_path_point {
    double lambda, prior_sd, free_energy, gibbs_risk, kl, optimality_gap;
    double
        bound; /* what the certificate asked for would be on this rung, the price of choosing among them paid; NaN: not computed */
    size_t iterations;
    int converged;
} gbs_path_point;

/* One posterior of a progressive model; a plain model is one stage of weight 1. */
typedef struct gbs_stage_info {
    double weight;         /* probability of being drawn */
    size_t rows;           /* trained on */
    size_t tested, errors; /* fresh rows it met, and how often one draw from it erred there */
    double prior_sd;
    double lambda; /* NaN or 0: from a file of an older version, which does not say */
} gbs_stage_info;

/* How many stages there are, and one of them; zeros beyond the last. */
GBS_API size_t gbs_model_stages(const gbs_model *model);
GBS_API gbs_stage_info gbs_model_stage(const gbs_model *model, size_t t);

/* How the model was fitted; and its ladder, one point per rung, valid as long as the model. */
GBS_API void gbs_model_get_info(const gbs_model *model, gbs_model_info *out);
GBS_API size_t gbs_model_path_size(const gbs_model *model);
GBS_API const gbs_path_point *gbs_model_path(const gbs_model *model);
/* Free energies of the restarts in the order they were drawn; NULL and 0 when there were none. */
GBS_API const double *gbs_model_restarts(const gbs_model *model, size_t *count);

/* One iteration of a minimisation: the free energy there. */
typedef struct gbs_trace_point {
    size_t solve;     /* counts the minimisations, from 1: rungs, stages, values of a prior grid, restarts */
    size_t iteration; /* within it, from 0 */
    double lambda;    /* NaN in a completion whose noise is learned */
    double free_energy;
    size_t components; /* completions: those left */
} gbs_trace_point;

/* How the fit went, some hundred points at most (of long ones every second, fourth, ... iteration): iterations over all rows in the model's own
 * family. Empty for the stochastic solver, which never sees the exact free energy on its way, and for a model from a file. */
GBS_API const gbs_trace_point *gbs_model_trace(const gbs_model *model, size_t *count);

/* Mean and standard deviation of theta_k, k < d, over the stages too: per standard deviation of a standardised column, per unit of another; an
 * intercept, as of a column of ones, is the last. */
GBS_API gbs_status gbs_model_coefficients(gbs_context *ctx, const gbs_model *model, double *mean, double *sd);

/* The column of the data that coefficient k < d belongs to: k itself, unless columns that no row to
 * learn from sets were left out. The number of columns for an intercept, SIZE_MAX beyond d. */
GBS_API size_t gbs_model_column(const gbs_model *model, size_t k);

/* For each row: the score x'm, the standard deviation of x'theta, and the probability Phi(score/sd) of the vote for +1 (the label is +1 when it is
 * at least one half). A mixture of stages has no m: its score is the normal quantile of its probability, and sd is 1. A model that ranks gives the
 * probability that the row outranks a random negative row: the share of the training rows of -1 whose score lies below. Any of the three
 * may be NULL. */
GBS_API gbs_status gbs_model_predict(gbs_context *ctx, const gbs_model *model, const gbs_data *data, double *score,
                                     double *score_sd, double *probability);

/* Rows whose probability lies in one tenth of [0, 1]: how often the label was +1 against how often it was said to be. */
typedef struct gbs_reliability {
    size_t count;
    double mean_probability, share_positive; /* NaN when count is 0 */
} gbs_reliability;

/* How a model does on labelled rows. */
typedef struct gbs_evaluation {
    size_t n;
    size_t errors;      /* rows that the vote gets wrong; a tie is one */
    double error;       /* their share, but a tie counts one half */
    double gibbs_risk;  /* mean E loss, the loss of the fit */
    double gibbs_error; /* mean E zero-one loss */
    double auc;         /* of the score, ties one half; NaN when a class is missing */
    double brier;       /* mean squared distance of the probability from the label */
    double log_loss;    /* mean -log probability of the label, in nats; infinite when a label had probability 0 */
    gbs_reliability reliability[10];
    size_t true_positive, false_positive, true_negative, false_negative;
    double auc_se; /* standard error of the AUC (DeLong); NaN with fewer than two rows of a class */
    /* Of a model that ranks: gibbs_risk and gibbs_error are means over pairs, what is about labels is NaN or 0, and */
    gbs_task_kind task;
    size_t blocks; /* independent units: pairs, as many as rows of the smaller class */
} gbs_evaluation;

/* data must carry labels. */
GBS_API gbs_status gbs_model_evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data, gbs_evaluation *out);

/* A second text kept inside the model file, for the program's own use (the command line keeps its recipe of columns there).
 * json is one JSON value; NULL takes it away. */
GBS_API gbs_status gbs_model_set_recipe(gbs_context *ctx, gbs_model *model, const char *json);
GBS_API const char *gbs_model_recipe(const gbs_model *model); /* NULL when there is none */

/* The model as versioned JSON, zero-terminated; hand it back with gbs_release. size may be NULL. */
GBS_API gbs_status gbs_model_to_json(gbs_context *ctx, const gbs_model *model, char **text, size_t *size);
/* Reads it back; GBS_ERR_FORMAT where the text is no model. */
GBS_API gbs_status gbs_model_from_json(gbs_context *ctx, const char *text, size_t size, gbs_model **out);
/* The same to and from a file, written whole or not at all. */
GBS_API gbs_status gbs_model_save(gbs_context *ctx, const gbs_model *model, const char *path);
GBS_API gbs_status gbs_model_load(gbs_context *ctx, const char *path, gbs_model **out);
/* Frees the handle; NULL is ignored. */
GBS_API void gbs_model_free(gbs_model *model);

/* Writes a file whole or not at all: temporary file beside it, fsync, rename. A link stays, and
 * what it leads to is made or replaced; a file that is replaced keeps its rights, owner and group,
 * as far as the caller may give them. Pipes and devices are written straight. Refused (GBS_ERR_IO):
 * what another user has put into a folder where anyone may make files. GBS_ERR_CANCELLED while a
 * pipe keeps it waiting, or between pieces of a large file. */
GBS_API gbs_status gbs_write_file(gbs_context *ctx, const char *path, const void *bytes, size_t size);
/* Where gbs_write_file would write to: path, or what it leads to when it is a link. GBS_ERR_IO,
 * with the reason, where it can be told in advance that nothing could be written; nothing is
 * created. Hand *out back with gbs_release. */
GBS_API gbs_status gbs_output_file(gbs_context *ctx, const char *path, char **out);

/* ---------------------------------------------------------------- matrix completion */

/* Observations of the cells of a matrix, (row, column, value); a cell may be observed more than once. */
typedef struct gbs_ratings gbs_ratings;

/* n ratings of a matrix of rows x columns, numbered from 0. ids (NULL: the numbers from 1) are kept in the model. Everything is copied. */
GBS_API gbs_status gbs_ratings_create(gbs_context *ctx, size_t n, size_t rows, size_t columns, const uint32_t *row,
                                      const uint32_t *column, const double *value, const char *const *row_ids,
                                      const char *const *column_ids, gbs_ratings **out);
/* How many there are. */
GBS_API size_t gbs_ratings_count(const gbs_ratings *ratings);
/* Frees the handle; NULL is ignored. */
GBS_API void gbs_ratings_free(gbs_ratings *ratings);

/* y = mu + a_i + b_j + u_i'v_j + noise, u and v of few dimensions; the posterior of all of them. */
typedef struct gbs_completion gbs_completion;

/* How the posterior of a completion is obtained. */
typedef enum gbs_sampler {
    GBS_SAMPLER_VB = 0, /* mean field: a Gaussian for each row and each column */
    GBS_SAMPLER_GIBBS   /* draws from the posterior itself, started from the mean field */
} gbs_sampler;

/* Options of gbs_complete; start from gbs_complete_options_default(). */
typedef struct gbs_complete_options {
    size_t rank;           /* most components; those that the ratings do not need are dropped */
    int biases;            /* mu, a_i and b_j; 0: u_i'v_j alone, the paper's model */
    double lambda;         /* weight of the mean squared error, n / (2 noise variance); 0: see noise_variance */
    double noise_variance; /* 0: learned */
    int cross_validate;    /* the noise by the held-out error over `folds` folds of the ratings (informed: of the first part) */
    size_t folds;
    const double *lambda_grid; /* to choose from; NULL: learned noise, and 1/4, 1/2, 2 and 4 times it */
    size_t lambda_grid_size;
    size_t
        restarts; /* starts of the ascent, the first from the spectrum of the ratings, others random; the least free energy is kept */
    int has_range; /* values lie in [low, high], declared in advance: predictions are clipped to it, and there is a certificate */
    double low, high; /* of that */
    gbs_prior_kind
        prior; /* default: zero (the hierarchical one); informed: from a first part of the ratings, certified on the others */
    double prior_split; /* informed: share of the ratings in the first part; 0: 0.8 */
    double confidence;  /* of the certificate */
    double tolerance;   /* stop when a sweep lowers the free energy by less than this share of it */
    size_t max_sweeps;  /* at least 1 */
    gbs_sampler sampler;
    size_t draws, burn_in; /* gibbs: sweeps after the burn-in, and in it */
    size_t keep;           /* gibbs: draws kept in the model, at most `draws` */
    /* gibbs: cells to average over all draws, numbered from 0 (GBS_UNSEEN: a row or column without ratings), into cell_value and cell_sd */
    size_t cells;
    const uint32_t *cell_row, *cell_column;
    double *cell_value, *cell_sd;
} gbs_complete_options;

/* Sixteen components, biases, learned noise, no range and so no certificate, mean field. */
GBS_API gbs_complete_options gbs_complete_options_default(void);
/* Fits a completion to the ratings, and certifies it where a range was declared. */
GBS_API gbs_status gbs_complete(gbs_context *ctx, const gbs_ratings *ratings, const gbs_complete_options *options,
                                gbs_completion **out);

/* With probability at least `confidence` over the ratings, the mean squared error of clipped predictions from one draw of the posterior, over
 * (high - low)^2, is at most `value`. */
typedef struct gbs_rating_certificate {
    int present; /* 0: no range was declared, or draws of a sampler: all else is 0 */
    double value;
    double rmse; /* the same in units of the ratings: (high - low) sqrt(value) */
    double confidence;
    size_t n;         /* ratings certified on */
    double empirical; /* by Monte Carlo, one independent draw for each of `draws` terms */
    double empirical_upper;
    size_t draws;
    double draws_delta; /* share of 1 - confidence that the draws take */
    double kl, grid_nats, xi_nats;
    int vacuous; /* value >= 1/4, which predicting the middle of the range never exceeds */
    /* for comparison, in units of the ratings: what the same ratings certify of always predicting
     * the middle of the range, and (informed; else NaN) of the first part's mean prediction,
     * a plain hold-out */
    double middle_rmse, holdout_rmse;
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
    gbs_rating_certificate certificate;
} gbs_completion_info;

/* One candidate of a choice by cross-validation. */
typedef struct gbs_noise_choice {
    double noise_variance, lambda;
    int learned, taken; /* learned: again in each fold; noise_variance is that of all ratings */
    double rmse, rmse_se;
    double effective_rank; /* mean over the folds */
    size_t not_converged;  /* folds */
} gbs_noise_choice;

/* How it was fitted. */
GBS_API void gbs_completion_get_info(const gbs_completion *model, gbs_completion_info *out);
/* The identifiers that the ratings came with, valid as long as the model; NULL unless i < rows,
 * j < columns. */
GBS_API const char *gbs_completion_row_id(const gbs_completion *model, size_t i);
GBS_API const char *gbs_completion_column_id(const gbs_completion *model, size_t j);
/* Columns rated in row i, one entry per rating; NULL and 0 unless i < rows. */
GBS_API const uint32_t *gbs_completion_seen(const gbs_completion *model, size_t i, size_t *count);

/* Component k < effective_rank: `size`, the root mean square over all cells of its part u_ik v_jk of a prediction, and `prior_sd`, the standard
 * deviation that the posterior gives its factors. Largest first; of draws, the mean over them.
 * Nothing is written unless both are there. */
GBS_API void gbs_completion_components(const gbs_completion *model, double *size, double *prior_sd);
/* The free energy after each sweep, some hundred points at most; empty for a model from a file. */
GBS_API const gbs_trace_point *gbs_completion_trace(const gbs_completion *model, size_t *count);
/* Candidates for the noise; free energies of the starts, where there was more than one. NULL and 0: none. */
GBS_API const gbs_noise_choice *gbs_completion_choices(const gbs_completion *model, size_t *count);
GBS_API const double *gbs_completion_restarts(const gbs_completion *model, size_t *count);

/* A row or column without ratings: its prediction is that of the prior. */
#define GBS_UNSEEN UINT32_MAX

/* Posterior mean of each cell (clipped to the range), standard deviation of its noiseless value. A new rating has variance sd^2 + noise_variance. sd may be
 * NULL. */
GBS_API gbs_status gbs_completion_predict(gbs_context *ctx, const gbs_completion *model, size_t n, const uint32_t *row,
                                          const uint32_t *column, double *value, double *sd);

/* How predictions do on known values. */
typedef struct gbs_rating_evaluation {
    size_t n;
    double rmse, mae;
    double coverage;              /* share of the values within 1.96 standard deviations (noise included) */
    size_t new_rows, new_columns; /* ratings of rows, columns without training ratings */
} gbs_rating_evaluation;

/* From predictions and their standard deviations (without noise). NaN and n = 0 when one of the
 * arrays is NULL. */
GBS_API gbs_rating_evaluation gbs_rating_score(size_t n, const uint32_t *row, const uint32_t *column, const double *y,
                                               const double *value, const double *sd, double noise_variance);

/* With probability at least `confidence` the true RMSE of these predictions, clipped, is at most this: for ratings that the model has not seen, independent
 * draws or cells drawn at random. NaN when one lies outside the range, or an argument is wrong. */
GBS_API double gbs_rating_holdout(size_t n, const double *y, const double *value, double low, double high, double confidence);

/* The text of a file and back, as gbs_model_to_json has it. */
GBS_API gbs_status gbs_completion_to_json(gbs_context *ctx, const gbs_completion *model, char **text, size_t *size);
GBS_API gbs_status gbs_completion_from_json(gbs_context *ctx, const char *text, size_t size, gbs_completion **out);
/* Frees the handle; NULL is ignored. */
GBS_API void gbs_completion_free(gbs_completion *model);
/* "vb", "gibbs"; NULL out of range. */
GBS_API const char *gbs_sampler_name(gbs_sampler sampler);

/* ---------------------------------------------------------------- sampling: the Gibbs posterior itself */

/* Particles that stand for the Gibbs posterior, exp(-lambda r_n(theta)) times the prior, and not for an approximation of it. */
typedef struct gbs_particles gbs_particles;

/* How a particle finds its next state. */
typedef enum gbs_move {
    GBS_MOVE_AUTO = 0, /* ring; with `classic` walk */
    GBS_MOVE_WALK,     /* Gaussian random walk, covariance 2.38^2/d times that of the particles */
    GBS_MOVE_RING      /* a draw from a ring of states around a Gaussian (docs/maths.md, 7.4) */
} gbs_move;

/* Options of gbs_sample; start from gbs_sample_options_default(). */
typedef struct gbs_sample_options {
    gbs_task_kind
        task; /* rank: the loss is that of x_i'theta - x_j'theta, mean over all pairs of a positive and a negative row */
    gbs_loss loss;
    gbs_scale scale;
    int intercept; /* rank: there is none */
    double
        lambda; /* inverse temperature to end at; 0 is the prior; negative: the number of rows, in ranking of the smaller class */
    double prior_sd; /* of the prior N(0, prior_sd^2 I) */
    size_t particles;
    double ess; /* the next lambda leaves this share of effective particles */
    const double
        *ladder; /* increasing positive lambdas to go through instead, the last one is the end; NULL: chosen on the way */
    size_t ladder_size;
    int classic; /* the paper's algorithm: every particle makes `moves` moves; otherwise waste-free: few long chains, every state kept */
    size_t moves;  /* classic: of a particle at each lambda, 0: 5. waste-free: at most, between neighbours in a chain, 0: 100 */
    size_t chains; /* waste-free: at most particles / 2; 0: chosen */
    gbs_move move;
    double confidence; /* of the estimated bound */
} gbs_sample_options;

/* Zero-one loss, lambda the number of rows, prior_sd 1, 2000 particles, waste-free. */
GBS_API gbs_sample_options gbs_sample_options_default(void);

/* data must carry labels. Standard errors come from the run itself. With an adaptive ladder Z is nearly unbiased. */
GBS_API gbs_status gbs_sample(gbs_context *ctx, const gbs_data *data, const gbs_sample_options *options, gbs_particles **out);

/* Samples the Gibbs posterior that stage `stage` of a model (0 of a plain one) approximates: its loss, lambda, prior and scaling, on the rows it was
 * trained on. `data` are the rows of the fit, all of them; GBS_ERR_DATA when they are not, or when the model comes from a file of an older version that
 * does not say what its prior was. The options say how to sample; what the model fixes is not read from them, nor is a ladder. */
GBS_API gbs_status gbs_sample_for(gbs_context *ctx, const gbs_data *data, const gbs_model *model, size_t stage,
                                  const gbs_sample_options *options, gbs_particles **out);

/* One inverse temperature of the way; the first is 0, the prior. */
typedef struct gbs_sample_point {
    double lambda;
    double log_z, log_z_sd;           /* log of the integral of exp(-lambda r_n) under the prior, and its standard error */
    double gibbs_risk, gibbs_risk_sd; /* mean of r_n over the particles, moved at this lambda */
    double ess;                       /* effective particles after the weights that led here */
    double acceptance;                /* share of the proposals taken; NaN for the prior */
    double step;                      /* scale of the proposals; NaN for the prior */
} gbs_sample_point;

/* How a sampling went. */
typedef struct gbs_sample_info {
    gbs_task_kind task;
    gbs_loss loss;
    gbs_scale scale;
    gbs_move move;
    int intercept, classic;
    size_t n, features, d; /* rows, columns of the data, length of theta */
    size_t blocks;         /* independent units: the rows; in ranking those of the smaller class */
    size_t particles, chains, moves;
    double lambda, prior_sd, ess;
    double log_z, log_z_sd, gibbs_risk, gibbs_risk_sd; /* at the end of the path */
    int log_z_sd_at_least; /* log_z_sd is a lower bound: chains are too few or too slow for one run to tell, or Z is too uncertain */
    double acceptance;  /* mean over the path */
    double gibbs_error; /* mean zero-one loss of the particles on the training rows; in ranking over pairs of them */
    double train_error; /* of the average vote of the particles; in ranking 1 - AUC of their mean score */
    double kl;          /* estimate of KL(Gibbs || prior) = -log Z - lambda gibbs_risk */
    double confidence,
        bound; /* the kl bound at these estimates: itself an estimate, no certificate; NaN: the prior was learned from the same rows */
    double seconds, seconds_move, seconds_approximate; /* all; moves; approximations */
    gbs_prior_kind prior; /* informed: its mean is that of the model that was sampled for (gbs_sample_for) */
    size_t n_data;        /* rows of the data, of which n make the risk */
} gbs_sample_info;

/* How it went; and the temperatures it went through, valid as long as the particles. */
GBS_API void gbs_particles_get_info(const gbs_particles *particles, gbs_sample_info *out);
GBS_API const gbs_sample_point *gbs_particles_path(const gbs_particles *particles, size_t *count);
/* The thetas, one after the other (info.particles x info.d), all of the same weight, in the scaled coordinates (an intercept is the last). */
GBS_API const double *gbs_particles_draws(const gbs_particles *particles);
/* Their mean (d) and covariance (d x d); either may be NULL. */
GBS_API void gbs_particles_moments(const gbs_particles *particles, double *mean, double *covariance);

/* As gbs_model_column, of theta_k. */
GBS_API size_t gbs_particles_column(const gbs_particles *particles, size_t k);

/* For each row: mean score, standard deviation of the score, share of the particles that vote +1 (a score of 0 is half a vote). In ranking the
 * probability is that of outranking a random negative row: the share of the training rows of -1 whose mean score lies below. Any may be NULL. */
GBS_API gbs_status gbs_particles_predict(gbs_context *ctx, const gbs_particles *particles, const gbs_data *data, double *score,
                                         double *score_sd, double *probability);
/* As gbs_model_evaluate, with the average vote of the particles for the vote, and their mean score for the score. */
GBS_API gbs_status gbs_particles_evaluate(gbs_context *ctx, const gbs_particles *particles, const gbs_data *data,
                                          gbs_evaluation *out);

/* How far a fitted model is from the Gibbs posterior: KL(model || Gibbs) = free energy + log Z, an estimate that may come out slightly negative. */
typedef struct gbs_gap {
    double free_energy, gap, gap_sd;
    double gap_over_lambda; /* in units of the bounds; NaN when lambda is 0 */
    int gap_sd_at_least;    /* gap_sd, which is log Z's, is a lower bound */
    double gibbs_risk;      /* mean loss of the model (of the stage in question) on the rows of the risk */
} gbs_gap;

/* data: the rows that both come from, all of them. Of a mixture the stage is meant that was trained on as many rows as the particles were drawn for.
 * GBS_ERR_DATA when the model was fitted to other rows, or with another loss, prior or lambda. */
GBS_API gbs_status gbs_measure_gap(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                                   const gbs_particles *particles, gbs_gap *out);

/* A second text kept inside the file, as gbs_model_set_recipe has it. */
GBS_API gbs_status gbs_particles_set_recipe(gbs_context *ctx, gbs_particles *particles, const char *json);
GBS_API const char *gbs_particles_recipe(const gbs_particles *particles);
/* The text of a file and back, as gbs_model_to_json has it. */
GBS_API gbs_status gbs_particles_to_json(gbs_context *ctx, const gbs_particles *particles, char **text, size_t *size);
GBS_API gbs_status gbs_particles_from_json(gbs_context *ctx, const char *text, size_t size, gbs_particles **out);
/* Frees the handle; NULL is ignored. */
GBS_API void gbs_particles_free(gbs_particles *particles);
/* A file that holds either: the other handle is NULL. */
GBS_API gbs_status gbs_load(gbs_context *ctx, const char *path, gbs_model **model, gbs_particles **particles);

/* Whatever a file holds: one of the three is set. */
typedef struct gbs_loaded {
    gbs_model *model;
    gbs_particles *particles;
    gbs_completion *completion;
} gbs_loaded;

/* Opens a file that the program or the library wrote. */
GBS_API gbs_status gbs_load_any(gbs_context *ctx, const char *path, gbs_loaded *out);
/* "auto", "walk", "ring"; NULL out of range. */
GBS_API const char *gbs_move_name(gbs_move move);

/* ---------------------------------------------------------------- low-level functions */

/* The exact binomial (Clopper-Pearson) upper bound on the true error of a classifier that made `errors` mistakes on n rows it was not
 * trained on, rounded up. NaN unless 0 < confidence < 1; n = 0 gives 1. */
GBS_API double gbs_binomial_upper(size_t errors, size_t n, double confidence);

/* An upper bound on the true 1 - AUC, given the labels, of a score that has 1 - AUC = risk on rows
 * it was not trained on; `blocks` is the number of rows of the smaller class: Chernoff's bound for
 * the independent pairs. NaN for arguments out of range; blocks = 0 gives 1. */
GBS_API double gbs_auc_risk_upper(double risk, size_t blocks, double confidence);

/* psi(mu, s) = E loss(z), z ~ N(mu, s^2), and its partials in mu and s. NaN unless s >= 0. Any of
 * the three may be NULL. */
GBS_API void gbs_loss_smoothed(gbs_loss loss, double mu, double s, double *psi, double *d_mu, double *d_s);

/* ---------------------------------------------------------------- theory: what is promised before any data is seen */

/* 0 in lambda and prior_sd: the recommended value of each bound. */
typedef struct gbs_theory_query {
    uint64_t n;        /* rows, at least 2 */
    size_t d;          /* coefficients */
    double c;          /* P(<X,a><X,b> < 0) <= c |a - b| for unit a, b */
    double margin;     /* C >= 1 of the margin assumption */
    double confidence; /* between 0 and 1 */
    double lambda, prior_sd;
    double cx;               /* |x| <= cx (hinge) */
    double norm;             /* of the best coefficients (hinge; 1 elsewhere) */
    double wanted_error;     /* of the optimiser; 0: not asked */
    size_t rows, cols, rank; /* matrix completion; 0: not asked */
} gbs_theory_query;

/* On a number that the paper prints, against the value that the theorem gives. */
typedef enum gbs_verdict {
    GBS_VERDICT_NONE = 0,
    GBS_VERDICT_VALID,    /* at or above the value, by at most a tenth */
    GBS_VERDICT_LOOSE,    /* above it by more */
    GBS_VERDICT_NOT_VALID /* below it: not what the theorem gives, read as the paper reads it */
} gbs_verdict;

/* One value of the theory: what it is, and where it comes from. */
typedef struct gbs_theory_row {
    const char *group, *name, *source;
    double value, paper_value; /* NaN: there is none */
    gbs_verdict verdict;
} gbs_theory_row;

/* Room in gbs_theory. */
#define GBS_THEORY_ROWS 40

/* The rows that gbs_theory_compute found, `count` of them. */
typedef struct gbs_theory {
    size_t count;
    gbs_theory_row rows[GBS_THEORY_ROWS];
} gbs_theory;

/* n = 1000, d = 10, every constant 1, confidence 0.95, the recommended lambda and prior_sd. */
GBS_API gbs_theory_query gbs_theory_query_default(void);
/* Oracle inequalities and recommended constants. Excess risks are over the best classifier of the class. */
GBS_API gbs_status gbs_theory_compute(gbs_context *ctx, const gbs_theory_query *query, gbs_theory *out);
/* "none", "valid", "loose", "not valid"; NULL out of range. */
GBS_API const char *gbs_verdict_name(gbs_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
