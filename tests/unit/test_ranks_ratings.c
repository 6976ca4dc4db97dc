/* Rows of a completion that stay with their ranks: the posterior is that of one context, to the
 * bit, and what a sweep sends does not grow with the number of rows. Ratings of which the ranks
 * have one copy between them are those of one context. */
#include "levels_support.h"
#include "unit/thread_ranks.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>

enum { ROOM = 1000 };

struct shape {
    size_t rows, columns, n, rank, sweeps;
    bool positions, single;
};

/* All numbers of an array, mixed; FNV-1a over their bytes. */
static uint64_t mix_bytes(const void *x, size_t size) {
    uint64_t hash = UINT64_C(14695981039346656037);
    const unsigned char *bytes = x;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ bytes[k]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t mix(const double *x, size_t count) {
    return mix_bytes(x, count * sizeof *x);
}

static char *ascend(gbs_context *ctx, size_t rank, const void *arg) {
    const struct shape *s = arg;
    if (gbs_compute_begin(ctx) != GBS_OK)
        return NULL;
    struct levels_case c = make_levels(ctx, 7, s->rows, s->columns, s->n, s->rank, s->positions,
                                       s->single);
    gbs_level_options o = {.most_sweeps = s->sweeps, .tolerance = 0.0, .stage = ""};
    gbs_ascent a = {0};
    char *text = NULL;
    (void)rank;
    if (gbs_levels_ascend(&c.f, &o, &a) == GBS_OK && (text = calloc(1, ROOM)) != NULL) {
        int used = snprintf(text, ROOM, "%zu sweeps, F %a, loss %a, beta %a, rates %016" PRIx64,
                            a.sweeps, a.free_energy, gbs_levels_expected_loss(&c.f), c.f.beta,
                            mix(c.f.rate, s->rows));
        for (int k = 0; k < 2; k++) {
            const gbs_level_side *side = &c.f.side[k];
            used += snprintf(text + used, ROOM - (size_t)used,
                             ", means %016" PRIx64 ", covariances %016" PRIx64 ", omega %016" PRIx64
                             ", B %016" PRIx64 ", Lambda %016" PRIx64,
                             mix(side->mean, side->items * c.f.own),
                             mix(side->cov, side->items * gbs_packed_size(c.f.own)),
                             mix(side->omega, side->items),
                             mix(side->coef, side->features * c.f.own),
                             mix(side->precision, c.f.own * c.f.own));
        }
    }
    free_levels(ctx, &c);
    gbs_compute_end(ctx);
    return text;
}

static void rows_that_stay_leave_the_bits(void **state) {
    /* many parts; a part and a rank without one; more columns than rows, where all travel; rows
     * that have no rating */
    static const struct shape shapes[] = {{1500, 30, 9000, 4, 4, true, true},
                                          {1500, 30, 9000, 4, 4, false, false},
                                          {200, 9, 700, 3, 5, false, true},
                                          {60, 150, 3000, 3, 3, false, true},
                                          {900, 5, 1200, 2, 4, true, true}};
    (void)state;
    for (size_t k = 0; k < repeats(COUNT(shapes), 2); k++) {
        gbs_context *ctx = new_context(1, 1);
        char *expected = only_order() ? NULL : ascend(ctx, 0, &shapes[k]);
        for (size_t size = 2; size <= MOST_RANKS; size++) {
            struct rank_run run[MOST_RANKS];
            run_ranks(size, size == 3 ? 2 : 1, ascend, &shapes[k], run);
            for (size_t r = 0; r < size; r++) {
                assert_non_null(run[r].text);
                assert_string_equal(run[r].text, expected != NULL ? expected : run[0].text);
            }
            for (size_t r = 0; r < size; r++)
                free(run[r].text);
        }
        free(expected);
        gbs_context_free(ctx);
    }
}

/* arg: how often it may still be asked; 0: as often as one likes. */
static int stop_later(void *arg) {
    size_t *left = arg;
    if (*left > 1)
        --*left;
    return *left == 1;
}

/* Rank 1 is asked to stop in the middle of the ascent. */
static char *ascend_and_stop(gbs_context *ctx, size_t rank, const void *arg) {
    size_t asked = 0;
    gbs_ascent a = {0};
    gbs_level_options o = {.most_sweeps = 1000, .tolerance = 0.0, .stage = ""};
    (void)arg;
    if (rank == 1)
        gbs_context_set_cancel(ctx, stop_later, &asked);
    if (gbs_compute_begin(ctx) != GBS_OK)
        return NULL;
    struct levels_case c = make_levels(ctx, 7, 1500, 30, 9000, 4, false, true);
    asked = 20;
    gbs_ranks_agree(ctx, gbs_levels_ascend(&c.f, &o, &a), NULL);
    char *text = strdup(gbs_error_message(ctx));
    free_levels(ctx, &c);
    gbs_compute_end(ctx);
    return text;
}

static void a_rank_that_stops_stops_all(void **state) {
    (void)state;
    for (size_t size = 2; size <= MOST_RANKS; size++) {
        struct rank_run run[MOST_RANKS];
        run_ranks(size, 1, ascend_and_stop, NULL, run);
        for (size_t r = 0; r < size; r++) {
            assert_non_null(run[r].text);
            assert_non_null(strstr(run[r].text, r == 1 ? "cancelled" : "rank 1 failed: cancelled"));
            free(run[r].text);
        }
    }
}

/* Bytes that rank r of three gives in one sweep. */
static void bytes_a_sweep(struct shape s, uint64_t bytes[3]) {
    struct rank_run run[2][MOST_RANKS];
    for (int more = 0; more < 2; more++) {
        s.sweeps = more ? 5 : 2;
        run_ranks(3, 1, ascend, &s, run[more]);
        for (size_t r = 0; r < 3; r++) {
            assert_non_null(run[more][r].text);
            free(run[more][r].text);
        }
    }
    for (size_t r = 0; r < 3; r++)
        bytes[r] = (run[1][r].bytes - run[0][r].bytes) / 3;
}

static void what_a_sweep_sends_does_not_grow_with_the_rows(void **state) {
    const size_t rank = 4, own = rank + 1, packed = own * (own + 1) / 2;
    gbs_record_shape record = gbs_level_record_shape(rank);
    struct shape few = {1200, 40, 6000, rank, 0, false, true}, many = few;
    uint64_t of_few[3], of_many[3];
    (void)state;
    many.rows *= 4;
    many.n *= 4;
    bytes_a_sweep(few, of_few);
    bytes_a_sweep(many, of_many);
    size_t sums = (record.plain + 2 * record.both) * sizeof(double),
           records = 3 * (record.plain + record.both) * sizeof(float),
           column = (own + packed) * sizeof(double), totals = 4096;
    for (size_t r = 0; r < 3; r++) {
        /* the sums of a column from rank to rank or to its owner; its posterior */
        assert_true(of_many[r] <= few.columns * (sums + records + column) + totals);
        assert_true(of_many[r] <= of_few[r] + few.columns * records);
        /* a row's posterior alone would be more */
        assert_true(of_many[r] < many.rows / 3 * column);
    }
}

/* Bytes that a rank receives in one sweep, on average. */
static double received_a_sweep(struct shape s, size_t size) {
    double sum[2] = {0.0, 0.0};
    for (int more = 0; more < 2; more++) {
        struct rank_run run[MOST_RANKS];
        s.sweeps = more ? 5 : 2;
        run_ranks(size, 1, ascend, &s, run);
        for (size_t r = 0; r < size; r++) {
            assert_non_null(run[r].text);
            free(run[r].text);
            sum[more] += (double)run[r].seat.received;
        }
    }
    return (sum[1] - sum[0]) / (3.0 * (double)size);
}

/* Rows stay where that moves less (level_apart.c), on either side of where it begins to. How many
 * records go along with a column is as good as uniform on 0 to 3, for each border between two
 * ranks: six standard deviations of their sum, a false alarm in 10^8 tries. Shares may differ by a
 * block of columns; sums over all rows and columns, and prior means, come on top. */
static void rows_stay_where_less_travels(void **state) {
    enum { COLUMNS = 600, BLOCK = 64, FOLDED = 1000 };
    const size_t rank = 8, own = rank + 1;
    const double posterior = (double)(own + own * (own + 1) / 2),
                 sums = (double)(own * (own + 1) / 2 + 2 * rank + 4),
                 record = (double)(own * (own + 1) / 2 + rank + 2) / 2.0, prior = (double)own;
    (void)state;
    for (size_t size = 2; size <= MOST_RANKS; size++) {
        double p = (double)size, others = 1.0 - 1.0 / p,
               stay = others * COLUMNS * (sums + 1.5 * record + sums / p),
               begin = 1.3 * stay / (others * (posterior + 2.0)),
               noise = 6.0 * record * sqrt(1.25 * COLUMNS * (p - 1.0)) / p + BLOCK * sums / p;
        for (int many = 0; many < 2; many++) {
            size_t rows = (size_t)((many ? 1.2 : 0.55) * begin);
            struct shape s = {rows, COLUMNS, 60 * rows, rank, 0, false, true};
            double travel = others * (double)rows * (posterior + 2.0),
                   left = received_a_sweep(s, size) / sizeof(double) -
                          others * COLUMNS * (posterior + prior);
            if (many) {
                assert_true(left > stay - noise && left < stay + noise + FOLDED);
                assert_true(left < travel);
            } else {
                assert_true(left > travel && left < stay - noise);
                assert_true(left < travel + others * (double)rows * (prior + 1.0) + FOLDED);
            }
        }
    }
}

/* ---------------------------------------------------------------- one copy of the ratings */

enum { SHARED_ROWS = 700, SHARED_COLUMNS = 90, SHARED_RATINGS = 70000 };

static void tell(const gbs_ratings *r, char *text) {
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, ROOM - used, "%zu, mean %a, squares %a", r->n, r->center,
                             r->squares);
    for (int k = 0; k < 2; k++) {
        const gbs_rating_list *l = &r->by[k];
        used += (size_t)snprintf(text + used, ROOM - used,
                                 ", starts %016" PRIx64 ", others %016" PRIx64
                                 ", values %016" PRIx64,
                                 mix_bytes(l->start, (l->items + 1) * sizeof *l->start),
                                 mix_bytes(l->other, r->n * sizeof *l->other), mix(l->value, r->n));
    }
}

