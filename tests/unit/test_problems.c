/* The binary problems behind three classes or more: rows of two classes, their Gibbs posteriors
 * sampled, and the gap of a part, against data of two classes that were put together by hand. */
#include "support.h"

enum { N = 240, K = 4, MOST_COLUMNS = 2 };

struct rows {
    size_t d;
    double x[N * MOST_COLUMNS];
    uint32_t class_of[N];
};

/* Around a circle each class can be told from the rest by a line; along a line only pairs can. */
static struct rows draw_rows(bool circle) {
    struct rows t = {.d = circle ? 2 : 1};
    double spread = circle ? 0.7 : 0.3;
    struct dice r = {7};
    for (size_t i = 0; i < N; i++) {
        uint32_t k = (uint32_t)(i % K);
        double angle = 1.5707963 * k;
        t.class_of[i] = k;
        t.x[i * t.d] = (circle ? 2.0 * cos(angle) : 2.0 * k) + spread * dice_normal(&r);
        if (circle)
            t.x[i * t.d + 1] = 2.0 * sin(angle) + spread * dice_normal(&r);
    }
    return t;
}

static gbs_data *data_of(gbs_context *ctx, const struct rows *t) {
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, N, t->d, t->x, t->d, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_set_classes(ctx, data, N, t->class_of, K));
    return data;
}

/* By hand: of the first rows those of class one as +1 and of the other, or all others, as -1. */
static gbs_data *two_classes(gbs_context *ctx, const struct rows *t, size_t first, size_t one,
                             size_t other) {
    double x[N * MOST_COLUMNS], y[N];
    size_t n = 0;
    gbs_data *data;
    for (size_t i = 0; i < first; i++) {
        if (t->class_of[i] != one && other != SIZE_MAX && t->class_of[i] != other)
            continue;
        memcpy(x + n * t->d, t->x + i * t->d, t->d * sizeof *x);
        y[n++] = t->class_of[i] == one ? 1.0 : -1.0;
    }
    assert_ok(ctx, gbs_data_dense(ctx, n, t->d, x, t->d, y, GBS_COPY, &data));
    return data;
}

static gbs_options *options(gbs_context *ctx, const char *command, const char *const set[][2]) {
    gbs_options *o;
    assert_ok(ctx, gbs_options_create(ctx, command, &o));
    for (size_t k = 0; set[k][0] != NULL; k++)
        assert_ok(ctx, gbs_options_set(o, set[k][0], set[k][1]));
    return o;
}

static void a_class_against_others_is_data_of_two_classes(void **state) {
    (void)state;
    static const char *const how[][2] = {{"particles", "64"}, {"lambda", "50"}, {NULL, NULL}};
    static const size_t pairs[][2] = {{0, SIZE_MAX}, {3, SIZE_MAX}, {2, 0}};
    gbs_context *ctx = new_context(1, 3);
    struct rows t = draw_rows(true);
    gbs_data *all = data_of(ctx, &t);
    gbs_options *o = options(ctx, "sample", how);
    for (size_t k = 0; k < COUNT(pairs); k++) {
        size_t one = pairs[k][0], other = pairs[k][1];
        gbs_data *by_hand = two_classes(ctx, &t, N, one, other), *made;
        gbs_particles *a, *b;
        assert_ok(ctx, gbs_data_against(ctx, all, one, other, &made));
        assert_int_equal(gbs_data_classes(made), 2);
        assert_int_equal(gbs_data_rows(made), gbs_data_rows(by_hand));
        for (size_t i = 0; i < gbs_data_rows(made); i++)
            assert_int_equal(gbs_data_class(made, i), gbs_data_class(by_hand, i));
        assert_ok(ctx, gbs_sample(ctx, made, o, &a));
        assert_ok(ctx, gbs_sample(ctx, by_hand, o, &b));
        assert_memory_equal(gbs_particles_draws(a), gbs_particles_draws(b),
                            64 * gbs_particles_get_info(a)->d * sizeof(double));
        assert_true(gbs_particles_get_info(a)->log_z == gbs_particles_get_info(b)->log_z);
        gbs_particles_free(a);
        gbs_particles_free(b);
        gbs_data_free(made);
        gbs_data_free(by_hand);
    }
    gbs_options_free(o);
    gbs_data_free(all);
    gbs_context_free(ctx);
}

