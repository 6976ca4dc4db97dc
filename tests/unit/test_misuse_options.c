/* Options out of range: GBS_ERR_ARGUMENT and a message that names the option, from every call that
 * takes them. Which member may hold what is written down here a second time, from the header.
 */
#include "bound/theory.h"
#include "paper_settings.h"
#include "unit/misuse.h"

struct bad_numbers {
    struct member member;
    double more[4]; /* beyond NaN and the infinities */
    size_t count;
};

struct bad_size {
    struct member member;
    size_t value;
};

struct choice {
    struct member member;
    int count;
};

/* ---------------------------------------------------------------- fits, orders, validation */

#define FIT(name) MEMBER(gbs_fit_settings, name)
#define FIT_BY(name, option) OPTION(gbs_fit_settings, name, option)

static const struct choice fit_choices[] = {
    {FIT(task), 2},    {FIT(loss), GBS_LOSS_AUTO + 1},
    {FIT(family), 5},  {FIT(solver), 4},
    {FIT(form), 3},    {FIT(scale), 3},
    {FIT(columns), 3}, {FIT(prior), 2},
    {FIT(select), 3},  {FIT(schedule), 2},
    {FIT(bound), 7}, /* others come by themselves */
};

static const struct bad_numbers fit_numbers[] = {
    {FIT_BY(constant, "constant"), {-1.0, -1e-300, 1e200}, 3},
    {FIT_BY(lambda, "lambda"), {-1.0, -1e-300}, 2},
    {FIT_BY(prior_sd, "prior-sd"), {-1.0, -1e-300, 1e-200, 1e200}, 4},
    {FIT_BY(prior_split, "prior-split"), {-0.1, 1.0, 2.0}, 3},
    {FIT_BY(cx, "cx"), {-1.0}, 1},
    {FIT_BY(tolerance, "tol"), {0.0, -1e-8}, 2},
    {FIT(confidence), {0.0, 1.0, -0.5, 1.5}, 4},
};

static const struct bad_size fit_sizes[] = {
    {FIT_BY(max_iterations, "max-iter"), 0},
    {FIT_BY(blocks, "blocks"), SIZE_MAX},
    {FIT_BY(epochs, "epochs"), SIZE_MAX},
    {FIT_BY(epochs, "epochs"), ((size_t)1 << 30) + 1},
};

static gbs_status call_fit(gbs_context *ctx, const void *options, void *user) {
    gbs_model *model = (void *)1;
    gbs_status status = gbs_fit_run(ctx, user, options, &model);
    assert_null(model);
    return status;
}

static gbs_status call_fit_order(gbs_context *ctx, const void *options, void *user) {
    size_t order[64], first = 0;
    return gbs_fit_order_run(ctx, user, options, order, &first);
}

static gbs_status call_cross_validate(gbs_context *ctx, const void *options, void *user) {
    gbs_cv_result result;
    return gbs_cross_validate_run(ctx, user, 2, options, 1, &result);
}

static const optioned_call fit_calls[] = {call_fit, call_fit_order, call_cross_validate};

struct setting {
    struct host host;
    gbs_context *ctx;
    struct table_of_numbers table;
    gbs_data *data;
};

static void set_up(struct setting *s) {
    s->ctx = host_context(&s->host);
    s->table = small_table(51, 40, 3);
    s->data = dense_data(s->ctx, &s->table);
}

static void tear_down(struct setting *s) {
    gbs_data_free(s->data);
    free_table(&s->table);
    leave(&s->host, s->ctx);
}

static void fits_refuse_choices_that_do_not_exist(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_fit_settings o = gbs_fit_settings_default();
    for (size_t c = 0; c < COUNT(fit_calls); c++)
        for (size_t k = 0; k < COUNT(fit_choices); k++)
            refuse_choice(s.ctx, fit_calls[c], s.data, &o, sizeof o, fit_choices[k].member,
                          fit_choices[k].count);
    tear_down(&s);
}

