/* What a fit promises: a gap that is true, one optimum whatever the road to it, and families in their order.
 *
 * Random problems have fixed seeds, so each check passes always or never. The heavy half (large sparse tables, thread counts,
 * stochastic fits at size) is test_solver_heavy.c.
 */
#include "unit/support.h"
#include "unit/zero_prior.h"

#define THOROUGH 1e-14

/* ---------------------------------------------------------------- random problems */

struct problem {
    struct table_of_numbers table;
    gbs_fit_options options;
};

static gbs_scale any_scale(struct dice *r) {
    return (gbs_scale)dice_below(r, 3);
}

/* n in 20..300, d in 2..15, lambda over three powers of ten around n, prior_sd from 0.1 to 5. */
static struct problem any_problem(struct dice *r, gbs_loss loss, gbs_family family) {
    struct problem p = {.options = zero_prior_options()};
    size_t n = 20 + dice_below(r, 281), d = 2 + dice_below(r, 14);
    p.table = make_table(r, n, d, 1.0, dice_between(r, 0.1, 1.5));
    p.options.loss = loss;
    p.options.family = family;
    p.options.scale = any_scale(r);
    p.options.intercept = dice_below(r, 2) == 1;
    p.options.lambda = (double)n * exp(dice_between(r, -3.5, 3.5));
    p.options.prior_sd = exp(dice_between(r, -2.3, 1.6));
    p.options.max_iterations = 100000;
    return p;
}

/* The lowest F of two thorough solvers. */
static double best_known(gbs_context *ctx, const gbs_data *data, gbs_fit_options o) {
    o.tolerance = THOROUGH;
    o.max_iterations = 100000;
    o.solver = GBS_SOLVER_NATURAL;
    double natural = fit_info(ctx, data, &o).free_energy;
    o.solver = GBS_SOLVER_LBFGS;
    return fmin(natural, fit_info(ctx, data, &o).free_energy);
}

/* ---------------------------------------------------------------- the gap */

