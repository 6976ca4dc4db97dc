/* Choices of a matrix completion: the noise by cross-validation, the best of several starts; and the yardsticks beside its certificate. */
#include "als.h"
#include "completion_support.h"

#include "bound/bound.h"
#include "core/random.h"

static gbs_completion *complete(gbs_context *ctx, const struct matrix_truth *t, const gbs_complete_options *o) {
    gbs_ratings *r = ratings_of(ctx, t);
    gbs_completion *m = NULL;
    gbs_status status = gbs_complete(ctx, r, o, &m);
    if (status != GBS_OK)
        print_error("%s\n", gbs_error_message(ctx));
    assert_int_equal(status, GBS_OK);
    gbs_ratings_free(r);
    return m;
}

static gbs_completion_info facts_of(const gbs_completion *m) {
    gbs_completion_info i;
    gbs_completion_get_info(m, &i);
    return i;
}

/* The ratings in the order in which folds and splits number them: by row, as they came. */
static void sort_by_row(struct matrix_truth *t) {
    struct matrix_truth s = *t;
    s.row = take(t->n, sizeof *s.row), s.column = take(t->n, sizeof *s.column), s.y = doubles(t->n);
    size_t at = 0;
    for (uint32_t i = 0; i < t->rows; i++)
        for (size_t e = 0; e < t->n; e++)
            if (t->row[e] == i) {
                s.row[at] = i;
                s.column[at] = t->column[e];
                s.y[at++] = t->y[e];
            }
    free(t->row), free(t->column), free(t->y);
    *t = s;
}

