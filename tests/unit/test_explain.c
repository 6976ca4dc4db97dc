/* Importances of columns and curves against brute force: every row with every other row's column,
 * asked of the model itself. */
#include "core/random.h"
#include "explain/explain.h"
#include "model/model.h"
#include "unit/people.h"

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

static const gbs_importance *importance_of(const gbs_explanation *e, size_t column) {
    for (size_t k = 0; gbs_explanation_importance(e, k) != NULL; k++)
        if (gbs_explanation_importance(e, k)->column == column)
            return gbs_explanation_importance(e, k);
    fail();
    return NULL;
}

/* All shifts: no sampling is left. */
static gbs_explain_limits exact_limits(void) {
    gbs_explain_limits l = gbs_usual_limits;
    l.repeats = l.mapped_repeats = MOST;
    return l;
}

static gbs_model *fit_with(gbs_context *ctx, const gbs_data *data, const char *option,
                           const char *value) {
    gbs_options *o;
    gbs_model *model;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    if (option != NULL)
        assert_ok(ctx, gbs_options_set(o, option, value));
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    gbs_options_free(o);
    return model;
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
        gbs_fit_settings o = gbs_fit_settings_default();
        o.task = GBS_TASK_RANK;
        o.features = way == 0 ? GBS_FEATURES_LINEAR : GBS_FEATURES_FOURIER;
        o.features_size = way == 0 ? 0 : 10;
        gbs_model *model = fit(ctx, data, &o);
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

/* Age, job and shoe size, every seventh job and ninth age missing. */
static gbs_data *people_data(gbs_context *ctx, struct people *p, gbs_table **table) {
    gbs_options *o;
    gbs_data *data;
    for (size_t i = 0; i < ROWS; i++) {
        if (i % 7 == 3)
            p->job[i] = NULL;
        if (i % 9 == 4)
            p->age[i] = NAN;
    }
    assert_ok(ctx, gbs_table_create(ctx, ROWS, 4, table));
    assert_ok(ctx, gbs_table_add_numbers(ctx, *table, "age", p->age));
    assert_ok(ctx, gbs_table_add_texts(ctx, *table, "job", p->job));
    assert_ok(ctx, gbs_table_add_numbers(ctx, *table, "shoe", p->shoe));
    assert_ok(ctx, gbs_table_add_texts(ctx, *table, "happy", p->label));
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "missing", "impute"));
    assert_ok(ctx, gbs_table_train(ctx, *table, o, &data));
    gbs_options_free(o);
    return data;
}

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

/* ---------------------------------------------------------------- fits and files */

static void check_same(const gbs_explanation *a, const gbs_explanation *b) {
    const gbs_explanation_info *i = gbs_explanation_get_info(a), *j = gbs_explanation_get_info(b);
    assert_memory_equal(&i->error, &j->error, sizeof i->error);
    assert_int_equal(i->rows, j->rows);
    assert_int_equal(i->fresh, j->fresh);
    assert_int_equal(i->columns, j->columns);
    assert_int_equal(i->curves, j->curves);
    for (size_t k = 0; k < i->columns; k++) {
        const gbs_importance *x = gbs_explanation_importance(a, k),
                             *y = gbs_explanation_importance(b, k);
        assert_string_equal(x->name, y->name);
        assert_true(x->error == y->error && x->error_se == y->error_se && x->brier == y->brier &&
                    x->brier_se == y->brier_se && x->column == y->column);
    }
    for (size_t k = 0; k < i->curves; k++)
        for (size_t p = 0; gbs_explanation_point(a, k, p) != NULL; p++) {
            const gbs_curve_point *x = gbs_explanation_point(a, k, p),
                                  *y = gbs_explanation_point(b, k, p);
            assert_non_null(y);
            assert_int_equal(x->level != NULL, y->level != NULL);
            assert_true(x->level != NULL || x->value == y->value);
            assert_true(gbs_explanation_probability(a, k, p, 0) ==
                        gbs_explanation_probability(b, k, p, 0));
        }
}

