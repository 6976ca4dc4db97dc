/* What a program calls by options does what the library does by settings. */
#include "bound/theory.h"
#include "model/model.h"
#include "unit/complete_support.h"

static gbs_options *options_of(gbs_context *ctx, const char *command) {
    gbs_options *o;
    assert_int_equal(gbs_options_create(ctx, command, &o), GBS_OK);
    return o;
}

static void a_fit_by_options_is_the_fit_by_settings(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    struct table_of_numbers t = small_table(81, 90, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_options *o = options_of(ctx, "fit");
    gbs_fit_settings s = gbs_fit_settings_default();
    s.loss = GBS_LOSS_HINGE;
    s.confidence = 0.9;
    gbs_model *a, *b;
    gbs_model_info ia, ib;
    assert_int_equal(gbs_options_set(o, "loss", "hinge"), GBS_OK);
    assert_int_equal(gbs_options_set_number(o, "confidence", 0.9), GBS_OK);
    assert_int_equal(gbs_fit(ctx, data, o, &a), GBS_OK);
    assert_int_equal(gbs_fit_run(ctx, data, &s, &b), GBS_OK);
    ia = *gbs_model_get_info(a);
    ib = *gbs_model_get_info(b);
    assert_true(ia.free_energy == ib.free_energy && ia.kl == ib.kl);
    assert_true(gbs_model_selection(a)->candidates == gbs_model_selection(b)->candidates);
    size_t order[90], again[90], first, first_again;
    assert_int_equal(gbs_fit_order(ctx, data, o, order, &first), GBS_OK);
    assert_int_equal(gbs_fit_order_run(ctx, data, &s, again, &first_again), GBS_OK);
    assert_true(first == first_again && memcmp(order, again, sizeof order) == 0);
    gbs_model_free(a);
    gbs_model_free(b);
    /* what the caller looked at makes the certificate conditional */
    size_t count;
    gbs_data_looked(data, GBS_LOOKED_COLUMNS);
    assert_int_equal(gbs_fit(ctx, data, NULL, &a), GBS_OK);
    assert_false(certificates_of(a, &count)->valid);
    gbs_model_free(a);
    /* options of another command, and contradictions, are refused */
    gbs_options *other = options_of(ctx, "complete");
    assert_int_equal(gbs_fit(ctx, data, other, &a), GBS_ERR_ARGUMENT);
    assert_null(a);
    gbs_options_free(other);
    assert_int_equal(gbs_options_set(o, "folds", "3"), GBS_OK);
    assert_int_equal(gbs_fit(ctx, data, o, &a), GBS_ERR_ARGUMENT);
    gbs_options_free(o);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* The model of a choice by cross-validation is that of the best line of the table. */
static void a_choice_is_the_best_of_the_table(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    struct table_of_numbers t = small_table(82, 80, 3);
    gbs_data *data = dense_data(ctx, &t);
    const double lambdas[] = {5.0, 40.0, 200.0};
    gbs_options *cv = options_of(ctx, "cv"), *fit = options_of(ctx, "fit");
    assert_int_equal(gbs_options_set(cv, "loss", "zero-one,hinge"), GBS_OK);
    assert_int_equal(gbs_options_set_numbers(cv, "lambda-grid", lambdas, 3), GBS_OK);
    gbs_cv *all;
    assert_int_equal(gbs_cross_validate(ctx, data, cv, &all), GBS_OK);
    assert_null(gbs_cv_at(all, 6));
    for (size_t k = 0; k < 6; k++) {
        const gbs_cv_result *r = gbs_cv_at(all, k);
        assert_true(r->lambda == lambdas[k % 3] && r->prior_sd == 1.0);
        assert_true(r->loss == (k < 3 ? GBS_LOSS_ZERO_ONE : GBS_LOSS_HINGE));
        assert_true(gbs_cv_at(all, gbs_cv_best(all))->error <= r->error);
    }
    gbs_cv_free(all);
    assert_int_equal(gbs_options_set(cv, "loss", "hinge"), GBS_OK);
    assert_int_equal(gbs_cross_validate(ctx, data, cv, &all), GBS_OK);
    const gbs_cv_result *best = gbs_cv_at(all, gbs_cv_best(all));
    assert_int_equal(gbs_options_set(fit, "loss", "hinge"), GBS_OK);
    assert_int_equal(gbs_options_set(fit, "select", "cv"), GBS_OK);
    assert_int_equal(gbs_options_set_numbers(fit, "lambda-grid", lambdas, 3), GBS_OK);
    gbs_model *model;
    gbs_model_info info;
    assert_int_equal(gbs_fit(ctx, data, fit, &model), GBS_OK);
    info = *gbs_model_get_info(model);
    const gbs_selection *chosen = gbs_model_selection(model);
    assert_true(info.lambda == best->lambda && chosen->error == best->error);
    assert_true(chosen->candidates == 3 && chosen->folds == 5);
    gbs_model_free(model);
    gbs_cv_free(all);
    gbs_options_free(cv);
    gbs_options_free(fit);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void samplings_take_options(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    struct table_of_numbers t = small_table(83, 60, 2);
    gbs_data *data = dense_data(ctx, &t);
    gbs_options *o = options_of(ctx, "sample"), *fit = options_of(ctx, "fit");
    gbs_particles *p;
    gbs_model *model;
    assert_int_equal(gbs_options_set_count(o, "particles", 64), GBS_OK);
    assert_int_equal(gbs_options_set_number(o, "lambda", 4.0), GBS_OK);
    assert_int_equal(gbs_sample(ctx, data, o, &p), GBS_OK);
    const gbs_sample_info *info = gbs_particles_get_info(p);
    assert_true(info->particles == 64 && info->lambda == 4.0);
    gbs_particles_free(p);
    assert_int_equal(gbs_options_set(fit, "prior", "zero"), GBS_OK);
    assert_int_equal(gbs_options_set(fit, "lambda", "9"), GBS_OK);
    assert_int_equal(gbs_fit(ctx, data, fit, &model), GBS_OK);
    assert_int_equal(gbs_sample_for(ctx, data, model, 0, o, &p), GBS_OK);
    assert_true(gbs_particles_get_info(p)->lambda == 9.0); /* the model's, not the options' */
    gbs_particles_free(p);
    gbs_model_free(model);
    gbs_options_free(o);
    gbs_options_free(fit);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void completions_take_options(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    uint32_t row[40], column[40], one = 0;
    double value[40], mean, sd;
    for (uint32_t k = 0; k < 40; k++) {
        row[k] = k / 5;
        column[k] = k % 5;
        value[k] = 1.0 + (double)(k % 4);
    }
    gbs_ratings *ratings;
    assert_int_equal(gbs_ratings_create(ctx, 40, 8, 5, row, column, value, NULL, NULL, &ratings),
                     GBS_OK);
    gbs_options *o = options_of(ctx, "complete");
    gbs_completion *model;
    gbs_completion_info info;
    assert_int_equal(gbs_options_set(o, "rank", "2"), GBS_OK);
    assert_int_equal(gbs_complete(ctx, ratings, o, &model), GBS_OK);
    info = *gbs_completion_get_info(model);
    assert_true(info.rank == 2 && info.sampler == GBS_SAMPLER_VB);
    gbs_completion_free(model);
    assert_int_equal(gbs_options_set(o, "sampler", "gibbs"), GBS_OK);
    assert_int_equal(gbs_options_set(o, "draws", "10"), GBS_OK);
    assert_int_equal(gbs_complete_cells(ctx, ratings, o, 1, &one, &one, &mean, &sd, &model),
                     GBS_OK);
    info = *gbs_completion_get_info(model);
    assert_true(info.draws == 10 && isfinite(mean) && sd > 0.0);
    gbs_completion_free(model);
    gbs_options_free(o);
    gbs_ratings_free(ratings);
    gbs_context_free(ctx);
}

static void the_theory_takes_options(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    gbs_options *o = options_of(ctx, "theory");
    gbs_theory *theory, rows;
    gbs_theory_settings s = gbs_theory_settings_default();
    s.n = 500;
    assert_int_equal(gbs_options_set(o, "n", "500"), GBS_OK);
    assert_int_equal(gbs_theory_compute(ctx, o, &theory), GBS_OK);
    assert_int_equal(gbs_theory_run(ctx, &s, &rows), GBS_OK);
    for (size_t k = 0; k < rows.count; k++)
        assert_true(gbs_theory_row_at(theory, k)->value == rows.rows[k].value);
    assert_null(gbs_theory_row_at(theory, rows.count));
    gbs_theory_free(theory);
    gbs_options_free(o);
    gbs_context_free(ctx);
}

/* Seed and threads may be set later; the seed is that of all random numbers. */
static void a_context_takes_seed_and_threads(void **state) {
    (void)state;
    gbs_context *a = new_context(1, 7), *b = new_context(1, 3);
    assert_int_equal(gbs_context_set_seed(b, 7), GBS_OK);
    assert_true(gbs_random_uniform(a, 1, 2) == gbs_random_uniform(b, 1, 2));
    assert_int_equal(gbs_context_set_threads(b, 3), GBS_OK);
    assert_int_equal(gbs_context_set_threads(b, -1), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_threads(b, 0), GBS_OK);
    assert_int_equal(gbs_context_set_seed(NULL, 1), GBS_ERR_ARGUMENT);
    gbs_context_free(a);
    gbs_context_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_by_options_is_the_fit_by_settings),
        cmocka_unit_test(a_choice_is_the_best_of_the_table),
        cmocka_unit_test(samplings_take_options),
        cmocka_unit_test(completions_take_options),
        cmocka_unit_test(the_theory_takes_options),
        cmocka_unit_test(a_context_takes_seed_and_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
