/* The hash of a set of rows: the same for any order and for sparse rows, another for any change. */
#include "support.h"

#include "data/rows.h"
#include "kernel/threefry.h"

static gbs_data *dense(gbs_context *ctx, const struct table_of_numbers *t) {
    gbs_data *data;
    assert_int_equal(gbs_data_dense(ctx, t->n, t->d, t->x, t->d, t->y, GBS_COPY, &data), GBS_OK);
    return data;
}

static bool same(gbs_hash a, gbs_hash b) {
    return a.low == b.low && a.high == b.high;
}

static gbs_hash hash_of(gbs_context *ctx, const struct table_of_numbers *t) {
    gbs_data *data = dense(ctx, t);
    gbs_hash h = gbs_data_hash(data);
    gbs_data_free(data);
    return h;
}

static void does_not_depend_on_the_order(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {8};
    struct table_of_numbers t = make_table(&r, 60, 5, 0.5, 0.5);
    gbs_data *data = dense(ctx, &t), *view, *sparse;
    size_t rows[60];
    for (size_t i = 0; i < t.n; i++)
        rows[i] = t.n - 1 - i;
    assert_int_equal(gbs_data_view(ctx, data, rows, t.n, &view), GBS_OK);
    assert_int_equal(
        gbs_data_csr(ctx, t.n, t.d, t.start, t.column, t.value, t.y, GBS_COPY, &sparse), GBS_OK);
    gbs_hash h = gbs_data_hash(data);
    assert_true(same(h, gbs_data_hash(view)));
    assert_true(same(h, gbs_data_hash(sparse)));
    gbs_data_free(view);
    gbs_data_free(sparse);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void depends_on_all_else(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(4, 30, 4);
    gbs_hash before = hash_of(ctx, &t);
    for (size_t k = 0; k < t.n * t.d; k += 7) { /* a cell */
        double x = t.x[k];
        t.x[k] = nextafter(x, 1e9);
        assert_false(same(before, hash_of(ctx, &t)));
        t.x[k] = x;
    }
    for (size_t i = 0; i < t.n; i++) { /* a label; all the labels that two rows exchange */
        t.y[i] = -t.y[i];
        assert_false(same(before, hash_of(ctx, &t)));
        t.y[i] = -t.y[i];
    }
    for (size_t i = 0; i + 1 < t.n; i++) { /* two copies of a row do not vanish */
        double keep[4];
        memcpy(keep, t.x + (i + 1) * t.d, sizeof keep);
        memcpy(t.x + (i + 1) * t.d, t.x + i * t.d, sizeof keep);
        assert_false(same(before, hash_of(ctx, &t)));
        memcpy(t.x + (i + 1) * t.d, keep, sizeof keep);
    }
    for (size_t i = 0; i < t.n; i++) /* all labels turned round: the other class is positive */
        t.y[i] = -t.y[i];
    assert_true(same(before, hash_of(ctx, &t)));
    double x = t.x[0]; /* two cells of a row change places */
    t.x[0] = t.x[1], t.x[1] = x;
    assert_false(same(before, hash_of(ctx, &t)));
    t.x[1] = t.x[0], t.x[0] = x;
    assert_true(same(before, hash_of(ctx, &t)));
    free_table(&t);
    gbs_context_free(ctx);
}

static void cells_are_what_they_say(void **state) {
    (void)state;
    assert_true(same(gbs_hash_number(3, -0.0), gbs_hash_number(3, 0.0)));
    assert_true(same(gbs_hash_number(3, 0.0), (gbs_hash){0}));
    assert_false(same(gbs_hash_number(3, 1.0), gbs_hash_number(4, 1.0)));
    assert_false(same(gbs_hash_number(3, 1.0), gbs_hash_text(3, "1", 1)));
    assert_false(same(gbs_hash_text(3, "abcdefgh", 8), gbs_hash_text(3, "abcdefgh\0", 9)));
    assert_false(same(gbs_hash_text(3, "", 0), gbs_hash_text(4, "", 0)));
    assert_false(same(gbs_hash_text(3, "abcdefghi", 9), gbs_hash_text(3, "abcdefghj", 9)));
    gbs_hash most = {UINT64_MAX, 5}, sum = gbs_hash_add(most, (gbs_hash){1, 0});
    assert_true(sum.low == 0 && sum.high == 6);
}

/* The plain twin adds cell by cell: rows of data are hashed many cells at once. */
static void cells_at_once_are_the_sum_of_each(void **state) {
    (void)state;
    enum { MOST = 41, NUMBER = 1 };
    struct dice r = {77};
    for (int turn = 0; turn < 2000; turn++) {
        size_t n = dice_below(&r, MOST);
        uint64_t column[MOST], found[2];
        double value[MOST];
        gbs_hash sum = {0};
        for (size_t k = 0; k < n; k++) {
            column[k] = dice_below(&r, 1000);
            value[k] = dice_uniform(&r) < 0.2 ? (k % 2 == 0 ? 0.0 : -0.0) : dice_normal(&r);
            sum = gbs_hash_add(sum, gbs_hash_number(column[k], value[k]));
        }
        gbs_threefry_sum(n, column, NUMBER, value, found);
        assert_true(same(sum, (gbs_hash){found[0], found[1]}));
    }
}

/* Rows of more cells than are hashed at once, of doubles and of singles. */
static void long_rows_hash_as_their_cells(void **state) {
    (void)state;
    enum { N = 5, D = 300 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(6, N, D);
    float single[N * D];
    gbs_hash_sum sum = {0};
    for (size_t i = 0; i < N * D; i++) {
        single[i] = (float)t.x[i];
        t.x[i] = (double)single[i];
    }
    for (size_t i = 0; i < N; i++) {
        gbs_hash row = {0};
        for (size_t k = 0; k < D; k++)
            row = gbs_hash_add(row, gbs_hash_number(k, t.x[i * D + k]));
        gbs_hash_sum_add(&sum, row, t.y[i]);
    }
    gbs_data *singles;
    assert_ok(ctx,
              gbs_data_strided(ctx, N, D, single, GBS_CELL_FLOAT, D, 1, t.y, GBS_BORROW, &singles));
    assert_true(same(hash_of(ctx, &t), gbs_hash_sum_of(&sum)));
    assert_true(same(gbs_data_hash(singles), gbs_hash_sum_of(&sum)));
    gbs_data_free(singles);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Seeds of neighbours have nothing in common: 64 x 4,000 bits, each 1 with probability 1/2; 5
 * sigma for each bit, 64 of them. */
static void seeds_look_random(void **state) {
    (void)state;
    enum { SEEDS = 4000 };
    size_t ones[64] = {0};
    for (uint64_t k = 0; k < SEEDS; k++) {
        uint64_t s = gbs_hash_seed(k % 4, 100 + k % 10, gbs_hash_row((gbs_hash){k, 0}, 1.0));
        for (size_t b = 0; b < 64; b++)
            ones[b] += s >> b & 1u;
    }
    for (size_t b = 0; b < 64; b++)
        assert_close((double)ones[b], SEEDS / 2.0, 0.0, 5.0 * sqrt(SEEDS) / 2.0);
    gbs_hash h = {1, 2};
    assert_true(gbs_hash_seed(1, 10, h) != gbs_hash_seed(2, 10, h));
    assert_true(gbs_hash_seed(1, 10, h) != gbs_hash_seed(1, 11, h));
    assert_true(gbs_hash_seed(1, 10, h) != gbs_hash_seed(1, 10, (gbs_hash){1, 3}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_not_depend_on_the_order),
        cmocka_unit_test(depends_on_all_else),
        cmocka_unit_test(cells_are_what_they_say),
        cmocka_unit_test(cells_at_once_are_the_sum_of_each),
        cmocka_unit_test(long_rows_hash_as_their_cells),
        cmocka_unit_test(seeds_look_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
