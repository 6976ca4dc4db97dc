/* Features of the Gaussian kernel: sines, the kernel itself, Fourier and Nystroem against it,
 * clipped tails, and models that keep all of it. */
#include "file/maps_file.h"
#include "fit/ridge.h"
#include "kernel/gauss.h"
#include "kernel/linalg.h"
#include "kernel/sincos.h"
#include "map/kernel_rows.h"
#include "model/model.h"
#include "unit/features_support.h"

/* ---------------------------------------------------------------- kernels */

static void sines_and_cosines_are_those_of_libm(void **state) {
    (void)state;
    enum { COUNT_OF = 1003 };
    struct dice r = {1};
    double x[COUNT_OF], c[COUNT_OF], s[COUNT_OF];
    for (int decade = -3; decade <= 6; decade++) {
        for (size_t i = 0; i < COUNT_OF; i++)
            x[i] = dice_between(&r, -1.0, 1.0) * pow(10.0, decade);
        x[0] = 0.0;
        x[1] = 0.78539816339744831;
        gbs_scaled_sincos(COUNT_OF, 2.0, x, c, s);
        for (size_t i = 0; i < COUNT_OF; i++) {
            assert_close(c[i], 2.0 * cos(x[i]), 0.0, 8e-16);
            assert_close(s[i], 2.0 * sin(x[i]), 0.0, 8e-16);
        }
        gbs_scaled_sincos(COUNT_OF, 2.0, x, x, s); /* in place */
        assert_true(same_bits(x, c, COUNT_OF));
    }
}

static double plain_kernel(size_t d, const double *x, const double *z, double width) {
    double sum = 0.0;
    for (size_t k = 0; k < d; k++)
        sum += (x[k] - z[k]) * (x[k] - z[k]);
    return exp(-0.5 * sum / (width * width));
}

static void kernels_and_products_have_plain_twins(void **state) {
    (void)state;
    enum { ROWS = 7, OTHERS = 9, COLUMNS = 5, APART = 12 };
    struct dice r = {2};
    double x[ROWS * APART], z[OTHERS * COLUMNS], out[ROWS * APART], work[ROWS + OTHERS];
    for (size_t i = 0; i < ROWS * APART; i++)
        x[i] = dice_normal(&r);
    for (size_t i = 0; i < OTHERS * COLUMNS; i++)
        z[i] = dice_normal(&r);
    gbs_gauss_rows(ROWS, OTHERS, COLUMNS, x, APART, z, 1.7, work, out, APART);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < OTHERS; j++)
            assert_close(out[i * APART + j],
                         plain_kernel(COLUMNS, x + i * APART, z + j * COLUMNS, 1.7), 1e-13, 1e-300);
    gbs_strided_rows_times(ROWS, COLUMNS, OTHERS, x, APART, z, out, APART);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < OTHERS; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < COLUMNS; k++)
                sum += x[i * APART + k] * z[k * OTHERS + j];
            assert_close(out[i * APART + j], sum, 1e-13, 1e-13);
        }
    /* three directions of nine rows, one of them faint */
    double k[OTHERS * OTHERS];
    int pivot[OTHERS];
    for (size_t i = 0; i < OTHERS; i++)
        for (size_t j = 0; j < OTHERS; j++)
            k[i * OTHERS + j] = z[i] * z[j] + z[9 + i] * z[9 + j] + 1e-9 * z[18 + i] * z[18 + j];
    double copy[OTHERS * OTHERS];
    memcpy(copy, k, sizeof k);
    assert_int_equal(gbs_pivoted_cholesky_to(OTHERS, 1e-12, k, pivot, work), 3);
    assert_int_equal(gbs_pivoted_cholesky_to(OTHERS, 1e-6, copy, pivot, work), 2);
}

/* ---------------------------------------------------------------- maps */

/* Rows as a map of the kernel sees them, and the width that it learns. */
static double *seen_by_kernel(gbs_context *ctx, const gbs_data *data, double *width) {
    gbs_fit_settings o = mapped(GBS_FEATURES_FOURIER, 2, 1.0);
    gbs_maps all, before;
    size_t n;
    double *cells;
    o.intercept = 0;
    assert_ok(ctx, gbs_maps_learn(ctx, data, &o, &all));
    before = all;
    before.count--;
    before.d = data->d;
    assert_ok(ctx, gbs_sample_rows(ctx, data, &before, data->n, &cells, &n));
    assert_int_equal(n, data->n);
    assert_ok(ctx, gbs_kernel_width(ctx, data, &o, &before, width));
    gbs_maps_free(ctx, &all);
    return cells;
}

