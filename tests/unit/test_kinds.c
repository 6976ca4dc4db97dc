/* Few kinds of rows in an order that is not random (docs/maths.md, 11.2): what is said of the order
 * against all orders, counted; of files in random order it is not said; a fit says so. */
#include "data/kinds.h"
#include "data/rows.h"
#include "model/model.h"
#include "unit/support.h"

static gbs_hash hash_of(size_t kind) {
    return (gbs_hash){.low = kind + 1, .high = 7 * kind};
}

static gbs_kinds kinds_of(size_t n, const size_t *kind) {
    gbs_kinds k = {0};
    for (size_t i = 0; i < n; i++)
        gbs_kinds_add(&k, hash_of(kind[i]));
    return k;
}

/* Every set of `count` places of n, as bits. */
static void tails_are_those_of_all_orders(void **state) {
    (void)state;
    enum { N = 12 };
    for (size_t count = 1; count <= N; count++) {
        size_t orders = 0, with[N + 1] = {0};
        for (unsigned places = 0; places < 1U << N; places++) {
            if ((size_t)__builtin_popcount(places) != count)
                continue;
            orders++;
            with[__builtin_popcount(places & ~(places << 1))]++;
        }
        size_t most = count < N - count + 1 ? count : N - count + 1;
        for (size_t runs = 1; runs <= most; runs++) {
            size_t down = 0, up = 0;
            for (size_t r = 0; r <= N; r++) {
                down += r <= runs ? with[r] : 0;
                up += r >= runs ? with[r] : 0;
            }
            bool below = (double)(runs * N) <= (double)(count * (N - count + 1));
            assert_close(gbs_runs_tail(N, count, runs),
                         (double)(below ? down : up) / (double)orders, 1e-11, 0.0);
        }
    }
}

/* 1 / P(two files are the same table), of two kinds by its sum, of many rows of four by the
 * product that it tends to. */
static void tables_are_counted(void **state) {
    (void)state;
    for (size_t n = 20; n <= 500; n += 60) {
        double p = 0.3, same = 0.0;
        for (size_t c = 0; c <= n; c++) {
            double term = lgamma((double)n + 1.0) - lgamma((double)c + 1.0) -
                          lgamma((double)(n - c) + 1.0) + (double)c * log(p) +
                          (double)(n - c) * log(1.0 - p);
            same += exp(2.0 * term);
        }
        size_t kind[500] = {0};
        for (size_t i = 0; i < n; i++)
            kind[i] = i % 10 < 3;
        gbs_kinds k = kinds_of(n, kind);
        assert_close(gbs_kinds_tables(&k), -log(same), 0.0, 0.03);
    }
    gbs_kinds many = {0};
    for (size_t i = 0; i <= GBS_FEW_KINDS; i++) {
        assert_true(isfinite(gbs_kinds_tables(&many)));
        gbs_kinds_add(&many, hash_of(i));
    }
    assert_true(gbs_kinds_tables(&many) > 1e300);
}

enum order { SORTED, ALTERNATING, SHUFFLED };

/* n rows of so many kinds, each a little rarer than the one before. */
static void make_order(struct dice *r, size_t n, size_t kinds, enum order order, size_t *kind) {
    size_t at = 0;
    for (size_t k = 0; k < kinds; k++)
        for (size_t c = 0; at < n && (k + 1 == kinds || c < n / (k + 2)); c++)
            kind[at++] = k;
    for (size_t i = 0; order == ALTERNATING && i < n; i++)
        kind[i] = i % kinds;
    for (size_t i = n; order == SHUFFLED && i > 1; i--) {
        size_t j = (size_t)((double)i * dice_uniform(r)), t = kind[i - 1];
        kind[i - 1] = kind[j];
        kind[j] = t;
    }
}

/* False alarms: 1 in 1,000 files at most, and 5 sigma. */
static void random_order_is_random(void **state) {
    (void)state;
    size_t rounds = repeats(20000, 2000), kind[300], alarms = 0;
    struct dice r = {77};
    for (size_t round = 0; round < rounds; round++) {
        size_t n = 10 + round % 290, kinds = 1 + round % 5;
        make_order(&r, n, kinds, SHUFFLED, kind);
        gbs_kinds k = kinds_of(n, kind);
        alarms += gbs_kinds_sorted(&k);
    }
    assert_at_most((double)alarms, (double)most_failures(rounds, 1e-3));
}

