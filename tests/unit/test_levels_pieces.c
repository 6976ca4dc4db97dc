/* What the hierarchical model is made of: sums of records, records themselves, singular vectors of
 * sparse matrices, features of positions. */
#include "completion/positions.h"
#include "completion/spectrum.h"
#include "kernel/linalg.h"
#include "levels_support.h"

static void record_sums_are_plain_sums(void **state) {
    (void)state;
    enum { ITEMS = 13, MOST = 40 };
    struct dice r = {3};
    for (size_t rank = 0; rank <= 5; rank++) {
        gbs_record_shape s = gbs_level_record_shape(rank);
        size_t wide = s.plain + s.both;
        double *records = doubles(ITEMS * s.stride);
        float *singles = take(ITEMS * s.stride, sizeof *singles);
        for (size_t k = 0; k < ITEMS * s.stride; k++) {
            singles[k] = (float)dice_normal(&r);
            records[k] = (double)singles[k];
        }
        for (size_t count = 0; count < 10; count++) {
            uint32_t other[MOST];
            double y[MOST], sum[2][64] = {{0}}, weighted[2][16] = {{0}}, slow[64] = {0},
                            slow_weighted[16] = {0};
            for (size_t e = 0; e < count; e++) {
                other[e] = (uint32_t)dice_below(&r, ITEMS);
                y[e] = dice_normal(&r);
                for (size_t t = 0; t < wide; t++)
                    slow[t] += records[other[e] * s.stride + t];
                for (size_t t = 0; t < s.both; t++)
                    slow_weighted[t] += 2.0 * (y[e] - 0.3) *
                                        records[other[e] * s.stride + s.plain + t];
            }
            gbs_sum_doubles(s, count, other, y, 0.3, 2.0, records, sum[0], weighted[0]);
            gbs_sum_singles(s, count, other, y, 0.3, 2.0, singles, sum[1], weighted[1]);
            for (int k = 0; k < 2; k++) {
                for (size_t t = 0; t < wide; t++)
                    assert_close(sum[k][t], slow[t], 1e-13, 1e-13);
                for (size_t t = 0; t < s.both; t++)
                    assert_close(weighted[k][t], slow_weighted[t], 1e-13, 1e-13);
            }
        }
        free(records), free(singles);
    }
}

/* E tau z z' and the rest, against draws of tau and x: 5 sigma of a million of them. */
static void records_are_moments(void **state) {
    (void)state;
    enum { N = 1000000 };
    struct dice r = {17};
    const double mean[2] = {0.7, -0.4}, cov[3] = {0.5, 0.2, 0.3}, omega = 2.0;
    double record[16] = {0}, sum[6] = {0}, square[6] = {0};
    gbs_level_record(1, omega, mean, cov, record);
    for (size_t n = 0; n < N; n++) {
        /* tau of mean 2 with two values, x | tau ~ N(mean, cov/tau) */
        double tau = dice_uniform(&r) < 0.5 ? 1.0 : 3.0, a = dice_normal(&r), b = dice_normal(&r);
        double u = mean[0] + sqrt(cov[0] / tau) * a,
               o = mean[1] + cov[1] / sqrt(cov[0] * tau) * a +
                   sqrt((cov[2] - cov[1] * cov[1] / cov[0]) / tau) * b;
        double x[6] = {tau * u * u, tau * u * o, tau * o * o, tau * u, tau, tau * o};
        for (size_t k = 0; k < 6; k++) {
            sum[k] += x[k] / N;
            square[k] += x[k] * x[k] / N;
        }
    }
    for (size_t k = 0; k < 6; k++)
        assert_close(record[k], sum[k], 0.0, 5.0 * sqrt((square[k] - sum[k] * sum[k]) / N));
}

static void products_of_matrices(void **state) {
    (void)state;
    enum { N = 7, D = 3, C = 2 };
    struct dice r = {5};
    double x[N * D], m[D * C], out[N * C], y[N * C], cross[D * C], slow;
    for (size_t k = 0; k < N * D; k++)
        x[k] = dice_normal(&r);
    for (size_t k = 0; k < D * C; k++)
        m[k] = cross[k] = dice_normal(&r);
    for (size_t k = 0; k < N * C; k++)
        y[k] = dice_normal(&r);
    gbs_rows_times(N, D, C, x, m, out);
    gbs_add_cross(N, D, C, x, y, cross);
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < C; c++) {
            slow = 0.0;
            for (size_t k = 0; k < D; k++)
                slow += x[i * D + k] * m[k * C + c];
            assert_close(out[i * C + c], slow, 1e-13, 1e-13);
        }
    for (size_t k = 0; k < D; k++)
        for (size_t c = 0; c < C; c++) {
            slow = m[k * C + c];
            for (size_t i = 0; i < N; i++)
                slow += x[i * D + k] * y[i * C + c];
            assert_close(cross[k * C + c], slow, 1e-13, 1e-13);
        }
}

