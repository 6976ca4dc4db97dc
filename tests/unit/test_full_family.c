/* The promises of the full family: precision and factor, steps, embedding, standard deviations, its
 * KL. */
#include "unit/rows_support.h"

/* max |P S - I| of a full Gaussian. */
static double inverse_error(const gbs_gaussian *g) {
    size_t d = g->d;
    double cov[64], worst = 0.0;
    covariance_of(g, cov);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            double sum = i == j ? -1.0 : 0.0;
            for (size_t k = 0; k < d; k++)
                sum += g->precision[i * d + k] * cov[k * d + j];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

static void check_upper_with_positive_diagonal(const gbs_gaussian *g) {
    for (size_t i = 0; i < g->d; i++) {
        assert_true(g->factor[i * g->d + i] > 0.0);
        for (size_t j = 0; j < i; j++)
            assert_close(g->factor[i * g->d + j], 0.0, 0.0, 0.0);
    }
}

static void precision_and_factor_are_inverse_to_each_other(void **state) {
    (void)state;
    struct dice r = {207};
    for (size_t d = 1; d <= 8; d++) {
        struct design x = make_design(&r, 9, d, false, 4);
        struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, GBS_FAMILY_FULL, 5.0, 1.0, false);
        assert_at_most(inverse_error(&b->g), 1e-14); /* as created: the prior */
        move_randomly(&r, b, 0.5, 0.4);
        assert_at_most(inverse_error(&b->g), 1e-12); /* after refresh_precision */
        double factor[64];
        memcpy(factor, b->g.factor, d * d * sizeof *factor);
        memset(b->g.factor, 0, d * d * sizeof *factor);
        assert_true(gbs_full_set_precision(&b->g));
        check_upper_with_positive_diagonal(&b->g);
        assert_at_most(inverse_error(&b->g), 1e-12);
        for (size_t k = 0; k < d * d; k++) /* the factor is unique */
            assert_close(b->g.factor[k], factor[k], 1e-12, 1e-12);
        free_bench(b);
        free_design(&x);
    }
}

static void a_precision_that_is_none_is_refused(void **state) {
    (void)state;
    static const double bad[][4] = {{1.0, 2.0, 2.0, 1.0}, {-1.0, 0.0, 0.0, 1.0},
                                    {0.0, 0.0, 0.0, 1.0}, {NAN, 0.0, 0.0, 1.0},
                                    {1.0, NAN, NAN, 1.0}, {INFINITY, 0.0, 0.0, 1.0}};
    struct dice r = {208};
    struct design x = make_design(&r, 3, 2, false, 2);
    struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, GBS_FAMILY_FULL, 5.0, 1.0, false);
    for (size_t k = 0; k < COUNT(bad); k++) {
        memcpy(b->g.precision, bad[k], sizeof bad[k]);
        assert_false(gbs_full_set_precision(&b->g));
    }
    free_bench(b);
    free_design(&x);
}

/* b = 0 leaves the spread, b = 1 takes I/v + H, b between mixes the precisions. */
static void a_step_moves_the_precision_in_a_straight_line(void **state) {
    (void)state;
    static const double steps[] = {0.0, 0.25, 1.0};
    struct dice r = {209};
    struct design x = make_design(&r, 40, 4, false, 7);
    for (size_t f = 1; f < COUNT(all_families); f++)
        for (size_t k = 0; k < COUNT(steps); k++) {
            struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 20.0, 0.9,
                                         false);
            gbs_gaussian next;
            assert_ok(b->ctx, gbs_gaussian_create(b->ctx, all_families[f], 4, &b->problem.prior,
                                                  0.3, &next));
            move_randomly(&r, b, 0.5, 0.4);
            evaluate(b);
            double v = b->problem.prior.variance, step = steps[k], cov[16], mixed[16];
            assert_true(mix_precision(b, b->point.pull, step, &next));
            covariance_of(&b->g, cov);
            covariance_of(&next, mixed);
            const double *pull = b->point.pull;
            for (size_t i = 0; i < 4 && all_families[f] != GBS_FAMILY_FULL; i++) {
                double h = all_families[f] == GBS_FAMILY_DIAGONAL ? pull[i] : pull[0] / 4.0;
                assert_close(1.0 / mixed[5 * i], (1.0 - step) / cov[5 * i] + step * (1.0 / v + h),
                             1e-13, 0.0);
            }
            for (size_t i = 0; i < 4 && all_families[f] == GBS_FAMILY_FULL; i++)
                for (size_t j = 0; j <= i; j++) {
                    double h = pull[4 * i + j] + (i == j ? 1.0 / v : 0.0);
                    assert_close(next.precision[4 * i + j],
                                 (1.0 - step) * b->g.precision[4 * i + j] + step * h, 1e-13, 1e-14);
                    assert_close(next.precision[4 * j + i], next.precision[4 * i + j], 0.0, 0.0);
                }
            if (all_families[f] == GBS_FAMILY_FULL)
                assert_at_most(inverse_error(&next), 1e-12);
            gbs_gaussian_free(b->ctx, &next);
            free_bench(b);
        }
    free_design(&x);
}

