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

static void odd_data_is_refused_or_certified(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 18);
    gbs_model *model;
    gbs_data *data;
    gbs_fit_settings o = gbs_fit_settings_default();
    double two[2] = {1.0, -1.0}, signs[2] = {1.0, -1.0};
    assert_ok(ctx, gbs_data_dense(ctx, 2, 1, two, 1, signs, GBS_BORROW, &data));
    size_t count; /* too few to be split: the zero prior, on all rows, and it says so */
    model = fit(ctx, data, &o);
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
    /* one feature tells all; one is constant */
    enum { ROWS = 200 };
    struct dice r = {19};
    double x[ROWS * 2], y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = dice_normal(&r);
        x[2 * i + 1] = 7.0;
        y[i] = x[2 * i] > 0.0 ? 1.0 : -1.0;
        x[2 * i] += y[i];
    }
    assert_ok(ctx, gbs_data_dense(ctx, ROWS, 2, x, 2, y, GBS_BORROW, &data));
    static const gbs_bound bounds[] = {GBS_BOUND_AUTO, GBS_BOUND_KL, GBS_BOUND_CATONI,
                                       GBS_BOUND_HOEFFDING};
    for (size_t k = 0; k < COUNT(bounds); k++) {
        o.bound = bounds[k];
        model = fit(ctx, data, &o);
        const gbs_certificate *c = certificates_of(model, &count);
        assert_true(c[0].valid && c[0].value > 0.0 && c[0].empirical < 0.01);
        assert_at_most(c[0].value, 0.2);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    /* three rows of a class among many: some first parts miss them, and say so; the others work */
    size_t missed = 0, fitted = 0;
    for (size_t i = 0; i < ROWS; i++)
        y[i] = i < 3 ? 1.0 : -1.0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        gbs_context *own = new_context(1, seed);
        assert_ok(own, gbs_data_dense(own, ROWS, 2, x, 2, y, GBS_BORROW, &data));
        o.bound = GBS_BOUND_PROGRESSIVE;
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
    gbs_context_free(ctx);
}

/* The k-th of things that cannot be asked for. */
static gbs_fit_settings odd_options(int k) {
    static const double values[] = {1.0, 2.0}, bad_values[] = {1.0, -2.0};
    gbs_fit_settings o = gbs_fit_settings_default();
    switch (k) {
    case 0:
        o.confidence = 0.0;
        break;
    case 1:
        o.confidence = 1.0;
        break;
    case 2:
        o.confidence = NAN;
        break;
    case 3:
        o.prior_split = 1.0;
        break;
    case 4:
        o.prior_split = -0.1;
        break;
    case 5:
        o.prior_split = NAN;
        break;
    case 6:
        o.blocks = GBS_MOST_STAGES + 1;
        break;
    case 7:
        o.blocks = 2;
        o.bound = GBS_BOUND_KL;
        break;
    case 8:
        o.bound = GBS_BOUND_BINOMIAL;
        break;
    case 9:
        o.bound = (gbs_bound)99;
        break;
    case 10:
        o.ladder = values;
        o.ladder_size = 2;
        break;
    case 11:
        o.prior_grid = values;
        o.prior_grid_size = 2;
        o.select = GBS_SELECT_BOUND;
        break;
    case 12:
        o.prior_grid = values;
        o.prior_grid_size = 2;
        o.bound = GBS_BOUND_KL;
        o.select = GBS_SELECT_LAST;
        break;
    case 13:
        o.prior_grid = bad_values;
        o.prior_grid_size = 2;
        o.bound = GBS_BOUND_KL;
        o.select = GBS_SELECT_BOUND;
        break;
    case 16:
        o.restarts = 2;
        o.prior = GBS_PRIOR_ZERO;
        o.bound = GBS_BOUND_KL;
        o.select = GBS_SELECT_BOUND;
        o.prior_grid = values;
        o.prior_grid_size = 2;
        break;
    case 14:
        o.cx = -1.0;
        break;
    default:
        o.prior = (gbs_prior_kind)7;
        break;
    }
    return o;
}

static void odd_options_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 20);
    struct table_of_numbers t = small_table(84, 40, D);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < 17; k++) {
        gbs_fit_settings o = odd_options(k);
        gbs_model *model = (void *)1;
        assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_ERR_ARGUMENT);
        assert_null(model);
        assert_true(strlen(gbs_error_message(ctx)) > 0);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conditional_situation_is_never_called_valid),
        cmocka_unit_test(odd_data_is_refused_or_certified),
        cmocka_unit_test(odd_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
