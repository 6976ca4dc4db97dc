/* How the library behaves as a guest: bad arguments, callbacks, memory that runs out.
 *
 * Every call here goes through an allocator that counts, so that each test ends with nothing left.
 */
#include "unit/host.h"

/* ---------------------------------------------------------------- contexts and names */

static void a_context_needs_nothing(void **state) {
    (void)state;
    gbs_context *ctx;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    assert_string_equal(gbs_error_message(ctx), "");
    gbs_context_free(ctx);
    gbs_context_free(NULL);
    assert_int_equal(gbs_context_create(NULL, NULL), GBS_ERR_ARGUMENT);
    assert_string_equal(gbs_version(), GBS_VERSION);
}

static void a_context_refuses_half_an_allocator_and_negative_threads(void **state) {
    (void)state;
    gbs_context *ctx = (void *)1;
    struct host h = {.fail_at = 0, .allowed = -1};
    gbs_allocator half = {.allocate = host_allocate}, whole = {host_allocate, host_release, &h};
    assert_int_equal(gbs_context_create(&half, &ctx), GBS_ERR_ARGUMENT);
    assert_null(ctx);
    ctx = (void *)1;
    assert_int_equal(gbs_context_create(&whole, &ctx), GBS_ERR_MEMORY);
    assert_null(ctx);
    ctx = new_context(2, 1);
    assert_int_equal(gbs_context_set_threads(ctx, -1), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_workers(ctx), 2);
    gbs_context_free(ctx);
}

static void note_log(gbs_log_level level, const char *message, void *user) {
    (void)level, (void)message;
    *(const char **)user = "log";
}

static void note_progress(const char *stage, double done, void *user) {
    (void)stage, (void)done;
    *(const char **)user = "progress";
}

static int note_cancel(void *user) {
    *(const char **)user = "cancel";
    return 1;
}

static void each_callback_has_a_user_of_its_own(void **state) {
    (void)state;
    const char *told[3] = {"", "", ""};
    gbs_context *ctx = new_context(1, 1);
    assert_int_equal(gbs_context_set_log(ctx, note_log, &told[0]), GBS_OK);
    assert_int_equal(gbs_context_set_progress(ctx, note_progress, &told[1]), GBS_OK);
    assert_int_equal(gbs_context_set_cancel(ctx, note_cancel, &told[2]), GBS_OK);
    for (int on = 1; on >= 0; on--) {
        gbs_log(ctx, GBS_LOG_INFO, "a line");
        gbs_progress(ctx, "stage", 0.5);
        assert_int_equal(gbs_check_cancel(ctx), on ? GBS_ERR_CANCELLED : GBS_OK);
        assert_string_equal(told[0], on ? "log" : "");
        assert_string_equal(told[1], on ? "progress" : "");
        assert_string_equal(told[2], on ? "cancel" : "");
        told[0] = told[1] = told[2] = "";
        assert_int_equal(gbs_context_set_log(ctx, NULL, NULL), GBS_OK);
        assert_int_equal(gbs_context_set_progress(ctx, NULL, NULL), GBS_OK);
        assert_int_equal(gbs_context_set_cancel(ctx, NULL, NULL), GBS_OK);
    }
    gbs_context_free(ctx);
}

static void every_status_and_option_has_a_name(void **state) {
    (void)state;
    for (int k = GBS_OK; k <= GBS_ERR_IO + 1; k++)
        assert_true(strlen(gbs_status_message((gbs_status)k)) > 0);
    for (int k = 0; k < 3; k++)
        assert_non_null(gbs_scale_name((gbs_scale)k));
    for (int k = 0; k < 4; k++) {
        assert_non_null(gbs_loss_name((gbs_loss)k));
        assert_non_null(gbs_solver_name((gbs_solver)k));
    }
    for (int k = 0; k < 5; k++)
        assert_non_null(gbs_family_name((gbs_family)k));
    assert_null(gbs_loss_name(GBS_LOSS_AUTO));
    assert_null(gbs_scale_name((gbs_scale)3));
    assert_null(gbs_solver_name((gbs_solver)4));
    assert_null(gbs_family_name((gbs_family)5));
}

/* ---------------------------------------------------------------- data */

