/* How the library behaves as a guest: bad arguments, callbacks, memory that runs out, model texts that were damaged.
 *
 * Every call here goes through an allocator that counts, so that each test ends with nothing left.
 */
#include "model/model.h"
#include "unit/support.h"
#include "unit/zero_prior.h"

#include <unistd.h>

/* ---------------------------------------------------------------- a host that counts, fails, cancels and listens */

struct host {
    long blocks;            /* handed out and not yet returned */
    long calls, fail_at;    /* the allocation with this number, from 0, fails; -1: none does */
    long cancels, allowed;  /* the cancel callback agrees to this many questions; -1: to all */
    size_t messages, notes; /* log lines, progress calls */
    bool out_of_range, fell;
    double last;
    char stage[32];
};

static void *host_allocate(size_t bytes, void *user) {
    struct host *h = user;
    if (h->calls++ == h->fail_at)
        return NULL;
    void *memory = malloc(bytes);
    h->blocks += memory != NULL;
    return memory;
}

static void host_release(void *memory, void *user) {
    ((struct host *)user)->blocks -= memory != NULL;
    free(memory);
}

static int host_cancel(void *user) {
    struct host *h = user;
    return h->allowed >= 0 && h->cancels++ >= h->allowed;
}

static void host_log(gbs_log_level level, const char *message, void *user) {
    struct host *h = user;
    h->messages++;
    assert_in_range(level, GBS_LOG_DEBUG, GBS_LOG_WARNING);
    assert_true(strlen(message) > 0);
}

/* Within one stage the values run from 0 to 1 and never back. */
static void host_progress(const char *stage, double done, void *user) {
    struct host *h = user;
    if (strcmp(stage, h->stage) != 0) {
        snprintf(h->stage, sizeof h->stage, "%s", stage);
        h->last = 0.0;
    }
    h->out_of_range = h->out_of_range || !(done >= 0.0 && done <= 1.0);
    h->fell = h->fell || done < h->last;
    h->last = done;
    h->notes++;
}

static gbs_context *host_context(struct host *h) {
    gbs_context_options o = gbs_context_options_default();
    *h = (struct host){.fail_at = -1, .allowed = -1};
    o.allocator = (gbs_allocator){host_allocate, host_release, h};
    o.log = host_log;
    o.progress = host_progress;
    o.cancel = host_cancel;
    o.user = h;
    o.threads = 1;
    gbs_context *ctx;
    assert_int_equal(gbs_context_create(&o, &ctx), GBS_OK);
    return ctx;
}

static void leave(struct host *h, gbs_context *ctx) {
    gbs_context_free(ctx);
    assert_int_equal(h->blocks, 0);
}

static struct table_of_numbers small_table(uint64_t seed, size_t n, size_t d) {
    struct dice r = {seed};
    return make_table(&r, n, d, 1.0, 0.5);
}

/* A call that must fail: its status, no output, and something to say. */
#define assert_refused(ctx, expected, call, out)                                                                               \
    do {                                                                                                                       \
        (out) = (void *)1;                                                                                                     \
        assert_int_equal((call), (expected));                                                                                  \
        assert_null(out);                                                                                                      \
        assert_true(strlen(gbs_error_message(ctx)) > 0);                                                                       \
    } while (0)

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
    gbs_context_options o = gbs_context_options_default();
    o.allocator.allocate = host_allocate;
    assert_int_equal(gbs_context_create(&o, &ctx), GBS_ERR_ARGUMENT);
    assert_null(ctx);
    o = gbs_context_options_default();
    o.threads = -1;
    assert_int_equal(gbs_context_create(&o, &ctx), GBS_ERR_ARGUMENT);
    o = gbs_context_options_default();
    o.allocator = (gbs_allocator){host_allocate, host_release, &h};
    ctx = (void *)1;
    assert_int_equal(gbs_context_create(&o, &ctx), GBS_ERR_MEMORY);
    assert_null(ctx);
}

