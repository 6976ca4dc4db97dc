/* What docs/formats.md says of the numbers in a model file is enough to predict with: a reader
 * written from that page alone, with plain loops, against gbs_model_predict.
 */
#include "unit/host.h"

#include <jansson.h>

/* ---------------------------------------------------------------- the reader */

static double number_at(const json_t *list, size_t k) {
    return json_number_value(json_array_get(list, k));
}

static double number_or(const json_t *object, const char *key, double otherwise) {
    const json_t *x = json_object_get(object, key);
    return x != NULL ? json_number_value(x) : otherwise;
}

/* "Design rows": raw features to the d numbers that theta meets. */
static void design_row(const json_t *model, const double *raw, double *x) {
    const json_t *s = json_object_get(model, "scaling");
    size_t features = (size_t)json_integer_value(json_object_get(model, "features")), d = features;
    const char *kind = json_string_value(json_object_get(s, "kind"));
    for (size_t k = 0; k < features; k++) {
        x[k] = raw[k];
        if (strcmp(kind, "standard") == 0)
            x[k] = (x[k] - number_at(json_object_get(s, "center"), k)) /
                   number_at(json_object_get(s, "scale"), k);
    }
    if (json_is_true(json_object_get(model, "intercept")))
        x[d++] = number_or(s, "constant", 1.0);
    double norm = 0.0, clip = number_or(s, "clip", INFINITY);
    for (size_t k = 0; k < d; k++)
        norm += x[k] * x[k];
    norm = sqrt(norm);
    for (size_t k = 0; k < d && strcmp(kind, "unit-row") == 0 && norm > 0.0; k++)
        x[k] /= norm;
    norm = strcmp(kind, "unit-row") == 0 && norm > 0.0 ? 1.0 : norm;
    for (size_t k = 0; k < d && norm > clip; k++)
        x[k] *= clip / norm;
}

/* |C'x|^2, C of d rows, its upper triangle row by row. */
static double factor_variance(const json_t *factor, size_t d, const double *x) {
    double *product = doubles(d), sum = 0.0;
    size_t at = 0;
    assert_int_equal(json_array_size(factor), d * (d + 1) / 2);
    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++)
            product[j] += number_at(factor, at++) * x[i];
    for (size_t j = 0; j < d; j++)
        sum += product[j] * product[j];
    free(product);
    return sum;
}

/* Row i of the kept design rows, dense or sparse less the shift, times x. */
static double kept_dot(const json_t *rows, size_t i, size_t d, const double *x) {
    const json_t *dense = json_object_get(rows, "cells"), *start = json_object_get(rows, "start");
    double sum = 0.0;
    for (size_t k = 0; dense != NULL && k < d; k++)
        sum += number_at(dense, i * d + k) * x[k];
    if (dense != NULL)
        return sum;
    for (size_t k = (size_t)number_at(start, i); k < (size_t)number_at(start, i + 1); k++)
        sum += number_at(json_object_get(rows, "value"), k) *
               x[(size_t)number_at(json_object_get(rows, "column"), k)];
    const json_t *shift = json_object_get(rows, "shift");
    for (size_t k = 0; shift != NULL && k < d; k++)
        sum -= number_at(shift, k) * x[k];
    return sum;
}

/* v (|x|^2 - |q|^2) + |F'q|^2, L q = X x. */
static double dual_variance(const json_t *dual, double v, size_t d, const double *x) {
    size_t rank = (size_t)json_integer_value(json_object_get(dual, "rank")), at = 0;
    const json_t *lower = json_object_get(dual, "lower");
    double *q = doubles(rank), inside = 0.0, length = 0.0;
    assert_int_equal(json_array_size(lower), rank * (rank + 1) / 2);
    for (size_t i = 0; i < rank; i++) {
        q[i] = kept_dot(json_object_get(dual, "rows"), i, d, x);
        for (size_t j = 0; j < i; j++)
            q[i] -= number_at(lower, at++) * q[j];
        q[i] /= number_at(lower, at++);
        inside += q[i] * q[i];
    }
    for (size_t k = 0; k < d; k++)
        length += x[k] * x[k];
    double variance = v * (length - inside) +
                      factor_variance(json_object_get(dual, "factor"), rank, q);
    free(q);
    return variance;
}

