/* The risk over pairs: against the same risk over the list of all differences, which the pass over
 * rows computes; against central differences; and whatever must not matter (threads, order, equal
 * rows, a common offset).
 */
#include "unit/rows_support.h"

static const gbs_loss pair_losses[] = {GBS_LOSS_ZERO_ONE, GBS_LOSS_HINGE, GBS_LOSS_EXPONENTIAL};

/* Every x_i - x_j, y = +1. */
static gbs_rows difference_rows(const double *cells, const double *y, size_t n, size_t d,
                                double **x, double **ones) {
    size_t pairs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            pairs += y[i] > 0.0 && y[j] < 0.0;
    *x = doubles(pairs * d);
    *ones = doubles(pairs);
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (y[i] > 0.0 && y[j] < 0.0) {
                for (size_t k = 0; k < d; k++)
                    (*x)[at * d + k] = cells[i * d + k] - cells[j * d + k];
                (*ones)[at++] = 1.0;
            }
    return gbs_rows_wrap(pairs, d, *x, d, *ones);
}

static void assert_all_close(const double *a, const double *b, size_t count, double tolerance) {
    double size = 1e-300;
    for (size_t k = 0; k < count; k++)
        size = fmax(size, fabs(b[k]));
    for (size_t k = 0; k < count; k++)
        assert_close(a[k], b[k], 0.0, tolerance * size);
}

/* Lower triangles. */
static void assert_triangles_close(const double *a, const double *b, size_t d, double tolerance) {
    double *x = doubles(d * d), *y = doubles(d * d);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            x[i * d + j] = a[i * d + j];
            y[i * d + j] = b[i * d + j];
        }
    assert_all_close(x, y, d * d, tolerance);
    free(x);
    free(y);
}

static void check_against_differences(struct dice *r, const gbs_rows *rows, const double *cells,
                                      gbs_loss loss, gbs_family family, double spread,
                                      double tolerance) {
    size_t n = rows->all.n, d = rows->d;
    double *x, *ones;
    gbs_rows all = difference_rows(cells, rows->all.y, n, d, &x, &ones);
    bool curvature = family != GBS_FAMILY_FULL;
    double lambda = exp(dice_between(r, 0.0, 4.0));
    struct bench *a = make_pair_bench(r, rows, loss, family, lambda, 0.8, curvature);
    assert_close(a->risk->terms, (double)all.all.n, 0.0, 0.0);
    struct bench *b = make_bench(r, &all, loss, family, lambda, 0.8, curvature);
    memcpy(a->prior_mean, b->prior_mean, d * sizeof *a->prior_mean);
    move_randomly(r, b, 0.4, spread);
    gbs_gaussian_copy(&a->g, &b->g);
    assert_close(evaluate(a), evaluate(b), tolerance, 0.0);
    assert_close(a->point.risk, b->point.risk, tolerance, 1e-300);
    assert_all_close(a->point.d_mean, b->point.d_mean, d, tolerance);
    if (family == GBS_FAMILY_FULL)
        assert_triangles_close(a->point.pull, b->point.pull, d, tolerance);
    else
        assert_all_close(a->point.pull, b->point.pull, gbs_pull_size(b->family->pull, d),
                         tolerance);
    if (curvature)
        assert_triangles_close(a->point.curvature, b->point.curvature, d, tolerance);
    double risk, second, sum = 0.0;
    gbs_spread at = gbs_gaussian_spread(&a->g);
    assert_ok(a->ctx, gbs_empirical_value(a->risk, a->risk->loss, &at, false, &risk, &second));
    assert_close(risk, b->point.risk, tolerance, 1e-300);
    for (size_t i = 0; i < all.all.n; i++) {
        double *s = b->square, mu = gbs_dot(d, x + i * d, b->g.mean), variance = 0.0, psi, d_mu,
               d_s;
        covariance_of(&b->g, s);
        for (size_t k = 0; k < d; k++)
            variance += x[i * d + k] * gbs_dot(d, s + k * d, x + i * d);
        gbs_loss_smoothed(loss, mu, sqrt(variance), &psi, &d_mu, &d_s);
        sum += psi * psi / (double)all.all.n;
    }
    assert_close(second, sum, 1e-9, 1e-300);
    free_bench(a);
    free_bench(b);
    free(x);
    free(ones);
}

static void all_pairs_are_all_differences(void **state) {
    (void)state;
    struct dice r = {501};
    for (int sparse = 0; sparse <= 1; sparse++)
        for (size_t l = 0; l < COUNT(pair_losses); l++)
            for (size_t f = 0; f < COUNT(all_families); f++) {
                struct design x = make_design(&r, 40, 5, sparse, 7);
                check_against_differences(&r, &x.rows, x.cells, pair_losses[l], all_families[f],
                                          0.5, 1e-10);
                free_design(&x);
            }
}

