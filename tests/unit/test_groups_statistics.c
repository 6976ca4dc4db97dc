/* Certificates of rows in groups hold as often as they say, on data whose truth is known exactly;
 * without the groups they do not.
 *
 * A group is one of 25 points and one label, drawn there with a known probability; its rows, 1 to
 * 12, more where the label is +1, are all alike in these. The mean over groups of the share of
 * wrong rows is then a sum over 25 points. Failures are counted at 50, 80 and 95 %: no more than
 * promised plus 5 sigma.
 */
#include "coverage_support.h"

#include "model/model.h"

enum { SIDE = 5, POINTS = SIDE * SIDE, GROUPS = 60, MOST_ROWS = 12 * GROUPS, LINES = 6 };

static double chance_at(size_t point) {
    double x = (double)(point % SIDE) - 2.0, z = (double)(point / SIDE) - 2.0;
    return 0.1 + 0.8 / (1.0 + exp(-1.2 * x - 0.5 * z));
}

/* Of groups, or of rows: there are 8 in the mean in a group of +1, 2.5 in one of -1. */
static double true_mean(gbs_context *ctx, const gbs_model *model, const gbs_certificate *c,
                        bool of_groups) {
    double x[2 * POINTS], label[POINTS], p[POINTS], vote[POINTS], sum = 0.0, weight = 0.0;
    gbs_data *data;
    for (size_t i = 0; i < POINTS; i++) {
        x[2 * i] = (double)(i % SIDE) - 2.0;
        x[2 * i + 1] = (double)(i / SIDE) - 2.0;
    }
    assert_ok(ctx, gbs_data_dense(ctx, POINTS, 2, x, 2, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_model_classify(ctx, model, data, label, p, NULL, vote));
    gbs_data_free(data);
    for (size_t i = 0; i < POINTS; i++) {
        double up = chance_at(i), down = 1.0 - up;
        bool says = label[i] > 0.0;
        switch (c->target) {
        case GBS_TARGET_VOTE:
            up *= of_groups ? 1.0 : 8.0;
            down *= of_groups ? 1.0 : 2.5;
            sum += says ? down : up, weight += up + down;
            break;
        case GBS_TARGET_RECALL:
            sum += c->given > 0 ? (says ? 0.0 : up) : (says ? down : 0.0);
            weight += c->given > 0 ? up : down;
            break;
        case GBS_TARGET_COST:
            sum += says ? down : 4.0 * up, weight += 1.0;
            break;
        case GBS_TARGET_BRIER:
            sum += up * (1.0 - p[i]) * (1.0 - p[i]) + down * p[i] * p[i], weight += 1.0;
            break;
        case GBS_TARGET_GIBBS:
            sum += up * (1.0 - vote[i]) + down * vote[i], weight += 1.0;
            break;
        default:
            fail();
        }
    }
    return sum / weight;
}

static void replicate(struct dice *r, double confidence, uint64_t seed, bool told, size_t *failed,
                      size_t *fits) {
    double x[2 * MOST_ROWS], y[MOST_ROWS];
    uint64_t name[MOST_ROWS];
    size_t n = 0, count;
    for (size_t g = 0; g < GROUPS; g++) {
        size_t at = dice_below(r, POINTS);
        bool up = dice_uniform(r) < chance_at(at);
        size_t rows = up ? 4 + dice_below(r, 9) : 1 + dice_below(r, 4);
        for (size_t k = 0; k < rows; k++, n++) {
            x[2 * n] = (double)(at % SIDE) - 2.0;
            x[2 * n + 1] = (double)(at / SIDE) - 2.0;
            y[n] = up ? 1.0 : -1.0;
            name[n] = g;
        }
    }
    gbs_context *ctx = new_context(1, seed);
    gbs_data *data;
    gbs_model *model;
    assert_ok(ctx, gbs_data_dense(ctx, n, 2, x, 2, y, GBS_BORROW, &data));
    if (told)
        assert_ok(ctx, gbs_data_set_groups(ctx, data, name));
    gbs_fit_settings o = gbs_fit_settings_default();
    o.confidence = confidence;
    o.has_cost = told;
    o.cost_missed = 4.0;
    o.cost_false = 1.0;
    assert_ok(ctx, gbs_fit_run(ctx, data, &o, &model));
    const gbs_certificate *c = certificates_of(model, &count);
    if (told)
        assert_int_equal(count, LINES);
    for (size_t k = 0; k < (told ? count : 1); k++)
        failed[k] += c[k].value < true_mean(ctx, model, &c[k], told);
    (*fits)++;
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void certificates_of_groups_hold(void **state) {
    (void)state;
    static const double confidences[] = {0.5, 0.8, 0.95};
    size_t rounds = replications(1000, 100, 4);
    for (size_t c = 0; c < COUNT(confidences); c++) {
        struct dice r = {1600 + c};
        size_t failed[LINES] = {0}, ignored[LINES] = {0}, fits = 0, others = 0;
        for (size_t i = 0; i < rounds; i++)
            replicate(&r, confidences[c], i, true, failed, &fits);
        for (size_t i = 0; i < rounds; i++)
            replicate(&r, confidences[c], i, false, ignored, &others);
        print_message("# groups, %g: %zu fits, failures", confidences[c], fits);
        for (size_t k = 0; k < LINES; k++)
            print_message(" %zu", failed[k]);
        print_message("; of the first %zu where groups are not told\n", ignored[0]);
        for (size_t k = 0; k < LINES; k++)
            assert_true(failed[k] <= most_failures(fits, 1.0 - confidences[c]));
        if (!short_form() && confidences[c] > 0.9)
            assert_true(ignored[0] > most_failures(others, 1.0 - confidences[c]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(certificates_of_groups_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