static void read_posterior(const json_t *from, double prior_sd, size_t d, const double *x,
                           double *score, double *sd) {
    const json_t *p = json_object_get(from, "posterior"), *factor = json_object_get(p, "factor");
    const json_t *dual = json_object_get(p, "dual"), *deviation = json_object_get(p, "sd");
    double variance = 0.0;
    *score = 0.0;
    for (size_t k = 0; k < d; k++) {
        *score += number_at(json_object_get(p, "mean"), k) * x[k];
        double one = deviation != NULL
                         ? number_at(deviation, json_array_size(deviation) > 1 ? k : 0)
                         : 0.0;
        variance += one * one * x[k] * x[k];
    }
    if (factor != NULL)
        variance = factor_variance(factor, d, x);
    if (dual != NULL)
        variance = dual_variance(dual, prior_sd * prior_sd, d, x);
    *sd = sqrt(variance);
}

static double normal(double t) {
    return 0.5 * erfc(-t / sqrt(2.0));
}

/* The vote of one row; of a plain model score and sd too. */
static double read_prediction(const json_t *model, const double *raw, double *score, double *sd) {
    size_t d = (size_t)json_integer_value(json_object_get(model, "d"));
    const json_t *stages = json_object_get(model, "stages");
    double *x = doubles(d), vote = 0.0;
    design_row(model, raw, x);
    if (stages == NULL) {
        read_posterior(model, number_or(json_object_get(model, "fit"), "prior_sd", NAN), d, x,
                       score, sd);
        vote = normal(*score / *sd);
    }
    for (size_t t = 0; t < json_array_size(stages); t++) {
        const json_t *stage = json_array_get(stages, t);
        read_posterior(stage, number_or(stage, "prior_sd", NAN), d, x, score, sd);
        vote += number_or(stage, "weight", NAN) * normal(*score / *sd);
    }
    free(x);
    return vote;
}

/* ---------------------------------------------------------------- against the library */

static json_t *text_of(gbs_context *ctx, const gbs_model *model) {
    char *text;
    size_t size;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    json_t *root = json_loadb(text, size, 0, NULL);
    assert_non_null(root);
    gbs_release(ctx, text);
    return root;
}

static void check_reader(gbs_context *ctx, const struct table_of_numbers *t, const gbs_data *data,
                         const gbs_model *model) {
    double *score = doubles(t->n), *sd = doubles(t->n), *vote = doubles(t->n);
    json_t *root = text_of(ctx, model);
    assert_ok(ctx, gbs_model_predict(ctx, model, data, score, sd, vote));
    for (size_t i = 0; i < t->n; i++) {
        double own_score, own_sd,
            own_vote = read_prediction(root, t->x + i * t->d, &own_score, &own_sd);
        assert_close(own_vote, vote[i], 1e-9, 1e-12);
        if (json_object_get(root, "stages") != NULL)
            continue;
        assert_close(own_score, score[i], 1e-9, 1e-10);
        assert_close(own_sd, sd[i], 1e-9, 1e-10);
    }
    json_decref(root);
    free(score);
    free(sd);
    free(vote);
}

static void check_fit(gbs_context *ctx, const struct table_of_numbers *t, const gbs_data *data,
                      const gbs_fit_settings *o) {
    gbs_model *model = fit(ctx, data, o);
    check_reader(ctx, t, data, model);
    gbs_model_free(model);
}

