/* What the tests of matrix completion as callers see it share: fits that must succeed, scores
 * against the truth, fits short of memory. */
#ifndef GIBBSITE_TESTS_COMPLETE_SUPPORT_H
#define GIBBSITE_TESTS_COMPLETE_SUPPORT_H

#include "completion_support.h"

static inline gbs_completion *complete(gbs_context *ctx, const struct matrix_truth *t,
                                       const gbs_complete_settings *o) {
    gbs_ratings *r = ratings_of(ctx, t);
    gbs_completion *m = NULL;
    gbs_status status = gbs_complete_run(ctx, r, o, &m);
    if (status != GBS_OK)
        print_error("%s\n", gbs_error_message(ctx));
    assert_int_equal(status, GBS_OK);
    gbs_ratings_free(r);
    return m;
}

static inline gbs_completion_info facts_of(const gbs_completion *m) {
    gbs_completion_info i;
    i = *gbs_completion_get_info(m);
    return i;
}

struct score {
    double theta_rmse, coverage; /* of the truth without noise; of fresh ratings */
};

static inline struct score score_cells(gbs_context *ctx, const gbs_completion *m,
                                       const struct matrix_truth *t) {
    enum { N = 40000 };
    struct dice r = {7};
    uint32_t *row = take(N, sizeof *row), *column = take(N, sizeof *column);
    double *value = doubles(N), *sd = doubles(N), squares = 0.0, inside = 0.0,
           noise = facts_of(m).noise_variance;
    for (size_t e = 0; e < N; e++) {
        row[e] = (uint32_t)dice_below(&r, t->rows);
        column[e] = (uint32_t)dice_below(&r, t->columns);
    }
    assert_int_equal(gbs_completion_predict(ctx, m, N, row, column, value, sd), GBS_OK);
    for (size_t e = 0; e < N; e++) {
        double off = truth_at(t, row[e], column[e]) - value[e],
               y = off + t->noise * dice_normal(&r);
        squares += off * off / N;
        inside += (fabs(y) <= 1.959963984540054 * sqrt(sd[e] * sd[e] + noise)) / (double)N;
    }
    free(row), free(column), free(value), free(sd);
    return (struct score){sqrt(squares), inside};
}

static inline void clip_ratings(struct matrix_truth *t, double low, double high) {
    for (size_t e = 0; e < t->n; e++)
        t->y[e] = fmin(high, fmax(low, t->y[e]));
}

/* The ratings in the order in which folds and splits number them: by row, as they came. */
static inline void sort_by_row(struct matrix_truth *t) {
    struct matrix_truth s = *t;
    s.row = take(t->n, sizeof *s.row), s.column = take(t->n, sizeof *s.column), s.y = doubles(t->n);
    size_t at = 0;
    for (uint32_t i = 0; i < t->rows; i++)
        for (size_t e = 0; e < t->n; e++)
            if (t->row[e] == i) {
                s.row[at] = i;
                s.column[at] = t->column[e];
                s.y[at++] = t->y[e];
            }
    free(t->row), free(t->column), free(t->y);
    *t = s;
}

/* RMSE and coverage on the last `test` ratings of t, fitted to the others. */
static inline struct score split_score(gbs_context *ctx, struct matrix_truth *t, size_t test,
                                       const gbs_complete_settings *o, gbs_completion **model) {
    struct matrix_truth train = *t;
    train.n = t->n - test;
    gbs_completion *m = complete(ctx, &train, o);
    double *value = doubles(test), *sd = doubles(test), squares = 0.0, inside = 0.0;
    const uint32_t *row = t->row + train.n, *column = t->column + train.n;
    assert_int_equal(gbs_completion_predict(ctx, m, test, row, column, value, sd), GBS_OK);
    for (size_t e = 0; e < test; e++) {
        double off = fabs(t->y[train.n + e] - value[e]);
        squares += off * off / (double)test;
        inside += (off <=
                   1.959963984540054 * sqrt(sd[e] * sd[e] + gbs_completion_noise(m, row[e]))) /
                  (double)test;
    }
    free(value), free(sd);
    if (model != NULL)
        *model = m;
    else
        gbs_completion_free(m);
    return (struct score){sqrt(squares), inside};
}

#endif
