/* The smoothed losses against MPFR (mpfr_support.h; docs/maths.md, 3.1), finite differences and
 * Monte Carlo. */
#include "risk/loss.h"
#include "unit/mpfr_support.h"

/* ---------------------------------------------------------------- the truth */

/* E 1{z < 0} and its slopes: Phi(-mu/s), -phi/s, (mu/s) phi/s. */
static void truth_zero_one(struct truth *w, double mu, double s) {
    mpfr_set_d(w->t, -mu, MPFR_RNDN);
    mpfr_div_d(w->t, w->t, s, MPFR_RNDN);
    truth_normal(w);
    mpfr_set(w->value[0], w->cdf, MPFR_RNDN);
    mpfr_div_d(w->value[1], w->density, -s, MPFR_RNDN);
    mpfr_mul(w->value[2], w->value[1], w->t, MPFR_RNDN);
}

/* E max(0, 1 - z) and its slopes: a Phi(a/s) + s phi(a/s), -Phi, phi. */
static void truth_hinge(struct truth *w, double mu, double s) {
    mpfr_set_d(w->t, mu, MPFR_RNDN);
    mpfr_ui_sub(w->t, 1, w->t, MPFR_RNDN);
    mpfr_set(w->value[0], w->t, MPFR_RNDN);
    mpfr_div_d(w->t, w->t, s, MPFR_RNDN);
    truth_normal(w);
    mpfr_mul(w->value[0], w->value[0], w->cdf, MPFR_RNDN);
    mpfr_mul_d(w->scratch, w->density, s, MPFR_RNDN);
    mpfr_add(w->value[0], w->value[0], w->scratch, MPFR_RNDN);
    mpfr_neg(w->value[1], w->cdf, MPFR_RNDN);
    mpfr_set(w->value[2], w->density, MPFR_RNDN);
}

/* E exp(-z) and its slopes. */
static void truth_exponential(struct truth *w, double mu, double s) {
    mpfr_set_d(w->t, s, MPFR_RNDN);
    mpfr_sqr(w->t, w->t, MPFR_RNDN);
    mpfr_div_ui(w->t, w->t, 2, MPFR_RNDN);
    mpfr_sub_d(w->t, w->t, mu, MPFR_RNDN);
    mpfr_exp(w->value[0], w->t, MPFR_RNDN);
    mpfr_neg(w->value[1], w->value[0], MPFR_RNDN);
    mpfr_mul_d(w->value[2], w->value[0], s, MPFR_RNDN);
}

/* E max(0, Z - z) and its slopes: r = sqrt(1 + s^2), t = -mu/r: r phi(t) - mu Phi(t), -Phi(t),
 * phi(t) s/r. */
