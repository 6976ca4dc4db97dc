/* Tables, recipes and cells: what callers get wrong, and what they are told. */
#include "unit/people.h"

static void says(gbs_context *ctx, const char *expected) {
    if (strstr(gbs_error_message(ctx), expected) == NULL)
        fail_msg("'%s', expected '%s'", gbs_error_message(ctx), expected);
    assert_null(strstr(gbs_error_message(ctx), "--"));
}

static void what_is_needed_may_not_be_null(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_table *t;
    gbs_data *data;
    gbs_recipe *recipe;
    const double x[] = {1.0};
    const char *const text[] = {"a"};
    assert_int_equal(gbs_table_read(NULL, "x", NULL, &t), GBS_ERR_ARGUMENT);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_read(ctx, NULL, NULL, &t), t);
    says(ctx, "path");
    assert_int_equal(gbs_table_read(ctx, "x", NULL, NULL), GBS_ERR_ARGUMENT);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_train(ctx, NULL, NULL, &data), data);
    static const unsigned char learned[1] = {1};
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_train_split(ctx, NULL, NULL, learned, &data),
                   data);
    says(ctx, "table");
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_recipe_from_model(ctx, NULL, &recipe), recipe);
    says(ctx, "model");
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_recipe_from_particles(ctx, NULL, &recipe), recipe);
    says(ctx, "particles");
    assert_int_equal(gbs_table_add_numbers(ctx, NULL, "x", x), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_table_add_texts(ctx, NULL, "x", text), GBS_ERR_ARGUMENT);
    assert_ok(ctx, gbs_table_create(ctx, 1, 1, &t));
    assert_int_equal(gbs_table_add_numbers(ctx, t, "x", NULL), GBS_ERR_ARGUMENT);
    says(ctx, "values");
    assert_int_equal(gbs_table_add_texts(ctx, t, "x", NULL), GBS_ERR_ARGUMENT);
    says(ctx, "texts");
    assert_refused(ctx, GBS_ERR_ARGUMENT,
                   gbs_table_apply(ctx, t, NULL, GBS_WITH_LABELS, NULL, &data), data);
    says(ctx, "recipe");
    gbs_table_free(t);
    /* those without a status */
    gbs_table_free(NULL);
    gbs_recipe_free(NULL);
    gbs_cells_free(NULL);
    assert_int_equal(gbs_table_rows(NULL) + gbs_table_columns(NULL), 0);
    assert_null(gbs_table_column(NULL, 0, NULL));
    assert_int_equal(gbs_recipe_features(NULL) + gbs_recipe_inputs(NULL), 0);
    assert_null(gbs_recipe_input(NULL, 0, NULL));
    assert_null(gbs_recipe_level(NULL, 0, 0));
    assert_null(gbs_recipe_target(NULL));
    assert_null(gbs_recipe_positive(NULL));
    assert_null(gbs_recipe_negative(NULL));
    gbs_recipe_feature(NULL, 0, NULL, 0);
    assert_null(gbs_data_recipe(NULL));
    assert_null(gbs_data_labels(NULL));
    assert_int_equal(gbs_data_missing(NULL, 0), 0);
    assert_int_equal(gbs_data_left_out(NULL) + gbs_data_unseen(NULL, 0, NULL), 0);
    assert_int_equal(gbs_data_table_row(NULL, 7), 7);
    assert_null(gbs_cells_rows(NULL));
    assert_null(gbs_cells_columns(NULL));
    assert_null(gbs_cells_values(NULL));
    assert_null(gbs_cells_row_names(NULL, NULL));
    assert_null(gbs_cells_column_names(NULL, NULL));
    assert_int_equal(gbs_cells_count(NULL), 0);
    gbs_context_free(ctx);
}

static void tables_in_memory_are_looked_at(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_table *t;
    gbs_data *data;
    const double x[] = {1, 2}, infinite[] = {1, -INFINITY};
    const char *const text[] = {"a", "b"}, *const bad[] = {"a", "\xff"};
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_create(ctx, 0, 1, &t), t);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_create(ctx, 1, 0, &t), t);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_create(ctx, 1, 2000000, &t), t);
    assert_refused(ctx, GBS_ERR_MEMORY, gbs_table_create(ctx, SIZE_MAX / 2, 1000, &t), t);
    assert_ok(ctx, gbs_table_create(ctx, 2, 2, &t));
    assert_int_equal(gbs_table_add_numbers(ctx, t, "x", infinite), GBS_ERR_DATA);
    says(ctx, "row 2, column 1: -inf is not a finite number");
    assert_int_equal(gbs_table_add_texts(ctx, t, "x", bad), GBS_ERR_DATA);
    says(ctx, "row 2, column 1: '\\xff' is not UTF-8 text");
    assert_int_equal(gbs_table_add_texts(ctx, t, "\xff", text), GBS_ERR_DATA);
    says(ctx, "the name '\\xff' of column 1 is not UTF-8 text");
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "x", x)); /* nothing of these was kept */
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_train(ctx, t, NULL, &data), data);
    says(ctx, "the table has 1 of its 2 columns");
    assert_int_equal(gbs_table_add_texts(ctx, t, "x", text), GBS_ERR_DATA);
    says(ctx, "columns 1 and 2 are both called 'x'");
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "y", text));
    assert_int_equal(gbs_table_add_numbers(ctx, t, "z", x), GBS_ERR_ARGUMENT);
    says(ctx, "the table has its 2 columns already");
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_train_split(ctx, t, NULL, NULL, &data), data);
    says(ctx, "learned");
    assert_ok(ctx, gbs_table_train(ctx, t, NULL, &data));
    gbs_data_free(data);
    gbs_table_free(t);
    gbs_context_free(ctx);
}

