/* The hash of a set of rows: the same for any order and for sparse rows, another for any change. */
#include "support.h"

#include "data/ratings.h"
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

/* ---------------------------------------------------------------- as the rows come */

static gbs_hash in_order(gbs_context *ctx, gbs_data *data) {
    gbs_row_summary summary;
    assert_ok(ctx, gbs_data_summary(ctx, data, &summary));
    assert_true(same(summary.hash, gbs_data_hash(data)));
    gbs_data_free(data);
    return summary.in_order;
}

/* Rows at their places add up whatever parts they are hashed in, of dense rows, sparse ones, views,
 * columns side by side, singles, rows of weight 0 between them, labels turned round. */
static void order_adds_up_and_is_that_of_any_container(void **state) {
    (void)state;
    enum { N = 40, D = 3, ZEROS = 5 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(17, N, D);
    double turned[N], columns[N * D], more[(N + ZEROS) * D], labels[N + ZEROS], weight[N + ZEROS];
    float single[N * D];
    size_t rows[N], at = 0;
    gbs_data *dense_rows, *sparse, *strided, *singles, *view, *weighted, *weighed, *other;
    for (size_t i = 0; i < N * D; i++) {
        single[i] = (float)t.x[i];
        t.x[i] = (double)single[i];
        columns[i % D * N + i / D] = t.x[i];
    }
    make_csr(&t);
    gbs_hash_sum part[2];
    memset(part, 0, sizeof part);
    for (size_t i = 0; i < N; i++) {
        gbs_hash cells = {0}, row[2];
        for (size_t k = 0; k < D; k++)
            cells = gbs_hash_add(cells, gbs_hash_number(k, t.x[i * D + k]));
        gbs_hash_sum *to = &part[i * 7 % 10 < 4];
        row[0] = gbs_hash_placed(gbs_hash_row(cells, t.y[i]), i);
        row[1] = gbs_hash_placed(gbs_hash_row(cells, -t.y[i]), i);
        to->as_is = gbs_hash_add(to->as_is, row[0]);
        to->turned = gbs_hash_add(to->turned, row[1]);
        turned[i] = -t.y[i];
        rows[i] = i;
    }
    part[0].as_is = gbs_hash_add(part[1].as_is, part[0].as_is);
    part[0].turned = gbs_hash_add(part[1].turned, part[0].turned);
    gbs_hash expected = gbs_hash_sum_of(&part[0]);
    for (size_t i = 0; i < N + ZEROS; i++) {
        weight[i] = i % 9 == 3 ? 0.0 : 1.0 + (double)(i % 2);
        labels[i] = weight[i] > 0.0 ? t.y[at] : 1.0;
        for (size_t k = 0; k < D; k++)
            more[i * D + k] = weight[i] > 0.0 ? t.x[at * D + k] : 99.0;
        at += weight[i] > 0.0;
    }
    assert_int_equal(at, N);
    dense_rows = dense(ctx, &t);
    assert_ok(ctx, gbs_data_view(ctx, dense_rows, rows, N, &view));
    assert_true(same(expected, in_order(ctx, view)));
    rows[4] = 5; /* two rows change places */
    rows[5] = 4;
    assert_ok(ctx, gbs_data_view(ctx, dense_rows, rows, N, &view));
    assert_false(same(expected, in_order(ctx, view)));
    assert_true(same(expected, in_order(ctx, dense_rows)));
    assert_ok(ctx, gbs_data_csr(ctx, N, D, t.start, t.column, t.value, t.y, GBS_COPY, &sparse));
    assert_true(same(expected, in_order(ctx, sparse)));
    assert_ok(ctx, gbs_data_strided(ctx, N, D, columns, GBS_CELL_DOUBLE, 1, N, t.y, GBS_BORROW,
                                    &strided));
    assert_true(same(expected, in_order(ctx, strided)));
    assert_ok(ctx,
              gbs_data_strided(ctx, N, D, single, GBS_CELL_FLOAT, D, 1, t.y, GBS_BORROW, &singles));
    assert_true(same(expected, in_order(ctx, singles)));
    assert_ok(ctx, gbs_data_dense(ctx, N, D, t.x, D, turned, GBS_COPY, &other));
    assert_true(same(expected, in_order(ctx, other)));
    assert_ok(ctx, gbs_data_dense(ctx, N + ZEROS, D, more, D, labels, GBS_COPY, &weighted));
    assert_ok(ctx, gbs_data_set_weights(ctx, weighted, weight));
    assert_ok(ctx, gbs_data_weighed(ctx, weighted, &weighed));
    assert_true(same(expected, in_order(ctx, weighed)));
    gbs_data_free(weighted);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Of ratings: two that change places change the order and not the set; how rows are numbered
 * changes neither. */
static void ratings_have_an_order(void **state) {
    (void)state;
    enum { N = 6 };
    gbs_context *ctx = new_context(1, 1);
    const char *const ids[2][3] = {{"a", "b", "c"}, {"c", "a", "b"}};
    uint32_t row[3][N] = {{0, 1, 2, 0, 1, 2}, {0, 1, 2, 0, 1, 2}, {1, 2, 0, 1, 2, 0}},
             column[3][N] = {{0, 0, 1, 1, 2, 2}, {0, 0, 1, 1, 2, 2}, {0, 0, 1, 1, 2, 2}};
    double value[3][N] = {{1, 2, 3, 4, 5, 1}, {1, 2, 3, 4, 5, 1}, {1, 2, 3, 4, 5, 1}};
    gbs_hash set[3], order[3];
    row[1][2] = 0; /* the second list: numbers 2 and 3 the other way round */
    row[1][3] = 2;
    value[1][2] = 4;
    value[1][3] = 3;
    for (size_t k = 0; k < 3; k++) {
        gbs_ratings *r;
        assert_ok(ctx, gbs_ratings_create(ctx, N, 3, 3, row[k], column[k], value[k], ids[k / 2],
                                          NULL, &r));
        set[k] = gbs_ratings_hash(r);
        order[k] = r->in_order;
        gbs_ratings_free(r);
    }
    assert_true(same(set[0], set[1]) && same(set[0], set[2]));
    assert_false(same(order[0], order[1]));
    assert_true(same(order[0], order[2]));
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_not_depend_on_the_order),
        cmocka_unit_test(depends_on_all_else),
        cmocka_unit_test(cells_are_what_they_say),
        cmocka_unit_test(cells_at_once_are_the_sum_of_each),
        cmocka_unit_test(long_rows_hash_as_their_cells),
        cmocka_unit_test(seeds_look_random),
        cmocka_unit_test(order_adds_up_and_is_that_of_any_container),
        cmocka_unit_test(ratings_have_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
