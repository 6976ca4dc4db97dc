/* A fitted model: how it was fitted, its certificates, predictions, files. */
#ifndef GIBBSITE_MODEL_H
#define GIBBSITE_MODEL_H

#include "gibbsite/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    /* lambda to optimality_gap: of the posterior, on the rows it was trained on; of a progressive
     * model's last stage */
    double lambda, prior_sd;
    double free_energy; /* lambda * gibbs_risk + kl */
    double kl;
    double gibbs_risk;  /* mean over the training rows of E loss, the loss of the fit */
    double gibbs_error; /* mean over all rows of E zero-one loss, of the model as it predicts */
    /* the same of its majority vote. In ranking all three are means over pairs, this one 1 - AUC of
     * the score x'm */
    double train_error;
    double optimality_gap; /* proven: F - min F <= gap; NaN for zero-one, which has no proof */
    size_t iterations;
    int converged;
    double seconds;
    /* ranking: losses of a pair and their slopes computed by the fit, prior and all */
    double pair_evaluations;
    int weighted;     /* the rows that trained it had weights; gibbs_risk is a weighted mean */
    gbs_features map; /* what made its d columns of those of the data */
    /* exact copies of other rows among continuous columns, which are not independent; not kept in
     * files */
    size_t copies;
    double map_axes; /* the share of a map's features that are of one column each */
} gbs_model_info;

/* ---------------------------------------------------------------- certificates */

/* Whose risk a certificate bounds. */
typedef enum gbs_target {
    GBS_TARGET_GIBBS = 0, /* the risk of one classifier drawn from the posterior for each prediction
                           */
    /* the error of the label that the model prints: under a calibrated model of its probability
     * against the threshold, else of the majority vote */
    GBS_TARGET_VOTE,
    GBS_TARGET_PRIOR_VOTE, /* the error of sign(x'm0), m0 the prior centre: a plain hold-out */
    GBS_TARGET_MIXTURE, /* the risk of one classifier drawn from a stage that is drawn by its weight
                         */
    /* of a calibrated model, besides: */
    GBS_TARGET_RECALL, /* the error of the printed label on rows of one class: 1 - recall */
    GBS_TARGET_COST,   /* the mean cost of the printed labels */
    GBS_TARGET_BRIER,  /* the mean squared distance of the probability from the label */
    GBS_TARGET_AUC,    /* 1 - AUC of the score */
    /* the weighted share of rows whose printed label is wrong, E w 1{wrong} / E w, where a largest
     * weight was declared (`max-weight`) */
    GBS_TARGET_WEIGHTED
} gbs_target;

/* Which risk a certificate is about. */
typedef enum gbs_risk {
    GBS_RISK_ERROR = 0, /* of a row: the label is wrong */
    /* of a positive and a negative row: they are in the wrong order, a tie one half. 1 - AUC, given
       the labels */
    GBS_RISK_AUC,
    GBS_RISK_PAIRS, /* of any two rows, as the paper has it: their labels differ and they are in the
                       wrong order */
    GBS_RISK_COST,  /* of a row: what its label costs, in the units of `cost` */
    GBS_RISK_BRIER  /* of a row: the squared distance of its probability from its label */
} gbs_risk;

/* With probability at least `confidence` over the rows, the true risk of `target` under `loss` is
 * at most `value`: a computed upper bound on a number that cannot be observed. */
