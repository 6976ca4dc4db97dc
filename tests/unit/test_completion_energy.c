/* The free energy of matrix completion: against Monte Carlo, falling at every step, the same after
 * a turn; its KL under an informed prior, and the risk of a draw that a certificate begins with. */
#include "completion_support.h"

#include "completion/draws.h"

/* A draw of N(mean, packed cov) of dimension d, and its log density (without the constant of 2 pi).
 */
static double draw_gaussian(struct dice *r, size_t d, const double *mean, const double *cov,
                            double *x) {
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

/* log q - log p of one joint draw (constants of 2 pi in the Gaussians cancel, but for those of the
 * ratings). */
static double draw_energy(struct dice *r, const gbs_factors *f, const struct matrix_truth *t) {
    size_t own = f->own, K = f->rank;
    double x[2][64], energy = 0.0, precision[8] = {0};
    size_t groups = K + (f->biases ? 2 : 0);
    for (size_t g = 0; g < groups; g++) {
        precision[g] = dice_gamma(r, f->shape[g]) / f->scale[g];
        energy += log_gamma_density(precision[g], f->shape[g], f->scale[g]) -
                  log_gamma_density(precision[g], f->prior.shape,
                                    g < K ? f->prior.scale : f->prior.bias_scale);
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < f->side[s].items; i++) {
            double *to = x[s] + i * own;
            energy += draw_gaussian(r, own, f->side[s].mean + i * own,
                                    f->side[s].cov + i * gbs_packed_size(own), to);
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
        energy += -0.5 * (e * e + log(f->mu_variance)) +
                  0.5 * (off * off / f->prior.variance + log(f->prior.variance));
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
        struct matrix_truth t = make_truth(60 + seed, 80, 60, seed % 3, 900 + 300 * (size_t)seed,
                                           0.4, biases ? 3.0 : 0.0, biases);
        gbs_ratings *r = ratings_of(ctx, &t);
        gbs_factors f = started(ctx, r, 6, biases, learn);
        struct falling watch = {INFINITY, 0, 0, 6};
        gbs_ascent_options o = {.most_sweeps = 200,
                                .tolerance = 1e-9,
                                .prune = true,
                                .step = must_fall,
                                .user = &watch,
                                .stage = "test"};
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

/* ---------------------------------------------------------------- the informed prior and the
 * certificate's terms */

/* KL(N(m + shift, b) || N(m, a)) in three dimensions, written out. */
static double kl_of_three(const double *a, const double *b, const double *shift) {
    enum { OWN = 3 };
    const double *both[2] = {a, b};
    double det[2], trace = 0.0, quadratic = 0.0, right[OWN * (OWN + 1)];
    for (int k = 0; k < 2; k++) {
        const double *x = both[k];
        det[k] = x[0] * (x[4] * x[8] - x[5] * x[7]) - x[1] * (x[3] * x[8] - x[5] * x[6]) +
                 x[2] * (x[3] * x[7] - x[4] * x[6]);
    }
    for (size_t c = 0; c < OWN; c++) {
        memcpy(right + c * (OWN + 1), b + c * OWN, OWN * sizeof *b);
        right[c * (OWN + 1) + OWN] = shift[c];
    }
    double spoiled[OWN * OWN];
    memcpy(spoiled, a, sizeof spoiled);
    slow_solve(OWN, spoiled, right, OWN + 1);
    for (size_t c = 0; c < OWN; c++) {
        trace += right[c * (OWN + 1) + c];
        quadratic += shift[c] * right[c * (OWN + 1) + OWN];
    }
    return 0.5 * (trace + quadratic - OWN + log(det[0]) - log(det[1]));
}

/* KL to the centred prior is the sum of the items' Gaussian KLs. */
static void centred_kl(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(81, 8, 7, 1, 60, 0.4, 3.0, true),
                        t2 = make_truth(82, 8, 7, 1, 50, 0.4, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t), *r2 = ratings_of(ctx, &t2);
    gbs_factors f = started(ctx, r, 2, true, false);
    for (int s = 0; s < 4; s++)
        assert_int_equal(gbs_factors_update_side(&f, s % 2), GBS_OK);
    gbs_factors_update_mu(&f);
    size_t own = f.own, packed = gbs_packed_size(own);
    assert_int_equal(own, 3);
    double *m0[2], *s0[2], mu0 = f.mu + r->center, v0 = f.mu_variance;
    for (int s = 0; s < 2; s++) {
        m0[s] = doubles(f.side[s].items * own);
        s0[s] = doubles(f.side[s].items * packed);
        memcpy(m0[s], f.side[s].mean, f.side[s].items * own * sizeof(double));
        memcpy(s0[s], f.side[s].cov, f.side[s].items * packed * sizeof(double));
    }
    assert_int_equal(gbs_factors_centre(&f, r2), GBS_OK);
    assert_close(gbs_factors_kl(&f), 0.0, 0.0, 1e-9);
    struct falling watch = {INFINITY, 0, 0, 2};
    gbs_ascent_options o = {
        .most_sweeps = 20, .tolerance = 1e-9, .step = must_fall, .user = &watch, .stage = "test"};
    gbs_ascent out;
    assert_int_equal(gbs_ascend(&f, &o, &out), GBS_OK);
    double off = f.mu + r2->center - mu0,
           kl = 0.5 * (f.mu_variance / v0 + off * off / v0 - 1.0 - log(f.mu_variance / v0));
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < f.side[s].items; i++) {
            double a[9], b[9], shift[3];
            for (size_t c = 0; c < own; c++)
                for (size_t d = c; d < own; d++) {
                    a[c * own + d] = a[d * own + c] = s0[s]
                                                        [i * packed + gbs_packed(own, c) + d - c];
                    b[c * own + d] = b[d * own + c] = cov_at(&f, s, i, c, d);
                }
            for (size_t c = 0; c < own; c++)
                shift[c] = mean_at(&f, s, i, c) - m0[s][i * own + c];
            kl += kl_of_three(a, b, shift);
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

/* A range that clips nothing: the drawn risk estimates E (y - p)^2 / (high - low)^2, known exactly.
 * The spread of its terms is bounded by their own mean square; 6 standard errors. */
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
        assert_int_equal(gbs_factors_drawn_risk(&f, r, -100.0, 100.0, NULL, ROUNDS, 1, 9, &risk),
                         GBS_OK);
        /* a squared near-Gaussian term has a standard deviation of about sqrt(2) its mean; 3 is
         * generous */
        assert_close(risk * width * width, error, 6.0 * 3.0 / sqrt(ROUNDS * (double)t.n), 0.0);
        /* a scale of its own makes tails longer, and leaves the mean square */
        double shape[20], other;
        for (size_t i = 0; i < 20; i++)
            shape[i] = 6.0;
        assert_int_equal(gbs_factors_drawn_risk(&f, r, -100.0, 100.0, shape, ROUNDS, 1, 9, &other),
                         GBS_OK);
        assert_close(other * width * width, error, 6.0 * 4.0 / sqrt(ROUNDS * (double)t.n), 0.0);
        assert_true(other != risk);
        assert_int_equal(gbs_factors_drawn_risk(&f, r, 1.0, 1.001, NULL, 1, 1, 9, &risk), GBS_OK);
        assert_true(risk <= 1.0);
        gbs_factors_free(&f);
        gbs_ratings_free(r);
        free_truth(&t);
    }
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_energy_is_that_of_monte_carlo),
        cmocka_unit_test(free_energy_falls_at_every_step),
        cmocka_unit_test(turning_keeps_predictions),
        cmocka_unit_test(centred_kl),
        cmocka_unit_test(drawn_risk_is_the_expected_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
