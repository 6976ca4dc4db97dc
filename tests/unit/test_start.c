/* Warm starts (docs/maths.md, 4.10): the same answer in fewer iterations, or no start at all. */
#include "fit/run.h"
#include "fit/start.h"
#include "model/many.h"
#include "unit/host.h"

static gbs_model *fitted(gbs_context *ctx, const gbs_data *data, const char *const (*asked)[2],
                         size_t count, const gbs_model *start) {
    gbs_options *o;
    gbs_model *model;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    for (size_t k = 0; k < count; k++)
        assert_ok(ctx, gbs_options_set(o, asked[k][0], asked[k][1]));
    assert_ok(ctx, gbs_fit_from(ctx, data, o, start, &model));
    gbs_options_free(o);
    return model;
}

/* F may differ by what the solver's tolerance leaves, 1e-8 by default, and theta by what that
 * moves: F is strongly convex. */
static void assert_same_posterior(const gbs_model *a, const gbs_model *b) {
    const gbs_gaussian *p = &a->stages[0].posterior, *q = &b->stages[0].posterior;
    assert_close(a->info.free_energy, b->info.free_energy, 1e-7, 1e-7);
    assert_int_equal(p->d, q->d);
    for (size_t k = 0; k < p->d; k++)
        assert_close(p->mean[k], q->mean[k], 0.0, 2e-3);
    assert_close(a->info.kl, b->info.kl, 1e-3, 1e-3);
}

/* ---------------------------------------------------------------- the start itself */

/* In another design the start has the scores that the model had. */
static void a_start_keeps_the_scores(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(3, 200, 4);
    for (size_t i = 0; i < t.n; i++) {
        t.x[i * t.d + 1] = 30.0 + 5.0 * t.x[i * t.d + 1];
        t.x[i * t.d + 3] *= 1e-3;
    }
    gbs_data *data = dense_data(ctx, &t);
    static const char *const asked[][2] = {
        {"loss", "hinge"}, {"prior", "zero"}, {"scale", "none"}, {"family", "diagonal"}};
    gbs_model *from = fitted(ctx, data, asked, COUNT(asked), NULL);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.loss = GBS_LOSS_HINGE;
    o.columns = GBS_COLUMNS_RELEVANCE;
    o.constant = 2.0;
    for (int family = GBS_FAMILY_FIXED; family <= GBS_FAMILY_FULL; family++) {
        gbs_maps maps;
        gbs_gaussian start;
        double b[2][4], a[2];
        o.family = (gbs_family)family;
        assert_ok(ctx, gbs_maps_learn(ctx, data, &o, &maps));
        assert_ok(ctx, gbs_start_make(ctx, &o, from, &maps, &start));
        assert_non_null(start.mean);
        assert_true(gbs_maps_linear(&maps, start.mean, b[0], &a[0]));
        assert_true(gbs_maps_linear(&from->maps, from->stages[0].posterior.mean, b[1], &a[1]));
        for (size_t k = 0; k < 4; k++)
            assert_close(b[0][k], b[1][k], 1e-12, 1e-14);
        assert_close(a[0], a[1], 1e-12, 1e-12);
        if (start.tau != NULL) /* spreads of the slopes too */
            for (size_t k = 0; k < 5; k++)
                assert_close(start.sd[k] * gbs_maps_slope(&maps, k),
                             from->stages[0].posterior.sd[k] * gbs_maps_slope(&from->maps, k),
                             1e-12, 0.0);
        gbs_gaussian_free(ctx, &start);
        gbs_maps_free(ctx, &maps);
    }
    o.loss = GBS_LOSS_ZERO_ONE; /* many minima: no start */
    gbs_gaussian none;
    assert_ok(ctx, gbs_start_make(ctx, &o, from, &from->maps, &none));
    assert_null(none.mean);
    gbs_model_free(from);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- fits */

struct way {
    const char *family, *loss, *scale, *prior;
    bool sparse;
    size_t n, d;
};

static const struct way ways[] = {
    {"full", "hinge", "standard", "zero", false, 200, 5},
    {"diagonal", "hinge", "standard", "zero", false, 200, 5},
    {"isotropic", "hinge", "none", "zero", false, 200, 5},
    {"fixed", "exponential", "standard", "zero", false, 200, 5},
    {"full", "exponential", "standard", "zero", false, 200, 5},
    {"diagonal", "hinge", "standard", "zero", true, 200, 8},
    {"full", "hinge", "standard", "zero", false, 25, 40}, /* in the row space */
    {"full", "hinge", "standard", "informed", false, 300, 5},
};

/* From all but some rows, and from the result itself. */
static void a_warm_fit_is_the_cold_one_in_fewer_iterations(void **state) {
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        const struct way *way = &ways[w];
        const char *const asked[][2] = {{"family", way->family}, {"loss", way->loss},
                                        {"scale", way->scale},   {"prior", way->prior},
                                        {"bound", "kl"},         {"lambda", "50"}};
        gbs_context *ctx = new_context(1, 1);
        struct dice r = {40 + w};
        struct table_of_numbers t = make_table(&r, way->n, way->d, way->sparse ? 0.4 : 1.0, 0.5);
        gbs_data *all = way->sparse ? sparse_data(ctx, &t) : dense_data(ctx, &t);
        t.n -= way->n / 5;
        gbs_data *some = way->sparse ? sparse_data(ctx, &t) : dense_data(ctx, &t);
        gbs_model *before = fitted(ctx, some, asked, COUNT(asked), NULL),
                  *cold = fitted(ctx, all, asked, COUNT(asked), NULL),
                  *warm = fitted(ctx, all, asked, COUNT(asked), before),
                  *again = fitted(ctx, all, asked, COUNT(asked), cold);
        assert_same_posterior(warm, cold);
        assert_same_posterior(again, cold);
        assert_true(warm->info.converged && again->info.converged);
        assert_true(warm->info.iterations <= cold->info.iterations);
        assert_true(again->info.iterations < cold->info.iterations);
        if (cold->info.dual == 0) /* the row space keeps standard deviations of the prior alone */
            assert_true(again->info.iterations <= 2);
        assert_close(gbs_model_certificate(again, 0)->value, gbs_model_certificate(cold, 0)->value,
                     1e-4, 0.0);
        gbs_model_free(before);
        gbs_model_free(cold);
        gbs_model_free(warm);
        gbs_model_free(again);
        gbs_data_free(all);
        gbs_data_free(some);
        free_table(&t);
        gbs_context_free(ctx);
    }
}

