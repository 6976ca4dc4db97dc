/* Rankings, start to end: one optimum whatever the road to it, a true gap, models that come back
 * from their file, and data that cannot be ranked. Their certificates: test_rank_certificates.c.
 */
#include "judge/judge.h"
#include "unit/rank_support.h"

/* ---------------------------------------------------------------- the fit */

static void solvers_agree_and_the_gap_is_true(void **state) {
    (void)state;
    struct dice r = {601};
    gbs_context *ctx = new_context(2, 1);
    for (size_t f = 0; f < COUNT(all_families); f++) {
        struct table_of_numbers t = two_clouds(&r, 150, 4, 0.6, 0.3);
        gbs_data *data = dense_data(ctx, &t), *sparse = sparse_data(ctx, &t);
        gbs_fit_settings o = ranking(GBS_LOSS_HINGE, all_families[f]);
        o.tolerance = 1e-12;
        o.solver = GBS_SOLVER_NATURAL;
        gbs_model_info natural = fit_info(ctx, data, &o), of_sparse = fit_info(ctx, sparse, &o);
        o.solver = GBS_SOLVER_LBFGS;
        gbs_model_info lbfgs = fit_info(ctx, data, &o);
        assert_true(natural.converged && natural.optimality_gap <= 1e-12 * natural.free_energy);
        assert_close(lbfgs.free_energy, natural.free_energy, 1e-9, 0.0);
        assert_close(of_sparse.free_energy, natural.free_energy, 1e-9, 0.0);
        o.solver = GBS_SOLVER_NATURAL;
        o.max_iterations = 2; /* far from the optimum the gap is large, and true */
        gbs_model_info early = fit_info(ctx, data, &o);
        assert_true(early.free_energy - natural.free_energy <= early.optimality_gap);
        assert_int_equal(natural.task, GBS_TASK_RANK);
        assert_int_equal(natural.d, 4);
        gbs_data_free(data);
        gbs_data_free(sparse);
        free_table(&t);
    }
    gbs_context_free(ctx);
}

