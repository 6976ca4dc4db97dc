/* The row space: a full-covariance problem with d > n, solved exactly in r = rank(X) <= n
 * dimensions.
 *
 *   X X' = L L' (pivoted Cholesky),   X = L Q with Q (r x d) orthonormal rows
 *   theta = m0-part + Q'u
 *
 * The risk sees theta through Q theta alone, and off the row space the best choice is the prior
 * itself; so the optimum is m = m0 + Q'(u - u0), S = v I + Q'(T - v I) Q, with (u, T) the optimum
 * for the rows L. Q is never formed: Q = Lp^-1 Xp, with p the r pivot rows. Cost O(n^2 d) once; no
 * d x d matrix (docs/maths.md, 4.7).
 */
#ifndef GIBBSITE_VB_REDUCTION_H
#define GIBBSITE_VB_REDUCTION_H

#include "family/family.h"
#include "risk/risk.h"

typedef struct gbs_reduction {
    gbs_context *ctx;
    const gbs_held *held;
    size_t rank;
    size_t *pivot;          /* the first `rank` entries name the pivot rows */
    double *lower;          /* rank x rank, Lp */
    double *design;         /* n x rank, the rows of L in the data's order */
    gbs_empirical *reduced; /* the risk on them */
    double *prior_mean;     /* u0 = Q m0, or NULL */
} gbs_reduction;

/* Of a risk that gbs_empirical_has_designs. */
gbs_status gbs_reduction_create(const gbs_empirical *risk, const gbs_prior *prior,
                                gbs_reduction *out);
void gbs_reduction_free(gbs_reduction *r);

/* m (length d) of the reduced mean u. */
gbs_status gbs_reduction_lift(const gbs_reduction *r, const double *u, const gbs_prior *prior,
                              double *m);

/* The marginal of Q theta under an isotropic or diagonal Gaussian in d dimensions, as a full one in
 * r dimensions. */
gbs_status gbs_reduction_project(const gbs_reduction *r, const gbs_gaussian *from,
                                 gbs_gaussian *to);

#endif
