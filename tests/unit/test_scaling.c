/* Scaling under difficult columns: constant, far from zero, tiny, huge; dense and sparse alike. */
#include "fit/run.h"
#include "map/map.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static gbs_context *ctx;

static int set_up(void **state) {
    (void)state;
    return gbs_context_create(NULL, &ctx) != GBS_OK;
}

static int tear_down(void **state) {
    (void)state;
    gbs_context_free(ctx);
    return 0;
}

static gbs_status learn(const gbs_data *data, gbs_scale kind, bool intercept, gbs_maps *out) {
    return gbs_maps_learn(
        ctx, data, &(gbs_fit_settings){.scale = kind, .intercept = intercept, .constant = 1.0},
        out);
}

/* One column of n values as dense data, and as CSR data without its zeros. */
struct column {
    double *x;
    size_t *start;
    uint32_t *index;
    gbs_data *dense, *sparse;
};

static struct column make(size_t n, double (*value)(size_t i)) {
    struct column c = {calloc(n, sizeof(double)), calloc(n + 1, sizeof(size_t)),
                       calloc(n, sizeof(uint32_t)), NULL, NULL};
    double *stored = calloc(n, sizeof *stored);
    for (size_t i = 0; i < n; i++) {
        c.x[i] = value(i);
        c.start[i + 1] = c.start[i];
        if (c.x[i] != 0.0)
            stored[c.start[i + 1]++] = c.x[i];
    }
    assert_int_equal(gbs_data_dense(ctx, n, 1, c.x, 1, NULL, GBS_BORROW, &c.dense), GBS_OK);
    assert_int_equal(gbs_data_csr(ctx, n, 1, c.start, c.index, stored, NULL, GBS_COPY, &c.sparse),
                     GBS_OK);
    free(stored);
    return c;
}

static void column_free(struct column *c) {
    gbs_data_free(c->dense);
    gbs_data_free(c->sparse);
    free(c->x);
    free(c->start);
    free(c->index);
}

/* Mean and standard deviation in long double, two passes. */
static void slow_moments(const double *x, size_t n, double *mean, double *sd) {
    long double sum = 0.0L, square = 0.0L, m;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    m = sum / (long double)n;
    for (size_t i = 0; i < n; i++)
        square += (x[i] - m) * (x[i] - m);
    *mean = (double)m;
    *sd = (double)sqrtl(square / (long double)n);
}

static void check_moments(size_t n, double (*value)(size_t i), double accuracy) {
    struct column c = make(n, value);
    const gbs_data *both[] = {c.dense, c.sparse};
    double mean, sd;
    slow_moments(c.x, n, &mean, &sd);
    for (size_t k = 0; k < 2; k++) {
        gbs_maps s;
        assert_int_equal(learn(both[k], GBS_SCALE_STANDARD, false, &s), GBS_OK);
        assert_true(fabs(gbs_maps_standard(&s)->center[0] - mean) <=
                    accuracy * (fabs(mean) * 2.3e-16 / accuracy + sd));
        assert_true(fabs(gbs_maps_standard(&s)->scale[0] / sd - 1.0) <= accuracy);
        gbs_maps_free(ctx, &s);
    }
    column_free(&c);
}

static double tenth(size_t i) {
    (void)i;
    return 0.1;
}

static double far_away(size_t i) {
    return 1e8 + gbs_random_normal(ctx, 7, i);
}

static double timestamps(size_t i) {
    return 1.7e18 + 1e6 * gbs_random_normal(ctx, 7, i);
}

static double tiny(size_t i) {
    return 1e-170 * gbs_random_normal(ctx, 7, i);
}

static double huge(size_t i) {
    return 1e160 * gbs_random_normal(ctx, 7, i);
}

static double mostly_zero(size_t i) {
    return i % 50 == 0 ? 3.0 + gbs_random_normal(ctx, 7, i) : 0.0;
}

static void constants_are_exact_whatever_the_column(void **state) {
    (void)state;
    check_moments(1000, mostly_zero, 1e-13);
    check_moments(100000, far_away, 1e-10);
    check_moments(1000, timestamps, 1e-3); /* a double near 1.7e18 has steps of 256 */
    check_moments(1000, tiny, 1e-13);
    check_moments(1000, huge, 1e-13);
}

static void a_constant_column_becomes_zero_for_any_number_of_rows(void **state) {
    (void)state;
    for (size_t n = 10; n <= 100000; n *= 10) {
        struct column c = make(n, tenth);
        gbs_maps s;
        gbs_rows rows;
        assert_int_equal(learn(c.dense, GBS_SCALE_STANDARD, false, &s), GBS_OK);
        assert_int_equal(gbs_rows_build(ctx, c.dense, &s, &rows), GBS_OK);
        for (size_t i = 0; i < n; i++)
            assert_true(rows.all.dense[i] == 0.0);
        gbs_rows_free(ctx, &rows);
        gbs_maps_free(ctx, &s);
        column_free(&c);
    }
}

/* Wide enough to stay sparse: column 0 is 1e8 + N and is in every row, the others are nearly empty.
 */
