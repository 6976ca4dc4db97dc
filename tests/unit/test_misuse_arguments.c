/* Arguments that are missing or out of range, of data, fits, models and files: a status and a
 * sentence that names the argument, or an empty answer; never a crash.
 */
#include "unit/one_of_each.h"

#include <unistd.h>

/* ---------------------------------------------------------------- contexts */

static void a_missing_context_is_answered(void **state) {
    (void)state;
    assert_int_equal(gbs_context_create(NULL, NULL), GBS_ERR_ARGUMENT);
    assert_string_equal(gbs_error_message(NULL), gbs_status_message(GBS_ERR_ARGUMENT));
    assert_true(isnan(gbs_random_uniform(NULL, 1, 2)));
    assert_true(isnan(gbs_random_normal(NULL, 1, 2)));
    assert_int_equal(gbs_context_set_log(NULL, NULL, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_progress(NULL, NULL, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_cancel(NULL, NULL, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_cancel_pause(NULL, 1.0), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_threads(NULL, 1), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_seed(NULL, 1), GBS_ERR_ARGUMENT);
    gbs_context_free(NULL);
    gbs_release(NULL, NULL);
}

/* ---------------------------------------------------------------- data */

static void dense_rows_are_looked_at(void **state) {
    (void)state;
    struct host h;
    gbs_context *c = host_context(&h);
    gbs_data *d;
    refused_without_context(d, gbs_data_dense(NULL, 2, 2, cells, 2, labels, GBS_COPY, &d));
    refused(c, "out", gbs_data_dense(c, 2, 2, cells, 2, labels, GBS_COPY, NULL));
    assert_int_equal(gbs_data_dense(NULL, 2, 2, cells, 2, labels, GBS_COPY, NULL),
                     GBS_ERR_ARGUMENT);
    refused_handle(c, "x", d, gbs_data_dense(c, 2, 2, NULL, 2, labels, GBS_COPY, &d));
    refused_handle(c, "row_stride", d, gbs_data_dense(c, 2, 2, cells, 1, labels, GBS_COPY, &d));
    refused_handle(c, "row_stride", d, gbs_data_dense(c, 2, 2, cells, 0, labels, GBS_COPY, &d));
    refused_handle(c, "row_stride", d,
                   gbs_data_dense(c, 2, 2, cells, SIZE_MAX, labels, GBS_COPY, &d));
    const int ownerships[] = {-1, 2, 7};
    for (size_t k = 0; k < COUNT(ownerships); k++) {
        gbs_ownership o = (gbs_ownership)ownerships[k];
        refused_handle(c, "ownership", d, gbs_data_dense(c, 2, 2, cells, 2, labels, o, &d));
        refused_handle(c, "ownership", d,
                       gbs_data_csr(c, 2, 2, start, column, value, labels, o, &d));
    }
    assert_refused(c, GBS_ERR_DATA,
                   gbs_data_dense(c, SIZE_MAX, SIZE_MAX, cells, 2, NULL, GBS_COPY, &d), d);
    assert_refused(c, GBS_ERR_DATA,
                   gbs_data_dense(c, SIZE_MAX / 2, 3, cells, 3, NULL, GBS_COPY, &d), d);
    const double wrong[] = {0.0, 2.0, -2.0, NAN, INFINITY, -1.0000001};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        double y[] = {1.0, wrong[k]};
        assert_refused(c, GBS_ERR_DATA, gbs_data_dense(c, 2, 2, cells, 2, y, GBS_COPY, &d), d);
        assert_refused(c, GBS_ERR_DATA,
                       gbs_data_csr(c, 2, 2, start, column, value, y, GBS_COPY, &d), d);
    }
    leave(&h, c);
}

static void sparse_rows_are_looked_at(void **state) {
    (void)state;
    struct host h;
    gbs_context *c = host_context(&h);
    gbs_data *d;
    refused_without_context(d,
                            gbs_data_csr(NULL, 2, 2, start, column, value, labels, GBS_COPY, &d));
    refused(c, "out", gbs_data_csr(c, 2, 2, start, column, value, labels, GBS_COPY, NULL));
    refused_handle(c, "row_start", d,
                   gbs_data_csr(c, 2, 2, NULL, column, value, labels, GBS_COPY, &d));
    refused_handle(c, "column", d, gbs_data_csr(c, 2, 2, start, NULL, value, labels, GBS_COPY, &d));
    refused_handle(c, "value", d, gbs_data_csr(c, 2, 2, start, column, NULL, labels, GBS_COPY, &d));
    static const int64_t starts64[] = {0, 1, 3}, columns64[] = {0, 0, 1};
    refused(c, "out",
            gbs_data_csr_wide(c, 2, 2, starts64, columns64, value, labels, GBS_COPY, NULL));
    refused_handle(c, "row_start", d,
                   gbs_data_csr_wide(c, 2, 2, NULL, columns64, value, labels, GBS_COPY, &d));
    refused_handle(c, "column", d,
                   gbs_data_csr_wide(c, 2, 2, starts64, NULL, value, labels, GBS_COPY, &d));
    refused_handle(c, "value", d,
                   gbs_data_csr_wide(c, 2, 2, starts64, columns64, NULL, labels, GBS_COPY, &d));
    /* A wild row_start is answered before it leads outside the arrays. */
    static const size_t starts[][3] = {
        {1, 1, 3}, {0, 3, 1}, {0, 1, SIZE_MAX}, {0, SIZE_MAX, 3}, {0, 0, 1000000}};
    for (size_t k = 0; k < COUNT(starts); k++)
        assert_refused(c, GBS_ERR_DATA,
                       gbs_data_csr(c, 2, 2, starts[k], column, value, labels, GBS_COPY, &d), d);
    static const uint32_t columns[][3] = {{0, 1, 0}, {0, 1, 1}, {0, 0, 2}, {UINT32_MAX, 0, 1}};
    for (size_t k = 0; k < COUNT(columns); k++)
        assert_refused(c, GBS_ERR_DATA,
                       gbs_data_csr(c, 2, 2, start, columns[k], value, labels, GBS_COPY, &d), d);
    assert_int_equal(gbs_data_rows(NULL), 0);
    assert_int_equal(gbs_data_columns(NULL), 0);
    gbs_data_free(NULL);
    leave(&h, c);
}

static void ratings_are_looked_at(void **state) {
    (void)state;
    struct host h;
    gbs_context *c = host_context(&h);
    gbs_ratings *r;
    static const uint32_t a[] = {0, 1}, past[] = {0, 2}, unseen[] = {0, GBS_UNSEEN};
    static const double y[] = {1.0, 2.0};
    static const char *const names[] = {"one", "two"}, *const gap[] = {"one", NULL};
    refused_without_context(r, gbs_ratings_create(NULL, 2, 2, 2, a, a, y, NULL, NULL, &r));
    refused(c, "out", gbs_ratings_create(c, 2, 2, 2, a, a, y, NULL, NULL, NULL));
    refused_handle(c, "row", r, gbs_ratings_create(c, 2, 2, 2, NULL, a, y, NULL, NULL, &r));
    refused_handle(c, "column", r, gbs_ratings_create(c, 2, 2, 2, a, NULL, y, NULL, NULL, &r));
    refused_handle(c, "value", r, gbs_ratings_create(c, 2, 2, 2, a, a, NULL, NULL, NULL, &r));
    refused_handle(c, "row_ids", r, gbs_ratings_create(c, 2, 2, 2, a, a, y, gap, names, &r));
    refused_handle(c, "column_ids", r, gbs_ratings_create(c, 2, 2, 2, a, a, y, names, gap, &r));
    assert_refused(c, GBS_ERR_DATA,
                   gbs_ratings_create(c, 0, 2, 2, NULL, NULL, NULL, NULL, NULL, &r), r);
    assert_refused(c, GBS_ERR_DATA, gbs_ratings_create(c, 2, 0, 2, a, a, y, NULL, NULL, &r), r);
    assert_refused(c, GBS_ERR_DATA, gbs_ratings_create(c, 2, 2, 0, a, a, y, NULL, NULL, &r), r);
    assert_refused(c, GBS_ERR_DATA, gbs_ratings_create(c, 2, 2, 2, past, a, y, NULL, NULL, &r), r);
    assert_refused(c, GBS_ERR_DATA, gbs_ratings_create(c, 2, 2, 2, a, past, y, NULL, NULL, &r), r);
    assert_refused(c, GBS_ERR_DATA, gbs_ratings_create(c, 2, 2, 2, unseen, a, y, NULL, NULL, &r),
                   r);
    assert_refused(c, GBS_ERR_DATA, gbs_ratings_create(c, SIZE_MAX, 2, 2, a, a, y, NULL, NULL, &r),
                   r);
    assert_refused(c, GBS_ERR_DATA, gbs_ratings_create(c, 2, SIZE_MAX, 2, a, a, y, NULL, NULL, &r),
                   r);
    const double wrong[] = {NAN, INFINITY, -INFINITY, 1e101};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        double z[] = {1.0, wrong[k]};
        assert_refused(c, GBS_ERR_DATA, gbs_ratings_create(c, 2, 2, 2, a, a, z, NULL, NULL, &r), r);
    }
    assert_int_equal(gbs_ratings_count(NULL), 0);
    gbs_ratings_free(NULL);
    leave(&h, c);
}

/* ---------------------------------------------------------------- fits */

static void fits_need_their_arguments(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *c = s.ctx;
    gbs_model *m;
    size_t order[ROWS], first;
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_cv_result r;
    refused_without_context(m, gbs_fit_run(NULL, s.data, NULL, &m));
    refused_handle(c, "data", m, gbs_fit_run(c, NULL, NULL, &m));
    refused(c, "out", gbs_fit_run(c, s.data, NULL, NULL));
    assert_refused(c, GBS_ERR_DATA, gbs_fit_run(c, s.unlabelled, NULL, &m), m);
    assert_int_equal(gbs_fit_order_run(NULL, s.data, NULL, order, &first), GBS_ERR_ARGUMENT);
    refused(c, "data", gbs_fit_order_run(c, NULL, NULL, order, &first));
    refused(c, "order", gbs_fit_order_run(c, s.data, NULL, NULL, &first));
    refused(c, "first_part", gbs_fit_order_run(c, s.data, NULL, order, NULL));
    unsigned char learned[ROWS] = {1};
    assert_int_equal(gbs_fit_split(NULL, s.data, NULL, learned), GBS_ERR_ARGUMENT);
    refused(c, "data", gbs_fit_split(c, NULL, NULL, learned));
    refused(c, "learned", gbs_fit_split(c, s.data, NULL, NULL));
    assert_int_equal(gbs_data_set_split(NULL, s.data, learned), GBS_ERR_ARGUMENT);
    refused(c, "data", gbs_data_set_split(c, NULL, learned));
    refused(c, "learned", gbs_data_set_split(c, s.data, NULL));
    assert_int_equal(gbs_cross_validate_run(NULL, s.data, 2, &o, 1, &r), GBS_ERR_ARGUMENT);
    refused(c, "data", gbs_cross_validate_run(c, NULL, 2, &o, 1, &r));
    refused(c, "candidates", gbs_cross_validate_run(c, s.data, 2, NULL, 1, &r));
    refused(c, "results", gbs_cross_validate_run(c, s.data, 2, &o, 1, NULL));
    assert_int_equal(gbs_cross_validate_run(c, s.unlabelled, 2, &o, 1, &r), GBS_ERR_DATA);
    tear_down(&s);
}

/* ---------------------------------------------------------------- models */

static void models_answer_without_a_handle(void **state) {
    (void)state;
    size_t count = 7;
    assert_null(gbs_model_get_info(NULL));
    assert_null(gbs_model_selection(NULL));
    assert_int_equal(gbs_model_certificates(NULL), 0);
    assert_null(gbs_model_certificate(NULL, 0));
    assert_int_equal(gbs_model_stages(NULL), 0);
    assert_null(gbs_model_stage(NULL, 0));
    assert_int_equal(gbs_model_path_size(NULL), 0);
    assert_null(gbs_model_path_at(NULL, 0));
    assert_null(gbs_model_restarts(NULL, &count));
    assert_int_equal(count, 0);
    assert_int_equal(gbs_model_trace_size(NULL), 0);
    assert_null(gbs_model_trace_at(NULL, 0));
    assert_null(gbs_model_recipe(NULL));
    gbs_model_free(NULL);
}

static void models_look_at_their_arguments(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *c = s.ctx;
    double mean[2], sd[2], score[ROWS];
    gbs_evaluation *e;
    const size_t beyond[] = {0, 1, 99, SIZE_MAX};
    for (size_t k = 0; k < COUNT(beyond); k++) {
        assert_int_equal(gbs_model_stage(s.model, beyond[k]) != NULL,
                         beyond[k] < gbs_model_stages(s.model));
        assert_int_equal(gbs_model_certificate(s.model, beyond[k]) != NULL,
                         beyond[k] < gbs_model_certificates(s.model));
        assert_int_equal(gbs_model_path_at(s.model, beyond[k]) != NULL,
                         beyond[k] < gbs_model_path_size(s.model));
        assert_int_equal(gbs_model_trace_at(s.model, beyond[k]) != NULL,
                         beyond[k] < gbs_model_trace_size(s.model));
    }
    assert_true(gbs_model_stage(s.model, 0)->weight == 1.0);
    /* the count need not be wanted */
    assert_null(gbs_model_restarts(s.model, NULL));
    assert_int_equal(gbs_model_coefficients(NULL, s.model, mean, sd), GBS_ERR_ARGUMENT);
    refused(c, "model", gbs_model_coefficients(c, NULL, mean, sd));
    refused(c, "mean", gbs_model_coefficients(c, s.model, NULL, sd));
    refused(c, "sd", gbs_model_coefficients(c, s.model, mean, NULL));
    assert_int_equal(gbs_model_linear(NULL, s.model, mean, sd), GBS_ERR_ARGUMENT);
    refused(c, "model", gbs_model_linear(c, NULL, mean, sd));
    refused(c, "coefficient", gbs_model_linear(c, s.model, NULL, sd));
    refused(c, "intercept", gbs_model_linear(c, s.model, mean, NULL));
    assert_int_equal(gbs_model_per_unit(NULL, s.model, mean), GBS_ERR_ARGUMENT);
    refused(c, "model", gbs_model_per_unit(c, NULL, mean));
    refused(c, "per_unit", gbs_model_per_unit(c, s.model, NULL));
    assert_int_equal(gbs_model_predict(NULL, s.model, s.data, score, NULL, NULL), GBS_ERR_ARGUMENT);
    refused(c, "model", gbs_model_predict(c, NULL, s.data, score, NULL, NULL));
    refused(c, "data", gbs_model_predict(c, s.model, NULL, score, NULL, NULL));
    assert_ok(c, gbs_model_predict(c, s.model, s.data, NULL, NULL, NULL));
    refused_without_context(e, gbs_model_evaluate(NULL, s.model, s.data, &e));
    refused_handle(c, "model", e, gbs_model_evaluate(c, NULL, s.data, &e));
    refused_handle(c, "data", e, gbs_model_evaluate(c, s.model, NULL, &e));
    refused(c, "out", gbs_model_evaluate(c, s.model, s.data, NULL));
    assert_refused(c, GBS_ERR_DATA, gbs_model_evaluate(c, s.model, s.unlabelled, &e), e);
    assert_int_equal(gbs_model_predict(c, s.model, s.wide, score, NULL, NULL), GBS_ERR_DATA);
    assert_refused(c, GBS_ERR_DATA, gbs_model_evaluate(c, s.model, s.wide, &e), e);
    assert_int_equal(gbs_model_set_recipe(NULL, s.model, "1"), GBS_ERR_ARGUMENT);
    refused(c, "model", gbs_model_set_recipe(c, NULL, "1"));
    refused(c, "recipe", gbs_model_set_recipe(c, s.model, "not JSON"));
    assert_ok(c, gbs_model_set_recipe(c, s.model, NULL));
    tear_down(&s);
}

/* ---------------------------------------------------------------- texts and files */

static void texts_need_their_arguments(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *c = s.ctx;
    char *text;
    size_t size;
    gbs_model *m;
    gbs_particles *p;
    gbs_completion *k;
    refused_without_context(text, gbs_model_to_json(NULL, s.model, &text, &size));
    refused_without_context(text, gbs_particles_to_json(NULL, s.particles, &text, &size));
    refused_without_context(text, gbs_completion_to_json(NULL, s.completion, &text, &size));
    refused_handle(c, "model", text, gbs_model_to_json(c, NULL, &text, &size));
    refused_handle(c, "particles", text, gbs_particles_to_json(c, NULL, &text, &size));
    refused_handle(c, "model", text, gbs_completion_to_json(c, NULL, &text, &size));
    refused(c, "text", gbs_model_to_json(c, s.model, NULL, &size));
    refused_without_context(text, gbs_model_describe_json(NULL, s.model, 0, &text, &size));
    refused_handle(c, "model", text, gbs_model_describe_json(c, NULL, 0, &text, &size));
    refused_handle(c, "parts", text, gbs_model_describe_json(c, s.model, 1U << 20, &text, &size));
    refused(c, "text", gbs_model_describe_json(c, s.model, 0, NULL, &size));
    gbs_particles *drawn = s.particles;
    refused_without_context(text, gbs_particles_describe_json(NULL, drawn, 0, &text, &size));
    refused_handle(c, "particles", text, gbs_particles_describe_json(c, NULL, 0, &text, &size));
    refused_handle(c, "parts", text, gbs_particles_describe_json(c, drawn, 1U << 20, &text, &size));
    refused(c, "text", gbs_particles_describe_json(c, drawn, 0, NULL, &size));
    gbs_completion *filled = s.completion;
    refused_without_context(text, gbs_completion_describe_json(NULL, filled, 0, &text, &size));
    refused_handle(c, "model", text, gbs_completion_describe_json(c, NULL, 0, &text, &size));
    refused_handle(c, "parts", text,
                   gbs_completion_describe_json(c, filled, 1U << 20, &text, &size));
    refused(c, "text", gbs_completion_describe_json(c, filled, 0, NULL, &size));
    assert_null(gbs_completion_assumption(NULL, 0));
    refused(c, "text", gbs_particles_to_json(c, s.particles, NULL, &size));
    refused(c, "text", gbs_completion_to_json(c, s.completion, NULL, &size));
    refused_without_context(m, gbs_model_from_json(NULL, "{}", 2, &m));
    refused_without_context(p, gbs_particles_from_json(NULL, "{}", 2, &p));
    refused_without_context(k, gbs_completion_from_json(NULL, "{}", 2, &k));
    for (size = 0; size < 3; size += 2) {
        refused_handle(c, "text", m, gbs_model_from_json(c, NULL, size, &m));
        refused_handle(c, "text", p, gbs_particles_from_json(c, NULL, size, &p));
        refused_handle(c, "text", k, gbs_completion_from_json(c, NULL, size, &k));
        assert_refused(c, GBS_ERR_FORMAT, gbs_model_from_json(c, "{}", size, &m), m);
        assert_refused(c, GBS_ERR_FORMAT, gbs_particles_from_json(c, "{}", size, &p), p);
        assert_refused(c, GBS_ERR_FORMAT, gbs_completion_from_json(c, "{}", size, &k), k);
    }
    refused(c, "out", gbs_model_from_json(c, "{}", 2, NULL));
    refused(c, "out", gbs_particles_from_json(c, "{}", 2, NULL));
    refused(c, "out", gbs_completion_from_json(c, "{}", 2, NULL));
    tear_down(&s);
}

static gbs_status no_piece(const char **bytes, size_t *size, void *user) {
    (void)user;
    *bytes = NULL;
    *size = 0;
    return GBS_OK;
}

static void files_need_their_arguments(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *c = s.ctx;
    gbs_model *m;
    gbs_particles *p;
    gbs_completion *l;
    char *path;
    assert_int_equal(gbs_model_save(NULL, s.model, "no.json"), GBS_ERR_ARGUMENT);
    refused(c, "model", gbs_model_save(c, NULL, "no.json"));
    refused(c, "path", gbs_model_save(c, s.model, NULL));
    assert_int_equal(gbs_write_file(NULL, "no.json", "x", 1), GBS_ERR_ARGUMENT);
    refused(c, "path", gbs_write_file(c, NULL, "x", 1));
    refused(c, "bytes", gbs_write_file(c, "no.json", NULL, 1));
    refused_without_context(path, gbs_output_file(NULL, "no.json", &path));
    refused_handle(c, "path", path, gbs_output_file(c, NULL, &path));
    refused(c, "out", gbs_output_file(c, "no.json", NULL));
    gbs_outputs *o;
    refused_without_context(o, gbs_outputs_create(NULL, &o));
    refused(c, "out", gbs_outputs_create(c, NULL));
    assert_ok(c, gbs_outputs_create(c, &o));
    assert_int_equal(gbs_outputs_write(NULL, o, "no.json", no_piece, NULL), GBS_ERR_ARGUMENT);
    refused(c, "outputs", gbs_outputs_write(c, NULL, "no.json", no_piece, NULL));
    refused(c, "path", gbs_outputs_write(c, o, NULL, no_piece, NULL));
    refused(c, "next", gbs_outputs_write(c, o, "no.json", NULL, NULL));
    assert_int_equal(gbs_outputs_keep(NULL, o), GBS_ERR_ARGUMENT);
    refused(c, "outputs", gbs_outputs_keep(c, NULL));
    gbs_outputs_free(o);
    refused_without_context(m, gbs_model_load(NULL, "no.json", &m));
    refused_handle(c, "path", m, gbs_model_load(c, NULL, &m));
    refused(c, "out", gbs_model_load(c, "no.json", NULL));
    p = (void *)1;
    refused_without_context(m, gbs_load(NULL, "no.json", &m, &p));
    assert_null(p);
    refused_handle(c, "path", m, gbs_load(c, NULL, &m, &p));
    refused_handle(c, "model", p, gbs_load(c, "no.json", NULL, &p));
    refused_handle(c, "particles", m, gbs_load(c, "no.json", &m, NULL));
    p = (void *)1;
    m = (void *)1;
    refused_without_context(l, gbs_load_any(NULL, "no.json", &m, &p, &l));
    assert_true(m == NULL && p == NULL);
    refused_handle(c, "path", l, gbs_load_any(c, NULL, &m, &p, &l));
    refused_handle(c, "model", l, gbs_load_any(c, "no.json", NULL, &p, &l));
    refused_handle(c, "particles", l, gbs_load_any(c, "no.json", &m, NULL, &l));
    refused_handle(c, "completion", m, gbs_load_any(c, "no.json", &m, &p, NULL));
    assert_int_not_equal(access("no.json", F_OK), 0);
    tear_down(&s);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_context_is_answered),
        cmocka_unit_test(dense_rows_are_looked_at),
        cmocka_unit_test(sparse_rows_are_looked_at),
        cmocka_unit_test(ratings_are_looked_at),
        cmocka_unit_test(fits_need_their_arguments),
        cmocka_unit_test(models_answer_without_a_handle),
        cmocka_unit_test(models_look_at_their_arguments),
        cmocka_unit_test(texts_need_their_arguments),
        cmocka_unit_test(files_need_their_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
