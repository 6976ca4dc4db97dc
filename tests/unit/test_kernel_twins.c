/* Kernels against plain loops: tiles of coefficient vectors, pairs of rows, packed matrices. */
#include "support.h"

#include "kernel/linalg.h"
#include "kernel/moments.h"
#include "kernel/pair.h"
#include "kernel/record_sums.h"
#include "kernel/tile.h"
#include "kernel/vector.h"

enum { L = GBS_LANES, MOST = 40 };

static void fill(struct dice *r, size_t n, double *x) {
    for (size_t i = 0; i < n; i++)
        x[i] = dice_normal(r);
}

/* A tile on a cache line, as the kernels want it. */
static double *tile(struct dice *r, size_t d) {
    double *x = aligned_alloc(64, (d + 1) * L * sizeof *x);
    assert_non_null(x);
    fill(r, d * L, x);
    return x;
}

static void close_all(size_t n, const double *a, const double *b) {
    for (size_t i = 0; i < n; i++)
        assert_close(a[i], b[i], 1e-12, 1e-12);
}

/* ---------------------------------------------------------------- tiles */

static void tiles_meet_rows_as_vectors_do(void **state) {
    (void)state;
    struct dice r = {11};
    for (int sparse = 0; sparse < 2; sparse++) {
        struct table_of_numbers t = make_table(&r, 23, 7, sparse ? 0.3 : 1.0, 0.5);
        _Alignas(64) double less[L];
        double shift[7], *theta = tile(&r, t.d), *score = tile(&r, t.n), *plain = tile(&r, t.n);
        fill(&r, t.d, shift);
        gbs_strip b = {.n = t.n, .d = t.d, .y = t.y, .stride = 1};
        if (sparse) {
            b.start = t.start;
            b.column = t.column;
            b.value = t.value;
            b.shift = shift;
        } else {
            b.dense = t.x;
            b.ld = t.d;
        }
        gbs_tile_dot(t.d, shift, theta, less);
        for (size_t l = 0; l < L; l++) {
            double sum = 0.0;
            for (size_t k = 0; k < t.d; k++)
                sum += shift[k] * theta[k * L + l];
            assert_close(less[l], sum, 1e-12, 1e-12);
        }
        for (size_t i = 0; i < t.n * L; i++) {
            plain[i] = 0.0;
            for (size_t k = 0; k < t.d; k++)
                plain[i] += t.x[i / L * t.d + k] * theta[k * L + i % L];
        }
        gbs_tile_scores(&b, theta, score);
        close_all(t.n * L, score, plain);
        for (int with = 0; with < 2; with++) {
            gbs_tile_margins(&b, theta, with ? less : NULL, score);
            for (size_t i = 0; i < t.n * L; i++)
                assert_close(score[i], t.y[i / L] * (plain[i] - (with ? less[i % L] : 0.0)), 1e-12,
                             1e-12);
        }
        free(theta);
        free(score);
        free(plain);
        free_table(&t);
    }
}

static void tiles_are_turned_and_mixed(void **state) {
    (void)state;
    struct dice r = {12};
    for (size_t d = 1; d <= MOST; d += 13) {
        _Alignas(64) double x[L], y[L], sum[L];
        _Alignas(64) int64_t mask[L];
        double *a = tile(&r, d), *b = tile(&r, d), *c = tile(&r, d), *out = tile(&r, d), one[MOST];
        fill(&r, L, x);
        fill(&r, L, y);
        fill(&r, d, one);
        gbs_tile_turn(d, one, 0.3, b, -0.7, c, out);
        for (size_t i = 0; i < d * L; i++)
            assert_close(out[i], one[i / L] + 0.3 * b[i] - 0.7 * c[i], 1e-13, 1e-13);
        memcpy(out, a, d * L * sizeof *a);
        memcpy(c, b, d * L * sizeof *b);
        gbs_tile_rotate(d, 0.6, 0.8, out, c);
        for (size_t i = 0; i < d * L; i++) {
            assert_close(out[i], 0.6 * a[i] + 0.8 * b[i], 1e-13, 1e-13);
            assert_close(c[i], 0.6 * b[i] - 0.8 * a[i], 1e-13, 1e-13);
        }
        memcpy(out, a, d * L * sizeof *a);
        gbs_tile_combine(d, x, out, y, b);
        for (size_t i = 0; i < d * L; i++)
            assert_close(out[i], x[i % L] * a[i] + y[i % L] * b[i], 1e-13, 1e-13);
        memcpy(out, a, d * L * sizeof *a);
        gbs_tile_shift(d, -2.5, one, out);
        for (size_t i = 0; i < d * L; i++)
            assert_close(out[i], a[i] - 2.5 * one[i / L], 1e-13, 1e-13);
        gbs_tile_inner(d, a, b, sum);
        gbs_lanes_weigh(d, one, a, 1.5, y, x);
        for (size_t l = 0; l < L; l++) {
            double inner = 0.0, weighed = 1.5 * y[l];
            for (size_t k = 0; k < d; k++) {
                inner += a[k * L + l] * b[k * L + l];
                weighed += one[k] * a[k * L + l];
            }
            assert_close(sum[l], inner, 1e-12, 1e-12);
            assert_close(x[l], weighed, 1e-12, 1e-12);
        }
        for (size_t l = 0; l < L; l++) {
            mask[l] = dice_uniform(&r) < 0.5 ? -1 : 0;
            sum[l] = 1.0;
        }
        memcpy(out, a, d * L * sizeof *a);
        gbs_tile_select(d, mask, b, out, sum);
        for (size_t l = 0; l < L; l++) {
            double way = 1.0;
            for (size_t k = 0; k < d; k++) {
                double from = a[k * L + l], to = b[k * L + l];
                assert_true(out[k * L + l] == (mask[l] != 0 ? to : from));
                way += mask[l] != 0 ? (to - from) * (to - from) : 0.0;
            }
            assert_close(sum[l], way, 1e-12, 1e-12);
        }
        free(a);
        free(b);
        free(c);
        free(out);
    }
}

