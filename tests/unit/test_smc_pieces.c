/* The pieces of the sampler against plain loops and known laws. */
#include "core/random.h"
#include "smc/smc.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"

static void tile_risks_are_those_of_plain_loops(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {11};
    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t n = 1; n < 150; n += 37)
            for (size_t d = 1; d < 20; d += 6)
                for (size_t l = 0; l < COUNT(all_losses); l++) {
                    struct design g = make_design(&r, n, d, sparse != 0, 0);
                    gbs_empirical *over;
                    assert_ok(ctx, gbs_empirical_over_rows(ctx, &g.rows, gbs_loss_of(all_losses[l]),
                                                           &over));
                    double *tile = gbs_doubles(ctx, d * GBS_LANES),
                           *scratch = gbs_doubles(ctx, gbs_empirical_tile_room(over)),
                           risk[GBS_LANES];
                    double *theta = doubles(d);
                    for (size_t k = 0; k < d * GBS_LANES; k++)
                        /* lane 3: every margin is 0 */
                        tile[k] = k % GBS_LANES == 3 ? 0.0 : dice_normal(&r);
                    gbs_empirical_tile(over, tile, scratch, risk);
                    for (size_t lane = 0; lane < GBS_LANES; lane++) {
                        for (size_t k = 0; k < d; k++)
                            theta[k] = tile[k * GBS_LANES + lane];
                        double expected = plain_risk(all_losses[l], n, d, g.cells, g.table.y,
                                                     theta);
                        assert_close(risk[lane], expected, 1e-12, 1e-14);
                    }
                    free(theta);
                    gbs_empirical_free(over);
                    gbs_array_free(ctx, tile);
                    gbs_array_free(ctx, scratch);
                    free_design(&g);
                }
    gbs_context_free(ctx);
}

static void array_normals_are_those_of_the_counters(void **state) {
    (void)state;
    double x[300];
    gbs_normal_draws(5, 77, 1000, 300, x);
    for (size_t i = 0; i < 150; i++)
        assert_close(x[i], gbs_normal(5, 77, 1000 + i), 1e-13, 1e-13);
    for (size_t i = 0; i < 150; i++) /* the pair has the radius of its uniform number */
        assert_close(x[i] * x[i] + x[150 + i] * x[150 + i],
                     -2.0 * log(gbs_uniform(5, 77, 1000 + i)), 1e-12, 1e-13);
    double part[64];
    gbs_normal_draws(5, 77, 1010, 64, part);
    assert_true(same_bits(part, x + 10, 32));
}

static void the_next_lambda_has_the_wanted_share(void **state) {
    (void)state;
    struct dice r = {12};
    enum { N = 500 };
    double risk[N], weight[N], log_mean;
    static const double sizes[] = {1e-12, 1e-3, 1.0, 1e6, 1e100};
    for (size_t k = 0; k < COUNT(sizes); k++)
        for (int heavy = 0; heavy < 2; heavy++) {
            for (size_t i = 0; i < N; i++)
                risk[i] = sizes[k] * (heavy ? exp(8.0 * dice_normal(&r)) : 3.0 + dice_normal(&r));
            double delta = gbs_temper_step(N, risk, 1e300, 0.5, weight);
            double ess = gbs_temper_weights(N, risk, delta, weight, &log_mean);
            assert_close(ess, 0.5 * N, 0.006, 0.0);
            double mean = 0.0;
            for (size_t i = 0; i < N; i++)
                mean += weight[i] / N;
            assert_close(mean, 1.0, 1e-12, 0.0);
            assert_close(gbs_temper_step(N, risk, 0.5 * delta, 0.5, weight), 0.5 * delta, 0.0, 0.0);
        }
    for (size_t i = 0; i < N; i++)
        risk[i] = 0.25;
    /* constant: all the way */
    assert_close(gbs_temper_step(N, risk, 1e9, 0.5, weight), 1e9, 0.0, 0.0);
    for (size_t i = 0; i < N; i++)
        risk[i] = i % 4 == 0 ? INFINITY : dice_uniform(&r);
    double delta = gbs_temper_step(N, risk, 1e9, 0.5, weight);
    assert_close(gbs_temper_weights(N, risk, delta, weight, &log_mean), 0.5 * 0.75 * N, 0.006, 0.0);
    for (size_t i = 0; i < N; i++)
        risk[i] = INFINITY;
    assert_close(gbs_temper_step(N, risk, 1.0, 0.5, weight), 0.0, 0.0, 0.0);
}

