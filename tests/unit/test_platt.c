/* Calibration: the minimum against a brute force, and what it does with scores that say nothing. */
#include "support.h"

#include "fit/platt.h"

static double sum_of_losses(const double *score, const double *y, size_t n, double a, double b) {
    double ups = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++)
        ups += y[i] > 0.0;
    for (size_t i = 0; i < n; i++) {
        double z = a + b * score[i],
               t = y[i] > 0.0 ? (ups + 1.0) / (ups + 2.0) : 1.0 / ((double)n - ups + 2.0);
        sum += (z > 0.0 ? z + log1p(exp(-z)) : log1p(exp(z))) - t * z;
    }
    return sum;
}

static void is_the_minimum(void **state) {
    (void)state;
    struct dice r = {3};
    double score[200], y[200];
    for (size_t round = 0; round < 50; round++) {
        size_t n = 4 + dice_below(&r, 196);
        double size = exp(dice_between(&r, -12.0, 12.0)), sharp = dice_between(&r, 0.2, 3.0);
        for (size_t i = 0; i < n; i++) {
            double s = dice_normal(&r);
            y[i] = dice_uniform(&r) < 1.0 / (1.0 + exp(-sharp * s - 0.7)) ? 1.0 : -1.0;
            score[i] = size * (s + 5.0);
        }
        y[0] = 1.0, y[1] = -1.0;
        gbs_platt p = gbs_platt_learn(score, y, n);
        assert_true(p.slope > 0.0 && isfinite(p.slope) && isfinite(p.offset));
        double best = sum_of_losses(score, y, n, p.offset, p.slope);
        for (size_t t = 0; t < 200; t++) { /* no neighbour is better */
            double step = exp(dice_between(&r, -9.0, 0.0)),
                   b = p.slope * (1.0 + step * dice_normal(&r)),
                   a = p.offset + (p.slope - b) * size * 5.0 + step * dice_normal(&r);
            if (b > 0.0)
                assert_true(sum_of_losses(score, y, n, a, b) >= best - 1e-9 * (1.0 + best));
        }
    }
}

static void the_slope_alone_is_the_minimum_too(void **state) {
    (void)state;
    struct dice r = {4};
    double score[120], y[120];
    for (size_t round = 0; round < 30; round++) {
        size_t n = 6 + dice_below(&r, 114);
        for (size_t i = 0; i < n; i++) {
            score[i] = 3.0 * dice_normal(&r);
            y[i] = dice_uniform(&r) < 1.0 / (1.0 + exp(-score[i])) ? 1.0 : -1.0;
        }
        gbs_platt p = gbs_platt_learn_slope(score, y, n);
        assert_true(p.offset == 0.0 && p.slope > 0.0);
        double best = sum_of_losses(score, y, n, 0.0, p.slope);
        for (size_t t = 0; t < 100; t++) {
            double b = p.slope * exp(dice_between(&r, -0.5, 0.5));
            assert_true(sum_of_losses(score, y, n, 0.0, b) >= best - 1e-9 * (1.0 + best));
        }
    }
}

static void keeps_the_order_of_the_scores(void **state) {
    (void)state;
    /* the score is the wrong way round, constant, or divides the classes */
    static const double scores[][6] = {
        {1, 2, 3, 4, 5, 6}, {2, 2, 2, 2, 2, 2}, {6, 5, 4, 3, 2, 1}, {1e-300, 0, 0, 0, 0, 0}};
    static const double y[6] = {1, 1, 1, -1, -1, -1};
    for (size_t k = 0; k < COUNT(scores); k++) {
        gbs_platt p = gbs_platt_learn(scores[k], y, 6);
        assert_true(p.slope > 0.0 && isfinite(p.slope) && isfinite(p.offset));
    }
    gbs_platt none = gbs_platt_learn(scores[0], y, 6);
    assert_close(1.0 / (1.0 + exp(-(none.offset + none.slope * 3.5))), 0.5, 1e-6, 0.0);
    gbs_platt sharp = gbs_platt_learn(scores[2], y, 6);
    double p = 1.0 / (1.0 + exp(-(sharp.offset + sharp.slope * 6.0)));
    assert_true(p > 0.7 && p < 0.95); /* never surer than (n+ + 1)/(n+ + 2) calls for */
}

static void one_class_alone_is_no_trouble(void **state) {
    (void)state;
    static const double score[3] = {1, 2, 3}, ups[3] = {1, 1, 1}, downs[3] = {-1, -1, -1};
    gbs_platt p = gbs_platt_learn(score, ups, 3), q = gbs_platt_learn(score, downs, 3);
    assert_true(p.offset + 2.0 * p.slope > 0.0 && p.slope > 0.0);
    assert_true(q.offset + 2.0 * q.slope < 0.0 && q.slope > 0.0);
    gbs_platt nothing = gbs_platt_learn(NULL, NULL, 0);
    assert_true(nothing.offset == 0.0 && nothing.slope > 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_minimum),
        cmocka_unit_test(the_slope_alone_is_the_minimum_too),
        cmocka_unit_test(keeps_the_order_of_the_scores),
        cmocka_unit_test(one_class_alone_is_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
