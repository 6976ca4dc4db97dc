/* The edges of matrix completion: files and damaged files, odd ratings, wrong options, no memory.
 */
#include "complete_support.h"
#include "paper_settings.h"

static void files_keep_everything(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(106, 12, 9, 1, 80, 0.5, 3.0, true);
    for (int gibbs = 0; gibbs < 2; gibbs++) {
        gbs_complete_settings o = paper_settings();
        o.rank = 2;
        o.sampler = gibbs ? GBS_SAMPLER_GIBBS : GBS_SAMPLER_VB;
        o.draws = 5;
        o.has_range = 1;
        o.low = -5.0;
        o.high = 11.0;
        gbs_completion *m = complete(ctx, &t, &o), *back;
        char *text, *again;
        size_t size, size_again, seen, seen_back;
        assert_int_equal(gbs_completion_to_json(ctx, m, &text, &size), GBS_OK);
        assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
        assert_int_equal(gbs_completion_to_json(ctx, back, &again, &size_again), GBS_OK);
        assert_string_equal(text, again);
        for (uint32_t i = 0; i < 12; i++)
            for (uint32_t j = 0; j < 9; j++) {
                double x[2], sd[2];
                assert_int_equal(gbs_completion_predict(ctx, m, 1, &i, &j, &x[0], &sd[0]), GBS_OK);
                assert_int_equal(gbs_completion_predict(ctx, back, 1, &i, &j, &x[1], &sd[1]),
                                 GBS_OK);
                assert_true(same_bits(&x[0], &x[1], 1) && same_bits(&sd[0], &sd[1], 1));
            }
        const uint32_t *a = gbs_completion_seen(m, 3, &seen),
                       *b = gbs_completion_seen(back, 3, &seen_back);
        assert_int_equal(seen, seen_back);
        assert_memory_equal(a, b, seen * sizeof *a);
        assert_string_equal(gbs_completion_row_id(back, 4), "5");
        gbs_completion_free(back);
        /* cut anywhere, or with a byte changed: a message, or a model that can be asked */
        struct dice r = {5};
        for (int k = 0; k < 600; k++) {
            char *damaged = take(size + 1, 1);
            memcpy(damaged, text, size);
            size_t length = size, at = dice_below(&r, k < 300 ? 1500 : size);
            if (k % 3 == 0)
                length = at;
            else
                damaged[at < size ? at : 0] = "0-9\"[]{},x"[dice_below(&r, 10)];
            if (gbs_completion_from_json(ctx, damaged, length, &back) == GBS_OK) {
                uint32_t i = GBS_UNSEEN, j = 0;
                double x, sd;
                assert_int_equal(gbs_completion_predict(ctx, back, 1, &i, &j, &x, &sd), GBS_OK);
            } else {
                assert_null(back);
                assert_true(strlen(gbs_error_message(ctx)) > 0);
            }
            gbs_completion_free(back);
            free(damaged);
        }
        gbs_release(ctx, text);
        gbs_release(ctx, again);
        gbs_completion_free(m);
    }
    free_truth(&t);
    gbs_context_free(ctx);
}

