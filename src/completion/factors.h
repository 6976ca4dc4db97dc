/* Matrix completion (docs/maths.md, 8.1): y = mu + a_i + b_j + u_i'v_j + noise, and the
 * distribution q of its unknowns.
 *
 *   u_ik, v_jk | gamma_k ~ N(0, gamma_k),   a_i | alpha ~ N(0, alpha),   b_j | beta ~ N(0, beta),
 *   the variances inverse-gamma,   mu ~ N(m0, v0),   noise precision tau ~ Gamma, or fixed
 *
 *   q = prod_i q(u_i, a_i) prod_j q(v_j, b_j) prod q(variances) q(mu) q(tau)
 *
 * A row's factors and bias keep their joint covariance.
 *
 * One side (rows or columns) at a time: seen from a row, a column is the vector z = (v_j, 1, b_j),
 * of which the row's own unknowns multiply the first rank + 1 and the last is an offset. E zz' and
 * E z of every column lie in one record, so a row needs the sum of the records of its ratings (A
 * and r = sum y z) and nothing else: precision, mean and its part of the expected squared error all
 * come from A and r.
 *
 * The same sweep serves the Gibbs sampler: there records are of drawn values, without covariance,
 * and means become draws.
 *
 * An centred q has another prior: N(m_i, S_i) for each item, a q of earlier ratings, in place of
 * the hierarchical one (docs/maths.md, 8.9).
 */
#ifndef GIBBSITE_COMPLETION_FACTORS_H
#define GIBBSITE_COMPLETION_FACTORS_H

#include "data/ratings.h"

/* Everything the prior needs, in units of the ratings. */
typedef struct gbs_completion_prior {
    double shape, scale, bias_scale; /* of gamma_k; of alpha and beta the shape is the same */
    double mean, variance;           /* of mu */
    double noise_shape, noise_scale; /* of 1 / tau */
} gbs_completion_prior;

/* The prior of one item in an centred q: mean, packed precision, and the sum of their log
 * determinants. */
typedef struct gbs_prior_centre_side {
    double *mean, *precision;
    double log_det;
} gbs_prior_centre_side;

typedef struct gbs_factor_side {
    size_t items;
    double *mean;   /* items x own: factors, then the bias */
    double *cov;    /* items x packed(own) */
    double *energy; /* own: sum over items of E x_f^2 */
    double log_det; /* sum over items of log det cov */
    double *weight; /* own: E 1/variance of each coordinate */
    gbs_prior_centre_side centre;
    double centred; /* sum over items of tr(P0 S) + (m - m0)'P0(m - m0) */
} gbs_factor_side;

typedef struct gbs_factors {
    gbs_context *ctx;
    const gbs_ratings *ratings;
    gbs_completion_prior prior;
    size_t room;            /* components it was created with */
    size_t rank, own, wide; /* own = rank + bias; wide = own + offset: the length of z */
    bool biases, learn_noise, is_centred;
    gbs_factor_side side[2];
    double *shape, *scale;  /* of the variances: factors, then row biases, then column biases */
    double mu, mu_variance; /* of mu - ratings->center */
    double tau;             /* E tau, 1 / noise variance */
    double tau_shape, tau_scale; /* learned */
    double cross, linear;        /* of the last half sweep: see gbs_factors_error */
    double *records, *partial, *scratch;
    size_t stride, per_block, per_worker;
    uint64_t stream; /* 0: variational; else a Gibbs draw with random numbers of this stream */
} gbs_factors;

gbs_status gbs_factors_create(gbs_context *ctx, const gbs_ratings *ratings, size_t rank,
                              bool biases, const gbs_completion_prior *prior, gbs_factors *out);
void gbs_factors_free(gbs_factors *f);

/* Columns drawn at random, variances at size, noise a share of the spread: where coordinate ascent
 * begins. */
void gbs_factors_start(gbs_factors *f, double size, double noise_variance, uint64_t stream);
/* After gbs_factors_start: columns from the leading singular vectors of the ratings; where there
 * are none (equal values) all stays. */
gbs_status gbs_factors_start_spectral(gbs_factors *f, uint64_t stream);
/* After gbs_factors_start: columns as another fit of the same table and rank has them. */
void gbs_factors_start_from(gbs_factors *f, const gbs_factors *other);
/* The prior becomes q itself, fitted to earlier ratings; f then goes on with `ratings`. */
gbs_status gbs_factors_centre(gbs_factors *f, const gbs_ratings *ratings);
/* Back to q = the centred prior. */
gbs_status gbs_factors_return(gbs_factors *f);

/* Half a sweep: the best q of the rows (0) or columns (1) given all else; GBS_ERR_NUMERIC when it
 * breaks down. */
gbs_status gbs_factors_update_side(gbs_factors *f, int side);
/* The best q of the variances, of mu, of tau, given all else. */
void gbs_factors_update_variances(gbs_factors *f);
void gbs_factors_update_mu(gbs_factors *f);
void gbs_factors_update_noise(gbs_factors *f);

/* Turns the factors so that sum E uu' + sum E vv' is diagonal, and takes the best variances: the
 * product is the same, the free energy falls. */
gbs_status gbs_factors_rotate(gbs_factors *f);

/* Sum over the ratings of E (y - prediction)^2, exact after either half sweep. */
double gbs_factors_error(const gbs_factors *f);
/* KL(q || prior) of all but tau. */
double gbs_factors_kl(const gbs_factors *f);
/* Fixed noise: lambda x mean squared error + KL, lambda = n tau / 2. Learned noise: minus the
 * evidence bound. */
double gbs_factors_free_energy(const gbs_factors *f);

/* Mean square of component k's part of a prediction. */
double gbs_factors_component(const gbs_factors *f, size_t k);
/* Leaves out the components with keep[k] false. */
void gbs_factors_keep(gbs_factors *f, const bool *keep);
/* The other way, for a sampler: as many components as it was created with, the new ones with random
 * columns and variances of `size`. Means, weights, mu and tau are those of a draw to begin with;
 * all else is no longer worth anything. */
void gbs_factors_reopen(gbs_factors *f, double size, uint64_t stream);

#endif
