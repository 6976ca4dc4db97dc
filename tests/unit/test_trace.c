/* How a minimisation went: what is kept of long and of many minimisations, what a fit and a
 * completion leave, and the sizes of components. */
#include "support.h"

#include "core/trace.h"
#include "paper_settings.h"
#include "zero_prior.h"

#include <math.h>
#include <stdlib.h>

/* Every point says what was added, in order; each solve that is there has its last iteration, and
 * its first unless it was cut off. */
static void check_points(const gbs_trace *t) {
    assert_true(t->count <= GBS_MOST_TRACED);
    for (size_t k = 0; k < t->count; k++) {
        const gbs_trace_point *p = &t->points[k], *next = k + 1 < t->count ? p + 1 : NULL;
        assert_true(p->free_energy == (double)(1000 * p->solve + p->iteration));
        assert_true(p->lambda == (double)p->solve);
        if (next != NULL && next->solve == p->solve)
            assert_true(next->iteration > p->iteration);
        else if (next != NULL)
            assert_true(next->solve > p->solve);
    }
}

static void add_solve(gbs_context *ctx, gbs_trace *t, size_t solve, size_t iterations) {
    assert_int_equal(gbs_trace_begin(ctx, t, (double)solve), GBS_OK);
    for (size_t i = 0; i < iterations; i++)
        gbs_trace_add(t, (double)(1000 * solve + i), 0);
}

static void a_long_trace_keeps_both_ends(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    for (size_t iterations = 1; iterations < 5000; iterations = iterations * 3 / 2 + 1) {
        gbs_trace t = {0};
        /* the labels of check_points need solve 1000 s + i to be distinct, not i < 1000 */
        add_solve(ctx, &t, 1, iterations);
        check_points(&t);
        assert_int_equal(t.points[0].iteration, 0);
        assert_int_equal(t.points[t.count - 1].iteration, iterations - 1);
        assert_true(t.count >=
                    (iterations < GBS_MOST_TRACED / 2 ? iterations : GBS_MOST_TRACED / 2));
        gbs_trace_free(ctx, &t);
    }
    gbs_context_free(ctx);
}

static void many_solves_keep_the_last(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    enum { MANY = 50000 };
    for (size_t length = 1; length <= 64; length *= 4) {
        gbs_trace t = {0};
        for (size_t solve = 1; solve <= MANY; solve++)
            add_solve(ctx, &t, solve, length);
        check_points(&t);
        assert_true(t.stride <= 2 * length);
        assert_int_equal(t.points[t.count - 1].solve, MANY);
        assert_int_equal(t.points[t.count - 1].iteration, length - 1);
        /* the end of every solve that is left is there */
        for (size_t k = 0; k < t.count; k++)
            if (k + 1 == t.count || t.points[k + 1].solve != t.points[k].solve)
                assert_int_equal(t.points[k].iteration, length - 1);
        gbs_trace_free(ctx, &t);
    }
    gbs_context_free(ctx);
}

static gbs_data *some_rows(gbs_context *ctx, size_t n, size_t d) {
    double *x = calloc(n * d, sizeof *x), *y = calloc(n, sizeof *y);
    gbs_data *data;
    for (size_t i = 0; i < n; i++) {
        double score = 0.0;
        for (size_t k = 0; k < d; k++) {
            x[i * d + k] = gbs_random_normal(ctx, 1, i * d + k);
            score += x[i * d + k] * (k % 2 == 0 ? 1.0 : -0.5);
        }
        y[i] = score + 0.5 * gbs_random_normal(ctx, 2, i) > 0.0 ? 1.0 : -1.0;
    }
    assert_int_equal(gbs_data_dense(ctx, n, d, x, d, y, GBS_COPY, &data), GBS_OK);
    free(x);
    free(y);
    return data;
}

