/* What matrix completion computes with: digamma against MPFR, small Gaussians and sums of records
 * against plain loops. */
#include "completion_support.h"

#include "kernel/special.h"

#include <mpfr.h>

static void digamma_is_that_of_mpfr(void **state) {
    (void)state;
    mpfr_t x, y;
    mpfr_inits2(200, x, y, (mpfr_ptr)0);
    for (int k = 0; k < 132; k++) { /* up to 1e12 */
        double at = 1e-6 * pow(1.37, k);
        mpfr_set_d(x, at, MPFR_RNDN);
        mpfr_digamma(y, x, MPFR_RNDN);
        assert_close(gbs_digamma(at), mpfr_get_d(y, MPFR_RNDN), 4e-15, 4e-15);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
    mpfr_free_cache();
}

static void small_gaussians(void **state) {
    (void)state;
    struct dice r = {11};
    for (size_t d = 1; d <= 70; d += d < 8 ? 1 : 9) {
        double *p = doubles(d * d), *a = doubles(d * d), *l = doubles(d * d),
               *slow = doubles(d * d), *inverse = doubles(d * d);
        double *packed = doubles(gbs_packed_size(d)), *b = doubles(d), *x = doubles(d),
               *work = doubles(d), log_det;
        for (size_t i = 0; i < d; i++) {
            b[i] = dice_normal(&r);
            inverse[i * d + i] = 1.0;
            for (size_t j = 0; j <= i; j++)
                p[i * d + j] = p[j * d + i] = dice_between(&r, -1.0, 1.0) +
                                              (i == j ? (double)d : 0.0);
        }
        memcpy(a, p, d * d * sizeof *a);
        memcpy(slow, p, d * d * sizeof *a);
        slow_solve(d, slow, inverse, d);
        assert_true(gbs_small_factor(d, a, l, &log_det));
        double det = 0.0; /* slow holds the pivots on its diagonal, up to the order of rows */
        for (size_t i = 0; i < d; i++)
            det += log(fabs(slow[i * d + i]));
        assert_close(log_det, det, 1e-12, 1e-12);
        gbs_small_inverse(d, l, packed);
        for (size_t i = 0, at = 0; i < d; i++)
            for (size_t j = i; j < d; j++, at++)
                assert_close(packed[at], inverse[i * d + j], 1e-11, 1e-13);
        gbs_small_solve(d, l, b, NULL, work, x);
        for (size_t i = 0; i < d; i++) {
            double back = 0.0;
            for (size_t j = 0; j < d; j++)
                back += p[i * d + j] * x[j];
            assert_close(back, b[i], 1e-11, 1e-11);
        }
        free(p), free(a), free(l), free(slow), free(inverse), free(packed), free(b), free(x),
            free(work);
    }
    double bad[4] = {1.0, 2.0, 2.0, 1.0}, l[4], log_det;
    assert_false(gbs_small_factor(2, bad, l, &log_det));
    double nan[1] = {NAN};
    assert_false(gbs_small_factor(1, nan, l, &log_det));
}

static void records_are_summed(void **state) {
    (void)state;
    enum { ITEMS = 9, STRIDE = 24, PLAIN = 15, WEIGHTED = 5 };
    struct dice r = {12};
    double records[ITEMS * STRIDE];
    for (size_t i = 0; i < ITEMS * STRIDE; i++)
        records[i] = dice_normal(&r);
    for (size_t count = 0; count < 12; count++) {
        uint32_t other[12];
        double y[12], sum[STRIDE] = {0};
        for (size_t e = 0; e < count; e++) {
            other[e] = (uint32_t)dice_below(&r, ITEMS);
            y[e] = dice_normal(&r);
        }
        gbs_sum_records(count, other, y, 0.25, records, STRIDE, PLAIN, WEIGHTED, sum);
        for (size_t k = 0; k < PLAIN + WEIGHTED; k++) {
            double slow = 0.0;
            for (size_t e = 0; e < count; e++)
                slow += records[other[e] * STRIDE + k] * (k < PLAIN ? 1.0 : y[e] + 0.25);
            assert_close(sum[k], slow, 1e-13, 1e-13);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digamma_is_that_of_mpfr),
        cmocka_unit_test(small_gaussians),
        cmocka_unit_test(records_are_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
