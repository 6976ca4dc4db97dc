/* Fits at size: tables that stay sparse, thread counts, stochastic fits. Release build only.
 *
 * A CSR table stays sparse above 2^21 cells at low density, and a team of threads works above some
 * 2e6 operations a pass; the shapes here are chosen to be above both.
 */
#include "data/rows.h"
#include "map/map.h"
#include "unit/support.h"
#include "unit/zero_prior.h"

/* ---------------------------------------------------------------- sparse tables that stay sparse
 */

static void check_stays_sparse(gbs_context *ctx, const gbs_data *sparse, gbs_scale scale,
                               bool intercept) {
    gbs_fit_settings wanted = {.scale = scale, .intercept = intercept, .constant = 1.0};
    gbs_maps scaling;
    gbs_rows rows;
    assert_ok(ctx, gbs_maps_learn(ctx, sparse, &wanted, &scaling));
    assert_ok(ctx, gbs_rows_build(ctx, sparse, &scaling, &rows));
    assert_null(rows.all.dense);
    assert_true((rows.all.shift != NULL) == (scale == GBS_SCALE_STANDARD));
    gbs_rows_free(ctx, &rows);
    gbs_maps_free(ctx, &scaling);
}

static void check_predictions(gbs_context *ctx, const gbs_model *a, const gbs_data *on_a,
                              const gbs_model *b, const gbs_data *on_b, double allowed) {
    size_t n = gbs_data_rows(on_a);
    double *v = doubles(4 * n), size = 0.0;
    assert_ok(ctx, gbs_model_predict(ctx, a, on_a, v, v + n, NULL));
    assert_ok(ctx, gbs_model_predict(ctx, b, on_b, v + 2 * n, v + 3 * n, NULL));
    for (size_t i = 0; i < 2 * n; i++)
        size = fmax(size, fabs(v[i]));
    for (size_t i = 0; i < 2 * n; i++)
        assert_close(v[i], v[2 * n + i], 0.0, allowed * size);
    free(v);
}

/* A few steps from the same start leave rounding no room to grow: `allowed` then judges the
 * arithmetic itself. The dual form is solved to the end instead, since rounding picks its
 * coordinates (the pivots of rows of equal length). */
static void check_dense_against_sparse(gbs_context *ctx, const struct table_of_numbers *t,
                                       const struct table_of_numbers *fresh,
                                       const gbs_fit_settings *o, double allowed) {
    gbs_data *dense = dense_data(ctx, t), *sparse = sparse_data(ctx, t);
    gbs_data *new_dense = dense_data(ctx, fresh), *new_sparse = sparse_data(ctx, fresh);
    check_stays_sparse(ctx, sparse, o->scale, o->intercept != 0);
    gbs_model *a = fit(ctx, dense, o), *b = fit(ctx, sparse, o);
    assert_close(info_of(b).free_energy, info_of(a).free_energy, 1e-10, 0.0);
    assert_close(info_of(b).gibbs_error, info_of(a).gibbs_error, allowed, 0.0);
    check_predictions(ctx, a, dense, b, sparse, allowed);
    check_predictions(ctx, a, new_dense, b, new_sparse, allowed);
    gbs_model_free(a);
    gbs_model_free(b);
    gbs_data_free(dense);
    gbs_data_free(sparse);
    gbs_data_free(new_dense);
    gbs_data_free(new_sparse);
}

static void sparse_and_dense_agree(size_t n, size_t d, double density, const gbs_family *families,
                                   size_t count, size_t iterations, double allowed, uint64_t seed) {
    gbs_context *ctx = new_context(2, 1);
    struct dice r = {seed};
    struct table_of_numbers t = make_table(&r, n, d, density, 0.5),
                            fresh = make_table(&r, 60, d, density, 0.5);
    for (size_t k = 0; k < d; k++) { /* a sparse fit leaves out columns that no row sets */
        bool set = false;
        for (size_t i = 0; i < n; i++)
            set = set || t.x[i * d + k] != 0.0;
        for (size_t i = 0; !set && i < fresh.n; i++)
            fresh.x[i * d + k] = 0.0;
    }
    make_csr(&fresh);
    for (int scale = 0; scale < 3; scale++)
        for (int intercept = 0; intercept < 2; intercept++)
            for (size_t f = 0; f < count; f++) {
                gbs_fit_settings o = zero_prior_options();
                o.loss = GBS_LOSS_HINGE;
                o.family = families[f];
                o.scale = (gbs_scale)scale;
                o.intercept = intercept;
                o.prior_sd = 0.3;
                o.max_iterations = iterations;
                o.tolerance = 1e-13;
                check_dense_against_sparse(ctx, &t, &fresh, &o, allowed);
            }
    free_table(&t);
    free_table(&fresh);
    gbs_context_free(ctx);
}

