/* Ranks: what they exchange, and how all of them hear of one that failed.
 *
 * Every exchange begins with a few numbers of which the ranks get the largest: who failed, how many
 * exchanges there were, how large this one is. So a rank that gave up meets the others in the
 * exchange that they wait in, and ranks that do not do the same work are found out before they mix
 * up their bytes. Then the results of tasks travel once (gather), or a total goes from rank to
 * rank, each adding its own tasks in order, and from the last one to all (fold): the sum is that of
 * one process, added up from left to right, and its bytes do not grow with the number of tasks.
 */
#include "core/ranks.h"

#include "core/check.h"
#include "core/joint.h"

#include <stdio.h>
#include <string.h>

/* Bytes from which an array is better gathered by itself; arrays of a loop, at most. */
#define LARGE ((size_t)1 << 16)
enum { MOST_MADE = 8 };

/* An exchange costs some ten microseconds in one machine, and as much as a hundred over a network;
 * a byte about as much as a flop or two. */
#define WORTH_AN_EXCHANGE 1e6
#define FLOPS_A_BYTE 4.0

#define APART                                                                                      \
    "the ranks do not do the same work; every one needs the same program, files and options"

/* ---------------------------------------------------------------- the table */

/* How many of them are on this machine. */
static bool count_neighbours(gbs_crew *crew) {
    const gbs_ranks *r = &crew->ranks;
    uint64_t mine = gbs_machine();
    for (size_t k = 0; k < r->size; k++) {
        uint64_t other = mine;
        if (r->broadcast(r->user, k, &other, sizeof other) != 0)
            return false;
        crew->neighbours += other == mine || other == 0 || mine == 0;
    }
    return true;
}

gbs_status gbs_context_set_ranks(gbs_context *ctx, const gbs_ranks *ranks) {
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    GBS_NEEDS(ctx, ranks);
    bool whole = ranks->largest != NULL && ranks->broadcast != NULL && ranks->gather != NULL &&
                 ranks->send != NULL && ranks->receive != NULL;
    if (!whole || ranks->rank >= ranks->size)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "ranks: a function is missing, or rank %zu of %zu",
                        ranks->rank, ranks->size);
    gbs_status idle = gbs_context_idle(ctx, "gbs_context_set_ranks");
    if (idle != GBS_OK)
        return idle;
    if (ctx->crew != NULL || ctx->device != NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "ranks: the context has %s",
                        ctx->crew != NULL ? "some already" : "a device of its own");
    gbs_crew *crew = gbs_array_alloc(ctx, 1, sizeof *crew);
    if (crew == NULL)
        return GBS_ERR_MEMORY;
    crew->ranks = *ranks;
    gbs_context_count(ctx);
    int64_t fewest = -(int64_t)ctx->threads;
    if (ranks->largest(ranks->user, &fewest, 1) != 0 || !count_neighbours(crew)) {
        gbs_array_free(ctx, crew);
        return gbs_fail(ctx, GBS_ERR_IO, GBS_CREW_SILENT);
    }
    ctx->threads = (int)-fewest;
    ctx->crew = crew;
    return GBS_OK;
}

void gbs_crew_free(gbs_context *ctx) {
    if (ctx->crew == NULL)
        return;
    if (ctx->crew->ranks.release != NULL)
        ctx->crew->ranks.release(ctx->crew->ranks.user);
    gbs_array_free(ctx, ctx->crew);
    ctx->crew = NULL;
}

int gbs_ranks_lost(const gbs_context *ctx, const char **words) {
    bool lost = ctx != NULL && ctx->crew != NULL && ctx->crew->lost;
    if (words != NULL)
        *words = lost ? ctx->crew->words : "";
    return lost;
}

void gbs_ranks_traffic(const gbs_context *ctx, uint64_t *exchanges, uint64_t *bytes) {
    const gbs_crew *crew = ctx != NULL ? ctx->crew : NULL;
    if (exchanges != NULL)
        *exchanges = crew != NULL ? crew->exchanges : 0;
    if (bytes != NULL)
        *bytes = crew != NULL ? crew->sent : 0;
}

/* ---------------------------------------------------------------- how all fare */

bool gbs_crew_give_up(gbs_crew *crew, const char *words) {
    crew->lost = true;
    snprintf(crew->words, sizeof crew->words, "%s", words);
    return false;
}

