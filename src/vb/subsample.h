/* A subsample: random draws that judge a posterior where all terms of the risk are too many. */
#ifndef GIBBSITE_VB_SUBSAMPLE_H
#define GIBBSITE_VB_SUBSAMPLE_H

#include "vb/solve.h"

typedef struct gbs_subsample {
    gbs_problem problem; /* on one draw */
    gbs_batches drawn;
    gbs_engine engine;
    /* of each group of draws: d_mean, pull; then their mean, and room for a middle */
    double *slopes;
    size_t d, slope_size;
} gbs_subsample;

/* What a subsample makes of a posterior. left: an unbiased estimate of the second-order estimate of
 * what is left to gain; left_sd: its standard error. */
typedef struct gbs_subsample_estimates {
    double risk, left, left_sd;
} gbs_subsample_estimates;

gbs_status gbs_subsample_create(const gbs_problem *problem, gbs_family family, gbs_subsample *out);
void gbs_subsample_free(gbs_subsample *j);

/* F at g by a few draws, the same ones each time: for comparing one g with another. */
gbs_status gbs_subsample_value(gbs_subsample *j, const gbs_gaussian *g, double *value);
/* Risk and slopes at g by many draws, others than those. */
gbs_status gbs_subsample_estimate(gbs_subsample *j, const gbs_gaussian *g,
                                  gbs_subsample_estimates *out);

/* Second-order estimate of what is left to gain where the slopes are `d_mean` and `pull`: over m
 * with the curvature's diagonal alone. It is a quadratic form in the slopes; `curvature` is the
 * pull that m's curvature is taken from. */
double gbs_estimate_left(const gbs_problem *problem, const gbs_gaussian *g, const double *d_mean,
                         const double *pull, const double *curvature, double *square);

#endif
