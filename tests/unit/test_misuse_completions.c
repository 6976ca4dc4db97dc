/* Arguments that are missing or out of range, of completions and samples: a status and a sentence
 * that names the argument, or an empty answer; never a crash.
 */
#include "unit/one_of_each.h"

#include <unistd.h>

/* ---------------------------------------------------------------- completions */

static void completions_answer_without_a_handle(void **state) {
    (void)state;
    size_t count = 7;
    double size = 7.0, sd = 7.0;
    assert_null(gbs_completion_get_info(NULL));
    assert_null(gbs_completion_certificate(NULL));
    assert_null(gbs_completion_row_id(NULL, 0));
    assert_null(gbs_completion_column_id(NULL, 0));
    assert_null(gbs_completion_seen(NULL, 0, &count));
    assert_int_equal(count, 0);
    gbs_completion_components(NULL, &size, &sd);
    assert_true(size == 7.0 && sd == 7.0);
    assert_int_equal(gbs_completion_trace_size(NULL), 0);
    assert_null(gbs_completion_trace_at(NULL, 0));
    assert_int_equal(gbs_completion_choices(NULL), 0);
    assert_null(gbs_completion_choice(NULL, 0));
    count = 7;
    assert_null(gbs_completion_restarts(NULL, &count));
    assert_int_equal(count, 0);
    gbs_completion_free(NULL);
}

static void completions_look_at_their_arguments(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *c = s.ctx;
    gbs_completion *m;
    size_t count;
    double x[2], sd[2];
    static const uint32_t in[] = {0, 1}, out_of_rows[] = {0, 3}, out_of_columns[] = {0, 2},
                          unseen[] = {GBS_UNSEEN, 1};
    refused_without_context(m, gbs_complete_run(NULL, s.ratings, NULL, &m));
    refused_handle(c, "ratings", m, gbs_complete_run(c, NULL, NULL, &m));
    refused(c, "out", gbs_complete_run(c, s.ratings, NULL, NULL));
    const size_t beyond[] = {3, 99, SIZE_MAX};
    for (size_t k = 0; k < COUNT(beyond); k++) {
        assert_null(gbs_completion_row_id(s.completion, beyond[k]));
        assert_null(gbs_completion_column_id(s.completion, beyond[k] - 1));
        count = 7;
        assert_null(gbs_completion_seen(s.completion, beyond[k], &count));
        assert_int_equal(count, 0);
    }
    assert_string_equal(gbs_completion_row_id(s.completion, 2), "3");
    assert_string_equal(gbs_completion_column_id(s.completion, 1), "2");
    assert_non_null(gbs_completion_seen(s.completion, 2, NULL));
    assert_non_null(gbs_completion_trace_at(s.completion, 0));
    assert_null(gbs_completion_trace_at(s.completion, gbs_completion_trace_size(s.completion)));
    assert_null(gbs_completion_choice(s.completion, 0));
    assert_null(gbs_completion_restarts(s.completion, NULL));
    gbs_completion_components(s.completion, NULL, sd);
    gbs_completion_components(s.completion, x, NULL);
    assert_int_equal(gbs_completion_predict(NULL, s.completion, 2, in, in, x, sd),
                     GBS_ERR_ARGUMENT);
    refused(c, "model", gbs_completion_predict(c, NULL, 2, in, in, x, sd));
    refused(c, "row", gbs_completion_predict(c, s.completion, 2, NULL, in, x, sd));
    refused(c, "column", gbs_completion_predict(c, s.completion, 2, in, NULL, x, sd));
    refused(c, "value", gbs_completion_predict(c, s.completion, 2, in, in, NULL, sd));
    refused(c, "cell 2", gbs_completion_predict(c, s.completion, 2, out_of_rows, in, x, sd));
    refused(c, "cell 2", gbs_completion_predict(c, s.completion, 2, in, out_of_columns, x, sd));
    assert_ok(c, gbs_completion_predict(c, s.completion, 2, unseen, unseen, x, sd));
    assert_true(isfinite(x[0]) && sd[0] > 0.0);
    assert_ok(c, gbs_completion_predict(c, s.completion, 2, in, in, x, NULL));
    assert_ok(c, gbs_completion_predict(c, s.completion, 0, NULL, NULL, NULL, NULL));
    tear_down(&s);
}