static void truth_probit(struct truth *w, double mu, double s) {
    mpfr_t r;
    mpfr_init2(r, BITS);
    mpfr_set_d(r, s, MPFR_RNDN);
    mpfr_sqr(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_sqrt(r, r, MPFR_RNDN);
    mpfr_set_d(w->t, -mu, MPFR_RNDN);
    mpfr_div(w->t, w->t, r, MPFR_RNDN);
    truth_normal(w);
    mpfr_mul(w->value[0], w->t, w->cdf, MPFR_RNDN);
    mpfr_add(w->value[0], w->value[0], w->density, MPFR_RNDN);
    mpfr_mul(w->value[0], w->value[0], r, MPFR_RNDN);
    mpfr_neg(w->value[1], w->cdf, MPFR_RNDN);
    mpfr_mul_d(w->value[2], w->density, s, MPFR_RNDN);
    mpfr_div(w->value[2], w->value[2], r, MPFR_RNDN);
    mpfr_clear(r);
}

static void truth_of(struct truth *w, gbs_loss loss, double mu, double s) {
    if (loss == GBS_LOSS_ZERO_ONE)
        truth_zero_one(w, mu, s);
    else if (loss == GBS_LOSS_HINGE)
        truth_hinge(w, mu, s);
    else if (loss == GBS_LOSS_EXPONENTIAL)
        truth_exponential(w, mu, s);
    else
        truth_probit(w, mu, s);
}

/* ---------------------------------------------------------------- points */

static const char *const part_names[3] = {"psi", "d_mu", "d_s"};

/* Checks one loss at one point; keeps the worst error of each part. */
static void check_point(struct truth *w, gbs_loss loss, double mu, double s, double worst[3]) {
    double got[3];
    gbs_loss_smoothed(loss, mu, s, &got[0], &got[1], &got[2]);
    truth_of(w, loss, mu, s);
    for (int k = 0; k < 3; k++) {
        double error = error_of(w, got[k], w->value[k]);
        if (!(error < ALLOWED)) {
            print_error("%s %s at mu = %.17g, s = %.17g: %.17g, relative error %.3g\n",
                        gbs_loss_name(loss), part_names[k], mu, s, got[k], error);
            fail();
        }
        worst[k] = fmax(worst[k], error);
    }
}

static bool overflows(double mu, double s) {
    return -mu + 0.5 * s * s > 700.0;
}

/* t from -37 to 37 on a grid and between its points, s a random mantissa at every power of ten from
 * 1e-8 to 1e8. */
static void sweep(gbs_loss loss, uint64_t seed) {
    struct truth w;
    truth_init(&w);
    struct dice r = {seed};
    double worst[3] = {0};
    for (int power = -8; power <= 8; power++)
        for (int step = -74; step <= 74; step += (int)repeats(1, 7)) {
            double t = fmax(
                -37.0, fmin(37.0, 0.5 * step + (step % 2 ? dice_between(&r, -0.5, 0.5) : 0.0)));
            double s = pow(10.0, power) * dice_between(&r, 1.0, power < 8 ? 9.9 : 1.0);
            if (loss == GBS_LOSS_PROBIT)
                check_point(&w, loss, t * sqrt(1.0 + s * s), s, worst);
            else if (loss != GBS_LOSS_EXPONENTIAL || !overflows(t * s, s))
                check_point(&w, loss, t * s, s, worst);
            if (loss == GBS_LOSS_HINGE)
                check_point(&w, loss, 1.0 - t * s, s, worst);
        }
    print_message("%s: worst relative errors psi %.1e, d_mu %.1e, d_s %.1e\n", gbs_loss_name(loss),
                  worst[0], worst[1], worst[2]);
    truth_clear(&w);
}

static void zero_one_keeps_twelve_digits(void **state) {
    (void)state;
    sweep(GBS_LOSS_ZERO_ONE, 11);
}

static void hinge_keeps_twelve_digits(void **state) {
    (void)state;
    sweep(GBS_LOSS_HINGE, 12);
}

static void exponential_keeps_twelve_digits(void **state) {
    (void)state;
    sweep(GBS_LOSS_EXPONENTIAL, 13);
}

static void probit_keeps_twelve_digits(void **state) {
    (void)state;
    sweep(GBS_LOSS_PROBIT, 14);
}

/* The kernels change their way of computing here; both sides must be as good. */
static void hinge_keeps_twelve_digits_where_its_branches_meet(void **state) {
    (void)state;
    static const double edges[] = {-37.0, -30.0, -5.0, -1.0, 0.0, 1.0, 5.0, 8.0, 30.0, 37.0};
    struct truth w;
    truth_init(&w);
    double worst[3] = {0};
    for (size_t k = 0; k < COUNT(edges); k++)
        for (int side = -20; side <= 20; side++) {
            double t = edges[k] + side * 1e-9 + side * 1e-3;
            check_point(&w, GBS_LOSS_HINGE, 1.0 - t, 1.0, worst);
        }
    truth_clear(&w);
}

/* ---------------------------------------------------------------- limits */

struct limit {
    gbs_loss loss;
    double mu, psi, d_mu, d_s;
};

/* At a kink the slopes are the halfway ones; the hinge's d_s is the right-hand limit phi(0). */
static void no_spread_is_the_plain_loss(void **state) {
    (void)state;
    static const struct limit limits[] = {{GBS_LOSS_ZERO_ONE, -2.0, 1.0, 0.0, 0.0},
                                          {GBS_LOSS_ZERO_ONE, 0.0, 0.5, 0.0, 0.0},
                                          {GBS_LOSS_ZERO_ONE, 3.0, 0.0, 0.0, 0.0},
                                          {GBS_LOSS_HINGE, -3.0, 4.0, -1.0, 0.0},
                                          {GBS_LOSS_HINGE, 0.75, 0.25, -1.0, 0.0},
                                          {GBS_LOSS_HINGE, 2.0, 0.0, 0.0, 0.0},
                                          {GBS_LOSS_HINGE, 1.0, 0.0, -0.5, 0.39894228040143267794}};
    for (size_t k = 0; k < COUNT(limits); k++) {
        double psi, d_mu, d_s;
        const struct limit *l = &limits[k];
        gbs_loss_smoothed(l->loss, l->mu, 0.0, &psi, &d_mu, &d_s);
        assert_close(psi, l->psi, 0.0, 0.0);
        assert_close(d_mu, l->d_mu, 0.0, 0.0);
        assert_close(d_s, l->d_s, 1e-16, 0.0);
    }
    for (int k = -40; k <= 40; k++) {
        double psi, d_mu, d_s, mu = 0.37 * k;
        gbs_loss_smoothed(GBS_LOSS_EXPONENTIAL, mu, 0.0, &psi, &d_mu, &d_s);
        assert_close(psi, exp(-mu), 1e-15, 0.0);
        assert_close(d_mu, -psi, 0.0, 0.0);
        assert_close(d_s, 0.0, 0.0, 0.0);
    }
}

static void a_vanishing_spread_gives_the_limits_and_no_nan(void **state) {
    (void)state;
    static const double spreads[] = {1e-300, 1e-307, DBL_MIN, 4.9e-324};
    static const double means[] = {-1e8, -3.0, -1.0, -1e-9, 0.25, 0.999, 1.001, 2.0, 50.0, 1e8};
    for (size_t k = 0; k < COUNT(spreads); k++)
        for (size_t j = 0; j < COUNT(means); j++)
            for (size_t l = 0; l < COUNT(all_losses); l++) {
                double psi, d_mu, d_s, plain, slope, spread_slope;
                if (all_losses[l] == GBS_LOSS_EXPONENTIAL && means[j] < -700.0)
                    continue;
                gbs_loss_smoothed(all_losses[l], means[j], spreads[k], &psi, &d_mu, &d_s);
                gbs_loss_smoothed(all_losses[l], means[j], 0.0, &plain, &slope, &spread_slope);
                assert_close(psi, plain, 1e-15, 0.0);
                assert_close(d_mu, slope, 1e-15, 0.0);
                assert_close(d_s, 0.0, 0.0, 1e-299 * exp(fmax(0.0, -means[j])));
            }
}

static void a_vanishing_spread_at_the_kink_is_no_nan(void **state) {
    (void)state;
    double psi, d_mu, d_s;
    gbs_loss_smoothed(GBS_LOSS_ZERO_ONE, 0.0, 1e-300, &psi, &d_mu, &d_s);
    assert_close(psi, 0.5, 0.0, 0.0);
    assert_close(d_mu, -0.39894228040143267794e300, 1e-14, 0.0);
    assert_close(d_s, 0.0, 0.0, 0.0);
    gbs_loss_smoothed(GBS_LOSS_ZERO_ONE, 1e-300, 1e-300, &psi, &d_mu, &d_s);
    assert_close(psi, 0.15865525393145705, 1e-14, 0.0);
    gbs_loss_smoothed(GBS_LOSS_HINGE, 1.0, 1e-300, &psi, &d_mu, &d_s);
    assert_close(psi, 0.39894228040143267794e-300, 1e-14, 0.0);
    assert_close(d_mu, -0.5, 1e-15, 0.0);
    assert_close(d_s, 0.39894228040143267794, 1e-15, 0.0);
    gbs_loss_smoothed(GBS_LOSS_ZERO_ONE, 0.0, 4.9e-324, &psi, &d_mu, &d_s);
    assert_close(psi, 0.5, 0.0, 0.0);
    assert_false(isnan(d_mu) || isnan(d_s));
}

static void huge_margins_and_spreads_give_no_nan(void **state) {
    (void)state;
    static const double means[] = {-1e300, -1e150, 0.0, 1e150, 1e300};
    static const double spreads[] = {0.0, 1e-300, 1.0, 1e150, 1e300};
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (size_t j = 0; j < COUNT(means); j++)
            for (size_t k = 0; k < COUNT(spreads); k++) {
                double psi, d_mu, d_s;
                gbs_loss_smoothed(all_losses[l], means[j], spreads[k], &psi, &d_mu, &d_s);
                assert_false(isnan(psi) || isnan(d_mu));
                /* 0 times the infinite exponential risk is the one product without a value */
                assert_false(isnan(d_s) && !(all_losses[l] == GBS_LOSS_EXPONENTIAL && isinf(psi)));
                assert_true(psi >= 0.0);
            }
}

/* ---------------------------------------------------------------- arrays */

static void an_array_of_any_length_gives_what_single_calls_give(void **state) {
    (void)state;
    enum { LONGEST = 600 };
    struct dice r = {21};
    double mu[LONGEST], s[LONGEST], alone[3][LONGEST], got[3][LONGEST];
    for (size_t l = 0; l < COUNT(all_losses); l++) {
        const gbs_loss_ops *ops = gbs_loss_of(all_losses[l]);
        for (size_t i = 0; i < LONGEST; i++) {
            s[i] = i % 17 == 0 ? 0.0 : exp(dice_between(&r, -3.0, 2.0));
            mu[i] = dice_between(&r, -9.0, 9.0) * (s[i] > 0.0 ? s[i] : 1.0) + 0.5;
            ops->pointwise.smoothed(1, &mu[i], &s[i], &alone[0][i], &alone[1][i], &alone[2][i]);
        }
        for (size_t n = 1; n <= LONGEST; n++) {
            size_t from = (LONGEST - n) / 2;
            ops->pointwise.smoothed(n, mu + from, s + from, got[0], got[1], got[2]);
            for (int part = 0; part < 3; part++)
                for (size_t i = 0; i < n; i++)
                    assert_close(got[part][i], alone[part][from + i], 1e-14, 1e-300);
        }
    }
}

/* ---------------------------------------------------------------- differential equations */

static double part_at(gbs_loss loss, int part, double mu, double s) {
    double v[3];
    gbs_loss_smoothed(loss, mu, s, &v[0], &v[1], &v[2]);
    return v[part];
}

/* Slope along mu (along_s = 0) or s (1) with an error of order h^4. */
static double slope_of(gbs_loss loss, int part, int along_s, double mu, double s) {
    double h = 2e-3 * (loss == GBS_LOSS_EXPONENTIAL ? fmin(s, 1.0 / s) : s), f[4];
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0};
    for (int k = 0; k < 4; k++)
        f[k] = part_at(loss, part, mu + (along_s ? 0.0 : at[k] * h),
                       s + (along_s ? at[k] * h : 0.0));
    return (8.0 * (f[2] - f[1]) - (f[3] - f[0])) / (12.0 * h);
}

