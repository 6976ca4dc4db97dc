/* Certificates of a fit: the numbers are those of the bounds, the status is honest, and they hold.
 */
#include "bound/bound.h"
#include "fit/run.h"
#include "unit/support.h"
#include "unit/zero_prior.h"

enum { D = 3 };

#define NOISE 0.1

/* Rows first .. first + n - 1 of y = sign(x_1 + x_2 / 2), flipped with probability NOISE. */
static gbs_data *draw(gbs_context *ctx, uint64_t stream, size_t first, size_t n, double *x,
                      double *y) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < D; k++)
            x[i * D + k] = gbs_random_normal(ctx, stream, (first + i) * D + k);
        double score = x[i * D] + 0.5 * x[i * D + 1];
        bool flip = gbs_random_uniform(ctx, stream + 1, first + i) < NOISE;
        y[i] = (score > 0.0) != flip ? 1.0 : -1.0;
    }
    gbs_data *data;
    assert_int_equal(gbs_data_dense(ctx, n, D, x, D, y, GBS_BORROW, &data), GBS_OK);
    return data;
}

static gbs_fit_settings plain_options(void) {
    gbs_fit_settings o = zero_prior_options();
    o.scale = GBS_SCALE_NONE;
    o.intercept = 0;
    o.lambda = 50.0;
    return o;
}

static const gbs_certificate *find(const gbs_model *model, gbs_target target, gbs_loss loss,
                                   gbs_bound method) {
    size_t count;
    const gbs_certificate *c = certificates_of(model, &count);
    for (size_t k = 0; k < count; k++)
        if (c[k].target == target && c[k].loss == loss && c[k].method == method)
            return &c[k];
    return NULL;
}

static void values_are_those_of_the_bounds(void **state) {
    (void)state;
    enum { N = 150 };
    gbs_context *ctx;
    double x[N * D], y[N], score[N], sd[N], square = 0.0, price = -log(1.0 - 0.9);
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    gbs_data *data = draw(ctx, 1, 0, N, x, y);
    gbs_fit_settings o = plain_options();
    o.confidence = 0.9;
    o.bound = GBS_BOUND_CATONI;
    gbs_model *model;
    gbs_model_info i;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_OK);
    i = *gbs_model_get_info(model);
    assert_int_equal(gbs_model_predict(ctx, model, data, score, sd, NULL), GBS_OK);
    for (size_t k = 0; k < N; k++)
        square += pow(0.5 * erfc(y[k] * score[k] / sd[k] / sqrt(2.0)), 2.0) / N;
    size_t count;
    const gbs_certificate *c = certificates_of(model, &count);
    assert_int_equal(c[0].method, GBS_BOUND_CATONI); /* the one asked for comes first */
    assert_true(c[0].value == gbs_bound_catoni(i.gibbs_error, i.kl, N, i.lambda, price));
    c = find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_KL);
    assert_true(c->value == gbs_bound_kl(i.gibbs_error, i.kl, N, price) && c->confidence == 0.9 &&
                c->blocks == N);
    c = find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_HOEFFDING);
    assert_true(c->value == gbs_bound_hoeffding(i.gibbs_error, i.kl, N, i.lambda, price));
    c = find(model, GBS_TARGET_VOTE, GBS_LOSS_ZERO_ONE, GBS_BOUND_KL);
    assert_true(fabs(c->value - gbs_bound_vote(i.gibbs_error, square, i.kl, N, price)) < 1e-12);
    /* the paper doubles the quadratic terms of the KL and has four times the lambda term: never
     * below hoeffding's */
    assert_true(find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_PAPER)->value >=
                find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_HOEFFDING)->value);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* valid[0]: kl, valid[1]: catoni */
static void statuses(const gbs_fit_settings *o, int valid[2]) {
    enum { N = 60 };
    gbs_context *ctx;
    double x[N * D], y[N];
    gbs_model *model;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    gbs_data *data = draw(ctx, 3, 0, N, x, y);
    assert_int_equal(gbs_fit_run(ctx, data, o, &model), GBS_OK);
    valid[0] = find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_KL)->valid;
    valid[1] = find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_CATONI)->valid;
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void a_conditional_certificate_is_never_called_valid(void **state) {
    (void)state;
    gbs_fit_settings o = plain_options();
    int valid[2];
    statuses(&o, valid);
    assert_true(valid[0] && valid[1]);
    o.scale = GBS_SCALE_UNIT_ROW;
    statuses(&o, valid);
    assert_true(valid[0] && valid[1]);
    o.scale = GBS_SCALE_STANDARD;
    statuses(&o, valid);
    assert_true(!valid[0] && !valid[1]);
    o = plain_options();
    o.looked = GBS_LOOKED_PRIOR;
    statuses(&o, valid);
    assert_true(!valid[0] && !valid[1]);
    o.looked = GBS_LOOKED_COLUMNS;
    statuses(&o, valid);
    assert_true(!valid[0] && !valid[1]);
    o.looked = GBS_LOOKED_LAMBDA; /* free under kl, which holds for every posterior at once */
    statuses(&o, valid);
    assert_true(valid[0] && !valid[1]);
}