/* What a model file tells of choices and starts comes back; a file without them is read. */
static void files_keep_choices(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(408, 12, 9, 1, 80, 0.5, 3.0, true);
    gbs_complete_settings o = paper_settings();
    o.cross_validate = 1;
    o.restarts = 3;
    gbs_completion *m = complete(ctx, &t, &o), *back;
    char *text, *again;
    size_t size, size_again, count, starts;
    assert_int_equal(gbs_completion_to_json(ctx, m, &text, &size), GBS_OK);
    assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
    assert_int_equal(gbs_completion_to_json(ctx, back, &again, &size_again), GBS_OK);
    assert_string_equal(text, again);
    assert_true(choices_of(back, &count)[0].rmse > 0.0);
    assert_non_null(gbs_completion_restarts(back, &starts));
    assert_true(count == 5 && starts == 3 && facts_of(back).folds == 5);
    gbs_completion_free(back);
    static const char *const names[] = {"\"choices\"", "\"restarts\"", "\"folds\"",
                                        "\"ratings_sd\""};
    for (size_t k = 0; k < 4; k++)
        strstr(text, names[k])[1] = 'X'; /* another key */
    assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
    assert_null(choices_of(back, &count));
    assert_true(count == 0 && isnan(facts_of(back).sd));
    gbs_completion_free(back);
    gbs_release(ctx, text);
    gbs_release(ctx, again);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

static void odd_ratings(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_complete_settings o = paper_settings();
    uint32_t zeros[6] = {0}, column[6] = {0, 1, 2, 3, 4, 5};
    double same[6] = {4.0, 4.0, 4.0, 4.0, 4.0, 4.0}, huge[6] = {1e30, -1e30, 3e30, 1e29, 0.0, 1.0};
    gbs_ratings *r;
    for (int biases = 0; biases < 2; biases++) {
        o.biases = biases;
        for (int k = 0; k < 4; k++) {
            size_t n = k == 0 ? 1 : 6;
            const double *y = k == 3 ? huge : same;
            /* one rating; one row; one cell six times; huge values */
            assert_int_equal(
                gbs_ratings_create(ctx, n, 1, 6, zeros, k == 2 ? zeros : column, y, NULL, NULL, &r),
                GBS_OK);
            gbs_completion *m;
            gbs_status status = gbs_complete_run(ctx, r, &o, &m);
            if (status != GBS_OK)
                print_error("biases %d, case %d: %s\n", biases, k, gbs_error_message(ctx));
            assert_int_equal(status, GBS_OK);
            double value, sd;
            assert_int_equal(gbs_completion_predict(ctx, m, 1, zeros, zeros, &value, &sd), GBS_OK);
            assert_true(isfinite(value) && isfinite(sd));
            if (biases && k == 2)
                assert_close(value, 4.0, 0.01, 0.0);
            gbs_completion_free(m);
            gbs_ratings_free(r);
        }
    }
    double nan[1] = {NAN};
    assert_int_equal(gbs_ratings_create(ctx, 1, 1, 1, zeros, zeros, nan, NULL, NULL, &r),
                     GBS_ERR_DATA);
    assert_null(r);
    assert_int_equal(gbs_ratings_create(ctx, 0, 1, 1, zeros, zeros, same, NULL, NULL, &r),
                     GBS_ERR_DATA);
    assert_int_equal(gbs_ratings_create(ctx, 6, 1, 5, zeros, column, same, NULL, NULL, &r),
                     GBS_ERR_DATA);
    gbs_context_free(ctx);
}

static void count_warnings(gbs_log_level level, const char *message, void *user) {
    *(size_t *)user += level == GBS_LOG_WARNING && strstr(message, "every value is 3") != NULL;
}

/* Every caller is told, not only the program: events have no values to learn from. A declared range
 * says that they are ratings. */
static void events_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    size_t warnings = 0;
    assert_ok(ctx, gbs_context_set_log(ctx, count_warnings, &warnings));
    gbs_options *o;
    assert_ok(ctx, gbs_options_create(ctx, "complete", &o));
    struct matrix_truth t = make_truth(5, 20, 15, 1, 150, 0.5, 3.0, true);
    for (int kind = 0; kind < 3; kind++) { /* bought, played, rated with 3 by everybody */
        for (size_t e = 0; e < t.n; e++)
            t.y[e] = kind == 0 ? 1.0 : kind == 1 ? floor(150.0 / (double)(e + 1)) : 3.0;
        gbs_ratings *r = ratings_of(ctx, &t);
        gbs_completion *m = NULL;
        gbs_status status = gbs_complete(ctx, r, o, &m);
        assert_int_equal(status, kind < 2 ? GBS_ERR_DATA : GBS_OK);
        assert_true(kind == 2 || (m == NULL && strstr(gbs_error_message(ctx), "implicit data")));
        if (kind == 2)
            for (uint32_t i = 0; i < t.rows; i++) {
                uint32_t j = i % (uint32_t)t.columns;
                double value;
                assert_ok(ctx, gbs_completion_predict(ctx, m, 1, &i, &j, &value, NULL));
                assert_close(value, 3.0, 1e-6, 0.0);
            }
        gbs_completion_free(m);
        gbs_options *declared;
        assert_ok(ctx, gbs_options_create(ctx, "complete", &declared));
        assert_ok(ctx, gbs_options_set(declared, "range", "1:200"));
        assert_ok(ctx, gbs_options_set(declared, "rank", "1"));
        assert_ok(ctx, gbs_complete(ctx, r, declared, &m));
        gbs_completion_free(m);
        gbs_options_free(declared);
        gbs_ratings_free(r);
    }
    assert_int_equal(warnings, 1);
    gbs_options_free(o);
    free_truth(&t);
    gbs_context_free(ctx);
}

