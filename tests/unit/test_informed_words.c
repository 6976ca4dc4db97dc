/* The words "valid" and "conditional" under informed priors, and what cannot be fitted or
 * certified. */
#include "bound/bound.h"
#include "unit/informed_support.h"

enum { VALID = 1, CONDITIONAL = 0 };

static const struct {
    const char *what;
    gbs_prior_kind prior;
    gbs_bound bound;
    gbs_scale scale;
    unsigned looked;
    int stratify, first; /* status of the certificate asked for */
    int catoni;          /* of the catoni line listed with it, or -1 */
} situations[] = {
    {"nothing wrong", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, 0, 0, VALID, VALID},
    {"unit rows", GBS_PRIOR_ZERO, GBS_BOUND_CATONI, GBS_SCALE_UNIT_ROW, 0, 0, VALID, VALID},
    {"scaling on certified rows", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_STANDARD, 0, 0,
     CONDITIONAL, CONDITIONAL},
    {"the same", GBS_PRIOR_ZERO, GBS_BOUND_HOEFFDING, GBS_SCALE_STANDARD, 0, 0, CONDITIONAL,
     CONDITIONAL},
    {"prior_sd after a look", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, GBS_LOOKED_PRIOR, 0,
     CONDITIONAL, CONDITIONAL},
    {"lambda after a look, kl", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, GBS_LOOKED_LAMBDA, 0,
     VALID, CONDITIONAL},
    {"lambda, catoni", GBS_PRIOR_ZERO, GBS_BOUND_CATONI, GBS_SCALE_NONE, GBS_LOOKED_LAMBDA, 0,
     CONDITIONAL, CONDITIONAL},
    {"lambda, hoeffding", GBS_PRIOR_ZERO, GBS_BOUND_HOEFFDING, GBS_SCALE_NONE, GBS_LOOKED_LAMBDA, 0,
     CONDITIONAL, CONDITIONAL},
    {"lambda, paper", GBS_PRIOR_ZERO, GBS_BOUND_PAPER, GBS_SCALE_NONE, GBS_LOOKED_LAMBDA, 0,
     CONDITIONAL, CONDITIONAL},
    {"columns", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, GBS_LOOKED_COLUMNS, 0, CONDITIONAL,
     CONDITIONAL},
    {"the better of two methods", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, GBS_LOOKED_METHOD,
     0, CONDITIONAL, CONDITIONAL},
    {"informed", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, 0, 0, VALID, VALID},
    {"informed, lambda, kl", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD,
     GBS_LOOKED_LAMBDA, 0, VALID, CONDITIONAL},
    {"informed, lambda", GBS_PRIOR_INFORMED, GBS_BOUND_CATONI, GBS_SCALE_STANDARD,
     GBS_LOOKED_LAMBDA, 0, CONDITIONAL, CONDITIONAL},
    {"informed, prior_sd", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, GBS_LOOKED_PRIOR,
     0, CONDITIONAL, CONDITIONAL},
    {"informed, columns", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, GBS_LOOKED_COLUMNS,
     0, CONDITIONAL, CONDITIONAL},
    {"informed, method", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, GBS_LOOKED_METHOD, 0,
     CONDITIONAL, CONDITIONAL},
    {"a stratified split", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, 0, 1, CONDITIONAL,
     CONDITIONAL},
    {"the default", GBS_PRIOR_INFORMED, GBS_BOUND_AUTO, GBS_SCALE_STANDARD, 0, 0, VALID, -1},
    {"vote", GBS_PRIOR_INFORMED, GBS_BOUND_VOTE, GBS_SCALE_STANDARD, 0, 0, VALID, -1},
    {"vote, stratified", GBS_PRIOR_INFORMED, GBS_BOUND_VOTE, GBS_SCALE_STANDARD, 0, 1, CONDITIONAL,
     -1},
    {"vote, prior_sd", GBS_PRIOR_INFORMED, GBS_BOUND_VOTE, GBS_SCALE_STANDARD, GBS_LOOKED_PRIOR, 0,
     CONDITIONAL, -1},
    {"vote, lambda", GBS_PRIOR_INFORMED, GBS_BOUND_VOTE, GBS_SCALE_STANDARD, GBS_LOOKED_LAMBDA, 0,
     CONDITIONAL, -1},
    {"vote, columns", GBS_PRIOR_INFORMED, GBS_BOUND_VOTE, GBS_SCALE_STANDARD, GBS_LOOKED_COLUMNS, 0,
     CONDITIONAL, -1},
    {"vote, method", GBS_PRIOR_INFORMED, GBS_BOUND_VOTE, GBS_SCALE_STANDARD, GBS_LOOKED_METHOD, 0,
     CONDITIONAL, -1},
    {"progressive, zero prior", GBS_PRIOR_ZERO, GBS_BOUND_PROGRESSIVE, GBS_SCALE_STANDARD, 0, 0,
     VALID, -1},
    {"progressive, stratified", GBS_PRIOR_INFORMED, GBS_BOUND_PROGRESSIVE, GBS_SCALE_STANDARD, 0, 1,
     CONDITIONAL, -1},
    {"progressive, prior_sd", GBS_PRIOR_INFORMED, GBS_BOUND_PROGRESSIVE, GBS_SCALE_STANDARD,
     GBS_LOOKED_PRIOR, 0, CONDITIONAL, -1},
    {"progressive, prior_sd", GBS_PRIOR_ZERO, GBS_BOUND_PROGRESSIVE, GBS_SCALE_NONE,
     GBS_LOOKED_PRIOR, 0, CONDITIONAL, -1},
    {"progressive, lambda", GBS_PRIOR_INFORMED, GBS_BOUND_PROGRESSIVE, GBS_SCALE_STANDARD,
     GBS_LOOKED_LAMBDA, 0, CONDITIONAL, -1},
    {"progressive, lambda", GBS_PRIOR_ZERO, GBS_BOUND_PROGRESSIVE, GBS_SCALE_NONE,
     GBS_LOOKED_LAMBDA, 0, CONDITIONAL, -1},
    {"progressive, columns", GBS_PRIOR_INFORMED, GBS_BOUND_PROGRESSIVE, GBS_SCALE_STANDARD,
     GBS_LOOKED_COLUMNS, 0, CONDITIONAL, -1},
    {"progressive, method", GBS_PRIOR_INFORMED, GBS_BOUND_PROGRESSIVE, GBS_SCALE_STANDARD,
     GBS_LOOKED_METHOD, 0, CONDITIONAL, -1},
};

