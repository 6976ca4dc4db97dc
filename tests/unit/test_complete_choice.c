/* Choices of a matrix completion: the noise by cross-validation, the best of several starts; and
 * what it is compared with: fixed variances, least squares. */
#include "als.h"
#include "complete_support.h"

#include "core/random.h"
#include "paper_settings.h"

static void take_ratings(const struct matrix_truth *t, const size_t *pick, size_t n,
                         struct matrix_truth *out) {
    *out = *t;
    out->n = n;
    out->row = take(n, sizeof *out->row), out->column = take(n, sizeof *out->column),
    out->y = doubles(n);
    for (size_t k = 0; k < n; k++) {
        out->row[k] = t->row[pick[k]];
        out->column[k] = t->column[pick[k]];
        out->y[k] = t->y[pick[k]];
    }
}

static void free_ratings(struct matrix_truth *t) {
    free(t->row), free(t->column), free(t->y);
}

/* ---------------------------------------------------------------- cross-validation */

/* Held-out error of one noise variance (0: learned) over the same folds, by fits of their own. */
static double slow_held_out(gbs_context *ctx, const struct matrix_truth *t, size_t folds,
                            double noise) {
    size_t *order = take(t->n, sizeof *order), *rest = take(t->n, sizeof *rest);
    double sum = 0.0;
    for (size_t e = 0; e < t->n; e++)
        order[e] = e;
    gbs_shuffle(ctx->seed, GBS_STREAM_COMPLETION + GBS_COMPLETION_FOLDS, t->n, order);
    for (size_t k = 0; k < folds; k++) {
        size_t from = k * t->n / folds, to = (k + 1) * t->n / folds, n = 0;
        for (size_t e = 0; e < t->n; e++)
            if (e < from || e >= to)
                rest[n++] = order[e];
        struct matrix_truth train;
        take_ratings(t, rest, n, &train);
        gbs_complete_settings o = paper_settings();
        o.rank = 4;
        o.noise_variance = noise;
        gbs_completion *m = complete(ctx, &train, &o);
        for (size_t e = from; e < to; e++) {
            double value;
            assert_int_equal(gbs_completion_predict(ctx, m, 1, &t->row[order[e]],
                                                    &t->column[order[e]], &value, NULL),
                             GBS_OK);
            sum += (t->y[order[e]] - value) * (t->y[order[e]] - value);
        }
        gbs_completion_free(m);
        free_ratings(&train);
    }
    free(order), free(rest);
    return sqrt(sum / (double)t->n);
}

static void noise_by_held_out_error(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 4);
    struct matrix_truth t = make_truth(401, 60, 50, 2, 1200, 0.5, 3.0, true);
    sort_by_row(&t);
    gbs_complete_settings o = paper_settings();
    o.rank = 4;
    o.cross_validate = 1;
    o.folds = 3;
    gbs_completion *m = complete(ctx, &t, &o), *again = complete(ctx, &t, &o);
    size_t count, count_again, taken = 0, best = 0;
    const gbs_noise_choice *c = choices_of(m, &count), *c2 = choices_of(again, &count_again);
    assert_int_equal(count, 5);
    assert_true(c[0].learned && !c[1].learned);
    assert_memory_equal(c, c2, count * sizeof *c);
    for (size_t k = 0; k < count; k++) {
        double slow = slow_held_out(ctx, &t, 3, c[k].learned ? 0.0 : c[k].noise_variance);
        assert_close(c[k].rmse, slow, 1e-9, 0.0);
        assert_close(c[k].lambda, 1200.0 / (2.0 * c[k].noise_variance), 1e-12, 0.0);
        assert_true(c[k].rmse_se > 0.0 && c[k].rmse_se < 0.2 * c[k].rmse);
        taken += c[k].taken != 0;
        best = c[k].rmse < c[best].rmse ? k : best;
    }
    assert_int_equal(taken, 1);
    assert_true(c[best].taken);
    assert_int_equal(facts_of(m).folds, 3);
    assert_int_equal(facts_of(m).noise_learned, c[best].learned);
    gbs_completion_free(again);
    gbs_completion_free(m);
    /* lambdas of the caller: the best of them is far from the ends, and becomes the model's */
    const double grid[] = {1.0, 2400.0, 1e6};
    o.lambda_grid = grid;
    o.lambda_grid_size = 3;
    m = complete(ctx, &t, &o);
    c = choices_of(m, &count);
    assert_int_equal(count, 3);
    assert_true(c[1].taken && !c[0].taken && !c[2].taken);
    assert_close(facts_of(m).lambda, 2400.0, 1e-12, 0.0);
    assert_false(facts_of(m).noise_learned);
    o.cross_validate = 0;
    o.lambda_grid_size = 0;
    o.lambda = 2400.0;
    again = complete(ctx, &t, &o);
    assert_close(facts_of(again).free_energy, facts_of(m).free_energy, 1e-13, 0.0);
    gbs_completion_free(again);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- starts */

