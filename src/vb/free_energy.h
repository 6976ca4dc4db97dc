/* The free energy F(rho) = lambda * (empirical risk) + KL(rho || prior), and its gradient. */
#ifndef GIBBSITE_VB_FREE_ENERGY_H
#define GIBBSITE_VB_FREE_ENERGY_H

#include "family/family.h"
#include "risk/risk.h"

typedef struct gbs_problem {
    gbs_context *ctx;
    const gbs_empirical *risk;
    gbs_prior prior;
    double lambda;
} gbs_problem;

/* F at one rho, and what solvers need of its slope. */
typedef struct gbs_point {
    double free_energy, risk, kl;
    double *d_mean;    /* dF/dm */
    double *pull;      /* (lambda/n) sum w_i ..., in the family's shape */
    double *curvature; /* optional: (lambda/n) X' diag|w| X, lower triangle */
} gbs_point;

/* Buffers of the passes, and of the family. */
typedef struct gbs_workspace {
    gbs_context *ctx;
    gbs_room *room;
    double *square; /* d x d (full, or with curvature), else NULL */
} gbs_workspace;

/* For the risk and its parts. */
gbs_status gbs_workspace_create(const gbs_empirical *risk, gbs_family family, bool curvature,
                                gbs_workspace *out);
void gbs_workspace_free(gbs_workspace *w);

gbs_status gbs_point_create(gbs_context *ctx, size_t d, gbs_family family, bool curvature,
                            gbs_point *out);
void gbs_point_free(const gbs_context *ctx, gbs_point *p);

/* Fills `out` (curvature when it has room for one). GBS_ERR_CANCELLED when asked to stop; an
 * overflowing F comes back as infinity. */
gbs_status gbs_evaluate(const gbs_problem *problem, const gbs_gaussian *g, gbs_workspace *workspace,
                        gbs_point *out);

/* Proven bound on F(g) - min F for a convex loss: (v/2)|grad|^2 (docs/maths.md, 4.4). */
double gbs_optimality_gap(const gbs_problem *problem, const gbs_gaussian *g, const gbs_point *p,
                          double *square);

#endif