/* Every choice is made as ever, and the labels that are certified are the same. */
static void the_default_fit_may_be_started(void **state) {
    (void)state;
    static const char *const hinge[][2] = {{"loss", "hinge"}};
    gbs_context *ctx = new_context(1, 2);
    struct table_of_numbers t = small_table(8, 400, 5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *cold = fitted(ctx, data, hinge, 1, NULL), *warm = fitted(ctx, data, hinge, 1, cold);
    assert_same_posterior(warm, cold);
    assert_true(warm->info.iterations < cold->info.iterations);
    assert_true(gbs_model_certificate(warm, 0)->value == gbs_model_certificate(cold, 0)->value);
    assert_int_equal(gbs_model_certificate(warm, 0)->valid, 1);
    gbs_model_free(cold);
    gbs_model_free(warm);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Fourier features are drawn for each fit, zero-one loss has many minima, stages start from one
 * another: such fits are those without a start, to the bit. */
static void a_start_of_no_use_changes_nothing(void **state) {
    (void)state;
    static const char *const asked[][2] = {{"loss", "zero-one"},     {"features", "fourier:20"},
                                           {"bound", "progressive"}, {"solver", "sgd"},
                                           {"tol", "1e-3"},          {"scale", "unit-row"}};
    gbs_context *ctx = new_context(1, 3);
    struct table_of_numbers t = small_table(9, 60, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *start = fitted(ctx, data, NULL, 0, NULL);
    for (size_t k = 0; k < COUNT(asked); k++) {
        gbs_model *cold = fitted(ctx, data, &asked[k], 1, NULL),
                  *warm = fitted(ctx, data, &asked[k], 1, start);
        const gbs_gaussian *p = &cold->stages[0].posterior, *q = &warm->stages[0].posterior;
        assert_true(same_bits(p->mean, q->mean, p->d));
        assert_true(cold->info.free_energy == warm->info.free_energy);
        gbs_model_free(cold);
        gbs_model_free(warm);
    }
    gbs_model_free(start);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* A start from rows of another world is worse than none, and is left alone. */
static void a_bad_start_is_not_taken(void **state) {
    (void)state;
    static const char *const asked[][2] = {
        {"loss", "exponential"}, {"prior", "zero"}, {"scale", "none"}, {"family", "diagonal"}};
    gbs_context *ctx = new_context(1, 3);
    struct table_of_numbers t = small_table(10, 160, 3), other = small_table(11, 160, 3);
    for (size_t i = 0; i < other.n * other.d; i++)
        other.x[i] *= -1e-4;
    gbs_data *data = dense_data(ctx, &t), *far = dense_data(ctx, &other);
    const char *wide[5][2];
    memcpy(wide, asked, sizeof asked);
    wide[4][0] = "prior-sd", wide[4][1] = "1e5";
    gbs_model *start = fitted(ctx, far, wide, COUNT(wide), NULL),
              *cold = fitted(ctx, data, asked, COUNT(asked), NULL),
              *warm = fitted(ctx, data, asked, COUNT(asked), start);
    assert_true(warm->info.converged);
    assert_same_posterior(warm, cold);
    gbs_model_free(start);
    gbs_model_free(cold);
    gbs_model_free(warm);
    gbs_data_free(data);
    gbs_data_free(far);
    free_table(&t);
    free_table(&other);
    gbs_context_free(ctx);
}

/* Where a fit stops before its optimum is proven, where it began may show: a start that knows the
 * certified rows breaks the promise. */
static void a_start_that_shows_is_told(void **state) {
    (void)state;
    static const char *const zero[][2] = {{"loss", "hinge"}, {"prior", "zero"}},
                             *const once[][2] = {{"loss", "hinge"}, {"max-iter", "1"}};
    gbs_context *ctx = new_context(1, 2);
    struct table_of_numbers t = small_table(12, 400, 5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *start = fitted(ctx, data, zero, COUNT(zero), NULL),
              *cold = fitted(ctx, data, once, COUNT(once), NULL),
              *warm = fitted(ctx, data, once, COUNT(once), start);
    assert_false(cold->info.converged || warm->info.converged);
    assert_int_equal(gbs_model_certificate(cold, 0)->valid, 1);
    size_t count;
    const gbs_certificate *c = certificates_of(warm, &count);
    for (size_t k = 0; k < count; k++)
        assert_true(!c[k].valid && (c[k].assumptions & GBS_BROKEN_START) != 0);
    gbs_model_free(start);
    gbs_model_free(cold);
    gbs_model_free(warm);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void three_classes_start_part_by_part(void **state) {
    (void)state;
    enum { N = 240, D = 3 };
    static const char *const hinge[][2] = {{"loss", "hinge"}, {"max-iter", "1"}};
    gbs_context *ctx = new_context(1, 3);
    struct dice r = {12};
    double x[N * D];
    uint32_t class_of[N];
    for (size_t i = 0; i < N * D; i++)
        x[i] = dice_normal(&r);
    for (size_t i = 0; i < N; i++) {
        class_of[i] = 0;
        for (uint32_t k = 1; k < D; k++)
            class_of[i] = x[i * D + k] > x[i * D + class_of[i]] ? k : class_of[i];
    }
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, N, D, x, D, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_set_classes(ctx, data, N, class_of, D));
    gbs_model *cold = fitted(ctx, data, hinge, 1, NULL), *warm = fitted(ctx, data, hinge, 1, cold);
    size_t before = 0, after = 0;
    assert_int_equal(cold->many->parts, warm->many->parts);
    for (size_t p = 0; p < cold->many->parts; p++) {
        assert_same_posterior(warm->many->part[p], cold->many->part[p]);
        before += cold->many->part[p]->info.iterations;
        after += warm->many->part[p]->info.iterations;
    }
    assert_true(after < before);
    assert_int_equal(gbs_model_certificate(warm, 0)->valid, 1);
    gbs_model *once = fitted(ctx, data, hinge, 2, NULL), *again = fitted(ctx, data, hinge, 2, cold);
    assert_int_equal(gbs_model_certificate(once, 0)->valid, 1);
    assert_false(again->many->part[0]->info.converged);
    assert_true(!gbs_model_certificate(again, 0)->valid &&
                (gbs_model_certificate(again, 0)->assumptions & GBS_BROKEN_START) != 0);
    gbs_model_free(once);
    gbs_model_free(again);
    gbs_model_free(cold);
    gbs_model_free(warm);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void a_start_of_other_rows_or_another_task_is_refused(void **state) {
    (void)state;
    static const char *const rank[][2] = {{"task", "rank"}};
    gbs_context *ctx = new_context(1, 3);
    struct table_of_numbers t = small_table(13, 80, 3), wide = small_table(13, 80, 4);
    gbs_data *data = dense_data(ctx, &t), *other = dense_data(ctx, &wide);
    gbs_model *start = fitted(ctx, data, NULL, 0, NULL), *ranker = fitted(ctx, data, rank, 1, NULL),
              *m;
    assert_int_equal(gbs_fit_from(ctx, other, NULL, start, &m), GBS_ERR_DATA);
    assert_null(m);
    assert_non_null(strstr(gbs_error_message(ctx), "3 columns"));
    assert_int_equal(gbs_fit_from(ctx, data, NULL, ranker, &m), GBS_ERR_DATA);
    assert_non_null(strstr(gbs_error_message(ctx), "rank"));
    assert_int_equal(gbs_fit_from(NULL, data, NULL, start, &m), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_fit_from(ctx, NULL, NULL, start, &m), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_fit_from(ctx, data, NULL, start, NULL), GBS_ERR_ARGUMENT);
    gbs_model_free(start);
    gbs_model_free(ranker);
    gbs_data_free(data);
    gbs_data_free(other);
    free_table(&t);
    free_table(&wide);
    gbs_context_free(ctx);
}

/* Every allocation may fail: GBS_ERR_MEMORY, no model, and nothing stays behind. */
static void memory_may_run_out_at_any_point(void **state) {
    (void)state;
    static const char *const asked[][2] = {
        {"loss", "hinge"}, {"prior", "zero"}, {"bound", "kl"}, {"family", "full"}};
    struct host host;
    gbs_context *ctx = host_context(&host);
    struct table_of_numbers t = small_table(21, 30, 2);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *start = fitted(ctx, data, asked, 3, NULL), *m;
    gbs_options *o;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    for (size_t k = 0; k < COUNT(asked); k++)
        assert_ok(ctx, gbs_options_set(o, asked[k][0], asked[k][1]));
    long before = host.blocks;
    for (long at = 0;; at++) {
        host.calls = 0;
        host.fail_at = at;
        gbs_status status = gbs_fit_from(ctx, data, o, start, &m);
        host.fail_at = -1;
        if (status == GBS_OK) {
            assert_true(at > 10);
            break;
        }
        assert_int_equal(status, GBS_ERR_MEMORY);
        assert_null(m);
        assert_int_equal(host.blocks, before);
    }
    gbs_model_free(m);
    assert_int_equal(host.blocks, before);
    gbs_options_free(o);
    gbs_model_free(start);
    gbs_data_free(data);
    free_table(&t);
    leave(&host, ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_keeps_the_scores),
        cmocka_unit_test(a_warm_fit_is_the_cold_one_in_fewer_iterations),
        cmocka_unit_test(the_default_fit_may_be_started),
        cmocka_unit_test(a_start_of_no_use_changes_nothing),
        cmocka_unit_test(a_bad_start_is_not_taken),
        cmocka_unit_test(a_start_that_shows_is_told),
        cmocka_unit_test(three_classes_start_part_by_part),
        cmocka_unit_test(a_start_of_other_rows_or_another_task_is_refused),
        cmocka_unit_test(memory_may_run_out_at_any_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
