/* One sweep of the hierarchical completion against its floor, and a whole fit.
 *
 *   6,000 x 4,000, 10^6 ratings, 16 and 32 components      target: at most 1.5 times the floor
 *
 * Seconds are of the processors, of all threads together, so that a busy machine does not count.
 * The floor is measured in the same run: a sweep must read, for each rating, one record of each
 * side in single precision (as fast as records of as many items are summed in order), and factor
 * and invert one matrix an item (as fast as the same eight over and over, side by side).
 */
#include "bench.h"
#include "completion/level_ascent.h"
#include "completion/positions.h"
#include "kernel/eight.h"

static gbs_context *ctx;

enum { SWEEPS = 5, ROUNDS = 3, TASKS = 64 };

struct floor_test {
    size_t n, items, rank, records_of; /* records_of: how many there are */
    gbs_record_shape shape;
    float *records;
};

/* Records in order, each task from a place of its own. */
static void read_task(void *arg, size_t task, size_t worker) {
    const struct floor_test *t = arg;
    double sum[8192] = {0}, weighted[600] = {0}, y[64] = {0};
    uint32_t other[64];
    (void)worker;
    for (size_t k = 0, at = task * t->records_of / TASKS; k < t->n / 64 / TASKS; k++) {
        for (size_t e = 0; e < 64; e++, at++)
            other[e] = (uint32_t)(at % t->records_of);
        gbs_sum_singles(t->shape, 64, other, y, 0.0, 1.0, t->records, sum, weighted);
    }
}

/* Eight regressions at a time, over and over, in the first cache but for large ranks. */
static void factor_task(void *arg, size_t task, size_t worker) {
    const struct floor_test *t = arg;
    size_t own = t->rank + 1, packed = gbs_packed_size(own) * GBS_EIGHT;
    double *room = calloc(2 * packed + 3 * own * GBS_EIGHT + gbs_eight_work(own), sizeof *room),
           *precision = calloc(own * own, sizeof *precision);
    (void)task, (void)worker;
    if (room == NULL || precision == NULL)
        exit(1);
    gbs_eight e = {.d = own, .a = room, .cov = room + packed, .r = room + 2 * packed};
    e.centre = e.r + own * GBS_EIGHT;
    e.mean = e.centre + own * GBS_EIGHT;
    e.work = e.mean + own * GBS_EIGHT;
    for (size_t i = 0; i < own; i++)
        for (size_t j = 0; j < own; j++)
            precision[i * own + j] = i == j ? 2.0 * (double)own : 1.0;
    for (size_t k = 0; k < t->items / TASKS; k += GBS_EIGHT)
        if (!gbs_eight_regress(precision, 1.0, &e))
            exit(1);
    free(room);
    free(precision);
}

static double best_of(gbs_loop_body work, struct floor_test *t) {
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = process_seconds();
        gbs_parallel_for(ctx, TASKS, 1e12, work, t);
        best = fmin(best, process_seconds() - start);
    }
    return best;
}

struct begun {
    double *phi[2];
    size_t features[2];
    gbs_levels f;
};

static void end(struct begun *b) {
    gbs_levels_free(&b->f);
    gbs_array_free(ctx, b->phi[0]);
    gbs_array_free(ctx, b->phi[1]);
}

/* Seconds that the features and the start take, room for the rest not counted. */
static double begin(const gbs_ratings *r, size_t rank, struct begun *b) {
    double start = process_seconds();
    if (gbs_position_features(ctx, r, true, 5, b->phi, b->features) != GBS_OK)
        exit(1);
    double seconds = process_seconds() - start;
    if (gbs_levels_create(ctx, r, rank, b->phi, b->features, true, &b->f) != GBS_OK)
        exit(1);
    start = process_seconds();
    if (gbs_levels_start(&b->f, 6) != GBS_OK)
        exit(1);
    return seconds + process_seconds() - start;
}

static void bench(const gbs_ratings *r, size_t rank) {
    struct begun b;
    double sweep = INFINITY, ready = begin(r, rank, &b);
    size_t items = r->by[0].items + r->by[1].items,
           most = r->by[0].items > r->by[1].items ? r->by[0].items : r->by[1].items;
    gbs_ascent out = {0};
    gbs_level_options o = {.tolerance = -1.0, .stage = "bench"};
    for (int round = 1; round < ROUNDS; round++) {
        end(&b);
        ready = fmin(ready, begin(r, rank, &b));
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start = process_seconds();
        o.most_sweeps += SWEEPS;
        if (gbs_levels_ascend(&b.f, &o, &out) != GBS_OK)
            exit(1);
        sweep = fmin(sweep, (process_seconds() - start) / SWEEPS);
    }
    struct floor_test t = {r->n,       items,
                           rank,       most,
                           b.f.record, aligned_alloc(64, most * b.f.record.stride * sizeof(float))};
    if (t.records == NULL)
        exit(1);
    memset(t.records, 0, most * b.f.record.stride * sizeof(float));
    double reading = 2.0 * best_of(read_task, &t), factors = best_of(factor_task, &t);
    printf(
        "%zu ratings, %zu components: %.3f s a sweep; floor %.3f s (records %.3f, matrices %.3f): "
        "ratio %.2f (target 1.5)\n",
        r->n, rank, sweep, reading + factors, reading, factors, sweep / (reading + factors));
    printf("  features of positions and spectral start: %.3f s, %.1f sweeps (target 2)\n", ready,
           ready / sweep);
    free(t.records);
    end(&b);
}

int main(void) {
    if (gbs_context_create(NULL, &ctx) != GBS_OK || gbs_compute_begin(ctx) != GBS_OK)
        return 1;
    gbs_ratings *r = make_ratings(ctx, 6000, 4000, 1000000);
    bench(r, 16);
    bench(r, 32);
    gbs_ratings_free(r);
    gbs_compute_end(ctx);
    gbs_context_free(ctx);
    return 0;
}
