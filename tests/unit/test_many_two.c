/* Three classes of which the rows to learn from have two, and files of a few rows.
 *
 * The predictor is to be a function of the rows before the last block: rows of a third class behind
 * them leave the probabilities where a fit to two classes has them. Columns by relevance, of three
 * classes, against sums of squares between classes.
 */
#include "support.h"

#include "data/rows.h"
#include "map/map.h"
#include "model/many.h"

#include <string.h>

enum { N = 96, D = 3, PROBES = 20 };

struct rows {
    double x[N * D], y[N];
    uint32_t class_of[N];
};

/* Two classes, 0 and 1, which a line divides but for some noise. */
static struct rows draw_rows(uint64_t seed, double offset) {
    struct rows t;
    struct dice r = {seed};
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < D; k++)
            t.x[i * D + k] = dice_normal(&r);
        t.class_of[i] = t.x[i * D] + 0.8 * dice_normal(&r) > offset;
        t.y[i] = t.class_of[i] ? 1.0 : -1.0;
    }
    return t;
}

static void check_lines(const gbs_model *two, const gbs_model *three, size_t third) {
    const gbs_card *a = gbs_model_card(two);
    const gbs_classes_card *b = gbs_model_classes_card(three);
    size_t one, other;
    assert_int_equal(b->learned, a->learned);
    assert_int_equal(b->tested, a->tested);
    assert_int_equal(b->unknown, third);
    assert_true(b->scheme == GBS_SCHEME_PAIRS && b->parts == 1);
    assert_non_null(gbs_model_part(three, 0, &one, &other));
    assert_true(one == 0 && other == 1);
    assert_null(gbs_model_part(three, 1, NULL, NULL));
    const gbs_certificate *line = gbs_model_certificate(three, 0);
    assert_int_equal(line->target, GBS_TARGET_VOTE);
    assert_close(line->value, gbs_binomial_upper(b->errors, b->tested, line->confidence), 1e-12,
                 0.0);
    assert_true(b->errors >= third);
    const gbs_class_result *r = gbs_model_class_result(three, 2);
    assert_true(!r->learned && r->said == 0 && r->right == 0 && r->rows == third);
    assert_true(gbs_model_certificate(three, 3)->value == 1.0);
}

/* A draw says the sign of its score, of rows of the third class too. */
static void check_draw(gbs_context *ctx, const gbs_model *two, const gbs_model *three,
                       const struct rows *t, const size_t *at) {
    const gbs_certificate *line = gbs_model_certificate(three, gbs_model_certificates(three) - 1);
    size_t first = gbs_model_card(two)->learned;
    double p[N], label[N], vote[N], wrong = 0.0;
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, N, D, t->x, D, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_model_classify(ctx, two, data, label, p, NULL, vote));
    gbs_data_free(data);
    for (size_t i = first; i < N; i++) {
        uint32_t class = t->class_of[at[i]];
        wrong += class == 2 ? 1.0 : class == 1 ? 1.0 - vote[at[i]] : vote[at[i]];
    }
    assert_int_equal(line->target, GBS_TARGET_GIBBS);
    assert_int_equal(line->method, GBS_BOUND_BETTING);
    assert_int_equal(line->assumptions & GBS_ASSUMES_DRAWS, 0);
    assert_close(line->empirical, wrong / (double)(N - first), 1e-8, 1e-9);
}

