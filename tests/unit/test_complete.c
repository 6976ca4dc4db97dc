/* Matrix completion as callers see it: recovery of a known truth, threads, predictions. */
#include "complete_support.h"
#include "paper_settings.h"

/* Mean squared error, over all cells, of an oracle that is told the factors and biases of one side
 * (1: the columns), the mean, the noise and all variances: the exact conjugate regression of each
 * item of the other side. (That update_side is that regression: known_columns_make_a_regression.)
 */
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

/* How near to an oracle one can come. The matrices of rank K with biases are a surface of (K +
 * 1)(m1 + m2) - K^2 - 1 dimensions, and unbiased estimates from n ratings leave at least noise^2 x
 * dimensions / n a cell (Cramer and Rao, cells rated alike). Told one side, only the other's (K +
 * 1) m1 are left. So with m1 = m2 nobody comes nearer to that oracle than a factor of about 2 in
 * squared error and in excess over the noise, 1.41 in RMSE of the signal: both sides must be
 * learned. What can be asked for is the sum of the two one-sided oracles, and that is what the fit
 * is held to, within 25 %. */
static void finds_rank_noise_and_cells(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 1);
    struct matrix_truth t = make_truth(101, 1000, 1000, 5, 100000, 0.5, 3.0, true);
    gbs_complete_settings o = paper_settings();
    o.rank = 20;
    gbs_completion *m = complete(ctx, &t, &o);
    gbs_completion_info i = facts_of(m);
    struct score s = score_cells(ctx, m, &t);
    assert_int_equal(i.effective_rank, 5);
    assert_true(i.converged);
    /* n = 1e5: the standard error of a variance of 0.25 is 0.0011 */
    assert_close(i.noise_variance, 0.25, 0.0, 0.006);
    assert_close(i.lambda, 1e5 / (2.0 * i.noise_variance), 1e-12, 0.0);
    double square = s.theta_rmse * s.theta_rmse,
           known[2] = {oracle_square(ctx, &t, 0), oracle_square(ctx, &t, 1)};
    double both = known[0] + known[1], floor = 0.25 * (6.0 * 2000.0 - 26.0) / 1e5;
    print_message("signal RMSE %.4f; told the columns %.4f: %.2f times (nobody below %.2f); sum of "
                  "both oracles %.4f: %.3f times\n",
                  s.theta_rmse, sqrt(known[1]), s.theta_rmse / sqrt(known[1]),
                  sqrt(floor / known[1]), sqrt(both), s.theta_rmse / sqrt(both));
    print_message("excess RMSE %.4f; told the columns %.4f: %.2f times (nobody below %.2f); sum of "
                  "both oracles %.4f: %.3f times\n",
                  excess_of(square), excess_of(known[1]), excess_of(square) / excess_of(known[1]),
                  excess_of(floor) / excess_of(known[1]), excess_of(both),
                  excess_of(square) / excess_of(both));
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
    gbs_context *ctx = new_context(2, 1);
    struct matrix_truth t = make_truth(102, 200, 150, 2, 9000, 0.3, 0.0, false);
    gbs_complete_settings o = paper_settings();
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
            gbs_context *ctx = new_context(threads[k], 1);
            gbs_complete_settings o = paper_settings();
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

/* The less is known of a cell the wider it is; a cell of a new row and a new column is the mean.
 * (The formula itself: slow_error, in test_completion.c.) */
static void prediction_spread(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(105, 30, 20, 1, 250, 0.5, 3.0, true);
    gbs_complete_settings o = paper_settings();
    gbs_completion *m = complete(ctx, &t, &o);
    uint32_t row[] = {0, 3, GBS_UNSEEN, 4, GBS_UNSEEN},
             column[] = {0, 7, 2, GBS_UNSEEN, GBS_UNSEEN};
    double value[5], sd[5];
    assert_int_equal(gbs_completion_predict(ctx, m, 5, row, column, value, sd), GBS_OK);
    assert_true(sd[2] > sd[0] && sd[4] > sd[2]);
    assert_close(value[4], facts_of(m).mu, 1e-12, 0.0);
    for (int k = 0; k < 5; k++)
        assert_true(sd[k] > 0.0 && isfinite(value[k]));
    uint32_t outside = 30;
    assert_int_equal(gbs_completion_predict(ctx, m, 1, &outside, column, value, sd),
                     GBS_ERR_ARGUMENT);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_rank_noise_and_cells),
        cmocka_unit_test(plain_model),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(prediction_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
