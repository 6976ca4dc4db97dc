/* The joint posterior of all classes under the softmax risk (docs/maths.md, 11.10). */
#ifndef GIBBSITE_FIT_JOINT_H
#define GIBBSITE_FIT_JOINT_H

#include "family/family.h"

/* Rows, their classes, and the means of the classes that were found last. Contexts may differ from
 * call to call. */
typedef struct gbs_joint gbs_joint;

/* Columns up to which steps are taken in units of a full covariance, and a full one is kept. */
enum { GBS_JOINT_MATRIX = 2500 };

/* class_of: of each row, below k; above, the row does not count. Each row that does counts `share`
 * times its weight. Rows and classes stay the caller's and are needed to the end. */
gbs_status gbs_joint_create(gbs_context *ctx, const gbs_rows *rows, const size_t *class_of,
                            size_t k, double share, gbs_joint **out);
void gbs_joint_free(const gbs_context *ctx, gbs_joint *joint);

typedef struct gbs_joint_result {
    double risk;       /* sum over the rows of the loss of the means, times share */
    double left;       /* what is left to gain, to second order */
    double gap;        /* no more than this is left */
    size_t iterations; /* passes over the rows */
    bool converged;
} gbs_joint_result;

/* The means under the prior N(0, variance I), from those that were found last (at first 0), until
 * no more than `enough` nats are left to second order. */
gbs_status gbs_joint_fit(gbs_context *ctx, gbs_joint *joint, double variance, double enough,
                         size_t most, gbs_joint_result *out);

/* They lie side by side: coefficient j of class c at [j * k + c]. */
double *gbs_joint_means(gbs_joint *joint);
/* score (n x k) = X M of other rows of the same columns. */
gbs_status gbs_joint_scores(gbs_context *ctx, gbs_joint *joint, const gbs_rows *rows,
                            double *score);

/* The covariance that all classes share, of the variance fitted last, in `out`, whose family and
 * size are set; and what the rows add to the risk by it, share sum v_i/2. */
gbs_status gbs_joint_spread(gbs_context *ctx, gbs_joint *joint, gbs_gaussian *out, double *risk);

#endif
