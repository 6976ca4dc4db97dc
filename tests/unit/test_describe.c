/* What the library tells bindings of a model: as JSON, as a linear rule, its predictions one by
 * one. */
#include "model/model.h"
#include "unit/people.h"
#include "unit/told_support.h"

static json_t *described(gbs_context *ctx, const gbs_model *model, unsigned parts) {
    char *text;
    size_t size;
    assert_ok(ctx, gbs_model_describe_json(ctx, model, parts, &text, &size));
    return parsed(ctx, text, size);
}

/* ---------------------------------------------------------------- JSON */

static void check_certificates(const json_t *root, const gbs_model *model) {
    const json_t *list = member(root, "certificates");
    assert_int_equal(json_array_size(list), gbs_model_certificates(model));
    assert_true(json_equal(member(root, "certificate"), json_array_get(list, 0)));
    for (size_t k = 0; k < json_array_size(list); k++) {
        const gbs_certificate *c = gbs_model_certificate(model, k);
        const json_t *told = json_array_get(list, k);
        assert_true(number(told, "value") == c->value);
        assert_true(number(told, "empirical") == c->empirical);
        assert_string_equal(text_of(told, "method"), gbs_bound_name(c->method));
        assert_string_equal(text_of(told, "status"), c->valid ? "valid" : "conditional");
    }
    assert_string_equal(text_of(json_array_get(list, 1), "target"), "recall:yes");
    assert_string_equal(text_of(json_array_get(list, 2), "target"), "recall:no");
}

static void a_model_is_told_with_the_names_of_its_recipe(void **state) {
    (void)state;
    static struct people p;
    gbs_context *ctx = new_context(1, 1);
    gbs_table *t;
    gbs_data *data;
    gbs_model *model;
    make_people(&p, 1);
    assert_ok(ctx, gbs_table_create(ctx, ROWS, 3, &t));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "job", p.job));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "age \"in\" years", p.age));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "happy", p.label));
    assert_ok(ctx, gbs_table_train(ctx, t, NULL, &data));
    assert_ok(ctx, gbs_fit(ctx, data, NULL, &model));
    const gbs_model_info *info = gbs_model_get_info(model);
    const gbs_card *card = gbs_model_card(model);
    json_t *root = described(ctx, model, 0);
    assert_string_equal(text_of(root, "task"), "classify");
    assert_string_equal(text_of(root, "loss"), gbs_loss_name(info->loss));
    assert_int_equal((size_t)number(root, "n"), ROWS);
    assert_true(number(root, "lambda") == info->lambda);
    assert_true(number(root, "free_energy") == info->free_energy);
    assert_true(json_is_true(member(root, "converged")));
    assert_string_equal(json_string_value(json_array_get(member(root, "classes"), 0)), "no");
    assert_string_equal(json_string_value(json_array_get(member(root, "classes"), 1)), "yes");
    assert_true(number(member(root, "baseline"), "error") == card->baseline_error);
    assert_true(number(member(root, "card"), "slope") == card->slope);
    assert_int_equal(json_array_size(member(member(root, "card"), "reliability")), 10);
    check_certificates(root, model);
    assert_int_equal(json_array_size(member(root, "path")), gbs_model_path_size(model));
    assert_int_equal(json_array_size(member(root, "trace")), gbs_model_trace_size(model));
    const json_t *coefficients = member(root, "coefficients");
    assert_int_equal(json_array_size(coefficients), info->d);
    assert_string_equal(text_of(json_array_get(coefficients, info->d - 2), "name"),
                        "age \"in\" years");
    assert_string_equal(text_of(json_array_get(coefficients, info->d - 1), "name"), "(intercept)");
    json_decref(root);
    forget_people(&p);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_table_free(t);
    gbs_context_free(ctx);
}

