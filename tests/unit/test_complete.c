/* Matrix completion as callers see it: recovery of a known truth, threads, the sampler's law, certificates, files, bad input, memory. */
#include "completion_support.h"

#include "completion/gibbs.h"
#include "kernel/special.h"

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

struct score {
    double theta_rmse, coverage; /* of the truth without noise; of fresh ratings */
};

static struct score score_cells(gbs_context *ctx, const gbs_completion *m, const struct matrix_truth *t) {
    enum { N = 40000 };
    struct dice r = {7};
    uint32_t *row = take(N, sizeof *row), *column = take(N, sizeof *column);
    double *value = doubles(N), *sd = doubles(N), squares = 0.0, inside = 0.0, noise = facts_of(m).noise_variance;
    for (size_t e = 0; e < N; e++) {
        row[e] = (uint32_t)dice_below(&r, t->rows);
        column[e] = (uint32_t)dice_below(&r, t->columns);
    }
    assert_int_equal(gbs_completion_predict(ctx, m, N, row, column, value, sd), GBS_OK);
    for (size_t e = 0; e < N; e++) {
        double off = truth_at(t, row[e], column[e]) - value[e], y = off + t->noise * dice_normal(&r);
        squares += off * off / N;
        inside += (fabs(y) <= 1.959963984540054 * sqrt(sd[e] * sd[e] + noise)) / (double)N;
    }
    free(row), free(column), free(value), free(sd);
    return (struct score){sqrt(squares), inside};
}

/* ---------------------------------------------------------------- recovery */

/* Mean squared error, over all cells, of an oracle that is told the factors and biases of one side (1: the columns), the mean, the noise and all variances: the
 * exact conjugate regression of each item of the other side. (That update_side is that regression: known_columns_make_a_regression.) */
static double oracle_square(gbs_context *ctx, const struct matrix_truth *t, int known) {
    gbs_ratings *r = ratings_of(ctx, t);
    size_t K = t->rank, own = K + 1;
    gbs_factors f = started(ctx, r, K, true, false);
    const double *factor = known == 1 ? t->v : t->u, *bias = known == 1 ? t->b : t->a;
    memset(f.side[known].cov, 0, f.side[known].items * gbs_packed_size(own) * sizeof(double));
    for (size_t j = 0; j < f.side[known].items; j++) {
        memcpy(f.side[known].mean + j * own, factor + j * K, K * sizeof(double));
        f.side[known].mean[j * own + K] = bias[j] - (known == 1 ? 3.0 : 0.0);
    }
    for (size_t c = 0; c < own; c++)
        f.side[1 - known].weight[c] = c < K ? sqrt((double)K) : 4.0;
    f.mu = 3.0 - r->center;
    f.tau = 1.0 / (t->noise * t->noise);
    assert_int_equal(gbs_factors_update_side(&f, 1 - known), GBS_OK);
    double sum = 0.0;
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->columns; j++) {
            double p = 3.0 + mean_at(&f, 0, i, K) + mean_at(&f, 1, j, K);
            for (size_t k = 0; k < K; k++)
                p += mean_at(&f, 0, i, k) * mean_at(&f, 1, j, k);
            sum += (p - truth_at(t, i, j)) * (p - truth_at(t, i, j));
        }
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    return sum / (double)(t->rows * t->columns);
}

static double excess_of(double square) {
    return sqrt(0.25 + square) - 0.5;
}

/* How near to an oracle one can come. The matrices of rank K with biases are a surface of (K + 1)(m1 + m2) - K^2 - 1 dimensions, and unbiased estimates from n
 * ratings leave at least noise^2 x dimensions / n a cell (Cramer and Rao, cells rated alike). Told one side, only the other's (K + 1) m1 are left. So with
 * m1 = m2 nobody comes nearer to that oracle than a factor of about 2 in squared error and in excess over the noise, 1.41 in RMSE of the signal: both sides
 * must be learned. What can be asked for is the sum of the two one-sided oracles, and that is what the fit is held to, within 25 %. */