static void fits_refuse_numbers_out_of_range(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_fit_settings o = gbs_fit_settings_default();
    for (size_t c = 0; c < COUNT(fit_calls); c++) {
        for (size_t k = 0; k < COUNT(fit_numbers); k++)
            refuse_number(s.ctx, fit_calls[c], s.data, &o, sizeof o, fit_numbers[k].member,
                          fit_numbers[k].more, fit_numbers[k].count);
        for (size_t k = 0; k < COUNT(fit_sizes); k++)
            refuse_size(s.ctx, fit_calls[c], s.data, &o, sizeof o, fit_sizes[k].member,
                        fit_sizes[k].value);
        gbs_fit_settings changed = o;
        changed.looked = 32; /* a bit of no meaning */
        assert_options_refused(s.ctx, fit_calls[c], &changed, s.data, "looked", 32.0);
        changed.looked = UINT32_MAX;
        assert_options_refused(s.ctx, fit_calls[c], &changed, s.data, "looked", UINT32_MAX);
    }
    tear_down(&s);
}

static void fits_refuse_grids_that_are_none(void **state) {
    (void)state;
    static const double ladders[][2] = {{2.0, 1.0},  {1.0, 1.0}, {0.0, 1.0},
                                        {-1.0, 1.0}, {1.0, NAN}, {1.0, INFINITY}};
    static const double widths[][2] = {
        {1.0, NAN}, {1.0, INFINITY}, {1.0, 0.0}, {1.0, -1.0}, {1e200, 1.0}};
    struct setting s;
    set_up(&s);
    for (size_t k = 0; k <= COUNT(ladders); k++) {
        gbs_fit_settings o = zero_prior_options();
        o.ladder = k < COUNT(ladders) ? ladders[k] : NULL;
        o.ladder_size = 2;
        assert_options_refused(s.ctx, call_fit, &o, s.data, "ladder", (double)k);
        assert_options_refused(s.ctx, call_fit_order, &o, s.data, "ladder", (double)k);
        assert_options_refused(s.ctx, call_cross_validate, &o, s.data, "ladder", (double)k);
    }
    for (size_t k = 0; k <= COUNT(widths); k++) {
        gbs_fit_settings o = zero_prior_options();
        o.prior_grid = k < COUNT(widths) ? widths[k] : NULL;
        o.prior_grid_size = 2;
        o.select = GBS_SELECT_BOUND;
        for (size_t c = 0; c < COUNT(fit_calls); c++)
            assert_options_refused(s.ctx, fit_calls[c], &o, s.data, "`prior-grid`", (double)k);
    }
    tear_down(&s);
}

/* No options are the default ones, here as in gbs_fit. */
static void an_order_needs_no_options(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    size_t order[40], again[40], first, part;
    gbs_fit_settings o = gbs_fit_settings_default();
    assert_ok(s.ctx, gbs_fit_order_run(s.ctx, s.data, NULL, order, &first));
    assert_ok(s.ctx, gbs_fit_order_run(s.ctx, s.data, &o, again, &part));
    assert_int_equal(first, part);
    assert_in_range(first, 1, 39);
    assert_memory_equal(order, again, sizeof order);
    tear_down(&s);
}

static void cross_validation_refuses_odd_numbers_of_folds(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_fit_settings o = zero_prior_options();
    gbs_cv_result r;
    assert_int_equal(gbs_cross_validate_run(s.ctx, s.data, 0, &o, 1, &r), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_cross_validate_run(s.ctx, s.data, 1, &o, 1, &r), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_cross_validate_run(s.ctx, s.data, 2, &o, 0, &r), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_cross_validate_run(s.ctx, s.data, 4, &o, SIZE_MAX / 2, &r),
                     GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_cross_validate_run(s.ctx, s.data, 39, &o, 1, &r), GBS_ERR_DATA);
    tear_down(&s);
}

/* ---------------------------------------------------------------- sample, sample_for */

#define SAMPLE(name) MEMBER(gbs_sample_settings, name)
#define SAMPLE_BY(name, option) OPTION(gbs_sample_settings, name, option)

static const struct choice sample_choices[] = {
    {SAMPLE(task), 2}, {SAMPLE(loss), 4}, {SAMPLE(scale), 3}, {SAMPLE(move), 3}};

static const struct bad_numbers sample_numbers[] = {
    {SAMPLE_BY(lambda, "lambda"), {0.0}, 0}, /* a negative one is the number of rows */
    {SAMPLE_BY(prior_sd, "prior-sd"), {0.0, -1.0, 1e-200, 1e200}, 4},
    {SAMPLE_BY(ess, "ess"), {0.0, 1.0, -0.5, 1.5}, 4},
    {SAMPLE(confidence), {0.0, 1.0, -0.5, 1.5}, 4},
};

