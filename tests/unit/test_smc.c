/* Sampling as a whole: traps, options, threads and formats, references that miss. */
#include "smc/smc.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"
#include "unit/zero_prior.h"

static void lambda_zero_is_the_prior(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 2);
    struct table_of_numbers t = small_table(21, 30, 3);
    gbs_data *data = dense_data(ctx, &t);
    for (int classic = 0; classic < 2; classic++) {
        gbs_sample_settings o = small_options(GBS_LOSS_HINGE, 0.0, 20000);
        o.prior_sd = 3.0;
        o.classic = classic;
        gbs_particles *p = sample(ctx, data, &o);
        gbs_sample_info info = sample_info(p);
        double mean[4], covariance[16];
        size_t count;
        count = gbs_particles_path_size(p);
        assert_int_equal(count, 1);
        assert_close(info.log_z, 0.0, 0.0, 0.0);
        assert_close(info.log_z_sd, 0.0, 0.0, 0.0);
        gbs_particles_moments(p, mean, covariance);
        for (size_t k = 0; k < 4; k++) { /* 6 standard errors: one seed in 10^8 */
            assert_close(mean[k], 0.0, 0.0, 6.0 * 3.0 / sqrt(20000.0));
            assert_close(covariance[k * 4 + k], 9.0, 6.0 * sqrt(2.0 / 20000.0), 0.0);
        }
        gbs_particles_free(p);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Rows of zeros: the risk is 1/2 (zero-one) or 1 whatever theta. One jump to lambda, log Z exact.
 */
static void a_constant_risk_is_one_jump(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    double x[10] = {0}, y[5] = {1, -1, 1, 1, -1};
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, 5, 2, x, 2, y, GBS_BORROW, &data));
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (int classic = 0; classic < 2; classic++) {
            gbs_sample_settings o = small_options(all_losses[l], 1e6, 100);
            o.intercept = 0;
            o.scale = GBS_SCALE_NONE;
            o.classic = classic;
            gbs_particles *p = sample(ctx, data, &o);
            size_t count;
            count = gbs_particles_path_size(p);
            assert_int_equal(count, 2);
            assert_close(sample_info(p).log_z, -1e6 * plain_loss(all_losses[l], 0.0), 1e-12, 0.0);
            assert_close(sample_info(p).log_z_sd, 0.0, 0.0, 1e-7);
            gbs_particles_free(p);
        }
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* Large lambda, ten particles, more columns than rows, a column twice, one class only, an
 * exponential loss under a wide prior: all finite. */
static void hard_cases_stay_finite(void **state) {
    (void)state;
    static const struct {
        size_t n, d, particles;
        double lambda, prior_sd;
        bool twice;
    } cases[] = {{20, 3, 10, 20.0, 1.0, false},  {20, 3, 100, 1e6, 1.0, false},
                 {8, 30, 200, 8.0, 1.0, false},  {8, 230, 40, 8.0, 1.0, false},
                 {30, 4, 200, 100.0, 1.0, true}, {30, 4, 64, 30.0, 50.0, false},
                 {1, 1, 10, 5.0, 1.0, false}};
    gbs_context *ctx = new_context(1, 4);
    for (size_t c = 0; c < COUNT(cases); c++)
        for (size_t l = 0; l < COUNT(all_losses); l++)
            for (int mode = 0; mode < 3; mode++) {
                if (short_form() && (c + l + (size_t)mode) % 3 != 0)
                    continue; /* a third of them: each case with each loss and with each mode */
                struct table_of_numbers t = small_table(30 + c, cases[c].n, cases[c].d);
                for (size_t i = 0; cases[c].twice && i < t.n; i++)
                    t.x[i * t.d + 1] = t.x[i * t.d];
                gbs_data *data = dense_data(ctx, &t);
                gbs_sample_settings o = small_options(all_losses[l], cases[c].lambda,
                                                      cases[c].particles);
                o.prior_sd = cases[c].prior_sd;
                o.classic = mode == 1;
                o.move = mode == 2 ? GBS_MOVE_WALK : GBS_MOVE_AUTO;
                gbs_particles *p = sample(ctx, data, &o);
                gbs_sample_info info = sample_info(p);
                size_t count;
                const gbs_sample_point *path = temperatures_of(p, &count);
                const double *theta = gbs_particles_draws(p);
                assert_true(isfinite(info.log_z) && isfinite(info.log_z_sd) &&
                            isfinite(info.gibbs_risk));
                assert_true(path[0].lambda == 0.0 && path[count - 1].lambda == cases[c].lambda);
                for (size_t k = 1; k < count; k++)
                    assert_true(path[k].lambda > path[k - 1].lambda &&
                                path[k].log_z <= path[k - 1].log_z);
                for (size_t k = 0; k < info.particles * info.d; k++)
                    assert_true(isfinite(theta[k]));
                gbs_particles_free(p);
                gbs_data_free(data);
                free_table(&t);
            }
    gbs_context_free(ctx);
}

