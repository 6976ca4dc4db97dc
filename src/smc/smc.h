/* Tempering sequential Monte Carlo: particles carried from the prior to the Gibbs posterior, and log Z on the way.
 *
 *   pi_lambda(theta)  is proportional to  exp(-lambda r_n(theta)) N(theta; 0, v I)                              (MATHS.md, section 7)
 *
 *   particles.c   risks of many thetas at once          temper.c     the next lambda, weights, log Z
 *   resample.c    who goes on                           reference.c  the Gaussian that the moves lean on
 *   move.c        Markov chains at one lambda           spread.c     standard errors from one run
 *   smc.c         the loop
 */
#ifndef GIBBSITE_SMC_SMC_H
#define GIBBSITE_SMC_SMC_H

#include "data/rows.h"
#include "kernel/tile.h"
#include "risk/loss.h"

typedef struct gbs_smc_problem {
    gbs_context *ctx;
    const gbs_rows *rows;
    const gbs_loss_ops *loss;
    double prior_sd;
} gbs_smc_problem;

typedef struct gbs_smc_options {
    double lambda;
    const double *ladder; /* NULL: adaptive */
    size_t ladder_size;
    size_t particles;
    double ess;    /* of the weights, as a share of the particles */
    bool classic;  /* every particle moves; otherwise waste-free */
    size_t chains; /* waste-free */
    size_t moves;  /* classic */
    gbs_move move;
} gbs_smc_options;

typedef struct gbs_smc_result {
    double *theta; /* particles x d, of equal weight */
    double *risk;  /* particles */
    gbs_sample_point *path;
    size_t path_size, path_room;
    double seconds_move, seconds_other;
} gbs_smc_result;

/* The result's arrays are the caller's; on failure there are none. */
gbs_status gbs_smc_run(const gbs_smc_problem *problem, const gbs_smc_options *options, gbs_smc_result *out);
void gbs_smc_free(const gbs_context *ctx, gbs_smc_result *result);

/* ---------------------------------------------------------------- particles */

/* Streams of random numbers at temperature t are GBS_STREAM_PARTICLES + GBS_DRAWS * t + one of these. */
enum { GBS_DRAWS_NORMAL = 0, GBS_DRAWS_UNIFORM, GBS_DRAWS_RESAMPLE, GBS_DRAWS };

/* Doubles that gbs_tile_risk works in. */
enum { GBS_RISK_ROWS = 64, GBS_RISK_SCRATCH = GBS_RISK_ROWS * GBS_LANES };

/* r_n of the GBS_LANES thetas of a tile. */
void gbs_tile_risk(const gbs_smc_problem *problem, const double *theta, double *scratch, double *risk);

/* Particles drawn from the prior, and their risks. */
gbs_status gbs_particles_from_prior(const gbs_smc_problem *problem, size_t count, double *theta, double *risk);

/* ---------------------------------------------------------------- temperatures */

/* The increment of lambda, at most `most`, whose weights exp(-delta risk) have an effective sample size of share x (particles of finite risk);
 * 0 when no particle has a finite risk. weight: scratch. */
double gbs_temper_step(size_t n, const double *risk, double most, double share, double *weight);
/* weight_i = exp(-delta risk_i) / mean, log_mean = log of that mean; returns the effective sample size. */
double gbs_temper_weights(size_t n, const double *risk, double delta, double *weight, double *log_mean);

/* ---------------------------------------------------------------- resampling */

/* Systematic: ancestor[0 .. count - 1], ascending, from weights that need not sum to anything; u in (0, 1). */
void gbs_resample(size_t n, const double *weight, size_t count, double u, size_t *ancestor);

/* ---------------------------------------------------------------- the reference Gaussian */

typedef struct gbs_reference {
    size_t d;
    double *mean;
    double *factor;  /* lower triangular L, S = L L'; NULL when d is too large: then only the deviations */
    double *sd;      /* square roots of the diagonal of S */
    double *sums;    /* chunks x (d + d d) */
    size_t chunks;
} gbs_reference;

gbs_status gbs_reference_create(gbs_context *ctx, size_t d, size_t particles, gbs_reference *out);
void gbs_reference_free(const gbs_context *ctx, gbs_reference *r);
/* Mean and covariance of the weighted particles (mean weight 1), shrunk towards its diagonal as far as `ess` demands. */
gbs_status gbs_reference_fit(gbs_context *ctx, gbs_reference *r, size_t n, const double *theta, const double *weight, double ess,
                             double prior_sd);

/* ---------------------------------------------------------------- moves */

typedef struct gbs_chains {
    const gbs_smc_problem *problem;
    const gbs_reference *reference;
    size_t count;       /* chains */
    const size_t *from; /* particle that each starts from */
    size_t particles;
    bool keep_all; /* chain c owns the particles offset(c) .. offset(c + 1) - 1 and leaves a state in each; otherwise particle c, the last state */
    size_t steps;  /* of every chain when not keep_all */
    double lambda;
    gbs_move move;
    double scale;    /* of a step, in units of the reference */
    uint64_t stream; /* of this temperature */
} gbs_chains;

size_t gbs_chain_offset(size_t particles, size_t chains, size_t chain);

typedef struct gbs_mover {
    gbs_context *ctx;
    size_t d, blocks, worker_size;
    double *state;    /* blocks x (2 d + 3) lanes: theta, whitened theta, risk, log density, accepted */
    double *scratch;  /* workers x worker_size */
} gbs_mover;

gbs_status gbs_mover_create(gbs_context *ctx, size_t d, size_t chains, gbs_mover *out);
void gbs_mover_free(gbs_mover *m);
/* Runs the chains on theta and risk in place; acceptance: share of the proposals taken. done(user, share) is told how far it is. */
gbs_status gbs_mover_run(gbs_mover *m, const gbs_chains *chains, double *theta, double *risk, double *acceptance);

/* ---------------------------------------------------------------- standard errors */

/* Squared standard error of the mean of x over all particles, from the spread of the chains' means; chains of one state each: from the spread of
 * the states. */
double gbs_chain_variance(size_t n, size_t chains, const double *x);
/* The same for classic runs: relative squared error of Z from the weights that the first particles' families have won. scratch: n. */
double gbs_family_variance(size_t n, const size_t *eve, const double *weight, size_t generations, double *scratch);

#endif
