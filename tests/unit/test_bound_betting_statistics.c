/* The betting bounds: their formulas, their order, and how often they are wrong. */
#include "bound/bound.h"
#include "unit/support.h"

#if defined(__SANITIZE_ADDRESS__)
enum { REPEATS = 300 };
#else
enum { REPEATS = 4000 };
#endif

enum { ROWS = 120, KINDS = 6, BOUNDS = 3 };

/* One loss of a law with known mean. */
static double draw(struct dice *r, int kind) {
    double u = dice_uniform(r);
    switch (kind) {
    case 0:
        return u < 0.05 ? 1.0 : 0.0;
    case 1:
        return u < 0.3 ? 1.0 : 0.0;
    case 2:
        return u;
    case 3: /* a Gibbs loss Phi(-t), t ~ N(0.75/0.5, 1/0.5^2): mean Phi(-1.5/sqrt(5)) */
        return 0.5 * erfc((1.5 + 2.0 * dice_normal(r)) / M_SQRT2);
    case 4: /* seldom, and then much */
        return u < 0.01 ? 1.0 : 0.02;
    default: /* an atom at one half */
        return u < 0.2 ? 0.5 : 0.0;
    }
}

static double mean_of(int kind) {
    const double means[KINDS] = {0.05, 0.3, 0.5, 0.5 * erfc(1.5 / sqrt(10.0)), 0.01 + 0.99 * 0.02,
                                 0.1};
    return means[kind];
}

static void draw_rows(struct dice *r, int kind, double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = draw(r, kind);
}

static void bounds_are_wrong_no_more_often_than_they_say(void **state) {
    (void)state;
    struct dice r = {8};
    const double delta = 0.1, price = log(10.0);
    double x[ROWS], other[ROWS];
    for (int kind = 0; kind < KINDS; kind++) {
        int wrong[BOUNDS] = {0};
        double mean = mean_of(kind), total[BOUNDS] = {0};
        for (int k = 0; k < REPEATS; k++) {
            draw_rows(&r, kind, x, ROWS);
            draw_rows(&r, kind, other, ROWS);
            double kappa = gbs_betting_kappa(other, ROWS, ROWS, price, 1.0),
                   bolder = gbs_betting_kappa(other, ROWS, ROWS, price, 1.25);
            double up[BOUNDS] = {gbs_betting_fixed_upper(x, ROWS, bolder, price),
                                 gbs_betting_mean_upper(x, ROWS, kappa, price),
                                 gbs_betting_fixed_upper(x, ROWS, 0.999, price)};
            for (int j = 0; j < BOUNDS; j++) {
                wrong[j] += up[j] < mean;
                total[j] += up[j];
            }
        }
        for (int j = 0; j < BOUNDS; j++) {
            assert_at_most(wrong[j], delta * REPEATS + 5.0 * sqrt(REPEATS * delta * (1.0 - delta)));
            print_message("# law %d, bound %d: wrong %.3f of the time, mean %.4f (truth %.4f)\n",
                          kind, j, (double)wrong[j] / REPEATS, total[j] / REPEATS, mean);
        }
    }
}

/* The means move from row to row: the bound at t = n is one on their average. */
static void mean_bound_holds_for_drifting_means(void **state) {
    (void)state;
    struct dice r = {9};
    const double price = log(10.0);
    double x[ROWS];
    int wrong = 0;
    for (int k = 0; k < REPEATS; k++) {
        double average = 0.0;
        for (size_t i = 0; i < ROWS; i++) {
            double p = i < ROWS / 2 ? 0.5 : 0.02;
            x[i] = dice_uniform(&r) < p ? 1.0 : 0.0;
            average += p / ROWS;
        }
        wrong += gbs_betting_mean_upper(x, ROWS, 0.4, price) < average;
    }
    assert_at_most(wrong, 0.1 * REPEATS + 5.0 * sqrt(REPEATS * 0.09));
}