static void best_columns_and_quantiles_look_at_their_arguments(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *c = s.ctx;
    gbs_completion *m = s.completion;
    static const uint32_t in[] = {0, 1}, out_of_columns[] = {0, 2};
    const double level[] = {0.5, 1.0};
    double q[4];
    uint32_t best[2];
    size_t n = 7;
    assert_int_equal(gbs_completion_top(NULL, m, 0, 0.0, 2, best, &n), GBS_ERR_ARGUMENT);
    refused(c, "model", gbs_completion_top(c, NULL, 0, 0.0, 2, best, &n));
    refused(c, "column", gbs_completion_top(c, m, 0, 0.0, 2, NULL, &n));
    refused(c, "count", gbs_completion_top(c, m, 0, 0.0, 2, best, NULL));
    refused(c, "row 4", gbs_completion_top(c, m, 3, 0.0, 2, best, &n));
    assert_int_equal(n, 0);
    refused(c, "level", gbs_completion_top(c, m, 0, 1.0, 2, best, &n));
    refused(c, "level", gbs_completion_top(c, m, 0, NAN, 2, best, &n));
    assert_ok(c, gbs_completion_top(c, m, 0, 0.0, 0, NULL, &n));
    assert_ok(c, gbs_completion_top(c, m, GBS_UNSEEN, 0.5, 2, best, &n));
    assert_int_equal(n, 2);
    assert_int_equal(gbs_completion_quantiles(NULL, m, 2, in, in, 1, level, q), GBS_ERR_ARGUMENT);
    refused(c, "model", gbs_completion_quantiles(c, NULL, 2, in, in, 1, level, q));
    refused(c, "row", gbs_completion_quantiles(c, m, 2, NULL, in, 1, level, q));
    refused(c, "column", gbs_completion_quantiles(c, m, 2, in, NULL, 1, level, q));
    refused(c, "level", gbs_completion_quantiles(c, m, 2, in, in, 1, NULL, q));
    refused(c, "quantile", gbs_completion_quantiles(c, m, 2, in, in, 1, level, NULL));
    refused(c, "number 2 is 1", gbs_completion_quantiles(c, m, 2, in, in, 2, level, q));
    refused(c, "cell 2", gbs_completion_quantiles(c, m, 2, in, out_of_columns, 1, level, q));
    assert_ok(c, gbs_completion_quantiles(c, m, 2, in, in, 0, NULL, NULL));
    refused(c, "model", gbs_completion_predict_unclipped(c, NULL, 2, in, in, q, NULL));
    tear_down(&s);
}

/* JSON is UTF-8: a text that is not is told as what it is, and the model stays usable. */
static void texts_that_cannot_be_written_are_named(void **state) {
    (void)state;
    struct host h;
    gbs_context *c = host_context(&h);
    static const uint32_t a[] = {0, 1};
    static const double y[] = {1.0, 2.0};
    static const char *const names[] = {"one", "caf\xe9"};
    gbs_ratings *r;
    gbs_completion *m;
    char *text;
    assert_ok(c, gbs_ratings_create(c, 2, 2, 2, a, a, y, NULL, names, &r));
    assert_ok(c, gbs_complete_run(c, r, NULL, &m));
    assert_refused(c, GBS_ERR_DATA, gbs_completion_to_json(c, m, &text, NULL), text);
    assert_string_equal(gbs_error_message(c), "the text of column 2 is not UTF-8");
    gbs_completion_free(m);
    gbs_ratings_free(r);
    leave(&h, c);
}

