/* Samples and completions told as JSON: every number is the one that the getters give. */
#include "unit/completion_support.h"
#include "unit/host.h"
#include "unit/people.h"
#include "unit/told_support.h"

static json_t *told_sample(gbs_context *ctx, const gbs_particles *particles, unsigned parts) {
    char *text;
    size_t size;
    assert_ok(ctx, gbs_particles_describe_json(ctx, particles, parts, &text, &size));
    return parsed(ctx, text, size);
}

static json_t *told_completion(gbs_context *ctx, const gbs_completion *model, unsigned parts) {
    char *text;
    size_t size;
    assert_ok(ctx, gbs_completion_describe_json(ctx, model, parts, &text, &size));
    return parsed(ctx, text, size);
}

/* ---------------------------------------------------------------- samples */

static gbs_particles *drawn(gbs_context *ctx, const gbs_data *data) {
    gbs_options *o;
    gbs_particles *particles;
    assert_ok(ctx, gbs_options_create(ctx, "sample", &o));
    assert_ok(ctx, gbs_options_set(o, "particles", "64"));
    assert_ok(ctx, gbs_sample(ctx, data, o, &particles));
    gbs_options_free(o);
    return particles;
}

static void check_path(const json_t *root, const gbs_particles *particles) {
    const json_t *path = member(root, "path"), *lambda = member(root, "lambda_path");
    assert_int_equal(json_array_size(path), gbs_particles_path_size(particles));
    assert_int_equal(json_array_size(lambda), gbs_particles_path_size(particles));
    for (size_t t = 0; t < json_array_size(path); t++) {
        const gbs_sample_point *at = gbs_particles_path_at(particles, t);
        const json_t *told = json_array_get(path, t);
        assert_true(json_number_value(json_array_get(lambda, t)) == at->lambda);
        assert_true(number(told, "lambda") == at->lambda);
        assert_true(number(told, "log_z") == at->log_z);
        assert_true(number(told, "gibbs_risk") == at->gibbs_risk);
        assert_true(number(told, "ess") == at->ess);
        assert_true(t > 0 || json_is_null(member(told, "acceptance"))); /* the prior has none */
    }
}

/* Standard deviations against the diagonal of the covariance. */
static void check_coefficients(const json_t *root, const gbs_particles *particles) {
    size_t d = gbs_particles_get_info(particles)->d;
    const json_t *told = member(root, "coefficients");
    double *mean = doubles(d + d * d), *covariance = mean + d;
    gbs_particles_moments(particles, mean, covariance);
    assert_int_equal(json_array_size(told), d);
    for (size_t k = 0; k < d; k++) {
        assert_true(number(json_array_get(told, k), "mean") == mean[k]);
        assert_close(number(json_array_get(told, k), "sd"), sqrt(covariance[k * d + k]), 1e-12,
                     0.0);
    }
    free(mean);
}

