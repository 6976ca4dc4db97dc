/* The kernels of the normal distribution and of the exponential against MPFR (mpfr_support.h), the
 * C library and long doubles. */
#include "kernel/exponential.h"
#include "kernel/normal.h"
#include "kernel/tile.h"
#include "unit/mpfr_support.h"

enum { GRID = 1481 };

/* Density, distribution and excess at 1,481 points of [-37, 37]: better than 1e-12 against MPFR. */
static void normal_kernels_keep_twelve_digits(void **state) {
    (void)state;
    double t[GRID], phi[GRID], cdf[GRID], h[GRID], both_phi[GRID], both_cdf[GRID], all_h[GRID],
        worst[6] = {0};
    struct truth w;
    truth_init(&w);
    for (int i = 0; i < GRID; i++)
        t[i] = -37.0 + 74.0 * i / (GRID - 1);
    gbs_normal_density(GRID, t, phi);
    gbs_normal_distribution(GRID, t, cdf);
    gbs_normal_excess(GRID, t, phi, cdf, h);
    gbs_normal_all(GRID, t, both_phi, both_cdf, all_h);
    for (int i = 0; i < GRID; i++) { /* and so without the excess */
        double alone[2];
        gbs_normal_both(1, t + i, alone, alone + 1);
        assert_close(alone[0], both_phi[i], 1e-15, 0.0);
        assert_close(alone[1], both_cdf[i], 1e-15, 0.0);
    }
    for (int i = 0; i < GRID; i++) {
        mpfr_set_d(w.t, t[i], MPFR_RNDN);
        truth_normal(&w);
        mpfr_mul(w.value[0], w.t, w.cdf, MPFR_RNDN);
        mpfr_add(w.value[0], w.value[0], w.density, MPFR_RNDN);
        worst[0] = fmax(worst[0], error_of(&w, phi[i], w.density));
        worst[1] = fmax(worst[1], error_of(&w, cdf[i], w.cdf));
        worst[2] = fmax(worst[2], error_of(&w, h[i], w.value[0]));
        worst[3] = fmax(worst[3], error_of(&w, both_phi[i], w.density));
        worst[4] = fmax(worst[4], error_of(&w, both_cdf[i], w.cdf));
        worst[5] = fmax(worst[5], error_of(&w, all_h[i], w.value[0]));
        assert_close(phi[i], 0.39894228040143267794 * exp(-0.5 * t[i] * t[i]), 1e-15, 0.0);
        assert_close(cdf[i], 0.5 * erfc(-0.70710678118654752440 * t[i]), 1e-14, 0.0);
    }
    print_message("normal kernels: worst relative errors phi %.1e, Phi %.1e, excess %.1e; all at "
                  "once %.1e, %.1e, %.1e\n",
                  worst[0], worst[1], worst[2], worst[3], worst[4], worst[5]);
    for (int k = 0; k < 6; k++)
        assert_at_most(worst[k], ALLOWED);
    truth_clear(&w);
}

/* Near 0, where most pairs are, both at once keep all digits but the last two; 40,001 points of
 * [-8, 8], any length of an array. */
static void both_at_once_are_the_library_s(void **state) {
    (void)state;
    enum { N = 40001 };
    double *t = doubles(N), *phi = doubles(N), *cdf = doubles(N), worst = 0.0;
    for (int i = 0; i < N; i++)
        t[i] = -8.0 + 16.0 * i / (N - 1);
    for (size_t from = 0, count = 1; from < N; from += count, count = count % 37 + 1)
        gbs_normal_both(N - from < count ? N - from : count, t + from, phi + from, cdf + from);
    for (int i = 0; i < N; i++) {
        worst = fmax(worst,
                     fabs(phi[i] / (0.39894228040143267794 * exp(-0.5 * t[i] * t[i])) - 1.0));
        worst = fmax(worst, fabs(cdf[i] / (0.5 * erfc(-0.70710678118654752440 * t[i])) - 1.0));
    }
    print_message("both at once against exp and erfc on [-8, 8]: %.1e\n", worst);
    assert_at_most(worst, 3e-14);
    free(t);
    free(phi);
    free(cdf);
}

static void normal_kernels_fall_to_their_limits_without_nan(void **state) {
    (void)state;
    static const double t[] = {-INFINITY, -1e300, -1e10, -100.0, -40.0,   -39.0,
                               -38.5,     39.0,   1e10,  1e300,  INFINITY};
    enum { N = COUNT(t) };
    double phi[N], cdf[N], h[N], both_phi[N], both_cdf[N];
    double all_h[N];
    gbs_normal_all(N, t, both_phi, both_cdf, all_h);
    gbs_normal_density(N, t, phi);
    gbs_normal_distribution(N, t, cdf);
    gbs_normal_excess(N, t, phi, cdf, h);
    for (size_t i = 0; i < N; i++) {
        assert_close(phi[i], 0.0, 0.0, 1e-307);
        assert_close(cdf[i], t[i] > 0.0 ? 1.0 : 0.0, 0.0, 1e-307);
        assert_close(both_phi[i], 0.0, 0.0, 1e-307);
        assert_close(both_cdf[i], t[i] > 0.0 ? 1.0 : 0.0, 0.0, 1e-307);
        if (!isinf(t[i]))
            assert_close(all_h[i], fmax(0.0, t[i]), 1e-15, 1e-307);
        if (t[i] < 0.0)
            assert_close(h[i], 0.0, 0.0, 1e-307);
        else if (isinf(t[i]))
            assert_true(isinf(h[i]) && h[i] > 0.0);
        else
            assert_close(h[i], t[i], 0.0, 0.0);
    }
}