static void scores_of_ratings_need_them(void **state) {
    (void)state;
    struct host h;
    gbs_context *c = host_context(&h);
    gbs_rating_evaluation *e;
    static const uint32_t a[] = {0, 1};
    static const double y[] = {1.0, 2.0}, sd[] = {0.1, 0.1}, unknown[] = {1.0, NAN};
    const void *given[] = {a, a, y, y, sd};
    for (int missing = 0; missing < 5; missing++) {
        const void *p[5];
        for (int k = 0; k < 5; k++)
            p[k] = k == missing ? NULL : given[k];
        static const char *const name[] = {"row", "column", "y", "value", "sd"};
        refused_handle(c, name[missing], e,
                       gbs_rating_score(c, 2, p[0], p[1], p[2], p[3], p[4], 0.1, &e));
    }
    refused_without_context(e, gbs_rating_score(NULL, 2, a, a, y, y, sd, 0.1, &e));
    refused(c, "out", gbs_rating_score(c, 2, a, a, y, y, sd, 0.1, NULL));
    gbs_rating_evaluation_free(NULL);
    leave(&h, c);
    assert_true(isfinite(gbs_rating_holdout(2, y, y, 0.0, 5.0, 0.95)));
    assert_true(isnan(gbs_rating_holdout(2, NULL, y, 0.0, 5.0, 0.95)));
    assert_true(isnan(gbs_rating_holdout(2, y, NULL, 0.0, 5.0, 0.95)));
    assert_true(isnan(gbs_rating_holdout(0, y, y, 0.0, 5.0, 0.95)));
    assert_true(isnan(gbs_rating_holdout(2, y, unknown, 0.0, 5.0, 0.95)));
    const double ends[][2] = {{5.0, 0.0}, {1.0, 1.0},       {NAN, 5.0},
                              {0.0, NAN}, {-INFINITY, 5.0}, {0.0, INFINITY}};
    for (size_t k = 0; k < COUNT(ends); k++)
        assert_true(isnan(gbs_rating_holdout(2, y, y, ends[k][0], ends[k][1], 0.95)));
    const double confidences[] = {0.0, 1.0, -1.0, 2.0, NAN};
    for (size_t k = 0; k < COUNT(confidences); k++)
        assert_true(isnan(gbs_rating_holdout(2, y, y, 0.0, 5.0, confidences[k])));
}

/* ---------------------------------------------------------------- particles */

static void particles_answer_without_a_handle(void **state) {
    (void)state;
    double mean = 7.0, covariance = 7.0;
    assert_null(gbs_particles_get_info(NULL));
    assert_null(gbs_particles_path_at(NULL, 0));
    assert_int_equal(gbs_particles_path_size(NULL), 0);
    assert_null(gbs_particles_draws(NULL));
    gbs_particles_moments(NULL, &mean, &covariance);
    assert_true(mean == 7.0 && covariance == 7.0);
    assert_null(gbs_particles_recipe(NULL));
    gbs_particles_free(NULL);
}

