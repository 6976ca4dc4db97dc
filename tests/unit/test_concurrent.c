/* Contexts that work at once, each on a thread of its own.
 *
 * Every worker has a context of its own seed; half of them compute on two threads. All jobs run on
 * all workers at once, then again one after the other: the results have the same bits. Under
 * ThreadSanitizer (build/tsan) the same program, at once alone, finds accesses that nothing orders.
 */
#include "unit/concurrent_jobs.h"

/* ------------------------------------------------------------ at once, and one after the other */

struct crew {
    job *const *jobs;
    size_t count;
    struct worker worker[WORKERS];
};

struct call {
    const struct crew *crew;
    struct worker *worker;
};

/* Each worker begins with another job, so that different jobs meet. */
static void *run_jobs(void *arg) {
    const struct call *c = arg;
    struct worker *w = c->worker;
    if (w->start != NULL)
        pthread_barrier_wait(w->start);
    for (size_t k = 0; k < c->crew->count; k++) {
        size_t which = (k + w->number) % c->crew->count;
        w->out = &w->outcomes[which];
        c->crew->jobs[which](w);
    }
    return NULL;
}

static void prepare(struct crew *crew, const struct material *m, job *const *jobs, size_t count) {
    crew->jobs = jobs;
    crew->count = count;
    for (size_t k = 0; k < WORKERS; k++) {
        struct worker *w = &crew->worker[k];
        *w = (struct worker){.m = m, .number = k, .ctx = new_context(1 + (int)k % 2, 100 + k)};
        w->outcomes = take(count, sizeof *w->outcomes);
    }
}

static void dismiss(struct crew *crew) {
    for (size_t k = 0; k < WORKERS; k++) {
        gbs_context_free(crew->worker[k].ctx);
        free(crew->worker[k].outcomes);
    }
}

static void compare(const struct outcome *a, const struct outcome *b) {
    assert_string_equal(a->failed, "");
    assert_string_equal(b->failed, "");
    assert_true(b->count > 0);
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        double x = a->seen[i], y = b->seen[i];
        if (!same_bits(&x, &y, 1))
            fail_msg("number %zu: %.17g at once, %.17g alone", i, x, y);
    }
}

/* First at once, so that what is set up at the first use is set up by several. */
static void compare_at_once_with_alone(const struct material *m, job *const *jobs, size_t count) {
    struct crew together, alone;
    struct call call[WORKERS];
    pthread_t thread[WORKERS];
    pthread_barrier_t start;
    prepare(&together, m, jobs, count);
    prepare(&alone, m, jobs, count);
    assert_int_equal(pthread_barrier_init(&start, NULL, WORKERS), 0);
    for (size_t k = 0; k < WORKERS; k++) {
        together.worker[k].start = &start;
        call[k] = (struct call){&together, &together.worker[k]};
        assert_int_equal(pthread_create(&thread[k], NULL, run_jobs, &call[k]), 0);
    }
    for (size_t k = 0; k < WORKERS; k++)
        assert_int_equal(pthread_join(thread[k], NULL), 0);
    pthread_barrier_destroy(&start);
    for (size_t k = 0; k < WORKERS && !only_order(); k++)
        run_jobs(&(struct call){&alone, &alone.worker[k]});
    for (size_t k = 0; k < WORKERS; k++)
        for (size_t j = 0; j < count; j++) {
            const struct outcome *out = &together.worker[k].outcomes[j];
            print_message("worker %zu, job %zu\n", k, j);
            compare(out, only_order() ? out : &alone.worker[k].outcomes[j]);
        }
    dismiss(&together);
    dismiss(&alone);
}

/* ---------------------------------------------------------------- the tests */

static int make_material(void **state) {
    static struct material m;
    struct dice r = {901};
    m = (struct material){
        .table = make_table(&r, repeats(400, 150), 6, 1.0, 0.5),
        .large = make_table(&r, 4500, 3, 1.0, 0.5),
        .sparse = make_table(&r, 30, 39, 0.2, 0.5),
        .clouds = two_clouds(&r, repeats(500, 200), 3, 0.6, 0.3),
        .truth = make_truth(902, 150, 100, 2, repeats(3000, MANY_CELLS), 0.5, 0.0, true)};
    *state = &m;
    return mkdtemp(scratch_name(m.folder)) != NULL ? 0 : -1;
}

static int remove_material(void **state) {
    struct material *m = *state;
    free_table(&m->table);
    free_table(&m->large);
    free_table(&m->sparse);
    free_table(&m->clouds);
    free_truth(&m->truth);
    return rmdir(m->folder); /* empty: no worker left a file */
}