/* Each particle has floor or ceiling of its share of descendants, whatever the uniform number. */
static void resampling_is_systematic(void **state) {
    (void)state;
    struct dice r = {13};
    for (int round = 0; round < 200; round++) {
        size_t n = 1 + dice_below(&r, 40), count = 1 + dice_below(&r, 60), ancestor[60],
               born[40] = {0};
        double weight[40], total = 0.0;
        for (size_t i = 0; i < n; i++) {
            weight[i] = dice_below(&r, 3) == 0 ? 0.0 : dice_uniform(&r);
            total += weight[i];
        }
        if (total == 0.0)
            weight[0] = total = 1.0;
        gbs_resample(n, weight, count, round == 0 ? 1.0 - 1e-16 : dice_uniform(&r), ancestor);
        for (size_t c = 0; c < count; c++) {
            assert_true(ancestor[c] < n && (c == 0 || ancestor[c] >= ancestor[c - 1]));
            born[ancestor[c]]++;
        }
        for (size_t i = 0; i < n; i++)
            assert_true(fabs((double)born[i] - (double)count * weight[i] / total) < 1.0 + 1e-9);
    }
}

/* The reference stays a covariance when there are fewer particles than coefficients, and copies of
 * one another. */
static void the_reference_survives_few_and_equal_particles(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {14};
    enum { N = 6, D = 20 };
    double theta[N * D], weight[N];
    for (int equal = 0; equal < 2; equal++) {
        for (size_t i = 0; i < (size_t)N * D; i++)
            theta[i] = equal ? 2.0 : dice_normal(&r);
        for (size_t i = 0; i < N; i++)
            weight[i] = 1.0;
        gbs_reference ref;
        assert_ok(ctx, gbs_reference_create(ctx, D, true, N, &ref));
        assert_ok(ctx, gbs_reference_fit(ctx, &ref, N, theta, weight, 3.0, 1.0));
        for (size_t k = 0; k < D; k++)
            assert_true(ref.factor[k * D + k] > 0.0 && isfinite(ref.factor[k * D + k]));
        gbs_reference_free(ctx, &ref);
    }
    gbs_context_free(ctx);
}

/* Particles twice as wide as a reference have the width 4; one without weight does not count. */
static void the_width_of_a_reference(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {31};
    enum { N = 5000, D = 3 };
    double *theta = doubles(N * D), *weight = doubles(N);
    static const double lower[D * D] = {2.0, 0.0, 0.0, -1.0, 0.5, 0.0, 0.3, 0.7, 0.1},
                                  mean[D] = {5.0, -3.0, 1e3};
    gbs_reference reference;
    for (int full = 0; full < 2; full++) {
        assert_ok(ctx, gbs_reference_create(ctx, D, full != 0, N, &reference));
        memcpy(reference.mean, mean, sizeof mean);
        for (size_t k = 0; k < D; k++)
            reference.sd[k] = lower[k * D + k];
        if (full)
            memcpy(reference.factor, lower, sizeof lower);
        for (size_t i = 0; i < N; i++) {
            double z[D];
            for (size_t k = 0; k < D; k++) {
                z[k] = 2.0 * dice_normal(&r);
                theta[i * D + k] = mean[k];
                for (size_t j = 0; j <= k; j++)
                    theta[i * D + k] += full || j == k ? lower[k * D + j] * z[j] : 0.0;
            }
            weight[i] = i % 7 == 0 ? 0.0 : 1.0;
            if (i % 7 == 0)
                theta[i * D] = 1e100;
        }
        /* of 250 particles 214 count: the mean of 642 squares has a relative standard error of
         * 0.056 */
        assert_close(gbs_reference_width(&reference, N, theta, weight), 4.0, 5.0 * 0.056, 0.0);
        gbs_reference_free(ctx, &reference);
    }
    free(theta);
    free(weight);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_risks_are_those_of_plain_loops),
        cmocka_unit_test(array_normals_are_those_of_the_counters),
        cmocka_unit_test(the_next_lambda_has_the_wanted_share),
        cmocka_unit_test(resampling_is_systematic),
        cmocka_unit_test(the_reference_survives_few_and_equal_particles),
        cmocka_unit_test(the_width_of_a_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
