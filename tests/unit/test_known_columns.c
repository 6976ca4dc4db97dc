/* Which rows the columns of a table were learned from decides whether a certificate is valid. */
#include "unit/people.h"

/* How the first certificate of a fit stands: data trained under `seed` and the options `learned`,
 * fitted under `fitted` with seed 1. Options are "name value name value ...". */
static gbs_options *options_of(gbs_context *ctx, const char *words) {
    gbs_options *o;
    char copy[200], *save = NULL;
    snprintf(copy, sizeof copy, "%s", words);
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    for (char *name = strtok_r(copy, " ", &save); name != NULL; name = strtok_r(NULL, " ", &save))
        assert_ok(ctx, gbs_options_set(o, name, strtok_r(NULL, " ", &save)));
    return o;
}

static bool valid(const char *path, uint64_t seed, const char *learned, const char *fitted) {
    gbs_context *ctx = new_context(1, seed);
    gbs_options *before = options_of(ctx, learned), *now = options_of(ctx, fitted);
    gbs_table *t;
    gbs_data *data;
    gbs_model *model;
    assert_ok(ctx, gbs_table_read(ctx, path, before, &t));
    assert_ok(ctx, gbs_table_train(ctx, t, before, &data));
    assert_ok(ctx, gbs_context_set_seed(ctx, 1));
    assert_ok(ctx, gbs_fit(ctx, data, now, &model));
    bool holds = gbs_model_certificate(model, 0)->valid;
    gbs_table_free(t);
    gbs_data_free(data);
    gbs_model_free(model);
    gbs_options_free(before);
    gbs_options_free(now);
    gbs_context_free(ctx);
    return holds;
}

static void levels_must_come_from_the_first_part_of_the_fit(void **state) {
    (void)state;
    static struct people p;
    make_people(&p, 1);
    static const char none[] = "prior zero scale none";
    assert_true(valid(p.name, 1, "", ""));
    assert_true(valid(p.name, 1, "", "loss hinge")); /* what does not move the split is free */
    assert_false(valid(p.name, 2, "", ""));          /* the first part of another seed */
    assert_false(valid(p.name, 1, none, ""));        /* learned from all rows */
    assert_false(valid(p.name, 1, none, none));
    assert_false(valid(p.name, 1, "", none)); /* nothing is set aside */
    /* a smaller part within the fit's own is as good, a larger one is not */
    assert_true(valid(p.name, 1, "prior-split 0.3", "prior-split 0.5"));
    assert_false(valid(p.name, 1, "prior-split 0.5", "prior-split 0.3"));
    /* to the row: 100 of 240 are learned from, and then 101 */
    assert_true(valid(p.name, 1, "prior-split 0.41667", "prior-split 0.41667"));
    assert_true(valid(p.name, 1, "prior-split 0.41667", "prior-split 0.42083"));
    assert_false(valid(p.name, 1, "prior-split 0.42083", "prior-split 0.41667"));
    assert_true(valid(p.name, 1, "task rank", "task rank"));
    assert_false(valid(p.name, 2, "task rank", "task rank"));
    /* the column of texts dropped, numbers are left, which no row says anything about */
    assert_true(valid(p.name, 2, "drop job prior zero scale none", none));
    assert_true(valid(p.name, 2, "drop job,shoe prior zero scale none", none));
    forget_people(&p);
}

/* How many columns a sparse file has is known from its largest index. */
static void the_width_of_a_sparse_file_is_learned(void **state) {
    (void)state;
    struct dice r = {7};
    char text[8000], name[NAME_ROOM];
    size_t used = 0;
    for (int i = 0; i < 200; i++) {
        double x = dice_normal(&r);
        used += (size_t)snprintf(text + used, sizeof text - used, "%d 1:%.3g 3:1\n",
                                 x + 0.2 * dice_normal(&r) > 0.0 ? 1 : -1, x);
    }
    write_file(name, text);
    assert_true(valid(name, 1, "", ""));
    assert_true(valid(name, 2, "", "")); /* the fit takes the columns of its own first part */
    assert_false(valid(name, 1, "", "prior zero scale none"));
    unlink(name);
}