/* phi(x)'phi(z) of the features alone. */
static double features_product(const gbs_rows *rows, size_t i, size_t j) {
    const double *a = rows->all.dense + i * rows->all.ld, *b = rows->all.dense + j * rows->all.ld;
    return gbs_dot(rows->d - D, a + D, b + D);
}

/* Frequencies along single columns: the mean over columns of the kernel of each, and its mixture
 * with that of all. Their lengths are spread evenly, so that the first comes close. */
static void frequencies_along_columns_make_a_sum_of_kernels(void **state) {
    (void)state;
    static const double shares[] = {1.0, 0.5};
    struct table_of_numbers t = shell(3, N, D);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    double width, *cells = seen_by_kernel(ctx, data, &width);
    for (size_t way = 0; way < COUNT(shares); way++) {
        double worst = 0.0, a = shares[way];
        gbs_fit_settings o = mapped(GBS_FEATURES_FOURIER, 2000, 0.5);
        o.intercept = 0;
        o.kernel_axes = a;
        gbs_rows rows = rows_of(ctx, data, &o);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j <= i; j++) {
                double k = (1.0 - a) * plain_kernel(D, cells + i * D, cells + j * D, 0.5 * width);
                for (size_t c = 0; c < D; c++)
                    k += a / D *
                         plain_kernel(1, cells + i * D + c, cells + j * D + c,
                                      0.5 * width / sqrt(D));
                worst = fmax(worst, fabs(features_product(&rows, i, j) - k));
            }
        assert_at_most(worst, a == 1.0 ? 0.01 : 6.0 / sqrt(2000.0));
        gbs_rows_free(ctx, &rows);
    }
    gbs_array_free(ctx, cells);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* One estimate has a standard deviation of at most sqrt(1/D): 1000 frequencies, six of them; the
 * mean over seeds is the kernel itself, to five of its own. A false alarm is below 1 in 10,000. */
static void fourier_features_approach_the_kernel(void **state) {
    (void)state;
    struct table_of_numbers t = shell(3, N, D);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    double width, *cells = seen_by_kernel(ctx, data, &width), worst = 0.0;
    gbs_fit_settings o = mapped(GBS_FEATURES_FOURIER, 2000, 0.5);
    o.intercept = 0;
    gbs_rows rows = rows_of(ctx, data, &o);
    assert_int_equal(rows.d, D + 2000);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++) {
            double k = plain_kernel(D, cells + i * D, cells + j * D, 0.5 * width);
            worst = fmax(worst, fabs(features_product(&rows, i, j) - k));
        }
    assert_at_most(worst, 6.0 / sqrt(2000.0));
    for (size_t i = 0; i < N; i++) { /* the prior's variance of a score is that of the process */
        assert_close(features_product(&rows, i, i), 1.0, 1e-12, 0.0);
        for (size_t k = 0; k < D; k++)
            assert_close(rows.all.dense[i * rows.all.ld + k], cells[i * D + k] / sqrt(D), 1e-14,
                         1e-15);
    }
    gbs_rows_free(ctx, &rows);
    size_t seeds = repeats(400, 60);
    double sum[3] = {0};
    o.features_size = 10;
    for (size_t s = 0; s < seeds; s++) {
        assert_ok(ctx, gbs_context_set_seed(ctx, s + 10));
        /* the width of the other pairs of rows, times this, is that of seed 1 */
        double own, *again = seen_by_kernel(ctx, data, &own);
        gbs_array_free(ctx, again);
        o.kernel_width = 0.5 * width / own;
        rows = rows_of(ctx, data, &o);
        for (size_t p = 0; p < 3; p++)
            sum[p] += features_product(&rows, p, p + 1) / (double)seeds;
        gbs_rows_free(ctx, &rows);
    }
    for (size_t p = 0; p < 3; p++)
        assert_close(sum[p], plain_kernel(D, cells + p * D, cells + (p + 1) * D, 0.5 * width), 0.0,
                     5.0 * sqrt(0.1 / (double)seeds));
    gbs_array_free(ctx, cells);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* A machine that is solved in one step. */
