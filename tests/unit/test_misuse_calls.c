/* The calls that take options, as the header has them: what is missing is named, whatever was said
 * of the call before, and an output comes out NULL.
 */
#include "unit/one_of_each.h"

/* The message of an earlier failure, which must not be taken for that of the call. */
static void fail_before(gbs_context *ctx) {
    gbs_data *d;
    assert_int_equal(gbs_data_dense(ctx, 0, 1, cells, 1, NULL, GBS_BORROW, &d), GBS_ERR_DATA);
}

static void fits_name_what_is_missing(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *c = s.ctx;
    gbs_model *m;
    gbs_cv *cv;
    size_t order[ROWS], first;
    fail_before(c);
    refused_without_context(m, gbs_fit(NULL, s.data, NULL, &m));
    refused_handle(c, "data must not be NULL", m, gbs_fit(c, NULL, NULL, &m));
    refused(c, "out must not be NULL", gbs_fit(c, s.data, NULL, NULL));
    refused_handle(c, "data", m, gbs_fit_from(c, NULL, NULL, s.model, &m));
    refused(c, "out", gbs_fit_from(c, s.data, NULL, s.model, NULL));
    refused(c, "data", gbs_fit_order(c, NULL, NULL, order, &first));
    refused(c, "order", gbs_fit_order(c, s.data, NULL, NULL, &first));
    refused(c, "first_part", gbs_fit_order(c, s.data, NULL, order, NULL));
    refused_without_context(cv, gbs_cross_validate(NULL, s.data, NULL, &cv));
    refused_handle(c, "data", cv, gbs_cross_validate(c, NULL, NULL, &cv));
    refused(c, "out", gbs_cross_validate(c, s.data, NULL, NULL));
    tear_down(&s);
}

static void samplings_and_completions_name_what_is_missing(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *c = s.ctx;
    gbs_particles *p;
    gbs_completion *k;
    fail_before(c);
    refused_without_context(p, gbs_sample(NULL, s.data, NULL, &p));
    refused_handle(c, "data must not be NULL", p, gbs_sample(c, NULL, NULL, &p));
    refused(c, "out", gbs_sample(c, s.data, NULL, NULL));
    refused_handle(c, "data", p, gbs_sample_for(c, NULL, s.model, 0, NULL, &p));
    refused_handle(c, "model", p, gbs_sample_for(c, s.data, NULL, 0, NULL, &p));
    refused(c, "out", gbs_sample_for(c, s.data, s.model, 0, NULL, NULL));
    refused_without_context(k, gbs_complete(NULL, s.ratings, NULL, &k));
    refused_handle(c, "ratings must not be NULL", k, gbs_complete(c, NULL, NULL, &k));
    refused(c, "out", gbs_complete(c, s.ratings, NULL, NULL));
    tear_down(&s);
}

static void options_and_theory_name_what_is_missing(void **state) {
    (void)state;
    struct host h;
    gbs_context *c = host_context(&h);
    gbs_options *o, *copy;
    gbs_theory *theory;
    fail_before(c);
    refused_without_context(o, gbs_options_create(NULL, "fit", &o));
    refused(c, "out must not be NULL", gbs_options_create(c, "fit", NULL));
    refused_handle(c, "own", o,
                   gbs_options_create_with(c, GBS_FOR_CALLER, NULL, 1, sizeof(gbs_option), &o));
    refused(c, "out", gbs_options_create_with(c, GBS_FOR_CALLER, NULL, 0, 0, NULL));
    refused_without_context(copy, gbs_options_copy(NULL, &copy));
    assert_ok(c, gbs_options_create(c, "theory", &o));
    fail_before(c);
    refused(c, "out must not be NULL", gbs_options_copy(o, NULL));
    gbs_options_free(o);
    refused_without_context(theory, gbs_theory_compute(NULL, NULL, &theory));
    fail_before(c);
    refused(c, "out must not be NULL", gbs_theory_compute(c, NULL, NULL));
    leave(&h, c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_name_what_is_missing),
        cmocka_unit_test(samplings_and_completions_name_what_is_missing),
        cmocka_unit_test(options_and_theory_name_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