static void a_large_sparse_table_is_the_dense_one_for_the_small_families(void **state) {
    (void)state;
    static const gbs_family families[] = {GBS_FAMILY_FIXED, GBS_FAMILY_ISOTROPIC,
                                          GBS_FAMILY_DIAGONAL};
    sparse_and_dense_agree(3000, 750, 0.01, families, COUNT(families), 12, 1e-10, 401);
}

static void a_large_sparse_table_is_the_dense_one_for_the_primal_full_family(void **state) {
    (void)state;
    static const gbs_family families[] = {GBS_FAMILY_FULL};
    sparse_and_dense_agree(22000, 100, 0.05, families, 1, 4, 1e-10, 402);
}

static void a_wide_sparse_table_is_the_dense_one_for_the_dual_full_family(void **state) {
    (void)state;
    static const gbs_family families[] = {GBS_FAMILY_FULL};
    sparse_and_dense_agree(110, 20000, 0.005, families, 1, 300, 1e-6, 403);
}

/* ---------------------------------------------------------------- threads */

/* Everything a fit computes, in one array. */
struct outcome {
    double numbers[64];
};

enum { WIDTH = 20 };

static struct outcome outcome_of(int threads, const struct table_of_numbers *t,
                                 const gbs_fit_settings *o, bool sparse) {
    gbs_context *ctx = new_context(threads, 5);
    gbs_data *data = sparse ? sparse_data(ctx, t) : dense_data(ctx, t);
    gbs_model *model = fit(ctx, data, o);
    gbs_model_info info = info_of(model);
    struct outcome out = {{info.free_energy, info.kl, info.gibbs_risk, info.gibbs_error,
                           info.train_error, info.optimality_gap, (double)info.iterations,
                           info.converged}};
    gbs_model_coefficients(ctx, model, out.numbers + 8, out.numbers + 8 + WIDTH + 1);
    double *v = doubles(3 * t->n), sum[3] = {0};
    assert_ok(ctx, gbs_model_predict(ctx, model, data, v, v + t->n, v + 2 * t->n));
    for (size_t i = 0; i < t->n; i++)
        for (int k = 0; k < 3; k++)
            sum[k] += v[(size_t)k * t->n + i] * (double)(i % 97);
    memcpy(out.numbers + 61, sum, sizeof sum);
    free(v);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
    return out;
}

static void check_threads(const struct table_of_numbers *t, const gbs_fit_settings *o,
                          bool sparse) {
    struct outcome one = outcome_of(1, t, o, sparse), two = outcome_of(2, t, o, sparse),
                   seven = outcome_of(7, t, o, sparse);
    assert_memory_equal(&one, &two, sizeof one);
    assert_memory_equal(&one, &seven, sizeof one);
}

static void results_do_not_depend_on_the_thread_count(void **state) {
    (void)state;
    static const gbs_solver solvers[] = {GBS_SOLVER_NATURAL, GBS_SOLVER_LBFGS, GBS_SOLVER_SGD};
    struct dice r = {404};
    struct table_of_numbers t = make_table(&r, 30000, WIDTH, 1.0, 0.7);
    for (size_t s = 0; s < COUNT(solvers); s++)
        for (size_t f = 0; f < COUNT(all_families); f++) {
            gbs_fit_settings o = zero_prior_options();
            o.loss = convex_losses[(s + f) % 2];
            o.family = all_families[f];
            o.solver = solvers[s];
            o.max_iterations = 12;
            o.epochs = 2;
            o.prior_sd = 0.5;
            check_threads(&t, &o, false);
        }
    free_table(&t);
}

