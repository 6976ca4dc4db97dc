/* Cross-validation and the views it works on: held-out rows are held out, whatever the storage, and
 * equal candidates tie. */
#include "core/random.h"
#include "data/rows.h"
#include "fit/deal.h"
#include "fit/run.h"
#include "unit/support.h"
#include "unit/zero_prior.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 121, D = 3, FOLDS = 4 };

struct sample {
    double x[N * D], y[N];
    gbs_data *data;
};

static void draw(gbs_context *ctx, struct sample *s) {
    for (size_t i = 0; i < N; i++) {
        double score = 0.3;
        for (size_t k = 0; k < D; k++) {
            s->x[i * D + k] = gbs_random_normal(ctx, 1, i * D + k);
            score += (double)(k + 1) * s->x[i * D + k];
        }
        s->y[i] = score + 2.0 * gbs_random_normal(ctx, 2, i) > 0.0 ? 1.0 : -1.0;
    }
    assert_int_equal(gbs_data_dense(ctx, N, D, s->x, D, s->y, GBS_BORROW, &s->data), GBS_OK);
}

static gbs_fit_settings candidate(void) {
    gbs_fit_settings options = zero_prior_options();
    options.loss = GBS_LOSS_HINGE;
    options.lambda = 60.0;
    return options;
}