/* A recipe learned elsewhere, or numbers without a recipe, are known in advance. */
static void columns_from_elsewhere_are_known(void **state) {
    (void)state;
    static struct people old, new;
    gbs_context *ctx = new_context(1, 1);
    make_people(&old, 1);
    make_people(&new, 2);
    gbs_options *o = options_of(ctx, "prior zero scale none");
    gbs_table *t;
    gbs_data *train, *rows;
    gbs_model *model;
    assert_ok(ctx, gbs_table_read(ctx, old.name, o, &t));
    assert_ok(ctx, gbs_table_train(ctx, t, o, &train));
    assert_ok(ctx,
              gbs_table_read_for(ctx, new.name, gbs_data_recipe(train), GBS_WITH_LABELS, o, &rows));
    assert_ok(ctx, gbs_fit(ctx, rows, o, &model));
    assert_true(gbs_model_certificate(model, 0)->valid);
    gbs_model_free(model);
    gbs_data_looked(rows, GBS_LOOKED_COLUMNS); /* unless the caller knows better */
    assert_ok(ctx, gbs_fit(ctx, rows, o, &model));
    assert_false(gbs_model_certificate(model, 0)->valid);
    gbs_model_free(model);
    gbs_table_free(t);
    gbs_data_free(train);
    gbs_data_free(rows);
    gbs_options_free(o);
    forget_people(&old);
    forget_people(&new);
    gbs_context_free(ctx);
}

/* A level that only certified rows have is not in the recipe, and is counted: one row at a time has
 * a level of its own. */
static void levels_of_certified_rows_are_unknown(void **state) {
    (void)state;
    enum { N = 40 };
    gbs_context *ctx = new_context(1, 1);
    size_t known = 0;
    for (size_t odd = 0; odd < N; odd++) {
        const char *job[N], *level;
        double y[N], x[N];
        size_t order[N], first, levels, place = 0;
        gbs_table *t;
        gbs_data *data;
        for (size_t i = 0; i < N; i++) {
            job[i] = i == odd ? "astronaut" : i % 2 == 0 ? "clerk" : "nurse";
            y[i] = i % 3 == 0 ? 1.0 : -1.0;
            x[i] = (double)i;
        }
        assert_ok(ctx, gbs_table_create(ctx, N, 3, &t));
        assert_ok(ctx, gbs_table_add_texts(ctx, t, "job", job));
        assert_ok(ctx, gbs_table_add_numbers(ctx, t, "x", x));
        assert_ok(ctx, gbs_table_add_numbers(ctx, t, "y", y));
        assert_ok(ctx, gbs_table_train(ctx, t, NULL, &data));
        assert_ok(ctx, gbs_fit_order(ctx, data, NULL, order, &first));
        while (order[place] != odd)
            place++;
        assert_string_equal(gbs_recipe_input(gbs_data_recipe(data), 0, &levels), "job");
        assert_int_equal(levels, place < first ? 3 : 2);
        assert_int_equal(gbs_data_unseen(data, 0, &level), place < first ? 0 : 1);
        if (place >= first)
            assert_string_equal(level, "astronaut");
        assert_int_equal(gbs_data_columns(data), levels + 1);
        known += place < first;
        gbs_table_free(t);
        gbs_data_free(data);
    }
    assert_true(known > 10 && known < N - 5);
    gbs_context_free(ctx);
}

/* Is job k a level of the recipe? */
static bool knows(const gbs_data *data, const char *job) {
    const char *level;
    for (size_t j = 0; (level = gbs_recipe_level(gbs_data_recipe(data), 0, j)) != NULL; j++)
        if (strcmp(level, job) == 0)
            return true;
    return false;
}

/* The caller names the rows to learn from: the recipe knows their levels and fills, and no others,
 * and the certificate holds, as long as the split stays. */
