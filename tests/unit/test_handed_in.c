/* What callers of the library hand in: rows to learn from, handed out and in again; wide indices;
 * cells in any layout; a callback that is asked by the clock. */
#include "model/model.h"
#include "unit/people.h"
#include "unit/told_support.h"

/* ---------------------------------------------------------------- rows to learn from */

/* How long it took is no part of what it is. */
static char *file_of(gbs_context *ctx, gbs_model *model) {
    char *text;
    model->info.seconds = 0.0;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, NULL));
    return text;
}

static void a_split_handed_out_and_in_again_changes_nothing(void **state) {
    (void)state;
    static const char *const bounds[] = {"vote", "kl", "progressive"};
    gbs_context *ctx = new_context(1, 4);
    struct table_of_numbers t = small_table(9, 240, 3);
    for (size_t k = 0; k < COUNT(bounds); k++) {
        unsigned char learned[240];
        size_t count = 0;
        gbs_data *plain = dense_data(ctx, &t), *said = dense_data(ctx, &t);
        gbs_options *o;
        gbs_model *a, *b;
        assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
        assert_ok(ctx, gbs_options_set(o, "bound", bounds[k]));
        assert_ok(ctx, gbs_fit_split(ctx, plain, o, learned));
        for (size_t i = 0; i < t.n; i++)
            count += learned[i];
        assert_true(count > 0 && count < t.n);
        assert_ok(ctx, gbs_data_set_split(ctx, said, learned));
        assert_ok(ctx, gbs_fit(ctx, plain, o, &a));
        assert_ok(ctx, gbs_fit(ctx, said, o, &b));
        const gbs_certificate *x = gbs_model_certificate(a, 0), *y = gbs_model_certificate(b, 0);
        assert_true(x->value == y->value && x->blocks == y->blocks);
        assert_true(gbs_model_get_info(a)->free_energy == gbs_model_get_info(b)->free_energy);
        assert_true(y->valid);
        if (gbs_model_card(a) != NULL)
            assert_int_equal(gbs_model_card(a)->learned, count);
        gbs_model_free(a);
        gbs_model_free(b);
        gbs_options_free(o);
        gbs_data_free(plain);
        gbs_data_free(said);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

/* Of rows that certify, only the certificate knows: other values there leave the model as it is. */
static void a_fit_learns_from_the_rows_that_it_is_told(void **state) {
    (void)state;
    enum { N = 120 };
    gbs_context *ctx = new_context(1, 4);
    struct table_of_numbers t = small_table(11, N, 3);
    for (int sparse = 0; sparse < 2; sparse++) {
        unsigned char learned[N];
        double b[2][3], a[2];
        for (size_t i = 0; i < N; i++)
            learned[i] = i % 3 != 1;
        for (int round = 0; round < 2; round++) {
            gbs_data *data = sparse ? sparse_data(ctx, &t) : dense_data(ctx, &t);
            gbs_options *o;
            gbs_model *model;
            assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
            assert_ok(ctx, gbs_options_set(o, "loss", "hinge"));
            assert_ok(ctx, gbs_options_set(o, "columns", "equal"));
            assert_ok(ctx, gbs_options_set(o, "prior-sd", "0.5"));
            assert_ok(ctx, gbs_options_set(o, "constant", "1"));
            assert_ok(ctx, gbs_data_set_split(ctx, data, learned));
            assert_ok(ctx, gbs_fit(ctx, data, o, &model));
            assert_int_equal(gbs_model_card(model)->learned, N / 3 * 2);
            assert_int_equal(gbs_model_card(model)->tested, N / 3);
            assert_ok(ctx, gbs_model_linear(ctx, model, b[round], &a[round]));
            gbs_model_free(model);
            gbs_options_free(o);
            gbs_data_free(data);
            for (size_t i = 1; i < N; i += 3) {
                t.y[i] = -t.y[i];
                for (size_t k = 0; k < 3; k++)
                    t.x[i * 3 + k] = -t.x[i * 3 + k];
            }
            make_csr(&t);
        }
        /* the order inside the part, and so the last digits, may differ */
        for (size_t k = 0; k < 3; k++)
            assert_close(b[0][k], b[1][k], 1e-6, 1e-8);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

/* Whoever said the split says it again, and the posterior is found, also of a file. */
static void a_posterior_of_a_said_split_can_be_sampled(void **state) {
    (void)state;
    enum { N = 120 };
    static const char *const bounds[] = {"vote", "kl"};
    gbs_context *ctx = new_context(1, 4);
    struct table_of_numbers t = small_table(17, N, 2);
    unsigned char learned[N];
    for (size_t i = 0; i < N; i++)
        learned[i] = i % 4 != 1;
    for (size_t k = 0; k < COUNT(bounds); k++) {
        gbs_data *said = dense_data(ctx, &t), *plain = dense_data(ctx, &t);
        gbs_options *o, *how;
        gbs_model *model, *back;
        gbs_particles *particles;
        assert_ok(ctx, gbs_options_create(ctx, "sample", &how));
        assert_ok(ctx, gbs_options_set(how, "particles", "64"));
        assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
        assert_ok(ctx, gbs_options_set(o, "bound", bounds[k]));
        assert_ok(ctx, gbs_data_set_split(ctx, said, learned));
        assert_ok(ctx, gbs_fit(ctx, said, o, &model));
        char *text = file_of(ctx, model);
        assert_ok(ctx, gbs_model_from_json(ctx, text, strlen(text), &back));
        assert_ok(ctx, gbs_sample_for(ctx, said, back, 0, how, &particles));
        assert_null(gbs_particles_recipe(particles));
        gbs_particles_free(particles);
        assert_ok(ctx, gbs_model_set_recipe(ctx, back, "{\"positive\":\"yes\"}"));
        assert_ok(ctx, gbs_sample_for(ctx, said, back, 0, how, &particles));
        assert_string_equal(gbs_particles_recipe(particles), gbs_model_recipe(back));
        gbs_particles_free(particles);
        assert_int_equal(gbs_sample_for(ctx, plain, model, 0, how, &particles), GBS_ERR_DATA);
        assert_non_null(strstr(gbs_error_message(ctx), "told the same split"));
        learned[0] = 0; /* another split */
        assert_ok(ctx, gbs_data_set_split(ctx, plain, learned));
        assert_int_equal(gbs_sample_for(ctx, plain, model, 0, how, &particles), GBS_ERR_DATA);
        assert_non_null(strstr(gbs_error_message(ctx), "does not belong to these rows"));
        learned[0] = 1;
        gbs_release(ctx, text);
        gbs_model_free(model);
        gbs_model_free(back);
        gbs_options_free(o);
        gbs_options_free(how);
        gbs_data_free(said);
        gbs_data_free(plain);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

static void a_split_that_a_fit_cannot_keep_makes_its_certificate_conditional(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 4);
    struct table_of_numbers t = small_table(13, 40, 2);
    unsigned char learned[40] = {0};
    gbs_data *data = dense_data(ctx, &t);
    gbs_options *o;
    gbs_model *model;
    assert_int_equal(gbs_data_set_split(ctx, data, learned), GBS_ERR_DATA);
    memset(learned, 1, sizeof learned);
    assert_int_equal(gbs_data_set_split(ctx, data, learned), GBS_ERR_DATA);
    learned[0] = 0;
    assert_ok(ctx, gbs_data_set_split(ctx, data, learned));
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "prior", "zero"));
    assert_ok(ctx, gbs_options_set(o, "scale", "none"));
    assert_ok(ctx, gbs_fit_split(ctx, data, o, learned));
    for (size_t i = 0; i < t.n; i++)
        assert_int_equal(learned[i], 1);
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    assert_false(gbs_model_certificate(model, 0)->valid);
    gbs_model_free(model);
    gbs_options_free(o);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- wide indices */

static void wide_indices_give_the_same_model(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {17};
    struct table_of_numbers t = make_table(&r, 90, 8, 0.3, 0.5);
    int64_t *start = take(t.n + 1, sizeof *start), *column = take(t.start[t.n], sizeof *column);
    for (size_t i = 0; i <= t.n; i++)
        start[i] = (int64_t)t.start[i];
    for (size_t k = 0; k < t.start[t.n]; k++)
        column[k] = t.column[k];
    gbs_data *narrow = sparse_data(ctx, &t), *wide;
    gbs_model *a, *b;
    assert_ok(ctx, gbs_fit(ctx, narrow, NULL, &a));
    char *first = file_of(ctx, a);
    for (int k = 0; k < 2; k++) {
        assert_ok(ctx, gbs_data_csr_wide(ctx, t.n, t.d, start, column, t.value, t.y,
                                         k ? GBS_BORROW : GBS_COPY, &wide));
        assert_ok(ctx, gbs_fit(ctx, wide, NULL, &b));
        char *second = file_of(ctx, b);
        assert_string_equal(first, second);
        gbs_release(ctx, second);
        gbs_model_free(b);
        gbs_data_free(wide);
    }
    int64_t kept = column[3];
    for (int k = 0; k < 2; k++) {
        column[3] = k ? -1 : (int64_t)UINT32_MAX + 1;
        assert_int_equal(
            gbs_data_csr_wide(ctx, t.n, t.d, start, column, t.value, t.y, GBS_COPY, &wide),
            GBS_ERR_DATA);
        assert_null(wide);
    }
    column[3] = kept;
    start[2] = -5;
    assert_int_equal(gbs_data_csr_wide(ctx, t.n, t.d, start, column, t.value, t.y, GBS_COPY, &wide),
                     GBS_ERR_DATA);
    start[2] = INT64_MAX;
    assert_int_equal(gbs_data_csr_wide(ctx, t.n, t.d, start, column, t.value, t.y, GBS_COPY, &wide),
                     GBS_ERR_DATA);
    gbs_release(ctx, first);
    gbs_model_free(a);
    gbs_data_free(narrow);
    free(start);
    free(column);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- arrays in any order */

enum { LONG = 90, WIDE = 5 };

/* Where row i and column k lie, and what is read there: as doubles, or as singles. */
struct lie {
    size_t row_stride, column_stride;
    gbs_cell_type type;
};

static void put_cells(const struct table_of_numbers *t, const struct lie *l, void *cells) {
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < t->d; k++) {
            size_t at = i * l->row_stride + k * l->column_stride;
            if (l->type == GBS_CELL_FLOAT)
                ((float *)cells)[at] = (float)t->x[i * t->d + k];
            else
                ((double *)cells)[at] = t->x[i * t->d + k];
        }
}

static void a_model_does_not_depend_on_how_its_cells_lie(void **state) {
    (void)state;
    static const struct lie lies[] = {
        {WIDE, 1, GBS_CELL_DOUBLE},         {1, LONG, GBS_CELL_DOUBLE},
        {2 * WIDE - 1, 2, GBS_CELL_DOUBLE}, {WIDE + 3, 1, GBS_CELL_FLOAT},
        {1, LONG, GBS_CELL_FLOAT},          {2, 2 * LONG, GBS_CELL_DOUBLE},
    };
    static double cells[4 * LONG * WIDE];
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(23, LONG, WIDE);
    for (size_t i = 0; i < t.n * t.d; i++)
        t.x[i] = (double)(float)t.x[i];
    static const char *const ways[][2] = {
        {"scale", "standard"}, {"scale", "none"}, {"features", "nystrom:20"}};
    for (size_t s = 0; s < COUNT(ways); s++) {
        gbs_options *o;
        gbs_model *a, *b;
        assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
        assert_ok(ctx, gbs_options_set(o, ways[s][0], ways[s][1]));
        assert_ok(ctx, gbs_options_set_flag(o, "no-intercept", s == 1)); /* then there is no map */
        gbs_data *data = dense_data(ctx, &t);
        assert_ok(ctx, gbs_fit(ctx, data, o, &a));
        char *expected = file_of(ctx, a);
        double score[2][LONG];
        assert_ok(ctx, gbs_model_predict(ctx, a, data, score[0], NULL, NULL));
        gbs_data_free(data);
        for (size_t k = 0; k < 2 * COUNT(lies); k++) {
            const struct lie *l = &lies[k / 2];
            put_cells(&t, l, cells);
            assert_ok(ctx, gbs_data_strided(ctx, t.n, t.d, cells, l->type, l->row_stride,
                                            l->column_stride, t.y, k % 2 ? GBS_BORROW : GBS_COPY,
                                            &data));
            assert_ok(ctx, gbs_fit(ctx, data, o, &b));
            char *found = file_of(ctx, b);
            assert_string_equal(expected, found);
            assert_ok(ctx, gbs_model_predict(ctx, b, data, score[1], NULL, NULL));
            assert_true(same_bits(score[0], score[1], LONG));
            gbs_release(ctx, found);
            gbs_model_free(b);
            gbs_data_free(data);
        }
        gbs_release(ctx, expected);
        gbs_model_free(a);
        gbs_options_free(o);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

static void cells_that_lie_over_one_another_are_refused(void **state) {
    (void)state;
    static const size_t strides[][2] = {{0, 1}, {1, 0}, {4, 1}, {1, 2}, {SIZE_MAX / 2, 1}};
    double x[15] = {0}, y[3] = {1, -1, 1};
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data;
    for (size_t k = 0; k < COUNT(strides); k++) {
        assert_int_equal(gbs_data_strided(ctx, 3, 5, x, GBS_CELL_DOUBLE, strides[k][0],
                                          strides[k][1], y, GBS_BORROW, &data),
                         GBS_ERR_ARGUMENT);
        assert_null(data);
    }
    assert_int_equal(gbs_data_strided(ctx, 3, 5, x, (gbs_cell_type)7, 5, 1, y, GBS_BORROW, &data),
                     GBS_ERR_ARGUMENT);
    x[7] = NAN;
    for (int copy = 0; copy < 2; copy++)
        assert_int_equal(gbs_data_strided(ctx, 3, 5, x, GBS_CELL_DOUBLE, 1, 3, y,
                                          copy ? GBS_COPY : GBS_BORROW, &data),
                         GBS_ERR_DATA);
    assert_non_null(strstr(gbs_error_message(ctx), "row 1, column 2"));
    assert_int_equal(gbs_data_strided(ctx, 3, 5, NULL, GBS_CELL_DOUBLE, 1, 3, y, GBS_COPY, &data),
                     GBS_ERR_ARGUMENT);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- cancellation */

static int counted(void *user) {
    ++*(size_t *)user;
    return 0;
}

static void a_callback_is_asked_no_more_often_than_it_likes(void **state) {
    (void)state;
    size_t always = 0, never = 0;
    struct table_of_numbers t = small_table(19, 400, 4);
    for (int k = 0; k < 2; k++) {
        gbs_context *ctx = new_context(2, 1);
        gbs_data *data = dense_data(ctx, &t);
        gbs_model *model;
        assert_ok(ctx, gbs_context_set_cancel(ctx, counted, k ? &never : &always));
        assert_ok(ctx, gbs_context_set_cancel_pause(ctx, k ? 1e6 : 0.0));
        assert_ok(ctx, gbs_fit(ctx, data, NULL, &model));
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_context_free(ctx);
    }
    assert_true(always > 10);
    assert_int_equal(never, 0);
    gbs_context *ctx = new_context(1, 1);
    assert_int_equal(gbs_context_set_cancel_pause(ctx, -1.0), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_cancel_pause(ctx, NAN), GBS_ERR_ARGUMENT);
    gbs_context_free(ctx);
    free_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_split_handed_out_and_in_again_changes_nothing),
        cmocka_unit_test(a_fit_learns_from_the_rows_that_it_is_told),
        cmocka_unit_test(a_posterior_of_a_said_split_can_be_sampled),
        cmocka_unit_test(a_split_that_a_fit_cannot_keep_makes_its_certificate_conditional),
        cmocka_unit_test(wide_indices_give_the_same_model),
        cmocka_unit_test(a_model_does_not_depend_on_how_its_cells_lie),
        cmocka_unit_test(cells_that_lie_over_one_another_are_refused),
        cmocka_unit_test(a_callback_is_asked_no_more_often_than_it_likes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
