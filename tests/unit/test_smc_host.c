/* The sampler as a guest: memory that fails, questions that stop it, progress that it tells. */
#include "unit/host.h"
#include "unit/smc_support.h"

static void every_allocation_may_fail_and_every_question_may_stop_it(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(29, 40, 3);
    gbs_data *data = dense_data(ctx, &t);
    for (int mode = 0; mode < 3; mode++) {
        gbs_sample_settings o = small_options(GBS_LOSS_HINGE, 20.0, 64);
        o.classic = mode == 1;
        o.task = mode == 2 ? GBS_TASK_RANK : GBS_TASK_CLASSIFY;
        gbs_particles *p;
        long before = h.blocks, first = h.calls;
        h.allowed = 1L << 40;
        h.cancels = 0;
        h.last = 0.0;
        h.fell = false;
        p = sample(ctx, data, &o);
        assert_true(h.notes > 0 && !h.fell && h.last == 1.0);
        gbs_particles_free(p);
        assert_int_equal(h.blocks, before);
        long calls = h.calls - first, questions = h.cancels;
        h.allowed = -1;
        for (long k = 0; k < calls; k++) {
            h.fail_at = h.calls + k;
            assert_int_equal(gbs_sample_run(ctx, data, &o, &p), GBS_ERR_MEMORY);
            assert_null(p);
            assert_int_equal(h.blocks, before);
        }
        h.fail_at = -1;
        assert_true(questions > 3);
        for (long k = 0; k < questions; k++) {
            h.allowed = k;
            h.cancels = 0;
            assert_int_equal(gbs_sample_run(ctx, data, &o, &p), GBS_ERR_CANCELLED);
            assert_null(p);
            assert_int_equal(h.blocks, before);
        }
        h.allowed = -1;
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
    assert_int_equal(h.blocks, 0);
}

/* One temperature that takes long asks in between: a stop is heard within a stretch of steps, not
 * at its end. */
static void long_moves_listen(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(30, 2000, 10);
    gbs_data *data = dense_data(ctx, &t);
    static const double ladder[] = {1.0};
    gbs_sample_settings o = small_options(GBS_LOSS_HINGE, 1.0, 64);
    o.classic = 1;
    o.moves = 1000000000;
    o.ladder = ladder;
    o.ladder_size = 1;
    h.allowed = 4;
    gbs_particles *p;
    assert_int_equal(gbs_sample_run(ctx, data, &o, &p), GBS_ERR_CANCELLED);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
    assert_int_equal(h.blocks, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail_and_every_question_may_stop_it),
        cmocka_unit_test(long_moves_listen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
