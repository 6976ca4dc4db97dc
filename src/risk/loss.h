/* A loss of the margin z = y x'theta: how it is summed (pass/pass.h) and what solvers may rely on.
 *
 * A loss enters the rest of the library through this table alone; a new one is one small file and
 * one line in loss.c.
 */
#ifndef GIBBSITE_RISK_LOSS_H
#define GIBBSITE_RISK_LOSS_H

#include "pass/pass.h"

typedef struct gbs_loss_ops {
    gbs_pointwise pointwise;
    bool convex; /* psi is convex in (mu, s) and does not fall in s: the optimality gap is proven */
} gbs_loss_ops;

extern const gbs_loss_ops gbs_zero_one;
extern const gbs_loss_ops gbs_hinge;
extern const gbs_loss_ops gbs_exponential;
extern const gbs_loss_ops gbs_probit;

/* NULL for a value out of range. */
const gbs_loss_ops *gbs_loss_of(gbs_loss loss);

#endif
