/* The standard error of log Z: families of chains against plain sums. */
#include "smc/smc.h"
#include "unit/support.h"

enum { N = 60, CHAINS = 20, LENGTH = N / CHAINS };

static void draw_weights(struct dice *r, double *weight) {
    double total = 0.0;
    for (size_t i = 0; i < N; i++)
        total += weight[i] = dice_uniform(r);
    for (size_t i = 0; i < N; i++)
        weight[i] *= N / total;
}

/* Every chain goes on with itself: its parts of all errors add up before they are squared. */
static void errors_are_added_along_families(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {51};
    gbs_families f;
    size_t ancestor[CHAINS];
    double part[CHAINS] = {0}, first = 0.0, squares = 0.0, weight[N];
    bool at_least;
    assert_ok(ctx, gbs_families_create(ctx, N, &f));
    /* the prior: every particle a chain, and particles 0, 3, 6, ... go on */
    draw_weights(&r, weight);
    gbs_families_weigh(&f, N, weight);
    for (size_t i = 0; i < N; i++) {
        double e = (weight[i] - 1.0) / N * sqrt(N / (N - 1.0));
        squares += e * e;
        if (i % LENGTH == 0)
            part[i / LENGTH] = e;
        else
            first += e * e;
    }
    for (size_t c = 0; c < CHAINS; c++)
        ancestor[c] = c * LENGTH;
    gbs_families_follow(&f, N, CHAINS, ancestor);
    for (int t = 0; t < 4; t++) {
        draw_weights(&r, weight);
        gbs_families_weigh(&f, CHAINS, weight);
        for (size_t c = 0; c < CHAINS; c++) {
            double e = 0.0;
            for (size_t i = c * LENGTH; i < (c + 1) * LENGTH; i++)
                e += (weight[i] - 1.0) / N * sqrt(CHAINS / (CHAINS - 1.0));
            part[c] += e;
            squares += e * e;
        }
        for (size_t c = 0; c < CHAINS; c++)
            ancestor[c] = c * LENGTH + dice_below(&r, LENGTH);
        gbs_families_follow(&f, CHAINS, CHAINS, ancestor);
    }
    for (size_t c = 0; c < CHAINS; c++)
        first += part[c] * part[c];
    assert_close(gbs_families_variance(&f, &at_least), fmax(first, squares), 1e-12, 0.0);
    assert_true(!f.renewed);
    gbs_families_free(ctx, &f);
    gbs_context_free(ctx);
}

/* The same weights again and again: T times the error, T^2 times its square; a lower bound, as
 * chains were meant to forget. */
static void errors_that_live_on_are_told(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {52};
    size_t same[CHAINS], none[CHAINS];
    double weight[N];
    draw_weights(&r, weight);
    for (size_t c = 0; c < CHAINS; c++) {
        same[c] = c * LENGTH;
        none[c] = 0;
    }
    for (int collapsed = 0; collapsed < 2; collapsed++) {
        gbs_families f;
        bool at_least;
        double once = gbs_chain_variance(N, CHAINS, weight), sum;
        assert_ok(ctx, gbs_families_create(ctx, N, &f));
        for (int t = 0; t < 6; t++) {
            gbs_families_follow(&f, CHAINS, CHAINS, collapsed && t == 3 ? none : same);
            gbs_families_weigh(&f, CHAINS, weight);
        }
        sum = gbs_families_variance(&f, &at_least);
        assert_true(at_least && f.renewed == (collapsed != 0));
        /* two times three, or six at a stretch */
        assert_close(sum, (collapsed ? 9.0 + 9.0 : 36.0) * once, 1e-12, 0.0);
        gbs_families_free(ctx, &f);
    }
    gbs_context_free(ctx);
}

static void few_chains_cannot_tell(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {53};
    gbs_families f;
    double weight[N];
    bool at_least;
    assert_ok(ctx, gbs_families_create(ctx, N, &f));
    assert_close(gbs_families_variance(&f, &at_least), 0.0, 0.0, 0.0); /* the prior */
    assert_true(!at_least);
    draw_weights(&r, weight);
    gbs_families_weigh(&f, 4, weight);
    gbs_families_variance(&f, &at_least);
    assert_true(at_least);
    gbs_families_free(ctx, &f);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_added_along_families),
        cmocka_unit_test(errors_that_live_on_are_told),
        cmocka_unit_test(few_chains_cannot_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
