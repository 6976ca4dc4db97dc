/* Ranks for tests: threads of one process, each with a context of its own, that reach one another
 * through shared memory (include/gibbsite/ranks.h without MPI). */
#ifndef GIBBSITE_TESTS_THREAD_RANKS_H
#define GIBBSITE_TESTS_THREAD_RANKS_H

#include "unit/support.h"

#include <pthread.h>
#include <semaphore.h>

enum { MOST_RANKS = 4, MOST_VALUES = 16 };

/* What the ranks share. */
struct meeting {
    size_t size;
    pthread_barrier_t door;
    int64_t value[MOST_RANKS][MOST_VALUES];
    const void *given[MOST_RANKS];
    const void *letter[MOST_RANKS][MOST_RANKS]; /* from a rank to another */
    sem_t sent[MOST_RANKS][MOST_RANKS], taken[MOST_RANKS][MOST_RANKS];
};

struct seat {
    struct meeting *meeting;
    size_t rank;
    uint64_t received; /* bytes */
};

static inline int seat_largest(void *user, int64_t *value, size_t count) {
    struct seat *s = user;
    struct meeting *m = s->meeting;
    memcpy(m->value[s->rank], value, count * sizeof *value);
    pthread_barrier_wait(&m->door);
    for (size_t r = 0; r < m->size; r++)
        for (size_t k = 0; k < count; k++)
            value[k] = m->value[r][k] > value[k] ? m->value[r][k] : value[k];
    pthread_barrier_wait(&m->door);
    return 0;
}

static inline int seat_broadcast(void *user, size_t from, void *bytes, size_t count) {
    struct seat *s = user;
    struct meeting *m = s->meeting;
    m->given[s->rank] = bytes;
    pthread_barrier_wait(&m->door);
    if (s->rank != from) {
        memcpy(bytes, m->given[from], count);
        s->received += count;
    }
    pthread_barrier_wait(&m->door);
    return 0;
}

static inline int seat_gather(void *user, const void *mine, void *all, const size_t *begin) {
    struct seat *s = user;
    struct meeting *m = s->meeting;
    m->given[s->rank] = mine;
    pthread_barrier_wait(&m->door);
    for (size_t r = 0; r < m->size; r++)
        if (begin[r + 1] > begin[r] && (char *)all + begin[r] != m->given[r])
            memcpy((char *)all + begin[r], m->given[r], begin[r + 1] - begin[r]);
    s->received += begin[m->size] - (begin[s->rank + 1] - begin[s->rank]);
    pthread_barrier_wait(&m->door);
    return 0;
}

/* It lasts until the letter is taken. */
static inline int seat_send(void *user, size_t to, const void *bytes, size_t count) {
    struct seat *s = user;
    struct meeting *m = s->meeting;
    (void)count;
    m->letter[s->rank][to] = bytes;
    sem_post(&m->sent[s->rank][to]);
    return sem_wait(&m->taken[s->rank][to]);
}

static inline int seat_receive(void *user, size_t from, void *bytes, size_t count) {
    struct seat *s = user;
    struct meeting *m = s->meeting;
    sem_wait(&m->sent[from][s->rank]);
    memcpy(bytes, m->letter[from][s->rank], count);
    s->received += count;
    return sem_post(&m->taken[from][s->rank]);
}

/* What a rank does, without assertions; a text of its own, or NULL. */
typedef char *(*rank_job)(gbs_context *ctx, size_t rank, const void *arg);

struct rank_run {
    struct seat seat;
    pthread_t thread;
    rank_job job;
    const void *arg;
    int threads;
    char *text;
    uint64_t exchanges, bytes;
};

static inline void *run_rank(void *arg) {
    struct rank_run *r = arg;
    gbs_context *ctx;
    gbs_ranks table = {.rank = r->seat.rank,
                       .size = r->seat.meeting->size,
                       .worth = 1.0, /* every loop that can be dealt out is */
                       .user = &r->seat,
                       .largest = seat_largest,
                       .broadcast = seat_broadcast,
                       .gather = seat_gather,
                       .send = seat_send,
                       .receive = seat_receive};
    if (gbs_context_create(NULL, &ctx) != GBS_OK)
        return NULL;
    gbs_context_set_threads(ctx, r->threads);
    if (gbs_context_set_ranks(ctx, &table) == GBS_OK)
        r->text = r->job(ctx, r->seat.rank, r->arg);
    gbs_ranks_traffic(ctx, &r->exchanges, &r->bytes);
    gbs_context_free(ctx);
    return NULL;
}

/* The job on `size` ranks; the caller frees their texts. */
static inline void run_ranks(size_t size, int threads, rank_job job, const void *arg,
                             struct rank_run *run) {
    struct meeting meeting = {.size = size};
    pthread_barrier_init(&meeting.door, NULL, (unsigned)size);
    for (size_t r = 0; r < size * size; r++) {
        sem_init(&meeting.sent[r / size][r % size], 0, 0);
        sem_init(&meeting.taken[r / size][r % size], 0, 0);
    }
    for (size_t r = 0; r < size; r++) {
        run[r] = (struct rank_run){
            .seat = {&meeting, r, 0}, .job = job, .arg = arg, .threads = threads};
        assert_int_equal(pthread_create(&run[r].thread, NULL, run_rank, &run[r]), 0);
    }
    for (size_t r = 0; r < size; r++)
        pthread_join(run[r].thread, NULL);
    for (size_t r = 0; r < size * size; r++) {
        sem_destroy(&meeting.sent[r / size][r % size]);
        sem_destroy(&meeting.taken[r / size][r % size]);
    }
    pthread_barrier_destroy(&meeting.door);
}

#endif
