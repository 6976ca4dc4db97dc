/* Where a solve starts from: on a part of the rows, or at once on all. For a convex loss both end
 * at the same minimum, by their own proofs, and the part saves passes over all rows. */
#include "map/map.h"
#include "unit/support.h"
#include "vb/solve.h"

#include <math.h>

/* One level of each of four factors a row, some of them rare, so that a part of the rows misses
 * them; the labels follow the levels. Standardised, and sparse where that pays. */
enum { FACTORS = 4, LEVELS = 20, ROWS = 6400 };

static gbs_data *levels(gbs_context *ctx, struct dice *r, struct table_of_numbers *t) {
    double effect[FACTORS * LEVELS] = {0.0};
    *t = (struct table_of_numbers){.n = ROWS, .d = FACTORS * LEVELS};
    t->x = doubles(t->n * t->d);
    t->y = doubles(t->n);
    for (size_t k = 0; k < t->d; k++)
        effect[k] = dice_normal(r);
    for (size_t i = 0; i < t->n; i++) {
        double score = 0.5 * dice_normal(r);
        for (size_t f = 0; f < FACTORS; f++) {
            double u = dice_between(r, 0.0, 1.0);
            size_t level = f * LEVELS + (size_t)(LEVELS * u * u * u); /* the last ones are rare */
            t->x[i * t->d + level] = 1.0;
            score += effect[level];
        }
        t->y[i] = score > 0.0 ? 1.0 : -1.0;
    }
    make_csr(t);
    return sparse_data(ctx, t);
}

struct end {
    gbs_solution solution;
    double tolerance;
};

static struct end solve(gbs_empirical *risk, gbs_family family, gbs_solver solver, bool coarse) {
    gbs_context *ctx = risk->ctx;
    gbs_prior prior = {NULL, 1.0}, tame = {NULL, 1.0 / gbs_empirical_longest(risk)};
    gbs_problem problem = {.ctx = ctx, .risk = risk, .prior = prior, .lambda = ROWS};
    gbs_solve_options o = {.solver = solver, .tolerance = 1e-8, .max_iterations = 5000};
    gbs_gaussian g;
    gbs_engine e;
    struct end end;
    assert_ok(ctx, gbs_gaussian_create(ctx, family, risk->d, &tame, 0.02, &g));
    assert_ok(ctx, gbs_engine_create(risk, family, solver, &e));
    assert_ok(ctx, gbs_solve(&problem, &o, coarse, &e, &g, &end.solution));
    end.tolerance = o.tolerance * fabs(end.solution.free_energy);
    gbs_engine_free(&e);
    gbs_gaussian_free(ctx, &g);
    return end;
}

static void a_part_of_the_rows_first_or_not_is_the_same_minimum(void **state) {
    (void)state;
    static const gbs_solver solvers[] = {GBS_SOLVER_NATURAL, GBS_SOLVER_LBFGS};
    struct dice r = {2718};
    struct table_of_numbers t;
    gbs_context *ctx = new_context(2, 1);
    gbs_data *data = levels(ctx, &r, &t);
    gbs_fit_settings wanted = {.scale = GBS_SCALE_STANDARD, .intercept = 1, .constant = 1.0};
    gbs_maps scaling;
    gbs_rows rows;
    assert_ok(ctx, gbs_maps_learn(ctx, data, &wanted, &scaling));
    assert_ok(ctx, gbs_rows_build(ctx, data, &scaling, &rows));
    assert_null(rows.all.dense); /* mostly empty rows stay sparse */
    for (size_t loss = 1; loss < COUNT(all_losses); loss++)
        for (size_t f = 0; f < COUNT(all_families); f++)
            for (size_t s = 0; s < COUNT(solvers); s++) {
                gbs_empirical *risk;
                assert_ok(
                    ctx, gbs_empirical_over_rows(ctx, &rows, gbs_loss_of(all_losses[loss]), &risk));
                assert_true(risk->loss->convex);
                if (all_families[f] == GBS_FAMILY_FULL && solvers[s] == GBS_SOLVER_LBFGS) {
                    gbs_empirical_free(risk);
                    continue; /* thousands of coordinates: the natural gradient's */
                }
                struct end part = solve(risk, all_families[f], solvers[s], true),
                           whole = solve(risk, all_families[f], solvers[s], false);
                print_message("%s, %s, solver %d: F %.9g and %.9g, proven within %.2g and %.2g\n",
                              gbs_loss_name(all_losses[loss]), gbs_family_of(all_families[f])->name,
                              (int)solvers[s], part.solution.free_energy,
                              whole.solution.free_energy, part.solution.gap, whole.solution.gap);
                assert_true(part.solution.converged && whole.solution.converged);
                assert_true(part.solution.gap <= part.tolerance);
                assert_close(part.solution.free_energy, whole.solution.free_energy, 1e-13,
                             part.solution.gap + whole.solution.gap);
                gbs_empirical_free(risk);
            }
    gbs_rows_free(ctx, &rows);
    gbs_maps_free(ctx, &scaling);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

/* All that there is to gain under a narrow prior is a small share of the free energy: less than the
 * tolerance, but the rows are heard. */
static void a_loose_tolerance_does_not_end_at_the_prior(void **state) {
    (void)state;
    static const gbs_solver solvers[] = {GBS_SOLVER_NATURAL, GBS_SOLVER_LBFGS};
    static const gbs_prior narrow = {NULL, 1e-6};
    struct dice r = {31};
    struct table_of_numbers t;
    gbs_context *ctx = new_context(2, 1);
    gbs_data *data = levels(ctx, &r, &t);
    gbs_fit_settings wanted = {.scale = GBS_SCALE_STANDARD, .intercept = 1, .constant = 1.0};
    gbs_maps scaling;
    gbs_rows rows;
    assert_ok(ctx, gbs_maps_learn(ctx, data, &wanted, &scaling));
    assert_ok(ctx, gbs_rows_build(ctx, data, &scaling, &rows));
    for (size_t loss = 0; loss < COUNT(all_losses); loss++)
        for (size_t s = 0; s < COUNT(solvers); s++) {
            gbs_empirical *risk;
            gbs_gaussian g;
            gbs_engine e;
            gbs_solution end;
            assert_ok(ctx,
                      gbs_empirical_over_rows(ctx, &rows, gbs_loss_of(all_losses[loss]), &risk));
            gbs_problem problem = {.ctx = ctx, .risk = risk, .prior = narrow, .lambda = 100.0};
            gbs_solve_options o = {.solver = solvers[s], .tolerance = 0.5, .max_iterations = 50};
            assert_ok(ctx,
                      gbs_gaussian_create(ctx, GBS_FAMILY_DIAGONAL, risk->d, &narrow, 0.02, &g));
            assert_ok(ctx, gbs_engine_create(risk, g.family, o.solver, &e));
            assert_ok(ctx, gbs_solve(&problem, &o, false, &e, &g, &end));
            assert_true(end.converged && end.iterations > 0);
            assert_true(gbs_dot(g.d, g.mean, g.mean) > 0.0);
            assert_true(end.kl > 0.0);
            gbs_engine_free(&e);
            gbs_gaussian_free(ctx, &g);
            gbs_empirical_free(risk);
        }
    gbs_rows_free(ctx, &rows);
    gbs_maps_free(ctx, &scaling);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_the_rows_first_or_not_is_the_same_minimum),
        cmocka_unit_test(a_loose_tolerance_does_not_end_at_the_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
