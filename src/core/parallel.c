/* Threads: one loop over numbered tasks, on a team that lives as long as the call that computes.
 *
 * Who runs a task is up to the scheduler; what a task computes depends on its number alone, and
 * callers add up task results in order. So the bits are the same for any thread count, and a team
 * may be as small as the system allows: where a thread cannot be started, the others do its work.
 *
 * The team is ours and not OpenMP's for what the runtimes do when things go wrong: they end the
 * process when a thread cannot be started, and after a fork they wait for threads that the child
 * does not have. Here no thread outlives the call, so that between calls a process can fork, and
 * the child has nothing to wait for.
 */
#include "core/blas.h"
#include "core/context.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* Waking a team costs some 10 microseconds on an idle machine and far more on a busy one. Under
 * ThreadSanitizer every loop has one, so that small data shows the tasks of all loops side by
 * side. */
#ifdef __SANITIZE_THREAD__
#define WORTH_A_TEAM 0.0
#else
#define WORTH_A_TEAM 2e6
#endif

/* Looks at a changing number before a thread goes to sleep: some hundred microseconds, as long as a
 * solver computes by itself between two passes. */
enum { LOOKS = 10000 };

/* Nanoseconds between two calls of the context's `waiting`. */
enum { A_WAIT = 20000000, A_SECOND = 1000000000 };

#define NO_ROOM "the system has no room for more"
#define NO_LOCKS "the OpenBLAS here is a build without locks"

/* The ticket's lower bits count the threads that a job takes beside the caller; all set: leave. */
enum { COUNT_BITS = 16, LEAVE = (1 << COUNT_BITS) - 1, LARGEST_TEAM = 1024 };

struct member {
    struct gbs_team *team;
    pthread_t thread;
    size_t index;  /* from 1; the caller is worker 0 */
    uint64_t seen; /* the last ticket */
};

struct gbs_team {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    _Atomic uint64_t ticket; /* number of the job, count of threads */
    _Atomic size_t next;     /* task of the job */
    _Atomic size_t busy;     /* threads beside the caller that are not done with it */
    gbs_loop_body work;
    void *arg;
    size_t tasks;
    size_t size;   /* threads, the caller not counted */
    size_t room;   /* for so many of them in OpenBLAS */
    bool complete; /* the system refused another */
    _Atomic int looks;
    pid_t process;
    struct member member[];
};

size_t gbs_workers(gbs_context *ctx) {
    if (ctx->threads == 0)
        gbs_context_count(ctx);
    return ctx->threads > 1 ? (size_t)ctx->threads : 1;
}

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* What OpenMP's threads heed: those that wait sleep at once, and leave the processor to others. */
static bool is_passive(void) {
    const char *policy = getenv("OMP_WAIT_POLICY");
    return policy != NULL && strcasecmp(policy, "passive") == 0;
}

/* ---------------------------------------------------------------- the threads */

static void run_tasks(struct gbs_team *team, size_t worker) {
    size_t task;
    while ((task = atomic_fetch_add_explicit(&team->next, 1, memory_order_relaxed)) < team->tasks)
        team->work(team->arg, task, worker);
}

static uint64_t next_ticket(struct gbs_team *team, uint64_t seen) {
    int looks = atomic_load_explicit(&team->looks, memory_order_relaxed);
    uint64_t ticket;
    for (int i = 0; i < looks; i++) {
        if ((ticket = atomic_load_explicit(&team->ticket, memory_order_acquire)) != seen)
            return ticket;
        pause_briefly();
    }
    pthread_mutex_lock(&team->lock);
    while ((ticket = atomic_load_explicit(&team->ticket, memory_order_acquire)) == seen)
        pthread_cond_wait(&team->wake, &team->lock);
    pthread_mutex_unlock(&team->lock);
    return ticket;
}

static void *serve(void *arg) {
    struct member *m = arg;
    struct gbs_team *team = m->team;
    gbs_blas_join();
    for (;;) {
        m->seen = next_ticket(team, m->seen);
        size_t count = m->seen & LEAVE;
        if (count == LEAVE)
            return NULL;
        if (m->index > count)
            continue; /* the job's fields are not for this thread, which nobody waits for */
        run_tasks(team, m->index);
        if (atomic_fetch_sub_explicit(&team->busy, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&team->lock);
            pthread_cond_signal(&team->done);
            pthread_mutex_unlock(&team->lock);
        }
    }
}

/* ---------------------------------------------------------------- the caller */

/* Jobs and dismissal alike: a new number, and this count. */
static void issue(struct gbs_team *team, size_t count) {
    pthread_mutex_lock(&team->lock);
    uint64_t number = (atomic_load_explicit(&team->ticket, memory_order_relaxed) >> COUNT_BITS) + 1;
    atomic_store_explicit(&team->ticket, number << COUNT_BITS | count, memory_order_release);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->lock);
}