static void finds_rank_noise_and_cells(void **state) {
    (void)state;
    gbs_context *ctx = context_with(2, 1);
    struct matrix_truth t = make_truth(101, 1000, 1000, 5, 100000, 0.5, 3.0, true);
    gbs_complete_options o = gbs_complete_options_default();
    o.rank = 20;
    gbs_completion *m = complete(ctx, &t, &o);
    gbs_completion_info i = facts_of(m);
    struct score s = score_cells(ctx, m, &t);
    assert_int_equal(i.effective_rank, 5);
    assert_true(i.converged);
    /* n = 1e5: the standard error of a variance of 0.25 is 0.0011 */
    assert_close(i.noise_variance, 0.25, 0.0, 0.006);
    assert_close(i.lambda, 1e5 / (2.0 * i.noise_variance), 1e-12, 0.0);
    double square = s.theta_rmse * s.theta_rmse, known[2] = {oracle_square(ctx, &t, 0), oracle_square(ctx, &t, 1)};
    double both = known[0] + known[1], floor = 0.25 * (6.0 * 2000.0 - 26.0) / 1e5;
    print_message(
        "signal RMSE %.4f; told the columns %.4f: %.2f times (nobody below %.2f); sum of both oracles %.4f: %.3f times\n",
        s.theta_rmse, sqrt(known[1]), s.theta_rmse / sqrt(known[1]), sqrt(floor / known[1]), sqrt(both),
        s.theta_rmse / sqrt(both));
    print_message(
        "excess RMSE %.4f; told the columns %.4f: %.2f times (nobody below %.2f); sum of both oracles %.4f: %.3f times\n",
        excess_of(square), excess_of(known[1]), excess_of(square) / excess_of(known[1]), excess_of(floor) / excess_of(known[1]),
        excess_of(both), excess_of(square) / excess_of(both));
    print_message("intervals of 95 %% cover %.2f %%\n", 100.0 * s.coverage);
    assert_at_most(excess_of(square), 1.25 * excess_of(both));
    assert_at_most(s.theta_rmse, 1.25 * sqrt(both));
    assert_true(s.coverage > 0.93 && s.coverage < 0.97);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* The paper's plain model, with a mean of its own to be carried by a component. */
static void plain_model(void **state) {
    (void)state;
    gbs_context *ctx = context_with(2, 1);
    struct matrix_truth t = make_truth(102, 200, 150, 2, 9000, 0.3, 0.0, false);
    gbs_complete_options o = gbs_complete_options_default();
    o.biases = 0;
    gbs_completion *m = complete(ctx, &t, &o);
    assert_int_equal(facts_of(m).effective_rank, 2);
    assert_at_most(score_cells(ctx, m, &t).theta_rmse, 0.12);
    gbs_completion_free(m);
    /* lambda and noise are two names of one thing */
    o.noise_variance = 0.09;
    gbs_completion *a = complete(ctx, &t, &o);
    o.lambda = 9000.0 / (2.0 * 0.09);
    o.noise_variance = 0.0;
    gbs_completion *b = complete(ctx, &t, &o);
    assert_close(facts_of(a).free_energy, facts_of(b).free_energy, 1e-12, 0.0);
    assert_false(facts_of(a).noise_learned);
    assert_close(facts_of(a).noise_variance, 0.09, 1e-12, 0.0);
    gbs_completion_free(a);
    gbs_completion_free(b);
    free_truth(&t);
    gbs_context_free(ctx);
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 7};
    struct matrix_truth t = make_truth(103, 300, 200, 3, 40000, 0.5, 3.0, true);
    for (int gibbs = 0; gibbs < 2; gibbs++) {
        char *text[3];
        size_t size[3];
        for (int k = 0; k < 3; k++) {
            gbs_context *ctx = context_with(threads[k], 1);
            gbs_complete_options o = gbs_complete_options_default();
            o.has_range = !gibbs;
            o.low = -10.0;
            o.high = 16.0;
            o.sampler = gibbs ? GBS_SAMPLER_GIBBS : GBS_SAMPLER_VB;
            o.prior = gibbs ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
            o.draws = 4;
            o.burn_in = 2;
            gbs_completion *m = complete(ctx, &t, &o);
            char *bytes;
            assert_int_equal(gbs_completion_to_json(ctx, m, &bytes, &size[k]), GBS_OK);
            char *seconds = strstr(bytes, "\"seconds\":");
            assert_non_null(seconds);
            for (char *p = seconds; *p != '}'; p++)
                *p = ' ';
            text[k] = take(size[k] + 1, 1);
            size_t to = 0;
            for (size_t p = 0; p < size[k]; p++)
                if (bytes[p] != ' ')
                    text[k][to++] = bytes[p];
            gbs_release(ctx, bytes);
            gbs_completion_free(m);
            gbs_context_free(ctx);
        }
        assert_string_equal(text[0], text[1]);
        assert_string_equal(text[0], text[2]);
        for (int k = 0; k < 3; k++)
            free(text[k]);
    }
    free_truth(&t);
}

