/* Raw rows, texts and numbers, from files and from memory: fitted, kept, scored. */
#include "unit/people.h"

#include <math.h>

/* ---------------------------------------------------------------- fit, keep, score */

static gbs_table *table_of(gbs_context *ctx, const struct people *p, bool labels) {
    gbs_table *t;
    assert_ok(ctx, gbs_table_create(ctx, ROWS, labels ? 4 : 3, &t));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "job", p->job));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "shoe", p->shoe));
    if (labels)
        assert_ok(ctx, gbs_table_add_texts(ctx, t, "happy", p->label));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "age", p->age));
    return t;
}

static void scores(gbs_context *ctx, const gbs_model *model, const gbs_data *data, double *out) {
    assert_int_equal(gbs_data_rows(data), ROWS);
    assert_ok(ctx, gbs_model_predict(ctx, model, data, out, NULL, out + ROWS));
}

static void a_file_of_texts_and_numbers_is_fitted_kept_and_scored(void **state) {
    (void)state;
    static struct people old, new;
    static double kept[2 * ROWS], loaded[2 * ROWS], memory[2 * ROWS];
    gbs_context *ctx = new_context(1, 1);
    gbs_table *t;
    gbs_data *train, *file, *rows;
    gbs_model *model, *again;
    gbs_recipe *recipe;
    int is_text;
    make_people(&old, 1);
    make_people(&new, 2);
    assert_ok(ctx, gbs_table_read(ctx, old.name, NULL, &t));
    assert_int_equal(gbs_table_rows(t), ROWS);
    assert_int_equal(gbs_table_columns(t), 4);
    assert_string_equal(gbs_table_column(t, 1, &is_text), "job");
    assert_true(is_text);
    assert_string_equal(gbs_table_column(t, 2, &is_text), "shoe");
    assert_false(is_text);
    assert_null(gbs_table_column(t, 4, NULL));
    assert_ok(ctx, gbs_table_train(ctx, t, NULL, &train));
    gbs_table_free(t); /* the data keeps what it needs */
    assert_ok(ctx, gbs_fit(ctx, train, NULL, &model));
    assert_true(gbs_model_certificate(model, 0)->valid);

    assert_ok(ctx, gbs_table_read_for(ctx, new.name, gbs_data_recipe(train), GBS_WITHOUT_LABELS,
                                      NULL, &file));
    scores(ctx, model, file, kept);
    gbs_data_free(file);
    gbs_data_free(train);
    char path[NAME_ROOM];
    write_file(path, "");
    assert_ok(ctx, gbs_model_save(ctx, model, path));
    assert_ok(ctx, gbs_model_load(ctx, path, &again));
    assert_ok(ctx, gbs_recipe_from_model(ctx, again, &recipe));
    assert_ok(ctx, gbs_table_read_for(ctx, new.name, recipe, GBS_WITH_LABELS, NULL, &file));
    scores(ctx, again, file, loaded);
    assert_true(same_bits(kept, loaded, 2 * ROWS));
    for (size_t i = 0; i < ROWS; i++)
        assert_true(gbs_data_labels(file)[i] == (strcmp(new.label[i], "yes") == 0 ? 1.0 : -1.0));

    t = table_of(ctx, &new, false);
    assert_ok(ctx, gbs_table_apply(ctx, t, recipe, GBS_WITHOUT_LABELS, NULL, &rows));
    gbs_table_free(t);
    gbs_recipe_free(recipe);
    assert_null(gbs_data_labels(rows));
    scores(ctx, again, rows, memory);
    assert_true(same_bits(kept, memory, 2 * ROWS));

    unlink(path);
    forget_people(&old);
    forget_people(&new);
    gbs_data_free(file);
    gbs_data_free(rows);
    gbs_model_free(model);
    gbs_model_free(again);
    gbs_context_free(ctx);
}