static void options_are_checked(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(107, 6, 5, 1, 30, 0.5, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    gbs_complete_settings good = paper_settings(), bad[10];
    for (size_t k = 0; k < 10; k++)
        bad[k] = good;
    bad[0].rank = 100000;
    bad[1].lambda = -1.0;
    bad[2].lambda = bad[2].noise_variance = 1.0;
    bad[3].has_range = 1, bad[3].low = 1.0, bad[3].high = 1.0;
    bad[4].confidence = 1.0;
    bad[5].prior_split = 1.0;
    bad[6].tolerance = NAN;
    bad[7].sampler = (gbs_sampler)7;
    bad[8].sampler = GBS_SAMPLER_GIBBS, bad[8].draws = 0;
    bad[9].rank = 0, bad[9].biases = 0;
    for (size_t k = 0; k < 10; k++) {
        gbs_completion *m;
        assert_int_equal(gbs_complete_run(ctx, r, &bad[k], &m), GBS_ERR_ARGUMENT);
        assert_null(m);
    }
    good.has_range = 1, good.low = 3.0, good.high = 3.1;
    gbs_completion *m;
    assert_int_equal(gbs_complete_run(ctx, r, &good, &m), GBS_ERR_DATA);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

static void options_of_choices_are_checked(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(407, 6, 5, 1, 30, 0.5, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    const double bad_grid[] = {1.0, -1.0};
    gbs_complete_settings bad[6];
    for (size_t k = 0; k < 6; k++) {
        bad[k] = paper_settings();
        bad[k].cross_validate = 1;
    }
    bad[0].folds = 1;
    bad[1].lambda = 1.0;
    bad[2].noise_variance = 1.0;
    bad[3].lambda_grid = bad_grid, bad[3].lambda_grid_size = 2;
    bad[4].restarts = 0;
    bad[5].sampler = GBS_SAMPLER_GIBBS, bad[5].cells = 1;
    gbs_completion *m;
    for (size_t k = 0; k < 6; k++) {
        assert_int_equal(gbs_complete_run(ctx, r, &bad[k], &m), GBS_ERR_ARGUMENT);
        assert_null(m);
    }
    bad[0].folds = 31;
    assert_int_equal(gbs_complete_run(ctx, r, &bad[0], &m), GBS_ERR_DATA);
    /* one rating left out at a time, rows and columns with nothing left among them */
    bad[0].folds = 30;
    bad[0].max_sweeps = 20;
    assert_int_equal(gbs_complete_run(ctx, r, &bad[0], &m), GBS_OK);
    gbs_completion_free(m);
    gbs_ratings_free(r);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- memory */

struct scarce {
    size_t left, live;
};

static void *scarce_take(size_t bytes, void *user) {
    struct scarce *s = user;
    if (s->left == 0)
        return NULL;
    s->left--;
    s->live++;
    return malloc(bytes);
}

static void scarce_release(void *memory, void *user) {
    ((struct scarce *)user)->live--;
    free(memory);
}

/* A completion with so many allocations allowed: GBS_OK or GBS_ERR_MEMORY, and nothing is left
 * behind. */
static gbs_status starved(const struct matrix_truth *t, const gbs_complete_settings *o,
                          size_t allowed) {
    struct scarce s = {allowed, 0};
    gbs_allocator allocator = {scarce_take, scarce_release, &s};
    gbs_context *ctx;
    gbs_ratings *r = NULL;
    gbs_completion *m = NULL;
    assert_int_equal(gbs_context_create(&allocator, &ctx), GBS_OK);
    gbs_context_set_threads(ctx, 1);
    gbs_status status = gbs_ratings_create(ctx, t->n, t->rows, t->columns, t->row, t->column, t->y,
                                           NULL, NULL, &r);
    if (status == GBS_OK)
        status = gbs_complete_run(ctx, r, o, &m);
    assert_true(status == GBS_OK || status == GBS_ERR_MEMORY);
    assert_true((m != NULL) == (status == GBS_OK));
    gbs_completion_free(m);
    gbs_ratings_free(r);
    gbs_context_free(ctx);
    assert_int_equal(s.live, 0);
    return status;
}

/* Every allocation refused in turn. */
static void out_of_memory(void **state) {
    (void)state;
    struct matrix_truth t = make_truth(108, 6, 5, 1, 30, 0.5, 3.0, true);
    for (int kind = 0; kind < 3; kind++) {
        gbs_complete_settings o = paper_settings();
        size_t allowed = 1;
        o.max_sweeps = 12;
        o.has_range = kind == 1;
        o.low = -9.0, o.high = 15.0;
        o.prior = kind == 1 ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
        o.sampler = kind == 2 ? GBS_SAMPLER_GIBBS : GBS_SAMPLER_VB;
        o.draws = 3, o.burn_in = 1;
        while (starved(&t, &o, allowed) != GBS_OK)
            allowed++;
        assert_true(allowed > 21);
    }
    free_truth(&t);
}

static void out_of_memory_while_choosing(void **state) {
    (void)state;
    struct matrix_truth t = make_truth(409, 6, 5, 1, 30, 0.5, 3.0, true);
    for (int informed = 0; informed < 2; informed++) {
        gbs_complete_settings o = paper_settings();
        size_t allowed = 1;
        o.max_sweeps = 7;
        o.restarts = 3;
        o.cross_validate = 1;
        o.folds = 2;
        o.has_range = 1, o.low = -9.0, o.high = 15.0;
        o.prior = informed ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
        while (starved(&t, &o, allowed) != GBS_OK)
            allowed += 1 + allowed / 40;
        assert_true(allowed > 21);
    }
    free_truth(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_keep_everything), cmocka_unit_test(files_keep_choices),
        cmocka_unit_test(odd_ratings),           cmocka_unit_test(events_are_refused),
        cmocka_unit_test(options_are_checked),   cmocka_unit_test(options_of_choices_are_checked),
        cmocka_unit_test(out_of_memory),         cmocka_unit_test(out_of_memory_while_choosing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
