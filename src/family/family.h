/* Gaussian families N(m, S): what the KL of each is, and how its spread is moved.
 *
 * The rest of the library sees a family through gbs_family_ops, and passes over the rows see it as
 * the numbers of a gbs_spread; a new one is one file and one line in family.c. Throughout, for
 * weights w_i = (d psi/d s)/s and c = lambda/n, the *pull* of a family is what it needs of H = c
 * sum_i w_i x_i x_i': fixed and isotropic the trace, diagonal the diagonal, full the matrix (lower
 * triangle).
 */
#ifndef GIBBSITE_FAMILY_FAMILY_H
#define GIBBSITE_FAMILY_FAMILY_H

#include "core/context.h"
#include "pass/pass.h"

typedef struct gbs_gaussian {
    gbs_family family;
    size_t d;
    double *mean;      /* d */
    double *sd;        /* 1 (fixed, isotropic) or d (diagonal); full: NULL */
    double *tau;       /* diagonal: sd^2 */
    double *factor;    /* full: upper triangular C, S = C C' */
    double *precision; /* full: S^-1, both triangles */
} gbs_gaussian;

typedef struct gbs_prior {
    const double *mean; /* NULL: 0 */
    double variance;
} gbs_prior;

typedef struct gbs_family_ops {
    const char *name;
    /* What its slopes are made of. A matrix serves the mean too: its steps are S dF/dm, and wide
     * data is solved in its row space. */
    gbs_pull pull;
    /* The family that climbs along with it (vb/anneal.c); GBS_FAMILY_AUTO: none. */
    gbs_family smaller;
    /* Standard deviations that it is kept as; 0: as a factor. */
    size_t (*sd_size)(size_t d);
    /* Number of free parameters of the spread. */
    size_t (*free_size)(size_t d);

    /* KL(N(m, S) || N(m0, v I)) without the |m - m0|^2 / 2v. */
    double (*kl_spread)(const gbs_gaussian *g, double v);

    /* Squared norm of the gradient of F in the spread's own coordinates (sigma or C) over the
     * modulus of strong convexity 1/v, halved: the spread's share of the optimality gap. scratch d
     * x d. */
    double (*gap)(const gbs_gaussian *g, const double *pull, double v, double *scratch);
    /* Half the squared norm of the natural gradient: what is still to gain, to second order. */
    double (*decrement)(const gbs_gaussian *g, const double *pull, double v, double *scratch);

    /* The spread as a precision: S^-1 in the family's free_size numbers (isotropic 1/sigma^2,
     * diagonal 1/sigma_k^2, full the lower triangle), the one that the natural gradient aims at,
     * I/v + pull, and back. set_precision: false when that is no covariance. */
    void (*get_precision)(const gbs_gaussian *g, double *p);
    void (*aim_precision)(const gbs_gaussian *g, const double *pull, double v, double *p);
    bool (*set_precision)(gbs_gaussian *g, const double *p);
    /* Lengths of changes: of m (d weights) in posterior standard deviations, of that precision
     * relative to itself. */
    void (*weigh)(const gbs_gaussian *g, double *of_mean, double *of_precision);

    /* Unconstrained coordinates (log sigma; C with log diagonal) and dF in them. */
    void (*get_free)(const gbs_gaussian *g, double *z);
    void (*set_free)(gbs_gaussian *g, const double *z);
    void (*free_gradient)(const gbs_gaussian *g, const double *pull, double v, double *scratch,
                          double *dz);
    /* What set_free leaves behind is brought in step; NULL: there is nothing. */
    void (*settle)(gbs_gaussian *g);
    /* Units in which the free coordinates have a curvature of about 1, given those of m. */
    void (*free_units)(size_t d, const double *of_mean, double *z);
    /* Slopes in those free coordinates that are logarithms, kept within -most .. most. */
    void (*limit_logs)(size_t d, double most, double *dz);

    /* H_kk, where the pull knows it, else its average. */
    double (*mean_curvature)(const double *pull, size_t d, size_t k);
    /* x -> S x; NULL where the pull is no matrix. */
    void (*times_covariance)(const gbs_gaussian *g, double *x);

    /* Standard deviation of each coordinate. */
    void (*marginal_sd)(const gbs_gaussian *g, double *sd);
} gbs_family_ops;

extern const gbs_family_ops gbs_fixed;
extern const gbs_family_ops gbs_isotropic;
extern const gbs_family_ops gbs_diagonal;
extern const gbs_family_ops gbs_full;

const gbs_family_ops *gbs_family_of(gbs_family family); /* NULL for AUTO and out of range */
/* The families that there are, from 0 on. */
gbs_family gbs_family_at(int i);
/* The richest family whose cost is bearable: full up to `most` columns. */
gbs_family gbs_family_for(size_t d, size_t most);

/* As the passes over rows see it; the numbers stay where they are. */
gbs_spread gbs_gaussian_spread(const gbs_gaussian *g);

/* Allocated as the prior itself (the fixed family: sd = fixed_sd). */
gbs_status gbs_gaussian_create(gbs_context *ctx, gbs_family family, size_t d,
                               const gbs_prior *prior, double fixed_sd, gbs_gaussian *out);
void gbs_gaussian_free(const gbs_context *ctx, gbs_gaussian *g);
void gbs_gaussian_copy(gbs_gaussian *to, const gbs_gaussian *from); /* same family and d */
void gbs_gaussian_set_prior(gbs_gaussian *g, const gbs_prior *prior, double fixed_sd);

/* The smaller family's distribution as a member of the larger one (fixed < isotropic < diagonal <
 * full). */
void gbs_gaussian_embed(gbs_gaussian *to, const gbs_gaussian *from);

/* Sets the spread of a full Gaussian from its precision (both triangles). False when not positive
 * definite. */
bool gbs_full_set_precision(gbs_gaussian *g);
/* Brings precision in step with factor. */
void gbs_full_refresh_precision(gbs_gaussian *g);

double gbs_gaussian_kl(const gbs_gaussian *g, const gbs_prior *prior);

#endif
