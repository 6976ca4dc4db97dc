/* The hierarchical completion as callers see it: accuracy beside the paper's model, intervals,
 * noise of rows, new rows and columns, files, refusals. */
#include "complete_support.h"
#include "paper_settings.h"

/* Ratings of truth t, cells drawn with probability in proportion to exp(taste x u'v): by rejection.
 */
static struct matrix_truth informed_truth(uint64_t seed, size_t rows, size_t columns, size_t n,
                                          double taste) {
    struct matrix_truth t = make_truth(seed, rows, columns, 3, n, 0.5, 3.0, true);
    struct dice r = {seed + 1000};
    for (size_t e = 0; e < n; e++) {
        do {
            t.row[e] = (uint32_t)dice_below(&r, rows);
            t.column[e] = (uint32_t)dice_below(&r, columns);
        } while (
            dice_uniform(&r) * exp(3.0 * taste) >
            exp(taste * (truth_at(&t, t.row[e], t.column[e]) - t.a[t.row[e]] - t.b[t.column[e]])));
        t.y[e] = truth_at(&t, t.row[e], t.column[e]) + t.noise * dice_normal(&r);
    }
    return t;
}

static void informative_positions_are_used(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 1);
    struct matrix_truth t = informed_truth(5, 300, 200, repeats(6000, 1500), 1.0);
    gbs_complete_settings o = gbs_complete_settings_default(), paper = paper_settings();
    gbs_completion *m;
    struct score with = split_score(ctx, &t, t.n / 10, &o, &m),
                 old = split_score(ctx, &t, t.n / 10, &paper, NULL);
    if (short_form()) {
        print_message("few ratings: not compared, %g and %g\n", with.theta_rmse, old.theta_rmse);
    } else {
        assert_int_equal(gbs_completion_get_model(m), GBS_COMPLETION_HIERARCHICAL);
        assert_true(gbs_completion_uses_positions(m));
        assert_at_most(with.theta_rmse, 0.98 * old.theta_rmse);
        assert_true(with.coverage > 0.92 && with.coverage < 0.98);
    }
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

static void random_positions_cost_nothing(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 1);
    struct matrix_truth t = make_truth(6, 300, 200, 3, repeats(9000, 1500), 0.5, 3.0, true);
    gbs_complete_settings o = gbs_complete_settings_default(), paper = paper_settings();
    struct score with = split_score(ctx, &t, t.n / 10, &o, NULL),
                 old = split_score(ctx, &t, t.n / 10, &paper, NULL);
    if (short_form()) {
        print_message("few ratings: not compared, %g and %g\n", with.theta_rmse, old.theta_rmse);
    } else {
        assert_at_most(with.theta_rmse, 1.01 * old.theta_rmse);
        assert_true(with.coverage > 0.92 && with.coverage < 0.98);
    }
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Many rows and columns for their ratings: a fit stops where ratings left out gain no more, sooner
 * than where F stands still, and is as good there. */
static void sweeps_that_gain_nothing_are_not_made(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 1);
    struct matrix_truth t = make_truth(8, 1200, 900, 2, 24000, 1.0, 3.0, true);
    gbs_complete_settings o = gbs_complete_settings_default();
    gbs_completion *m;
    struct score rmse[2];
    size_t sweeps[2];
    o.rank = 16;
    for (int k = 0; k < 2; k++) {
        o.tolerance = k == 0 ? 0.0 : 5e-5;
        rmse[k] = split_score(ctx, &t, t.n / 10, &o, &m);
        sweeps[k] = facts_of(m).sweeps;
        gbs_completion_free(m);
    }
    print_message("%zu and %zu sweeps: %.5f and %.5f, intervals cover %.3f and %.3f\n", sweeps[0],
                  sweeps[1], rmse[0].theta_rmse, rmse[1].theta_rmse, rmse[0].coverage,
                  rmse[1].coverage);
    assert_true(3 * sweeps[0] < 2 * sweeps[1]);
    assert_at_most(rmse[0].theta_rmse, 1.01 * rmse[1].theta_rmse);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Twice the rank is no worse: what it costs the mean field is seen on ratings left out. */
