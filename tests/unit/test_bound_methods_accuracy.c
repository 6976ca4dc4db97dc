/* Every method of docs/maths.md, 6, against a slow implementation of its own: MPFR with 200 bits,
 * plain bisection, plain grids; the hinge
 * moment against Simpson's rule on closed densities and against Monte Carlo. */
#include "bound/bound.h"
#include "unit/support.h"

#include <mpfr.h>

enum { BITS = 200 };

#if defined(__SANITIZE_ADDRESS__)
enum { DRAWS = 300, MOMENT_DRAWS = 100000 };
#else
enum { DRAWS = 3000, MOMENT_DRAWS = 1000000 };
#endif

struct numbers {
    double r, kl, lambda, price;
    uint64_t n;
};

static struct numbers any_numbers(struct dice *d) {
    struct numbers x = {.r = dice_below(d, 5) == 0 ? 0.0 : pow(dice_uniform(d), 3.0),
                        .kl = dice_below(d, 4) == 0 ? 0.0 : pow(10.0, dice_between(d, -3.0, 3.0)),
                        .price = -log(dice_uniform(d)) + 3.0 * dice_uniform(d),
                        .n = 1 + (uint64_t)pow(10.0, dice_between(d, 0.0, 6.0))};
    x.lambda = (double)x.n * pow(10.0, dice_between(d, -3.0, 1.0));
    return x;
}

/* `up` is at least the truth (clipped at 1) and at most 1e-13 of it above. */
static void check_upper(double up, mpfr_t truth, const char *method, const struct numbers *x) {
    if (mpfr_cmp_d(truth, 1.0) > 0)
        mpfr_set_ui(truth, 1, MPFR_RNDN);
    if (mpfr_cmp_d(truth, up) > 0 || up > mpfr_get_d(truth, MPFR_RNDU) * (1.0 + 1e-13))
        fail_msg("%s(r %.17g, kl %.17g, n %llu, lambda %.17g, price %.17g) = %.17g, truth %.17g",
                 method, x->r, x->kl, (unsigned long long)x->n, x->lambda, x->price, up,
                 mpfr_get_d(truth, MPFR_RNDN));
}

/* (1 - exp(-(lambda r + kl + price)/n)) / (1 - exp(-lambda/n)) */
static void true_catoni(mpfr_t out, const struct numbers *x) {
    mpfr_t a, b;
    mpfr_inits2(BITS, a, b, (mpfr_ptr)NULL);
    mpfr_set_d(a, x->lambda, MPFR_RNDN);
    mpfr_mul_d(a, a, x->r, MPFR_RNDN);
    mpfr_add_d(a, a, x->kl, MPFR_RNDN);
    mpfr_add_d(a, a, x->price, MPFR_RNDN);
    mpfr_div_ui(a, a, x->n, MPFR_RNDN);
    mpfr_neg(a, a, MPFR_RNDN);
    mpfr_expm1(a, a, MPFR_RNDN);
    mpfr_set_d(b, -x->lambda, MPFR_RNDN);
    mpfr_div_ui(b, b, x->n, MPFR_RNDN);
    mpfr_expm1(b, b, MPFR_RNDN);
    mpfr_div(out, a, b, MPFR_RNDN);
    mpfr_clears(a, b, (mpfr_ptr)NULL);
}

/* r + lambda/per + (kl + price)/lambda */
static void true_linear(mpfr_t out, const struct numbers *x, double per) {
    mpfr_t a;
    mpfr_init2(a, BITS);
    mpfr_set_d(a, x->kl, MPFR_RNDN);
    mpfr_add_d(a, a, x->price, MPFR_RNDN);
    mpfr_div_d(a, a, x->lambda, MPFR_RNDN);
    mpfr_set_d(out, x->lambda, MPFR_RNDN);
    mpfr_div_d(out, out, per, MPFR_RNDN);
    mpfr_add(out, out, a, MPFR_RNDN);
    mpfr_add_d(out, out, x->r, MPFR_RNDN);
    mpfr_clear(a);
}