/* The trace of a convex fit begins above and ends at the reported free energy, and never rises. */
static void a_fit_leaves_its_way(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = some_rows(ctx, 120, 4);
    static const gbs_solver solvers[] = {GBS_SOLVER_NATURAL, GBS_SOLVER_LBFGS};
    for (size_t s = 0; s < 2; s++) {
        gbs_fit_settings o = zero_prior_options();
        o.loss = GBS_LOSS_HINGE;
        o.solver = solvers[s];
        gbs_model *model;
        gbs_model_info info;
        size_t count;
        assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_OK);
        info = *gbs_model_get_info(model);
        const gbs_trace_point *p = trace_of(model, &count);
        assert_true(count >= 3);
        for (size_t k = 0; k < count; k++) {
            assert_true(p[k].lambda == info.lambda);
            assert_int_equal(p[k].solve, 1);
            assert_true(k == 0 || p[k].free_energy <= p[k - 1].free_energy + 1e-9);
        }
        assert_close(p[count - 1].free_energy, info.free_energy, 1e-9, 1e-9);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* One component and no biases: a prediction is that component, so its size is the root mean square
 * of all predictions. */
static void the_size_of_one_component(void **state) {
    (void)state;
    enum { ROWS = 30, COLUMNS = 20, CELLS = ROWS * COLUMNS };
    gbs_context *ctx = new_context(1, 1);
    static uint32_t row[CELLS], column[CELLS];
    static double value[CELLS], predicted[CELLS];
    for (uint32_t e = 0; e < CELLS; e++) {
        row[e] = e / COLUMNS;
        column[e] = e % COLUMNS;
        value[e] = gbs_random_normal(ctx, 1, row[e]) * gbs_random_normal(ctx, 2, column[e]) +
                   0.1 * gbs_random_normal(ctx, 3, e);
    }
    gbs_ratings *ratings;
    gbs_completion *model;
    gbs_complete_settings o = paper_settings();
    o.rank = 1;
    o.biases = 0;
    assert_int_equal(
        gbs_ratings_create(ctx, CELLS, ROWS, COLUMNS, row, column, value, NULL, NULL, &ratings),
        GBS_OK);
    assert_int_equal(gbs_complete_run(ctx, ratings, &o, &model), GBS_OK);
    assert_int_equal(gbs_completion_predict(ctx, model, CELLS, row, column, predicted, NULL),
                     GBS_OK);
    double squares = 0.0, size, sd;
    for (size_t e = 0; e < CELLS; e++)
        squares += predicted[e] * predicted[e] / CELLS;
    gbs_completion_components(model, &size, &sd);
    assert_close(size, sqrt(squares), 1e-12, 1e-12);
    assert_true(sd > 0.0);
    /* and its trace ends at its free energy, with its components */
    gbs_completion_info info;
    size_t count;
    info = *gbs_completion_get_info(model);
    const gbs_trace_point *p = completion_trace_of(model, &count);
    assert_int_equal(p[count - 1].iteration, info.sweeps - 1);
    assert_true(p[count - 1].free_energy == info.free_energy);
    assert_int_equal(p[count - 1].components, 1);
    gbs_completion_free(model);
    gbs_ratings_free(ratings);
    gbs_context_free(ctx);
}

/* Several components come largest first. */
static void components_are_sorted(void **state) {
    (void)state;
    enum { SIDE = 40, CELLS = SIDE * SIDE };
    gbs_context *ctx = new_context(1, 1);
    static uint32_t row[CELLS], column[CELLS];
    static double value[CELLS];
    for (uint32_t e = 0; e < CELLS; e++) {
        row[e] = e / SIDE;
        column[e] = e % SIDE;
        value[e] = 0.1 * gbs_random_normal(ctx, 9, e);
        for (uint64_t k = 0; k < 3; k++)
            value[e] += (double)(k + 1) * gbs_random_normal(ctx, 10 + k, row[e]) *
                        gbs_random_normal(ctx, 20 + k, column[e]);
    }
    gbs_ratings *ratings;
    gbs_completion *model;
    gbs_completion_info info;
    gbs_complete_settings o = paper_settings();
    o.rank = 8;
    assert_int_equal(
        gbs_ratings_create(ctx, CELLS, SIDE, SIDE, row, column, value, NULL, NULL, &ratings),
        GBS_OK);
    assert_int_equal(gbs_complete_run(ctx, ratings, &o, &model), GBS_OK);
    info = *gbs_completion_get_info(model);
    double size[8], sd[8];
    gbs_completion_components(model, size, sd);
    assert_int_equal(info.effective_rank, 3);
    for (size_t k = 1; k < info.effective_rank; k++)
        assert_true(size[k] <= size[k - 1]);
    gbs_completion_free(model);
    gbs_ratings_free(ratings);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_trace_keeps_both_ends), cmocka_unit_test(many_solves_keep_the_last),
        cmocka_unit_test(a_fit_leaves_its_way),         cmocka_unit_test(the_size_of_one_component),
        cmocka_unit_test(components_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
