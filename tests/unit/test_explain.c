/* Importances of columns and curves against brute force: every row with every other row's column,
 * asked of the model itself. */
#include "core/random.h"
#include "explain/explain.h"
#include "explain/losses.h"
#include "model/model.h"
#include "unit/explain_support.h"

enum { MOST = 64 };

/* What the model loses on each of n rows, of d cells: error and Brier score. */
static void losses_of(gbs_context *ctx, const gbs_model *model, size_t n, size_t d, const double *x,
                      const double *y, double *error, double *brier) {
    size_t classes = gbs_model_classes(model);
    double *p = doubles(n * classes);
    uint32_t *said = take(n, sizeof *said);
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, n, d, x, d, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_model_classify_rows(ctx, model, data, n, classes, said, p));
    for (size_t i = 0; i < n; i++) {
        size_t is = classes > 2 ? (size_t)y[i] : y[i] > 0.0;
        error[i] = said[i] != is;
        brier[i] = 0.0;
        for (size_t k = 0; k < classes; k++)
            brier[i] += 0.5 * pow(p[i * classes + k] - (k == is ? 1.0 : 0.0), 2.0);
    }
    gbs_data_free(data);
    free(p);
    free(said);
}

/* more[i][k]: what row i loses more with columns first .. end - 1 of row k. */
struct more {
    size_t n;
    double error[MOST][MOST], brier[MOST][MOST];
};

static void compare_all(gbs_context *ctx, const gbs_model *model, size_t n, size_t d,
                        const double *x, const double *y, size_t first, size_t end,
                        struct more *out) {
    double *mixed = doubles(n * d), error[MOST], brier[MOST], before[2][MOST];
    out->n = n;
    losses_of(ctx, model, n, d, x, y, before[0], before[1]);
    for (size_t k = 0; k < n; k++) {
        memcpy(mixed, x, n * d * sizeof *x);
        for (size_t i = 0; i < n; i++)
            memcpy(mixed + i * d + first, x + k * d + first, (end - first) * sizeof *x);
        losses_of(ctx, model, n, d, mixed, y, error, brier);
        for (size_t i = 0; i < n; i++) {
            out->error[i][k] = error[i] - before[0][i];
            out->brier[i][k] = brier[i] - before[1][i];
        }
    }
    free(mixed);
}

/* Mean over pairs of different rows, and the standard error of its projection onto rows, or onto
 * groups of them. */
static void project(size_t n, double (*more)[MOST], const size_t *group, double *mean, double *se) {
    double psi[MOST] = {0}, by[MOST] = {0}, square = 0.0, units = 0.0, pairs = (double)(n - 1);
    *mean = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            *mean += i != k ? more[i][k] / ((double)n * pairs) : 0.0;
            psi[i] += i != k ? (more[i][k] + more[k][i]) / pairs : 0.0;
        }
    for (size_t i = 0; i < n; i++)
        by[group != NULL ? group[i] : i] += psi[i] - 2.0 * *mean;
    for (size_t g = 0; g < n; g++) {
        square += by[g] * by[g];
        units += by[g] != 0.0;
    }
    *se = square > 0.0 ? sqrt(square * units / (units - 1.0)) / (double)n : 0.0;
    double v = 0.0; /* at least what the pairs vary by */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            v += i != k ? (more[i][k] - *mean) * (more[i][k] - *mean) / ((double)n * pairs) : 0.0;
    if (group == NULL)
        *se = fmax(*se, sqrt(v / (pairs * (double)n)));
}

/* All shifts: no sampling is left. */
static gbs_explain_limits exact_limits(void) {
    gbs_explain_limits l = gbs_usual_limits;
    l.repeats = l.mapped_repeats = MOST;
    return l;
}

/* ---------------------------------------------------------------- importances */

static void check_exact(gbs_context *ctx, const gbs_model *model, const gbs_data *data, size_t n,
                        size_t d, const double *x, const double *y, const size_t *group,
                        double tolerance) {
    static struct more m;
    gbs_explain_limits limits = exact_limits();
    gbs_explanation *e;
    double mean, se;
    assert_ok(ctx, gbs_explain_within(ctx, model, data, &limits, &e));
    assert_int_equal(gbs_explanation_get_info(e)->repeats, n - 1);
    for (size_t k = 0; k < d; k++) {
        const gbs_importance *c = importance_of(e, k);
        compare_all(ctx, model, n, d, x, y, k, k + 1, &m);
        project(n, m.error, group, &mean, &se);
        assert_close(c->error, mean, 0.0, 1e-12);
        assert_close(c->error_se, se, 0.0, 1e-9);
        project(n, m.brier, group, &mean, &se);
        assert_close(c->brier, mean, 0.0, tolerance);
        assert_close(c->brier_se, se, 0.0, 1e-9);
        assert_true(isnan(c->auc));
    }
    gbs_explanation_free(e);
}