/* A fixed ladder is followed to the letter. */
static void a_ladder_is_followed(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 5);
    struct table_of_numbers t = small_table(22, 25, 3);
    gbs_data *data = dense_data(ctx, &t);
    static const double ladder[] = {0.5, 3.0, 11.0};
    gbs_sample_settings o = small_options(GBS_LOSS_HINGE, -1.0, 100);
    o.ladder = ladder;
    o.ladder_size = 3;
    gbs_particles *p = sample(ctx, data, &o);
    size_t count;
    const gbs_sample_point *path = temperatures_of(p, &count);
    assert_int_equal(count, 4);
    for (size_t k = 0; k < 3; k++)
        assert_close(path[k + 1].lambda, ladder[k], 0.0, 0.0);
    assert_close(sample_info(p).lambda, 11.0, 0.0, 0.0);
    gbs_particles_free(p);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 6);
    struct table_of_numbers t = small_table(23, 25, 3);
    gbs_data *data = dense_data(ctx, &t), *unlabelled;
    gbs_particles *p;
    static const double falling[] = {2.0, 1.0};
#define REFUSED(change)                                                                            \
    do {                                                                                           \
        gbs_sample_settings o = gbs_sample_settings_default();                                     \
        change;                                                                                    \
        p = (void *)1;                                                                             \
        assert_int_equal(gbs_sample_run(ctx, data, &o, &p), GBS_ERR_ARGUMENT);                     \
        assert_null(p);                                                                            \
        assert_true(strlen(gbs_error_message(ctx)) > 0);                                           \
    } while (0)
    REFUSED(o.particles = 3);
    REFUSED(o.ess = 0.0);
    REFUSED(o.ess = 1.0);
    REFUSED(o.lambda = INFINITY);
    REFUSED(o.lambda = NAN);
    REFUSED(o.prior_sd = 0.0);
    REFUSED(o.chains = 1);
    REFUSED(o.chains = 1001);
    REFUSED(o.confidence = 1.0);
    REFUSED(o.loss = GBS_LOSS_AUTO);
    REFUSED(o.move = (gbs_move)3);
    REFUSED((o.ladder = falling, o.ladder_size = 2));
    REFUSED(o.ladder_size = 2);
    assert_ok(ctx, gbs_data_dense(ctx, 25, 3, t.x, 3, NULL, GBS_BORROW, &unlabelled));
    assert_int_equal(gbs_sample_run(ctx, unlabelled, NULL, &p), GBS_ERR_DATA);
    gbs_data_free(unlabelled);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void the_bits_do_not_depend_on_threads(void **state) {
    (void)state;
    struct table_of_numbers t = small_table(24, 300, 20),
                            /* large: blocks of chains read the rows together */
        large = small_table(31, 4000, 20);
    for (int mode = 0; mode < 5; mode++) {
        double first[4] = {0}, *theta = NULL;
        static const int threads[] = {1, 2, 7};
        for (size_t k = 0; k < 3; k++) {
            gbs_context *ctx = new_context(threads[k], 7);
            gbs_data *data = dense_data(ctx, mode == 3 ? &large : &t);
            gbs_sample_settings o = small_options(mode >= 2 ? GBS_LOSS_ZERO_ONE : GBS_LOSS_HINGE,
                                                  mode == 3 ? 10.0 : 50.0, 777);
            o.classic = mode == 1;
            o.chains = mode == 3 ? 128 : 0;
            o.task = mode == 4 ? GBS_TASK_RANK : GBS_TASK_CLASSIFY;
            gbs_particles *p = sample(ctx, data, &o);
            gbs_sample_info info = sample_info(p);
            double now[4] = {info.log_z, info.log_z_sd, info.gibbs_risk, info.train_error};
            size_t size = info.particles * info.d;
            if (k == 0) {
                theta = doubles(size);
                memcpy(theta, gbs_particles_draws(p), size * sizeof *theta);
                memcpy(first, now, sizeof first);
            }
            assert_true(same_bits(now, first, 4));
            assert_true(same_bits(gbs_particles_draws(p), theta, size));
            gbs_particles_free(p);
            gbs_data_free(data);
            gbs_context_free(ctx);
        }
        free(theta);
    }
    free_table(&t);
    free_table(&large);
}