/* M'M v = s^2 v, M written out in full. */
static void singular_vectors_are_those_of_the_matrix(void **state) {
    (void)state;
    enum { ROWS = 14, COLS = 6 };
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(7, ROWS, COLS, 2, 50, 0.5, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    for (int positions = 0; positions < 2; positions++) {
        gbs_spectrum s;
        double full[ROWS * COLS] = {0};
        assert_int_equal(gbs_spectrum_create(ctx, r, COLS, positions, &s), GBS_OK);
        s.unit = 2.0;
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < r->by[k].items; i++) {
                s.root[k][i] = 1.0 + 0.1 * (double)i;
                if (!positions)
                    s.bias[k][i] = 0.05 * (double)i;
            }
        for (size_t e = 0; e < t.n; e++) {
            double y = positions ? 1.0
                                 : 2.0 * (t.y[e] - r->center) - 0.05 * (double)t.row[e] -
                                       0.05 * (double)t.column[e];
            full[t.row[e] * COLS + t.column[e]] += y * s.root[0][t.row[e]] * s.root[1][t.column[e]];
        }
        bool sound = false;
        assert_ok(ctx, gbs_spectrum_iterate(&s, 60, 3, &sound));
        assert_true(sound);
        for (size_t k = 0; k < 3; k++) {
            double value = gbs_spectrum_singular(&s, k), image[ROWS] = {0};
            for (size_t i = 0; i < ROWS; i++)
                for (size_t j = 0; j < COLS; j++)
                    image[i] += full[i * COLS + j] * s.basis[1][j * COLS + k];
            for (size_t j = 0; j < COLS; j++) {
                double back = 0.0;
                for (size_t i = 0; i < ROWS; i++)
                    back += full[i * COLS + j] * image[i];
                assert_close(back, value * value * s.basis[1][j * COLS + k], 1e-6,
                             1e-6 * value * value);
            }
        }
        gbs_spectrum_free(&s);
    }
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

static void features_are_standardised(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(8, 30, 12, 2, 150, 0.5, 3.0, true);
    double *phi[2];
    size_t features[2], with = 0;
    for (size_t e = 0; e < t.n; e++) /* row 4 has no ratings */
        t.row[e] = t.row[e] == 4 ? 5 : t.row[e];
    gbs_ratings *r = ratings_of(ctx, &t);
    assert_int_equal(gbs_position_features(ctx, r, true, 5, phi, features), GBS_OK);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(features[s], 2 + 11);
        for (size_t k = 0; k < features[s]; k++) {
            double sum = 0.0, square = 0.0, n = 0.0;
            for (size_t i = 0; i < r->by[s].items; i++) {
                double x = phi[s][i * features[s] + k];
                if (r->by[s].start[i + 1] == r->by[s].start[i]) {
                    assert_true(x == (k == 0 ? 1.0 : 0.0));
                    with++;
                    continue;
                }
                n += 1.0, sum += x, square += x * x;
            }
            assert_close(sum / n, k == 0 ? 1.0 : 0.0, 0.0, 1e-9);
            assert_close(square / n, 1.0, 1e-9, 0.0);
        }
        gbs_array_free(ctx, phi[s]);
    }
    assert_true(with > 0);
    assert_int_equal(gbs_position_features(ctx, r, false, 5, phi, features), GBS_OK);
    assert_true(features[0] == 1 && features[1] == 1 && phi[0][29] == 1.0 && phi[1][11] == 1.0);
    gbs_array_free(ctx, phi[0]);
    gbs_array_free(ctx, phi[1]);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* A full table says nothing by its positions: the intercept is left. */
static void constant_features_are_left_out(void **state) {
    (void)state;
    enum { ROWS = 6, COLS = 5 };
    gbs_context *ctx = new_context(1, 1);
    uint32_t row[ROWS * COLS], column[ROWS * COLS];
    double y[ROWS * COLS], *phi[2];
    size_t features[2];
    gbs_ratings *r;
    for (uint32_t e = 0; e < ROWS * COLS; e++) {
        row[e] = e / COLS, column[e] = e % COLS;
        y[e] = (double)(e % 7);
    }
    assert_int_equal(
        gbs_ratings_create(ctx, ROWS * COLS, ROWS, COLS, row, column, y, NULL, NULL, &r), GBS_OK);
    assert_int_equal(gbs_position_features(ctx, r, true, 5, phi, features), GBS_OK);
    assert_int_equal(features[0], 1);
    assert_int_equal(features[1], 1);
    gbs_array_free(ctx, phi[0]);
    gbs_array_free(ctx, phi[1]);
    gbs_ratings_free(r);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_sums_are_plain_sums),
        cmocka_unit_test(records_are_moments),
        cmocka_unit_test(products_of_matrices),
        cmocka_unit_test(singular_vectors_are_those_of_the_matrix),
        cmocka_unit_test(features_are_standardised),
        cmocka_unit_test(constant_features_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
