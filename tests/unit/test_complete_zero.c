/* The zero prior of the hierarchical model: its free energy, the law of beta, the certificate. */
#include "bound/bound.h"
#include "complete_support.h"
#include "levels_support.h"
#include "paper_settings.h"

struct fall {
    const struct matrix_truth *truth;
    double last;
    size_t steps;
};

static void must_fall(void *user, const gbs_levels *f, const char *name) {
    struct fall *w = user;
    double energy = gbs_levels_free_energy(f);
    if (!(energy <= w->last + 1e-9 * fabs(w->last))) {
        print_error("%s: F rose from %.12g to %.12g\n", name, w->last, energy);
        fail();
    }
    assert_close(energy, slow_free_energy(f, w->truth), 1e-10, 1e-8);
    w->last = energy;
    w->steps++;
}

/* Ratings about 2.5 in units of 0.8, whatever they are; the prior's width stays. */
static void free_energy_of_a_fixed_prior(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    for (size_t rank = 0; rank <= 2; rank += 2) {
        struct levels_case c = make_levels(ctx, 70 + rank, 14, 11, 80, rank, false, false);
        struct fall w = {&c.truth, INFINITY, 0};
        gbs_ascent a = {0};
        gbs_level_options o = {
            .most_sweeps = 12, .tolerance = 0.0, .step = must_fall, .user = &w, .stage = ""};
        gbs_levels_free(&c.f);
        gbs_ratings_recentre(c.ratings, 2.5);
        assert_int_equal(gbs_levels_create(ctx, c.ratings, rank, c.phi, c.features, false, &c.f),
                         GBS_OK);
        gbs_levels_fix_prior(&c.f, 0.8);
        assert_int_equal(gbs_levels_start(&c.f, 6), GBS_OK);
        assert_int_equal(gbs_levels_ascend(&c.f, &o, &a), GBS_OK);
        assert_int_equal(w.steps, 9 * 12);
        assert_close(c.f.w0[0], 1.0, 0.0, 0.0);
        assert_close(c.f.w0[1], 1.0, 0.0, 0.0);
        /* q(beta) is at its minimum, in shape and in rate */
        gbs_levels_update_rate(&c.f);
        double best = slow_free_energy(&c.f, &c.truth), shape = c.f.beta_shape,
               rate = c.f.beta_rate;
        for (int k = 0; k < 4; k++) {
            c.f.beta_shape = shape * (k == 0 ? 1.001 : k == 1 ? 0.999 : 1.0);
            c.f.beta_rate = rate * (k == 2 ? 1.001 : k == 3 ? 0.999 : 1.0);
            c.f.beta = c.f.beta_shape / c.f.beta_rate;
            double near = slow_free_energy(&c.f, &c.truth);
            assert_true(near > best);
            assert_at_most(near - best, 1e-3); /* of second order */
        }
        free_levels(ctx, &c);
    }
    gbs_context_free(ctx);
}

/* Biases alone on a table with many ratings an item: little is learned of much, and the bound says
 * something. */
static void one_draw_is_certified(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 1);
    struct matrix_truth t = make_truth(81, 12, 10, 1, 30000, 0.5, 3.0, true);
    clip_ratings(&t, 0.0, 6.0);
    gbs_complete_settings o = hierarchical_settings();
    o.has_range = 1, o.low = 0.0, o.high = 6.0;
    o.zero_prior = 1;
    for (size_t rank = 0; rank < 2; rank++) {
        o.rank = rank;
        gbs_completion *m = complete(ctx, &t, &o);
        const gbs_rating_certificate *c = gbs_completion_certificate(m);
        assert_int_equal(gbs_completion_get_model(m), GBS_COMPLETION_HIERARCHICAL);
        assert_true(c->present && !c->vacuous);
        assert_int_equal(c->n, t.n);
        assert_true(c->kl > 0.0 && c->grid_nats == 0.0); /* one rank to choose from */
        assert_close(c->kl, gbs_completion_get_info(m)->kl, 0.0, 0.0);
        assert_true(c->value > c->empirical_upper && c->empirical_upper > c->empirical);
        assert_true(rank == 0 || c->rmse < c->middle_rmse);
        /* a draw is noisier than the mean, so its risk is above that of the training ratings */
        assert_true(6.0 * sqrt(c->empirical) > gbs_completion_get_info(m)->rmse);
        gbs_completion_free(m);
    }
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Which items have ratings cuts the rank, so that every rank up to the one asked for is paid for,
 * whether it is cut or not. */
static void a_rank_that_positions_may_cut_is_paid_for(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(82, 9, 5, 1, 300, 0.5, 3.0, true);
    clip_ratings(&t, 0.0, 6.0);
    gbs_complete_settings o = hierarchical_settings();
    o.has_range = 1, o.low = 0.0, o.high = 6.0;
    o.zero_prior = 1;
    o.confidence = 0.5;
    double value[2];
    for (size_t k = 0; k < 2; k++) {
        o.rank = k == 0 ? 5 : 16; /* of five columns: the same fit */
        gbs_completion *m = complete(ctx, &t, &o);
        const gbs_rating_certificate *c = gbs_completion_certificate(m);
        assert_int_equal(gbs_completion_get_info(m)->effective_rank, 5);
        assert_close(c->grid_nats, log((double)o.rank), 1e-15, 0.0);
        double nats = c->kl + c->xi_nats + c->grid_nats - log(0.5 - c->draws_delta);
        assert_close(gbs_kl_inverse_upper(c->empirical_upper, nats / (double)t.n), c->value, 1e-9,
                     0.0);
        value[k] = c->value;
        gbs_completion_free(m);
    }
    assert_true(value[0] < value[1]);
    free_truth(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_energy_of_a_fixed_prior),
        cmocka_unit_test(one_draw_is_certified),
        cmocka_unit_test(a_rank_that_positions_may_cut_is_paid_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
