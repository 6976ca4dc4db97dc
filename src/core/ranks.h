/* Tasks dealt out to ranks (include/gibbsite/ranks.h), and what becomes of their results.
 *
 *   share = gbs_share_of(ctx, tasks, flops, bytes)     which tasks are this rank's
 *   gbs_share_for(ctx, &share, flops, work, arg)       they are run, on the context's threads
 *   gbs_share_gather(ctx, &share, made, count)         every rank gets what the others' tasks made
 *   gbs_share_fold(ctx, &share, add, arg, total, n)    or their sum, added up in the order of tasks
 *
 * What a task computes depends on its number alone, so the bits are those of one process. Every
 * rank can read all data, its own or those of a file that ranks share (core/joint.h): a loop that
 * is not worth an exchange is run whole by each. Without ranks, a share is all tasks and nothing
 * is exchanged.
 */
#ifndef GIBBSITE_CORE_RANKS_H
#define GIBBSITE_CORE_RANKS_H

#include "core/pages.h"

typedef struct gbs_crew {
    gbs_ranks ranks;
    size_t neighbours; /* ranks on this machine, this one too; all of them where nobody tells */
    gbs_spill memory;  /* who shares it with this one (joint.h); members 0: not asked yet */
    uint64_t exchanges, sent;
    bool lost; /* nothing is exchanged any more */
    bool here; /* this rank was the one that failed */
    char words[GBS_MESSAGE_ROOM];
} gbs_crew;

void gbs_crew_free(gbs_context *ctx);

#define GBS_CREW_SILENT "the ranks cannot reach one another"

/* True when all ranks are here for the same exchange and well; false when one was lost, or
 * (*status) when all of them failed alike. shape: a number that the exchange has on all ranks. */
bool gbs_crew_meet(gbs_crew *crew, int64_t shape, gbs_status *status, const char *words);
/* Nothing is exchanged any more; false. */
bool gbs_crew_give_up(gbs_crew *crew, const char *words);
/* Those of each rank into `all`, as gbs_ranks.gather has it; after a meeting. */
gbs_status gbs_crew_gather(gbs_context *ctx, const void *mine, void *all, const size_t *begin);

/* What each rank says, however long, to all of them: rank r's bytes are those from begin[r] to
 * begin[r + 1]. Every rank calls it (collect.c). */
typedef struct gbs_collected {
    char *bytes;
    size_t *begin;
} gbs_collected;
gbs_status gbs_crew_collect(gbs_context *ctx, const void *mine, size_t size, gbs_collected *out);
void gbs_collected_free(const gbs_context *ctx, gbs_collected *c);
/* How each rank fared at its part of what they do together. GBS_OK: all of them well; else all of
 * them fail in the way of the lowest that did, with its words. Without ranks, the status. */
gbs_status gbs_crew_verdict(gbs_context *ctx, gbs_status status);

/* Tasks begin, begin + step, ...: `count` of the `tasks`. */
typedef struct gbs_share {
    size_t begin, step, count, tasks;
    bool dealt; /* the others have the rest */
} gbs_share;

/* flops: of all tasks; bytes: that they leave behind. The same on all ranks. */
gbs_share gbs_share_of(const gbs_context *ctx, size_t tasks, double flops, double bytes);
/* The same, every size-th task: where costs rise or fall along the tasks. Not for a fold. */
gbs_share gbs_share_in_turn(const gbs_context *ctx, size_t tasks, double flops, double bytes);
/* Dealt out whatever it is worth, by a context that has ranks. */
gbs_share gbs_share_deal(const gbs_context *ctx, size_t tasks);

/* The rank that has a task of one that is dealt out. */
size_t gbs_share_rank(const gbs_context *ctx, const gbs_share *share, size_t task);

void gbs_share_for(gbs_context *ctx, const gbs_share *share, double flops, gbs_loop_body work,
                   void *arg);

/* What tasks leave in an array: elements of `size` bytes, `stride` bytes apart. Task t makes those
 * from at[t] to at[t + 1]; at NULL: `per_task` of them, the last fewer, `elements` in all. */
typedef struct gbs_made {
    void *base;
    size_t size, stride, per_task, elements;
    const size_t *at;
} gbs_made;

void gbs_share_gather(gbs_context *ctx, const gbs_share *share, const gbs_made *made, size_t count);

/* Takes the result of a task into the total; task 0 begins it. */
typedef void (*gbs_fold_body)(const void *arg, size_t task, double *total);
/* GBS_ERR_IO: a rank was lost, and the total is not whole. */
gbs_status gbs_share_fold(gbs_context *ctx, const gbs_share *share, gbs_fold_body add,
                          const void *arg, double *total, size_t count);

/* Stages that go from rank to rank (relay.c): in each a rank takes what the one before it left,
 * adds its own and hands it on; while the next one works at it, this one is at the stage behind.
 * So sums over what the ranks have are added up in the order of ranks, as one process would. What
 * comes of a stage the last rank sends to its owner. */
typedef struct gbs_baton {
    void *base;
    size_t bytes;
} gbs_baton;
enum { GBS_RELAY_BATONS = 2 };
typedef struct gbs_relay {
    size_t stages;
    void *arg;
    /* What a stage comes with, or (`out`) leaves; the first piece is what comes of it. */
    void (*pieces)(void *arg, size_t stage, bool out, gbs_baton piece[GBS_RELAY_BATONS]);
    void (*work)(void *arg, size_t stage);
    /* A rank, no lower than that of the stage before. */
    size_t (*owner)(void *arg, size_t stage);
    size_t bytes; /* that come of all stages */
} gbs_relay;
/* Every rank of a context that has some calls it. */
gbs_status gbs_crew_relay(gbs_context *ctx, const gbs_relay *relay);

/* Doubles, `per_task` a task. */
static inline gbs_made gbs_made_doubles(double *base, size_t per_task, size_t elements) {
    return (gbs_made){.base = base,
                      .size = sizeof *base,
                      .stride = sizeof *base,
                      .per_task = per_task,
                      .elements = elements};
}

/* Items of `size` doubles, task t making those from at[t] to at[t + 1]. */
static inline gbs_made gbs_made_items(double *base, size_t size, const size_t *at) {
    return (gbs_made){
        .base = base, .size = size * sizeof *base, .stride = size * sizeof *base, .at = at};
}

/* A loop dealt out and its results gathered: the usual way. */
void gbs_dealt_for(gbs_context *ctx, size_t tasks, double flops, gbs_loop_body work, void *arg,
                   const gbs_made *made, size_t count);

#endif
