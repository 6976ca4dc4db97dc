/* What is promised of informed priors and of models with stages. */
#include "bound/bound.h"
#include "fit/prior_centre.h"
#include "fit/ways.h"
#include "model/model.h"
#include "unit/informed_support.h"

/* ---------------------------------------------------------------- the split */

/* The seed and the rows, whatever their order in the file, and nothing else. */
static void the_order_depends_on_seed_and_rows_alone(void **state) {
    (void)state;
    gbs_fit_settings o = gbs_fit_settings_default();
    size_t order[N], again[N], other[N], part;
    bool seen[N] = {false};
    struct table_of_numbers t = small_table(60, N, D), u = small_table(60, N, D);
    gbs_context *ctx = new_context(1, 5), *seven = new_context(7, 5), *sixth = new_context(1, 6);
    gbs_data *data = dense_data(ctx, &t), *sparse = sparse_data(ctx, &t), *same;
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, order, &part));
    assert_int_equal(part, 60); /* two thirds */
    for (size_t i = 0; i < N; i++) {
        assert_true(order[i] < N && !seen[order[i]]);
        seen[order[i]] = true;
    }
    assert_ok(ctx, gbs_fit_order_run(ctx, sparse, &o, again, &part));
    assert_memory_equal(order, again, sizeof order);
    o.bound = GBS_BOUND_PROGRESSIVE;
    assert_ok(seven, gbs_fit_order_run(seven, data, &o, again, &part));
    assert_int_equal(part, 27); /* three tenths */
    o.bound = GBS_BOUND_KL;
    assert_ok(seven, gbs_fit_order_run(seven, data, &o, again, &part));
    assert_int_equal(part, 45); /* half of them */
    assert_memory_equal(order, again, sizeof order);
    o.prior_split = 0.3;
    assert_ok(seven, gbs_fit_order_run(seven, data, &o, again, &part));
    assert_int_equal(part, 27);
    assert_memory_equal(order, again, sizeof order);
    assert_ok(sixth, gbs_fit_order_run(sixth, data, &o, other, &part));
    assert_memory_not_equal(order, other, sizeof order);
    /* the file turned round: the same permutation of places */
    for (size_t i = 0; i < N; i++) {
        memcpy(u.x + i * D, t.x + (N - 1 - i) * D, D * sizeof *u.x);
        u.y[i] = t.y[N - 1 - i];
    }
    same = dense_data(ctx, &u);
    assert_ok(ctx, gbs_fit_order_run(ctx, same, &o, again, &part));
    assert_memory_equal(order, again, sizeof order);
    u.x[0] += 1.0; /* other rows, another order */
    assert_ok(ctx, gbs_fit_order_run(ctx, same, &o, again, &part));
    assert_memory_not_equal(order, again, sizeof order);
    o.prior_split = 1e-9; /* both parts have a row */
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, order, &part));
    assert_int_equal(part, 1);
    o.prior_split = 1.0 - 1e-9;
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, order, &part));
    assert_int_equal(part, N - 1);
    gbs_data_free(same);
    gbs_data_free(data);
    gbs_data_free(sparse);
    assert_ok(ctx, gbs_data_dense(ctx, 1, D, t.x, D, t.y, GBS_BORROW, &data));
    assert_int_equal(gbs_fit_order_run(ctx, data, &o, order, &part), GBS_ERR_DATA);
    gbs_data_free(data);
    free_table(&t);
    free_table(&u);
    gbs_context_free(ctx);
    gbs_context_free(seven);
    gbs_context_free(sixth);
}

/* Other rows, in the order that `like` has. */
static gbs_data *in_order_of(gbs_data *data, const gbs_data *like) {
    data->summary.hash = gbs_data_hash(like);
    data->hashed = true;
    return data;
}

/* A table whose rows from `from` on, in the order of the fit, are others: cells, sizes and labels.
 */
static struct table_of_numbers changed_from(const struct table_of_numbers *t, const size_t *order,
                                            size_t from) {
    struct dice r = {77};
    struct table_of_numbers c = {
        .n = t->n, .d = t->d, .x = doubles(t->n * t->d), .y = doubles(t->n)};
    memcpy(c.x, t->x, t->n * t->d * sizeof *c.x);
    memcpy(c.y, t->y, t->n * sizeof *c.y);
    for (size_t i = from; i < t->n; i++) {
        for (size_t k = 0; k < t->d; k++)
            c.x[order[i] * t->d + k] = 30.0 * dice_normal(&r) + 5.0;
        c.y[order[i]] = dice_uniform(&r) < 0.5 ? -t->y[order[i]] : t->y[order[i]];
    }
    make_csr(&c);
    return c;
}

