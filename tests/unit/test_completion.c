/* The steps of matrix completion against slow references: half sweeps, variances, the spectral
 * start, and components that come back. */
#include "completion_support.h"

/* The normal equations of item i of a side, written out rating by rating. */
static void slow_update(const gbs_factors *f, const struct matrix_truth *t, int s, size_t i,
                        double *precision, double *right) {
    size_t own = f->own, K = f->rank;
    memset(precision, 0, own * own * sizeof *precision);
    memset(right, 0, own * sizeof *right);
    for (size_t c = 0; c < own; c++)
        precision[c * own + c] = f->side[s].weight[c];
    for (size_t e = 0; e < t->n; e++) {
        if ((s == 0 ? t->row : t->column)[e] != i)
            continue;
        size_t j = (s == 0 ? t->column : t->row)[e];
        double y = f->biases ? t->y[e] - f->ratings->center - f->mu : t->y[e];
        for (size_t c = 0; c < own; c++) {
            double zc = c < K ? mean_at(f, 1 - s, j, c) : 1.0;
            /* E z_c (y - b) = z_c (y - b) - Cov(z_c, b) */
            double b = f->biases ? mean_at(f, 1 - s, j, K) : 0.0,
                   with = f->biases && c < K ? cov_at(f, 1 - s, j, c, K) : 0.0;
            right[c] += f->tau * (zc * (y - b) - with);
            for (size_t d = 0; d < own; d++) {
                double zd = d < K ? mean_at(f, 1 - s, j, d) : 1.0;
                precision[c * own + d] += f->tau *
                                          (zc * zd +
                                           (c < K && d < K ? cov_at(f, 1 - s, j, c, d) : 0.0));
            }
        }
    }
}

static void half_sweep_is_the_slow_one(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    for (int biases = 0; biases < 2; biases++)
        for (size_t rank = biases ? 0 : 1; rank <= 4; rank++) {
            struct matrix_truth t = make_truth(20 + rank, 12, 9, 2, 60, 0.4, biases ? 3.0 : 0.3,
                                               biases);
            gbs_ratings *r = ratings_of(ctx, &t);
            gbs_factors f = started(ctx, r, rank, biases, true);
            size_t own = f.own;
            double *p = doubles(own * own), *b = doubles(own), *unit = doubles(own * own);
            for (int step = 0; step < 4; step++) {
                int s = step % 2;
                gbs_factors before = f;
                before.side[s].mean = NULL; /* the slow one may not look at what is replaced */
                assert_int_equal(gbs_factors_update_side(&f, s), GBS_OK);
                for (size_t i = 0; i < f.side[s].items; i++) {
                    slow_update(&before, &t, s, i, p, b);
                    memset(unit, 0, own * own * sizeof *unit);
                    for (size_t c = 0; c < own; c++)
                        unit[c * own + c] = 1.0;
                    slow_solve(own, p, unit, own);
                    for (size_t c = 0; c < own; c++) {
                        double mean = 0.0;
                        for (size_t d = 0; d < own; d++) {
                            mean += unit[c * own + d] * b[d];
                            assert_close(cov_at(&f, s, i, c, d), unit[c * own + d], 1e-10, 1e-12);
                        }
                        assert_close(mean_at(&f, s, i, c), mean, 1e-9, 1e-10);
                    }
                }
                double error = 0.0;
                for (size_t e = 0; e < t.n; e++)
                    error += slow_error(&f, &t, e);
                assert_close(gbs_factors_error(&f), error, 1e-11, 1e-11);
                gbs_factors_update_mu(&f);
                gbs_factors_update_variances(&f);
                gbs_factors_update_noise(&f);
            }
            free(p), free(b), free(unit);
            gbs_factors_free(&f);
            gbs_ratings_free(r);
            free_truth(&t);
        }
    gbs_context_free(ctx);
}

/* With the columns known exactly, q(u_i, a_i) is the posterior of a Bayesian linear regression:
 * compared with the ridge solution of the stacked least-squares problem, rows of it the ratings and
 * the prior. */