static void dense_data_is_checked(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    double x[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, y[3] = {1.0, -1.0, 1.0};
    gbs_data *data;
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 0, 2, x, 2, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, 0, x, 2, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_data_dense(ctx, 3, 2, NULL, 2, y, GBS_COPY, &data),
                   data);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_data_dense(ctx, 3, 2, x, 1, y, GBS_COPY, &data),
                   data);
    assert_refused(ctx, GBS_ERR_ARGUMENT,
                   gbs_data_dense(ctx, 3, 2, x, SIZE_MAX / 4, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA,
                   gbs_data_dense(ctx, SIZE_MAX / 8, 64, x, 64, NULL, GBS_COPY, &data), data);
    assert_refused(
        ctx, GBS_ERR_DATA,
        gbs_data_dense(ctx, 3, (size_t)1 << 40, x, (size_t)1 << 40, NULL, GBS_COPY, &data), data);
    y[1] = 0.0;
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, 2, x, 2, y, GBS_COPY, &data), data);
    y[1] = NAN;
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, 2, x, 2, y, GBS_COPY, &data), data);
    y[1] = -1.0;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < COUNT(bad); k++) {
        x[5] = bad[k];
        assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, 2, x, 2, y, GBS_COPY, &data),
                       data);
        assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, 2, x, 2, y, GBS_BORROW, &data),
                       data);
    }
    leave(&h, ctx);
}