static void a_posterior_predicts_as_its_file_says(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(71, 40, 4);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t f = 0; f < COUNT(all_families); f++)
        for (int scale = 0; scale < 3; scale++)
            for (int way = 0; way < 4; way++) {
                gbs_fit_settings o = zero_prior_options();
                o.loss = GBS_LOSS_HINGE;
                o.family = all_families[f];
                o.scale = (gbs_scale)scale;
                o.intercept = way != 1;
                o.lambda = 5.0;
                o.prior_sd = 0.5;
                o.constant = way == 2 && scale != GBS_SCALE_UNIT_ROW ? 3.0 : 0.0;
                o.cx = way == 3 ? 0.8 : 0.0;
                check_fit(ctx, &t, data, &o);
            }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

/* The default fit: stretched columns, and stages that vote by their weight. */
static void stretched_columns_predict_as_their_file_says(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(72, 120, 4);
    gbs_data *data = dense_data(ctx, &t);
    for (int single = 0; single < 2; single++) {
        gbs_fit_settings o = gbs_fit_settings_default();
        o.bound = single ? GBS_BOUND_KL : GBS_BOUND_PROGRESSIVE;
        gbs_model *model = fit(ctx, data, &o);
        json_t *root = text_of(ctx, model);
        const json_t *scaling = json_object_get(root, "scaling"),
                     *stretch = json_object_get(scaling, "stretch");
        assert_int_equal(json_array_size(stretch), t.d);
        assert_int_equal(json_object_get(root, "stages") == NULL, single);
        check_reader(ctx, &t, data, model);
        /* the mean of their squares is 1, and coefficients are per standard deviation */
        double squares = 0.0, mean[5], sd[5];
        for (size_t k = 0; k < t.d; k++)
            squares += number_at(stretch, k) * number_at(stretch, k);
        assert_close(squares, (double)t.d, 1e-12, 0.0);
        assert_ok(ctx, gbs_model_coefficients(ctx, model, mean, sd));
        for (size_t k = 0; single && k < t.d; k++) {
            double theta = number_at(json_object_get(json_object_get(root, "posterior"), "mean"),
                                     k);
            assert_close(mean[k], theta * number_at(stretch, k), 1e-12, 0.0);
        }
        json_decref(root);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

/* More columns than rows: the posterior is kept in the span of some rows, dense or sparse. */
static void a_dual_posterior_predicts_as_its_file_says(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct dice r = {73};
    static const size_t widths[] = {20, 70000};
    for (size_t w = 0; w < COUNT(widths); w++)
        for (int standard = 0; standard < 2; standard++) {
            struct table_of_numbers t = make_table(&r, 32, widths[w], w == 0 ? 1.0 : 0.001, 0.5);
            for (size_t k = 0; w > 0 && k < t.d; k++) /* no column is left out */
                t.x[k % t.n * t.d + k] += 0.25;
            make_csr(&t);
            gbs_data *data = w == 0 ? dense_data(ctx, &t) : sparse_data(ctx, &t);
            gbs_fit_settings o = zero_prior_options();
            o.loss = GBS_LOSS_HINGE;
            o.family = GBS_FAMILY_FULL;
            o.form = GBS_FORM_DUAL;
            o.scale = standard ? GBS_SCALE_STANDARD : GBS_SCALE_NONE;
            gbs_model *model = fit(ctx, data, &o);
            json_t *root = text_of(ctx, model),
                   *dual = json_object_get(json_object_get(root, "posterior"), "dual");
            assert_int_equal(json_object_get(json_object_get(dual, "rows"), "cells") != NULL,
                             w == 0);
            json_decref(root);
            check_reader(ctx, &t, data, model);
            gbs_model_free(model);
            gbs_data_free(data);
            free_table(&t);
        }
    leave(&h, ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_posterior_predicts_as_its_file_says),
        cmocka_unit_test(stretched_columns_predict_as_their_file_says),
        cmocka_unit_test(a_dual_posterior_predicts_as_its_file_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
