/* What a fit promises of families in their order, of ladders, restarts and limits. */
#include "unit/solver_support.h"

static double energy(gbs_context *ctx, const gbs_data *data, gbs_fit_settings o,
                     gbs_family family) {
    o.family = family;
    return fit_info(ctx, data, &o).free_energy;
}

static void check_order(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                        bool convex) {
    double isotropic = energy(ctx, data, *o, GBS_FAMILY_ISOTROPIC),
           diagonal = energy(ctx, data, *o, GBS_FAMILY_DIAGONAL);
    double full = energy(ctx, data, *o, GBS_FAMILY_FULL), dust = 1e-9 * fabs(isotropic);
    assert_at_most(diagonal, isotropic + dust);
    assert_at_most(full, diagonal + dust);
    if (convex)
        assert_at_most(isotropic, energy(ctx, data, *o, GBS_FAMILY_FIXED) + dust);
}

/* The zero-one loss has many minima: the promise is the annealer's, not the solver's. */
static void a_larger_family_never_ends_above_a_smaller_one(void **state) {
    (void)state;
    static const double lambdas[] = {0.5, 10.0, 150.0, 1000.0};
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {310};
    for (int k = 0; k < 5; k++) {
        size_t n = 40 + dice_below(&r, 120), d = 2 + dice_below(&r, 9);
        struct table_of_numbers t = make_table(&r, n, d, 1.0, dice_between(&r, 0.2, 2.0));
        gbs_data *data = dense_data(ctx, &t);
        for (size_t l = 0; l < COUNT(all_losses); l++)
            for (size_t j = 0; j < COUNT(lambdas); j++) {
                gbs_fit_settings o = zero_prior_options();
                o.loss = all_losses[l];
                o.lambda = lambdas[j];
                o.prior_sd = k % 2 == 0 ? 1.0 : 4.0;
                o.tolerance = 1e-10;
                check_order(ctx, data, &o, o.loss != GBS_LOSS_ZERO_ONE);
            }
        gbs_data_free(data);
        free_table(&t);
    }
    gbs_context_free(ctx);
}

