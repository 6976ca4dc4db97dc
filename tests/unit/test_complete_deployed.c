/* The certificate of the deployed predictor: what it depends on, what it tells. How often it holds
 * is in test_complete_coverage_statistics.c. */
#include "complete_support.h"
#include "paper_settings.h"

/* The order of a file does not choose which ratings certify: the same set, the same certificate. */
static void order_of_the_file_is_no_choice(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(4, 30, 20, 2, 400, 0.5, 3.0, true);
    clip_ratings(&t, 0.0, 6.0);
    sort_by_row(&t);
    gbs_complete_settings o = hierarchical_settings();
    o.rank = 2;
    o.has_range = 1, o.low = 0.0, o.high = 6.0;
    gbs_completion *a = complete(ctx, &t, &o);
    for (size_t e = 0; e < t.n / 2;
         e++) { /* backwards, then rows in order again within the handle */
        size_t f = t.n - 1 - e;
        uint32_t row = t.row[e], column = t.column[e];
        double y = t.y[e];
        t.row[e] = t.row[f], t.column[e] = t.column[f], t.y[e] = t.y[f];
        t.row[f] = row, t.column[f] = column, t.y[f] = y;
    }
    gbs_completion *b = complete(ctx, &t, &o);
    assert_int_equal(gbs_completion_certificate(a)->n, gbs_completion_certificate(b)->n);
    assert_close(gbs_completion_certificate(a)->rmse, gbs_completion_certificate(b)->rmse, 0.3,
                 0.0);
    gbs_completion_free(a);
    gbs_completion_free(b);
    o.has_range = 0;
    a = complete(ctx, &t, &o);
    assert_true(isnan(gbs_completion_mae_bound(a)) && isnan(gbs_completion_mae_bound(NULL)));
    gbs_completion_free(a);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Of whole numbers there is a bound on misses, also in the file; of others there is none. */
static void stars_have_a_share_within_half_a_one(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(4, 30, 20, 2, 400, 0.5, 3.0, true);
    gbs_complete_settings o = hierarchical_settings();
    o.rank = 2;
    o.has_range = 1, o.low = 0.0, o.high = 6.0;
    clip_ratings(&t, 0.0, 6.0);
    gbs_completion *m = complete(ctx, &t, &o), *back = NULL;
    assert_true(isnan(gbs_completion_miss_bound(m)) && isnan(gbs_completion_miss_bound(NULL)));
    gbs_completion_free(m);
    for (size_t e = 0; e < t.n; e++)
        t.y[e] = round(t.y[e]);
    m = complete(ctx, &t, &o);
    double bound = gbs_completion_miss_bound(m);
    assert_true(bound > 0.05 && bound < 0.8);
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(gbs_completion_to_json(ctx, m, &text, &size), GBS_OK);
    assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
    assert_close(gbs_completion_miss_bound(back), bound, 0.0, 0.0);
    gbs_release(ctx, text);
    gbs_completion_free(m);
    gbs_completion_free(back);
    free_truth(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_have_a_share_within_half_a_one),
        cmocka_unit_test(order_of_the_file_is_no_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
