/* The sampler's law on a tiny problem against a long chain of another kind: random-walk Metropolis,
 * one coordinate at a time, on the joint density written out below. Two-sample test of 14 means,
 * 100 batch means each, 5 standard errors: with Student's 99 degrees of freedom a false alarm in
 * 30,000 runs; the seeds are fixed. (test_complete.c tests the same sampler against its prior, by
 * successive conditional simulation.) */
#include "completion_support.h"

#include "completion/gibbs.h"

enum {
    ROWS = 3,
    COLUMNS = 2,
    N = 7,
    STATISTICS = 14,
    BATCHES = 100,
    LENGTH = 4000,
    BURN_IN = 2000
};

static const uint32_t row[N] = {0, 0, 0, 1, 1, 2, 2}, column[N] = {0, 0, 1, 0, 1, 0, 1};
static const double y[N] = {3.1, 2.6, 1.2, 0.4, 2.9, 1.7, 2.2};
static const gbs_completion_prior prior = {.shape = 6.0,
                                           .scale = 3.0,
                                           .bias_scale = 2.0,
                                           .mean = 1.5,
                                           .variance = 0.7,
                                           .noise_shape = 5.0,
                                           .noise_scale = 2.0};

/* All unknowns: u, a of rows; v, b of columns; mu; logs of the precisions of the factors, of row
 * biases, of column biases, of the noise. */
enum {
    U = 0,
    A = U + ROWS,
    V = A + ROWS,
    B = V + COLUMNS,
    MU = B + COLUMNS,
    FACTORS,
    ROW_BIASES,
    COLUMN_BIASES,
    NOISE,
    UNKNOWNS
};

static double cell(const double *x, size_t i, size_t j) {
    return x[MU] + x[A + i] + x[B + j] + x[U + i] * x[V + j];
}

/* Of log w, w ~ Gamma(shape, rate). */
static double log_precision_density(double log_w, double shape, double rate) {
    return shape * log_w - rate * exp(log_w);
}

static double log_density(const double *x) {
    double sum = -0.5 * (x[MU] - prior.mean) * (x[MU] - prior.mean) / prior.variance;
    sum += log_precision_density(x[FACTORS], prior.shape, prior.scale);
    sum += log_precision_density(x[ROW_BIASES], prior.shape, prior.bias_scale);
    sum += log_precision_density(x[COLUMN_BIASES], prior.shape, prior.bias_scale);
    sum += log_precision_density(x[NOISE], prior.noise_shape, prior.noise_scale);
    double factors = 0.0, rows = 0.0, columns = 0.0, error = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        factors += x[U + i] * x[U + i];
        rows += x[A + i] * x[A + i];
    }
    for (size_t j = 0; j < COLUMNS; j++) {
        factors += x[V + j] * x[V + j];
        columns += x[B + j] * x[B + j];
    }
    for (size_t e = 0; e < N; e++)
        error += (y[e] - cell(x, row[e], column[e])) * (y[e] - cell(x, row[e], column[e]));
    sum += 0.5 * ((ROWS + COLUMNS) * x[FACTORS] - exp(x[FACTORS]) * factors);
    sum += 0.5 * (ROWS * x[ROW_BIASES] - exp(x[ROW_BIASES]) * rows);
    sum += 0.5 * (COLUMNS * x[COLUMN_BIASES] - exp(x[COLUMN_BIASES]) * columns);
    return sum + 0.5 * (N * x[NOISE] - exp(x[NOISE]) * error);
}

struct means {
    double batch[STATISTICS][BATCHES];
    size_t seen;
};

/* The signs of u and v are not told apart by the ratings: everything here is blind to them. */
static void look(struct means *m, const double *x) {
    double theta[4] = {cell(x, 0, 0), cell(x, 1, 1), cell(x, 2, 0), x[U + 1] * x[V]};
    double values[STATISTICS] = {theta[0],
                                 theta[1],
                                 theta[2],
                                 theta[0] * theta[0],
                                 theta[1] * theta[1],
                                 theta[3],
                                 x[MU],
                                 x[MU] * x[MU],
                                 x[A] * x[A],
                                 x[U + 2] * x[U + 2],
                                 x[V] * x[V],
                                 x[FACTORS],
                                 x[ROW_BIASES],
                                 x[NOISE]};
    for (int s = 0; s < STATISTICS; s++)
        m->batch[s][m->seen / LENGTH] += values[s] / LENGTH;
    m->seen++;
}

