/* What matrix completion computes with: digamma against MPFR, small Gaussians, products of tall
 * matrices and sums of records against plain loops, eight regressions side by side against one at a
 * time. */
#include "completion_support.h"

#include "completion/hierarchical.h"
#include "kernel/eight.h"
#include "kernel/special.h"
#include "kernel/tall.h"

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

/* Numbers of one of eight regressions, side by side there, and the room for all of them. */
struct one {
    double *a, *cov, *r, *centre, *mean;
};

static void take_lane(size_t n, size_t lane, const double *from, double *to) {
    for (size_t k = 0; k < n; k++)
        to[k] = from[k * GBS_EIGHT + lane];
}

/* x'Ax, the triangle packed. */
static double slow_form(size_t d, const double *a, const double *x) {
    double sum = 0.0;
    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++)
            sum += (i == j ? 1.0 : 2.0) * *a++ * x[i] * x[j];
    return sum;
}

/* Against the kernels of one, and plain sums. */
static void check_lane(const gbs_eight *e, size_t lane, const double *precision, double relax,
                       const struct one *before) {
    size_t d = e->d, packed = gbs_packed_size(d);
    double *p = doubles(d * d), *l = doubles(d * d), *s = doubles(packed), *got = doubles(packed),
           *b = doubles(d), *best = doubles(d), *work = doubles(d), *m = doubles(d), log_det;
    for (size_t i = 0; i < d; i++) {
        b[i] = before->r[i];
        for (size_t j = 0; j < d; j++) {
            size_t at = i < j ? gbs_packed(d, i) + j - i : gbs_packed(d, j) + i - j;
            p[i * d + j] = precision[i * d + j] + before->a[at];
            b[i] += precision[i * d + j] * before->centre[j];
        }
    }
    assert_true(gbs_small_factor(d, p, l, &log_det));
    gbs_small_inverse(d, l, s);
    gbs_small_solve(d, l, b, NULL, work, best);
    assert_close(e->log_det[lane], log_det, 1e-12, 1e-12);
    take_lane(packed, lane, e->cov, got);
    for (size_t k = 0; k < packed; k++)
        assert_close(got[k], s[k], 1e-11, 1e-13);
    take_lane(d, lane, e->mean, m);
    double fit = slow_form(d, before->a, m), gap = 0.0, trace = 0.0;
    for (size_t i = 0; i < d; i++) {
        double goal = before->mean[i] + relax * (best[i] - before->mean[i]);
        assert_close(m[i], goal, 1e-11, 1e-12);
        fit -= 2.0 * m[i] * before->r[i];
        for (size_t j = 0; j < d; j++)
            gap += precision[i * d + j] * (m[i] - before->centre[i]) * (m[j] - before->centre[j]);
        for (size_t j = i; j < d; j++) {
            size_t at = gbs_packed(d, i) + j - i;
            trace += (i == j ? 1.0 : 2.0) * before->a[at] * s[at];
        }
    }
    assert_close(e->fit[lane], fit, 1e-10, 1e-10);
    assert_close(e->gap[lane], gap, 1e-10, 1e-10);
    assert_close(e->trace[lane], trace, 1e-10, 1e-10);
    free(p), free(l), free(s), free(got), free(b), free(best), free(work), free(m);
}

static void check_sums(const gbs_eight *e) {
    size_t d = e->d, packed = gbs_packed_size(d);
    double *spread = doubles(2 * packed * GBS_EIGHT), *second = spread + packed * GBS_EIGHT,
           *sum = doubles(2 * packed);
    const double share[GBS_EIGHT] = {1, 1, 0, 1, 1, 1, 0.5, 1},
                 omega[GBS_EIGHT] = {1, 2, 0, 3, 1, 5, 0.25, 1};
    gbs_eight_add(e, share, omega, spread, second);
    gbs_eight_add(e, share, omega, spread, second);
    gbs_eight_collect(2 * packed, spread, sum);
    for (size_t i = 0, at = 0; i < d; i++)
        for (size_t j = i; j < d; j++, at++) {
            double s = 0.0, square = 0.0;
            for (size_t k = 0; k < GBS_EIGHT; k++) {
                s += 2.0 * share[k] * e->cov[at * GBS_EIGHT + k];
                square += 2.0 * omega[k] * e->mean[i * GBS_EIGHT + k] * e->mean[j * GBS_EIGHT + k];
            }
            assert_close(sum[at], s, 1e-12, 1e-13);
            assert_close(sum[packed + at], square, 1e-12, 1e-13);
        }
    free(spread), free(sum);
}

