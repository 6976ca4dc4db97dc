/* Missing cells that are filled: by what, learned from which rows, kept in the model. */
#include "data/rows.h"
#include "table/recipe.h"
#include "task/parts.h"
#include "unit/people.h"

#include <stdlib.h>

struct cells {
    double age[ROWS];
    const char *job[ROWS], *label[ROWS];
};

/* Ages from 20 on, one in six missing; jobs of which b is the most frequent. */
static struct cells some_cells(uint64_t seed) {
    struct dice r = {seed};
    struct cells c = {0};
    for (size_t i = 0; i < ROWS; i++) {
        double u = dice_uniform(&r);
        c.age[i] = i % 6 == 0 ? NAN : 20.0 + 40.0 * u;
        c.job[i] = i % 7 == 3               ? NULL
                   : dice_uniform(&r) < 0.6 ? "b"
                   : dice_uniform(&r) < 0.5 ? "a"
                                            : "c";
        c.label[i] = dice_uniform(&r) < 0.2 + 0.6 * u ? "yes" : "no";
    }
    return c;
}

static gbs_table *table_of(gbs_context *ctx, const struct cells *c) {
    gbs_table *t;
    assert_ok(ctx, gbs_table_create(ctx, ROWS, 3, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "age", c->age));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "job", c->job));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "y", c->label));
    return t;
}

static gbs_options *imputing(gbs_context *ctx, const char *prior) {
    gbs_options *o;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "missing", "impute"));
    assert_ok(ctx, gbs_options_set(o, "prior", prior));
    return o;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the ages of these rows, by sorting all of them. */
static double plain_median(const struct cells *c, const size_t *rows, size_t n) {
    double x[ROWS] = {0};
    size_t there = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(c->age[rows[i]]))
            x[there++] = c->age[rows[i]];
    qsort(x, there, sizeof *x, ascending);
    return 0.5 * (x[(there - 1) / 2] + x[there / 2]);
}

/* Columns: age, age is missing, job=a, job=b, job=c, job is missing. */
static void check_rows(const gbs_data *data, const struct cells *c, double median) {
    assert_int_equal(data->d, 6);
    for (size_t i = 0; i < ROWS; i++) {
        const double *x = gbs_data_at(data, i).value;
        bool no_age = isnan(c->age[i]), no_job = c->job[i] == NULL;
        char job = no_job ? 'b' : c->job[i][0];
        assert_true(x[0] == (no_age ? median : c->age[i]) && x[1] == no_age);
        for (int k = 0; k < 3; k++)
            assert_true(x[2 + k] == (job == 'a' + k));
        assert_true(x[5] == no_job);
    }
}

/* Under the zero prior every row teaches, which a certificate must not like; under the informed one
 * the first part does. */
static void the_first_part_says_what_fills(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct cells c = some_cells(5);
    gbs_table *t = table_of(ctx, &c);
    size_t all[ROWS], order[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        all[i] = i;
    gbs_options *zero = imputing(ctx, "zero"), *informed = imputing(ctx, "informed");
    gbs_data *data;
    char name[40];
    assert_ok(ctx, gbs_table_train(ctx, t, zero, &data));
    check_rows(data, &c, plain_median(&c, all, ROWS));
    gbs_recipe_feature(gbs_data_recipe(data), 1, name, sizeof name);
    assert_string_equal(name, "age is missing");
    gbs_recipe_feature(gbs_data_recipe(data), 3, name, sizeof name);
    assert_string_equal(name, "job=b");
    gbs_model *model;
    assert_ok(ctx, gbs_fit(ctx, data, zero, &model));
    assert_false(gbs_model_certificate(model, 0)->valid);
    gbs_model_free(model);
    gbs_data_free(data);

    assert_ok(ctx, gbs_table_train(ctx, t, informed, &data));
    gbs_fit_settings o;
    gbs_fit_settings_from(informed, &o);
    size_t first = gbs_least_part(ROWS, &o);
    gbs_ordering by = {.n = ROWS, .seed = gbs_data_order_seed(ctx, data)};
    size_t units;
    assert_ok(ctx, gbs_order_rows(ctx, &by, order, &units));
    check_rows(data, &c, plain_median(&c, order, first));
    assert_ok(ctx, gbs_fit(ctx, data, informed, &model));
    assert_true(gbs_model_certificate(model, 0)->valid);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_table_free(t);
    gbs_options_free(zero);
    gbs_options_free(informed);
    gbs_context_free(ctx);
}

/* Later rows are filled by the model, whatever the options of the command say. */
static void a_model_fills_later_rows(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct cells c = some_cells(6), later = some_cells(7);
    gbs_table *t = table_of(ctx, &c), *new = table_of(ctx, &later);
    gbs_options *o = imputing(ctx, "informed");
    gbs_data *data, *rows, *again;
    gbs_model *model, *loaded;
    gbs_recipe *recipe;
    char path[NAME_ROOM];
    double a[2 * ROWS], b[2 * ROWS];
    assert_ok(ctx, gbs_table_train(ctx, t, o, &data));
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    assert_ok(ctx,
              gbs_table_apply(ctx, new, gbs_data_recipe(data), GBS_WITHOUT_LABELS, NULL, &rows));
    assert_ok(ctx, gbs_model_predict(ctx, model, rows, a, NULL, a + ROWS));
    write_file(path, "");
    assert_ok(ctx, gbs_model_save(ctx, model, path));
    assert_ok(ctx, gbs_model_load(ctx, path, &loaded));
    assert_ok(ctx, gbs_recipe_from_model(ctx, loaded, &recipe));
    assert_ok(ctx, gbs_table_apply(ctx, new, recipe, GBS_WITHOUT_LABELS, NULL, &again));
    assert_ok(ctx, gbs_model_predict(ctx, loaded, again, b, NULL, b + ROWS));
    assert_true(same_bits(a, b, 2 * ROWS));
    unlink(path);
    gbs_recipe_free(recipe);
    gbs_model_free(loaded);
    gbs_model_free(model);
    gbs_data_free(again);
    gbs_data_free(rows);
    gbs_data_free(data);
    gbs_table_free(new);
    gbs_table_free(t);
    gbs_options_free(o);
    gbs_context_free(ctx);
}

static gbs_table *three_rows(gbs_context *ctx, bool with_label) {
    const double age[] = {30.0, NAN, 50.0};
    const char *const job[] = {"a", "b", "a"}, *const label[] = {"yes", "no",
                                                                 with_label ? "no" : NULL};
    gbs_table *t;
    assert_ok(ctx, gbs_table_create(ctx, 3, 3, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "age", age));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "job", job));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "y", label));
    return t;
}

