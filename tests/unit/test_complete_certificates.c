/* Certificates of a matrix completion: they hold, also after choices; what was chosen before; the
 * yardsticks beside them. */
#include "complete_support.h"

#include "core/random.h"
#include "fit/complete.h"
#include "paper_settings.h"

/* The risk of one draw of the model over `fresh` ratings of the same truth, values clipped to 1 ..
 * 5 and errors divided by the range. */
static double clipped_risk(gbs_context *ctx, const gbs_completion *m, const struct matrix_truth *t,
                           size_t fresh, uint64_t seed) {
    struct dice r = {seed};
    uint32_t *row = take(fresh, sizeof *row), *column = take(fresh, sizeof *column);
    double *value = doubles(fresh), *sd = doubles(fresh), risk = 0.0;
    for (size_t e = 0; e < fresh; e++) {
        row[e] = (uint32_t)dice_below(&r, t->rows);
        column[e] = (uint32_t)dice_below(&r, t->columns);
    }
    assert_int_equal(gbs_completion_predict(ctx, m, fresh, row, column, value, sd), GBS_OK);
    for (size_t e = 0; e < fresh; e++) {
        double y = fmin(5.0,
                        fmax(1.0, truth_at(t, row[e], column[e]) + t->noise * dice_normal(&r)));
        double p = fmin(5.0, fmax(1.0, value[e] + sd[e] * dice_normal(&r)));
        risk += (y - p) * (y - p) / 16.0 / (double)fresh;
    }
    free(row), free(column), free(value), free(sd);
    return risk;
}

/* Twenty data sets, 90 % certificates, both priors: the risk of a draw, on 20,000 fresh ratings of
 * the same truth, is above the bound with probability at most 0.1 each; more than 9 of 20 would
 * happen once in 100,000 times. (It should not happen at all: the bound is not that sharp.) */
static void certificates_hold(void **state) {
    (void)state;
    enum { FRESH = 20000 };
    size_t runs = repeats(20, 5), above[2] = {0, 0}, vacuous[2] = {0, 0};
    double bound[2] = {0.0, 0.0}, risk_sum = 0.0;
    for (uint64_t run = 0; run < runs; run++) {
        gbs_context *ctx = new_context(1, run);
        struct matrix_truth t = make_truth(300 + run, 60, 40, 1, 1200, 0.5, 3.0, true);
        clip_ratings(&t, 1.0, 5.0);
        for (int informed = 0; informed < 2; informed++) {
            gbs_complete_settings o = paper_settings();
            o.rank = 3;
            o.has_range = 1;
            o.low = 1.0;
            o.high = 5.0;
            o.confidence = 0.9;
            o.prior = informed ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
            gbs_completion *m = complete(ctx, &t, &o);
            gbs_rating_certificate c = *gbs_completion_certificate(m);
            assert_true(c.present && c.value > c.empirical_upper &&
                        c.empirical_upper >= c.empirical);
            assert_int_equal(c.n, informed ? 240 : 1200);
            assert_close(c.rmse, 4.0 * sqrt(c.value), 1e-12, 0.0);
            assert_int_equal(c.vacuous, c.value >= 0.25);
            double risk = clipped_risk(ctx, m, &t, FRESH, 900 + run);
            above[informed] += risk > c.value;
            vacuous[informed] += c.vacuous != 0;
            bound[informed] += c.rmse / (double)runs;
            risk_sum += informed ? 4.0 * sqrt(risk) / (double)runs : 0.0;
            gbs_completion_free(m);
        }
        free_truth(&t);
        gbs_context_free(ctx);
    }
    print_message("RMSE certified %.3f (zero prior, %zu of %zu vacuous), %.3f (informed, %zu "
                  "vacuous); true %.3f; above: %zu, %zu\n",
                  bound[0], vacuous[0], runs, bound[1], vacuous[1], risk_sum, above[0], above[1]);
    assert_at_most((double)above[0], 9.0);
    assert_at_most((double)above[1], 9.0);
    assert_int_equal(vacuous[1], 0);
}

/* The same of the hierarchical model under an informed prior: the draw is of q_t, whose distance
 * from the first part's q is the KL. Nothing moves with the certified ratings but q_t: at t = 0 q
 * is the prior. */