static void eight_at_a_time(void **state) {
    (void)state;
    struct dice r = {13};
    for (size_t d = 1; d <= 66; d += d < 10 ? 1 : 7) {
        size_t packed = gbs_packed_size(d);
        double *room = doubles((2 * packed + 3 * d) * GBS_EIGHT + gbs_eight_work(d)),
               *old = doubles(2 * packed + 3 * d), *kept, *precision = doubles(d * d);
        gbs_eight e = {.d = d, .a = room};
        e.cov = e.a + packed * GBS_EIGHT;
        e.r = e.cov + packed * GBS_EIGHT;
        e.centre = e.r + d * GBS_EIGHT;
        e.mean = e.centre + d * GBS_EIGHT;
        e.work = e.mean + d * GBS_EIGHT;
        struct one before = {old, old + packed, old + 2 * packed, old + 2 * packed + d,
                             old + 2 * packed + 2 * d};
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j <= i; j++)
                precision[i * d + j] = precision[j * d + i] = dice_between(&r, -0.5, 0.5) +
                                                              (i == j ? (double)d : 0.0);
        for (size_t k = 0; k < (2 * packed + 3 * d) * GBS_EIGHT; k++)
            room[k] = dice_between(&r, -0.5, 0.5);
        for (size_t i = 0; i < d; i++) /* sizes apart, so that products of pivots run away */
            for (size_t k = 0; k < GBS_EIGHT; k++)
                e.a[gbs_packed(d, i) * GBS_EIGHT + k] += pow(100.0, (double)k) * (double)d;
        kept = doubles((2 * packed + 3 * d) * GBS_EIGHT);
        memcpy(kept, room, (2 * packed + 3 * d) * GBS_EIGHT * sizeof *kept);
        assert_true(gbs_eight_regress(precision, 1.5, &e));
        for (size_t lane = 0; lane < GBS_EIGHT; lane++) {
            take_lane(2 * packed + 3 * d, lane, kept, old);
            check_lane(&e, lane, precision, 1.5, &before);
        }
        check_sums(&e);
        memcpy(room, kept, (2 * packed + 3 * d) * GBS_EIGHT * sizeof *kept);
        e.a[gbs_packed(d, d - 1) * GBS_EIGHT + 5] = -1e3 * (double)d; /* one of them has no root */
        assert_false(gbs_eight_regress(precision, 1.5, &e));
        free(room), free(old), free(kept), free(precision);
    }
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

