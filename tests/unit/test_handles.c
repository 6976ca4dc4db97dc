/* How long things live: handles and texts keep the memory of their context, so that a garbage
 * collector may free all of them in any order, on any thread.
 *
 * Memory goes through an allocator that counts: each test ends with nothing left.
 */
#include "core/context.h"
#include "paper_settings.h"
#include "unit/host.h"

#include <pthread.h>

/* ---------------------------------------------------------------- one of each handle */

enum { THINGS = 7 };

struct things {
    gbs_context *ctx;
    gbs_data *data;
    gbs_ratings *ratings;
    gbs_model *model;
    gbs_particles *particles;
    gbs_completion *completion;
    char *text;
};

static void free_thing(struct things *t, int which) {
    switch (which) {
    case 0:
        gbs_context_free(t->ctx);
        break;
    case 1:
        gbs_data_free(t->data);
        break;
    case 2:
        gbs_ratings_free(t->ratings);
        break;
    case 3:
        gbs_model_free(t->model);
        break;
    case 4:
        gbs_particles_free(t->particles);
        break;
    case 5:
        gbs_completion_free(t->completion);
        break;
    default:
        gbs_release(t->ctx, t->text); /* the context may be gone by now */
    }
}

static void free_all(struct things *t) {
    for (int k = THINGS - 1; k >= 0; k--)
        free_thing(t, k);
}

static void add_data(struct things *t) {
    static const double x[] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.5}, y[] = {-1, -1, 1, -1, 1, 1};
    static const uint32_t row[] = {0, 0, 1, 2}, column[] = {0, 1, 1, 0};
    static const double value[] = {1.0, 2.0, 3.0, 2.0};
    assert_ok(t->ctx, gbs_data_dense(t->ctx, 6, 1, x, 1, y, GBS_COPY, &t->data));
    assert_ok(t->ctx,
              gbs_ratings_create(t->ctx, 4, 3, 2, row, column, value, NULL, NULL, &t->ratings));
}

/* Made by the calls that compute. */
static struct things compute_things(gbs_context *ctx) {
    struct things t = {.ctx = ctx};
    gbs_fit_settings fit_options = zero_prior_options();
    gbs_sample_settings sample_options = gbs_sample_settings_default();
    gbs_complete_settings complete_options = paper_settings();
    sample_options.particles = 16;
    complete_options.rank = 1;
    add_data(&t);
    assert_ok(ctx, gbs_fit_run(ctx, t.data, &fit_options, &t.model));
    assert_ok(ctx, gbs_sample_run(ctx, t.data, &sample_options, &t.particles));
    assert_ok(ctx, gbs_complete_run(ctx, t.ratings, &complete_options, &t.completion));
    assert_ok(ctx, gbs_model_to_json(ctx, t.model, &t.text, NULL));
    return t;
}

/* Made from texts, which is quick. */
struct texts {
    char *model, *particles, *completion;
};

static struct texts write_texts(const struct things *t) {
    struct texts w;
    assert_ok(t->ctx, gbs_model_to_json(t->ctx, t->model, &w.model, NULL));
    assert_ok(t->ctx, gbs_particles_to_json(t->ctx, t->particles, &w.particles, NULL));
    assert_ok(t->ctx, gbs_completion_to_json(t->ctx, t->completion, &w.completion, NULL));
    return w;
}

static void free_texts(gbs_context *ctx, struct texts *w) {
    gbs_release(ctx, w->model);
    gbs_release(ctx, w->particles);
    gbs_release(ctx, w->completion);
}

static struct things read_things(gbs_context *ctx, const struct texts *w) {
    struct things t = {.ctx = ctx};
    add_data(&t);
    assert_ok(ctx, gbs_model_from_json(ctx, w->model, strlen(w->model), &t.model));
    assert_ok(ctx, gbs_particles_from_json(ctx, w->particles, strlen(w->particles), &t.particles));
    assert_ok(ctx,
              gbs_completion_from_json(ctx, w->completion, strlen(w->completion), &t.completion));
    assert_ok(ctx, gbs_model_to_json(ctx, t.model, &t.text, NULL));
    return t;
}

static size_t references(gbs_context *ctx) {
    return atomic_load(&ctx->references);
}

/* ---------------------------------------------------------------- every order */

/* Frees in this order; the memory goes with the last one, and not before. */
static void free_in_order(struct host *h, struct things *t, const int *order) {
    for (int k = 0; k < THINGS; k++) {
        assert_true(h->blocks > 0);
        free_thing(t, order[k]);
    }
    assert_int_equal(h->blocks, 0);
}

