/* The bound on 1 - AUC by betting on matched rows: its capital has mean 1 at the truth, it fails no
 * more often than promised, and it is sharper than a bound by independent pairs. */
#include "support.h"

#include "bound/bound.h"
#include "judge/judge.h"

struct room {
    size_t order[2000];
    double logs[GBS_MATCHED_BETS * GBS_MATCHED_MATCHINGS];
};

static struct room room;

static double upper(const double *up, size_t ups, const double *down, size_t downs,
                    const double *kappa, double delta) {
    return gbs_matched_upper(up, ups, down, downs, kappa, 1, -log(delta), room.order, room.logs);
}

/* Scores N(shift, 1) and N(0, 1): AUC = Phi(shift/sqrt 2). rounded: to whole numbers, with ties. */
static void draw(struct dice *r, double shift, double grain, double *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        out[i] = dice_normal(r) + shift;
        if (grain > 0.0)
            out[i] = grain * floor(out[i] / grain);
    }
}

/* With few values a brute force over every outcome gives the probability of failure. */
static void fails_as_seldom_as_promised_on_every_outcome(void **state) {
    (void)state;
    /* positive rows score 1 with probability 0.7, else 0; negative rows with probability 0.4 */
    const double p = 0.7, q = 0.4, truth = (1.0 - p) * q + 0.5 * (p * q + (1.0 - p) * (1.0 - q));
    static const double deltas[] = {0.5, 0.2, 0.05};
    enum { UPS = 4, DOWNS = 5 };
    double kappa[GBS_MATCHED_BETS];
    for (size_t t = 0; t < COUNT(deltas); t++) {
        double failing = 0.0, all = 0.0;
        gbs_matched_bets(0.2, 20, UPS, -log(deltas[t]), kappa);
        for (unsigned bits = 0; bits < 1u << (UPS + DOWNS); bits++) {
            double up[UPS], down[DOWNS], chance = 1.0;
            for (size_t i = 0; i < UPS; i++) {
                up[i] = (bits >> i & 1u) != 0 ? 1.0 : 0.0;
                chance *= up[i] > 0.0 ? p : 1.0 - p;
            }
            for (size_t i = 0; i < DOWNS; i++) {
                down[i] = (bits >> (UPS + i) & 1u) != 0 ? 1.0 : 0.0;
                chance *= down[i] > 0.0 ? q : 1.0 - q;
            }
            all += chance;
            failing += upper(up, UPS, down, DOWNS, kappa, deltas[t]) < truth ? chance : 0.0;
        }
        assert_close(all, 1.0, 1e-12, 0.0);
        assert_at_most(failing, deltas[t]);
    }
}

/* Fixed seeds; 5 sigma: a false alarm in 3 million. */
static void fails_as_seldom_as_promised(void **state) {
    (void)state;
    static const struct {
        size_t ups, downs;
        double shift, grain;
    } cases[] = {{20, 200, 1.8, 0.0}, {200, 20, 0.7, 0.0}, {50, 50, 1.8, 1.0}, {7, 300, 2.9, 0.0}};
    static const double deltas[] = {0.5, 0.2, 0.05};
    size_t rounds = repeats(200, 30);
    for (size_t c = 0; c < COUNT(cases); c++) {
        struct dice r = {77 + c};
        double up[300], down[300], kappa[GBS_MATCHED_BETS];
        double truth = 0.5 * erfc(cases[c].shift / 2.0);
        if (cases[c].grain > 0.0) { /* ties: sum over the values */
            truth = 0.0;
            for (int a = -12; a < 16; a++) {
                double s = sqrt(0.5), at = a - cases[c].shift,
                       pa = 0.5 * (erf((at + 1.0) * s) - erf(at * s)), below = 0.5 * erfc(-a * s),
                       tie = 0.5 * (erf((a + 1.0) * s) - erf(a * s));
                truth += pa * (1.0 - below - tie + 0.5 * tie);
            }
        }
        for (size_t t = 0; t < COUNT(deltas); t++) {
            size_t failed = 0;
            gbs_matched_bets(0.1, 20, cases[c].ups < cases[c].downs ? cases[c].ups : cases[c].downs,
                             -log(deltas[t]), kappa);
            for (size_t i = 0; i < rounds; i++) {
                draw(&r, cases[c].shift, cases[c].grain, up, cases[c].ups);
                draw(&r, 0.0, cases[c].grain, down, cases[c].downs);
                failed += upper(up, cases[c].ups, down, cases[c].downs, kappa, deltas[t]) < truth;
            }
            assert_true(failed <= most_failures(rounds, deltas[t]));
        }
    }
}

/* Against kl_inv(r, log(1/delta)/k), the bound by k independent pairs (docs/maths.md, 6.2). */
static void is_sharper_than_independent_pairs(void **state) {
    (void)state;
    struct dice r = {5};
    enum { UPS = 60, DOWNS = 600 };
    double up[UPS], down[DOWNS], kappa[GBS_MATCHED_BETS], ours = 0.0, pairs = 0.0;
    size_t rounds = repeats(20, 4);
    gbs_matched_bets(0.03, 100, UPS, -log(0.05), kappa);
    for (size_t t = 0; t < rounds; t++) {
        double wrong = 0.0;
        draw(&r, 1.812, 0.0, up, UPS);
        draw(&r, 0.0, 0.0, down, DOWNS);
        for (size_t i = 0; i < UPS; i++)
            for (size_t j = 0; j < DOWNS; j++)
                wrong += down[j] > up[i];
        double seen = wrong / (UPS * DOWNS), bound = upper(up, UPS, down, DOWNS, kappa, 0.05);
        assert_true(bound > seen);
        ours += bound - seen;
        pairs += gbs_kl_inverse_upper(seen, -log(0.05) / UPS) - seen;
    }
    assert_at_most(ours, 0.7 * pairs);
}

static void knows_its_limits(void **state) {
    (void)state;
    double same[8] = {3, 3, 3, 3, 3, 3, 3, 3}, high[4] = {9, 9, 9, 9}, kappa[GBS_MATCHED_BETS];
    gbs_matched_bets(0.1, 10, 4, -log(0.05), kappa);
    for (size_t j = 0; j < GBS_MATCHED_BETS; j++)
        assert_true(kappa[j] > 0.0 && kappa[j] < 1.0);
    /* an absent class; one tie everywhere; every pair right; every pair wrong */
    assert_true(upper(same, 0, same, 8, kappa, 0.05) == 1.0);
    assert_true(upper(same, 8, same, 0, kappa, 0.05) == 1.0);
    assert_true(upper(same, 4, same, 8, kappa, 0.05) > 0.5);
    double right = upper(high, 4, same, 8, kappa, 0.05);
    assert_true(right > 0.0 && right < 1.0);
    assert_true(upper(same, 8, high, 4, kappa, 0.05) > 1.0 - 1e-9);
    /* the more confidence, the larger */
    assert_true(upper(high, 4, same, 8, kappa, 0.01) > right);
    /* nothing is known of other rows */
    gbs_matched_bets(NAN, 0, 4, -log(0.05), kappa);
    for (size_t j = 0; j < GBS_MATCHED_BETS; j++)
        assert_true(kappa[j] > 0.0 && kappa[j] < 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fails_as_seldom_as_promised_on_every_outcome),
        cmocka_unit_test(fails_as_seldom_as_promised),
        cmocka_unit_test(is_sharper_than_independent_pairs),
        cmocka_unit_test(knows_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
