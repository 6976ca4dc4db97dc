/* Every line of the card of many classes holds as often as it says, on rows whose truth is known.
 *
 * x is one of 25 points of a grid, and each point has its own probabilities of the classes: risk,
 * recall and Brier score of any predictor are sums over points and classes, without error. So is
 * the error of a draw where its probability has a form (test_draw.c compares it with draws); where
 * coins decide, that line is left out. One class is rare. Violations are counted at 80 and 95 %:
 * no more than promised plus 5 sigma (false alarms: 3e-7 a line); those of the label moreover not
 * fewer than 5 sigma below what the exact bound gives.
 */
#include "coverage_support.h"

#include "judge/many.h"
#include "model/model.h"

enum { SIDE = 5, POINTS = SIDE * SIDE, MOST = 50 };

struct world {
    const char *name;
    size_t n, classes, full, few;
    bool sorted; /* by class, and one seed for all */
    double rare; /* of the last class: its log odds are less by so much */
};

static const struct world worlds[] = {
    {"3 classes", 90, 3, 50, 2, false, 2.5},
    {"3 classes, sorted by class, one seed", 90, 3, 30, 2, true, 2.5},
    /* mostly there are two to learn from, and often the third is in the last block alone */
    {"3 classes, one of them in 100 rows", 40, 3, 60, 2, false, 3.5},
    {"10 classes", 160, 10, 30, 2, false, 2.5},
    {"50 classes", 300, 50, 12, 1, false, 2.5},
};

struct truth {
    double x[POINTS * 2], p[POINTS][MOST];
};

static struct truth truth_of(size_t classes, double rare) {
    struct truth t;
    for (size_t i = 0; i < POINTS; i++) {
        double sum = 0.0;
        t.x[2 * i] = (double)(i % SIDE) - 2.0;
        t.x[2 * i + 1] = (double)(i / SIDE) - 2.0;
        for (size_t k = 0; k < classes; k++) {
            double angle = 6.2831853 * (double)k / (double)classes,
                   z = 1.2 * (cos(angle) * t.x[2 * i] + sin(angle) * t.x[2 * i + 1]);
            t.p[i][k] = exp(k + 1 == classes ? z - rare : z);
            sum += t.p[i][k];
        }
        for (size_t k = 0; k < classes; k++)
            t.p[i][k] /= sum;
    }
    return t;
}

/* What each line is about: error, 1 - recall of each class, Brier. */
static void true_risks(gbs_context *ctx, const gbs_model *model, const struct truth *t, size_t k,
                       double *error, double *missed, double *brier) {
    double p[POINTS * MOST];
    uint32_t label[POINTS];
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, POINTS, 2, t->x, 2, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_model_classify_rows(ctx, model, data, POINTS, k, label, p));
    gbs_data_free(data);
    *error = *brier = 0.0;
    for (size_t c = 0; c < k; c++) {
        double lost = 0.0, all = 0.0;
        for (size_t i = 0; i < POINTS; i++) {
            double squares = 0.0, here = t->p[i][c] / POINTS;
            for (size_t j = 0; j < k; j++) {
                double off = p[i * k + j] - (j == c ? 1.0 : 0.0);
                squares += off * off;
            }
            all += here;
            lost += label[i] != c ? here : 0.0;
            *brier += 0.5 * here * squares;
        }
        *error += lost;
        missed[c] = lost / all;
    }
}

/* How often one draw errs; NaN: not known. */
static double true_draw(gbs_context *ctx, const gbs_model *model, const struct truth *t, size_t k) {
    double score[POINTS * MOST], spread[POINTS * MOST], sum = 0.0;
    const gbs_many *m = model->many;
    gbs_data *data;
    if (!gbs_many_draws_known(m))
        return NAN;
    assert_ok(ctx, gbs_data_dense(ctx, POINTS, 2, t->x, 2, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_many_scores(ctx, m, data, 1, 0, score, spread));
    gbs_data_free(data);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t c = 0; c < k; c++)
            sum += t->p[i][c] / POINTS * gbs_many_draw_wrong(m, score + i * k, spread + i * k, c);
    return sum;
}

struct tally {
    size_t fits, error, missed, missed_lines, brier, draw, draws;
    double expected, variance;
};

