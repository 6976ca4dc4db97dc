/* Threads as a guest of strange processes: after a fork, from several threads of the host at once,
 * and where the system starts no more of them. The bits are always those of one thread.
 *
 * What may hang runs in a child that is waited for with an end: a hang is a failure.
 */
#include "core/blas.h"
#include "core/context.h"
#include "unit/support.h"
#include "unit/zero_prior.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 6000, COLUMNS = 24, PATIENCE = 120, NOT_POSSIBLE = 77 };

/* ---------------------------------------------------------------- a fit with work for a team */

struct outcome {
    double energy, risk, mean[COLUMNS + 1], sd[COLUMNS + 1];
};

static struct table_of_numbers table;

static int make_the_table(void **state) {
    (void)state;
    table = small_table(901, ROWS, COLUMNS);
    return 0;
}

static int drop_the_table(void **state) {
    (void)state;
    free_table(&table);
    return 0;
}

/* No assertions: it runs in threads and in children too. */
static bool fit_on(gbs_context *ctx, struct outcome *out) {
    gbs_data *data = NULL;
    gbs_model *model = NULL;
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.family = GBS_FAMILY_FULL;
    o.prior_sd = 0.5;
    memset(out, 0, sizeof *out);
    const struct table_of_numbers *t = &table;
    gbs_status status = gbs_data_dense(ctx, t->n, t->d, t->x, t->d, t->y, GBS_BORROW, &data);
    if (status == GBS_OK)
        status = gbs_fit_run(ctx, data, &o, &model);
    if (status == GBS_OK)
        status = gbs_model_coefficients(ctx, model, out->mean, out->sd);
    bool done = status == GBS_OK;
    if (done) {
        gbs_model_info info = info_of(model);
        out->energy = info.free_energy;
        out->risk = info.gibbs_risk;
    } else {
        fprintf(stderr, "# %s\n", gbs_error_message(ctx));
    }
    gbs_model_free(model);
    gbs_data_free(data);
    return done;
}

/* Fits on a context, and frees it. */
static bool fit_with(gbs_context *ctx, struct outcome *out) {
    bool done = fit_on(ctx, out);
    gbs_context_free(ctx);
    return done;
}

static struct outcome alone(void) {
    struct outcome out;
    assert_true(fit_with(new_context(1, 1), &out));
    return out;
}

