/* What it costs to say one class of another, from a file. */
#include "data/rows.h"
#include "unit/people.h"

/* A file of costs, its classes in another order than the data's. */
static void costs_are_read_from_a_file(void **state) {
    (void)state;
    enum { N = 90 };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {77};
    double x[N];
    const char *label[N];
    static const char *const names[] = {"1", "2", "10"};
    for (size_t i = 0; i < N; i++) {
        x[i] = dice_normal(&r) + 2.0 * (double)(i % 3);
        label[i] = names[i % 3];
    }
    gbs_table *t;
    gbs_data *data;
    assert_ok(ctx, gbs_table_create(ctx, N, 2, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "x", x));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "y", label));
    assert_ok(ctx, gbs_table_train(ctx, t, NULL, &data));
    char path[NAME_ROOM];
    write_file(path, "is,10,1,2\n2,3,1,0\n1,2,0,5\n10,0,4,6\n");
    assert_ok(ctx, gbs_data_read_costs(ctx, data, path));
    const double cost[] = {0, 2, 5, 4, 0, 6, 1, 3, 0}; /* of 1, 10, 2 */
    for (size_t k = 0; k < 9; k++)
        assert_true(data->costs[k] == cost[k]);
    unlink(path);
    static const struct {
        const char *text, *says;
    } bad[] = {{"is,10,1,dog\n2,3,1,0\n", "column 'dog' is no class of the training data"},
               {"is,10,1,2\ndog,3,1,0\n", "class 'dog' is no class of the training data"},
               {"is,10,1,2\n2,3,1,2\n", "expected a number from 0, and 0 where"},
               {"is,10,1,2\n2,3,1,0\n2,3,1,0\n", "class '2' comes a second time"},
               {"is,10,1,2\n2,3,1,0\n", "the cost of saying '1' of class '1'"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_file(path, bad[k].text);
        assert_int_equal(gbs_data_read_costs(ctx, data, path), GBS_ERR_DATA);
        assert_non_null(strstr(gbs_error_message(ctx), bad[k].says));
        unlink(path);
    }
    write_file(path, "is,10,1,2\n2,0,0,0\n1,0,0,0\n10,0,0,0\n");
    assert_int_equal(gbs_data_read_costs(ctx, data, path), GBS_ERR_ARGUMENT);
    assert_string_equal(gbs_error_message(ctx), "every cost is 0");
    unlink(path);
    gbs_data_free(data);
    gbs_table_free(t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_read_from_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