static bool same_stage(const gbs_stage *a, const gbs_stage *b) {
    size_t d = a->posterior.d;
    if (!same_bits(&a->info.prior_sd, &b->info.prior_sd, 1) ||
        !same_bits(a->posterior.mean, b->posterior.mean, d) || a->info.rows != b->info.rows)
        return false;
    if (a->dual.rank != b->dual.rank || a->info.tested != b->info.tested ||
        a->info.weight != b->info.weight)
        return false;
    return a->dual.rank > 0 ? same_bits(a->dual.factor, b->dual.factor, a->dual.rank * a->dual.rank)
                            : same_bits(a->posterior.factor, b->posterior.factor, d * d);
}

/* Stage t and the scaling are the same bits when only rows after its own change; not when one row
 * of them does. */
static void a_stage_knows_nothing_of_later_rows(void **state) {
    (void)state;
    static const struct {
        size_t n, d, blocks;
        bool sparse;
        gbs_prior_kind prior;
        gbs_loss loss;
    } cases[] = {
        {N, D, 0, false, GBS_PRIOR_INFORMED, GBS_LOSS_ZERO_ONE},
        {N, D, 4, false, GBS_PRIOR_INFORMED, GBS_LOSS_HINGE},
        {N, D, 3, true, GBS_PRIOR_INFORMED, GBS_LOSS_ZERO_ONE},
        {N, D, 3, false, GBS_PRIOR_ZERO, GBS_LOSS_ZERO_ONE},
        {60, 48, 3, false, GBS_PRIOR_INFORMED, GBS_LOSS_HINGE}, /* dual stages, then primal ones */
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        gbs_context *ctx = new_context(1, 3 + k);
        struct table_of_numbers t = small_table(40 + k, cases[k].n, cases[k].d);
        gbs_fit_settings o = informed(GBS_BOUND_PROGRESSIVE);
        o.prior = cases[k].prior;
        o.prior_sd = o.prior == GBS_PRIOR_ZERO ? 1.0 : 0.0;
        o.loss = cases[k].loss;
        o.blocks = cases[k].blocks;
        size_t *order = take(t.n, sizeof *order), least;
        gbs_data *data = cases[k].sparse ? sparse_data(ctx, &t) : dense_data(ctx, &t);
        in_order_of(data, data); /* cells of it change below */
        assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, order, &least));
        gbs_model *whole = fit(ctx, data, &o);
        assert_true(whole->stages[0].info.rows >= least);
        for (size_t s = 0; s < gbs_model_stages(whole); s++) {
            struct table_of_numbers c = changed_from(&t, order, gbs_model_stage(whole, s)->rows);
            gbs_data *other = cases[k].sparse ? sparse_data(ctx, &c) : dense_data(ctx, &c);
            in_order_of(other, data);
            gbs_model *model = fit(ctx, other, &o);
            assert_int_equal(gbs_model_stages(model), gbs_model_stages(whole));
            assert_true(same_bits(gbs_maps_standard(&model->maps)->center,
                                  gbs_maps_standard(&whole->maps)->center, t.d));
            assert_true(same_bits(gbs_maps_standard(&model->maps)->scale,
                                  gbs_maps_standard(&whole->maps)->scale, t.d));
            for (size_t u = 0; u <= s; u++) {
                if (!same_stage(&model->stages[u], &whole->stages[u]))
                    print_error("case %zu: stage %zu of %zu rows changed with rows after those of "
                                "stage %zu\n",
                                k, u, gbs_model_stage(whole, u)->rows, s);
                assert_true(same_stage(&model->stages[u], &whole->stages[u]));
            }
            for (size_t u = 0; u < s; u++)
                assert_int_equal(model->stages[u].info.errors, whole->stages[u].info.errors);
            gbs_model_free(model);
            gbs_data_free(other);
            free_table(&c);
            /* the last row that it may know */
            size_t known = order[gbs_model_stage(whole, s)->rows - 1];
            double was = t.x[known * t.d];
            t.y[known] = -t.y[known];
            t.x[known * t.d] += 1.0;
            model = fit(ctx, data, &o);
            assert_true(cases[k].sparse || !same_stage(&model->stages[s], &whole->stages[s]));
            t.y[known] = -t.y[known];
            t.x[known * t.d] = was;
            gbs_model_free(model);
        }
        gbs_model_free(whole);
        gbs_data_free(data);
        free(order);
        free_table(&t);
        gbs_context_free(ctx);
    }
}

