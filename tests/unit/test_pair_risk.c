/* The risk over all pairs without slopes: against every pair by itself, whatever the scores decide
 * in advance; its progress, and its end when asked. */
#include "family/family.h"
#include "map/map.h"
#include "risk/risk.h"
#include "unit/rank_support.h"

enum { D = 3 };

/* Every pair by itself. */
static void brute_force(const gbs_empirical *over, const gbs_gaussian *g, double *risk,
                        double *second) {
    const gbs_rows *rows = &over->host;
    size_t n = rows->all.n, plus = over->positives;
    double *cells = doubles(n * D), pairs = 0.0;
    gbs_strip_densify(&rows->all, cells);
    *risk = *second = 0.0;
    for (size_t i = 0; i < plus; i++)
        for (size_t j = plus; j < n; j++) {
            double x[D], mu = 0.0, variance = 0.0, times = fabs(rows->all.y[i] * rows->all.y[j]);
            for (size_t k = 0; k < D; k++) {
                x[k] = cells[i * D + k] - cells[j * D + k];
                mu += x[k] * g->mean[k];
            }
            for (size_t k = 0; k < D; k++) { /* C'x, C upper triangular */
                double along = 0.0;
                for (size_t l = 0; g->family == GBS_FAMILY_FULL && l <= k; l++)
                    along += x[l] * g->factor[l * D + k];
                variance += g->family == GBS_FAMILY_FULL       ? along * along
                            : g->family == GBS_FAMILY_DIAGONAL ? x[k] * x[k] * g->sd[k] * g->sd[k]
                                                               : x[k] * x[k] * g->sd[0] * g->sd[0];
            }
            double psi = variance > 0.0 ? upper_tail(mu / sqrt(variance)) : 0.5;
            *risk += times * psi;
            *second += times * psi * psi;
            pairs += times;
        }
    *risk /= pairs;
    *second /= pairs;
    free(cells);
}

/* Spreads from next to nothing, where the scores decide nearly all pairs, to so much that they
 * decide none; the larger class first or last; equal rows. */
static void what_is_decided_in_advance_changes_nothing(void **state) {
    (void)state;
    static const double spreads[] = {1e-7, 1e-3, 0.03, 0.2, 3.0};
    struct dice r = {631};
    for (int kind = 0; kind < 4; kind++) {
        gbs_context *ctx = new_context(1, 1), *more = new_context(3, 1);
        struct table_of_numbers t = two_clouds(&r, 1500, D, 0.6, kind % 2 == 0 ? 0.3 : 0.7);
        for (size_t i = 0; i < 200 * D; i++) /* some equal rows, of either class */
            t.x[i] = t.x[(i / D % 20) * D + i % D];
        make_csr(&t);
        gbs_data *data = kind < 2 ? dense_data(ctx, &t) : sparse_data(ctx, &t);
        gbs_maps none;
        gbs_rows rows;
        gbs_empirical *pairs, *again;
        assert_ok(ctx, gbs_maps_learn(ctx, data, &(gbs_fit_settings){.constant = 1.0}, &none));
        assert_ok(ctx, gbs_rows_build(ctx, data, &none, &rows));
        assert_ok(ctx, gbs_empirical_over_pairs(ctx, &rows, true, &gbs_zero_one, &pairs));
        assert_ok(more, gbs_empirical_over_pairs(more, &rows, true, &gbs_zero_one, &again));
        for (size_t f = 0; f < COUNT(all_families); f++)
            for (size_t k = 0; k < COUNT(spreads); k++) {
                gbs_prior prior = {NULL, spreads[k] * spreads[k]};
                gbs_gaussian g;
                double risk, second, other, other_second, exact, exact_second;
                assert_ok(ctx,
                          gbs_gaussian_create(ctx, all_families[f], D, &prior, spreads[k], &g));
                for (size_t i = 0; i < D; i++)
                    g.mean[i] = dice_normal(&r);
                if (all_families[f] == GBS_FAMILY_FULL)
                    g.factor[1] = 0.5 * spreads[k];
                gbs_spread at = gbs_gaussian_spread(&g);
                assert_ok(ctx,
                          gbs_empirical_value(pairs, &gbs_zero_one, &at, false, &risk, &second));
                assert_ok(more, gbs_empirical_value(again, &gbs_zero_one, &at, false, &other,
                                                    &other_second));
                assert_true(risk == other && second == other_second);
                brute_force(pairs, &g, &exact, &exact_second);
                assert_close(risk, exact, 1e-11, 0.0);
                assert_close(second, exact_second, 1e-11, 0.0);
                gbs_gaussian_free(ctx, &g);
            }
        gbs_empirical_free(pairs);
        gbs_empirical_free(again);
        gbs_rows_free(ctx, &rows);
        gbs_maps_free(ctx, &none);
        gbs_data_free(data);
        gbs_context_free(ctx);
        gbs_context_free(more);
        free_table(&t);
    }
}

/* ---------------------------------------------------------------- progress and an end before its
 * time */

struct witness {
    /* patience: asked more often than that, it wants an end; 0: never */
    size_t shown, asked, patience;
    double last;
};

static void show(const char *stage, double done, void *user) {
    struct witness *w = user;
    assert_string_equal(stage, "pairs");
    assert_true(done > w->last && done <= 1.0);
    w->last = done;
    w->shown++;
}

static int enough(void *user) {
    struct witness *w = user;
    return ++w->asked > w->patience && w->patience > 0;
}

static void a_long_pass_shows_progress_and_ends_when_asked(void **state) {
    (void)state;
    enum { N = 60000 };
    struct dice r = {632};
    double *x = doubles(N), *y = doubles(N);
    for (size_t i = 0; i < N; i++) {
        y[i] = i < N / 2 ? 1.0 : -1.0;
        x[i] = dice_normal(&r) + y[i];
    }
    gbs_rows rows = gbs_rows_wrap(N, 1, x, 1, y);
    for (size_t patience = 0; patience < 2; patience++) {
        struct witness w = {.patience = patience};
        gbs_context *ctx;
        ctx = new_context(2, 1);
        gbs_context_set_progress(ctx, show, &w);
        gbs_context_set_cancel(ctx, enough, &w);
        gbs_empirical *pairs;
        gbs_gaussian g;
        gbs_prior prior = {NULL, 1e-6}; /* nearly every pair is decided: 9e8 of them are a moment */
        double risk;
        assert_ok(ctx, gbs_empirical_over_pairs(ctx, &rows, false, &gbs_zero_one, &pairs));
        assert_ok(ctx, gbs_gaussian_create(ctx, GBS_FAMILY_DIAGONAL, 1, &prior, 1.0, &g));
        g.mean[0] = 1.0;
        gbs_spread at = gbs_gaussian_spread(&g);
        gbs_status status = gbs_empirical_value(pairs, &gbs_zero_one, &at, true, &risk, NULL);
        if (patience == 0) { /* x differs by N(2, 2): P(below 0) = Phi(-sqrt 2), with a standard
                                error of some 0.002 */
            assert_int_equal(status, GBS_OK);
            assert_true(w.shown >= 3 && w.asked >= w.shown && w.last == 1.0);
            assert_close(risk, upper_tail(sqrt(2.0)), 0.0, 0.01);
        } else {
            assert_int_equal(status, GBS_ERR_CANCELLED);
            assert_true(w.asked == 2 && w.shown <= 1);
        }
        gbs_gaussian_free(ctx, &g);
        gbs_empirical_free(pairs);
        gbs_context_free(ctx);
    }
    free(x);
    free(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_decided_in_advance_changes_nothing),
        cmocka_unit_test(a_long_pass_shows_progress_and_ends_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
