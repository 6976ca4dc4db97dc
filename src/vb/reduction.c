/* The row space of wide data. */
#include "vb/reduction.h"

#include "kernel/linalg.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* u0 = Q m0 = Lp^-1 Xp m0 */
static gbs_status reduce_prior_mean(gbs_reduction *r, const gbs_prior *prior) {
    if (prior->mean == NULL)
        return GBS_OK;
    double *scores = gbs_doubles(r->ctx, r->held->n);
    r->prior_mean = gbs_doubles(r->ctx, r->rank);
    if (scores == NULL || r->prior_mean == NULL) {
        gbs_array_free(r->ctx, scores);
        return GBS_ERR_MEMORY;
    }
    r->held->pass->scores(r->held, 0, r->held->n, prior->mean, scores);
    for (size_t i = 0; i < r->rank; i++)
        r->prior_mean[i] = scores[r->pivot[i]];
    gbs_lower_solve(r->rank, r->lower, r->rank, false, r->prior_mean);
    gbs_array_free(r->ctx, scores);
    return GBS_OK;
}

/* Lp and L in the data's row order, out of the factored gram matrix. */
static gbs_status unpack_factor(gbs_reduction *r, const double *k) {
    size_t n = r->held->n, rank = r->rank;
    r->lower = gbs_matrix(r->ctx, rank, rank);
    r->design = gbs_matrix(r->ctx, n, rank);
    if (r->lower == NULL || r->design == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        memcpy(r->design + r->pivot[i] * rank, k + i * n, rank * sizeof *k);
        if (i < rank)
            memcpy(r->lower + i * rank, k + i * n, rank * sizeof *k);
    }
    return GBS_OK;
}

/* K = L L' with its rows in the order of the pivots, in place. */
static gbs_status factor(gbs_reduction *r, double *k) {
    size_t n = r->held->n;
    double *work = gbs_doubles(r->ctx, 2 * n);
    int *pivot = gbs_array_alloc(r->ctx, n, sizeof *pivot);
    r->pivot = gbs_array_alloc(r->ctx, n, sizeof *r->pivot);
    gbs_status status = work != NULL && pivot != NULL && r->pivot != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        r->rank = gbs_pivoted_cholesky(n, k, pivot, work);
        if (r->rank == 0)
            status = gbs_fail(r->ctx, GBS_ERR_DATA, "every row is zero");
    }
    for (size_t i = 0; status == GBS_OK && i < n; i++)
        r->pivot[i] = (size_t)pivot[i];
    gbs_array_free(r->ctx, work);
    gbs_array_free(r->ctx, pivot);
    return status;
}

gbs_status gbs_reduction_create(const gbs_empirical *risk, const gbs_prior *prior,
                                gbs_reduction *out) {
    gbs_context *ctx = risk->ctx;
    const gbs_held *held = risk->held;
    size_t n = held->n;
    *out = (gbs_reduction){.ctx = ctx, .held = held};
    if (n > INT_MAX)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "%zu rows are too many for the dual form", n);
    double *k = gbs_matrix(ctx, n, n);
    gbs_status status = k != NULL ? held->pass->gram(held, NULL, NULL, n, k) : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = factor(out, k);
    if (status == GBS_OK)
        status = unpack_factor(out, k);
    if (status == GBS_OK)
        status = reduce_prior_mean(out, prior);
    if (status == GBS_OK)
        status = gbs_empirical_on_design(risk, out->rank, out->design, &out->reduced);
    gbs_array_free(ctx, k);
    if (status != GBS_OK)
        gbs_reduction_free(out);
    return status;
}

void gbs_reduction_free(gbs_reduction *r) {
    if (r->ctx == NULL)
        return;
    gbs_empirical_free(r->reduced);
    gbs_array_free(r->ctx, r->pivot);
    gbs_array_free(r->ctx, r->lower);
    gbs_array_free(r->ctx, r->design);
    gbs_array_free(r->ctx, r->prior_mean);
    *r = (gbs_reduction){0};
}

gbs_status gbs_reduction_lift(const gbs_reduction *r, const double *u, const gbs_prior *prior,
                              double *m) {
    size_t d = r->held->d, rank = r->rank;
    double *alpha = gbs_doubles(r->ctx, rank), *row = gbs_doubles(r->ctx, d);
    if (alpha == NULL || row == NULL) {
        gbs_array_free(r->ctx, alpha);
        gbs_array_free(r->ctx, row);
        return GBS_ERR_MEMORY;
    }
    for (size_t i = 0; i < rank; i++)
        alpha[i] = u[i] - (r->prior_mean != NULL ? r->prior_mean[i] : 0.0);
    gbs_lower_solve(rank, r->lower, rank, true, alpha);
    for (size_t k = 0; k < d; k++)
        m[k] = prior->mean != NULL ? prior->mean[k] : 0.0;
    for (size_t i = 0; i < rank; i++) {
        r->held->pass->cells(r->held, r->pivot[i], 1, row);
        gbs_add_scaled(d, alpha[i], row, m);
    }
    gbs_array_free(r->ctx, alpha);
    gbs_array_free(r->ctx, row);
    return GBS_OK;
}

/* T = Q S Q' = Lp^-1 (Xp S Xp') Lp^-T */
gbs_status gbs_reduction_project(const gbs_reduction *r, const gbs_gaussian *from,
                                 gbs_gaussian *to) {
    size_t rank = r->rank, d = r->held->d;
    gbs_spread spread = gbs_gaussian_spread(from);
    gbs_status status = GBS_ERR_MEMORY;
    double *tau = gbs_doubles(r->ctx, d), *scores = gbs_doubles(r->ctx, r->held->n);
    if (tau == NULL || scores == NULL)
        goto cleanup;
    for (size_t k = 0; k < d; k++)
        tau[k] = spread.tau != NULL ? spread.tau[k] : spread.variance;
    r->held->pass->scores(r->held, 0, r->held->n, from->mean, scores);
    for (size_t i = 0; i < rank; i++)
        to->mean[i] = scores[r->pivot[i]];
    gbs_lower_solve(rank, r->lower, rank, false, to->mean);
    double *t = to->precision;
    status = r->held->pass->gram(r->held, tau, r->pivot, rank, t);
    if (status != GBS_OK)
        goto cleanup;
    gbs_triangle_solve_columns(GBS_LOWER, rank, r->lower, rank, t);
    gbs_rows_solve_triangle(GBS_LOWER_TRANSPOSED, rank, r->lower, rank, t);
    /* precision = T^-1 = (G^-1)'(G^-1), T = G G' */
    if (!gbs_cholesky(rank, t) || !gbs_lower_inverse(rank, t)) {
        status = gbs_fail(r->ctx, GBS_ERR_NUMERIC, "a covariance in the row space is singular");
        goto cleanup;
    }
    memcpy(to->factor, t, rank * rank * sizeof *t);
    gbs_triangle_times_columns(GBS_LOWER_TRANSPOSED, rank, to->factor, rank, t);
    if (!gbs_full_set_precision(to))
        status = gbs_fail(r->ctx, GBS_ERR_NUMERIC, "a covariance in the row space is singular");
cleanup:
    gbs_array_free(r->ctx, tau);
    gbs_array_free(r->ctx, scores);
    return status;
}