static void check_gap(gbs_context *ctx, const gbs_data *data, const gbs_fit_options *o, double best) {
    gbs_model_info got = fit_info(ctx, data, o);
    double above = got.free_energy - best, dust = 1e-9 * fabs(best);
    bool good = above >= -dust && above <= got.optimality_gap + dust;
    if (!good)
        print_error("%s, %s, %s: F - best %.3g, gap %.3g, F %.9g\n", gbs_loss_name(o->loss), gbs_family_name(o->family),
                    gbs_solver_name(o->solver), above, got.optimality_gap, got.free_energy);
    assert_true(good);
    assert_true(!got.converged || got.optimality_gap <= o->tolerance * fmax(1.0, fabs(got.free_energy)));
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
            gbs_fit_options o = p.options;
            o.solver = solver == 0 ? GBS_SOLVER_NATURAL : GBS_SOLVER_LBFGS;
            o.tolerance = 1e-3;
            check_gap(ctx, data, &o, best);
            o.tolerance = 1e-12;
            for (o.max_iterations = 0; o.max_iterations <= 5; o.max_iterations += o.max_iterations + 1)
                check_gap(ctx, data, &o, best);
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
            for (size_t steps = 0; steps <= 6; steps++) {
                gbs_fit_options o = zero_prior_options();
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

/* ---------------------------------------------------------------- one optimum */

static void both_solvers_find_the_same_minimum(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {304};
    for (int k = 0; k < 24; k++) {
        struct problem p = any_problem(&r, convex_losses[k % 2], all_families[k / 2 % 4]);
        gbs_data *data = dense_data(ctx, &p.table);
        p.options.tolerance = 1e-9;
        p.options.solver = GBS_SOLVER_NATURAL;
        gbs_model_info natural = fit_info(ctx, data, &p.options);
        p.options.solver = GBS_SOLVER_LBFGS;
        gbs_model_info lbfgs = fit_info(ctx, data, &p.options);
        assert_int_equal(natural.solver, GBS_SOLVER_NATURAL);
        assert_int_equal(lbfgs.solver, GBS_SOLVER_LBFGS);
        assert_true(natural.converged);
        assert_true(lbfgs.converged);
        assert_close(natural.free_energy, lbfgs.free_energy, 1e-7, 0.0);
        gbs_data_free(data);
        free_table(&p.table);
    }
    gbs_context_free(ctx);
}

struct predictions {
    double *score, *sd, *probability;
};

static struct predictions predict(gbs_context *ctx, const gbs_model *model, const gbs_data *data) {
    size_t n = gbs_data_rows(data);
    struct predictions p = {doubles(n), doubles(n), doubles(n)};
    assert_ok(ctx, gbs_model_predict(ctx, model, data, p.score, p.sd, p.probability));
    return p;
}

static void free_predictions(struct predictions *p) {
    free(p->score);
    free(p->sd);
    free(p->probability);
}

/* Scores are compared on the scale of the largest one; `extra` is allowed on top. */
static void check_same_predictions(gbs_context *ctx, const gbs_model *a, const gbs_data *on_a, const gbs_model *b,
                                   const gbs_data *on_b, double allowed, double extra) {
    struct predictions p = predict(ctx, a, on_a), q = predict(ctx, b, on_b);
    double size = 0.0;
    for (size_t i = 0; i < gbs_data_rows(on_a); i++)
        size = fmax(size, fmax(fabs(p.score[i]), p.sd[i]));
    for (size_t i = 0; i < gbs_data_rows(on_a); i++) {
        assert_close(p.score[i], q.score[i], 0.0, allowed * size + extra);
        assert_close(p.sd[i], q.sd[i], allowed, allowed * size + extra);
        assert_true(p.probability[i] >= 0.0 && p.probability[i] <= 1.0);
    }
    free_predictions(&p);
    free_predictions(&q);
}

/* Strong convexity turns a gap into a distance: |theta - best| <= sqrt(2 v gap) for the mean and for C. */
static double distance_allowed(const gbs_model *a, const gbs_model *b) {
    gbs_model_info p = info_of(a), q = info_of(b);
    return p.prior_sd * (sqrt(2.0 * p.optimality_gap) + sqrt(2.0 * q.optimality_gap));
}

static double longest_row(const struct table_of_numbers *t) {
    double longest = 0.0;
    for (size_t i = 0; i < t->n; i++) {
        double sum = 1.0; /* the intercept */
        for (size_t k = 0; k < t->d; k++)
            sum += t->x[i * t->d + k] * t->x[i * t->d + k];
        longest = fmax(longest, sqrt(sum));
    }
    return longest;
}

static void check_primal_and_dual(gbs_context *ctx, struct dice *r, size_t n, size_t d, gbs_loss loss, gbs_scale scale) {
    struct table_of_numbers t = make_table(r, n, d, 1.0, 0.5), fresh = make_table(r, 25, d, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t), *new_rows = dense_data(ctx, &fresh);
    gbs_fit_options o = zero_prior_options();
    o.loss = loss;
    o.family = GBS_FAMILY_FULL;
    o.scale = scale;
    o.tolerance = THOROUGH;
    o.form = GBS_FORM_PRIMAL;
    gbs_model *primal = fit(ctx, data, &o);
    o.form = GBS_FORM_DUAL;
    gbs_model *dual = fit(ctx, data, &o);
    assert_true(info_of(dual).dual && !info_of(primal).dual);
    assert_close(info_of(dual).free_energy, info_of(primal).free_energy, 1e-8, 0.0);
    double row = scale == GBS_SCALE_UNIT_ROW ? 1.0 : fmax(longest_row(&t), longest_row(&fresh));
    double allowed = row * distance_allowed(primal, dual);
    check_same_predictions(ctx, dual, data, primal, data, 1e-8, allowed);
    check_same_predictions(ctx, dual, new_rows, primal, new_rows, 1e-8, allowed);
    gbs_model_free(primal);
    gbs_model_free(dual);
    gbs_data_free(data);
    gbs_data_free(new_rows);
    free_table(&t);
    free_table(&fresh);
}

/* d > n and d < n; the second table holds new rows, mostly off the row space of the first. Predictions agree to 1e-8 and what
 * the two gaps leave open. */
static void primal_and_dual_are_one_posterior(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{15, 40}, {40, 15}, {30, 30}, {60, 7}};
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {305};
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t l = 0; l < COUNT(convex_losses); l++) {
            check_primal_and_dual(ctx, &r, shapes[k][0], shapes[k][1], convex_losses[l], GBS_SCALE_UNIT_ROW);
            check_primal_and_dual(ctx, &r, shapes[k][0], shapes[k][1], convex_losses[l], GBS_SCALE_NONE);
        }
    gbs_context_free(ctx);
}

