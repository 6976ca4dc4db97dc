/* Ratings left out: what fits expect of them, and by how much that falls short. */
#include "complete_support.h"
#include "fit/complete_levels.h"
#include "levels_support.h"
#include "paper_settings.h"

/* The standard deviations expected of ratings left out are those that a model predicts with: of the
 * hierarchical one with each row's noise, and of the paper's. */
static void what_is_expected_is_what_is_predicted(void **state) {
    (void)state;
    for (int paper = 0; paper < 2; paper++) {
        gbs_context *ctx = new_context(1, 3);
        struct matrix_truth t = make_truth(21, 20, 15, 2, 150, 0.5, 3.0, true);
        gbs_ratings *ratings = ratings_of(ctx, &t);
        gbs_complete_settings o = paper ? paper_settings() : hierarchical_settings();
        o.rank = 2;
        o.positions = GBS_POSITIONS_ON;
        gbs_completion *m = complete(ctx, &t, &o);
        assert_true(gbs_completion_inflation(m) == 1.0); /* too few to leave some out */
        struct gbs_completion_run r = {.ctx = ctx, .o = &o, .all = ratings, .learned = ratings};
        struct gbs_missed missed;
        double error, value, sd, squares = 0.0;
        assert_int_equal(gbs_missed_reserve(ctx, t.n, &missed), GBS_OK);
        if (paper) {
            gbs_factors f;
            assert_int_equal(gbs_paper_attempt(&r, ratings, 2, NULL, &f), GBS_OK);
            assert_int_equal(gbs_paper_miss(&f, ratings, &missed, &error), GBS_OK);
            gbs_factors_free(&f);
        } else {
            struct gbs_level_attempt a;
            struct gbs_level_candidate c = {
                .model = GBS_COMPLETION_HIERARCHICAL, .rank = 2, .positions = true};
            assert_int_equal(gbs_attempt_begin(&r, ratings, c, NULL, &a), GBS_OK);
            assert_int_equal(gbs_attempt_ascend(&r, o.max_sweeps, &a), GBS_OK);
            assert_int_equal(gbs_levels_miss(&a.f, ratings, &missed, &error), GBS_OK);
            gbs_attempt_free(ctx, &a);
        }
        assert_int_equal(missed.n, t.n);
        const gbs_rating_list *l = &ratings->by[0];
        for (uint32_t i = 0, e = 0; i < l->items; i++)
            for (; e < l->start[i + 1]; e++) {
                assert_int_equal(gbs_completion_predict(ctx, m, 1, &i, &l->other[e], &value, &sd),
                                 GBS_OK);
                assert_close(missed.off[e], l->value[e] - value, 1e-8, 1e-9);
                assert_close(missed.sd[e], sqrt(sd * sd + gbs_completion_noise(m, i)), 1e-8, 0.0);
                squares += missed.off[e] * missed.off[e];
            }
        assert_close(error, squares / (double)t.n, 1e-12, 0.0);
        gbs_missed_free(ctx, &missed);
        gbs_completion_free(m);
        gbs_ratings_free(ratings);
        free_truth(&t);
        gbs_context_free(ctx);
    }
}

/* The 0.95 quantile against 1.96, drawn towards 1 by 150 ratings; few have none. */
static void inflation_is_that_of_a_quantile(void **state) {
    (void)state;
    enum { N = 1000 };
    double off[N], sd[N];
    struct gbs_missed m = {N, off, sd};
    for (size_t e = 0; e < N; e++) { /* |off| / sd: 0, 3/N, ..., shuffled, of either sign */
        size_t k = e * 377 % N;
        sd[e] = 0.5 + (double)(e % 3);
        off[e] = (e % 2 ? -3.0 : 3.0) * (double)k / N * sd[e];
    }
    assert_close(gbs_missed_inflation(&m), pow(2.85 / 1.959963984540054, 2.0 * N / (N + 150.0)),
                 1e-12, 0.0);
    m.n = 39;
    assert_true(gbs_missed_inflation(&m) == 1.0);
    for (size_t e = 0; e < N; e++) {
        off[e] = 100.0;
        sd[e] = 1.0;
    }
    m.n = N;
    assert_true(gbs_missed_inflation(&m) == 4.0);
    memset(off, 0, sizeof off);
    assert_true(gbs_missed_inflation(&m) == 0.25);
}

