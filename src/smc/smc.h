/* Tempering sequential Monte Carlo: particles carried from the prior to the Gibbs posterior, and
 * log Z on the way.
 *
 *   pi_lambda(theta)  is proportional to  exp(-lambda r(theta)) N(theta; m0, v I)
 *                                                                              (docs/maths.md, 7.1)
 *
 *   particles.c  risks of many thetas at once       temper.c     the next lambda, weights, log Z
 *   resample.c   who goes on                        reference.c  the Gaussian the moves lean on
 *   move.c       Markov chains at one lambda        ring.c       their moves
 *   spread.c     standard errors from one run       smc.c        the loop
 *
 * Of the data it knows the risk r of a theta (risk/risk.h), and nothing else.
 */
#ifndef GIBBSITE_SMC_SMC_H
#define GIBBSITE_SMC_SMC_H

#include "risk/risk.h"

typedef struct gbs_smc_problem {
    gbs_context *ctx;
    const gbs_empirical *risk; /* over pairs: not grouped */
    double prior_sd;
    const double *prior_mean; /* NULL: 0 */
} gbs_smc_problem;

typedef struct gbs_reference gbs_reference;

/* Sets the reference to a Gaussian close to pi_lambda; *found = false when there is none. Called
 * with increasing lambdas. *found comes in true where the last one was not close: the reference
 * then holds the moments of the particles, to begin with. */
typedef gbs_status (*gbs_approximate)(void *user, double lambda, gbs_reference *reference,
                                      bool *found);

typedef struct gbs_smc_options {
    double lambda;
    const double *ladder; /* NULL: adaptive */
    size_t ladder_size;
    size_t particles;
    double ess;    /* of the weights, as a share of the particles */
    bool classic;  /* every particle moves; otherwise waste-free */
    size_t chains; /* waste-free */
    size_t moves;  /* classic: of a particle; waste-free: at most, from one particle of a chain to
                      the next */
    gbs_move move;
    /* NULL: the moves lean on the particles' own mean and covariance */
    gbs_approximate approximate;
    void *user;
} gbs_smc_options;

typedef struct gbs_smc_result {
    double *theta; /* particles x d, of equal weight */
    double *risk;  /* particles */
    gbs_sample_point *path;
    size_t path_size, path_room;
    bool log_z_sd_at_least; /* at the end of the path */
    double seconds_move, seconds_reference;
} gbs_smc_result;

/* The result's arrays are the caller's; on failure there are none. */
gbs_status gbs_smc_run(const gbs_smc_problem *problem, const gbs_smc_options *options,
                       gbs_smc_result *out);
void gbs_smc_free(const gbs_context *ctx, gbs_smc_result *result);

/* ---------------------------------------------------------------- particles */

/* Streams of random numbers at temperature t are GBS_STREAM_PARTICLES + GBS_DRAWS * t + one of
 * these. */
enum { GBS_DRAWS_NORMAL = 0, GBS_DRAWS_UNIFORM, GBS_DRAWS_RESAMPLE, GBS_DRAWS };

/* Particles drawn from the prior, and their risks. */
gbs_status gbs_particles_from_prior(const gbs_smc_problem *problem, size_t count, double *theta,
                                    double *risk);

/* ---------------------------------------------------------------- temperatures */

/* The increment of lambda, at most `most`, whose weights exp(-delta risk) have an effective sample
 * size of share x (particles of finite risk); 0 when no particle has a finite risk. weight:
 * scratch. */
double gbs_temper_step(size_t n, const double *risk, double most, double share, double *weight);
/* weight_i = exp(-delta risk_i) / mean, log_mean = log of that mean; returns the effective sample
 * size. */
double gbs_temper_weights(size_t n, const double *risk, double delta, double *weight,
                          double *log_mean);

/* ---------------------------------------------------------------- resampling */

/* Systematic: ancestor[0 .. count - 1], ascending, from weights that need not sum to anything; u in
 * (0, 1). */
void gbs_resample(size_t n, const double *weight, size_t count, double u, size_t *ancestor);

/* ---------------------------------------------------------------- the reference Gaussian */

struct gbs_reference {
    size_t d;
    double *mean;
    double *factor; /* triangular L, S = L L'; NULL when there are only deviations */
    bool upper;     /* the factor is upper triangular, otherwise lower */
    double *sd;     /* deviations, where there is no factor */
    double *sums;   /* one stretch a chunk of particles */
    size_t chunks;
};

/* full: with a factor. */
gbs_status gbs_reference_create(gbs_context *ctx, size_t d, bool full, size_t particles,
                                gbs_reference *out);
void gbs_reference_free(const gbs_context *ctx, gbs_reference *r);
/* Mean and covariance of the weighted particles (mean weight 1), shrunk towards its diagonal as far
 * as `ess` demands. */
gbs_status gbs_reference_fit(gbs_context *ctx, gbs_reference *r, size_t n, const double *theta,
                             const double *weight, double ess, double prior_sd);
/* Mean square of the weighted particles in the reference's coordinates: 1 where it fits them, more
 * where it is too narrow. NaN: no weight. */
double gbs_reference_width(const gbs_reference *r, size_t n, const double *theta,
                           const double *weight);

/* ---------------------------------------------------------------- moves */

/* Moves on rings (ring.c), and how they take turns. */
typedef enum gbs_turn { GBS_TURN_SINGLE, GBS_TURN_WINDOW, GBS_TURN_RING } gbs_turn;
typedef enum gbs_turns {
    GBS_TURNS_SINGLE,      /* single states alone */
    GBS_TURNS_SINGLE_RING, /* a single state, a full ring */
    GBS_TURNS_MIXED,       /* a window, a single state, a full ring, a single state */
    GBS_TURNS_WINDOW_RING  /* a window, a full ring */
} gbs_turns;