static void partials_are_slopes_and_psi_obeys_the_heat_equation(void **state) {
    (void)state;
    struct dice r = {31};
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (int k = 0; k < 400; k++) {
            gbs_loss loss = all_losses[l];
            double s = exp(dice_between(&r, -2.5, loss == GBS_LOSS_EXPONENTIAL ? 1.0 : 4.0));
            double mu = (loss == GBS_LOSS_HINGE ? 1.0 : 0.0) + dice_between(&r, -6.0, 6.0) * s;
            double v[3], size = loss == GBS_LOSS_EXPONENTIAL
                                    ? part_at(loss, 0, mu, s) * fmax(1.0, s * s)
                                    : 1.0;
            gbs_loss_smoothed(loss, mu, s, &v[0], &v[1], &v[2]);
            double psi_size = loss == GBS_LOSS_HINGE ? v[0] / s + 1.0 : size / s;
            assert_close(slope_of(loss, 0, 0, mu, s), v[1], 1e-9, 3e-10 * psi_size);
            assert_close(slope_of(loss, 0, 1, mu, s), v[2], 1e-9, 3e-10 * psi_size);
            double second = slope_of(loss, 1, 0, mu, s);
            double second_size = loss == GBS_LOSS_ZERO_ONE ? 1.0 / s
                                 : loss == GBS_LOSS_HINGE  ? 1.0
                                                           : size;
            assert_close(s * second, v[2], 1e-9, 3e-10 * second_size);
        }
}

