/* Models with stages as they are used: texts, predictions, threads, memory that runs out. */
#include "model/model.h"
#include "unit/host.h"
#include "unit/informed_support.h"

/* ---------------------------------------------------------------- model texts */

static char *text_of(gbs_context *ctx, const gbs_model *model) {
    char *text;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, NULL));
    return text;
}

static void a_model_with_stages_reads_back_the_same_bits(void **state) {
    (void)state;
    static const struct {
        size_t n, d;
        gbs_family family;
        bool sparse;
    } cases[] = {
        {N, D, GBS_FAMILY_FULL, false},
        {N, D, GBS_FAMILY_DIAGONAL, true},
        {N, D, GBS_FAMILY_ISOTROPIC, false},
        /* dual stages, then primal ones */
        {N, D, GBS_FAMILY_FIXED, false},
        {60, 48, GBS_FAMILY_FULL, false},
        {30, 60, GBS_FAMILY_FULL, true},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        gbs_context *ctx = new_context(1, 14);
        struct table_of_numbers t = small_table(70 + k, cases[k].n, cases[k].d);
        gbs_data *data = cases[k].sparse ? sparse_data(ctx, &t) : dense_data(ctx, &t);
        gbs_fit_settings o = gbs_fit_settings_default();
        o.family = cases[k].family;
        o.blocks = 3;
        gbs_model *model = fit(ctx, data, &o), *again;
        char *text = text_of(ctx, model);
        assert_ok(ctx, gbs_model_from_json(ctx, text, strlen(text), &again));
        char *second = text_of(ctx, again);
        assert_string_equal(text, second);
        double *v = doubles(6 * t.n);
        assert_ok(ctx, gbs_model_predict(ctx, model, data, v, v + t.n, v + 2 * t.n));
        assert_ok(ctx, gbs_model_predict(ctx, again, data, v + 3 * t.n, v + 4 * t.n, v + 5 * t.n));
        assert_true(same_bits(v, v + 3 * t.n, 3 * t.n));
        assert_int_equal(gbs_model_stages(again), 3);
        for (size_t s = 0; s < 3; s++) {
            gbs_stage_info a = *gbs_model_stage(model, s), b = *gbs_model_stage(again, s);
            assert_true(a.weight == b.weight && a.rows == b.rows && a.tested == b.tested &&
                        a.errors == b.errors && a.prior_sd == b.prior_sd);
        }
        size_t a, b;
        const gbs_certificate *c = certificates_of(model, &a), *e = certificates_of(again, &b);
        assert_int_equal(a, b);
        for (size_t j = 0; j < a; j++)
            assert_true(c[j].value == e[j].value && c[j].target == e[j].target &&
                        c[j].method == e[j].method && c[j].valid == e[j].valid &&
                        c[j].assumptions == e[j].assumptions && c[j].blocks == e[j].blocks);
        free(v);
        gbs_release(ctx, text);
        gbs_release(ctx, second);
        gbs_model_free(model);
        gbs_model_free(again);
        gbs_data_free(data);
        free_table(&t);
        gbs_context_free(ctx);
    }
}