/* The sampling for part k and its gap, against a fit and a sampling of the same two classes. */
static void check_part(gbs_context *ctx, const struct rows *t, const gbs_data *all,
                       const gbs_model *model, size_t k) {
    size_t one, other;
    const gbs_model *part = gbs_model_part(model, k, &one, &other);
    const gbs_model_info *info = gbs_model_get_info(part);
    char lambda[40];
    snprintf(lambda, sizeof lambda, "%.17g", info->lambda);
    const char *const sampled[][2] = {{"particles", "200"},
                                      {"loss", "hinge"},
                                      {"lambda", lambda},
                                      {"prior-sd", "1"},
                                      {NULL, NULL}},
                      *const fitted[][2] = {{"loss", "hinge"}, {"lambda", lambda},
                                            {"prior", "zero"}, {"prior-sd", "1"},
                                            {"bound", "kl"},   {NULL, NULL}};
    gbs_options *how = options(ctx, "sample", sampled), *fit = options(ctx, "fit", fitted);
    gbs_data *two = two_classes(ctx, t, gbs_model_classes_card(model)->learned, one, other);
    gbs_particles *mine, *theirs;
    gbs_gap *gap, *expected;
    gbs_model *binary;
    assert_ok(ctx, gbs_sample_for(ctx, all, part, 0, how, &mine));
    assert_ok(ctx, gbs_measure_gap(ctx, all, part, mine, &gap));
    assert_ok(ctx, gbs_sample(ctx, two, how, &theirs));
    assert_ok(ctx, gbs_fit(ctx, two, fit, &binary));
    assert_ok(ctx, gbs_measure_gap(ctx, two, binary, theirs, &expected));
    const gbs_sample_info *a = gbs_particles_get_info(mine), *b = gbs_particles_get_info(theirs);
    assert_true(a->log_z == b->log_z && a->gibbs_risk == b->gibbs_risk && a->n == b->n);
    assert_memory_equal(gbs_particles_draws(mine), gbs_particles_draws(theirs),
                        a->particles * a->d * sizeof(double));
    assert_int_equal(a->n_data, N);
    assert_true(isnan(a->bound) && isfinite(b->bound)); /* the prior's width knows the rows */
    assert_close(gap->free_energy, expected->free_energy, 1e-6, 1e-6);
    assert_close(gap->gap, expected->gap, 0.0, 1e-4);
    assert_true(gap->gap_sd == expected->gap_sd);
    assert_close(gap->gap, info->free_energy + a->log_z, 1e-9, 1e-9);
    gbs_gap_free(gap);
    gbs_gap_free(expected);
    gbs_particles_free(mine);
    gbs_particles_free(theirs);
    gbs_model_free(binary);
    gbs_data_free(two);
    gbs_options_free(how);
    gbs_options_free(fit);
}

static void the_gap_of_a_part_is_that_of_two_classes(void **state) {
    (void)state;
    static const char *const how[][2] = {{"loss", "hinge"},
                                         {"prior-sd", "1"},
                                         {"columns", "equal"},
                                         {"order", "time"},
                                         {NULL, NULL}};
    gbs_context *ctx = new_context(1, 3);
    for (int circle = 0; circle < 2; circle++) {
        struct rows t = draw_rows(circle);
        gbs_data *all = data_of(ctx, &t);
        gbs_options *o = options(ctx, "fit", how);
        gbs_model *model, *read;
        char *text;
        assert_ok(ctx, gbs_fit(ctx, all, o, &model));
        assert_int_equal(gbs_model_classes_card(model)->scheme,
                         circle ? GBS_SCHEME_REST : GBS_SCHEME_PAIRS);
        assert_ok(ctx, gbs_model_to_json(ctx, model, &text, NULL));
        assert_ok(ctx, gbs_model_from_json(ctx, text, strlen(text), &read));
        for (size_t k = 0; k < (circle ? 4 : 6); k++) {
            check_part(ctx, &t, all, model, k);
            check_part(ctx, &t, all, read, k);
        }
        gbs_release(ctx, text);
        gbs_model_free(model);
        gbs_model_free(read);
        gbs_options_free(o);
        gbs_data_free(all);
    }
    gbs_context_free(ctx);
}