static void take_ratings(const struct matrix_truth *t, const size_t *pick, size_t n, struct matrix_truth *out) {
    *out = *t;
    out->n = n;
    out->row = take(n, sizeof *out->row), out->column = take(n, sizeof *out->column), out->y = doubles(n);
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
static double slow_held_out(gbs_context *ctx, const struct matrix_truth *t, size_t folds, double noise) {
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
        gbs_complete_options o = gbs_complete_options_default();
        o.rank = 4;
        o.noise_variance = noise;
        gbs_completion *m = complete(ctx, &train, &o);
        for (size_t e = from; e < to; e++) {
            double value;
            assert_int_equal(gbs_completion_predict(ctx, m, 1, &t->row[order[e]], &t->column[order[e]], &value, NULL), GBS_OK);
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
    gbs_context *ctx = context_with(2, 4);
    struct matrix_truth t = make_truth(401, 60, 50, 2, 1200, 0.5, 3.0, true);
    sort_by_row(&t);
    gbs_complete_options o = gbs_complete_options_default();
    o.rank = 4;
    o.cross_validate = 1;
    o.folds = 3;
    gbs_completion *m = complete(ctx, &t, &o), *again = complete(ctx, &t, &o);
    size_t count, count_again, taken = 0, best = 0;
    const gbs_noise_choice *c = gbs_completion_choices(m, &count), *c2 = gbs_completion_choices(again, &count_again);
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
    c = gbs_completion_choices(m, &count);
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

/* Under an informed prior nothing that is chosen may look at the certified ratings: with other values there, every choice is the same to the bit. */
static void choices_are_of_the_first_part(void **state) {
    (void)state;
    gbs_context *ctx = context_with(1, 5);
    struct matrix_truth t = make_truth(402, 40, 30, 1, 900, 0.5, 3.0, true);
    sort_by_row(&t);
    for (size_t e = 0; e < t.n; e++)
        t.y[e] = fmin(6.0, fmax(0.0, t.y[e]));
    gbs_complete_options o = gbs_complete_options_default();
    o.rank = 3;
    o.has_range = 1, o.low = 0.0, o.high = 6.0;
    o.prior = GBS_PRIOR_INFORMED;
    o.cross_validate = 1;
    o.folds = 2;
    o.restarts = 2;
    gbs_completion *m = complete(ctx, &t, &o);
    size_t *order = take(t.n, sizeof *order), first = (size_t)(0.8 * 900.0), count, starts;
    for (size_t e = 0; e < t.n; e++)
        order[e] = e;
    gbs_shuffle(ctx->seed, GBS_STREAM_COMPLETION + GBS_COMPLETION_SPLIT, t.n, order);
    struct dice dice = {6};
    for (size_t k = first; k < t.n; k++)
        t.y[order[k]] = dice_between(&dice, 0.0, 6.0);
    gbs_completion *other = complete(ctx, &t, &o);
    const gbs_noise_choice *a = gbs_completion_choices(m, &count), *b = gbs_completion_choices(other, &count);
    const double *fa = gbs_completion_restarts(m, &starts), *fb = gbs_completion_restarts(other, &starts);
    assert_int_equal(count, 5);
    assert_int_equal(starts, 2);
    for (size_t k = 0; k < count; k++) {
        assert_true(same_bits(&a[k].rmse, &b[k].rmse, 1) && same_bits(&a[k].noise_variance, &b[k].noise_variance, 1));
        assert_int_equal(a[k].taken, b[k].taken);
    }
    assert_true(same_bits(fa, fb, starts));
    assert_true(facts_of(other).certificate.empirical > facts_of(m).certificate.empirical);
    gbs_completion_free(m);
    gbs_completion_free(other);
    free(order);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Noise and start chosen from the certified ratings themselves (zero prior), or from the first part: twelve data sets, 90 % certificates. More than 7 above their
 * bound would happen once in 300,000 times. (None should be: the bound is not that sharp.) */
static void certificates_hold_after_choices(void **state) {
    (void)state;
    enum { RUNS = 12, FRESH = 5000 };
    size_t above[2] = {0, 0};
    double bound[2] = {0.0, 0.0}, *value = doubles(FRESH), *sd = doubles(FRESH);
    uint32_t *row = take(FRESH, sizeof *row), *column = take(FRESH, sizeof *column);
    for (uint64_t run = 0; run < RUNS; run++) {
        gbs_context *ctx = context_with(1, run);
        struct matrix_truth t = make_truth(500 + run, 40, 30, 1, 700, 0.5, 3.0, true);
        for (size_t e = 0; e < t.n; e++)
            t.y[e] = fmin(5.0, fmax(1.0, t.y[e]));
        for (int informed = 0; informed < 2; informed++) {
            gbs_complete_options o = gbs_complete_options_default();
            o.rank = 2;
            o.has_range = 1, o.low = 1.0, o.high = 5.0;
            o.confidence = 0.9;
            o.prior = informed ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
            o.cross_validate = 1;
            o.folds = 2;
            o.restarts = 2;
            gbs_completion *m = complete(ctx, &t, &o);
            gbs_rating_certificate c = facts_of(m).certificate;
            struct dice r = {900 + run};
            double risk = 0.0;
            for (size_t e = 0; e < FRESH; e++) {
                row[e] = (uint32_t)dice_below(&r, t.rows);
                column[e] = (uint32_t)dice_below(&r, t.columns);
            }
            assert_int_equal(gbs_completion_predict(ctx, m, FRESH, row, column, value, sd), GBS_OK);
            for (size_t e = 0; e < FRESH; e++) {
                double y = fmin(5.0, fmax(1.0, truth_at(&t, row[e], column[e]) + t.noise * dice_normal(&r)));
                double p = fmin(5.0, fmax(1.0, value[e] + sd[e] * dice_normal(&r)));
                risk += (y - p) * (y - p) / 16.0 / FRESH;
            }
            above[informed] += risk > c.value;
            bound[informed] += c.rmse / RUNS;
            gbs_completion_free(m);
        }
        free_truth(&t);
        gbs_context_free(ctx);
    }
    free(value), free(sd), free(row), free(column);
    print_message("RMSE certified after choices %.3f (zero prior), %.3f (informed); above: %zu, %zu of %d\n", bound[0],
                  bound[1], above[0], above[1], (int)RUNS);
    assert_at_most((double)above[0], 7.0);
    assert_at_most((double)above[1], 7.0);
}

/* ---------------------------------------------------------------- starts */

static void best_of_the_starts(void **state) {
    (void)state;
    struct matrix_truth t = make_truth(403, 150, 120, 4, 1500, 0.5, 3.0, true); /* 10 ratings a row: several optima */
    gbs_complete_options o = gbs_complete_options_default();
    double energies[2][6];
    for (int run = 0; run < 2; run++) {
        gbs_context *ctx = context_with(run == 0 ? 1 : 2, 7);
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

/* ---------------------------------------------------------------- yardsticks */

/* sup{p : kl(q, p) <= c} by bisection. */
static double slow_inverse(double q, double c) {
    double low = q, high = 1.0;
    for (int k = 0; k < 200; k++) {
        double p = 0.5 * (low + high), kl = (q > 0.0 ? q * log(q / p) : 0.0) + (1.0 - q) * log((1.0 - q) / (1.0 - p));
        if (kl <= c)
            low = p;
        else
            high = p;
    }
    return low;
}

static void yardsticks(void **state) {
    (void)state;
    gbs_context *ctx = context_with(1, 8);
    struct matrix_truth t = make_truth(404, 60, 40, 1, 1500, 0.5, 3.0, true);
    double middle = 0.0, mean = 0.0, squares = 0.0;
    for (size_t e = 0; e < t.n; e++) {
        t.y[e] = fmin(5.0, fmax(1.0, t.y[e]));
        middle += (t.y[e] - 3.0) * (t.y[e] - 3.0) / 16.0 / (double)t.n;
        mean += t.y[e] / (double)t.n;
    }
    for (size_t e = 0; e < t.n; e++)
        squares += (t.y[e] - mean) * (t.y[e] - mean) / (double)t.n;
    gbs_complete_options o = gbs_complete_options_default();
    o.rank = 3;
    o.has_range = 1, o.low = 1.0, o.high = 5.0;
    gbs_completion *m = complete(ctx, &t, &o);
    gbs_rating_certificate c = facts_of(m).certificate;
    assert_close(c.middle_rmse, 4.0 * sqrt(slow_inverse(middle, log(20.0) / 1500.0)), 1e-9, 0.0);
    assert_true(isnan(c.holdout_rmse));
    assert_close(facts_of(m).mean, mean, 1e-12, 0.0);
    assert_close(facts_of(m).sd, sqrt(squares), 1e-12, 0.0);
    /* a hold-out on ratings of the caller's */
    double value[1500], fresh[1500], risk = 0.0;
    struct dice dice = {9};
    for (size_t e = 0; e < t.n; e++) {
        fresh[e] = fmin(5.0, fmax(1.0, truth_at(&t, t.row[e], t.column[e]) + 0.5 * dice_normal(&dice)));
        value[e] = truth_at(&t, t.row[e], t.column[e]); /* not clipped yet */
        double p = fmin(5.0, fmax(1.0, value[e]));
        risk += (fresh[e] - p) * (fresh[e] - p) / 16.0 / (double)t.n;
    }
    assert_close(gbs_rating_holdout(t.n, fresh, value, 1.0, 5.0, 0.9), 4.0 * sqrt(slow_inverse(risk, log(10.0) / 1500.0)), 1e-9,
                 0.0);
    fresh[3] = 5.5;
    assert_true(isnan(gbs_rating_holdout(t.n, fresh, value, 1.0, 5.0, 0.9)));
    gbs_completion_free(m);
    /* informed: the hold-out is of the first part's fit alone, so it beats the middle and is no larger than the certificate, which pays for xi, the draws
     * and the width of q as well */
    o.prior = GBS_PRIOR_INFORMED;
    m = complete(ctx, &t, &o);
    c = facts_of(m).certificate;
    assert_int_equal(c.n, 300);
    assert_true(c.holdout_rmse < c.rmse && c.rmse < c.middle_rmse && c.holdout_rmse > 0.5);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
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
    gbs_context *ctx = context_with(1, 1);
    struct matrix_truth t = make_truth(405, 40, 30, 2, 500, 0.4, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    gbs_factors f = started(ctx, r, 4, true, true);
    double weight = f.side[0].weight[2], last = INFINITY;
    gbs_ascent_options o = {
        .most_sweeps = 60, .tolerance = 1e-9, .hold_variances = true, .step = must_fall, .user = &last, .stage = "test"};
    gbs_ascent out;
    assert_int_equal(gbs_ascend(&f, &o, &out), GBS_OK);
    assert_true(out.sweeps > 10 && same_bits(&weight, &f.side[0].weight[2], 1) && same_bits(&weight, &f.side[1].weight[2], 1));
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* The yardstick is what it says: no small step in any coordinate lowers its objective. And the mean field with components to spare predicts better than
 * it does with the best of its pulls. */
static void least_squares_is_a_minimum_and_worse(void **state) {
    (void)state;
    enum { K = 8 };
    gbs_context *ctx = context_with(1, 2);
    struct matrix_truth t = make_truth(406, 100, 80, 2, 2400, 0.5, 3.0, true);
    struct dice dice = {3};
    double *start = doubles(80 * K), als_best = INFINITY, vb = 0.0;
    for (size_t k = 0; k < 80 * K; k++)
        start[k] = 0.3 * dice_normal(&dice);
    gbs_complete_options o = gbs_complete_options_default();
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
                off += (als_cell(&a, i, j) - truth_at(&t, i, j)) * (als_cell(&a, i, j) - truth_at(&t, i, j)) / 8000.0;
        als_best = fmin(als_best, sqrt(off));
        als_free(&a);
    }
    for (uint32_t i = 0; i < 100; i++)
        for (uint32_t j = 0; j < 80; j++) {
            double value;
            assert_int_equal(gbs_completion_predict(ctx, m, 1, &i, &j, &value, NULL), GBS_OK);
            vb += (value - truth_at(&t, i, j)) * (value - truth_at(&t, i, j)) / 8000.0;
        }
    print_message("signal RMSE: mean field %.4f, alternating least squares at the best of its pulls %.4f\n", sqrt(vb),
                  als_best);
    assert_true(sqrt(vb) < 0.9 * als_best);
    gbs_completion_free(m);
    free(start);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- edges */

static void options_are_checked(void **state) {
    (void)state;
    gbs_context *ctx = context_with(1, 1);
    struct matrix_truth t = make_truth(407, 6, 5, 1, 30, 0.5, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    const double bad_grid[] = {1.0, -1.0};
    gbs_complete_options bad[6];
    for (size_t k = 0; k < 6; k++) {
        bad[k] = gbs_complete_options_default();
        bad[k].cross_validate = 1;
    }
    bad[0].folds = 1;
    bad[1].lambda = 1.0;
    bad[2].noise_variance = 1.0;
    bad[3].lambda_grid = bad_grid, bad[3].lambda_grid_size = 2;
    bad[4].restarts = 0;
    bad[5].sampler = GBS_SAMPLER_GIBBS, bad[5].cells = 1;
    gbs_completion *m;
    for (size_t k = 0; k < 6; k++) {
        assert_int_equal(gbs_complete(ctx, r, &bad[k], &m), GBS_ERR_ARGUMENT);
        assert_null(m);
    }
    bad[0].folds = 31;
    assert_int_equal(gbs_complete(ctx, r, &bad[0], &m), GBS_ERR_DATA);
    bad[0].folds = 30; /* one rating left out at a time, rows and columns with nothing left among them */
    bad[0].max_sweeps = 20;
    assert_int_equal(gbs_complete(ctx, r, &bad[0], &m), GBS_OK);
    gbs_completion_free(m);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* What a model file tells of choices and starts comes back; a file without them is read. */
static void files_keep_choices(void **state) {
    (void)state;
    gbs_context *ctx = context_with(1, 1);
    struct matrix_truth t = make_truth(408, 12, 9, 1, 80, 0.5, 3.0, true);
    gbs_complete_options o = gbs_complete_options_default();
    o.cross_validate = 1;
    o.restarts = 3;
    gbs_completion *m = complete(ctx, &t, &o), *back;
    char *text, *again;
    size_t size, size_again, count, starts;
    assert_int_equal(gbs_completion_to_json(ctx, m, &text, &size), GBS_OK);
    assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
    assert_int_equal(gbs_completion_to_json(ctx, back, &again, &size_again), GBS_OK);
    assert_string_equal(text, again);
    assert_true(gbs_completion_choices(back, &count)[0].rmse > 0.0);
    assert_non_null(gbs_completion_restarts(back, &starts));
    assert_true(count == 5 && starts == 3 && facts_of(back).folds == 5);
    gbs_completion_free(back);
    static const char *const names[] = {"\"choices\"", "\"restarts\"", "\"folds\"", "\"ratings_sd\""};
    for (size_t k = 0; k < 4; k++)
        strstr(text, names[k])[1] = 'X'; /* another key */
    assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
    assert_null(gbs_completion_choices(back, &count));
    assert_true(count == 0 && isnan(facts_of(back).sd));
    gbs_completion_free(back);
    gbs_release(ctx, text);
    gbs_release(ctx, again);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

struct scarce {
    size_t left, live;
};

static void *scarce_take(size_t bytes, void *user) {
    struct scarce *s = user;
    if (s->left == 0)
        return NULL;
    s->left--;
    s->live++;
    return malloc(bytes);
}

static void scarce_release(void *memory, void *user) {
    ((struct scarce *)user)->live--;
    free(memory);
}

/* Every allocation refused in turn: GBS_ERR_MEMORY, and nothing is left behind. */
static void out_of_memory(void **state) {
    (void)state;
    struct matrix_truth t = make_truth(409, 6, 5, 1, 30, 0.5, 3.0, true);
    for (int informed = 0; informed < 2; informed++) {
        gbs_status status = GBS_ERR_MEMORY;
        for (size_t allowed = 1; status != GBS_OK; allowed += 1 + allowed / 40) {
            struct scarce s = {allowed, 0};
            gbs_context_options c = gbs_context_options_default();
            gbs_complete_options o = gbs_complete_options_default();
            gbs_context *ctx;
            gbs_ratings *r = NULL;
            gbs_completion *m = NULL;
            c.allocator = (gbs_allocator){scarce_take, scarce_release, &s};
            c.threads = 1;
            o.max_sweeps = 7;
            o.restarts = 3;
            o.cross_validate = 1;
            o.folds = 2;
            o.has_range = 1, o.low = -9.0, o.high = 15.0;
            o.prior = informed ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
            assert_int_equal(gbs_context_create(&c, &ctx), GBS_OK);
            status = gbs_ratings_create(ctx, t.n, t.rows, t.columns, t.row, t.column, t.y, NULL, NULL, &r);
            if (status == GBS_OK)
                status = gbs_complete(ctx, r, &o, &m);
            assert_true(status == GBS_OK || status == GBS_ERR_MEMORY);
            assert_true((m != NULL) == (status == GBS_OK));
            gbs_completion_free(m);
            gbs_ratings_free(r);
            gbs_context_free(ctx);
            assert_int_equal(s.live, 0);
        }
    }
    free_truth(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_by_held_out_error),
        cmocka_unit_test(choices_are_of_the_first_part),
        cmocka_unit_test(certificates_hold_after_choices),
        cmocka_unit_test(best_of_the_starts),
        cmocka_unit_test(yardsticks),
        cmocka_unit_test(held_variances),
        cmocka_unit_test(least_squares_is_a_minimum_and_worse),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(files_keep_choices),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
