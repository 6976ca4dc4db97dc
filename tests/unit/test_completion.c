/* Matrix completion: kernels, updates against slow references, the free energy against Monte Carlo, recovery of a known truth. */
#include "completion_support.h"

#include "completion/draws.h"
#include "core/random.h"
#include "kernel/special.h"

#include <mpfr.h>

/* ---------------------------------------------------------------- kernels */

static void digamma_is_that_of_mpfr(void **state) {
    (void)state;
    mpfr_t x, y;
    mpfr_inits2(200, x, y, (mpfr_ptr)0);
    for (int k = 0; k < 132; k++) { /* up to 1e12 */
        double at = 1e-6 * pow(1.37, k);
        mpfr_set_d(x, at, MPFR_RNDN);
        mpfr_digamma(y, x, MPFR_RNDN);
        assert_close(gbs_digamma(at), mpfr_get_d(y, MPFR_RNDN), 4e-15, 4e-15);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
    mpfr_free_cache();
}

static void small_gaussians(void **state) {
    (void)state;
    struct dice r = {11};
    for (size_t d = 1; d <= 70; d += d < 8 ? 1 : 9) {
        double *p = doubles(d * d), *a = doubles(d * d), *l = doubles(d * d), *slow = doubles(d * d), *inverse = doubles(d * d);
        double *packed = doubles(gbs_packed_size(d)), *b = doubles(d), *x = doubles(d), *work = doubles(d), log_det;
        for (size_t i = 0; i < d; i++) {
            b[i] = dice_normal(&r);
            inverse[i * d + i] = 1.0;
            for (size_t j = 0; j <= i; j++)
                p[i * d + j] = p[j * d + i] = dice_between(&r, -1.0, 1.0) + (i == j ? (double)d : 0.0);
        }
        memcpy(a, p, d * d * sizeof *a);
        memcpy(slow, p, d * d * sizeof *a);
        slow_solve(d, slow, inverse, d);
        assert_true(gbs_small_factor(d, a, l, &log_det));
        double det = 0.0; /* slow holds the pivots on its diagonal, up to the order of rows */
        for (size_t i = 0; i < d; i++)
            det += log(fabs(slow[i * d + i]));
        assert_close(log_det, det, 1e-12, 1e-12);
        gbs_small_inverse(d, l, packed);
        for (size_t i = 0, at = 0; i < d; i++)
            for (size_t j = i; j < d; j++, at++)
                assert_close(packed[at], inverse[i * d + j], 1e-11, 1e-13);
        gbs_small_solve(d, l, b, NULL, work, x);
        for (size_t i = 0; i < d; i++) {
            double back = 0.0;
            for (size_t j = 0; j < d; j++)
                back += p[i * d + j] * x[j];
            assert_close(back, b[i], 1e-11, 1e-11);
        }
        free(p), free(a), free(l), free(slow), free(inverse), free(packed), free(b), free(x), free(work);
    }
    double bad[4] = {1.0, 2.0, 2.0, 1.0}, l[4], log_det;
    assert_false(gbs_small_factor(2, bad, l, &log_det));
    double nan[1] = {NAN};
    assert_false(gbs_small_factor(1, nan, l, &log_det));
}

static void records_are_summed(void **state) {
    (void)state;
    enum { ITEMS = 9, STRIDE = 24, PLAIN = 15, WEIGHTED = 5 };
    struct dice r = {12};
    double records[ITEMS * STRIDE];
    for (size_t i = 0; i < ITEMS * STRIDE; i++)
        records[i] = dice_normal(&r);
    for (size_t count = 0; count < 12; count++) {
        uint32_t other[12];
        double y[12], sum[STRIDE] = {0};
        for (size_t e = 0; e < count; e++) {
            other[e] = (uint32_t)dice_below(&r, ITEMS);
            y[e] = dice_normal(&r);
        }
        gbs_sum_records(count, other, y, 0.25, records, STRIDE, PLAIN, WEIGHTED, sum);
        for (size_t k = 0; k < PLAIN + WEIGHTED; k++) {
            double slow = 0.0;
            for (size_t e = 0; e < count; e++)
                slow += records[other[e] * STRIDE + k] * (k < PLAIN ? 1.0 : y[e] + 0.25);
            assert_close(sum[k], slow, 1e-13, 1e-13);
        }
    }
}

/* ---------------------------------------------------------------- updates */

/* The normal equations of item i of a side, written out rating by rating. */
static void slow_update(const gbs_factors *f, const struct matrix_truth *t, int s, size_t i, double *precision, double *right) {
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
            double b = f->biases ? mean_at(f, 1 - s, j, K) : 0.0, with = f->biases && c < K ? cov_at(f, 1 - s, j, c, K) : 0.0;
            right[c] += f->tau * (zc * (y - b) - with);
            for (size_t d = 0; d < own; d++) {
                double zd = d < K ? mean_at(f, 1 - s, j, d) : 1.0;
                precision[c * own + d] += f->tau * (zc * zd + (c < K && d < K ? cov_at(f, 1 - s, j, c, d) : 0.0));
            }
        }
    }
}