/* The lowest rank that failed says why. */
static bool hear(gbs_crew *crew, size_t who, const char *mine) {
    const gbs_ranks *r = &crew->ranks;
    char words[GBS_MESSAGE_ROOM - 32] = "";
    crew->here = who == r->rank;
    if (crew->here)
        snprintf(words, sizeof words, "%s", mine);
    if (r->broadcast(r->user, who, words, sizeof words) != 0)
        return gbs_crew_give_up(crew, GBS_CREW_SILENT);
    words[sizeof words - 1] = '\0';
    crew->lost = true;
    snprintf(crew->words, sizeof crew->words, "rank %zu failed: %s", who, words);
    return false;
}

/* What a rank says at the head of an exchange. Pairs of a number and its negative tell whether all
 * said the same. */
enum { FAILED, NUMBER, SHAPE = 3, STATUS = 5, HEAD = 7 };

static bool all_alike(const int64_t *head, int at) {
    return head[at] == -head[at + 1];
}

/* True when all ranks are here for the same exchange and well; false when one was lost, or
 * (*status) when all of them failed alike. shape: a number that the exchange has on all ranks. */
bool gbs_crew_meet(gbs_crew *crew, int64_t shape, gbs_status *status, const char *words) {
    const gbs_ranks *r = &crew->ranks;
    int64_t number = (int64_t)crew->exchanges, code = (int64_t)*status;
    int64_t head[HEAD] = {*status != GBS_OK ? (int64_t)(r->size - r->rank) : 0,
                          number,
                          -number,
                          shape,
                          -shape,
                          code,
                          -code};
    if (crew->lost)
        return false;
    if (r->largest(r->user, head, HEAD) != 0)
        return gbs_crew_give_up(crew, GBS_CREW_SILENT);
    bool same = all_alike(head, NUMBER) && all_alike(head, SHAPE);
    if (head[FAILED] > 0 && same && all_alike(head, STATUS))
        return false;
    if (head[FAILED] > 0)
        return hear(crew, r->size - (size_t)head[FAILED], words);
    if (!same)
        return gbs_crew_give_up(crew, APART);
    crew->exchanges++;
    return true;
}

gbs_status gbs_ranks_agree(gbs_context *ctx, gbs_status status, const char *words) {
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    gbs_crew *crew = ctx->crew;
    if (crew == NULL)
        return status;
    gbs_crew_meet(crew, -1, &status, words != NULL ? words : ctx->error);
    if (crew->lost && status == GBS_OK)
        status = gbs_fail(ctx, GBS_ERR_IO, "%s", crew->words);
    return status;
}

/* ---------------------------------------------------------------- shares */

static bool worth_it(const gbs_context *ctx, size_t tasks, double flops, double bytes) {
    if (ctx->crew == NULL || ctx->crew->ranks.size < 2 || tasks < 2)
        return false;
    double worth = ctx->crew->ranks.worth;
    return worth > 0.0 ? flops >= worth
                       : flops >= WORTH_AN_EXCHANGE && flops >= FLOPS_A_BYTE * bytes;
}

static gbs_share whole(size_t tasks) {
    return (gbs_share){.step = 1, .count = tasks, .tasks = tasks};
}

/* That of any rank. */
static gbs_share share_of_rank(const gbs_share *s, const gbs_ranks *r, size_t rank) {
    gbs_share out = *s;
    if (s->step > 1) {
        out.begin = rank;
        out.count = rank < s->tasks ? (s->tasks - rank - 1) / r->size + 1 : 0;
    } else {
        out.begin = s->tasks * rank / r->size;
        out.count = s->tasks * (rank + 1) / r->size - out.begin;
    }
    return out;
}

static gbs_share share(const gbs_context *ctx, size_t tasks, double flops, double bytes,
                       bool in_turn) {
    if (!worth_it(ctx, tasks, flops, bytes))
        return whole(tasks);
    const gbs_ranks *r = &ctx->crew->ranks;
    gbs_share s = {.step = in_turn ? r->size : 1, .tasks = tasks, .dealt = true};
    return share_of_rank(&s, r, r->rank);
}

gbs_share gbs_share_of(const gbs_context *ctx, size_t tasks, double flops, double bytes) {
    return share(ctx, tasks, flops, bytes, false);
}

gbs_share gbs_share_in_turn(const gbs_context *ctx, size_t tasks, double flops, double bytes) {
    return share(ctx, tasks, flops, bytes, true);
}

