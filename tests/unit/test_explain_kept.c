/* What fits and files keep of importances and curves, how much is measured where all would take
 * long, what is refused, and standard errors against how much estimates vary. */
#include "explain/explain.h"
#include "unit/explain_support.h"

/* ---------------------------------------------------------------- fits and files */

static void check_same(const gbs_explanation *a, const gbs_explanation *b) {
    const gbs_explanation_info *i = gbs_explanation_get_info(a), *j = gbs_explanation_get_info(b);
    assert_memory_equal(&i->error, &j->error, sizeof i->error);
    assert_int_equal(i->rows, j->rows);
    assert_int_equal(i->fresh, j->fresh);
    assert_int_equal(i->columns, j->columns);
    assert_int_equal(i->curves, j->curves);
    for (size_t k = 0; k < i->columns; k++) {
        const gbs_importance *x = gbs_explanation_importance(a, k),
                             *y = gbs_explanation_importance(b, k);
        assert_string_equal(x->name, y->name);
        assert_true(x->error == y->error && x->error_se == y->error_se && x->brier == y->brier &&
                    x->brier_se == y->brier_se && x->column == y->column);
    }
    for (size_t k = 0; k < i->curves; k++)
        for (size_t p = 0; gbs_explanation_point(a, k, p) != NULL; p++) {
            const gbs_curve_point *x = gbs_explanation_point(a, k, p),
                                  *y = gbs_explanation_point(b, k, p);
            assert_non_null(y);
            assert_int_equal(x->level != NULL, y->level != NULL);
            assert_true(x->level != NULL || x->value == y->value);
            assert_true(gbs_explanation_probability(a, k, p, 0) ==
                        gbs_explanation_probability(b, k, p, 0));
        }
}

static void a_fit_keeps_what_its_last_block_says(void **state) {
    (void)state;
    static struct people p;
    gbs_context *ctx = new_context(1, 1), *other = new_context(3, 1);
    gbs_table *table;
    gbs_options *o;
    gbs_model *model, *again, *read;
    make_people(&p, 2);
    gbs_data *data = people_data(ctx, &p, &table);
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    assert_null(gbs_model_explanation(model));
    gbs_model_free(model);
    assert_ok(ctx, gbs_options_set_flag(o, "importance", 1));
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    const gbs_explanation *e = gbs_model_explanation(model);
    const gbs_explanation_info *i = gbs_explanation_get_info(e);
    const gbs_card *card = gbs_model_card(model);
    assert_non_null(e);
    assert_true(i->fresh);
    assert_int_equal(i->rows, card->tested);
    assert_close(i->error * (double)card->tested,
                 (double)(card->false_positive + card->false_negative), 0.0, 1e-9);
    assert_close(i->brier, card->brier, 1e-12, 0.0);
    /* the same whoever computes, and in a file */
    assert_ok(other, gbs_fit(other, data, o, &again));
    check_same(e, gbs_model_explanation(again));
    char *text;
    size_t size;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &read));
    check_same(e, gbs_model_explanation(read));
    /* a file that was changed by hand is refused, not believed */
    char *at = strstr(text, "\"columns_given\"");
    assert_non_null(at);
    at[1] = 'k';
    gbs_model *bad;
    assert_int_equal(gbs_model_from_json(ctx, text, size, &bad), GBS_ERR_FORMAT);
    gbs_release(ctx, text);
    assert_ok(ctx, gbs_explanation_to_json(ctx, e, &text, &size));
    assert_int_equal(strlen(text), size);
    assert_non_null(strstr(text, "\"importance\""));
    gbs_release(ctx, text);
    gbs_model_free(read);
    gbs_model_free(again);
    gbs_model_free(model);
    gbs_options_free(o);
    gbs_data_free(data);
    gbs_table_free(table);
    forget_people(&p);
    gbs_context_free(other);
    gbs_context_free(ctx);
}