static void tiles_come_from_rows_and_go_back(void **state) {
    (void)state;
    struct dice r = {13};
    for (size_t lanes = 1; lanes <= L; lanes += 5) {
        enum { D = 9 };
        double rows[L * D], back[L * D], *t = tile(&r, D), *to[L];
        const double *from[L];
        fill(&r, L * D, rows);
        fill(&r, L * D, back);
        for (size_t l = 0; l < L; l++) {
            from[l] = rows + l * D;
            to[l] = back + l * D;
        }
        gbs_tile_gather(D, lanes, from, t);
        for (size_t i = 0; i < D * L; i++)
            assert_true(t[i] == (i % L < lanes ? rows[i % L * D + i / L] : 0.0));
        gbs_tile_scatter(D, lanes, t, to);
        assert_true(same_bits(rows, back, lanes * D));
        free(t);
    }
}

/* ---------------------------------------------------------------- pairs */

static void pairs_have_the_moments_of_differences(void **state) {
    (void)state;
    struct dice r = {14};
    for (size_t n = 1; n <= MOST; n += 6) {
        double a[MOST], q[MOST], cross[MOST], weight[MOST], mu[MOST], v[MOST], inverse[MOST];
        size_t near[MOST], found[MOST], count = 0;
        double sum = 0.0, squares = 0.0;
        fill(&r, n, a);
        for (size_t j = 0; j < n; j++) {
            q[j] = dice_between(&r, 0.5, 2.0);
            cross[j] = j % 5 == 4 ? 0.5 * (1.0 + q[j]) * (1.0 - 1e-9) : dice_between(&r, -0.3, 0.3);
            weight[j] = (double)(1 + dice_below(&r, 3));
        }
        size_t said = gbs_pair_moments(n, 0.4, 1.0, a, q, cross, mu, v, inverse, near);
        for (size_t j = 0; j < n; j++) {
            double s2 = 1.0 + q[j] - 2.0 * cross[j];
            assert_close(mu[j], 0.4 - a[j], 1e-15, 1e-15);
            if (s2 <= GBS_PAIR_NEAR * (1.0 + q[j])) {
                assert_int_equal(near[count], j);
                assert_true(v[j] == 0.0 && inverse[j] == 0.0);
                count++;
                continue;
            }
            assert_close(v[j], s2, 1e-12, 0.0);
            assert_close(inverse[j], 1.0 / sqrt(s2), 1e-12, 0.0);
            double tail = 0.5 * erfc(mu[j] / sqrt(2.0 * s2));
            sum += weight[j] * tail;
            squares += weight[j] * tail * tail;
        }
        assert_int_equal(said, count);
        double tails = 0.0, tail_squares = 0.0;
        assert_int_equal(gbs_pair_tails(n, 0.4, 1.0, a, q, cross, weight, &tails, &tail_squares),
                         count);
        assert_close(tails, sum, 1e-10, 1e-12);
        assert_close(tail_squares, squares, 1e-10, 1e-12);
        assert_int_equal(gbs_pair_find_near(n, 1.0, q, cross, found), count);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(found[k], near[k]);
    }
}

