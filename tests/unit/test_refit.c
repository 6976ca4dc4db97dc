/* A posterior fitted again to all rows: it is of all rows, and nothing is certified of it. */
#include "support.h"

#include "data/rows.h"
#include "model/model.h"

enum { N = 120, D = 3 };

static void check_refit(gbs_task_kind task, bool costs) {
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(1701, N, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.task = task;
    o.has_cost = costs;
    o.cost_missed = 6.0;
    o.cost_false = 1.0;
    gbs_model *tested = fit(ctx, data, &o);
    o.refit = GBS_REFIT_ALL;
    gbs_model *refit = fit(ctx, data, &o), *back;
    const gbs_card *a = gbs_model_card(tested), *b = gbs_model_card(refit);
    assert_true(a->refit == 0 && b->refit == N);
    /* what was tested is what it was */
    assert_true(a->learned == b->learned && a->tested == b->tested && a->auc == b->auc);
    assert_true(a->false_positive == b->false_positive && a->slope == b->slope);
    assert_int_equal(gbs_model_certificates(tested), gbs_model_certificates(refit));
    for (size_t k = 0; gbs_model_certificate(refit, k) != NULL; k++) {
        const gbs_certificate *c = gbs_model_certificate(refit, k);
        assert_true(c->value == gbs_model_certificate(tested, k)->value);
        assert_true(gbs_model_certificate(tested, k)->valid && !c->valid);
        assert_true((c->assumptions & GBS_BROKEN_REFIT) != 0);
    }
    /* what is deployed is another, and that of all rows: its free energy is found again there */
    assert_false(same_bits(tested->stages[0].posterior.mean, refit->stages[0].posterior.mean, D));
    assert_int_equal(gbs_model_stage(refit, 0)->rows, N);
    gbs_particles *p;
    gbs_sample_settings s = gbs_sample_settings_default();
    s.particles = 16;
    assert_ok(ctx, gbs_sample_run_for(ctx, data, refit, 0, &s, &p));
    assert_int_equal(gbs_particles_get_info(p)->n, N);
    gbs_particles_free(p);
    char *text;
    size_t size;
    double score[2][N];
    assert_ok(ctx, gbs_model_to_json(ctx, refit, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &back));
    assert_int_equal(gbs_model_card(back)->refit, N);
    assert_false(gbs_model_certificate(back, 0)->valid);
    assert_ok(ctx, gbs_model_predict(ctx, refit, data, score[0], NULL, NULL));
    assert_ok(ctx, gbs_model_predict(ctx, back, data, score[1], NULL, NULL));
    assert_true(same_bits(score[0], score[1], N));
    gbs_release(ctx, text);
    gbs_model_free(back);
    gbs_model_free(tested);
    gbs_model_free(refit);
    o.bound = GBS_BOUND_KL;
    o.has_cost = 0;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &back), GBS_ERR_ARGUMENT);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void a_refit_is_of_all_rows_and_not_certified(void **state) {
    (void)state;
    check_refit(GBS_TASK_CLASSIFY, false);
    check_refit(GBS_TASK_CLASSIFY, true);
    check_refit(GBS_TASK_RANK, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_refit_is_of_all_rows_and_not_certified)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