static void other_orders_are_found(void **state) {
    (void)state;
    static const size_t sizes[] = {15, 19, 42, 100, 1000, 100000};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t kinds = 2; kinds <= 3; kinds++)
            for (enum order order = SORTED; order <= ALTERNATING; order++) {
                size_t n = sizes[s], *kind = take(n, sizeof *kind);
                make_order(NULL, n, kinds, order, kind);
                gbs_kinds k = kinds_of(n, kind);
                if (order == SORTED || n >= 50 * (kinds - 1)) /* fewer alternate by chance */
                    assert_int_equal(gbs_kinds_sorted(&k), gbs_kinds_tables(&k) < log(1e6));
                free(kind);
            }
    size_t kind[400];
    for (size_t i = 0; i < COUNT(kind); i++) /* many tables: the hash stands for chance */
        kind[i] = 6 * i / COUNT(kind);
    gbs_kinds k = kinds_of(400, kind);
    assert_false(gbs_kinds_sorted(&k));
}

/* ---------------------------------------------------------------- fits */

enum { N = 60 };

/* A contingency table of 2 x 2, a row a case: sorted, or by dealing. */
static gbs_data *contingency(gbs_context *ctx, bool sorted) {
    static const size_t cell[4] = {21, 9, 13, 17};
    size_t kind[N], at = 0;
    struct dice r = {5};
    double x[N], y[N];
    gbs_data *data;
    for (size_t k = 0; k < 4; k++)
        for (size_t c = 0; c < cell[k]; c++)
            kind[at++] = k;
    for (size_t i = N; !sorted && i > 1; i--) {
        size_t j = (size_t)((double)i * dice_uniform(&r)), t = kind[i - 1];
        kind[i - 1] = kind[j];
        kind[j] = t;
    }
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)(kind[i] / 2);
        y[i] = kind[i] % 2 == 0 ? -1.0 : 1.0;
    }
    assert_ok(ctx, gbs_data_dense(ctx, N, 1, x, 1, y, GBS_COPY, &data));
    return data;
}

static void check_lines(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                        bool valid) {
    gbs_model *model = fit(ctx, data, o);
    size_t count;
    const gbs_certificate *c = certificates_of(model, &count);
    assert_true(count > 0);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(c[k].valid, valid);
        assert_int_equal((c[k].assumptions & GBS_BROKEN_ORDER) == 0, valid);
    }
    gbs_model_free(model);
}

static void a_sorted_table_is_conditional(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_data *sorted = contingency(ctx, true), *dealt = contingency(ctx, false);
    for (int way = 0; way < 4; way++) {
        gbs_fit_settings o = gbs_fit_settings_default();
        o.bound = way == 1 ? GBS_BOUND_PROGRESSIVE : way == 2 ? GBS_BOUND_CATONI : GBS_BOUND_AUTO;
        o.task = way == 3 ? GBS_TASK_RANK : GBS_TASK_CLASSIFY;
        check_lines(ctx, sorted, &o, false);
        check_lines(ctx, dealt, &o, true);
    }
    gbs_fit_settings o = gbs_fit_settings_default();
    o.order = GBS_ORDER_TIME; /* rests on no order that is drawn */
    check_lines(ctx, sorted, &o, true);
    o = gbs_fit_settings_default();
    o.prior = GBS_PRIOR_ZERO; /* nor does one posterior of all rows */
    o.scale = GBS_SCALE_NONE;
    check_lines(ctx, sorted, &o, true);
    o.task = GBS_TASK_RANK; /* but pairs drawn of them */
    o.sampled_pairs = 100;
    check_lines(ctx, sorted, &o, false);
    check_lines(ctx, dealt, &o, true);
    gbs_data_free(sorted);
    gbs_data_free(dealt);
    gbs_context_free(ctx);
}

/* Rows of one group are alike and stand together: groups count, by all of their rows. */
static void groups_are_units(void **state) {
    (void)state;
    enum { ROWS = 3 * N };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {6};
    double x[ROWS], y[ROWS];
    uint64_t group[ROWS];
    for (int sorted = 0; sorted < 2; sorted++) {
        for (size_t g = 0; g < N; g++) {
            double label = sorted ? (g < N / 2 ? -1.0 : 1.0) : dice_uniform(&r) < 0.5 ? -1.0 : 1.0;
            for (size_t k = 0; k < 3; k++) {
                x[3 * g + k] = (double)k;
                y[3 * g + k] = label;
                group[3 * g + k] = 1000 - g;
            }
        }
        gbs_data *data;
        gbs_row_summary summary;
        assert_ok(ctx, gbs_data_dense(ctx, ROWS, 1, x, 1, y, GBS_COPY, &data));
        assert_ok(ctx, gbs_data_set_groups(ctx, data, group));
        assert_ok(ctx, gbs_data_summary(ctx, data, &summary));
        assert_int_equal(summary.sorted, sorted);
        gbs_data_free(data);
    }
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_those_of_all_orders), cmocka_unit_test(tables_are_counted),
        cmocka_unit_test(random_order_is_random),        cmocka_unit_test(other_orders_are_found),
        cmocka_unit_test(a_sorted_table_is_conditional), cmocka_unit_test(groups_are_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