static void a_split_that_is_handed_in_teaches_the_recipe(void **state) {
    (void)state;
    enum { N = 150, LEVELS = 60 };
    struct dice r = {11};
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o = options_of(ctx, "missing impute"), *drop = options_of(ctx, "missing drop"),
                *none = options_of(ctx, "prior zero scale none");
    char text[N][8];
    const char *job[N];
    double x[N], y[N];
    unsigned char learned[N];
    for (size_t i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "L%d", (int)(LEVELS * dice_uniform(&r)));
        job[i] = text[i];
        x[i] = i % 7 == 3 ? NAN : dice_normal(&r) + (i % 2 == 0 ? 0.0 : 5.0);
        y[i] = dice_uniform(&r) < 0.5 ? 1.0 : -1.0;
        learned[i] = i % 2 == 0; /* no order of the library's */
    }
    gbs_table *t;
    gbs_data *data;
    gbs_model *model;
    assert_ok(ctx, gbs_table_create(ctx, N, 3, &t));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "job", job));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "x", x));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "y", y));
    for (int round = 0; round < 2; round++) {
        const gbs_options *how = round == 0 ? o : drop;
        size_t order[N], first, parts[2] = {0, 0};
        assert_ok(ctx, gbs_table_train_split(ctx, t, how, learned, &data));
        for (size_t i = 0; i < N; i++) {
            bool met = false;
            for (size_t j = 0; j < N; j++)
                met = met ||
                      (learned[j] && !(round == 1 && isnan(x[j])) && strcmp(text[i], text[j]) == 0);
            assert_int_equal(knows(data, text[i]), met);
        }
        assert_ok(ctx, gbs_fit_order(ctx, data, how, order, &first));
        for (size_t i = 0; i < gbs_data_rows(data); i++) {
            bool is = learned[gbs_data_table_row(data, order[i])] != 0;
            assert_int_equal(is, i < first);
            parts[is]++;
        }
        assert_true(parts[0] > 0 && parts[1] > 0);
        assert_ok(ctx, gbs_fit(ctx, data, how, &model));
        assert_true(gbs_model_certificate(model, 0)->valid);
        gbs_model_free(model);
        assert_ok(ctx, gbs_fit(ctx, data, none, &model)); /* every row certifies */
        assert_false(gbs_model_certificate(model, 0)->valid);
        gbs_model_free(model);
        unsigned char other[N];
        for (size_t i = 0; i < N; i++)
            other[i] = i < N / 3;
        assert_ok(ctx, gbs_data_set_split(ctx, data, other)); /* the recipe saw other rows */
        assert_ok(ctx, gbs_fit(ctx, data, how, &model));
        assert_false(gbs_model_certificate(model, 0)->valid);
        gbs_model_free(model);
        gbs_data_free(data);
    }
    memset(learned, 1, sizeof learned);
    assert_int_equal(gbs_table_train_split(ctx, t, o, learned, &data), GBS_ERR_DATA);
    assert_null(data);
    memset(learned, 0, sizeof learned);
    assert_int_equal(gbs_table_train_split(ctx, t, o, learned, &data), GBS_ERR_DATA);
    assert_non_null(strstr(gbs_error_message(ctx), "learned names 0 of 150 rows"));
    assert_null(data);
    gbs_table_free(t);
    gbs_options_free(o);
    gbs_options_free(drop);
    gbs_options_free(none);
    gbs_context_free(ctx);
}