static void visit_orders(const struct texts *w, int *order, int fixed, size_t *visited) {
    if (fixed == THINGS) {
        struct host h;
        struct things t = read_things(host_context(&h), w);
        free_in_order(&h, &t, order);
        ++*visited;
        return;
    }
    for (int k = fixed; k < THINGS; k++) {
        int first = order[fixed];
        order[fixed] = order[k];
        order[k] = first;
        visit_orders(w, order, fixed + 1, visited);
        order[k] = order[fixed];
        order[fixed] = first;
    }
}

static void a_context_and_its_handles_go_in_any_order(void **state) {
    (void)state;
    struct host h;
    struct things t = compute_things(host_context(&h));
    struct texts w = write_texts(&t);
    int order[THINGS] = {0, 1, 2, 3, 4, 5, 6};
    size_t visited = 0;
    visit_orders(&w, order, 0, &visited);
    assert_int_equal(visited, 5040);
    free_texts(t.ctx, &w);
    free_all(&t);
    assert_int_equal(h.blocks, 0);
}

/* The same for handles that were computed: each in its turn is the first to go, and the last. */
static void computed_handles_outlive_their_context(void **state) {
    (void)state;
    for (int first = 0; first < THINGS; first++)
        for (int step = 1; step < THINGS; step += THINGS - 2) {
            struct host h;
            struct things t = compute_things(host_context(&h));
            int order[THINGS];
            for (int k = 0; k < THINGS; k++)
                order[k] = (first + k * step) % THINGS;
            free_in_order(&h, &t, order);
        }
}

/* What a call answers is a handle too. */
static void answers_outlive_their_context(void **state) {
    (void)state;
    struct host h;
    struct things t = {.ctx = host_context(&h)};
    gbs_options *options;
    gbs_theory *theory;
    gbs_cv *cv;
    add_data(&t);
    assert_ok(t.ctx, gbs_options_create(t.ctx, "cv", &options));
    assert_ok(t.ctx, gbs_options_set(options, "folds", "2"));
    assert_ok(t.ctx, gbs_cross_validate(t.ctx, t.data, options, &cv));
    assert_ok(t.ctx, gbs_theory_compute(t.ctx, NULL, &theory));
    free_all(&t);
    assert_string_equal(gbs_options_get(options, "folds"), "2");
    assert_true(gbs_cv_at(cv, 0)->error >= 0.0);
    assert_non_null(gbs_theory_row_at(theory, 0)->name);
    gbs_cv_free(cv);
    gbs_theory_free(theory);
    gbs_options_free(options);
    assert_int_equal(h.blocks, 0);
}

/* ---------------------------------------------------------------- what a freed context leaves */

static void a_freed_context_drops_its_callbacks(void **state) {
    (void)state;
    struct host h;
    struct things t = compute_things(host_context(&h));
    assert_non_null(t.ctx->log);
    assert_non_null(t.ctx->progress);
    assert_non_null(t.ctx->cancel);
    gbs_context_free(t.ctx);
    assert_null(t.ctx->log); /* alive: six others hold it */
    assert_null(t.ctx->progress);
    assert_null(t.ctx->cancel);
    assert_null(t.ctx->log_user);
    assert_int_equal(references(t.ctx), THINGS - 1);
    for (int k = 1; k < THINGS; k++)
        free_thing(&t, k);
    assert_int_equal(h.blocks, 0);
}

static void a_text_is_released_without_its_context(void **state) {
    (void)state;
    struct host own, other;
    gbs_context *elsewhere = host_context(&other);
    for (int k = 0; k < 3; k++) {
        struct things t = compute_things(host_context(&own));
        size_t before = strlen(t.text);
        for (int which = 0; which < THINGS - 1; which++)
            free_thing(&t, which);
        assert_int_equal(strlen(t.text), before);
        assert_int_equal(own.blocks, 2); /* the text and its context */
        gbs_release(k == 0 ? t.ctx : k == 1 ? NULL : elsewhere, t.text);
        assert_int_equal(own.blocks, 0);
    }
    char *file;
    gbs_context *ctx = host_context(&own);
    assert_ok(ctx, gbs_output_file(ctx, "some.json", &file));
    gbs_context_free(ctx);
    assert_string_equal(file, "some.json");
    gbs_release(NULL, file);
    assert_int_equal(own.blocks, 0);
    gbs_release(NULL, NULL);
    gbs_release(elsewhere, NULL);
    leave(&other, elsewhere);
}

/* ---------------------------------------------------------------- calls that fail */