static void parts_are_told_alone_and_without_a_recipe(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(3, 120, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *model;
    assert_ok(ctx, gbs_fit(ctx, data, NULL, &model));
    json_t *root = described(ctx, model, GBS_DESCRIBE_CARD);
    assert_int_equal(json_object_size(root), 3); /* classes, baseline, card */
    assert_string_equal(json_string_value(json_array_get(member(root, "classes"), 0)), "-1");
    json_decref(root);
    root = described(ctx, model, GBS_DESCRIBE_COEFFICIENTS | GBS_DESCRIBE_STAGES);
    assert_int_equal(json_object_size(root), 2);
    assert_string_equal(text_of(json_array_get(member(root, "coefficients"), 1), "name"), "V2");
    json_decref(root);
    root = described(ctx, model, GBS_DESCRIBE_RESTARTS);
    assert_int_equal(json_object_size(root), 0);
    json_decref(root);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void check_origin(const gbs_origin *o, uint64_t seed, size_t rows) {
    assert_true(o->recorded != 0);
    assert_string_equal(o->version, gbs_version());
    assert_true(o->seed == seed);
    assert_int_equal(o->rows, rows);
    assert_int_equal(strspn(o->hash, "0123456789abcdef"), 32);
    assert_int_equal(strlen(o->hash), 32);
    assert_int_equal(o->left_out, 0);
}

/* A seed beyond what JSON's numbers hold, there and back; rows in another order have the same hash,
 * with another label they have not. */
static void a_model_says_where_it_comes_from(void **state) {
    (void)state;
    const uint64_t seed = UINT64_MAX - 1;
    gbs_context *ctx = new_context(1, seed);
    struct table_of_numbers t = small_table(3, 120, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *model, *again, *turned;
    char *text, hash[33];
    size_t size;
    assert_null(gbs_model_origin(NULL));
    assert_null(gbs_completion_origin(NULL));
    assert_ok(ctx, gbs_fit(ctx, data, NULL, &model));
    check_origin(gbs_model_origin(model), seed, 120);
    snprintf(hash, sizeof hash, "%s", gbs_model_origin(model)->hash);
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &again));
    gbs_release(ctx, text);
    check_origin(gbs_model_origin(again), seed, 120);
    assert_string_equal(gbs_model_origin(again)->hash, hash);
    assert_int_equal(gbs_model_selection(again)->candidates,
                     gbs_model_selection(model)->candidates);
    assert_true(gbs_model_selection(again)->error == gbs_model_selection(model)->error);
    json_t *root = described(ctx, again, GBS_DESCRIBE_ORIGIN);
    assert_string_equal(text_of(member(root, "origin"), "seed"), "18446744073709551614");
    assert_string_equal(text_of(member(root, "origin"), "hash"), hash);
    json_decref(root);
    gbs_model_free(model);
    gbs_model_free(again);
    gbs_data_free(data);
    for (size_t i = 0; i < 60; i++) { /* the last row first */
        double label = t.y[i];
        t.y[i] = t.y[119 - i];
        t.y[119 - i] = label;
        for (size_t k = 0; k < 3; k++) {
            double x = t.x[i * 3 + k];
            t.x[i * 3 + k] = t.x[(119 - i) * 3 + k];
            t.x[(119 - i) * 3 + k] = x;
        }
    }
    data = dense_data(ctx, &t);
    assert_ok(ctx, gbs_fit(ctx, data, NULL, &turned));
    assert_string_equal(gbs_model_origin(turned)->hash, hash);
    gbs_model_free(turned);
    gbs_data_free(data);
    t.y[7] = -t.y[7];
    data = dense_data(ctx, &t);
    assert_ok(ctx, gbs_fit(ctx, data, NULL, &turned));
    assert_string_not_equal(gbs_model_origin(turned)->hash, hash);
    gbs_model_free(turned);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* A label may be any bytes, JSON may not. */
static void texts_that_are_no_utf8_are_told_all_the_same(void **state) {
    (void)state;
    enum { N = 60 };
    const char *label[N];
    double x[N];
    for (size_t i = 0; i < N; i++) {
        label[i] = i % 2 != 0 ? "caf\xe9 \"\\\t" : "\xed\xa0\x80z\xf0\x9f\x99\x82";
        x[i] = (double)(i % 2) + 0.01 * (double)(i % 7);
    }
    gbs_context *ctx = new_context(1, 1);
    gbs_table *t;
    gbs_data *data;
    gbs_model *model;
    assert_ok(ctx, gbs_table_create(ctx, N, 2, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "x", x));
    gbs_status status = gbs_table_add_texts(ctx, t, "y", label);
    if (status == GBS_OK) { /* where texts are taken as they come */
        assert_ok(ctx, gbs_table_train(ctx, t, NULL, &data));
        if (gbs_fit(ctx, data, NULL, &model) == GBS_OK)
            json_decref(described(ctx, model, 0));
        gbs_model_free(model);
        gbs_data_free(data);
    } else {
        assert_int_equal(status, GBS_ERR_DATA);
    }
    gbs_table_free(t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- linear */

static void check_linear(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                         const struct table_of_numbers *t) {
    double *b = doubles(t->d), *score = doubles(t->n), a, each[16];
    assert_ok(ctx, gbs_model_linear(ctx, model, b, &a));
    assert_true(gbs_model_get_info(model)->d <= COUNT(each));
    assert_ok(ctx, gbs_model_per_unit(ctx, model, each));
    for (size_t k = 0; k < gbs_model_get_info(model)->d; k++) {
        size_t column = gbs_model_column(model, k);
        assert_true(each[k] == (column < t->d ? b[column] : a));
    }
    assert_ok(ctx, gbs_model_predict(ctx, model, data, score, NULL, NULL));
    for (size_t i = 0; i < t->n; i++) {
        double sum = a;
        for (size_t k = 0; k < t->d; k++)
            sum += b[k] * t->x[i * t->d + k];
        assert_close(sum, score[i], 1e-12, 1e-12);
    }
    free(b);
    free(score);
}

static void scores_are_linear_in_the_columns_as_they_came(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {5};
    struct table_of_numbers t = make_table(&r, 150, 6, 0.4, 0.5);
    for (size_t i = 0; i < t.n; i++)
        t.x[i * t.d + 4] = 0.0; /* which no row sets */
    make_csr(&t);
    gbs_data *dense = dense_data(ctx, &t), *sparse = sparse_data(ctx, &t);
    static const char *const scales[] = {"standard", "none"};
    for (size_t k = 0; k < COUNT(scales); k++) {
        gbs_options *o;
        gbs_model *model;
        assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
        assert_ok(ctx, gbs_options_set(o, "scale", scales[k]));
        assert_ok(ctx, gbs_fit(ctx, dense, o, &model));
        check_linear(ctx, model, dense, &t);
        gbs_model_free(model);
        assert_ok(ctx, gbs_fit(ctx, sparse, o, &model));
        check_linear(ctx, model, sparse, &t);
        gbs_model_free(model);
        gbs_options_free(o);
    }
    gbs_data_free(dense);
    gbs_data_free(sparse);
    free_table(&t);
    gbs_context_free(ctx);
}

/* One unit more of a column multiplies the odds of the calibrated probability by what is told. */
static void odds_are_those_of_the_calibrated_probability(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(6, 150, 3);
    for (size_t i = 0; i < t.n; i++)
        t.x[i * t.d + 1] = 40.0 + 12.0 * t.x[i * t.d + 1]; /* in other units */
    gbs_data *data = dense_data(ctx, &t), *more;
    gbs_model *model;
    double p[2], row[6], b[3], a;
    assert_ok(ctx, gbs_fit(ctx, data, NULL, &model));
    assert_ok(ctx, gbs_model_linear(ctx, model, b, &a));
    json_t *root = described(ctx, model, GBS_DESCRIBE_COEFFICIENTS);
    const json_t *list = member(root, "coefficients");
    for (size_t k = 0; k < 3; k++) {
        const json_t *told = json_array_get(list, k);
        memcpy(row, t.x, 3 * sizeof *row);
        memcpy(row + 3, t.x, 3 * sizeof *row);
        row[3 + k] += 1.0;
        assert_ok(ctx, gbs_data_dense(ctx, 2, 3, row, 3, NULL, GBS_BORROW, &more));
        assert_ok(ctx, gbs_model_classify(ctx, model, more, NULL, p, NULL, NULL));
        assert_true(number(told, "per_unit") == b[k]);
        assert_close(number(told, "odds_ratio"), p[1] / (1.0 - p[1]) / (p[0] / (1.0 - p[0])), 1e-10,
                     0.0);
        gbs_data_free(more);
    }
    assert_true(number(json_array_get(list, 3), "per_unit") == a);
    assert_null(json_object_get(json_array_get(list, 3), "odds_ratio"));
    json_decref(root);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void scores_that_are_not_linear_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(7, 200, 2);
    gbs_data *data = dense_data(ctx, &t);
    static const char *const asked[][2] = {{"bound", "progressive"}, {"scale", "unit-row"}};
    for (size_t k = 0; k < COUNT(asked); k++) {
        gbs_options *o;
        gbs_model *model;
        double b[2], a;
        assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
        assert_ok(ctx, gbs_options_set(o, asked[k][0], asked[k][1]));
        assert_ok(ctx, gbs_fit(ctx, data, o, &model));
        assert_int_equal(gbs_model_linear(ctx, model, b, &a), GBS_ERR_ARGUMENT);
        assert_non_null(strstr(gbs_error_message(ctx), "linear"));
        assert_int_equal(gbs_model_per_unit(ctx, model, b), GBS_ERR_ARGUMENT);
        assert_non_null(strstr(gbs_error_message(ctx), "linear"));
        gbs_model_free(model);
        gbs_options_free(o);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- what is asked for */

static void a_prediction_does_not_depend_on_what_else_is_asked_for(void **state) {
    (void)state;
    static const char *const ways[][2] = {{"family", "fixed"},    {"family", "isotropic"},
                                          {"family", "diagonal"}, {"family", "full"},
                                          {"form", "dual"},       {"features", "fourier:30"}};
    enum { N = 200 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(29, N, 3);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t k = 0; k < COUNT(ways); k++) {
        double label[N], p[2][N], score[2][N], vote[N];
        gbs_options *o;
        gbs_model *model;
        assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
        assert_ok(ctx, gbs_options_set(o, "loss", "hinge"));
        if (k == 4)
            assert_ok(ctx, gbs_options_set(o, "family", "full"));
        assert_ok(ctx, gbs_options_set(o, ways[k][0], ways[k][1]));
        assert_ok(ctx, gbs_fit(ctx, data, o, &model));
        assert_ok(ctx, gbs_model_classify(ctx, model, data, label, p[0], score[0], vote));
        assert_ok(ctx, gbs_model_classify(ctx, model, data, NULL, p[1], NULL, NULL));
        assert_ok(ctx, gbs_model_classify(ctx, model, data, NULL, NULL, score[1], NULL));
        assert_true(same_bits(p[0], p[1], N));
        assert_true(same_bits(score[0], score[1], N));
        gbs_model_free(model);
        gbs_options_free(o);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_told_with_the_names_of_its_recipe),
        cmocka_unit_test(parts_are_told_alone_and_without_a_recipe),
        cmocka_unit_test(a_model_says_where_it_comes_from),
        cmocka_unit_test(texts_that_are_no_utf8_are_told_all_the_same),
        cmocka_unit_test(scores_are_linear_in_the_columns_as_they_came),
        cmocka_unit_test(odds_are_those_of_the_calibrated_probability),
        cmocka_unit_test(scores_that_are_not_linear_are_refused),
        cmocka_unit_test(a_prediction_does_not_depend_on_what_else_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