/* Squares 1, 4, 9, 4 against 4, 4, 16, 9: 3, 0, 7, 5 less; standard error of the sum sqrt(83 -
 * 225/4). */
static void errors_are_compared_rating_by_rating(void **state) {
    (void)state;
    double a[] = {1.0, -2.0, 3.0, 2.0}, b[] = {-2.0, 2.0, 4.0, -3.0};
    struct gbs_missed less = {4, a, NULL}, more = {4, b, NULL};
    double errors = 15.0 / sqrt(83.0 - 225.0 / 4.0);
    assert_true(gbs_missed_less(&less, &more, errors - 1e-9));
    assert_false(gbs_missed_less(&less, &more, errors + 1e-9));
    assert_false(gbs_missed_less(&more, &less, 0.0));
    assert_false(gbs_missed_less(&less, &less, 0.0));
}

/* Share of fresh ratings within 1.96 standard deviations, times `widen`. */
static double coverage(gbs_context *ctx, const gbs_completion *m, const struct matrix_truth *t,
                       double widen) {
    enum { FRESH = 20000 };
    struct dice r = {77};
    size_t inside = 0;
    for (size_t e = 0; e < FRESH; e++) {
        uint32_t i = (uint32_t)dice_below(&r, t->rows), j = (uint32_t)dice_below(&r, t->columns);
        double value, sd, y = truth_at(t, i, j) + t->noise * dice_normal(&r);
        assert_int_equal(gbs_completion_predict(ctx, m, 1, &i, &j, &value, &sd), GBS_OK);
        inside += fabs(y - value) < 1.96 * widen * sqrt(sd * sd + gbs_completion_noise(m, i));
    }
    return (double)inside / FRESH;
}

/* Eight ratings a row for four unknowns: intervals cover what they say, and would not without what
 * ratings left out have taught. 20,000 fresh ratings: a standard error of 0.15 %. */
static void intervals_cover_what_they_say(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    struct matrix_truth t = make_truth(31, 150, 100, 3, 1600, 0.5, 3.0, true);
    gbs_complete_settings o = hierarchical_settings();
    o.rank = 4;
    o.choose_model = 1;
    gbs_completion *m = complete(ctx, &t, &o);
    double factor = gbs_completion_inflation(m);
    assert_true(factor > 1.0 && factor < 2.0);
    double covered = coverage(ctx, m, &t, 1.0), narrow = coverage(ctx, m, &t, 1.0 / sqrt(factor));
    assert_true(covered > 0.935 && covered < 0.965);
    assert_true(narrow < covered);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Of few ratings too, where the paper's model is taken unasked: 40 have parts to leave out. */
static void few_ratings_say_how_far_to_trust(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    gbs_complete_settings o = gbs_complete_settings_default();
    for (size_t n = 39; n <= 150; n += n < 40 ? 1 : 110) {
        struct matrix_truth t = make_truth(21, 20, 15, 2, n, 0.5, 3.0, true);
        gbs_completion *m = complete(ctx, &t, &o);
        assert_int_equal(gbs_completion_get_model(m), GBS_COMPLETION_PAPER);
        assert_true((gbs_completion_inflation(m) != 1.0) == (n >= 40));
        gbs_completion_free(m);
        free_truth(&t);
    }
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_expected_is_what_is_predicted),
        cmocka_unit_test(inflation_is_that_of_a_quantile),
        cmocka_unit_test(few_ratings_say_how_far_to_trust),
        cmocka_unit_test(errors_are_compared_rating_by_rating),
        cmocka_unit_test(intervals_cover_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