static void pairs_add_up(void **state) {
    (void)state;
    struct dice r = {15};
    for (size_t n = 1; n <= MOST; n += 6)
        for (int absolute = 0; absolute < 2; absolute++) {
            double weight[MOST], psi[MOST], u[MOST], w[MOST], v[MOST], to[5][MOST], before[3][MOST];
            gbs_pair_sums s = {0};
            fill(&r, n, psi);
            fill(&r, n, u);
            fill(&r, n, w);
            for (size_t j = 0; j < n; j++) {
                weight[j] = dice_between(&r, 0.5, 3.0);
                v[j] = dice_between(&r, 0.1, 2.0);
                if (j % 4 == 3)
                    w[j] *= 1e-12; /* negligible */
            }
            for (size_t k = 0; k < 3; k++) {
                fill(&r, n, before[k]);
                memcpy(to[k], before[k], n * sizeof(double));
            }
            gbs_pair_slopes slopes = {to[0], to[1], absolute ? to[2] : NULL, to[3],
                                      absolute ? to[4] : NULL};
            gbs_pair_sums got = gbs_pair_add(n, 1.7, weight, psi, u, w, v, 1e-6, &slopes);
            for (size_t j = 0; j < n; j++) {
                double times = 1.7 * weight[j], kept = fabs(w[j]) * v[j] < 1e-6 ? 0.0 : w[j];
                s.psi += times * psi[j];
                s.square += times * psi[j] * psi[j];
                s.u += times * u[j];
                s.w += times * kept;
                s.absolute += times * fabs(kept);
                s.spread += times * w[j] * v[j]; /* of all */
                assert_close(to[0][j], before[0][j] + times * u[j], 1e-12, 1e-12);
                assert_close(to[1][j], before[1][j] + times * kept, 1e-12, 1e-12);
                assert_close(to[3][j], times * kept, 1e-12, 1e-12);
                if (absolute) {
                    assert_close(to[2][j], before[2][j] + times * fabs(kept), 1e-12, 1e-12);
                    assert_close(to[4][j], times * fabs(kept), 1e-12, 1e-12);
                }
            }
            assert_close(got.psi, s.psi, 1e-12, 1e-12);
            assert_close(got.square, s.square, 1e-12, 1e-12);
            assert_close(got.u, s.u, 1e-12, 1e-12);
            assert_close(got.w, s.w, 1e-12, 1e-12);
            assert_close(got.spread, s.spread, 1e-12, 1e-12);
            if (absolute)
                assert_close(got.absolute, s.absolute, 1e-12, 1e-12);
            gbs_pair_sums losses = gbs_pair_add_losses(n, 1.7, weight, psi);
            assert_close(losses.psi, s.psi, 1e-12, 1e-12);
            assert_close(losses.square, s.square, 1e-12, 1e-12);
        }
}

/* ---------------------------------------------------------------- packed and plain matrices */

static double at(size_t t, const double *s, size_t i, size_t j) {
    return i <= j ? s[gbs_packed(t, i) + j - i] : s[gbs_packed(t, j) + i - j];
}

static void packed_matrices_are_matrices(void **state) {
    (void)state;
    struct dice r = {16};
    for (size_t t = 1; t <= 9; t++) {
        enum { ROOM = 60 };
        double a[ROOM], b[ROOM], x[12], quadratic = 0.0, inner = 0.0;
        size_t k = (t + 1) / 2;
        fill(&r, gbs_packed_size(t), a);
        fill(&r, gbs_packed_size(k), b);
        fill(&r, t, x);
        for (size_t i = 0; i < t; i++)
            for (size_t j = 0; j < t; j++)
                quadratic += x[i] * at(t, a, i, j) * x[j];
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                inner += at(t, a, i, j) * at(k, b, i, j);
        assert_close(gbs_packed_quadratic(t, a, x), quadratic, 1e-12, 1e-12);
        assert_close(gbs_packed_inner(k, t, a, k, b), inner, 1e-12, 1e-12);
    }
}

