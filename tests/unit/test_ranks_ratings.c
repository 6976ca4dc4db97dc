/* Rows of a completion that stay with their ranks: the posterior is that of one context, to the
 * bit, and what a sweep sends does not grow with the number of rows. */
#include "levels_support.h"
#include "unit/thread_ranks.h"

#include <inttypes.h>

enum { ROOM = 1000 };

struct shape {
    size_t rows, columns, n, rank, sweeps;
    bool positions, single;
};

/* All numbers of an array, mixed; FNV-1a over their bytes. */
static uint64_t mix(const double *x, size_t count) {
    uint64_t hash = UINT64_C(14695981039346656037);
    const unsigned char *bytes = (const unsigned char *)x;
    for (size_t k = 0; k < count * sizeof *x; k++)
        hash = (hash ^ bytes[k]) * UINT64_C(1099511628211);
    return hash;
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
        /* the sums of a column from rank to rank, from the last to all; its posterior */
        assert_true(of_many[r] <= few.columns * (sums + records + column) + totals);
        assert_true(of_many[r] <= of_few[r] + few.columns * records);
        /* a row's posterior alone would be more */
        assert_true(of_many[r] < many.rows / 3 * column);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_stay_leave_the_bits),
        cmocka_unit_test(what_a_sweep_sends_does_not_grow_with_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