static void a_sparse_column_far_from_zero_is_centred_exactly(void **state) {
    (void)state;
    enum { N = 300, D = 20000 };
    size_t *start = calloc(N + 1, sizeof *start);
    uint32_t *index = calloc(2 * N, sizeof *index);
    double *value = calloc(2 * N, sizeof *value), *row = calloc(D + 1, sizeof *row);
    for (size_t i = 0; i < N; i++) {
        start[i + 1] = 2 * (i + 1);
        index[2 * i + 1] = (uint32_t)(1 + i * 7 % (D - 1));
        value[2 * i] = 1e8 + gbs_random_normal(ctx, 8, i);
        value[2 * i + 1] = 1.0;
    }
    gbs_data *data;
    gbs_maps s;
    gbs_rows rows;
    assert_int_equal(gbs_data_csr(ctx, N, D, start, index, value, NULL, GBS_BORROW, &data), GBS_OK);
    assert_int_equal(learn(data, GBS_SCALE_STANDARD, true, &s), GBS_OK);
    assert_int_equal(gbs_rows_build(ctx, data, &s, &rows), GBS_OK);
    assert_null(rows.all.dense);
    for (size_t i = 0; i < N; i++) {
        gbs_strip one = gbs_rows_slice(&rows, i, 1).all;
        gbs_strip_densify(&one, row);
        double norm2 = gbs_dot(D + 1, row, row), from_sparse;
        gbs_strip_norms(&one, rows.shift_norm2, &from_sparse);
        assert_true(fabs(row[0] - (value[2 * i] - gbs_maps_standard(&s)->center[0]) /
                                      gbs_maps_standard(&s)->scale[0]) < 1e-14);
        assert_true(fabs(norm2 - from_sparse) < 1e-12 * norm2);
    }
    gbs_rows_free(ctx, &rows);
    gbs_maps_free(ctx, &s);
    gbs_data_free(data);
    free(start);
    free(index);
    free(value);
    free(row);
}

/* One level of each of five factors, and a column far from zero, given as dense cells: the design
 * is sparse, and is what the same columns standardised one by one are. */
static void dense_cells_that_are_mostly_zero_are_held_sparse(void **state) {
    (void)state;
    enum { N = 8000, FACTORS = 5, LEVELS = 16, D = FACTORS * LEVELS + 1 };
    double *x = calloc((size_t)N * D, sizeof *x), row[D + 1];
    for (size_t i = 0; i < N; i++) {
        for (size_t f = 0; f < FACTORS; f++)
            x[i * D + f * LEVELS + (i * (f + 3) / 7 + f * i) % LEVELS] = 1.0;
        x[i * D + D - 1] = 50.0 + gbs_random_normal(ctx, 12, i);
    }
    gbs_data *data;
    assert_int_equal(gbs_data_dense(ctx, N, D, x, D, NULL, GBS_BORROW, &data), GBS_OK);
    for (int kind = 0; kind < 3; kind++) {
        gbs_maps s;
        gbs_rows rows;
        assert_int_equal(learn(data, (gbs_scale)kind, true, &s), GBS_OK);
        assert_int_equal(gbs_rows_build(ctx, data, &s, &rows), GBS_OK);
        assert_null(rows.all.dense);
        for (size_t i = 0; i < N; i += 37) {
            gbs_strip one = gbs_rows_slice(&rows, i, 1).all;
            gbs_strip_densify(&one, row);
            double length = 1.0;
            for (size_t k = 0; (gbs_scale)kind == GBS_SCALE_UNIT_ROW && k < D; k++)
                length += x[i * D + k] * x[i * D + k];
            for (size_t k = 0; k <= D; k++) {
                double raw = k < D ? x[i * D + k] : 1.0;
                if ((gbs_scale)kind == GBS_SCALE_STANDARD && k < D)
                    raw = (raw - gbs_maps_standard(&s)->center[k]) /
                          gbs_maps_standard(&s)->scale[k];
                assert_true(fabs(row[k] - raw / sqrt(length)) <= 1e-13 * (1.0 + fabs(raw)));
            }
        }
        gbs_rows_free(ctx, &rows);
        /* too few rows to be counted */
        size_t some[] = {5, 6, 7};
        gbs_data *view;
        assert_int_equal(gbs_data_view(ctx, data, some, 3, &view), GBS_OK);
        assert_int_equal(gbs_rows_build(ctx, view, &s, &rows), GBS_OK);
        assert_non_null(rows.all.dense);
        gbs_rows_free(ctx, &rows);
        gbs_data_free(view);
        gbs_maps_free(ctx, &s);
    }
    gbs_data_free(data);
    free(x);
}