static void methods_match_their_formulas(void **state) {
    (void)state;
    struct dice d = {3};
    mpfr_t truth;
    mpfr_init2(truth, BITS);
    for (int i = 0; i < DRAWS; i++) {
        struct numbers x = any_numbers(&d);
        double n = (double)x.n;
        true_catoni(truth, &x);
        check_upper(gbs_bound_catoni(x.r, x.kl, x.n, x.lambda, x.price), truth, "catoni", &x);
        true_linear(truth, &x, 8.0 * n);
        check_upper(gbs_bound_hoeffding(x.r, x.kl, x.n, x.lambda, x.price), truth, "hoeffding", &x);
        true_linear(truth, &x, 2.0 * n);
        check_upper(gbs_bound_paper(x.r, x.kl, x.n, x.lambda, x.price), truth, "paper", &x);
        if (x.n > 1) {
            true_linear(truth, &x, n - 1.0);
            check_upper(gbs_bound_paper_ranking(x.r, x.kl, x.n, x.lambda, x.price), truth,
                        "paper, ranking", &x);
        }
    }
    mpfr_clear(truth);
    mpfr_free_cache();
}

/* kl in long double, xi by its definition with lgamma, plain bisection: right to 1e-9 or so. */
static double slow_kl_inverse(double q, double c) {
    long double low = q, high = 1.0L;
    for (int step = 0; step < 200; step++) {
        long double p = 0.5L * (low + high), value = -(1.0L - q) * log1pl(-(p - q) / (1.0L - q));
        value -= q > 0.0 ? q * log1pl((p - q) / q) : 0.0L;
        if (value > c)
            high = p;
        else
            low = p;
    }
    return (double)high;
}

static double slow_xi(uint64_t n) {
    double sum = 0.0, size = (double)n;
    for (uint64_t k = 0; k <= n; k++) {
        double a = (double)k, b = size - a;
        sum += exp(lgamma(size + 1.0) - lgamma(a + 1.0) - lgamma(b + 1.0) +
                   (a > 0.0 ? a * log(a / size) : 0.0) + (b > 0.0 ? b * log(b / size) : 0.0));
    }
    return sum;
}

static void kl_bound_and_votes_match_a_slow_twin(void **state) {
    (void)state;
    struct dice d = {4};
    for (int i = 0; i < DRAWS / 10; i++) {
        struct numbers x = any_numbers(&d);
        x.n = x.n % 3000 + 1;
        double n = (double)x.n, price = log(slow_xi(x.n)) + x.price, second = x.r * x.r;
        double truth = slow_kl_inverse(x.r, (x.kl + price) / n), half = price + log(2.0);
        double up = gbs_bound_kl(x.r, x.kl, x.n, x.price);
        assert_close(up, truth, 1e-9, 1e-12);
        assert_at_most(truth, up * (1.0 + 1e-9));
        double joint = slow_kl_inverse(second, (2.0 * x.kl + price) / n);
        assert_close(gbs_bound_vote_second_moment(second, x.kl, x.n, x.price),
                     fmin(1.0, 4.0 * joint), 1e-9, 1e-12);
        double vote = fmin(2.0 * slow_kl_inverse(x.r, (x.kl + half) / n),
                           4.0 * slow_kl_inverse(second, (2.0 * x.kl + half) / n));
        assert_close(gbs_bound_vote(x.r, second, x.kl, x.n, x.price), fmin(1.0, vote), 1e-9, 1e-12);
        assert_close(gbs_monte_carlo_upper(x.r, x.n, 0.01), slow_kl_inverse(x.r, log(100.0) / n),
                     1e-9, 1e-12);
    }
}