static void a_conditional_situation_is_never_called_valid(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 10);
    struct table_of_numbers t = small_table(64, 60, D);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t k = 0; k < COUNT(situations); k++) {
        gbs_fit_settings o = gbs_fit_settings_default();
        o.prior = situations[k].prior;
        o.bound = situations[k].bound;
        o.scale = situations[k].scale;
        o.looked = situations[k].looked;
        o.stratify = situations[k].stratify;
        gbs_model *model = fit(ctx, data, &o);
        size_t count;
        const gbs_certificate *c = certificates_of(model, &count);
        const gbs_certificate *catoni = find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE,
                                             GBS_BOUND_CATONI);
        if (c[0].valid != situations[k].first ||
            (situations[k].catoni >= 0 && catoni->valid != situations[k].catoni)) {
            print_error("case %zu, %s: the certificate asked for is called %s\n", k,
                        situations[k].what, c[0].valid ? "valid" : "conditional");
            fail();
        }
        for (size_t j = 0; j < count;
             j++) { /* conditional if and only if an assumption in words says NOT MET */
            int broken = 0, breaks;
            const char *text;
            for (unsigned b = 0; (text = gbs_assumption_text(b, &breaks)) != NULL; b++) {
                broken |= (c[j].assumptions >> b & 1U) != 0 && breaks;
                assert_int_equal(breaks, strncmp(text, "NOT MET", 7) == 0);
            }
            assert_int_equal(c[j].valid, !broken);
        }
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- what cannot be fitted */