static void count(const gbs_model *model, const struct truth *t, gbs_context *ctx, size_t k,
                  double confidence, struct tally *tally) {
    double error, missed[MOST], brier;
    const gbs_certificate *c = gbs_model_certificate(model, 0);
    true_risks(ctx, model, t, k, &error, missed, &brier);
    assert_int_equal(gbs_model_certificates(model), k + 3);
    tally->fits++;
    tally->error += c->value < error;
    double v = exact_failure(error, c->blocks, 1.0 - confidence);
    tally->expected += v;
    tally->variance += v * (1.0 - v);
    for (size_t j = 0; j < k; j++) {
        c = gbs_model_certificate(model, j + 1);
        assert_int_equal(c->target, GBS_TARGET_RECALL);
        tally->missed += c->value < missed[j];
        tally->missed_lines++;
        assert_true(c->blocks > 0 || c->value == 1.0);
    }
    c = gbs_model_certificate(model, k + 1);
    assert_int_equal(c->target, GBS_TARGET_BRIER);
    tally->brier += c->value < brier;
    c = gbs_model_certificate(model, k + 2);
    assert_int_equal(c->target, GBS_TARGET_GIBBS);
    double draw = true_draw(ctx, model, t, k);
    assert_int_equal(c->method, isnan(draw) ? GBS_BOUND_BINOMIAL : GBS_BOUND_BETTING);
    tally->draws += isnan(draw) ? 0 : 1;
    tally->draw += c->value < draw;
}

static void replicate(struct dice *r, const struct world *w, const struct truth *t,
                      double confidence, uint64_t seed, struct tally *tally) {
    double x[600];
    uint32_t class_of[300];
    size_t next = 0;
    gbs_context *ctx = new_context(1, seed);
    for (size_t i = 0; i < w->n; i++) {
        size_t at = dice_below(r, POINTS);
        double u = dice_uniform(r);
        memcpy(x + 2 * i, t->x + 2 * at, 2 * sizeof *x);
        for (class_of[i] = 0; class_of[i] + 1 < w->classes && u >= t->p[at][class_of[i]];
             class_of[i]++)
            u -= t->p[at][class_of[i]];
    }
    for (uint32_t k = 0; w->sorted && k < w->classes; k++)
        for (size_t i = next; i < w->n; i++)
            if (class_of[i] == k) {
                double keep[2] = {x[2 * i], x[2 * i + 1]};
                memcpy(x + 2 * i, x + 2 * next, sizeof keep);
                memcpy(x + 2 * next, keep, sizeof keep);
                class_of[i] = class_of[next];
                class_of[next++] = k;
            }
    gbs_data *data;
    gbs_model *model;
    assert_ok(ctx, gbs_data_dense(ctx, w->n, 2, x, 2, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_set_classes(ctx, data, w->n, class_of, w->classes));
    gbs_fit_settings o = gbs_fit_settings_default();
    o.confidence = confidence;
    o.prior_sd = 1.0; /* what is chosen changes no promise, and takes most of the time */
    o.columns = GBS_COLUMNS_EQUAL;
    assert_ok(ctx, gbs_fit_run(ctx, data, &o, &model));
    count(model, t, ctx, w->classes, confidence, tally);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void every_line_holds_as_often_as_it_says(void **state) {
    (void)state;
    static const double confidences[] = {0.8, 0.95};
    for (size_t k = 0; k < COUNT(worlds); k++) {
        const struct world *w = &worlds[k];
        struct truth t = truth_of(w->classes, w->rare);
        size_t rounds = replications(1000, w->full, w->few);
        for (size_t c = 0; c < COUNT(confidences); c++) {
            struct dice r = {1000 * k + c + 1};
            struct tally n = {0};
            double promised = 1.0 - confidences[c];
            for (size_t i = 0; i < rounds; i++)
                replicate(&r, w, &t, confidences[c], w->sorted ? 1 : i + 1, &n);
            print_message("# %s, %g: of %zu fits the label's line fails %zu times (%.1f expected), "
                          "Brier's %zu; %zu of %zu lines of classes; %zu of %zu of a draw\n",
                          w->name, confidences[c], n.fits, n.error, n.expected, n.brier, n.missed,
                          n.missed_lines, n.draw, n.draws);
            assert_true(n.error <= most_failures(n.fits, promised));
            assert_close((double)n.error, n.expected, 0.0, 5.0 * sqrt(n.variance) + 1.0);
            assert_true(n.brier <= most_failures(n.fits, promised));
            assert_true(n.draw <= most_failures(n.draws, promised));
            /* given the labels the lines of classes are independent of each other */
            assert_true(n.missed <= most_failures(n.missed_lines, promised));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_line_holds_as_often_as_it_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
