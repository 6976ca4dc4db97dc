/* Three classes or more: the joint calibration, labels and probabilities of one piece, files, and
 * what is fixed before the last block. */
#include "support.h"

#include "data/rows.h"
#include "judge/many.h"
#include "kernel/linalg.h"
#include "unit/softmax_support.h"

enum { N = 150, D = 3, K = 4, ROWS = 9 };

/* Rows whose class is that of the largest of K noisy scores. */
struct rows {
    double x[N * D];
    uint32_t class_of[N];
};

static struct rows draw_rows(uint64_t seed, double noise) {
    struct rows t;
    struct dice r = {seed};
    for (size_t i = 0; i < N; i++) {
        double best = -INFINITY;
        for (size_t j = 0; j < D; j++)
            t.x[i * D + j] = dice_normal(&r);
        for (uint32_t k = 0; k < K; k++) {
            double angle = 1.5707963 * k, z = cos(angle) * t.x[i * D] +
                                              sin(angle) * t.x[i * D + 1] + noise * dice_normal(&r);
            if (z > best) {
                best = z;
                t.class_of[i] = k;
            }
        }
    }
    return t;
}

static gbs_data *data_of(gbs_context *ctx, const struct rows *t) {
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, N, D, t->x, D, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_set_classes(ctx, data, N, t->class_of, K));
    return data;
}

/* ---------------------------------------------------------------- calibration */

static void the_gradient_of_the_calibration_is_its_slope(void **state) {
    (void)state;
    enum { M = 12, C = 3, MOST = C + C * C };
    struct dice r = {1};
    double score[M * C], at[MOST], gradient[MOST], hessian[MOST * MOST], up[MOST], down[MOST], p[C];
    size_t class[M], rows[C] = {0};
    for (size_t i = 0; i < M * C; i++)
        score[i] = dice_normal(&r);
    for (size_t i = 0; i < M; i++)
        rows[class[i] = i % C]++;
    gbs_class_scores s = {M, C, score, class};
    for (int kind = GBS_SLOPES_SHARED; kind <= GBS_SLOPES_FULL; kind++) {
        gbs_softmax_fit f = {
            .s = &s, .rows = rows, .slopes = (gbs_slopes_kind)kind, .centre = 0.8, .p = p};
        size_t size = gbs_softmax_parameters(&f);
        assert_int_equal(size, kind == GBS_SLOPES_SHARED ? 4 : kind == GBS_SLOPES_EACH ? 6 : 12);
        for (size_t j = 0; j < size; j++)
            at[j] = dice_normal(&r);
        gbs_softmax_value(&f, at, gradient, hessian);
        for (size_t j = 0; j < size; j++) {
            double h = 1e-5, was = at[j], higher, lower;
            at[j] = was + h;
            higher = gbs_softmax_value(&f, at, up, NULL);
            at[j] = was - h;
            lower = gbs_softmax_value(&f, at, down, NULL);
            at[j] = was;
            assert_close(gradient[j], (higher - lower) / (2.0 * h), 1e-7, 1e-7);
            for (size_t k = 0; k <= j; k++)
                assert_close(hessian[j * size + k], (up[k] - down[k]) / (2.0 * h), 1e-6, 1e-6);
        }
    }
}

