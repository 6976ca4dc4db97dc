/* The row space of wide data. */
#include "vb/reduction.h"

#include "kernel/linalg.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Row i of the data as a dense vector. */
static void dense_row(const gbs_rows *rows, size_t i, double *out) {
    gbs_strip one = rows->all;
    one.n = 1;
    if (one.dense != NULL)
        one.dense += i * one.ld;
    else
        one.start += i * one.stride;
    gbs_strip_densify(&one, out);
}

struct gram {
    const gbs_rows *rows;
    const double *weight; /* NULL: 1 */
    const size_t *pick;   /* NULL: all rows */
    size_t count;
    double *scratch, *k;
};

/* One row of K: x_i, weighted and spread out densely, against the rows up to it. */
static void gram_row(void *arg, size_t i, size_t worker) {
    const struct gram *g = arg;
    size_t d = g->rows->d;
    double *x = g->scratch + worker * d;
    dense_row(g->rows, g->pick != NULL ? g->pick[i] : i, x);
    for (size_t k = 0; g->weight != NULL && k < d; k++)
        x[k] *= g->weight[k];
    const gbs_strip *b = &g->rows->all;
    double shift_dot = b->shift != NULL ? gbs_dot(d, b->shift, x) : 0.0;
    for (size_t j = 0; j <= i; j++) {
        size_t row = g->pick != NULL ? g->pick[j] : j;
        double sum = 0.0;
        if (b->dense != NULL) {
            sum = gbs_dot(d, b->dense + row * b->ld, x);
        } else {
            gbs_strip one = *b;
            one.n = 1;
            one.start += row * b->stride;
            gbs_strip_scores(&one, x, shift_dot, &sum);
        }
        g->k[i * g->count + j] = sum;
    }
}

gbs_status gbs_rows_gram(gbs_context *ctx, const gbs_rows *rows, const double *weight,
                         const size_t *pick, size_t count, double *k) {
    struct gram g = {rows, weight, pick, count, gbs_matrix(ctx, gbs_workers(ctx), rows->d), k};
    if (g.scratch == NULL)
        return GBS_ERR_MEMORY;
    gbs_parallel_for(ctx, count, (double)count * (double)count * (double)rows->d, gram_row, &g);
    gbs_status status = gbs_check_cancel(ctx);
    gbs_symmetrise(count, k);
    gbs_array_free(ctx, g.scratch);
    return status;
}

/* u0 = Q m0 = Lp^-1 Xp m0 */
static gbs_status reduce_prior_mean(gbs_reduction *r, const gbs_prior *prior) {
    if (prior->mean == NULL)
        return GBS_OK;
    size_t n = r->rows->all.n;
    double *scores = gbs_doubles(r->ctx, n);
    r->prior_mean = gbs_doubles(r->ctx, r->rank);
    if (scores == NULL || r->prior_mean == NULL) {
        gbs_array_free(r->ctx, scores);
        return GBS_ERR_MEMORY;
    }
    const double *shift = r->rows->all.shift;
    gbs_strip_scores(&r->rows->all, prior->mean,
                     shift != NULL ? gbs_dot(r->rows->d, shift, prior->mean) : 0.0, scores);
    for (size_t i = 0; i < r->rank; i++)
        r->prior_mean[i] = scores[r->pivot[i]];
    gbs_lower_solve(r->rank, r->lower, r->rank, false, r->prior_mean);
    gbs_array_free(r->ctx, scores);
    return GBS_OK;
}

/* Lp and L in the data's row order, out of the factored gram matrix. */
static gbs_status unpack_factor(gbs_reduction *r, const double *k) {
    size_t n = r->rows->all.n, rank = r->rank;
    r->lower = gbs_matrix(r->ctx, rank, rank);
    r->design = gbs_matrix(r->ctx, n, rank);
    if (r->lower == NULL || r->design == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        memcpy(r->design + (size_t)r->pivot[i] * rank, k + i * n, rank * sizeof *k);
        if (i < rank)
            memcpy(r->lower + i * rank, k + i * n, rank * sizeof *k);
    }
    return GBS_OK;
}