static void the_vector_exponential_is_within_four_units_of_libm(void **state) {
    (void)state;
    double x[GRID], y[GRID];
    for (int i = 0; i < GRID; i++)
        x[i] = -708.0 + (709.7 + 708.0) * i / (GRID - 1);
    for (size_t n = GRID; n > GRID - 20; n--) {
        gbs_vector_exp(n, x, y);
        for (size_t i = 0; i < n; i++)
            assert_close(y[i], exp(x[i]), 4.0 * DBL_EPSILON, 0.0);
    }
    static const double ends[] = {-INFINITY, -800.0, -740.0, 0.0, 710.0, INFINITY};
    gbs_vector_exp(COUNT(ends), ends, y);
    assert_close(y[0], 0.0, 0.0, 0.0);
    assert_close(y[1], 0.0, 0.0, 0.0);
    assert_close(y[2], exp(-740.0), 0.0, 1e-320);
    assert_close(y[3], 1.0, 0.0, 0.0);
    assert_true(isinf(y[4]) && isinf(y[5]));
    /* in place, as the exponential loss uses it */
    for (int i = 0; i < GRID; i++)
        y[i] = x[i];
    gbs_vector_exp(GRID, y, y);
    for (int i = 0; i < GRID; i++)
        assert_close(y[i], exp(x[i]), 4.0 * DBL_EPSILON, 0.0);
}

/* Sums over rows of lanes, near and far: thirteen digits of the C library's long exponential. */
static void lane_exponentials_keep_thirteen_digits(void **state) {
    (void)state;
    enum { ROWS = 40, CELLS = ROWS * GBS_LANES };
    static const double reaches[] = {1e-9, 0.3, 1.0, 20.0, 80.0, 300.0, 700.0};
    double x[CELLS] __attribute__((aligned(64))), w[CELLS] __attribute__((aligned(64))), a[ROWS];
    double total[4 * GBS_LANES] __attribute__((aligned(64)));
    const double c[2] = {0.6, -0.8}, s[2] = {0.8, 0.6};
    uint64_t bits = 1;
    for (size_t k = 0; k < COUNT(reaches); k++)
        for (int round = 0; round < 50; round++) {
            for (size_t i = 0; i < 2 * CELLS + ROWS; i++) {
                bits = bits * 6364136223846793005U + 1442695040888963407U;
                double u = reaches[k] * ((double)(bits >> 11) * 0x1p-52 - 1.0);
                *(i < CELLS       ? &x[i]
                  : i < 2 * CELLS ? &w[i - CELLS]
                                  : &a[i - 2 * CELLS]) = i < CELLS ? u : u / 3.0;
            }
            memset(total, 0, sizeof total);
            gbs_lanes_add_exp(ROWS, x, total);
            for (size_t l = 0; l < GBS_LANES; l++) {
                long double sum = 0.0L;
                for (size_t i = 0; i < ROWS; i++)
                    sum += expl(-(long double)x[i * GBS_LANES + l]);
                assert_close(total[l], (double)sum, 2e-13, 0.0);
            }
            for (size_t i = 0; i < CELLS; i++)
                x[i] /= 3.0;
            memset(total, 0, sizeof total);
            gbs_lanes_add_exp_ring(ROWS, a, x, w, 2, c, s, total);
            for (size_t j = 0; j < 4; j++)
                for (size_t l = 0; l < GBS_LANES; l++) {
                    long double sum = 0.0L, by = j % 2 == 0 ? s[j / 2] : -s[j / 2];
                    for (size_t i = 0; i < ROWS; i++)
                        sum += expl(-(a[i] + c[j / 2] * (long double)x[i * GBS_LANES + l] +
                                      by * w[i * GBS_LANES + l]));
                    assert_close(total[j * GBS_LANES + l], (double)sum, 2e-13, 0.0);
                }
        }
}

/* One row each, the exponent in lane 0: what double cannot hold is as large or small as can be, and
 * NaN is large. */
static void lane_exponentials_at_the_ends(void **state) {
    (void)state;
    static const double ends[] = {-1e300, -INFINITY, NAN,      -710.0, 709.0,
                                  745.0,  1e300,     INFINITY, -709.7, -703.0};
    for (size_t k = 0; k < COUNT(ends); k++) {
        double x[2 * GBS_LANES] __attribute__((aligned(64))) = {0},
                                total[2 * GBS_LANES] __attribute__((aligned(64))) = {0};
        const double zero = 0.0, one = 1.0;
        x[0] = ends[k];
        gbs_lanes_add_exp(1, x, total);
        assert_true(k < 4   ? total[0] > 1.6e308 && isfinite(total[0])
                    : k < 8 ? total[0] >= 0.0 && total[0] < 1e-307
                            : true);
        if (k >= 8)
            assert_close(total[0], exp(-ends[k]), 2e-13, 0.0);
        assert_close(total[1], 1.0, 1e-13, 0.0);
        if (k < 4 && isfinite(ends[k])) {
            gbs_lanes_add_exp(1, x, total);
            assert_true(isinf(total[0]));
        }
        memset(total, 0, sizeof total);
        gbs_lanes_add_exp_ring(1, &zero, x, x + GBS_LANES, 1, &one, &zero, total);
        assert_true(k < 4   ? total[0] > 1.6e308
                    : k < 8 ? total[0] >= 0.0 && total[0] < 1e-307
                            : true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_kernels_keep_twelve_digits),
        cmocka_unit_test(both_at_once_are_the_library_s),
        cmocka_unit_test(normal_kernels_fall_to_their_limits_without_nan),
        cmocka_unit_test(the_vector_exponential_is_within_four_units_of_libm),
        cmocka_unit_test(lane_exponentials_keep_thirteen_digits),
        cmocka_unit_test(lane_exponentials_at_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