/* Until the others are done. Tasks may be long: a caller who wants to know meanwhile is asked. */
static void wait_for_others(const gbs_context *ctx, struct gbs_team *team) {
    pthread_mutex_lock(&team->lock);
    while (atomic_load_explicit(&team->busy, memory_order_acquire) > 0) {
        if (ctx->waiting == NULL) {
            pthread_cond_wait(&team->done, &team->lock);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += A_WAIT;
        until.tv_sec += until.tv_nsec / A_SECOND;
        until.tv_nsec %= A_SECOND;
        if (pthread_cond_timedwait(&team->done, &team->lock, &until) == 0)
            continue;
        pthread_mutex_unlock(&team->lock);
        ctx->waiting(ctx->waiting_user);
        pthread_mutex_lock(&team->lock);
    }
    pthread_mutex_unlock(&team->lock);
}

static void run_job(const gbs_context *ctx, size_t helpers, size_t tasks, gbs_loop_body work,
                    void *arg) {
    struct gbs_team *team = ctx->team;
    team->work = work;
    team->arg = arg;
    team->tasks = tasks;
    atomic_store_explicit(&team->next, 0, memory_order_relaxed);
    atomic_store_explicit(&team->busy, helpers, memory_order_relaxed);
    issue(team, helpers);
    run_tasks(team, 0);
    int looks = atomic_load_explicit(&team->looks, memory_order_relaxed);
    for (int i = 0; i < looks; i++) {
        if (atomic_load_explicit(&team->busy, memory_order_acquire) == 0)
            return;
        pause_briefly();
    }
    wait_for_others(ctx, team);
}

static struct gbs_team *create_team(gbs_context *ctx) {
    size_t most = gbs_workers(ctx) < LARGEST_TEAM ? gbs_workers(ctx) : LARGEST_TEAM;
    size_t bytes = sizeof(struct gbs_team) + (most - 1) * sizeof(struct member);
    struct gbs_team *team = ctx->allocator.allocate(bytes, ctx->allocator.user);
    if (team == NULL)
        return NULL;
    memset(team, 0, bytes);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->wake, NULL);
    pthread_cond_init(&team->done, NULL);
    team->process = getpid();
    return team;
}

/* Threads until there are `wanted`, or until the system refuses one. They leave signals to the
 * threads of the caller. */
static void enlarge(gbs_context *ctx, struct gbs_team *team, size_t wanted) {
    sigset_t all, before;
    if (team->room < wanted)
        team->room += gbs_blas_widen(wanted - team->room);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team->size < wanted && team->size < team->room) {
        struct member *m = &team->member[team->size];
        *m = (struct member){.team = team, .index = team->size + 1};
        m->seen = atomic_load_explicit(&team->ticket, memory_order_relaxed);
        if (pthread_create(&m->thread, NULL, serve, m) != 0)
            break;
        team->size++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    team->complete = team->size < wanted;
    gbs_context_count(ctx);
    atomic_store(&team->looks, team->size < (size_t)ctx->cpus && !is_passive() ? LOOKS : 0);
    if (team->complete) {
        const char *why = gbs_blas_takes_turns() ? NO_LOCKS : NO_ROOM;
        gbs_log(ctx, GBS_LOG_INFO, "%zu of %d threads: %s", team->size + 1, ctx->threads, why);
    }
}

static void dismiss(gbs_context *ctx) {
    struct gbs_team *team = ctx->team;
    if (team == NULL)
        return;
    ctx->team = NULL;
    if (team->process == getpid()) {
        issue(team, LEAVE);
        for (size_t i = 0; i < team->size; i++)
            pthread_join(team->member[i].thread, NULL);
        pthread_cond_destroy(&team->wake);
        pthread_cond_destroy(&team->done);
        pthread_mutex_destroy(&team->lock);
    }
    ctx->allocator.release(team, ctx->allocator.user);
}

/* How many threads help with a job of so many tasks; they are there. None in a child that a
 * callback has forked. */
static size_t helpers_for(gbs_context *ctx, size_t tasks) {
    size_t wanted = (gbs_workers(ctx) < tasks ? gbs_workers(ctx) : tasks) - 1;
    wanted = wanted < LARGEST_TEAM ? wanted : LARGEST_TEAM - 1;
    if (ctx->team == NULL && (ctx->team = create_team(ctx)) == NULL)
        return 0;
    if (ctx->team->process != getpid())
        return 0;
    if (ctx->team->size < wanted && !ctx->team->complete)
        enlarge(ctx, ctx->team, wanted);
    return ctx->team->size < wanted ? ctx->team->size : wanted;
}

/* ---------------------------------------------------------------- calls */

static bool begin(gbs_context *ctx) {
    if (ctx->computing > 0 || gbs_blas_enter())
        ctx->computing++;
    return ctx->computing > 0;
}

gbs_status gbs_compute_begin(gbs_context *ctx) {
    if (begin(ctx))
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory: no work space for products of matrices");
}

void gbs_compute_end(gbs_context *ctx) {
    if (--ctx->computing > 0)
        return;
    size_t room = 1 + (ctx->team != NULL ? ctx->team->room : 0);
    dismiss(ctx);
    gbs_blas_leave(room);
}

void gbs_parallel_for(gbs_context *ctx, size_t tasks, double flops, gbs_loop_body work, void *arg) {
    bool worth = tasks > 1 && flops >= WORTH_A_TEAM && gbs_workers(ctx) > 1;
    bool begun = worth && begin(ctx);
    size_t helpers = begun ? helpers_for(ctx, tasks) : 0;
    if (helpers > 0)
        run_job(ctx, helpers, tasks, work, arg);
    for (size_t task = 0; helpers == 0 && task < tasks; task++)
        work(arg, task, 0);
    if (begun)
        gbs_compute_end(ctx);
}
