/* Sampling against the truth: quadrature in one and two dimensions, unbiasedness, standard errors,
 * a long chain of another make.
 *
 * Every seed is fixed. Where a test is statistical its limit lies 5 standard errors out
 * (unbiasedness, as its issue asks: 4), a false alarm in 10^6 seeds (10^4).
 */
#include "unit/smc_support.h"

static struct table_of_numbers rows_of(uint64_t seed, size_t n, size_t d) {
    struct dice r = {seed};
    return make_table(&r, n, d, 1.0, 1.0);
}

/* The rows as they are: theta of the tests is theta of the library. */
static gbs_sample_settings plain_options(gbs_loss loss, double lambda, size_t particles) {
    gbs_sample_settings o = gbs_sample_settings_default();
    o.loss = loss;
    o.lambda = lambda;
    o.particles = particles;
    o.scale = GBS_SCALE_NONE;
    o.intercept = 0;
    return o;
}

/* ---------------------------------------------------------------- quadrature */

struct truth {
    double log_z, risk, mean[2];
};

/* The midpoint rule on [-7, 7]^d for a standard normal prior; its error is far below the sampling
 * error. */
static struct truth integrate(gbs_task_kind task, gbs_loss loss, const struct table_of_numbers *t,
                              double lambda) {
    size_t points = t->d == 1 ? 40000 : 500, total = t->d == 1 ? points : points * points;
    double width = 14.0 / (double)points, mass = 0.0, z = 0.0, risk = 0.0, mean[2] = {0};
    for (size_t k = 0; k < total; k++) {
        size_t column = k % points, row = k / points;
        double theta[2] = {-7.0 + ((double)column + 0.5) * width,
                           -7.0 + ((double)row + 0.5) * width};
        double square = theta[0] * theta[0] + (t->d == 2 ? theta[1] * theta[1] : 0.0),
               prior = exp(-0.5 * square);
        double r = (task == GBS_TASK_RANK ? plain_pair_risk : plain_risk)(loss, t->n, t->d, t->x,
                                                                          t->y, theta);
        double w = prior * exp(-lambda * r);
        mass += prior;
        z += w;
        risk += w * r;
        mean[0] += w * theta[0];
        mean[1] += w * theta[1];
    }
    return (struct truth){log(z / mass), risk / z, {mean[0] / z, mean[1] / z}};
}