static void a_table_in_memory_teaches_what_the_file_does(void **state) {
    (void)state;
    static struct people p;
    static double scored[2][2 * ROWS];
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o;
    make_people(&p, 3);
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "target", "happy"));
    assert_ok(ctx, gbs_options_set(o, "drop", "shoe"));
    /* all rows: columns in another order are other rows to the hash, and another split */
    assert_ok(ctx, gbs_options_set(o, "prior", "zero"));
    gbs_table *t[2] = {NULL, table_of(ctx, &p, true)};
    assert_ok(ctx, gbs_table_read(ctx, p.name, o, &t[0]));
    for (size_t k = 0; k < 2; k++) {
        gbs_data *data;
        gbs_model *model;
        char name[40];
        assert_ok(ctx, gbs_table_train(ctx, t[k], o, &data));
        const gbs_recipe *r = gbs_data_recipe(data);
        assert_int_equal(gbs_data_columns(data), 5);
        assert_int_equal(gbs_recipe_features(r), 5);
        assert_int_equal(gbs_recipe_inputs(r), 2);
        gbs_recipe_feature(r, k == 0 ? 2 : 1, name, sizeof name);
        assert_string_equal(name, "job=mason, master");
        gbs_recipe_feature(r, 5, name, sizeof name);
        assert_string_equal(name, "(intercept)");
        size_t levels;
        assert_string_equal(gbs_recipe_input(r, k == 0 ? 1 : 0, &levels), "job");
        assert_int_equal(levels, 4);
        assert_string_equal(gbs_recipe_level(r, k == 0 ? 1 : 0, 3), "say \"cook\"");
        assert_null(gbs_recipe_level(r, k == 0 ? 1 : 0, 4));
        assert_null(gbs_recipe_level(r, k == 0 ? 0 : 1, 0)); /* numbers */
        assert_string_equal(gbs_recipe_target(r), "happy");
        assert_string_equal(gbs_recipe_positive(r), "yes");
        assert_string_equal(gbs_recipe_negative(r), "no");
        assert_ok(ctx, gbs_fit(ctx, data, o, &model));
        scores(ctx, model, data, scored[k]);
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_table_free(t[k]);
    }
    /* columns stand in another order, and sums are taken in it */
    for (size_t i = 0; i < ROWS; i++)
        assert_close(scored[1][i], scored[0][i], 1e-6, 1e-6);
    forget_people(&p);
    gbs_options_free(o);
    gbs_context_free(ctx);
}

/* A model that the command line of 0.1.0 wrote, and what it answered. */
static void raw_rows_in_memory_score_as_they_do_in_a_file(void **state) {
    (void)state;
    static const char *const colour[] = {"violet", "red", "green"}, *const size[] = {"S", "M", "S"},
                             *const zone[] = {"3", "1", "3"};
    static const double width[] = {10.52, 7.68, 11.8}, weight[] = {0.3979, 1.63, 0.7188};
    static const double score_0_1_0[] = {-0.097821086955820619, 0.28023533451195587,
                                         0.0022099052242830694},
                        probability_0_1_0[] = {0.431473607592879, 0.66868843545271484,
                                               0.50143368374151687};
    gbs_context *ctx = new_context(1, 1);
    gbs_model *model;
    gbs_recipe *recipe;
    gbs_table *t;
    gbs_data *memory, *file;
    gbs_options *o;
    const char *level;
    double score[2][12], probability[2][12];
    assert_ok(ctx, gbs_model_load(ctx, "tests/models/0.1.0/data/text.json", &model));
    assert_ok(ctx, gbs_recipe_from_model(ctx, model, &recipe));
    assert_null(gbs_recipe_negative(recipe));
    assert_ok(ctx, gbs_options_create(ctx, "predict", &o));
    assert_ok(ctx, gbs_options_set(o, "missing", "drop"));
    assert_ok(ctx, gbs_table_read_for(ctx, "tests/models/0.1.0/data/text_new.csv", recipe,
                                      GBS_WITHOUT_LABELS, o, &file));
    assert_ok(ctx, gbs_table_create(ctx, 3, 5, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "weight", weight));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "zone", zone));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "size", size));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "colour", colour));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "width", width));
    assert_ok(ctx, gbs_table_apply(ctx, t, recipe, GBS_WITHOUT_LABELS, NULL, &memory));
    assert_int_equal(gbs_data_unseen(memory, 0, &level), 1);
    assert_string_equal(level, "violet");
    assert_int_equal(gbs_data_unseen(memory, 1, &level), 0);
    assert_null(level);
    assert_true(gbs_data_rows(file) + gbs_data_left_out(file) == 12);
    assert_ok(ctx, gbs_model_predict(ctx, model, memory, score[0], NULL, probability[0]));
    assert_ok(ctx, gbs_model_predict(ctx, model, file, score[1], NULL, probability[1]));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gbs_data_table_row(file, i), i);
        assert_close(score[0][i], score_0_1_0[i], 1e-12, 0.0);
        assert_close(probability[0][i], probability_0_1_0[i], 1e-12, 0.0);
    }
    assert_true(same_bits(score[0], score[1], 3));
    assert_true(same_bits(probability[0], probability[1], 3));
    gbs_table_free(t);
    gbs_data_free(memory);
    gbs_data_free(file);
    gbs_recipe_free(recipe);
    gbs_model_free(model);
    gbs_options_free(o);
    gbs_context_free(ctx);
}