/* What the fill of a column is, too, is the learned rows' alone; numbers need no recipe. */
static void fills_are_those_of_the_split(void **state) {
    (void)state;
    enum { N = 90 };
    struct dice r = {12};
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o = options_of(ctx, "missing impute"), *plain = options_of(ctx, "");
    double x[N], y[N], whole[N];
    unsigned char learned[N];
    for (size_t i = 0; i < N; i++) {
        learned[i] = i % 3 != 0;
        x[i] = i % 10 == 0 ? NAN : learned[i] ? 1.0 : 1000.0;
        whole[i] = dice_normal(&r);
        y[i] = whole[i] + dice_normal(&r) > 0.0 ? 1.0 : -1.0;
    }
    gbs_table *t;
    gbs_data *data;
    gbs_model *model;
    assert_ok(ctx, gbs_table_create(ctx, N, 3, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "x", x));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "whole", whole));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "y", y));
    assert_ok(ctx, gbs_table_train_split(ctx, t, o, learned, &data));
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    assert_true(gbs_model_certificate(model, 0)->valid);
    const char *fill = strstr(gbs_model_recipe(model), "\"fill\":");
    assert_non_null(fill);
    assert_true(strtod(fill + 7, NULL) == 1.0);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_table_free(t);
    assert_ok(ctx, gbs_table_create(ctx, N, 2, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "whole", whole));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "y", y));
    assert_ok(ctx, gbs_table_train_split(ctx, t, plain, learned, &data));
    assert_ok(ctx, gbs_fit(ctx, data, plain, &model));
    assert_true(gbs_model_certificate(model, 0)->valid);
    assert_int_equal(gbs_model_certificate(model, 0)->blocks, N / 3);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_table_free(t);
    gbs_options_free(o);
    gbs_options_free(plain);
    gbs_context_free(ctx);
}

/* Row names with gaps, in a column that has no name: the rows with a gap are left out before the
 * column is, else the levels would come from the first part of other rows. */
static void row_names_with_gaps_move_no_row(void **state) {
    (void)state;
    enum { N = 120, LEVELS = 40 };
    struct dice r = {9};
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o = options_of(ctx, "missing drop");
    for (int round = 0; round < 10; round++) {
        char text[N * 32], file[NAME_ROOM], job[N][8];
        size_t used = (size_t)snprintf(text, sizeof text, ",job,x,y\n"), gaps = 0, first, levels;
        for (size_t i = 0; i < N; i++) {
            bool gap = dice_uniform(&r) < 0.1;
            gaps += gap;
            snprintf(job[i], sizeof job[i], "L%d", (int)(LEVELS * dice_uniform(&r)));
            if (!gap)
                used += (size_t)snprintf(text + used, sizeof text - used, "r%zu", i);
            used += (size_t)snprintf(text + used, sizeof text - used, ",%s,%.3f,%d\n", job[i],
                                     dice_normal(&r), dice_uniform(&r) < 0.5 ? 1 : -1);
        }
        write_file(file, text);
        gbs_table *t;
        gbs_data *data;
        size_t order[N];
        assert_ok(ctx, gbs_table_read(ctx, file, o, &t));
        assert_ok(ctx, gbs_table_train(ctx, t, o, &data));
        assert_int_equal(gbs_data_left_out(data), gaps);
        assert_int_equal(gbs_data_rows(data), N - gaps);
        assert_int_equal(gbs_recipe_inputs(gbs_data_recipe(data)), 2); /* job and x */
        assert_int_equal(gbs_data_missing(data, 2 + 3), gaps);         /* behind the groups */
        assert_ok(ctx, gbs_fit_order(ctx, data, o, order, &first));
        assert_string_equal(gbs_recipe_input(gbs_data_recipe(data), 0, &levels), "job");
        for (size_t j = 0; j < levels; j++) {
            const char *level = gbs_recipe_level(gbs_data_recipe(data), 0, j);
            size_t i = 0;
            while (i < first && strcmp(job[gbs_data_table_row(data, order[i])], level) != 0)
                i++;
            assert_true(i < first); /* a row to learn from has it */
        }
        gbs_data_free(data);
        gbs_table_free(t);
        unlink(file);
    }
    gbs_options_free(o);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_must_come_from_the_first_part_of_the_fit),
        cmocka_unit_test(the_width_of_a_sparse_file_is_learned),
        cmocka_unit_test(columns_from_elsewhere_are_known),
        cmocka_unit_test(levels_of_certified_rows_are_unknown),
        cmocka_unit_test(a_split_that_is_handed_in_teaches_the_recipe),
        cmocka_unit_test(fills_are_those_of_the_split),
        cmocka_unit_test(row_names_with_gaps_move_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
