/* Rows that belong together: they are split, dealt out and counted as groups; and the order of the
 * file as the order of time. */
#include "support.h"

#include "data/rows.h"
#include "fit/deal.h"
#include "fit/ways.h"
#include "model/model.h"

enum { N = 90, D = 3 };

/* ---------------------------------------------------------------- orders, folds, means */

static void groups_stay_together_in_an_order(void **state) {
    (void)state;
    enum { GROUPS = 17 };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {1501};
    for (size_t seed = 0; seed < 20; seed++) {
        uint32_t group[N];
        size_t order[N], units, first_row[GROUPS], present = 0, seen[N] = {0};
        for (size_t g = 0; g < GROUPS; g++)
            first_row[g] = SIZE_MAX;
        for (size_t i = 0; i < N; i++) {
            group[i] = (uint32_t)(3 * dice_below(&r, GROUPS) % GROUPS);
            if (group[i] == 5) /* a number that no row has */
                group[i] = 6;
            if (first_row[group[i]] == SIZE_MAX) {
                first_row[group[i]] = i;
                present++;
            }
        }
        for (int in_time = 0; in_time < 2; in_time++) {
            gbs_ordering by = {N, seed, group, GROUPS, in_time != 0};
            memset(seen, 0, sizeof seen);
            assert_ok(ctx, gbs_order_rows(ctx, &by, order, &units));
            assert_int_equal(units, present);
            size_t runs = 0;
            for (size_t i = 0; i < N; i++) {
                assert_true(order[i] < N && !seen[order[i]]++);
                bool new = i == 0 || group[order[i]] != group[order[i - 1]];
                if (new) {
                    assert_int_equal(order[i], first_row[group[order[i]]]);
                    assert_int_equal(gbs_order_border(&by, order, runs), i);
                    if (in_time && i > 0)
                        assert_true(first_row[group[order[i]]] > first_row[group[order[i - 1]]]);
                } else {
                    assert_true(order[i] > order[i - 1]);
                }
                runs += new;
            }
            assert_int_equal(runs, present);
            assert_int_equal(gbs_order_border(&by, order, runs), N);
        }
    }
    gbs_context_free(ctx);
}