/* Marginal means and deviations of theta as well. */
static void primal_and_dual_have_the_same_coefficients(void **state) {
    (void)state;
    enum { WIDE = 31 };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {306};
    struct table_of_numbers t = make_table(&r, 12, WIDE - 1, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_options o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.family = GBS_FAMILY_FULL;
    o.prior_sd = 0.7;
    o.tolerance = THOROUGH;
    double mean[2][WIDE], sd[2][WIDE];
    gbs_model *model[2];
    for (int k = 0; k < 2; k++) {
        o.form = k == 0 ? GBS_FORM_PRIMAL : GBS_FORM_DUAL;
        model[k] = fit(ctx, data, &o);
        gbs_model_coefficients(ctx, model[k], mean[k], sd[k]);
    }
    double allowed = 1e-8 + distance_allowed(model[0], model[1]);
    gbs_model_free(model[0]);
    gbs_model_free(model[1]);
    for (size_t k = 0; k < WIDE; k++) {
        assert_close(mean[0][k], mean[1][k], 0.0, allowed);
        assert_close(sd[0][k], sd[1][k], 0.0, allowed);
        assert_at_most(sd[1][k], 0.7 * (1.0 + 1e-12)); /* data never widens the prior of a convex problem */
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Rows that repeat, zero columns and fewer independent rows than rows: the dual form still has the primal's answer. */
static void the_dual_form_survives_dependent_rows(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {307};
    struct table_of_numbers t = make_table(&r, 30, 8, 1.0, 0.5);
    for (size_t i = 10; i < 30; i++)
        memcpy(t.x + i * 8, t.x + (i - 10) % 10 * 8, 8 * sizeof *t.x);
    for (size_t i = 0; i < 30; i++)
        t.x[i * 8 + 3] = 0.0;
    memset(t.x + 5 * 8, 0, 8 * sizeof *t.x);
    gbs_data *data = dense_data(ctx, &t);
    const double longest_scaled = sqrt(30.0 * 8.0 + 1.0); /* a standardised value is at most sqrt(n) */
    gbs_fit_options o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.family = GBS_FAMILY_FULL;
    o.tolerance = THOROUGH;
    for (int scale = 0; scale < 3; scale++) {
        o.scale = (gbs_scale)scale;
        o.intercept = scale == 1;
        o.form = GBS_FORM_PRIMAL;
        gbs_model *primal = fit(ctx, data, &o);
        o.form = GBS_FORM_DUAL;
        gbs_model *dual = fit(ctx, data, &o);
        assert_close(info_of(dual).free_energy, info_of(primal).free_energy, 1e-8, 0.0);
        check_same_predictions(ctx, dual, data, primal, data, 1e-8, longest_scaled * distance_allowed(primal, dual));
        gbs_model_free(primal);
        gbs_model_free(dual);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static struct table_of_numbers permuted(struct dice *r, const struct table_of_numbers *t, size_t *order) {
    struct table_of_numbers p = {.n = t->n, .d = t->d, .x = doubles(t->n * t->d), .y = doubles(t->n)};
    for (size_t i = 0; i < t->n; i++)
        order[i] = i;
    for (size_t i = t->n; i > 1; i--) {
        size_t j = dice_below(r, i), swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
    for (size_t i = 0; i < t->n; i++) {
        memcpy(p.x + i * t->d, t->x + order[i] * t->d, t->d * sizeof *t->x);
        p.y[i] = t->y[order[i]];
    }
    make_csr(&p);
    return p;
}

static void the_order_of_the_rows_does_not_matter(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {308};
    for (int k = 0; k < 8; k++) {
        struct problem p = any_problem(&r, convex_losses[k % 2], all_families[k / 2]);
        size_t *order = take(p.table.n, sizeof *order);
        struct table_of_numbers other = permuted(&r, &p.table, order);
        gbs_data *data = dense_data(ctx, &p.table), *shuffled = dense_data(ctx, &other);
        p.options.tolerance = THOROUGH;
        gbs_model *a = fit(ctx, data, &p.options), *b = fit(ctx, shuffled, &p.options);
        assert_close(info_of(a).free_energy, info_of(b).free_energy, 1e-8, 0.0);
        check_same_predictions(ctx, a, data, b, data, 1e-6, 0.0);
        gbs_model_free(a);
        gbs_model_free(b);
        gbs_data_free(data);
        gbs_data_free(shuffled);
        free_table(&p.table);
        free_table(&other);
        free(order);
    }
    gbs_context_free(ctx);
}

static void a_small_sparse_table_is_the_dense_one(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {309};
    struct table_of_numbers t = make_table(&r, 90, 12, 0.3, 0.5), fresh = make_table(&r, 40, 12, 0.3, 0.5);
    gbs_data *dense = dense_data(ctx, &t), *sparse = sparse_data(ctx, &t), *new_rows = sparse_data(ctx, &fresh);
    for (int scale = 0; scale < 3; scale++)
        for (int intercept = 0; intercept < 2; intercept++)
            for (size_t f = 0; f < COUNT(all_families); f++) {
                gbs_fit_options o = zero_prior_options();
                o.loss = all_losses[f % 3];
                o.family = all_families[f];
                o.scale = (gbs_scale)scale;
                o.intercept = intercept;
                gbs_model *a = fit(ctx, dense, &o), *b = fit(ctx, sparse, &o);
                assert_close(info_of(a).free_energy, info_of(b).free_energy, 1e-10, 0.0);
                check_same_predictions(ctx, a, dense, b, sparse, 1e-10, 0.0);
                check_same_predictions(ctx, a, new_rows, b, new_rows, 1e-10, 0.0);
                gbs_model_free(a);
                gbs_model_free(b);
            }
    gbs_data_free(dense);
    gbs_data_free(sparse);
    gbs_data_free(new_rows);
    free_table(&t);
    free_table(&fresh);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- families in their order */

static double energy(gbs_context *ctx, const gbs_data *data, gbs_fit_options o, gbs_family family) {
    o.family = family;
    return fit_info(ctx, data, &o).free_energy;
}

static void check_order(gbs_context *ctx, const gbs_data *data, const gbs_fit_options *o, bool convex) {
    double isotropic = energy(ctx, data, *o, GBS_FAMILY_ISOTROPIC), diagonal = energy(ctx, data, *o, GBS_FAMILY_DIAGONAL);
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
                gbs_fit_options o = zero_prior_options();
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
            gbs_fit_options o = zero_prior_options();
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
        gbs_fit_options o = zero_prior_options();
        o.loss = all_losses[l];
        o.family = GBS_FAMILY_DIAGONAL;
        o.ladder = ladder;
        o.ladder_size = COUNT(ladder);
        gbs_model *model = fit(ctx, data, &o);
        gbs_model_info info = info_of(model);
        const gbs_path_point *path = gbs_model_path(model);
        assert_int_equal(gbs_model_path_size(model), COUNT(ladder));
        size_t iterations = 0;
        for (size_t k = 0; k < COUNT(ladder); k++) {
            assert_close(path[k].lambda, ladder[k], 0.0, 0.0);
            assert_close(path[k].free_energy, ladder[k] * path[k].gibbs_risk + path[k].kl, 1e-12, 1e-12);
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

/* Free energies of five restarts under a seed; returns the model's own F. */
static double restart_energies(uint64_t seed, const struct table_of_numbers *t, double energies[5]) {
    gbs_context *ctx = new_context(1, seed);
    gbs_data *data = dense_data(ctx, t);
    gbs_fit_options o = zero_prior_options();
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
                gbs_fit_options o = zero_prior_options();
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
        cmocka_unit_test(the_reported_gap_bounds_what_is_left),
        cmocka_unit_test(a_stochastic_fit_reports_a_true_gap_too),
        cmocka_unit_test(zero_one_claims_no_gap),
        cmocka_unit_test(the_fixed_family_keeps_its_spread),
        cmocka_unit_test(both_solvers_find_the_same_minimum),
        cmocka_unit_test(primal_and_dual_are_one_posterior),
        cmocka_unit_test(primal_and_dual_have_the_same_coefficients),
        cmocka_unit_test(the_dual_form_survives_dependent_rows),
        cmocka_unit_test(the_order_of_the_rows_does_not_matter),
        cmocka_unit_test(a_small_sparse_table_is_the_dense_one),
        cmocka_unit_test(a_larger_family_never_ends_above_a_smaller_one),
        cmocka_unit_test(the_dual_form_never_ends_above_a_smaller_family),
        cmocka_unit_test(the_path_tells_every_rung),
        cmocka_unit_test(restarts_keep_the_best_and_depend_on_the_seed_alone),
        cmocka_unit_test(an_annealed_fit_has_no_restarts),
        cmocka_unit_test(without_data_the_posterior_is_the_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
