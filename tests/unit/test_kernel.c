/* Every sum over a block of rows against its plain twin: dense, dense with a stride, sparse, sparse
 * with a shift and a stride. */
#include "kernel/linalg.h"
#include "kernel/strip.h"

#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 37, D = 13, STRIDE = 3, ROWS = N * STRIDE };

/* The same rows in each storage; `plain` is what all of them stand for. */
struct rows {
    double all[ROWS * D], plain[N * D], shift[D];
    size_t start[ROWS + 1];
    uint32_t column[ROWS * D];
    double value[ROWS * D];
};

static double normal(uint64_t stream, uint64_t index) {
    return gbs_normal(5, stream, index);
}

static void fill(struct rows *r, bool shifted, size_t stride) {
    memset(r, 0, sizeof *r);
    for (size_t k = 0; k < D; k++)
        r->shift[k] = shifted ? normal(1, k) : 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        r->start[i + 1] = r->start[i];
        for (size_t k = 0; k < D; k++) {
            double x = gbs_uniform(5, 2, i * D + k) < 0.4 ? normal(3, i * D + k) : 0.0;
            r->all[i * D + k] = x - r->shift[k];
            if (x != 0.0) {
                r->column[r->start[i + 1]] = (uint32_t)k;
                r->value[r->start[i + 1]++] = x;
            }
        }
    }
    for (size_t i = 0; i < N; i++)
        memcpy(r->plain + i * D, r->all + i * stride * D, D * sizeof(double));
}

static gbs_strip dense_block(const struct rows *r, size_t stride) {
    return (gbs_strip){.n = N, .d = D, .dense = r->all, .ld = D * stride, .stride = stride};
}

static gbs_strip sparse_block(const struct rows *r, bool shifted, size_t stride) {
    return (gbs_strip){.n = N,
                       .d = D,
                       .start = r->start,
                       .column = r->column,
                       .value = r->value,
                       .shift = shifted ? r->shift : NULL,
                       .stride = stride};
}

static void same(const double *a, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(a[i] - b[i]) <= 1e-12 * (1.0 + fabs(b[i])));
}

static void check_scores(const struct rows *r, const gbs_strip *b) {
    double m[D], tau[D], score[N], variance[N], expected[N], spread[N], dot = 0.0, square = 0.0;
    for (size_t k = 0; k < D; k++) {
        m[k] = normal(4, k);
        tau[k] = gbs_uniform(5, 5, k);
        dot += r->shift[k] * m[k];
        square += r->shift[k] * r->shift[k] * tau[k];
    }
    for (size_t i = 0; i < N; i++) {
        expected[i] = spread[i] = 0.0;
        for (size_t k = 0; k < D; k++) {
            double x = r->plain[i * D + k];
            expected[i] += x * m[k];
            spread[i] += x * x * tau[k];
        }
    }
    gbs_strip_scores(b, m, dot, score);
    same(score, expected, N);
    gbs_strip_scores_squares(b, m, tau, dot, square, score, variance);
    same(score, expected, N);
    same(variance, spread, N);
}

static void check_norms(const struct rows *r, const gbs_strip *b) {
    double norm2[N], score[N], m[D] = {0}, expected[N] = {0}, shift_norm2 = 0.0;
    for (size_t k = 0; k < D; k++)
        shift_norm2 += r->shift[k] * r->shift[k];
    for (size_t i = 0; i < N * D; i++)
        expected[i / D] += r->plain[i] * r->plain[i];
    gbs_strip_norms(b, shift_norm2, norm2);
    same(norm2, expected, N);
    gbs_strip_scores_squares(b, m, NULL, 0.0, shift_norm2, score, norm2);
    same(norm2, expected, N);
}

/* Sparse pull-backs leave the shift to their caller: add it as the pass does. */
static void check_pulls(const struct rows *r, const gbs_strip *b) {
    double u[N], w[N], g[D] = {0}, h[D] = {0}, only[D] = {0}, expected_g[D] = {0},
                       expected_h[D] = {0}, u_sum = 0.0, w_sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        u_sum += u[i] = normal(6, i);
        w_sum += w[i] = normal(7, i);
        for (size_t k = 0; k < D; k++) {
            double x = r->plain[i * D + k];
            expected_g[k] += u[i] * x;
            expected_h[k] += w[i] * x * x;
        }
    }
    gbs_strip_pull(b, u, only);
    gbs_strip_pull_squares(b, u, w, g, h);
    for (size_t k = 0; k < D && b->shift != NULL; k++) {
        only[k] -= r->shift[k] * u_sum;
        g[k] -= r->shift[k] * u_sum;
        h[k] += r->shift[k] * r->shift[k] * w_sum;
    }
    same(only, expected_g, D);
    same(g, expected_g, D);
    same(h, expected_h, D);
}