static gbs_status visit(void *user, const gbs_factors *f, size_t draw) {
    double x[UNKNOWNS];
    (void)draw;
    for (size_t i = 0; i < ROWS; i++) {
        x[U + i] = f->side[0].mean[i * 2];
        x[A + i] = f->side[0].mean[i * 2 + 1];
    }
    for (size_t j = 0; j < COLUMNS; j++) {
        x[V + j] = f->side[1].mean[j * 2];
        x[B + j] = f->side[1].mean[j * 2 + 1];
    }
    x[MU] = f->mu + f->ratings->center;
    x[FACTORS] = log(f->side[0].weight[0]);
    x[ROW_BIASES] = log(f->side[0].weight[1]);
    x[COLUMN_BIASES] = log(f->side[1].weight[1]);
    x[NOISE] = log(f->tau);
    look(user, x);
    return GBS_OK;
}

static void metropolis(struct means *m) {
    struct dice dice = {771};
    double x[UNKNOWNS] = {0}, density;
    x[MU] = 2.0;
    density = log_density(x);
    for (size_t t = 0; t < BURN_IN + (size_t)BATCHES * LENGTH; t++) {
        for (size_t k = 0; k < UNKNOWNS; k++) {
            double old = x[k];
            x[k] += dice_normal(&dice);
            double proposed = log_density(x);
            if (log(dice_uniform(&dice)) < proposed - density)
                density = proposed;
            else
                x[k] = old;
        }
        if (t >= BURN_IN)
            look(m, x);
    }
}

static void mean_and_error(const double *batch, double *mean, double *variance) {
    double squares = 0.0;
    *mean = 0.0;
    for (int b = 0; b < BATCHES; b++)
        *mean += batch[b] / BATCHES;
    for (int b = 0; b < BATCHES; b++)
        squares += (batch[b] - *mean) * (batch[b] - *mean);
    *variance = squares / (BATCHES - 1.0) / BATCHES;
}

static void sampler_and_metropolis_agree(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    gbs_ratings *r;
    gbs_factors f;
    struct means *gibbs = take(1, sizeof *gibbs), *walk = take(1, sizeof *walk);
    assert_int_equal(gbs_ratings_create(ctx, N, ROWS, COLUMNS, row, column, y, NULL, NULL, &r),
                     GBS_OK);
    assert_int_equal(gbs_factors_create(ctx, r, 1, true, &prior, &f), GBS_OK);
    f.learn_noise = true;
    gbs_factors_start(&f, 0.5, 0.8, 1);
    assert_int_equal(gbs_gibbs_run(&f, BURN_IN, (size_t)BATCHES * LENGTH, visit, gibbs), GBS_OK);
    metropolis(walk);
    double largest = 0.0;
    for (int s = 0; s < STATISTICS; s++) {
        double mean[2], variance[2];
        mean_and_error(gibbs->batch[s], &mean[0], &variance[0]);
        mean_and_error(walk->batch[s], &mean[1], &variance[1]);
        double z = fabs(mean[0] - mean[1]) / sqrt(variance[0] + variance[1]);
        largest = fmax(largest, z);
        if (!(z < 5.0))
            print_error("statistic %d: %.5f against %.5f, %.1f standard errors apart\n", s, mean[0],
                        mean[1], z);
        assert_true(z < 5.0);
        /* the comparison is worth something: both know the mean to a twentieth of a unit or better
         */
        assert_true(sqrt(variance[0] + variance[1]) < 0.05);
    }
    print_message("14 means of Gibbs and Metropolis: at most %.2f standard errors apart\n",
                  largest);
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    gbs_context_free(ctx);
    free(gibbs), free(walk);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sampler_and_metropolis_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
