/* What a fit promises: one optimum, whatever the road to it. (Its gap: test_solver_gap.c. Families,
 * ladders, restarts: test_solver_order.c. Large sparse tables, thread counts, stochastic fits at
 * size: test_solver_heavy.c.) */
#include "unit/solver_support.h"

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
static void check_same_predictions(gbs_context *ctx, const gbs_model *a, const gbs_data *on_a,
                                   const gbs_model *b, const gbs_data *on_b, double allowed,
                                   double extra) {
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

/* Strong convexity turns a gap into a distance: |theta - best| <= sqrt(2 v gap) for the mean and
 * for C. */
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

static void check_primal_and_dual(gbs_context *ctx, struct dice *r, size_t n, size_t d,
                                  gbs_loss loss, gbs_scale scale) {
    struct table_of_numbers t = make_table(r, n, d, 1.0, 0.5),
                            fresh = make_table(r, 25, d, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t), *new_rows = dense_data(ctx, &fresh);
    gbs_fit_settings o = zero_prior_options();
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

/* d > n and d < n; the second table holds new rows, mostly off the row space of the first.
 * Predictions agree to 1e-8 and what the two gaps leave open. */
static void primal_and_dual_are_one_posterior(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{15, 40}, {40, 15}, {30, 30}, {60, 7}};
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {305};
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t l = 0; l < COUNT(convex_losses); l++) {
            check_primal_and_dual(ctx, &r, shapes[k][0], shapes[k][1], convex_losses[l],
                                  GBS_SCALE_UNIT_ROW);
            check_primal_and_dual(ctx, &r, shapes[k][0], shapes[k][1], convex_losses[l],
                                  GBS_SCALE_NONE);
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
    gbs_fit_settings o = zero_prior_options();
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
        /* data never widens the prior of a convex problem */
        assert_at_most(sd[1][k], 0.7 * (1.0 + 1e-12));
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Rows that repeat, zero columns and fewer independent rows than rows: the dual form still has the
 * primal's answer. */
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
    /* a standardised value is at most sqrt(n) */
    const double longest_scaled = sqrt(30.0 * 8.0 + 1.0);
    gbs_fit_settings o = zero_prior_options();
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
        check_same_predictions(ctx, dual, data, primal, data, 1e-8,
                               longest_scaled * distance_allowed(primal, dual));
        gbs_model_free(primal);
        gbs_model_free(dual);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static struct table_of_numbers permuted(struct dice *r, const struct table_of_numbers *t,
                                        size_t *order) {
    struct table_of_numbers p = {
        .n = t->n, .d = t->d, .x = doubles(t->n * t->d), .y = doubles(t->n)};
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
    struct table_of_numbers t = make_table(&r, 90, 12, 0.3, 0.5),
                            fresh = make_table(&r, 40, 12, 0.3, 0.5);
    gbs_data *dense = dense_data(ctx, &t), *sparse = sparse_data(ctx, &t),
             *new_rows = sparse_data(ctx, &fresh);
    for (int scale = 0; scale < 3; scale++)
        for (int intercept = 0; intercept < 2; intercept++)
            for (size_t f = 0; f < COUNT(all_families); f++) {
                gbs_fit_settings o = zero_prior_options();
                o.loss = all_losses[f % COUNT(all_losses)];
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_solvers_find_the_same_minimum),
        cmocka_unit_test(primal_and_dual_are_one_posterior),
        cmocka_unit_test(primal_and_dual_have_the_same_coefficients),
        cmocka_unit_test(the_dual_form_survives_dependent_rows),
        cmocka_unit_test(the_order_of_the_rows_does_not_matter),
        cmocka_unit_test(a_small_sparse_table_is_the_dense_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