/* z = (factors, 1, offset): E zz' = mean mean' + cov, of the parts that are random. */
static void records_hold_second_moments(void **state) {
    (void)state;
    struct dice r = {17};
    for (size_t rank = 1; rank <= 4; rank++)
        for (int biases = 0; biases < 2; biases++)
            for (int known = 0; known < 2; known++) {
                double mean[6], cov[32], record[64], z[6];
                size_t own = rank + (biases ? 1 : 0), t = biases ? rank + 2 : rank;
                fill(&r, own, mean);
                fill(&r, gbs_packed_size(own), cov);
                gbs_record_write(rank, biases != 0, mean, known ? NULL : cov, record);
                for (size_t i = 0; i < t; i++)
                    z[i] = i < rank ? mean[i] : i == rank ? 1.0 : mean[rank];
                for (size_t i = 0; i < t; i++)
                    for (size_t j = i; j < t; j++) {
                        bool fixed = biases && (i == rank || j == rank);
                        size_t p = i > rank ? i - 1 : i, q = j > rank ? j - 1 : j;
                        double spread = fixed || known ? 0.0 : at(own, cov, p, q);
                        assert_close(record[gbs_packed(t, i) + j - i], z[i] * z[j] + spread, 1e-13,
                                     1e-13);
                    }
                for (size_t i = 0; i < t; i++)
                    assert_close(record[gbs_packed_size(t) + i], z[i], 1e-15, 0.0);
            }
}

static void rows_are_weighted_and_summed(void **state) {
    (void)state;
    struct dice r = {18};
    enum { ROWS = 12, WIDTH = 11, COUNT_OF = 20 };
    double rows[ROWS * WIDTH], weight[COUNT_OF], sum[WIDTH], plain[WIDTH];
    float single[ROWS * WIDTH];
    uint32_t other[COUNT_OF];
    fill(&r, ROWS * WIDTH, rows);
    for (size_t k = 0; k < ROWS * WIDTH; k++)
        rows[k] = (double)(single[k] = (float)rows[k]);
    fill(&r, COUNT_OF, weight);
    fill(&r, WIDTH, sum);
    memcpy(plain, sum, sizeof plain);
    for (size_t e = 0; e < COUNT_OF; e++) {
        other[e] = (uint32_t)dice_below(&r, ROWS);
        for (size_t k = 0; k < WIDTH; k++)
            plain[k] += weight[e] * rows[other[e] * WIDTH + k];
    }
    gbs_sum_weighted_singles(WIDTH, COUNT_OF, other, weight, single, sum);
    close_all(WIDTH, sum, plain);
}

static void square_matrices_turn_and_split(void **state) {
    (void)state;
    struct dice r = {19};
    for (size_t d = 1; d <= 8; d++) {
        double a[64], copy[64], turned[64], values[8], work[64 * 8];
        fill(&r, d * d, a);
        gbs_transpose(d, a, turned);
        for (size_t i = 0; i < d * d; i++)
            assert_true(turned[i] == a[i % d * d + i / d]);
        memcpy(copy, a, sizeof a);
        gbs_symmetrise(d, a);
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                assert_true(a[i * d + j] == copy[i >= j ? i * d + j : j * d + i]);
        memcpy(copy, a, sizeof a);
        assert_true(gbs_symmetric_eigen(d, a, values, work));
        for (size_t k = 0; k < d; k++) { /* A v = value v, the vectors orthonormal, values rising */
            assert_true(k == 0 || values[k] >= values[k - 1]);
            for (size_t i = 0; i < d; i++) {
                double sum = 0.0, dot = 0.0;
                for (size_t j = 0; j < d; j++) {
                    sum += copy[i * d + j] * a[k * d + j];
                    dot += a[k * d + j] * a[i * d + j];
                }
                assert_close(sum, values[k] * a[k * d + i], 1e-11, 1e-11);
                assert_close(dot, i == k ? 1.0 : 0.0, 1e-12, 1e-12);
            }
        }
    }
}

static void numbers_that_are_none_are_found(void **state) {
    (void)state;
    double x[37];
    struct dice r = {20};
    static const double odd[] = {INFINITY, -INFINITY, NAN};
    fill(&r, 37, x);
    for (size_t n = 0; n <= 37; n++) {
        assert_true(gbs_finite(n, x));
        assert_false(gbs_any_nan(n, x));
    }
    for (size_t i = 0; i < 37; i++)
        for (size_t k = 0; k < COUNT(odd); k++) {
            double was = x[i];
            x[i] = odd[k];
            assert_false(gbs_finite(37, x));
            assert_true(gbs_any_nan(37, x) == (isnan(odd[k]) != 0));
            assert_true(gbs_finite(i, x));
            x[i] = was;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_meet_rows_as_vectors_do),
        cmocka_unit_test(tiles_are_turned_and_mixed),
        cmocka_unit_test(tiles_come_from_rows_and_go_back),
        cmocka_unit_test(pairs_have_the_moments_of_differences),
        cmocka_unit_test(pairs_add_up),
        cmocka_unit_test(packed_matrices_are_matrices),
        cmocka_unit_test(records_hold_second_moments),
        cmocka_unit_test(rows_are_weighted_and_summed),
        cmocka_unit_test(square_matrices_turn_and_split),
        cmocka_unit_test(numbers_that_are_none_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