typedef struct gbs_chains {
    const gbs_smc_problem *problem;
    const gbs_reference *reference;
    size_t count;       /* chains */
    const size_t *from; /* particle that each starts from */
    size_t particles;
    /* Chain c owns the particles gbs_chain_offset(c) .. gbs_chain_offset(c + 1) - 1 and leaves a
     * state in each; otherwise particle c, its last. */
    bool keep_all;
    /* of every chain when not keep_all; otherwise moves from one state that is kept to the next */
    size_t steps;
    double lambda;
    gbs_move move;
    double scale;    /* walk: of a step, in units of the reference; ring: the angle of the narrow
                        windows */
    size_t ring;     /* states to choose from; even */
    gbs_turns turns; /* ring: which moves take turns */
    uint64_t stream; /* of this temperature */
} gbs_chains;

/* First particle of a chain; the longer chains come first. */
size_t gbs_chain_offset(size_t particles, size_t chains, size_t chain);

typedef struct gbs_moved {
    double acceptance; /* share of the moves that led to another state */
    double narrow; /* the same among the narrow windows, or where there are none among the single
                      states */
    double jump;   /* mean squared length of a move, in units of the reference, over 2 d: 1 for
                      independent draws */
} gbs_moved;

typedef struct gbs_mover {
    gbs_context *ctx;
    size_t d, blocks, worker_size;
    size_t group;    /* blocks of a task */
    double *state;   /* blocks x lanes: theta, whitened theta, and a few numbers a chain */
    double *scratch; /* workers x worker_size */
    double *base;    /* what rings around the reference's mean begin with */
    double *away;    /* the reference's mean less the prior's */
} gbs_mover;

gbs_status gbs_mover_create(const gbs_empirical *risk, size_t chains, gbs_mover *out);
void gbs_mover_free(gbs_mover *m);
/* Runs the chains on theta and risk in place. */
gbs_status gbs_mover_run(gbs_mover *m, const gbs_chains *chains, double *theta, double *risk,
                         gbs_moved *moved);

/* ---------------------------------------------------------------- rings (ring.c) */

/* The kinds of moves that are worth the most. rough: only near states are any good. */
gbs_turns gbs_ring_turns(const gbs_smc_problem *problem, bool rough);
gbs_turn gbs_turn_of(gbs_turns turns, size_t step);
/* The kind whose angle is tuned: windows, where there are any. */
gbs_turn gbs_turn_tuned(gbs_turns turns);
/* How many states; the angle between two of them that are evenly spread. */
size_t gbs_ring_states(const gbs_smc_problem *problem, bool rough);
double gbs_ring_step(size_t size);
void gbs_ring_create(size_t size, double delta, gbs_ring *out);

/* A tile of planes: state j is cosine(j) centred + sine(j) direction, relative to the reference's
 * mean, and cosine(j) u + sine(j) z in its coordinates. */
typedef struct gbs_plane {
    const double *mean, *away;   /* of the reference; the same less the prior's */
    double *centred, *direction; /* theta - mean, L z */
    double *u, *z;
    double *risk; /* of state j in lane l at j * GBS_LANES + l */
} gbs_plane;

/* Turns planes whose first vectors are the current states so that these are the states called
 * `here`. */
void gbs_ring_turn(const gbs_smc_problem *problem, const gbs_ring *ring, size_t here,
                   const gbs_plane *plane);
/* For each lane the number of the state drawn; draw: uniform, one a lane. */
void gbs_ring_choose(const gbs_smc_problem *problem, double lambda, const gbs_ring *ring,
                     const gbs_plane *plane, const double *draw, size_t *chosen);

/* ---------------------------------------------------------------- standard errors */

/* Squared standard error of the mean of x over all particles, from the spread of the chains' means;
 * chains of one state each: from the spread of the states. */
double gbs_chain_variance(size_t n, size_t chains, const double *x);
/* What is known of the squared error of log Z so far, by descent; of n particles. */
typedef struct gbs_families {
    size_t n;
    size_t *of;         /* family of each chain; at first every particle is a chain */
    size_t *next;       /* scratch */
    double *sum;        /* parts of the families in the error */
    double *share;      /* scratch */
    double aside;       /* squared error of families that were given up */
    double independent; /* the squared error, were chains of different temperatures independent */
    bool renewed;       /* families were given up */
    bool long_chains;   /* of several particles each */
    bool few;           /* chains, too few to tell */
} gbs_families;

gbs_status gbs_families_create(gbs_context *ctx, size_t n, gbs_families *out);
void gbs_families_free(const gbs_context *ctx, gbs_families *f);
/* Takes in the weights (of mean 1) of a temperature, whose particles lie in `chains` chains. */
void gbs_families_weigh(gbs_families *f, size_t chains, const double *weight);
/* `count` new chains begin with the particles ancestor[] of the old ones. */
void gbs_families_follow(gbs_families *f, size_t chains, size_t count, const size_t *ancestor);
/* Squared standard error of log Z; at_least: it may be too small. */
double gbs_families_variance(const gbs_families *f, bool *at_least);
/* Squared standard error of the mean of x over a classic run's particles, whose families are the
 * independent ones. scratch: n. */
double gbs_family_spread(size_t n, const size_t *eve, const double *x, double *scratch);

#endif