static void more_components_cost_nothing(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 1);
    struct matrix_truth t = informed_truth(7, 200, 120, repeats(5000, 1500), 1.0);
    gbs_complete_settings o = gbs_complete_settings_default();
    double rmse[2];
    for (size_t k = 0; k < 2; k++) {
        o.rank = (k + 1) * repeats(16, 4);
        rmse[k] = split_score(ctx, &t, 500, &o, NULL).theta_rmse;
    }
    if (short_form())
        print_message("few ratings: not compared, %g and %g\n", rmse[0], rmse[1]);
    else
        assert_at_most(rmse[1], 1.005 * rmse[0]);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Where positions inform, the hierarchical model is chosen over the paper's, and the candidates are
 * told, in the file too. */
static void folds_choose_model_and_rank(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 1);
    struct matrix_truth t = informed_truth(5, 200, 150, 5000, 1.0);
    gbs_complete_settings o = gbs_complete_settings_default();
    o.cross_validate = o.choose_model = 1;
    o.folds = 3;
    o.rank = 4;
    gbs_completion *m = complete(ctx, &t, &o), *back = NULL;
    char *text = NULL;
    size_t size = 0, taken = 0;
    assert_int_equal(gbs_completion_to_json(ctx, m, &text, &size), GBS_OK);
    assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
    assert_int_equal(gbs_completion_get_model(m), GBS_COMPLETION_HIERARCHICAL);
    assert_int_equal(gbs_completion_choices(m), 5);
    assert_int_equal(facts_of(m).folds, 3);
    double least = INFINITY;
    for (size_t k = 0; k < 5; k++) {
        const gbs_noise_choice *c = gbs_completion_choice(m, k),
                               *b = gbs_completion_choice(back, k);
        assert_int_equal(c->model, k < 4 ? GBS_COMPLETION_HIERARCHICAL : GBS_COMPLETION_PAPER);
        assert_int_equal(c->rank, k < 4 ? 1u << k : 8);
        assert_int_equal(b->rank, c->rank);
        assert_int_equal(b->model, c->model);
        assert_true(isnan(b->lambda) && c->rmse > 0.0 && c->rmse_se > 0.0);
        if (c->rmse < least) {
            least = c->rmse;
            taken = k;
        }
    }
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(gbs_completion_choice(m, k)->taken, k == taken);
    assert_int_equal(facts_of(m).effective_rank, 1u << taken);
    gbs_release(ctx, text);
    gbs_completion_free(m);
    gbs_completion_free(back);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* A table of little more than noise, for which the paper's model may win: whichever does is
 * certified alike. */
static void the_model_that_wins_is_certified(void **state) {
    (void)state;
    enum { SIDE = 40, N = 780 };
    gbs_context *ctx = new_context(1, 1);
    for (uint64_t seed = 1, paper = 0; paper == 0; seed++) {
        assert_true(seed < 20);
        struct matrix_truth t = make_truth(seed, SIDE, SIDE, 2, N, 0.5, 3.0, true);
        struct dice r = {seed};
        for (size_t i = 0; i < SIDE; i++) {
            t.a[i] = 0.4 * dice_normal(&r), t.b[i] = 0.5 * dice_normal(&r);
            for (size_t k = 2 * i; k < 2 * i + 2; k++)
                t.u[k] = 0.35 * dice_normal(&r), t.v[k] = dice_normal(&r);
        }
        for (size_t e = 0; e < N; e++)
            t.y[e] = fmin(7.0,
                          fmax(-1.0, truth_at(&t, t.row[e], t.column[e]) + 0.8 * dice_normal(&r)));
        gbs_complete_settings o = hierarchical_settings();
        o.cross_validate = o.choose_model = o.has_range = 1;
        o.low = -1.0, o.high = 7.0;
        o.folds = 2, o.rank = 2;
        gbs_completion *m = complete(ctx, &t, &o);
        paper = gbs_completion_get_model(m) == GBS_COMPLETION_PAPER;
        const gbs_rating_certificate *c = gbs_completion_certificate(m);
        assert_true(c->present && c->draws == 0 && c->n == N / 3 && c->squared < 1.0 &&
                    c->value == c->rmse);
        assert_true(gbs_completion_mae_bound(m) < 8.0);
        gbs_completion_free(m);
        free_truth(&t);
    }
    gbs_context_free(ctx);
}