/* Without an order in time the rows of a part are found again too. */
static void a_part_finds_its_rows_again(void **state) {
    (void)state;
    static const char *const how[][2] = {{"loss", "hinge"}, {"prior-sd", "1"}, {NULL, NULL}},
                             *const few[][2] = {{"particles", "32"}, {NULL, NULL}};
    gbs_context *ctx = new_context(1, 3);
    for (int circle = 0; circle < 2; circle++) {
        struct rows t = draw_rows(circle), other = t;
        other.x[0] += 1.0;
        other.x[t.d] -= 1.0;
        gbs_data *all = data_of(ctx, &t), *others = data_of(ctx, &other),
                 *two = two_classes(ctx, &t, N, 0, SIZE_MAX);
        gbs_options *o = options(ctx, "fit", how), *s = options(ctx, "sample", few);
        gbs_model *model;
        gbs_particles *p;
        assert_ok(ctx, gbs_fit(ctx, all, o, &model));
        const gbs_model *part = gbs_model_part(model, 0, NULL, NULL);
        assert_ok(ctx, gbs_sample_for(ctx, all, part, 0, s, &p));
        assert_true(gbs_particles_get_info(p)->n < N);
        gbs_particles_free(p);
        assert_int_equal(gbs_sample_for(ctx, others, part, 0, s, &p), GBS_ERR_DATA);
        assert_null(p);
        assert_int_equal(gbs_sample_for(ctx, two, part, 0, s, &p), GBS_ERR_DATA);
        assert_non_null(strstr(gbs_error_message(ctx), "rows of 4 classes, and these have 2"));
        gbs_model_free(model);
        gbs_options_free(o);
        gbs_options_free(s);
        gbs_data_free(all);
        gbs_data_free(others);
        gbs_data_free(two);
    }
    gbs_context_free(ctx);
}

static void what_has_no_binary_problem_is_refused(void **state) {
    (void)state;
    static const char *const none[][2] = {{NULL, NULL}}, *const few[][2] = {{"particles", "32"},
                                                                            {NULL, NULL}};
    gbs_context *ctx = new_context(1, 3);
    struct rows t = draw_rows(true);
    gbs_data *all = data_of(ctx, &t), *two = two_classes(ctx, &t, N, 0, SIZE_MAX), *none_made;
    gbs_options *o = options(ctx, "fit", none), *s = options(ctx, "sample", few);
    gbs_model *model;
    gbs_particles *p, *some;
    gbs_gap *gap;
    assert_ok(ctx, gbs_fit(ctx, all, o, &model));
    assert_int_equal(gbs_model_classes_card(model)->scheme, GBS_SCHEME_SOFTMAX);
    assert_int_equal(gbs_sample(ctx, all, s, &p), GBS_ERR_DATA);
    assert_int_equal(gbs_sample_for(ctx, all, model, 0, s, &p), GBS_ERR_DATA);
    assert_non_null(strstr(gbs_error_message(ctx), "one of its binary problems"));
    assert_int_equal(gbs_sample_for(ctx, all, gbs_model_part(model, 1, NULL, NULL), 0, s, &p),
                     GBS_ERR_DATA);
    assert_non_null(strstr(gbs_error_message(ctx), "fitted together"));
    assert_null(p);
    assert_ok(ctx, gbs_sample(ctx, two, s, &some));
    assert_int_equal(gbs_measure_gap(ctx, all, model, some, &gap), GBS_ERR_DATA);
    assert_non_null(strstr(gbs_error_message(ctx), "one of its binary problems"));
    assert_null(gap);
    gbs_particles_free(some);
    static const size_t bad[][2] = {{K, SIZE_MAX}, {0, 0}, {0, K}, {SIZE_MAX, SIZE_MAX}};
    for (size_t k = 0; k < COUNT(bad); k++) {
        none_made = two;
        assert_int_equal(gbs_data_against(ctx, all, bad[k][0], bad[k][1], &none_made),
                         GBS_ERR_ARGUMENT);
        assert_null(none_made);
    }
    assert_int_equal(gbs_data_against(ctx, two, 0, 1, &none_made), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_against(ctx, NULL, 0, 1, &none_made), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_against(NULL, all, 0, 1, &none_made), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_against(ctx, all, 0, 1, NULL), GBS_ERR_ARGUMENT);
    gbs_model_free(model);
    gbs_options_free(o);
    gbs_options_free(s);
    gbs_data_free(all);
    gbs_data_free(two);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_against_others_is_data_of_two_classes),
        cmocka_unit_test(the_gap_of_a_part_is_that_of_two_classes),
        cmocka_unit_test(a_part_finds_its_rows_again),
        cmocka_unit_test(what_has_no_binary_problem_is_refused),
    };
    return cmocka_run_group_tests_name("problems", tests, NULL, NULL);
}
