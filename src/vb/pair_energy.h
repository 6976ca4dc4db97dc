/* The risk over all pairs of a positive and a negative row, exactly, and its slopes. */
#ifndef GIBBSITE_VB_PAIR_ENERGY_H
#define GIBBSITE_VB_PAIR_ENERGY_H

#include "vb/free_energy.h"

/* What gbs_workspace_create and gbs_evaluate do for rows with `pairs` set: risk, d_mean, pull and
 * curvature of the data's part of F. */
gbs_status gbs_pair_workspace_create(gbs_context *ctx, const gbs_rows *rows, gbs_family family,
                                     bool curvature, gbs_workspace *out);
gbs_status gbs_pair_slopes_of(const gbs_problem *problem, const gbs_gaussian *g,
                              gbs_workspace *workspace, gbs_point *out);

/* Mean of psi over the pairs, and of psi^2 (second_moment may be NULL). 0 when a class is missing.
 */
gbs_status gbs_pair_risk(gbs_context *ctx, const gbs_rows *rows, const gbs_gaussian *g,
                         const gbs_loss_ops *loss, double *risk, double *second_moment);
/* The same with a progress bar of its own, where it is long. */
gbs_status gbs_pair_risk_shown(gbs_context *ctx, const gbs_rows *rows, const gbs_gaussian *g,
                               const gbs_loss_ops *loss, double *risk, double *second_moment);

#endif