/* arg: whether memory can be shared. The words begin with who shares what. */
static char *make_ratings(gbs_context *ctx, size_t rank, const void *arg) {
    const bool *possible = arg;
    uint64_t seed = 3;
    uint32_t *row = calloc(SHARED_RATINGS, sizeof *row),
             *column = calloc(SHARED_RATINGS, sizeof *column);
    double *value = calloc(SHARED_RATINGS, sizeof *value);
    size_t *pick = calloc(SHARED_RATINGS, sizeof *pick), picked = 0;
    gbs_ratings *all = NULL, *some = NULL;
    char *text = calloc(1, ROOM);
    (void)rank;
    for (size_t e = 0; e < SHARED_RATINGS; e++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        row[e] = (uint32_t)(seed >> 40) % SHARED_ROWS;
        column[e] = (uint32_t)(seed >> 20 & 0xfffff) % SHARED_COLUMNS;
        value[e] = (double)(seed >> 50);
        if (seed >> 33 & 7)
            pick[picked++] = e ^ 1; /* not in order */
    }
    if (gbs_ratings_create(ctx, SHARED_RATINGS, SHARED_ROWS, SHARED_COLUMNS, row, column, value,
                           NULL, NULL, &all) == GBS_OK &&
        gbs_ratings_subset(ctx, all, picked, pick, &some) == GBS_OK) {
        bool ranks = ctx->crew != NULL;
        snprintf(text, ROOM, "%s ",
                 all->shared == (ranks && *possible) && some->shared == (ranks && *possible)
                     ? "as it should be:"
                     : "not shared, or shared alone:");
        tell(all, text);
        tell(some, text);
    } else {
        snprintf(text, ROOM, "%s", gbs_error_message(ctx));
    }
    gbs_ratings_free(all);
    gbs_ratings_free(some);
    free(row);
    free(column);
    free(value);
    free(pick);
    return text;
}

static void ranks_have_one_copy_of_the_ratings(void **state) {
    gbs_context *ctx = new_context(1, 1);
    struct rlimit most, none = {.rlim_cur = 4096};
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &most), 0);
    none.rlim_max = most.rlim_max;
    for (int way = 0; way < 2; way++) { /* the second time no such file can be made */
        bool possible = way == 0;
        char *alone = make_ratings(ctx, 0, &possible);
        assert_memory_equal(alone, "as it should be:", 16);
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, possible ? &most : &none), 0);
        for (size_t size = 2; size <= MOST_RANKS; size++) {
            struct rank_run run[MOST_RANKS];
            run_ranks(size, 1, make_ratings, &possible, run);
            for (size_t r = 0; r < size; r++) {
                assert_string_equal(run[r].text, alone);
                free(run[r].text);
            }
        }
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &most), 0);
        free(alone);
    }
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_stay_leave_the_bits),
        cmocka_unit_test(a_rank_that_stops_stops_all),
        cmocka_unit_test(what_a_sweep_sends_does_not_grow_with_the_rows),
        cmocka_unit_test(rows_stay_where_less_travels),
        cmocka_unit_test(ranks_have_one_copy_of_the_ratings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
