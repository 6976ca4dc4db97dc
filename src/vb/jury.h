/* A jury of random rows that judges a posterior over pairs where all pairs are too many. */
#ifndef GIBBSITE_VB_JURY_H
#define GIBBSITE_VB_JURY_H

#include "vb/batch.h"
#include "vb/solve.h"

typedef struct gbs_jury {
    gbs_problem problem; /* on one panel */
    const gbs_rows *all;
    gbs_batch panel;
    gbs_engine engine;
    double *slopes; /* of each group of panels: d_mean, pull; then their mean, and room for a middle */
    size_t d, slope_size;
} gbs_jury;

/* What a jury makes of a posterior. left: an unbiased estimate of the second-order estimate of what is left to gain; left_sd: its standard error. */
typedef struct gbs_hearing {
    double risk, left, left_sd;
} gbs_hearing;

gbs_status gbs_jury_create(const gbs_problem *problem, gbs_family family, gbs_jury *out);
void gbs_jury_free(gbs_jury *j);

/* F at g by a few panels, the same ones each time: for comparing one g with another. */
gbs_status gbs_jury_value(gbs_jury *j, const gbs_gaussian *g, double *value);
/* Risk and slopes at g by many panels, others than those. */
gbs_status gbs_jury_hear(gbs_jury *j, const gbs_gaussian *g, gbs_hearing *out);

/* Second-order estimate of what is left to gain where the slopes are `d_mean` and `pull`: over m with the curvature's diagonal alone. It is a quadratic
 * form in the slopes; `curvature` is the pull that m's curvature is taken from. */
double gbs_estimate_left(const gbs_problem *problem, const gbs_gaussian *g, const double *d_mean, const double *pull,
                         const double *curvature, double *square);

#endif