/* ---------------------------------------------------------------- the sampler */

/* Geweke (2004): draw unknowns from the prior, then again and again a sweep of the sampler given the ratings and fresh ratings given the unknowns. If each
 * conditional draw is right, the unknowns keep the prior as their law, whose moments are known. 200 batch means; 5 standard errors on ten moments: a false
 * alarm in 170,000 runs. */
enum { G_ROWS = 3, G_COLUMNS = 2, G_N = 7, MOMENTS = 10 };

static gbs_status ignore(void *user, const gbs_factors *f, size_t draw) {
    (void)user, (void)f, (void)draw;
    return GBS_OK;
}

static void fresh_ratings(struct dice *dice, gbs_factors *f, gbs_ratings *r) {
    double by_row[G_N] = {0};
    r->sum = r->squares = 0.0;
    for (size_t i = 0; i < G_ROWS; i++)
        for (size_t e = r->by[0].start[i]; e < r->by[0].start[i + 1]; e++) {
            const double *x = f->side[0].mean + i * 2, *z = f->side[1].mean + r->by[0].other[e] * 2;
            by_row[e] = f->mu + x[1] + z[1] + x[0] * z[0] + dice_normal(dice) / sqrt(f->tau);
            r->by[0].value[e] = by_row[e];
            r->sum += by_row[e];
            r->squares += by_row[e] * by_row[e];
        }
    /* the same values by column: every cell is observed at most once but for (0, 0), whose two come in order */
    for (size_t j = 0; j < G_COLUMNS; j++)
        for (size_t e = r->by[1].start[j], last = SIZE_MAX; e < r->by[1].start[j + 1]; e++) {
            size_t i = r->by[1].other[e], from = r->by[0].start[i];
            while (r->by[0].other[from] != j || from == last)
                from++;
            r->by[1].value[e] = by_row[from];
            last = from;
        }
}

static void moments_of(const gbs_factors *f, double *m) {
    const double *x = f->side[0].mean, *z = f->side[1].mean;
    double values[MOMENTS] = {f->mu,
                              f->mu * f->mu,
                              log(f->tau),
                              log(f->side[0].weight[0]),
                              log(f->side[0].weight[1]),
                              log(f->side[1].weight[1]),
                              x[0] * x[0],
                              x[1] * x[1],
                              z[3] * z[3],
                              x[0] * z[0]};
    memcpy(m, values, sizeof values);
}