static void best_lambda_beats_a_grid(void **state) {
    (void)state;
    struct dice d = {5};
    for (int i = 0; i < DRAWS / 10; i++) {
        struct numbers x = any_numbers(&d);
        double n = (double)x.n, lambda = gbs_bound_catoni_lambda(x.r, x.kl, x.n, x.price);
        double best = gbs_bound_catoni(x.r, x.kl, x.n, lambda, x.price);
        assert_true(lambda > 0.0 && lambda <= 40.0 * n);
        for (int k = 0; k < 258; k++) /* lambda/n from 1e-4 to 40 */
            assert_at_most(best,
                           gbs_bound_catoni(x.r, x.kl, x.n, n * 1e-4 * exp(0.05 * k), x.price) *
                               (1.0 + 1e-9));
        /* the envelope of catoni's bounds is the kl inverse without xi */
        assert_close(best, gbs_kl_inverse_upper(x.r, (x.kl + x.price) / n), 1e-9, 1e-12);
    }
}

static void the_paper_kl_doubles_the_quadratic_terms(void **state) {
    (void)state;
    /* d = 2, v = 4, S = diag(1, 9), m = (3, 0): sum log(v/s^2)/2 + s^2/v, + |m|^2/v - d/2 */
    double printed = 0.5 * log(4.0) + 0.25 + 0.5 * log(4.0 / 9.0) + 9.0 / 4.0 + 9.0 / 4.0 - 1.0;
    double right = printed - 0.5 * (0.25 + 9.0 / 4.0 + 9.0 / 4.0);
    double value = gbs_kl_paper(2.0, 4.0, 10.0, log(9.0), 9.0);
    assert_close(value, printed, 1e-14, 0.0);
    assert_true(value >= printed && value > right);
}

static void methods_refuse_what_is_out_of_range(void **state) {
    (void)state;
    assert_true(isnan(gbs_bound_kl(1.1, 0.0, 10, 1.0)) && isnan(gbs_bound_kl(0.1, -1.0, 10, 1.0)));
    assert_true(isnan(gbs_bound_kl(0.1, 0.0, 0, 1.0)) && isnan(gbs_bound_kl(0.1, NAN, 10, 1.0)));
    assert_true(isnan(gbs_bound_catoni(0.1, 1.0, 10, 0.0, 1.0)) &&
                isnan(gbs_bound_catoni(0.1, 1.0, 10, NAN, 1.0)));
    assert_true(isnan(gbs_bound_hoeffding(0.1, 1.0, 10, -3.0, 1.0)) &&
                isnan(gbs_bound_hoeffding(0.1, 1.0, 10, 3.0, -1.0)));
    assert_true(isnan(gbs_bound_paper_ranking(0.1, 1.0, 1, 3.0, 1.0)) &&
                isnan(gbs_bound_vote(0.1, 2.0, 1.0, 10, 1.0)));
    assert_true(isnan(gbs_monte_carlo_upper(0.1, 0, 0.1)) &&
                isnan(gbs_monte_carlo_upper(0.1, 10, 0.0)));
    assert_true(gbs_bound_kl(0.1, INFINITY, 10, 1.0) == 1.0 &&
                gbs_bound_catoni(0.1, 1e9, 10, 10.0, 1.0) == 1.0);
    assert_true(gbs_bound_kl(0.0, 0.0, 1, 3.0) < 1.0 && gbs_bound_kl(1.0, 0.0, 10, 3.0) == 1.0);
}

/* ---------------------------------------------------------------- hinge */

/* Density of |N(m, I_d)| with |m| = m, in the cases that have a short closed form. */
static double chi_density(int d, double m, double rho) {
    double near = exp(-0.5 * (rho - m) * (rho - m)) / sqrt(2.0 * M_PI),
           far = exp(-0.5 * (rho + m) * (rho + m)) / sqrt(2.0 * M_PI);
    if (d == 1)
        return near + far;
    if (d == 3 && m > 0.0)
        return rho / m * (near - far);
    return rho <= 0.0 ? 0.0
                      : exp((double)(d - 1) * log(rho) - 0.5 * rho * rho -
                            (0.5 * (double)d - 1.0) * log(2.0) - lgamma(0.5 * (double)d));
}