/* text with `to` in the place of the first `from`. */
static char *with(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    assert_non_null(at);
    size_t room = strlen(text) + strlen(to) + 1;
    char *out = take(room, 1);
    snprintf(out, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static void damaged_stages_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 15);
    struct table_of_numbers t = small_table(80, 60, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.blocks = 3;
    gbs_model *model = fit(ctx, data, &o), *out;
    char *text = text_of(ctx, model);
    static const struct {
        const char *from, *to;
    } damage[] = {
        {"\"weight\":0.16", "\"weight\":0.17"},
        {"\"weight\":0.5", "\"weight\":0"},
        {"\"weight\":0.5", "\"weight\":-0.5"},
        {"\"weight\":0.5", "\"weight\":1.5"},
        {"\"weight\":0.5", "\"weight\":\"half\""},
        {"\"weight\":0.5,", ""},
        {"\"posterior\":", "\"anterior\":"},
        {"\"mean\":[", "\"mean\":[1.0,"},
        {"\"factor\":[", "\"factor\":[-"},
        {"\"stages\":[", "\"stages\":[7,"},
        {"\"stages\":[", "\"stages\":[],\"other\":["},
        {"\"stages\":[", "\"stages\":{},\"other\":["},
        {"\"stages\":[", "\"other\":["},
        {"\"tested\":", "\"tested\":-"},
        {"\"errors\":", "\"errors\":0.5,\"rest\":"},
        {"\"format\":2", "\"format\":99"},
    };
    for (size_t k = 0; k < COUNT(damage); k++) {
        char *bad = with(text, damage[k].from, damage[k].to);
        out = (void *)1;
        gbs_status status = gbs_model_from_json(ctx, bad, strlen(bad), &out);
        if (status != GBS_ERR_FORMAT)
            print_error("%s -> %s: status %d\n", damage[k].from, damage[k].to, (int)status);
        assert_int_equal(status, GBS_ERR_FORMAT);
        assert_null(out);
        assert_true(strlen(gbs_error_message(ctx)) > 0);
        free(bad);
    }
    size_t size = strlen(text);
    for (size_t cut = 0; cut < size - 1; cut += 23)
        assert_int_equal(gbs_model_from_json(ctx, text, cut, &out), GBS_ERR_FORMAT);
    gbs_release(ctx, text);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- predictions of a mixture */

static double phi(double z) {
    return 0.5 * erfc(-z / sqrt(2.0));
}

static void a_mixture_votes_as_its_stages_do(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 16);
    struct table_of_numbers t = small_table(81, N, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.blocks = 4;
    o.prior_sd = 0.5;
    gbs_model *model = fit(ctx, data, &o);
    double score[N], sd[N], p[N], one_score[N], one_sd[N], sum[N] = {0.0}, gibbs = 0.0, wrong = 0.0;
    assert_ok(ctx, gbs_model_predict(ctx, model, data, score, sd, p));
    for (size_t s = 0; s < 4; s++) {
        gbs_stage alone = model->stages[s];
        alone.info.weight = 1.0;
        gbs_model one = {.ctx = ctx,
                         .info = model->info,
                         .maps = model->maps,
                         .stages = &alone,
                         .stages_size = 1};
        assert_ok(ctx, gbs_model_predict(ctx, &one, data, one_score, one_sd, NULL));
        for (size_t i = 0; i < N; i++)
            sum[i] += gbs_model_stage(model, s)->weight * phi(one_score[i] / one_sd[i]);
    }
    for (size_t i = 0; i < N; i++) {
        assert_close(p[i], sum[i], 1e-12, 1e-15);
        assert_close(phi(score[i] / sd[i]), p[i], 1e-9, 1e-15);
        assert_true(sd[i] == 1.0);
        gibbs += (t.y[i] > 0.0 ? 1.0 - p[i] : p[i]) / N;
        wrong += (p[i] > 0.5) != (t.y[i] > 0.0);
    }
    gbs_evaluation e;
    assert_ok(ctx, evaluate_model(ctx, model, data, &e));
    assert_int_equal(e.errors, (size_t)wrong);
    assert_close(e.error, wrong / N, 1e-14, 0.0);
    assert_close(e.gibbs_error, gibbs, 1e-12, 0.0);
    assert_close(info_of(model).gibbs_error, gibbs, 1e-12, 0.0);
    assert_close(info_of(model).train_error, wrong / N, 1e-12, 0.0);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- threads, memory */

static void threads_change_nothing(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 7};
    struct table_of_numbers t = small_table(82, 3000, 6);
    for (int kind = 0; kind < 3; kind++) {
        char *first = NULL;
        for (size_t k = 0; k < COUNT(threads); k++) {
            gbs_context *ctx = new_context(threads[k], 17);
            gbs_data *data = dense_data(ctx, &t);
            gbs_fit_settings o = kind == 0
                                     ? gbs_fit_settings_default()
                                     : informed(kind == 1 ? GBS_BOUND_KL : GBS_BOUND_PROGRESSIVE);
            o.prior = kind == 2 ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
            gbs_model *model = fit(ctx, data, &o);
            model->info.seconds = 0.0;
            char *text = text_of(ctx, model);
            if (first == NULL)
                first = strdup(text);
            assert_string_equal(text, first);
            gbs_release(ctx, text);
            gbs_model_free(model);
            gbs_data_free(data);
            gbs_context_free(ctx);
        }
        free(first);
    }
    free_table(&t);
}

/* Fit, predict, write, read. */
static gbs_status whole_story(gbs_context *ctx, const struct table_of_numbers *t,
                              const gbs_fit_settings *o) {
    gbs_data *data = NULL;
    gbs_model *model = NULL, *again = NULL;
    char *text = NULL;
    double p[64];
    size_t size;
    gbs_status status = gbs_data_dense(ctx, t->n, t->d, t->x, t->d, t->y, GBS_COPY, &data);
    if (status == GBS_OK)
        status = gbs_fit_run(ctx, data, o, &model);
    if (status == GBS_OK)
        status = gbs_model_predict(ctx, model, data, p, NULL, NULL);
    if (status == GBS_OK)
        status = gbs_model_to_json(ctx, model, &text, &size);
    if (status == GBS_OK)
        status = gbs_model_from_json(ctx, text, size, &again);
    gbs_release(ctx, text);
    gbs_model_free(again);
    gbs_model_free(model);
    gbs_data_free(data);
    return status;
}

static void every_failed_allocation_comes_back_as_a_status(void **state) {
    (void)state;
    struct table_of_numbers t = small_table(83, 40, D);
    static const double sds[] = {0.1, 1.0};
    for (int kind = 0; kind < 6; kind++) {
        struct host h = {.fail_at = -1};
        gbs_allocator allocator = {host_allocate, host_release, &h};
        gbs_context *ctx;
        assert_int_equal(gbs_context_create(&allocator, &ctx), GBS_OK);
        gbs_context_set_threads(ctx, 1);
        gbs_fit_settings o = informed(kind < 3 ? GBS_BOUND_AUTO : GBS_BOUND_KL);
        o.loss = GBS_LOSS_HINGE;
        o.tolerance = 1e-3;
        o.blocks = kind < 3 ? 2 : 0;
        o.stratify = kind == 1;
        o.cx = kind == 2 ? 3.0 : 0.0;
        o.family = kind == 4 ? GBS_FAMILY_DIAGONAL : GBS_FAMILY_FULL;
        if (kind == 5) {
            o.prior_grid = sds;
            o.prior_grid_size = 2;
            o.select = GBS_SELECT_BOUND;
        }
        long before = h.blocks;
        h.calls = 0;
        assert_ok(ctx, whole_story(ctx, &t, &o));
        long calls = h.calls;
        assert_true(calls > 50 && h.blocks == before);
        long step = 1 + calls / (long)repeats(3000, 150); /* even the short form fails hundreds */
        for (long fail_at = 0; fail_at < calls; fail_at += step) {
            h.calls = 0;
            h.fail_at = fail_at;
            gbs_status status = whole_story(ctx, &t, &o);
            if (status != GBS_ERR_MEMORY || h.blocks != before)
                print_error("kind %d, allocation %ld of %ld: status %d, %ld blocks left\n", kind,
                            fail_at, calls, (int)status, h.blocks - before);
            assert_int_equal(status, GBS_ERR_MEMORY);
            assert_int_equal(h.blocks, before);
        }
        gbs_context_free(ctx);
        assert_int_equal(h.blocks, 0);
    }
    free_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_with_stages_reads_back_the_same_bits),
        cmocka_unit_test(damaged_stages_are_refused),
        cmocka_unit_test(a_mixture_votes_as_its_stages_do),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(every_failed_allocation_comes_back_as_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