static void same_by_ridge(gbs_context *ctx, const gbs_rows *rows, const double *root) {
    gbs_rows exact = gbs_rows_wrap(N, N, root, N, rows->all.y);
    gbs_ridge a, b;
    double one[N], two[N];
    bool good = false;
    assert_ok(ctx, gbs_ridge_create(ctx, rows, &a));
    assert_ok(ctx, gbs_ridge_create(ctx, &exact, &b));
    assert_close(a.length2, b.length2, 1e-10, 0.0);
    assert_ok(ctx, gbs_ridge_leave_one_out(ctx, &a, 0.2, one, &good));
    assert_true(good);
    assert_ok(ctx, gbs_ridge_leave_one_out(ctx, &b, 0.2, two, &good));
    assert_true(good);
    for (size_t i = 0; i < N; i++)
        assert_close(one[i], two[i], 0.0, 1e-8);
    gbs_ridge_free(ctx, &a);
    gbs_ridge_free(ctx, &b);
}

/* The kernel of mapped rows, and the scores of a posterior of them, against those of a machine
 * whose design is a root of the exact kernel matrix. */
static void nystrom_of_all_rows_is_the_kernel_machine(void **state) {
    (void)state;
    struct table_of_numbers t = shell(4, N, D);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    double width, *cells = seen_by_kernel(ctx, data, &width), *root = doubles(N * N);
    gbs_fit_settings o = mapped(GBS_FEATURES_NYSTROM, N, 0.4);
    o.intercept = 0;
    o.prior = GBS_PRIOR_ZERO;
    o.bound = GBS_BOUND_KL;
    o.loss = GBS_LOSS_HINGE;
    o.family = GBS_FAMILY_FULL;
    o.form = GBS_FORM_PRIMAL;
    o.prior_sd = 2.0;
    o.tolerance = 1e-14;
    gbs_rows rows = rows_of(ctx, data, &o);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double k = plain_kernel(D, cells + i * D, cells + j * D, 0.4 * width);
            assert_close(features_product(&rows, i, j), k, 0.0, 1e-8);
            root[i * N + j] = k + gbs_dot(D, cells + i * D, cells + j * D) / D +
                              (i == j ? 1e-12 : 0.0);
        }
    assert_true(gbs_cholesky(N, root));
    same_by_ridge(ctx, &rows, root);
    gbs_rows_free(ctx, &rows);
    gbs_data *exact;
    gbs_fit_settings plain = o;
    plain.features = GBS_FEATURES_LINEAR;
    plain.scale = GBS_SCALE_NONE;
    assert_ok(ctx, gbs_data_dense(ctx, N, N, root, N, t.y, GBS_BORROW, &exact));
    gbs_model *a = fit(ctx, data, &o), *b = fit(ctx, exact, &plain);
    double one[N], two[N], size = 0.0;
    assert_ok(ctx, gbs_model_predict(ctx, a, data, one, NULL, NULL));
    assert_ok(ctx, gbs_model_predict(ctx, b, exact, two, NULL, NULL));
    for (size_t i = 0; i < N; i++)
        size = fmax(size, fabs(two[i]));
    for (size_t i = 0; i < N; i++) /* to where the free energy stops falling */
        assert_close(one[i], two[i], 0.0, 1e-6 * size);
    assert_close(a->info.free_energy, b->info.free_energy, 1e-9, 0.0);
    gbs_model_free(a);
    gbs_model_free(b);
    gbs_data_free(exact);
    free(root);
    gbs_array_free(ctx, cells);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* A wild cell neither squeezes the others nor stands alone; a level is as far off as a number. */
static void tails_are_clipped_and_levels_keep_their_distance(void **state) {
    (void)state;
    struct table_of_numbers t = shell(5, N, D);
    gbs_context *ctx = new_context(1, 1);
    for (size_t i = 0; i < N; i++)
        t.x[i * D + 2] = i % 50 == 7 ? 1.0 : 0.0; /* a rare level */
    double before[N], width;
    gbs_data *data = dense_data(ctx, &t);
    double *cells = seen_by_kernel(ctx, data, &width);
    for (size_t i = 0; i < N; i++) {
        before[i] = cells[i * D];
        assert_close(cells[i * D + 2], t.x[i * D + 2] > 0.0 ? sqrt(2.0) : 0.0, 1e-12, 1e-12);
    }
    gbs_array_free(ctx, cells);
    gbs_data_free(data);
    t.x[11 * D] = 1e9;
    data = dense_data(ctx, &t);
    cells = seen_by_kernel(ctx, data, &width);
    assert_close(cells[11 * D], 4.0, 1e-12, 0.0);
    for (size_t i = 0; i < N; i++)
        if (i != 11)
            assert_close(cells[i * D], before[i], 0.1, 0.1);
    gbs_array_free(ctx, cells);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- kept */

static gbs_model *through_text(gbs_context *ctx, const gbs_model *model) {
    char *text;
    size_t size;
    gbs_model *read;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &read));
    gbs_release(ctx, text);
    return read;
}