static void informed_hierarchical_certificates_hold(void **state) {
    (void)state;
    enum { FRESH = 20000 };
    size_t runs = repeats(20, 4), above = 0;
    for (uint64_t run = 0; run < runs; run++) {
        gbs_context *ctx = new_context(1, run);
        struct matrix_truth t = make_truth(300 + run, 60, 40, 1, 1200, 0.5, 3.0, true);
        clip_ratings(&t, 1.0, 5.0);
        gbs_complete_settings o = hierarchical_settings();
        o.rank = 2;
        o.positions = GBS_POSITIONS_OFF;
        o.has_range = 1;
        o.low = 1.0;
        o.high = 5.0;
        o.confidence = 0.9;
        o.prior = GBS_PRIOR_INFORMED;
        gbs_completion *m = complete(ctx, &t, &o);
        gbs_rating_certificate c = *gbs_completion_certificate(m);
        assert_int_equal(gbs_completion_get_model(m), GBS_COMPLETION_HIERARCHICAL);
        assert_true(c.present && c.draws > 0 && c.kl >= 0.0 && !c.vacuous);
        assert_true(c.value > c.empirical_upper && c.empirical_upper >= c.empirical);
        assert_int_equal(c.n, 240);
        assert_close(facts_of(m).kl, c.kl, 1e-12, 1e-12);
        assert_close(facts_of(m).prior_split, 0.8, 1e-12, 0.0);
        /* the mean prediction is no worse than a draw, and its bound has no KL to pay */
        assert_true(c.holdout_rmse > 0.5 && c.holdout_rmse < 1.1 * c.rmse);
        above += clipped_risk(ctx, m, &t, FRESH, 900 + run) > c.value;
        gbs_completion_free(m);
        free_truth(&t);
        gbs_context_free(ctx);
    }
    assert_at_most((double)above, 9.0);
}

/* An informed prior of these ratings, split by a seed that their values do not move. */
static struct gbs_completion_run informed(gbs_context *ctx, const gbs_ratings *ratings,
                                          const gbs_complete_settings *o) {
    struct gbs_completion_run r = {
        .ctx = ctx, .o = o, .all = ratings, .certified = ratings, .seed = 77, .f = {.ctx = ctx}};
    r.restarts = gbs_doubles(ctx, o->restarts);
    assert_ok(ctx, gbs_compute_begin(ctx));
    assert_ok(ctx, gbs_completion_ascend_informed(&r));
    gbs_compute_end(ctx);
    return r;
}

static void leave_run(struct gbs_completion_run *r) {
    gbs_factors_free(&r->f);
    gbs_ratings_free(r->part[0]);
    gbs_ratings_free(r->part[1]);
    gbs_array_free(r->ctx, r->restarts);
    gbs_array_free(r->ctx, r->choices);
}

/* Under an informed prior nothing that is chosen may look at the certified ratings: with other
 * values there, every choice is the same to the bit. */
static void choices_are_of_the_first_part(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 5);
    struct matrix_truth t = make_truth(402, 40, 30, 1, 900, 0.5, 3.0, true);
    sort_by_row(&t);
    clip_ratings(&t, 0.0, 6.0);
    gbs_complete_settings o = paper_settings();
    o.rank = 3;
    o.has_range = 1, o.low = 0.0, o.high = 6.0;
    o.prior = GBS_PRIOR_INFORMED;
    o.cross_validate = 1;
    o.folds = 2;
    o.restarts = 2;
    size_t *order = take(t.n, sizeof *order), first = (size_t)(0.8 * 900.0);
    for (size_t e = 0; e < t.n; e++)
        order[e] = e;
    gbs_shuffle(77, GBS_STREAM_COMPLETION + GBS_COMPLETION_SPLIT, t.n, order);
    gbs_ratings *before = ratings_of(ctx, &t), *after;
    struct gbs_completion_run a = informed(ctx, before, &o);
    struct dice dice = {6};
    for (size_t k = first; k < t.n; k++)
        t.y[order[k]] = dice_between(&dice, 0.0, 6.0);
    after = ratings_of(ctx, &t);
    struct gbs_completion_run b = informed(ctx, after, &o);
    assert_int_equal(a.n_choices, 5);
    assert_int_equal(b.n_choices, 5);
    for (size_t k = 0; k < a.n_choices; k++) {
        assert_true(same_bits(&a.choices[k].rmse, &b.choices[k].rmse, 1) &&
                    same_bits(&a.choices[k].noise_variance, &b.choices[k].noise_variance, 1));
        assert_int_equal(a.choices[k].taken, b.choices[k].taken);
    }
    assert_true(same_bits(a.restarts, b.restarts, o.restarts));
    assert_true(b.holdout > a.holdout);
    leave_run(&a);
    leave_run(&b);
    gbs_ratings_free(before);
    gbs_ratings_free(after);
    free(order);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Which ratings certify depends on all of them: with one seed, and the same cells, other values
 * take another split (docs/maths.md, 11.2). */
static void the_split_depends_on_the_values(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 5);
    struct matrix_truth t = make_truth(403, 40, 30, 1, 900, 0.5, 3.0, true);
    clip_ratings(&t, 0.0, 6.0);
    gbs_complete_settings o = paper_settings();
    o.rank = 2;
    o.has_range = 1, o.low = 0.0, o.high = 6.0;
    o.prior = GBS_PRIOR_INFORMED;
    double holdout[2];
    for (int k = 0; k < 2; k++) {
        gbs_completion *m = complete(ctx, &t, &o);
        holdout[k] = gbs_completion_certificate(m)->holdout_rmse;
        t.y[0] += t.y[0] < 3.0 ? 1e-9 : -1e-9;
        gbs_completion_free(m);
    }
    assert_true(fabs(holdout[0] - holdout[1]) > 1e-4);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Noise and start chosen from the certified ratings themselves (zero prior), or from the first
 * part: twelve data sets, 90 % certificates. More than 7 above their bound would happen once in
 * 300,000 times. (None should be: the bound is not that sharp.) */