static void check_matrices(const struct rows *r, const gbs_strip *b) {
    double c[D * D] = {0}, y[N * D], variance[N], expected[N], w[N], gram[D * D] = {0},
                 slow[D * D] = {0};
    for (size_t i = 0; i < D; i++)
        for (size_t j = i; j < D; j++)
            c[i * D + j] = normal(8, i * D + j);
    gbs_strip_densify(b, y);
    same(y, r->plain, N * D);
    gbs_strip_factor_variance(b, c, y, variance);
    for (size_t i = 0; i < N; i++) {
        w[i] = i % 5 == 0 ? 0.0 : normal(9, i); /* either sign, some zero */
        expected[i] = 0.0;
        for (size_t j = 0; j < D; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < D; k++)
                sum += r->plain[i * D + k] * c[k * D + j];
            expected[i] += sum * sum;
            for (size_t k = 0; k <= j; k++)
                slow[j * D + k] += w[i] * r->plain[i * D + j] * r->plain[i * D + k];
        }
    }
    same(variance, expected, N);
    gbs_strip_gram(b, w, y, gram);
    same(gram, slow, D * D);
}

static void block_sums_equal_plain_loops(void **state) {
    (void)state;
    struct rows *r = malloc(sizeof *r);
    for (size_t stride = 1; stride <= STRIDE; stride += STRIDE - 1)
        for (int shifted = 0; shifted < 2; shifted++) {
            fill(r, shifted != 0, stride);
            gbs_strip blocks[2] = {dense_block(r, stride), sparse_block(r, shifted != 0, stride)};
            for (size_t k = 0; k < 2; k++) {
                check_scores(r, &blocks[k]);
                check_norms(r, &blocks[k]);
                check_pulls(r, &blocks[k]);
                check_matrices(r, &blocks[k]);
            }
        }
    free(r);
}

/* A row that equals the shift: what rounding leaves of its length is below 0 as often as above. */
static void a_norm_is_never_negative(void **state) {
    (void)state;
    size_t start[2] = {0, D};
    uint32_t column[D];
    for (uint64_t trial = 0; trial < 100; trial++) {
        double shift[D], norm2;
        for (size_t k = 0; k < D; k++) {
            column[k] = (uint32_t)k;
            shift[k] = normal(13, trial * D + k);
        }
        gbs_strip b = {.n = 1,
                       .d = D,
                       .start = start,
                       .column = column,
                       .value = shift,
                       .shift = shift,
                       .stride = 1};
        gbs_strip_norms(&b, gbs_dot(D, shift, shift), &norm2);
        assert_true(norm2 >= 0.0 && norm2 < 1e-13);
    }
}

static void pivoted_cholesky_rebuilds_a_matrix_of_low_rank(void **state) {
    (void)state;
    enum { SIZE = 9, RANK = 4 };
    double x[SIZE * RANK], k[SIZE * SIZE], l[SIZE * SIZE], work[2 * SIZE];
    int pivot[SIZE];
    for (size_t i = 0; i < SIZE * RANK; i++)
        x[i] = normal(10, i);
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < SIZE; j++)
            k[i * SIZE + j] = gbs_dot(RANK, x + i * RANK, x + j * RANK);
    memcpy(l, k, sizeof l);
    assert_int_equal(gbs_pivoted_cholesky(SIZE, l, pivot, work), RANK);
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < SIZE; j++) {
            double product = gbs_dot(RANK, l + i * SIZE, l + j * SIZE);
            assert_true(fabs(product - k[(size_t)pivot[i] * SIZE + (size_t)pivot[j]]) < 1e-12);
        }
}

static void triangular_inverse_and_solves_undo_the_factor(void **state) {
    (void)state;
    double a[D * D], r[D * D], inverse[D * D], x[D], b[D];
    for (size_t i = 0; i < D * D; i++)
        r[i] = normal(11, i);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            a[i * D + j] = gbs_dot(D, r + i * D, r + j * D) + (i == j ? 1.0 : 0.0);
    memcpy(r, a, sizeof r);
    assert_true(gbs_cholesky(D, r));
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            assert_true(fabs(gbs_dot(D, r + i * D, r + j * D) - a[i * D + j]) < 1e-11);
    memcpy(inverse, r, sizeof inverse);
    assert_true(gbs_lower_inverse(D, inverse));
    for (size_t i = 0; i < D; i++)
        b[i] = x[i] = normal(12, i);
    gbs_lower_solve(D, r, D, false, x);
    for (size_t i = 0; i < D; i++)
        assert_true(fabs(x[i] - gbs_dot(D, inverse + i * D, b)) < 1e-11);
    a[0] = -1.0;
    assert_false(gbs_cholesky(D, a));
}