static void saved_models_are_fresh_models_to_the_bit(void **state) {
    (void)state;
    struct table_of_numbers t = shell(6, N, D);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < 4; k++) {
        gbs_fit_settings o = gbs_fit_settings_default();
        o.features = k % 2 == 0 ? GBS_FEATURES_FOURIER : GBS_FEATURES_NYSTROM;
        o.features_size = 40;
        if (k >= 2)
            o.task = GBS_TASK_RANK;
        gbs_model *model = fit(ctx, data, &o), *read = through_text(ctx, model);
        double a[3][N], b[3][N];
        assert_int_equal(model->info.map, o.features);
        assert_int_equal(read->info.map, o.features);
        assert_string_equal(gbs_features_name(read->info.map), k % 2 == 0 ? "fourier" : "nystrom");
        assert_int_equal(read->info.d, model->info.d);
        assert_int_equal(gbs_model_column(model, 0), 0);
        assert_int_equal(gbs_model_column(model, D), SIZE_MAX);
        assert_ok(ctx, gbs_model_predict(ctx, model, data, a[0], a[1], a[2]));
        assert_ok(ctx, gbs_model_predict(ctx, read, data, b[0], b[1], b[2]));
        assert_true(same_bits(a[0], b[0], 3 * (size_t)N));
        gbs_model_free(model);
        gbs_model_free(read);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Text of a model with one piece replaced is refused, in words. */
static void damaged_maps_are_refused(void **state) {
    (void)state;
    struct table_of_numbers t = shell(7, 60, D);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    static const struct {
        gbs_features features;
        const char *from, *to;
    } cases[] = {{GBS_FEATURES_FOURIER, "\"columns\":8", "\"columns\":0"},
                 {GBS_FEATURES_FOURIER, "\"columns\":8", "\"columns\":10"},
                 {GBS_FEATURES_FOURIER, "\"columns\":8", "\"columns\":2000000000"},
                 {GBS_FEATURES_FOURIER, "\"width\":", "\"wide\":"},
                 {GBS_FEATURES_FOURIER, "\"factor\":", "\"fact\":"},
                 {GBS_FEATURES_NYSTROM, "\"landmarks\":8", "\"landmarks\":0"},
                 {GBS_FEATURES_NYSTROM, "\"landmarks\":8", "\"landmarks\":9"},
                 {GBS_FEATURES_NYSTROM, "\"width\":", "\"wide\":"},
                 {GBS_FEATURES_NYSTROM, "\"cells\":", "\"cell\":"}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        gbs_fit_settings o = gbs_fit_settings_default();
        char *text, *at;
        size_t size;
        gbs_model *read, *model;
        o.features = cases[k].features;
        o.features_size = 8;
        model = fit(ctx, data, &o);
        assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
        char *other = take(size + 64, 1);
        at = strstr(text, cases[k].from);
        assert_non_null(at);
        snprintf(other, size + 64, "%.*s%s%s", (int)(at - text), text, cases[k].to,
                 at + strlen(cases[k].from));
        assert_int_equal(gbs_model_from_json(ctx, other, strlen(other), &read), GBS_ERR_FORMAT);
        assert_null(read);
        free(other);
        gbs_release(ctx, text);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_and_cosines_are_those_of_libm),
        cmocka_unit_test(kernels_and_products_have_plain_twins),
        cmocka_unit_test(frequencies_along_columns_make_a_sum_of_kernels),
        cmocka_unit_test(fourier_features_approach_the_kernel),
        cmocka_unit_test(nystrom_of_all_rows_is_the_kernel_machine),
        cmocka_unit_test(tails_are_clipped_and_levels_keep_their_distance),
        cmocka_unit_test(saved_models_are_fresh_models_to_the_bit),
        cmocka_unit_test(damaged_maps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