static void contexts_that_work_at_once_do_not_meet(void **state) {
    compare_at_once_with_alone(*state, own_jobs, COUNT(own_jobs));
}

static void make_raw(struct material *m) {
    static const double size[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3},
                        y[] = {0, 1, 0, 1, 1, 0, 0, 1, 1, 0};
    static const char *const shop[] = {"n", "s", "n", "s", "s", "n", "n", "s", "n", "s"};
    assert_ok(m->ctx, gbs_table_create(m->ctx, 10, 3, &m->raw));
    assert_ok(m->ctx, gbs_table_add_texts(m->ctx, m->raw, "shop", shop));
    assert_ok(m->ctx, gbs_table_add_numbers(m->ctx, m->raw, "size", size));
    assert_ok(m->ctx, gbs_table_add_numbers(m->ctx, m->raw, "y", y));
    assert_ok(m->ctx, gbs_table_train(m->ctx, m->raw, NULL, &m->trained));
}

/* Predicting, evaluating, writing and fitting only read what is shared: no lock is needed. */
static void what_one_context_made_others_may_read_at_once(void **state) {
    struct material m = *(const struct material *)*state;
    m.ctx = new_context(1, 1);
    m.data = dense_data(m.ctx, &m.table);
    m.pairs = dense_data(m.ctx, &m.clouds);
    gbs_fit_settings o = ranking(GBS_LOSS_ZERO_ONE, GBS_FAMILY_DIAGONAL);
    gbs_sample_settings s = gbs_sample_settings_default();
    gbs_complete_settings c = paper_settings();
    gbs_ratings *ratings = ratings_of(m.ctx, &m.truth);
    s.particles = 200;
    s.lambda = 50.0;
    c.rank = 3;
    m.model = fit(m.ctx, m.data, NULL);
    m.ranker = fit(m.ctx, m.pairs, &o);
    assert_ok(m.ctx, gbs_sample_run(m.ctx, m.data, &s, &m.particles));
    assert_ok(m.ctx, gbs_complete_run(m.ctx, ratings, &c, &m.completion));
    make_raw(&m);
    assert_ok(m.ctx, gbs_report_create(m.ctx, &m.report));
    assert_ok(m.ctx, gbs_report_add_model(m.ctx, m.report, "ranker", m.ranker));
    compare_at_once_with_alone(&m, shared_jobs, COUNT(shared_jobs));
    gbs_report_free(m.report);
    gbs_table_free(m.raw);
    gbs_data_free(m.trained);
    gbs_completion_free(m.completion);
    gbs_ratings_free(ratings);
    gbs_particles_free(m.particles);
    gbs_model_free(m.ranker);
    gbs_model_free(m.model);
    gbs_data_free(m.pairs);
    gbs_data_free(m.data);
    gbs_context_free(m.ctx);
}

static int cancel_at_the_third_call(void *user) {
    return ++*(int *)user >= 3;
}

static void *fit_under(void *arg) {
    struct worker *w = arg;
    pthread_barrier_wait(w->start);
    classify(w);
    return NULL;
}

/* Every second worker is told to stop; its neighbours end as if nothing had been. */
static void cancelling_one_context_leaves_the_others(void **state) {
    const struct material *m = *state;
    struct worker worker[WORKERS];
    struct outcome *out = take(WORKERS + 1, sizeof *out);
    int calls[WORKERS] = {0};
    pthread_t thread[WORKERS];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, WORKERS), 0);
    for (size_t k = 0; k < WORKERS; k++) {
        worker[k] = (struct worker){.m = m, .out = &out[k], .number = k, .start = &start};
        worker[k].ctx = new_context(1, 1);
        gbs_context_set_cancel(worker[k].ctx, k % 2 == 0 ? cancel_at_the_third_call : NULL,
                               &calls[k]);
    }
    for (size_t k = 0; k < WORKERS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, fit_under, &worker[k]), 0);
    for (size_t k = 0; k < WORKERS; k++)
        assert_int_equal(pthread_join(thread[k], NULL), 0);
    pthread_barrier_destroy(&start);
    worker[1].out = &out[WORKERS];
    classify(&worker[1]);
    for (size_t k = 0; k < WORKERS; k++) {
        if (k % 2 == 0) {
            assert_non_null(strstr(out[k].failed, "cancelled"));
        } else {
            compare(&out[k], &out[WORKERS]);
        }
        gbs_context_free(worker[k].ctx);
    }
    free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_that_work_at_once_do_not_meet),
        cmocka_unit_test(what_one_context_made_others_may_read_at_once),
        cmocka_unit_test(cancelling_one_context_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, make_material, remove_material);
}