gbs_share gbs_share_deal(const gbs_context *ctx, size_t tasks) {
    const gbs_ranks *r = &ctx->crew->ranks;
    gbs_share s = {.step = 1, .tasks = tasks, .dealt = true};
    return share_of_rank(&s, r, r->rank);
}

size_t gbs_share_rank(const gbs_context *ctx, const gbs_share *s, size_t task) {
    const gbs_ranks *r = &ctx->crew->ranks;
    if (s->step > 1)
        return task % r->size;
    size_t rank = task * r->size / s->tasks;
    while (s->tasks * (rank + 1) / r->size <= task)
        rank++;
    return rank;
}

struct dealt {
    const gbs_share *share;
    gbs_loop_body work;
    void *arg;
};

static void run_dealt(void *arg, size_t k, size_t worker) {
    const struct dealt *d = arg;
    d->work(d->arg, d->share->begin + k * d->share->step, worker);
}

void gbs_share_for(gbs_context *ctx, const gbs_share *s, double flops, gbs_loop_body work,
                   void *arg) {
    struct dealt d = {s, work, arg};
    if (!s->dealt)
        gbs_parallel_for(ctx, s->count, flops, work, arg);
    else if (!ctx->crew->lost)
        gbs_parallel_for(ctx, s->count, flops * (double)s->count / (double)s->tasks, run_dealt, &d);
}

/* ---------------------------------------------------------------- results travel */

static void range_of(const gbs_made *m, size_t task, size_t *from, size_t *to) {
    if (m->at != NULL) {
        *from = m->at[task];
        *to = m->at[task + 1];
        return;
    }
    size_t left = m->elements - task * m->per_task;
    *from = task * m->per_task;
    *to = *from + (left < m->per_task ? left : m->per_task);
}

static size_t bytes_of(const gbs_share *s, const gbs_made *made, size_t count) {
    size_t bytes = 0, from, to;
    for (size_t k = 0; k < s->count; k++)
        for (size_t m = 0; m < count; m++) {
            range_of(&made[m], s->begin + k * s->step, &from, &to);
            bytes += (to - from) * made[m].size;
        }
    return bytes;
}

/* The results of a share into a buffer, or out of it. */
static void move_share(const gbs_share *s, const gbs_made *made, size_t count, char *buffer,
                       bool into) {
    for (size_t k = 0; k < s->count; k++)
        for (size_t m = 0; m < count; m++) {
            size_t from, to, size = made[m].size;
            range_of(&made[m], s->begin + k * s->step, &from, &to);
            bool close = made[m].stride == size;
            for (size_t i = from; i < to; i = close ? to : i + 1) {
                char *at = (char *)made[m].base + i * made[m].stride;
                size_t bytes = close ? (to - i) * size : size;
                memcpy(into ? buffer : at, into ? at : buffer, bytes);
                buffer += bytes;
            }
        }
}

gbs_status gbs_crew_gather(gbs_context *ctx, const void *mine, void *all, const size_t *begin) {
    gbs_crew *crew = ctx->crew;
    const gbs_ranks *r = &crew->ranks;
    if (r->gather(r->user, mine, all, begin) != 0) {
        gbs_crew_give_up(crew, GBS_CREW_SILENT);
        return gbs_fail(ctx, GBS_ERR_IO, "%s", crew->words);
    }
    crew->sent += begin[r->rank + 1] - begin[r->rank];
    return GBS_OK;
}

/* Large arrays of which each rank has a stretch are gathered where they lie. False: it is not one,
 * or there was no memory; it is then packed with the others, where the lack is told. */
static bool gather_in_place(gbs_context *ctx, const gbs_share *s, const gbs_made *m) {
    const gbs_ranks *r = &ctx->crew->ranks;
    size_t from, to, first, *begin = NULL;
    range_of(m, 0, &first, &to);
    range_of(m, s->tasks - 1, &from, &to);
    bool large = s->step == 1 && m->stride == m->size && (to - first) * m->size >= LARGE &&
                 s->tasks >= r->size;
    gbs_status status = GBS_OK;
    if (large) {
        begin = gbs_array_alloc(ctx, r->size + 1, sizeof *begin);
        status = begin != NULL ? GBS_OK : GBS_ERR_MEMORY;
        large = gbs_crew_meet(ctx->crew, (int64_t)((to - first) * m->size), &status, ctx->error) &&
                begin != NULL;
    }
    for (size_t k = 0; large && k < r->size; k++) {
        gbs_share of = share_of_rank(s, r, k);
        range_of(m, of.begin + of.count - 1, &from, &to);
        begin[k + 1] = (to - first) * m->size;
    }
    char *base = (char *)m->base + first * m->size;
    bool done = large && gbs_crew_gather(ctx, base + begin[r->rank], base, begin) == GBS_OK;
    gbs_array_free(ctx, begin);
    return done;
}

