/* The certificate of a deployed score, on 1 - AUC given the labels, holds as often as it says.
 *
 * x is one of 25 points of a grid (so that scores tie), and rows of +1 fall on it with other
 * probabilities than rows of -1: 1 - AUC of any score is a sum over pairs of points, without error.
 * The numbers of rows of each class are fixed, as the promise is given the labels. Violations are
 * counted at 80 and 95 %: no more than promised plus 5 sigma (false alarms: 3e-7 a line).
 */
#include "coverage_support.h"

#include "data/rows.h"

enum { SIDE = 5, POINTS = SIDE * SIDE };

struct world {
    const char *name;
    size_t up, down;
    double slope;
    bool sorted; /* rows of -1 first, and one seed for all: the hash of the rows draws the order */
};

static const struct world worlds[] = {
    {"20 positives of 220", 20, 200, 1.0, false},
    {"60 and 60, a weak score", 60, 60, 0.3, false},
    {"100 and 50, sorted by label, one seed", 100, 50, 0.7, true},
    {"no score at all", 50, 50, 0.0, false},
};

struct law {
    double x[POINTS * 2], up[POINTS], down[POINTS];
};

static struct law law_of(const struct world *w) {
    struct law l;
    double sum = 0.0;
    for (size_t i = 0; i < POINTS; i++) {
        l.x[2 * i] = (double)(i % SIDE) - 2.0;
        l.x[2 * i + 1] = (double)(i / SIDE) - 2.0;
        l.up[i] = exp(w->slope * (l.x[2 * i] + 0.5 * l.x[2 * i + 1]));
        l.down[i] = 1.0 / POINTS;
        sum += l.up[i];
    }
    for (size_t i = 0; i < POINTS; i++)
        l.up[i] /= sum;
    return l;
}

static double true_disorder(gbs_context *ctx, const gbs_model *model, const struct law *l) {
    double score[POINTS], sum = 0.0;
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, POINTS, 2, l->x, 2, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_model_predict(ctx, model, data, score, NULL, NULL));
    gbs_data_free(data);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < POINTS; j++)
            sum += l->up[i] * l->down[j] *
                   (score[j] > score[i]    ? 1.0
                    : score[j] == score[i] ? 0.5
                                           : 0.0);
    return sum;
}

static size_t point(struct dice *r, const double *p) {
    double u = dice_uniform(r);
    size_t i = 0;
    while (i + 1 < POINTS && u >= p[i])
        u -= p[i++];
    return i;
}

/* Is the bound below the truth? */
static bool fails(struct dice *r, const struct world *w, const struct law *l, double confidence,
                  uint64_t seed) {
    double x[800], y[400];
    size_t n = w->up + w->down, ups = 0;
    for (size_t i = 0; i < n; i++) {
        bool up = w->sorted ? i >= w->down
                            : dice_uniform(r) * (double)(n - i) < (double)(w->up - ups);
        size_t at = point(r, up ? l->up : l->down);
        ups += up;
        x[2 * i] = l->x[2 * at];
        x[2 * i + 1] = l->x[2 * at + 1];
        y[i] = up ? 1.0 : -1.0;
    }
    gbs_context *ctx = new_context(1, seed);
    gbs_data *data;
    gbs_model *model;
    assert_ok(ctx, gbs_data_dense(ctx, n, 2, x, 2, y, GBS_BORROW, &data));
    gbs_fit_settings o = gbs_fit_settings_default();
    o.task = GBS_TASK_RANK;
    o.confidence = confidence;
    assert_ok(ctx, gbs_fit_run(ctx, data, &o, &model));
    size_t count;
    const gbs_certificate *c = certificates_of(model, &count);
    assert_int_equal(count, 1);
    assert_true(c->valid && c->target == GBS_TARGET_AUC && c->risk == GBS_RISK_AUC);
    double auc = gbs_model_card(model)->auc;
    if (isnan(auc)) /* the last block lacks a class: nothing is promised */
        assert_true(c->value == 1.0);
    else
        assert_close(c->empirical, 1.0 - auc, 1e-12, 0.0);
    bool failed = c->value < true_disorder(ctx, model, l);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
    return failed;
}

static void the_score_is_certified_as_often_as_it_says(void **state) {
    (void)state;
    static const double confidences[] = {0.8, 0.95};
    size_t rounds = replications(2000, 60, 4);
    for (size_t k = 0; k < COUNT(worlds); k++) {
        struct law l = law_of(&worlds[k]);
        for (size_t c = 0; c < COUNT(confidences); c++) {
            struct dice r = {500 * k + c + 1};
            size_t failed = 0;
            for (size_t i = 0; i < rounds; i++)
                failed += fails(&r, &worlds[k], &l, confidences[c], worlds[k].sorted ? 1 : i + 1);
            print_message("# %s, %g: %zu of %zu above the bound\n", worlds[k].name, confidences[c],
                          failed, rounds);
            assert_true(failed <= most_failures(rounds, 1.0 - confidences[c]));
        }
    }
}

/* Rows of the last block changed: the score is the same to the bit. */
static void the_score_is_fixed_before_the_last_block(void **state) {
    (void)state;
    enum { N = 90, D = 3 };
    gbs_context *ctx = new_context(1, 3);
    struct table_of_numbers t = small_table(92, N, D);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.task = GBS_TASK_RANK;
    gbs_data *data = dense_data(ctx, &t);
    size_t order[N], first;
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, order, &first));
    gbs_model *a = fit(ctx, data, &o);
    assert_int_equal(gbs_model_card(a)->learned, first);
    data->summary.hash = gbs_data_hash(data); /* keeps the order */
    data->hashed = true;
    for (size_t i = first; i < N; i++) {
        t.y[order[i]] = i % 2 == 0 ? 1.0 : -1.0;
        for (size_t k = 0; k < D; k++)
            t.x[order[i] * D + k] *= 40.0;
    }
    gbs_model *b = fit(ctx, data, &o);
    double mean[2][D], sd[D], probe[3] = {0.4, -1.0, 2.0}, place[2];
    gbs_data *row;
    assert_ok(ctx, gbs_data_dense(ctx, 1, D, probe, D, NULL, GBS_BORROW, &row));
    assert_ok(ctx, gbs_model_coefficients(ctx, a, mean[0], sd));
    assert_ok(ctx, gbs_model_coefficients(ctx, b, mean[1], sd));
    assert_true(same_bits(mean[0], mean[1], D));
    assert_ok(ctx, gbs_model_predict(ctx, a, row, NULL, NULL, &place[0]));
    assert_ok(ctx, gbs_model_predict(ctx, b, row, NULL, NULL, &place[1]));
    assert_true(place[0] == place[1]);
    assert_true(gbs_model_card(a)->auc != gbs_model_card(b)->auc);
    gbs_model_free(a);
    gbs_model_free(b);
    gbs_data_free(row);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_score_is_certified_as_often_as_it_says),
        cmocka_unit_test(the_score_is_fixed_before_the_last_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