static void a_sample_is_told(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(3, 60, 2);
    gbs_data *data = dense_data(ctx, &t);
    gbs_particles *particles = drawn(ctx, data);
    const gbs_sample_info *info = gbs_particles_get_info(particles);
    json_t *root = told_sample(ctx, particles, 0);
    assert_string_equal(text_of(root, "task"), "classify");
    assert_string_equal(text_of(root, "loss"), gbs_loss_name(info->loss));
    assert_int_equal((size_t)number(root, "particles"), 64);
    assert_true(number(root, "log_z") == info->log_z);
    assert_true(number(root, "log_z_sd") == info->log_z_sd);
    assert_true(number(root, "gibbs_risk") == info->gibbs_risk);
    assert_true(number(root, "kl") == info->kl);
    assert_true(number(member(root, "estimate"), "value") == info->bound);
    assert_string_equal(text_of(member(root, "estimate"), "status"), "estimate");
    check_path(root, particles);
    check_coefficients(root, particles);
    assert_string_equal(text_of(json_array_get(member(root, "coefficients"), 1), "name"), "V2");
    json_decref(root);
    root = told_sample(ctx, particles, GBS_DESCRIBE_PATH | GBS_DESCRIBE_TRACE);
    assert_int_equal(json_object_size(root), 2); /* there is no trace */
    json_decref(root);
    gbs_particles_free(particles);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void a_sample_is_told_with_the_names_of_its_recipe(void **state) {
    (void)state;
    static struct people p;
    gbs_context *ctx = new_context(1, 1);
    gbs_table *t;
    gbs_data *data;
    make_people(&p, 2);
    assert_ok(ctx, gbs_table_create(ctx, ROWS, 2, &t));
    assert_ok(ctx, gbs_table_add_numbers(ctx, t, "age \"in\" years", p.age));
    assert_ok(ctx, gbs_table_add_texts(ctx, t, "happy", p.label));
    assert_ok(ctx, gbs_table_train(ctx, t, NULL, &data));
    gbs_particles *particles = drawn(ctx, data);
    json_t *root = told_sample(ctx, particles, GBS_DESCRIBE_COEFFICIENTS);
    assert_string_equal(text_of(json_array_get(member(root, "coefficients"), 0), "name"),
                        "age \"in\" years");
    json_decref(root);
    gbs_particles_free(particles);
    gbs_data_free(data);
    gbs_table_free(t);
    forget_people(&p);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- completions */

static gbs_completion *completed(gbs_context *ctx, const struct matrix_truth *truth,
                                 const char *const (*asked)[2], size_t count) {
    gbs_ratings *ratings = ratings_of(ctx, truth);
    gbs_options *o;
    gbs_completion *model;
    assert_ok(ctx, gbs_options_create(ctx, "complete", &o));
    assert_ok(ctx, gbs_options_set(o, "rank", "2"));
    for (size_t k = 0; k < count; k++)
        assert_ok(ctx, gbs_options_set(o, asked[k][0], asked[k][1]));
    assert_ok(ctx, gbs_complete(ctx, ratings, o, &model));
    gbs_options_free(o);
    gbs_ratings_free(ratings);
    return model;
}

static void check_completion(gbs_context *ctx, const gbs_completion *model) {
    const gbs_completion_info *info = gbs_completion_get_info(model);
    const gbs_rating_certificate *c = gbs_completion_certificate(model);
    double size[8], sd[8];
    json_t *root = told_completion(ctx, model, 0);
    assert_string_equal(text_of(root, "task"), "complete");
    assert_string_equal(text_of(root, "model"),
                        gbs_completion_model_name(gbs_completion_get_model(model)));
    assert_int_equal((size_t)number(root, "n"), info->n);
    assert_true(number(root, "rmse") == info->rmse);
    assert_true(number(root, "free_energy") == info->free_energy);
    assert_int_equal((size_t)number(root, "sweeps"), info->sweeps);
    assert_string_equal(text_of(member(root, "origin"), "version"), gbs_version());
    assert_int_equal(json_array_size(member(root, "choices")), gbs_completion_choices(model));
    assert_int_equal(json_array_size(member(root, "trace")), gbs_completion_trace_size(model));
    const json_t *told = member(root, "certificate"), *parts = member(root, "components");
    assert_int_equal(json_is_null(told), !c->present);
    if (c->present) {
        const json_t *assumed = member(told, "assumptions");
        assert_true(number(told, "value") == c->value);
        assert_true(number(told, "rmse") == c->rmse);
        assert_true(number(told, "empirical") == c->empirical);
        assert_true(json_array_size(assumed) >= 2);
        for (size_t k = 0; k < json_array_size(assumed); k++)
            assert_string_equal(json_string_value(json_array_get(assumed, k)),
                                gbs_completion_assumption(model, k));
        assert_null(gbs_completion_assumption(model, json_array_size(assumed)));
        assert_true(json_number_value(json_array_get(member(root, "range"), 1)) == info->high);
    } else {
        assert_null(gbs_completion_assumption(model, 0));
    }
    assert_true(info->effective_rank <= 8);
    assert_int_equal(json_array_size(parts), info->effective_rank);
    gbs_completion_components(model, size, sd);
    for (size_t k = 0; k < info->effective_rank; k++)
        assert_true(number(json_array_get(parts, k), "size") == size[k] &&
                    number(json_array_get(parts, k), "prior_sd") == sd[k]);
    json_decref(root);
    root = told_completion(ctx, model, GBS_DESCRIBE_CERTIFICATES);
    assert_int_equal(json_object_size(root), 1);
    json_decref(root);
}

static void completions_are_told(void **state) {
    (void)state;
    static const char *const plain[][2] = {{"model", "hierarchical"}},
                             *const bounded[][2] = {{"range", "-9:15"}},
                             *const paper[][2] = {{"model", "paper"}, {"range", "-9:15"}},
                             *const chosen[][2] = {{"model", "paper"},
                                                   {"range", "-9:15"},
                                                   {"prior", "informed"},
                                                   {"select", "cv"}};
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth truth = make_truth(5, 20, 15, 2, 200, 0.3, 3.0, true);
    gbs_completion *models[] = {completed(ctx, &truth, plain, COUNT(plain)),
                                completed(ctx, &truth, bounded, COUNT(bounded)),
                                completed(ctx, &truth, paper, COUNT(paper)),
                                completed(ctx, &truth, chosen, COUNT(chosen))};
    for (size_t k = 0; k < COUNT(models); k++) {
        assert_int_equal(gbs_completion_certificate(models[k])->present != 0, k > 0);
        check_completion(ctx, models[k]);
    }
    assert_non_null(strstr(gbs_completion_assumption(models[1], 0), "taste"));
    assert_non_null(strstr(gbs_completion_assumption(models[3], 3), "cross-validation"));
    for (size_t k = 0; k < COUNT(models); k++)
        gbs_completion_free(models[k]);
    free_truth(&truth);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- memory */

/* Every allocation may fail: GBS_ERR_MEMORY, no text, and nothing stays behind. */
static void memory_may_run_out_at_any_point(void **state) {
    (void)state;
    static const char *const bounded[][2] = {{"range", "-9:15"}};
    struct host host;
    gbs_context *ctx = host_context(&host);
    struct table_of_numbers t = small_table(3, 40, 2);
    struct matrix_truth truth = make_truth(5, 12, 9, 1, 80, 0.3, 3.0, true);
    gbs_data *data = dense_data(ctx, &t);
    gbs_particles *particles = drawn(ctx, data);
    gbs_completion *model = completed(ctx, &truth, bounded, COUNT(bounded));
    long before = host.blocks;
    for (int kind = 0; kind < 2; kind++)
        for (long at = 0;; at++) {
            char *text;
            host.calls = 0;
            host.fail_at = at;
            gbs_status status = kind == 0
                                    ? gbs_particles_describe_json(ctx, particles, 0, &text, NULL)
                                    : gbs_completion_describe_json(ctx, model, 0, &text, NULL);
            host.fail_at = -1;
            if (status == GBS_OK) {
                assert_true(at > 1);
                gbs_release(ctx, text);
                break;
            }
            assert_int_equal(status, GBS_ERR_MEMORY);
            assert_null(text);
            assert_int_equal(host.blocks, before);
        }
    assert_int_equal(host.blocks, before);
    gbs_completion_free(model);
    gbs_particles_free(particles);
    gbs_data_free(data);
    free_truth(&truth);
    free_table(&t);
    leave(&host, ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_is_told),
        cmocka_unit_test(a_sample_is_told_with_the_names_of_its_recipe),
        cmocka_unit_test(completions_are_told),
        cmocka_unit_test(memory_may_run_out_at_any_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
