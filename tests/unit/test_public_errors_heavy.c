/* Test errors on the public data sets: of the default fit, which chooses everything itself, and of
 * fits under the zero prior with hyper-parameters by 5-fold cross-validation of the vote's error.
 *
 * Two such searches each: the default loss (zero-one) alone, over lambda; and zero-one and hinge
 * together, over lambda and prior_sd. (With zero-one loss and prior mean 0, theta and c theta err
 * alike, so prior_sd moves nothing but the scale of the posterior: there is nothing to choose.) A
 * cross-validated logistic regression has 25.1 % on german and 3.4 % on breast_complete.
 */
#include "unit/public_data.h"
#include "unit/zero_prior.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { FOLDS = 5, SPLITS = 8 };

struct choice {
    gbs_loss loss;
    double share; /* lambda over the number of rows */
    double prior_sd;
};

static const struct choice candidates[] = {
    {GBS_LOSS_ZERO_ONE, 0.125, 1.0}, {GBS_LOSS_ZERO_ONE, 0.25, 1.0}, {GBS_LOSS_ZERO_ONE, 0.5, 1.0},
    {GBS_LOSS_ZERO_ONE, 1.0, 1.0},   {GBS_LOSS_ZERO_ONE, 2.0, 1.0},  {GBS_LOSS_HINGE, 0.25, 0.1},
    {GBS_LOSS_HINGE, 0.25, 0.3},     {GBS_LOSS_HINGE, 0.25, 1.0},    {GBS_LOSS_HINGE, 1.0, 0.1},
    {GBS_LOSS_HINGE, 1.0, 0.3},      {GBS_LOSS_HINGE, 1.0, 1.0},
};
enum { DEFAULT_LOSS_ONLY = 5, BOTH_LOSSES = 11 };

/* NULL: the default fit, which chooses everything itself. */
static double error_with(gbs_context *ctx, const gbs_design *d, const size_t *train, size_t n_train,
                         const size_t *test, size_t n_test, const gbs_fit_settings *options) {
    struct picked a = public_pick(ctx, d, train, n_train), b = public_pick(ctx, d, test, n_test);
    gbs_model *model;
    gbs_evaluation *e;
    assert_int_equal(gbs_fit_run(ctx, a.data, options, &model), GBS_OK);
    assert_int_equal(gbs_model_evaluate(ctx, model, b.data, &e), GBS_OK);
    double error = e->error;
    gbs_evaluation_free(e);
    gbs_model_free(model);
    picked_free(&a);
    picked_free(&b);
    return error;
}

static double error_of(gbs_context *ctx, const gbs_design *d, const size_t *train, size_t n_train,
                       const size_t *test, size_t n_test, const struct choice *c,
                       double tolerance) {
    gbs_fit_settings options = zero_prior_options();
    options.loss = c->loss;
    options.lambda = c->share * (double)n_train;
    options.prior_sd = c->prior_sd;
    options.tolerance = tolerance;
    return error_with(ctx, d, train, n_train, test, n_test, &options);
}

/* Mean error of a candidate over stratified folds of the rows. */
static double cross_validated(gbs_context *ctx, const gbs_design *d, const size_t *rows, size_t n,
                              const struct choice *c) {
    size_t *train = calloc(n + 1, sizeof *train), *test = calloc(n + 1, sizeof *test);
    double wrong = 0.0;
    for (size_t fold = 0; fold < FOLDS; fold++) {
        size_t n_train = 0, n_test = 0, seen[2] = {0, 0};
        for (size_t i = 0; i < n; i++) {
            size_t rank = seen[d->y[rows[i]] > 0.0]++;
            if (rank % FOLDS == fold)
                test[n_test++] = rows[i];
            else
                train[n_train++] = rows[i];
        }
        wrong += (double)n_test * error_of(ctx, d, train, n_train, test, n_test, c, 1e-5);
    }
    free(train);
    free(test);
    return wrong / (double)n;
}

/* Test errors after the two searches, [0] zero-one alone, [1] both losses, and [2] of the default
 * fit. */
static void search(gbs_context *ctx, const gbs_design *d, const size_t *train, size_t n_train,
                   const size_t *test, size_t n_test, double error[3]) {
    size_t best = 0;
    double lowest = INFINITY;
    for (size_t k = 0; k < BOTH_LOSSES; k++) {
        double cv = cross_validated(ctx, d, train, n_train, &candidates[k]);
        if (cv < lowest - 1e-12) {
            lowest = cv;
            best = k;
        }
        if (k + 1 == DEFAULT_LOSS_ONLY)
            error[0] = error_of(ctx, d, train, n_train, test, n_test, &candidates[best], 1e-8);
    }
    error[1] = error_of(ctx, d, train, n_train, test, n_test, &candidates[best], 1e-8);
    error[2] = error_with(ctx, d, train, n_train, test, n_test, NULL);
}