static void a_fit_keeps_what_its_last_block_says(void **state) {
    (void)state;
    static struct people p;
    gbs_context *ctx = new_context(1, 1), *other = new_context(3, 1);
    gbs_table *table;
    gbs_options *o;
    gbs_model *model, *again, *read;
    make_people(&p, 2);
    gbs_data *data = people_data(ctx, &p, &table);
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    assert_null(gbs_model_explanation(model));
    gbs_model_free(model);
    assert_ok(ctx, gbs_options_set_flag(o, "importance", 1));
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    const gbs_explanation *e = gbs_model_explanation(model);
    const gbs_explanation_info *i = gbs_explanation_get_info(e);
    const gbs_card *card = gbs_model_card(model);
    assert_non_null(e);
    assert_true(i->fresh);
    assert_int_equal(i->rows, card->tested);
    assert_close(i->error * (double)card->tested,
                 (double)(card->false_positive + card->false_negative), 0.0, 1e-9);
    assert_close(i->brier, card->brier, 1e-12, 0.0);
    /* the same whoever computes, and in a file */
    assert_ok(other, gbs_fit(other, data, o, &again));
    check_same(e, gbs_model_explanation(again));
    char *text;
    size_t size;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &read));
    check_same(e, gbs_model_explanation(read));
    /* a file that was changed by hand is refused, not believed */
    char *at = strstr(text, "\"columns_given\"");
    assert_non_null(at);
    at[1] = 'k';
    gbs_model *bad;
    assert_int_equal(gbs_model_from_json(ctx, text, size, &bad), GBS_ERR_FORMAT);
    gbs_release(ctx, text);
    assert_ok(ctx, gbs_explanation_to_json(ctx, e, &text, &size));
    assert_int_equal(strlen(text), size);
    assert_non_null(strstr(text, "\"importance\""));
    gbs_release(ctx, text);
    gbs_model_free(read);
    gbs_model_free(again);
    gbs_model_free(model);
    static const char *const needs[][2] = {{"bound", "kl"}, {"prior", "zero"}, {"refit", "all"}};
    for (size_t k = 0; k < COUNT(needs); k++) {
        gbs_options *asked;
        assert_ok(ctx, gbs_options_create(ctx, "fit", &asked));
        assert_ok(ctx, gbs_options_set_flag(asked, "importance", 1));
        assert_ok(ctx, gbs_options_set(asked, needs[k][0], needs[k][1]));
        assert_int_equal(gbs_fit(ctx, data, asked, &bad), GBS_ERR_ARGUMENT);
        assert_non_null(strstr(gbs_error_message(ctx), "`importance`"));
        gbs_options_free(asked);
    }
    gbs_options_free(o);
    gbs_data_free(data);
    gbs_table_free(table);
    forget_people(&p);
    gbs_context_free(other);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- limits */