/* What becomes of three rows, one without an age and one perhaps without a label, under a recipe
 * and `missing` (NULL: not given): how many stay, or how the message ends. */
static void becomes(gbs_context *ctx, const gbs_recipe *recipe, bool with_label,
                    const char *missing, size_t rows, const char *words) {
    gbs_table *t = three_rows(ctx, with_label);
    gbs_options *o;
    gbs_data *data = NULL;
    assert_ok(ctx, gbs_options_create(ctx, "evaluate", &o));
    if (missing != NULL)
        assert_ok(ctx, gbs_options_set(o, "missing", missing));
    if (words != NULL) {
        assert_refused(ctx, GBS_ERR_DATA,
                       gbs_table_apply(ctx, t, recipe, GBS_WITH_LABELS, o, &data), data);
        assert_string_equal(gbs_error_message(ctx), words);
    } else {
        assert_ok(ctx, gbs_table_apply(ctx, t, recipe, GBS_WITH_LABELS, o, &data));
        assert_int_equal(gbs_data_rows(data), rows);
        assert_int_equal(gbs_data_left_out(data), 3 - rows);
        bool filled = missing == NULL || strcmp(missing, "impute") == 0;
        assert_int_equal(gbs_data_missing(data, 0), !filled);     /* age */
        assert_int_equal(gbs_data_missing(data, 2), !with_label); /* behind the inputs: the label */
    }
    gbs_data_free(data);
    gbs_options_free(o);
    gbs_table_free(t);
}

#define AGE "row 2: column 'age' (column 1): the value is missing; "
#define LABEL "row 3: column 'y' (column 3): the label is missing; "

/* A model that fills in cells does so where nothing is said, and what is said counts; one that does
 * not cannot be asked to. */
static void an_option_counts_more_than_the_model(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct cells c = some_cells(5);
    gbs_table *t = table_of(ctx, &c);
    gbs_options *impute = imputing(ctx, "zero"), *drop;
    gbs_data *filled, *plain;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &drop));
    assert_ok(ctx, gbs_options_set(drop, "missing", "drop"));
    assert_ok(ctx, gbs_table_train(ctx, t, impute, &filled));
    assert_ok(ctx, gbs_table_train(ctx, t, drop, &plain));
    const gbs_recipe *fills = gbs_data_recipe(filled), *bare = gbs_data_recipe(plain);
    becomes(ctx, fills, true, NULL, 3, NULL);
    becomes(ctx, fills, true, "impute", 3, NULL);
    becomes(ctx, fills, true, "drop", 2, NULL);
    becomes(ctx, fills, true, "error", 0,
            AGE "`missing` drop does without such rows, impute fills them in");
    becomes(ctx, fills, false, NULL, 0, LABEL "`missing` impute does without such rows");
    becomes(ctx, fills, false, "impute", 2, NULL);
    becomes(ctx, fills, false, "drop", 1, NULL);
    becomes(ctx, bare, true, NULL, 0, AGE "`missing` drop does without such rows");
    becomes(ctx, bare, true, "drop", 2, NULL);
    becomes(ctx, bare, true, "impute", 0,
            AGE "the model was fitted without `missing` impute and cannot fill it in, drop does "
                "without such rows");
    gbs_data_free(plain);
    gbs_data_free(filled);
    gbs_options_free(drop);
    gbs_options_free(impute);
    gbs_table_free(t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_part_says_what_fills),
        cmocka_unit_test(a_model_fills_later_rows),
        cmocka_unit_test(an_option_counts_more_than_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