static gbs_status try_everything(gbs_context *ctx, const struct texts *w) {
    struct things t = {.ctx = ctx};
    static const double x[] = {0.0, 1.0, 2.0, 3.0}, y[] = {-1, 1, -1, 1}, value[] = {1.0, 2.0};
    static const uint32_t at[] = {0, 1};
    gbs_status status = gbs_data_dense(ctx, 4, 1, x, 1, y, GBS_COPY, &t.data);
    if (status == GBS_OK)
        status = gbs_ratings_create(ctx, 2, 2, 2, at, at, value, NULL, NULL, &t.ratings);
    if (status == GBS_OK)
        status = gbs_model_from_json(ctx, w->model, strlen(w->model), &t.model);
    if (status == GBS_OK)
        status = gbs_particles_from_json(ctx, w->particles, strlen(w->particles), &t.particles);
    if (status == GBS_OK)
        status = gbs_completion_from_json(ctx, w->completion, strlen(w->completion), &t.completion);
    if (status == GBS_OK)
        status = gbs_model_to_json(ctx, t.model, &t.text, NULL);
    for (int which = 1; which < THINGS; which++)
        free_thing(&t, which);
    return status;
}

static void a_failed_call_keeps_no_reference(void **state) {
    (void)state;
    struct host h;
    struct things t = compute_things(host_context(&h));
    struct texts w = write_texts(&t);
    struct host scarce;
    gbs_context *ctx = host_context(&scarce);
    assert_ok(ctx, try_everything(ctx, &w));
    long calls = scarce.calls;
    for (scarce.fail_at = 1; scarce.fail_at < calls; scarce.fail_at++) {
        scarce.calls = 1; /* the context was the first */
        assert_int_equal(try_everything(ctx, &w), GBS_ERR_MEMORY);
        assert_int_equal(references(ctx), 1);
        assert_int_equal(scarce.blocks, 1);
    }
    leave(&scarce, ctx);
    free_texts(t.ctx, &w);
    free_all(&t);
    assert_int_equal(h.blocks, 0);
}

/* Whatever a long call makes for itself on the way is gone when it ends, well or not. */
static void long_calls_leave_no_reference(void **state) {
    (void)state;
    struct host h;
    struct things t = compute_things(host_context(&h));
    size_t before = references(t.ctx);
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_cv_result result;
    gbs_model *model;
    gbs_particles *particles;
    gbs_completion *completion;
    for (int cancelled = 0; cancelled < 2; cancelled++) {
        h.allowed = cancelled ? 0 : -1;
        h.cancels = 0;
        gbs_status expected = cancelled ? GBS_ERR_CANCELLED : GBS_OK;
        gbs_status status = gbs_fit_run(t.ctx, t.data, &o, &model);
        assert_int_equal(status, expected);
        gbs_model_free(model);
        status = gbs_sample_run_for(t.ctx, t.data, t.model, 0, NULL, &particles);
        assert_true(status == expected);
        gbs_particles_free(particles);
        status = gbs_complete_run(t.ctx, t.ratings, NULL, &completion);
        assert_int_equal(status, expected);
        gbs_completion_free(completion);
        o.prior = GBS_PRIOR_ZERO;
        status = gbs_cross_validate_run(t.ctx, t.data, 2, &o, 1, &result);
        assert_int_equal(status, expected);
        o.prior = GBS_PRIOR_INFORMED;
        assert_int_equal(references(t.ctx), before);
    }
    free_all(&t);
    assert_int_equal(h.blocks, 0);
}

/* ---------------------------------------------------------------- another context */