/* Rows of a third of the noise have smaller noise variances than the others. */
static void rows_have_their_own_noise(void **state) {
    (void)state;
    enum { ROWS = 60, COLS = 80, N = 4000 };
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(9, ROWS, COLS, 2, N, 0.0, 3.0, true);
    struct dice r = {44};
    for (size_t e = 0; e < N; e++)
        t.y[e] += (t.row[e] % 2 == 0 ? 0.3 : 0.9) * dice_normal(&r);
    gbs_complete_settings o = hierarchical_settings();
    o.rank = 4;
    gbs_completion *m = complete(ctx, &t, &o);
    double mean[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < ROWS; i++)
        mean[i % 2] += gbs_completion_noise(m, i) / (0.5 * ROWS);
    assert_true(mean[0] < 0.6 * mean[1]);
    double unseen = gbs_completion_noise(m, GBS_UNSEEN);
    assert_true(unseen > mean[0] && unseen < mean[1]);
    assert_true(isnan(gbs_completion_noise(m, ROWS)) && isnan(gbs_completion_noise(NULL, 0)));
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Shifted and stretched ratings: the same predictions, shifted and stretched. */
static void units_do_not_matter(void **state) {
    (void)state;
    enum { N = 1500, CELLS = 50 };
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(10, 60, 40, 2, N, 0.4, 3.0, true);
    gbs_complete_settings o = hierarchical_settings();
    uint32_t row[CELLS], column[CELLS];
    double value[2][CELLS], sd[2][CELLS];
    o.positions = GBS_POSITIONS_ON;
    for (uint32_t e = 0; e < CELLS; e++)
        row[e] = e < 48 ? e : GBS_UNSEEN, column[e] = e % 2 == 0 ? e % 40 : GBS_UNSEEN;
    for (int k = 0; k < 2; k++) {
        gbs_completion *m = complete(ctx, &t, &o);
        assert_int_equal(gbs_completion_predict(ctx, m, CELLS, row, column, value[k], sd[k]),
                         GBS_OK);
        gbs_completion_free(m);
        for (size_t e = 0; e < N; e++)
            t.y[e] = 100.0 * t.y[e] - 7.0;
    }
    for (size_t e = 0; e < CELLS; e++) {
        assert_close(value[1][e], 100.0 * value[0][e] - 7.0, 1e-5, 1e-3);
        assert_close(sd[1][e], 100.0 * sd[0][e], 1e-3, 1e-6);
    }
    free_truth(&t);
    gbs_context_free(ctx);
}

static void files_keep_the_model(void **state) {
    (void)state;
    enum { CELLS = 30 };
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(11, 40, 30, 2, 700, 0.4, 3.0, true);
    gbs_complete_settings o = hierarchical_settings();
    gbs_completion *m = complete(ctx, &t, &o), *back = NULL;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(gbs_completion_to_json(ctx, m, &text, &size), GBS_OK);
    assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
    uint32_t row[CELLS], column[CELLS];
    double value[2][CELLS], sd[2][CELLS];
    for (uint32_t e = 0; e < CELLS; e++) {
        row[e] = e % 7 == 0 ? GBS_UNSEEN : e;
        column[e] = e % 5 == 0 ? GBS_UNSEEN : e;
        double a = gbs_completion_noise(m, row[e]), b = gbs_completion_noise(back, row[e]);
        assert_true(same_bits(&a, &b, 1));
    }
    assert_int_equal(gbs_completion_predict(ctx, m, CELLS, row, column, value[0], sd[0]), GBS_OK);
    assert_int_equal(gbs_completion_predict(ctx, back, CELLS, row, column, value[1], sd[1]),
                     GBS_OK);
    assert_true(same_bits(value[0], value[1], CELLS) && same_bits(sd[0], sd[1], CELLS));
    assert_int_equal(gbs_completion_get_model(back), GBS_COMPLETION_HIERARCHICAL);
    assert_int_equal(gbs_completion_uses_positions(back), gbs_completion_uses_positions(m));
    assert_true(gbs_completion_inflation(m) != 1.0);
    assert_true(gbs_completion_inflation(back) == gbs_completion_inflation(m));
    gbs_release(ctx, text);
    gbs_completion_free(m);
    gbs_completion_free(back);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Tables of one row, one column, one rating, equal values, rank above the sides. */
static void degenerate_tables_are_completed(void **state) {
    (void)state;
    static const struct {
        size_t rows, columns, n;
        double spread;
    } cases[] = {{1, 1, 1, 1.0},   {1, 20, 30, 1.0}, {20, 1, 30, 1.0},
                 {5, 4, 300, 0.0}, {3, 3, 9, 1.0},   {40, 30, 130, 1.0}};
    gbs_context *ctx = new_context(1, 1);
    for (size_t k = 0; k < COUNT(cases); k++)
        for (int use = GBS_POSITIONS_AUTO; use <= GBS_POSITIONS_OFF; use++) {
            struct matrix_truth t = make_truth(12 + k, cases[k].rows, cases[k].columns, 1,
                                               cases[k].n, 0.5, 3.0, true);
            for (size_t e = 0; e < t.n; e++)
                t.y[e] = 3.0 + cases[k].spread * (t.y[e] - 3.0);
            gbs_complete_settings o = hierarchical_settings();
            o.positions = (gbs_positions)use;
            gbs_completion *m = complete(ctx, &t, &o);
            double value, sd;
            assert_int_equal(gbs_completion_predict(ctx, m, 1, t.row, t.column, &value, &sd),
                             GBS_OK);
            assert_true(isfinite(value) && sd >= 0.0);
            if (cases[k].spread == 0.0)
                assert_close(value, 3.0, 1e-6, 0.0);
            gbs_completion_free(m);
            free_truth(&t);
        }
    gbs_context_free(ctx);
}

/* Biases of rows and the first factor follow from two features; a fifth of the rows has no ratings.
 * With the features these are predicted far better, and their intervals hold. */
static void cold_rows_are_predicted_from_features(void **state) {
    (void)state;
    enum { ROWS = 200, COLS = 60, N = 6000, COLD = 40, TEST = COLD * COLS };
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(21, ROWS, COLS, 2, N, 0.4, 3.0, true);
    struct dice r = {5};
    double *feature = doubles(ROWS * 3), error[2] = {0.0, 0.0}, inside = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        feature[i * 3] = dice_normal(&r);
        feature[i * 3 + 1] = 100.0 + 5.0 * dice_normal(&r);
        feature[i * 3 + 2] = i % 10 == 0 ? NAN : dice_normal(&r);
        t.a[i] = 0.8 * feature[i * 3] + 0.1 * dice_normal(&r);
        t.u[i * 2] = 0.2 * (feature[i * 3 + 1] - 100.0);
    }
    for (size_t e = 0; e < N; e++) {
        t.row[e] = (uint32_t)(COLD + dice_below(&r, ROWS - COLD));
        t.y[e] = truth_at(&t, t.row[e], t.column[e]) + 0.4 * dice_normal(&r);
    }
    uint32_t *row = take(TEST, sizeof *row), *column = take(TEST, sizeof *column);
    double *value = doubles(TEST), *sd = doubles(TEST);
    for (uint32_t e = 0; e < TEST; e++)
        row[e] = e / COLS, column[e] = e % COLS;
    for (int with = 0; with < 2; with++) {
        gbs_ratings *ratings = ratings_of(ctx, &t);
        gbs_complete_settings o = hierarchical_settings();
        gbs_completion *m = NULL;
        o.rank = 4;
        o.positions = GBS_POSITIONS_OFF;
        if (with)
            assert_int_equal(gbs_ratings_set_features(ctx, ratings, 0, 3, feature), GBS_OK);
        assert_int_equal(gbs_complete_run(ctx, ratings, &o, &m), GBS_OK);
        assert_int_equal(gbs_completion_predict(ctx, m, TEST, row, column, value, sd), GBS_OK);
        for (size_t e = 0; e < TEST; e++) {
            double y = truth_at(&t, row[e], column[e]), off = y - value[e],
                   noisy = fabs(off + 0.4 * dice_normal(&r));
            error[with] += off * off / TEST;
            inside += with && noisy <= 1.959963984540054 *
                                           sqrt(sd[e] * sd[e] + gbs_completion_noise(m, row[e]));
        }
        gbs_completion_free(m);
        o.model = GBS_COMPLETION_PAPER, o.tolerance = 1e-6;
        assert_int_equal(gbs_complete_run(ctx, ratings, &o, &m), with ? GBS_ERR_ARGUMENT : GBS_OK);
        gbs_completion_free(m);
        gbs_ratings_free(ratings);
    }
    assert_at_most(error[1], 0.5 * error[0]);
    assert_true(inside / TEST > 0.9 && inside / TEST < 0.99);
    free(row), free(column), free(value), free(sd), free(feature);
    free_truth(&t);
    gbs_context_free(ctx);
}

static void bad_features_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(13, 10, 8, 1, 40, 0.5, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    double *values = doubles(10 * 2);
    values[3] = INFINITY;
    assert_int_equal(gbs_ratings_set_features(ctx, r, 0, 2, values), GBS_ERR_DATA);
    assert_int_equal(gbs_ratings_set_features(ctx, r, 0, 100000, values), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_ratings_set_features(ctx, r, 0, 2, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_ratings_set_features(ctx, NULL, 0, 2, values), GBS_ERR_ARGUMENT);
    values[3] = 0.0;
    assert_int_equal(gbs_ratings_set_features(ctx, r, 1, 2, values), GBS_OK);
    assert_int_equal(gbs_ratings_set_features(ctx, r, 1, 1, values), GBS_OK);
    gbs_cells *none = NULL;
    assert_int_equal(gbs_cells_add_features(ctx, none, 0, "nothing.csv"), GBS_ERR_ARGUMENT);
    free(values);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

static void what_only_the_paper_has_is_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(13, 10, 8, 1, 40, 0.5, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    gbs_complete_settings bad[7];
    const double grid = 3.0;
    gbs_completion *m = NULL;
    for (size_t k = 0; k < COUNT(bad); k++)
        bad[k] = hierarchical_settings();
    bad[0].biases = 0;
    bad[1].lambda = 3.0;
    bad[2].noise_variance = 0.2;
    bad[3].restarts = 2;
    bad[4].prior = GBS_PRIOR_INFORMED;
    bad[5].cross_validate = 1;
    bad[5].lambda_grid = &grid;
    bad[5].lambda_grid_size = 1;
    bad[6].tolerance = -1.0;
    for (size_t k = 0; k < COUNT(bad); k++) {
        assert_int_equal(gbs_complete_run(ctx, r, &bad[k], &m), GBS_ERR_ARGUMENT);
        assert_null(m);
    }
    assert_string_equal(gbs_completion_model_name(GBS_COMPLETION_HIERARCHICAL), "hierarchical");
    assert_string_equal(gbs_completion_model_name(GBS_COMPLETION_PAPER), "paper");
    assert_null(gbs_completion_model_name((gbs_completion_model)2));
    assert_int_equal(gbs_completion_get_model(NULL), GBS_COMPLETION_PAPER);
    assert_int_equal(gbs_completion_uses_positions(NULL), 0);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(informative_positions_are_used),
        cmocka_unit_test(random_positions_cost_nothing),
        cmocka_unit_test(sweeps_that_gain_nothing_are_not_made),
        cmocka_unit_test(more_components_cost_nothing),
        cmocka_unit_test(folds_choose_model_and_rank),
        cmocka_unit_test(the_model_that_wins_is_certified),
        cmocka_unit_test(rows_have_their_own_noise),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(files_keep_the_model),
        cmocka_unit_test(degenerate_tables_are_completed),
        cmocka_unit_test(cold_rows_are_predicted_from_features),
        cmocka_unit_test(bad_features_are_refused),
        cmocka_unit_test(what_only_the_paper_has_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
