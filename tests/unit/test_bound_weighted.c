/* The bound on a weighted risk: its probability of failure, summed exactly over everything that few
 * rows can be; what it is without weights; what it refuses. */
#include "bound/bound.h"
#include "unit/support.h"

enum { KINDS = 4, MOST_ROWS = 7 };

/* A row: its weight as a share of the largest, its loss, how probable it is. */
struct kind {
    double share, loss, probability;
};

struct law {
    struct kind kinds[KINDS];
};

static const struct law laws[] = {
    {{{1.0, 1.0, 0.1}, {1.0, 0.0, 0.4}, {0.2, 1.0, 0.2}, {0.2, 0.0, 0.3}}},
    {{{1.0, 1.0, 0.02}, {0.9, 0.0, 0.08}, {0.1, 1.0, 0.3}, {0.1, 0.0, 0.6}}},
    {{{0.5, 1.0, 0.3}, {0.5, 0.0, 0.3}, {0.01, 1.0, 0.2}, {0.6, 0.0, 0.2}}},
    {{{1.0, 0.3, 0.25}, {0.4, 0.9, 0.25}, {0.0, 1.0, 0.25}, {0.7, 0.0, 0.25}}},
};

static double weighted_risk(const struct law *l) {
    double lost = 0.0, weight = 0.0;
    for (size_t k = 0; k < KINDS; k++) {
        const struct kind *a = &l->kinds[k];
        lost += a->probability * a->share * a->loss;
        weight += a->probability * a->share;
    }
    return lost / weight;
}

/* P(bound < risk) over all KINDS^n samples. */
static double failure(const struct law *l, size_t n, double kappa, double delta) {
    double risk = weighted_risk(l), failed = 0.0, loss[MOST_ROWS], share[MOST_ROWS];
    size_t samples = 1;
    for (size_t i = 0; i < n; i++)
        samples *= KINDS;
    for (size_t s = 0; s < samples; s++) {
        double probability = 1.0;
        for (size_t i = 0, rest = s; i < n; i++, rest /= KINDS) {
            const struct kind *a = &l->kinds[rest % KINDS];
            loss[i] = a->loss;
            share[i] = a->share;
            probability *= a->probability;
        }
        if (gbs_weighted_upper(loss, share, n, kappa, -log(delta)) < risk)
            failed += probability;
    }
    return failed;
}

static void a_weighted_bound_fails_no_more_often_than_it_says(void **state) {
    static const double kappas[] = {0.05, 0.3, 0.7, 0.95}, deltas[] = {0.05, 0.3, 0.6};
    double most = 0.0;
    (void)state;
    for (size_t k = 0; k < COUNT(laws); k++)
        for (size_t a = 0; a < COUNT(kappas); a++)
            for (size_t b = 0; b < COUNT(deltas); b++) {
                double seen = failure(&laws[k], repeats(MOST_ROWS, 4), kappas[a], deltas[b]);
                assert_true(seen <= deltas[b]);
                most = fmax(most, seen / deltas[b]);
            }
    assert_true(most > (double)repeats(5, 0) / 10.0); /* and it does fail */
}

/* Markov's inequality by hand: without Ville's maximum the bound at time n solves W_n(m) = 1/delta.
 */
static void a_weighted_bound_is_where_the_capital_is_enough(void **state) {
    struct dice r = {31};
    (void)state;
    for (int round = 0; round < 50; round++) {
        double loss[40], share[40], kappa = 0.05 + 0.9 * dice_uniform(&r), price = 3.0;
        for (size_t i = 0; i < 40; i++) {
            share[i] = dice_uniform(&r);
            loss[i] = dice_uniform(&r) < 0.2;
        }
        double bound = gbs_weighted_upper(loss, share, 40, kappa, price), most = 0.0;
        if (bound >= 1.0)
            continue;
        for (int side = -1; side <= 1; side += 2) {
            double m = bound + side * 1e-8, capital = 1.0;
            most = 0.0;
            for (size_t i = 0; i < 40; i++) {
                capital *= 1.0 + kappa / (1.0 - kappa * m) * share[i] * (m - loss[i]);
                most = fmax(most, capital);
            }
            assert_true(side < 0 ? log(most) < price : log(most) > price);
        }
    }
}

