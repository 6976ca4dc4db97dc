/* Every line of the card holds as often as it says, on rows whose truth is known exactly.
 *
 * x is one of 25 points of a grid, y = +1 with a known probability there: risk, recall, cost, Brier
 * score and AUC of any predictor are sums over 25 points, without error. Violations of a line are
 * counted at 50, 80 and 95 %: no more than promised plus 5 sigma. Those of the first line are
 * moreover what Clopper and Pearson's bound gives at the known risk, within 5 sigma either way.
 *
 * Where all lines are to hold at once, the fits of which one failed are counted likewise.
 *
 * GIBBSITE_COVERAGE=full (`make coverage-study`) runs 1,000 replications; otherwise there are
 * fewer.
 */
#include "coverage_support.h"

enum { SIDE = 5, POINTS = SIDE * SIDE, LINES = 8 };

/* Above any weight: the weighted risk is certified too. */
#define MAX_WEIGHT 8.0

/* A distribution: how the points are drawn, and the label. */
struct world {
    const char *name;
    size_t n;
    double slope, shift, floor; /* P(+1 | x) = floor + (1 - 2 floor) logistic(slope x'w + shift) */
    double missed, false_alarm; /* costs; 0: none */
    bool sorted;                /* rows of -1 first */
    bool weighted; /* rows have weights in training, by where they are and their label */
    bool joint;    /* all lines are to hold at once */
};

static const struct world worlds[] = {
    {"30 rows", 30, 2.0, 0.0, 0.05, 0.0, 0.0, .sorted = false},
    {"120 rows", 120, 1.0, 0.3, 0.1, 0.0, 0.0, .sorted = false},
    {"400 rows, costs", 400, 1.5, -0.5, 0.05, 5.0, 1.0, .sorted = false},
    {"300 rows, rare", 300, 1.5, -3.0, 0.0, 0.0, 0.0, .sorted = false},
    {"1000 rows", 1000, 1.0, 0.0, 0.1, 0.0, 0.0, .sorted = false},
    {"250 rows, sorted by label, one seed", 250, 1.0, 0.0, 0.1, 0.0, 0.0, .sorted = true},
    {"500 rows, rare, costs, sorted, one seed", 500, 1.5, -2.8, 0.0, 12.0, 1.0, .sorted = true},
    {"150 rows, weights", 150, 1.2, 0.0, 0.1, 0.0, 0.0, .weighted = true},
    {"200 rows, costs, all lines at once", 200, 1.2, 0.4, 0.05, 1.0, 3.0, .joint = true},
    {"300 rows, weights, costs", 300, 1.2, 0.0, 0.1, 1.0, 4.0, .weighted = true},
};

struct truth {
    double x[POINTS * 2], p[POINTS]; /* each point has probability 1/25 */
};

static struct truth truth_of(const struct world *w) {
    struct truth t;
    for (size_t i = 0; i < POINTS; i++) {
        t.x[2 * i] = (double)(i % SIDE) - 2.0;
        t.x[2 * i + 1] = (double)(i / SIDE) - 2.0;
        double z = w->slope * (t.x[2 * i] + 0.5 * t.x[2 * i + 1]) + w->shift;
        t.p[i] = w->floor + (1.0 - 2.0 * w->floor) / (1.0 + exp(-z));
    }
    return t;
}

/* The weight of a row in worlds that have some: by where it is, and by its label. */
static double weight_of(const double *x, bool up) {
    return (up ? 3.0 : 1.0) * (x[1] > 0.0 ? 2.0 : 0.5);
}

/* The true value of what a certificate bounds. */
static double true_risk(gbs_context *ctx, const gbs_model *model, const struct truth *t,
                        const gbs_certificate *c) {
    double label[POINTS], p[POINTS], score[POINTS], vote[POINTS], sum = 0.0, weight = 0.0;
    const gbs_card *card = gbs_model_card(model);
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, POINTS, 2, t->x, 2, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_model_classify(ctx, model, data, label, p, score, vote));
    gbs_data_free(data);
    for (size_t i = 0; i < POINTS; i++) {
        double up = t->p[i], down = 1.0 - up, wrong = label[i] > 0.0 ? down : up;
        switch (c->target) {
        case GBS_TARGET_VOTE:
            sum += wrong, weight += 1.0;
            break;
        case GBS_TARGET_RECALL:
            sum += c->given > 0 ? (label[i] > 0.0 ? 0.0 : up) : (label[i] > 0.0 ? down : 0.0);
            weight += c->given > 0 ? up : down;
            break;
        case GBS_TARGET_COST:
            sum += label[i] > 0.0 ? down * card->cost_false : up * card->cost_missed;
            weight += 1.0;
            break;
        case GBS_TARGET_BRIER:
            sum += up * (1.0 - p[i]) * (1.0 - p[i]) + down * p[i] * p[i], weight += 1.0;
            break;
        case GBS_TARGET_GIBBS:
            sum += up * (1.0 - vote[i]) + down * vote[i], weight += 1.0;
            break;
        case GBS_TARGET_AUC:
            for (size_t j = 0; j < POINTS; j++) {
                double pair = up * (1.0 - t->p[j]);
                sum += pair * (score[j] > score[i] ? 1.0 : score[j] == score[i] ? 0.5 : 0.0);
                weight += pair;
            }
            break;
        case GBS_TARGET_WEIGHTED:
            up *= weight_of(t->x + 2 * i, true);
            down *= weight_of(t->x + 2 * i, false);
            sum += label[i] > 0.0 ? down : up, weight += up + down;
            break;
        default:
            fail();
        }
    }
    return sum / weight;
}

