/* What is declared before the rows are seen: a length that rows keep, grids to choose from, and
 * their price. */
#include "bound/bound.h"
#include "fit/ways.h"
#include "unit/informed_support.h"

/* ---------------------------------------------------------------- c_x and the hinge risk */

static void the_hinge_risk_needs_a_declared_length(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 11);
    struct table_of_numbers t = small_table(65, 60, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.scale = GBS_SCALE_NONE;
    o.bound = GBS_BOUND_KL;
    gbs_model *model = fit(ctx, data, &o);
    /* rows of any length */
    assert_null(find(model, GBS_TARGET_GIBBS, GBS_LOSS_HINGE, GBS_BOUND_HOEFFDING));
    gbs_model_free(model);
    o.cx = 2.5;
    double limit = gbs_hinge_lambda_limit(true, 60, 1.0, o.cx);
    for (int looked = 0; looked < 2; looked++) {
        o.lambda = 0.9 * limit;
        o.looked = looked ? GBS_LOOKED_CX : 0;
        model = fit(ctx, data, &o);
        const gbs_certificate *c = find(model, GBS_TARGET_GIBBS, GBS_LOSS_HINGE,
                                        GBS_BOUND_HOEFFDING);
        gbs_model_info i = info_of(model);
        assert_non_null(c);
        assert_int_equal(c->valid, !looked);
        /* zero-one needs no length */
        assert_true(find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_KL)->valid);
        double f = gbs_hinge_f_exact(o.lambda, 60, D + 1, 1.0, 0.0, o.cx);
        assert_close(c->value, i.gibbs_risk + (f + i.kl - log(0.05)) / o.lambda, 1e-12, 0.0);
        gbs_model_free(model);
    }
    o.looked = 0;
    char range[64];
    snprintf(range, sizeof range, "between 0 and %g", limit);
    for (int k = 0; k < 3; k++) {
        o.lambda = limit * (k == 0 ? 1.0 : k == 1 ? 1.001 : 100.0);
        assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_ERR_ARGUMENT);
        assert_null(model);
        assert_non_null(strstr(gbs_error_message(ctx), range));
    }
    o.cx = 0.0; /* without it any lambda will do; unit rows bring their own length */
    o.scale = GBS_SCALE_UNIT_ROW;
    o.lambda = 0.5 * gbs_hinge_lambda_limit(true, 60, 1.0, 1.0);
    model = fit(ctx, data, &o);
    assert_true(find(model, GBS_TARGET_GIBBS, GBS_LOSS_HINGE, GBS_BOUND_HOEFFDING)->valid);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* With cx a row longer than it is the row of that length, for every kind of model. Without an
 * intercept its length is that of the features. */
