/* The choice of a map: ridge regressions and posteriors with rows left out, and what `auto` finds.
 */
#include "fit/choose.h"
#include "fit/choose_map.h"
#include "fit/ridge.h"
#include "fit/ways.h"
#include "kernel/linalg.h"
#include "model/model.h"
#include "unit/features_support.h"

/* ---------------------------------------------------------------- the choice */

/* Several targets at once, against one at a time. */
static void ridge_of_many_targets_is_that_of_each(void **state) {
    (void)state;
    enum { K = 3 };
    struct table_of_numbers t = shell(5, N, D);
    gbs_context *ctx = new_context(1, 1);
    double target[N * K], score[N * K], y[N], one[N];
    struct dice r = {9};
    bool good = false;
    for (size_t i = 0; i < N * K; i++)
        target[i] = dice_normal(&r);
    gbs_rows rows = gbs_rows_wrap(N, D, t.x, D, y);
    gbs_ridge many, each;
    assert_ok(ctx, gbs_ridge_create(ctx, &rows, &many));
    assert_ok(ctx, gbs_ridge_leave_one_out_many(ctx, &many, 0.2, K, target, score, &good));
    assert_true(good);
    for (size_t c = 0; c < K; c++) {
        for (size_t i = 0; i < N; i++)
            y[i] = target[i * K + c];
        assert_ok(ctx, gbs_ridge_create(ctx, &rows, &each));
        assert_ok(ctx, gbs_ridge_leave_one_out(ctx, &each, 0.2, one, &good));
        assert_true(good);
        for (size_t i = 0; i < N; i++)
            assert_close(score[i * K + c], one[i], 1e-10, 1e-10);
        gbs_ridge_free(ctx, &each);
    }
    gbs_ridge_free(ctx, &many);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Each row left out by hand. */
static void ridge_leaves_each_row_out(void **state) {
    (void)state;
    enum { ROWS = 30 };
    struct table_of_numbers t = shell(8, ROWS, D);
    gbs_context *ctx = new_context(1, 1);
    gbs_rows rows = gbs_rows_wrap(ROWS, D, t.x, D, t.y);
    gbs_ridge ridge;
    double score[ROWS];
    bool good = false;
    assert_ok(ctx, gbs_ridge_create(ctx, &rows, &ridge));
    assert_ok(ctx, gbs_ridge_leave_one_out(ctx, &ridge, 0.3, score, &good));
    assert_true(good);
    for (size_t out = 0; out < ROWS; out++) {
        double a[D * D] = {0}, b[D] = {0};
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = 0; k < D && i != out; k++) {
                b[k] += t.y[i] * t.x[i * D + k];
                for (size_t l = 0; l < D; l++)
                    a[k * D + l] += t.x[i * D + k] * t.x[i * D + l];
            }
        for (size_t k = 0; k < D; k++)
            a[k * D + k] += 0.3 * ridge.length2;
        assert_true(gbs_cholesky(D, a));
        gbs_lower_solve(D, a, D, false, b);
        gbs_lower_solve(D, a, D, true, b);
        assert_close(score[out], gbs_dot(D, b, t.x + out * D), 1e-10, 1e-12);
    }
    gbs_ridge_free(ctx, &ridge);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Scores of rows by the others, by one Newton step and by fits without them. */
static void rows_are_taken_out_of_a_posterior(void **state) {
    (void)state;
    enum { ROWS = 60 };
    struct table_of_numbers t = shell(10, ROWS, D);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = mapped(GBS_FEATURES_FOURIER, 16, 0.5);
    o.loss = GBS_LOSS_HINGE;
    o.family = GBS_FAMILY_FULL;
    o.lambda = ROWS;
    gbs_rows all = rows_of(ctx, data, &o), few;
    for (double sd = 0.5; sd < 10.0; sd *= 4.0) {
        gbs_posterior p, without;
        double score[ROWS], y[ROWS], worst = 0.0, largest = 0.0;
        gbs_choice choice = {.loss = o.loss, .rows = ROWS, .score = score, .y = y};
        o.prior_sd = sd;
        o.lambda = ROWS;
        assert_ok(ctx, gbs_choice_fit(ctx, &all, &o, NULL, NULL, &p));
        assert_ok(ctx, gbs_choice_leave_one_out(ctx, &all, &o, &p.stage, &choice));
        double *cells = doubles(ROWS * all.d), labels[ROWS];
        for (size_t out = 0; out < ROWS; out++) {
            for (size_t i = 0, at = 0; i < ROWS; i++)
                if (i != out) {
                    memcpy(cells + at * all.d, all.all.dense + i * all.all.ld,
                           all.d * sizeof *cells);
                    labels[at++] = t.y[i];
                }
            few = gbs_rows_wrap(ROWS - 1, all.d, cells, all.d, labels);
            o.lambda = ROWS - 1;
            assert_ok(ctx, gbs_choice_fit(ctx, &few, &o, NULL, NULL, &without));
            const double *x = all.all.dense + out * all.all.ld;
            double exact = gbs_dot(all.d, x, without.stage.posterior.mean),
                   itself = gbs_dot(all.d, x, p.stage.posterior.mean);
            largest = fmax(largest, fabs(exact - itself));
            worst = fmax(worst, fabs(exact - score[out]));
            gbs_posterior_free(ctx, &without);
        }
        assert_at_most(worst, 0.2 * largest);
        gbs_posterior_free(ctx, &p);
        free(cells);
    }
    gbs_rows_free(ctx, &all);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void a_map_is_chosen_where_no_line_divides(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    assert_int_equal(gbs_model_votes_are_dear(NULL), 0);
    for (int curved = 0; curved < 2; curved++) {
        struct dice r = {9};
        struct table_of_numbers t = curved ? shell(9, 300, D) : make_table(&r, 300, D, 1.0, 0.5);
        gbs_data *data = dense_data(ctx, &t);
        gbs_fit_settings o = gbs_fit_settings_default();
        bool helps;
        assert_ok(ctx, gbs_map_would_help(ctx, data, &o, &helps));
        assert_int_equal(helps, curved);
        o.features = GBS_FEATURES_AUTO;
        gbs_model *model = fit(ctx, data, &o);
        assert_int_equal(model->info.map != GBS_FEATURES_LINEAR, curved);
        bool full = model->info.family == GBS_FAMILY_FULL;
        assert_int_equal(gbs_model_votes_are_dear(model), curved && full);
        size_t order[300], first;
        assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, order, &first));
        assert_int_equal(model->card.learned, first);
        gbs_model_free(model);
        gbs_data_free(data);
        free_table(&t);
    }
    gbs_context_free(ctx);
}

