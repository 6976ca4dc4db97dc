/* What is done with particles: votes, moments, files, and the gap, which refuses what does not
 * belong together. */
#include "unit/smc_support.h"
#include "unit/zero_prior.h"

static void the_vote_is_the_average_of_the_particles(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 9);
    struct table_of_numbers t = small_table(26, 80, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_sample_settings o = small_options(GBS_LOSS_EXPONENTIAL, 4.0, 70);
    o.scale = GBS_SCALE_NONE;
    o.intercept = 0;
    gbs_particles *p = sample(ctx, data, &o);
    const double *theta = gbs_particles_draws(p);
    double score[80], sd[80], share[80], risk = 0.0, wrong = 0.0, gibbs = 0.0, mean[3],
                                         covariance[9];
    gbs_evaluation e;
    assert_ok(ctx, gbs_particles_predict(ctx, p, data, score, sd, share));
    assert_ok(ctx, evaluate_particles(ctx, p, data, &e));
    for (size_t i = 0; i < 80; i++) {
        double sum = 0.0, square = 0.0, votes = 0.0;
        for (size_t j = 0; j < 70; j++) {
            double s = 0.0;
            for (size_t k = 0; k < 3; k++)
                s += t.x[i * 3 + k] * theta[j * 3 + k];
            sum += s;
            square += s * s;
            votes += s > 0.0;
            risk += exp(-t.y[i] * s) / 5600.0;
        }
        double right = t.y[i] > 0.0 ? votes / 70.0 : 1.0 - votes / 70.0;
        wrong += right < 0.5;
        gibbs += (1.0 - right) / 80.0;
        assert_close(score[i], sum / 70.0, 1e-10, 1e-12);
        assert_close(share[i], votes / 70.0, 1e-12, 0.0);
        assert_close(sd[i], sqrt(square / 70.0 - sum / 70.0 * sum / 70.0), 1e-7, 1e-9);
    }
    assert_close(e.gibbs_risk, risk, 1e-10, 0.0);
    assert_close(e.gibbs_error, gibbs, 1e-10, 0.0);
    assert_int_equal(e.n, 80);
    /* a vote of exactly one half is an error too */
    assert_true(fabs((double)e.errors - wrong) <= 2.0);
    assert_close(sample_info(p).gibbs_risk, risk, 1e-10, 0.0);
    assert_close(sample_info(p).train_error, e.error, 1e-12, 0.0);
    gbs_particles_moments(p, mean, covariance);
    for (size_t k = 0; k < 3; k++)
        for (size_t l = 0; l < 3; l++) {
            double m = 0.0, q = 0.0;
            for (size_t j = 0; j < 70; j++) {
                m += theta[j * 3 + k] / 70.0;
                q += (theta[j * 3 + k] - mean[k]) * (theta[j * 3 + l] - mean[l]) / 70.0;
            }
            assert_close(mean[k], m, 1e-12, 1e-14);
            assert_close(covariance[k * 3 + l], q, 1e-9, 1e-12);
        }
    gbs_particles_free(p);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void a_sample_file_comes_back_whole_and_damage_is_seen(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 10);
    struct table_of_numbers t = small_table(27, 40, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_sample_settings o = small_options(GBS_LOSS_ZERO_ONE, 10.0, 40);
    gbs_particles *p = sample(ctx, data, &o), *back;
    char *text, *again;
    size_t size, size_again;
    assert_ok(ctx, gbs_particles_set_recipe(ctx, p, "{\"a\":[1,2]}"));
    assert_ok(ctx, gbs_particles_to_json(ctx, p, &text, &size));
    assert_ok(ctx, gbs_particles_from_json(ctx, text, size, &back));
    assert_ok(ctx, gbs_particles_to_json(ctx, back, &again, &size_again));
    assert_int_equal(size, size_again);
    assert_memory_equal(text, again, size);
    assert_string_equal(gbs_particles_recipe(back), "{\"a\":[1,2]}");
    assert_true(same_bits(gbs_particles_draws(back), gbs_particles_draws(p), (size_t)40 * 4));
    gbs_particles_free(back);
    gbs_release(ctx, again);
    for (size_t cut = 0; cut < size - 1; cut += 1 + size / 60) {
        assert_int_equal(gbs_particles_from_json(ctx, text, cut, &back), GBS_ERR_FORMAT);
        assert_null(back);
    }
    static const char *const damage[][2] = {{"\"kind\":\"sample\"", "\"kind\":\"simple\""},
                                            {"\"format\":1", "\"format\":3"},
                                            {"\"d\":4", "\"d\":5"},
                                            {"\"particles\":40", "\"particles\":41"},
                                            {"\"loss\":", "\"lots\":"},
                                            {"\"theta\":[", "\"theta\":[0,"},
                                            {"\"theta\":[", "\"theta\":[\"x\","}};
    for (size_t k = 0; k < COUNT(damage); k++) {
        char *copy = take(size + 16, 1), *at = strstr(text, damage[k][0]);
        assert_non_null(at);
        size_t before = (size_t)(at - text), old = strlen(damage[k][0]), new = strlen(damage[k][1]);
        memcpy(copy, text, before);
        memcpy(copy + before, damage[k][1], new);
        memcpy(copy + before + new, at + old, size - before - old);
        assert_int_equal(gbs_particles_from_json(ctx, copy, size - old + new, &back),
                         GBS_ERR_FORMAT);
        assert_null(back);
        free(copy);
    }
    gbs_release(ctx, text);
    gbs_particles_free(p);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void the_gap_wants_the_same_rows_and_settings(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 11);
    struct table_of_numbers t = small_table(28, 60, 3), other = small_table(28, 60, 3);
    other.y[5] = -other.y[5];
    gbs_data *data = dense_data(ctx, &t), *changed = dense_data(ctx, &other);
    gbs_sample_settings o = small_options(GBS_LOSS_HINGE, 30.0, 400);
    gbs_particles *p = sample(ctx, data, &o);
    gbs_fit_settings f = zero_prior_options();
    gbs_gap gap;
    f.loss = GBS_LOSS_HINGE;
    f.lambda = 30.0;
    for (size_t k = 0; k < COUNT(all_families); k++) {
        f.family = all_families[k];
        gbs_model *model = fit(ctx, data, &f);
        assert_ok(ctx, measure_gap(ctx, data, model, p, &gap));
        assert_close(gap.gap, info_of(model).free_energy + sample_info(p).log_z, 0.0,
                     1e-6 * info_of(model).free_energy);
        assert_close(gap.gap_over_lambda, gap.gap / 30.0, 1e-12, 0.0);
        assert_int_equal(measure_gap(ctx, changed, model, p, &gap), GBS_ERR_DATA);
        assert_non_null(strstr(gbs_error_message(ctx), "does not belong to these rows"));
        gbs_model_free(model);
    }
    for (int k = 0; k < 6; k++) {
        gbs_fit_settings wrong = f;
        wrong.loss = k == 0 ? GBS_LOSS_EXPONENTIAL : f.loss;
        wrong.lambda = k == 1 ? 31.0 : f.lambda;
        wrong.prior_sd = k == 2 ? 2.0 : f.prior_sd;
        wrong.scale = k == 3 ? GBS_SCALE_NONE : f.scale;
        wrong.intercept = k == 4 ? 0 : f.intercept;
        gbs_model *model = fit(ctx, k == 5 ? changed : data, &wrong);
        assert_int_equal(measure_gap(ctx, data, model, p, &gap), GBS_ERR_DATA);
        gbs_model_free(model);
    }
    gbs_particles_free(p);
    gbs_data_free(data);
    gbs_data_free(changed);
    free_table(&t);
    free_table(&other);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vote_is_the_average_of_the_particles),
        cmocka_unit_test(a_sample_file_comes_back_whole_and_damage_is_seen),
        cmocka_unit_test(the_gap_wants_the_same_rows_and_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