/* Gradients alone end where Newton's method would: at the least of the sum. */
static void the_descent_of_many_classes_ends_at_the_minimum(void **state) {
    (void)state;
    enum { M = 400, C = GBS_MOST_NEWTON + 16, MOST = 2 * C };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {9};
    double *score = doubles(M * C), *at = doubles(MOST), *slope = doubles(MOST),
           *hessian = doubles(MOST * MOST), *p = doubles(C);
    size_t class[M], rows[C] = {0};
    for (size_t i = 0; i < M; i++)
        rows[class[i] = i < C ? i : dice_below(&r, C)]++;
    for (size_t i = 0; i < M * C; i++)
        score[i] = dice_normal(&r) + (i % C == class[i / C] ? 2.0 : 0.0);
    gbs_class_scores s = {M, C, score, class};
    gbs_status status = GBS_OK;
    for (int kind = GBS_SLOPES_SHARED; kind <= GBS_SLOPES_EACH; kind++) {
        gbs_softmax_fit f = {.s = &s,
                             .rows = rows,
                             .slopes = (gbs_slopes_kind)kind,
                             .centre = 1.3,
                             .p = p,
                             .ctx = ctx,
                             .status = &status};
        size_t size = gbs_softmax_parameters(&f);
        for (size_t j = 0; j < size; j++)
            at[j] = j < C ? 0.0 : 1.0;
        assert_ok(ctx, gbs_softmax_descend(&f, at));
        double value = gbs_softmax_value(&f, at, slope, hessian), left = 0.0;
        for (size_t j = 0; j < size; j++)
            hessian[j * size + j] *= 1.0 + 1e-10;
        assert_true(gbs_cholesky(size, hessian));
        gbs_lower_solve(size, hessian, size, false, slope);
        for (size_t j = 0; j < size; j++) /* g'H^-1 g/2: what a step of Newton's would gain */
            left += 0.5 * slope[j] * slope[j];
        assert_true(left < 1e-8 * value);
    }
    free(score);
    free(at);
    free(slope);
    free(hessian);
    free(p);
    gbs_context_free(ctx);
}

static int agrees(void *user) {
    long *left = user;
    return (*left)-- <= 0;
}

/* Stopped at the first question, then at every later one until it comes through. */
static void a_calibration_that_is_stopped_says_so(void **state) {
    (void)state;
    enum { M = 40, C = 3 };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {7};
    double score[M * C], offset[C], slope[C * C];
    size_t class[M];
    for (size_t i = 0; i < M * C; i++)
        score[i] = dice_normal(&r);
    for (size_t i = 0; i < M; i++)
        class[i] = i % C;
    gbs_class_scores s = {M, C, score, class};
    gbs_status status = GBS_ERR_CANCELLED;
    long allowed = 0, left;
    assert_ok(ctx, gbs_context_set_cancel(ctx, agrees, &left));
    for (; allowed < 2000 && status != GBS_OK; allowed++) {
        left = allowed;
        status = gbs_softmax_choose(ctx, &s, offset, slope);
        assert_true(status == GBS_OK || (status == GBS_ERR_CANCELLED && left == -1));
    }
    assert_int_equal(status, GBS_OK);
    assert_true(allowed > 10);
    gbs_context_free(ctx);
}

/* Scores that are log probabilities, in another scale and shifted: the calibration undoes both. */
static void calibration_finds_the_probabilities_behind_scores(void **state) {
    (void)state;
    enum { M = 20000, C = 3 };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {2};
    double *score = doubles(M * C), offset[C], slope[C * C], error, best = 0.0;
    size_t *class = take(M, sizeof *class);
    for (size_t i = 0; i < M; i++) {
        double z[C], sum = 0.0, u = dice_uniform(&r);
        for (size_t c = 0; c < C; c++) {
            z[c] = 1.5 * dice_normal(&r);
            score[i * C + c] = 4.0 * z[c] + (c == 1 ? 3.0 : 0.0);
            sum += exp(z[c]);
        }
        for (class[i] = 0; class[i] + 1 < C && u >= exp(z[class[i]]) / sum; class[i]++)
            u -= exp(z[class[i]]) / sum;
        best -= log(exp(z[class[i]]) / sum) / M;
    }
    gbs_class_scores s = {M, C, score, class};
    for (int kind = GBS_SLOPES_EACH; kind <= GBS_SLOPES_FULL; kind++) {
        assert_ok(ctx, gbs_softmax_learn(ctx, &s, (gbs_slopes_kind)kind, offset, slope));
        for (size_t c = 0; c < C * C; c++) /* standard errors are some 0.003 and 0.02 */
            assert_close(slope[c], c % (C + 1) == 0 ? 0.25 : 0.0, 0.0,
                         kind == GBS_SLOPES_FULL ? 0.15 : 0.02);
    }
    assert_ok(ctx, gbs_softmax_choose(ctx, &s, offset, slope));
    assert_close(offset[1] - offset[0], -0.75, 0.0, 0.15);
    assert_close(offset[2] - offset[0], 0.0, 0.0, 0.15);
    assert_close(softmax_log_loss(&s, offset, slope), best, 0.0, 5e-3);
    double *loss = doubles(M), *worse = doubles(M);
    assert_ok(ctx, gbs_softmax_cross_validate(ctx, &s, GBS_SLOPES_EACH, loss, &error));
    assert_close(gbs_softmax_mean(M, loss), best, 0.0, 5e-3);
    for (size_t i = 0; i < M; i++)
        worse[i] = loss[i] + (i % 2 == 0 ? 0.5 : -0.45);
    assert_true(gbs_softmax_better(M, loss, worse) && !gbs_softmax_better(M, worse, loss));
    assert_false(gbs_softmax_better(M, loss, loss));
    free(loss);
    free(worse);
    assert_close(error, gbs_softmax_error(&s, offset, slope), 0.0, 5e-3);
    free(score);
    free(class);
    gbs_context_free(ctx);
}