static void best_of_the_starts(void **state) {
    (void)state;
    /* 10 ratings a row: several optima */
    struct matrix_truth t = make_truth(403, 150, 120, 4, 1500, 0.5, 3.0, true);
    gbs_complete_settings o = paper_settings();
    double energies[2][6];
    for (int run = 0; run < 2; run++) {
        gbs_context *ctx = new_context(run == 0 ? 1 : 2, 7);
        size_t count;
        o.restarts = 6;
        gbs_completion *m = complete(ctx, &t, &o);
        const double *f = gbs_completion_restarts(m, &count);
        assert_int_equal(count, 6);
        memcpy(energies[run], f, sizeof energies[run]);
        double least = f[0];
        for (size_t k = 1; k < count; k++)
            least = fmin(least, f[k]);
        assert_true(same_bits(&least, &(double){facts_of(m).free_energy}, 1));
        assert_true(f[1] != f[0] && f[2] != f[1]);
        gbs_completion_free(m);
        o.restarts = 1;
        m = complete(ctx, &t, &o);
        assert_null(gbs_completion_restarts(m, &count));
        assert_true(same_bits(&energies[run][0], &(double){facts_of(m).free_energy}, 1));
        gbs_completion_free(m);
        gbs_context_free(ctx);
    }
    assert_true(same_bits(energies[0], energies[1], 6));
    free_truth(&t);
}

/* ---------------------------------------------------------------- what it is compared with */

/* Fixed gamma: weights stay, F falls. */
static void must_fall(void *user, const gbs_factors *f, double energy) {
    double *last = user;
    (void)f;
    assert_true(energy <= *last + 1e-10 * fabs(*last));
    *last = energy;
}

static void held_variances(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(405, 40, 30, 2, 500, 0.4, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    gbs_factors f = started(ctx, r, 4, true, true);
    double weight = f.side[0].weight[2], last = INFINITY;
    gbs_ascent_options o = {.most_sweeps = 60,
                            .tolerance = 1e-9,
                            .hold_variances = true,
                            .step = must_fall,
                            .user = &last,
                            .stage = "test"};
    gbs_ascent out;
    assert_int_equal(gbs_ascend(&f, &o, &out), GBS_OK);
    assert_true(out.sweeps > 10 && same_bits(&weight, &f.side[0].weight[2], 1) &&
                same_bits(&weight, &f.side[1].weight[2], 1));
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* The yardstick is what it says: no small step in any coordinate lowers its objective. And the mean
 * field with components to spare predicts better than it does with the best of its pulls. */
static void least_squares_is_a_minimum_and_worse(void **state) {
    (void)state;
    enum { K = 8 };
    gbs_context *ctx = new_context(1, 2);
    struct matrix_truth t = make_truth(406, 100, 80, 2, 2400, 0.5, 3.0, true);
    struct dice dice = {3};
    double *start = doubles(80 * K), als_best = INFINITY, vb = 0.0;
    for (size_t k = 0; k < 80 * K; k++)
        start[k] = 0.3 * dice_normal(&dice);
    gbs_complete_settings o = paper_settings();
    o.rank = K;
    gbs_completion *m = complete(ctx, &t, &o);
    for (int power = -1; power < 4; power++) {
        double pull = ldexp(1.0, power);
        struct als a = als_fit(100, 80, t.n, t.row, t.column, t.y, K, pull, start, 2000);
        double least = als_objective(&a), off = 0.0;
        for (int s = 0; s < 2 && power == 1; s++)
            for (size_t k = 0; k < 50; k++) {
                double *x = &a.x[s][dice_below(&dice, a.items[s] * a.own)], kept = *x;
                for (int sign = -1; sign <= 1; sign += 2) {
                    *x = kept + 0.1 * sign;
                    assert_true(als_objective(&a) > least);
                }
                *x = kept;
            }
        for (size_t i = 0; i < 100; i++)
            for (size_t j = 0; j < 80; j++)
                off += (als_cell(&a, i, j) - truth_at(&t, i, j)) *
                       (als_cell(&a, i, j) - truth_at(&t, i, j)) / 8000.0;
        als_best = fmin(als_best, sqrt(off));
        als_free(&a);
    }
    for (uint32_t i = 0; i < 100; i++)
        for (uint32_t j = 0; j < 80; j++) {
            double value;
            assert_int_equal(gbs_completion_predict(ctx, m, 1, &i, &j, &value, NULL), GBS_OK);
            vb += (value - truth_at(&t, i, j)) * (value - truth_at(&t, i, j)) / 8000.0;
        }
    print_message(
        "signal RMSE: mean field %.4f, alternating least squares at the best of its pulls %.4f\n",
        sqrt(vb), als_best);
    assert_true(sqrt(vb) < 0.9 * als_best);
    gbs_completion_free(m);
    free(start);
    free_truth(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_by_held_out_error),
        cmocka_unit_test(best_of_the_starts),
        cmocka_unit_test(held_variances),
        cmocka_unit_test(least_squares_is_a_minimum_and_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
