/* What a fit promises of its optimality gap: it is true. */
#include "unit/solver_support.h"

/* The lowest F of two thorough solvers. */
static double best_known(gbs_context *ctx, const gbs_data *data, gbs_fit_settings o) {
    o.tolerance = THOROUGH;
    o.max_iterations = 100000;
    o.solver = GBS_SOLVER_NATURAL;
    double natural = fit_info(ctx, data, &o).free_energy;
    o.solver = GBS_SOLVER_LBFGS;
    return fmin(natural, fit_info(ctx, data, &o).free_energy);
}

static void check_gap(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                      double best) {
    gbs_model_info got = fit_info(ctx, data, o);
    double above = got.free_energy - best, dust = 1e-9 * fabs(best);
    bool good = above >= -dust && above <= got.optimality_gap + dust;
    if (!good)
        print_error("%s, %s, %s: F - best %.3g, gap %.3g, F %.9g\n", gbs_loss_name(o->loss),
                    gbs_family_name(o->family), gbs_solver_name(o->solver), above,
                    got.optimality_gap, got.free_energy);
    assert_true(good);
    assert_true(!got.converged ||
                got.optimality_gap <= o->tolerance * fmax(1.0, fabs(got.free_energy)));
    assert_close(got.free_energy, got.lambda * got.gibbs_risk + got.kl, 1e-13, 0.0);
}

/* 20 problems, each at a loose tolerance and cut off after 1, 2 and 5 steps, by both solvers. */
static void the_reported_gap_bounds_what_is_left(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {301};
    for (int k = 0; k < 20; k++) {
        struct problem p = any_problem(&r, convex_losses[k % 2], all_families[k / 2 % 4]);
        gbs_data *data = dense_data(ctx, &p.table);
        double best = best_known(ctx, data, p.options);
        for (int solver = 0; solver < 2; solver++) {
            gbs_fit_settings o = p.options;
            o.solver = solver == 0 ? GBS_SOLVER_NATURAL : GBS_SOLVER_LBFGS;
            o.tolerance = 1e-3;
            check_gap(ctx, data, &o, best);
            o.tolerance = 1e-12;
            static const size_t steps[] = {1, 2, 5};
            for (size_t s = 0; s < COUNT(steps); s++) {
                o.max_iterations = steps[s];
                check_gap(ctx, data, &o, best);
            }
        }
        gbs_data_free(data);
        free_table(&p.table);
    }
    gbs_context_free(ctx);
}

static void a_stochastic_fit_reports_a_true_gap_too(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {302};
    for (int k = 0; k < 8; k++) {
        struct problem p = any_problem(&r, GBS_LOSS_HINGE, all_families[k % 4]);
        gbs_data *data = dense_data(ctx, &p.table);
        double best = best_known(ctx, data, p.options);
        p.options.solver = GBS_SOLVER_SGD;
        p.options.epochs = 5;
        check_gap(ctx, data, &p.options, best);
        gbs_data_free(data);
        free_table(&p.table);
    }
    gbs_context_free(ctx);
}

static void zero_one_claims_no_gap(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {303};
    struct problem p = any_problem(&r, GBS_LOSS_ZERO_ONE, GBS_FAMILY_FULL);
    gbs_data *data = dense_data(ctx, &p.table);
    assert_true(isnan(fit_info(ctx, data, &p.options).optimality_gap));
    gbs_data_free(data);
    free_table(&p.table);
    gbs_context_free(ctx);
}

/* N(m, I/n): no solver may move the spread, whenever it is stopped. */
static void the_fixed_family_keeps_its_spread(void **state) {
    (void)state;
    static const gbs_solver solvers[] = {GBS_SOLVER_NATURAL, GBS_SOLVER_LBFGS, GBS_SOLVER_SGD};
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {316};
    struct table_of_numbers t = make_table(&r, 70, 4, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t s = 0; s < COUNT(solvers); s++)
        for (size_t l = 0; l < COUNT(all_losses); l++)
            for (size_t steps = 1; steps <= 6; steps++) {
                gbs_fit_settings o = zero_prior_options();
                o.loss = all_losses[l];
                o.family = GBS_FAMILY_FIXED;
                o.solver = solvers[s];
                o.max_iterations = steps < 5 ? steps : 1000;
                o.restarts = steps == 6 ? 2 : 0;
                o.epochs = 1;
                gbs_model *model = fit(ctx, data, &o);
                double mean[5], sd[5];
                gbs_model_coefficients(ctx, model, mean, sd);
                for (size_t k = 0; k < 5; k++)
                    assert_close(sd[k], 1.0 / sqrt(70.0), 1e-15, 0.0);
                gbs_model_free(model);
            }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reported_gap_bounds_what_is_left),
        cmocka_unit_test(a_stochastic_fit_reports_a_true_gap_too),
        cmocka_unit_test(zero_one_claims_no_gap),
        cmocka_unit_test(the_fixed_family_keeps_its_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
