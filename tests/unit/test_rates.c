/* Bounds on precision, recall, F1 and cost: against sums over all outcomes, and by simulation. */
#include "unit/support.h"

#include "core/random.h"

/* P(Bin(n, p) = k) by Pascal's rule, in a way that shares nothing with the library. */
static double mass(size_t k, size_t n, double p) {
    double row[64] = {1.0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j-- > 0;) {
            row[j + 1] += p * row[j];
            row[j] *= 1.0 - p;
        }
    return row[k];
}

/* The smallest p with P(Bin(n, p) >= k) >= delta. */
static double lower_by_bisection(size_t k, size_t n, double delta) {
    double low = 0.0, high = 1.0;
    for (int step = 0; step < 60; step++) {
        double p = 0.5 * (low + high), tail = 0.0;
        for (size_t j = k; j <= n; j++)
            tail += mass(j, n, p);
        *(tail >= delta ? &high : &low) = p;
    }
    return high;
}

static void lower_bounds_are_those_of_the_definition(void **state) {
    (void)state;
    for (size_t n = 1; n <= 25; n += 4)
        for (size_t k = 0; k <= n; k++)
            for (double confidence = 0.5; confidence < 1.0; confidence += 0.15) {
                double p = gbs_binomial_lower(k, n, confidence),
                       q = k > 0 ? lower_by_bisection(k, n, 1.0 - confidence) : 0.0;
                assert_close(p, q, 1e-11, 1e-11);
                assert_true(p <= (double)k / (double)n);
                /* q may be any share: F1 = 2 TP/(2 TP + FP + FN) for TP = q, FP + FN = 1 - q */
                assert_close(gbs_f1_lower(k, n - k, confidence), 2.0 * q / (2.0 * q + (1.0 - q)),
                             1e-11, 1e-11);
            }
}

static void ends_and_arguments_out_of_range(void **state) {
    (void)state;
    assert_true(gbs_binomial_lower(0, 0, 0.95) == 0.0 && gbs_f1_lower(0, 0, 0.95) == 0.0);
    assert_close(gbs_binomial_lower(10, 10, 0.95), pow(0.05, 0.1), 1e-12, 1e-12);
    assert_true(isnan(gbs_binomial_lower(3, 2, 0.95)) && isnan(gbs_binomial_lower(1, 2, 1.0)));
    assert_true(isnan(gbs_f1_lower(1, 2, 0.0)));
    assert_close(gbs_cost_upper(0, 0, 0, 5.0, 1.0, 0.95), 5.0, 1e-12, 1e-12);
    /* costs alike: the error */
    assert_close(gbs_cost_upper(3, 4, 50, 2.0, 2.0, 0.95), 2.0 * gbs_binomial_upper(7, 50, 0.95),
                 1e-12, 1e-12);
    assert_close(gbs_cost_upper(3, 4, 50, 5.0, 1.0, 0.9),
                 gbs_binomial_upper(7, 50, 0.95) + 4.0 * gbs_binomial_upper(3, 50, 0.95), 1e-12,
                 1e-12);
    assert_close(gbs_cost_upper(4, 3, 50, 1.0, 5.0, 0.9),
                 gbs_binomial_upper(7, 50, 0.95) + 4.0 * gbs_binomial_upper(3, 50, 0.95), 1e-12,
                 1e-12);
    assert_true(isnan(gbs_cost_upper(3, 4, 6, 1.0, 1.0, 0.9)));
    assert_true(isnan(gbs_cost_upper(3, 4, 9, 0.0, 1.0, 0.9)));
    assert_true(isnan(gbs_cost_upper(3, 4, 9, 1.0, INFINITY, 0.9)));
    assert_true(isnan(gbs_cost_upper(3, 4, 9, 1.0, 1.0, NAN)));
}

static void many_costs_are_layers_of_two(void **state) {
    (void)state;
    static const double cost[] = {1.0, 2.5, 7.0}, falling[] = {2.0, 1.0}, zero[] = {0.0, 1.0};
    static const size_t rows[] = {6, 3, 2};
    assert_close(gbs_mean_cost_upper(3, cost, rows, 80, 0.85),
                 gbs_binomial_upper(11, 80, 0.95) + 1.5 * gbs_binomial_upper(5, 80, 0.95) +
                     4.5 * gbs_binomial_upper(2, 80, 0.95),
                 1e-12, 1e-12);
    assert_true(gbs_mean_cost_upper(2, cost, rows, 80, 0.9) ==
                gbs_cost_upper(3, 6, 80, 2.5, 1.0, 0.9));
    assert_true(gbs_mean_cost_upper(3, cost, (const size_t[3]){0}, 0, 0.9) == 7.0);
    assert_true(gbs_mean_cost_upper(3, cost, (const size_t[3]){0, 0, 9}, 9, 0.9) == 7.0);
    assert_true(isnan(gbs_mean_cost_upper(3, cost, rows, 10, 0.9)));
    assert_true(isnan(gbs_mean_cost_upper(2, falling, rows, 80, 0.9)));
    assert_true(isnan(gbs_mean_cost_upper(2, zero, rows, 80, 0.9)));
    assert_true(isnan(gbs_mean_cost_upper(3, cost, rows, 80, 1.0)));
    assert_true(isnan(gbs_mean_cost_upper(0, cost, rows, 80, 0.9)));
    assert_true(isnan(gbs_mean_cost_upper(3, NULL, rows, 80, 0.9)));
}

