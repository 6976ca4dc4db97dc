/* Sampling the Gibbs posterior itself, and the gap to it. */
#ifndef GIBBSITE_SAMPLE_H
#define GIBBSITE_SAMPLE_H

#include "gibbsite/complete.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- sampling */

/* Particles that stand for the Gibbs posterior, exp(-lambda r_n(theta)) times the prior, and not
 * for an approximation of it. */
typedef struct gbs_particles gbs_particles;

/* How a particle finds its next state. */
typedef enum gbs_move {
    GBS_MOVE_AUTO = 0, /* ring; with `classic` walk */
    GBS_MOVE_WALK,     /* Gaussian random walk, covariance 2.38^2/d times that of the particles */
    GBS_MOVE_RING      /* a draw from a ring of states around a Gaussian (docs/maths.md, 7.4) */
} gbs_move;

/* data must carry labels of two classes (of more: gbs_data_against); options are those of "sample",
 * NULL: the defaults. Standard errors come from the run itself. With an adaptive ladder Z is nearly
 * unbiased. The particles keep the recipe of the rows, unless that has more classes. */
GBS_API gbs_status gbs_sample(gbs_context *ctx, const gbs_data *data, const gbs_options *options,
                              gbs_particles **out);

/* Samples the Gibbs posterior that stage `stage` of a model (0 of a plain one) approximates: its
 * loss, lambda, prior and scaling, on the rows it was trained on. `data` are the rows of the fit,
 * all of them; GBS_ERR_DATA when they are not, or when the model comes from a file of an older
 * version that does not say what its prior was. The options say how to sample; what the model fixes
 * is not read from them, nor is a ladder. The particles have the recipe of the rows or, where they
 * come from arrays, that of the model. Of three classes or more the model is one of the binary
 * problems (gbs_model_part) and the rows are those of the whole fit, of all classes; classes that
 * were fitted together (GBS_SCHEME_SOFTMAX) have no such problems. */
GBS_API gbs_status gbs_sample_for(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                                  size_t stage, const gbs_options *options, gbs_particles **out);

/* One inverse temperature of the way; the first is 0, the prior. */
typedef struct gbs_sample_point {
    double lambda;
    double log_z, log_z_sd; /* log of the integral of exp(-lambda r_n) under the prior, and its
                               standard error */
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
    /* log_z_sd is a lower bound: chains are too few or too slow for one run to tell, or Z is too
     * uncertain */
    int log_z_sd_at_least;
    double acceptance; /* mean over the path */
    /* mean zero-one loss of the particles on the training rows; in ranking over pairs of them */
    double gibbs_error;
    /* of the average vote of the particles; in ranking 1 - AUC of their mean score */
    double train_error;
    double kl; /* estimate of KL(Gibbs || prior) = -log Z - lambda gibbs_risk */
    double confidence,
        /* the kl bound at these estimates: itself an estimate, no certificate; NaN: the prior was
           learned from the same rows */
        bound;
    double seconds, seconds_move, seconds_approximate; /* all; moves; approximations */
    /* that of the model that was sampled for (gbs_sample_for), its mean m0 included */
    gbs_prior_kind prior;
    size_t n_data; /* rows of the data, of which n make the risk */
} gbs_sample_info;

/* What the particles were drawn for, as gbs_model_task has it. */
GBS_API const gbs_task *gbs_particles_task(const gbs_particles *particles);
/* How it went; valid as long as the particles. */
GBS_API const gbs_sample_info *gbs_particles_get_info(const gbs_particles *particles);
/* How many temperatures it went through, and one of them, NULL beyond the last. */
GBS_API size_t gbs_particles_path_size(const gbs_particles *particles);
GBS_API const gbs_sample_point *gbs_particles_path_at(const gbs_particles *particles, size_t k);
/* The thetas, one after the other (info.particles x info.d), all of the same weight, in the scaled
 * coordinates (an intercept is the last). */