static void a_step_refuses_what_is_no_covariance(void **state) {
    (void)state;
    struct dice r = {210};
    struct design x = make_design(&r, 4, 2, false, 2);
    static const double pull[] = {-9.0, 0.0, 0.0, -9.0};
    for (size_t f = 1; f < COUNT(all_families); f++) {
        struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_ZERO_ONE, all_families[f], 20.0, 1.0,
                                     false);
        gbs_gaussian next;
        assert_ok(b->ctx,
                  gbs_gaussian_create(b->ctx, all_families[f], 2, &b->problem.prior, 0.3, &next));
        double scaled[4];
        for (int k = 0; k < 4; k++)
            scaled[k] = pull[k];
        assert_false(mix_precision(b, scaled, 1.0, &next));
        scaled[0] = NAN;
        assert_false(mix_precision(b, scaled, 1.0, &next));
        gbs_gaussian_free(b->ctx, &next);
        free_bench(b);
    }
    free_design(&x);
}

/* The same distribution seen as a member of each larger family has the same F, risk and KL. */
static void an_embedded_posterior_is_the_same_posterior(void **state) {
    (void)state;
    struct dice r = {211};
    for (int sparse = 0; sparse <= 1; sparse++)
        for (size_t small = 0; small < COUNT(all_families); small++)
            for (size_t large = small + 1; large < COUNT(all_families); large++) {
                struct design x = make_design(&r, 25, 4, sparse, 7);
                struct bench *a = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[small], 20.0,
                                             0.9, false);
                struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[large], 20.0,
                                             0.9, false);
                b->problem.prior = a->problem.prior;
                move_randomly(&r, a, 0.5, 0.4);
                gbs_gaussian_embed(&b->g, &a->g);
                assert_close(evaluate(b), evaluate(a), 1e-13, 0.0);
                assert_close(b->point.risk, a->point.risk, 1e-13, 0.0);
                assert_close(b->point.kl, a->point.kl, 1e-13, 1e-14);
                if (all_families[large] == GBS_FAMILY_FULL)
                    assert_at_most(inverse_error(&b->g), 1e-14);
                free_bench(a);
                free_bench(b);
                free_design(&x);
            }
}

static void marginal_sd_is_the_root_of_the_diagonal(void **state) {
    (void)state;
    struct dice r = {212};
    struct design x = make_design(&r, 5, 6, false, 7);
    for (size_t f = 0; f < COUNT(all_families); f++) {
        struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 20.0, 0.9,
                                     false);
        double cov[36] = {0}, sd[6] = {0};
        move_randomly(&r, b, 0.5, 0.4);
        covariance_of(&b->g, cov);
        b->family->marginal_sd(&b->g, sd);
        for (size_t k = 0; k < 6; k++)
            assert_close(sd[k], sqrt(cov[7 * k]), 1e-14, 0.0);
        free_bench(b);
    }
    free_design(&x);
}

static void the_kl_of_the_prior_is_zero(void **state) {
    (void)state;
    struct dice r = {213};
    struct design x = make_design(&r, 5, 6, false, 7);
    for (size_t f = 1; f < COUNT(all_families); f++)
        for (int power = -6; power <= 6; power++) {
            struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 20.0,
                                         pow(10.0, power), false);
            assert_close(gbs_gaussian_kl(&b->g, &b->problem.prior), 0.0, 0.0, 1e-13);
            free_bench(b);
        }
    free_design(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precision_and_factor_are_inverse_to_each_other),
        cmocka_unit_test(a_precision_that_is_none_is_refused),
        cmocka_unit_test(a_step_moves_the_precision_in_a_straight_line),
        cmocka_unit_test(a_step_refuses_what_is_no_covariance),
        cmocka_unit_test(an_embedded_posterior_is_the_same_posterior),
        cmocka_unit_test(marginal_sd_is_the_root_of_the_diagonal),
        cmocka_unit_test(the_kl_of_the_prior_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