/* Classes that scores divide, one with a single row, one with none: everything stays finite. */
static void calibration_bears_poor_rows(void **state) {
    (void)state;
    enum { C = 4 };
    gbs_context *ctx = new_context(1, 1);
    const double score[] = {9, 0, 0, 0, 9, 0, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 0, 9, 0};
    const size_t class[] = {0, 0, 1, 1, 2};
    double offset[C], slope[C * C], flat[20] = {0};
    gbs_class_scores s = {5, C, score, class}, same = {5, C, flat, class};
    assert_ok(ctx, gbs_softmax_learn(ctx, &s, GBS_SLOPES_FULL, offset, slope));
    assert_true(isfinite(softmax_log_loss(&s, offset, slope)));
    assert_ok(ctx, gbs_softmax_learn(ctx, &s, GBS_SLOPES_EACH, offset, slope));
    assert_true(isfinite(offset[0] + offset[1] + offset[2]) && offset[3] == -INFINITY);
    for (size_t c = 0; c < 3; c++)
        assert_true(slope[c * (C + 1)] > 0.0 && isfinite(slope[c * (C + 1)]));
    assert_true(gbs_softmax_error(&s, offset, slope) == 0.0);
    assert_ok(ctx, gbs_softmax_choose(ctx, &same, offset, slope));
    assert_true(isfinite(softmax_log_loss(&same, offset, slope)));
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- models */

static void check_row(const gbs_many *m, const double *p, size_t label) {
    double sum = 0.0;
    for (size_t k = 0; k < K; k++) {
        assert_true(p[k] >= 0.0 && p[k] <= 1.0);
        sum += p[k];
        if (m->cost == NULL) { /* the most probable, the first of several */
            assert_true(p[label] >= p[k]);
            assert_true(k >= label || p[k] < p[label]);
        }
    }
    assert_close(sum, 1.0, 1e-12, 0.0);
    for (size_t c = 0; m->cost != NULL && c < K; c++) {
        double here = 0.0, there = 0.0;
        for (size_t k = 0; k < K; k++) {
            here += p[k] * m->cost[k * K + label];
            there += p[k] * m->cost[k * K + c];
        }
        assert_true(here <= there);
    }
}

static void labels_and_probabilities_agree(void **state) {
    (void)state;
    struct dice r = {3};
    gbs_many m = {.classes = K, .scheme = GBS_SCHEME_REST};
    bool learned[K] = {true, true, true, true};
    double offset[K], slope[K * K] = {0}, cost[K * K];
    size_t models = repeats(20000, 500);
    m.learned = learned;
    m.offset = offset;
    m.slope = slope;
    for (size_t i = 0; i < models; i++) {
        double p[K];
        bool equal = i % 5 == 0;
        for (size_t k = 0; k < K; k++) {
            offset[k] = equal ? 0.0 : 5.0 * dice_normal(&r);
            slope[k * (K + 1)] = exp(dice_between(&r, -10.0, 10.0));
            p[k] = equal ? 0.0 : exp(dice_between(&r, -20.0, 20.0)) * dice_normal(&r);
        }
        for (size_t k = 0; k < K * K; k++)
            cost[k] = k % (K + 1) == 0 ? 0.0 : dice_uniform(&r);
        m.cost = i % 2 == 0 ? NULL : cost;
        gbs_many_probabilities(&m, p);
        check_row(&m, p, gbs_many_label(&m, p));
        if (equal && m.cost == NULL)
            assert_int_equal(gbs_many_label(&m, p), 0);
    }
}

static void a_model_of_many_classes_learns_them(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct rows t = draw_rows(4, 0.2);
    gbs_data *data = data_of(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_model *model = fit(ctx, data, &o);
    const gbs_classes_card *c = gbs_model_classes_card(model);
    size_t errors = 0, tested = 0, one, other;
    assert_int_equal(gbs_data_classes(data), K);
    assert_int_equal(gbs_data_class(data, 7), t.class_of[7]);
    assert_int_equal(gbs_model_classes(model), K);
    assert_non_null(c);
    assert_true(gbs_model_card(model) == NULL && gbs_model_cost(model, 1, 2) == 1.0);
    assert_int_equal(c->learned + c->tested, N);
    assert_int_equal(c->unknown, 0);
    for (size_t is = 0; is < K; is++) {
        const gbs_class_result *k = gbs_model_class_result(model, is);
        assert_true(k->learned && k->right <= k->rows && k->right <= k->said);
        for (size_t said = 0; said < K; said++) {
            tested += gbs_model_confusion(model, is, said);
            errors += is != said ? gbs_model_confusion(model, is, said) : 0;
        }
    }
    assert_int_equal(tested, c->tested);
    assert_int_equal(errors, c->errors);
    assert_true((double)errors < 0.3 * (double)tested && c->baseline_error > 0.5);
    assert_non_null(gbs_model_part(model, 0, &one, &other));
    assert_true(one == 0 && (c->scheme != GBS_SCHEME_PAIRS) == (other == SIZE_MAX));
    assert_null(gbs_model_part(model, 1000, NULL, NULL));
    const gbs_certificate *line = gbs_model_certificate(model, 0);
    assert_int_equal(gbs_model_certificates(model), K + 3);
    assert_int_equal(line->target, GBS_TARGET_VOTE);
    assert_close(line->value, gbs_binomial_upper(errors, tested, 0.95), 1e-12, 0.0);
    for (size_t k = 0; k < K; k++) {
        const gbs_class_result *r = gbs_model_class_result(model, k);
        line = gbs_model_certificate(model, k + 1);
        assert_true(line->target == GBS_TARGET_RECALL && line->given == (int)k + 1);
        assert_close(line->value, gbs_binomial_upper(r->rows - r->right, r->rows, 0.95), 1e-12,
                     0.0);
    }
    gbs_evaluation *e;
    assert_ok(ctx, gbs_model_evaluate(ctx, model, data, &e));
    assert_int_equal(gbs_evaluation_classes(e), K);
    assert_int_equal(e->n, N);
    size_t right = 0;
    for (size_t k = 0; k < K; k++) {
        right += gbs_evaluation_class(e, k)->right;
        assert_int_equal(gbs_evaluation_confusion(e, k, k), gbs_evaluation_class(e, k)->right);
    }
    assert_int_equal(right + e->errors, N);
    assert_true(gbs_evaluation_cost(e) == e->error && e->brier > 0.0 && e->brier < 0.5);
    assert_null(gbs_evaluation_class(e, K));
    gbs_evaluation_free(e);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void its_file_says_the_same(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct rows t = draw_rows(5, 0.3);
    double costs[K * K];
    for (size_t i = 0; i < K * K; i++)
        costs[i] = i % (K + 1) == 0 ? 0.0 : 1.0 + (double)(i % 3);
    gbs_data *data = data_of(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.costs = costs;
    o.joint = 1;
    gbs_model *model = fit(ctx, data, &o), *back;
    char *text, *twice;
    size_t size;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &back));
    assert_ok(ctx, gbs_model_to_json(ctx, back, &twice, NULL));
    assert_string_equal(text, twice);
    double p[2][N * K];
    uint32_t label[2][N];
    for (int k = 0; k < 2; k++)
        assert_ok(ctx,
                  gbs_model_classify_rows(ctx, k == 0 ? model : back, data, N, K, label[k], p[k]));
    assert_true(same_bits(p[0], p[1], N * K) && memcmp(label[0], label[1], sizeof label[0]) == 0);
    for (size_t i = 0; i < N; i++)
        check_row(model->many, p[0] + i * K, label[0][i]);
    assert_true(gbs_model_cost(back, 0, 2) == costs[2]);
    assert_int_equal(gbs_model_certificate(back, K + 1)->target, GBS_TARGET_COST);
    assert_close(gbs_model_certificate(back, 0)->grid_nats, log(K + 4.0), 1e-15, 0.0);
    gbs_model_free(back);
    static const char *const damage[][2] = {{"\"scheme\":\"", "\"scheme\":\"x"},
                                            {"\"classes\":4", "\"classes\":2"},
                                            {"\"confusion\":[", "\"confusion\":[-1,"},
                                            {"\"learned\":[", "\"learned\":[1,"},
                                            {"\"parts\":[", "\"parts\":[null,"}};
    for (size_t k = 0; k < COUNT(damage); k++) {
        char *at = strstr(text, damage[k][0]), *wrong = take(size + 20, 1);
        assert_non_null(at);
        snprintf(wrong, size + 20, "%.*s%s%s", (int)(at - text), text, damage[k][1],
                 at + strlen(damage[k][0]));
        assert_int_equal(gbs_model_from_json(ctx, wrong, strlen(wrong), &back), GBS_ERR_FORMAT);
        assert_null(back);
        free(wrong);
    }
    gbs_release(ctx, text);
    gbs_release(ctx, twice);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* Rows of the last block changed, a class of them to one that was never seen: the predictor is the
 * same to the bit, and the new class is never said and an error. */
static void the_predictor_is_fixed_before_the_last_block(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    struct rows t = draw_rows(6, 0.3);
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_data *data = data_of(ctx, &t), *probe;
    gbs_model *a = fit(ctx, data, &o);
    size_t order[N], first, least, moved = 0;
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, order, &least));
    first = gbs_model_classes_card(a)->learned;
    assert_true(first >= least);
    double p[2][ROWS * (K + 1)], x[ROWS * D];
    struct dice r = {8};
    for (size_t i = 0; i < ROWS * D; i++)
        x[i] = dice_normal(&r);
    gbs_hash hash = gbs_data_hash(data);
    gbs_data_free(data);
    for (size_t i = first; i < N; i++) {
        moved += t.class_of[order[i]] == 0;
        if (t.class_of[order[i]] == 0)
            t.class_of[order[i]] = K; /* unseen so far */
        for (size_t k = 0; k < D; k++)
            t.x[order[i] * D + k] *= 3.0;
    }
    assert_ok(ctx, gbs_data_dense(ctx, N, D, t.x, D, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_set_classes(ctx, data, N, t.class_of, K + 1));
    data->summary.hash = hash; /* keeps the order */
    data->hashed = true;
    gbs_model *b = fit(ctx, data, &o);
    const gbs_classes_card *card = gbs_model_classes_card(b);
    assert_true(moved > 0);
    assert_int_equal(card->learned, first);
    assert_int_equal(card->unknown, moved);
    assert_int_equal(gbs_model_class_result(b, K)->rows, moved);
    assert_int_equal(gbs_model_class_result(b, K)->said, 0);
    assert_int_equal(gbs_model_class_result(b, K)->learned, 0);
    assert_true(gbs_model_certificate(b, K + 1)->value == 1.0); /* all of them missed */
    assert_true(card->errors >= moved);
    assert_ok(ctx, gbs_data_dense(ctx, ROWS, D, x, D, NULL, GBS_BORROW, &probe));
    assert_ok(ctx, gbs_model_classify_rows(ctx, a, probe, ROWS, K, NULL, p[0]));
    assert_ok(ctx, gbs_model_classify_rows(ctx, b, probe, ROWS, K + 1, NULL, p[1]));
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(same_bits(p[0] + i * K, p[1] + i * (K + 1), K));
        assert_true(p[1][i * (K + 1) + K] == 0.0);
    }
    gbs_data_free(probe);
    gbs_model_free(a);
    gbs_model_free(b);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void two_classes_have_columns_too(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = small_table(9, N, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_model *model = fit(ctx, data, &o);
    double both[2 * N], label[N], p[N];
    uint32_t class_of[N];
    assert_int_equal(gbs_model_classes(model), 2);
    assert_null(gbs_model_classes_card(model));
    assert_ok(ctx, gbs_model_classify_rows(ctx, model, data, N, 2, class_of, both));
    assert_ok(ctx, gbs_model_classify(ctx, model, data, label, p, NULL, NULL));
    for (size_t i = 0; i < N; i++) {
        assert_true(both[2 * i + 1] == p[i] && both[2 * i] == 1.0 - p[i]);
        assert_int_equal(class_of[i], label[i] > 0.0);
    }
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct rows t = draw_rows(7, 0.3);
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, N, D, t.x, D, NULL, GBS_BORROW, &data));
    assert_int_equal(gbs_data_classes(data), 0);
    assert_int_equal(gbs_data_class(data, 0), GBS_UNSEEN);
    assert_int_equal(gbs_data_set_classes(ctx, data, N - 1, t.class_of, K), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_classes(ctx, data, N, t.class_of, 2), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_classes(ctx, data, N, t.class_of, 100000), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_classes(ctx, data, N, NULL, K), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_classes(ctx, data, N, t.class_of, K - 1), GBS_ERR_DATA);
    assert_ok(ctx, gbs_data_set_classes(ctx, data, N, t.class_of, K));
    assert_int_equal(gbs_data_set_classes(ctx, data, N, t.class_of, K), GBS_ERR_ARGUMENT);
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_model *model = fit(ctx, data, &o), *none;
    double room[N * K];
    assert_int_equal(gbs_model_classify_rows(ctx, model, data, N, K + 1, NULL, room),
                     GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_classify_rows(ctx, model, data, N - 1, K, NULL, room),
                     GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_predict(ctx, model, data, room, NULL, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_classify(ctx, model, data, room, NULL, NULL, NULL),
                     GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_model_coefficients(ctx, model, room, room), GBS_ERR_ARGUMENT);
    gbs_model_free(model);
    o.prior = GBS_PRIOR_ZERO;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &none), GBS_ERR_ARGUMENT);
    o = gbs_fit_settings_default();
    o.task = GBS_TASK_RANK;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &none), GBS_ERR_ARGUMENT);
    assert_null(none);
    assert_int_equal(gbs_model_classes(NULL), 0);
    assert_int_equal(gbs_recipe_classes(NULL), 0);
    assert_null(gbs_recipe_class(NULL, 0));
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- costs */