static const struct bad_size sample_sizes[] = {
    {SAMPLE_BY(particles, "particles"), 0},        {SAMPLE_BY(particles, "particles"), 3},
    {SAMPLE_BY(particles, "particles"), SIZE_MAX}, {SAMPLE_BY(chains, "chains"), 1},
    {SAMPLE_BY(chains, "chains"), SIZE_MAX},       {SAMPLE_BY(moves, "moves"), SIZE_MAX},
};

static gbs_status call_sample(gbs_context *ctx, const void *options, void *user) {
    gbs_particles *p = (void *)1;
    gbs_status status = gbs_sample_run(ctx, user, options, &p);
    assert_null(p);
    return status;
}

static void samplings_refuse_options_out_of_range(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_sample_settings o = gbs_sample_settings_default();
    for (size_t k = 0; k < COUNT(sample_choices); k++)
        refuse_choice(s.ctx, call_sample, s.data, &o, sizeof o, sample_choices[k].member,
                      sample_choices[k].count);
    for (size_t k = 0; k < COUNT(sample_numbers); k++)
        refuse_number(s.ctx, call_sample, s.data, &o, sizeof o, sample_numbers[k].member,
                      sample_numbers[k].more, sample_numbers[k].count);
    for (size_t k = 0; k < COUNT(sample_sizes); k++)
        refuse_size(s.ctx, call_sample, s.data, &o, sizeof o, sample_sizes[k].member,
                    sample_sizes[k].value);
    static const double falling[] = {2.0, 1.0};
    o.ladder_size = 2;
    assert_options_refused(s.ctx, call_sample, &o, s.data, "ladder", 0.0);
    o.ladder = falling;
    assert_options_refused(s.ctx, call_sample, &o, s.data, "ladder", 1.0);
    tear_down(&s);
}

struct target {
    gbs_data *data;
    gbs_model *model;
};

static gbs_status call_sample_for(gbs_context *ctx, const void *options, void *user) {
    struct target *t = user;
    gbs_particles *p = (void *)1;
    gbs_status status = gbs_sample_run_for(ctx, t->data, t->model, 0, options, &p);
    assert_null(p);
    return status;
}

static void samplings_for_a_model_refuse_what_they_read(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_fit_settings fitted = zero_prior_options();
    struct target t = {s.data, fit(s.ctx, s.data, &fitted)};
    gbs_sample_settings o = gbs_sample_settings_default();
    refuse_choice(s.ctx, call_sample_for, &t, &o, sizeof o, (struct member)SAMPLE(move), 3);
    for (size_t k = 2; k < COUNT(sample_numbers); k++)
        refuse_number(s.ctx, call_sample_for, &t, &o, sizeof o, sample_numbers[k].member,
                      sample_numbers[k].more, sample_numbers[k].count);
    for (size_t k = 0; k < COUNT(sample_sizes); k++)
        refuse_size(s.ctx, call_sample_for, &t, &o, sizeof o, sample_sizes[k].member,
                    sample_sizes[k].value);
    gbs_particles *p;
    const size_t stages[] = {1, 99, SIZE_MAX};
    for (size_t k = 0; k < COUNT(stages); k++)
        assert_refused(s.ctx, GBS_ERR_ARGUMENT,
                       gbs_sample_run_for(s.ctx, s.data, t.model, stages[k], NULL, &p), p);
    gbs_model_free(t.model);
    tear_down(&s);
}

/* ---------------------------------------------------------------- complete */

#define COMPLETE(name) MEMBER(gbs_complete_settings, name)
#define COMPLETE_BY(name, option) OPTION(gbs_complete_settings, name, option)

static const struct choice complete_choices[] = {{COMPLETE(sampler), 2}, {COMPLETE(prior), 2}};

static const struct bad_numbers complete_numbers[] = {
    {COMPLETE_BY(lambda, "lambda"), {-1.0, 1e100}, 2},
    {COMPLETE_BY(noise_variance, "noise"), {-1.0, 1e200}, 2},
    {COMPLETE_BY(prior_split, "prior-split"), {-0.1, 1.0, 2.0}, 3},
    {COMPLETE(confidence), {0.0, 1.0, -0.5, 1.5}, 4},
    {COMPLETE_BY(tolerance, "tol"), {0.0, -1e-6}, 2},
};

