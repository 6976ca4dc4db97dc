/* Rows that are too few to be split: one posterior under the zero prior from all of them, and what
 * its certificate is worth (docs/maths.md, 11.2). */
#include "model/model.h"
#include "unit/host.h"
#include "unit/support.h"

/* n rows of two numbers, of which the first `rare` are of +1. */
static gbs_data *some_rows(gbs_context *ctx, struct table_of_numbers *t, size_t n, size_t rare) {
    struct dice r = {n};
    *t = make_table(&r, n, 2, 1.0, 1.0);
    for (size_t i = 0; i < n; i++)
        t->y[i] = i < rare ? 1.0 : -1.0;
    return dense_data(ctx, t);
}

/* Assumptions of the first certificate that are not met; every one of the list has them. */
static unsigned broken(size_t n, size_t rare, gbs_fit_settings *o, bool *zero) {
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t;
    gbs_data *data = some_rows(ctx, &t, n, rare);
    o->scale = GBS_SCALE_NONE;
    gbs_model *model = fit(ctx, data, o);
    unsigned bits = 0;
    size_t count;
    const gbs_certificate *c = certificates_of(model, &count);
    *zero = info_of(model).prior == GBS_PRIOR_ZERO;
    for (unsigned k = 0; k < 32; k++) {
        int breaks = 0;
        if ((c[0].assumptions >> k & 1U) != 0 && gbs_assumption_text(k, &breaks) != NULL && breaks)
            bits |= 1U << k;
    }
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(c[k].valid, bits == 0);
        assert_int_equal(c[k].assumptions & bits, bits);
    }
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
    return bits;
}

/* Of 30 rows 25 come first at most. One row of a class is too few wherever it is; with other labels
 * the same rows would have been tested on their last block. */
static void labels_that_decide_are_told(void **state) {
    (void)state;
    bool zero;
    gbs_fit_settings o = gbs_fit_settings_default();
    assert_int_equal(broken(30, 1, &o, &zero), GBS_BROKEN_WAY);
    assert_true(zero);
    assert_int_equal(broken(30, 15, &o, &zero), 0);
    assert_false(zero);
    o.task = GBS_TASK_RANK;
    assert_int_equal(broken(30, 1, &o, &zero), GBS_BROKEN_WAY);
    assert_true(zero);
    /* asked for before any label was seen */
    o = gbs_fit_settings_default();
    o.prior = GBS_PRIOR_ZERO;
    assert_int_equal(broken(30, 1, &o, &zero), 0);
}

/* Of four rows three can be learned from, of which no two are of each class. */
static void the_number_of_rows_may_decide(void **state) {
    (void)state;
    bool zero;
    gbs_fit_settings o = gbs_fit_settings_default();
    for (size_t n = 2; n <= 4; n++) {
        for (size_t rare = 1; rare < n; rare++) {
            assert_int_equal(broken(n, rare, &o, &zero), 0);
            assert_true(zero);
        }
    }
    o.prior_split = 0.1; /* three of thirty */
    assert_int_equal(broken(30, 15, &o, &zero), 0);
    assert_true(zero);
    o.prior_split = 0.14; /* four of them */
    assert_int_equal(broken(30, 1, &o, &zero), GBS_BROKEN_WAY);
}

/* The zero prior takes rows for independent draws: what was said of their order stands against it.
 */
static void rows_in_time_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t;
    gbs_data *data = some_rows(ctx, &t, 30, 1);
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_model *model;
    o.order = GBS_ORDER_TIME;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_ERR_DATA);
    assert_null(model);
    assert_non_null(strstr(gbs_error_message(ctx), "`order` time"));
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_that_decide_are_told),
        cmocka_unit_test(the_number_of_rows_may_decide),
        cmocka_unit_test(rows_in_time_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