static void annealed_zero_one_fits_do_not_depend_on_the_thread_count(void **state) {
    (void)state;
    static const double ladder[] = {100.0, 1000.0};
    struct dice r = {405};
    struct table_of_numbers t = make_table(&r, 20000, WIDTH, 1.0, 0.7);
    gbs_fit_settings o = zero_prior_options();
    o.family = GBS_FAMILY_FULL;
    o.ladder = ladder;
    o.ladder_size = COUNT(ladder);
    o.max_iterations = 10;
    check_threads(&t, &o, false);
    free_table(&t);
}

static void dual_fits_do_not_depend_on_the_thread_count(void **state) {
    (void)state;
    struct dice r = {406};
    struct table_of_numbers t = make_table(&r, 400, WIDTH, 1.0, 0.7);
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.family = GBS_FAMILY_FULL;
    o.form = GBS_FORM_DUAL;
    check_threads(&t, &o, false);
    free_table(&t);
}

static void sparse_fits_do_not_depend_on_the_thread_count(void **state) {
    (void)state;
    struct dice r = {407};
    struct table_of_numbers t = make_table(&r, 110000, WIDTH, 0.1, 0.7);
    for (size_t f = 0; f < COUNT(all_families); f++) {
        gbs_fit_settings o = zero_prior_options();
        o.loss = GBS_LOSS_HINGE;
        o.family = all_families[f];
        o.max_iterations = 3;
        check_threads(&t, &o, true);
    }
    free_table(&t);
}

/* ---------------------------------------------------------------- stochastic fits */

/* F of a stochastic fit over the optimum, less one. */
static double excess_of_sgd(gbs_context *ctx, const gbs_data *data, gbs_family family,
                            gbs_schedule schedule, size_t epochs) {
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.family = family;
    o.tolerance = 1e-10;
    double best = fit_info(ctx, data, &o).free_energy;
    o.solver = GBS_SOLVER_SGD;
    o.schedule = schedule;
    o.epochs = epochs;
    gbs_model_info got = fit_info(ctx, data, &o);
    double excess = got.free_energy / best - 1.0;
    print_message("sgd %s, %s, %zu epochs: F %.6g, optimum %.6g, %.3g %% above\n",
                  schedule == GBS_SCHEDULE_MODERN ? "modern" : "paper", gbs_family_name(family),
                  epochs, got.free_energy, best, 100.0 * excess);
    assert_at_most(best, got.free_energy * (1.0 + 1e-9));
    assert_at_most(got.free_energy - best, got.optimality_gap);
    return excess;
}

static void the_modern_schedule_lands_within_two_percent(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 3);
    struct dice r = {408};
    struct table_of_numbers t = make_table(&r, 2000, 10, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t f = 0; f < COUNT(all_families); f++)
        assert_at_most(excess_of_sgd(ctx, data, all_families[f], GBS_SCHEDULE_MODERN, 20), 0.02);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Its steps (t + 1)^-0.9 fall fast: 5 to 12 % above the optimum after 20 epochs, still 2 to 8 %
 * after 400. */
static void the_papers_schedule_comes_closer_with_every_epoch(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 3);
    struct dice r = {408};
    struct table_of_numbers t = make_table(&r, 2000, 10, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t f = 0; f < COUNT(all_families); f++) {
        double first = excess_of_sgd(ctx, data, all_families[f], GBS_SCHEDULE_PAPER, 20);
        double later = excess_of_sgd(ctx, data, all_families[f], GBS_SCHEDULE_PAPER, 400);
        assert_at_most(first, 0.25);
        assert_at_most(later, 0.75 * first);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_sparse_table_is_the_dense_one_for_the_small_families),
        cmocka_unit_test(a_large_sparse_table_is_the_dense_one_for_the_primal_full_family),
        cmocka_unit_test(a_wide_sparse_table_is_the_dense_one_for_the_dual_full_family),
        cmocka_unit_test(results_do_not_depend_on_the_thread_count),
        cmocka_unit_test(annealed_zero_one_fits_do_not_depend_on_the_thread_count),
        cmocka_unit_test(dual_fits_do_not_depend_on_the_thread_count),
        cmocka_unit_test(sparse_fits_do_not_depend_on_the_thread_count),
        cmocka_unit_test(the_modern_schedule_lands_within_two_percent),
        cmocka_unit_test(the_papers_schedule_comes_closer_with_every_epoch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
