/* Certificates of rankings: they hold on data of known AUC, each risk has its own count of
 * independent pairs, and what sampled pairs cost is paid.
 */
#include "bound/bound.h"
#include "map/map.h"
#include "model/model.h"
#include "risk/risk.h"
#include "unit/rank_support.h"

/* ---------------------------------------------------------------- certificates */

/* 1 - AUC of draws from the model, exactly for each of many draws. */
static double true_risk(struct dice *r, gbs_context *ctx, const gbs_model *model, double delta) {
    enum { DRAWS = 400 };
    const gbs_gaussian *g = &model->stages[0].posterior;
    const gbs_standard *standard = gbs_maps_standard(&model->maps);
    const double *scale = standard != NULL ? standard->scale : NULL;
    size_t d = g->d;
    double mean[8], sd[8], sum = 0.0;
    assert_int_equal(g->family, GBS_FAMILY_DIAGONAL);
    assert_ok(ctx, gbs_model_coefficients(ctx, model, mean, sd));
    for (int i = 0; i < DRAWS; i++) {
        double norm2 = 0.0, along = 0.0;
        for (size_t k = 0; k < d; k++) {
            double theta = (mean[k] + sd[k] * dice_normal(r)) / (scale != NULL ? scale[k] : 1.0);
            norm2 += theta * theta;
            along = k == 0 ? theta : along;
        }
        sum += upper_tail(sqrt(2.0) * delta * along / sqrt(norm2));
    }
    return sum / DRAWS;
}

/* At confidence 0.5 a valid bound fails in at most half of the runs; 300 runs would show more than
 * 193 failures (5 sigma) of one that does not hold as promised with probability below 3e-7. A bound
 * of 1 would pass that: it must be near the truth as well. Catoni's and the Chernoff bound of the
 * first part's score are near enough to the truth to fail sometimes. */
static void certificates_hold_and_are_near(void **state) {
    (void)state;
    const double delta = 0.6;
    size_t runs = repeats(300, 40), failed = 0, failed_score = 0;
    double excess = 0.0;
    struct dice r = {605};
    for (size_t run = 0; run < runs; run++) {
        gbs_context *ctx = new_context(1, run + 1);
        struct table_of_numbers t = two_clouds(&r, 160, 2, delta, 0.35);
        gbs_data *data = dense_data(ctx, &t);
        gbs_fit_settings o = gbs_fit_settings_default();
        o.task = GBS_TASK_RANK;
        o.bound = GBS_BOUND_CATONI;
        o.family = GBS_FAMILY_DIAGONAL;
        o.confidence = 0.5;
        gbs_model *model = fit(ctx, data, &o);
        size_t count;
        const gbs_certificate *c = certificates_of(model, &count);
        assert_true(c[0].valid && c[0].risk == GBS_RISK_AUC && c[0].method == GBS_BOUND_CATONI);
        double truth = true_risk(&r, ctx, model, delta);
        failed += c[0].value < truth;
        excess += (c[0].value - truth) / (double)runs;
        for (size_t k = 0; k < count; k++)
            failed_score += c[k].target == GBS_TARGET_PRIOR_VOTE &&
                            c[k].value < upper_tail(sqrt(2.0) * delta);
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_context_free(ctx);
        free_table(&t);
    }
    assert_true(failed <= most_failures(runs, 0.5));
    assert_true((failed_score > 0 || short_form()) && failed_score <= most_failures(runs, 0.5));
    print_message("mean excess %.3f\n", excess);
    assert_true(excess > 0.0 && excess < (short_form() ? 0.16 : 0.12));
}

static const gbs_certificate *find(const gbs_model *model, gbs_risk risk, gbs_target target,
                                   gbs_bound method) {
    size_t count;
    const gbs_certificate *c = certificates_of(model, &count);
    for (size_t k = 0; k < count; k++)
        if (c[k].risk == risk && c[k].target == target && c[k].method == method)
            return &c[k];
    fail();
    return NULL;
}

/* The other ways to a certificate, tested as above: the zero prior (columns not scaled, so that it
 * is valid), a large first part as large files have it, and sampled pairs, few enough that their
 * price is felt. */
