/* Every slope the solvers rely on, against differences of F itself, for each loss, family and kind
 * of rows.
 *
 * Slopes are fourth-order central differences: with a step h = 1e-3 and F of some tens, truncation
 * and rounding both stay below 1e-9 of the numbers compared. The prior mean is not 0, and rows come
 * in blocks of 7, so that sums over blocks, the last short block and the shift of sparse rows all
 * take part.
 */
#include "unit/rows_support.h"

enum { N = 30, D = 5, POINTS = 3 };

#define STEP 1e-3
#define ALLOWED 2e-8

/* A way to move one coordinate of the posterior: 'm' mean, 'z' free coordinates, 's' own
 * coordinates (sigma or C). */
struct axis {
    char kind;
    size_t index;
};

static void shift_free(struct bench *b, size_t index, double by) {
    double z[D * D];
    b->family->get_free(&b->g, z);
    z[index] += by;
    b->family->set_free(&b->g, z);
}

static void shift_own(struct bench *b, size_t index, double by) {
    if (b->g.family == GBS_FAMILY_FULL) {
        b->g.factor[index] += by;
        return;
    }
    b->g.sd[index] += by;
    if (b->g.tau != NULL)
        b->g.tau[index] = b->g.sd[index] * b->g.sd[index];
}

static void shift(struct bench *b, struct axis a, double by) {
    if (a.kind == 'm')
        b->g.mean[a.index] += by;
    else if (a.kind == 'z')
        shift_free(b, a.index, by);
    else
        shift_own(b, a.index, by);
}

static double energy_at(struct bench *b, struct axis a, double by) {
    gbs_gaussian kept;
    assert_ok(b->ctx,
              gbs_gaussian_create(b->ctx, b->g.family, b->g.d, &b->problem.prior, 0.3, &kept));
    gbs_gaussian_copy(&kept, &b->g);
    shift(b, a, by);
    double f = evaluate(b);
    gbs_gaussian_copy(&b->g, &kept);
    gbs_gaussian_free(b->ctx, &kept);
    return f;
}

static double slope_along(struct bench *b, struct axis a) {
    double far = energy_at(b, a, 2.0 * STEP) - energy_at(b, a, -2.0 * STEP);
    double near = energy_at(b, a, STEP) - energy_at(b, a, -STEP);
    return (8.0 * near - far) / (12.0 * STEP);
}

static double size_of_slopes(const double *g, size_t count) {
    double size = 1.0;
    for (size_t k = 0; k < count; k++)
        size = fmax(size, fabs(g[k]));
    return size;
}

static void check_mean_slopes(struct bench *b) {
    evaluate(b);
    double expected[D];
    memcpy(expected, b->point.d_mean, sizeof expected);
    double size = size_of_slopes(expected, D);
    for (size_t k = 0; k < D; k++)
        assert_close(expected[k], slope_along(b, (struct axis){'m', k}), 0.0, ALLOWED * size);
}

static void check_free_slopes(struct bench *b) {
    size_t count = b->family->free_size(D);
    double dz[D * D] = {0};
    evaluate(b);
    b->family->free_gradient(&b->g, b->point.pull, b->problem.prior.variance, b->square, dz);
    double size = size_of_slopes(dz, count);
    for (size_t k = 0; k < count; k++)
        assert_close(dz[k], slope_along(b, (struct axis){'z', k}), 0.0, ALLOWED * size);
}

/* (v/2) |dF/dsigma|^2 or |dF/dC|^2, C a triangle; isotropic v/(2d); by differences alone. */
static double spread_gap_by_differences(struct bench *b) {
    double sum = 0.0, v = b->problem.prior.variance;
    size_t last = b->g.family == GBS_FAMILY_FULL ? D * D : b->family->free_size(D);
    for (size_t k = 0; k < last; k++) {
        if (b->g.family == GBS_FAMILY_FULL && k % D < k / D)
            continue; /* below the diagonal: not a coordinate */
        double slope = slope_along(b, (struct axis){'s', k});
        sum += slope * slope;
    }
    return b->g.family == GBS_FAMILY_ISOTROPIC ? v / (2.0 * D) * sum : 0.5 * v * sum;
}