struct tally {
    size_t fits, failed[LINES];
    size_t any;                /* fits of which a line failed */
    double expected, variance; /* of the first line's failures */
};

/* Rows of -1 first; within a label as they come. */
static void sort_by_label(size_t n, size_t ups, double *x, double *y) {
    double sorted[2000];
    size_t next[2] = {0, n - ups};
    for (size_t i = 0; i < n; i++)
        memcpy(sorted + 2 * next[y[i] > 0.0]++, x + 2 * i, 2 * sizeof *x);
    memcpy(x, sorted, 2 * n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        y[i] = i < n - ups ? -1.0 : 1.0;
}

/* One replication: rows, a fit, its lines. */
static void replicate(struct dice *r, const struct world *w, const struct truth *t,
                      double confidence, uint64_t seed, struct tally *tally) {
    double x[2000], y[1000], weight[1000];
    size_t ups = 0;
    for (size_t i = 0; i < w->n; i++) {
        size_t at = dice_below(r, POINTS);
        x[2 * i] = t->x[2 * at];
        x[2 * i + 1] = t->x[2 * at + 1];
        y[i] = dice_uniform(r) < t->p[at] ? 1.0 : -1.0;
        ups += y[i] > 0.0;
    }
    if (ups < 2 || ups + 2 > w->n)
        return;
    if (w->sorted) /* the order of the file says nothing: the hash of its rows does */
        sort_by_label(w->n, ups, x, y);
    gbs_context *ctx = new_context(1, seed);
    gbs_data *data;
    gbs_model *model;
    assert_ok(ctx, gbs_data_dense(ctx, w->n, 2, x, 2, y, GBS_BORROW, &data));
    for (size_t i = 0; i < w->n; i++)
        weight[i] = weight_of(x + 2 * i, y[i] > 0.0);
    if (w->weighted)
        assert_ok(ctx, gbs_data_set_weights(ctx, data, weight));
    gbs_fit_settings o = gbs_fit_settings_default();
    o.joint = w->joint;
    o.max_weight = w->weighted ? MAX_WEIGHT : 0.0;
    o.confidence = confidence;
    o.has_cost = w->missed > 0.0;
    o.cost_missed = w->missed;
    o.cost_false = w->false_alarm;
    gbs_status status = gbs_fit_run(ctx, data, &o, &model);
    if (status == GBS_OK && gbs_model_card(model) != NULL) {
        size_t count;
        const gbs_certificate *c = certificates_of(model, &count);
        assert_int_equal(count, LINES - !(w->missed > 0.0) - !w->weighted);
        assert_int_equal(c[0].target, GBS_TARGET_VOTE);
        assert_int_equal(c[0].method, GBS_BOUND_BINOMIAL);
        tally->fits++;
        bool all = true;
        for (size_t k = 0; k < count; k++) {
            double truth = true_risk(ctx, model, t, &c[k]);
            assert_true(c[k].valid);
            tally->failed[k] += c[k].value < truth;
            all = all && c[k].value >= truth;
            if (k == 0) {
                double delta = (1.0 - confidence) / (w->joint ? (double)count : 1.0),
                       v = exact_failure(truth, c[k].blocks, delta);
                tally->expected += v;
                tally->variance += v * (1.0 - v);
            }
        }
        tally->any += !all;
    } else {
        assert_true(status == GBS_OK || status == GBS_ERR_DATA);
    }
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void every_line_holds_as_often_as_it_says(void **state) {
    (void)state;
    static const double confidences[] = {0.5, 0.8, 0.95};
    size_t rounds = replications(1000, 60, 4);
    for (size_t k = 0; k < COUNT(worlds); k++) {
        struct truth t = truth_of(&worlds[k]);
        for (size_t c = 0; c < COUNT(confidences); c++) {
            struct dice r = {1000 * k + c + 1};
            struct tally tally = {0};
            for (size_t i = 0; i < rounds; i++)
                replicate(&r, &worlds[k], &t, confidences[c], worlds[k].sorted ? 1 : i, &tally);
            assert_true(tally.fits > rounds / 2);
            print_message("# %s, %g: %zu fits, failures", worlds[k].name, confidences[c],
                          tally.fits);
            for (size_t line = 0; line < LINES; line++)
                print_message(" %zu", tally.failed[line]);
            print_message("; of the first %.1f +- %.1f expected; of any %zu\n", tally.expected,
                          sqrt(tally.variance), tally.any);
            for (size_t line = 0; line < LINES; line++)
                assert_true(tally.failed[line] <= most_failures(tally.fits, 1.0 - confidences[c]));
            if (worlds[k].joint)
                assert_true(tally.any <= most_failures(tally.fits, 1.0 - confidences[c]));
            assert_close((double)tally.failed[0], tally.expected, 0.0,
                         5.0 * sqrt(tally.variance) + 1.0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_line_holds_as_often_as_it_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
