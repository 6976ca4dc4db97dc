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
    bool error;  /* it counts what is wrong, as certificates do: its mean is the Gibbs error */
    /* its mean has a certificate where rows have a promised length (docs/maths.md, 6.3) */
    bool by_length;
    bool over_pairs; /* offered where the risk is over pairs of rows */
} gbs_loss_ops;

extern const gbs_loss_ops gbs_zero_one;
extern const gbs_loss_ops gbs_hinge;
extern const gbs_loss_ops gbs_exponential;
extern const gbs_loss_ops gbs_probit;

/* NULL for a value out of range, and for what is no loss of one margin. */
const gbs_loss_ops *gbs_loss_of(gbs_loss loss);
/* What the table says, false where it says nothing. */
bool gbs_loss_is_error(gbs_loss loss);
bool gbs_loss_is_by_length(gbs_loss loss);
bool gbs_loss_over_pairs(gbs_loss loss);
/* Of many scores at once. */
bool gbs_loss_is_joint(gbs_loss loss);

#endif