static void particles_know_their_columns(void **state) {
    (void)state;
    static struct people p;
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o;
    gbs_table *t;
    gbs_data *data, *again;
    gbs_particles *particles;
    gbs_recipe *recipe;
    make_people(&p, 4);
    assert_ok(ctx, gbs_options_create(ctx, "sample", &o));
    assert_ok(ctx, gbs_options_set_count(o, "particles", 64));
    assert_ok(ctx, gbs_table_read(ctx, p.name, o, &t));
    assert_ok(ctx, gbs_table_train(ctx, t, o, &data));
    assert_ok(ctx, gbs_sample(ctx, data, o, &particles));
    assert_ok(ctx, gbs_recipe_from_particles(ctx, particles, &recipe));
    assert_ok(ctx, gbs_table_apply(ctx, t, recipe, GBS_WITH_LABELS, NULL, &again));
    assert_int_equal(gbs_data_columns(again), gbs_data_columns(data));
    gbs_recipe_free(recipe);
    gbs_table_free(t);
    gbs_data_free(data);
    gbs_data_free(again);
    gbs_particles_free(particles);
    gbs_options_free(o);
    forget_people(&p);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- missing values */

static void rows_with_missing_cells_are_left_out_on_request(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    const double x[] = {1, NAN, 3, 4, 5, 6};
    const char *const c[] = {"a", "b", "", "NA", NULL, "b"}, *const y[] = {"0", "1", "0",
                                                                           "1", "0", "1"};
    gbs_table *t;
    gbs_data *data;
    gbs_options *o;
    assert_ok(ctx, gbs_table_create(ctx, 6, 3, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "x", x));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "c", c));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "y", y));
    assert_refused(ctx, GBS_ERR_DATA, gbs_table_train(ctx, t, NULL, &data), data);
    assert_string_equal(gbs_error_message(ctx),
                        "row 2: column 'x' (column 1): the value is "
                        "missing; `missing` drop does without such rows, impute fills them in");
    assert_ok(ctx, gbs_options_create(ctx, "cv", &o));
    assert_ok(ctx, gbs_options_set(o, "missing", "drop"));
    assert_ok(ctx, gbs_table_train(ctx, t, o, &data));
    assert_int_equal(gbs_data_rows(data), 2);
    assert_int_equal(gbs_data_left_out(data), 4);
    const size_t missing[] = {1, 3, 0, 0, 0, 0}; /* x, c, label, weight, group, nothing */
    for (size_t k = 0; k < 6; k++)
        assert_int_equal(gbs_data_missing(data, k), missing[k]);
    assert_int_equal(gbs_data_table_row(data, 1), 5);
    gbs_data_free(data);
    gbs_table_free(t);
    gbs_options_free(o);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- lives and memory */

/* Whatever goes first, the data lives on what it keeps. */
static void data_outlives_table_recipe_and_context(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h), *other = new_context(1, 1);
    const double x[] = {1, 2, 3, 4}, y[] = {-1, 1, -1, 1};
    const char *const c[] = {"a", "b", "a", "b"};
    gbs_table *t;
    gbs_data *train, *rows;
    double score[4];
    gbs_model *model;
    assert_ok(ctx, gbs_table_create(ctx, 4, 3, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, NULL, x)); /* one without a name: by position */
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "c", c));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "y", y));
    gbs_options *o;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "prior", "zero"));
    assert_ok(ctx, gbs_table_train(ctx, t, o, &train));
    assert_ok(ctx, gbs_table_apply(ctx, t, gbs_data_recipe(train), GBS_WITH_LABELS, NULL, &rows));
    assert_ok(other, gbs_fit(other, train, o, &model));
    gbs_options_free(o);
    gbs_table_free(t);
    gbs_data_free(train);
    gbs_context_free(ctx);
    assert_true(h.blocks > 0);
    assert_ok(other, gbs_model_predict(other, model, rows, score, NULL, NULL));
    assert_true(score[0] < score[1]);
    gbs_model_free(model);
    gbs_data_free(rows);
    assert_int_equal(h.blocks, 0);
    gbs_context_free(other);
}