/* The rows of `from`, those of one class at a time, shuffled by the seed of the split. */
static size_t shuffled_class(gbs_context *ctx, const gbs_design *d, double y, uint64_t split,
                             size_t *rows) {
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->y[i] == y)
            rows[n++] = i;
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)(gbs_random_uniform(ctx, 2 * split + (y > 0.0), i) * (double)i),
               t = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = t;
    }
    return n;
}

/* Mean errors over random stratified 75/25 splits. */
static void check_random_splits(const char *name, double most_zero_one, double most_both,
                                double most_default) {
    struct public_set set = {0};
    gbs_context *ctx;
    if (!public_load(name, NULL, &set))
        skip();
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    const gbs_design *d = &set.design;
    size_t *class_rows = calloc(d->n + 1, sizeof *class_rows),
           *train = calloc(d->n + 1, sizeof *train), *test = calloc(d->n + 1, sizeof *test);
    double mean[3] = {0.0, 0.0, 0.0};
    for (uint64_t split = 0; split < SPLITS; split++) {
        size_t n_train = 0, n_test = 0;
        for (int sign = -1; sign <= 1; sign += 2) {
            size_t n = shuffled_class(ctx, d, sign, split, class_rows);
            for (size_t i = 0; i < n; i++)
                if (4 * i < 3 * n)
                    train[n_train++] = class_rows[i];
                else
                    test[n_test++] = class_rows[i];
        }
        double error[3];
        search(ctx, d, train, n_train, test, n_test, error);
        mean[0] += error[0] / SPLITS;
        mean[1] += error[1] / SPLITS;
        mean[2] += error[2] / SPLITS;
    }
    print_message("%-28s test error %.2f %% (default fit), %.2f %% (zero-one), %.2f %% (loss "
                  "chosen too), mean of %d splits\n",
                  name, 100.0 * mean[2], 100.0 * mean[0], 100.0 * mean[1], (int)SPLITS);
    assert_true(mean[0] <= most_zero_one);
    assert_true(mean[1] <= most_both);
    assert_true(mean[2] <= most_default);
    free(class_rows);
    free(train);
    free(test);
    gbs_context_free(ctx);
    public_free(&set);
}

/* Sets that come with a split of their own. */
static void check_given_split(const char *train_name, const char *test_name, const char *positive,
                              double most_zero_one, double most_both, double most_default) {
    struct public_set train = {0}, test = {0};
    gbs_context *ctx;
    if (!public_load(train_name, positive, &train) || !public_load(test_name, positive, &test))
        skip();
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    size_t n = train.design.n, m = test.design.n, columns = train.design.d;
    gbs_design all = {.n = n + m, .d = columns, .stride = columns};
    double *cells = calloc((n + m) * columns + 1, sizeof *cells);
    size_t *rows = calloc(n + m + 1, sizeof *rows);
    all.y = calloc(n + m + 1, sizeof *all.y);
    for (size_t i = 0; i < n + m; i++) {
        const gbs_design *from = i < n ? &train.design : &test.design;
        size_t k = i < n ? i : i - n;
        memcpy(cells + i * columns, from->cells + k * from->stride, columns * sizeof *cells);
        all.y[i] = from->y[k];
        rows[i] = i;
    }
    all.cells = cells;
    double error[3];
    search(ctx, &all, rows, n, rows + n, m, error);
    print_message(
        "%-28s test error %.2f %% (default fit), %.2f %% (zero-one), %.2f %% (loss chosen too)\n",
        train_name, 100.0 * error[2], 100.0 * error[0], 100.0 * error[1]);
    assert_true(error[0] <= most_zero_one);
    assert_true(error[1] <= most_both);
    assert_true(error[2] <= most_default);
    free(cells);
    free(rows);
    free(all.y);
    gbs_context_free(ctx);
    public_free(&train);
    public_free(&test);
}

static void pima_error_is_low(void **state) {
    (void)state;
    /* the default fit learns from 133 of the 200 rows, and depends on which: 23.8 % here, 79 of 332
     * rows, of which one standard error is 2.3 %. 22 % is
     * not reached by zero-one under the zero prior: its error stays at 22.3 to 23.2 % for lambda
     * from n/8 to n, and at n/8, n/4, n/2, 3n/4 and n the best of 100 restarts has the annealed
     * free energy to 1e-8 */
    check_given_split("pima/train.csv", "pima/test.csv", NULL, 0.235, 0.22, 0.245);
}

static void dna_error_is_low(void **state) {
    (void)state;
    check_given_split("dna/train.csv", "dna/test.csv", "ie", 0.045, 0.045, 0.045);
}

static void german_error_is_low(void **state) {
    (void)state;
    /* the limits are within a standard error (0.6 %) of what is seen; two draws of 20 splits
     * gave 25.4 and 24.4 %. The default learns from two thirds of the rows */
    check_random_splits("german/german.csv", 0.255, 0.255, 0.265);
}

static void breast_error_is_low(void **state) {
    (void)state;
    check_random_splits("breast/breast_complete.csv", 0.035, 0.035, 0.037);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pima_error_is_low),
        cmocka_unit_test(dna_error_is_low),
        cmocka_unit_test(german_error_is_low),
        cmocka_unit_test(breast_error_is_low),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