static const struct bad_size complete_sizes[] = {{COMPLETE_BY(rank, "rank"), 513},
                                                 {COMPLETE_BY(rank, "rank"), SIZE_MAX},
                                                 {COMPLETE_BY(restarts, "restarts"), 0},
                                                 {COMPLETE_BY(max_sweeps, "max-iter"), 0}};

static gbs_status call_complete(gbs_context *ctx, const void *options, void *user) {
    gbs_completion *m = (void *)1;
    gbs_status status = gbs_complete_run(ctx, user, options, &m);
    assert_null(m);
    return status;
}

static gbs_ratings *some_ratings(gbs_context *ctx) {
    uint32_t row[12], column[12];
    double value[12];
    gbs_ratings *r;
    for (uint32_t e = 0; e < 12; e++) {
        row[e] = e % 4;
        column[e] = e % 3;
        value[e] = 1.0 + e % 5;
    }
    assert_ok(ctx, gbs_ratings_create(ctx, 12, 4, 3, row, column, value, NULL, NULL, &r));
    return r;
}

static void completions_refuse_options_out_of_range(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    gbs_ratings *r = some_ratings(ctx);
    gbs_complete_settings o = paper_settings();
    for (size_t k = 0; k < COUNT(complete_choices); k++)
        refuse_choice(ctx, call_complete, r, &o, sizeof o, complete_choices[k].member,
                      complete_choices[k].count);
    for (size_t k = 0; k < COUNT(complete_numbers); k++)
        refuse_number(ctx, call_complete, r, &o, sizeof o, complete_numbers[k].member,
                      complete_numbers[k].more, complete_numbers[k].count);
    for (size_t k = 0; k < COUNT(complete_sizes); k++)
        refuse_size(ctx, call_complete, r, &o, sizeof o, complete_sizes[k].member,
                    complete_sizes[k].value);
    o.rank = 0;
    o.biases = 0;
    assert_options_refused(ctx, call_complete, &o, r, "`rank`", 0.0);
    gbs_ratings_free(r);
    leave(&h, ctx);
}

static void completions_refuse_ranges_and_grids_that_are_none(void **state) {
    (void)state;
    static const double ranges[][2] = {{5.0, 1.0},         {1.0, 1.0},       {NAN, 5.0},
                                       {1.0, NAN},         {-INFINITY, 5.0}, {1.0, INFINITY},
                                       {-1.7e308, 1.7e308}};
    static const double grids[][2] = {{1.0, 0.0}, {-1.0, 1.0}, {1.0, NAN}, {1.0, INFINITY}};
    struct host h;
    gbs_context *ctx = host_context(&h);
    gbs_ratings *r = some_ratings(ctx);
    for (size_t k = 0; k < COUNT(ranges); k++) {
        gbs_complete_settings o = paper_settings();
        o.has_range = 1;
        o.low = ranges[k][0];
        o.high = ranges[k][1];
        assert_options_refused(ctx, call_complete, &o, r, "`range`", (double)k);
    }
    for (size_t k = 0; k <= COUNT(grids); k++) {
        gbs_complete_settings o = paper_settings();
        o.cross_validate = 1;
        o.lambda_grid = k < COUNT(grids) ? grids[k] : NULL;
        o.lambda_grid_size = 2;
        assert_options_refused(ctx, call_complete, &o, r, "`lambda-grid`", (double)k);
    }
    gbs_complete_settings o = paper_settings();
    o.cross_validate = 1;
    refuse_size(ctx, call_complete, r, &o, sizeof o, (struct member)COMPLETE(folds), 1);
    o = paper_settings();
    o.prior = GBS_PRIOR_INFORMED; /* without a range there is nothing to certify */
    assert_options_refused(ctx, call_complete, &o, r, "`range`", 0.0);
    gbs_ratings_free(r);
    leave(&h, ctx);
}