static void every_status_and_option_has_a_name(void **state) {
    (void)state;
    for (int k = GBS_OK; k <= GBS_ERR_IO + 1; k++)
        assert_true(strlen(gbs_status_message((gbs_status)k)) > 0);
    for (int k = 0; k < 3; k++) {
        assert_non_null(gbs_loss_name((gbs_loss)k));
        assert_non_null(gbs_scale_name((gbs_scale)k));
    }
    for (int k = 0; k < 4; k++)
        assert_non_null(gbs_solver_name((gbs_solver)k));
    for (int k = 0; k < 5; k++)
        assert_non_null(gbs_family_name((gbs_family)k));
    assert_null(gbs_loss_name((gbs_loss)3));
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
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_data_dense(ctx, 3, 2, NULL, 2, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_data_dense(ctx, 3, 2, x, 1, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_data_dense(ctx, 3, 2, x, SIZE_MAX / 4, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, SIZE_MAX / 8, 64, x, 64, NULL, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, (size_t)1 << 40, x, (size_t)1 << 40, NULL, GBS_COPY, &data), data);
    y[1] = 0.0;
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, 2, x, 2, y, GBS_COPY, &data), data);
    y[1] = NAN;
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, 2, x, 2, y, GBS_COPY, &data), data);
    y[1] = -1.0;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < COUNT(bad); k++) {
        x[5] = bad[k];
        assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, 2, x, 2, y, GBS_COPY, &data), data);
        assert_refused(ctx, GBS_ERR_DATA, gbs_data_dense(ctx, 3, 2, x, 2, y, GBS_BORROW, &data), data);
    }
    leave(&h, ctx);
}