/* A model of numbers and texts, and tables that do not fit it. */
static void rows_that_do_not_fit_are_told_apart(void **state) {
    (void)state;
    static struct people p;
    gbs_context *ctx = new_context(1, 1);
    gbs_table *t, *wrong;
    gbs_data *data, *rows;
    gbs_options *o;
    const double number[] = {1.0};
    const char *const text[] = {"clerk"}, *const label[] = {"maybe"};
    make_people(&p, 1);
    assert_ok(ctx, gbs_options_create(ctx, "theory", &o));
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_read(ctx, p.name, o, &t), t);
    says(ctx, "options of another command");
    assert_ok(ctx, gbs_table_read(ctx, p.name, NULL, &t));
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_train(ctx, t, o, &data), data);
    assert_ok(ctx, gbs_table_train(ctx, t, NULL, &data));
    const gbs_recipe *r = gbs_data_recipe(data);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_table_apply(ctx, t, r, (gbs_label_use)2, NULL, &rows),
                   rows);
    assert_refused(ctx, GBS_ERR_IO,
                   gbs_table_read_for(ctx, "no such file", r, GBS_WITH_LABELS, NULL, &rows), rows);
    says(ctx, "no such file: No such file or directory");
    static const struct {
        const char *name[4];
        bool texts[4];
        const char *said;
    } cases[] = {
        {{"age", "job", "size"}, {false, true, false}, "no column is called 'shoe'"},
        {{"age", "job", "shoe"}, {false, false, false}, "column 2: expected text"},
        {{"age", "job", "shoe"},
         {true, true, false},
         "row 1: column 'age' (column 1): expected a "
         "number, as in training, found 'clerk'"},
        {{"age", "job", "shoe"}, {false, true, false}, "no column 'happy' with the labels"},
        {{"age", "job", "shoe", "happy"},
         {false, true, false, true},
         "row 1: the label 'maybe' is neither 'no' nor 'yes'"},
        {{"age", NULL}, {false, true}, "2 columns; the model expects 3 features"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        size_t columns = 0;
        while (columns < 4 && (columns < 2 || cases[k].name[columns] != NULL))
            columns++;
        assert_ok(ctx, gbs_table_create(ctx, 1, columns, &wrong));
        for (size_t j = 0; j < columns; j++)
            assert_ok(ctx,
                      cases[k].texts[j]
                          ? gbs_table_add_texts(ctx, wrong, cases[k].name[j], j == 3 ? label : text)
                          : gbs_table_add_numbers(ctx, wrong, cases[k].name[j], number));
        assert_refused(ctx, GBS_ERR_DATA,
                       gbs_table_apply(ctx, wrong, r, GBS_WITH_LABELS, NULL, &rows), rows);
        says(ctx, cases[k].said);
        gbs_table_free(wrong);
    }
    gbs_options_free(o);
    gbs_data_free(data);
    gbs_table_free(t);
    forget_people(&p);
    gbs_context_free(ctx);
}

static void wishes_that_cannot_be_met_are_named(void **state) {
    (void)state;
    static struct people p;
    gbs_context *ctx = new_context(1, 1);
    gbs_table *t;
    gbs_data *data;
    make_people(&p, 1);
    assert_ok(ctx, gbs_table_read(ctx, p.name, NULL, &t));
    static const struct {
        const char *name, *value, *said;
    } cases[] = {{"target", "sad", "`target`: no column is called 'sad'; there are age, job"},
                 {"drop", "9", "`drop`: there is no column '9', by name or by number"},
                 {"drop", "happy", "`drop` leaves out the target 'happy'"},
                 {"text", "age", "`text`: column 'age' holds numbers"},
                 {"positive", "no idea", "`positive`: column 'happy' has no label 'no idea'"},
                 {"drop", "1,2,3", "no column is left beside the target 'happy'"}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        gbs_options *o;
        assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
        assert_ok(ctx, gbs_options_set(o, cases[k].name, cases[k].value));
        assert_refused(ctx, GBS_ERR_DATA, gbs_table_train(ctx, t, o, &data), data);
        says(ctx, cases[k].said);
        gbs_options_free(o);
    }
    gbs_table_free(t);
    forget_people(&p);
    gbs_context_free(ctx);
}