static void long_rows_are_shortened_at_prediction_too(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 12);
    struct table_of_numbers t = small_table(66, 60, D);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < 3; k++) {
        gbs_fit_settings o = k == 0   ? gbs_fit_settings_default()
                             : k == 1 ? informed(GBS_BOUND_KL)
                                      : zero_prior_options();
        o.loss = GBS_LOSS_HINGE;
        o.scale = GBS_SCALE_NONE;
        o.intercept = 0;
        o.cx = 1.5;
        o.lambda = k == 2 ? 5.0 : 0.0;
        gbs_model *model = fit(ctx, data, &o);
        double rows[3 * D] = {6.0, -9.0, 10.2, 0.6, -0.9, 1.02, 0.2, -0.3, 0.34}, score[3], sd[3],
                        p[3]; /* lengths 14.9, 1.49, 0.50 */
        double norm = sqrt(rows[0] * rows[0] + rows[1] * rows[1] + rows[2] * rows[2]);
        for (size_t j = 0; j < D; j++)
            rows[D + j] = rows[j] * (1.5 / norm);
        gbs_data *ask;
        char *text;
        size_t size;
        gbs_model *again;
        assert_ok(ctx, gbs_data_dense(ctx, 3, D, rows, D, NULL, GBS_BORROW, &ask));
        assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
        assert_ok(ctx, gbs_model_from_json(ctx, text, size, &again));
        for (int read = 0; read < 2; read++) {
            assert_ok(ctx, gbs_model_predict(ctx, read ? again : model, ask, score, sd, p));
            assert_close(score[0], score[1], 1e-12, 1e-14);
            assert_close(sd[0], sd[1], 1e-12, 0.0);
            assert_close(p[0], p[1], 1e-12, 0.0);
            /* a short one is left alone */
            assert_true(k == 0 || fabs(score[2]) < 0.5 * fabs(score[1]));
        }
        gbs_release(ctx, text);
        gbs_model_free(again);
        gbs_data_free(ask);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- grids and their price */

static double recomputed(const gbs_certificate *c) {
    double price = -log(1.0 - c->confidence) + c->grid_nats;
    switch (c->method) {
    case GBS_BOUND_KL:
        return gbs_bound_kl(c->empirical, c->kl, c->blocks, price);
    case GBS_BOUND_CATONI:
        return gbs_bound_catoni(c->empirical, c->kl, c->blocks, c->lambda, price);
    case GBS_BOUND_HOEFFDING:
        return gbs_bound_hoeffding(c->empirical, c->kl, c->blocks, c->lambda, price);
    default:
        return gbs_bound_paper(c->empirical, c->kl, c->blocks, c->lambda, price);
    }
}

static void grids_are_paid_for(void **state) {
    (void)state;
    static const double ladder[] = {3.0, 10.0, 30.0, 100.0, 300.0}, sds[] = {0.2, 1.0, 5.0};
    static const gbs_bound bounds[] = {GBS_BOUND_KL, GBS_BOUND_CATONI, GBS_BOUND_HOEFFDING,
                                       GBS_BOUND_PAPER};
    gbs_context *ctx = new_context(1, 13);
    struct table_of_numbers t = small_table(67, N, D);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t k = 0; k < 16 * COUNT(bounds); k++) {
        gbs_bound bound = bounds[k / 16];
        size_t rungs = k % 4 == 0 ? 0 : k % 4 == 1 ? 1 : 5, widths = k / 4 % 2 ? 3 : 1;
        gbs_fit_settings o = informed(bound);
        o.prior = k / 8 % 2 ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
        o.scale = GBS_SCALE_UNIT_ROW;
        o.loss = k % 4 == 3 ? GBS_LOSS_HINGE : GBS_LOSS_ZERO_ONE;
        o.ladder = ladder;
        o.ladder_size = rungs;
        o.prior_grid = sds;
        o.prior_grid_size = widths;
        o.select = GBS_SELECT_BOUND;
        gbs_model *model = fit(ctx, data, &o);
        gbs_model_info info = info_of(model);
        size_t count, points = gbs_model_path_size(model);
        const gbs_certificate *c = certificates_of(model, &count);
        const gbs_path_point *path = path_of(model);
        double least = INFINITY;
        for (size_t j = 0; j < points; j++)
            if (rungs > 0 ||
                path[j].lambda == info.lambda) /* steps of the fit's own are not chosen from */
                least = fmin(least, path[j].bound);
        if (rungs > 0)
            assert_int_equal(points, rungs * widths);
        else if (o.prior == GBS_PRIOR_ZERO)
            assert_true(info.lambda == (double)N);
        for (size_t j = 0;
             j < count && c[j].target == GBS_TARGET_GIBBS && c[j].loss == GBS_LOSS_ZERO_ONE; j++) {
            double lambdas = c[j].method == GBS_BOUND_KL || rungs == 0 ? 1.0 : (double)rungs;
            assert_close(c[j].grid_nats, log((double)widths) + log(lambdas), 1e-14, 1e-300);
            assert_true(c[j].value == recomputed(&c[j]) && c[j].valid);
            assert_true(c[j].method == GBS_BOUND_KL ? isnan(c[j].lambda)
                                                    : c[j].lambda == info.lambda);
        }
        assert_int_equal(c[0].method, bound);
        if (bound != GBS_BOUND_PAPER && (rungs * widths > 1 || o.loss == GBS_LOSS_ZERO_ONE))
            assert_close(c[0].value, least, 1e-9, 0.0);
        /* one more nat of grid is one more nat in the price */
        o.select = GBS_SELECT_LAST;
        o.prior_grid_size = 1;
        gbs_model *last = fit(ctx, data, &o);
        const gbs_certificate *free_of_charge = certificates_of(last, &count);
        assert_true(free_of_charge[0].grid_nats == 0.0);
        gbs_model_free(last);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void a_grid_of_one_is_its_value(void **state) {
    (void)state;
    static const double sd[] = {0.2};
    gbs_context *ctx = new_context(1, 13);
    struct table_of_numbers t = small_table(67, N, D);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < 3; k++) {
        gbs_fit_settings o = informed(k == 0 ? GBS_BOUND_AUTO : GBS_BOUND_KL);
        o.prior = k == 2 ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
        o.prior_grid = sd;
        o.prior_grid_size = 1;
        assert_true(fit_info(ctx, data, &o).prior_sd == sd[0]);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hinge_risk_needs_a_declared_length),
        cmocka_unit_test(long_rows_are_shortened_at_prediction_too),
        cmocka_unit_test(grids_are_paid_for),
        cmocka_unit_test(a_grid_of_one_is_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
