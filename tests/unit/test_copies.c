/* Copies of rows are told from rows that are alike by chance. */
#include "support.h"

#include "data/rows.h"

enum { N = 320, D = 5 };

static size_t copies_of(gbs_context *ctx, const gbs_data *data) {
    size_t copies = SIZE_MAX;
    assert_ok(ctx, gbs_data_copies(ctx, data, &copies));
    return copies;
}

/* Each of the first rows eight times; dense and sparse, with zeros and without. */
static void copies_of_continuous_rows_are_counted(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    static const double densities[] = {1.0, 0.6};
    for (size_t k = 0; k < COUNT(densities); k++) {
        struct dice r = {1801};
        struct table_of_numbers t = make_table(&r, N, D, densities[k], 0.5);
        gbs_data *dense = dense_data(ctx, &t);
        assert_int_equal(copies_of(ctx, dense), 0);
        size_t copies = 0;
        for (size_t i = 40; i < N; i++) {
            size_t cells = 0; /* rows of zeros are alike by chance */
            memcpy(t.x + i * D, t.x + i % 40 * D, D * sizeof *t.x);
            for (size_t j = 0; j < D; j++)
                cells += t.x[i * D + j] != 0.0;
            copies += cells >= 2;
        }
        make_csr(&t);
        gbs_data *sparse = sparse_data(ctx, &t);
        assert_int_equal(copies_of(ctx, dense), copies);
        assert_int_equal(copies_of(ctx, sparse), copies);
        gbs_data_free(sparse);
        gbs_data_free(dense);
        free_table(&t);
    }
    gbs_context_free(ctx);
}

static void equal_rows_of_discrete_columns_are_not(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {1802};
    static const size_t values[] = {2, 5, 20};
    for (size_t k = 0; k < COUNT(values); k++) {
        struct table_of_numbers t = small_table(1803, N, 2);
        for (size_t i = 0; i < N * 2; i++)
            t.x[i] = (double)dice_below(&r, values[k]) - 1.0;
        gbs_data *data = dense_data(ctx, &t);
        assert_int_equal(copies_of(ctx, data), 0);
        /* nor beside one column that has many values, such as an identifier */
        for (size_t i = 0; i < N; i++)
            t.x[2 * i] = (double)(i / 2);
        assert_int_equal(copies_of(ctx, data), 0);
        gbs_data_free(data);
        free_table(&t);
    }
    gbs_context_free(ctx);
}

/* A fit says so, once. */
static void note(gbs_log_level level, const char *message, void *user) {
    if (level == GBS_LOG_WARNING && strstr(message, "exact copies") != NULL)
        ++*(size_t *)user;
}

static void a_fit_warns_of_copies(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(1804, N, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    size_t warned = 0;
    uint64_t name[N];
    gbs_context_set_log(ctx, note, &warned);
    assert_int_equal(fit_info(ctx, data, &o).copies, 0);
    assert_int_equal(warned, 0);
    for (size_t i = 100; i < 110; i++)
        memcpy(t.x + i * D, t.x, D * sizeof *t.x);
    assert_int_equal(fit_info(ctx, data, &o).copies, 10);
    assert_int_equal(warned, 1);
    for (size_t i = 0; i < N; i++)
        name[i] = i < 100 || i >= 110 ? i : 0;
    assert_ok(ctx, gbs_data_set_groups(ctx, data, name));
    assert_int_equal(fit_info(ctx, data, &o).copies, 0);
    assert_int_equal(warned, 1);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_continuous_rows_are_counted),
        cmocka_unit_test(equal_rows_of_discrete_columns_are_not),
        cmocka_unit_test(a_fit_warns_of_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