static void larger_families_end_lower(void **state) {
    (void)state;
    struct dice r = {602};
    gbs_context *ctx = new_context(2, 1);
    struct table_of_numbers t = two_clouds(&r, 200, 4, 0.5, 0.4);
    gbs_data *data = dense_data(ctx, &t);
    double before = INFINITY;
    for (size_t f = 1; f < COUNT(all_families); f++) {
        gbs_fit_settings o = ranking(GBS_LOSS_ZERO_ONE, all_families[f]);
        gbs_model_info info = fit_info(ctx, data, &o);
        assert_at_most(info.free_energy, before + 1e-9);
        before = info.free_energy;
    }
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

static void the_stochastic_solvers_come_near(void **state) {
    (void)state;
    struct dice r = {603};
    gbs_context *ctx = new_context(2, 1);
    struct table_of_numbers t = two_clouds(&r, 400, 4, 0.6, 0.3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = ranking(GBS_LOSS_HINGE, GBS_FAMILY_DIAGONAL);
    double exact = fit_info(ctx, data, &o).free_energy;
    o.solver = GBS_SOLVER_SGD;
    o.batch = 64;
    gbs_model_info blocks = fit_info(ctx, data, &o);
    assert_true(blocks.free_energy >= exact - 1e-6 && blocks.free_energy <= 1.005 * exact);
    assert_true(blocks.free_energy - exact <= blocks.optimality_gap);
    o.schedule = GBS_SCHEDULE_PAPER;
    o.lambda = 50.0;
    o.batch = 20;
    o.epochs = 20;
    o.trace = 1;
    gbs_model *model = fit(ctx, data, &o);
    size_t points = gbs_model_path_size(model);
    const gbs_path_point *path = path_of(model);
    assert_int_equal(points, 401); /* every step, and the end */
    for (size_t k = 0; k + 1 < points; k++) {
        assert_int_equal(path[k].iterations, k + 1);
        assert_true(path[k].bound > 0.0 && path[k].bound <= 1.0);
        assert_close(path[k].free_energy, 50.0 * path[k].gibbs_risk + path[k].kl, 1e-13, 0.0);
    }
    assert_true(path[points - 2].free_energy < path[0].free_energy);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

/* The paper's Figure 1: its steps end near the exact optimum, and the bound beside each is the
 * printed one, with the printed KL: at the end it is the certificate's, whose KL comes from the
 * kept posterior. */
static void the_papers_steps_carry_the_papers_bound(void **state) {
    (void)state;
    struct dice r = {611};
    gbs_context *ctx = new_context(2, 1);
    struct table_of_numbers t = two_clouds(&r, 300, 4, 0.6, 0.3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = ranking(GBS_LOSS_ZERO_ONE, GBS_FAMILY_DIAGONAL);
    o.lambda = 100.0;
    o.bound = GBS_BOUND_PAPER;
    double exact = fit_info(ctx, data, &o).free_energy;
    o.solver = GBS_SOLVER_SGD;
    o.schedule = GBS_SCHEDULE_PAPER;
    o.batch = 20;
    o.epochs = 40;
    o.trace = 1;
    gbs_model *model = fit(ctx, data, &o);
    size_t points = gbs_model_path_size(model), count;
    const gbs_path_point *end = path_of(model) + points - 1;
    const gbs_certificate *c = certificates_of(model, &count);
    assert_int_equal(points, 601);
    assert_true(end->free_energy >= exact - 1e-6 && end->free_energy <= 1.02 * exact);
    assert_true(c->risk == GBS_RISK_PAIRS && c->method == GBS_BOUND_PAPER);
    assert_close(end->bound, c->value, 1e-12, 0.0);
    /* the last step is where it ends: nothing is averaged */
    assert_close(end[-1].bound, c->value, 1e-12, 0.0);
    assert_close(c->value, c->empirical + 100.0 / 299.0 + (c->kl + log(20.0)) / 100.0, 1e-12, 0.0);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    struct dice r = {604};
    struct table_of_numbers t = two_clouds(&r, 600, 6, 0.6, 0.3);
    char *first = NULL;
    for (int threads = 1; threads <= 7; threads += 3) {
        gbs_context *ctx = new_context(threads, 1);
        gbs_data *data = dense_data(ctx, &t);
        gbs_fit_settings o = gbs_fit_settings_default();
        o.task = GBS_TASK_RANK;
        gbs_model *model = fit(ctx, data, &o);
        model->info.seconds = 0.0;
        char *text;
        assert_ok(ctx, gbs_model_to_json(ctx, model, &text, NULL));
        if (first == NULL)
            first = strdup(text);
        assert_string_equal(first, text);
        gbs_release(ctx, text);
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_context_free(ctx);
    }
    free(first);
    free_table(&t);
}

/* ---------------------------------------------------------------- models */

static void a_model_comes_back_from_its_text(void **state) {
    (void)state;
    struct dice r = {607};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = two_clouds(&r, 200, 3, 0.6, 0.3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.task = GBS_TASK_RANK;
    o.bound = GBS_BOUND_CATONI;
    gbs_model *model = fit(ctx, data, &o), *again;
    char *text, *twice;
    size_t size;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &again));
    assert_ok(ctx, gbs_model_to_json(ctx, again, &twice, NULL));
    assert_string_equal(text, twice);
    double score[200], place[200], alone[200];
    assert_ok(ctx, gbs_model_predict(ctx, again, data, score, NULL, place));
    assert_ok(ctx, gbs_model_predict(ctx, again, data, NULL, NULL, alone));
    assert_true(same_bits(place, alone, 200));
    for (size_t i = 0; i < 200; i++) { /* 140 negatives: every one of them is kept */
        double below = 0.0, all = 0.0;
        for (size_t j = 0; j < 200; j++)
            if (t.y[j] < 0.0) {
                below += score[j] < score[i] ? 1.0 : score[j] == score[i] ? 0.5 : 0.0;
                all += 1.0;
            }
        assert_close(place[i], below / all, 1e-12, 0.0);
    }
    gbs_evaluation e;
    assert_ok(ctx, evaluate_model(ctx, again, data, &e));
    assert_close(1.0 - e.auc, info_of(again).train_error, 1e-12, 0.0);
    assert_close(e.gibbs_error, info_of(again).gibbs_error, 1e-12, 0.0);
    assert_true(isnan(e.error) && isnan(e.brier));
    gbs_release(ctx, text);
    gbs_release(ctx, twice);
    gbs_model_free(model);
    gbs_model_free(again);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

/* DeLong's formula, spelled out. */
static void the_standard_error_is_delongs(void **state) {
    (void)state;
    enum { N = 60 };
    struct dice r = {608};
    gbs_context *ctx = new_context(1, 1);
    double y[N], score[N], up[N] = {0}, auc, se, plus = 0.0, area = 0.0, of_up = 0.0, of_down = 0.0;
    for (size_t i = 0; i < N; i++) {
        y[i] = i % 3 == 0 ? 1.0 : -1.0;
        score[i] = floor(3.0 * dice_normal(&r) + y[i]); /* many ties */
        plus += y[i] > 0.0;
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            if (y[i] > 0.0 && y[j] < 0.0) {
                double win = score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0;
                up[i] += win / (N - plus);
                up[j] += win / plus;
                area += win / (plus * (N - plus));
            }
    for (size_t i = 0; i < N; i++)
        *(y[i] > 0.0 ? &of_up : &of_down) += (up[i] - area) * (up[i] - area);
    assert_ok(ctx, gbs_area_with_error(ctx, N, y, score, &auc, &se));
    assert_close(auc, area, 1e-13, 0.0);
    assert_close(se * se, of_up / (plus - 1.0) / plus + of_down / (N - plus - 1.0) / (N - plus),
                 1e-12, 0.0);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- data that says little or nothing
 */

static gbs_status try_fit(gbs_context *ctx, const double *x, const double *y, size_t n, size_t d,
                          const gbs_fit_settings *o, gbs_model_info *info) {
    gbs_data *data;
    gbs_model *model;
    assert_ok(ctx, gbs_data_dense(ctx, n, d, x, d, y, GBS_COPY, &data));
    gbs_status status = gbs_fit_run(ctx, data, o, &model);
    if (status == GBS_OK) {
        *info = info_of(model);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    return status;
}

static void poor_data(void **state) {
    (void)state;
    enum { N = 40, D = 3 };
    struct dice r = {609};
    gbs_context *ctx = new_context(1, 1);
    double x[N * D], y[N];
    gbs_model_info info;
    gbs_fit_settings zero = ranking(GBS_LOSS_ZERO_ONE, GBS_FAMILY_FULL),
                     informed = gbs_fit_settings_default();
    informed.task = GBS_TASK_RANK;
    informed.bound = GBS_BOUND_CATONI;
    for (size_t i = 0; i < N * D; i++)
        x[i] = dice_normal(&r);
    for (size_t i = 0; i < N; i++)
        y[i] = 1.0;
    assert_int_equal(try_fit(ctx, x, y, N, D, &zero, &info), GBS_ERR_DATA);
    y[7] = -1.0; /* one negative row: one independent pair; it cannot be on both sides of a split */
    assert_int_equal(try_fit(ctx, x, y, N, D, &zero, &info), GBS_OK);
    assert_true(info.lambda == 1.0);
    assert_int_equal(try_fit(ctx, x, y, N, D, &informed, &info), GBS_ERR_DATA);
    for (size_t i = 0; i < N; i++) {
        y[i] = i % 2 == 0 ? 1.0 : -1.0;
        for (size_t k = 0; k < D; k++)
            x[i * D + k] = 0.3;
    }
    for (int loss = 0; loss < 2;
         loss++) { /* equal rows: all pairs are ties, and the prior is the best there is */
        zero.loss = informed.loss = (gbs_loss)loss;
        assert_int_equal(try_fit(ctx, x, y, N, D, &zero, &info), GBS_OK);
        assert_close(info.gibbs_error, 0.5, 0.0, 0.0);
        assert_close(info.train_error, 0.5, 0.0, 0.0);
        assert_close(info.kl, 0.0, 0.0, 1e-12);
        assert_int_equal(try_fit(ctx, x, y, N, D, &informed, &info), GBS_OK);
        assert_close(info.gibbs_error, 0.5, 0.0, 0.0);
    }
    gbs_context_free(ctx);
}

static void what_ranking_does_not_have(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    double x[4] = {1.0, 2.0, 3.0, 4.0}, y[4] = {1.0, -1.0, 1.0, -1.0};
    gbs_model_info info = {0};
    gbs_fit_settings o = ranking(GBS_LOSS_EXPONENTIAL, GBS_FAMILY_FULL);
    assert_int_equal(try_fit(ctx, x, y, 4, 1, &o, &info), GBS_ERR_ARGUMENT);
    o = ranking(GBS_LOSS_HINGE, GBS_FAMILY_FULL);
    o.form = GBS_FORM_DUAL;
    assert_int_equal(try_fit(ctx, x, y, 4, 1, &o, &info), GBS_ERR_ARGUMENT);
    o.form = GBS_FORM_AUTO;
    o.bound = GBS_BOUND_PROGRESSIVE;
    assert_int_equal(try_fit(ctx, x, y, 4, 1, &o, &info), GBS_ERR_ARGUMENT);
    o.bound = GBS_BOUND_KL;
    o.stratify = 1;
    assert_int_equal(try_fit(ctx, x, y, 4, 1, &o, &info), GBS_ERR_ARGUMENT);
    o.stratify = 0;
    o.intercept = 1; /* ignored: it cancels */
    assert_int_equal(try_fit(ctx, x, y, 4, 1, &o, &info), GBS_OK);
    assert_int_equal(info.d, 1);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_agree_and_the_gap_is_true),
        cmocka_unit_test(larger_families_end_lower),
        cmocka_unit_test(the_stochastic_solvers_come_near),
        cmocka_unit_test(the_papers_steps_carry_the_papers_bound),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_model_comes_back_from_its_text),
        cmocka_unit_test(the_standard_error_is_delongs),
        cmocka_unit_test(poor_data),
        cmocka_unit_test(what_ranking_does_not_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