/* Reads, learns, applies; numbers cells. */
static gbs_status everything(gbs_context *ctx, const char *rows, const char *ratings,
                             const gbs_model *model) {
    gbs_table *t = NULL, *memory = NULL;
    gbs_data *data = NULL, *again = NULL;
    gbs_recipe *recipe = NULL;
    gbs_cells *cells = NULL;
    const double values[] = {1.0, NAN};
    gbs_ratings *known = NULL;
    uint32_t number[2][8];
    const char *name[] = {"7", "007"};
    gbs_status status = gbs_table_read(ctx, rows, NULL, &t);
    if (status == GBS_OK)
        status = gbs_table_train(ctx, t, NULL, &data);
    if (status == GBS_OK)
        status = gbs_recipe_from_model(ctx, model, &recipe);
    if (status == GBS_OK)
        status = gbs_table_read_for(ctx, rows, recipe, GBS_WITH_LABELS, NULL, &again);
    if (status == GBS_OK)
        status = gbs_cells_read(ctx, ratings, GBS_CELLS_TRAIN, NULL, &cells);
    if (status == GBS_OK)
        status = gbs_cells_ratings(ctx, cells, &known);
    if (status == GBS_OK)
        status = gbs_cells_number(ctx, cells, 2, name, 1, name, number[0], number[1]);
    if (status == GBS_OK)
        status = gbs_table_create(ctx, 2, 2, &memory);
    if (status == GBS_OK)
        status = gbs_table_add_numbers(ctx, memory, NULL, values);
    if (status == GBS_OK)
        status = gbs_table_add_texts(ctx, memory, "names", name);
    gbs_table_free(t);
    gbs_table_free(memory);
    gbs_data_free(data);
    gbs_data_free(again);
    gbs_recipe_free(recipe);
    gbs_cells_free(cells);
    gbs_ratings_free(known);
    return status;
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    static struct people p;
    struct host h;
    char ratings[NAME_ROOM];
    make_people(&p, 5);
    write_file(ratings, "row,col,value\n7,a,1\n007,b,2\n7,b,3\n");
    gbs_context *ctx = host_context(&h), *plain = new_context(1, 1);
    gbs_table *t;
    gbs_data *data;
    gbs_model *model;
    assert_ok(plain, gbs_table_read(plain, p.name, NULL, &t));
    assert_ok(plain, gbs_table_train(plain, t, NULL, &data));
    assert_ok(plain, gbs_fit(plain, data, NULL, &model));
    /* an array that cannot be made smaller stays as it is, so some failures do no harm */
    long refused = 0;
    bool whole = false; /* nothing was refused any more */
    for (long k = 0; !whole; k++) {
        h.calls = 0;
        h.fail_at = k;
        gbs_status status = everything(ctx, p.name, ratings, model);
        assert_int_equal(h.blocks, 1); /* the context itself */
        if (status != GBS_OK) {
            assert_int_equal(status, GBS_ERR_MEMORY);
            assert_non_null(strstr(gbs_error_message(ctx), "out of memory"));
            refused++;
        }
        whole = h.calls <= k;
        assert_true(!whole || status == GBS_OK);
    }
    assert_true(refused > 50);
    unlink(ratings);
    forget_people(&p);
    gbs_table_free(t);
    gbs_data_free(data);
    gbs_model_free(model);
    gbs_context_free(plain);
    leave(&h, ctx);
}

/* Kept cells stand as in the file, of columns that the model uses and of others, of rows that are
 * left out too; options of another command have no such. */