/* Linear scores take a short way, a map and votes of a posterior the long one. */
static void importances_are_means_over_all_pairs_of_rows(void **state) {
    (void)state;
    static const char *const ways[][2] = {
        {NULL, NULL}, {"features", "fourier:20"}, {"scale", "unit-row"}, {"bound", "progressive"}};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(1, 200, 3), fresh = small_table(1, 240, 3);
    gbs_data *data = dense_data(ctx, &t), *block;
    const double *x = fresh.x + 200 * 3, *y = fresh.y + 200;
    enum { N = 40 };
    for (size_t k = 0; k < COUNT(ways); k++) {
        gbs_model *model = fit_with(ctx, data, ways[k][0], ways[k][1]);
        assert_ok(ctx, gbs_data_dense(ctx, N, 3, x, 3, y, GBS_BORROW, &block));
        check_exact(ctx, model, block, N, 3, x, y, NULL, 1e-12);
        gbs_data_free(block);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    free_table(&fresh);
    gbs_context_free(ctx);
}

/* All n! orders of a column: a row keeps its own value in one of n of them. */
static void mean_over_permutations(size_t n, size_t at, size_t *order, double (*more)[MOST],
                                   double *sum, double *count) {
    if (at == n) {
        for (size_t i = 0; i < n; i++)
            *sum += more[i][order[i]] / (double)n;
        *count += 1.0;
    }
    for (size_t k = at; k < n; k++) {
        size_t kept = order[at];
        order[at] = order[k];
        order[k] = kept;
        mean_over_permutations(n, at + 1, order, more, sum, count);
        order[k] = order[at];
        order[at] = kept;
    }
}

static void importances_are_means_over_all_permutations(void **state) {
    (void)state;
    enum { N = 6 };
    static struct more m;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(2, 150, 2);
    gbs_data *data = dense_data(ctx, &t), *block;
    gbs_model *model = fit_with(ctx, data, NULL, NULL);
    gbs_explanation *e;
    assert_ok(ctx, gbs_data_dense(ctx, N, 2, t.x, 2, t.y, GBS_BORROW, &block));
    assert_ok(ctx, gbs_model_explain(ctx, model, block, &e));
    for (size_t k = 0; k < 2; k++) {
        size_t order[N] = {0, 1, 2, 3, 4, 5};
        double sum = 0.0, count = 0.0;
        compare_all(ctx, model, N, 2, t.x, t.y, k, k + 1, &m);
        mean_over_permutations(N, 0, order, m.brier, &sum, &count);
        assert_true(count == 720.0);
        assert_close(sum / count, (1.0 - 1.0 / N) * importance_of(e, k)->brier, 0.0, 1e-12);
    }
    gbs_explanation_free(e);
    gbs_data_free(block);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void importances_of_three_classes_too(void **state) {
    (void)state;
    enum { N = 240, TOLD = 40, D = 3 };
    static double x[N * D], y[N];
    static uint32_t class_of[N];
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {3};
    gbs_data *data, *block;
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < D; k++)
            x[i * D + k] = dice_normal(&r);
        double a = x[i * D] + 0.3 * dice_normal(&r), b = x[i * D + 1];
        class_of[i] = a > fabs(b) ? 0 : b > 0.0 ? 1 : 2;
        y[i] = class_of[i];
    }
    assert_ok(ctx, gbs_data_dense(ctx, N - TOLD, D, x + TOLD * D, D, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_set_classes(ctx, data, N - TOLD, class_of + TOLD, 3));
    assert_ok(ctx, gbs_data_dense(ctx, TOLD, D, x, D, NULL, GBS_BORROW, &block));
    assert_ok(ctx, gbs_data_set_classes(ctx, block, TOLD, class_of, 3));
    gbs_model *model = fit_with(ctx, data, NULL, NULL);
    check_exact(ctx, model, block, TOLD, D, x, y, NULL, 1e-12);
    gbs_explanation *e;
    assert_ok(ctx, gbs_model_explain(ctx, model, block, &e));
    assert_int_equal(gbs_explanation_get_info(e)->outcomes, 3);
    double sum = 0.0;
    for (size_t k = 0; k < 3; k++)
        sum += gbs_explanation_probability(e, 0, 0, k);
    assert_close(sum, 1.0, 0.0, 1e-12);
    gbs_explanation_free(e);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_data_free(block);
    gbs_context_free(ctx);
}

static void rows_of_a_group_are_one(void **state) {
    (void)state;
    enum { N = 36 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(4, 160, 3);
    gbs_data *data = dense_data(ctx, &t), *block;
    gbs_model *model = fit_with(ctx, data, NULL, NULL);
    uint64_t name[N];
    size_t group[N];
    for (size_t i = 0; i < N; i++)
        name[i] = group[i] = i / 3;
    assert_ok(ctx, gbs_data_dense(ctx, N, 3, t.x, 3, t.y, GBS_BORROW, &block));
    assert_ok(ctx, gbs_data_set_groups(ctx, block, name));
    check_exact(ctx, model, block, N, 3, t.x, t.y, group, 1e-12);
    gbs_data_free(block);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* One group says nothing of how far another would be. */
static void a_single_group_has_no_standard_error(void **state) {
    (void)state;
    enum { N = 36 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(4, 160, 3);
    gbs_data *data = dense_data(ctx, &t), *block;
    gbs_model *model = fit_with(ctx, data, NULL, NULL);
    gbs_explain_limits limits = exact_limits();
    gbs_explanation *e;
    uint64_t name[N] = {0};
    assert_ok(ctx, gbs_data_dense(ctx, N, 3, t.x, 3, t.y, GBS_BORROW, &block));
    assert_ok(ctx, gbs_data_set_groups(ctx, block, name));
    assert_ok(ctx, gbs_explain_within(ctx, model, block, &limits, &e));
    for (size_t k = 0; k < 3; k++) {
        const gbs_importance *c = importance_of(e, k);
        assert_true(isfinite(c->error) && isfinite(c->brier));
        assert_true(isnan(c->error_se) && isnan(c->brier_se));
    }
    gbs_explanation_free(e);
    gbs_data_free(block);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- rankers */

/* Pairs in the right order, one by one. */
static double area(size_t n, const double *y, const double *score) {
    double right = 0.0, pairs = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (y[i] > 0.0 && y[k] < 0.0) {
                right += score[i] > score[k] ? 1.0 : score[i] == score[k] ? 0.5 : 0.0;
                pairs += 1.0;
            }
    return right / pairs;
}

static void a_ranker_loses_area(void **state) {
    (void)state;
    enum { N = 30, D = 3 };
    static const char *const maps[] = {"linear", "fourier:10"};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(5, 160, D);
    gbs_data *data = dense_data(ctx, &t), *block, *mixed;
    assert_ok(ctx, gbs_data_dense(ctx, N, D, t.x, D, t.y, GBS_BORROW, &block));
    for (size_t way = 0; way < COUNT(maps); way++) {
        gbs_options *o;
        gbs_model *model;
        assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
        assert_ok(ctx, gbs_options_set(o, "task", "rank"));
        assert_ok(ctx, gbs_options_set(o, "features", maps[way]));
        assert_ok(ctx, gbs_fit(ctx, data, o, &model));
        assert_int_equal(info_of(model).map != GBS_FEATURES_LINEAR, way);
        gbs_options_free(o);
        gbs_explain_limits limits = exact_limits();
        gbs_explanation *e;
        size_t order[N];
        double score[N], x[N * D];
        assert_ok(ctx, gbs_explain_within(ctx, model, block, &limits, &e));
        for (size_t i = 0; i < N; i++)
            order[i] = i;
        gbs_shuffle(1, GBS_STREAM_EXPLAIN, N, order);
        assert_ok(ctx, gbs_model_predict(ctx, model, block, score, NULL, NULL));
        double before = area(N, t.y, score);
        assert_close(gbs_explanation_get_info(e)->auc, before, 0.0, 1e-12);
        for (size_t k = 0; k < D; k++) {
            double after = 0.0;
            for (size_t shift = 1; shift < N; shift++) {
                memcpy(x, t.x, sizeof x);
                for (size_t i = 0; i < N; i++)
                    x[order[i] * D + k] = t.x[order[(i + shift) % N] * D + k];
                assert_ok(ctx, gbs_data_dense(ctx, N, D, x, D, NULL, GBS_BORROW, &mixed));
                assert_ok(ctx, gbs_model_predict(ctx, model, mixed, score, NULL, NULL));
                after += area(N, t.y, score) / (N - 1.0);
                gbs_data_free(mixed);
            }
            assert_close(importance_of(e, k)->auc, before - after, 0.0, 1e-12);
            assert_true(isnan(importance_of(e, k)->error));
        }
        gbs_explanation_free(e);
        gbs_model_free(model);
    }
    gbs_data_free(block);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* c_i = A + (n/n_y) (V_i - A), V_i counted row by row; there are few scores, so that most rows are
 * tied. */
static void influences_on_the_area_count_ties_one_half(void **state) {
    (void)state;
    enum { N = 50 };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {2301};
    double score[N], y[N], found[N], negatives[1] = {0.0}, of[2] = {0.0, 0.0}, mean = 0.0;
    const gbs_model ranker = {.negatives = negatives};
    for (size_t i = 0; i < N; i++) {
        score[i] = (double)dice_below(&r, 5);
        y[i] = dice_uniform(&r) < 0.3 + 0.1 * score[i] ? 1.0 : -1.0;
        of[y[i] > 0.0] += 1.0;
    }
    assert_ok(ctx, gbs_row_losses(ctx, &ranker, N, y, score, found));
    double auc = area(N, y, score);
    for (size_t i = 0; i < N; i++) {
        double right = 0.0;
        for (size_t k = 0; k < N; k++)
            if (y[k] != y[i])
                right += score[k] == score[i]                    ? 0.5
                         : (score[k] < score[i]) == (y[i] > 0.0) ? 1.0
                                                                 : 0.0;
        double share = right / of[y[i] < 0.0];
        assert_close(found[i], auc + N / of[y[i] > 0.0] * (share - auc), 0.0, 1e-12);
        mean += found[i] / N;
    }
    assert_close(mean, auc, 0.0, 1e-12);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- what cannot matter */

static void a_column_without_a_coefficient_has_importance_zero(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {6};
    struct table_of_numbers t = make_table(&r, 160, 4, 0.6, 0.5), fresh;
    for (size_t i = 0; i < t.n; i++)
        t.x[i * t.d + 2] = 0.0; /* which no row to learn from sets */
    make_csr(&t);
    fresh = make_table(&r, 50, 4, 0.6, 0.5);
    gbs_data *data = sparse_data(ctx, &t), *block = sparse_data(ctx, &fresh);
    gbs_model *model = fit_with(ctx, data, NULL, NULL);
    gbs_explanation *e;
    assert_ok(ctx, gbs_model_explain(ctx, model, block, &e));
    const gbs_importance *c = importance_of(e, 2);
    assert_true(c->error == 0.0 && c->error_se == 0.0 && c->brier == 0.0 && c->brier_se == 0.0);
    assert_true(importance_of(e, 0)->brier != 0.0);
    check_exact(ctx, model, block, fresh.n, 4, fresh.x, fresh.y, NULL, 1e-12);
    gbs_explanation_free(e);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_data_free(block);
    free_table(&t);
    free_table(&fresh);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- columns as they came */

static void levels_and_marks_go_together(void **state) {
    (void)state;
    static struct people p;
    static struct more m;
    enum { N = 40 };
    gbs_context *ctx = new_context(1, 1);
    gbs_table *table;
    gbs_data *block;
    make_people(&p, 1);
    gbs_data *data = people_data(ctx, &p, &table);
    gbs_model *model = fit_with(ctx, data, NULL, NULL);
    size_t d = gbs_data_columns(data), rows[N];
    double x[N * 16], y[N], mean, se;
    assert_int_equal(d, 2 + 5 + 1); /* a mark each of age and job */
    for (size_t i = 0; i < N; i++) {
        rows[i] = 5 * i;
        gbs_raw_row row = gbs_data_at(data, rows[i]);
        y[i] = gbs_data_labels(data)[rows[i]];
        for (size_t k = 0; k < d; k++)
            x[i * d + k] = 0.0;
        for (size_t k = 0; k < row.stored; k++)
            x[i * d + (row.column != NULL ? row.column[k] : k)] = gbs_raw_value(&row, k);
    }
    assert_ok(ctx, gbs_data_view(ctx, data, rows, N, &block));
    gbs_explain_limits limits = exact_limits();
    gbs_explanation *e;
    assert_ok(ctx, gbs_explain_within(ctx, model, block, &limits, &e));
    static const char *const names[] = {"age", "job", "shoe"};
    const size_t first[] = {0, 2, 7, 8};
    assert_int_equal(gbs_explanation_get_info(e)->columns, 3);
    for (size_t k = 0; k < 3; k++) {
        compare_all(ctx, model, N, d, x, y, first[k], first[k + 1], &m);
        project(N, m.brier, NULL, &mean, &se);
        assert_string_equal(importance_of(e, k)->name, names[k]);
        assert_close(importance_of(e, k)->brier, mean, 0.0, 1e-12);
        assert_close(importance_of(e, k)->brier_se, se, 0.0, 1e-9);
    }
    /* the curve of the jobs has their names, and a missing cell */
    size_t missing = 0, nurses = 0;
    for (size_t k = 0; gbs_explanation_curve(e, k) != NULL; k++)
        for (size_t j = 0; gbs_explanation_point(e, k, j) != NULL; j++) {
            const char *level = gbs_explanation_point(e, k, j)->level;
            missing += level != NULL && strcmp(level, "(missing)") == 0;
            nurses += level != NULL && strcmp(level, "nurse") == 0;
        }
    assert_int_equal(missing, 2);
    assert_int_equal(nurses, 1);
    gbs_explanation_free(e);
    gbs_data_free(block);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_table_free(table);
    forget_people(&p);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- curves */

static void curves_are_means_with_the_column_set(void **state) {
    (void)state;
    enum { N = 50, D = 2 };
    static const char *const maps[] = {"linear", "fourier:20"};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(8, 160, D);
    gbs_data *data = dense_data(ctx, &t), *block, *mixed;
    assert_ok(ctx, gbs_data_dense(ctx, N, D, t.x, D, t.y, GBS_BORROW, &block));
    for (size_t way = 0; way < COUNT(maps); way++) {
        gbs_model *model = fit_with(ctx, data, "features", maps[way]);
        gbs_explanation *e;
        assert_ok(ctx, gbs_model_explain(ctx, model, block, &e));
        for (size_t k = 0; k < D; k++) {
            const gbs_curve *c = gbs_explanation_curve(e, k);
            assert_int_equal(c->points, 20);
            for (size_t j = 0; j < c->points; j++) {
                double x[N * D], p[N], mean = 0.0, value = gbs_explanation_point(e, k, j)->value;
                memcpy(x, t.x, sizeof x);
                for (size_t i = 0; i < N; i++)
                    x[i * D + c->column] = value;
                assert_true(j == 0 || value > gbs_explanation_point(e, k, j - 1)->value);
                assert_ok(ctx, gbs_data_dense(ctx, N, D, x, D, NULL, GBS_BORROW, &mixed));
                assert_ok(ctx, gbs_model_classify(ctx, model, mixed, NULL, p, NULL, NULL));
                for (size_t i = 0; i < N; i++)
                    mean += p[i] / N;
                assert_close(gbs_explanation_probability(e, k, j, 0), mean, 0.0, 1e-12);
                gbs_data_free(mixed);
            }
        }
        assert_null(gbs_explanation_curve(e, D));
        assert_null(gbs_explanation_point(e, 0, 20));
        assert_true(isnan(gbs_explanation_probability(e, 0, 0, 1)));
        gbs_explanation_free(e);
        gbs_model_free(model);
    }
    gbs_data_free(block);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(importances_are_means_over_all_pairs_of_rows),
        cmocka_unit_test(importances_are_means_over_all_permutations),
        cmocka_unit_test(importances_of_three_classes_too),
        cmocka_unit_test(rows_of_a_group_are_one),
        cmocka_unit_test(a_single_group_has_no_standard_error),
        cmocka_unit_test(a_ranker_loses_area),
        cmocka_unit_test(influences_on_the_area_count_ties_one_half),
        cmocka_unit_test(a_column_without_a_coefficient_has_importance_zero),
        cmocka_unit_test(levels_and_marks_go_together),
        cmocka_unit_test(curves_are_means_with_the_column_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