static void folds_keep_groups_together(void **state) {
    (void)state;
    enum { FOLDS = 5, GROUPS = 23 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(1502, N, D);
    gbs_data *data = dense_data(ctx, &t);
    uint64_t name[N];
    size_t fold[N], of_group[GROUPS], fewest, groups_in[FOLDS] = {0}, rare_in[FOLDS] = {0},
                                              rare = 0;
    bool has[GROUPS][2] = {{false}};
    for (size_t i = 0; i < N; i++) {
        size_t g = i * i % GROUPS;
        name[i] = 1000003 * g;
        t.y[i] = g % 4 == 1 || (g % 4 == 2 && i < GROUPS) ? 1.0 : -1.0; /* some groups have both */
    }
    assert_ok(ctx, gbs_data_set_groups(ctx, data, name));
    assert_ok(ctx, gbs_deal_fewest(ctx, data, &fewest));
    assert_ok(ctx, gbs_deal(ctx, data, NULL, FOLDS, fold));
    for (size_t g = 0; g < data->groups; g++)
        of_group[g] = SIZE_MAX;
    for (size_t i = 0; i < N; i++) {
        size_t *at = &of_group[data->group[i]];
        if (*at == SIZE_MAX) {
            *at = fold[i];
            groups_in[fold[i]]++;
        }
        has[data->group[i]][t.y[i] > 0.0] = true;
        assert_int_equal(*at, fold[i]);
    }
    size_t both = 0;
    for (size_t g = 0; g < data->groups; g++) { /* +1 is the rarer class */
        both += has[g][0] && has[g][1];
        rare_in[of_group[g]] += has[g][1];
        rare += has[g][1];
    }
    assert_true(both > 0);
    assert_int_equal(fewest, rare);
    for (size_t k = 0; k < FOLDS; k++) {
        assert_true(groups_in[k] == data->groups / FOLDS ||
                    groups_in[k] == data->groups / FOLDS + 1);
        assert_true(rare_in[k] == rare / FOLDS || rare_in[k] == rare / FOLDS + 1);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void means_of_groups_are_means(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    static const uint32_t group[] = {4, 1, 4, 2, 1, 4, 2};
    static const double value[] = {0.5, 1.0, NAN, NAN, 0.0, 0.25, NAN};
    double mean[7];
    size_t count;
    assert_ok(ctx, gbs_groups_mean(ctx, group, 5, 7, value, mean, &count));
    assert_int_equal(count, 2);
    assert_true(mean[0] == 0.375 && mean[1] == 0.5);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- fits */

/* No group is on both sides, whatever the seed; the share of learned groups is two thirds. */
static void a_group_is_learned_from_or_tests(void **state) {
    (void)state;
    enum { GROUPS = 30 };
    struct table_of_numbers t = small_table(1503, N, D);
    uint64_t name[N];
    for (size_t i = 0; i < N; i++)
        name[i] = i % 2 == 0 ? i / 2 % GROUPS : (i * i + 7) % GROUPS;
    for (uint64_t seed = 1; seed < 6; seed++) {
        gbs_context *ctx = new_context(1, seed);
        gbs_data *data = dense_data(ctx, &t);
        gbs_options *options;
        unsigned char learned[N], of_group[GROUPS];
        size_t learned_groups = 0, rows = 0;
        assert_ok(ctx, gbs_data_set_groups(ctx, data, name));
        assert_ok(ctx, gbs_options_create(ctx, "fit", &options));
        assert_ok(ctx, gbs_fit_split(ctx, data, options, learned));
        memset(of_group, 2, sizeof of_group);
        for (size_t i = 0; i < N; i++) {
            if (of_group[name[i]] == 2)
                learned_groups += of_group[name[i]] = learned[i];
            assert_int_equal(of_group[name[i]], learned[i]);
            rows += learned[i];
        }
        assert_int_equal(learned_groups, 20);
        gbs_model *model;
        assert_ok(ctx, gbs_fit(ctx, data, options, &model));
        assert_int_equal(gbs_model_card(model)->learned, rows);
        const gbs_certificate *c = gbs_model_certificate(model, 0);
        assert_true(c->grouped && c->valid && c->method == GBS_BOUND_BETTING);
        assert_int_equal(c->blocks, GROUPS - 20);
        assert_true((c->assumptions & GBS_ASSUMES_GROUPS) != 0);
        assert_true((c->assumptions & GBS_ASSUMES_IID) == 0);
        /* its file, and the way back to its rows */
        char *text;
        size_t size;
        gbs_model *back;
        gbs_particles *p;
        gbs_sample_settings s = gbs_sample_settings_default();
        s.particles = 16;
        assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
        assert_ok(ctx, gbs_model_from_json(ctx, text, size, &back));
        assert_true(gbs_model_certificate(back, 0)->grouped);
        assert_ok(ctx, gbs_sample_run_for(ctx, data, back, 0, &s, &p));
        gbs_particles_free(p);
        assert_ok(ctx, gbs_data_set_groups(ctx, data, NULL));
        assert_int_equal(gbs_sample_run_for(ctx, data, back, 0, &s, &p), GBS_ERR_DATA);
        gbs_release(ctx, text);
        gbs_model_free(back);
        gbs_model_free(model);
        gbs_options_free(options);
        gbs_data_free(data);
        gbs_context_free(ctx);
    }
    free_table(&t);
}

/* Each row a group of its own: the mean over groups is the mean over rows. */
static void single_rows_are_groups_too(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(1504, N, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    uint64_t name[N];
    for (size_t i = 0; i < N; i++)
        name[i] = 7 * i + 1;
    /* nothing of the label then hangs on folds, which groups are dealt to in another order */
    o.loss = GBS_LOSS_ZERO_ONE;
    o.columns = GBS_COLUMNS_EQUAL;
    o.prior_sd = 1.0;
    gbs_model *plain = fit(ctx, data, &o);
    assert_ok(ctx, gbs_data_set_groups(ctx, data, name));
    gbs_model *grouped = fit(ctx, data, &o);
    assert_int_equal(gbs_model_card(plain)->learned, gbs_model_card(grouped)->learned);
    assert_true(gbs_model_card(plain)->false_positive == gbs_model_card(grouped)->false_positive);
    const gbs_certificate *a = gbs_model_certificate(plain, 0),
                          *b = gbs_model_certificate(grouped, 0);
    assert_close(a->empirical, b->empirical, 1e-14, 0.0);
    assert_int_equal(a->blocks, b->blocks);
    assert_true(b->value >= b->empirical && b->value < 1.0);
    gbs_model_free(plain);
    gbs_model_free(grouped);
    /* what has no use for groups says so */
    gbs_model *none;
    o.bound = GBS_BOUND_KL;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &none), GBS_ERR_ARGUMENT);
    for (size_t i = 0; i < N; i++)
        name[i] = i % 3;
    o.bound = GBS_BOUND_AUTO;
    assert_ok(ctx, gbs_data_set_groups(ctx, data, name));
    assert_ok(ctx, gbs_fit_run(ctx, data, &o, &none));
    gbs_model_free(none);
    for (size_t i = 0; i < N; i++)
        name[i] = 0;
    assert_ok(ctx, gbs_data_set_groups(ctx, data, name));
    assert_int_equal(gbs_fit_run(ctx, data, &o, &none), GBS_ERR_DATA);
    assert_int_equal(gbs_data_set_groups(ctx, NULL, name), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_groups(NULL, data, name), GBS_ERR_ARGUMENT);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* In time the last rows test: what they hold changes nothing of the predictor, and no seed does. */
static void the_latest_rows_test(void **state) {
    (void)state;
    struct table_of_numbers t = small_table(1505, N, D);
    gbs_fit_settings o = gbs_fit_settings_default();
    double mean[D + 1];
    o.order = GBS_ORDER_TIME;
    for (int turn = 0; turn < 2; turn++) {
        gbs_context *ctx = new_context(1, (uint64_t)turn);
        gbs_data *data = dense_data(ctx, &t);
        size_t order[N], first;
        assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, order, &first));
        for (size_t i = 0; i < N; i++)
            assert_int_equal(order[i], i);
        gbs_model *model = fit(ctx, data, &o);
        assert_int_equal(gbs_model_card(model)->learned, first);
        assert_int_equal(first, 60);
        const gbs_certificate *c = gbs_model_certificate(model, 0);
        assert_true((c->assumptions & GBS_ASSUMES_LATEST) != 0 && c->valid);
        assert_true((c->assumptions & (GBS_ASSUMES_LAST_BLOCK | GBS_ASSUMES_IID)) == 0);
        if (turn == 0)
            memcpy(mean, model->stages[0].posterior.mean, sizeof mean);
        else
            assert_true(same_bits(mean, model->stages[0].posterior.mean, D + 1));
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_context_free(ctx);
        for (size_t i = first; i < N; i++)
            t.y[i] = i % 2 == 0 ? 1.0 : -1.0;
    }
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *none;
    o.bound = GBS_BOUND_KL;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &none), GBS_ERR_ARGUMENT);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_stay_together_in_an_order),
        cmocka_unit_test(folds_keep_groups_together),
        cmocka_unit_test(means_of_groups_are_means),
        cmocka_unit_test(a_group_is_learned_from_or_tests),
        cmocka_unit_test(single_rows_are_groups_too),
        cmocka_unit_test(the_latest_rows_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