/* Under kl the posterior at a lambda of almost 0 is the prior: its centre and width, the scaling
 * and the lambda that catoni is given do not change with the second part. */
static void an_informed_prior_knows_nothing_of_the_second_part(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 8);
    struct table_of_numbers t = small_table(50, N, D);
    size_t order[N], first;
    gbs_fit_settings o = informed(GBS_BOUND_CATONI);
    gbs_data *data[2] = {dense_data(ctx, &t)};
    assert_ok(ctx, gbs_fit_order_run(ctx, data[0], &o, order, &first));
    struct table_of_numbers c = changed_from(&t, order, first);
    data[1] = in_order_of(dense_data(ctx, &c), data[0]);
    gbs_model *model[2];
    for (int own = 0; own < 2; own++) {
        o.lambda = own ? 1e-9 : 0.0;
        for (int k = 0; k < 2; k++)
            model[k] = fit(ctx, data[k], &o);
        assert_true(same_bits(gbs_maps_standard(&model[0]->maps)->center,
                              gbs_maps_standard(&model[1]->maps)->center, D));
        assert_true(same_bits(gbs_maps_standard(&model[0]->maps)->scale,
                              gbs_maps_standard(&model[1]->maps)->scale, D));
        assert_true(info_of(model[0]).lambda == info_of(model[1]).lambda &&
                    info_of(model[0]).prior_sd == info_of(model[1]).prior_sd);
        for (size_t j = 0; own && j <= D; j++)
            assert_close(model[0]->stages[0].posterior.mean[j],
                         model[1]->stages[0].posterior.mean[j], 1e-6, 1e-9);
        if (!own) /* while the posterior did learn from the second part */
            assert_false(same_bits(model[0]->stages[0].posterior.mean,
                                   model[1]->stages[0].posterior.mean, D + 1));
        size_t count;
        for (int k = 0; k < 2; k++) {
            const gbs_certificate *list = certificates_of(model[k], &count);
            for (size_t j = 0; j < count; j++)
                assert_int_equal(list[j].blocks, N - first);
            gbs_model_free(model[k]);
        }
    }
    gbs_data_free(data[0]);
    gbs_data_free(data[1]);
    free_table(&t);
    free_table(&c);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- stages and their certificate */

static void stages_add_up_and_the_certificate_is_theirs(void **state) {
    (void)state;
    for (size_t blocks = 0; blocks <= 16; blocks += blocks < 4 ? 1 : 6) {
        gbs_context *ctx = new_context(2, 60 + blocks);
        struct table_of_numbers t = small_table(61, N, D);
        gbs_data *data = dense_data(ctx, &t);
        gbs_fit_settings o = informed(GBS_BOUND_PROGRESSIVE);
        o.blocks = blocks;
        o.confidence = 0.9;
        gbs_model *model = fit(ctx, data, &o);
        size_t m = gbs_model_stages(model), first = gbs_model_stage(model, 0)->rows, rows = first,
               count;
        uint64_t errors[GBS_MOST_STAGES], tested[GBS_MOST_STAGES];
        double weight[GBS_MOST_STAGES], total = 0.0, seen = 0.0;
        assert_int_equal(m, blocks > 0 ? blocks : 2);
        for (size_t s = 0; s < m; s++) {
            gbs_stage_info info = *gbs_model_stage(model, s);
            assert_int_equal(info.rows, rows);
            rows += tested[s] = info.tested;
            errors[s] = info.errors;
            total += weight[s] = info.weight;
            seen += info.weight * (double)info.errors / (double)info.tested;
            assert_true(info.tested > 0 && info.errors <= info.tested && info.prior_sd > 0.0);
            /* two stages: the second has just the majority */
            double expected = m == 2 ? (s == 0 ? 0.48 : 0.52)
                                     : 2.0 * (double)(s + 1) / (double)(m * (m + 1));
            assert_close(info.weight, expected, 1e-14, 0.0);
            assert_close((double)info.tested,
                         (double)(N - first) * (m == 2 ? 0.6 - 0.2 * (double)s : 1.0 / (double)m),
                         0.0, 1.0);
        }
        assert_int_equal(rows, N);
        assert_close(total, 1.0, 1e-14, 0.0);
        /* what the first part predicts, found again */
        gbs_split split;
        gbs_prior_centre centre;
        gbs_fill_defaults(&o, N, D);
        assert_ok(ctx, gbs_split_create(ctx, data, &o, &split));
        assert_int_equal(split.first, first);
        assert_ok(ctx, gbs_prior_centre_choose(ctx, &split, &o, &centre));
        gbs_split_free(&split);
        const gbs_certificate *c = certificates_of(model, &count);
        assert_true(c[0].target == (GBS_TARGET_MIXTURE) && c[0].method == GBS_BOUND_PROGRESSIVE &&
                    c[0].valid);
        assert_int_equal(c[0].blocks, N - first);
        assert_close(c[0].empirical, seen, 1e-14, 0.0);
        assert_true(c[0].value == gbs_bound_sequential(m, errors, tested, weight, centre.predicted,
                                                       -log(1.0 - 0.9)));
        assert_true(c[0].kl == 0.0 && c[0].grid_nats == 0.0 && c[0].xi_nats == 0.0);
        const gbs_certificate *vote = find(model, GBS_TARGET_VOTE, GBS_LOSS_ZERO_ONE,
                                           GBS_BOUND_PROGRESSIVE);
        assert_true(vote->value == fmin(1.0, 2.0 * c[0].value));
        gbs_model_free(model);
        gbs_data_free(data);
        free_table(&t);
        gbs_context_free(ctx);
    }
}