GBS_API const double *gbs_particles_draws(const gbs_particles *particles);
/* Their mean (d) and covariance (d x d); either may be NULL. */
GBS_API void gbs_particles_moments(const gbs_particles *particles, double *mean,
                                   double *covariance);

/* As gbs_model_column, of theta_k. */
GBS_API size_t gbs_particles_column(const gbs_particles *particles, size_t k);

/* For each row: mean score, standard deviation of the score, share of the particles that vote +1 (a
 * score of 0 is half a vote). In ranking the probability is that of outranking a random negative
 * row: the share of the training rows of -1 whose mean score lies below. Any may be NULL. */
GBS_API gbs_status gbs_particles_predict(gbs_context *ctx, const gbs_particles *particles,
                                         const gbs_data *data, double *score, double *score_sd,
                                         double *probability);
/* As gbs_model_part_rows. */
GBS_API size_t gbs_particles_part_rows(const gbs_particles *particles, size_t rows);
/* As gbs_model_evaluate, with the average vote of the particles for the vote, and their mean score
 * for the score. */
GBS_API gbs_status gbs_particles_evaluate(gbs_context *ctx, const gbs_particles *particles,
                                          const gbs_data *data, gbs_evaluation **out);

/* How far a fitted model is from the Gibbs posterior: KL(model || Gibbs) = free energy + log Z, an
 * estimate that may come out slightly negative. */
typedef struct gbs_gap {
    double free_energy, gap, gap_sd;
    double gap_over_lambda; /* in units of the bounds; NaN when lambda is 0 */
    int gap_sd_at_least;    /* gap_sd, which is log Z's, is a lower bound */
    /* mean loss of the model (of the stage in question) on the rows of the risk */
    double gibbs_risk;
} gbs_gap;

/* data: the rows that both come from, all of them. Of a mixture the stage is meant that was trained
 * on as many rows as the particles were drawn for. GBS_ERR_DATA when the model was fitted to other
 * rows, or with another loss, prior or lambda. Hand *out back with gbs_gap_free. */
GBS_API gbs_status gbs_measure_gap(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                                   const gbs_particles *particles, gbs_gap **out);
/* Frees it; NULL is ignored. */
GBS_API void gbs_gap_free(gbs_gap *gap);

/* A second text kept inside the file, as gbs_model_set_recipe has it. */
GBS_API gbs_status gbs_particles_set_recipe(gbs_context *ctx, gbs_particles *particles,
                                            const char *json);
GBS_API const char *gbs_particles_recipe(const gbs_particles *particles);
/* The text of a file and back, as gbs_model_to_json has it. */
GBS_API gbs_status gbs_particles_to_json(gbs_context *ctx, const gbs_particles *particles,
                                         char **text, size_t *size);
GBS_API gbs_status gbs_particles_from_json(gbs_context *ctx, const char *text, size_t size,
                                           gbs_particles **out);
/* What there is to tell of a sample as JSON, as gbs_model_describe_json has it: of gbs_describe the
 * info ("log_z", "gibbs_risk", ...), the path ("lambda_path", "path"), for certificates the
 * "estimate" that is none, the coefficients: mean and standard deviation over the particles. */
GBS_API gbs_status gbs_particles_describe_json(gbs_context *ctx, const gbs_particles *particles,
                                               unsigned parts, char **text, size_t *size);
/* Frees the handle; NULL is ignored. */
GBS_API void gbs_particles_free(gbs_particles *particles);
/* A file that holds either: the other handle is NULL. */
GBS_API gbs_status gbs_load(gbs_context *ctx, const char *path, gbs_model **model,
                            gbs_particles **particles);

/* Opens a file that the program or the library wrote, whatever it holds: one of the three is set,
 * the others are NULL. */
GBS_API gbs_status gbs_load_any(gbs_context *ctx, const char *path, gbs_model **model,
                                gbs_particles **particles, gbs_completion **completion);
/* "auto", "walk", "ring"; NULL out of range. */
GBS_API const char *gbs_move_name(gbs_move move);

#ifdef __cplusplus
}
#endif

#endif