static void particles_look_at_their_arguments(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *c = s.ctx;
    gbs_particles *p;
    gbs_evaluation *e;
    gbs_gap *gap;
    double score[ROWS];
    refused_without_context(p, gbs_sample_run(NULL, s.data, NULL, &p));
    refused_handle(c, "data", p, gbs_sample_run(c, NULL, NULL, &p));
    refused(c, "out", gbs_sample_run(c, s.data, NULL, NULL));
    assert_refused(c, GBS_ERR_DATA, gbs_sample_run(c, s.unlabelled, NULL, &p), p);
    refused_without_context(p, gbs_sample_run_for(NULL, s.data, s.model, 0, NULL, &p));
    refused_handle(c, "data", p, gbs_sample_run_for(c, NULL, s.model, 0, NULL, &p));
    refused_handle(c, "model", p, gbs_sample_run_for(c, s.data, NULL, 0, NULL, &p));
    refused(c, "out", gbs_sample_run_for(c, s.data, s.model, 0, NULL, NULL));
    refused_handle(c, "stages", p, gbs_sample_run_for(c, s.data, s.model, 1, NULL, &p));
    assert_refused(c, GBS_ERR_DATA, gbs_sample_run_for(c, s.wide, s.model, 0, NULL, &p), p);
    assert_refused(c, GBS_ERR_DATA, gbs_sample_run_for(c, s.unlabelled, s.model, 0, NULL, &p), p);
    assert_non_null(gbs_particles_path_at(s.particles, 0));
    assert_null(gbs_particles_path_at(s.particles, gbs_particles_path_size(s.particles)));
    assert_null(gbs_particles_path_at(s.particles, SIZE_MAX));
    gbs_particles_moments(s.particles, NULL, NULL);
    assert_int_equal(gbs_particles_predict(NULL, s.particles, s.data, score, NULL, NULL),
                     GBS_ERR_ARGUMENT);
    refused(c, "particles", gbs_particles_predict(c, NULL, s.data, score, NULL, NULL));
    refused(c, "data", gbs_particles_predict(c, s.particles, NULL, score, NULL, NULL));
    assert_ok(c, gbs_particles_predict(c, s.particles, s.data, NULL, NULL, NULL));
    assert_int_equal(gbs_particles_predict(c, s.particles, s.wide, score, NULL, NULL),
                     GBS_ERR_DATA);
    refused_without_context(e, gbs_particles_evaluate(NULL, s.particles, s.data, &e));
    refused_handle(c, "particles", e, gbs_particles_evaluate(c, NULL, s.data, &e));
    refused_handle(c, "data", e, gbs_particles_evaluate(c, s.particles, NULL, &e));
    refused(c, "out", gbs_particles_evaluate(c, s.particles, s.data, NULL));
    assert_refused(c, GBS_ERR_DATA, gbs_particles_evaluate(c, s.particles, s.wide, &e), e);
    assert_refused(c, GBS_ERR_DATA, gbs_particles_evaluate(c, s.particles, s.unlabelled, &e), e);
    refused_without_context(gap, gbs_measure_gap(NULL, s.data, s.model, s.particles, &gap));
    refused_handle(c, "data", gap, gbs_measure_gap(c, NULL, s.model, s.particles, &gap));
    refused_handle(c, "model", gap, gbs_measure_gap(c, s.data, NULL, s.particles, &gap));
    refused_handle(c, "particles", gap, gbs_measure_gap(c, s.data, s.model, NULL, &gap));
    refused(c, "out", gbs_measure_gap(c, s.data, s.model, s.particles, NULL));
    assert_refused(c, GBS_ERR_DATA, gbs_measure_gap(c, s.wide, s.model, s.particles, &gap), gap);
    gbs_gap_free(NULL);
    assert_ok(c, gbs_model_evaluate(c, s.model, s.data, &e));
    for (size_t k = 0; k < 10; k++)
        assert_non_null(gbs_evaluation_reliability(e, k));
    assert_null(gbs_evaluation_reliability(e, 10));
    assert_null(gbs_evaluation_reliability(e, SIZE_MAX));
    assert_null(gbs_evaluation_reliability(NULL, 0));
    gbs_evaluation_free(e);
    gbs_evaluation_free(NULL);
    assert_int_equal(gbs_particles_set_recipe(NULL, s.particles, "1"), GBS_ERR_ARGUMENT);
    refused(c, "particles", gbs_particles_set_recipe(c, NULL, "1"));
    refused(c, "recipe", gbs_particles_set_recipe(c, s.particles, "not JSON"));
    tear_down(&s);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completions_answer_without_a_handle),
        cmocka_unit_test(completions_look_at_their_arguments),
        cmocka_unit_test(best_columns_and_quantiles_look_at_their_arguments),
        cmocka_unit_test(texts_that_cannot_be_written_are_named),
        cmocka_unit_test(scores_of_ratings_need_them),
        cmocka_unit_test(particles_answer_without_a_handle),
        cmocka_unit_test(particles_look_at_their_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