/* More rows than a block of either side; one class much larger than the other, either way round. */
static void several_blocks_on_both_sides(void **state) {
    (void)state;
    struct dice r = {502};
    for (int turn = 0; turn < 3; turn++) {
        struct design x = make_design(&r, 420, 3, turn == 2, 50);
        for (size_t i = 0; i < 420; i++)
            x.table.y[i] = (i % 10 < (turn == 1 ? 3 : 7)) ? 1.0 : -1.0;
        for (size_t f = 1; f < COUNT(all_families); f++)
            check_against_differences(&r, &x.rows, x.cells,
                                      turn == 0 ? GBS_LOSS_ZERO_ONE : GBS_LOSS_HINGE,
                                      all_families[f], 0.3, 1e-10);
        free_design(&x);
    }
}

/* Rows that lie within 1e-7 of each other, far from the origin: s^2 from q_i + q_j - 2 x_i'S x_j
 * would have no digit left. */
static void near_rows_keep_their_digits(void **state) {
    (void)state;
    struct dice r = {503};
    for (size_t l = 0; l < 2; l++)
        for (size_t f = 1; f < COUNT(all_families); f++) {
            struct design x = make_design(&r, 40, 4, false, 7);
            for (size_t i = 1; i < 40; i += 2)
                for (size_t k = 0; k < 4; k++)
                    x.cells[i * 4 + k] = x.cells[(i - 1) * 4 + k] +
                                         ldexp(round(64.0 * dice_normal(&r)), -30);
            for (size_t i = 0; i < 40 * 4; i++)
                x.cells[i] = ldexp(round(ldexp(x.cells[i], 30)), -30) + 1000.0;
            check_against_differences(&r, &x.rows, x.cells, pair_losses[l], all_families[f], 0.5,
                                      1e-7);
            free_design(&x);
        }
}

#define STEP 1e-3

/* Fourth-order central differences of F along coordinate k: of the mean, or of the free
 * coordinates. */
static double slope(struct bench *b, bool of_mean, size_t k) {
    double z[64], f[4], mean = b->g.mean[k < b->g.d ? k : 0];
    const double at[4] = {2.0, 1.0, -1.0, -2.0};
    b->family->get_free(&b->g, z);
    double kept = z[k];
    for (int i = 0; i < 4; i++) {
        if (of_mean)
            b->g.mean[k] = mean + at[i] * STEP;
        else
            z[k] = kept + at[i] * STEP;
        b->family->set_free(&b->g, z);
        f[i] = evaluate(b);
    }
    z[k] = kept;
    if (of_mean)
        b->g.mean[k] = mean;
    b->family->set_free(&b->g, z);
    return (8.0 * (f[1] - f[2]) - (f[0] - f[3])) / (12.0 * STEP);
}

static void slopes_are_slopes(void **state) {
    (void)state;
    struct dice r = {504};
    for (size_t l = 0; l < COUNT(pair_losses); l++)
        for (size_t f = 0; f < COUNT(all_families); f++) {
            struct design x = make_design(&r, 24, 4, false, 7);
            struct bench *b = make_pair_bench(&r, &x.rows, pair_losses[l], all_families[f], 20.0,
                                              0.8, false);
            move_randomly(&r, b, 0.3, 0.4);
            size_t free_count = b->family->free_size(4);
            double d_mean[4], dz[64];
            evaluate(b);
            memcpy(d_mean, b->point.d_mean, sizeof d_mean);
            b->family->free_gradient(&b->g, b->point.pull, b->problem.prior.variance, b->square,
                                     dz);
            for (size_t k = 0; k < 4; k++)
                assert_close(slope(b, true, k), d_mean[k], 1e-7, 1e-7);
            for (size_t k = 0; k < free_count; k++)
                assert_close(slope(b, false, k), dz[k], 1e-7, 1e-7);
            free_bench(b);
            free_design(&x);
        }
}

/* Evaluates the rows' pairs at a fixed point of the full family on so many threads; out: F, d_mean,
 * pull. */
static void value_on(int threads, const gbs_rows *rows, bool grouped, gbs_family family,
                     double *out) {
    struct dice r = {77};
    size_t d = rows->d;
    gbs_context *ctx = new_context(threads, 1);
    gbs_empirical *risk;
    assert_ok(ctx, gbs_empirical_over_pairs(ctx, rows, grouped, &gbs_zero_one, &risk));
    struct bench *b = make_bench_on(&r, risk, family, 50.0, 1.0, false);
    move_randomly(&r, b, 0.4, 0.3);
    out[0] = evaluate(b);
    memcpy(out + 1, b->point.d_mean, d * sizeof *out);
    memcpy(out + 1 + d, b->point.pull, gbs_pull_size(b->family->pull, d) * sizeof *out);
    free_bench(b);
}