static void fixed_bet_matches_its_formula(void **state) {
    (void)state;
    struct dice r = {10};
    double x[ROWS];
    for (int k = 0; k < 200; k++) {
        double kappa = dice_between(&r, 0.001, 0.999), price = dice_between(&r, 0.0, 6.0),
               c = -log1p(-kappa), r_hat = 0.0;
        long double logs = 0.0L, least = 1.0L, last = 1.0L;
        draw_rows(&r, k % KINDS, x, ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            logs += log1pl(-(long double)kappa * x[i]);
            last = -expm1l((logs - price) / (long double)(i + 1)) / kappa;
            least = fminl(least, last);
            r_hat += x[i] / ROWS;
        }
        double mean = gbs_betting_mean_upper(x, ROWS, kappa, price),
               fixed = gbs_betting_fixed_upper(x, ROWS, kappa, price);
        assert_close(mean, (double)fminl(1.0L, last), 1e-12, 0.0);
        assert_close(fixed, (double)least, 1e-12, 0.0);
        assert_true(mean >= (double)fminl(1.0L, last) && fixed >= (double)least && fixed <= mean);
        /* never above catoni's bound with K = 0 at the same bet, and equal to it for 0/1 losses */
        double catoni = gbs_bound_catoni(r_hat, 0.0, ROWS, c * ROWS, price);
        assert_at_most(mean, catoni * (1.0 + 1e-12));
        if (k % KINDS < 2)
            assert_close(mean, catoni, 1e-11, 0.0);
    }
}

static void bounds_move_the_right_way(void **state) {
    (void)state;
    struct dice r = {11};
    double x[ROWS];
    for (int k = 0; k < 60; k++) {
        draw_rows(&r, k % KINDS, x, ROWS);
        double mean = 0.0;
        for (size_t i = 0; i < ROWS; i++)
            mean += x[i] / ROWS;
        double wide = gbs_betting_fixed_upper(x, ROWS, 0.5, log(100.0)),
               narrow = gbs_betting_fixed_upper(x, ROWS, 0.5, log(5.0));
        assert_true(wide >= narrow && narrow > 0.0 && wide <= 1.0);
        double before = gbs_betting_fixed_upper(x, ROWS, 0.5, 3.0),
               mean_before = gbs_betting_mean_upper(x, ROWS, 0.5, 3.0);
        /* one bet that does not move cannot get below what was seen */
        assert_true(mean_before >= mean);
        size_t i = dice_below(&r, ROWS);
        x[i] = x[i] + (1.0 - x[i]) * dice_uniform(&r);
        assert_true(gbs_betting_fixed_upper(x, ROWS, 0.5, 3.0) >= before);
        assert_true(gbs_betting_mean_upper(x, ROWS, 0.5, 3.0) >= mean_before);
    }
}

static void odd_input_is_refused(void **state) {
    (void)state;
    const double good[3] = {0.0, 0.5, 1.0}, high[3] = {0.0, 0.5, 1.1}, nan[3] = {0.0, NAN, 1.0};
    assert_true(isfinite(gbs_betting_fixed_upper(good, 3, 0.5, 3.0)));
    assert_true(isnan(gbs_betting_fixed_upper(high, 3, 0.5, 3.0)) &&
                isnan(gbs_betting_fixed_upper(nan, 3, 0.5, 3.0)));
    assert_true(isnan(gbs_betting_fixed_upper(good, 0, 0.5, 3.0)) &&
                isnan(gbs_betting_fixed_upper(good, 3, 0.0, 3.0)));
    assert_true(isnan(gbs_betting_fixed_upper(good, 3, 1.0, 1.0)) &&
                isnan(gbs_betting_fixed_upper(good, 3, 0.5, -1.0)));
    assert_true(isnan(gbs_betting_mean_upper(high, 3, 0.5, 1.0)) &&
                isnan(gbs_betting_kappa(good, 3, 0, 1.0, 1.0)));
    const double zeros[4] = {0.0}, ones[4] = {1.0, 1.0, 1.0, 1.0};
    double kappa = gbs_betting_kappa(zeros, 4, 100, 3.0, 1.0);
    assert_true(kappa > 0.5 && kappa < 1.0);
    kappa = gbs_betting_kappa(ones, 4, 100, 3.0, 1.25);
    assert_true(kappa > 0.0 && kappa < 1.0);
    assert_true(gbs_betting_fixed_upper(ones, 4, 0.5, 3.0) == 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_wrong_no_more_often_than_they_say),
        cmocka_unit_test(mean_bound_holds_for_drifting_means),
        cmocka_unit_test(fixed_bet_matches_its_formula),
        cmocka_unit_test(bounds_move_the_right_way),
        cmocka_unit_test(odd_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