/* All but the large arrays, in one piece. */
static void gather_packed(gbs_context *ctx, const gbs_share *s, const gbs_made *made,
                          size_t count) {
    const gbs_ranks *r = &ctx->crew->ranks;
    size_t *begin = gbs_array_alloc(ctx, r->size + 1, sizeof *begin);
    for (size_t k = 0; begin != NULL && k < r->size; k++) {
        gbs_share of = share_of_rank(s, r, k);
        begin[k + 1] = begin[k] + bytes_of(&of, made, count);
    }
    size_t total = begin != NULL ? begin[r->size] : 0;
    char *mine = NULL, *all = NULL;
    if (begin != NULL) {
        mine = gbs_array_alloc(ctx, begin[r->rank + 1] - begin[r->rank], 1);
        all = gbs_array_alloc(ctx, total, 1);
    }
    gbs_status status = mine != NULL && all != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        move_share(s, made, count, mine, true);
    /* where memory has run out here, the others hear it now */
    bool met = gbs_crew_meet(ctx->crew, (int64_t)total, &status, ctx->error);
    if (!met && !ctx->crew->lost)
        gbs_crew_give_up(ctx->crew, "out of memory on every rank");
    if (met && begin != NULL && gbs_crew_gather(ctx, mine, all, begin) == GBS_OK)
        for (size_t k = 0; k < r->size; k++) {
            gbs_share of = share_of_rank(s, r, k);
            if (k != r->rank)
                move_share(&of, made, count, all + begin[k], false);
        }
    gbs_array_free(ctx, begin);
    gbs_array_free(ctx, mine);
    gbs_array_free(ctx, all);
}

void gbs_share_gather(gbs_context *ctx, const gbs_share *s, const gbs_made *made, size_t count) {
    gbs_made small[MOST_MADE];
    size_t left = 0;
    for (size_t m = 0; s->dealt && !ctx->crew->lost && m < count; m++)
        if (!gather_in_place(ctx, s, &made[m]))
            small[left++] = made[m];
    if (left > 0 && !ctx->crew->lost)
        gather_packed(ctx, s, small, left);
}

gbs_status gbs_share_fold(gbs_context *ctx, const gbs_share *s, gbs_fold_body add, const void *arg,
                          double *total, size_t count) {
    gbs_crew *crew = ctx->crew;
    const gbs_ranks *r = s->dealt ? &crew->ranks : NULL;
    size_t bytes = count * sizeof *total;
    gbs_status status = GBS_OK;
    bool well = r == NULL || gbs_crew_meet(crew, (int64_t)bytes, &status, "");
    if (well && r != NULL && s->begin > 0)
        well = r->receive(r->user, r->rank - 1, total, bytes) == 0;
    for (size_t k = 0; well && k < s->count; k++)
        add(arg, s->begin + k * s->step, total);
    if (r == NULL)
        return GBS_OK;
    if (crew->lost)
        return gbs_fail(ctx, GBS_ERR_IO, "%s", crew->words);
    if (well && r->rank + 1 < r->size && s->begin + s->count > 0)
        well = r->send(r->user, r->rank + 1, total, bytes) == 0;
    if (well)
        well = r->broadcast(r->user, r->size - 1, total, bytes) == 0;
    crew->sent += bytes;
    if (!well)
        gbs_crew_give_up(crew, GBS_CREW_SILENT);
    return well ? GBS_OK : gbs_fail(ctx, GBS_ERR_IO, "%s", crew->words);
}

void gbs_dealt_for(gbs_context *ctx, size_t tasks, double flops, gbs_loop_body work, void *arg,
                   const gbs_made *made, size_t count) {
    double bytes = 0.0;
    for (size_t m = 0; ctx->crew != NULL && m < count; m++) {
        size_t elements = made[m].at != NULL ? made[m].at[tasks] - made[m].at[0] : made[m].elements;
        bytes += (double)elements * (double)made[m].size;
    }
    gbs_share s = gbs_share_of(ctx, tasks, flops, bytes);
    gbs_share_for(ctx, &s, flops, work, arg);
    gbs_share_gather(ctx, &s, made, count);
}