static void a_model_without_a_recipe_says_so(void **state) {
    (void)state;
    struct dice r = {1};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = make_table(&r, 50, 3, 1.0, 0.0);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *model;
    gbs_recipe *recipe;
    assert_null(gbs_data_recipe(data));
    assert_ok(ctx, gbs_fit(ctx, data, NULL, &model));
    assert_refused(ctx, GBS_ERR_DATA, gbs_recipe_from_model(ctx, model, &recipe), recipe);
    says(ctx, "the model has no recipe of columns");
    assert_ok(ctx, gbs_model_set_recipe(ctx, model, "{\"columns\": -1}"));
    assert_refused(ctx, GBS_ERR_FORMAT, gbs_recipe_from_model(ctx, model, &recipe), recipe);
    says(ctx, "the model's recipe of columns is damaged");
    assert_ok(ctx, gbs_model_set_recipe(ctx, model,
                                        "{\"columns\": 2, \"features\": 2, \"positive\": \"1\"}"));
    assert_refused(ctx, GBS_ERR_FORMAT, gbs_recipe_from_model(ctx, model, &recipe), recipe);
    says(ctx, "the recipe of the model does not match its coefficients");
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- cells */

static void cells_are_numbered_by_the_names_of_others(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    char name[NAME_ROOM];
    write_file(name, "item,user,rating\nx,7,1.5\ny,007,9\nx,007,-2\n");
    gbs_cells *cells;
    gbs_ratings *ratings;
    uint32_t row[3], column[3];
    size_t rows, columns;
    assert_ok(ctx, gbs_cells_read(ctx, name, GBS_CELLS_TRAIN, NULL, &cells));
    assert_int_equal(gbs_cells_count(cells), 3);
    assert_string_equal(gbs_cells_row_names(cells, &rows)[1], "007");
    assert_string_equal(gbs_cells_column_names(cells, &columns)[1], "y");
    assert_true(rows == 2 && columns == 2);
    assert_true(gbs_cells_rows(cells)[2] == 1 && gbs_cells_columns(cells)[2] == 0);
    assert_true(gbs_cells_values(cells)[1] == 9.0);
    assert_ok(ctx, gbs_cells_ratings(ctx, cells, &ratings));
    assert_int_equal(gbs_ratings_count(ratings), 3);
    gbs_ratings_free(ratings);
    static const char *const users[] = {"8", "007"}, *const items[] = {"y"},
                             *const twice[] = {"8", "8"};
    assert_ok(ctx, gbs_cells_number(ctx, cells, 2, users, 1, items, row, column));
    assert_true(row[0] == GBS_UNSEEN && row[1] == 1 && row[2] == 1);
    assert_true(column[0] == GBS_UNSEEN && column[1] == 0 && column[2] == GBS_UNSEEN);
    assert_int_equal(gbs_cells_number(ctx, cells, 2, twice, 1, items, row, column), GBS_ERR_DATA);
    says(ctx, "'8' names two rows");
    assert_int_equal(gbs_cells_number(ctx, cells, 2, NULL, 1, items, row, column),
                     GBS_ERR_ARGUMENT);
    says(ctx, "row_names");
    gbs_cells_free(cells);
    /* a range is for those that are learned from */
    gbs_options *o;
    assert_ok(ctx, gbs_options_create(ctx, "complete", &o));
    assert_ok(ctx, gbs_options_set(o, "range", "1:5"));
    assert_refused(ctx, GBS_ERR_DATA, gbs_cells_read(ctx, name, GBS_CELLS_TRAIN, o, &cells), cells);
    says(ctx, ":3: column 'value' (column 3): 9 lies outside `range` 1:5");
    assert_ok(ctx, gbs_cells_read(ctx, name, GBS_CELLS_TEST, o, &cells));
    gbs_cells_free(cells);
    assert_ok(ctx, gbs_cells_read(ctx, name, GBS_CELLS_PAIRS, o, &cells));
    assert_null(gbs_cells_values(cells));
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_cells_ratings(ctx, cells, &ratings), ratings);
    gbs_cells_free(cells);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_cells_read(ctx, name, (gbs_cell_use)3, o, &cells),
                   cells);
    assert_refused(ctx, GBS_ERR_IO, gbs_cells_read(ctx, "nowhere", GBS_CELLS_TEST, o, &cells),
                   cells);
    gbs_options_free(o);
    unlink(name);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_needed_may_not_be_null),
        cmocka_unit_test(tables_in_memory_are_looked_at),
        cmocka_unit_test(rows_that_do_not_fit_are_told_apart),
        cmocka_unit_test(wishes_that_cannot_be_met_are_named),
        cmocka_unit_test(a_model_without_a_recipe_says_so),
        cmocka_unit_test(cells_are_numbered_by_the_names_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