static void half_sweep_is_the_slow_one(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    for (int biases = 0; biases < 2; biases++)
        for (size_t rank = biases ? 0 : 1; rank <= 4; rank++) {
            struct matrix_truth t = make_truth(20 + rank, 12, 9, 2, 60, 0.4, biases ? 3.0 : 0.3, biases);
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

/* With the columns known exactly, q(u_i, a_i) is the posterior of a Bayesian linear regression: compared with the ridge solution of the stacked least-squares
 * problem, rows of it the ratings and the prior. */
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

/* The variances: shape a + (m1 + m2)/2, which the paper's print lacks, is what minimises F; any other shape or scale is worse. */
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

/* ---------------------------------------------------------------- free energy */

/* A draw of N(mean, packed cov) of dimension d, and its log density (without the constant of 2 pi). */
static double draw_gaussian(struct dice *r, size_t d, const double *mean, const double *cov, double *x) {
    double a[16], l[16], log_det, q = 0.0;
    for (size_t i = 0; i < d; i++)
        memcpy(a + i * d + i, cov + gbs_packed(d, i), (d - i) * sizeof *a);
    assert_true(gbs_small_factor(d, a, l, &log_det));
    memcpy(x, mean, d * sizeof *x);
    for (size_t k = 0; k < d; k++) {
        double e = dice_normal(r);
        q += e * e;
        for (size_t c = k; c < d; c++)
            x[c] += e * a[k * d + c];
    }
    return -0.5 * (q + log_det);
}

/* Marsaglia and Tsang with the tests' own dice; shape > 1. */
static double dice_gamma(struct dice *r, double shape) {
    double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        double x = dice_normal(r), v = 1.0 + c * x;
        v = v * v * v;
        if (v > 0.0 && log(dice_uniform(r)) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

static double log_gamma_density(double x, double shape, double rate) {
    return shape * log(rate) - lgamma(shape) + (shape - 1.0) * log(x) - rate * x;
}

/* log q - log p of one joint draw (constants of 2 pi in the Gaussians cancel, but for those of the ratings). */
static double draw_energy(struct dice *r, const gbs_factors *f, const struct matrix_truth *t) {
    size_t own = f->own, K = f->rank;
    double x[2][64], energy = 0.0, precision[8] = {0};
    size_t groups = K + (f->biases ? 2 : 0);
    for (size_t g = 0; g < groups; g++) {
        precision[g] = dice_gamma(r, f->shape[g]) / f->scale[g];
        energy += log_gamma_density(precision[g], f->shape[g], f->scale[g]) -
                  log_gamma_density(precision[g], f->prior.shape, g < K ? f->prior.scale : f->prior.bias_scale);
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < f->side[s].items; i++) {
            double *to = x[s] + i * own;
            energy += draw_gaussian(r, own, f->side[s].mean + i * own, f->side[s].cov + i * gbs_packed_size(own), to);
            for (size_t c = 0; c < own; c++) {
                double w = precision[c < K ? c : K + (size_t)s];
                energy -= 0.5 * (log(w) - w * to[c] * to[c]);
            }
        }
    double mu = 0.0, tau = f->tau;
    if (f->biases) {
        double e = dice_normal(r), off;
        mu = f->mu + sqrt(f->mu_variance) * e;
        off = mu + f->ratings->center - f->prior.mean;
        energy += -0.5 * (e * e + log(f->mu_variance)) + 0.5 * (off * off / f->prior.variance + log(f->prior.variance));
    }
    if (f->learn_noise) {
        tau = dice_gamma(r, f->tau_shape) / f->tau_scale;
        energy += log_gamma_density(tau, f->tau_shape, f->tau_scale) -
                  log_gamma_density(tau, f->prior.noise_shape, f->prior.noise_scale);
    }
    for (size_t e = 0; e < t->n; e++) {
        const double *u = x[0] + t->row[e] * own, *v = x[1] + t->column[e] * own;
        double p = f->biases ? f->ratings->center + mu + u[K] + v[K] : 0.0;
        for (size_t k = 0; k < K; k++)
            p += u[k] * v[k];
        energy += 0.5 * tau * (t->y[e] - p) * (t->y[e] - p);
        if (f->learn_noise)
            energy -= 0.5 * (log(tau) - log(6.283185307179586));
    }
    return energy;
}

/* 200,000 draws; 5 standard errors: a false alarm in 1.7 million, four times. */
static void free_energy_is_that_of_monte_carlo(void **state) {
    (void)state;
    enum { DRAWS = 200000 };
    gbs_context *ctx = new_context(1, 1);
    for (int biases = 0; biases < 2; biases++)
        for (int learn = 0; learn < 2; learn++) {
            struct matrix_truth t = make_truth(51, 4, 3, 1, 10, 0.5, 1.0, biases);
            gbs_ratings *r = ratings_of(ctx, &t);
            gbs_factors f = started(ctx, r, 2, biases, learn);
            for (int s = 0; s < 3; s++)
                assert_int_equal(gbs_factors_update_side(&f, s % 2), GBS_OK);
            gbs_factors_update_variances(&f);
            gbs_factors_update_noise(&f);
            struct dice dice = {52};
            double mean = 0.0, squares = 0.0;
            for (size_t k = 1; k <= DRAWS; k++) {
                double x = draw_energy(&dice, &f, &t), step = x - mean;
                mean += step / (double)k;
                squares += step * (x - mean);
            }
            assert_close(gbs_factors_free_energy(&f), mean, 0.0, 5.0 * sqrt(squares) / DRAWS);
            gbs_factors_free(&f);
            gbs_ratings_free(r);
            free_truth(&t);
        }
    gbs_context_free(ctx);
}

struct falling {
    double last;
    size_t steps, drops, rank;
};

static void must_fall(void *user, const gbs_factors *f, double energy) {
    struct falling *w = user;
    /* relative rounding of sums over the ratings */
    if (energy > w->last + 1e-10 * fabs(w->last)) {
        print_error("step %zu, rank %zu: %.17g after %.17g\n", w->steps, f->rank, energy, w->last);
        fail();
    }
    w->drops += f->rank < w->rank;
    w->rank = f->rank;
    w->last = energy;
    w->steps++;
}

static void free_energy_falls_at_every_step(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 1);
    size_t drops = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        bool biases = seed % 2 == 0, learn = seed % 4 < 2;
        struct matrix_truth t =
            make_truth(60 + seed, 80, 60, seed % 3, 900 + 300 * (size_t)seed, 0.4, biases ? 3.0 : 0.0, biases);
        gbs_ratings *r = ratings_of(ctx, &t);
        gbs_factors f = started(ctx, r, 6, biases, learn);
        struct falling watch = {INFINITY, 0, 0, 6};
        gbs_ascent_options o = {
            .most_sweeps = 200, .tolerance = 1e-9, .prune = true, .step = must_fall, .user = &watch, .stage = "test"};
        gbs_ascent out;
        assert_int_equal(gbs_ascend(&f, &o, &out), GBS_OK);
        assert_true(watch.steps > 20);
        assert_close(out.free_energy, watch.last, 1e-12, 0.0);
        drops += watch.drops;
        gbs_factors_free(&f);
        gbs_ratings_free(r);
        free_truth(&t);
    }
    assert_true(drops >= 12); /* each has components too many, and dropping them lowered F too */
    gbs_context_free(ctx);
}

static void turning_keeps_predictions(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(71, 12, 9, 2, 80, 0.4, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    gbs_factors f = started(ctx, r, 4, true, true);
    for (int s = 0; s < 4; s++)
        assert_int_equal(gbs_factors_update_side(&f, s % 2), GBS_OK);
    double before[80], energy;
    for (size_t e = 0; e < t.n; e++)
        before[e] = slow_error(&f, &t, e);
    gbs_factors_update_variances(&f);
    energy = gbs_factors_free_energy(&f);
    assert_int_equal(gbs_factors_rotate(&f), GBS_OK);
    assert_true(gbs_factors_free_energy(&f) < energy - 1e-6);
    for (size_t e = 0; e < t.n; e++)
        assert_close(slow_error(&f, &t, e), before[e], 1e-11, 1e-11);
    /* turned already: a second turn changes nothing */
    energy = gbs_factors_free_energy(&f);
    assert_int_equal(gbs_factors_rotate(&f), GBS_OK);
    assert_close(gbs_factors_free_energy(&f), energy, 1e-12, 0.0);
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- the spectral start */

/* Eigenvectors of a symmetric matrix by Jacobi's rotations, one a column of v; the values stay on the diagonal of a. */
static void slow_eigen(size_t d, double *a, double *v) {
    for (size_t i = 0; i < d * d; i++)
        v[i] = i % (d + 1) == 0 ? 1.0 : 0.0;
    for (int round = 0; round < 60; round++)
        for (size_t p = 0; p < d; p++)
            for (size_t q = p + 1; q < d; q++) {
                double theta = 0.5 * atan2(2.0 * a[p * d + q], a[p * d + p] - a[q * d + q]), c = cos(theta), s = sin(theta);
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

/* Against the matrix written out: shrunken means taken off, scaled by the numbers of ratings, its singular vectors by Jacobi. */
static void spectral_start_is_the_slow_one(void **state) {
    (void)state;
    enum { ROWS = 40, COLUMNS = 25, K = 3 };
    gbs_context *ctx = new_context(2, 1);
    for (int biases = 0; biases < 2; biases++) {
        struct matrix_truth t = make_truth(75, ROWS, COLUMNS, K, 700, 0.1, biases ? 3.0 : 0.0, biases);
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
                                  sqrt((count[0][i] + 700.0 / ROWS) * (count[1][j] + 700.0 / COLUMNS));
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

/* ---------------------------------------------------------------- the informed prior and the certificate's terms */

/* KL to the anchored prior against the sum of Gaussian KLs, written out. */
static void anchored_kl(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(81, 8, 7, 1, 60, 0.4, 3.0, true), t2 = make_truth(82, 8, 7, 1, 50, 0.4, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t), *r2 = ratings_of(ctx, &t2);
    gbs_factors f = started(ctx, r, 2, true, false);
    for (int s = 0; s < 4; s++)
        assert_int_equal(gbs_factors_update_side(&f, s % 2), GBS_OK);
    gbs_factors_update_mu(&f);
    size_t own = f.own, packed = gbs_packed_size(own);
    double *m0[2], *s0[2], mu0 = f.mu + r->center, v0 = f.mu_variance;
    for (int s = 0; s < 2; s++) {
        m0[s] = doubles(f.side[s].items * own);
        s0[s] = doubles(f.side[s].items * packed);
        memcpy(m0[s], f.side[s].mean, f.side[s].items * own * sizeof(double));
        memcpy(s0[s], f.side[s].cov, f.side[s].items * packed * sizeof(double));
    }
    assert_int_equal(gbs_factors_anchor(&f, r2), GBS_OK);
    assert_close(gbs_factors_kl(&f), 0.0, 0.0, 1e-9);
    struct falling watch = {INFINITY, 0, 0, 2};
    gbs_ascent_options o = {.most_sweeps = 20, .tolerance = 1e-9, .step = must_fall, .user = &watch, .stage = "test"};
    gbs_ascent out;
    assert_int_equal(gbs_ascend(&f, &o, &out), GBS_OK);
    double off = f.mu + r2->center - mu0, kl = 0.5 * (f.mu_variance / v0 + off * off / v0 - 1.0 - log(f.mu_variance / v0));
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < f.side[s].items; i++) {
            double a[9], b[9], det[2];
            for (size_t c = 0; c < own; c++)
                for (size_t d = c; d < own; d++) {
                    a[c * own + d] = a[d * own + c] = s0[s][i * packed + gbs_packed(own, c) + d - c];
                    b[c * own + d] = b[d * own + c] = cov_at(&f, s, i, c, d);
                }
            double *both[2] = {a, b};
            for (int k = 0; k < 2; k++) {
                const double *x = both[k];
                det[k] = x[0] * (x[4] * x[8] - x[5] * x[7]) - x[1] * (x[3] * x[8] - x[5] * x[6]) +
                         x[2] * (x[3] * x[7] - x[4] * x[6]);
            }
            double shift[3], trace = 0.0, quadratic = 0.0;
            for (size_t c = 0; c < own; c++)
                shift[c] = mean_at(&f, s, i, c) - m0[s][i * own + c];
            double right[12];
            for (size_t c = 0; c < own; c++) {
                memcpy(right + c * 4, b + c * own, own * sizeof *b);
                right[c * 4 + 3] = shift[c];
            }
            slow_solve(own, a, right, 4);
            for (size_t c = 0; c < own; c++) {
                trace += right[c * 4 + c];
                quadratic += shift[c] * right[c * 4 + 3];
            }
            kl += 0.5 * (trace + quadratic - (double)own + log(det[0]) - log(det[1]));
        }
    assert_true(kl > 1.0);
    assert_close(gbs_factors_kl(&f), kl, 1e-9, 1e-9);
    assert_int_equal(gbs_factors_return(&f), GBS_OK);
    assert_close(gbs_factors_kl(&f), 0.0, 0.0, 1e-8);
    for (size_t k = 0; k < f.side[0].items * own; k++)
        assert_close(f.side[0].mean[k], m0[0][k], 0.0, 0.0);
    for (int s = 0; s < 2; s++)
        free(m0[s]), free(s0[s]);
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    gbs_ratings_free(r2);
    free_truth(&t);
    free_truth(&t2);
    gbs_context_free(ctx);
}

/* A range that clips nothing: the drawn risk estimates E (y - p)^2 / (high - low)^2, known exactly. The spread of its terms is bounded by their own
 * mean square; 6 standard errors. */
static void drawn_risk_is_the_expected_error(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 5);
    for (int biases = 0; biases < 2; biases++) {
        struct matrix_truth t = make_truth(91, 20, 15, 2, 200, 0.5, biases ? 3.0 : 0.0, biases);
        gbs_ratings *r = ratings_of(ctx, &t);
        gbs_factors f = started(ctx, r, 2, biases, true);
        gbs_ascent_options o = {.most_sweeps = 10, .tolerance = 1e-9, .stage = "test"};
        gbs_ascent out;
        assert_int_equal(gbs_ascend(&f, &o, &out), GBS_OK);
        enum { ROUNDS = 2000 };
        double risk, width = 200.0, error = 0.0;
        for (size_t e = 0; e < t.n; e++)
            error += slow_error(&f, &t, e) / (double)t.n;
        assert_int_equal(gbs_factors_drawn_risk(&f, r, -100.0, 100.0, ROUNDS, 9, &risk), GBS_OK);
        /* a squared near-Gaussian term has a standard deviation of about sqrt(2) its mean; 3 is generous */
        assert_close(risk * width * width, error, 6.0 * 3.0 / sqrt(ROUNDS * (double)t.n), 0.0);
        assert_int_equal(gbs_factors_drawn_risk(&f, r, 1.0, 1.001, 1, 9, &risk), GBS_OK);
        assert_true(risk <= 1.0);
        gbs_factors_free(&f);
        gbs_ratings_free(r);
        free_truth(&t);
    }
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digamma_is_that_of_mpfr),
        cmocka_unit_test(small_gaussians),
        cmocka_unit_test(records_are_summed),
        cmocka_unit_test(half_sweep_is_the_slow_one),
        cmocka_unit_test(known_columns_make_a_regression),
        cmocka_unit_test(variances_are_the_best),
        cmocka_unit_test(free_energy_is_that_of_monte_carlo),
        cmocka_unit_test(free_energy_falls_at_every_step),
        cmocka_unit_test(turning_keeps_predictions),
        cmocka_unit_test(spectral_start_is_the_slow_one),
        cmocka_unit_test(anchored_kl),
        cmocka_unit_test(drawn_risk_is_the_expected_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