/* Rows of the last block are said to be of a third class. */
static void compare(uint64_t seed, double offset, gbs_features features, gbs_order order) {
    gbs_context *ctx = new_context(1, seed);
    struct rows t = draw_rows(seed, offset);
    struct dice r = {seed + 100};
    double x[PROBES * D], label[PROBES], p[PROBES], q[PROBES * 3];
    size_t at[N], least, third = 0;
    uint32_t said[PROBES];
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_data *data, *probe;
    o.features = features;
    o.features_size = features == GBS_FEATURES_NYSTROM ? 12 : 0;
    o.order = order;
    assert_ok(ctx, gbs_data_dense(ctx, N, D, t.x, D, t.y, GBS_BORROW, &data));
    gbs_model *two = fit(ctx, data, &o), *three;
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, at, &least));
    gbs_hash hash = gbs_data_hash(data);
    gbs_data_free(data);
    for (size_t i = gbs_model_card(two)->learned; i < N; i++)
        if (i % 3 == 0) {
            t.class_of[at[i]] = 2;
            third++;
        }
    assert_true(third > 0);
    assert_ok(ctx, gbs_data_dense(ctx, N, D, t.x, D, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_set_classes(ctx, data, N, t.class_of, 3));
    data->summary.hash = hash; /* keeps the order */
    data->hashed = true;
    three = fit(ctx, data, &o);
    check_lines(two, three, third);
    check_draw(ctx, two, three, &t, at);
    for (size_t i = 0; i < PROBES * D; i++)
        x[i] = dice_normal(&r);
    assert_ok(ctx, gbs_data_dense(ctx, PROBES, D, x, D, NULL, GBS_BORROW, &probe));
    assert_ok(ctx, gbs_model_classify(ctx, two, probe, label, p, NULL, NULL));
    assert_ok(ctx, gbs_model_classify_rows(ctx, three, probe, PROBES, 3, said, q));
    for (size_t i = 0; i < PROBES; i++) {
        assert_close(q[3 * i + 1], p[i], 1e-9, 1e-12);
        assert_true(q[3 * i + 2] == 0.0);
        assert_int_equal(said[i], label[i] > 0.0);
    }
    char *text, *again;
    size_t size;
    gbs_model *back;
    assert_ok(ctx, gbs_model_to_json(ctx, three, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &back));
    assert_ok(ctx, gbs_model_to_json(ctx, back, &again, NULL));
    assert_string_equal(text, again);
    gbs_release(ctx, text);
    gbs_release(ctx, again);
    gbs_model_free(back);
    gbs_model_free(two);
    gbs_model_free(three);
    gbs_data_free(probe);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void a_third_class_behind_the_rows_to_learn_from_changes_nothing(void **state) {
    (void)state;
    compare(1, 0.0, GBS_FEATURES_LINEAR, GBS_ORDER_RANDOM);
    compare(2, 1.6, GBS_FEATURES_LINEAR, GBS_ORDER_RANDOM); /* rare: more rows are learned from */
    compare(3, 0.3, GBS_FEATURES_LINEAR, GBS_ORDER_TIME);
    compare(4, 0.0, GBS_FEATURES_NYSTROM, GBS_ORDER_RANDOM);
    compare(5, 0.0, GBS_FEATURES_AUTO, GBS_ORDER_RANDOM);
}

/* ---------------------------------------------------------------- few rows */

static void check_few(gbs_context *ctx, const gbs_data *data, size_t n, const gbs_model *model) {
    double p[8 * 3], sum;
    uint32_t said[8];
    const gbs_classes_card *c = gbs_model_classes_card(model);
    assert_int_equal(c->learned + c->tested, n);
    assert_ok(ctx, gbs_model_classify_rows(ctx, model, data, n, 3, said, p));
    for (size_t i = 0; i < n; i++) {
        sum = p[3 * i] + p[3 * i + 1] + p[3 * i + 2];
        assert_close(sum, 1.0, 1e-12, 0.0);
        assert_true(said[i] < 3);
    }
    for (size_t j = 0; j < gbs_model_certificates(model); j++) {
        double value = gbs_model_certificate(model, j)->value;
        assert_true(value > 0.0 && value <= 1.0);
    }
}

/* Every way to deal three classes to three to eight rows: fitted, or refused in words that say what
 * is missing. */
static void few_rows_are_fitted_or_refused(void **state) {
    (void)state;
    size_t fitted = 0, refused = 0;
    for (size_t n = 3; n <= 8; n++)
        for (size_t a = 1; a + 2 <= n; a++)
            for (size_t b = 1; a + b + 1 <= n; b++)
                for (uint64_t seed = 1; seed <= repeats(8, 2); seed++) {
                    struct dice r = {1000 * n + 100 * a + 10 * b + seed};
                    gbs_context *ctx = new_context(1, seed);
                    double x[8 * 2];
                    uint32_t class_of[8];
                    gbs_data *data;
                    gbs_model *model;
                    for (size_t i = 0; i < n; i++) {
                        class_of[i] = i < a ? 0 : i < a + b ? 1 : 2;
                        x[2 * i] = class_of[i] + dice_normal(&r);
                        x[2 * i + 1] = seed % 2 == 0 ? 1.0 : dice_normal(&r);
                    }
                    assert_ok(ctx, gbs_data_dense(ctx, n, 2, x, 2, NULL, GBS_BORROW, &data));
                    assert_ok(ctx, gbs_data_set_classes(ctx, data, n, class_of, 3));
                    gbs_status status = gbs_fit_run(ctx, data, NULL, &model);
                    if (status == GBS_OK) {
                        check_few(ctx, data, n, model);
                        fitted++;
                    } else {
                        assert_int_equal(status, GBS_ERR_DATA);
                        assert_null(model);
                        assert_non_null(
                            strstr(gbs_error_message(ctx), "rows of 3 classes are too few"));
                        refused++;
                    }
                    gbs_model_free(model);
                    gbs_data_free(data);
                    gbs_context_free(ctx);
                }
    assert_true(fitted > 20 && refused > 20);
}

/* ---------------------------------------------------------------- columns by relevance */

/* The share of the variance of column k that lies between classes. */
static long double slow_share(const struct table_of_numbers *t, const uint32_t *class_of, size_t k,
                              size_t classes) {
    long double mean = 0, all = 0, between = 0;
    for (size_t i = 0; i < t->n; i++)
        mean += t->x[i * t->d + k] / (long double)t->n;
    for (size_t i = 0; i < t->n; i++) {
        long double off = t->x[i * t->d + k] - mean;
        all += off * off;
    }
    for (size_t c = 0; c < classes; c++) {
        long double sum = 0, rows = 0;
        for (size_t i = 0; i < t->n; i++)
            if (class_of[i] == c) {
                sum += t->x[i * t->d + k] - mean;
                rows += 1;
            }
        between += rows > 0 ? sum * sum / rows : 0;
    }
    return all > 1e-20L ? between / all : 0;
}

static void stretches_follow_what_lies_between_classes(void **state) {
    (void)state;
    enum { ROWS = 200, COLUMNS = 5, CLASSES = 4 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(6, ROWS, COLUMNS);
    uint32_t class_of[ROWS];
    long double c2[COLUMNS], mean = 0;
    struct dice r = {7};
    for (size_t i = 0; i < ROWS; i++) { /* the last of four classes has no row */
        class_of[i] = (uint32_t)dice_below(&r, CLASSES - 1);
        t.x[i * COLUMNS] += 2.0 * class_of[i];
        t.x[i * COLUMNS + 4] = -1.0;
    }
    make_csr(&t);
    for (size_t k = 0; k < COLUMNS; k++) {
        c2[k] = fmaxl(slow_share(&t, class_of, k, CLASSES), (CLASSES - 2) / (long double)ROWS);
        mean += c2[k] / COLUMNS;
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        gbs_fit_settings o = {
            .scale = GBS_SCALE_STANDARD, .constant = 1.0, .columns = GBS_COLUMNS_RELEVANCE};
        gbs_data *data;
        gbs_maps maps;
        if (sparse)
            assert_ok(ctx, gbs_data_csr(ctx, ROWS, COLUMNS, t.start, t.column, t.value, NULL,
                                        GBS_BORROW, &data));
        else
            assert_ok(ctx,
                      gbs_data_dense(ctx, ROWS, COLUMNS, t.x, COLUMNS, NULL, GBS_BORROW, &data));
        assert_ok(ctx, gbs_data_set_classes(ctx, data, ROWS, class_of, CLASSES));
        assert_ok(ctx, gbs_maps_learn(ctx, data, &o, &maps));
        for (size_t k = 0; k < COLUMNS; k++)
            assert_close(gbs_maps_standard(&maps)->stretch[k], (double)sqrtl(c2[k] / mean), 1e-11,
                         0.0);
        assert_true(gbs_maps_standard(&maps)->stretch[0] >
                    2.0 * gbs_maps_standard(&maps)->stretch[4]);
        gbs_maps_free(ctx, &maps);
        gbs_data_free(data);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_third_class_behind_the_rows_to_learn_from_changes_nothing),
        cmocka_unit_test(few_rows_are_fitted_or_refused),
        cmocka_unit_test(stretches_follow_what_lies_between_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
