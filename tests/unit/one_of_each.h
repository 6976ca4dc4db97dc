/* One of each handle, and calls that must be refused with a sentence that names the argument. */
#ifndef GIBBSITE_TESTS_ONE_OF_EACH_H
#define GIBBSITE_TESTS_ONE_OF_EACH_H

#include "paper_settings.h"
#include "unit/host.h"

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

static inline void set_up(struct setting *s) {
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

static inline void tear_down(struct setting *s) {
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

static inline void check_named(gbs_context *ctx, gbs_status status, const char *argument,
                               const char *call, const char *file, int line) {
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

#endif