gbs_status gbs_reduction_create(gbs_context *ctx, const gbs_rows *rows, const gbs_prior *prior,
                                gbs_reduction *out) {
    size_t n = rows->all.n;
    *out = (gbs_reduction){.ctx = ctx, .rows = rows};
    if (n > INT_MAX)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "%zu rows are too many for the dual form", n);
    double *k = gbs_matrix(ctx, n, n), *work = gbs_doubles(ctx, 2 * n);
    out->pivot = gbs_array_alloc(ctx, n, sizeof *out->pivot);
    gbs_status status = k != NULL && work != NULL && out->pivot != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_rows_gram(ctx, rows, NULL, NULL, n, k);
    if (status == GBS_OK) {
        out->rank = gbs_pivoted_cholesky(n, k, out->pivot, work);
        if (out->rank == 0)
            status = gbs_fail(ctx, GBS_ERR_DATA, "every row is zero");
    }
    if (status == GBS_OK)
        status = unpack_factor(out, k);
    if (status == GBS_OK)
        status = reduce_prior_mean(out, prior);
    if (status == GBS_OK)
        out->reduced = gbs_rows_wrap(n, out->rank, out->design, out->rank, rows->all.y);
    gbs_array_free(ctx, k);
    gbs_array_free(ctx, work);
    if (status != GBS_OK)
        gbs_reduction_free(out);
    return status;
}

void gbs_reduction_free(gbs_reduction *r) {
    if (r->ctx == NULL)
        return;
    gbs_array_free(r->ctx, r->pivot);
    gbs_array_free(r->ctx, r->lower);
    gbs_array_free(r->ctx, r->design);
    gbs_array_free(r->ctx, r->prior_mean);
    *r = (gbs_reduction){0};
}

gbs_status gbs_reduction_lift(const gbs_reduction *r, const double *u, const gbs_prior *prior,
                              double *m) {
    size_t d = r->rows->d, rank = r->rank;
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
        dense_row(r->rows, (size_t)r->pivot[i], row);
        cblas_daxpy((int)d, alpha[i], row, 1, m, 1);
    }
    gbs_array_free(r->ctx, alpha);
    gbs_array_free(r->ctx, row);
    return GBS_OK;
}

/* T = Q S Q' = Lp^-1 (Xp S Xp') Lp^-T */
gbs_status gbs_reduction_project(const gbs_reduction *r, const gbs_gaussian *from,
                                 gbs_gaussian *to) {
    size_t rank = r->rank, d = r->rows->d;
    gbs_status status = GBS_ERR_MEMORY;
    double *tau = gbs_doubles(r->ctx, d), *scores = gbs_doubles(r->ctx, r->rows->all.n);
    size_t *pick = gbs_array_alloc(r->ctx, rank, sizeof *pick);
    if (tau == NULL || scores == NULL || pick == NULL)
        goto cleanup;
    for (size_t k = 0; k < d; k++)
        tau[k] = from->tau != NULL ? from->tau[k] : from->sd[0] * from->sd[0];
    const double *shift = r->rows->all.shift;
    gbs_strip_scores(&r->rows->all, from->mean, shift != NULL ? gbs_dot(d, shift, from->mean) : 0.0,
                     scores);
    for (size_t i = 0; i < rank; i++) {
        pick[i] = (size_t)r->pivot[i];
        to->mean[i] = scores[pick[i]];
    }
    gbs_lower_solve(rank, r->lower, rank, false, to->mean);
    double *t = to->precision;
    status = gbs_rows_gram(r->ctx, r->rows, tau, pick, rank, t);
    if (status != GBS_OK)
        goto cleanup;
    int size = (int)rank;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, size, size, 1.0,
                r->lower, size, t, size);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, size, size, 1.0,
                r->lower, size, t, size);
    /* precision = T^-1 = (G^-1)'(G^-1), T = G G' */
    if (!gbs_cholesky(rank, t) || !gbs_lower_inverse(rank, t)) {
        status = gbs_fail(r->ctx, GBS_ERR_NUMERIC, "a covariance in the row space is singular");
        goto cleanup;
    }
    memcpy(to->factor, t, rank * rank * sizeof *t);
    cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, size, size, 1.0,
                to->factor, size, t, size);
    if (!gbs_full_set_precision(to))
        status = gbs_fail(r->ctx, GBS_ERR_NUMERIC, "a covariance in the row space is singular");
cleanup:
    gbs_array_free(r->ctx, tau);
    gbs_array_free(r->ctx, scores);
    gbs_array_free(r->ctx, pick);
    return status;
}