/* Sparse rows with a shift give what dense ones give. Not to the bit: chains that are close part in
 * time, so few moves are made. */
static void sparse_rows_are_sampled_like_dense_ones(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 8);
    struct dice r = {25};
    struct design g = make_design(&r, 90, 7, true, 0);
    gbs_rows dense = g.rows;
    gbs_empirical *a_risk, *b_risk;
    dense.all.start = NULL;
    dense.all.shift = NULL;
    dense.all.dense = g.cells;
    dense.all.ld = 7;
    assert_ok(ctx, gbs_empirical_over_rows(ctx, &g.rows, &gbs_hinge, &a_risk));
    assert_ok(ctx, gbs_empirical_over_rows(ctx, &dense, &gbs_hinge, &b_risk));
    for (int ring = 0; ring < 2; ring++) {
        gbs_smc_result a, b;
        gbs_smc_options o = {.lambda = 3.0, .particles = 64, .ess = 0.5, .chains = 16, .moves = 1};
        o.move = ring ? GBS_MOVE_RING : GBS_MOVE_WALK;
        gbs_smc_problem p = {ctx, a_risk, 1.0, NULL}, q = {ctx, b_risk, 1.0, NULL};
        assert_ok(ctx, gbs_smc_run(&p, &o, &a));
        assert_ok(ctx, gbs_smc_run(&q, &o, &b));
        assert_int_equal(a.path_size, b.path_size);
        assert_close(a.path[a.path_size - 1].log_z, b.path[b.path_size - 1].log_z, 1e-9, 0.0);
        for (size_t k = 0; k < (size_t)64 * 7; k++)
            assert_close(a.theta[k], b.theta[k], 1e-6, 1e-8);
        gbs_smc_free(ctx, &a);
        gbs_smc_free(ctx, &b);
    }
    gbs_empirical_free(a_risk);
    gbs_empirical_free(b_risk);
    free_design(&g);
    gbs_context_free(ctx);
}

/* A wide prior under an exponential loss: no variational fit finds its way from there in a few
 * steps. The moves lean on the particles until one does, and the chains travel far enough to tell
 * how sure log Z is. With 20,000 particles and two other seeds the gap is 1.32 +- 0.13 and 1.08 +-
 * 0.11. */
static void references_that_miss_are_mended(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 12);
    struct table_of_numbers t = small_table(33, 150, 30);
    size_t particles = repeats(2000, 200);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings f = zero_prior_options();
    f.loss = GBS_LOSS_EXPONENTIAL;
    f.lambda = 150.0;
    f.prior_sd = 2.0;
    gbs_model *model = fit(ctx, data, &f);
    gbs_sample_settings o = gbs_sample_settings_default();
    gbs_particles *p;
    gbs_gap gap;
    o.particles = particles;
    assert_ok(ctx, gbs_sample_run_for(ctx, data, model, 0, &o, &p));
    assert_ok(ctx, measure_gap(ctx, data, model, p, &gap));
    print_message("# gap %.3f +- %.3f\n", gap.gap, gap.gap_sd);
    assert_close(gap.gap, 1.2, 0.0, 7.5 * gap.gap_sd + 0.5);
    if (!short_form()) { /* left out: so few particles are not that sure */
        assert_false(sample_info(p).log_z_sd_at_least);
        assert_true(gap.gap_sd < 0.5);
    }
    gbs_particles_free(p);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambda_zero_is_the_prior),
        cmocka_unit_test(a_constant_risk_is_one_jump),
        cmocka_unit_test(hard_cases_stay_finite),
        cmocka_unit_test(a_ladder_is_followed),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(sparse_rows_are_sampled_like_dense_ones),
        cmocka_unit_test(references_that_miss_are_mended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
