/* The certificate of the deployed predictor holds: the true risk of its values, over fresh ratings
 * whose positions depend on taste, is above the bound in no more than the promised share of fits. */
#include "complete_support.h"

enum { ROWS = 60, COLUMNS = 40, RATINGS = 900, FRESH = 20000 };

/* Ratings clipped to [0, 6], cells kept by taste. */
static void draw_ratings(struct matrix_truth *t, struct dice *r) {
    for (size_t e = 0; e < t->n; e++) {
        double x;
        do {
            t->row[e] = (uint32_t)dice_below(r, t->rows);
            t->column[e] = (uint32_t)dice_below(r, t->columns);
            x = truth_at(t, t->row[e], t->column[e]);
        } while (dice_uniform(r) > 1.0 / (1.0 + exp(-2.0 * (x - 3.0))));
        t->y[e] = fmin(6.0, fmax(0.0, x + 0.5 * dice_normal(r)));
    }
}

struct risks {
    double square, absolute;
};

static struct risks true_risks(gbs_context *ctx, const gbs_completion *m,
                               const struct matrix_truth *t) {
    struct risks risk = {0.0, 0.0};
    double *value = doubles(t->n);
    assert_int_equal(gbs_completion_predict(ctx, m, t->n, t->row, t->column, value, NULL), GBS_OK);
    for (size_t e = 0; e < t->n; e++) {
        double off = fabs(t->y[e] - value[e]);
        assert_true(value[e] >= 0.0 && value[e] <= 6.0);
        risk.square += off * off / (double)t->n;
        risk.absolute += off / (double)t->n;
    }
    free(value);
    return risk;
}

static void bounds_hold_as_often_as_promised(void **state) {
    (void)state;
    size_t rounds = repeats(250, 8), missed = 0, missed_absolute = 0;
    double width = 0.0;
    struct dice r = {77};
    struct matrix_truth fresh = make_truth(3, ROWS, COLUMNS, 2, FRESH, 0.5, 3.0, true);
    draw_ratings(&fresh, &r);
    for (size_t k = 0; k < rounds; k++) {
        gbs_context *ctx = new_context(1, 1 + k);
        struct matrix_truth t = make_truth(3, ROWS, COLUMNS, 2, RATINGS, 0.5, 3.0, true);
        draw_ratings(&t, &r);
        gbs_complete_settings o = gbs_complete_settings_default();
        o.rank = 2;
        o.positions = GBS_POSITIONS_OFF;
        o.has_range = 1, o.low = 0.0, o.high = 6.0;
        o.confidence = 0.8;
        gbs_completion *m = complete(ctx, &t, &o);
        const gbs_rating_certificate *c = gbs_completion_certificate(m);
        struct risks risk = true_risks(ctx, m, &fresh);
        assert_true(c->present && c->n == RATINGS / 3);
        missed += sqrt(risk.square) > c->rmse;
        missed_absolute += risk.absolute > gbs_completion_mae_bound(m);
        width += (c->rmse / sqrt(risk.square) - 1.0) / (double)rounds;
        gbs_completion_free(m);
        free_truth(&t);
        gbs_context_free(ctx);
    }
    assert_true(missed <= most_failures(rounds, 0.2));
    assert_true(missed_absolute <= most_failures(rounds, 0.2));
    assert_at_most(
        width,
        short_form() ? 0.26 : 0.22); /* of 300 ratings in a range of six: log(5)/300 beside 0.014 */
    free_truth(&fresh);
}

/* The order of a file does not choose which ratings certify: the same set, the same certificate. */
static void order_of_the_file_is_no_choice(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(4, 30, 20, 2, 400, 0.5, 3.0, true);
    clip_ratings(&t, 0.0, 6.0);
    sort_by_row(&t);
    gbs_complete_settings o = gbs_complete_settings_default();
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_as_often_as_promised),
        cmocka_unit_test(order_of_the_file_is_no_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