/* The errors of a stage are those of one draw for each row: over many seeds their number is that of
 * the Gibbs errors. 200 fits of some 40 rows; 5 standard deviations of a sum of independent draws,
 * each of variance at most 1/4. */
static void errors_are_those_of_draws(void **state) {
    (void)state;
    struct table_of_numbers t = small_table(62, N, D);
    double drawn = 0.0, expected = 0.0, rows = 0.0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        gbs_context *ctx = new_context(1, seed);
        gbs_data *data = dense_data(ctx, &t);
        gbs_fit_settings o = gbs_fit_settings_default();
        o.blocks = 1;
        o.loss = GBS_LOSS_HINGE;
        o.prior = GBS_PRIOR_ZERO;
        o.prior_sd = 1.0;
        o.bound = GBS_BOUND_PROGRESSIVE;
        gbs_model *model = fit(ctx, data, &o);
        gbs_stage_info info = *gbs_model_stage(model, 0);
        drawn += (double)info.errors;
        rows += (double)info.tested;
        expected += find(model, GBS_TARGET_MIXTURE, GBS_LOSS_ZERO_ONE, GBS_BOUND_CATONI)
                        ->empirical *
                    (double)info.tested;
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_context_free(ctx);
    }
    assert_true(fabs(drawn - expected) > 1e-6);
    assert_close(drawn, expected, 0.0, 5.0 * sqrt(0.25 * rows));
    free_table(&t);
}

static void the_declared_certificate_comes_first(void **state) {
    (void)state;
    static const gbs_bound bounds[] = {GBS_BOUND_KL, GBS_BOUND_CATONI, GBS_BOUND_HOEFFDING,
                                       GBS_BOUND_PAPER};
    gbs_context *ctx = new_context(1, 9);
    struct table_of_numbers t = small_table(63, N, D);
    gbs_data *data = dense_data(ctx, &t);
    size_t smaller = 0;
    for (size_t k = 0; k < 2 * COUNT(bounds); k++) {
        gbs_fit_settings o = informed(bounds[k / 2]);
        o.prior = k % 2 ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
        gbs_model *model = fit(ctx, data, &o);
        size_t count, kinds = 0;
        const gbs_certificate *c = certificates_of(model, &count);
        assert_true(c[0].method == bounds[k / 2] && c[0].target == GBS_TARGET_GIBBS &&
                    c[0].loss == GBS_LOSS_ZERO_ONE);
        for (size_t j = 0; j < count; j++) {
            kinds += c[j].target == GBS_TARGET_GIBBS;
            smaller += j > 0 && c[j].target == GBS_TARGET_GIBBS && c[j].value < c[0].value;
        }
        assert_int_equal(kinds, 4);
        gbs_model_free(model);
    }
    assert_true(smaller > 0); /* so that the order meant something */
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_depends_on_seed_and_rows_alone),
        cmocka_unit_test(a_stage_knows_nothing_of_later_rows),
        cmocka_unit_test(an_informed_prior_knows_nothing_of_the_second_part),
        cmocka_unit_test(stages_add_up_and_the_certificate_is_theirs),
        cmocka_unit_test(errors_are_those_of_draws),
        cmocka_unit_test(the_declared_certificate_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