/* What is true of labels, and how often each bound was wrong. */
struct truth {
    double tp, fp, fn; /* probabilities; the rest is TN */
};

enum { PRECISION, RECALL, F1, COST, RATES };

static void judge(const struct truth *t, size_t tp, size_t fp, size_t fn, size_t n,
                  double confidence, bool wrong[RATES]) {
    double f1 = 2.0 * t->tp / (2.0 * t->tp + t->fp + t->fn), cost = 5.0 * t->fn + t->fp;
    wrong[PRECISION] = gbs_binomial_lower(tp, tp + fp, confidence) > t->tp / (t->tp + t->fp);
    wrong[RECALL] = gbs_binomial_lower(tp, tp + fn, confidence) > t->tp / (t->tp + t->fn);
    wrong[F1] = gbs_f1_lower(tp, fp + fn, confidence) > f1;
    wrong[COST] = gbs_cost_upper(fn, fp, n, 5.0, 1.0, confidence) < cost;
}

static const struct truth truths[] = {
    {0.4, 0.05, 0.1}, {0.02, 0.03, 0.01}, {0.05, 0.3, 0.15}, {0.6, 0.2, 0.1}, {0.01, 0.001, 0.3}};

/* Every outcome of 14 rows with its probability: no bound may be wrong more often than it says. */
static void each_holds_as_often_as_it_says(void **state) {
    (void)state;
    enum { N = 14 };
    for (size_t k = 0; k < COUNT(truths); k++)
        for (double confidence = 0.5; confidence < 0.96; confidence += 0.15) {
            const struct truth *t = &truths[k];
            double said = t->tp + t->fp + t->fn, chance[RATES] = {0.0}, all = 0.0;
            for (size_t any = 0; any <= N; any++)
                for (size_t tp = 0; tp <= any; tp++)
                    for (size_t fp = 0; fp <= any - tp; fp++) {
                        bool wrong[RATES];
                        double p = mass(any, N, said) * mass(tp, any, t->tp / said) *
                                   mass(fp, any - tp, t->fp / (t->fp + t->fn));
                        judge(t, tp, fp, any - tp - fp, N, confidence, wrong);
                        all += p;
                        for (int r = 0; r < RATES; r++)
                            chance[r] += wrong[r] ? p : 0.0;
                    }
            assert_close(all, 1.0, 1e-9, 1e-9);
            for (int r = 0; r < RATES; r++)
                assert_true(chance[r] <= 1.0 - confidence + 1e-9);
        }
}

/* 200 rows, drawn; 5 standard deviations above what is promised: over 4 rates and 5 truths the
 * chance of a false alarm is below 20 * 3e-7. */
static void simulated_rows_agree(void **state) {
    (void)state;
    enum { ROWS = 200 };
    size_t runs = repeats(4000, 100);
    size_t limit = most_failures(runs, 0.1);
    for (size_t k = 0; k < COUNT(truths); k++) {
        size_t failures[RATES] = {0};
        for (size_t run = 0; run < runs; run++) {
            size_t count[3] = {0};
            bool wrong[RATES];
            for (size_t i = 0; i < ROWS; i++) {
                double u = gbs_uniform(11 + k, 3, run * ROWS + i);
                const struct truth *t = &truths[k];
                if (u < t->tp)
                    count[0]++;
                else if (u < t->tp + t->fp)
                    count[1]++;
                else if (u < t->tp + t->fp + t->fn)
                    count[2]++;
            }
            judge(&truths[k], count[0], count[1], count[2], ROWS, 0.9, wrong);
            for (int r = 0; r < RATES; r++)
                failures[r] += wrong[r];
        }
        for (int r = 0; r < RATES; r++)
            assert_true(failures[r] <= limit);
        /* and it is no idle bound: precision fails now and then */
        if (runs > 1000 && k == 0)
            assert_true(failures[PRECISION] > 0 && failures[F1] > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_bounds_are_those_of_the_definition),
        cmocka_unit_test(ends_and_arguments_out_of_range),
        cmocka_unit_test(many_costs_are_layers_of_two),
        cmocka_unit_test(each_holds_as_often_as_it_says),
        cmocka_unit_test(simulated_rows_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