static void sampler_keeps_its_law(void **state) {
    (void)state;
    enum { BATCHES = 200, LENGTH = 1000 };
    static const uint32_t row[G_N] = {0, 0, 0, 1, 1, 2, 2}, column[G_N] = {0, 0, 1, 0, 1, 0, 1};
    static const double y[G_N];
    const gbs_completion_prior p = {
        .shape = 6.0, .scale = 3.0, .bias_scale = 2.0, .mean = 0.5, .variance = 0.7, .noise_shape = 5.0, .noise_scale = 4.0};
    const double expected[MOMENTS] = {0.5,
                                      0.25 + 0.7,
                                      gbs_digamma(5.0) - log(4.0),
                                      gbs_digamma(6.0) - log(3.0),
                                      gbs_digamma(6.0) - log(2.0),
                                      gbs_digamma(6.0) - log(2.0),
                                      3.0 / 5.0,
                                      2.0 / 5.0,
                                      2.0 / 5.0,
                                      0.0};
    gbs_context *ctx = context_with(1, 1);
    gbs_ratings *r;
    gbs_factors f;
    struct dice dice = {201};
    assert_int_equal(gbs_ratings_create(ctx, G_N, G_ROWS, G_COLUMNS, row, column, y, NULL, NULL, &r), GBS_OK);
    r->center = 0.0;
    assert_int_equal(gbs_factors_create(ctx, r, 1, true, &p, &f), GBS_OK);
    f.learn_noise = true;
    gbs_factors_start(&f, 0.5, 0.8, 1);
    double mean[MOMENTS] = {0}, square[MOMENTS] = {0}, one[MOMENTS];
    uint64_t sweep = 0;
    for (int b = -4; b < BATCHES; b++) { /* four batches to forget the start */
        double batch[MOMENTS] = {0};
        for (int k = 0; k < LENGTH; k++) {
            fresh_ratings(&dice, &f, r);
            ctx->seed = sweep++; /* a run of one sweep always takes the same random numbers of its seed */
            assert_int_equal(gbs_gibbs_run(&f, 0, 1, ignore, NULL), GBS_OK);
            moments_of(&f, one);
            for (int m = 0; m < MOMENTS; m++)
                batch[m] += one[m] / LENGTH;
        }
        for (int m = 0; b >= 0 && m < MOMENTS; m++) {
            mean[m] += batch[m] / BATCHES;
            square[m] += batch[m] * batch[m] / BATCHES;
        }
    }
    for (int m = 0; m < MOMENTS; m++)
        assert_close(mean[m], expected[m], 0.0, 5.0 * sqrt((square[m] - mean[m] * mean[m]) / BATCHES));
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    gbs_context_free(ctx);
}

/* Where there are many ratings a row the mean field is close to the posterior: cell by cell the two agree within a fraction of the standard deviation. And
 * running averages are the averages over the kept draws when all are kept. */