static void check_against_quadrature(gbs_task_kind task, size_t d, gbs_loss loss, bool classic) {
    enum { N = 8192 };
    struct table_of_numbers t = rows_of(40 + d, 15, d);
    struct truth truth = integrate(task, loss, &t, 12.0);
    gbs_context *ctx = new_context(2, 100 + loss);
    gbs_data *data = dense_data(ctx, &t);
    gbs_sample_settings o = plain_options(loss, 12.0, N);
    o.task = task;
    o.classic = classic;
    o.moves = classic ? 10 : 0;
    gbs_particles *p;
    double mean[2] = {0}, covariance[4];
    assert_ok(ctx, gbs_sample_run(ctx, data, &o, &p));
    const gbs_sample_info *info = gbs_particles_get_info(p);
    gbs_particles_moments(p, mean, covariance);
    print_message(
        "# %s d %zu %-11s %-10s log Z %.4f +- %.4f, truth %.4f; risk %.4f +- %.4f, truth %.4f\n",
        gbs_task_name(task), d, gbs_loss_name(loss), classic ? "classic" : "waste-free",
        info->log_z, info->log_z_sd, truth.log_z, info->gibbs_risk, info->gibbs_risk_sd,
        truth.risk);
    assert_close(info->log_z, truth.log_z, 0.0, 5.0 * info->log_z_sd + 1e-3);
    assert_true(info->log_z_sd < 0.05);
    assert_close(info->gibbs_risk, truth.risk, 0.0, 5.0 * info->gibbs_risk_sd + 1e-3);
    for (size_t k = 0; k < d; k++) /* at least a sixteenth of the particles is effective */
        assert_close(mean[k], truth.mean[k], 0.0, 5.0 * sqrt(covariance[k * d + k] * 16.0 / N));
    gbs_particles_free(p);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

static void log_z_and_moments_agree_with_quadrature(void **state) {
    (void)state;
    for (int task = 0; task < 2; task++)
        for (size_t d = 1; d <= 2; d++)
            for (size_t l = 0; l < COUNT(all_losses); l++)
                for (int classic = 0; classic < 2; classic++)
                    check_against_quadrature(task == 0 ? GBS_TASK_CLASSIFY : GBS_TASK_RANK, d,
                                             all_losses[l], classic != 0);
}

/* ---------------------------------------------------------------- many runs */

struct runs {
    double z[200], log_z[200], reported; /* root mean square of the reported errors */
    size_t count;
};

static struct runs repeat(const struct table_of_numbers *t, const gbs_sample_settings *o,
                          size_t count, uint64_t seed) {
    struct runs r = {.count = count};
    for (size_t k = 0; k < count; k++) {
        gbs_context *ctx = new_context(1, seed + k);
        gbs_data *data = dense_data(ctx, t);
        gbs_particles *p;
        assert_ok(ctx, gbs_sample_run(ctx, data, o, &p));
        const gbs_sample_info *info = gbs_particles_get_info(p);
        r.log_z[k] = info->log_z;
        r.reported += info->log_z_sd * info->log_z_sd / (double)count;
        gbs_particles_free(p);
        gbs_data_free(data);
        gbs_context_free(ctx);
    }
    r.reported = sqrt(r.reported);
    return r;
}

static void mean_and_sd(const double *x, size_t n, double *mean, double *sd) {
    double sum = 0.0, square = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (x[i] - sum) * (x[i] - sum) / (double)(n - 1);
    *mean = sum;
    *sd = sqrt(square);
}

/* E[Z] = Z with a fixed ladder, for few particles: 200 runs, 4 standard errors. */
static void z_is_unbiased_on_a_fixed_ladder(void **state) {
    (void)state;
    static const double ladder[] = {2.0, 6.0, 15.0};
    struct table_of_numbers t = rows_of(42, 15, 2);
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (int classic = 0; classic < 2; classic++) {
            struct truth truth = integrate(GBS_TASK_CLASSIFY, all_losses[l], &t, 15.0);
            gbs_sample_settings o = plain_options(all_losses[l], -1.0, 64);
            o.ladder = ladder;
            o.ladder_size = 3;
            o.classic = classic;
            struct runs r = repeat(&t, &o, 200, 2000 * (l + 1) + 1000 * (size_t)classic);
            double mean, sd;
            for (size_t k = 0; k < r.count; k++)
                r.z[k] = exp(r.log_z[k] - truth.log_z);
            mean_and_sd(r.z, r.count, &mean, &sd);
            print_message(
                "# %-11s %-10s mean of Z/truth over 200 runs of 64 particles: %.4f +- %.4f\n",
                gbs_loss_name(all_losses[l]), classic ? "classic" : "waste-free", mean,
                sd / sqrt(200.0));
            assert_close(mean, 1.0, 0.0, 4.0 * sd / sqrt(200.0));
        }
    free_table(&t);
}

/* The error that one run reports is within a factor 1.5 of the spread of 100 runs. */
static void the_reported_error_is_the_spread(void **state) {
    (void)state;
    struct table_of_numbers t = rows_of(43, 60, 5);
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (int classic = 0; classic < 2; classic++) {
            gbs_sample_settings o = plain_options(all_losses[l], 40.0, 500);
            o.classic = classic;
            o.moves = classic ? 10 : 0;
            struct runs r = repeat(&t, &o, 100, 1);
            double mean, sd;
            mean_and_sd(r.log_z, r.count, &mean, &sd);
            print_message(
                "# %-11s %-10s log Z over 100 runs: spread %.4f, reported %.4f, ratio %.2f\n",
                gbs_loss_name(all_losses[l]), classic ? "classic" : "waste-free", sd, r.reported,
                r.reported / sd);
            assert_true(r.reported < 1.5 * sd && sd < 1.5 * r.reported);
        }
    free_table(&t);
}

/* ---------------------------------------------------------------- another sampler */

enum { D = 10, BATCHES = 50 };

struct chain {
    double mean[D], covariance[D * D], error[D]; /* error: of the mean, by batches */
};

/* A plain random walk on hinge loss, one theta at a time. step: standard deviations of the
 * proposal. */
static struct chain walk(const struct table_of_numbers *t, double lambda, const double *step,
                         size_t length, uint64_t seed) {
    struct dice r = {seed};
    struct chain c = {0};
    double theta[D] = {0}, batch[D] = {0}, square[D] = {0},
           here = -lambda * plain_risk(GBS_LOSS_HINGE, t->n, t->d, t->x, t->y, theta);
    size_t size = length / BATCHES;
    for (size_t i = 0; i < length; i++) {
        double next[D], there = 0.0;
        for (size_t k = 0; k < D; k++) {
            next[k] = theta[k] + step[k] * dice_normal(&r);
            there -= 0.5 * next[k] * next[k];
        }
        there -= lambda * plain_risk(GBS_LOSS_HINGE, t->n, t->d, t->x, t->y, next);
        if (log(dice_uniform(&r)) < there - here) {
            here = there;
            memcpy(theta, next, sizeof theta);
        }
        for (size_t k = 0; k < D; k++) {
            batch[k] += theta[k] / (double)size;
            for (size_t j = 0; j < D; j++)
                c.covariance[k * D + j] += theta[k] * theta[j] / (double)length;
        }
        if ((i + 1) % size == 0)
            for (size_t k = 0; k < D; k++) {
                c.mean[k] += batch[k] / BATCHES;
                square[k] += batch[k] * batch[k] / BATCHES;
                batch[k] = 0.0;
            }
    }
    for (size_t k = 0; k < D; k++) {
        c.error[k] = sqrt((square[k] - c.mean[k] * c.mean[k]) / (BATCHES - 1));
        for (size_t j = 0; j < D; j++)
            c.covariance[k * D + j] -= c.mean[k] * c.mean[j];
    }
    return c;
}

static void the_hinge_posterior_is_that_of_a_long_chain(void **state) {
    (void)state;
    struct table_of_numbers t = rows_of(44, 30, D);
    double step[D];
    for (size_t k = 0; k < D; k++)
        step[k] = 0.3;
    struct chain pilot = walk(&t, 30.0, step, 20000, 1);
    for (size_t k = 0; k < D; k++)
        step[k] = 0.6 * sqrt(pilot.covariance[k * D + k]);
    struct chain chain = walk(&t, 30.0, step, 300000, 2);
    gbs_context *ctx = new_context(2, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_sample_settings o = plain_options(GBS_LOSS_HINGE, 30.0, 10000);
    gbs_particles *p;
    double mean[D], covariance[D * D], furthest = 0.0, widest = 0.0;
    assert_ok(ctx, gbs_sample_run(ctx, data, &o, &p));
    gbs_particles_moments(p, mean, covariance);
    for (size_t k = 0; k < D; k++) {
        double sd = sqrt(chain.covariance[k * D + k]),
               error = hypot(chain.error[k], sd * sqrt(4.0 / 10000.0));
        furthest = fmax(furthest, fabs(mean[k] - chain.mean[k]) / error);
        for (size_t j = 0; j < D; j++) {
            double scale = sd * sqrt(chain.covariance[j * D + j]);
            widest = fmax(widest,
                          fabs(covariance[k * D + j] - chain.covariance[k * D + j]) / scale);
        }
    }
    print_message(
        "# means differ by at most %.2f standard errors, covariances by %.3f of their scale\n",
        furthest, widest);
    assert_at_most(furthest, 5.0);
    /* some 2000 effective draws in the chain, more among the particles */
    assert_at_most(widest, 5.0 * sqrt(2.0 / 2000.0));
    gbs_particles_free(p);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_z_and_moments_agree_with_quadrature),
        cmocka_unit_test(z_is_unbiased_on_a_fixed_ladder),
        cmocka_unit_test(the_reported_error_is_the_spread),
        cmocka_unit_test(the_hinge_posterior_is_that_of_a_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