static void known_columns_make_a_regression(void **state) {
    (void)state;
    enum { K = 3, OWN = 4 };
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(31, 5, 40, K, 120, 0.3, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    gbs_factors f = started(ctx, r, K, true, false);
    memset(f.side[1].cov, 0, f.side[1].items * gbs_packed_size(OWN) * sizeof(double));
    for (size_t j = 0; j < t.columns; j++) {
        memcpy(f.side[1].mean + j * OWN, t.v + j * K, K * sizeof(double));
        f.side[1].mean[j * OWN + K] = t.b[j] - 3.0;
    }
    f.mu = 3.0 - r->center;
    assert_int_equal(gbs_factors_update_side(&f, 0), GBS_OK);
    for (size_t i = 0; i < t.rows; i++) {
        double gram[OWN * OWN] = {0}, right[OWN] = {0};
        for (size_t e = 0; e < t.n; e++)
            for (size_t c = 0; c < OWN && t.row[e] == i; c++) {
                const double *v = t.v + t.column[e] * K;
                double z = (c < K ? v[c] : 1.0) * sqrt(f.tau);
                right[c] += z * sqrt(f.tau) * (t.y[e] - t.b[t.column[e]]);
                for (size_t d = 0; d < OWN; d++)
                    gram[c * OWN + d] += z * (d < K ? v[d] : 1.0) * sqrt(f.tau);
            }
        for (size_t c = 0; c < OWN; c++)
            gram[c * OWN + c] += f.side[0].weight[c];
        slow_solve(OWN, gram, right, 1);
        for (size_t c = 0; c < OWN; c++)
            assert_close(mean_at(&f, 0, i, c), right[c], 1e-10, 1e-12);
    }
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* The variances: shape a + (m1 + m2)/2, which the paper's print lacks, is what minimises F; any
 * other shape or scale is worse. */
static void variances_are_the_best(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(41, 12, 9, 2, 60, 0.4, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    gbs_factors f = started(ctx, r, 3, true, true);
    for (int s = 0; s < 4; s++)
        assert_int_equal(gbs_factors_update_side(&f, s % 2), GBS_OK);
    gbs_factors_update_variances(&f);
    gbs_factors_update_mu(&f);
    gbs_factors_update_noise(&f);
    double best = gbs_factors_free_energy(&f), energy = f.side[0].energy[0] + f.side[1].energy[0];
    assert_close(f.shape[0], 1.5 + 21.0 / 2.0, 1e-15, 0.0);
    assert_close(f.scale[0], 0.2 + energy / 2.0, 1e-14, 0.0);
    assert_close(f.shape[3], 1.5 + 12.0 / 2.0, 1e-15, 0.0); /* row biases */
    assert_close(f.shape[4], 1.5 + 9.0 / 2.0, 1e-15, 0.0);
    for (size_t g = 0; g < 5; g++)
        for (int what = 0; what < 4; what++) {
            double shape = f.shape[g], scale = f.scale[g], weight[2][4];
            for (int s = 0; s < 2; s++)
                memcpy(weight[s], f.side[s].weight, sizeof weight[s]);
            f.shape[g] *= what == 0 ? 1.05 : what == 1 ? 0.95 : 1.0;
            f.scale[g] *= what == 2 ? 1.05 : what == 3 ? 0.95 : 1.0;
            for (int s = 0; s < 2; s++)
                if (g < 3 || g == 3 + (size_t)s)
                    f.side[s].weight[g < 3 ? g : 3] = f.shape[g] / f.scale[g];
            assert_true(gbs_factors_free_energy(&f) > best + 1e-5);
            f.shape[g] = shape;
            f.scale[g] = scale;
            for (int s = 0; s < 2; s++)
                memcpy(f.side[s].weight, weight[s], sizeof weight[s]);
        }
    double mu = f.mu, variance = f.mu_variance;
    gbs_factors_update_mu(&f);
    best = gbs_factors_free_energy(&f);
    for (int what = 0; what < 4; what++) {
        mu = f.mu, variance = f.mu_variance;
        f.mu += what == 0 ? 0.02 : what == 1 ? -0.02 : 0.0;
        f.mu_variance *= what == 2 ? 1.05 : what == 3 ? 0.95 : 1.0;
        assert_true(gbs_factors_free_energy(&f) > best + 1e-5);
        f.mu = mu;
        f.mu_variance = variance;
    }
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- the spectral start */

/* Eigenvectors of a symmetric matrix by Jacobi's rotations, one a column of v; the values stay on
 * the diagonal of a. */
static void slow_eigen(size_t d, double *a, double *v) {
    for (size_t i = 0; i < d * d; i++)
        v[i] = i % (d + 1) == 0 ? 1.0 : 0.0;
    for (int round = 0; round < 60; round++)
        for (size_t p = 0; p < d; p++)
            for (size_t q = p + 1; q < d; q++) {
                double theta = 0.5 * atan2(2.0 * a[p * d + q], a[p * d + p] - a[q * d + q]),
                       c = cos(theta), s = sin(theta);
                for (size_t k = 0; k < d; k++) {
                    double x = a[k * d + p], y = a[k * d + q];
                    a[k * d + p] = c * x + s * y;
                    a[k * d + q] = c * y - s * x;
                    x = v[k * d + p], y = v[k * d + q];
                    v[k * d + p] = c * x + s * y;
                    v[k * d + q] = c * y - s * x;
                }
                for (size_t k = 0; k < d; k++) {
                    double x = a[p * d + k], y = a[q * d + k];
                    a[p * d + k] = c * x + s * y;
                    a[q * d + k] = c * y - s * x;
                }
            }
}

/* Against the matrix written out: shrunken means taken off, scaled by the numbers of ratings, its
 * singular vectors by Jacobi. */
static void spectral_start_is_the_slow_one(void **state) {
    (void)state;
    enum { ROWS = 40, COLUMNS = 25, K = 3 };
    gbs_context *ctx = new_context(2, 1);
    for (int biases = 0; biases < 2; biases++) {
        struct matrix_truth t = make_truth(75, ROWS, COLUMNS, K, 700, 0.1, biases ? 3.0 : 0.0,
                                           biases);
        gbs_ratings *r = ratings_of(ctx, &t);
        gbs_factors f = started(ctx, r, K, biases, true);
        assert_int_equal(gbs_factors_start_spectral(&f, 5), GBS_OK);
        double a[ROWS] = {0}, b[COLUMNS] = {0}, count[2][ROWS] = {{0}}, m[ROWS * COLUMNS] = {0};
        double gram[COLUMNS * COLUMNS] = {0}, v[COLUMNS * COLUMNS];
        for (size_t e = 0; e < t.n; e++) {
            count[0][t.row[e]] += 1.0;
            count[1][t.column[e]] += 1.0;
            a[t.row[e]] += biases ? t.y[e] - r->center : 0.0;
        }
        for (size_t i = 0; i < ROWS; i++)
            a[i] /= count[0][i] + 3.0;
        for (size_t e = 0; e < t.n; e++)
            b[t.column[e]] += biases ? t.y[e] - r->center - a[t.row[e]] : 0.0;
        for (size_t j = 0; j < COLUMNS; j++)
            b[j] /= count[1][j] + 3.0;
        for (size_t e = 0; e < t.n; e++) {
            size_t i = t.row[e], j = t.column[e];
            m[i * COLUMNS + j] += (t.y[e] - (biases ? r->center + a[i] + b[j] : 0.0)) /
                                  sqrt((count[0][i] + 700.0 / ROWS) *
                                       (count[1][j] + 700.0 / COLUMNS));
        }
        for (size_t j = 0; j < COLUMNS; j++)
            for (size_t l = 0; l < COLUMNS; l++)
                for (size_t i = 0; i < ROWS; i++)
                    gram[j * COLUMNS + l] += m[i * COLUMNS + j] * m[i * COLUMNS + l];
        slow_eigen(COLUMNS, gram, v);
        for (size_t k = 0; k < K; k++) {
            size_t best = 0;
            for (size_t j = 0; j < COLUMNS; j++)
                best = gram[j * (COLUMNS + 1)] > gram[best * (COLUMNS + 1)] ? j : best;
            double dot = 0.0, norm = 0.0, square = 0.0;
            for (size_t j = 0; j < COLUMNS; j++) {
                double x = mean_at(&f, 1, j, k), w = x * sqrt(count[1][j] + 700.0 / COLUMNS);
                dot += w * v[j * COLUMNS + best];
                norm += w * w;
                square += x * x / COLUMNS;
            }
            assert_close(fabs(dot) / sqrt(norm), 1.0, 1e-5, 0.0);
            assert_close(square, 2.0 * sqrt(gram[best * (COLUMNS + 1)]), 1e-5, 0.0);
            gram[best * (COLUMNS + 1)] = -1.0;
        }
        for (size_t j = 0; biases && j < COLUMNS; j++)
            assert_close(mean_at(&f, 1, j, K), b[j], 1e-12, 1e-12);
        gbs_factors_free(&f);
        gbs_ratings_free(r);
        free_truth(&t);
    }
    gbs_context_free(ctx);
}

/* Dropped components come back with columns of the asked size; those that stayed, biases and
 * weights are untouched. */
static void reopening_leaves_the_others(void **state) {
    (void)state;
    static const bool keep[] = {false, true, false, true, true};
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(31, 40, 3000, 2, 500, 0.5, 3.0, true);
    for (int biases = 0; biases < 2; biases++) {
        gbs_ratings *r = ratings_of(ctx, &t);
        gbs_factors f = started(ctx, r, 4, biases != 0, true);
        for (int s = 0; s < 2; s++) {
            for (size_t k = 0; k < f.side[s].items * f.own; k++)
                f.side[s].mean[k] = (double)k + 0.5;
            for (size_t c = 0; c < f.own; c++)
                f.side[s].weight[c] = 10.0 + (double)c;
        }
        gbs_factors_keep(&f, keep);
        assert_int_equal(f.rank, 2);
        gbs_factors_reopen(&f, 0.3, 55);
        size_t own = biases ? 5 : 4;
        assert_true(f.rank == 4 && f.own == own && f.wide == own + (biases ? 1 : 0));
        double squares = 0.0;
        for (int s = 0; s < 2; s++) {
            for (size_t i = 0; i < f.side[s].items; i++) {
                double first = (double)(i * own) + 0.5;
                assert_true(mean_at(&f, s, i, 0) == first + 1.0 &&
                            mean_at(&f, s, i, 1) == first + 3.0);
                assert_true(!biases || mean_at(&f, s, i, 4) == first + 4.0);
                for (size_t k = 2; s == 1 && k < 4; k++)
                    squares += mean_at(&f, 1, i, k) * mean_at(&f, 1, i, k) / 6000.0;
            }
            assert_true(f.side[s].weight[0] == 11.0 && f.side[s].weight[1] == 13.0);
            assert_true(f.side[s].weight[2] == 1.0 / 0.3 && f.side[s].weight[3] == 1.0 / 0.3);
            assert_true(!biases || f.side[s].weight[4] == 14.0);
        }
        /* 6000 squares of normals: five standard errors */
        assert_close(squares, 0.3, 5.0 * sqrt(2.0 / 6000.0), 0.0);
        gbs_factors_free(&f);
        gbs_ratings_free(r);
    }
    free_truth(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_sweep_is_the_slow_one),
        cmocka_unit_test(known_columns_make_a_regression),
        cmocka_unit_test(variances_are_the_best),
        cmocka_unit_test(spectral_start_is_the_slow_one),
        cmocka_unit_test(reopening_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