/* The label of least expected cost, whose mean is certified; probabilities are as they were. */
static void costs_move_labels_and_are_certified(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct rows t = draw_rows(31, 0.6);
    double cost[K * K], p[2][N * K];
    uint32_t said[2][N];
    size_t first[2] = {0, 0};
    for (size_t i = 0; i < K * K; i++)
        cost[i] = i / K == i % K ? 0.0 : i / K == 0 ? 20.0 : 1.0; /* class 0 is dear to miss */
    for (int k = 0; k < 2; k++) {
        gbs_data *data = data_of(ctx, &t);
        gbs_model *model;
        if (k == 1)
            assert_ok(ctx, gbs_data_set_costs(ctx, data, K, cost));
        assert_ok(ctx, gbs_fit(ctx, data, NULL, &model));
        assert_ok(ctx, gbs_model_classify_rows(ctx, model, data, N, K, said[k], p[k]));
        bool certified = false;
        const gbs_certificate *c;
        for (size_t j = 0; (c = gbs_model_certificate(model, j)) != NULL; j++)
            certified |= c->target == GBS_TARGET_COST;
        assert_int_equal(certified, k == 1);
        assert_true(gbs_model_cost(model, 0, 1) == (k == 1 ? 20.0 : 1.0));
        gbs_model_free(model);
        gbs_data_free(data);
        for (size_t i = 0; i < N; i++)
            first[k] += said[k][i] == 0;
    }
    assert_true(first[1] > first[0]);
    for (size_t i = 0; i < N; i++) { /* by hand */
        double least = INFINITY;
        uint32_t best = 0;
        for (uint32_t c = 0; c < K; c++) {
            double expected = 0.0;
            for (size_t k = 0; k < K; k++)
                expected += p[1][i * K + k] * cost[k * K + c];
            if (expected < least - 1e-12) {
                least = expected;
                best = c;
            }
        }
        assert_int_equal(said[1][i], best);
    }
    gbs_context_free(ctx);
}