static void csr_data_is_checked(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    static const size_t good[] = {0, 2, 3}, late[] = {1, 2, 3}, falling[] = {0, 3, 2};
    static const uint32_t column[] = {0, 2, 1}, unordered[] = {2, 0, 1}, twice[] = {1, 1, 1},
                          beyond[] = {0, 3, 1};
    static const double value[] = {1.0, 2.0, 3.0}, infinite[] = {1.0, INFINITY, 3.0},
                        y[] = {1.0, -1.0};
    gbs_data *data;
    assert_refused(ctx, GBS_ERR_DATA,
                   gbs_data_csr(ctx, 2, 3, late, column, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA,
                   gbs_data_csr(ctx, 2, 3, falling, column, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA,
                   gbs_data_csr(ctx, 2, 3, good, unordered, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA,
                   gbs_data_csr(ctx, 2, 3, good, twice, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA,
                   gbs_data_csr(ctx, 2, 3, good, beyond, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA,
                   gbs_data_csr(ctx, 2, 3, good, column, infinite, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA,
                   gbs_data_csr(ctx, 0, 3, good, column, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA,
                   gbs_data_csr(ctx, SIZE_MAX / 8, 64, good, column, value, y, GBS_COPY, &data),
                   data);
    assert_ok(ctx, gbs_data_csr(ctx, 2, 3, good, column, value, y, GBS_COPY, &data));
    assert_int_equal(gbs_data_rows(data), 2);
    assert_int_equal(gbs_data_columns(data), 3);
    gbs_data_free(data);
    gbs_data_free(NULL);
    leave(&h, ctx);
}

/* A copy no longer needs the caller's arrays, strides included. */
static void copied_data_is_independent_of_its_source(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(1, 30, 3);
    double *wide = doubles(30 * 5);
    for (size_t i = 0; i < 30; i++)
        memcpy(wide + 5 * i, t.x + 3 * i, 3 * sizeof *wide);
    gbs_data *borrowed = dense_data(ctx, &t), *copied;
    assert_ok(ctx, gbs_data_dense(ctx, 30, 3, wide, 5, t.y, GBS_COPY, &copied));
    memset(wide, 0xff, 30 * 5 * sizeof *wide);
    free(wide);
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    double a = fit_info(ctx, borrowed, &o).free_energy, b = fit_info(ctx, copied, &o).free_energy;
    assert_close(a, b, 0.0, 0.0);
    gbs_data_free(borrowed);
    gbs_data_free(copied);
    free_table(&t);
    leave(&h, ctx);
}

/* ---------------------------------------------------------------- options */

static void refuse_options(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o) {
    gbs_model *model;
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_fit_run(ctx, data, o, &model), model);
}

#define assert_option_refused(member, value)                                                       \
    do {                                                                                           \
        gbs_fit_settings changed = zero_prior_options();                                           \
        changed.member = (value);                                                                  \
        refuse_options(ctx, data, &changed);                                                       \
    } while (0)

static void numbers_out_of_range_are_refused(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(2, 20, 3);
    gbs_data *data = dense_data(ctx, &t);
    static const double bad[] = {NAN, INFINITY, -INFINITY, -1.0, -1e-300};
    for (size_t k = 0; k < COUNT(bad); k++) {
        assert_option_refused(lambda, bad[k]);
        assert_option_refused(prior_sd, bad[k]);
        assert_option_refused(tolerance, bad[k]);
    }
    static const double sds[] = {1e-200, 1e200};
    for (size_t k = 0; k < COUNT(sds); k++)
        assert_option_refused(prior_sd, sds[k]);
    assert_option_refused(tolerance, 0.0);
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static void choices_that_do_not_exist_or_clash_are_refused(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(3, 20, 3);
    gbs_data *data = dense_data(ctx, &t);
    assert_option_refused(loss, (gbs_loss)7);
    assert_option_refused(family, (gbs_family)7);
    assert_option_refused(solver, (gbs_solver)7);
    assert_option_refused(scale, (gbs_scale)7);
    assert_option_refused(form, (gbs_form)7);
    assert_option_refused(schedule, (gbs_schedule)7);
    static const double falling[] = {2.0, 1.0}, level[] = {1.0, 1.0}, from_zero[] = {0.0, 1.0},
                        unknown[] = {1.0, NAN};
    const double *ladders[] = {falling, level, from_zero, unknown};
    gbs_fit_settings o = zero_prior_options();
    o.ladder_size = 2;
    for (size_t k = 0; k < COUNT(ladders); k++) {
        o.ladder = ladders[k];
        refuse_options(ctx, data, &o);
    }
    static const double rising[] = {1.0, 2.0};
    o.ladder = rising;
    o.restarts = 2;
    refuse_options(ctx, data, &o);
    o = zero_prior_options();
    o.family = GBS_FAMILY_DIAGONAL;
    o.form = GBS_FORM_DUAL;
    refuse_options(ctx, data, &o);
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static void a_fit_needs_labels_of_both_classes(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(4, 20, 3);
    gbs_data *data;
    gbs_model *model;
    for (int sign = -1; sign <= 1; sign++) {
        for (size_t i = 0; i < t.n; i++)
            t.y[i] = sign;
        assert_ok(ctx, gbs_data_dense(ctx, t.n, t.d, t.x, t.d, sign != 0 ? t.y : NULL, GBS_BORROW,
                                      &data));
        assert_refused(ctx, GBS_ERR_DATA, gbs_fit_run(ctx, data, NULL, &model), model);
        gbs_data_free(data);
    }
    free_table(&t);
    leave(&h, ctx);
}

static void no_options_are_the_default_options(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(5, 40, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_model_info a = fit_info(ctx, data, NULL), b = fit_info(ctx, data, &o);
    assert_close(a.free_energy, b.free_energy, 0.0, 0.0);
    assert_int_equal(a.prior, GBS_PRIOR_INFORMED);
    o = zero_prior_options();
    assert_close(fit_info(ctx, data, &o).lambda, 40.0, 0.0, 0.0);
    assert_int_equal(a.family, GBS_FAMILY_FULL);
    assert_int_equal(a.d, 4);
    assert_int_equal(a.features, 3);
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

/* Constant columns, zero rows and rows of huge or tiny numbers: an answer or a message, never a
 * NaN. */
static void odd_tables_give_numbers_or_a_message(void **state) {
    (void)state;
    static const double sizes[] = {1e-200, 1e-8, 1e8, 1e100, 1e160, 1e308};
    struct host h;
    gbs_context *ctx = host_context(&h);
    for (size_t k = 0; k < COUNT(sizes); k++)
        for (size_t l = 0; l < COUNT(all_losses); l++)
            for (size_t f = 0; f < COUNT(all_families); f++)
                for (int scale = 0; scale < 3; scale++) {
                    struct table_of_numbers t = small_table(6, 12, 3);
                    for (size_t i = 0; i < 36; i++)
                        t.x[i] = i % 3 == 2   ? 5.0
                                 : i / 3 == 4 ? 0.0
                                              : fmax(-1.7, fmin(1.7, t.x[i])) * sizes[k];
                    gbs_data *data = dense_data(ctx, &t);
                    gbs_fit_settings o = zero_prior_options();
                    o.loss = all_losses[l];
                    o.family = all_families[f];
                    o.scale = (gbs_scale)scale;
                    o.max_iterations = 30;
                    gbs_model *model;
                    gbs_status status = gbs_fit_run(ctx, data, &o, &model);
                    if (status == GBS_OK) {
                        double score[12], sd[12], p[12];
                        assert_true(isfinite(info_of(model).free_energy));
                        assert_ok(ctx, gbs_model_predict(ctx, model, data, score, sd, p));
                        for (size_t i = 0; i < 12; i++)
                            assert_false(isnan(score[i]) || isnan(sd[i]) || isnan(p[i]));
                    } else {
                        assert_null(model);
                        assert_true(status == GBS_ERR_DATA || status == GBS_ERR_NUMERIC);
                        assert_true(strlen(gbs_error_message(ctx)) > 0);
                    }
                    gbs_model_free(model);
                    gbs_data_free(data);
                    free_table(&t);
                }
    leave(&h, ctx);
}

/* ---------------------------------------------------------------- callbacks */
/* Cancelled at the first question, then at every later one until the fit comes through. */
static void a_cancelled_fit_says_so_and_leaves_nothing(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(7, 25, 4);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < KINDS; k++) {
        gbs_fit_settings o = one_of_each(k);
        long before = h.blocks, questions = 0;
        gbs_model *model = NULL;
        h.allowed = 1L << 40;
        h.cancels = 0;
        assert_ok(ctx, gbs_fit_run(ctx, data, &o, &model));
        gbs_model_free(model);
        questions = h.cancels;
        assert_true(questions > 1);
        for (long allowed = 0; allowed < questions; allowed += 1 + allowed / 8) {
            h.allowed = allowed;
            h.cancels = 0;
            assert_refused(ctx, GBS_ERR_CANCELLED, gbs_fit_run(ctx, data, &o, &model), model);
            assert_int_equal(h.blocks, before);
            assert_at_most((double)h.cancels, (double)allowed + 4.0); /* it stops soon */
        }
    }
    h.allowed = -1;
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static void a_cancelled_prediction_says_so(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(8, 25, 4);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *model = fit(ctx, data, NULL);
    gbs_evaluation e;
    double score[25];
    long before = h.blocks;
    h.allowed = 0;
    assert_int_equal(gbs_model_predict(ctx, model, data, score, NULL, NULL), GBS_ERR_CANCELLED);
    assert_int_equal(evaluate_model(ctx, model, data, &e), GBS_ERR_CANCELLED);
    assert_int_equal(h.blocks, before);
    h.allowed = -1;
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static void progress_stays_between_0_and_1(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(9, 60, 4);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < KINDS; k++) {
        gbs_fit_settings o = one_of_each(k);
        h.notes = 0;
        fit_info(ctx, data, &o);
        assert_true(h.notes > 0);
        assert_false(h.out_of_range);
    }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static void progress_never_runs_back(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    /* the second has a coarse start */
    struct table_of_numbers small = small_table(9, 60, 4), large = small_table(10, 6000, 3);
    int fell = 0;
    for (int k = 0; k < 2 * KINDS; k++) {
        gbs_data *data = dense_data(ctx, k < KINDS ? &small : &large);
        gbs_fit_settings o = one_of_each(k % KINDS);
        if (k >= KINDS)
            o.form = GBS_FORM_AUTO;
        h.stage[0] = '\0';
        h.fell = false;
        fit_info(ctx, data, &o);
        if (h.fell)
            print_error("progress ran back: %zu rows, %s, %s, %s, restarts %zu\n",
                        gbs_data_rows(data), gbs_loss_name(o.loss), gbs_family_name(o.family),
                        gbs_solver_name(o.solver), o.restarts);
        fell += h.fell;
        gbs_data_free(data);
    }
    free_table(&small);
    free_table(&large);
    leave(&h, ctx);
    assert_int_equal(fell, 0);
}

static void a_constant_column_is_logged(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(11, 20, 3);
    for (size_t i = 0; i < 20; i++)
        t.x[3 * i + 1] = 4.0;
    gbs_data *data = dense_data(ctx, &t);
    fit_info(ctx, data, NULL);
    assert_true(h.messages > 0);
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

/* ---------------------------------------------------------------- memory that runs out */

/* Data, fit, prediction, evaluation, text and back; the status of the first step that failed. */
static gbs_status whole_story(gbs_context *ctx, const struct table_of_numbers *t,
                              const gbs_fit_settings *o, bool sparse) {
    gbs_data *data = NULL;
    gbs_model *model = NULL, *again = NULL;
    char *text = NULL;
    size_t size = 0;
    double score[64], sd[64], p[64];
    gbs_evaluation e;
    gbs_status status = sparse ? gbs_data_csr(ctx, t->n, t->d, t->start, t->column, t->value, t->y,
                                              GBS_COPY, &data)
                               : gbs_data_dense(ctx, t->n, t->d, t->x, t->d, t->y, GBS_COPY, &data);
    if (status == GBS_OK && (status = gbs_fit_run(ctx, data, o, &model)) != GBS_OK)
        assert_null(model);
    if (status == GBS_OK)
        status = gbs_model_set_recipe(ctx, model, "{\"columns\":[1,2.5,null]}");
    if (status == GBS_OK)
        status = gbs_model_predict(ctx, model, data, score, sd, p);
    if (status == GBS_OK)
        status = evaluate_model(ctx, model, data, &e);
    if (status == GBS_OK && (status = gbs_model_to_json(ctx, model, &text, &size)) != GBS_OK)
        assert_null(text);
    if (status == GBS_OK && (status = gbs_model_from_json(ctx, text, size, &again)) != GBS_OK)
        assert_null(again);
    gbs_release(ctx, text);
    gbs_model_free(again);
    gbs_model_free(model);
    gbs_data_free(data);
    return status;
}

static void every_failed_allocation_comes_back_as_a_status(void **state) {
    (void)state;
    struct table_of_numbers t = small_table(12, 16, 5);
    for (int k = 0; k < KINDS; k++) {
        gbs_fit_settings o = one_of_each(k);
        struct host h;
        gbs_context *ctx = host_context(&h);
        long before = h.blocks;
        h.calls = 0;
        assert_ok(ctx, whole_story(ctx, &t, &o, k % 3 == 0));
        long calls = h.calls;
        assert_true(calls > 20);
        for (long fail_at = 0; fail_at < calls; fail_at++) {
            h.calls = 0;
            h.fail_at = fail_at;
            gbs_status status = whole_story(ctx, &t, &o, k % 3 == 0);
            if (status != GBS_ERR_MEMORY || h.blocks != before)
                print_error("kind %d, allocation %ld of %ld: status %d, %ld blocks left\n", k,
                            fail_at, calls, (int)status, h.blocks - before);
            assert_int_equal(status, GBS_ERR_MEMORY);
            assert_true(strlen(gbs_error_message(ctx)) > 0);
            assert_int_equal(h.blocks, before);
        }
        leave(&h, ctx);
    }
    free_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_needs_nothing),
        cmocka_unit_test(a_context_refuses_half_an_allocator_and_negative_threads),
        cmocka_unit_test(each_callback_has_a_user_of_its_own),
        cmocka_unit_test(every_status_and_option_has_a_name),
        cmocka_unit_test(dense_data_is_checked),
        cmocka_unit_test(csr_data_is_checked),
        cmocka_unit_test(copied_data_is_independent_of_its_source),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(choices_that_do_not_exist_or_clash_are_refused),
        cmocka_unit_test(a_fit_needs_labels_of_both_classes),
        cmocka_unit_test(no_options_are_the_default_options),
        cmocka_unit_test(odd_tables_give_numbers_or_a_message),
        cmocka_unit_test(a_cancelled_fit_says_so_and_leaves_nothing),
        cmocka_unit_test(a_cancelled_prediction_says_so),
        cmocka_unit_test(progress_stays_between_0_and_1),
        cmocka_unit_test(progress_never_runs_back),
        cmocka_unit_test(a_constant_column_is_logged),
        cmocka_unit_test(every_failed_allocation_comes_back_as_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
