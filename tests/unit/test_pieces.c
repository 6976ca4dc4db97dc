/* Small public functions, each against what it is defined as. */
#include "unit/support.h"

/* P(Bin(n, p) <= k), summed term by term. */
static long double lower_tail(size_t k, size_t n, long double p) {
    long double term = powl(1.0L - p, (long double)n), sum = term;
    for (size_t j = 0; j < k; j++) {
        term *= (long double)(n - j) / (long double)(j + 1) * p / (1.0L - p);
        sum += term;
    }
    return sum;
}

/* The largest p that explains so few errors with probability 1 - confidence. */
static void the_binomial_bound_is_where_the_tail_falls_to_delta(void **state) {
    (void)state;
    static const struct {
        size_t errors, n;
        double confidence;
    } cases[] = {{0, 10, 0.95},   {1, 10, 0.95}, {3, 50, 0.9},
                 {20, 100, 0.99}, {49, 50, 0.5}, {0, 1, 0.05}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        double p = gbs_binomial_upper(cases[c].errors, cases[c].n, cases[c].confidence);
        double delta = 1.0 - cases[c].confidence;
        double tail = (double)lower_tail(cases[c].errors, cases[c].n, p);
        assert_close(tail, delta, 1e-9, 0.0);
        assert_true(tail <= delta * (1.0 + 1e-13)); /* from above */
    }
    assert_close(gbs_binomial_upper(0, 20, 0.95), 1.0 - pow(0.05, 1.0 / 20.0), 1e-12, 0.0);
    assert_true(gbs_binomial_upper(10, 10, 0.95) == 1.0);
}

static long double kl(long double r, long double p) {
    long double a = r > 0.0L ? r * logl(r / p) : 0.0L,
                b = r < 1.0L ? (1.0L - r) * logl((1.0L - r) / (1.0L - p)) : 0.0L;
    return a + b;
}

/* Chernoff: the p above the risk with blocks x kl(risk, p) = log(1 / (1 - confidence)). */
static long double divergence_inverse(double risk, double price) {
    long double low = risk, high = 1.0L;
    for (int step = 0; step < 200; step++) {
        long double middle = 0.5L * (low + high);
        if (kl(risk, middle) < price)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void the_auc_bound_inverts_the_divergence(void **state) {
    (void)state;
    static const double risks[] = {0.0, 0.01, 0.2, 0.5, 0.9}, confidences[] = {0.5, 0.95, 0.999};
    static const size_t blocks[] = {1, 10, 1000, 1000000};
    for (size_t r = 0; r < COUNT(risks); r++)
        for (size_t c = 0; c < COUNT(confidences); c++)
            for (size_t b = 0; b < COUNT(blocks); b++) {
                double bound = gbs_auc_risk_upper(risks[r], blocks[b], confidences[c]);
                double price = -log1p(-confidences[c]) / (double)blocks[b];
                double exact = (double)divergence_inverse(risks[r], price);
                assert_close(bound, exact, 1e-9, 0.0);
                assert_true(bound >= exact * (1.0 - 1e-12) && bound <= 1.0); /* from above */
            }
    assert_true(gbs_auc_risk_upper(1.0, 10, 0.95) == 1.0);
}

/* By hand: the errors are 0, 1, 0, 2, the deviations with noise 1, 1, sqrt(2), 1. */
static void ratings_are_scored_as_by_hand(void **state) {
    (void)state;
    static const uint32_t row[] = {0, GBS_UNSEEN, 1, GBS_UNSEEN}, column[] = {0, 1, 1, GBS_UNSEEN};
    static const double y[] = {1.0, 2.0, 3.0, 5.0}, value[] = {1.0, 3.0, 3.0, 3.0},
                        sd[] = {0.0, 0.0, 1.0, 0.0};
    gbs_context *ctx = new_context(1, 1);
    gbs_rating_evaluation *e;
    assert_ok(ctx, gbs_rating_score(ctx, 4, row, column, y, value, sd, 1.0, &e));
    gbs_context_free(ctx);
    assert_int_equal(e->n, 4);
    assert_close(e->rmse, sqrt(5.0 / 4.0), 1e-15, 0.0);
    assert_close(e->mae, 3.0 / 4.0, 1e-15, 0.0);
    assert_close(e->coverage, 3.0 / 4.0, 0.0, 0.0); /* 2 lies beyond 1.96 */
    assert_int_equal(e->new_rows, 2);
    assert_int_equal(e->new_columns, 1);
    gbs_rating_evaluation_free(e);
}

/* A cell that was rated twice counts twice; identifiers come back as they were given. */
static void ratings_are_counted_and_keep_their_names(void **state) {
    (void)state;
    static const uint32_t row[] = {0, 1, 1, 1}, column[] = {0, 2, 2, 1};
    static const double value[] = {1.0, 2.0, 3.0, 2.0};
    static const char *const rows[] = {"ann", "bo"}, *const columns[] = {"7", "007",
                                                                         "\xc3\xa9t\xc3\xa9"};
    gbs_context *ctx = new_context(1, 1);
    gbs_ratings *r;
    gbs_completion *m;
    size_t count;
    assert_ok(ctx, gbs_ratings_create(ctx, 4, 2, 3, row, column, value, rows, columns, &r));
    assert_int_equal(gbs_ratings_count(r), 4);
    assert_ok(ctx, gbs_complete_run(ctx, r, NULL, &m));
    gbs_ratings_free(r);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(gbs_completion_row_id(m, i), rows[i]);
    for (size_t j = 0; j < 3; j++)
        assert_string_equal(gbs_completion_column_id(m, j), columns[j]);
    const uint32_t *seen = gbs_completion_seen(m, 1, &count);
    assert_int_equal(count, 3);
    assert_true(seen[0] == 2 && seen[1] == 2 && seen[2] == 1);
    gbs_completion_free(m);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_binomial_bound_is_where_the_tail_falls_to_delta),
        cmocka_unit_test(the_auc_bound_inverts_the_divergence),
        cmocka_unit_test(ratings_are_scored_as_by_hand),
        cmocka_unit_test(ratings_are_counted_and_keep_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
