/* Certificates hold as often as they say where the map was chosen by the rows to learn from.
 *
 * Rings that no line divides, 300 rows, one label in ten flipped; the true risk of the printed
 * labels comes from fresh rows with unflipped labels, five standard errors added. One fit serves
 * both confidences: the binomial bound is a function of the errors on the last block. The number of
 * violations passes a one-sided binomial test at 1e-5 each. GIBBSITE_COVERAGE=full (make
 * coverage-study) runs 1,000 replications.
 */
#include "support.h"

#include "bound/bound.h"
#include "model/model.h"

enum { N = 300, D = 2, FRESH = 20000 };
#define NOISE 0.1

static double truth_of(const double *x) {
    double quarter = floor(4.0 * (1.0 - exp(-0.5 * (x[0] * x[0] + x[1] * x[1]))));
    return fmod(quarter, 2.0) == 1.0 ? 1.0 : -1.0;
}

static void draw(struct dice *r, size_t n, double noise, double *x, double *y) {
    for (size_t i = 0; i < n; i++) {
        x[i * D] = dice_normal(r);
        x[i * D + 1] = dice_normal(r);
        y[i] = truth_of(x + i * D) * (dice_uniform(r) < noise ? -1.0 : 1.0);
    }
}

/* P(Bin(n, p) >= k) */
static double tail(size_t n, double p, size_t k) {
    double sum = 0.0;
    for (size_t j = k; j <= n; j++)
        sum += exp(lgamma((double)n + 1.0) - lgamma((double)j + 1.0) -
                   lgamma((double)(n - j) + 1.0) + (double)j * log(p) +
                   (double)(n - j) * log1p(-p));
    return sum;
}

static void certificates_hold_where_the_map_was_chosen(void **state) {
    (void)state;
    const char *full = getenv("GIBBSITE_COVERAGE");
    size_t count = full != NULL && strcmp(full, "full") == 0 ? 1000 : repeats(10, 3);
    static const double confidences[] = {0.8, 0.95};
    size_t violations[2] = {0, 0}, maps = 0;
    double *fresh_x = doubles(FRESH * D), *fresh_y = doubles(FRESH), *label = doubles(FRESH),
           mean[2] = {0, 0}, risks = 0.0;
    struct dice r = {77};
    draw(&r, FRESH, 0.0, fresh_x, fresh_y);
    for (size_t k = 0; k < count; k++) {
        gbs_context *ctx = new_context(1, k + 1);
        gbs_data *data, *fresh;
        double x[N * D], y[N], wrong = 0.0;
        draw(&r, N, NOISE, x, y);
        assert_ok(ctx, gbs_data_dense(ctx, N, D, x, D, y, GBS_BORROW, &data));
        assert_ok(ctx, gbs_data_dense(ctx, FRESH, D, fresh_x, D, NULL, GBS_BORROW, &fresh));
        gbs_fit_settings o = gbs_fit_settings_default();
        o.features = GBS_FEATURES_AUTO;
        gbs_model *model = fit(ctx, data, &o);
        const gbs_card *card = gbs_model_card(model);
        maps += model->info.map != GBS_FEATURES_LINEAR;
        assert_true(gbs_model_certificate(model, 0)->valid);
        assert_ok(ctx, gbs_model_classify(ctx, model, fresh, label, NULL, NULL, NULL));
        for (size_t i = 0; i < FRESH; i++)
            wrong += label[i] != fresh_y[i];
        wrong /= FRESH;
        double risk = wrong + 5.0 * sqrt(wrong * (1.0 - wrong) / FRESH);
        risk = NOISE + (1.0 - 2.0 * NOISE) * risk;
        risks += risk;
        for (size_t c = 0; c < 2; c++) {
            double bound = gbs_binomial_upper_tail(card->false_positive + card->false_negative,
                                                   card->tested, 1.0 - confidences[c]);
            violations[c] += bound < risk;
            mean[c] += bound;
        }
        assert_close(gbs_model_certificate(model, 0)->value,
                     gbs_binomial_upper_tail(card->false_positive + card->false_negative,
                                             card->tested, 0.05),
                     1e-12, 0.0);
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_data_free(fresh);
        gbs_context_free(ctx);
    }
    double n = (double)count;
    print_message("%zu fits, %zu with a map; true risk %.4f in the mean\n", count, maps, risks / n);
    for (size_t c = 0; c < 2; c++) {
        print_message("confidence %.2f: bound %.4f in the mean, held in %.1f %%\n", confidences[c],
                      mean[c] / n, 100.0 * (1.0 - (double)violations[c] / n));
        assert_true(violations[c] == 0 || tail(count, 1.0 - confidences[c], violations[c]) > 1e-5);
    }
    assert_true(2 * maps > count); /* else nothing was tested */
    free(fresh_x);
    free(fresh_y);
    free(label);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_hold_where_the_map_was_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