/* ---------------------------------------------------------------- Monte Carlo */

/* 16 checks at 5 sigma: a right library fails with probability below 1e-5, and with this seed
 * always or never. */
static void psi_is_the_mean_of_a_million_draws(void **state) {
    (void)state;
    static const double points[][2] = {{0.4, 1.0}, {-1.5, 0.7}, {1.0, 0.25}, {2.0, 0.9}};
    gbs_context *ctx = new_context(1, 2024);
    size_t draws = repeats(1000000, 200000);
    double *z = doubles(draws), n = (double)draws;
    for (size_t i = 0; i < draws; i++)
        z[i] = gbs_random_normal(ctx, 5, i);
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (size_t k = 0; k < COUNT(points); k++) {
            double sum = 0.0, square = 0.0, mu = points[k][0], s = points[k][1];
            for (size_t i = 0; i < draws; i++) {
                double x = plain_loss(all_losses[l], mu + s * z[i]);
                sum += x;
                square += x * x;
            }
            double mean = sum / n, error = sqrt((square / n - mean * mean) / n);
            assert_close(part_at(all_losses[l], 0, mu, s), mean, 0.0, 5.0 * error);
        }
    free(z);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_one_keeps_twelve_digits),
        cmocka_unit_test(hinge_keeps_twelve_digits),
        cmocka_unit_test(exponential_keeps_twelve_digits),
        cmocka_unit_test(probit_keeps_twelve_digits),
        cmocka_unit_test(hinge_keeps_twelve_digits_where_its_branches_meet),
        cmocka_unit_test(no_spread_is_the_plain_loss),
        cmocka_unit_test(a_vanishing_spread_gives_the_limits_and_no_nan),
        cmocka_unit_test(a_vanishing_spread_at_the_kink_is_no_nan),
        cmocka_unit_test(huge_margins_and_spreads_give_no_nan),
        cmocka_unit_test(an_array_of_any_length_gives_what_single_calls_give),
        cmocka_unit_test(partials_are_slopes_and_psi_obeys_the_heat_equation),
        cmocka_unit_test(psi_is_the_mean_of_a_million_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