static void importance_needs_a_last_block(void **state) {
    (void)state;
    static const char *const without[][2] = {{"bound", "kl"}, {"prior", "zero"}, {"refit", "all"}};
    static struct people p;
    gbs_context *ctx = new_context(1, 1);
    gbs_table *table;
    make_people(&p, 2);
    gbs_data *data = people_data(ctx, &p, &table);
    for (size_t k = 0; k < COUNT(without); k++) {
        gbs_options *o;
        gbs_model *model;
        assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
        assert_ok(ctx, gbs_options_set_flag(o, "importance", 1));
        assert_ok(ctx, gbs_options_set(o, without[k][0], without[k][1]));
        assert_int_equal(gbs_fit(ctx, data, o, &model), GBS_ERR_ARGUMENT);
        assert_non_null(strstr(gbs_error_message(ctx), "`importance`"));
        gbs_options_free(o);
    }
    gbs_data_free(data);
    gbs_table_free(table);
    forget_people(&p);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- limits */

static void where_all_would_take_long_some_are_measured(void **state) {
    (void)state;
    enum { D = 6 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(9, 400, D);
    for (size_t i = 0; i < t.n; i++) /* columns 1 and 4 alone matter */
        t.y[i] = 2.0 * t.x[i * D + 1] - t.x[i * D + 4] > 0.0 ? 1.0 : -1.0;
    gbs_data *data = dense_data(ctx, &t);
    static const char *const maps[] = {"linear", "fourier:20"};
    for (size_t way = 0; way < COUNT(maps); way++) {
        gbs_model *model = fit_with(ctx, data, "features", maps[way]);
        gbs_explain_limits limits = gbs_usual_limits;
        gbs_explanation *e;
        limits.columns = 2;
        limits.rows = limits.mapped_rows = 60;
        limits.mapped_evaluations = 1;
        assert_ok(ctx, gbs_explain_within(ctx, model, data, &limits, &e));
        const gbs_explanation_info *i = gbs_explanation_get_info(e);
        assert_int_equal(i->columns, 2);
        assert_int_equal(i->columns_given, D);
        assert_int_equal(i->rows, 60);
        assert_int_equal(i->rows_given, 400);
        assert_false(i->fresh);
        assert_int_equal(gbs_explanation_importance(e, 0)->column, 1);
        assert_string_equal(gbs_explanation_importance(e, 0)->name, "V2");
        assert_int_equal(gbs_explanation_importance(e, 1)->column, 4);
        assert_null(gbs_explanation_importance(e, 2));
        gbs_explanation_free(e);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void what_cannot_be_measured_is_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(10, 120, 2);
    gbs_data *data = dense_data(ctx, &t), *one, *wide, *unlabelled;
    gbs_model *model = fit_with(ctx, data, NULL, NULL);
    gbs_explanation *e;
    char *text;
    assert_ok(ctx, gbs_data_dense(ctx, 1, 2, t.x, 2, t.y, GBS_BORROW, &one));
    assert_ok(ctx, gbs_data_dense(ctx, 20, 4, t.x, 4, t.y, GBS_BORROW, &wide));
    assert_ok(ctx, gbs_data_dense(ctx, 20, 2, t.x, 2, NULL, GBS_BORROW, &unlabelled));
    gbs_data *const bad[] = {one, wide, unlabelled};
    for (size_t k = 0; k < COUNT(bad); k++) {
        assert_int_equal(gbs_model_explain(ctx, model, bad[k], &e), GBS_ERR_DATA);
        assert_null(e);
    }
    assert_int_equal(gbs_model_explain(NULL, model, data, &e), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_explain(ctx, NULL, data, &e), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_explain(ctx, model, NULL, &e), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_explain(ctx, model, data, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_explanation_to_json(ctx, NULL, &text, NULL), GBS_ERR_ARGUMENT);
    assert_null(gbs_explanation_get_info(NULL));
    assert_null(gbs_explanation_importance(NULL, 0));
    assert_null(gbs_explanation_curve(NULL, 0));
    assert_null(gbs_explanation_point(NULL, 0, 0));
    assert_true(isnan(gbs_explanation_probability(NULL, 0, 0, 0)));
    assert_null(gbs_model_explanation(NULL));
    gbs_explanation_free(NULL);
    gbs_data_free(one);
    gbs_data_free(wide);
    gbs_data_free(unlabelled);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- standard errors */

/* Over many blocks the estimates vary as much as they say: of the mean squared standard error over
 * the variance of the estimates, whose relative error is sqrt(2/blocks), 5 sigma either side. */
static void standard_errors_are_what_they_say(void **state) {
    (void)state;
    enum { N = 60, D = 2 };
    size_t blocks = repeats(800, 20);
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(11, 300, D);
    struct dice r = {12};
    for (size_t i = 0; i < t.n; i++)
        t.y[i] = t.x[i * D] + 0.5 * t.x[i * D + 1] + 0.7 * dice_normal(&r) > 0.0 ? 1.0 : -1.0;
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings ranker = gbs_fit_settings_default();
    ranker.task = GBS_TASK_RANK;
    gbs_model *models[] = {fit_with(ctx, data, NULL, NULL), fit(ctx, data, &ranker)};
    double sum[3] = {0}, square[3] = {0}, said[3] = {0}, n = (double)blocks;
    for (size_t b = 0; b < blocks; b++) {
        double x[N * D], y[N];
        for (size_t i = 0; i < N; i++) {
            x[i * D] = dice_normal(&r);
            x[i * D + 1] = dice_normal(&r);
            y[i] = x[i * D] + 0.5 * x[i * D + 1] + 0.7 * dice_normal(&r) > 0.0 ? 1.0 : -1.0;
        }
        gbs_data *block;
        assert_ok(ctx, gbs_data_dense(ctx, N, D, x, D, y, GBS_BORROW, &block));
        for (size_t w = 0; w < COUNT(models); w++) {
            gbs_explanation *e;
            assert_ok(ctx, gbs_model_explain(ctx, models[w], block, &e));
            const gbs_importance *c = importance_of(e, 0);
            const double value[] = {c->error, c->brier, c->auc},
                         se[] = {c->error_se, c->brier_se, c->auc_se};
            for (size_t k = 0; k < 3; k++)
                if (!isnan(value[k])) {
                    sum[k] += value[k];
                    square[k] += value[k] * value[k];
                    said[k] += se[k] * se[k];
                }
            gbs_explanation_free(e);
        }
        gbs_data_free(block);
    }
    for (size_t k = 0; k < 3; k++) {
        double variance = (square[k] - sum[k] * sum[k] / n) / (n - 1.0),
               ratio = said[k] / n / variance, noise = 5.0 * sqrt(2.0 / n);
        assert_true(sum[k] > 0.0);
        assert_at_most(1.0 - noise, ratio);
        assert_at_most(ratio, 1.0 + noise);
    }
    gbs_model_free(models[0]);
    gbs_model_free(models[1]);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_keeps_what_its_last_block_says),
        cmocka_unit_test(importance_needs_a_last_block),
        cmocka_unit_test(where_all_would_take_long_some_are_measured),
        cmocka_unit_test(what_cannot_be_measured_is_refused),
        cmocka_unit_test(standard_errors_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