static void other_certificates_hold_and_are_near(void **state) {
    (void)state;
    enum { WAYS = 3 };
    static const double most_excess[WAYS] = {0.25, 0.15, 0.2};
    const double delta = 0.6;
    size_t runs = repeats(300, 40), failed[WAYS] = {0};
    double excess[WAYS] = {0};
    struct dice r = {612};
    for (size_t run = 0; run < runs; run++) {
        gbs_context *ctx = new_context(1, run + 1);
        struct table_of_numbers t = two_clouds(&r, 200, 2, delta, 0.35);
        gbs_data *data = dense_data(ctx, &t);
        for (int way = 0; way < WAYS; way++) {
            gbs_fit_settings o = gbs_fit_settings_default();
            o.task = GBS_TASK_RANK;
            o.family = GBS_FAMILY_DIAGONAL;
            o.confidence = 0.5;
            o.prior = way == 0 ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
            o.scale = way == 0 ? GBS_SCALE_NONE : GBS_SCALE_STANDARD;
            o.prior_split = way == 1 ? 0.72 : 0.0;
            o.bound = way == 1 ? GBS_BOUND_CATONI : GBS_BOUND_AUTO;
            o.sampled_pairs = way == 2 ? 500 : 0;
            gbs_model *model = fit(ctx, data, &o);
            size_t count;
            const gbs_certificate *c = certificates_of(model, &count);
            assert_true(c[0].valid && c[0].risk == GBS_RISK_AUC);
            double truth = true_risk(&r, ctx, model, delta);
            failed[way] += c[0].value < truth;
            excess[way] += (c[0].value - truth) / (double)runs;
            gbs_model_free(model);
        }
        gbs_data_free(data);
        gbs_context_free(ctx);
        free_table(&t);
    }
    for (int way = 0; way < WAYS; way++) {
        print_message("way %d: %zu of %zu failed at confidence 0.5, ", way, failed[way], runs);
        print_message("mean excess %.3f\n", excess[way]);
        assert_true(failed[way] <= most_failures(runs, 0.5));
        assert_true(excess[way] > 0.0 && excess[way] < most_excess[way]);
    }
}

/* ---------------------------------------------------------------- sampled pairs */

/* Equal rows are drawn as often as they are counted; threads change nothing; the mean is within 5
 * standard errors (psi lies in [0, 1]) of the exact one. */
static void a_sample_of_pairs_is_unbiased(void **state) {
    (void)state;
    enum { DRAWS = 40000 };
    struct dice r = {613};
    for (size_t f = 1; f < COUNT(all_families); f++)
        for (int sparse = 0; sparse < 2; sparse++) {
            struct table_of_numbers t = two_clouds(&r, 240, 3, 0.6, 0.3);
            for (size_t i = 0; i < t.n; i++) { /* some rows far more often than others */
                memcpy(t.x + i * 3, t.x + (i * i / t.n) / 4 * 3, 3 * sizeof *t.x);
                t.y[i] = (i * i / t.n) / 4 % 3 == 0 ? 1.0 : -1.0;
            }
            struct table_of_numbers again = {.n = t.n, .d = t.d, .x = t.x, .y = t.y};
            make_csr(&again);
            double exact = NAN, mean[3];
            for (int threads = 1; threads <= 3; threads++) {
                gbs_context *ctx = new_context(threads, 1);
                gbs_data *data = sparse ? sparse_data(ctx, &again) : dense_data(ctx, &again);
                gbs_maps scaling;
                gbs_rows rows;
                gbs_empirical *pairs, *single;
                assert_ok(
                    ctx, gbs_maps_learn(ctx, data, &(gbs_fit_settings){.constant = 1.0}, &scaling));
                assert_ok(ctx, gbs_rows_build(ctx, data, &scaling, &rows));
                assert_ok(ctx, gbs_empirical_over_pairs(ctx, &rows, true, &gbs_zero_one, &pairs));
                assert_ok(ctx, gbs_empirical_over_pairs(ctx, &rows, false, &gbs_zero_one, &single));
                assert_true(pairs->rows <= 61 && single->rows == 240);
                gbs_prior prior = {NULL, 0.5};
                gbs_gaussian g;
                double plain;
                assert_ok(ctx, gbs_gaussian_create(ctx, all_families[f], 3, &prior, 0.7, &g));
                g.mean[0] = 0.4;
                gbs_spread at = gbs_gaussian_spread(&g);
                assert_ok(ctx, gbs_empirical_value(pairs, &gbs_zero_one, &at, false, &exact, NULL));
                assert_ok(ctx,
                          gbs_empirical_value(single, &gbs_zero_one, &at, false, &plain, NULL));
                assert_close(exact, plain, 1e-12, 0.0);
                assert_ok(ctx, gbs_empirical_sampled(pairs, &gbs_zero_one, &at, 1, DRAWS,
                                                     &mean[threads - 1]));
                gbs_gaussian_free(ctx, &g);
                gbs_empirical_free(pairs);
                gbs_empirical_free(single);
                gbs_rows_free(ctx, &rows);
                gbs_maps_free(ctx, &scaling);
                gbs_data_free(data);
                gbs_context_free(ctx);
            }
            assert_true(mean[0] == mean[1] && mean[1] == mean[2]);
            assert_close(mean[0], exact, 0.0, 5.0 * sqrt(exact * (1.0 - exact) / DRAWS));
            again.x = again.y = NULL;
            free_table(&again);
            free_table(&t);
        }
}