static void equal_weights_give_the_plain_bound(void **state) {
    struct dice r = {32};
    (void)state;
    for (int round = 0; round < 50; round++) {
        double loss[60], share[60], kappa = 0.05 + 0.9 * dice_uniform(&r);
        for (size_t i = 0; i < 60; i++) {
            loss[i] = dice_uniform(&r) < 0.3;
            share[i] = 1.0;
        }
        double plain = gbs_betting_fixed_upper(loss, 60, kappa, 3.0),
               ones = gbs_weighted_upper(loss, share, 60, kappa, 3.0);
        assert_close(ones, plain, 0.0, 2e-10);
    }
}

/* On rows like those that chose it, the bet is worth as much as the best of many in the mean: its
 * excess over the risk is at most a twentieth larger. */
static void a_bet_is_nearly_the_best(void **state) {
    struct dice r = {33};
    enum { ROWS = 400, BETS = 24, SAMPLES = 20 };
    double loss[ROWS], share[ROWS], other[ROWS];
    (void)state;
    for (int round = 0; round < 4; round++) {
        double risk = 0.02 + 0.1 * round, mean[BETS + 1] = {0}, best = 1.0, kappa = NAN;
        for (size_t s = 0; s < repeats(SAMPLES, 1); s++) {
            for (size_t i = 0; i < ROWS; i++) {
                share[i] = dice_uniform(&r) < 0.3 ? 1.0 : 0.25;
                other[i] = dice_uniform(&r) < 0.3 ? 1.0 : 0.25;
                loss[i] = dice_uniform(&r) < risk;
            }
            kappa = gbs_weighted_kappa(risk, other, ROWS, ROWS, 3.0);
            assert_true(kappa > 0.0 && kappa < 1.0);
            for (int k = 0; k <= BETS; k++)
                mean[k] += gbs_weighted_upper(loss, share, ROWS,
                                              k < BETS ? (k + 0.5) / BETS : kappa, 3.0) /
                           (double)repeats(SAMPLES, 1);
        }
        for (int k = 0; k < BETS; k++)
            best = fmin(best, mean[k]);
        print_message("# risk %g: %.4f by the bet %.3f, %.4f at best\n", risk, mean[BETS], kappa,
                      best);
        if (repeats(2, 1) > 1) /* one sample is none */
            assert_true(mean[BETS] - risk < 1.05 * (best - risk));
    }
}

static void what_is_no_share_is_refused(void **state) {
    double loss[] = {0.0, 1.0}, share[] = {0.5, 1.0}, more[] = {0.5, 1.5};
    (void)state;
    assert_true(isnan(gbs_weighted_upper(loss, more, 2, 0.5, 3.0)));
    assert_true(isnan(gbs_weighted_upper(more, share, 2, 0.5, 3.0)));
    assert_true(isnan(gbs_weighted_upper(loss, share, 0, 0.5, 3.0)));
    assert_true(isnan(gbs_weighted_upper(loss, share, 2, 1.0, 3.0)));
    assert_true(isnan(gbs_weighted_upper(loss, share, 2, 0.5, -1.0)));
    assert_true(isnan(gbs_weighted_kappa(2.0, share, 2, 10, 3.0)));
    assert_true(isnan(gbs_weighted_kappa(0.1, more, 2, 10, 3.0)));
    assert_true(isnan(gbs_weighted_kappa(0.1, share, 2, 0, 3.0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weighted_bound_fails_no_more_often_than_it_says),
        cmocka_unit_test(a_weighted_bound_is_where_the_capital_is_enough),
        cmocka_unit_test(equal_weights_give_the_plain_bound),
        cmocka_unit_test(a_bet_is_nearly_the_best),
        cmocka_unit_test(what_is_no_share_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
