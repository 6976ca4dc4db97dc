/* Certificates of one classifier drawn at random, with one seed and one number of rows. Those that
 * count the errors of drawn classifiers (docs/maths.md, 11.2): the draws of another data set are
 * other draws, so that no seed is unlucky for all of them. Those of the default fit (11.12) draw
 * nothing. Each test alarms falsely with probability below 1e-6.
 */
#include "model/model.h"
#include "unit/support.h"

enum { COLUMNS = 1 };

/* Labels of a fair coin: every classifier errs in half of all cases. */
static struct table_of_numbers coins(uint64_t seed, size_t n) {
    struct dice r = {seed};
    struct table_of_numbers t = make_table(&r, n, COLUMNS, 1.0, 1.0);
    for (size_t i = 0; i < n; i++)
        t.y[i] = dice_uniform(&r) < 0.5 ? 1.0 : -1.0;
    t.y[0] = -t.y[1];
    return t;
}

/* How often the first certificate of this target is below the risk; it counts draws, or does not.
 */
static size_t failures(size_t rounds, size_t n, const gbs_fit_settings *o, gbs_target target,
                       bool counts) {
    size_t below = 0;
    for (size_t round = 0; round < rounds; round++) {
        gbs_context *ctx = new_context(1, 1);
        struct table_of_numbers t = coins(5000 + round, n);
        gbs_data *data = dense_data(ctx, &t);
        gbs_model *model = fit(ctx, data, o);
        size_t count, at = 0;
        const gbs_certificate *c = certificates_of(model, &count);
        while (at < count && c[at].target != target)
            at++;
        assert_true(at < count && c[at].valid);
        assert_int_equal((c[at].assumptions & GBS_ASSUMES_DRAWS) != 0, counts);
        below += c[at].value < 0.5;
        gbs_model_free(model);
        gbs_data_free(data);
        free_table(&t);
        gbs_context_free(ctx);
    }
    return below;
}

/* 104 rows: of the draws that seed 1 had for the test rows of every such file, two thirds fell on
 * one side. */
static void one_draw_of_a_mixture_holds(void **state) {
    (void)state;
    size_t rounds = repeats(400, 60);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.bound = GBS_BOUND_PROGRESSIVE;
    o.prior = GBS_PRIOR_ZERO;
    o.lambda = 1e-6;
    o.blocks = 1;
    assert_at_most((double)failures(rounds, 104, &o, GBS_TARGET_MIXTURE, true),
                   (double)most_failures(rounds, 0.05));
}

static void one_draw_of_the_default_fit_holds(void **state) {
    (void)state;
    size_t rounds = repeats(300, 60);
    gbs_fit_settings o = gbs_fit_settings_default();
    assert_at_most((double)failures(rounds, 104, &o, GBS_TARGET_GIBBS, false),
                   (double)most_failures(rounds, 0.05));
    o.confidence = 0.8;
    assert_at_most((double)failures(rounds, 60, &o, GBS_TARGET_GIBBS, false),
                   (double)most_failures(rounds, 0.2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_draw_of_a_mixture_holds),
        cmocka_unit_test(one_draw_of_the_default_fit_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