static void costs_that_cannot_be_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct rows t = draw_rows(31, 0.6);
    gbs_data *data = data_of(ctx, &t);
    double cost[K * K] = {0};
    assert_int_equal(gbs_data_set_costs(NULL, data, K, cost), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_costs(ctx, NULL, K, cost), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_costs(ctx, data, K + 1, cost), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_costs(ctx, data, K, cost), GBS_ERR_ARGUMENT); /* all are 0 */
    cost[1] = 1.0;
    assert_ok(ctx, gbs_data_set_costs(ctx, data, K, cost));
    assert_ok(ctx, gbs_data_set_costs(ctx, data, K, NULL));
    static const double wrong[] = {-1.0, NAN, INFINITY};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        cost[1] = wrong[k];
        assert_int_equal(gbs_data_set_costs(ctx, data, K, cost), GBS_ERR_ARGUMENT);
    }
    cost[1] = 0.0;
    cost[K + 1] = 1.0;
    assert_int_equal(gbs_data_set_costs(ctx, data, K, cost), GBS_ERR_ARGUMENT);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* Rows of classes that were not learned alone: nothing is calibrated, or written beyond. */
static void no_row_of_a_learned_class_is_no_calibration(void **state) {
    (void)state;
    enum { FEW = 4 };
    gbs_context *ctx = new_context(1, 1);
    const size_t class[FEW] = {K, K, K, K};
    double score[FEW * K] = {0}, offset[K], slope[K * K];
    gbs_class_scores s = {FEW, K, score, class};
    assert_ok(ctx, gbs_softmax_learn(ctx, &s, GBS_SLOPES_FULL, offset, slope));
    for (size_t k = 0; k < K; k++)
        assert_true(isinf(offset[k]) && offset[k] < 0.0);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_row_of_a_learned_class_is_no_calibration),
        cmocka_unit_test(the_gradient_of_the_calibration_is_its_slope),
        cmocka_unit_test(calibration_finds_the_probabilities_behind_scores),
        cmocka_unit_test(the_descent_of_many_classes_ends_at_the_minimum),
        cmocka_unit_test(a_calibration_that_is_stopped_says_so),
        cmocka_unit_test(calibration_bears_poor_rows),
        cmocka_unit_test(labels_and_probabilities_agree),
        cmocka_unit_test(a_model_of_many_classes_learns_them),
        cmocka_unit_test(its_file_says_the_same),
        cmocka_unit_test(the_predictor_is_fixed_before_the_last_block),
        cmocka_unit_test(two_classes_have_columns_too),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(costs_move_labels_and_are_certified),
        cmocka_unit_test(costs_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
