/* The best columns of a row, and quantiles: ordered before anything is clipped to the range. */
#include "complete_support.h"
#include "paper_settings.h"

enum { ROWS = 30, COLUMNS = 40 };

/* Ratings that the range cuts off, so that many predictions lie beyond it. */
static gbs_completion *cut_off(gbs_context *ctx, struct matrix_truth *t) {
    gbs_complete_settings o = hierarchical_settings();
    o.rank = 2;
    o.has_range = 1, o.low = 2.5, o.high = 3.2;
    *t = make_truth(4, ROWS, COLUMNS, 2, 500, 0.2, 3.0, true);
    clip_ratings(t, o.low, o.high);
    return complete(ctx, t, &o);
}

static bool rated(const gbs_completion *m, uint32_t row, uint32_t column) {
    size_t count;
    const uint32_t *seen = gbs_completion_seen(m, row, &count);
    for (size_t k = 0; k < count; k++)
        if (seen[k] == column)
            return true;
    return false;
}

/* What a column is ordered by: its mean, or a quantile z standard deviations above it. */
static double merit_of(gbs_context *ctx, const gbs_completion *m, uint32_t row, uint32_t column,
                       double z) {
    double value, sd;
    assert_ok(ctx, gbs_completion_predict_unclipped(ctx, m, 1, &row, &column, &value, &sd));
    return value + z * sqrt(sd * sd + gbs_completion_noise(m, row));
}

static void the_best_columns_are_best_unclipped(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 2);
    struct matrix_truth t;
    gbs_completion *m = cut_off(ctx, &t);
    static const struct {
        double level, z;
    } by[] = {{0.0, 0.0}, {0.9, 1.2815515655446004}, {0.05, -1.6448536269514722}};
    size_t ties = 0;
    for (size_t b = 0; b < sizeof by / sizeof *by; b++)
        for (uint32_t i = 0; i < ROWS; i++) {
            uint32_t best[COLUMNS];
            size_t n = 0, left = 0, some = 0;
            assert_ok(ctx, gbs_completion_top(ctx, m, i, by[b].level, COLUMNS, best, &n));
            for (uint32_t j = 0; j < COLUMNS; j++)
                left += !rated(m, i, j);
            assert_int_equal(n, left);
            for (size_t k = 0; k < n; k++)
                assert_false(rated(m, i, best[k]));
            for (size_t k = 1; k < n; k++) {
                double value[2], before = merit_of(ctx, m, i, best[k - 1], by[b].z),
                                 merit = merit_of(ctx, m, i, best[k], by[b].z);
                const uint32_t row[] = {i, i};
                assert_true(before >= merit - 1e-12);
                assert_ok(ctx, gbs_completion_predict(ctx, m, 2, row, best + k - 1, value, NULL));
                ties += value[0] == value[1] && before > merit;
            }
            uint32_t first[2] = {COLUMNS, COLUMNS};
            assert_ok(ctx, gbs_completion_top(ctx, m, i, by[b].level, 2, first, &some));
            assert_int_equal(some, n < 2 ? n : 2);
            assert_true(n < 2 || (first[0] == best[0] && first[1] == best[1]));
        }
    assert_true(ties > 20); /* the range did cut predictions off */
    uint32_t all[COLUMNS];
    size_t n = 0;
    assert_ok(ctx, gbs_completion_top(ctx, m, GBS_UNSEEN, 0.0, COLUMNS, all, &n));
    assert_int_equal(n, COLUMNS);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* About the unclipped mean, and clipped only then: the law of a rating that the range cuts off. */
static void quantiles_are_of_the_clipped_law(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t;
    gbs_completion *m = cut_off(ctx, &t);
    const double level[] = {0.05, 0.5, 0.9}, z[] = {-1.6448536269514722, 0.0, 1.2815515655446004};
    size_t beyond = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t j = 0; j < COLUMNS; j++) {
            double q[3], value;
            assert_ok(ctx, gbs_completion_quantiles(ctx, m, 1, &i, &j, 3, level, q));
            assert_ok(ctx, gbs_completion_predict(ctx, m, 1, &i, &j, &value, NULL));
            beyond += merit_of(ctx, m, i, j, 0.0) > 3.2 && q[0] > 2.5;
            for (size_t k = 0; k < 3; k++)
                assert_close(q[k], fmin(3.2, fmax(2.5, merit_of(ctx, m, i, j, z[k]))), 1e-9, 0.0);
            assert_close(q[1], value, 1e-12, 0.0);
        }
    assert_true(beyond > 20);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_columns_are_best_unclipped),
        cmocka_unit_test(quantiles_are_of_the_clipped_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
