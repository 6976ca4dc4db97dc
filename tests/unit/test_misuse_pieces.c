/* Arguments that are missing or out of range, of names, bounds, losses and theory: a status and a
 * sentence that names the argument, or an empty answer; never a crash.
 */
#include "bound/theory.h"
#include "unit/one_of_each.h"

/* ---------------------------------------------------------------- names and pieces */

/* As many names as there are values, all different, and NULL before and after. */
#define check_names(function, type, count)                                                         \
    do {                                                                                           \
        for (int k = 0; k < (count); k++) {                                                        \
            assert_non_null(function((type)k));                                                    \
            for (int j = 0; j < k; j++)                                                            \
                assert_string_not_equal(function((type)k), function((type)j));                     \
        }                                                                                          \
        assert_null(function((type)-1));                                                           \
        assert_null(function((type)(count)));                                                      \
        assert_null(function((type)99));                                                           \
    } while (0)

static void every_choice_has_a_name_of_its_own(void **state) {
    (void)state;
    check_names(gbs_task_name, gbs_task_kind, 2);
    check_names(gbs_columns_name, gbs_columns, 3);
    check_names(gbs_loss_name, gbs_loss, 4);
    assert_string_equal(gbs_loss_name(GBS_LOSS_SOFTMAX), "softmax");
    check_names(gbs_scheme_name, gbs_scheme, 4);
    assert_string_equal(gbs_scheme_name(GBS_SCHEME_SOFTMAX), "softmax");
    check_names(gbs_prior_name, gbs_prior_kind, 2);
    check_names(gbs_family_name, gbs_family, 5);
    check_names(gbs_scale_name, gbs_scale, 3);
    check_names(gbs_solver_name, gbs_solver, 4);
    check_names(gbs_target_name, gbs_target, 9);
    check_names(gbs_risk_name, gbs_risk, 5);
    check_names(gbs_bound_name, gbs_bound, 7);
    assert_string_equal(gbs_bound_name(GBS_BOUND_BINOMIAL), "binomial");
    assert_string_equal(gbs_bound_name(GBS_BOUND_BETTING), "betting");
    check_names(gbs_sampler_name, gbs_sampler, 2);
    check_names(gbs_move_name, gbs_move, 3);
    check_names(gbs_verdict_name, gbs_verdict, 5);
    check_names(gbs_features_name, gbs_features, 3);
    assert_string_equal(gbs_features_name(GBS_FEATURES_AUTO), "auto");
    check_names(gbs_completion_model_name, gbs_completion_model, 2);
    assert_string_equal(gbs_columns_name(GBS_COLUMNS_RELEVANCE), "relevance");
    assert_string_equal(gbs_prior_name(GBS_PRIOR_INFORMED), "informed");
    assert_string_equal(gbs_risk_name(GBS_RISK_AUC), "1-auc");
    assert_string_equal(gbs_sampler_name(GBS_SAMPLER_GIBBS), "gibbs");
    assert_string_equal(gbs_move_name(GBS_MOVE_RING), "ring");
    assert_string_equal(gbs_status_message((gbs_status)-1), "unknown status");
    assert_string_equal(gbs_status_message((gbs_status)99), "unknown status");
    int breaks = 7;
    assert_null(gbs_assumption_text(32, &breaks));
    assert_null(gbs_assumption_text(UINT32_MAX, NULL));
    assert_int_equal(breaks, 7);
    assert_non_null(gbs_assumption_text(0, NULL));
}

static void pieces_are_nan_out_of_range(void **state) {
    (void)state;
    const double confidences[] = {0.0, 1.0, -1.0, 2.0, NAN, INFINITY},
                 risks[] = {-0.1, 1.1, NAN, INFINITY};
    for (size_t k = 0; k < COUNT(confidences); k++) {
        assert_true(isnan(gbs_binomial_upper(1, 10, confidences[k])));
        assert_true(isnan(gbs_auc_risk_upper(0.1, 10, confidences[k])));
    }
    for (size_t k = 0; k < COUNT(risks); k++)
        assert_true(isnan(gbs_auc_risk_upper(risks[k], 10, 0.95)));
    assert_true(gbs_binomial_upper(0, 0, 0.95) == 1.0);
    assert_true(gbs_binomial_upper(11, 10, 0.95) ==
                1.0); /* more errors than rows: nothing is promised */
    assert_true(gbs_auc_risk_upper(0.0, 0, 0.95) == 1.0);
    double psi = 0.0, d_mu = 0.0, d_s = 0.0;
    const double wrong[][2] = {{0.5, -1.0}, {0.5, NAN}, {NAN, 1.0}};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        psi = d_mu = d_s = 0.0;
        gbs_loss_smoothed(GBS_LOSS_HINGE, wrong[k][0], wrong[k][1], &psi, &d_mu, &d_s);
        assert_true(isnan(psi) && isnan(d_mu) && isnan(d_s));
    }
    gbs_loss_smoothed((gbs_loss)99, 0.5, 1.0, &psi, &d_mu, &d_s);
    assert_true(isnan(psi) && isnan(d_mu) && isnan(d_s));
    gbs_loss_smoothed(GBS_LOSS_HINGE, 0.5, 1.0, NULL, NULL, NULL);
    gbs_loss_smoothed(GBS_LOSS_HINGE, 0.5, 1.0, &psi, NULL, NULL);
    assert_true(psi > 0.5);
}

static void the_theory_needs_its_arguments(void **state) {
    (void)state;
    struct host h;
    gbs_context *c = host_context(&h);
    gbs_theory_settings q = gbs_theory_settings_default();
    gbs_theory t = {.count = 7};
    assert_int_equal(gbs_theory_run(NULL, &q, &t), GBS_ERR_ARGUMENT);
    assert_int_equal(t.count, 0);
    refused(c, "query", gbs_theory_run(c, NULL, &t));
    refused(c, "out", gbs_theory_run(c, &q, NULL));
    leave(&h, c);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_has_a_name_of_its_own),
        cmocka_unit_test(pieces_are_nan_out_of_range),
        cmocka_unit_test(the_theory_needs_its_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
