/* The sampler of matrix completion: its law (successive conditional simulation; test_complete_law.c
 * has another chain), and what it does against the mean field. */
#include "complete_support.h"

#include "completion/gibbs.h"
#include "kernel/special.h"
#include "paper_settings.h"

/* Geweke (2004): draw unknowns from the prior, then again and again a sweep of the sampler given
 * the ratings and fresh ratings given the unknowns. If each conditional draw is right, the unknowns
 * keep the prior as their law, whose moments are known. 200 batch means; 5 standard errors on ten
 * moments: a false alarm in 170,000 runs. */
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
    /* the same values by column: every cell is observed at most once but for (0, 0), whose two come
     * in order */
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
    const gbs_completion_prior p = {.shape = 6.0,
                                    .scale = 3.0,
                                    .bias_scale = 2.0,
                                    .mean = 0.5,
                                    .variance = 0.7,
                                    .noise_shape = 5.0,
                                    .noise_scale = 4.0};
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
    gbs_context *ctx = new_context(1, 1);
    gbs_ratings *r;
    gbs_factors f;
    struct dice dice = {201};
    assert_int_equal(
        gbs_ratings_create(ctx, G_N, G_ROWS, G_COLUMNS, row, column, y, NULL, NULL, &r), GBS_OK);
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
            /* a run of one sweep always takes the same random numbers of its seed */
            ctx->seed = sweep++;
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
        assert_close(mean[m], expected[m], 0.0,
                     5.0 * sqrt((square[m] - mean[m] * mean[m]) / BATCHES));
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- against the mean field */

/* Where there are many ratings a row the mean field is close to the posterior: cell by cell the two
 * agree within a fraction of the standard deviation. And running averages are the averages over the
 * kept draws when all are kept. */
static void sampler_agrees_with_the_mean_field(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 1);
    struct matrix_truth t = make_truth(104, 80, 60, 2, 3000, 0.5, 3.0, true);
    gbs_complete_settings o = paper_settings();
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
    print_message("sampler against mean field: %.3f standard deviations apart, sd %.3f times\n",
                  sqrt(off / (double)seen), ratio / (double)seen);
    assert_at_most(sqrt(off / (double)seen), 0.5);
    assert_true(ratio / (double)seen > 0.9 && ratio / (double)seen < 1.3);
    assert_at_most(score_cells(ctx, m, &t).theta_rmse, 0.35);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* 10 ratings a row at the edge of what can be found: the mean field drops a component, the
 * posterior does not. A chain that began with that component at zero would still be there after
 * these hundred sweeps; its signal RMSE would be that of the mean field (1.01 times). */
static void sampler_finds_what_the_mean_field_drops(void **state) {
    (void)state;
    enum { TRUTHS = 3 };
    for (uint64_t seed = 1; seed <= TRUTHS; seed++) {
        gbs_context *ctx = new_context(2, 1);
        struct matrix_truth t = make_truth(seed, 600, 600, 3, 6000, 0.5, 3.0, true);
        gbs_complete_settings o = paper_settings();
        o.rank = 8;
        gbs_completion *m = complete(ctx, &t, &o);
        double vb = score_cells(ctx, m, &t).theta_rmse;
        assert_true(facts_of(m).effective_rank < 3);
        gbs_completion_free(m);
        o.sampler = GBS_SAMPLER_GIBBS;
        o.burn_in = 40;
        o.draws = o.keep = 60;
        m = complete(ctx, &t, &o);
        struct score s = score_cells(ctx, m, &t);
        print_message("signal RMSE %.4f by the mean field, %.4f by the sampler, whose 95 %% "
                      "intervals cover %.1f %%\n",
                      vb, s.theta_rmse, 100.0 * s.coverage);
        assert_at_most(s.theta_rmse, 0.95 * vb);
        assert_true(s.coverage > 0.91 && s.coverage < 0.97);
        gbs_completion_free(m);
        free_truth(&t);
        gbs_context_free(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampler_keeps_its_law),
        cmocka_unit_test(sampler_agrees_with_the_mean_field),
        cmocka_unit_test(sampler_finds_what_the_mean_field_drops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
