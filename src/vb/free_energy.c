/* The free energy of a Gaussian: what the risk says (risk/risk.h), and what the prior adds.
 *
 *   F = lambda r + KL,   dF/dm = lambda dr/dm + (m - m0)/v                    (docs/maths.md, 4.1)
 */
#include "vb/free_energy.h"

#include <math.h>

gbs_status gbs_workspace_create(const gbs_empirical *risk, gbs_family family, bool curvature,
                                gbs_workspace *out) {
    gbs_pull pull = gbs_family_of(family)->pull;
    bool matrices = curvature || pull == GBS_PULL_MATRIX;
    *out = (gbs_workspace){.ctx = risk->ctx};
    gbs_status status = gbs_empirical_room(risk, pull, curvature, &out->room);
    if (status == GBS_OK && matrices &&
        (out->square = gbs_matrix(risk->ctx, risk->d, risk->d)) == NULL)
        status = GBS_ERR_MEMORY;
    if (status != GBS_OK)
        gbs_workspace_free(out);
    return status;
}

void gbs_workspace_free(gbs_workspace *w) {
    if (w->ctx == NULL)
        return;
    gbs_room_free(w->room);
    gbs_array_free(w->ctx, w->square);
    *w = (gbs_workspace){0};
}

gbs_status gbs_point_create(gbs_context *ctx, size_t d, gbs_family family, bool curvature,
                            gbs_point *out) {
    *out = (gbs_point){0};
    out->d_mean = gbs_doubles(ctx, d);
    out->pull = gbs_doubles(ctx, gbs_pull_size(gbs_family_of(family)->pull, d));
    out->curvature = curvature ? gbs_matrix(ctx, d, d) : NULL;
    if (out->d_mean == NULL || out->pull == NULL || (curvature && out->curvature == NULL)) {
        gbs_point_free(ctx, out);
        return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

void gbs_point_free(const gbs_context *ctx, gbs_point *p) {
    gbs_array_free(ctx, p->d_mean);
    gbs_array_free(ctx, p->pull);
    gbs_array_free(ctx, p->curvature);
    *p = (gbs_point){0};
}

gbs_status gbs_evaluate(const gbs_problem *problem, const gbs_gaussian *g, gbs_workspace *workspace,
                        gbs_point *out) {
    gbs_spread spread = gbs_gaussian_spread(g);
    gbs_slopes slopes = {.d_mean = out->d_mean, .pull = out->pull, .curvature = out->curvature};
    gbs_status status = gbs_check_cancel(problem->ctx);
    if (status == GBS_OK)
        status = gbs_empirical_slopes(problem->risk, &spread, problem->lambda, workspace->room,
                                      &slopes);
    if (status != GBS_OK)
        return status;
    for (size_t k = 0; k < g->d; k++)
        out->d_mean[k] += (g->mean[k] -
                           (problem->prior.mean != NULL ? problem->prior.mean[k] : 0.0)) /
                          problem->prior.variance;
    out->risk = slopes.risk;
    out->kl = gbs_gaussian_kl(g, &problem->prior);
    out->free_energy = problem->lambda * out->risk + out->kl;
    if (!isfinite(out->free_energy))
        out->free_energy = INFINITY;
    return GBS_OK;
}

double gbs_optimality_gap(const gbs_problem *problem, const gbs_gaussian *g, const gbs_point *p,
                          double *square) {
    double v = problem->prior.variance;
    double gap = 0.5 * v * gbs_dot(g->d, p->d_mean, p->d_mean);
    gap += gbs_family_of(g->family)->gap(g, p->pull, v, square);
    return isnan(gap) ? INFINITY : gap; /* slopes that overflow prove nothing */
}
