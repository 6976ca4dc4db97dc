/* Design rows for tests that look inside: dense, and sparse with a shift, with blocks of any size;
 * problems over them. */
#ifndef GIBBSITE_TESTS_ROWS_SUPPORT_H
#define GIBBSITE_TESTS_ROWS_SUPPORT_H

#include "unit/support.h"
#include "vb/free_energy.h"

/* Rows of either kind, and the same rows spelled out in `cells`, which naive loops read. */
struct design {
    gbs_rows rows;
    double *cells, *shift;
    struct table_of_numbers table;
};

/* Dense: the table's cells. Sparse: its CSR form minus a random shift. strip_rows 0: as large as n.
 */
static inline struct design make_design(struct dice *r, size_t n, size_t d, bool sparse,
                                        size_t strip_rows) {
    struct design g = {.table = make_table(r, n, d, sparse ? 0.5 : 1.0, 0.5),
                       .cells = doubles(n * d)};
    g.shift = doubles(d);
    for (size_t k = 0; sparse && k < d; k++)
        g.shift[k] = 0.4 * dice_normal(r);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            g.cells[i * d + k] = g.table.x[i * d + k] - g.shift[k];
    g.rows = (gbs_rows){.d = d, .strip_rows = strip_rows > 0 ? strip_rows : n};
    g.rows.all = (gbs_strip){.n = n, .d = d, .y = g.table.y, .stride = 1};
    if (sparse) {
        g.rows.all.start = g.table.start;
        g.rows.all.column = g.table.column;
        g.rows.all.value = g.table.value;
        g.rows.all.shift = g.shift;
        g.rows.shift_norm2 = gbs_dot(d, g.shift, g.shift);
    } else {
        g.rows.all.dense = g.cells;
        g.rows.all.ld = d;
    }
    return g;
}

static inline void free_design(struct design *g) {
    free(g->cells);
    free(g->shift);
    free_table(&g->table);
}

/* A problem with its workspace and one point of a family, ready to be evaluated. */
struct bench {
    gbs_context *ctx;
    gbs_empirical *risk;
    gbs_problem problem;
    const gbs_family_ops *family;
    gbs_gaussian g;
    gbs_workspace workspace;
    gbs_point point;
    double *prior_mean;
    double square[64 * 64];
};

/* Takes over the risk, and its context. The prior mean is random; the posterior is the prior. */
static inline struct bench *make_bench_on(struct dice *r, gbs_empirical *risk, gbs_family family,
                                          double lambda, double prior_sd, bool curvature) {
    struct bench *b = take(1, sizeof *b);
    size_t d = risk->d;
    b->ctx = risk->ctx;
    b->risk = risk;
    b->prior_mean = doubles(d);
    for (size_t k = 0; k < d; k++)
        b->prior_mean[k] = 0.5 * dice_normal(r);
    b->problem = (gbs_problem){b->ctx, risk, {b->prior_mean, prior_sd * prior_sd}, lambda};
    b->family = gbs_family_of(family);
    assert_true(d <= 64);
    assert_ok(b->ctx, gbs_gaussian_create(b->ctx, family, d, &b->problem.prior, 0.3, &b->g));
    assert_ok(b->ctx, gbs_workspace_create(risk, family, curvature, &b->workspace));
    assert_ok(b->ctx, gbs_point_create(b->ctx, d, family, curvature, &b->point));
    return b;
}

static inline struct bench *make_bench(struct dice *r, const gbs_rows *rows, gbs_loss loss,
                                       gbs_family family, double lambda, double prior_sd,
                                       bool curvature) {
    gbs_context *ctx = new_context(2, 7);
    gbs_empirical *risk;
    assert_ok(ctx, gbs_empirical_over_rows(ctx, rows, gbs_loss_of(loss), &risk));
    return make_bench_on(r, risk, family, lambda, prior_sd, curvature);
}

/* The same over the pairs of the rows. */
static inline struct bench *make_pair_bench(struct dice *r, const gbs_rows *rows, gbs_loss loss,
                                            gbs_family family, double lambda, double prior_sd,
                                            bool curvature) {
    gbs_context *ctx = new_context(2, 7);
    gbs_empirical *risk;
    assert_ok(ctx, gbs_empirical_over_pairs(ctx, rows, true, gbs_loss_of(loss), &risk));
    return make_bench_on(r, risk, family, lambda, prior_sd, curvature);
}

static inline void free_bench(struct bench *b) {
    gbs_gaussian_free(b->ctx, &b->g);
    gbs_workspace_free(&b->workspace);
    gbs_point_free(b->ctx, &b->point);
    gbs_empirical_free(b->risk);
    free(b->prior_mean);
    gbs_context_free(b->ctx);
    free(b);
}

static inline double evaluate(struct bench *b) {
    assert_ok(b->ctx, gbs_evaluate(&b->problem, &b->g, &b->workspace, &b->point));
    return b->point.free_energy;
}

/* A random member of the family: mean of size `mean_size`, standard deviations around `spread`. */
static inline void move_randomly(struct dice *r, struct bench *b, double mean_size, double spread) {
    size_t d = b->g.d, size = b->family->free_size(d);
    double *z = doubles(size);
    for (size_t k = 0; k < d; k++)
        b->g.mean[k] = mean_size * dice_normal(r);
    for (size_t k = 0; k < size; k++)
        z[k] = log(spread) + 0.3 * dice_normal(r);
    if (b->g.family == GBS_FAMILY_FULL) {
        size_t next = 0;
        for (size_t i = 0; i < d; i++)
            for (size_t j = i; j < d; j++, next++)
                z[next] = i == j ? z[next] : 0.4 * spread * dice_normal(r);
    }
    b->family->set_free(&b->g, z);
    if (b->g.family == GBS_FAMILY_FULL)
        gbs_full_refresh_precision(&b->g);
    free(z);
}

/* The spread of `to` = precision (1 - step) S^-1 + step (I/v + pull), as a natural-gradient step
 * sets it; `to` may be b->g. */
static inline bool mix_precision(const struct bench *b, const double *pull, double step,
                                 gbs_gaussian *to) {
    size_t count = b->family->free_size(b->g.d);
    double *p = doubles(2 * count), *aim = p + count;
    b->family->get_precision(&b->g, p);
    b->family->aim_precision(&b->g, pull, b->problem.prior.variance, aim);
    for (size_t k = 0; k < count; k++)
        p[k] = (1.0 - step) * p[k] + step * aim[k];
    bool ok = b->family->set_precision(to, p);
    free(p);
    return ok;
}

/* S, row-major, both triangles. */
static inline void covariance_of(const gbs_gaussian *g, double *s) {
    size_t d = g->d;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            double sum = 0.0;
            for (size_t k = 0; g->family == GBS_FAMILY_FULL && k < d; k++)
                sum += g->factor[i * d + k] * g->factor[j * d + k];
            if (g->family != GBS_FAMILY_FULL && i == j) {
                double sd = g->sd[g->family == GBS_FAMILY_DIAGONAL ? i : 0];
                sum = sd * sd;
            }
            s[i * d + j] = sum;
        }
}

#endif