/* What a certificate from sampled pairs says it paid is what it paid. */
static void sampled_pairs_are_paid_for(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    struct dice r = {614};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = two_clouds(&r, 400, 3, 0.6, 0.3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.task = GBS_TASK_RANK;
    o.bound = GBS_BOUND_CATONI;
    gbs_model *exact = fit(ctx, data, &o);
    o.sampled_pairs = DRAWS;
    gbs_model *model = fit(ctx, data, &o);
    const gbs_certificate *c = find(model, GBS_RISK_AUC, GBS_TARGET_GIBBS, GBS_BOUND_KL);
    const gbs_certificate *all = find(exact, GBS_RISK_AUC, GBS_TARGET_GIBBS, GBS_BOUND_KL);
    assert_int_equal(c->sampled, DRAWS);
    assert_int_equal(all->sampled, 0);
    assert_close(c->sampled_delta, 0.005, 1e-12, 0.0);
    double e = all->empirical;
    assert_close(c->empirical, e, 0.0, 5.0 * sqrt(e * (1.0 - e) / DRAWS));
    assert_close(DRAWS * gbs_kl(c->empirical, c->empirical_upper), log(200.0), 1e-9, 0.0);
    assert_close((double)c->blocks * gbs_kl(c->empirical_upper, c->value),
                 c->kl + c->xi_nats - log(0.045), 1e-9, 0.0);
    const gbs_certificate *pairs = find(model, GBS_RISK_PAIRS, GBS_TARGET_GIBBS, GBS_BOUND_KL);
    assert_close(pairs->empirical / c->empirical, pairs->empirical_upper / c->empirical_upper,
                 1e-12, 0.0);
    assert_int_equal(find(model, GBS_RISK_AUC, GBS_TARGET_PRIOR_VOTE, GBS_BOUND_KL)->sampled, 0);
    char *text, *twice;
    size_t size;
    gbs_model *again;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &again));
    assert_ok(ctx, gbs_model_to_json(ctx, again, &twice, NULL));
    assert_string_equal(text, twice);
    gbs_release(ctx, text);
    gbs_release(ctx, twice);
    gbs_model_free(again);
    gbs_model_free(model);
    gbs_model_free(exact);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

/* With sampled pairs the stochastic solver never makes a pass over all pairs, and yet ranks as well
 * as the exact one: 99.9 % of its AUC. */
static void the_stochastic_solver_needs_no_pass(void **state) {
    (void)state;
    struct dice r = {615};
    gbs_context *ctx = new_context(2, 1);
    size_t n = repeats(16000, 5000);
    struct table_of_numbers t = two_clouds(&r, n, 5, 0.6, 0.3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = ranking(GBS_LOSS_HINGE, GBS_FAMILY_DIAGONAL);
    gbs_model_info exact = fit_info(ctx, data, &o);
    o.solver = GBS_SOLVER_SGD;
    o.batch = 64;
    o.epochs = repeats(8, 25); /* as many steps */
    o.sampled_pairs = 100000;
    gbs_model_info sampled = fit_info(ctx, data, &o);
    double pairs = 0.3 * 0.7 * (double)n * (double)n;
    print_message("pairs seen: exact %.3g, stochastic %.3g\n", exact.pair_evaluations,
                  sampled.pair_evaluations);
    assert_true(sampled.converged);
    if (short_form())
        print_message("short form: too few rows to tell the counts of pairs apart, not judged\n");
    else
        assert_true(sampled.pair_evaluations < 0.7 * pairs && exact.pair_evaluations > 2.0 * pairs);
    assert_true(1.0 - sampled.train_error > 0.999 * (1.0 - exact.train_error));
    /* reported from a subsample of 2 x 2048 rows: the standard error of its mean hinge loss is
     * some 1.2/sqrt(1024) of it */
    assert_close(sampled.gibbs_risk, exact.gibbs_risk, 0.2, 0.0);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

static void each_risk_has_its_own_blocks(void **state) {
    (void)state;
    struct dice r = {606};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = two_clouds(&r, 301, 3, 0.6, 0.3);
    size_t plus = 0;
    for (size_t i = 0; i < t.n; i++)
        plus += t.y[i] > 0.0;
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = ranking(GBS_LOSS_ZERO_ONE, GBS_FAMILY_FULL);
    o.lambda = 40.0;
    gbs_model *model = fit(ctx, data, &o);
    const gbs_certificate *auc = find(model, GBS_RISK_AUC, GBS_TARGET_GIBBS, GBS_BOUND_KL);
    const gbs_certificate *pairs = find(model, GBS_RISK_PAIRS, GBS_TARGET_GIBBS, GBS_BOUND_KL);
    double share = 2.0 * (double)plus * (double)(t.n - plus) / ((double)t.n * (double)(t.n - 1));
    assert_int_equal(auc->blocks, plus);
    assert_int_equal(pairs->blocks, 150);
    assert_close(pairs->empirical, share * auc->empirical, 1e-14, 0.0);
    assert_close(auc->empirical, info_of(model).gibbs_risk, 1e-12, 0.0);
    find(model, GBS_RISK_PAIRS, GBS_TARGET_GIBBS, GBS_BOUND_PAPER);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_hold_and_are_near),
        cmocka_unit_test(other_certificates_hold_and_are_near),
        cmocka_unit_test(a_sample_of_pairs_is_unbiased),
        cmocka_unit_test(sampled_pairs_are_paid_for),
        cmocka_unit_test(the_stochastic_solver_needs_no_pass),
        cmocka_unit_test(each_risk_has_its_own_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