/* log E exp(a b(s rho)^2) by Simpson's rule, the kink at a node. */
static double slow_moment(int d, double m, double a, double s) {
    double kink = 1.0 / s, end = kink + 60.0 + 4.0 * m + 2.0 * sqrt((double)d), sum = DBL_MIN;
    for (int side = 0; side < 2; side++) {
        double low = side == 0 ? 0.0 : kink, high = side == 0 ? kink : end;
        int steps = 40000;
        double h = (high - low) / steps;
        for (int i = 0; i <= steps; i++) {
            double rho = low + i * h, t = s * rho, b = fmin(2.0 * t, 1.0 + t),
                   density = chi_density(d, m, rho);
            if (density > 0.0) /* together: far out one factor overflows */
                sum += (i == 0 || i == steps ? 1.0
                        : i % 2 == 1         ? 4.0
                                             : 2.0) *
                       h / 3.0 * exp(a * b * b + log(density));
        }
    }
    return log(sum);
}

static void hinge_moment_matches_simpson(void **state) {
    (void)state;
    static const struct {
        int d;
        double m; /* in units of the prior's sd; 0 where the density above is central */
    } law[] = {{1, 0.0}, {1, 2.5}, {3, 0.0}, {3, 0.7}, {3, 6.0}, {2, 0.0}, {5, 0.0}, {40, 0.0}};
    for (size_t k = 0; k < COUNT(law); k++)
        for (int j = 0; j < 4; j++) {
            /* u = lambda^2 cx^2 v/(4n) in (0, 1) is the place within the range */
            double s = j < 2 ? 0.3 : 1.7, u = j % 2 == 0 ? 0.05 : 0.7, v = s * s / 4.0, cx = 2.0;
            uint64_t n = 500;
            double lambda = sqrt(4.0 * u * (double)n / v) / cx,
                   a = lambda * lambda / (8.0 * (double)n);
            double f = gbs_hinge_f_exact(lambda, n, (size_t)law[k].d, v, law[k].m * sqrt(v), cx);
            double truth = slow_moment(law[k].d, law[k].m, a, s);
            assert_close(f, truth, 1e-9, 1e-9);
            assert_at_most(truth, f + 1e-11);
        }
}

static void hinge_moment_matches_monte_carlo(void **state) {
    (void)state;
    static const size_t dimensions[] = {1, 2, 5};
    struct dice r = {6};
    for (size_t k = 0; k < 2 * COUNT(dimensions); k++) {
        size_t d = dimensions[k / 2];
        double v = 0.6, cx = 1.3, m0 = k % 2 == 0 ? 0.0 : 0.9, sum = 0.0, squares = 0.0;
        uint64_t n = 200;
        /* below 0.7 of the range the square of the integrand is integrable too */
        double lambda = 0.5 * gbs_hinge_lambda_limit(true, n, v, cx),
               a = lambda * lambda / (8.0 * (double)n);
        double f = gbs_hinge_f_exact(lambda, n, d, v, m0, cx);
        for (int i = 0; i < MOMENT_DRAWS; i++) {
            double norm2 = 0.0;
            for (size_t j = 0; j < d; j++) {
                double x = (j == 0 ? m0 : 0.0) + sqrt(v) * dice_normal(&r);
                norm2 += x * x;
            }
            double t = cx * sqrt(norm2), b = fmin(2.0 * t, 1.0 + t), e = exp(a * b * b - f);
            sum += e;
            squares += e * e;
        }
        double mean = sum / MOMENT_DRAWS,
               sd = sqrt((squares / MOMENT_DRAWS - mean * mean) / MOMENT_DRAWS);
        assert_at_most(fabs(mean - 1.0), 5.0 * sd);
    }
}

/* A prior of next to no width, far from zero: f is a b(t)^2 at t = c_x |m0| plus what little the
 * width does. In t it does no more than s (sqrt(d) + 8), but with a chance of e^-32; and no less
 * than 0, since b(|theta|)^2 is convex in theta beyond the kink and before it. Across the border
 * between the two ways to compute it, f does not jump. */
