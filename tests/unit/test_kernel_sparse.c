/* Variances and Gram matrices of sparse rows against those of the same rows made dense, and against
 * plain loops where the two might share a fault. */
#include "core/random.h"
#include "kernel/strip_sparse.h"

#include "unit/support.h"

#include <math.h>

enum { N = 41, MOST_D = 150, STRIDE = 3, ROWS = N * STRIDE };

struct rows {
    size_t d;
    double shift[MOST_D], factor[MOST_D * MOST_D], w[N];
    size_t start[ROWS + 1];
    uint32_t column[ROWS * MOST_D];
    double value[ROWS * MOST_D];
};

static double normal(uint64_t stream, uint64_t index) {
    return gbs_normal(11, stream, index);
}

/* Some rows are empty, some half full; what lies below the factor's diagonal is nobody's business.
 */
static void fill(struct rows *r, size_t d, double density) {
    memset(r, 0, sizeof *r);
    r->d = d;
    for (size_t j = 0; j < d; j++) {
        r->shift[j] = normal(1, j);
        for (size_t t = 0; t < d; t++)
            r->factor[j * d + t] = t < j ? NAN : normal(2, j * d + t);
    }
    for (size_t i = 0; i < N; i++)
        r->w[i] = i % 5 == 0 ? 0.0 : normal(3, i); /* either sign, some zero */
    for (size_t i = 0; i < ROWS; i++) {
        double share = i % 7 == 6 ? 0.0 : i % 20 == 19 ? 0.5 : density;
        r->start[i + 1] = r->start[i];
        for (size_t j = 0; j < d; j++) {
            if (!(gbs_uniform(11, 4, i * d + j) < share))
                continue;
            r->column[r->start[i + 1]] = (uint32_t)j;
            r->value[r->start[i + 1]++] = normal(5, i * d + j);
        }
    }
}

static gbs_strip strip_of(const struct rows *r, bool shifted, size_t stride) {
    return (gbs_strip){.n = N,
                       .d = r->d,
                       .start = r->start,
                       .column = r->column,
                       .value = r->value,
                       .shift = shifted ? r->shift : NULL,
                       .stride = stride};
}

static void check(const struct rows *r, const gbs_strip *b) {
    size_t d = r->d;
    double *cells = calloc((N + GBS_PANEL + 1) * d, sizeof *cells), *scratch = cells + N * d;
    double *gram = calloc(2 * d * d, sizeof *gram), *slow = gram + d * d, variance[N];
    gbs_strip_densify(b, cells);
    gbs_sparse_factor_variance(b, r->factor, scratch, variance);
    for (size_t i = 0; i < N; i++) {
        double sum = 0.0;
        for (size_t t = 0; t < d; t++) {
            double y = 0.0;
            for (size_t j = 0; j <= t; j++)
                y += cells[i * d + j] * r->factor[j * d + t];
            sum += y * y;
        }
        assert_close(variance[i], sum, 1e-12, 0.0);
    }
    gbs_sparse_gram(b, r->w, scratch, gram);
    gbs_strip dense = {.n = N, .d = d, .dense = cells, .ld = d, .stride = 1};
    double *room = calloc(N * d, sizeof *room);
    gbs_strip_gram(&dense, r->w, room, slow);
    for (size_t j = 0; j < d; j++)
        for (size_t t = 0; t <= j; t++)
            assert_close(gram[j * d + t], slow[j * d + t], 1e-11, 1e-11);
    free(room);
    free(cells);
    free(gram);
}

static void sparse_sums_equal_dense_ones(void **state) {
    (void)state;
    static const size_t widths[] = {1, 2, 31, 32, 33, 64, 100, MOST_D};
    struct rows *r = malloc(sizeof *r);
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int full = 0; full < 2; full++) {
            fill(r, widths[k], full ? 1.0 : 0.06);
            for (int shifted = 0; shifted < 2; shifted++)
                for (size_t stride = 1; stride <= STRIDE; stride += STRIDE - 1) {
                    gbs_strip b = strip_of(r, shifted != 0, stride);
                    check(r, &b);
                }
        }
    free(r);
}

static void they_are_taken_where_cells_are_few(void **state) {
    (void)state;
    struct rows *r = malloc(sizeof *r);
    double cell = 1.0;
    fill(r, 100, 0.06);
    gbs_strip few = strip_of(r, true, 1), one = gbs_strip_part(&few, 0, GBS_PANEL);
    assert_true(gbs_sparse_factor_pays(&few) && gbs_sparse_gram_pays(&few));
    assert_false(gbs_sparse_factor_pays(&one)); /* no scratch space for a panel */
    fill(r, 100, 0.9);
    gbs_strip many = strip_of(r, true, 1), dense = {.n = N, .d = 1, .dense = &cell, .stride = 1};
    assert_false(gbs_sparse_factor_pays(&many) || gbs_sparse_gram_pays(&many));
    assert_false(gbs_sparse_factor_pays(&dense) || gbs_sparse_gram_pays(&dense));
    free(r);
}

/* Columns of one 1 a row, standardised by a shift, under a factor that is wide in their common
 * direction: |C'x|^2 is a millionth of |C'z|^2, and as good as from the dense rows. */
static void a_wide_direction_that_no_row_has_costs_no_digits(void **state) {
    (void)state;
    enum { D = 40 };
    struct rows *r = malloc(sizeof *r);
    memset(r, 0, sizeof *r);
    r->d = D;
    for (size_t i = 0; i < ROWS; i++) {
        r->start[i + 1] = i + 1;
        r->column[i] = (uint32_t)(i % D);
        r->value[i] = 1.0;
    }
    for (size_t j = 0; j < D; j++) {
        r->shift[j] = 1.0 / D;
        for (size_t t = j; t < D; t++) /* the last column is the wide direction */
            r->factor[j * D + t] = t + 1 == D ? 1e3 : t == j ? 1.0 : 0.0;
    }
    gbs_strip b = strip_of(r, true, 1);
    double scratch[(GBS_PANEL + 1) * D], variance[N];
    gbs_sparse_factor_variance(&b, r->factor, scratch, variance);
    for (size_t i = 0; i < N;
         i++) { /* the first D - 1 coordinates of z - c, squared; the last: 0 */
        size_t j = i % D;
        double most = (D - 1) / (double)(D * D), own = 1.0 - 2.0 / D;
        assert_close(variance[i], most + (j + 1 < D ? own : 0.0), 1e-11, 0.0);
    }
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_sums_equal_dense_ones),
        cmocka_unit_test(they_are_taken_where_cells_are_few),
        cmocka_unit_test(a_wide_direction_that_no_row_has_costs_no_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