static void the_sampler_refuses_draws_and_cells_that_are_none(void **state) {
    (void)state;
    static const struct bad_size sizes[] = {{COMPLETE_BY(draws, "draws"), 0},
                                            {COMPLETE_BY(keep, "keep"), 0},
                                            {COMPLETE_BY(draws, "draws"), SIZE_MAX},
                                            {COMPLETE_BY(burn_in, "burn-in"), SIZE_MAX}};
    struct host h;
    gbs_context *ctx = host_context(&h);
    gbs_ratings *r = some_ratings(ctx);
    gbs_complete_settings o = paper_settings();
    o.sampler = GBS_SAMPLER_GIBBS;
    for (size_t k = 0; k < COUNT(sizes); k++)
        refuse_size(ctx, call_complete, r, &o, sizeof o, sizes[k].member, sizes[k].value);
    uint32_t row[] = {0}, column[] = {0};
    double value[] = {NAN}, sd[] = {NAN};
    for (int missing = 0; missing < 4; missing++) {
        o.cells = 1;
        o.cell_row = missing == 0 ? NULL : row;
        o.cell_column = missing == 1 ? NULL : column;
        o.cell_value = missing == 2 ? NULL : value;
        o.cell_sd = missing == 3 ? NULL : sd;
        assert_options_refused(ctx, call_complete, &o, r, "cells", missing);
    }
    o.cell_sd = sd;
    static const uint32_t outside[][2] = {{4, 0}, {0, 3}, {GBS_UNSEEN - 1, 0}};
    for (size_t k = 0; k < COUNT(outside); k++) {
        row[0] = outside[k][0];
        column[0] = outside[k][1];
        assert_options_refused(ctx, call_complete, &o, r, "cell 1", (double)k);
    }
    row[0] = column[0] = GBS_UNSEEN;
    o.draws = 4;
    gbs_completion *m;
    assert_ok(ctx, gbs_complete_run(ctx, r, &o, &m));
    assert_true(isfinite(value[0]) && sd[0] > 0.0);
    gbs_completion_free(m);
    gbs_ratings_free(r);
    leave(&h, ctx);
}

/* ---------------------------------------------------------------- theory */

#define THEORY(name) MEMBER(gbs_theory_settings, name)

static const struct bad_numbers theory_numbers[] = {
    {THEORY(c), {0.0, -1.0}, 2},
    {THEORY(cx), {0.0, -1.0}, 2},
    {THEORY(norm), {0.0, -1.0}, 2},
    {THEORY(margin), {0.0, 0.99, -1.0}, 3},
    {THEORY(confidence), {0.0, 1.0, -0.5, 1.5}, 4},
    {THEORY(lambda), {-1.0, 1e300}, 2},
    {THEORY(prior_sd), {-1.0}, 1},
    {THEORY(wanted_error), {-1.0}, 1},
};

static const struct bad_size theory_sizes[] = {{THEORY(d), 0}, {THEORY(n), 0}, {THEORY(n), 1}};

static gbs_status call_theory(gbs_context *ctx, const void *options, void *user) {
    gbs_theory *out = user;
    out->count = 7;
    gbs_status status = gbs_theory_run(ctx, options, out);
    assert_int_equal(out->count, 0);
    return status;
}

static void the_theory_refuses_numbers_out_of_range(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    gbs_theory_settings q = gbs_theory_settings_default();
    gbs_theory out;
    for (size_t k = 0; k < COUNT(theory_numbers); k++)
        refuse_number(ctx, call_theory, &out, &q, sizeof q, theory_numbers[k].member,
                      theory_numbers[k].more, theory_numbers[k].count);
    for (size_t k = 0; k < COUNT(theory_sizes); k++)
        refuse_size(ctx, call_theory, &out, &q, sizeof q, theory_sizes[k].member,
                    theory_sizes[k].value);
    q.n = UINT64_MAX; /* large is not wrong */
    q.d = q.rows = q.cols = q.rank = SIZE_MAX;
    assert_ok(ctx, gbs_theory_run(ctx, &q, &out));
    leave(&h, ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_refuse_choices_that_do_not_exist),
        cmocka_unit_test(fits_refuse_numbers_out_of_range),
        cmocka_unit_test(fits_refuse_grids_that_are_none),
        cmocka_unit_test(an_order_needs_no_options),
        cmocka_unit_test(cross_validation_refuses_odd_numbers_of_folds),
        cmocka_unit_test(samplings_refuse_options_out_of_range),
        cmocka_unit_test(samplings_for_a_model_refuse_what_they_read),
        cmocka_unit_test(completions_refuse_options_out_of_range),
        cmocka_unit_test(completions_refuse_ranges_and_grids_that_are_none),
        cmocka_unit_test(the_sampler_refuses_draws_and_cells_that_are_none),
        cmocka_unit_test(the_theory_refuses_numbers_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