static void certificates_hold_after_choices(void **state) {
    (void)state;
    enum { FRESH = 5000 };
    size_t runs = repeats(12, 3), above[2] = {0, 0};
    double bound[2] = {0.0, 0.0};
    for (uint64_t run = 0; run < runs; run++) {
        gbs_context *ctx = new_context(1, run);
        struct matrix_truth t = make_truth(500 + run, 40, 30, 1, 700, 0.5, 3.0, true);
        clip_ratings(&t, 1.0, 5.0);
        for (int informed = 0; informed < 2; informed++) {
            gbs_complete_settings o = paper_settings();
            o.rank = 2;
            o.has_range = 1, o.low = 1.0, o.high = 5.0;
            o.confidence = 0.9;
            o.prior = informed ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
            o.cross_validate = 1;
            o.folds = 2;
            o.restarts = 2;
            gbs_completion *m = complete(ctx, &t, &o);
            gbs_rating_certificate c = *gbs_completion_certificate(m);
            above[informed] += clipped_risk(ctx, m, &t, FRESH, 900 + run) > c.value;
            bound[informed] += c.rmse / (double)runs;
            gbs_completion_free(m);
        }
        free_truth(&t);
        gbs_context_free(ctx);
    }
    print_message(
        "RMSE certified after choices %.3f (zero prior), %.3f (informed); above: %zu, %zu of %zu\n",
        bound[0], bound[1], above[0], above[1], runs);
    assert_at_most((double)above[0], 7.0);
    assert_at_most((double)above[1], 7.0);
}

/* ---------------------------------------------------------------- yardsticks */

/* sup{p : kl(q, p) <= c} by bisection. */
static double slow_inverse(double q, double c) {
    double low = q, high = 1.0;
    for (int k = 0; k < 200; k++) {
        double p = 0.5 * (low + high),
               kl = (q > 0.0 ? q * log(q / p) : 0.0) + (1.0 - q) * log((1.0 - q) / (1.0 - p));
        if (kl <= c)
            low = p;
        else
            high = p;
    }
    return low;
}

static void yardsticks(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 8);
    struct matrix_truth t = make_truth(404, 60, 40, 1, 1500, 0.5, 3.0, true);
    double middle = 0.0, mean = 0.0, squares = 0.0;
    clip_ratings(&t, 1.0, 5.0);
    for (size_t e = 0; e < t.n; e++) {
        middle += (t.y[e] - 3.0) * (t.y[e] - 3.0) / 16.0 / (double)t.n;
        mean += t.y[e] / (double)t.n;
    }
    for (size_t e = 0; e < t.n; e++)
        squares += (t.y[e] - mean) * (t.y[e] - mean) / (double)t.n;
    gbs_complete_settings o = paper_settings();
    o.rank = 3;
    o.has_range = 1, o.low = 1.0, o.high = 5.0;
    gbs_completion *m = complete(ctx, &t, &o);
    gbs_rating_certificate c = *gbs_completion_certificate(m);
    assert_close(c.middle_rmse, 4.0 * sqrt(slow_inverse(middle, log(20.0) / 1500.0)), 1e-9, 0.0);
    assert_true(isnan(c.holdout_rmse));
    assert_close(facts_of(m).mean, mean, 1e-12, 0.0);
    assert_close(facts_of(m).sd, sqrt(squares), 1e-12, 0.0);
    /* a hold-out on ratings of the caller's */
    double value[1500], fresh[1500], risk = 0.0;
    struct dice dice = {9};
    for (size_t e = 0; e < t.n; e++) {
        fresh[e] = fmin(5.0,
                        fmax(1.0, truth_at(&t, t.row[e], t.column[e]) + 0.5 * dice_normal(&dice)));
        value[e] = truth_at(&t, t.row[e], t.column[e]); /* not clipped yet */
        double p = fmin(5.0, fmax(1.0, value[e]));
        risk += (fresh[e] - p) * (fresh[e] - p) / 16.0 / (double)t.n;
    }
    assert_close(gbs_rating_holdout(t.n, fresh, value, 1.0, 5.0, 0.9),
                 4.0 * sqrt(slow_inverse(risk, log(10.0) / 1500.0)), 1e-9, 0.0);
    fresh[3] = 5.5;
    assert_true(isnan(gbs_rating_holdout(t.n, fresh, value, 1.0, 5.0, 0.9)));
    gbs_completion_free(m);
    /* informed: the hold-out is of the first part's fit alone, so it beats the middle and is no
     * larger than the certificate, which pays for xi, the draws and the width of q as well */
    o.prior = GBS_PRIOR_INFORMED;
    m = complete(ctx, &t, &o);
    c = *gbs_completion_certificate(m);
    assert_int_equal(c.n, 300);
    assert_true(c.holdout_rmse < c.rmse && c.rmse < c.middle_rmse && c.holdout_rmse > 0.5);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_hold),
        cmocka_unit_test(informed_hierarchical_certificates_hold),
        cmocka_unit_test(choices_are_of_the_first_part),
        cmocka_unit_test(the_split_depends_on_the_values),
        cmocka_unit_test(certificates_hold_after_choices),
        cmocka_unit_test(yardsticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