typedef struct gbs_certificate {
    gbs_target target;
    gbs_loss loss;
    gbs_bound method;
    double value, confidence;
    size_t blocks;        /* independent units behind it: rows, in ranking pairs */
    double empirical;     /* the risk on those rows (for a vote: of the posterior); NaN: none */
    double kl;            /* KL(posterior || prior) */
    double lambda;        /* of the bound; NaN when it has none */
    double grid_nats;     /* price of choosing among several in advance */
    double xi_nats;       /* price of holding for every posterior at once */
    unsigned assumptions; /* bit k: gbs_assumption_text(k) */
    int valid;            /* 0: conditional, one of the assumptions is known not to hold */
    gbs_risk risk; /* of ranking, `blocks` are independent pairs: the rows of the smaller class, or
                      half of all rows */
    /* pairs drawn at random that `empirical` is the mean over; 0: it is the mean over all pairs */
    size_t sampled;
    /* the part of 1 - confidence that is spent on the drawing of these pairs: the probability that
     * the risk over all pairs is above empirical_upper; 0 where none were drawn */
    double sampled_delta;
    /* what the bound takes for the risk over all pairs; NaN: it takes `empirical` */
    double empirical_upper;
    int given;   /* GBS_TARGET_RECALL: the class, +1 or -1; else 0 */
    int grouped; /* not 0: `blocks` counts groups of rows, and the risk is a mean over groups */
} gbs_certificate;

/* Assumption k in words, NULL beyond the last; *breaks says whether it makes a certificate
 * conditional. */
GBS_API const char *gbs_assumption_text(unsigned k, int *breaks);
/* Names as the files write them; NULL for a value out of range. */
GBS_API const char *gbs_target_name(gbs_target target);
GBS_API const char *gbs_risk_name(gbs_risk risk); /* "error", "1-auc", "pairs"; NULL out of range */
GBS_API const char *gbs_bound_name(gbs_bound bound);

/* How many certificates were computed; and one of them, the one asked for first, NULL beyond the
 * last. Valid as long as the model. */
GBS_API size_t gbs_model_certificates(const gbs_model *model);
GBS_API const gbs_certificate *gbs_model_certificate(const gbs_model *model, size_t k);