static void equal_candidates_have_equal_results(void **state) {
    (void)state;
    gbs_context *ctx;
    struct sample s;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    draw(ctx, &s);
    gbs_fit_settings two[2] = {candidate(), candidate()};
    gbs_cv_result r[2];
    assert_int_equal(gbs_cross_validate_run(ctx, s.data, FOLDS, two, 2, r), GBS_OK);
    assert_true(r[0].error == r[1].error && r[0].error_se == r[1].error_se &&
                r[0].gibbs_error == r[1].gibbs_error && r[0].gibbs_risk == r[1].gibbs_risk &&
                r[0].family == r[1].family);
    assert_int_equal(r[0].family, GBS_FAMILY_FULL);
    assert_true(r[0].error > 0.0 && r[0].error < 0.5 && r[0].error_se > 0.0 &&
                r[0].not_converged == 0);
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

/* The sample as CSR data, each cell stored. */
static gbs_data *as_sparse(gbs_context *ctx, const struct sample *s) {
    static size_t start[N + 1];
    static uint32_t column[N * D];
    gbs_data *sparse;
    for (size_t i = 0; i <= N; i++)
        start[i] = i * D;
    for (size_t k = 0; k < N * D; k++)
        column[k] = (uint32_t)(k % D);
    assert_int_equal(gbs_data_csr(ctx, N, D, start, column, s->x, s->y, GBS_BORROW, &sparse),
                     GBS_OK);
    return sparse;
}

static void check_view(const gbs_data *view, const struct sample *s, const size_t *rows,
                       size_t count) {
    assert_int_equal(gbs_data_rows(view), count);
    for (size_t i = 0; i < count; i++) {
        gbs_raw_row row = gbs_data_at(view, i);
        assert_int_equal(row.stored, D);
        assert_true(row.value == s->x + rows[i] * D); /* shared, not copied */
        for (size_t k = 0; row.column != NULL && k < D; k++)
            assert_int_equal(row.column[k], k);
        assert_true(view->y[i] == s->y[rows[i]]);
        assert_int_equal(gbs_data_origin(view, i), rows[i]);
    }
}

static void a_view_shows_the_rows_asked_for(void **state) {
    (void)state;
    gbs_context *ctx;
    struct sample s;
    static const size_t rows[] = {7, 3, 120, 0, 3}, again[] = {4, 2, 2}, twice[] = {3, 120, 120};
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    draw(ctx, &s);
    gbs_data *both[] = {s.data, as_sparse(ctx, &s)};
    for (size_t k = 0; k < 2; k++) {
        gbs_data *view, *narrower;
        assert_int_equal(gbs_data_view(ctx, both[k], rows, 5, &view), GBS_OK);
        check_view(view, &s, rows, 5);
        assert_int_equal(gbs_data_view(ctx, view, again, 3, &narrower), GBS_OK);
        gbs_data_free(view); /* a view of a view leans on the data alone */
        check_view(narrower, &s, twice, 3);
        gbs_data_free(narrower);
        gbs_data_free(both[k]);
    }
    gbs_context_free(ctx);
}

static void rows_without_labels_can_be_viewed(void **state) {
    (void)state;
    gbs_context *ctx;
    gbs_data *data, *view;
    static const double x[] = {1.0, 2.0, 3.0};
    static const size_t last = 2;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    assert_int_equal(gbs_data_dense(ctx, 3, 1, x, 1, NULL, GBS_COPY, &data), GBS_OK);
    assert_int_equal(gbs_data_view(ctx, data, &last, 1, &view), GBS_OK);
    assert_null(view->y);
    assert_true(gbs_data_at(view, 0).value[0] == 3.0);
    gbs_data_free(view);
    assert_true(gbs_data_at(data, 2).value[0] == 3.0);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* Same bits from a view as from a copy of its rows, for every scaling, from dense and from sparse
 * data. */
static void a_view_is_fitted_as_a_copy_would_be(void **state) {
    (void)state;
    enum { EVERY = 2, COUNT = N / EVERY };
    gbs_context *ctx;
    struct sample s;
    gbs_data *copy;
    double x[COUNT * D], y[COUNT];
    size_t rows[COUNT];
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    draw(ctx, &s);
    for (size_t i = 0; i < COUNT; i++) {
        rows[i] = N - 1 - EVERY * i;
        memcpy(x + i * D, s.x + rows[i] * D, D * sizeof *x);
        y[i] = s.y[rows[i]];
    }
    assert_int_equal(gbs_data_dense(ctx, COUNT, D, x, D, y, GBS_BORROW, &copy), GBS_OK);
    gbs_data *both[] = {s.data, as_sparse(ctx, &s)};
    static const gbs_scale scales[] = {GBS_SCALE_NONE, GBS_SCALE_STANDARD, GBS_SCALE_UNIT_ROW};
    for (size_t k = 0; k < 2 * 3 * 2; k++) {
        gbs_fit_settings options = candidate();
        gbs_data *view;
        gbs_model *model[2];
        gbs_model_info info[2];
        options.scale = scales[k % 3];
        options.intercept = k / 3 % 2 == 0;
        assert_int_equal(gbs_data_view(ctx, both[k / 6], rows, COUNT, &view), GBS_OK);
        assert_int_equal(gbs_fit_run(ctx, copy, &options, &model[0]), GBS_OK);
        assert_int_equal(gbs_fit_run(ctx, view, &options, &model[1]), GBS_OK);
        for (size_t m = 0; m < 2; m++) {
            info[m] = *gbs_model_get_info(model[m]);
            gbs_model_free(model[m]);
        }
        assert_true(info[0].free_energy == info[1].free_energy &&
                    info[0].gibbs_error == info[1].gibbs_error);
        gbs_data_free(view);
    }
    gbs_data_free(copy);
    gbs_data_free(both[0]);
    gbs_data_free(both[1]);
    gbs_context_free(ctx);
}

/* Whichever fold meets it first, in training or in testing. */
static void a_bad_row_is_named_by_its_place_in_the_data(void **state) {
    (void)state;
    gbs_context *ctx;
    struct sample s;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    draw(ctx, &s);
    gbs_data_free(s.data);
    s.x[77 * D] = 1e200;
    assert_int_equal(gbs_data_dense(ctx, N, D, s.x, D, s.y, GBS_BORROW, &s.data), GBS_OK);
    gbs_fit_settings options = candidate();
    options.scale = GBS_SCALE_NONE;
    gbs_cv_result r;
    assert_int_equal(gbs_cross_validate_run(ctx, s.data, FOLDS, &options, 1, &r), GBS_ERR_DATA);
    assert_string_equal(
        gbs_error_message(ctx),
        "row 78: its values are too large to be used as they are; scale the columns");
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

static void sparse_and_dense_folds_agree(void **state) {
    (void)state;
    gbs_context *ctx;
    struct sample s;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    draw(ctx, &s);
    gbs_data *sparse = as_sparse(ctx, &s);
    gbs_fit_settings options = candidate();
    gbs_cv_result a, b;
    assert_int_equal(gbs_cross_validate_run(ctx, s.data, FOLDS, &options, 1, &a), GBS_OK);
    assert_int_equal(gbs_cross_validate_run(ctx, sparse, FOLDS, &options, 1, &b), GBS_OK);
    assert_true(a.error == b.error);
    assert_true(fabs(a.gibbs_risk - b.gibbs_risk) < 1e-8);
    gbs_data_free(sparse);
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

/* On labels that are coin tosses the error is one half up to five standard errors (false alarm
 * 6e-7), though every fit can overfit. */
static void held_out_rows_are_held_out(void **state) {
    (void)state;
    enum { ROWS = 400, COLUMNS = 40 };
    gbs_context *ctx;
    gbs_data *data;
    double *x = calloc(ROWS * COLUMNS, sizeof *x), *y = calloc(ROWS, sizeof *y);
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        x[i] = gbs_random_normal(ctx, 3, i);
    for (size_t i = 0; i < ROWS; i++)
        y[i] = gbs_random_uniform(ctx, 4, i) < 0.5 ? 1.0 : -1.0;
    assert_int_equal(gbs_data_dense(ctx, ROWS, COLUMNS, x, COLUMNS, y, GBS_BORROW, &data), GBS_OK);
    gbs_fit_settings options = candidate();
    options.lambda = 4000.0;
    gbs_cv_result r;
    gbs_model *model;
    gbs_model_info info;
    assert_int_equal(gbs_cross_validate_run(ctx, data, 5, &options, 1, &r), GBS_OK);
    assert_int_equal(gbs_fit_run(ctx, data, &options, &model), GBS_OK);
    info = *gbs_model_get_info(model);
    assert_true(info.train_error < 0.42);
    assert_true(fabs(r.error - 0.5) < 5.0 * 0.5 / sqrt(ROWS));
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free(x);
    free(y);
}

static int stop_at_once(void *user) {
    (void)user;
    return 1;
}

static void cancelling_is_heard(void **state) {
    (void)state;
    gbs_context *ctx;
    struct sample s;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    assert_int_equal(gbs_context_set_cancel(ctx, stop_at_once, NULL), GBS_OK);
    draw(ctx, &s);
    gbs_fit_settings options = candidate();
    gbs_cv_result r;
    assert_int_equal(gbs_cross_validate_run(ctx, s.data, FOLDS, &options, 1, &r),
                     GBS_ERR_CANCELLED);
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

/* Fold by fold by hand: gbs_fit on the others, gbs_model_evaluate on the one left out. */
static void without_candidates_the_default_fit_is_judged(void **state) {
    (void)state;
    gbs_context *ctx;
    struct sample s;
    gbs_options *options;
    gbs_cv *cv;
    size_t order[N], fold_of[N];
    double error[FOLDS], auc = 0.0, brier = 0.0, log_loss = 0.0, mean = 0.0, spread = 0.0;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    draw(ctx, &s);
    assert_int_equal(gbs_options_create(ctx, "cv", &options), GBS_OK);
    assert_int_equal(gbs_options_set_count(options, "folds", FOLDS), GBS_OK);
    assert_int_equal(gbs_cross_validate(ctx, s.data, options, &cv), GBS_OK);
    for (size_t i = 0; i < N; i++)
        order[i] = i;
    gbs_shuffle(ctx->seed, GBS_STREAM_FOLDS, N, order);
    assert_int_equal(gbs_deal(ctx, s.data, order, FOLDS, fold_of), GBS_OK);
    for (size_t fold = 0; fold < FOLDS; fold++) {
        size_t rows[N], inside = 0, outside = 0;
        gbs_data *train, *test;
        gbs_model *model;
        gbs_evaluation *e;
        for (size_t i = 0; i < N; i++)
            *(fold_of[i] != fold ? &rows[inside++] : &rows[N - ++outside]) = i;
        assert_int_equal(gbs_data_view(ctx, s.data, rows, inside, &train), GBS_OK);
        assert_int_equal(gbs_data_view(ctx, s.data, rows + inside, outside, &test), GBS_OK);
        assert_int_equal(gbs_fit(ctx, train, NULL, &model), GBS_OK);
        assert_non_null(gbs_model_card(model));
        assert_int_equal(gbs_model_evaluate(ctx, model, test, &e), GBS_OK);
        double share = (double)outside / N;
        error[fold] = e->error;
        mean += share * e->error;
        auc += share * e->auc;
        brier += share * e->brier;
        log_loss += share * e->log_loss;
        gbs_evaluation_free(e);
        gbs_model_free(model);
        gbs_data_free(test);
        gbs_data_free(train);
    }
    for (size_t fold = 0; fold < FOLDS; fold++)
        spread += (error[fold] - mean) * (error[fold] - mean);
    const gbs_cv_result *r = gbs_cv_at(cv, 0);
    assert_null(gbs_cv_at(cv, 1));
    assert_true(r->deployed && isnan(r->lambda) && isnan(r->prior_sd));
    assert_close(r->error, mean, 1e-12, 0.0);
    assert_close(r->error_se, sqrt(spread / (FOLDS - 1) / FOLDS), 1e-12, 0.0);
    assert_close(r->auc, auc, 1e-12, 0.0);
    assert_close(r->brier, brier, 1e-10, 0.0);
    assert_close(r->log_loss, log_loss, 1e-10, 0.0);
    assert_true(r->auc_se > 0.0 && r->brier_se > 0.0 && r->log_loss_se > 0.0);
    gbs_cv_free(cv);
    /* what names a candidate is as it was */
    assert_int_equal(gbs_options_set(options, "loss", "hinge"), GBS_OK);
    assert_int_equal(gbs_cross_validate(ctx, s.data, options, &cv), GBS_OK);
    assert_true(!gbs_cv_at(cv, 0)->deployed && gbs_cv_at(cv, 0)->lambda == N);
    gbs_cv_free(cv);
    gbs_options_free(options);
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

/* select cv without a grid: five lambdas, or five deviations where lambda was given. */
static void a_choice_without_a_grid_has_a_usual_one(void **state) {
    (void)state;
    gbs_context *ctx;
    struct sample s;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    draw(ctx, &s);
    for (int fixed = 0; fixed < 2; fixed++) {
        gbs_options *options;
        gbs_model *model;
        assert_int_equal(gbs_options_create(ctx, "fit", &options), GBS_OK);
        assert_int_equal(gbs_options_set(options, "select", "cv"), GBS_OK);
        assert_int_equal(gbs_options_set(options, "loss", "hinge"), GBS_OK);
        if (fixed)
            assert_int_equal(gbs_options_set_number(options, "lambda", 60.0), GBS_OK);
        assert_int_equal(gbs_fit(ctx, s.data, options, &model), GBS_OK);
        const gbs_model_info *info = gbs_model_get_info(model);
        double base = fixed ? 1.0 / 16.0 : N / 64.0, rungs = 0.0;
        assert_int_equal(gbs_model_selection(model)->candidates, 5);
        rungs = log((fixed ? info->prior_sd : info->lambda) / base) / log(4.0);
        assert_true(fabs(rungs - round(rungs)) < 1e-12 && rungs > -0.5 && rungs < 4.5);
        gbs_model_free(model);
        if (fixed) {
            assert_int_equal(gbs_options_set_number(options, "prior-sd", 1.0), GBS_OK);
            assert_int_equal(gbs_fit(ctx, s.data, options, &model), GBS_ERR_ARGUMENT);
            assert_null(model);
        }
        gbs_options_free(options);
    }
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_candidates_have_equal_results),
        cmocka_unit_test(a_view_shows_the_rows_asked_for),
        cmocka_unit_test(rows_without_labels_can_be_viewed),
        cmocka_unit_test(a_view_is_fitted_as_a_copy_would_be),
        cmocka_unit_test(a_bad_row_is_named_by_its_place_in_the_data),
        cmocka_unit_test(sparse_and_dense_folds_agree),
        cmocka_unit_test(held_out_rows_are_held_out),
        cmocka_unit_test(cancelling_is_heard),
        cmocka_unit_test(without_candidates_the_default_fit_is_judged),
        cmocka_unit_test(a_choice_without_a_grid_has_a_usual_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