static void too_few_rows_are_fitted_under_the_zero_prior(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 18);
    gbs_model *model;
    gbs_data *data;
    gbs_fit_settings o = gbs_fit_settings_default();
    double two[2] = {1.0, -1.0}, signs[2] = {1.0, -1.0};
    size_t count;
    assert_ok(ctx, gbs_data_dense(ctx, 2, 1, two, 1, signs, GBS_BORROW, &data));
    model = fit(ctx, data, &o); /* on all rows, and it says so */
    assert_int_equal(info_of(model).prior, GBS_PRIOR_ZERO);
    assert_int_equal(certificates_of(model, &count)->target, GBS_TARGET_GIBBS);
    assert_false(certificates_of(model, &count)->valid);
    gbs_model_free(model);
    o.bound = GBS_BOUND_VOTE;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_ERR_DATA);
    assert_non_null(strstr(gbs_error_message(ctx), "learns from 1 of the 2 rows"));
    o.bound = GBS_BOUND_PROGRESSIVE;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_ERR_DATA); /* one row has one class */
    assert_non_null(strstr(gbs_error_message(ctx), "first part of the split (1 of 2 rows)"));
    gbs_data_free(data);
    gbs_context_free(ctx);
}

enum { ROWS = 200 };

/* The first column says the label, the second is constant. */
static void draw_separable(double *x, double *y) {
    struct dice r = {19};
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = dice_normal(&r);
        x[2 * i + 1] = 7.0;
        y[i] = x[2 * i] > 0.0 ? 1.0 : -1.0;
        x[2 * i] += y[i];
    }
}

