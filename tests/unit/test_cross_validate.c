/* Cross-validation: held-out rows are held out, whatever the storage, and equal candidates tie. */
#include "data/rows.h"
#include "gibbsite.h"

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

static gbs_fit_options candidate(void) {
    gbs_fit_options options = gbs_fit_options_default();
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
    gbs_fit_options two[2] = {candidate(), candidate()};
    gbs_cv_result r[2];
    assert_int_equal(gbs_cross_validate(ctx, s.data, FOLDS, two, 2, r), GBS_OK);
    assert_true(r[0].error == r[1].error && r[0].error_se == r[1].error_se && r[0].gibbs_error == r[1].gibbs_error &&
                r[0].gibbs_risk == r[1].gibbs_risk && r[0].family == r[1].family);
    assert_int_equal(r[0].family, GBS_FAMILY_FULL);
    assert_true(r[0].error > 0.0 && r[0].error < 0.5 && r[0].error_se > 0.0 && r[0].not_converged == 0);
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

static void picked_rows_are_the_rows_asked_for(void **state) {
    (void)state;
    gbs_context *ctx;
    struct sample s;
    gbs_data *part;
    size_t rows[] = {7, 3, 120, 0, 3};
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    draw(ctx, &s);
    assert_int_equal(gbs_data_pick(ctx, s.data, rows, 5, &part), GBS_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_memory_equal(part->dense + i * D, s.x + rows[i] * D, D * sizeof(double));
        assert_true(part->y[i] == s.y[rows[i]]);
    }
    gbs_data_free(part);
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

static void sparse_and_dense_folds_agree(void **state) {
    (void)state;
    gbs_context *ctx;
    struct sample s;
    gbs_data *sparse;
    size_t start[N + 1];
    static uint32_t column[N * D];
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    draw(ctx, &s);
    for (size_t i = 0; i <= N; i++)
        start[i] = i * D;
    for (size_t k = 0; k < N * D; k++)
        column[k] = (uint32_t)(k % D);
    assert_int_equal(gbs_data_csr(ctx, N, D, start, column, s.x, s.y, GBS_BORROW, &sparse), GBS_OK);
    gbs_fit_options options = candidate();
    gbs_cv_result a, b;
    assert_int_equal(gbs_cross_validate(ctx, s.data, FOLDS, &options, 1, &a), GBS_OK);
    assert_int_equal(gbs_cross_validate(ctx, sparse, FOLDS, &options, 1, &b), GBS_OK);
    assert_true(a.error == b.error);
    assert_true(fabs(a.gibbs_risk - b.gibbs_risk) < 1e-8);
    gbs_data_free(sparse);
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

/* On labels that are coin tosses the error is one half up to five standard errors (false alarm 6e-7), though every fit can overfit. */
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
    gbs_fit_options options = candidate();
    options.lambda = 4000.0;
    gbs_cv_result r;
    gbs_model *model;
    gbs_model_info info;
    assert_int_equal(gbs_cross_validate(ctx, data, 5, &options, 1, &r), GBS_OK);
    assert_int_equal(gbs_fit(ctx, data, &options, &model), GBS_OK);
    gbs_model_get_info(model, &info);
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
    gbs_context_options o = gbs_context_options_default();
    gbs_context *ctx;
    struct sample s;
    o.cancel = stop_at_once;
    assert_int_equal(gbs_context_create(&o, &ctx), GBS_OK);
    draw(ctx, &s);
    gbs_fit_options options = candidate();
    gbs_cv_result r;
    assert_int_equal(gbs_cross_validate(ctx, s.data, FOLDS, &options, 1, &r), GBS_ERR_CANCELLED);
    gbs_data_free(s.data);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_candidates_have_equal_results),
        cmocka_unit_test(picked_rows_are_the_rows_asked_for),
        cmocka_unit_test(sparse_and_dense_folds_agree),
        cmocka_unit_test(held_out_rows_are_held_out),
        cmocka_unit_test(cancelling_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
