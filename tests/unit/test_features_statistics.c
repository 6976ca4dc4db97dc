/* Certificates hold as often as they say where the map was chosen by the rows to learn from.
 *
 * Rings that no line divides, 300 rows, one label in ten flipped. The true risk of the printed
 * labels is a sum over SIDE x SIDE cells of equal probability in polar coordinates; what their
 * middles miss lies along the edges of regions, far below the steps of a bound from 100 rows. One
 * fit serves both confidences: the binomial bound is a function of the errors on the last block.
 * The number of violations is what the exact bound gives at the known risk within five standard
 * deviations, either way; so a bound at 80 % that held in half the worlds would be found with 40 of
 * them. `make coverage-study` runs 1,000.
 */
#include "coverage_support.h"

#include "model/model.h"

enum { N = 300, D = 2, SIDE = 160, FRESH = SIDE * SIDE };
#define NOISE 0.1

static double truth_of(const double *x) {
    double quarter = floor(4.0 * (1.0 - exp(-0.5 * (x[0] * x[0] + x[1] * x[1]))));
    return fmod(quarter, 2.0) == 1.0 ? 1.0 : -1.0;
}

static void draw(struct dice *r, double *x, double *y) {
    for (size_t i = 0; i < N; i++) {
        x[i * D] = dice_normal(r);
        x[i * D + 1] = dice_normal(r);
        y[i] = truth_of(x + i * D) * (dice_uniform(r) < NOISE ? -1.0 : 1.0);
    }
}

/* The middles of cells of equal probability: r^2 = -2 log(1 - u), the angle 2 pi v. */
static void middles(double *x, double *y) {
    for (size_t i = 0; i < FRESH; i++) {
        double u = ((double)(i / SIDE) + 0.5) / SIDE, v = ((double)(i % SIDE) + 0.5) / SIDE,
               radius = sqrt(-2.0 * log1p(-u));
        x[i * D] = radius * cos(2.0 * acos(-1.0) * v);
        x[i * D + 1] = radius * sin(2.0 * acos(-1.0) * v);
        y[i] = truth_of(x + i * D);
    }
}

struct tally {
    size_t fits, maps, violations[2];
    double risk, bound[2], expected[2], variance[2];
};

static const double confidences[] = {0.8, 0.95};

static void replicate(struct dice *r, uint64_t seed, const double *fresh_x, const double *fresh_y,
                      struct tally *t) {
    gbs_context *ctx = new_context(1, seed);
    gbs_data *data, *fresh;
    double x[N * D], y[N], *label = doubles(FRESH), wrong = 0.0;
    draw(r, x, y);
    assert_ok(ctx, gbs_data_dense(ctx, N, D, x, D, y, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_dense(ctx, FRESH, D, fresh_x, D, NULL, GBS_BORROW, &fresh));
    gbs_fit_settings o = gbs_fit_settings_default();
    o.features = GBS_FEATURES_AUTO;
    gbs_model *model = fit(ctx, data, &o);
    const gbs_card *card = gbs_model_card(model);
    size_t errors = card->false_positive + card->false_negative;
    t->fits++;
    t->maps += model->info.map != GBS_FEATURES_LINEAR;
    assert_true(gbs_model_certificate(model, 0)->valid);
    assert_close(gbs_model_certificate(model, 0)->value,
                 gbs_binomial_upper_tail(errors, card->tested, 0.05), 1e-12, 0.0);
    assert_ok(ctx, gbs_model_classify(ctx, model, fresh, label, NULL, NULL, NULL));
    for (size_t i = 0; i < FRESH; i++)
        wrong += label[i] != fresh_y[i];
    double risk = NOISE + (1.0 - 2.0 * NOISE) * wrong / FRESH;
    t->risk += risk;
    for (size_t c = 0; c < 2; c++) {
        double delta = 1.0 - confidences[c], v = exact_failure(risk, card->tested, delta),
               bound = gbs_binomial_upper_tail(errors, card->tested, delta);
        t->violations[c] += bound < risk;
        t->bound[c] += bound;
        t->expected[c] += v;
        t->variance[c] += v * (1.0 - v);
    }
    free(label);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_data_free(fresh);
    gbs_context_free(ctx);
}

static void certificates_hold_where_the_map_was_chosen(void **state) {
    (void)state;
    size_t count = replications(1000, 40, 3);
    double *fresh_x = doubles(FRESH * D), *fresh_y = doubles(FRESH);
    struct tally t = {0};
    struct dice r = {77};
    middles(fresh_x, fresh_y);
    for (size_t k = 0; k < count; k++)
        replicate(&r, k + 1, fresh_x, fresh_y, &t);
    double n = (double)t.fits;
    print_message("# %zu fits, %zu with a map; true risk %.4f in the mean\n", t.fits, t.maps,
                  t.risk / n);
    for (size_t c = 0; c < 2; c++) {
        print_message("# confidence %.2f: bound %.4f in the mean, %zu below the risk, %.1f +- %.1f "
                      "expected\n",
                      confidences[c], t.bound[c] / n, t.violations[c], t.expected[c],
                      sqrt(t.variance[c]));
        assert_true(t.violations[c] <= most_failures(t.fits, 1.0 - confidences[c]));
        assert_close((double)t.violations[c], t.expected[c], 0.0, 5.0 * sqrt(t.variance[c]) + 1.0);
    }
    assert_true(2 * t.maps > count); /* else nothing was tested */
    free(fresh_x);
    free(fresh_y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_hold_where_the_map_was_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