/* Handles of one context in the calls of another: the same numbers, each in its own memory. */
static void handles_serve_other_contexts(void **state) {
    (void)state;
    struct host own, other;
    struct things t = compute_things(host_context(&own));
    gbs_context *ctx = host_context(&other);
    double score[6], again[6], mean[2], sd[2];
    gbs_evaluation *e;
    gbs_gap *gap;
    gbs_particles *particles;
    uint32_t cell[] = {0, GBS_UNSEEN};
    assert_ok(t.ctx, gbs_model_predict(t.ctx, t.model, t.data, score, NULL, NULL));
    assert_ok(ctx, gbs_model_predict(ctx, t.model, t.data, again, NULL, NULL));
    assert_true(same_bits(score, again, 6));
    assert_ok(ctx, gbs_model_evaluate(ctx, t.model, t.data, &e));
    assert_ok(ctx, gbs_model_coefficients(ctx, t.model, mean, sd));
    assert_ok(ctx, gbs_particles_predict(ctx, t.particles, t.data, again, NULL, NULL));
    assert_ok(ctx, gbs_sample_run_for(ctx, t.data, t.model, 0, NULL, &particles));
    assert_ok(ctx, gbs_measure_gap(ctx, t.data, t.model, particles, &gap));
    assert_ok(ctx, gbs_completion_predict(ctx, t.completion, 2, cell, cell, again, NULL));
    long blocks = own.blocks;
    assert_ok(ctx, gbs_model_set_recipe(ctx, t.model, "[1]"));
    assert_ok(ctx, gbs_particles_set_recipe(ctx, t.particles, "[2]"));
    assert_int_equal(own.blocks, blocks + 2); /* a recipe lives as long as its handle */
    assert_ok(ctx, gbs_model_set_recipe(ctx, t.model, "[3, 4]"));
    assert_int_equal(gbs_model_set_recipe(ctx, t.model, "no JSON"), GBS_ERR_ARGUMENT);
    assert_string_equal(gbs_error_message(t.ctx), ""); /* told where the call was made */
    own.fail_at = own.calls;
    assert_int_equal(gbs_model_set_recipe(ctx, t.model, "[5]"), GBS_ERR_MEMORY);
    assert_string_equal(gbs_error_message(t.ctx), "");
    gbs_context_free(ctx);
    assert_true(other.blocks > 0);
    gbs_particles_free(particles);
    assert_true(isfinite(gap->gap));
    gbs_gap_free(gap);
    assert_int_equal(e->n, 6);
    assert_non_null(gbs_evaluation_reliability(e, 9));
    gbs_evaluation_free(e);
    assert_int_equal(other.blocks, 0);
    assert_string_equal(gbs_model_recipe(t.model), "[3, 4]");
    assert_string_equal(gbs_particles_recipe(t.particles), "[2]");
    free_all(&t);
    assert_int_equal(own.blocks, 0);
}

/* ---------------------------------------------------------------- threads */

enum { CROWD = 4, ROUNDS = 200 };

struct sweeper {
    pthread_barrier_t *start;
    struct things *things;
    int number;
};

static void *sweep(void *arg) {
    struct sweeper *s = arg;
    pthread_barrier_wait(s->start);
    for (int which = s->number; which < THINGS; which += CROWD)
        free_thing(s->things, which);
    return NULL;
}

/* All at once, the context among them; the sanitizer sees what is freed twice, or never. */
static void handles_are_freed_by_several_threads_at_once(void **state) {
    (void)state;
    gbs_context *maker = new_context(1, 1);
    struct things made = compute_things(maker);
    struct texts w = write_texts(&made);
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, CROWD), 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct things t = read_things(new_context(1, 1), &w);
        struct sweeper sweepers[CROWD];
        pthread_t thread[CROWD];
        for (int k = 0; k < CROWD; k++) {
            sweepers[k] = (struct sweeper){&start, &t, k};
            assert_int_equal(pthread_create(&thread[k], NULL, sweep, &sweepers[k]), 0);
        }
        for (int k = 0; k < CROWD; k++)
            pthread_join(thread[k], NULL);
    }
    pthread_barrier_destroy(&start);
    free_texts(maker, &w);
    free_all(&made);
}

/* A collector's thread frees what was left over while the context is at work. */
static void a_handle_is_freed_while_its_context_works(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct things t = compute_things(ctx), old = compute_things(ctx);
    pthread_barrier_t start;
    pthread_t thread;
    struct sweeper sweeper = {&start, &old, 1};
    assert_int_equal(pthread_barrier_init(&start, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, sweep, &sweeper), 0);
    pthread_barrier_wait(&start);
    gbs_model *model = fit(ctx, t.data, NULL);
    pthread_join(thread, NULL); /* it took data and completion */
    pthread_barrier_destroy(&start);
    gbs_model_free(model);
    gbs_ratings_free(old.ratings);
    gbs_model_free(old.model);
    gbs_particles_free(old.particles);
    gbs_release(ctx, old.text);
    free_all(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_and_its_handles_go_in_any_order),
        cmocka_unit_test(computed_handles_outlive_their_context),
        cmocka_unit_test(answers_outlive_their_context),
        cmocka_unit_test(a_freed_context_drops_its_callbacks),
        cmocka_unit_test(a_text_is_released_without_its_context),
        cmocka_unit_test(a_failed_call_keeps_no_reference),
        cmocka_unit_test(long_calls_leave_no_reference),
        cmocka_unit_test(handles_serve_other_contexts),
        cmocka_unit_test(handles_are_freed_by_several_threads_at_once),
        cmocka_unit_test(a_handle_is_freed_while_its_context_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