static void hinge_moment_of_a_narrow_prior_is_that_of_its_centre(void **state) {
    (void)state;
    for (size_t d = 1; d < 2000; d = 5 * d + 2)
        for (int k = 0; k < 8; k++) {
            double t = k < 4 ? 0.4 : 2.5, norm = 1.7, cx = t / norm,
                   delta = (k % 4 == 0   ? 0.99e4
                            : k % 4 == 1 ? 1.01e4
                            : k % 4 == 2 ? 1e7
                                         : 1e40);
            double v = norm * norm / (delta * delta), lambda = 40.0,
                   a = lambda * lambda / 8.0 / 300.0, b = fmin(2.0 * t, 1.0 + t);
            double f = gbs_hinge_f_exact(lambda, 300, d, v, norm, cx),
                   more = t / delta * (sqrt((double)d) + 8.0),
                   c = fmin(2.0 * (t + more), 1.0 + t + more);
            assert_at_most(a * b * b, f + 1e-9);
            assert_at_most(f, a * c * c + 1e-9);
        }
}

static void hinge_exact_is_below_closed_and_both_know_their_range(void **state) {
    (void)state;
    struct dice r = {7};
    for (int i = 0; i < 200; i++) {
        size_t d = 1 + (size_t)pow(10.0, dice_between(&r, 0.0, 4.0));
        double v = pow(10.0, dice_between(&r, -4.0, 1.0)),
               cx = pow(10.0, dice_between(&r, -2.0, 1.0));
        double m0 = i % 2 == 0 ? 0.0 : sqrt(v) * pow(10.0, dice_between(&r, -3.0, 2.5));
        uint64_t n = 1 + (uint64_t)pow(10.0, dice_between(&r, 0.0, 5.0));
        double end = gbs_hinge_lambda_limit(false, n, v, cx),
               lambda = end * dice_between(&r, 0.01, 0.999);
        double exact = gbs_hinge_f_exact(lambda, n, d, v, m0, cx),
               closed = gbs_hinge_f_closed(lambda, n, d, v, m0, cx);
        assert_true(exact >= 0.0 && isfinite(exact) && isfinite(closed));
        assert_at_most(exact, closed * (1.0 + 1e-12) + 2e-10);
        assert_true(isinf(gbs_hinge_f_closed(end * 1.0001, n, d, v, m0, cx)));
        assert_true(isfinite(gbs_hinge_f_exact(end * 1.4, n, d, v, m0, cx)));
        assert_true(
            isinf(gbs_hinge_f_exact(gbs_hinge_lambda_limit(true, n, v, cx), n, d, v, m0, cx)));
        /* and f grows with lambda */
        assert_at_most(exact, gbs_hinge_f_exact(lambda * 1.01, n, d, v, m0, cx) + 2e-10);
    }
    assert_true(isnan(gbs_hinge_f_exact(-1.0, 10, 2, 1.0, 0.0, 1.0)) &&
                isnan(gbs_hinge_f_exact(1.0, 10, 0, 1.0, 0.0, 1.0)));
    assert_true(isnan(gbs_hinge_f_closed(1.0, 10, 2, 0.0, 0.0, 1.0)) &&
                isnan(gbs_hinge_f_exact(1.0, 10, 2, 1.0, NAN, 1.0)));
    assert_close(gbs_bound_hinge(0.4, 1.0, 2.0, 10.0, 3.0), 1.0, 1e-14, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_match_their_formulas),
        cmocka_unit_test(kl_bound_and_votes_match_a_slow_twin),
        cmocka_unit_test(best_lambda_beats_a_grid),
        cmocka_unit_test(the_paper_kl_doubles_the_quadratic_terms),
        cmocka_unit_test(methods_refuse_what_is_out_of_range),
        cmocka_unit_test(hinge_moment_matches_simpson),
        cmocka_unit_test(hinge_moment_matches_monte_carlo),
        cmocka_unit_test(hinge_moment_of_a_narrow_prior_is_that_of_its_centre),
        cmocka_unit_test(hinge_exact_is_below_closed_and_both_know_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