/* A view of sparse rows, in another order and with one of them twice, too wide to become dense. */
static void a_view_of_sparse_rows_is_built_row_by_row(void **state) {
    (void)state;
    enum { N = 400, D = 20000, SHOWN = 150 };
    size_t *start = calloc(N + 1, sizeof *start), rows[SHOWN];
    uint32_t *index = calloc(3 * N, sizeof *index);
    double *value = calloc(3 * N, sizeof *value), *sum = calloc(D, sizeof *sum);
    double *whole = calloc(D + 1, sizeof *whole), *shown = calloc(D + 1, sizeof *shown);
    for (size_t i = 0; i < N; i++) {
        start[i + 1] = start[i] + i % 4; /* some rows are empty */
        for (size_t k = start[i]; k < start[i + 1]; k++) {
            index[k] = (uint32_t)((k - start[i]) * 6000 + i * 13 % 6000);
            value[k] = gbs_random_normal(ctx, 9, k);
        }
    }
    for (size_t i = 0; i < SHOWN; i++)
        rows[i] = i * 7 % N;
    rows[SHOWN - 1] = rows[0];
    gbs_data *data, *view;
    gbs_maps s;
    gbs_rows all, part;
    assert_int_equal(gbs_data_csr(ctx, N, D, start, index, value, NULL, GBS_BORROW, &data), GBS_OK);
    assert_int_equal(gbs_data_view(ctx, data, rows, SHOWN, &view), GBS_OK);
    assert_int_equal(learn(view, GBS_SCALE_STANDARD, true, &s), GBS_OK);
    assert_int_equal(gbs_rows_build(ctx, data, &s, &all), GBS_OK);
    assert_int_equal(gbs_rows_build(ctx, view, &s, &part), GBS_OK);
    assert_null(all.all.dense);
    assert_null(part.all.dense);
    for (size_t i = 0; i < SHOWN; i++) {
        gbs_strip a = gbs_rows_slice(&all, rows[i], 1).all, b = gbs_rows_slice(&part, i, 1).all;
        gbs_strip_densify(&a, whole);
        gbs_strip_densify(&b, shown);
        assert_memory_equal(whole, shown, (D + 1) * sizeof *whole);
        for (size_t k = 0; k < D; k++)
            sum[k] += shown[k];
    }
    for (size_t k = 0; k < D; k++) /* centred over the rows shown */
        assert_true(fabs(sum[k]) < 1e-10);
    gbs_rows_free(ctx, &all);
    gbs_rows_free(ctx, &part);
    gbs_maps_free(ctx, &s);
    gbs_data_free(view);
    gbs_data_free(data);
    free(start);
    free(index);
    free(value);
    free(sum);
    free(whole);
    free(shown);
}

static void unit_rows_have_length_one_whatever_their_size(void **state) {
    (void)state;
    static const double sizes[] = {1e-300, 1e-170, 1.0, 1e160, 1e300};
    for (size_t k = 0; k < 5; k++) {
        double x[4] = {3.0 * sizes[k], -4.0 * sizes[k], 0.0, 0.0};
        gbs_data *data;
        gbs_maps s;
        gbs_rows rows;
        assert_int_equal(gbs_data_dense(ctx, 2, 2, x, 2, NULL, GBS_BORROW, &data), GBS_OK);
        assert_int_equal(learn(data, GBS_SCALE_UNIT_ROW, false, &s), GBS_OK);
        assert_int_equal(gbs_rows_build(ctx, data, &s, &rows), GBS_OK);
        assert_true(fabs(rows.all.dense[0] - 0.6) < 1e-15 && fabs(rows.all.dense[1] + 0.8) < 1e-15);
        assert_true(rows.all.dense[2] == 0.0 && rows.all.dense[3] == 0.0);
        gbs_rows_free(ctx, &rows);
        gbs_maps_free(ctx, &s);
        gbs_data_free(data);
    }
}

static void rows_beyond_doubles_are_refused_by_name(void **state) {
    (void)state;
    static const double sizes[] = {1e-150, 1e160};
    for (size_t k = 0; k < 2; k++) {
        double x[2] = {1.0, sizes[k]};
        gbs_data *data;
        gbs_maps s;
        gbs_rows rows;
        assert_int_equal(gbs_data_dense(ctx, 2, 1, x, 1, NULL, GBS_BORROW, &data), GBS_OK);
        assert_int_equal(learn(data, GBS_SCALE_NONE, false, &s), GBS_OK);
        assert_int_equal(gbs_rows_build(ctx, data, &s, &rows), GBS_ERR_DATA);
        assert_string_equal(
            gbs_error_message(ctx),
            k == 0 ? "row 2: its values are too small to be used as they are; scale the columns"
                   : "row 2: its values are too large to be used as they are; scale the columns");
        gbs_maps_free(ctx, &s);
        gbs_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_exact_whatever_the_column),
        cmocka_unit_test(a_constant_column_becomes_zero_for_any_number_of_rows),
        cmocka_unit_test(a_sparse_column_far_from_zero_is_centred_exactly),
        cmocka_unit_test(dense_cells_that_are_mostly_zero_are_held_sparse),
        cmocka_unit_test(a_view_of_sparse_rows_is_built_row_by_row),
        cmocka_unit_test(unit_rows_have_length_one_whatever_their_size),
        cmocka_unit_test(rows_beyond_doubles_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