static void check_gap(struct bench *b) {
    double v = b->problem.prior.variance, mean_share = 0.0;
    for (size_t k = 0; k < D; k++) {
        double slope = slope_along(b, (struct axis){'m', k});
        mean_share += 0.5 * v * slope * slope;
    }
    double spread_share = spread_gap_by_differences(b);
    evaluate(b);
    double spread_gap = b->family->gap(&b->g, b->point.pull, v, b->square);
    assert_close(spread_gap, spread_share, 1e-6, 1e-12);
    assert_close(gbs_optimality_gap(&b->problem, &b->g, &b->point, b->square),
                 mean_share + spread_share, 1e-6, 1e-12);
}

static void everywhere(void (*check)(struct bench *), uint64_t seed) {
    struct dice r = {seed};
    for (int sparse = 0; sparse <= 1; sparse++)
        for (size_t l = 0; l < COUNT(all_losses); l++)
            for (size_t f = 0; f < COUNT(all_families); f++) {
                struct design x = make_design(&r, N, D, sparse, 7);
                for (int point = 0; point < POINTS; point++) {
                    double lambda = exp(dice_between(&r, 0.0, 4.0)),
                           prior_sd = exp(dice_between(&r, -0.7, 0.7));
                    struct bench *b = make_bench(&r, &x.rows, all_losses[l], all_families[f],
                                                 lambda, prior_sd, false);
                    move_randomly(&r, b, 0.4, 0.5);
                    check(b);
                    free_bench(b);
                }
                free_design(&x);
            }
}

static void dF_dm_is_the_slope_of_F(void **state) {
    (void)state;
    everywhere(check_mean_slopes, 101);
}

static void the_free_gradient_is_the_slope_of_F(void **state) {
    (void)state;
    everywhere(check_free_slopes, 102);
}

static void the_gap_is_half_v_times_the_squared_gradient(void **state) {
    (void)state;
    everywhere(check_gap, 103);
}

/* A rare step of a solver reads the free coordinates back: they must be the ones it wrote. */
static void free_coordinates_round_trip(void **state) {
    (void)state;
    struct dice r = {104};
    struct design x = make_design(&r, N, D, false, 7);
    for (size_t f = 0; f < COUNT(all_families); f++) {
        struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 10.0, 1.0,
                                     false);
        move_randomly(&r, b, 0.4, 0.5);
        double before = evaluate(b), z[D * D] = {0}, again[D * D] = {0};
        b->family->get_free(&b->g, z);
        b->family->set_free(&b->g, z);
        b->family->get_free(&b->g, again);
        for (size_t k = 0; k < b->family->free_size(D); k++)
            assert_close(again[k], z[k], 1e-14, 1e-15);
        assert_close(evaluate(b), before, 1e-14, 0.0);
        free_bench(b);
    }
    free_design(&x);
}

/* At an optimum of the spread the precision is I/v + pull, and only there is the decrement 0;
 * elsewhere it is positive. */
static void the_decrement_vanishes_at_the_fixed_point_alone(void **state) {
    (void)state;
    struct dice r = {105};
    struct design x = make_design(&r, N, D, false, 7);
    for (size_t f = 1; f < COUNT(all_families); f++) {
        struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 10.0, 1.0,
                                     false);
        move_randomly(&r, b, 0.4, 0.5);
        evaluate(b);
        double v = b->problem.prior.variance;
        assert_true(b->family->decrement(&b->g, b->point.pull, v, b->square) > 1e-3);
        assert_true(mix_precision(b, b->point.pull, 1.0, &b->g));
        assert_close(b->family->decrement(&b->g, b->point.pull, v, b->square), 0.0, 0.0, 1e-25);
        free_bench(b);
    }
    free_design(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dF_dm_is_the_slope_of_F),
        cmocka_unit_test(the_free_gradient_is_the_slope_of_F),
        cmocka_unit_test(the_gap_is_half_v_times_the_squared_gradient),
        cmocka_unit_test(free_coordinates_round_trip),
        cmocka_unit_test(the_decrement_vanishes_at_the_fixed_point_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
