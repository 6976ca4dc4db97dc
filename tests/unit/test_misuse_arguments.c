/* Arguments that are missing or out of range, of every function of the header: a status and a
 * sentence that names the argument, or an empty answer; never a crash.
 */
#include "bound/theory.h"
#include "paper_settings.h"
#include "unit/host.h"

#include <unistd.h>

/* ---------------------------------------------------------------- one of each handle */

static const double cells[] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.0};
static const double labels[] = {-1, -1, 1, -1, 1, 1, -1, -1, 1, -1, 1, 1};
enum { ROWS = 12 };

static const size_t start[] = {0, 1, 3};
static const uint32_t column[] = {0, 0, 1};
static const double value[] = {1.0, 2.0, 3.0};

struct setting {
    struct host host;
    gbs_context *ctx;
    gbs_data *data, *wide, *unlabelled; /* wide has a column more */
    gbs_ratings *ratings;
    gbs_model *model;
    gbs_particles *particles;
    gbs_completion *completion;
};

static void set_up(struct setting *s) {
    static const uint32_t row[] = {0, 0, 1, 2, 2}, col[] = {0, 1, 1, 0, 0};
    static const double rating[] = {1.0, 2.0, 3.0, 2.0, 2.5};
    gbs_context *ctx = s->ctx = host_context(&s->host);
    gbs_fit_settings fitted = zero_prior_options();
    gbs_sample_settings sampled = gbs_sample_settings_default();
    gbs_complete_settings completed = paper_settings();
    sampled.particles = 16;
    completed.rank = 1;
    assert_ok(ctx, gbs_data_dense(ctx, ROWS, 1, cells, 1, labels, GBS_BORROW, &s->data));
    assert_ok(ctx, gbs_data_dense(ctx, ROWS / 2, 2, cells, 2, labels, GBS_BORROW, &s->wide));
    assert_ok(ctx, gbs_data_dense(ctx, ROWS, 1, cells, 1, NULL, GBS_BORROW, &s->unlabelled));
    assert_ok(ctx, gbs_ratings_create(ctx, 5, 3, 2, row, col, rating, NULL, NULL, &s->ratings));
    assert_ok(ctx, gbs_fit_run(ctx, s->data, &fitted, &s->model));
    assert_ok(ctx, gbs_sample_run(ctx, s->data, &sampled, &s->particles));
    assert_ok(ctx, gbs_complete_run(ctx, s->ratings, &completed, &s->completion));
}

static void tear_down(struct setting *s) {
    gbs_data_free(s->data);
    gbs_data_free(s->wide);
    gbs_data_free(s->unlabelled);
    gbs_ratings_free(s->ratings);
    gbs_model_free(s->model);
    gbs_particles_free(s->particles);
    gbs_completion_free(s->completion);
    leave(&s->host, s->ctx);
}

/* A call that must be refused on account of `argument`, which the message names, and no flag of a
 * command line. */
