/* Numbers that overflow: they never look like a minimum, never leave a fit, a sampling or a
 * completion, and no loop waits for them. Several of these tests did not end before; an alarm ends
 * them then. */
#include "bound/bound.h"
#include "judge/judge.h"
#include "kernel/special.h"
#include "model/completion.h"
#include "paper_settings.h"
#include "smc/smc.h"
#include "unit/complete_support.h"
#include "unit/host.h"
#include "unit/rank_support.h"
#include "unit/rows_support.h"

#include <unistd.h>

/* ---------------------------------------------------------------- the free energy */

static void check_no_minimum(struct bench *b, const char *what) {
    double f = evaluate(b);
    if (f == INFINITY)
        return;
    print_error("%s: the free energy is %g\n", what, f);
    fail();
}

static void what_overflows_is_no_minimum(void **state) {
    (void)state;
    struct dice r = {11};
    for (size_t k = 0; k < 2 * COUNT(all_losses) * COUNT(all_families); k++) {
        struct design x = make_design(&r, 30, 5, k % 2 == 1, 8);
        struct bench *b = make_bench(&r, &x.rows, all_losses[k / 2 % COUNT(all_losses)],
                                     all_families[k / 2 / COUNT(all_losses)], 20.0, 1.0, false);
        assert_true(isfinite(evaluate(b)));
        double kept = b->g.mean[2];
        b->g.mean[2] = NAN;
        check_no_minimum(b, "NaN in the mean");
        b->g.mean[2] = 1e300;
        check_no_minimum(b, "a huge mean");
        b->g.mean[2] = kept;
        double *spread = b->g.sd != NULL ? b->g.sd : b->g.factor;
        const double bad[] = {NAN, INFINITY, 0.0};
        for (size_t j = 0; j < COUNT(bad); j++) {
            spread[0] = bad[j];
            if (b->g.tau != NULL)
                b->g.tau[0] = bad[j] * bad[j];
            check_no_minimum(b, "a spread that is none");
        }
        free_bench(b);
        free_design(&x);
    }
}

/* A wide prior and a narrow start: the first steps of L-BFGS go as far as exp(-200) in a spread. F
 * was 0 then, and every coefficient NaN. */
