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

/* A file in the order of its one column: where the same places of every such file are drawn, one
 * seed's pairs are too easy in all of them. What is said of all pairs from a sample of them (6.6)
 * may fail in a tenth of delta. */
static struct table_of_numbers in_order(uint64_t seed, size_t n) {
    struct dice r = {seed};
    struct table_of_numbers t = make_table(&r, n, COLUMNS, 1.0, 1.0);
    for (size_t i = 0; i < n; i++) {
        t.x[i] = (double)i + 0.1 * dice_uniform(&r) - 0.5 * (double)n;
        t.y[i] = dice_uniform(&r) < 0.2 + 0.6 * (double)i / (double)n ? 1.0 : -1.0;
    }
    return t;
}

static void pairs_of_another_file_are_others(void **state) {
    (void)state;
    enum { ROWS = 100, PAIRS = 60, SEED = 1 };
    size_t rounds = repeats(300, 60), below = 0, higher = 0;
    gbs_fit_settings o = gbs_fit_settings_default();
    o.task = GBS_TASK_RANK;
    o.prior = GBS_PRIOR_ZERO;
    o.scale = GBS_SCALE_NONE;
    o.confidence = 0.01; /* delta' = 0.099 */
    for (size_t round = 0; round < rounds; round++) {
        gbs_context *ctx = new_context(1, SEED);
        struct table_of_numbers t = in_order(7000 + round, ROWS);
        gbs_data *data = dense_data(ctx, &t);
        size_t count;
        o.sampled_pairs = 0;
        gbs_model *all = fit(ctx, data, &o);
        o.sampled_pairs = PAIRS;
        gbs_model *some = fit(ctx, data, &o);
        double risk = certificates_of(all, &count)[0].empirical;
        const gbs_certificate *c = certificates_of(some, &count);
        assert_int_equal(c[0].sampled, PAIRS);
        assert_true(c[0].valid && (c[0].assumptions & GBS_ASSUMES_DRAWS) != 0);
        below += c[0].empirical_upper < risk;
        higher += c[0].empirical > risk;
        gbs_model_free(all);
        gbs_model_free(some);
        gbs_data_free(data);
        free_table(&t);
        gbs_context_free(ctx);
    }
    assert_at_most((double)below, (double)most_failures(rounds, 0.099));
    assert_at_most((double)higher, (double)most_failures(rounds, 0.6));
    assert_at_most((double)(rounds - higher), (double)most_failures(rounds, 0.6));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_draw_of_a_mixture_holds),
        cmocka_unit_test(one_draw_of_the_default_fit_holds),
        cmocka_unit_test(pairs_of_another_file_are_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