/* d > n: the full family runs in the row space, the smaller ones do not. */
static void the_dual_form_never_ends_above_a_smaller_family(void **state) {
    (void)state;
    static const double lambdas[] = {3.0, 100.0};
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {311};
    struct table_of_numbers t = make_table(&r, 25, 40, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (size_t j = 0; j < COUNT(lambdas); j++) {
            gbs_fit_settings o = zero_prior_options();
            o.loss = all_losses[l];
            o.lambda = lambdas[j];
            o.tolerance = 1e-10;
            check_order(ctx, data, &o, o.loss != GBS_LOSS_ZERO_ONE);
        }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- ladders, restarts, limits */

static void the_path_tells_every_rung(void **state) {
    (void)state;
    static const double ladder[] = {1.0, 4.0, 30.0, 200.0};
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {312};
    struct table_of_numbers t = make_table(&r, 120, 5, 1.0, 0.7);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t l = 0; l < COUNT(all_losses); l++) {
        gbs_fit_settings o = zero_prior_options();
        o.loss = all_losses[l];
        o.family = GBS_FAMILY_DIAGONAL;
        o.ladder = ladder;
        o.ladder_size = COUNT(ladder);
        gbs_model *model = fit(ctx, data, &o);
        gbs_model_info info = info_of(model);
        const gbs_path_point *path = path_of(model);
        assert_int_equal(gbs_model_path_size(model), COUNT(ladder));
        size_t iterations = 0;
        for (size_t k = 0; k < COUNT(ladder); k++) {
            assert_close(path[k].lambda, ladder[k], 0.0, 0.0);
            assert_close(path[k].free_energy, ladder[k] * path[k].gibbs_risk + path[k].kl, 1e-12,
                         1e-12);
            iterations += path[k].iterations;
        }
        assert_int_equal(info.iterations, iterations);
        assert_close(info.lambda, 200.0, 0.0, 0.0);
        assert_close(info.free_energy, path[3].free_energy, 0.0, 0.0);
        assert_close(info.kl, path[3].kl, 0.0, 0.0);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* While lambda is small a larger family may have the solution of a smaller one, and the last digit
 * of F, which the order of the rows decides, must not say whether it starts again from there. */
static void families_that_tie_do_not_start_again(void **state) {
    (void)state;
    enum { N = 1000, D = 10, ORDERS = 20 };
    static const double ladder[] = {0.6, 1.0};
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {316};
    struct table_of_numbers t = make_table(&r, N, D, 1.0, 0.5);
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_ZERO_ONE;
    o.family = GBS_FAMILY_FULL;
    o.ladder = ladder;
    o.ladder_size = COUNT(ladder);
    size_t first = 0;
    for (size_t k = 0; k < ORDERS; k++) {
        double x[D], y = t.y[0];
        memcpy(x, t.x, sizeof x);
        memmove(t.x, t.x + D, (N - 1) * sizeof x);
        memmove(t.y, t.y + 1, (N - 1) * sizeof y);
        memcpy(t.x + (N - 1) * D, x, sizeof x);
        t.y[N - 1] = y;
        gbs_data *data = dense_data(ctx, &t);
        gbs_model *model = fit(ctx, data, &o);
        const gbs_path_point *path = path_of(model);
        if (k == 0)
            first = path[0].iterations;
        assert_int_equal(path[0].iterations, first);
        gbs_model_free(model);
        gbs_data_free(data);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

/* Free energies of five restarts under a seed; returns the model's own F. */
static double restart_energies(uint64_t seed, const struct table_of_numbers *t,
                               double energies[5]) {
    gbs_context *ctx = new_context(1, seed);
    gbs_data *data = dense_data(ctx, t);
    gbs_fit_settings o = zero_prior_options();
    o.family = GBS_FAMILY_DIAGONAL;
    o.restarts = 5;
    gbs_model *model = fit(ctx, data, &o);
    size_t count = 0;
    const double *found = gbs_model_restarts(model, &count);
    assert_int_equal(count, 5);
    memcpy(energies, found, 5 * sizeof *energies);
    double best = info_of(model).free_energy;
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
    return best;
}

static void restarts_keep_the_best_and_depend_on_the_seed_alone(void **state) {
    (void)state;
    struct dice r = {313};
    struct table_of_numbers t = make_table(&r, 100, 6, 1.0, 1.5);
    double first[5], second[5], other[5];
    double best = restart_energies(17, &t, first);
    double lowest = INFINITY;
    for (size_t k = 0; k < 5; k++)
        lowest = fmin(lowest, first[k]);
    assert_close(best, lowest, 0.0, 0.0);
    restart_energies(17, &t, second);
    assert_true(same_bits(first, second, 5));
    restart_energies(18, &t, other);
    assert_false(same_bits(first, other, 5));
    free_table(&t);
}

static void an_annealed_fit_has_no_restarts(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {314};
    struct table_of_numbers t = make_table(&r, 50, 3, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *model = fit(ctx, data, NULL);
    size_t count = 9;
    assert_null(gbs_model_restarts(model, &count));
    assert_int_equal(count, 0);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* F(prior) = lambda r, so KL <= lambda (r(prior) - r) -> 0 as lambda does. */
static void without_data_the_posterior_is_the_prior(void **state) {
    (void)state;
    enum { P = 5 };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {315};
    struct table_of_numbers t = make_table(&r, 60, P - 1, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (size_t f = 1; f < COUNT(all_families); f++)
            for (int power = -3; power >= -15; power -= 4) {
                double lambda = pow(10.0, power);
                gbs_fit_settings o = zero_prior_options();
                o.loss = all_losses[l];
                o.family = all_families[f];
                o.lambda = lambda;
                o.prior_sd = 0.6;
                o.tolerance = 1e-13;
                gbs_model *model = fit(ctx, data, &o);
                double mean[P], sd[P];
                gbs_model_coefficients(ctx, model, mean, sd);
                assert_at_most(info_of(model).kl, 10.0 * lambda * lambda + 2e-13);
                for (size_t k = 0; k < P; k++) {
                    assert_close(mean[k], 0.0, 0.0, 10.0 * lambda + 1e-6);
                    assert_close(sd[k], 0.6, 0.0, 10.0 * lambda + 1e-6);
                }
                gbs_model_free(model);
            }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_larger_family_never_ends_above_a_smaller_one),
        cmocka_unit_test(the_dual_form_never_ends_above_a_smaller_family),
        cmocka_unit_test(the_path_tells_every_rung),
        cmocka_unit_test(families_that_tie_do_not_start_again),
        cmocka_unit_test(restarts_keep_the_best_and_depend_on_the_seed_alone),
        cmocka_unit_test(an_annealed_fit_has_no_restarts),
        cmocka_unit_test(without_data_the_posterior_is_the_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