static void csr_data_is_checked(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    static const size_t good[] = {0, 2, 3}, late[] = {1, 2, 3}, falling[] = {0, 3, 2};
    static const uint32_t column[] = {0, 2, 1}, unordered[] = {2, 0, 1}, twice[] = {1, 1, 1}, beyond[] = {0, 3, 1};
    static const double value[] = {1.0, 2.0, 3.0}, infinite[] = {1.0, INFINITY, 3.0}, y[] = {1.0, -1.0};
    gbs_data *data;
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_csr(ctx, 2, 3, late, column, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_csr(ctx, 2, 3, falling, column, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_csr(ctx, 2, 3, good, unordered, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_csr(ctx, 2, 3, good, twice, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_csr(ctx, 2, 3, good, beyond, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_csr(ctx, 2, 3, good, column, infinite, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_csr(ctx, 0, 3, good, column, value, y, GBS_COPY, &data), data);
    assert_refused(ctx, GBS_ERR_DATA, gbs_data_csr(ctx, SIZE_MAX / 8, 64, good, column, value, y, GBS_COPY, &data), data);
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
    gbs_fit_options o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    double a = fit_info(ctx, borrowed, &o).free_energy, b = fit_info(ctx, copied, &o).free_energy;
    assert_close(a, b, 0.0, 0.0);
    gbs_data_free(borrowed);
    gbs_data_free(copied);
    free_table(&t);
    leave(&h, ctx);
}

/* ---------------------------------------------------------------- options */

static void refuse_options(gbs_context *ctx, const gbs_data *data, const gbs_fit_options *o) {
    gbs_model *model;
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_fit(ctx, data, o, &model), model);
}

#define assert_option_refused(member, value)                                                                                   \
    do {                                                                                                                       \
        gbs_fit_options changed = zero_prior_options();                                                                        \
        changed.member = (value);                                                                                              \
        refuse_options(ctx, data, &changed);                                                                                   \
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
    static const double falling[] = {2.0, 1.0}, level[] = {1.0, 1.0}, from_zero[] = {0.0, 1.0}, unknown[] = {1.0, NAN};
    const double *ladders[] = {falling, level, from_zero, unknown};
    gbs_fit_options o = zero_prior_options();
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
        assert_ok(ctx, gbs_data_dense(ctx, t.n, t.d, t.x, t.d, sign != 0 ? t.y : NULL, GBS_BORROW, &data));
        assert_refused(ctx, GBS_ERR_DATA, gbs_fit(ctx, data, NULL, &model), model);
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
    gbs_fit_options o = gbs_fit_options_default();
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

/* Constant columns, zero rows and rows of huge or tiny numbers: an answer or a message, never a NaN. */
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
                        t.x[i] = i % 3 == 2 ? 5.0 : i / 3 == 4 ? 0.0 : fmax(-1.7, fmin(1.7, t.x[i])) * sizes[k];
                    gbs_data *data = dense_data(ctx, &t);
                    gbs_fit_options o = zero_prior_options();
                    o.loss = all_losses[l];
                    o.family = all_families[f];
                    o.scale = (gbs_scale)scale;
                    o.max_iterations = 30;
                    gbs_model *model;
                    gbs_status status = gbs_fit(ctx, data, &o, &model);
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

static gbs_fit_options one_of_each(int k) {
    static const gbs_solver solvers[] = {GBS_SOLVER_AUTO, GBS_SOLVER_NATURAL, GBS_SOLVER_LBFGS, GBS_SOLVER_SGD};
    gbs_fit_options o = zero_prior_options();
    o.loss = all_losses[k % 3];
    o.solver = solvers[k % 4];
    o.family = all_families[(k + k / 4) % 4];
    o.form = o.family == GBS_FAMILY_FULL && k % 2 == 0 ? GBS_FORM_DUAL : GBS_FORM_AUTO;
    o.restarts = k % 6 == 5 ? 2 : 0;
    o.epochs = 2;
    o.max_iterations = 40;
    return o;
}

enum { KINDS = 12 };

/* Cancelled at the first question, then at every later one until the fit comes through. */
static void a_cancelled_fit_says_so_and_leaves_nothing(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(7, 25, 4);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < KINDS; k++) {
        gbs_fit_options o = one_of_each(k);
        long before = h.blocks, questions = 0;
        gbs_model *model = NULL;
        h.allowed = 1L << 40;
        h.cancels = 0;
        assert_ok(ctx, gbs_fit(ctx, data, &o, &model));
        gbs_model_free(model);
        questions = h.cancels;
        assert_true(questions > 1);
        for (long allowed = 0; allowed < questions; allowed += 1 + allowed / 8) {
            h.allowed = allowed;
            h.cancels = 0;
            assert_refused(ctx, GBS_ERR_CANCELLED, gbs_fit(ctx, data, &o, &model), model);
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
    assert_int_equal(gbs_model_evaluate(ctx, model, data, &e), GBS_ERR_CANCELLED);
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
        gbs_fit_options o = one_of_each(k);
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
    struct table_of_numbers small = small_table(9, 60, 4), large = small_table(10, 6000, 3); /* the second has a coarse start */
    int fell = 0;
    for (int k = 0; k < 2 * KINDS; k++) {
        gbs_data *data = dense_data(ctx, k < KINDS ? &small : &large);
        gbs_fit_options o = one_of_each(k % KINDS);
        if (k >= KINDS)
            o.form = GBS_FORM_AUTO;
        h.stage[0] = '\0';
        h.fell = false;
        fit_info(ctx, data, &o);
        if (h.fell)
            print_error("progress ran back: %zu rows, %s, %s, %s, restarts %zu\n", gbs_data_rows(data), gbs_loss_name(o.loss),
                        gbs_family_name(o.family), gbs_solver_name(o.solver), o.restarts);
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
static gbs_status whole_story(gbs_context *ctx, const struct table_of_numbers *t, const gbs_fit_options *o, bool sparse) {
    gbs_data *data = NULL;
    gbs_model *model = NULL, *again = NULL;
    char *text = NULL;
    size_t size = 0;
    double score[64], sd[64], p[64];
    gbs_evaluation e;
    gbs_status status = sparse ? gbs_data_csr(ctx, t->n, t->d, t->start, t->column, t->value, t->y, GBS_COPY, &data)
                               : gbs_data_dense(ctx, t->n, t->d, t->x, t->d, t->y, GBS_COPY, &data);
    if (status == GBS_OK && (status = gbs_fit(ctx, data, o, &model)) != GBS_OK)
        assert_null(model);
    if (status == GBS_OK)
        status = gbs_model_set_recipe(ctx, model, "{\"columns\":[1,2.5,null]}");
    if (status == GBS_OK)
        status = gbs_model_predict(ctx, model, data, score, sd, p);
    if (status == GBS_OK)
        status = gbs_model_evaluate(ctx, model, data, &e);
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
        gbs_fit_options o = one_of_each(k);
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
                print_error("kind %d, allocation %ld of %ld: status %d, %ld blocks left\n", k, fail_at, calls, (int)status,
                            h.blocks - before);
            assert_int_equal(status, GBS_ERR_MEMORY);
            assert_true(strlen(gbs_error_message(ctx)) > 0);
            assert_int_equal(h.blocks, before);
        }
        leave(&h, ctx);
    }
    free_table(&t);
}

/* ---------------------------------------------------------------- model texts */

/* Predictions of a model and of its text read back are the same bits, and so is its info. */
static void check_round_trip(gbs_context *ctx, const gbs_model *model, const gbs_data *data) {
    size_t n = gbs_data_rows(data), size = 0;
    double *v = doubles(6 * n);
    char *text;
    gbs_model *again;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_int_equal(strlen(text), size);
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &again));
    assert_ok(ctx, gbs_model_predict(ctx, model, data, v, v + n, v + 2 * n));
    assert_ok(ctx, gbs_model_predict(ctx, again, data, v + 3 * n, v + 4 * n, v + 5 * n));
    assert_true(same_bits(v, v + 3 * n, 3 * n));
    gbs_model_info a = info_of(model), b = info_of(again);
    assert_true(same_bits(&a.free_energy, &b.free_energy, 1) && same_bits(&a.kl, &b.kl, 1));
    assert_true(a.n == b.n && a.d == b.d && a.dual == b.dual && a.loss == b.loss && a.family == b.family && a.scale == b.scale);
    assert_true(isnan(a.optimality_gap) ? isnan(b.optimality_gap) : a.optimality_gap == b.optimality_gap);
    assert_int_equal(gbs_model_path_size(again), gbs_model_path_size(model));
    size_t restarts[2];
    const double *energies[2] = {gbs_model_restarts(model, &restarts[0]), gbs_model_restarts(again, &restarts[1])};
    assert_int_equal(restarts[0], restarts[1]);
    assert_true(restarts[0] == 0 || same_bits(energies[0], energies[1], restarts[0]));
    char *second;
    assert_ok(ctx, gbs_model_to_json(ctx, again, &second, NULL));
    assert_string_equal(text, second);
    gbs_release(ctx, second);
    gbs_release(ctx, text);
    gbs_model_free(again);
    free(v);
}

static void a_model_read_back_predicts_the_same_bits(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(13, 18, 5);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < 3 * KINDS; k++) {
        gbs_fit_options o = one_of_each(k);
        o.scale = (gbs_scale)(k / KINDS);
        o.intercept = k % 2;
        gbs_model *model = fit(ctx, data, &o);
        check_round_trip(ctx, model, data);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

/* 30 x 80,000 cells, three a row: large enough to stay sparse in the model too. */
static struct table_of_numbers wide_sparse_table(void) {
    enum { ROWS = 30, COLUMNS = 80000, EACH = 3 };
    struct table_of_numbers t = {.n = ROWS, .d = COLUMNS, .y = doubles(ROWS)};
    struct dice r = {14};
    t.start = take(ROWS + 1, sizeof *t.start);
    t.column = take(ROWS * EACH, sizeof *t.column);
    t.value = doubles(ROWS * EACH);
    for (size_t i = 0; i < ROWS; i++) {
        t.y[i] = i % 2 == 0 ? 1.0 : -1.0;
        t.start[i + 1] = EACH * (i + 1);
        for (size_t k = 0; k < EACH; k++) {
            t.column[EACH * i + k] = (uint32_t)(k * (COLUMNS / EACH) + dice_below(&r, k == 0 ? 5 : COLUMNS / EACH));
            t.value[EACH * i + k] = dice_normal(&r);
        }
    }
    return t;
}

static void a_sparse_dual_model_read_back_predicts_the_same_bits(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = wide_sparse_table();
    gbs_data *data = sparse_data(ctx, &t);
    for (int scale = 0; scale < 2; scale++) {
        gbs_fit_options o = zero_prior_options();
        o.loss = GBS_LOSS_HINGE;
        o.family = GBS_FAMILY_FULL;
        o.scale = scale == 0 ? GBS_SCALE_NONE : GBS_SCALE_STANDARD;
        gbs_model *model = fit(ctx, data, &o);
        assert_true(info_of(model).dual);
        assert_null(model->stages[0].dual.kept.dense);
        check_round_trip(ctx, model, data);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static char *text_of_kind(gbs_context *ctx, int k, size_t *size) {
    struct table_of_numbers t = small_table(15, 12, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_options o = one_of_each(k);
    gbs_model *model = fit(ctx, data, &o);
    char *text;
    assert_ok(ctx, gbs_model_set_recipe(ctx, model, "{\"a\":[1,\"b\"]}"));
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, size));
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    return text;
}

static void a_cut_off_text_is_refused(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    for (int k = 0; k < KINDS; k += 3) {
        size_t size;
        char *text = text_of_kind(ctx, k, &size);
        long before = h.blocks;
        gbs_model *model;
        /* the last byte is a newline: without it the text is still whole */
        for (size_t length = 0; length + 1 < size; length++) {
            assert_refused(ctx, GBS_ERR_FORMAT, gbs_model_from_json(ctx, text, length, &model), model);
            assert_int_equal(h.blocks, before);
        }
        gbs_release(ctx, text);
    }
    leave(&h, ctx);
}

/* Reads a text that may be damaged; if it passes for a model, uses it. */
static void use_text(struct host *h, gbs_context *ctx, const char *text, size_t size) {
    long before = h->blocks;
    gbs_model *model = (void *)1;
    gbs_status status = gbs_model_from_json(ctx, text, size, &model);
    if (status != GBS_OK) {
        assert_null(model);
        assert_true(strlen(gbs_error_message(ctx)) > 0);
    } else {
        gbs_model_info info = info_of(model);
        struct table_of_numbers t = small_table(16, 4, info.features);
        gbs_data *data = dense_data(ctx, &t);
        double *v = doubles(2 * info.d), out[3 * 4];
        gbs_evaluation e;
        gbs_model_coefficients(ctx, model, v, v + info.d);
        gbs_model_predict(ctx, model, data, out, out + 4, out + 8);
        gbs_model_evaluate(ctx, model, data, &e);
        free(v);
        gbs_data_free(data);
        free_table(&t);
    }
    gbs_model_free(model);
    assert_int_equal(h->blocks, before);
}

static void a_damaged_byte_never_crashes(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct dice r = {17};
    static const char likely[] = "0123456789-+.eE,:[]{}\" ntf\\";
    for (int k = 0; k < KINDS; k++) {
        size_t size;
        char *text = text_of_kind(ctx, k, &size);
        for (int round = 0; round < 1500; round++) {
            size_t at = dice_below(&r, size);
            char kept = text[at];
            text[at] = round % 3 == 0 ? (char)dice_bits(&r) : likely[dice_below(&r, sizeof likely - 1)];
            use_text(&h, ctx, text, size);
            text[at] = kept;
        }
        gbs_release(ctx, text);
    }
    leave(&h, ctx);
}

/* A dual model by hand; the changes below break one thing each. */
#define DUAL_MODEL(rank, lower, factor, rows)                                                                                  \
    "{\"gibbsite\":\"0.1.0\",\"format\":1,\"kind\":\"model\",\"task\":\"classify\",\"loss\":\"hinge\",\"family\":\"full\","    \
    "\"solver\":\"natural\",\"n\":2,\"features\":2,\"d\":2,\"intercept\":false,\"fit\":{\"lambda\":2,\"prior_sd\":1,"          \
    "\"free_energy\":1,\"kl\":0.5,\"gibbs_risk\":0.25,\"gibbs_error\":0.1,\"train_error\":0,\"optimality_gap\":0,"             \
    "\"iterations\":1,\"converged\":true,\"seconds\":0},\"scaling\":{\"kind\":\"none\"},\"posterior\":{\"mean\":[1,2],"        \
    "\"dual\":{"                                                                                                               \
    "\"rank\":" rank ",\"lower\":" lower ",\"factor\":" factor ",\"rows\":" rows "}},\"path\":[]}"

static void dual_texts_are_checked_cell_by_cell(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    static const char good[] = DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,2],\"column\":[0,1],\"value\":[2,0]}");
    static const char *const bad[] = {
        DUAL_MODEL("3", "[2,0,2,0,0,2]", "[1,0,0,1,0,1]", "{\"cells\":[1,2,3,4,5,6]}"),
        DUAL_MODEL("1", "[0]", "[0.5]", "{\"cells\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[-0.5]", "{\"cells\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"cells\":[2]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,2],\"column\":[0,2],\"value\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,3],\"column\":[0,1],\"value\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[1,2],\"column\":[0,1],\"value\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,2],\"column\":[0,-1],\"value\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,2],\"column\":[0,1],\"value\":[2]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,2],\"column\":[0,1],\"value\":[2,0],\"shift\":[1]}"),
        DUAL_MODEL("-1", "[]", "[]", "{\"cells\":[]}"),
    };
    gbs_model *model;
    assert_ok(ctx, gbs_model_from_json(ctx, good, strlen(good), &model));
    gbs_model_free(model);
    use_text(&h, ctx, good, strlen(good));
    for (size_t k = 0; k < COUNT(bad); k++)
        assert_refused(ctx, GBS_ERR_FORMAT, gbs_model_from_json(ctx, bad[k], strlen(bad[k]), &model), model);
    leave(&h, ctx);
}

/* No fit writes rank 0, and BLAS would complain on stderr about its strides. */
static void a_dual_text_of_rank_zero_is_refused(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    static const char text[] = DUAL_MODEL("0", "[]", "[]", "{\"cells\":[]}");
    gbs_model *model;
    assert_refused(ctx, GBS_ERR_FORMAT, gbs_model_from_json(ctx, text, strlen(text), &model), model);
    leave(&h, ctx);
}

static void models_are_saved_and_loaded_whole(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    const char *folder = getenv("TMPDIR");
    char path[512], missing[540];
    snprintf(path, sizeof path, "%s/gibbsite-test-XXXXXX", folder != NULL ? folder : P_tmpdir);
    assert_non_null(mkdtemp(path));
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "/model.json");
    snprintf(missing, sizeof missing, "%s/below", path);
    struct table_of_numbers t = small_table(18, 20, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *model = fit(ctx, data, NULL), *again;
    assert_ok(ctx, gbs_model_save(ctx, model, path));
    assert_ok(ctx, gbs_model_load(ctx, path, &again));
    assert_close(info_of(again).free_energy, info_of(model).free_energy, 0.0, 0.0);
    gbs_model_free(again);
    assert_int_equal(gbs_model_save(ctx, model, missing), GBS_ERR_IO);
    assert_refused(ctx, GBS_ERR_IO, gbs_model_load(ctx, missing, &again), again);
    assert_ok(ctx, gbs_write_file(ctx, path, "{}", 2));
    assert_refused(ctx, GBS_ERR_FORMAT, gbs_model_load(ctx, path, &again), again);
    unlink(path);
    path[length] = '\0';
    assert_int_equal(rmdir(path), 0); /* no temporary file was left behind */
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

/* ---------------------------------------------------------------- predictions and evaluations */

static void predictions_refuse_other_columns_and_take_null_outputs(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(19, 20, 3), other = small_table(20, 20, 4);
    gbs_data *data = dense_data(ctx, &t), *wrong = dense_data(ctx, &other), *unlabelled;
    assert_ok(ctx, gbs_data_dense(ctx, 20, 3, t.x, 3, NULL, GBS_BORROW, &unlabelled));
    gbs_model *model = fit(ctx, data, NULL);
    double score[20], sd[20], p[20], alone[20];
    gbs_evaluation e;
    assert_int_equal(gbs_model_predict(ctx, model, wrong, score, sd, p), GBS_ERR_DATA);
    assert_true(strlen(gbs_error_message(ctx)) > 0);
    assert_int_equal(gbs_model_evaluate(ctx, model, wrong, &e), GBS_ERR_DATA);
    assert_int_equal(gbs_model_evaluate(ctx, model, unlabelled, &e), GBS_ERR_DATA);
    assert_ok(ctx, gbs_model_predict(ctx, model, unlabelled, score, sd, p));
    assert_ok(ctx, gbs_model_predict(ctx, model, data, NULL, NULL, alone));
    assert_true(same_bits(p, alone, 20));
    assert_ok(ctx, gbs_model_predict(ctx, model, data, NULL, NULL, NULL));
    for (size_t i = 0; i < 20; i++) /* of a mixture too */
        assert_close(p[i], 0.5 * erfc(-score[i] / sd[i] / sqrt(2.0)), 1e-11, 0.0);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_data_free(wrong);
    gbs_data_free(unlabelled);
    free_table(&t);
    free_table(&other);
    leave(&h, ctx);
}

static double brute_auc(size_t n, const double *y, const double *score) {
    double wins = 0.0, pairs = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (y[i] > 0.0 && y[j] < 0.0) {
                pairs += 1.0;
                wins += score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0;
            }
    return pairs > 0.0 ? wins / pairs : NAN;
}

static void auc_counts_ties_one_half(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct dice r = {21};
    enum { MOST = 200 };
    double y[MOST], score[MOST];
    for (int round = 0; round < 60; round++) {
        size_t n = 1 + dice_below(&r, MOST), levels = 1 + dice_below(&r, 12);
        for (size_t i = 0; i < n; i++) {
            y[i] = dice_uniform(&r) < 0.3 ? 1.0 : -1.0;
            score[i] = (double)dice_below(&r, levels) - 3.0;
        }
        double auc, expected = brute_auc(n, y, score);
        assert_ok(ctx, gbs_area(ctx, n, y, score, &auc));
        if (isnan(expected))
            assert_true(isnan(auc));
        else
            assert_close(auc, expected, 1e-14, 0.0);
    }
    leave(&h, ctx);
}

static void evaluations_count_what_predictions_say(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(22, 300, 4);
    for (size_t i = 0; i < 300; i += 3) /* equal rows with either label: tied scores */
        memcpy(t.x + 4 * i, t.x, 4 * sizeof *t.x);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t l = 0; l < COUNT(all_losses); l++) {
        gbs_fit_options o = zero_prior_options();
        o.loss = all_losses[l];
        o.prior_sd = 0.3;
        gbs_model *model = fit(ctx, data, &o);
        double score[300], sd[300];
        size_t counts[4] = {0};
        gbs_evaluation e;
        assert_ok(ctx, gbs_model_predict(ctx, model, data, score, sd, NULL));
        assert_ok(ctx, gbs_model_evaluate(ctx, model, data, &e));
        double risk = 0.0, error = 0.0;
        for (size_t i = 0; i < 300; i++) {
            double psi, unused[2];
            gbs_loss_smoothed(o.loss, t.y[i] * score[i], sd[i], &psi, unused, unused + 1);
            risk += psi / 300.0;
            gbs_loss_smoothed(GBS_LOSS_ZERO_ONE, t.y[i] * score[i], sd[i], &psi, unused, unused + 1);
            error += psi / 300.0;
            counts[2 * (score[i] >= 0.0) + (t.y[i] > 0.0)]++;
        }
        assert_int_equal(e.n, 300);
        assert_int_equal(e.true_negative, counts[0]);
        assert_int_equal(e.false_negative, counts[1]);
        assert_int_equal(e.false_positive, counts[2]);
        assert_int_equal(e.true_positive, counts[3]);
        assert_close(e.error, (double)(counts[1] + counts[2]) / 300.0, 1e-15, 0.0);
        assert_close(e.gibbs_risk, risk, 1e-12, 0.0);
        assert_close(e.gibbs_error, error, 1e-12, 0.0);
        assert_close(e.auc, brute_auc(300, t.y, score), 1e-14, 0.0);
        gbs_model_info info = info_of(model);
        assert_close(info.gibbs_error, e.gibbs_error, 1e-13, 0.0);
        assert_close(info.train_error, e.error, 0.0, 0.0);
        assert_close(info.gibbs_risk, e.gibbs_risk, 1e-12, 0.0);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static void a_tie_is_half_an_error(void **state) {
    (void)state;
    static const double y[] = {1.0, -1.0, 1.0, -1.0};
    double gibbs[] = {0.5, 0.5, 0.15865525393145705, 1.0}, log_right[4] = {0}, risk[4] = {0};
    gbs_judgement judged = {.gibbs = gibbs, .log_right = log_right, .risk = risk};
    gbs_evaluation e = {0};
    gbs_evaluation_add(&e, 4, y, &judged);
    gbs_evaluation_finish(&e);
    assert_close(e.error, (0.5 + 0.5 + 0.0 + 1.0) / 4.0, 0.0, 0.0);
    assert_close(e.gibbs_error, (0.5 + 0.5 + 0.15865525393145705 + 1.0) / 4.0, 1e-14, 0.0);
    assert_int_equal(e.true_positive, 2);
    assert_int_equal(e.false_positive, 2);
    assert_int_equal(e.errors, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_needs_nothing),
        cmocka_unit_test(a_context_refuses_half_an_allocator_and_negative_threads),
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
        cmocka_unit_test(a_model_read_back_predicts_the_same_bits),
        cmocka_unit_test(a_sparse_dual_model_read_back_predicts_the_same_bits),
        cmocka_unit_test(a_cut_off_text_is_refused),
        cmocka_unit_test(a_damaged_byte_never_crashes),
        cmocka_unit_test(dual_texts_are_checked_cell_by_cell),
        cmocka_unit_test(a_dual_text_of_rank_zero_is_refused),
        cmocka_unit_test(models_are_saved_and_loaded_whole),
        cmocka_unit_test(predictions_refuse_other_columns_and_take_null_outputs),
        cmocka_unit_test(auc_counts_ties_one_half),
        cmocka_unit_test(evaluations_count_what_predictions_say),
        cmocka_unit_test(a_tie_is_half_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