/* out = a b, plain; a is n x k, b is k x m. */
static void multiply(size_t n, size_t k, size_t m, const double *a, const double *b, double *out) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            out[i * m + j] = 0.0;
            for (size_t l = 0; l < k; l++)
                out[i * m + j] += a[i * k + l] * b[l * m + j];
        }
}

static void assert_alike(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(a[i] - b[i]) < 1e-11 * (1.0 + fabs(b[i])));
}

/* Each triangle of one full matrix, from either side, and back again. What lies in the other
 * triangle is not looked at. */
static void triangles_multiply_and_solve_as_plain_loops_do(void **state) {
    (void)state;
    enum { M = 6 };
    double full[D * D], t[D * D], x[D * M], y[D * M], product[D * M];
    for (size_t i = 0; i < D * D; i++)
        full[i] = 0.3 * normal(20, i) + (i % (D + 1) == 0 ? 2.0 : 0.0);
    for (size_t i = 0; i < D * M; i++)
        x[i] = normal(21, i);
    for (gbs_triangle kind = GBS_LOWER; kind <= GBS_UPPER_TRANSPOSED; kind++) {
        bool lower = kind == GBS_LOWER || kind == GBS_LOWER_TRANSPOSED,
             turned = kind == GBS_LOWER_TRANSPOSED || kind == GBS_UPPER_TRANSPOSED;
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++)
                t[turned ? j * D + i : i * D + j] = (lower ? j <= i : j >= i) ? full[i * D + j]
                                                                              : 0.0;
        memcpy(y, x, sizeof y);
        gbs_triangle_times(kind, D, full, y);
        multiply(D, D, 1, t, x, product);
        assert_alike(y, product, D);
        gbs_triangle_solve(kind, D, full, y);
        assert_alike(y, x, D);
        memcpy(y, x, sizeof y);
        gbs_triangle_times_columns(kind, D, full, M, y);
        multiply(D, D, M, t, x, product);
        assert_alike(y, product, D * M);
        gbs_triangle_solve_columns(kind, D, full, M, y);
        assert_alike(y, x, D * M);
        gbs_rows_times_triangle(kind, D, full, M, y);
        multiply(M, D, D, x, t, product);
        assert_alike(y, product, D * M);
        gbs_rows_solve_triangle(kind, D, full, M, y);
        assert_alike(y, x, D * M);
    }
}

static void squares_and_sums_of_matrices_are_those_of_plain_loops(void **state) {
    (void)state;
    double r[D * D] = {0}, turned[D * D] = {0}, product[D * D], x[N * D], m[D * D], a[D], b[D];
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j <= i; j++)
            r[i * D + j] = turned[j * D + i] = normal(22, i * D + j);
    multiply(D, D, D, r, turned, product);
    gbs_lower_square(D, r);
    assert_alike(r, product, D * D);
    for (size_t i = 0; i < N * D; i++)
        x[i] = normal(23, i);
    for (int keep = 0; keep < 2; keep++) {
        for (size_t i = 0; i < D * D; i++)
            m[i] = keep ? (double)i : NAN; /* what is not kept may be anything */
        gbs_add_gram(D, N, x, keep ? 0.5 : 0.0, m);
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = keep ? 0.5 * (double)(i * D + j) : 0.0;
                for (size_t row = 0; row < N; row++)
                    sum += x[row * D + i] * x[row * D + j];
                assert_alike(&m[i * D + j], &sum, 1);
            }
    }
    for (size_t i = 0; i < D; i++)
        a[i] = b[i] = normal(24, i);
    gbs_add_scaled(D, -1.5, x, a);
    for (size_t i = 0; i < D; i++)
        b[i] -= 1.5 * x[i];
    assert_alike(a, b, D);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_sums_equal_plain_loops),
        cmocka_unit_test(a_norm_is_never_negative),
        cmocka_unit_test(pivoted_cholesky_rebuilds_a_matrix_of_low_rank),
        cmocka_unit_test(triangular_inverse_and_solves_undo_the_factor),
        cmocka_unit_test(triangles_multiply_and_solve_as_plain_loops_do),
        cmocka_unit_test(squares_and_sums_of_matrices_are_those_of_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
