/* Certificates of the values that a completion predicts hold as often as they say, in two designs:
 *
 *   draws:  ratings are independent draws of (row, column, value), cells by taste; the risk is that
 *           over fresh draws
 *   subset: they are a random subset of all ratings there are, whose cells were chosen by taste;
 *           the risk is that over all ratings outside the part that was learned from
 *
 * Values are stars, so that RMSE, mean absolute error and the share missed by more than a half each
 * have a bound. The number of violations passes a one-sided binomial test (support.h: a false alarm
 * in a million); twelve of them. GIBBSITE_COVERAGE=full (make coverage-study) runs 500 replications
 * of each design and prints the table; otherwise there are fewer.
 */
#include "complete_support.h"
#include "coverage_support.h"
#include "data/hash.h"
#include "fit/complete.h"
#include "paper_settings.h"

enum { ROWS = 50, COLUMNS = 40, RATINGS = 900, FRESH = 20000, ALL = 1400, BOUNDS = 3 };
enum design { DRAWS, SUBSET };

static const char *const design_name[] = {"draws", "subset"}, *const bound_name[] = {
                                                                  "RMSE", "absolute error",
                                                                  "beyond half a star"};

/* One rating, its cell kept by taste. */
static void draw_rating(struct matrix_truth *t, struct dice *r, size_t e) {
    double x;
    do {
        t->row[e] = (uint32_t)dice_below(r, t->rows);
        t->column[e] = (uint32_t)dice_below(r, t->columns);
        x = truth_at(t, t->row[e], t->column[e]);
    } while (dice_uniform(r) > 1.0 / (1.0 + exp(-2.0 * (x - 3.0))));
    t->y[e] = round(fmin(6.0, fmax(0.0, x + 0.5 * dice_normal(r))));
}

/* Sums over ratings of the three losses. */
static void add_losses(gbs_context *ctx, const gbs_completion *m, size_t n, const uint32_t *row,
                       const uint32_t *column, const double *y, double *sum) {
    double *value = doubles(n + 1);
    assert_int_equal(gbs_completion_predict(ctx, m, n, row, column, value, NULL), GBS_OK);
    for (size_t e = 0; e < n; e++) {
        double off = fabs(y[e] - value[e]);
        sum[0] += off * off;
        sum[1] += off;
        sum[2] += off > 0.5;
    }
    free(value);
}

/* Those of the ratings kept from the fit, which are outside the part that was learned from. */
static size_t add_kept(gbs_context *ctx, const gbs_completion *m, const gbs_ratings *ratings,
                       const gbs_complete_settings *o, double *sum) {
    struct gbs_completion_run run = {.ctx = ctx, .o = o, .all = ratings};
    run.seed = gbs_hash_seed(ctx->seed, ratings->n, gbs_ratings_hash(ratings));
    assert_int_equal(gbs_completion_split_last(&run), GBS_OK);
    const gbs_rating_list *l = &run.part[1]->by[0];
    size_t n = run.part[1]->n;
    uint32_t *row = take(n, sizeof *row);
    for (size_t i = 0; i < l->items; i++)
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++)
            row[e] = (uint32_t)i;
    add_losses(ctx, m, n, row, l->other, l->value, sum);
    free(row);
    gbs_ratings_free(run.part[0]);
    gbs_ratings_free(run.part[1]);
    return n;
}

/* One fit to the first RATINGS of `all`; which bounds fail. The others are fresh, or what is left
 * of all ratings. */
static void replicate(enum design design, uint64_t seed, double confidence,
                      struct matrix_truth *all, size_t *violations, double *width) {
    gbs_context *ctx = new_context(1, seed);
    struct matrix_truth train = *all;
    train.n = RATINGS;
    gbs_complete_settings o = hierarchical_settings();
    o.rank = 2;
    o.positions = seed % 4 == 0 ? GBS_POSITIONS_ON : GBS_POSITIONS_OFF;
    o.has_range = 1, o.low = 0.0, o.high = 6.0;
    o.confidence = confidence;
    gbs_ratings *ratings = ratings_of(ctx, &train);
    gbs_completion *m = NULL;
    assert_int_equal(gbs_complete_run(ctx, ratings, &o, &m), GBS_OK);
    const gbs_rating_certificate *c = gbs_completion_certificate(m);
    double sum[BOUNDS] = {0.0}, bound[BOUNDS] = {c->rmse * c->rmse, gbs_completion_mae_bound(m),
                                                 gbs_completion_miss_bound(m)};
    size_t others = all->n - RATINGS, n = others;
    assert_true(c->present && c->n == RATINGS / 3);
    add_losses(ctx, m, others, all->row + RATINGS, all->column + RATINGS, all->y + RATINGS, sum);
    if (design == SUBSET)
        n += add_kept(ctx, m, ratings, &o, sum);
    for (int k = 0; k < BOUNDS; k++) {
        violations[k] += sum[k] / (double)n > bound[k];
        width[k] += bound[k] / (sum[k] / (double)n) - 1.0;
    }
    gbs_completion_free(m);
    gbs_ratings_free(ratings);
    gbs_context_free(ctx);
}

static void shuffle_ratings(struct matrix_truth *t, struct dice *r) {
    for (size_t e = t->n; e > 1; e--) {
        size_t f = (size_t)dice_below(r, e);
        uint32_t row = t->row[e - 1], column = t->column[e - 1];
        double y = t->y[e - 1];
        t->row[e - 1] = t->row[f], t->column[e - 1] = t->column[f], t->y[e - 1] = t->y[f];
        t->row[f] = row, t->column[f] = column, t->y[f] = y;
    }
}

static void study(enum design design, double confidence) {
    size_t rounds = replications(500, 60, 6), violations[BOUNDS] = {0};
    double width[BOUNDS] = {0.0};
    struct dice r = {77 + (uint64_t)design};
    struct matrix_truth t = make_truth(3, ROWS, COLUMNS, 2, design == DRAWS ? RATINGS + FRESH : ALL,
                                       0.5, 3.0, true);
    for (size_t e = 0; e < t.n; e++)
        draw_rating(&t, &r, e);
    for (size_t k = 0; k < rounds; k++) {
        for (size_t e = 0; design == DRAWS && e < RATINGS; e++)
            draw_rating(&t, &r, e);
        if (design == SUBSET)
            shuffle_ratings(&t, &r);
        replicate(design, k + 1, confidence, &t, violations, width);
    }
    for (int k = 0; k < BOUNDS; k++) {
        if (whole_study())
            print_message("%-7s %-19s confidence %.2f: %zu fits, %zu violations (%.1f %%), bound "
                          "%.0f %% above the risk\n",
                          design_name[design], bound_name[k], confidence, rounds, violations[k],
                          100.0 * (double)violations[k] / (double)rounds,
                          100.0 * width[k] / (double)rounds);
        assert_true(violations[k] <= most_failures(rounds, 1.0 - confidence));
    }
    assert_at_most(width[0] / (double)rounds, confidence > 0.9 ? 1.0 : 0.7);
    free_truth(&t);
}

static void bounds_hold_for_independent_ratings(void **state) {
    (void)state;
    study(DRAWS, 0.8);
    study(DRAWS, 0.95);
}

static void bounds_hold_for_a_random_subset(void **state) {
    (void)state;
    study(SUBSET, 0.8);
    study(SUBSET, 0.95);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_for_independent_ratings),
        cmocka_unit_test(bounds_hold_for_a_random_subset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