static void sampler_agrees_with_the_mean_field(void **state) {
    (void)state;
    gbs_context *ctx = context_with(2, 1);
    struct matrix_truth t = make_truth(104, 80, 60, 2, 3000, 0.5, 3.0, true);
    gbs_complete_options o = gbs_complete_options_default();
    enum { N = 500 };
    uint32_t row[N], column[N];
    double vb[N], vb_sd[N], gibbs[N], gibbs_sd[N], kept[N], kept_sd[N];
    for (size_t e = 0; e < N; e++) {
        row[e] = e % 17 == 0 ? GBS_UNSEEN : (uint32_t)(e * 7 % 80);
        column[e] = e % 19 == 0 ? GBS_UNSEEN : (uint32_t)(e * 11 % 60);
    }
    o.rank = 4;
    gbs_completion *m = complete(ctx, &t, &o);
    assert_int_equal(gbs_completion_predict(ctx, m, N, row, column, vb, vb_sd), GBS_OK);
    gbs_completion_free(m);
    o.sampler = GBS_SAMPLER_GIBBS;
    o.draws = o.keep = 400;
    o.burn_in = 100;
    o.cells = N;
    o.cell_row = row;
    o.cell_column = column;
    o.cell_value = gibbs;
    o.cell_sd = gibbs_sd;
    m = complete(ctx, &t, &o);
    assert_int_equal(facts_of(m).kept, 400);
    assert_int_equal(gbs_completion_predict(ctx, m, N, row, column, kept, kept_sd), GBS_OK);
    double off = 0.0, ratio = 0.0;
    size_t seen = 0;
    for (size_t e = 0; e < N; e++) {
        assert_close(kept[e], gibbs[e], 1e-10, 1e-10);
        assert_close(kept_sd[e], gibbs_sd[e], 1e-9, 1e-10);
        if (row[e] == GBS_UNSEEN || column[e] == GBS_UNSEEN)
            continue;
        off += (gibbs[e] - vb[e]) * (gibbs[e] - vb[e]) / (vb_sd[e] * vb_sd[e]);
        ratio += gibbs_sd[e] / vb_sd[e];
        seen++;
    }
    print_message("sampler against mean field: %.3f standard deviations apart, sd %.3f times\n", sqrt(off / (double)seen),
                  ratio / (double)seen);
    assert_at_most(sqrt(off / (double)seen), 0.5);
    assert_true(ratio / (double)seen > 0.9 && ratio / (double)seen < 1.3);
    assert_at_most(score_cells(ctx, m, &t).theta_rmse, 0.35);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- predictions and certificates */

/* The less is known of a cell the wider it is; a cell of a new row and a new column is the mean. (The formula itself: test_completion.c, slow_error.) */
static void prediction_spread(void **state) {
    (void)state;
    gbs_context *ctx = context_with(1, 1);
    struct matrix_truth t = make_truth(105, 30, 20, 1, 250, 0.5, 3.0, true);
    gbs_complete_options o = gbs_complete_options_default();
    gbs_completion *m = complete(ctx, &t, &o);
    uint32_t row[] = {0, 3, GBS_UNSEEN, 4, GBS_UNSEEN}, column[] = {0, 7, 2, GBS_UNSEEN, GBS_UNSEEN};
    double value[5], sd[5];
    assert_int_equal(gbs_completion_predict(ctx, m, 5, row, column, value, sd), GBS_OK);
    assert_true(sd[2] > sd[0] && sd[4] > sd[2]);
    assert_close(value[4], facts_of(m).mu, 1e-12, 0.0);
    for (int k = 0; k < 5; k++)
        assert_true(sd[k] > 0.0 && isfinite(value[k]));
    uint32_t outside = 30;
    assert_int_equal(gbs_completion_predict(ctx, m, 1, &outside, column, value, sd), GBS_ERR_ARGUMENT);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

static void clip_ratings(struct matrix_truth *t, double low, double high) {
    for (size_t e = 0; e < t->n; e++)
        t->y[e] = fmin(high, fmax(low, t->y[e]));
}

/* Twenty data sets, 90 % certificates, both priors: the risk of a draw, on 20,000 fresh ratings of the same truth, is above the bound with probability at
 * most 0.1 each; more than 9 of 20 would happen once in 100,000 times. (It should not happen at all: the bound is not that sharp.) */
static void certificates_hold(void **state) {
    (void)state;
    enum { RUNS = 20, FRESH = 20000 };
    size_t above[2] = {0, 0}, vacuous[2] = {0, 0};
    double bound[2] = {0.0, 0.0}, risk_sum = 0.0, *value = doubles(FRESH), *sd = doubles(FRESH);
    uint32_t *row = take(FRESH, sizeof *row), *column = take(FRESH, sizeof *column);
    for (uint64_t run = 0; run < RUNS; run++) {
        gbs_context *ctx = context_with(1, run);
        struct matrix_truth t = make_truth(300 + run, 60, 40, 1, 1200, 0.5, 3.0, true);
        clip_ratings(&t, 1.0, 5.0);
        for (int informed = 0; informed < 2; informed++) {
            gbs_complete_options o = gbs_complete_options_default();
            o.rank = 3;
            o.has_range = 1;
            o.low = 1.0;
            o.high = 5.0;
            o.confidence = 0.9;
            o.prior = informed ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
            gbs_completion *m = complete(ctx, &t, &o);
            gbs_rating_certificate c = facts_of(m).certificate;
            assert_true(c.present && c.value > c.empirical_upper && c.empirical_upper >= c.empirical);
            assert_int_equal(c.n, informed ? 240 : 1200);
            assert_close(c.rmse, 4.0 * sqrt(c.value), 1e-12, 0.0);
            assert_int_equal(c.vacuous, c.value >= 0.25);
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
            vacuous[informed] += c.vacuous != 0;
            bound[informed] += c.rmse / RUNS;
            risk_sum += informed ? 4.0 * sqrt(risk) / RUNS : 0.0;
            gbs_completion_free(m);
        }
        free_truth(&t);
        gbs_context_free(ctx);
    }
    free(value), free(sd), free(row), free(column);
    print_message(
        "RMSE certified %.3f (zero prior, %zu of %d vacuous), %.3f (informed, %zu vacuous); true %.3f; above: %zu, %zu\n",
        bound[0], vacuous[0], (int)RUNS, bound[1], vacuous[1], risk_sum, above[0], above[1]);
    assert_at_most((double)above[0], 9.0);
    assert_at_most((double)above[1], 9.0);
    assert_int_equal(vacuous[1], 0);
}

/* ---------------------------------------------------------------- files */

static void files_keep_everything(void **state) {
    (void)state;
    gbs_context *ctx = context_with(1, 1);
    struct matrix_truth t = make_truth(106, 12, 9, 1, 80, 0.5, 3.0, true);
    for (int gibbs = 0; gibbs < 2; gibbs++) {
        gbs_complete_options o = gbs_complete_options_default();
        o.rank = 2;
        o.sampler = gibbs ? GBS_SAMPLER_GIBBS : GBS_SAMPLER_VB;
        o.draws = 5;
        o.has_range = 1;
        o.low = -5.0;
        o.high = 11.0;
        gbs_completion *m = complete(ctx, &t, &o), *back;
        char *text, *again;
        size_t size, size_again, seen, seen_back;
        assert_int_equal(gbs_completion_to_json(ctx, m, &text, &size), GBS_OK);
        assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
        assert_int_equal(gbs_completion_to_json(ctx, back, &again, &size_again), GBS_OK);
        assert_string_equal(text, again);
        for (uint32_t i = 0; i < 12; i++)
            for (uint32_t j = 0; j < 9; j++) {
                double x[2], sd[2];
                assert_int_equal(gbs_completion_predict(ctx, m, 1, &i, &j, &x[0], &sd[0]), GBS_OK);
                assert_int_equal(gbs_completion_predict(ctx, back, 1, &i, &j, &x[1], &sd[1]), GBS_OK);
                assert_true(same_bits(&x[0], &x[1], 1) && same_bits(&sd[0], &sd[1], 1));
            }
        const uint32_t *a = gbs_completion_seen(m, 3, &seen), *b = gbs_completion_seen(back, 3, &seen_back);
        assert_int_equal(seen, seen_back);
        assert_memory_equal(a, b, seen * sizeof *a);
        assert_string_equal(gbs_completion_row_id(back, 4), "5");
        gbs_completion_free(back);
        /* cut anywhere, or with a byte changed: a message, or a model that can be asked */
        struct dice r = {5};
        for (int k = 0; k < 600; k++) {
            char *damaged = take(size + 1, 1);
            memcpy(damaged, text, size);
            size_t length = size, at = dice_below(&r, k < 300 ? 1500 : size);
            if (k % 3 == 0)
                length = at;
            else
                damaged[at < size ? at : 0] = "0-9\"[]{},x"[dice_below(&r, 10)];
            if (gbs_completion_from_json(ctx, damaged, length, &back) == GBS_OK) {
                uint32_t i = GBS_UNSEEN, j = 0;
                double x, sd;
                assert_int_equal(gbs_completion_predict(ctx, back, 1, &i, &j, &x, &sd), GBS_OK);
            } else {
                assert_null(back);
                assert_true(strlen(gbs_error_message(ctx)) > 0);
            }
            gbs_completion_free(back);
            free(damaged);
        }
        gbs_release(ctx, text);
        gbs_release(ctx, again);
        gbs_completion_free(m);
    }
    free_truth(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- edges */

static void odd_ratings(void **state) {
    (void)state;
    gbs_context *ctx = context_with(1, 1);
    gbs_complete_options o = gbs_complete_options_default();
    uint32_t zeros[6] = {0}, column[6] = {0, 1, 2, 3, 4, 5};
    double same[6] = {4.0, 4.0, 4.0, 4.0, 4.0, 4.0}, huge[6] = {1e30, -1e30, 3e30, 1e29, 0.0, 1.0};
    gbs_ratings *r;
    for (int biases = 0; biases < 2; biases++) {
        o.biases = biases;
        for (int k = 0; k < 4; k++) {
            size_t n = k == 0 ? 1 : 6;
            const double *y = k == 3 ? huge : same;
            /* one rating; one row; one cell six times; huge values */
            assert_int_equal(gbs_ratings_create(ctx, n, 1, 6, zeros, k == 2 ? zeros : column, y, NULL, NULL, &r), GBS_OK);
            gbs_completion *m;
            gbs_status status = gbs_complete(ctx, r, &o, &m);
            if (status != GBS_OK)
                print_error("biases %d, case %d: %s\n", biases, k, gbs_error_message(ctx));
            assert_int_equal(status, GBS_OK);
            double value, sd;
            assert_int_equal(gbs_completion_predict(ctx, m, 1, zeros, zeros, &value, &sd), GBS_OK);
            assert_true(isfinite(value) && isfinite(sd));
            if (biases && k == 2)
                assert_close(value, 4.0, 0.01, 0.0);
            gbs_completion_free(m);
            gbs_ratings_free(r);
        }
    }
    double nan[1] = {NAN};
    assert_int_equal(gbs_ratings_create(ctx, 1, 1, 1, zeros, zeros, nan, NULL, NULL, &r), GBS_ERR_DATA);
    assert_null(r);
    assert_int_equal(gbs_ratings_create(ctx, 0, 1, 1, zeros, zeros, same, NULL, NULL, &r), GBS_ERR_DATA);
    assert_int_equal(gbs_ratings_create(ctx, 6, 1, 5, zeros, column, same, NULL, NULL, &r), GBS_ERR_DATA);
    gbs_context_free(ctx);
}

static void options_are_checked(void **state) {
    (void)state;
    gbs_context *ctx = context_with(1, 1);
    struct matrix_truth t = make_truth(107, 6, 5, 1, 30, 0.5, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    gbs_complete_options good = gbs_complete_options_default(), bad[10];
    for (size_t k = 0; k < 10; k++)
        bad[k] = good;
    bad[0].rank = 100000;
    bad[1].lambda = -1.0;
    bad[2].lambda = bad[2].noise_variance = 1.0;
    bad[3].has_range = 1, bad[3].low = 1.0, bad[3].high = 1.0;
    bad[4].confidence = 1.0;
    bad[5].prior_split = 1.0;
    bad[6].tolerance = NAN;
    bad[7].sampler = (gbs_sampler)7;
    bad[8].sampler = GBS_SAMPLER_GIBBS, bad[8].draws = 0;
    bad[9].rank = 0, bad[9].biases = 0;
    for (size_t k = 0; k < 10; k++) {
        gbs_completion *m;
        assert_int_equal(gbs_complete(ctx, r, &bad[k], &m), GBS_ERR_ARGUMENT);
        assert_null(m);
    }
    good.has_range = 1, good.low = 3.0, good.high = 3.1;
    gbs_completion *m;
    assert_int_equal(gbs_complete(ctx, r, &good, &m), GBS_ERR_DATA);
    gbs_ratings_free(r);
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
    struct matrix_truth t = make_truth(108, 6, 5, 1, 30, 0.5, 3.0, true);
    for (int kind = 0; kind < 3; kind++) {
        gbs_status status = GBS_ERR_MEMORY;
        size_t tried = 0;
        for (size_t allowed = 1; status != GBS_OK; allowed++, tried++) {
            struct scarce s = {allowed, 0};
            gbs_context_options c = gbs_context_options_default();
            gbs_complete_options o = gbs_complete_options_default();
            gbs_context *ctx;
            gbs_ratings *r = NULL;
            gbs_completion *m = NULL;
            c.allocator = (gbs_allocator){scarce_take, scarce_release, &s};
            c.threads = 1;
            o.max_sweeps = 12;
            o.has_range = kind == 1;
            o.low = -9.0, o.high = 15.0;
            o.prior = kind == 1 ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
            o.sampler = kind == 2 ? GBS_SAMPLER_GIBBS : GBS_SAMPLER_VB;
            o.draws = 3, o.burn_in = 1;
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
        assert_true(tried > 20);
    }
    free_truth(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_rank_noise_and_cells),
        cmocka_unit_test(plain_model),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(sampler_keeps_its_law),
        cmocka_unit_test(sampler_agrees_with_the_mean_field),
        cmocka_unit_test(prediction_spread),
        cmocka_unit_test(certificates_hold),
        cmocka_unit_test(files_keep_everything),
        cmocka_unit_test(odd_ratings),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