static void wide_priors_do_not_end_in_nan(void **state) {
    (void)state;
    static const double sds[] = {1e3, 1e35, 1e54, 1e73, 1e111, 1e130};
    static const gbs_family families[] = {GBS_FAMILY_ISOTROPIC, GBS_FAMILY_DIAGONAL};
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {3};
    struct table_of_numbers t = make_table(&r, 25, 140, 0.05, 0.5);
    for (size_t k = 0; k < COUNT(sds) * COUNT(families) * 2; k++) {
        gbs_data *data = k % 2 == 0 ? dense_data(ctx, &t) : sparse_data(ctx, &t);
        gbs_fit_settings o = zero_prior_options();
        o.loss = GBS_LOSS_HINGE;
        o.family = families[k / 2 % 2];
        o.solver = GBS_SOLVER_LBFGS;
        o.scale = k / 4 % 2 == 0 ? GBS_SCALE_STANDARD : GBS_SCALE_NONE;
        o.prior_sd = sds[k / 4];
        o.max_iterations = 60;
        gbs_model *model = fit(ctx, data, &o);
        gbs_model_info info = info_of(model);
        double *mean = doubles(2 * info.d);
        assert_ok(ctx, gbs_model_coefficients(ctx, model, mean, mean + info.d));
        for (size_t j = 0; j < 2 * info.d; j++)
            assert_true(isfinite(mean[j]));
        assert_true(isfinite(info.free_energy) && info.kl > 0.0 && !isnan(info.optimality_gap));
        free(mean);
        gbs_model_free(model);
        gbs_data_free(data);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

static void bounds_of_nan_are_none(void **state) {
    (void)state;
    assert_true(isnan(gbs_kl_paper(3.0, 1.0, NAN, 0.0, 1.0)));
    assert_true(isnan(gbs_kl_paper(3.0, 1.0, INFINITY, INFINITY, 1.0)));
    assert_true(isnan(gbs_digamma(-1e300)));
    assert_true(isnan(gbs_digamma(NAN)));
}

/* Some sqrt(delta/(1 - lambda^2/limit^2)) terms at each of thousands of places. */
static void the_hinge_bound_next_to_its_limit_is_found(void **state) {
    (void)state;
    static const double left[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-11};
    for (size_t k = 0; k < COUNT(left); k++) {
        double lambda = gbs_hinge_lambda_limit(true, 100, 1.0, 1.0) * (1.0 - left[k]);
        double before = gbs_hinge_f_exact(0.999 * lambda, 100, 10, 1.0, 90.0, 1.0);
        double f = gbs_hinge_f_exact(lambda, 100, 10, 1.0, 90.0, 1.0);
        assert_true(f > before && f > 1e4); /* worth nothing: lambda is 20 */
    }
}

/* ---------------------------------------------------------------- scores */

static void areas_refuse_scores_without_order(void **state) {
    (void)state;
    const double y[] = {1.0, -1.0, 1.0, -1.0}, bad[] = {NAN, INFINITY, -INFINITY};
    gbs_context *ctx = new_context(1, 1);
    for (size_t k = 0; k < COUNT(bad); k++)
        for (size_t i = 0; i < 4; i++) {
            double score[] = {0.5, 0.25, 0.25, 1.0}, auc, se;
            score[i] = bad[k];
            char row[16];
            snprintf(row, sizeof row, "row %zu:", i + 1);
            assert_int_equal(gbs_area_with_error(ctx, 4, y, score, &auc, &se), GBS_ERR_NUMERIC);
            assert_non_null(strstr(gbs_error_message(ctx), row));
        }
    gbs_context_free(ctx);
}

static void check_refused_scores(gbs_context *ctx, const gbs_model *model, const gbs_data *data) {
    size_t n = gbs_data_rows(data);
    double *room = doubles(3 * n);
    gbs_evaluation e;
    assert_int_equal(gbs_model_predict(ctx, model, data, room, room + n, room + 2 * n),
                     GBS_ERR_NUMERIC);
    assert_non_null(strstr(gbs_error_message(ctx), "its score is not a finite number"));
    assert_int_equal(gbs_model_predict(ctx, model, data, NULL, NULL, room), GBS_ERR_NUMERIC);
    assert_int_equal(evaluate_model(ctx, model, data, &e), GBS_ERR_NUMERIC);
    assert_non_null(strstr(gbs_error_message(ctx), "not a finite number"));
    free(room);
}

static void models_of_huge_numbers_predict_nothing(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(5, 60, 4);
    for (int k = 0; k < 7; k++) {
        /* the first is a mixture of stages */
        gbs_fit_settings o = k == 0 ? gbs_fit_settings_default() : zero_prior_options();
        o.task = k == 6 ? GBS_TASK_RANK : GBS_TASK_CLASSIFY;
        o.family = k >= 1 && k <= 4 ? all_families[k - 1] : GBS_FAMILY_FULL;
        o.form = k == 5 ? GBS_FORM_DUAL : GBS_FORM_AUTO;
        gbs_data *data = k % 2 == 0 ? dense_data(ctx, &t) : sparse_data(ctx, &t);
        gbs_model *model = fit(ctx, data, &o);
        assert_ok(ctx, gbs_model_check(ctx, model));
        gbs_stage *stage = &model->stages[model->stages_size - 1];
        for (size_t j = 0; j < 4; j++)
            stage->posterior.mean[j] = 1e308;
        check_refused_scores(ctx, model, data);
        if (gbs_maps_standard(&model->maps)->stretch != NULL) {
            double coefficient[2 * 5];
            gbs_maps_standard(&model->maps)->stretch[0] = 1e10;
            assert_int_equal(gbs_model_coefficients(ctx, model, coefficient, coefficient + 5),
                             GBS_ERR_NUMERIC);
        }
        stage->posterior.mean[0] = NAN;
        check_refused_scores(ctx, model, data);
        assert_int_equal(gbs_model_check(ctx, model), GBS_ERR_NUMERIC);
        gbs_model_free(model);
        gbs_data_free(data);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

static void a_fit_is_checked_before_it_leaves(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(5, 60, 4);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = zero_prior_options();
    gbs_model *model = fit(ctx, data, &o);
    double *const numbers[] = {&model->info.free_energy,   &model->info.kl,
                               &model->info.gibbs_risk,    &model->info.gibbs_error,
                               &model->info.train_error,   &model->certificates[0].value,
                               &model->certificates[1].kl, &model->stages[0].info.prior_sd};
    for (size_t k = 0; k < COUNT(numbers); k++) {
        double kept = *numbers[k];
        *numbers[k] = k % 2 == 0 ? NAN : INFINITY;
        assert_int_equal(gbs_model_check(ctx, model), GBS_ERR_NUMERIC);
        assert_non_null(strstr(gbs_error_message(ctx), "the fit broke down"));
        *numbers[k] = kept;
    }
    assert_ok(ctx, gbs_model_check(ctx, model));
    /* a rung that overflowed on the way is null in the file, and the file is read */
    char *text = NULL;
    size_t size;
    gbs_model *copy = NULL;
    model->path[0].free_energy = INFINITY;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &copy));
    assert_true(isnan(path_of(copy)[0].free_energy));
    gbs_release(ctx, text);
    gbs_model_free(copy);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- particles */

static void particles_of_huge_numbers_predict_nothing(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(5, 60, 4);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < 4; k++) {
        gbs_sample_settings o = gbs_sample_settings_default();
        gbs_particles *p = NULL;
        gbs_evaluation e;
        double share[60];
        o.particles = 64;
        o.task = k % 2 == 0 ? GBS_TASK_CLASSIFY : GBS_TASK_RANK;
        assert_ok(ctx, gbs_sample_run(ctx, data, &o, &p));
        assert_ok(ctx, gbs_particles_check(ctx, p));
        p->theta[3] = k < 2 ? 1e308 : NAN;
        p->theta[2] = k < 2 ? 1e308 : 0.0;
        assert_int_equal(gbs_particles_predict(ctx, p, data, NULL, NULL, share), GBS_ERR_NUMERIC);
        assert_non_null(strstr(gbs_error_message(ctx), "its score is not a finite number"));
        if (k >= 2) {
            assert_int_equal(evaluate_particles(ctx, p, data, &e), GBS_ERR_NUMERIC);
            assert_int_equal(gbs_particles_check(ctx, p), GBS_ERR_NUMERIC);
        }
        p->theta[3] = 0.0;
        p->info.log_z = NAN;
        assert_int_equal(gbs_particles_check(ctx, p), GBS_ERR_NUMERIC);
        gbs_particles_free(p);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* A score that is NaN is no error and no hinge loss: such particles had no risk at all. */
static void scores_that_overflow_are_not_sampled(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(5, 40, 3);
    for (size_t k = 0; k < 120; k++)
        t.x[k] *= 1e152;
    for (int rank = 0; rank < 2; rank++) {
        gbs_data *data = dense_data(ctx, &t);
        gbs_sample_settings o = gbs_sample_settings_default();
        gbs_particles *p;
        o.task = rank ? GBS_TASK_RANK : GBS_TASK_CLASSIFY;
        o.scale = GBS_SCALE_NONE;
        o.prior_sd = 0.9e150;
        o.particles = 64;
        assert_refused(ctx, GBS_ERR_NUMERIC, gbs_sample_run(ctx, data, &o, &p), p);
        gbs_data_free(data);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

/* Squares that leave the range of doubles on either side: no share of the diagonal makes them
 * positive definite. */
static void covariances_that_overflow_are_refused(void **state) {
    (void)state;
    enum { N = 32, D = 3 };
    const double size[] = {1e155, 0.0}, prior_sd[] = {1.0, 1e-160};
    gbs_context *ctx = new_context(1, 1);
    for (size_t k = 0; k < COUNT(size); k++) {
        gbs_reference reference;
        double theta[N * D], weight[N];
        for (size_t i = 0; i < N * D; i++)
            theta[i] = size[k];
        for (size_t i = 0; i < N; i++)
            weight[i] = 1.0;
        assert_ok(ctx, gbs_reference_create(ctx, D, true, N, &reference));
        assert_int_equal(gbs_reference_fit(ctx, &reference, N, theta, weight, N, prior_sd[k]),
                         GBS_ERR_NUMERIC);
        gbs_reference_free(ctx, &reference);
    }
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- completions */

static void completions_of_huge_numbers_predict_nothing(void **state) {
    (void)state;
    struct matrix_truth t = make_truth(3, 12, 9, 2, 200, 0.3, 0.5, true);
    clip_ratings(&t, -8.0, 8.0);
    gbs_context *ctx = new_context(1, 1);
    for (int k = 0; k < 3; k++) {
        gbs_complete_settings o = paper_settings();
        const uint32_t row[] = {1, 2}, column[] = {1, 2};
        double value[2], sd[2];
        o.rank = 3;
        o.has_range = k == 1;
        o.low = -8.0;
        o.high = 8.0;
        o.sampler = k == 2 ? GBS_SAMPLER_GIBBS : GBS_SAMPLER_VB;
        gbs_completion *m = complete(ctx, &t, &o);
        assert_ok(ctx, gbs_completion_check(ctx, m));
        assert_ok(ctx, gbs_completion_predict(ctx, m, 2, row, column, value, sd));
        for (int s = 0; s < 2; s++)
            m->mean[s][2 * m->own] = 1e200; /* of item 2 in the first draw */
        assert_int_equal(gbs_completion_predict(ctx, m, 2, row, column, value, NULL),
                         GBS_ERR_NUMERIC);
        assert_non_null(strstr(gbs_error_message(ctx), "cell 2"));
        assert_int_equal(gbs_completion_predict(ctx, m, 2, row, column, value, sd),
                         GBS_ERR_NUMERIC);
        m->mean[0][0] = NAN;
        assert_int_equal(gbs_completion_check(ctx, m), GBS_ERR_NUMERIC);
        gbs_completion_free(m);
    }
    free_truth(&t);
    gbs_context_free(ctx);
}

static void a_hold_out_of_nan_is_none(void **state) {
    (void)state;
    const double y[] = {1.0, 2.0}, value[] = {NAN, 2.0};
    assert_true(isnan(gbs_rating_holdout(2, y, value, 1.0, 5.0, 0.95)));
}

/* ---------------------------------------------------------------- long predictions can be stopped
 */

static void long_predictions_ask_whether_to_stop(void **state) {
    (void)state;
    enum { N = 200000 };
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(5, 60, 4);
    gbs_data *train = dense_data(ctx, &t), *many = NULL;
    gbs_fit_settings o = zero_prior_options();
    gbs_model *model = fit(ctx, train, &o);
    gbs_sample_settings s = gbs_sample_settings_default();
    gbs_particles *p;
    s.particles = 100;
    assert_ok(ctx, gbs_sample_run(ctx, train, &s, &p));
    double *x = doubles(N * 4), *y = doubles(N), *score = doubles(2 * N);
    for (size_t i = 0; i < N; i++)
        y[i] = i % 2 == 0 ? 1.0 : -1.0;
    for (size_t i = 0; i < N * 4; i++)
        x[i] = (double)(i % 7);
    assert_ok(ctx, gbs_data_dense(ctx, N, 4, x, 4, y, GBS_BORROW, &many));
    h.cancels = 0;
    h.allowed = 1000000;
    assert_ok(ctx, gbs_model_predict(ctx, model, many, score, NULL, score + N));
    assert_true(h.cancels >= N / 40000);
    h.cancels = 0;
    h.allowed = 3;
    assert_int_equal(gbs_model_predict(ctx, model, many, score, NULL, NULL), GBS_ERR_CANCELLED);
    h.cancels = 0;
    h.allowed = 1000000;
    assert_ok(ctx, gbs_particles_predict(ctx, p, many, score, NULL, NULL));
    assert_true(h.cancels >= N / 40000);
    gbs_particles_free(p);
    gbs_model_free(model);
    gbs_data_free(many);
    gbs_data_free(train);
    free(x), free(y), free(score);
    free_table(&t);
    leave(&h, ctx);
}

/* Slices of many rows and one pass over all of them: the same bits. */
static void slices_do_not_change_predictions(void **state) {
    (void)state;
    enum { N = 70000, D = 20 };
    gbs_context *ctx = new_context(2, 1);
    struct dice r = {9};
    struct table_of_numbers t = make_table(&r, N, D, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = zero_prior_options();
    o.max_iterations = 3;
    gbs_model *model = fit(ctx, data, &o);
    gbs_rows rows;
    double *a = doubles(3 * N), *b = doubles(3 * N);
    assert_ok(ctx, gbs_model_predict(ctx, model, data, a, a + N, a + 2 * N));
    assert_ok(ctx, gbs_rows_build(ctx, data, &model->maps, &rows));
    gbs_judgement all = {.score = b, .sd = b + N, .probability = b + 2 * N};
    assert_ok(ctx, gbs_model_judge(ctx, model, &rows, &all));
    assert_true(same_bits(a, b, 3 * N));
    gbs_rows_free(ctx, &rows);
    gbs_model_free(model);
    gbs_data_free(data);
    free(a), free(b);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_overflows_is_no_minimum),
        cmocka_unit_test(wide_priors_do_not_end_in_nan),
        cmocka_unit_test(bounds_of_nan_are_none),
        cmocka_unit_test(the_hinge_bound_next_to_its_limit_is_found),
        cmocka_unit_test(areas_refuse_scores_without_order),
        cmocka_unit_test(models_of_huge_numbers_predict_nothing),
        cmocka_unit_test(a_fit_is_checked_before_it_leaves),
        cmocka_unit_test(particles_of_huge_numbers_predict_nothing),
        cmocka_unit_test(scores_that_overflow_are_not_sampled),
        cmocka_unit_test(covariances_that_overflow_are_refused),
        cmocka_unit_test(completions_of_huge_numbers_predict_nothing),
        cmocka_unit_test(a_hold_out_of_nan_is_none),
        cmocka_unit_test(long_predictions_ask_whether_to_stop),
        cmocka_unit_test(slices_do_not_change_predictions),
    };
    alarm(600);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