static void where_all_would_take_long_some_are_measured(void **state) {
    (void)state;
    enum { D = 6 };
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(9, 400, D);
    for (size_t i = 0; i < t.n; i++) /* columns 1 and 4 alone matter */
        t.y[i] = 2.0 * t.x[i * D + 1] - t.x[i * D + 4] > 0.0 ? 1.0 : -1.0;
    gbs_data *data = dense_data(ctx, &t);
    static const char *const maps[] = {"linear", "fourier:20"};
    for (size_t way = 0; way < COUNT(maps); way++) {
        gbs_model *model = fit_with(ctx, data, "features", maps[way]);
        gbs_explain_limits limits = gbs_usual_limits;
        gbs_explanation *e;
        limits.columns = 2;
        limits.rows = limits.mapped_rows = 60;
        limits.mapped_evaluations = 1;
        assert_ok(ctx, gbs_explain_within(ctx, model, data, &limits, &e));
        const gbs_explanation_info *i = gbs_explanation_get_info(e);
        assert_int_equal(i->columns, 2);
        assert_int_equal(i->columns_given, D);
        assert_int_equal(i->rows, 60);
        assert_int_equal(i->rows_given, 400);
        assert_false(i->fresh);
        assert_int_equal(gbs_explanation_importance(e, 0)->column, 1);
        assert_string_equal(gbs_explanation_importance(e, 0)->name, "V2");
        assert_int_equal(gbs_explanation_importance(e, 1)->column, 4);
        assert_null(gbs_explanation_importance(e, 2));
        gbs_explanation_free(e);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void what_cannot_be_measured_is_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(10, 120, 2);
    gbs_data *data = dense_data(ctx, &t), *one, *wide, *unlabelled;
    gbs_model *model = fit_with(ctx, data, NULL, NULL);
    gbs_explanation *e;
    char *text;
    assert_ok(ctx, gbs_data_dense(ctx, 1, 2, t.x, 2, t.y, GBS_BORROW, &one));
    assert_ok(ctx, gbs_data_dense(ctx, 20, 4, t.x, 4, t.y, GBS_BORROW, &wide));
    assert_ok(ctx, gbs_data_dense(ctx, 20, 2, t.x, 2, NULL, GBS_BORROW, &unlabelled));
    gbs_data *const bad[] = {one, wide, unlabelled};
    for (size_t k = 0; k < COUNT(bad); k++) {
        assert_int_equal(gbs_model_explain(ctx, model, bad[k], &e), GBS_ERR_DATA);
        assert_null(e);
    }
    assert_int_equal(gbs_model_explain(NULL, model, data, &e), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_explain(ctx, NULL, data, &e), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_explain(ctx, model, NULL, &e), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_explain(ctx, model, data, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_explanation_to_json(ctx, NULL, &text, NULL), GBS_ERR_ARGUMENT);
    assert_null(gbs_explanation_get_info(NULL));
    assert_null(gbs_explanation_importance(NULL, 0));
    assert_null(gbs_explanation_curve(NULL, 0));
    assert_null(gbs_explanation_point(NULL, 0, 0));
    assert_true(isnan(gbs_explanation_probability(NULL, 0, 0, 0)));
    assert_null(gbs_model_explanation(NULL));
    gbs_explanation_free(NULL);
    gbs_data_free(one);
    gbs_data_free(wide);
    gbs_data_free(unlabelled);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- standard errors */

/* Over many blocks the estimates vary as much as they say: of the mean squared standard error over
 * the variance of the estimates, whose relative error is sqrt(2/blocks), 5 sigma either side. */
static void standard_errors_are_what_they_say(void **state) {
    (void)state;
    enum { N = 60, D = 2 };
    size_t blocks = repeats(800, 20);
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(11, 300, D);
    struct dice r = {12};
    for (size_t i = 0; i < t.n; i++)
        t.y[i] = t.x[i * D] + 0.5 * t.x[i * D + 1] + 0.7 * dice_normal(&r) > 0.0 ? 1.0 : -1.0;
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings ranker = gbs_fit_settings_default();
    ranker.task = GBS_TASK_RANK;
    gbs_model *models[] = {fit_with(ctx, data, NULL, NULL), fit(ctx, data, &ranker)};
    double sum[3] = {0}, square[3] = {0}, said[3] = {0}, n = (double)blocks;
    for (size_t b = 0; b < blocks; b++) {
        double x[N * D], y[N];
        for (size_t i = 0; i < N; i++) {
            x[i * D] = dice_normal(&r);
            x[i * D + 1] = dice_normal(&r);
            y[i] = x[i * D] + 0.5 * x[i * D + 1] + 0.7 * dice_normal(&r) > 0.0 ? 1.0 : -1.0;
        }
        gbs_data *block;
        assert_ok(ctx, gbs_data_dense(ctx, N, D, x, D, y, GBS_BORROW, &block));
        for (size_t w = 0; w < COUNT(models); w++) {
            gbs_explanation *e;
            assert_ok(ctx, gbs_model_explain(ctx, models[w], block, &e));
            const gbs_importance *c = importance_of(e, 0);
            const double value[] = {c->error, c->brier, c->auc},
                         se[] = {c->error_se, c->brier_se, c->auc_se};
            for (size_t k = 0; k < 3; k++)
                if (!isnan(value[k])) {
                    sum[k] += value[k];
                    square[k] += value[k] * value[k];
                    said[k] += se[k] * se[k];
                }
            gbs_explanation_free(e);
        }
        gbs_data_free(block);
    }
    for (size_t k = 0; k < 3; k++) {
        double variance = (square[k] - sum[k] * sum[k] / n) / (n - 1.0),
               ratio = said[k] / n / variance, noise = 5.0 * sqrt(2.0 / n);
        assert_true(sum[k] > 0.0);
        assert_at_most(1.0 - noise, ratio);
        assert_at_most(ratio, 1.0 + noise);
    }
    gbs_model_free(models[0]);
    gbs_model_free(models[1]);
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
        cmocka_unit_test(a_ranker_loses_area),
        cmocka_unit_test(a_column_without_a_coefficient_has_importance_zero),
        cmocka_unit_test(levels_and_marks_go_together),
        cmocka_unit_test(curves_are_means_with_the_column_set),
        cmocka_unit_test(a_fit_keeps_what_its_last_block_says),
        cmocka_unit_test(where_all_would_take_long_some_are_measured),
        cmocka_unit_test(what_cannot_be_measured_is_refused),
        cmocka_unit_test(standard_errors_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