enum { MANY = 1200, WIDE = 9, OUT = 1 + WIDE + WIDE * WIDE };

static void threads_change_no_bit(void **state) {
    (void)state;
    struct dice r = {505};
    struct design x = make_design(&r, MANY, WIDE, false, 100);
    for (size_t f = 1; f < COUNT(all_families); f++) {
        double one[OUT] = {0}, more[OUT] = {0};
        value_on(1, &x.rows, true, all_families[f], one);
        for (int threads = 2; threads <= 7; threads += 5) {
            value_on(threads, &x.rows, true, all_families[f], more);
            assert_true(same_bits(one, more, OUT));
        }
    }
    free_design(&x);
}

static void order_and_equal_rows_change_nothing(void **state) {
    (void)state;
    struct dice r = {506};
    struct design x = make_design(&r, MANY, WIDE, false, 100),
                  y = make_design(&r, MANY, WIDE, false, 100);
    for (size_t i = 0; i < MANY; i++) { /* every row three times, and some in both classes */
        memcpy(x.cells + i * WIDE, x.cells + (i / 3) * WIDE, WIDE * sizeof *x.cells);
        x.table.y[i] = i % 7 < 3 ? 1.0 : -1.0;
    }
    for (size_t i = 0; i < MANY; i++) { /* 7 is coprime to 1200 */
        size_t from = i * 7 % MANY;
        memcpy(y.cells + i * WIDE, x.cells + from * WIDE, WIDE * sizeof *x.cells);
        y.table.y[i] = x.table.y[from];
    }
    for (size_t f = 1; f < COUNT(all_families); f++) {
        double plain[OUT] = {0}, other[OUT] = {0};
        value_on(2, &x.rows, false, all_families[f], plain);
        value_on(2, &x.rows, true, all_families[f], other);
        assert_all_close(other, plain, OUT, 1e-10);
        value_on(2, &y.rows, false, all_families[f], other);
        assert_all_close(other, plain, OUT, 1e-10);
    }
    free_design(&x);
    free_design(&y);
}

/* 10^5 equal rows are one pair, and a tie. */
static void equal_rows_are_ties(void **state) {
    (void)state;
    enum { ROWS = 100000, COLUMNS = 3 };
    double *x = doubles(ROWS * COLUMNS), *y = doubles(ROWS), out[OUT];
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 0 ? 1.0 : -1.0;
        for (size_t k = 0; k < COLUMNS; k++)
            x[i * COLUMNS + k] = 0.1 + (double)k;
    }
    gbs_rows rows = gbs_rows_wrap(ROWS, COLUMNS, x, COLUMNS, y);
    gbs_context *ctx = new_context(1, 1);
    gbs_empirical *pairs;
    assert_ok(ctx, gbs_empirical_over_pairs(ctx, &rows, true, &gbs_zero_one, &pairs));
    assert_int_equal(pairs->rows, 2);
    assert_close(pairs->terms, 33334.0 * 66666.0, 0.0, 0.0);
    assert_close(pairs->counted, ROWS, 0.0, 0.0);
    assert_int_equal(pairs->units, 33334);
    gbs_prior prior = {NULL, 1.0};
    gbs_gaussian g;
    assert_ok(ctx, gbs_gaussian_create(ctx, GBS_FAMILY_FULL, COLUMNS, &prior, 1.0, &g));
    g.mean[0] = 0.3;
    double risk, second;
    gbs_spread at = gbs_gaussian_spread(&g);
    assert_ok(ctx, gbs_empirical_value(pairs, &gbs_zero_one, &at, false, &risk, &second));
    assert_close(risk, 0.5, 0.0, 0.0);
    assert_close(second, 0.25, 0.0, 0.0);
    gbs_empirical_free(pairs);
    for (size_t f = 1; f < COUNT(all_families); f++) {
        value_on(1, &rows, true, all_families[f], out);
        for (size_t k = 0; k < 1 + COLUMNS; k++)
            assert_true(isfinite(out[k]));
    }
    gbs_gaussian_free(ctx, &g);
    gbs_context_free(ctx);
    free(x);
    free(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_are_all_differences),
        cmocka_unit_test(several_blocks_on_both_sides),
        cmocka_unit_test(near_rows_keep_their_digits),
        cmocka_unit_test(slopes_are_slopes),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(order_and_equal_rows_change_nothing),
        cmocka_unit_test(equal_rows_are_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
