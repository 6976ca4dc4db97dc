/* The numbers behind every certificate against MPFR (200 bits) and exact rational arithmetic.
 *
 * An upper bound may never lie below the truth, not by one ulp, and not above it by more than is
 * stated. The truth is computed by other formulas than the library's: the textbook kl, binomial
 * sums from the first term, xi by its definition.
 */
#include "bound/accurate.h"
#include "bound/bound.h"
#include "unit/support.h"

#include <gmp.h>
#include <mpfr.h>

enum { BITS = 200 };

#if defined(__SANITIZE_ADDRESS__)
enum { KL_DRAWS = 30000, XI_LARGEST = 10000, METHOD_DRAWS = 2000 };
#else
enum { KL_DRAWS = 1000000, XI_LARGEST = 1000000, METHOD_DRAWS = 20000 };
#endif

/* ---------------------------------------------------------------- kl and its inverse */

struct scratch {
    mpfr_t kl, a, b, p;
};

static void scratch_init(struct scratch *w) {
    mpfr_inits2(BITS, w->kl, w->a, w->b, w->p, (mpfr_ptr)NULL);
}

static void scratch_clear(struct scratch *w) {
    mpfr_clears(w->kl, w->a, w->b, w->p, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

/* w->kl = q log(q/p) + (1-q) (log(1-q) - log(1-p)) at p = w->p. */
static void true_kl(struct scratch *w, double q) {
    mpfr_neg(w->a, w->p, MPFR_RNDN);
    mpfr_log1p(w->kl, w->a, MPFR_RNDN);
    mpfr_neg(w->kl, w->kl, MPFR_RNDN);
    if (q > 0.0) {
        mpfr_set_d(w->b, -q, MPFR_RNDN);
        mpfr_log1p(w->a, w->b, MPFR_RNDN);
        mpfr_add(w->kl, w->kl, w->a, MPFR_RNDN);
        mpfr_add_ui(w->b, w->b, 1, MPFR_RNDN);
        mpfr_mul(w->kl, w->kl, w->b, MPFR_RNDN);
        mpfr_d_div(w->a, q, w->p, MPFR_RNDN);
        mpfr_log(w->a, w->a, MPFR_RNDN);
        mpfr_mul_d(w->a, w->a, q, MPFR_RNDN);
        mpfr_add(w->kl, w->kl, w->a, MPFR_RNDN);
    }
}

static double any_share(struct dice *r) {
    switch (dice_below(r, 6)) {
    case 0:
        return 0.0;
    case 1:
        return pow(10.0, -dice_between(r, 0.0, 20.0));
    case 2:
        return pow(10.0, -dice_between(r, 0.0, 307.0));
    case 3:
        return 1.0 - pow(10.0, -dice_between(r, 0.0, 16.0));
    default:
        return dice_uniform(r);
    }
}

static double any_price(struct dice *r) {
    switch (dice_below(r, 4)) {
    case 0:
        return pow(10.0, -dice_between(r, 0.0, 300.0));
    case 1:
        return dice_between(r, 0.0, 40.0);
    default:
        return pow(10.0, dice_between(r, -8.0, 1.0));
    }
}

static void kl_inverse_never_undershoots(void **state) {
    (void)state;
    struct dice r = {1};
    struct scratch w;
    scratch_init(&w);
    double worst = 0.0;
    for (int i = 0; i < KL_DRAWS; i++) {
        double q = any_share(&r), c = any_price(&r), up = gbs_kl_inverse_upper(q, c);
        assert_true(up >= q && up <= 1.0);
        if (up == 1.0)
            continue;
        mpfr_set_d(w.p, up, MPFR_RNDN);
        true_kl(&w, q);
        if (mpfr_cmp_d(w.kl, c) < 0)
            fail_msg("kl_inv(%.17g, %.17g) = %.17g is too small", q, c, up);
        if (i % 8 != 0)
            continue;
        /* and 16 epsilons lower it would be too small */
        mpfr_mul_d(w.p, w.p, 1.0 - 16.0 * DBL_EPSILON, MPFR_RNDN);
        if (mpfr_cmp_d(w.p, q) <= 0)
            continue;
        true_kl(&w, q);
        if (mpfr_cmp_d(w.kl, c) > 0)
            fail_msg("kl_inv(%.17g, %.17g) = %.17g is more than 16 epsilons too large", q, c, up);
        worst = fmax(worst, up);
    }
    assert_true(worst > 0.0);
    scratch_clear(&w);
}

static void kl_keeps_its_relative_accuracy(void **state) {
    (void)state;
    struct dice r = {2};
    struct scratch w;
    scratch_init(&w);
    double worst = 0.0;
    for (int i = 0; i < KL_DRAWS / 10; i++) {
        double q = any_share(&r), p = any_share(&r);
        if (i % 3 == 0) /* next to each other */
            p = fmin(1.0, q * (1.0 + pow(10.0, -dice_between(&r, 1.0, 15.0))));
        if (p == 0.0 || p == 1.0 || p == q)
            continue;
        mpfr_set_d(w.p, p, MPFR_RNDN);
        true_kl(&w, q);
        if (mpfr_cmp_d(w.kl, 1e-290) < 0) /* parts of it are no normal doubles */
            continue;
        mpfr_d_sub(w.a, gbs_kl(q, p), w.kl, MPFR_RNDN);
        mpfr_div(w.a, w.a, w.kl, MPFR_RNDN);
        double error = fabs(mpfr_get_d(w.a, MPFR_RNDN));
        if (!(error <= GBS_ACCURATE))
            fail_msg("kl(%.17g, %.17g) is off by %g epsilons", q, p, error / DBL_EPSILON);
        worst = fmax(worst, error);
    }
    print_message("# kl: worst relative error %.2f epsilons\n", worst / DBL_EPSILON);
    scratch_clear(&w);
}

static void kl_inverse_at_the_edges(void **state) {
    (void)state;
    assert_true(gbs_kl_inverse_upper(0.0, 0.0) == 0.0);
    assert_true(gbs_kl_inverse_upper(0.3, 0.0) == 0.3);
    assert_true(gbs_kl_inverse_upper(1.0, 0.1) == 1.0);
    assert_true(gbs_kl_inverse_upper(0.2, INFINITY) == 1.0);
    assert_true(gbs_kl_inverse_upper(0.2, 1e4) == 1.0);
    assert_close(gbs_kl_inverse_upper(0.0, 0.7), 1.0 - exp(-0.7), 4e-15, 0.0);
    assert_close(gbs_kl_inverse_upper(1e-310, 0.1), 1.0 - exp(-0.1), 1e-13, 0.0);
    assert_true(gbs_kl_inverse_upper(0.0, DBL_TRUE_MIN) <= 4.0 * DBL_TRUE_MIN);
    assert_true(isnan(gbs_kl_inverse_upper(-0.1, 1.0)) && isnan(gbs_kl_inverse_upper(1.1, 1.0)));
    assert_true(isnan(gbs_kl_inverse_upper(0.5, -1.0)) && isnan(gbs_kl_inverse_upper(NAN, 1.0)));
    assert_true(isnan(gbs_kl_inverse_upper(0.5, NAN)));
    assert_true(gbs_kl(0.5, 0.5) == 0.0 && isinf(gbs_kl(0.5, 1.0)) && isnan(gbs_kl(2.0, 0.5)));
}

/* ---------------------------------------------------------------- xi */

/* sum_k C(n,k) k^k (n-k)^(n-k) / n^n */
static void true_xi(mpq_t xi, unsigned long n) {
    mpz_t sum, term, power;
    mpz_inits(sum, term, power, NULL);
    for (unsigned long k = 0; k <= n; k++) {
        mpz_bin_uiui(term, n, k);
        mpz_ui_pow_ui(power, k, k);
        mpz_mul(term, term, power);
        mpz_ui_pow_ui(power, n - k, n - k);
        mpz_addmul(sum, term, power);
    }
    mpz_ui_pow_ui(power, n, n);
    mpq_set_num(xi, sum);
    mpq_set_den(xi, power);
    mpq_canonicalize(xi);
    mpz_clears(sum, term, power, NULL);
}

static void xi_is_exact_up_to_200(void **state) {
    (void)state;
    mpq_t truth, value;
    mpq_inits(truth, value, NULL);
    assert_true(gbs_xi_upper(0) == 1.0);
    for (unsigned long n = 1; n <= 200; n++) {
        double up = gbs_xi_upper(n);
        true_xi(truth, n);
        mpq_set_d(value, up);
        assert_true(mpq_cmp(value, truth) >= 0);
        assert_at_most(up, mpq_get_d(truth) * (1.0 + 1e-12));
    }
    mpq_clears(truth, value, NULL);
}

static void xi_is_never_too_small(void **state) {
    (void)state;
    mpfr_t sum, term;
    mpfr_inits2(128, sum, term, (mpfr_ptr)NULL);
    for (unsigned long n = 1000; n <= XI_LARGEST; n *= 10) {
        /* 1 + 1 + (1 - 1/n) + (1 - 1/n)(1 - 2/n) + ... until the terms are 1e-40 */
        mpfr_set_ui(sum, 1, MPFR_RNDD);
        mpfr_set_ui(term, 1, MPFR_RNDD);
        for (unsigned long j = 1; j <= n && mpfr_cmp_d(term, 1e-40) > 0; j++) {
            mpfr_add(sum, sum, term, MPFR_RNDD);
            mpfr_mul_ui(term, term, n - j, MPFR_RNDD);
            mpfr_div_ui(term, term, n, MPFR_RNDD);
        }
        double up = gbs_xi_upper(n);
        assert_true(mpfr_cmp_d(sum, up) <= 0);
        assert_at_most(up, mpfr_get_d(sum, MPFR_RNDU) * (1.0 + 1e-10));
    }
    mpfr_clears(sum, term, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

static void xi_grows_like_the_root_of_n(void **state) {
    (void)state;
    double last = 0.0;
    for (int k = 6; k <= 24; k++) {
        double size = pow(10.0, 0.5 * k), up = gbs_xi_upper((uint64_t)size),
               rough = sqrt(M_PI * floor(size) / 2.0) + 2.0 / 3.0;
        assert_true(up > last && up >= rough);
        assert_at_most(up, rough + 0.5);
        assert_at_most(up, 2.0 * sqrt(size));
        last = up;
    }
    assert_true(isfinite(gbs_xi_upper(UINT64_MAX)));
    /* over the seam between the sum and the expansion */
    assert_true(gbs_xi_upper(1000000000) <= gbs_xi_upper(1000000001));
}

/* ---------------------------------------------------------------- Clopper and Pearson */

/* P(Bin(n, p) <= k), upwards from (1-p)^n. */
static void true_tail(mpfr_t tail, unsigned long k, unsigned long n, double p) {
    mpfr_t term, odds;
    mpfr_inits2(BITS, term, odds, (mpfr_ptr)NULL);
    mpfr_set_d(term, -p, MPFR_RNDN);
    mpfr_log1p(term, term, MPFR_RNDN);
    mpfr_mul_ui(term, term, n, MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_set_d(odds, p, MPFR_RNDN);
    mpfr_ui_sub(odds, 1, odds, MPFR_RNDN);
    mpfr_d_div(odds, p, odds, MPFR_RNDN);
    mpfr_set(tail, term, MPFR_RNDN);
    for (unsigned long j = 0; j < k; j++) {
        mpfr_mul_ui(term, term, n - j, MPFR_RNDN);
        mpfr_div_ui(term, term, j + 1, MPFR_RNDN);
        mpfr_mul(term, term, odds, MPFR_RNDN);
        mpfr_add(tail, tail, term, MPFR_RNDN);
    }
    mpfr_clears(term, odds, (mpfr_ptr)NULL);
}

static void clopper_pearson_never_undershoots(void **state) {
    (void)state;
    static const unsigned long sizes[] = {1, 2, 3, 10, 57, 200, 1000, 5000, 1000000};
    static const double shares[] = {0.0, 0.001, 0.03, 0.25, 0.5, 0.9, 0.999},
                        deltas[] = {0.2, 0.05, 1e-3, 1e-12};
    mpfr_t tail;
    mpfr_init2(tail, BITS);
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t h = 0; h < COUNT(shares); h++)
            for (size_t e = 0; e < COUNT(deltas); e++) {
                unsigned long n = sizes[s], k = (unsigned long)(shares[h] * (double)n);
                if (n > 5000 && (e != 1 || shares[h] > 0.5 || XI_LARGEST < 1000000))
                    continue;
                double up = gbs_binomial_upper_tail(k, n, deltas[e]);
                assert_true(up > (double)k / (double)n && up <= 1.0);
                true_tail(tail, k, n, up);
                if (mpfr_cmp_d(tail, deltas[e]) > 0)
                    fail_msg("(%lu of %lu, %g): %.17g is too small", k, n, deltas[e], up);
                true_tail(tail, k, n, up * (1.0 - 1e-11));
                if (mpfr_cmp_d(tail, deltas[e]) < 0)
                    fail_msg("(%lu of %lu, %g): %.17g is too large", k, n, deltas[e], up);
                true_tail(tail, k, n, up);
                assert_close(gbs_binomial_cdf(k, n, up), mpfr_get_d(tail, MPFR_RNDN), 1e-10, 0.0);
            }
    mpfr_clear(tail);
    mpfr_free_cache();
}

static void clopper_pearson_at_the_edges(void **state) {
    (void)state;
    assert_true(gbs_binomial_upper_tail(5, 5, 0.05) == 1.0 &&
                gbs_binomial_upper_tail(0, 0, 0.05) == 1.0);
    assert_true(isnan(gbs_binomial_upper_tail(1, 5, 0.0)) &&
                isnan(gbs_binomial_upper_tail(1, 5, 1.0)));
    assert_close(gbs_binomial_upper_tail(0, 100, 0.05), 1.0 - pow(0.05, 0.01), 1e-12, 0.0);
    /* beyond the rows that are summed, Chernoff's bound: close by, and above */
    double summed = gbs_binomial_upper_tail(3000000000, 10000000000, 0.05);
    double bounded = gbs_binomial_upper_tail(3000000003, 10000000010, 0.05);
    assert_true(bounded > summed * (1.0 - 1e-9) && bounded < summed + 1e-5);
    /* both tails of the distribution function */
    assert_close(gbs_binomial_cdf(60, 100, 0.5) + gbs_binomial_cdf(39, 100, 0.5), 1.0, 1e-13, 0.0);
    assert_close(gbs_binomial_cdf(2, 3, 0.5), 0.875, 1e-14, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kl_inverse_never_undershoots),
        cmocka_unit_test(kl_keeps_its_relative_accuracy),
        cmocka_unit_test(kl_inverse_at_the_edges),
        cmocka_unit_test(xi_is_exact_up_to_200),
        cmocka_unit_test(xi_is_never_too_small),
        cmocka_unit_test(xi_grows_like_the_root_of_n),
        cmocka_unit_test(clopper_pearson_never_undershoots),
        cmocka_unit_test(clopper_pearson_at_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