#define refused(ctx, argument, call)                                                               \
    check_named((ctx), (call), (argument), #call, __FILE__, __LINE__)

static void check_named(gbs_context *ctx, gbs_status status, const char *argument, const char *call,
                        const char *file, int line) {
    const char *said = gbs_error_message(ctx);
    if (status == GBS_ERR_ARGUMENT && strstr(said, argument) != NULL && strstr(said, "--") == NULL)
        return;
    print_error("%s: status %d, '%s', expected '%s' in it\n", call, (int)status, said, argument);
    _fail(file, line);
}

/* The same, with an output handle that must come out NULL. */
#define refused_handle(ctx, argument, out, call)                                                   \
    do {                                                                                           \
        (out) = (void *)1;                                                                         \
        refused(ctx, argument, call);                                                              \
        assert_null(out);                                                                          \
    } while (0)

/* Without a context there is a status and no more. */
#define refused_without_context(out, call)                                                         \
    do {                                                                                           \
        (out) = (void *)1;                                                                         \
        assert_int_equal((call), GBS_ERR_ARGUMENT);                                                \
        assert_null(out);                                                                          \
    } while (0)

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

/* ---------------------------------------------------------------- names and pieces */

/* As many names as there are values, all different, and NULL before and after. */
#define check_names(function, type, count)                                                         \
    do {                                                                                           \
        for (int k = 0; k < (count); k++) {                                                        \
            assert_non_null(function((type)k));                                                    \
            for (int j = 0; j < k; j++)                                                            \
                assert_string_not_equal(function((type)k), function((type)j));                     \
        }                                                                                          \
        assert_null(function((type)-1));                                                           \
        assert_null(function((type)(count)));                                                      \
        assert_null(function((type)99));                                                           \
    } while (0)

static void every_choice_has_a_name_of_its_own(void **state) {
    (void)state;
    check_names(gbs_task_name, gbs_task_kind, 2);
    check_names(gbs_columns_name, gbs_columns, 3);
    check_names(gbs_loss_name, gbs_loss, 3);
    check_names(gbs_prior_name, gbs_prior_kind, 2);
    check_names(gbs_family_name, gbs_family, 5);
    check_names(gbs_scale_name, gbs_scale, 3);
    check_names(gbs_solver_name, gbs_solver, 4);
    check_names(gbs_target_name, gbs_target, 8);
    check_names(gbs_risk_name, gbs_risk, 5);
    check_names(gbs_bound_name, gbs_bound, 9);
    check_names(gbs_sampler_name, gbs_sampler, 2);
    check_names(gbs_move_name, gbs_move, 3);
    check_names(gbs_verdict_name, gbs_verdict, 4);
    assert_string_equal(gbs_columns_name(GBS_COLUMNS_RELEVANCE), "relevance");
    assert_string_equal(gbs_prior_name(GBS_PRIOR_INFORMED), "informed");
    assert_string_equal(gbs_risk_name(GBS_RISK_AUC), "1-auc");
    assert_string_equal(gbs_sampler_name(GBS_SAMPLER_GIBBS), "gibbs");
    assert_string_equal(gbs_move_name(GBS_MOVE_RING), "ring");
    assert_string_equal(gbs_status_message((gbs_status)-1), "unknown status");
    assert_string_equal(gbs_status_message((gbs_status)99), "unknown status");
    int breaks = 7;
    assert_null(gbs_assumption_text(32, &breaks));
    assert_null(gbs_assumption_text(UINT32_MAX, NULL));
    assert_int_equal(breaks, 7);
    assert_non_null(gbs_assumption_text(0, NULL));
}

static void pieces_are_nan_out_of_range(void **state) {
    (void)state;
    const double confidences[] = {0.0, 1.0, -1.0, 2.0, NAN, INFINITY},
                 risks[] = {-0.1, 1.1, NAN, INFINITY};
    for (size_t k = 0; k < COUNT(confidences); k++) {
        assert_true(isnan(gbs_binomial_upper(1, 10, confidences[k])));
        assert_true(isnan(gbs_auc_risk_upper(0.1, 10, confidences[k])));
    }
    for (size_t k = 0; k < COUNT(risks); k++)
        assert_true(isnan(gbs_auc_risk_upper(risks[k], 10, 0.95)));
    assert_true(gbs_binomial_upper(0, 0, 0.95) == 1.0);
    assert_true(gbs_binomial_upper(11, 10, 0.95) ==
                1.0); /* more errors than rows: nothing is promised */
    assert_true(gbs_auc_risk_upper(0.0, 0, 0.95) == 1.0);
    double psi = 0.0, d_mu = 0.0, d_s = 0.0;
    const double wrong[][2] = {{0.5, -1.0}, {0.5, NAN}, {NAN, 1.0}};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        psi = d_mu = d_s = 0.0;
        gbs_loss_smoothed(GBS_LOSS_HINGE, wrong[k][0], wrong[k][1], &psi, &d_mu, &d_s);
        assert_true(isnan(psi) && isnan(d_mu) && isnan(d_s));
    }
    gbs_loss_smoothed((gbs_loss)99, 0.5, 1.0, &psi, &d_mu, &d_s);
    assert_true(isnan(psi) && isnan(d_mu) && isnan(d_s));
    gbs_loss_smoothed(GBS_LOSS_HINGE, 0.5, 1.0, NULL, NULL, NULL);
    gbs_loss_smoothed(GBS_LOSS_HINGE, 0.5, 1.0, &psi, NULL, NULL);
    assert_true(psi > 0.5);
}

static void the_theory_needs_its_arguments(void **state) {
    (void)state;
    struct host h;
    gbs_context *c = host_context(&h);
    gbs_theory_settings q = gbs_theory_settings_default();
    gbs_theory t = {.count = 7};
    assert_int_equal(gbs_theory_run(NULL, &q, &t), GBS_ERR_ARGUMENT);
    assert_int_equal(t.count, 0);
    refused(c, "query", gbs_theory_run(c, NULL, &t));
    refused(c, "out", gbs_theory_run(c, &q, NULL));
    leave(&h, c);
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
        cmocka_unit_test(completions_answer_without_a_handle),
        cmocka_unit_test(completions_look_at_their_arguments),
        cmocka_unit_test(texts_that_cannot_be_written_are_named),
        cmocka_unit_test(scores_of_ratings_need_them),
        cmocka_unit_test(particles_answer_without_a_handle),
        cmocka_unit_test(particles_look_at_their_arguments),
        cmocka_unit_test(every_choice_has_a_name_of_its_own),
        cmocka_unit_test(pieces_are_nan_out_of_range),
        cmocka_unit_test(the_theory_needs_its_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