static void certificates_survive_the_model_file(void **state) {
    (void)state;
    enum { N = 60 };
    gbs_context *ctx;
    double x[N * D], y[N];
    gbs_model *model, *copy;
    char *text;
    size_t size, a, b;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    gbs_data *data = draw(ctx, 5, 0, N, x, y);
    gbs_fit_settings o = plain_options();
    assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_OK);
    assert_int_equal(gbs_model_to_json(ctx, model, &text, &size), GBS_OK);
    assert_int_equal(gbs_model_from_json(ctx, text, size, &copy), GBS_OK);
    const gbs_certificate *c = certificates_of(model, &a), *d = certificates_of(copy, &b);
    assert_int_equal(a, b);
    for (size_t k = 0; k < a; k++)
        assert_true(c[k].value == d[k].value && c[k].assumptions == d[k].assumptions &&
                    c[k].valid == d[k].valid && c[k].method == d[k].method &&
                    c[k].target == d[k].target);
    gbs_release(ctx, text);
    gbs_model_free(model);
    gbs_model_free(copy);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* 300 samples at confidence 0.8: every kind of certificate may fail 60 times on average. More than
 * 60 + 5 standard deviations (95) would be a false alarm with probability below 1e-6. The true risk
 * is that on 20,000 fresh rows (standard error below 0.003, which is taken off). */
static void certificates_hold_as_often_as_they_say(void **state) {
    (void)state;
    enum { SAMPLES = 300, N = 60, FRESH = 20000, KINDS = 5 };
    gbs_context *ctx;
    double x[N * D], y[N];
    double *fresh_x = calloc(FRESH * D, sizeof *fresh_x), *fresh_y = calloc(FRESH, sizeof *fresh_y);
    size_t broken[KINDS] = {0};
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    gbs_data *fresh = draw(ctx, 1000, 0, FRESH, fresh_x, fresh_y);
    for (size_t s = 0; s < SAMPLES; s++) {
        gbs_data *data = draw(ctx, 7, s * N, N, x, y);
        gbs_fit_settings o = plain_options();
        gbs_model *model;
        gbs_evaluation e;
        size_t count;
        o.confidence = 0.8;
        assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_OK);
        assert_int_equal(evaluate_model(ctx, model, fresh, &e), GBS_OK);
        const gbs_certificate *c = certificates_of(model, &count);
        assert_int_equal(count, KINDS);
        for (size_t k = 0; k < count; k++) {
            assert_true(c[k].valid);
            broken[k] += c[k].value <
                         (c[k].target == GBS_TARGET_VOTE ? e.error : e.gibbs_error) - 0.003;
        }
        gbs_model_free(model);
        gbs_data_free(data);
    }
    for (size_t k = 0; k < KINDS; k++)
        assert_true(broken[k] <= 95);
    gbs_data_free(fresh);
    gbs_context_free(ctx);
    free(fresh_x);
    free(fresh_y);
}

/* At a tiny lambda the posterior is the prior but for rounding: its KL must not fall below 0, where
 * no bound exists. */
static void a_posterior_next_to_its_prior_is_certified(void **state) {
    (void)state;
    enum { N = 60 };
    static const double ladder[] = {1e-12, 1e-9, 1e-6, 1.0};
    static const gbs_family families[] = {GBS_FAMILY_ISOTROPIC, GBS_FAMILY_DIAGONAL,
                                          GBS_FAMILY_FULL};
    gbs_context *ctx;
    double x[N * D], y[N];
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    gbs_data *data = draw(ctx, 9, 0, N, x, y);
    for (size_t f = 0; f < 3; f++)
        for (int k = 0; k < 20; k++) {
            gbs_fit_settings o = plain_options();
            o.family = families[f];
            o.loss = k % 2 == 0 ? GBS_LOSS_ZERO_ONE : GBS_LOSS_HINGE;
            o.prior_sd = 0.003 * (1.0 + 0.137 * k); /* as odd as may be */
            o.bound = GBS_BOUND_CATONI;
            o.select = GBS_SELECT_BOUND;
            o.ladder = ladder;
            o.ladder_size = 4;
            gbs_model *model;
            assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_OK);
            for (size_t t = 0; t < gbs_model_path_size(model); t++) {
                assert_true(path_of(model)[t].kl >= 0.0);
                assert_true(path_of(model)[t].bound <= 1.0);
            }
            assert_non_null(find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_CATONI));
            gbs_model_free(model);
        }
    gbs_data_free(data);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_bounds),
        cmocka_unit_test(a_conditional_certificate_is_never_called_valid),
        cmocka_unit_test(certificates_survive_the_model_file),
        cmocka_unit_test(certificates_hold_as_often_as_they_say),
        cmocka_unit_test(a_posterior_next_to_its_prior_is_certified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