static bool same(const struct outcome *a, const struct outcome *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* ---------------------------------------------------------------- children */

/* The child's exit status; -1 when a signal ended it or it did not end. */
static int status_of(pid_t child) {
    struct timespec tick = {.tv_nsec = 20000000};
    for (int ticks = 0; ticks < PATIENCE * 50; ticks++) {
        int status;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (ended < 0 && errno != EINTR)
            return -1;
        nanosleep(&tick, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return -1;
}

/* 0: fits on a context of the parent and on a new one give these bits. */
static int fits_in_child(gbs_context *old, const struct outcome *expected) {
    struct outcome here, anew;
    if (old != NULL && (!fit_on(old, &here) || !same(&here, expected)))
        return 1;
    return fit_with(new_context(3, 1), &anew) && same(&anew, expected) ? 0 : 2;
}

static pid_t child_that_fits(gbs_context *old, const struct outcome *expected) {
    pid_t child = fork();
    if (child == 0)
        _exit(fits_in_child(old, expected));
    return child;
}

/* ---------------------------------------------------------------- fork */

static size_t threads_of_this_process(void) {
    size_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;)
        count += e->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return count;
}

struct watch {
    size_t before, most;
};

static void count_threads(const char *stage, double done, void *user) {
    struct watch *w = user;
    size_t now = threads_of_this_process();
    (void)stage, (void)done;
    w->most = now > w->most ? now : w->most;
}

/* Without this the tests below would fork from a process that never had a team. */
static void a_fit_of_this_size_has_a_team_and_leaves_none(void **state) {
    (void)state;
    struct watch w = {.before = threads_of_this_process()};
    struct outcome out;
    if (w.before == 0)
        skip();
    gbs_context *ctx = new_context(2, 1);
    gbs_context_set_progress(ctx, count_threads, &w);
    assert_true(fit_with(ctx, &out));
    assert_int_equal(w.most, w.before + (gbs_blas_takes_turns() ? 0 : 1));
    assert_int_equal(threads_of_this_process(), w.before);
}

struct meddler {
    gbs_context *ctx;
    size_t asked;
};

static void meddle(const char *stage, double done, void *user) {
    struct meddler *m = user;
    (void)stage, (void)done;
    m->asked++;
    assert_int_equal(gbs_context_set_threads(m->ctx, 64), GBS_ERR_ARGUMENT);
    assert_non_null(strstr(gbs_error_message(m->ctx), "gbs_context_set_threads"));
    assert_int_equal(gbs_context_set_seed(m->ctx, 9), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_device(m->ctx, "cpu"), GBS_ERR_ARGUMENT);
}

/* Its arrays have room for the threads that it began with. */
static void a_callback_cannot_change_the_call(void **state) {
    (void)state;
    struct outcome expected = alone(), out;
    struct meddler m = {.ctx = new_context(2, 1)};
    gbs_context_set_progress(m.ctx, meddle, &m);
    assert_true(fit_on(m.ctx, &out) && same(&out, &expected));
    assert_true(m.asked > 0);
    assert_ok(m.ctx, gbs_context_set_threads(m.ctx, 1)); /* it has ended */
    gbs_context_free(m.ctx);
}

static void after_a_fork_the_child_computes_the_same(void **state) {
    (void)state;
    struct outcome expected = alone(), here;
    gbs_context *ctx = new_context(2, 1);
    for (int round = 0; round < 3; round++) {
        assert_true(fit_on(ctx, &here));
        assert_true(same(&here, &expected));
        pid_t child = child_that_fits(ctx, &expected);
        assert_true(child > 0);
        assert_int_equal(status_of(child), 0);
    }
    /* and so does a child of a child */
    pid_t child = fork();
    if (child == 0) {
        int first = fits_in_child(ctx, &expected);
        pid_t next = child_that_fits(ctx, &expected);
        _exit(first != 0 || next < 0 || status_of(next) != 0 ? 1 : 0);
    }
    assert_int_equal(status_of(child), 0);
    assert_true(fit_on(ctx, &here)); /* the parent's threads are not the worse for it */
    assert_true(same(&here, &expected));
    gbs_context_free(ctx);
}

/* A host's thread: two fits on a context of its own, then perhaps a child. */
struct guest {
    pthread_t thread;
    const struct outcome *expected;
    bool forks, right;
};

static void *visit(void *arg) {
    struct guest *g = arg;
    gbs_context *ctx;
    if (gbs_context_create(NULL, &ctx) != GBS_OK || gbs_context_set_threads(ctx, 2) != GBS_OK)
        return NULL;
    struct outcome out;
    g->right = true;
    for (int round = 0; round < 2; round++)
        g->right = fit_on(ctx, &out) && same(&out, g->expected) && g->right;
    if (g->forks)
        g->right = status_of(child_that_fits(ctx, g->expected)) == 0 && g->right;
    gbs_context_free(ctx);
    return NULL;
}

static void receive(struct guest *guests, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&guests[i].thread, NULL, visit, &guests[i]), 0);
    for (size_t i = 0; i < count; i++)
        pthread_join(guests[i].thread, NULL);
    for (size_t i = 0; i < count; i++)
        assert_true(guests[i].right);
}

static void several_threads_of_the_host_compute_at_once(void **state) {
    (void)state;
    struct outcome expected = alone();
    struct guest guests[4] = {{0}};
    for (size_t i = 0; i < COUNT(guests); i++)
        guests[i].expected = &expected;
    receive(guests, COUNT(guests));
}

static void a_fork_after_several_threads_have_computed(void **state) {
    (void)state;
    struct outcome expected = alone();
    struct guest guests[3] = {{0}};
    for (size_t i = 0; i < COUNT(guests); i++)
        guests[i].expected = &expected;
    receive(guests, COUNT(guests));
    assert_int_equal(status_of(child_that_fits(NULL, &expected)), 0);
    /* from a thread that is not the process's first */
    struct guest last = {.expected = &expected, .forks = true};
    receive(&last, 1);
}