static void a_column_that_tells_all_is_certified(void **state) {
    (void)state;
    static const gbs_bound bounds[] = {GBS_BOUND_AUTO, GBS_BOUND_KL, GBS_BOUND_CATONI,
                                       GBS_BOUND_HOEFFDING};
    gbs_context *ctx = new_context(1, 18);
    gbs_data *data;
    gbs_fit_settings o = gbs_fit_settings_default();
    double x[ROWS * 2], y[ROWS];
    draw_separable(x, y);
    assert_ok(ctx, gbs_data_dense(ctx, ROWS, 2, x, 2, y, GBS_BORROW, &data));
    for (size_t k = 0; k < COUNT(bounds); k++) {
        size_t count;
        o.bound = bounds[k];
        gbs_model *model = fit(ctx, data, &o);
        const gbs_certificate *c = certificates_of(model, &count);
        assert_true(c[0].valid && c[0].value > 0.0 && c[0].empirical < 0.01);
        assert_at_most(c[0].value, 0.2);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* Three rows of a class among many: some first parts have none of them, and say so. */
static void a_first_part_without_a_class_is_refused(void **state) {
    (void)state;
    size_t missed = 0, fitted = 0;
    gbs_fit_settings o = gbs_fit_settings_default();
    double x[ROWS * 2], y[ROWS];
    draw_separable(x, y);
    for (size_t i = 0; i < ROWS; i++)
        y[i] = i < 3 ? 1.0 : -1.0;
    o.bound = GBS_BOUND_PROGRESSIVE;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        gbs_context *own = new_context(1, seed);
        gbs_model *model;
        gbs_data *data;
        assert_ok(own, gbs_data_dense(own, ROWS, 2, x, 2, y, GBS_BORROW, &data));
        gbs_status status = gbs_fit_run(own, data, &o, &model);
        assert_true(status == GBS_OK || status == GBS_ERR_DATA);
        if (status == GBS_ERR_DATA) {
            assert_null(model);
            assert_non_null(strstr(gbs_error_message(own),
                                   "has no row of class +1; use a larger `prior-split`"));
        }
        missed += status == GBS_ERR_DATA;
        fitted += status == GBS_OK;
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_context_free(own);
    }
    assert_true(missed > 0 && fitted > 0);
}

static void refuses(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                    const char *says) {
    gbs_model *model = (void *)1;
    assert_int_equal(gbs_fit_run(ctx, data, o, &model), GBS_ERR_ARGUMENT);
    assert_null(model);
    if (strstr(gbs_error_message(ctx), says) == NULL)
        fail_msg("'%s' does not say '%s'", gbs_error_message(ctx), says);
}

static void numbers_out_of_range_are_refused(void **state) {
    (void)state;
    static const double confidences[] = {0.0, 1.0, NAN}, splits[] = {1.0, -0.1, NAN};
    gbs_context *ctx = new_context(1, 20);
    struct table_of_numbers t = small_table(84, 40, D);
    gbs_data *data = dense_data(ctx, &t);
    const gbs_fit_settings usual = gbs_fit_settings_default();
    gbs_fit_settings o = usual;
    for (size_t k = 0; k < COUNT(confidences); k++) {
        o.confidence = confidences[k];
        refuses(ctx, data, &o, "the confidence must lie between 0 and 1");
    }
    o = usual;
    for (size_t k = 0; k < COUNT(splits); k++) {
        o.prior_split = splits[k];
        refuses(ctx, data, &o, "`prior-split` must lie between 0 and 1");
    }
    o = usual;
    o.blocks = GBS_MOST_STAGES + 1;
    refuses(ctx, data, &o, "`blocks` must be at most");
    o = usual;
    o.cx = -1.0;
    refuses(ctx, data, &o, "`cx` must be a positive number");
    o = usual;
    o.prior = (gbs_prior_kind)7;
    refuses(ctx, data, &o, "prior must be 0 (zero) or 1 (informed), not 7");
    o = usual;
    o.bound = GBS_BOUND_BINOMIAL; /* stands in certificates alone */
    refuses(ctx, data, &o, "bound must be 0 (auto)");
    o.bound = (gbs_bound)99;
    refuses(ctx, data, &o, "bound must be 0 (auto)");
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void grids_and_bounds_that_contradict_are_refused(void **state) {
    (void)state;
    static const double values[] = {1.0, 2.0}, bad_values[] = {1.0, -2.0};
    gbs_context *ctx = new_context(1, 20);
    struct table_of_numbers t = small_table(84, 40, D);
    gbs_data *data = dense_data(ctx, &t);
    const gbs_fit_settings usual = gbs_fit_settings_default();
    gbs_fit_settings o = usual;
    o.blocks = 2;
    o.bound = GBS_BOUND_KL;
    refuses(ctx, data, &o, "`blocks` needs `bound` progressive");
    o = usual;
    o.ladder = values;
    o.ladder_size = 2;
    refuses(ctx, data, &o, "it takes no grid");
    o = usual;
    o.prior_grid = values;
    o.prior_grid_size = 2;
    o.select = GBS_SELECT_BOUND;
    refuses(ctx, data, &o, "it takes no grid");
    o.bound = GBS_BOUND_PROGRESSIVE;
    refuses(ctx, data, &o, "cannot choose from a grid");
    o.bound = GBS_BOUND_KL;
    o.select = GBS_SELECT_LAST;
    refuses(ctx, data, &o, "`prior-grid` needs `select` bound");
    o.select = GBS_SELECT_BOUND;
    o.prior_grid = bad_values;
    refuses(ctx, data, &o, "`prior-grid` must have numbers between");
    o.prior_grid = values;
    o.prior = GBS_PRIOR_ZERO;
    o.restarts = 2;
    refuses(ctx, data, &o, "`restarts` and `prior-grid` exclude each other");
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conditional_situation_is_never_called_valid),
        cmocka_unit_test(too_few_rows_are_fitted_under_the_zero_prior),
        cmocka_unit_test(a_column_that_tells_all_is_certified),
        cmocka_unit_test(a_first_part_without_a_class_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(grids_and_bounds_that_contradict_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