/* Whatever the sizes leave over of sixes, eights and strips. */
static void tall_products(void **state) {
    (void)state;
    static const size_t sizes[][3] = {{1, 1, 1},  {5, 3, 7},    {6, 6, 8},     {7, 13, 9},
                                      {64, 8, 8}, {65, 17, 17}, {200, 66, 17}, {131, 70, 33}};
    struct dice r = {13};
    for (size_t q = 0; q < sizeof sizes / sizeof *sizes; q++) {
        size_t n = sizes[q][0], d = sizes[q][1], c = sizes[q][2];
        double *x = doubles(n * d), *y = doubles(n * c), *m = doubles(d * c), *out = doubles(n * c),
               *cross = doubles(d * c), *gram = doubles(d * d);
        for (size_t k = 0; k < n * d; k++)
            x[k] = dice_normal(&r);
        for (size_t k = 0; k < n * c; k++)
            y[k] = dice_normal(&r);
        for (size_t k = 0; k < d * c; k++)
            m[k] = cross[k] = dice_normal(&r);
        for (size_t k = 0; k < d * d; k++)
            gram[k] = 2.0;
        gbs_tall_times(n, d, c, x, m, out);
        gbs_tall_cross(n, d, c, x, y, cross);
        gbs_tall_gram(n, d, x, gram);
        for (size_t j = 0; j < c; j++) {
            for (size_t i = 0; i < n; i++) {
                double slow = 0.0;
                for (size_t k = 0; k < d; k++)
                    slow += x[i * d + k] * m[k * c + j];
                assert_close(out[i * c + j], slow, 1e-13, 1e-13);
            }
            for (size_t p = 0; p < d; p++) {
                double slow = m[p * c + j];
                for (size_t i = 0; i < n; i++)
                    slow += x[i * d + p] * y[i * c + j];
                assert_close(cross[p * c + j], slow, 1e-12, 1e-12);
            }
        }
        for (size_t p = 0; p < d; p++)
            for (size_t j = 0; j <= p; j++) {
                double slow = 2.0;
                for (size_t i = 0; i < n; i++)
                    slow += x[i * d + p] * x[i * d + j];
                assert_close(gram[p * d + j], slow, 1e-12, 1e-12);
            }
        free(x), free(y), free(m), free(out), free(cross), free(gram);
    }
}

/* Of any rank, with room for what is read and written beyond. */
static void pairs_in_single_precision(void **state) {
    (void)state;
    struct dice r = {15};
    enum { BEYOND = 8 };
    for (size_t rank = 0; rank < 40; rank++) {
        size_t packed = gbs_packed_size(rank + 1);
        double *m = doubles(rank + BEYOND), *s = doubles(packed + BEYOND);
        float *out = take(packed + BEYOND, sizeof *out), *next = out;
        for (size_t k = 0; k < rank + BEYOND; k++)
            m[k] = dice_normal(&r);
        for (size_t k = 0; k < packed + BEYOND; k++)
            s[k] = dice_normal(&r);
        const double *cov = s;
        gbs_single_pairs(rank, 0.6, m, s, out);
        for (size_t i = 0; i < rank; i++, cov++) /* past the column that is left out */
            for (size_t j = i; j < rank; j++)
                assert_close((double)*next++, 0.6 * m[i] * m[j] + *cov++, 1.2e-7, 1e-7);
        free(m), free(s), free(out);
    }
}

/* A record in single precision is the one in double, rounded; those around it stay. */
static void records_in_single_precision(void **state) {
    (void)state;
    struct dice r = {14};
    for (size_t rank = 8; rank < 40; rank++) {
        size_t own = rank + 1, packed = gbs_packed_size(own);
        gbs_record_shape shape = gbs_level_record_shape(rank);
        size_t numbers = shape.plain + shape.both;
        double *mean = doubles(2 * own), *cov = doubles(2 * packed), *slow = doubles(shape.stride);
        float *record = take(3 * shape.stride, sizeof *record);
        for (size_t k = 0; k < 2 * own; k++)
            mean[k] = dice_normal(&r);
        for (size_t k = 0; k < 2 * packed; k++)
            cov[k] = dice_normal(&r);
        for (size_t k = 0; k < 3 * shape.stride; k++)
            record[k] = 7.0F;
        gbs_level_record(rank, 1.7, mean, cov, slow);
        gbs_level_record_single(rank, 1.7, mean, cov, record + shape.stride);
        for (size_t k = 0; k < numbers; k++)
            assert_close((double)record[shape.stride + k], slow[k], 1.2e-7, 1e-7);
        for (size_t k = 0; k < shape.stride; k++)
            assert_true(record[k] == 7.0F && record[2 * shape.stride + k] == 7.0F);
        free(mean), free(cov), free(slow), free(record);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digamma_is_that_of_mpfr),
        cmocka_unit_test(small_gaussians),
        cmocka_unit_test(eight_at_a_time),
        cmocka_unit_test(records_are_summed),
        cmocka_unit_test(tall_products),
        cmocka_unit_test(pairs_in_single_precision),
        cmocka_unit_test(records_in_single_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
