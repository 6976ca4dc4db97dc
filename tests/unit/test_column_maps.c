/* Maps of one column: from cells to features, against features made by hand. */
#include "map/column.h"
#include "unit/host.h"

/* The features of a cell as a row, written over `out`; returns how many. */
static size_t features(const gbs_column_map *c, double x, double *out) {
    size_t width = gbs_column_width(c);
    gbs_cell cell = gbs_column_put(c, x);
    memset(out, 0, width * sizeof *out);
    if (cell.column != SIZE_MAX)
        out[cell.column] = cell.value;
    if (cell.mark != SIZE_MAX)
        out[cell.mark] = 1.0;
    return width;
}

static void check_features(const gbs_column_map *c, double x, size_t width,
                           const double *expected) {
    double found[8];
    assert_int_equal(features(c, x, found), width);
    for (size_t k = 0; k < width; k++)
        assert_true(found[k] == expected[k]);
}

static void check_name(const gbs_column_map *c, size_t k, const char *expected) {
    char name[40];
    gbs_column_feature(c, k, name, sizeof name);
    assert_string_equal(name, expected);
}

static void a_whole_column_of_numbers_is_its_own_feature(void **state) {
    (void)state;
    gbs_column_map c = {.name = "age"};
    assert_false(gbs_column_learns(&c));
    check_features(&c, -3.5, 1, (double[]){-3.5});
    check_name(&c, 0, "age");
}

static void levels_are_those_of_the_rows_that_teach(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    const char *levels[] = {"a", "b", "c", "d"};
    gbs_column_map c = {.name = "job", .is_text = true, .levels = levels, .n_levels = 4};
    double cell[] = {3, 1, NAN, 1};
    assert_true(gbs_column_learns(&c));
    assert_int_equal(gbs_column_level(&c, "d"), 3);
    assert_ok(ctx, gbs_column_learn(ctx, &c, 4, cell));
    assert_int_equal(c.n_levels, 2);
    assert_int_equal(gbs_column_level(&c, "b"), 0);
    assert_int_equal(gbs_column_level(&c, "d"), 1);
    assert_true(gbs_column_level(&c, "a") == SIZE_MAX && gbs_column_level(&c, "e") == SIZE_MAX);
    check_features(&c, 0, 2, (double[]){1, 0});
    check_features(&c, 1, 2, (double[]){0, 1});
    check_features(&c, GBS_NO_LEVEL, 2, (double[]){0, 0});
    check_name(&c, 0, "job=b");
    check_name(&c, 1, "job=d");
    leave(&h, ctx);
}

static void the_median_stands_in_for_a_missing_number(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    gbs_column_map c = {.name = "age", .filled = true};
    double cell[] = {7, NAN, 1, 4, 2}, whole[] = {5, 1, 3}, none[] = {NAN, NAN};
    assert_ok(ctx, gbs_column_learn(ctx, &c, 5, cell));
    assert_true(c.marked);
    check_features(&c, NAN, 2, (double[]){3, 1});
    check_features(&c, 9, 2, (double[]){9, 0});
    check_name(&c, 0, "age");
    check_name(&c, 1, "age is missing");
    assert_ok(ctx, gbs_column_learn(ctx, &c, 3, whole));
    check_features(&c, NAN, 1, (double[]){3});
    assert_ok(ctx, gbs_column_learn(ctx, &c, 2, none));
    check_features(&c, NAN, 2, (double[]){0, 1});
    leave(&h, ctx);
}

/* The level that stands in is counted among those that are left. */
static void the_most_frequent_level_stands_in_for_a_missing_text(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    const char *levels[] = {"a", "b", "c", "d"};
    gbs_column_map c = {
        .name = "job", .is_text = true, .levels = levels, .n_levels = 4, .filled = true};
    double cell[] = {3, 2, NAN, 2, 3, 1}, none[] = {NAN, NAN};
    assert_ok(ctx, gbs_column_learn(ctx, &c, 6, cell)); /* c and d twice each: the first */
    check_features(&c, NAN, 4, (double[]){0, 1, 0, 1});
    check_features(&c, 2, 4, (double[]){0, 0, 1, 0});
    check_features(&c, GBS_NO_LEVEL, 4, (double[]){0, 0, 0, 0});
    check_name(&c, 1, "job=c");
    check_name(&c, 3, "job is missing");
    assert_ok(ctx, gbs_column_learn(ctx, &c, 2, none));
    check_features(&c, NAN, 1, (double[]){1});
    leave(&h, ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_column_of_numbers_is_its_own_feature),
        cmocka_unit_test(levels_are_those_of_the_rows_that_teach),
        cmocka_unit_test(the_median_stands_in_for_a_missing_number),
        cmocka_unit_test(the_most_frequent_level_stands_in_for_a_missing_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
