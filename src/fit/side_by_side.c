/* Jobs side by side, each in a child context. */
#include "fit/side_by_side.h"

#include <math.h>
#include <string.h>

struct team {
    gbs_context *ctx;
    gbs_side_job job;
    void *arg;
    size_t jobs, first; /* first: of those now running */
    gbs_side_progress progress;
    atomic_size_t finished;
    atomic_int cancelled;
    /* of the first job that failed, with its words; written by whoever sets `failed` */
    gbs_status failure;
    char error[GBS_MESSAGE_ROOM];
    atomic_flag failed;
};

struct child {
    struct team *team;
    size_t worker;
};

static void tell(struct team *team) {
    double share = (double)atomic_load(&team->finished) / (double)team->jobs;
    gbs_progress(team->ctx, team->progress.stage,
                 team->progress.done + team->progress.span * share);
}

/* The caller's callbacks belong to the caller's thread, which is worker 0: it asks whether to stop
 * and tells how many jobs are finished; the others look at the flag. */
static void ask(void *user) {
    struct team *team = user;
    tell(team);
    if (gbs_check_cancel(team->ctx) != GBS_OK)
        atomic_store(&team->cancelled, 1);
}

static int cancelled(void *user) {
    struct child *c = user;
    if (c->worker == 0)
        ask(c->team);
    return atomic_load(&c->team->cancelled);
}

static void run(void *arg, size_t task, size_t worker) {
    struct team *team = arg;
    struct child child = {team, worker};
    /* computing: inside the caller's gbs_compute_begin, which has the work space of this thread;
     * references: this function's, so that handles that come and go leave it on the stack */
    gbs_context ctx = {.allocator = team->ctx->allocator,
                       .references = 1,
                       .cancel = cancelled,
                       .cancel_user = &child,
                       .threads = team->ctx->crew != NULL ? team->ctx->threads : 1,
                       .cpus = team->ctx->cpus,
                       .crew = team->ctx->crew,
                       .seed = team->ctx->seed,
                       .device = team->ctx->device,
                       .computing = team->ctx->crew != NULL ? 0 : 1};
    gbs_status status = team->job(&ctx, team->arg, team->first + task);
    atomic_fetch_add(&team->finished, 1);
    if (status != GBS_OK && !atomic_flag_test_and_set(&team->failed)) {
        team->failure = status;
        memcpy(team->error, ctx.error, sizeof team->error);
    }
}

/* The same on several ranks: one job after the other, each dealt out to all of them. */
static gbs_status run_dealt(struct team *team) {
    gbs_status status = GBS_OK;
    for (team->first = 0; status == GBS_OK && team->first < team->jobs; team->first++) {
        run(team, 0, 0);
        if (team->failure != GBS_OK)
            return gbs_fail(team->ctx, team->failure, "%s", team->error);
        tell(team);
        status = gbs_check_cancel(team->ctx);
    }
    return status;
}

/* A few jobs a worker at a time, so that progress can be told and a stop is heard in between; while
 * the caller has no job left and waits, too. */
static gbs_status run_all(struct team *team) {
    size_t jobs = team->jobs, batch = 4 * gbs_workers(team->ctx);
    gbs_status status = GBS_OK;
    for (team->first = 0; status == GBS_OK && team->first < jobs; team->first += batch) {
        size_t now = jobs - team->first < batch ? jobs - team->first : batch;
        team->ctx->waiting = ask;
        team->ctx->waiting_user = team;
        gbs_parallel_for(team->ctx, now, INFINITY, run, team);
        team->ctx->waiting = NULL;
        if (team->failure != GBS_OK)
            return gbs_fail(team->ctx, team->failure, "%s", team->error);
        tell(team);
        status = gbs_check_cancel(team->ctx);
    }
    return status;
}

gbs_status gbs_side_by_side(gbs_context *ctx, size_t jobs, gbs_side_progress progress,
                            gbs_side_job job, void *arg) {
    struct team team = {.ctx = ctx,
                        .job = job,
                        .arg = arg,
                        .jobs = jobs,
                        .progress = progress,
                        .failed = ATOMIC_FLAG_INIT};
    gbs_status status = gbs_compute_begin(ctx);
    if (status != GBS_OK)
        return status;
    status = ctx->crew != NULL ? run_dealt(&team) : run_all(&team);
    gbs_compute_end(ctx);
    return status;
}