/* A host that forks in the middle of a fit, out of a callback. */
struct forking {
    const struct outcome *expected;
    pid_t child;
};

static void fork_once(const char *stage, double done, void *user) {
    struct forking *f = user;
    (void)stage, (void)done;
    if (f->child == 0)
        f->child = child_that_fits(NULL, f->expected);
}

static void a_fork_out_of_a_callback(void **state) {
    (void)state;
    struct outcome expected = alone(), here;
    struct forking f = {.expected = &expected};
    gbs_context *ctx = new_context(2, 1);
    gbs_context_set_progress(ctx, fork_once, &f);
    assert_true(fit_with(ctx, &here));
    assert_true(same(&here, &expected));
    assert_true(f.child > 0);
    assert_int_equal(status_of(f.child), 0);
}

/* ---------------------------------------------------------------- no more threads */

static void remember(gbs_log_level level, const char *message, void *user) {
    (void)level;
    if (strstr(message, "threads") != NULL)
        snprintf(user, 200, "%s", message);
}

/* This program started anew, with an argument: as a user who may have no second thread. */
static int fit_without_threads(void) {
    struct rlimit none = {1, 1};
    char said[200] = "";
    struct outcome expected, here;
    make_the_table(NULL);
    gbs_context *alone = new_context(1, 1), *crowded = new_context(8, 1);
    gbs_context_set_log(crowded, remember, said);
    if (!fit_with(alone, &expected))
        return 3;
    if (setrlimit(RLIMIT_NPROC, &none) != 0 || (geteuid() == 0 && setuid(65534) != 0))
        return NOT_POSSIBLE;
    if (!fit_with(crowded, &here) || !same(&here, &expected))
        return 1;
    return strncmp(said, "1 of 8 threads: ", 16) == 0 ? 0 : 2;
}

static void threads_that_cannot_be_started_are_done_without(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test_threads", "without", (char *)NULL);
        _exit(NOT_POSSIBLE);
    }
    int status = status_of(child);
    if (status == NOT_POSSIBLE)
        skip();
    assert_int_equal(status, 0);
}

/* ---------------------------------------------------------------- the loop itself */

enum { TASKS = 1000 };

struct tally {
    unsigned char done[TASKS];
    size_t workers;
    bool outside;
};

static void tick_off(void *arg, size_t task, size_t worker) {
    struct tally *t = arg;
    t->done[task]++;
    if (worker >= t->workers)
        t->outside = true;
}

static void every_task_is_run_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= 9; threads += 4) {
        gbs_context *ctx = new_context(threads, 1);
        assert_ok(ctx, gbs_compute_begin(ctx));
        for (size_t tasks = 0; tasks <= TASKS; tasks = tasks < 12 ? tasks + 1 : tasks * 2 + 7) {
            struct tally t = {.workers = (size_t)threads < tasks ? (size_t)threads : tasks};
            gbs_parallel_for(ctx, tasks, INFINITY, tick_off, &t);
            for (size_t k = 0; k < TASKS; k++)
                assert_int_equal(t.done[k], k < tasks);
            assert_false(t.outside && tasks > 1);
        }
        gbs_compute_end(ctx);
        gbs_context_free(ctx);
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "without") == 0)
        _exit(fit_without_threads()); /* LeakSanitizer would want a thread at the end */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_run_once),
        cmocka_unit_test(a_fit_of_this_size_has_a_team_and_leaves_none),
        cmocka_unit_test(a_callback_cannot_change_the_call),
        cmocka_unit_test(after_a_fork_the_child_computes_the_same),
        cmocka_unit_test(several_threads_of_the_host_compute_at_once),
        cmocka_unit_test(a_fork_after_several_threads_have_computed),
        cmocka_unit_test(a_fork_out_of_a_callback),
        cmocka_unit_test(threads_that_cannot_be_started_are_done_without),
    };
    return cmocka_run_group_tests(tests, make_the_table, drop_the_table);
}
