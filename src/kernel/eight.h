/* Eight small regressions side by side: number k of regression l stands at x[8 k + l], so that
 * every step is one wide instruction for all of them, however small they are. Matrices of dimension
 * d are packed as the rows of their upper triangles (kernel/moments.h). Pointers need not be
 * aligned.
 */
#ifndef GIBBSITE_KERNEL_EIGHT_H
#define GIBBSITE_KERNEL_EIGHT_H

#include "kernel/moments.h"

enum { GBS_EIGHT = 8 };

typedef struct gbs_eight {
    size_t d;
    double *a, *r;             /* the sums of the regression: packed, d */
    double *centre, *mean;     /* d: of the prior; where the means are, and then where they go */
    double *cov;               /* packed: S */
    double *work;              /* gbs_eight_work(d) numbers */
    double log_det[GBS_EIGHT]; /* log|P| */
    double fit[GBS_EIGHT];     /* m'Am - 2 m'r, m: the means then */
    double gap[GBS_EIGHT];     /* (m - c)'Lambda (m - c) */
    double trace[GBS_EIGHT];   /* tr SA */
} gbs_eight;

/* Numbers that the steps between need. */
size_t gbs_eight_work(size_t d);
/* P = Lambda + A, S = P^-1, m -> m + relax (S (r + Lambda c) - m); precision: Lambda, d x d,
 * symmetric, the same for all. False: a P is not positive definite. */
bool gbs_eight_regress(const double *precision, double relax, gbs_eight *e);
/* spread += share S, second += omega mm', packed and side by side; share and omega: one number
 * each. */
void gbs_eight_add(const gbs_eight *e, const double *share, const double *omega, double *spread,
                   double *second);
/* The sums of n groups of eight numbers onto `sum`. */
void gbs_eight_collect(size_t n, const double *x, double *sum);

#endif
