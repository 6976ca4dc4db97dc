/* Sums of records over lists of neighbours, in double, of records in single or double precision.
 *
 * A record is `plain` numbers to be summed, then `both` numbers that are summed as they are and
 * once more times y. The sums are bound by the bandwidth of memory: single precision halves them.
 */
#ifndef GIBBSITE_KERNEL_RECORD_SUMS_H
#define GIBBSITE_KERNEL_RECORD_SUMS_H

#include <stddef.h>
#include <stdint.h>

typedef struct gbs_record_shape {
    size_t plain, both;
    size_t stride; /* numbers from one record to the next */
} gbs_record_shape;

/* sum (plain + both) += records[other[e]]; weighted (both) += (y[e] - centre) * scale * the last
 * `both` numbers; e < count. */
void gbs_sum_doubles(gbs_record_shape shape, size_t count, const uint32_t *other, const double *y,
                     double centre, double scale, const double *records, double *sum,
                     double *weighted);
void gbs_sum_singles(gbs_record_shape shape, size_t count, const uint32_t *other, const double *y,
                     double centre, double scale, const float *records, double *sum,
                     double *weighted);

/* out (packed, single) = omega mm' + S of the first `rank` numbers of m, S packed with one row and
 * column more (kernel/moments.h). Up to seven numbers behind m, behind S and behind out are read,
 * and those behind out written. */
void gbs_single_pairs(size_t rank, double omega, const double *m, const double *s, float *out);

/* sum (width) += weight[e] * rows[other[e]], rows of `width` numbers, e < count. */
void gbs_sum_weighted_singles(size_t width, size_t count, const uint32_t *other,
                              const double *weight, const float *rows, double *sum);

#endif