static void kept_cells_stand_as_in_the_file(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    static struct people old;
    char name[NAME_ROOM];
    gbs_table *t;
    gbs_data *train, *rows;
    gbs_options *o;
    make_people(&old, 1);
    assert_ok(ctx, gbs_table_read(ctx, old.name, NULL, &t));
    assert_ok(ctx, gbs_table_train(ctx, t, NULL, &train));
    gbs_table_free(t);
    write_file(name, "id,age,job,shoe\n007,3.50,clerk,41\n008,NA,clerk,41\n\"a,b\",2e1,clerk,4\n");
    assert_ok(ctx, gbs_options_create(ctx, "predict", &o));
    assert_ok(ctx, gbs_options_set(o, "keep", "age,id"));
    assert_ok(ctx, gbs_options_set(o, "missing", "drop"));
    assert_ok(ctx,
              gbs_table_read_for(ctx, name, gbs_data_recipe(train), GBS_WITHOUT_LABELS, o, &rows));
    assert_int_equal(gbs_data_rows(rows), 2);
    assert_string_equal(gbs_data_kept_column(rows, 0), "age");
    assert_string_equal(gbs_data_kept_column(rows, 1), "id");
    assert_null(gbs_data_kept_column(rows, 2));
    const char *const cells[] = {"3.50", "007", "NA", "008", "2e1", "a,b"};
    for (size_t k = 0; k < 6; k++)
        assert_string_equal(gbs_data_kept(rows, k % 2, k / 2), cells[k]);
    assert_null(gbs_data_kept(rows, 0, 3));
    assert_null(gbs_data_kept(rows, 2, 0));
    assert_null(gbs_data_kept_column(train, 0));
    assert_null(gbs_data_kept(NULL, 0, 0));
    gbs_data_free(rows);
    assert_ok(ctx, gbs_options_set(o, "keep", "nobody"));
    assert_int_equal(
        gbs_table_read_for(ctx, name, gbs_data_recipe(train), GBS_WITHOUT_LABELS, o, &rows),
        GBS_ERR_DATA);
    assert_null(rows);
    unlink(name);
    forget_people(&old);
    gbs_options_free(o);
    gbs_data_free(train);
    gbs_context_free(ctx);
}

/* Missing cells, levels, range and what a column may be, by files of known content. */
static void columns_are_looked_at(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    char name[NAME_ROOM], text[4000] = "id,run,day,same,x,c,y\n";
    for (int i = 0; i < 40; i++) {
        size_t used = strlen(text);
        char x[16];
        snprintf(x, sizeof x, "%.1f", 0.5 * i);
        snprintf(text + used, sizeof text - used, "k%d,%d,2024-01-%02d,7,%s,%s,%d\n", i, i + 1,
                 i % 28 + 1, i < 3 ? "NA" : x, i % 2 ? "a" : "b", i % 3 == 0);
    }
    write_file(name, text);
    gbs_options *o;
    gbs_table *t;
    const gbs_column_look *seen;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "missing", "drop"));
    assert_ok(ctx, gbs_options_set(o, "drop", "y"));
    assert_ok(ctx, gbs_table_read(ctx, name, o, &t));
    const char *const guard[] = {"identifier", "row number", "dates", "constant"};
    for (size_t k = 0; k < 4; k++) {
        assert_ok(ctx, gbs_table_look(ctx, t, k, &seen));
        assert_string_equal(seen->guard, guard[k]);
        assert_int_equal(seen->missing, 0);
    }
    assert_ok(ctx, gbs_table_look(ctx, t, 4, &seen));
    assert_string_equal(seen->name, "x");
    assert_null(seen->guard);
    assert_int_equal(seen->missing, 3);
    assert_true(seen->low == 1.5 && seen->high == 19.5);
    assert_true(fabs(seen->mean - 10.5) < 1e-12);
    assert_ok(ctx, gbs_table_look(ctx, t, 5, &seen));
    assert_true(seen->is_text && seen->read && seen->levels == 2 && isnan(seen->mean));
    assert_ok(ctx, gbs_table_look(ctx, t, 6, &seen));
    assert_false(seen->read);
    assert_int_equal(gbs_table_look(ctx, t, 7, &seen), GBS_ERR_ARGUMENT);
    assert_null(seen);
    unlink(name);
    gbs_table_free(t);
    gbs_options_free(o);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_texts_and_numbers_is_fitted_kept_and_scored),
        cmocka_unit_test(a_table_in_memory_teaches_what_the_file_does),
        cmocka_unit_test(raw_rows_in_memory_score_as_they_do_in_a_file),
        cmocka_unit_test(particles_know_their_columns),
        cmocka_unit_test(rows_with_missing_cells_are_left_out_on_request),
        cmocka_unit_test(data_outlives_table_recipe_and_context),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(kept_cells_stand_as_in_the_file),
        cmocka_unit_test(columns_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