/* One fitted rung of the ladder, or one restart. */
typedef struct gbs_path_point {
    double lambda, prior_sd, free_energy, gibbs_risk, kl, optimality_gap;
    /* what the certificate asked for would be on this rung, the price of choosing among them paid;
     * NaN: not computed */
    double bound;
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

/* How many stages there are, and one of them, NULL beyond the last. Valid as long as the model. */
GBS_API size_t gbs_model_stages(const gbs_model *model);
GBS_API const gbs_stage_info *gbs_model_stage(const gbs_model *model, size_t t);

/* What the model was fitted for: facts and words (task.h); NULL without a model. */
GBS_API const gbs_task *gbs_model_task(const gbs_model *model);
/* How the model was fitted; valid as long as the model. */
GBS_API const gbs_model_info *gbs_model_get_info(const gbs_model *model);
/* What cross-validation chose the model from. */
typedef struct gbs_selection {
    size_t candidates; /* how many were compared; 0: nothing was chosen by cross-validation */
    size_t folds;
    double error, error_se; /* of the one chosen; too small by the choice itself */
} gbs_selection;

/* How the model was chosen; valid as long as the model. */
GBS_API const gbs_selection *gbs_model_selection(const gbs_model *model);

/* Where a model comes from: what it takes to fit it again, and to tell whether rows are those. */
typedef struct gbs_origin {
    const char *version; /* of the library that fitted it; NULL: not known */
    int recorded;        /* 0: from a file of a version that kept nothing of what follows */
    uint64_t seed;       /* of the context */
    size_t rows;         /* handed to the fit */
    const char *hash;    /* of these rows and their labels, in whatever order: 32 hexadecimal digits
                          */
    size_t left_out;     /* rows of the table that had a missing cell and were left out before */
    size_t copies;       /* as in gbs_model_info */
} gbs_origin;

/* Valid as long as the model; NULL without one. */
GBS_API const gbs_origin *gbs_model_origin(const gbs_model *model);
/* The ladder: how many rungs were fitted; and one of them, NULL beyond the last. Valid as long as
 * the model. */
GBS_API size_t gbs_model_path_size(const gbs_model *model);
GBS_API const gbs_path_point *gbs_model_path_at(const gbs_model *model, size_t k);
/* Free energies of the restarts in the order they were drawn; NULL and 0 when there were none. */
GBS_API const double *gbs_model_restarts(const gbs_model *model, size_t *count);

/* One iteration of a minimisation: the free energy there. */
typedef struct gbs_trace_point {
    size_t solve;     /* counts the minimisations, from 1: rungs, stages, values of a prior grid,
                         restarts */
    size_t iteration; /* within it, from 0 */
    double lambda;    /* NaN in a completion whose noise is learned */
    double free_energy;
    size_t components; /* completions: those left */
} gbs_trace_point;

/* How the fit went, some hundred points at most (of long ones every second, fourth, ... iteration):
 * iterations over all rows in the model's own family. Empty for the stochastic solver, which never
 * sees the exact free energy on its way, and for a model from a file. Point k is NULL beyond the
 * last. Valid as long as the model. */
GBS_API size_t gbs_model_trace_size(const gbs_model *model);
GBS_API const gbs_trace_point *gbs_model_trace_at(const gbs_model *model, size_t k);

/* Mean and standard deviation of theta_k, k < d, over the stages too: per standard deviation of a
 * standardised column, per unit of another; an intercept, as of a column of ones, is the last. */
GBS_API gbs_status gbs_model_coefficients(gbs_context *ctx, const gbs_model *model, double *mean,
                                          double *sd);

/* The column of the data that coefficient k < d belongs to: k itself, unless columns that no row to
 * learn from sets were left out. The number of columns for an intercept, SIZE_MAX beyond d. */
GBS_API size_t gbs_model_column(const gbs_model *model, size_t k);

/* For each row: the score x'm, the standard deviation of x'theta, and the probability Phi(score/sd)
 * of the vote for +1 (the label is +1 when it is at least one half). A mixture of stages has no m:
 * its score is the normal quantile of its probability, and sd is 1. A model that ranks gives the
 * probability that the row outranks a random negative row: the share of the training rows of -1
 * whose score lies below. Any of the three may be NULL. */
GBS_API gbs_status gbs_model_predict(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                                     double *score, double *score_sd, double *probability);
/* `rows` or some more: of parts that have so many rows each, but for the last, predictions have the
 * same bits as of all rows at once. */
GBS_API size_t gbs_model_part_rows(const gbs_model *model, size_t rows);

/* Rows whose probability lies in one tenth of [0, 1]: how often the label was +1 against how often
 * it was said to be. The struct is frozen: it stays as it is. */
typedef struct gbs_reliability {
    size_t count;
    double mean_probability, share_positive; /* NaN when count is 0 */
} gbs_reliability;

/* How a model does on labelled rows; made by the library, and freed by gbs_evaluation_free. */
typedef struct gbs_evaluation {
    size_t n;
    size_t errors;      /* rows whose label is wrong; a tie of votes is one */
    double error;       /* their share, but a tie counts one half */
    double gibbs_risk;  /* mean E loss, the loss of the fit */
    double gibbs_error; /* mean E zero-one loss */
    double auc;         /* of the score, ties one half; NaN when a class is missing */
    double brier;       /* mean squared distance of the probability from the label */
    double log_loss;    /* mean -log probability of the label, in nats; infinite when a label had
                           probability 0 */
    size_t true_positive, false_positive, true_negative, false_negative;
    double auc_se; /* standard error of the AUC (DeLong); NaN with fewer than two rows of a class */
    /* of a model that ranks, gibbs_risk and gibbs_error are means over pairs, and what is about
     * labels is NaN or 0 */
    gbs_task_kind task;
    size_t blocks; /* of a model that ranks: independent pairs, as many as rows of the smaller class
                    */
} gbs_evaluation;

/* data must carry labels. Hand *out back with gbs_evaluation_free. */
GBS_API gbs_status gbs_model_evaluate(gbs_context *ctx, const gbs_model *model,
                                      const gbs_data *data, gbs_evaluation **out);
/* The tenth of [0, 1] from k/10, NULL beyond the last; valid as long as the evaluation. */
GBS_API const gbs_reliability *gbs_evaluation_reliability(const gbs_evaluation *evaluation,
                                                          size_t k);
/* Frees it; NULL is ignored. */
GBS_API void gbs_evaluation_free(gbs_evaluation *evaluation);

/* What is deployed, and how it did on the last block: rows that nothing of it has seen. */
typedef struct gbs_card {
    size_t learned, tested; /* rows that it learned from; rows of the last block, which tested it */
    /* the probability of +1 is 1/(1 + exp(-(offset + slope score))), slope > 0; the label is +1
     * where it is at least the threshold */
    double offset, slope, threshold;
    double cost_missed, cost_false; /* of a row of +1 labelled -1, and the reverse; 1 and 1 */
    int baseline_label;    /* the more frequent label of the rows it learned from: +1 or -1 */
    double baseline_error; /* of always saying that label, on the last block */
    size_t true_positive, false_positive, true_negative, false_negative;
    double brier, log_loss, auc; /* auc: NaN when a class is missing */
    gbs_reliability reliability[10];
    int one_label; /* not 0: it says one label of all rows of the last block */
    int joint;     /* not 0: its certificates hold all at once */
    int weighted;  /* not 0: rows counted by the cost of their error in training */
    /* 0: the posterior that was tested is deployed. Else another one is, fitted to so many rows
     * after the test (`refit`); this card and the certificates are of the one that was tested */
    size_t refit;
} gbs_card;

/* NULL: the model is not calibrated (another bound, an older file). Of a model that ranks, only
 * learned, tested and auc have a meaning. Valid as long as the model. */
GBS_API const gbs_card *gbs_model_card(const gbs_model *model);
/* Not 0: most of the work of gbs_model_classify is for the votes, as with a full covariance of the
 * many features of a kernel; a caller who needs only labels and probabilities passes NULL for them.
 */
GBS_API int gbs_model_votes_are_dear(const gbs_model *model);

/* For each row what the model is deployed for: the label (+1 or -1), the probability of +1, the
 * score that it rises with, and the share of draws that vote for +1. Any of the four may be NULL.
 * Of a model without a card the probability is that share. Only of a model that gives labels. */
GBS_API gbs_status gbs_model_classify(gbs_context *ctx, const gbs_model *model,
                                      const gbs_data *data, double *label, double *probability,
                                      double *score, double *vote);

/* A second text kept inside the model file, for the program's own use (the command line keeps its
 * recipe of columns there). json is one JSON value; NULL takes it away. */
GBS_API gbs_status gbs_model_set_recipe(gbs_context *ctx, gbs_model *model, const char *json);
GBS_API const char *gbs_model_recipe(const gbs_model *model); /* NULL when there is none */

/* What gbs_model_describe_json tells, gbs_particles_describe_json and gbs_completion_describe_json
 * as far as there is such a part. */
enum gbs_describe {
    GBS_DESCRIBE_INFO = 1,         /* "task", "loss", ... "converged", "intercept" */
    GBS_DESCRIBE_SELECTION = 2,    /* "selection", where something was chosen by cross-validation */
    GBS_DESCRIBE_CARD = 4,         /* "classes", "baseline", "card" */
    GBS_DESCRIBE_CERTIFICATES = 8, /* "certificate", "certificates" */
    GBS_DESCRIBE_STAGES = 16,
    GBS_DESCRIBE_PATH = 32,
    GBS_DESCRIBE_RESTARTS = 64, /* "restarts", where there were any */
    GBS_DESCRIBE_TRACE = 128,
    /* all of them: "name", "mean", "sd" of the scaled column; of a linear score "per_unit" of the
     * column as it came, of a calibrated one "odds_ratio" too */
    GBS_DESCRIBE_COEFFICIENTS = 256,
    GBS_DESCRIBE_ORIGIN = 512,     /* "origin": version, seed, rows and their hash */
    GBS_DESCRIBE_IMPORTANCE = 1024 /* "importance", where the fit was asked for it */
};

/* What there is to tell of a model as one JSON object, zero-terminated, with the members that the
 * command line prints: parts are bits of gbs_describe, 0: all. Classes and columns have the names
 * that the recipe of the model gives them. Hand the text back with gbs_release; size may be NULL.
 */
GBS_API gbs_status gbs_model_describe_json(gbs_context *ctx, const gbs_model *model, unsigned parts,
                                           char **text, size_t *size);

/* For a model whose score is linear in the columns of the data: score = *intercept + x'coefficient,
 * x as it was handed in, `features` numbers (gbs_model_info), zero where a column was left out.
 * GBS_ERR_ARGUMENT for others: several stages, rows scaled to a length, features made of many
 * columns. */
GBS_API gbs_status gbs_model_linear(gbs_context *ctx, const gbs_model *model, double *coefficient,
                                    double *intercept);
/* The same numbers, `d` of them in the order of gbs_model_coefficients: each coefficient per unit
 * of its column (gbs_model_column), the intercept last where there is one. Columns that were left
 * out, of which sparse rows may have billions, take no room. */
GBS_API gbs_status gbs_model_per_unit(gbs_context *ctx, const gbs_model *model, double *per_unit);

/* The model as versioned JSON, zero-terminated; hand it back with gbs_release. size may be NULL. */
GBS_API gbs_status gbs_model_to_json(gbs_context *ctx, const gbs_model *model, char **text,
                                     size_t *size);
/* Reads it back; GBS_ERR_FORMAT where the text is no model. */
GBS_API gbs_status gbs_model_from_json(gbs_context *ctx, const char *text, size_t size,
                                       gbs_model **out);
/* The same to and from a file, written whole or not at all. */
GBS_API gbs_status gbs_model_save(gbs_context *ctx, const gbs_model *model, const char *path);
GBS_API gbs_status gbs_model_load(gbs_context *ctx, const char *path, gbs_model **out);
/* Frees the handle; NULL is ignored. */
GBS_API void gbs_model_free(gbs_model *model);

/* Writes a file whole or not at all: without a name in its folder (where the file system knows no
 * such files, under a temporary one), fsync, and then the name. A link stays, and what it leads to
 * is made or replaced; a file that is replaced keeps its rights, owner and group,
 * as far as the caller may give them. Pipes and devices are written straight. Refused (GBS_ERR_IO):
 * what another user has put into a folder where anyone may make files. GBS_ERR_CANCELLED while a
 * pipe keeps it waiting, or between pieces of a large file. */
GBS_API gbs_status gbs_write_file(gbs_context *ctx, const char *path, const void *bytes,
                                  size_t size);
/* The same of what comes piece by piece, until a piece has no bytes. A piece stays where it is
 * until the next call. What `next` returns but GBS_OK ends the writing without a file, and is the
 * result; a pipe has then had the pieces before. */
typedef gbs_status (*gbs_piece_callback)(const char **bytes, size_t *size, void *user);
GBS_API gbs_status gbs_write_pieces(gbs_context *ctx, const char *path, gbs_piece_callback next,
                                    void *user);
/* Files that appear together: each is written and synced without its name, gbs_outputs_keep names
 * them all, and gbs_outputs_free takes away what has no name by then. A failure before the last
 * step leaves none of them. Pipes and devices are written straight by gbs_outputs_write: last. */
typedef struct gbs_outputs gbs_outputs;
GBS_API gbs_status gbs_outputs_create(gbs_context *ctx, gbs_outputs **out);
/* As gbs_write_pieces, but for the name. */
GBS_API gbs_status gbs_outputs_write(gbs_context *ctx, gbs_outputs *outputs, const char *path,
                                     gbs_piece_callback next, void *user);
GBS_API gbs_status gbs_outputs_keep(gbs_context *ctx, gbs_outputs *outputs);
GBS_API void gbs_outputs_free(gbs_outputs *outputs);
/* Where gbs_write_file would write to: path, or what it leads to when it is a link. GBS_ERR_IO,
 * with the reason, where it can be told in advance that nothing could be written; nothing is
 * created. Hand *out back with gbs_release. */
GBS_API gbs_status gbs_output_file(gbs_context *ctx, const char *path, char **out);

#ifdef __cplusplus
}
#endif

#endif