/* Other labels in the last block: another certificate, of the same predictor. (In the order of the
 * file: otherwise labels take part in the hash that orders the rows.) */
static void a_map_is_chosen_without_the_last_block(void **state) {
    (void)state;
    enum { ROWS = 300, LEARNED = 200 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = shell(9, ROWS, D);
    gbs_fit_settings o = gbs_fit_settings_default();
    double score[2][ROWS], bound[2];
    o.features = GBS_FEATURES_AUTO;
    o.order = GBS_ORDER_TIME;
    for (int k = 0; k < 2; k++) {
        gbs_data *data = dense_data(ctx, &t);
        gbs_model *model = fit(ctx, data, &o);
        assert_true(model->info.map != GBS_FEATURES_LINEAR);
        assert_int_equal(model->card.learned, LEARNED);
        assert_ok(ctx, gbs_model_predict(ctx, model, data, score[k], NULL, NULL));
        bound[k] = gbs_model_certificate(model, 0)->value;
        gbs_model_free(model);
        gbs_data_free(data);
        for (size_t i = LEARNED; i < ROWS; i++)
            t.y[i] = -t.y[i];
    }
    assert_true(same_bits(score[0], score[1], ROWS));
    assert_true(bound[1] > bound[0] + 0.1);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Labels by a sum of functions of one column each: `auto` finds it, says so, and the file too. */
static void a_sum_of_functions_of_one_column_is_found(void **state) {
    (void)state;
    enum { ROWS = 900, COLUMNS = 6 };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {5};
    struct table_of_numbers t = make_table(&r, ROWS, COLUMNS, 1.0, 0.1);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < COLUMNS; k++)
            sum += cos(2.5 * t.x[i * COLUMNS + k]);
        t.y[i] = sum > 0.0 ? 1.0 : -1.0;
    }
    gbs_data *data = dense_data(ctx, &t);
    gbs_options *o;
    gbs_model *model, *read;
    char *text;
    size_t size;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "features", "auto"));
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    assert_int_equal(info_of(model).map, GBS_FEATURES_FOURIER);
    assert_true(info_of(model).map_axes > 0.0);
    assert_at_most(gbs_model_certificate(model, 0)->empirical, 0.15);
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &read));
    assert_true(info_of(read).map_axes == info_of(model).map_axes);
    double *a = doubles(ROWS), *b = doubles(ROWS);
    assert_ok(ctx, gbs_model_predict(ctx, model, data, a, NULL, NULL));
    assert_ok(ctx, gbs_model_predict(ctx, read, data, b, NULL, NULL));
    assert_true(same_bits(a, b, ROWS));
    char *axes = strstr(text, "\"axes\":");
    assert_non_null(axes);
    axes[strcspn(axes, "01")] = '3'; /* a share above one */
    gbs_model *bad;
    assert_int_equal(gbs_model_from_json(ctx, text, size, &bad), GBS_ERR_FORMAT);
    free(a);
    free(b);
    gbs_release(ctx, text);
    gbs_options_free(o);
    gbs_model_free(model);
    gbs_model_free(read);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_of_functions_of_one_column_is_found),
        cmocka_unit_test(ridge_of_many_targets_is_that_of_each),
        cmocka_unit_test(ridge_leaves_each_row_out),
        cmocka_unit_test(rows_are_taken_out_of_a_posterior),
        cmocka_unit_test(a_map_is_chosen_where_no_line_divides),
        cmocka_unit_test(a_map_is_chosen_without_the_last_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
